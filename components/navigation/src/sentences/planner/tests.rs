//! What the planner understands, plans, chooses and says. The five guideline phrases are five plans: calls,
//! parameters and selection rule (NAV-51).

mod grammar;
mod results;

use jiff::Timestamp;
use language::{
    Language,
    turn::{Answered, Conclusion, Decision, Failure, ToolCall, ToolResult},
};
use serde_json::{Value, json};

use super::{Constraints, Planner, Remark, RouteRequest, Rule, constraints::Unsupported, parse};

/// 10:00 on Saturday, 21 November 2026 in Japan.
fn now() -> Timestamp {
    "2026-11-21T10:00:00+09:00".parse().unwrap()
}

fn request(message: &str) -> RouteRequest {
    RouteRequest {
        origin: "東京駅".to_owned(),
        destination: "横浜駅".to_owned(),
        message: message.to_owned(),
        history: Vec::new(),
        language: Language::detect(message),
        now: now(),
        has_table: true,
        via: Vec::new(),
    }
}

/// The request of the last sentence, after the others were sent and answered.
fn conversation(sentences: &[&str]) -> RouteRequest {
    let (last, before) = sentences.split_last().unwrap();
    let line = |content: &str, is_user| Remark { is_user, content: content.to_owned() };
    let mut request = request(last);
    let turns =
        before.iter().flat_map(|it| [line(it, true), line("高速を使わないで行きます。", false)]);
    request.history = turns.collect();
    request
}

fn constraints(message: &str) -> Constraints {
    parse::conversation(&request(message))
}

fn calls(request: &RouteRequest) -> Vec<ToolCall> {
    match Planner::from_sentence(request.clone()).next(&[]) {
        Decision::Call(calls) => calls,
        Decision::Conclude(it) => panic!("it concludes: {it:?}"),
    }
}

/// A route of so many metres and seconds, without and with traffic, with these maneuvers.
fn route(summary: &str, metres: u64, seconds: (u64, u64), maneuvers: &[&str]) -> Value {
    let steps = maneuvers.iter().map(|it| json!({ "instruction": "…", "maneuver": it }));
    json!({
        "summary": summary,
        "distance": { "text": "", "value": metres },
        "duration": { "text": "", "value": seconds.0 },
        "duration_in_traffic": { "text": "", "value": seconds.1 },
        "polyline": "_p~iF~ps|U_ulLnnqC",
        "steps": steps.collect::<Vec<_>>(),
        "warnings": [],
    })
}

/// Three, of which another one is best by each rule.
fn three() -> Value {
    json!({ "routes": [
        route("首都高速横羽線", 30_000, (1_800, 3_000), &["turn-right", "turn-right", "merge"]),
        route("国道15号", 28_000, (3_200, 3_500), &["turn-right", "turn-right", "turn-right"]),
        route("首都高速湾岸線", 40_000, (2_500, 2_800), &["turn-right", "fork-right", "ramp-right"]),
    ], "geocoded_waypoints": [] })
}

/// What the planner says to `message` when its search finds `routes`.
fn concluded(request: &RouteRequest, routes: Value, meta: Value) -> Conclusion {
    answered(request, |_| ToolResult::Output {
        structured: routes.clone(),
        meta: meta.clone(),
        content: Vec::new(),
    })
}

fn answered(request: &RouteRequest, result: impl Fn(&ToolCall) -> ToolResult) -> Conclusion {
    let mut planner = Planner::from_sentence(request.clone());
    let Decision::Call(calls) = planner.next(&[]) else { panic!("it calls nothing") };
    let answered: Vec<_> =
        calls.into_iter().map(|call| Answered { result: result(&call), call }).collect();
    match planner.next(&answered) {
        Decision::Conclude(it) => it,
        Decision::Call(it) => panic!("it calls again: {it:?}"),
    }
}

fn arguments(message: &str) -> Vec<(String, Value)> {
    let calls = calls(&request(message)).into_iter();
    calls.map(|it| (it.name, Value::Object(it.arguments))).collect()
}

fn search(more: Value) -> Vec<(String, Value)> {
    let mut arguments = json!({ "origin": "東京駅", "destination": "横浜駅" });
    for (name, value) in more.as_object().unwrap() {
        arguments[name] = value.clone();
    }
    vec![("route_search".to_owned(), arguments)]
}

fn chosen(message: &str) -> usize {
    let conclusion = concluded(&request(message), three(), json!({}));
    conclusion.choice.and_then(|it| it.index).expect("one is chosen")
}

#[test]
fn five_phrases_give_five_plans_in_both_languages() {
    let several = json!({ "alternatives": true });
    let in_traffic = json!({ "alternatives": true, "departure_time": "now" });
    let mut compared = search(several.clone());
    let table = json!({ "origins": ["東京駅"], "destinations": ["横浜駅"] });
    compared.push(("distance_compare".to_owned(), table));
    for (japanese, english, plan) in [
        ("渋滞を避けて", "avoid traffic", search(in_traffic)),
        ("高速使わない", "no motorways", search(json!({ "avoid": ["highways"] }))),
        ("一番早い", "the fastest way", search(several.clone())),
        ("比較して", "compare them", compared),
        ("右折少なめ", "fewer right turns", search(several)),
    ] {
        assert_eq!(arguments(japanese), plan, "NAV-51: {japanese}");
        assert_eq!(arguments(english), plan, "NAV-51: {english}");
    }
}

#[test]
fn each_rule_chooses_by_its_criterion() {
    // In traffic: 3,000 s, 20 min of it lost; 3,500 s, 5 min; 2,800 s, 5 min.
    for (message, index) in [
        ("高速使わない", 0),
        ("比較して", 0),
        ("一番早い", 2),
        ("渋滞を避けて", 2),
        ("最短距離で", 1),
        // Ramps and forks to the right cross no traffic.
        ("右折少なめ", 2),
        ("the fastest", 2),
        ("fewest right turns", 2),
    ] {
        assert_eq!(chosen(message), index, "NAV-51: {message}");
    }
}

#[test]
fn less_traffic_may_take_a_fifth_longer() {
    let routes = |seconds: (u64, u64)| {
        json!({ "routes": [
            route("a", 1, (1_000, 2_000), &[]), route("b", 1, seconds, &[]),
        ] })
    };
    let index = |seconds| {
        let text = concluded(&request("渋滞を避けて"), routes(seconds), json!({}));
        text.choice.unwrap().index.unwrap()
    };
    assert_eq!(index((2_300, 2_400)), 1, "NAV-51: 20 % longer");
    assert_eq!(index((2_401, 2_401)), 0, "NAV-51: more than that");
}

#[test]
fn combines_constraints_of_one_sentence() {
    let no_highways = json!({ "avoid": ["highways"], "alternatives": true });
    assert_eq!(arguments("高速使わないで一番早い"), search(no_highways.clone()), "NAV-51");
    assert_eq!(arguments("the fastest without motorways"), search(no_highways), "NAV-51");
    // The specification's own sample.
    let sample = json!({ "alternatives": true, "departure_time": "now" });
    assert_eq!(arguments("渋滞を避けて最短で"), search(sample), "NAV-51");
    assert_eq!(constraints("渋滞を避けて最短で").rule, Some(Rule::Fastest));
    let all = json!({ "avoid": ["tolls", "highways", "ferries"] });
    assert_eq!(arguments("高速と有料道路とフェリーは避けて"), search(all.clone()));
    assert_eq!(arguments("Avoid highways, tolls and ferries."), search(all));
}

#[test]
fn walking_is_sent_in_meta_without_traffic() {
    let call = &calls(&request("歩いて、渋滞は避けて"))[0];
    assert_eq!(call.meta["navigation/travelMode"], "walking");
    assert_eq!(call.arguments.get("departure_time"), None, "NAV-X6");
    let compared = calls(&request("歩いて行くルートを比較して"));
    assert_eq!(compared.len(), 1, "the table is of driving");
    assert!(calls(&request("車で比較して"))[0].meta.is_empty());
    let cycling = calls(&request("自転車で、渋滞は避けて"));
    assert_eq!(cycling[0].meta["navigation/travelMode"], "bicycling");
    assert_eq!(cycling[0].arguments.get("departure_time"), None, "NAV-X6");
}

#[test]
fn searches_for_shortest_and_cheapest() {
    for (message, word) in [("一番短い距離で", "shortest"), ("一番安い", "cheapest")] {
        let call = &calls(&request(message))[0];
        assert_eq!(call.meta["navigation/prefer"], word, "{message}");
    }
    assert!(calls(&request("一番早い"))[0].meta.is_empty());
}

#[test]
fn contrast_searches_twice() {
    for message in ["高速ありと高速なしで比較して", "compare with highways and without highways"]
    {
        let calls = calls(&request(message));
        let asked: Vec<_> = calls
            .iter()
            .map(|it| (it.id.as_str(), it.name.as_str(), it.arguments.get("avoid").cloned()))
            .collect();
        let without = Some(json!(["highways"]));
        let expected = [
            ("call-1", "route_search", None),
            ("call-2", "route_search", without),
            ("call-3", "distance_compare", None),
        ];
        assert_eq!(asked, expected, "{message}");
    }
}

#[test]
fn requests_no_table_without_permission() {
    let mut request = request("比較して");
    request.has_table = false;
    assert_eq!(calls(&request).len(), 1);
}

#[test]
fn calls_have_reasons_in_callers_language() {
    let reason = |message| calls(&request(message))[0].reason.clone();
    assert_eq!(reason("高速使わない"), "高速道路を避ける", "NAV-54");
    assert_eq!(
        reason("no tolls, the fastest"),
        "Toll roads are avoided; the fastest of several is chosen"
    );
    assert!(reason("よろしく").contains("通常の検索"), "NAV-54");
}

#[test]
fn requests_and_reports_stops_and_arrival() {
    let mut request = request("自転車で一番短い距離で、川崎を経由して、18時までに着きたい");
    request.via = vec!["川崎".to_owned()];
    let call = calls(&request).swap_remove(0);
    assert_eq!(call.meta["navigation/prefer"], "shortest");
    assert_eq!(call.meta["navigation/via"], json!(["川崎"]));
    assert_eq!(call.meta["navigation/arrivalTime"], "2026-11-21T18:00:00+09:00");
    assert_eq!(call.meta["navigation/travelMode"], "bicycling");
    assert_eq!(call.arguments.get("departure_time"), None);
    let text = concluded(&request, three(), json!({})).text();
    assert!(!text.contains("対応していな") && text.contains("川崎経由"), "{text}");
}
