//! What the planner understands, plans, chooses and says.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Constraints, Planner, Remark, RouteRequest, Rule, constraints::Unsupported, parse};
use language::{
    Language,
    turn::{Answered, Conclusion, Decision, Failure, ToolCall, ToolResult},
};

mod follow_ups;
mod grammar;
mod plans;
mod results;

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
