//! One search from beginning to end: progress and result (NAV-66).

use output::navigation::{Comparison, DETAILS, Details, Routes};
use serde_json::{Value, json};

use super::event::{Done, Event, Message, Resulted, TEXT_MAX};
use super::found::Found;
use super::log::Log;
use super::query::{Mode, RouteQuery};
use crate::error::CallError;

/// Maximum number of conversation entries sent (NAV-5).
pub(crate) const HISTORY_MAX: usize = 20;
/// Maximum number of comparisons shown.
const COMPARISONS_MAX: usize = 4;

/// Progress of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Phase {
    /// No search yet.
    #[default]
    Idle,
    Searching,
    /// This tool is running.
    Tool(String),
    Done,
    Failed(CallError),
}

/// A route search.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Run {
    pub(crate) phase: Phase,
    /// The query as it was sent.
    pub(crate) query: RouteQuery,
    pub(crate) found: Found,
    pub(crate) comparisons: Vec<Comparison>,
    pub(crate) log: Log,
    /// The planner's explanation.
    pub(crate) message: String,
    /// The messages about this route so far.
    pub(crate) history: Vec<Message>,
    /// The route chosen by the planner.
    pub(crate) advised: Option<usize>,
    /// The selected route.
    pub(crate) chosen: usize,
    /// The planner's error, if the router stood in (NAV-18).
    pub(crate) fell_back: Option<CallError>,
    /// Routes found by the running search.
    gathered: Found,
    compared: Vec<Comparison>,
    began_ms: f64,
}

impl Run {
    pub(crate) fn is_running(&self) -> bool {
        matches!(self.phase, Phase::Searching | Phase::Tool(_))
    }

    /// Whether it ended without a route to draw.
    pub(crate) fn is_in_vain(&self) -> bool {
        self.phase == Phase::Done && self.found.is_empty() && self.comparisons.is_empty()
    }

    /// Begins a search; an earlier result for the same ends stays visible meanwhile.
    pub(crate) fn begin(&mut self, query: &RouteQuery, now_ms: f64) {
        let is_same_way = self.query.is_same_way(query);
        let before = std::mem::take(self);
        *self = Self {
            phase: Phase::Searching,
            query: query.trimmed(),
            began_ms: now_ms,
            ..Self::default()
        };
        if is_same_way {
            self.found = before.found;
            self.comparisons = before.comparisons;
            self.history = before.history;
            self.message = before.message;
            self.advised = before.advised;
            self.chosen = before.chosen;
        }
    }

    /// The request for `POST /api/navigate` (NAV-1).
    pub(crate) fn question(&self) -> Value {
        let skipped = self.history.len().saturating_sub(HISTORY_MAX);
        json!({
            "origin": self.query.from,
            "destination": self.query.to,
            "message": self.query.condition,
            "conversationHistory": &self.history[skipped..],
        })
    }

    /// Applies the next event of the stream.
    pub(crate) fn take(&mut self, event: Event, now_ms: f64) {
        if !self.is_running() {
            return;
        }
        let after_ms = now_ms - self.began_ms;
        match event {
            Event::Status { tool } => self.phase = tool.map_or(Phase::Searching, Phase::Tool),
            Event::Call(called) => {
                self.phase = Phase::Tool(called.name.clone());
                self.log.call(called, after_ms);
            }
            Event::Result(resulted) => {
                self.phase = Phase::Searching;
                self.log.end(&resulted);
                self.gather(resulted);
            }
            Event::Text(text) => self.log.think(&text, after_ms),
            Event::Done(done) => self.finish(*done, after_ms),
            Event::Failed(error) => self.fail(error),
            Event::Other => {}
        }
    }

    /// Collects routes and comparisons from tool outputs, never from the planner's text.
    fn gather(&mut self, resulted: Resulted) {
        let Resulted { id, name, is_error, result, mut meta, .. } = resulted;
        match name.as_str() {
            _ if is_error => {}
            "route_search" => {
                let details = meta.get_mut(DETAILS).map(Value::take).unwrap_or_default();
                if let Ok(routes) = serde_json::from_value::<Routes>(result) {
                    self.gathered.take(&id, routes, details_of(details));
                }
            }
            "distance_compare" if self.compared.len() < COMPARISONS_MAX => {
                // A planner that asks the same again has one answer.
                let compared = serde_json::from_value::<Comparison>(result).ok();
                self.compared.extend(compared.filter(|it| !self.compared.contains(it)));
            }
            _ => {}
        }
    }

    fn finish(&mut self, done: Done, after_ms: f64) {
        let Done { route, reasoning, conversation_history, selected } = done;
        self.log.complete(reasoning.tools_used, after_ms);
        let mut found = std::mem::take(&mut self.gathered);
        let by_call = selected.and_then(|it| found.index_of(&it.tool_call, it.index));
        let by_name = || {
            let summary = &route.as_ref()?.summary;
            found.alternatives.iter().position(|it| it.route.summary == *summary)
        };
        let advised = by_call.or_else(by_name);
        let advised = match route {
            // Nothing was found, whatever was considered on the way.
            None => {
                found = Found::default();
                None
            }
            Some(plain) if found.is_empty() => {
                found.take_plain(plain);
                Some(0)
            }
            Some(_) => Some(found.keep_like(advised.unwrap_or(0))),
        };
        self.message = reasoning.message.chars().take(TEXT_MAX).collect();
        self.history = conversation_history;
        self.comparisons = std::mem::take(&mut self.compared);
        self.advised = advised;
        self.show(found, advised.unwrap_or(0));
    }

    /// Takes the router's own answer, in its order.
    pub(crate) fn take_routes(&mut self, routes: Routes, details: Details) {
        let mut found = Found::default();
        found.take("", routes, details);
        self.message.clear();
        self.advised = None;
        self.comparisons.clear();
        self.show(found, 0);
    }

    fn show(&mut self, found: Found, first: usize) {
        let last = found.alternatives.len().saturating_sub(1);
        self.chosen = self.query.chosen.unwrap_or(first).min(last);
        self.found = found;
        self.phase = Phase::Done;
    }

    /// Ends with an error; an earlier result stays only if it has the same ends.
    pub(crate) fn fail(&mut self, error: CallError) {
        self.gathered = Found::default();
        self.compared.clear();
        self.phase = Phase::Failed(error);
    }

    /// Whether the search failed at the origin.
    pub(crate) fn has_no_origin(&self) -> bool {
        match &self.phase {
            Phase::Failed(CallError::Refused(it)) => it.data["pointer"] == "/origin",
            _ => false,
        }
    }

    /// Prepares to ask the router instead of the failed planner. Returns false if that cannot help.
    pub(crate) fn fall_back(&mut self) -> bool {
        let Phase::Failed(error) = &self.phase else { return false };
        let may_help = match error {
            CallError::Offline
            | CallError::NoPart
            | CallError::Stopped
            | CallError::Unauthorized => false,
            CallError::Protocol { .. } => true,
            CallError::Refused(refusal) => {
                refusal.code != "VALIDATION_ERROR" && refusal.status != 400
            }
        };
        if may_help && self.query.mode == Mode::Ai && self.fell_back.is_none() {
            self.fell_back = Some(error.clone());
            self.phase = Phase::Tool("route_search".to_owned());
            return true;
        }
        false
    }
}

/// Parses details leniently: missing or malformed ones cost no route.
pub(crate) fn details_of(value: Value) -> Details {
    serde_json::from_value(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
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
            conversation_history: vec![Message {
                role: "user".into(), content: "一番早い".into()
            }],
            selected: selected.map(select),
        }))
    }

    #[test]
    fn search_passes_from_start_over_tools_to_result() {
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
    fn default_route_follows_summary_then_order() {
        let found = routes(&[route(0, 9, 90, None), route(1, 8, 80, None)]);
        for (summary, chosen) in [("1 経由", 1), ("elsewhere", 0)] {
            let mut run = running();
            run.take(result("1", &found), 0.0);
            run.take(done(None, summary), 0.0);
            assert_eq!(run.chosen, chosen, "{summary}");
        }
    }

    #[test]
    fn shows_plain_route_without_tool_details() {
        let mut run = running();
        run.take(done(None, "首都高速経由"), 0.0);
        assert_eq!(run.found.alternatives[0].route.summary, "首都高速経由");
        assert_eq!(run.advised, Some(0));
    }

    #[test]
    fn no_route_is_a_result_and_keeps_the_conversation() {
        let mut run = running();
        run.take(result("1", &routes(&[route(0, 9, 90, None)])), 0.0);
        let message = "ルートが見つからない".to_owned();
        let reasoning = Reasoning { message, ..Reasoning::default() };
        run.take(Event::Done(Box::new(Done { reasoning, ..Done::default() })), 0.0);
        assert!(run.is_in_vain());
        assert_eq!(run.message, "ルートが見つからない");
    }

    #[test]
    fn link_selects_its_route_or_the_last() {
        for (chosen, shown) in [(Some(1), 1), (Some(7), 1), (None, 0)] {
            let mut run = Run::default();
            run.begin(&RouteQuery { chosen, ..query() }, 0.0);
            run.take(result("1", &routes(&[route(0, 9, 90, None), route(1, 8, 80, None)])), 0.0);
            run.take(done(Some(("1", 0)), ""), 0.0);
            assert_eq!((run.chosen, run.advised), (shown, Some(0)));
        }
    }

    #[test]
    fn new_condition_keeps_result_until_the_next() {
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
        assert!(
            run.found.is_empty() && run.history.is_empty(),
            "another way is another conversation"
        );
    }

    #[test]
    fn sends_only_end_of_long_conversation() {
        let mut run = running();
        let message = |number: usize| Message { role: "user".into(), content: number.to_string() };
        run.history = (0..50).map(message).collect();
        let history = run.question()["conversationHistory"].clone();
        assert_eq!(history.as_array().map(Vec::len), Some(HISTORY_MAX));
        assert_eq!(history[HISTORY_MAX - 1]["content"], "49");
    }

    #[test]
    fn keeps_comparisons_with_routes() {
        let mut run = running();
        let compared = json!({ "rows": [{ "elements": [{ "status": "OK" }] }],
            "origin_addresses": ["a"], "destination_addresses": ["b"] });
        let name = "distance_compare".to_owned();
        let resulted = Resulted { name, result: compared, ..Resulted::default() };
        // The same comparison is shown once.
        run.take(Event::Result(resulted.clone()), 0.0);
        run.take(Event::Result(resulted), 0.0);
        run.take(Event::Done(Box::default()), 0.0);
        assert_eq!(run.comparisons.len(), 1);
        assert_eq!(run.comparisons[0].origin_addresses, ["a"]);
        assert!(!run.is_in_vain());
    }

    #[test]
    fn falls_back_to_router_once_if_planner_fails() {
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
    fn ignores_events_after_the_end() {
        let mut run = running();
        run.fail(CallError::Stopped);
        run.take(done(None, "late"), 0.0);
        assert_eq!(run.phase, Phase::Failed(CallError::Stopped));
    }

    #[test]
    fn skips_only_the_malformed_result() {
        let mut run = running();
        let odd =
            Resulted { name: "route_search".into(), result: json!([1]), ..Resulted::default() };
        run.take(Event::Result(odd), 0.0);
        run.take(result("2", &routes(&[route(0, 9, 90, None)])), 0.0);
        run.take(done(Some(("2", 0)), ""), 0.0);
        assert_eq!(run.found.alternatives.len(), 1);
        assert_eq!(details_of(json!("odd")), Details::default());
    }
}
