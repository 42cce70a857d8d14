//! One search from its beginning to its end: what is shown while it runs, and what came of it (NAV-66).

use output::navigation::{Comparison, DETAILS, Details, Routes};
use serde_json::{Value, json};

use super::event::{Done, Event, Message, Resulted, TEXT_MAX};
use super::found::Found;
use super::log::Log;
use super::query::{Mode, RouteQuery};
use crate::error::CallError;

/// Entries of the conversation that are sent along (NAV-5).
pub(crate) const HISTORY_MAX: usize = 20;
/// Comparisons that are shown.
const COMPARISONS_MAX: usize = 4;

/// How far it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Phase {
    /// No search yet.
    #[default]
    Idle,
    Searching,
    /// This tool runs.
    Tool(String),
    Done,
    Failed(CallError),
}

/// A search for a route.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Run {
    pub(crate) phase: Phase,
    /// What was asked, as it was asked.
    pub(crate) query: RouteQuery,
    pub(crate) found: Found,
    pub(crate) comparisons: Vec<Comparison>,
    pub(crate) log: Log,
    /// Why the planner chose what it chose.
    pub(crate) message: String,
    /// The messages so far about this route.
    pub(crate) history: Vec<Message>,
    /// The route that the planner chose.
    pub(crate) advised: Option<usize>,
    /// The route that is looked at.
    pub(crate) chosen: usize,
    /// Why the planner did not choose, where the router did instead (NAV-18).
    pub(crate) fell_back: Option<CallError>,
    /// What is found while it runs.
    gathered: Found,
    compared: Vec<Comparison>,
    began_ms: f64,
}

impl Run {
    pub(crate) fn is_running(&self) -> bool {
        matches!(self.phase, Phase::Searching | Phase::Tool(_))
    }

    /// Whether it is done and found nothing to draw.
    pub(crate) fn is_in_vain(&self) -> bool {
        self.phase == Phase::Done && self.found.is_empty() && self.comparisons.is_empty()
    }

    /// Begins; what was found on the same route stays to be looked at meanwhile.
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

    /// What is sent to `POST /api/navigate` (NAV-1).
    pub(crate) fn question(&self) -> Value {
        let skipped = self.history.len().saturating_sub(HISTORY_MAX);
        json!({
            "origin": self.query.from,
            "destination": self.query.to,
            "message": self.query.condition,
            "conversationHistory": &self.history[skipped..],
        })
    }

    /// Takes what the stream says next.
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
            Event::Words(words) => self.log.think(&words, after_ms),
            Event::Done(done) => self.finish(*done, after_ms),
            Event::Failed(error) => self.fail(error),
            Event::Other => {}
        }
    }

    /// Routes and comparisons are taken from what the tools put out, never from what was retold.
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
                self.compared.extend(serde_json::from_value::<Comparison>(result).ok());
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
            // Nothing was found, whatever was looked at on the way.
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

    /// The router's own answer, in its own order.
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

    /// It did not work; what was found before stays only where it is of the same route.
    pub(crate) fn fail(&mut self, error: CallError) {
        self.gathered = Found::default();
        self.compared.clear();
        self.phase = Phase::Failed(error);
    }

    /// Whether it is the origin that a search failed at.
    pub(crate) fn has_no_origin(&self) -> bool {
        match &self.phase {
            Phase::Failed(CallError::Refused(it)) => it.data["pointer"] == "/origin",
            _ => false,
        }
    }

    /// The planner did not answer: the router is to be asked instead. False where that cannot help.
    pub(crate) fn fall_back(&mut self) -> bool {
        let Phase::Failed(error) = &self.phase else { return false };
        let may_help = match error {
            CallError::Offline | CallError::Stopped | CallError::Unauthorized => false,
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

/// Lenient: what a provider does not give is absent, and a detail that does not fit costs no route.
pub(crate) fn details_of(value: Value) -> Details {
    serde_json::from_value(value).unwrap_or_default()
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
