//! The five guideline phrases through the tools (NAV-51), the normal mode (NAV-18), and missing routes
//! (NAV-8).

use futures::future::join_all;
use jiff::ToSpan;
use serde_json::{Value, json};

use super::{navigate, post, serving};

#[tokio::test(flavor = "multi_thread")]
async fn five_phrases_use_the_specified_tools() {
    let server = serving().await;
    let client = server.client();
    let mut all: Vec<Value> = Vec::new();
    for (phrase, tools) in [
        (
            "渋滞を避けて",
            json!([["route_search", { "alternatives": true, "departure_time": "now" }]]),
        ),
        ("高速使わない", json!([["route_search", { "avoid": ["highways"] }]])),
        ("一番早い", json!([["route_search", { "alternatives": true }]])),
        (
            "比較して",
            json!([
                ["route_search", { "alternatives": true }],
                ["distance_compare", { "origins": ["東京駅"], "destinations": ["横浜駅"] }],
            ]),
        ),
        ("右折少なめ", json!([["route_search", { "alternatives": true }]])),
    ] {
        let body = navigate(&client, phrase).await;
        let used = body["reasoning"]["toolsUsed"].as_array().unwrap();
        let used: Vec<_> = used
            .iter()
            .map(|call| {
                let mut params = call["params"].clone();
                for name in ["origin", "destination"] {
                    params.as_object_mut().unwrap().shift_remove(name);
                }
                assert!(call["reason"].as_str().is_some_and(|it| !it.is_empty()), "NAV-3: {call}");
                json!([call["name"], params])
            })
            .collect();
        assert_eq!(json!(used), tools, "NAV-51: {phrase}");
        let text = body["reasoning"]["message"].clone();
        assert!(!all.contains(&text), "NAV-51: {phrase} is a plan of its own: {text}");
        all.push(text);
        let route = &body["route"];
        assert!(route["polyline"].as_array().is_some_and(|it| it.len() > 10), "NAV-2: {phrase}");
        assert!(
            route["distance"]["value"].as_u64() > Some(20_000),
            "{phrase}: {}",
            route["distance"]
        );
        assert_eq!(route["duration"], route["durationInTraffic"], "NAV-X5: {phrase}");
    }
}

#[tokio::test]
async fn avoiding_motorways_is_another_route() {
    let server = serving().await;
    let client = server.client();
    let summary = async |phrase| navigate(&client, phrase).await["route"]["summary"].clone();
    assert_ne!(summary("高速使わない").await, summary("一番早い").await, "NAV-51, NAV-68");
}

#[tokio::test(flavor = "multi_thread")]
async fn same_question_has_same_answer_sixteen_times_at_once() {
    let server = serving().await;
    let client = server.client();
    let answers =
        join_all((0..16).map(|_| navigate(&client, "高速を使わないで一番早いルート"))).await;
    for answer in &answers {
        assert_eq!(answer["reasoning"]["toolsUsed"], answers[0]["reasoning"]["toolsUsed"]);
        assert_eq!(answer["route"]["summary"], answers[0]["route"]["summary"]);
    }
}

#[tokio::test]
async fn no_route_is_null_with_a_reason_and_a_history() {
    let server = serving().await;
    let client = server.client();
    for (destination, message) in [("どこにもない場所ぬぬぬ", "一番早い"), ("99.9,200", "no tolls")]
    {
        let mut asked = super::request_body(message);
        asked["destination"] = json!(destination);
        let (status, body) = post(&client, "/api/navigate", &asked).await;
        assert_eq!((status, &body["route"]), (200, &Value::Null), "NAV-8: {body}");
        assert!(body["reasoning"]["message"].as_str().is_some_and(|it| !it.is_empty()), "NAV-8");
        assert_eq!(body["conversationHistory"].as_array().unwrap().len(), 2, "NAV-4");
        assert_eq!(body["reasoning"]["toolsUsed"].as_array().unwrap().len(), 1, "NAV-3");
    }
}

#[tokio::test]
async fn a_walk_is_longer_than_a_drive() {
    let server = serving().await;
    let client = server.client();
    let seconds = async |message: &str| {
        let mut asked = super::request_body(message);
        asked["destination"] = json!("品川駅");
        let (_, body) = post(&client, "/api/navigate", &asked).await;
        body["route"]["duration"]["value"].as_u64().unwrap_or_else(|| panic!("{body}"))
    };
    assert!(seconds("歩いて").await > 2 * seconds("車で").await, "NAV-18");
}

#[tokio::test]
async fn explanation_is_in_the_callers_language() {
    let server = serving().await;
    let client = server.client();
    for (header, message, english) in [
        (Some("en-GB"), "一番早い", true),
        (Some("ja"), "the fastest", false),
        (None, "the fastest", true),
        (None, "一番早い", false),
    ] {
        let headers: Vec<_> = header.map(|it| ("accept-language", it)).into_iter().collect();
        let response =
            client.post("/api/navigate", &headers, super::request_body(message).to_string()).await;
        let body: Value = response.json().await.unwrap();
        let text = body["reasoning"]["message"].as_str().unwrap();
        assert_eq!(text.contains("built-in planner"), english, "{header:?} {message}: {text}");
    }
}

#[tokio::test]
async fn the_normal_mode_finds_routes_by_their_kind() {
    let server = serving().await;
    let client = server.client();
    let mut summaries = Vec::new();
    for (kind, mode) in [
        (json!(null), json!(null)),
        (json!("recommended"), json!("driving")),
        (json!("fastest"), json!("DRIVING")),
        (json!("shortest"), json!("driving")),
        (json!("cheapest"), json!("driving")),
        (json!("no_highways"), json!("driving")),
        (json!("no_tolls"), json!("driving")),
        (json!("no_ferries"), json!("driving")),
        (json!("fewest_right_turns"), json!("driving")),
        (json!("recommended"), json!("walking")),
        (json!("recommended"), json!("bicycling")),
    ] {
        let asked = json!({
            "origin": "東京駅", "destination": "横浜駅", "travelMode": mode, "routeType": kind,
        });
        let (status, body) = post(&client, "/api/route", &asked).await;
        assert_eq!((status, &body["mode"]), (200, &json!("normal")), "NAV-18: {body}");
        assert!(
            body["route"]["steps"].as_array().is_some_and(|it| !it.is_empty()),
            "NAV-18: {kind}"
        );
        assert_eq!(body.as_object().unwrap().len(), 2, "NAV-18: and nothing else: {kind}");
        summaries.push(body["route"]["summary"].clone());
    }
    assert_eq!(summaries[0], summaries[1], "NAV-18: recommended is what one gets");
    assert_ne!(summaries[2], summaries[5], "NAV-18: motorways are the fastest");
    let nowhere = json!({ "origin": "東京駅", "destination": "どこにもない場所ぬぬぬ" });
    let (status, body) = post(&client, "/api/route", &nowhere).await;
    assert_eq!((status, &body["route"]), (200, &Value::Null), "NAV-8: {body}");
    assert!(body["message"].is_string(), "NAV-8: {body}");
}

#[tokio::test]
async fn shortest_and_cheapest_are_right_and_stops_are_kept() {
    let server = serving().await;
    let client = server.client();
    let route = async |more: Value| {
        let mut asked = json!({ "origin": "渋谷駅", "destination": "横浜駅" });
        for (name, value) in more.as_object().unwrap() {
            asked[name] = value.clone();
        }
        let (status, body) = post(&client, "/api/route", &asked).await;
        assert_eq!(status, 200, "NAV-18: {body}");
        body["route"].clone()
    };
    let metres = |route: &Value| route["distance"]["value"].as_u64().unwrap();
    let fastest = route(json!({})).await;
    let shortest = route(json!({ "routeType": "shortest" })).await;
    assert!(metres(&shortest) < 27_000 && metres(&fastest) > 27_000, "{shortest}");
    let cheapest = route(json!({ "routeType": "cheapest" })).await;
    let no_tolls = route(json!({ "routeType": "no_tolls" })).await;
    assert!(metres(&cheapest) <= metres(&no_tolls), "a free road leads there: {cheapest}");
    let via = route(json!({ "via": ["川崎駅"] })).await;
    let messages = via["steps"].as_array().unwrap().iter();
    assert!(messages.clone().any(|it| it["instruction"] == "川崎駅に到着"), "{via}");
    let there = jiff::Timestamp::now() + 24.hours();
    let by = route(json!({ "arrivalTime": there.to_string() })).await;
    let leaves: jiff::Timestamp = by["departureTime"].as_str().unwrap().parse().unwrap();
    let takes = by["duration"]["value"].as_i64().unwrap();
    assert!((there.as_second() - leaves.as_second() - takes).abs() <= 1, "{by}");
    let far = route(json!({ "destination": "35.4270,139.6800" })).await;
    assert!(far["warnings"][0].as_str().is_some_and(|it| it.contains("離れています")), "{far}");
    let (_, body) = post(
        &client,
        "/api/route",
        &json!({
            "origin": "渋谷駅", "destination": "35.5,139.85",
        }),
    )
    .await;
    assert!(body["message"].as_str().is_some_and(|it| it.contains("道路から")), "{body}");
    let sentence = |message: &str| {
        let mut asked = super::request_body(message);
        asked["origin"] = json!("渋谷駅");
        asked
    };
    let (_, body) = post(&client, "/api/navigate", &sentence("一番短い距離で")).await;
    assert_eq!(metres(&body["route"]), metres(&shortest), "NAV-51: {body}");
    let (_, body) = post(&client, "/api/navigate", &sentence("一番安いルートで")).await;
    let text = body["reasoning"]["message"].as_str().unwrap();
    assert!(text.contains("通行料金はかかりません"), "{text}");
    for (field, value) in [
        ("via", json!("川崎駅")),
        ("via", json!(vec!["川崎駅"; 11])),
        ("via", json!([""])),
        ("arrivalTime", json!("9 o'clock")),
        ("arrivalTime", json!("2020-01-01T09:00:00+09:00")),
        ("arrivalTime", json!("2999-01-01T09:00:00+09:00")),
    ] {
        let asked = json!({ "origin": "渋谷駅", "destination": "横浜駅", field: value });
        let (status, answer) = post(&client, "/api/route", &asked).await;
        assert_eq!((status, super::error(&answer)), (400, ("VALIDATION_ERROR", field)), "NAV-18");
    }
}
