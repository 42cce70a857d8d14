//! What is shown of a search, event by event.

use serde_json::to_value;

use super::*;
use crate::error::Refusal;
use crate::families::navigation::event::{Called, Plain, Reasoning, Selected};
use crate::families::navigation::found::tests::{details, route, routes};
use crate::families::navigation::log::Kind;

fn query() -> RouteQuery {
    RouteQuery {
        from: "東京駅".to_owned(),
        to: "横浜駅".to_owned(),
        condition: "一番早い".to_owned(),
        ..RouteQuery::default()
    }
}

fn running() -> Run {
    let mut run = Run::default();
    run.begin(&query(), 1_000.0);
    run
}

fn result(id: &str, found: &Routes) -> Event {
    Event::Result(Resulted {
        id: id.to_owned(),
        name: "route_search".to_owned(),
        ms: 12.0,
        result: to_value(found).unwrap(),
        meta: json!({ DETAILS: details("東京駅") }),
        ..Resulted::default()
    })
}

fn call(id: &str) -> Event {
    let name = "route_search".to_owned();
    Event::Call(Called { id: id.to_owned(), name, ..Called::default() })
}

fn done(selected: Option<(&str, usize)>, summary: &str) -> Event {
    let select = |(call, index): (&str, usize)| Selected { tool_call: call.to_owned(), index };
    Event::Done(Box::new(Done {
        route: Some(Plain { summary: summary.to_owned(), ..Plain::default() }),
        reasoning: Reasoning { message: "速いため".to_owned(), tools_used: Vec::new() },
        conversation_history: vec![Message { role: "user".into(), content: "一番早い".into() }],
        selected: selected.map(select),
    }))
}

#[test]
fn search_goes_from_its_beginning_over_its_tools_to_its_result() {
    let mut run = running();
    assert_eq!(run.phase, Phase::Searching);
    run.take(Event::Status { tool: None }, 1_001.0);
    run.take(call("1"), 1_200.0);
    assert_eq!(run.phase, Phase::Tool("route_search".to_owned()));
    run.take(result("1", &routes(&[route(0, 9, 90, None), route(1, 8, 80, None)])), 1_300.0);
    assert!(run.found.is_empty(), "nothing is chosen yet");
    run.take(done(Some(("1", 1)), "?"), 2_000.0);
    assert_eq!((run.phase.clone(), run.advised, run.chosen), (Phase::Done, Some(1), 1));
    assert_eq!((run.message.as_str(), run.found.alternatives.len()), ("速いため", 2));
    assert!((run.log.entries()[0].after_ms - 200.0).abs() < 1e-9);
    assert!(matches!(&run.log.entries()[0].kind, Kind::Call(call) if call.outcome.is_some()));
    assert!(!run.is_in_vain());
}

#[test]
fn without_a_choice_the_summary_decides_and_then_the_order() {
    let found = routes(&[route(0, 9, 90, None), route(1, 8, 80, None)]);
    for (summary, chosen) in [("1 経由", 1), ("elsewhere", 0)] {
        let mut run = running();
        run.take(result("1", &found), 0.0);
        run.take(done(None, summary), 0.0);
        assert_eq!(run.chosen, chosen, "{summary}");
    }
}

#[test]
fn the_plain_route_is_shown_where_no_tool_told_more() {
    let mut run = running();
    run.take(done(None, "首都高速経由"), 0.0);
    assert_eq!(run.found.alternatives[0].route.summary, "首都高速経由");
    assert_eq!(run.advised, Some(0));
}

#[test]
fn no_route_is_a_result_that_says_so_and_keeps_the_conversation() {
    let mut run = running();
    run.take(result("1", &routes(&[route(0, 9, 90, None)])), 0.0);
    let message = "ルートが見つからない".to_owned();
    let reasoning = Reasoning { message, ..Reasoning::default() };
    run.take(Event::Done(Box::new(Done { reasoning, ..Done::default() })), 0.0);
    assert!(run.is_in_vain());
    assert_eq!(run.message, "ルートが見つからない");
}

#[test]
fn link_leads_to_its_route_and_beyond_the_last_to_the_last() {
    for (asked, shown) in [(Some(1), 1), (Some(7), 1), (None, 0)] {
        let mut run = Run::default();
        run.begin(&RouteQuery { chosen: asked, ..query() }, 0.0);
        run.take(result("1", &routes(&[route(0, 9, 90, None), route(1, 8, 80, None)])), 0.0);
        run.take(done(Some(("1", 0)), ""), 0.0);
        assert_eq!((run.chosen, run.advised), (shown, Some(0)));
    }
}

#[test]
fn new_condition_keeps_conversation_and_result_until_the_next() {
    let mut run = running();
    run.take(result("1", &routes(&[route(0, 9, 90, None)])), 0.0);
    run.take(done(None, ""), 0.0);
    let other = RouteQuery { condition: "高速使わない".to_owned(), ..query() };
    run.begin(&other, 0.0);
    assert!(run.is_running() && run.found.alternatives.len() == 1);
    assert_eq!(run.question()["conversationHistory"][0]["content"], "一番早い");
    assert_eq!(run.question()["message"], "高速使わない");
    assert_eq!(run.log.calls(), 0, "the log is of this search");
    run.begin(&RouteQuery { to: "川崎駅".to_owned(), ..other }, 0.0);
    assert!(run.found.is_empty() && run.history.is_empty(), "another way is another conversation");
}

#[test]
fn a_long_conversation_is_sent_from_its_end() {
    let mut run = running();
    let message = |number: usize| Message { role: "user".into(), content: number.to_string() };
    run.history = (0..50).map(message).collect();
    let history = run.question()["conversationHistory"].clone();
    assert_eq!(history.as_array().map(Vec::len), Some(HISTORY_MAX));
    assert_eq!(history[HISTORY_MAX - 1]["content"], "49");
}

#[test]
fn comparisons_are_kept_beside_the_routes() {
    let mut run = running();
    let compared = json!({ "rows": [{ "elements": [{ "status": "OK" }] }],
        "origin_addresses": ["a"], "destination_addresses": ["b"] });
    let name = "distance_compare".to_owned();
    run.take(Event::Result(Resulted { name, result: compared, ..Resulted::default() }), 0.0);
    run.take(Event::Done(Box::default()), 0.0);
    assert_eq!(run.comparisons[0].origin_addresses, ["a"]);
    assert!(!run.is_in_vain());
}

#[test]
fn the_router_is_asked_where_the_planner_fails_and_only_once() {
    let refused = |code: &str, status: u16| {
        let code = code.to_owned();
        CallError::Refused(Box::new(Refusal { code, status, ..Refusal::default() }))
    };
    let mut run = running();
    run.take(Event::Failed(refused("CLAUDE_API_ERROR", 503)), 0.0);
    assert!(run.fall_back() && run.is_running());
    run.take_routes(routes(&[route(0, 9, 90, None)]), details("東京駅"));
    assert_eq!((run.phase.clone(), run.advised), (Phase::Done, None));
    assert!(run.fell_back.is_some(), "and the reader is told");
    run.fail(refused("provider_failed", 502));
    assert!(!run.fall_back(), "the router fails for itself");
    for error in [
        CallError::Stopped,
        CallError::Offline,
        CallError::Unauthorized,
        refused("VALIDATION_ERROR", 400),
    ] {
        let mut run = running();
        run.fail(error.clone());
        assert!(!run.fall_back(), "{error:?}");
    }
}

#[test]
fn what_comes_after_the_end_changes_nothing() {
    let mut run = running();
    run.fail(CallError::Stopped);
    run.take(done(None, "late"), 0.0);
    assert_eq!(run.phase, Phase::Failed(CallError::Stopped));
}

#[test]
fn a_result_that_fits_no_shape_costs_only_itself() {
    let mut run = running();
    let odd = Resulted { name: "route_search".into(), result: json!([1]), ..Resulted::default() };
    run.take(Event::Result(odd), 0.0);
    run.take(result("2", &routes(&[route(0, 9, 90, None)])), 0.0);
    run.take(done(Some(("2", 0)), ""), 0.0);
    assert_eq!(run.found.alternatives.len(), 1);
    assert_eq!(details_of(json!("odd")), Details::default());
}
