//! Last messages as models write them.

use serde_json::json;

use super::*;

fn named(index: Option<usize>, summary: Option<&str>) -> Option<Named> {
    Some(Named { index, summary: summary.map(str::to_owned) })
}

#[test]
fn a_last_word_is_read_in_whatever_it_is_wrapped() {
    let plain =
        r#"{"selectedRoute": {"index": 1, "summary": "国道1号"}, "reasoning": "短いから。"}"#;
    let commented = "{\n  \"selectedRoute\": { \"index\": 1, \"summary\": \"国道1号\" },  // 選択\n  \"reasoning\": \"短いから。\"\n}";
    for text in [
        plain.to_owned(),
        format!("```json\n{plain}\n```"),
        format!("結果です。\n\n{plain}\n以上です。"),
        format!("{{比較}} {plain}"),
        commented.to_owned(),
    ] {
        let reply = read(&text);
        assert_eq!(reply.route, named(Some(1), Some("国道1号")), "NAV-X7: {text}");
        assert_eq!(reply.reasoning, "短いから。", "NAV-X7: {text}");
    }
}

#[test]
fn a_last_word_that_is_nearly_json_is_read_as_it_is_meant() {
    for (text, reasoning) in [
        (
            "{\"selectedRoute\": {\"index\": 1}, \"reasoning\": \"短い。\n\n- 空いている\"}",
            "短い。\n\n- 空いている",
        ),
        (r#"{"selectedRoute": {"index": 1,}, "reasoning": "a, }",}"#, "a, }"),
        (r#"{"selectedRoute": {"index": 1}, "reasoning": "渋滞を"#, "渋滞を"),
        (r#"{"selectedRoute": {"index": 1}, "reasoning": "渋滞\"#, "渋滞"),
        (r#"{"reasoning": "// いいえ", "selectedRoute": {"index": 1"#, "// いいえ"),
    ] {
        let reply = read(text);
        assert_eq!(reply.route, named(Some(1), None), "NAV-X7: {text}");
        assert_eq!(reply.reasoning, reasoning, "NAV-X7: {text}");
    }
}

#[test]
fn a_route_is_named_in_several_ways_and_none_by_null() {
    for (route, wanted) in [
        (r#"{"index": "2"}"#, named(Some(2), None)),
        ("2", named(Some(2), None)),
        (r#"{"index": 2.0}"#, named(Some(2), None)),
        (r#""湾岸線""#, named(None, Some("湾岸線"))),
        (r#"{"summary": "湾岸線", "distance": 3}"#, named(None, Some("湾岸線"))),
        ("{}", named(None, None)),
        (r#"{"index": -1}"#, named(None, None)),
        ("null", None),
    ] {
        let text = format!("{{\"selectedRoute\": {route}, \"reasoning\": \"r\"}}");
        assert_eq!(read(&text).route, wanted, "NAV-6: {route}");
    }
}

#[test]
fn without_json_all_of_it_are_reasons() {
    for text in ["首都高が空いています。", "{これは}JSONではない", "", "{\"other\": 1}"]
    {
        let reply = read(text);
        assert_eq!((reply.reasoning.as_str(), reply.route), (text, named(None, None)), "NAV-X7");
    }
    let reply = read("湾岸線にしました。\n```json\n{\"selectedRoute\": {\"index\": 0}}\n```");
    assert_eq!(reply.reasoning, "湾岸線にしました。", "NAV-X7");
}

#[test]
fn a_summary_tells_which_search_is_meant() {
    let found = |call: &str, all: [&str; 2]| {
        let routes = all.map(|it| json!({ "summary": it }));
        json!({ "id": call, "structured": { "routes": routes } })
    };
    let calls = [found("a", ["x", "y"]), found("b", ["y", "z"])];
    for (index, summary, call, place) in [
        (Some(1), Some("y"), Some("a"), Some(1)),
        (Some(0), Some("y"), Some("b"), Some(0)),
        (Some(1), Some("x"), Some("a"), Some(0)),
        (Some(1), None, None, Some(1)),
        (Some(1), Some("made up"), None, Some(1)),
        (None, Some("z"), Some("b"), Some(1)),
    ] {
        let summary = summary.map(str::to_owned);
        let choice = choice(&calls, Named { index, summary });
        assert_eq!((choice.call.as_deref(), choice.index), (call, place), "NAV-6: {choice:?}");
    }
}

#[test]
fn a_summary_that_is_nearly_one_names_its_route() {
    let routes = ["首都高速湾岸線", "国道1号", "国道1号、第三京浜", "", "Route 1", "Route 16"]
        .map(|it| json!({ "summary": it }));
    let calls = [json!({ "id": "a", "structured": { "routes": routes } })];
    for (index, summary, place) in [
        (None, "国道1号経由", 1),
        (Some(9), "via 国道1号", 1),
        // Counted from one, as people do.
        (Some(1), "湾岸線", 0),
        (Some(2), "第三京浜経由", 2),
        (Some(2), "第三京浜", 2),
        (Some(2), "国道1号・第三京浜経由", 2),
        (None, "via Route 16", 5),
        (Some(6), "via Route 1", 4),
    ] {
        let named = Named { index, summary: Some(summary.to_owned()) };
        let choice = choice(&calls, named);
        assert_eq!(choice.index, Some(place), "NAV-6: {choice:?}");
    }
}
