//! Routes, distances and places, and the answers about them.

use language::{
    Language,
    trial::{self, FORM, call, concluded, output},
    turn::{Decision, Failure, ToolResult},
};
use serde_json::{Value, json};

mod answers;
mod turned;

const TOOLS: &str = include_str!("../../tools.json");

fn new_talk() -> trial::Talk {
    trial::Talk::new(super::next, TOOLS)
}

fn routes() -> ToolResult {
    let route = |summary: &str, metres: u64, seconds: u64| json!({ "summary": summary, "distance": { "text": "", "value": metres }, "duration": { "text": "", "value": seconds }, "polyline": "_p~iF", "steps": [], "warnings": [] });
    output(
        json!({ "routes": [route("国道15号", 28_000, 3_200), route("首都高速", 30_000, 1_800)] }),
    )
}

#[test]
fn chooses_route_by_rules_and_names_it_for_the_page() {
    let mut talk = new_talk();
    talk.say("東京駅から横浜駅まで一番早いルートで");
    let decided = talk.back(&[routes()]);
    let conclusion = concluded(&decided);
    let choice = conclusion.choice.clone().unwrap();
    assert_eq!((choice.index, choice.call.as_deref()), (Some(1), Some("navigation-1")));
    assert!(conclusion.text().contains("首都高速") && conclusion.text().contains("内蔵プランナー"));
}

#[test]
fn plain_route_mentions_no_unread_constraint() {
    let mut talk = new_talk();
    talk.say("東京駅から横浜駅まで");
    let text = concluded(&talk.back(&[routes()])).text();
    assert!(!text.contains("読み取れなかった"), "{text}");
}

#[test]
fn constraint_after_answer_applies_to_last_route() {
    let mut talk = new_talk().after("東京駅から横浜駅まで", &[routes()]);
    let next = talk.say("高速を使わないで");
    assert_eq!(
        call(&next).1,
        json!({ "origin": "東京駅", "destination": "横浜駅", "avoid": ["highways"] })
    );
    talk.back(&[routes()]);
    let next = talk.say("じゃあ、川崎駅までのルートは？");
    assert_eq!(
        call(&next).1,
        json!({ "origin": "東京駅", "destination": "川崎駅", "avoid": ["highways"] })
    );
    // Ids tell the calls of one conversation apart.
    assert_eq!(talk.last[0].id, "navigation-3");
}

#[test]
fn restores_route_from_history_without_transcript() {
    let before = [("東京駅から横浜駅まで", true), ("30 km です。", false)];
    let mut talk = new_talk();
    let decided = talk.say_after(&before, "高速を使わないで");
    assert_eq!(call(&decided).1["avoid"], json!(["highways"]));
    assert_eq!(talk.last[0].id, "navigation-1");
}

#[test]
fn asks_for_missing_end_by_form() {
    let mut talk = new_talk();
    let asked = talk.say("横浜駅まで高速を使わずに行きたい");
    let (tool, arguments) = call(&asked);
    assert_eq!(tool, FORM);
    assert_eq!(arguments.pointer("/form_schema/fields/1/default"), Some(&Value::from("横浜駅")));
    let next = talk.say(r#"{"origin": "東京駅", "destination": "横浜駅"}"#);
    assert_eq!(
        call(&next),
        (
            "route_search",
            json!({ "origin": "東京駅", "destination": "横浜駅", "avoid": ["highways"] })
        )
    );
}

#[test]
fn answers_distances_and_places() {
    let mut talk = new_talk();
    talk.say("Compare the distances from Tokyo to Yokohama and Chiba");
    let cell = |metres: u64, seconds: u64| json!({ "status": "OK", "distance": { "text": "", "value": metres }, "duration": { "text": "", "value": seconds } });
    let table =
        json!({ "rows": [{ "elements": [cell(30_000, 1_800), { "status": "ZERO_RESULTS" }] }] });
    let text = concluded(&talk.back(&[output(table)])).text();
    assert!(
        text.contains("Tokyo → Yokohama: 30.0 km, 30 min") && text.contains("Chiba: no route"),
        "{text}"
    );
    talk.say("Where is Tokyo Tower?");
    let place = json!({ "location": { "lat": 35.65858, "lng": 139.74543 }, "formatted_address": "Tokyo Tower" });
    let text = concluded(&talk.back(&[output(place)])).text();
    assert!(text.contains("35.65858") && text.contains("139.74543"), "{text}");
}

fn table(rows: &[&[(u64, u64)]]) -> ToolResult {
    let cell = |it: &(u64, u64)| json!({ "status": "OK", "distance": { "text": "", "value": it.0 }, "duration": { "text": "", "value": it.1 } });
    let row = |it: &&[(u64, u64)]| json!({ "elements": it.iter().map(cell).collect::<Vec<_>>() });
    output(json!({ "rows": rows.iter().map(row).collect::<Vec<_>>() }))
}

#[test]
fn reranks_extends_or_routes_to_compared_places() {
    for (first, rows, next, tool, expected) in [
        (
            "東京駅と新宿駅から横浜駅までの時間を比べて",
            &[&[(9, 9)][..], &[(5, 12)]][..],
            "一番近いのは？",
            "distance_compare",
            json!({ "origins": ["東京駅", "新宿駅"], "destinations": ["横浜駅"] }),
        ),
        (
            "東京駅と新宿駅から横浜駅までの時間を比べて",
            &[&[(9, 9)], &[(5, 12)]],
            "じゃあ一番近いところから行く道を出して",
            "route_search",
            json!({ "origin": "新宿駅", "destination": "横浜駅" }),
        ),
        (
            "compare driving from Shibuya and Ikebukuro to Haneda",
            &[&[(9, 9)], &[(12, 12)]],
            "show me the route for the farthest one",
            "route_search",
            json!({ "origin": "Ikebukuro", "destination": "Haneda" }),
        ),
        (
            "Which is closer to Tokyo Tower: Shinjuku or Ueno?",
            &[&[(12, 12), (9, 9)]],
            "ok, go there by car",
            "route_search",
            json!({ "origin": "Tokyo Tower", "destination": "Ueno" }),
        ),
        (
            "渋谷駅と新宿駅、東京駅に近いのはどっち？",
            &[&[(12, 12), (9, 9)]],
            "そこまで車で行きたい",
            "route_search",
            json!({ "origin": "東京駅", "destination": "新宿駅" }),
        ),
        (
            "Which is closer to Tokyo Tower: Shinjuku or Ueno?",
            &[&[(9, 9), (12, 12)]],
            "What about Shinagawa?",
            "distance_compare",
            json!({ "origins": ["Tokyo Tower"], "destinations": ["Shinjuku", "Ueno", "Shinagawa"] }),
        ),
        (
            "渋谷駅と新宿駅、東京駅に近いのはどっち？",
            &[&[(9, 9), (12, 12)]],
            "池袋も入れて",
            "distance_compare",
            json!({ "origins": ["東京駅"], "destinations": ["渋谷駅", "新宿駅", "池袋"] }),
        ),
    ] {
        let mut talk = new_talk().after(first, &[table(rows)]);
        assert_eq!(call(&talk.say(next)), (tool, expected), "{next}");
    }
    let mut talk = new_talk().after(
        "compare driving from Shibuya and Ikebukuro to Haneda",
        &[table(&[&[(900, 900)], &[(1200, 600)]])],
    );
    talk.say("which one is faster?");
    let text = concluded(&talk.back(&[table(&[&[(900, 900)], &[(1200, 600)]])])).text();
    assert!(text.contains("The quickest is Ikebukuro"), "{text}");
}

#[test]
fn answers_question_about_the_route() {
    for (first, next) in [
        ("新宿から羽田空港まで", "高速代はいくら？"),
        ("新宿から羽田空港まで", "通行料金はいくらですか"),
        ("from Shibuya to Haneda", "how much are the tolls?"),
        ("from Shibuya to Haneda", "what about the tolls?"),
        ("from Shibuya to Haneda", "any tolls?"),
        ("from Shibuya to Haneda by 9am tomorrow", "what time should I leave?"),
        ("明日の9時に川崎駅から横浜駅に着きたい", "何時に出ればいい？"),
    ] {
        let mut talk = new_talk();
        let asked = talk.say(first);
        talk.back(&[routes()]);
        assert_eq!(call(&talk.say(next)), call(&asked), "{next}");
        assert!(talk.confidence > 0.9, "{next}");
    }
    let mut talk = new_talk().after("新宿から羽田空港まで", &[routes()]);
    talk.say("映画はいくら？");
    assert!(talk.confidence < 0.5);
}

#[test]
fn removes_and_adds_stops_by_short_names() {
    let mut talk = new_talk();
    let decided = talk.say("品川駅→渋谷駅→新宿駅の順で");
    assert_eq!(call(&decided).1, json!({ "origin": "品川駅", "destination": "新宿駅" }));
    let via = |talk: &trial::Talk| talk.last[0].meta.get("navigation/via").cloned();
    assert_eq!(via(&talk), Some(json!(["渋谷駅"])));
    talk.back(&[routes()]);
    talk.say("渋谷はやっぱなし");
    assert_eq!(via(&talk), None);
    let text = concluded(&talk.back(&[routes()])).text();
    assert!(!text.contains("「渋谷」"), "{text}");
    talk.say("池袋を追加して");
    assert_eq!(via(&talk), Some(json!(["池袋"])));
}

#[test]
fn reads_points_and_hiragana_names() {
    for (sentence, origin, destination) in [
        ("from 35.6586, 139.7454 to Tokyo Station", "35.6586,139.7454", "Tokyo Station"),
        ("35.6586, 139.7454から東京駅まで", "35.6586,139.7454", "東京駅"),
        ("とうきょうえきからよこはまえきまで", "とうきょうえき", "よこはまえき"),
        ("二子玉川から自由が丘", "二子玉川", "自由が丘"),
        ("渋谷から自由が丘は何分？", "渋谷", "自由が丘"),
        ("今渋谷にいるんだけど新宿まで行きたい", "渋谷", "新宿"),
        ("現在品川駅にいます。上野まで", "品川駅", "上野"),
    ] {
        let decided = new_talk().say(sentence);
        let expected = json!({ "origin": origin, "destination": destination });
        assert_eq!(call(&decided).1, expected, "{sentence}");
    }
    let mut talk = new_talk();
    talk.say("35.6586, 139.7454");
    let place = json!({ "location": { "lat": 35.6586, "lng": 139.7454 }, "formatted_address": "0 m from Tokyo Tower" });
    let text = concluded(&talk.back(&[output(place)])).text();
    assert!(text.starts_with("緯度35.65860、経度139.74540の場所: 0 m from Tokyo Tower"), "{text}");
    let decided = talk.say("how do I drive from there to Tokyo Station?");
    assert_eq!(call(&decided).1["origin"], "35.6586,139.7454");
}

#[test]
fn route_home_asks_for_both_ends() {
    for sentence in ["I want to go home", "how do I get home?", "家に帰りたい", "take me home"]
    {
        let decided = new_talk().say(sentence);
        let (tool, arguments) = call(&decided);
        assert_eq!(tool, FORM, "{sentence}");
        assert!(arguments.pointer("/form_schema/fields/1/default").is_none(), "{arguments}");
    }
    let decided = new_talk().say("Shibuyaから家に帰りたい");
    assert_eq!(call(&decided).0, FORM);
}

#[test]
fn words_joined_by_to_are_no_route() {
    for sentence in ["title, severity, steps to reproduce", "things to do", "reasons to stay"] {
        let mut talk = new_talk();
        talk.say(sentence);
        assert!(talk.confidence < 0.5, "{sentence}");
    }
    for sentence in ["shibuya to ueno", "from foo to bar", "Foo to Bar"] {
        let mut talk = new_talk();
        talk.say(sentence);
        assert!(talk.confidence > 0.5, "{sentence}");
    }
}

#[test]
fn routes_to_a_found_place() {
    for (next, tool) in [
        ("Is it far from Asakusa?", "distance_compare"),
        ("can I walk there from Asakusa?", "route_search"),
    ] {
        let mut talk = new_talk();
        talk.say("Where is Tokyo Skytree?");
        let place = json!({ "location": { "lat": 35.7, "lng": 139.8 }, "formatted_address": "Tokyo Skytree" });
        talk.back(&[output(place)]);
        let decided = talk.say(next);
        let (called, arguments) = call(&decided);
        let arguments = arguments.to_string().to_lowercase();
        assert_eq!(called, tool, "{next}");
        assert!(arguments.contains("asakusa") && arguments.contains("skytree"), "{arguments}");
    }
}

#[test]
fn reports_unknown_place_with_advice() {
    let mut talk = new_talk();
    talk.say("ほげほげ駅はどこ？");
    let mut failure =
        Failure::new("place_not_found", 404, "「ほげほげ駅」が見つかりませんでした。");
    failure.data.insert("suggestions".to_owned(), json!(["保土ケ谷駅"]));
    let text = concluded(&talk.back(&[ToolResult::Failed(failure)])).text();
    assert!(text.contains("保土ケ谷駅") && text.contains("名前を確かめて"), "{text}");
}

#[test]
fn answers_in_callers_language() {
    let mut talk = new_talk();
    talk.language = Some(Language::English);
    let Decision::Call(calls) = talk.say("横浜駅はどこ？") else {
        panic!("it calls nothing")
    };
    assert_eq!(calls[0].reason, "To find its latitude and longitude");
}

#[test]
fn names_nearest_place_and_routes_there_later() {
    let cell = |metres: u64, seconds: u64| json!({ "status": "OK", "distance": { "text": "", "value": metres }, "duration": { "text": "", "value": seconds } });
    let table = json!({ "rows": [{ "elements": [cell(30_000, 1_800), cell(20_000, 2_400)] }] });
    for (sentence, answer, next, end) in [
        (
            "Which is nearer to Tokyo, Yokohama or Chiba?",
            "The nearest is Chiba (20.0 km",
            "take me to the quickest one",
            "Yokohama",
        ),
        (
            "東京からだと横浜と千葉どっちが時間かかる？",
            "一番時間がかかるのは千葉です（20.0 km",
            "じゃあ一番早く着けるところまで歩いて",
            "横浜",
        ),
    ] {
        let mut talk = new_talk();
        assert_eq!(call(&talk.say(sentence)).0, "distance_compare", "{sentence}");
        let text = concluded(&talk.back(&[output(table.clone())])).text();
        assert!(text.contains(answer), "{text}");
        let next = talk.say(next);
        assert_eq!(
            (call(&next).0, call(&next).1["destination"].as_str()),
            ("route_search", Some(end))
        );
    }
}

#[test]
fn compares_no_partly_reachable_places() {
    let mut talk = new_talk();
    talk.say("Which is nearer to Tokyo, Yokohama or Osaka?");
    let cell = json!({ "status": "OK", "distance": { "text": "", "value": 9 }, "duration": { "text": "", "value": 9 } });
    let table = json!({ "rows": [{ "elements": [cell, { "status": "ZERO_RESULTS" }] }] });
    let text = concluded(&talk.back(&[output(table)])).text();
    assert!(text.contains("cannot be compared") && !text.contains("nearest is"), "{text}");
}

#[test]
fn searches_no_route_by_train() {
    for (train, car) in [
        ("電車で東京から横浜まで何分", "じゃあ車で"),
        ("by bus from Shinjuku to Haneda, how long?", "ok then by car"),
    ] {
        let mut talk = new_talk();
        let text = concluded(&talk.say(train)).text();
        assert!(
            text.contains("検索していません") || text.contains("nothing was searched"),
            "{text}"
        );
        assert_eq!(call(&talk.say(car)).0, "route_search", "{car}");
    }
}

#[test]
fn later_sentences_change_ends_and_stops() {
    for (sentence, origin, destination, via) in [
        ("actually from Shinagawa", "Shinagawa", "Ueno", json!(null)),
        ("make it Kamakura instead", "Nakano", "Kamakura", json!(null)),
        ("Shinagawa instead of Nakano", "Shinagawa", "Ueno", json!(null)),
        ("via Akihabara", "Nakano", "Ueno", json!(["Akihabara"])),
        ("出発地を新宿に変えて", "新宿", "Ueno", json!(null)),
        ("あ、目的地は江の島で", "Nakano", "江の島", json!(null)),
        ("what about the way back?", "Ueno", "Nakano", json!(null)),
    ] {
        let mut talk = new_talk().after("Nakano to Ueno", &[routes()]);
        talk.say(sentence);
        let call = talk.last.first().unwrap_or_else(|| panic!("{sentence}"));
        assert_eq!(call.arguments["origin"], origin, "{sentence}");
        assert_eq!(call.arguments["destination"], destination, "{sentence}");
        assert_eq!(call.meta.get("navigation/via").cloned().unwrap_or_default(), via, "{sentence}");
    }
    let mut talk = new_talk().after("Nakano to Ueno via Akihabara", &[routes()]);
    talk.say("actually skip Akihabara");
    assert!(!talk.last[0].meta.contains_key("navigation/via"));
}

/// A route that is asked for as `POST /api/navigate` does.
fn asked_for(history: &[&str], message: &str) -> Vec<language::turn::ToolCall> {
    let history: Vec<_> =
        history.iter().map(|it| json!({ "is_user": true, "content": it })).collect();
    let route = super::Route {
        origin: "東京駅".to_owned(),
        destination: "横浜駅".to_owned(),
        message: message.to_owned(),
        history: serde_json::from_value(json!(history)).unwrap(),
        kind: None,
        mode: None,
        via: Vec::new(),
        arrival: None,
        avoid: Vec::new(),
        departure: None,
    };
    let now = "2026-11-21T10:00:00+09:00".parse().unwrap();
    match route.planner(Language::detect(message), now, true).next(&[]) {
        Decision::Call(calls) => calls,
        Decision::Conclude(it) => panic!("{message}: {it:?}"),
    }
}

#[test]
fn reads_stops_of_requested_route() {
    for (history, message, via) in [
        (vec![], "川崎を経由して", json!(["川崎"])),
        (vec![], "川崎経由で", json!(["川崎"])),
        (vec![], "途中で川崎に寄って", json!(["川崎"])),
        (vec![], "via Kawasaki", json!(["Kawasaki"])),
        (vec![], "首都高経由で", json!(null)),
        (vec![], "大通りを通って", json!(null)),
        (vec![], "国道1号を通って", json!(null)),
        (vec![], "目黒通り経由で", json!(null)),
        (vec![], "静かな道を通って", json!(null)),
        (vec![], "尾道を経由して", json!(["尾道"])),
        (vec![], "日本大通りを通って", json!(["日本大通り"])),
        (vec![], "表参道を通って", json!(["表参道"])),
        (vec![], "through wide streets", json!(null)),
        (vec![], "through the tunnel", json!(null)),
        (vec![], "via Route 246", json!(null)),
        (vec![], "via Liverpool Street", json!(["Liverpool Street"])),
        (vec!["川崎経由で"], "高速を使わないで", json!(["川崎"])),
        (vec!["川崎経由で"], "やっぱり寄らない", json!(null)),
        (vec!["川崎経由で"], "川崎経由はやめて", json!(null)),
        (vec!["川崎経由で"], "おまかせで", json!(null)),
    ] {
        let call = asked_for(&history, message).remove(0);
        let found = call.meta.get("navigation/via").cloned().unwrap_or_default();
        assert_eq!(found, via, "{history:?} {message}");
    }
}

/// Who walked or rode there goes back the same route, unless they say another.
#[test]
fn return_route_keeps_the_mode() {
    for (there, back, mode) in [
        ("bike from Ueno to Tsukiji please", "and back again?", json!("bicycling")),
        ("渋谷から原宿まで歩いて", "帰りは？", json!("walking")),
        ("渋谷から原宿まで歩いて", "帰りは車で", Value::Null),
        ("渋谷から原宿まで", "帰りは？", Value::Null),
    ] {
        let mut talk = new_talk().after(there, &[routes()]);
        let Decision::Call(calls) = talk.say(back) else { panic!("{back}: no call") };
        let found = calls[0].meta.get("navigation/travelMode").cloned().unwrap_or_default();
        assert_eq!(found, mode, "{there} / {back}");
    }
}

/// What was said last holds on the way back, and what is kept clear of holds with it.
#[test]
fn return_route_keeps_the_last_constraints() {
    for (sentences, back, mode, avoid) in [
        (vec!["渋谷から原宿まで歩いて", "やっぱり車で"], "帰りは？", Value::Null, Value::Null),
        (
            vec!["Shibuya to Ueno avoiding tolls", "what about walking?", "no, by car"],
            "and back",
            Value::Null,
            json!(["tolls"]),
        ),
        (vec!["渋谷から上野まで高速を使わずに"], "帰りは？", Value::Null, json!(["highways"])),
        (vec!["渋谷から上野まで高速を使わずに"], "帰りは高速で", Value::Null, Value::Null),
        (
            vec!["Shibuya to Ueno, no motorways"],
            "and back on foot",
            json!("walking"),
            json!(["highways"]),
        ),
    ] {
        let mut talk = new_talk();
        for sentence in &sentences {
            talk.say(sentence);
            talk.back(&[routes()]);
        }
        let Decision::Call(calls) = talk.say(back) else { panic!("{back}: no call") };
        let found = calls[0].meta.get("navigation/travelMode").cloned().unwrap_or_default();
        assert_eq!(found, mode, "{sentences:?} / {back}");
        let found = calls[0].arguments.get("avoid").cloned().unwrap_or_default();
        assert_eq!(found, avoid, "{sentences:?} / {back}");
    }
}

/// When to be there holds as other constraints do, and another time is one to be there.
#[test]
fn arrival_time_holds_until_a_departure_time() {
    for (sentences, expected) in [
        (vec!["東京駅から横浜駅まで", "明日9時に着きたい", "高速を使わないで"], Some("T09:00")),
        (vec!["東京駅から横浜駅まで", "明日9時に着きたい", "やっぱり明日8時半"], Some("T08:30")),
        (vec!["Ueno to Shibuya", "arrive by 9 am tomorrow", "no motorways"], Some("T09:00")),
        (vec!["東京駅から横浜駅まで", "明日9時に着きたい", "やっぱり明日8時に出発"], None),
    ] {
        let mut talk = new_talk();
        for sentence in &sentences {
            talk.say(sentence);
            let call = talk.last.first().unwrap_or_else(|| panic!("{sentence}")).clone();
            talk.back(&[routes()]);
            talk.last = vec![call];
        }
        let found = talk.last[0].meta.get("navigation/arrivalTime").and_then(Value::as_str);
        let leaves = talk.last[0].arguments.contains_key("departure_time");
        match expected {
            Some(time) => {
                assert!(found.is_some_and(|it| it.contains(time)), "{sentences:?}: {found:?}")
            }
            None => assert!(found.is_none() && leaves, "{sentences:?}: {found:?}"),
        }
    }
}

#[test]
fn routes_between_coordinates() {
    for sentence in [
        "35.68,139.76から35.45,139.63まで",
        "From 35.68,139.76 to 35.45,139.63",
        "35.68 139.76から35.45 139.63まで",
        "35.68、139.76から35.45、139.63まで",
        "３５．６８　１３９．７６から３５．４５，１３９．６３まで",
        "From 35.68 139.76 to 35.45 139.63",
    ] {
        let arguments = call(&new_talk().say(sentence)).1;
        assert_eq!(arguments["origin"], "35.68,139.76", "{sentence}: {arguments}");
        assert_eq!(arguments["destination"], "35.45,139.63", "{sentence}: {arguments}");
    }
}

#[test]
fn looks_up_points_in_any_notation() {
    for sentence in [
        "35.6586,139.7454はどこ？",
        "35.6586 139.7454はどこ？",
        "３５．６５８６、１３９．７４５４はどこ？",
        "Where is 35.6586 139.7454?",
        "35.6586 139.7454",
    ] {
        let decided = new_talk().say(sentence);
        let (tool, arguments) = call(&decided);
        assert_eq!(
            (tool, &arguments["address"]),
            ("geocode", &json!("35.6586,139.7454")),
            "{sentence}"
        );
    }
}

#[test]
fn leaving_one_place_for_another_is_a_route() {
    let (tool, arguments) = {
        let decided = new_talk().say("Leave Tokyo for Yokohama at 8");
        let (tool, arguments) = call(&decided);
        (tool.to_owned(), arguments)
    };
    assert_eq!(tool, "route_search");
    assert_eq!(
        (&arguments["origin"], &arguments["destination"]),
        (&json!("Tokyo"), &json!("Yokohama"))
    );
    assert!(arguments["departure_time"].as_str().unwrap().contains("T08:00"), "{arguments}");
}

#[test]
fn distance_of_one_pair_continues_as_route() {
    for (first, later, origin, mode) in [
        ("How far is it from Shibuya to Kamakura?", "and by bike?", "Shibuya", "bicycling"),
        ("How far is it from Shibuya to Kamakura?", "on foot", "Shibuya", "walking"),
        ("渋谷から鎌倉までの距離は？", "自転車だと？", "渋谷", "bicycling"),
    ] {
        let mut talk = new_talk();
        talk.say(first);
        let decided = talk.say(later);
        let (tool, arguments) = call(&decided);
        assert_eq!((tool, &arguments["origin"]), ("route_search", &json!(origin)), "{later}");
        let found = talk.last[0].meta.get("navigation/travelMode").cloned();
        assert_eq!(found, Some(json!(mode)), "{later}");
    }
}

/// Ueno, Ikebukuro and Akihabara as they are compared from Shibuya.
fn three(sentence: &str) -> trial::Talk {
    let mut talk = new_talk();
    assert_eq!(call(&talk.say(sentence)).0, "distance_compare", "{sentence}");
    assert!(concluded(&talk.back(&[distances()])).text().contains("- "), "{sentence}");
    talk
}

fn distances() -> ToolResult {
    table(&[&[(13_800, 1_200), (15_400, 1_140), (10_900, 1_500)]])
}

#[test]
fn sorts_compared_places() {
    const EN: &str = "compare distances from Shibuya to Ueno, Ikebukuro and Akihabara";
    const JA: &str = "渋谷から上野、池袋、秋葉原への距離を比べて";
    for (first, later, order) in [
        (EN, "sort them by time", ["Ikebukuro", "Ueno", "Akihabara"]),
        (EN, "sort by farthest", ["Ikebukuro", "Ueno", "Akihabara"]),
        (EN, "order them by distance", ["Akihabara", "Ueno", "Ikebukuro"]),
        (JA, "遠い順に並べて", ["池袋", "上野", "秋葉原"]),
        (JA, "近い順で", ["秋葉原", "上野", "池袋"]),
        (JA, "時間順に並べ替えて", ["池袋", "上野", "秋葉原"]),
    ] {
        let mut talk = three(first);
        assert_eq!(call(&talk.say(later)).0, "distance_compare", "{later}");
        let text = concluded(&talk.back(&[distances()])).text();
        let list = &text[text.find("- ").unwrap()..];
        let places: Vec<_> =
            order.iter().map(|it| list.find(&format!("→ {it}")).unwrap()).collect();
        assert!(places.is_sorted(), "{later}: {text}");
        assert!(!text.contains('※') && !text.contains("Note"), "{later}: {text}");
    }
}

#[test]
fn names_second_of_compared_places() {
    const EN: &str = "compare distances from Shibuya to Ueno, Ikebukuro and Akihabara";
    const JA: &str = "渋谷から上野、池袋、秋葉原への距離を比べて";
    for (first, later, named) in [
        (EN, "the second nearest", "The second nearest is Ueno"),
        (EN, "which is the third closest?", "The third nearest is Ikebukuro"),
        (JA, "2番目に近いのはどこ？", "2番目に近いのは上野"),
        (JA, "二番目に早いのは？", "2番目に早く着くのは上野"),
    ] {
        let mut talk = three(first);
        assert_eq!(call(&talk.say(later)).0, "distance_compare", "{later}");
        let text = concluded(&talk.back(&[distances()])).text();
        assert!(text.contains(named), "{later}: {text}");
    }
}

#[test]
fn numbers_are_no_places() {
    for sentence in [
        "人数は1から5まで",
        "参加人数は１〜１０人まででお願いします",
        "quantity between 1 and 10",
        "1から10まで",
        "5往復まで",
        "旅行の計画について話して。10ターンまで",
    ] {
        let mut talk = new_talk();
        talk.say(sentence);
        assert!(talk.confidence < 0.5, "{sentence}");
    }
}

/// The call that the last of `sentences` leads to, after each of the others was answered by routes.
/// A talk in which all `sentences` are said, all but the last with routes found, and what the last one brings.
fn after(sentences: &[&str]) -> (trial::Talk, Decision) {
    let (last, before) = sentences.split_last().unwrap();
    let mut talk = new_talk();
    for sentence in before {
        talk.say(sentence);
        talk.back(&[routes()]);
    }
    let decided = talk.say(last);
    (talk, decided)
}

fn asked(sentences: &[&str]) -> Value {
    let (_, decided) = after(sentences);
    let (tool, arguments) = call(&decided);
    assert_eq!(tool, "route_search", "{sentences:?}");
    arguments
}

#[test]
fn replaces_place_at_its_position() {
    for (first, later, expected) in [
        ("東京駅から横浜駅まで", "東京駅じゃなくて品川駅", ("品川駅", "横浜駅")),
        ("東京駅から横浜駅まで", "やっぱり東京ではなくて品川から", ("品川", "横浜駅")),
        ("東京駅から横浜駅まで", "横浜駅じゃなくて川崎駅にして", ("東京駅", "川崎駅")),
        ("東京駅から横浜駅まで", "横浜の代わりに蒲田駅でお願いします", ("東京駅", "蒲田駅")),
        ("from Tokyo to Yokohama", "not tokyo, shinagawa", ("shinagawa", "Yokohama")),
        ("from Tokyo to Yokohama", "replace Yokohama with Kawasaki", ("Tokyo", "Kawasaki")),
        ("from Tokyo to Yokohama", "Shibuya instead of Tokyo", ("Shibuya", "Yokohama")),
    ] {
        let arguments = asked(&[first, later]);
        let found = (arguments["origin"].as_str(), arguments["destination"].as_str());
        assert_eq!(found, (Some(expected.0), Some(expected.1)), "{first} {later}");
    }
}

#[test]
fn replaces_stop_by_stop() {
    for (first, later) in [
        ("東京駅から横浜駅まで川崎駅経由", "川崎じゃなくて蒲田駅"),
        ("東京駅から横浜駅まで川崎駅を経由して", "川崎駅の代わりに蒲田駅に寄って"),
        ("東京駅から横浜駅まで川崎駅経由", "川崎駅をやめて蒲田駅にして"),
    ] {
        let arguments = asked(&[first, later]);
        assert_eq!(arguments, json!({ "origin": "東京駅", "destination": "横浜駅" }), "{later}");
        assert_eq!(stops(&[first, later]), ["蒲田駅"], "{later}");
    }
    for later in ["scratch Kawasaki, via Shinagawa", "Shinagawa instead of Kawasaki"] {
        assert_eq!(
            stops(&["from Tokyo to Yokohama via Kawasaki", later]),
            ["shinagawa"],
            "{later}"
        );
    }
}

/// The stops of the way that the last of `sentences` leads to.
fn stops(sentences: &[&str]) -> Vec<String> {
    let (talk, _) = after(sentences);
    let stops = talk.last[0].meta.get("navigation/via").and_then(Value::as_array);
    let stops = stops.into_iter().flatten().filter_map(Value::as_str);
    stops.map(str::to_lowercase).collect()
}

#[test]
fn reversed_route_keeps_its_stops() {
    let there = "東京駅→渋谷→新宿→池袋の順で回りたい";
    for later in ["逆順で", "順番を逆にして"] {
        assert_eq!(stops(&[there, later]), ["新宿", "渋谷"], "{later}");
    }
    let there = "from Tokyo to Yokohama via Kawasaki";
    assert_eq!(stops(&[there, "reverse the route"]), ["kawasaki"]);
    assert!(stops(&[there, "and the way back?"]).is_empty());
}

#[test]
fn new_time_keeps_day_and_new_day_keeps_time() {
    let first = "東京駅から横浜駅まで、明日の朝8時半出発";
    let leaves = |later: &[&str]| {
        let all: Vec<&str> = std::iter::once(first).chain(later.iter().copied()).collect();
        asked(&all)["departure_time"].as_str().unwrap_or_default().to_owned()
    };
    let day = leaves(&[])[..10].to_owned();
    for later in ["夜の9時にして", "21時にして", "9pm instead"] {
        assert_eq!(leaves(&[later]), format!("{day}T21:00:00+09:00"), "{later}");
    }
    let next = leaves(&["明後日の朝8時半に変えて"]);
    assert!(next > leaves(&[]), "{next}");
    for later in ["あさってに変えて", "やっぱり明後日で", "make it the day after tomorrow"]
    {
        assert_eq!(leaves(&[later]), next, "{later}");
    }
}

#[test]
fn reads_constraint_in_hiragana() {
    for (sentence, avoided) in [
        ("東京駅から羽田空港　車で　有料道路つかわないで", "tolls"),
        ("東京駅から横浜駅まで高速はつかわずに", "highways"),
        ("東京駅から横浜駅まで、高速をとおらないルート", "highways"),
    ] {
        assert_eq!(asked(&[sentence])["avoid"], json!([avoided]), "{sentence}");
    }
}

#[test]
fn reports_unsupported_road_number() {
    for sentences in [
        &["246号を通って渋谷から二子玉川まで"][..],
        &["渋谷から二子玉川まで", "246は避けて"],
        &["渋谷から二子玉川まで", "ルート246で行きたい"],
        &["from Shibuya to Yokohama", "via route 246"],
        &["from Shibuya to Yokohama", "not via 246"],
    ] {
        let (mut talk, _) = after(sentences);
        let text = concluded(&talk.back(&[routes()])).text();
        let is_told = text.contains("道路や橋") || text.contains("road or bridge");
        assert!(is_told && !text.contains("分からない") && !text.contains("understand"), "{text}");
    }
}

#[test]
fn mentions_second_route_of_a_sentence() {
    for (sentence, origin) in [
        ("新宿から品川、それと渋谷から川崎のルート", "新宿"),
        ("Tokyo to Yokohama and Shibuya to Kawasaki", "Tokyo"),
    ] {
        let mut talk = new_talk();
        let next = talk.say(sentence);
        assert_eq!(call(&next).1["origin"], origin, "{sentence}");
        let text = concluded(&talk.back(&[routes()])).text();
        let is_told = text.contains("ルートは1つ") || text.contains("One route can");
        assert!(is_told && !text.contains("分からない") && !text.contains("understand"), "{text}");
        talk.say("渋谷から川崎");
        let text = concluded(&talk.back(&[routes()])).text();
        assert!(!text.contains("ルートは1つ"), "{text}");
    }
}
