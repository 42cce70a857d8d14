//! The planner's actions and reasons, in order and with times (NAV-65).

use serde_json::Value;

use super::event::{Called, Resulted, TEXT_MAX};
use crate::text::{Key, Lang, at_most};

/// Maximum number of entries; a regular planner makes a handful.
const ENTRIES_MAX: usize = 100;
/// Maximum number of characters shown of a parameter.
const PARAM_MAX: usize = 300;

/// One entry of the log.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    /// Milliseconds since the search began.
    pub(crate) after_ms: f64,
    pub(crate) kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// A thought of the planner.
    Thought(String),
    Call(Call),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Call {
    id: String,
    pub(crate) name: String,
    /// Parameters by name, for display.
    pub(crate) params: Vec<(String, String)>,
    pub(crate) reason: String,
    /// None while it runs.
    pub(crate) outcome: Option<Outcome>,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) ms: Option<u64>,
    pub(crate) result: ToolResult,
}

/// A tool's result, summarised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ToolResult {
    Routes(usize),
    /// Number of compared pairs.
    Pairs(usize),
    Place(String),
    Refused(String),
    Something,
    /// The end is unknown.
    Unknown,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Log(Vec<Entry>);

impl Log {
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.0
    }

    pub(crate) fn calls(&self) -> usize {
        self.0.iter().filter(|it| matches!(it.kind, Kind::Call(_))).count()
    }

    /// Adds text to the current thought, or begins one.
    pub(crate) fn think(&mut self, thought: &str, after_ms: f64) {
        if let Some(Entry { kind: Kind::Thought(text), .. }) = self.0.last_mut() {
            let room = TEXT_MAX.saturating_sub(text.chars().count());
            text.extend(thought.chars().take(room));
        } else if !thought.trim().is_empty() {
            self.push(Kind::Thought(at_most(thought, TEXT_MAX)), after_ms);
        }
    }

    /// Adds a call.
    pub(crate) fn call(&mut self, called: Called, after_ms: f64) {
        let call = Call {
            params: params(&called.params),
            reason: at_most(&called.reason, TEXT_MAX),
            name: at_most(&called.name, 100),
            id: called.id,
            outcome: None,
        };
        self.push(Kind::Call(call), after_ms);
    }

    /// Ends a call; the result of an unknown call is dropped.
    pub(crate) fn end(&mut self, resulted: &Resulted) {
        let call = self.0.iter_mut().rev().find_map(|it| match &mut it.kind {
            Kind::Call(call) if call.id == resulted.id && call.outcome.is_none() => Some(call),
            _ => None,
        });
        let Some(call) = call else { return };
        let ms =
            (resulted.ms.is_finite() && resulted.ms >= 0.0).then(|| resulted.ms.round() as u64);
        call.outcome = Some(Outcome { ms, result: result_of(resulted) });
    }

    /// Completes the log: adds calls that the stream did not report, and closes unanswered ones.
    pub(crate) fn complete(&mut self, used: Vec<Called>, after_ms: f64) {
        if self.calls() == 0 {
            for called in used {
                self.call(called, after_ms);
            }
        }
        for entry in &mut self.0 {
            if let Kind::Call(call) = &mut entry.kind {
                call.outcome.get_or_insert(Outcome { ms: None, result: ToolResult::Unknown });
            }
        }
    }

    fn push(&mut self, kind: Kind, after_ms: f64) {
        if self.0.len() < ENTRIES_MAX {
            self.0.push(Entry { after_ms: after_ms.max(0.0), kind });
        }
    }
}

impl ToolResult {
    /// The entry as text.
    pub(crate) fn text(&self, lang: Lang) -> String {
        match self {
            Self::Routes(count) => lang.fill(Key::NavCameRoutes, &[&count.to_string()]),
            Self::Pairs(count) => lang.fill(Key::NavCamePairs, &[&count.to_string()]),
            Self::Place(name) => name.clone(),
            Self::Refused(why) => lang.fill(Key::NavCameRefused, &[why]),
            Self::Something => lang.say(Key::NavCameSomething).to_owned(),
            Self::Unknown => String::new(),
        }
    }
}

fn result_of(resulted: &Resulted) -> ToolResult {
    let result = &resulted.result;
    let count = |name: &str| result.get(name).and_then(Value::as_array).map(Vec::len);
    if resulted.is_error {
        let own = result.get("message").and_then(Value::as_str);
        return ToolResult::Refused(at_most(
            resulted.text.as_deref().or(own).unwrap_or_default(),
            PARAM_MAX,
        ));
    }
    if let Some(routes) = count("routes") {
        return ToolResult::Routes(routes);
    }
    if let (Some(rows), Some(columns)) = (count("rows"), count("destination_addresses")) {
        return ToolResult::Pairs(rows.saturating_mul(columns));
    }
    match result.get("formatted_address").and_then(Value::as_str) {
        Some(address) => ToolResult::Place(at_most(address, PARAM_MAX)),
        None => ToolResult::Something,
    }
}

/// The parameters; texts without quotes.
fn params(value: &Value) -> Vec<(String, String)> {
    let of_value = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    };
    let params = value.as_object().into_iter().flatten().take(20);
    params.map(|(name, value)| (at_most(name, 60), at_most(&of_value(value), PARAM_MAX))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn called(id: &str) -> Called {
        let params =
            json!({ "origin": "東京駅", "avoid": ["tolls", "ferries"], "alternatives": true });
        Called { id: id.into(), name: "route_search".into(), params, reason: "速い".into() }
    }

    fn calls(log: &Log) -> Vec<&Call> {
        let call = |it: &'_ Entry| matches!(it.kind, Kind::Call(_));
        log.0
            .iter()
            .filter(|it| call(it))
            .map(|it| match &it.kind {
                Kind::Call(call) => call,
                Kind::Thought(_) => unreachable!("filtered"),
            })
            .collect()
    }

    #[test]
    fn keeps_calls_and_thoughts_in_order_with_outcomes() {
        let mut log = Log::default();
        log.think(" ", 1.0);
        log.think("まず", 5.0);
        log.think("探す", 6.0);
        log.call(called("1"), 10.0);
        log.call(called("2"), 11.0);
        let result = json!({ "routes": [{}, {}] });
        log.end(&Resulted { id: "2".into(), ms: 41.6, result, ..Resulted::default() });
        let refused = Resulted {
            id: "1".into(),
            is_error: true,
            text: Some("ない".into()),
            ..Resulted::default()
        };
        log.end(&refused);
        assert_eq!(
            log.entries()[0],
            Entry { after_ms: 5.0, kind: Kind::Thought("まず探す".into()) }
        );
        let outcomes: Vec<_> = calls(&log).iter().map(|it| it.outcome.clone().unwrap()).collect();
        assert_eq!(outcomes[0].result, ToolResult::Refused("ない".into()));
        assert_eq!(outcomes[1], Outcome { ms: Some(42), result: ToolResult::Routes(2) });
        let avoid = calls(&log)[0].params.iter().find(|it| it.0 == "avoid").cloned();
        assert_eq!(avoid.map(|it| it.1).as_deref(), Some("tolls, ferries"));
    }

    #[test]
    fn closes_unanswered_call_at_end_without_duplicates() {
        let mut log = Log::default();
        log.call(called("1"), 0.0);
        log.complete(vec![called("1")], 9.0);
        assert_eq!(log.calls(), 1);
        assert_eq!(
            calls(&log)[0].outcome.as_ref().map(|it| &it.result),
            Some(&ToolResult::Unknown)
        );
        let mut plain = Log::default();
        plain.complete(vec![called(""), called("")], 9.0);
        assert_eq!(plain.calls(), 2, "of an answer without a stream");
    }

    #[test]
    fn limits_log_of_endless_planner() {
        let mut log = Log::default();
        for _ in 0..9 {
            log.think(&"あ".repeat(TEXT_MAX), 0.0);
        }
        let Kind::Thought(text) = &log.entries()[0].kind else { panic!("a thought") };
        assert_eq!(text.chars().count(), TEXT_MAX);
        for _ in 0..1_000 {
            log.call(called("x"), 0.0);
        }
        assert_eq!(log.entries().len(), ENTRIES_MAX);
    }

    #[test]
    fn describes_results_in_both_languages() {
        let pairs = json!({ "rows": [{}, {}], "destination_addresses": ["a", "b", "c"] });
        let result = result_of(&Resulted { result: pairs, ..Resulted::default() });
        assert_eq!(result, ToolResult::Pairs(6));
        assert_ne!(result.text(Lang::Ja), result.text(Lang::En));
    }
}
