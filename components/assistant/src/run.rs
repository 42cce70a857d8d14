//! The agent loop: asks the picker, makes all calls of one turn concurrently, and returns the results to it.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use toolkit::assistants::running::{self, Approval, Manner, Outcome, Request, Standing};

use crate::{
    Answered, AssistantConfig, Conclusion, Decision, ErrorKind, EventSink, Failure, Language,
    ModelError, Offer, PendingCall, Task, ToolCall, ToolPicker, ToolResult, Turn, Wait, call,
    reading, text_of,
};

/// Runs tasks with the tools on offer.
#[derive(Clone)]
pub(crate) struct Assistant {
    pub(crate) name: String,
    /// Its tools and limits.
    pub(crate) config: Arc<AssistantConfig>,
    /// Whether a tool makes the pictures, because no model does.
    pub(crate) needs_picture_tool: bool,
    /// Language and client capabilities of its calls.
    pub(crate) manner: Manner,
    /// Whether the person chooses among the pictures that tools return (ILL-45).
    pub(crate) chooses: bool,
}

/// A finished run.
pub(crate) struct Run {
    /// All calls, in the order in which they were decided.
    pub(crate) answered: Vec<Answered>,
    /// Duration of each call in milliseconds, by its id.
    pub(crate) ms: BTreeMap<String, u64>,
    /// Results that the model has not received, because the run was stopped or the model failed. It has to
    /// receive them first.
    pub(crate) left: Vec<Answered>,
    /// Whether the model has received the task's message.
    pub(crate) is_delivered: bool,
    pub(crate) ending: Ending,
}

/// How a run ended.
pub(crate) enum Ending {
    Concluded(Conclusion),
    /// Calls of the last turn wait for the person. Its other calls are the last ones of `answered`; `order`
    /// has the ids of both.
    Waits {
        held: Vec<PendingCall>,
        order: Vec<String>,
    },
    /// It took too many rounds or too long. Results so far are kept (ILL-25).
    Stopped(Stopped),
    /// The model failed after calls had been made. Their results are kept.
    Failed(ModelError),
}

/// Why a run was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stopped {
    Rounds,
    Time,
}

/// Why a run has no answer.
#[derive(Debug)]
pub(crate) enum RunError {
    /// The model failed before any call.
    ModelError(ModelError),
    /// A tool failed with an error that ends the run (NAV-40).
    Tool(Box<Failure>),
    /// The assistant has no tools, and one of its own was called (ILL-16).
    NoTools(String),
}

/// Results of the turn before, including calls that waited for the person.
#[derive(Default)]
pub(crate) struct EarlierResults {
    /// In the order of that turn.
    pub(crate) answered: Vec<Answered>,
    /// Durations of the calls that were made only now.
    pub(crate) ms: BTreeMap<String, u64>,
}

/// The outcome of a call.
#[derive(Clone)]
pub(crate) enum CallOutcome {
    Done(Answered),
    Pending(PendingCall),
}

impl CallOutcome {
    /// Returns the result, if there is one.
    pub(crate) fn result(&self) -> Option<&ToolResult> {
        match self {
            Self::Done(it) => Some(&it.result),
            Self::Pending(PendingCall {
                wait: Wait::Form { result } | Wait::Choice { result },
                ..
            }) => Some(result),
            Self::Pending(_) => None,
        }
    }
}

/// State of a running loop.
#[derive(Default)]
struct Progress {
    answered: Vec<Answered>,
    ms: BTreeMap<String, u64>,
    /// Index of the last turn's first result.
    turn_at: usize,
}

impl Progress {
    fn turn(&self) -> &[Answered] {
        &self.answered[self.turn_at..]
    }

    /// Ends the run before the model received the last results, which are kept for it.
    fn interrupt(self, is_delivered: bool, ending: Ending) -> Run {
        let left = self.turn().to_vec();
        self.ended(left, is_delivered, ending)
    }

    fn ended(self, left: Vec<Answered>, is_delivered: bool, ending: Ending) -> Run {
        Run { answered: self.answered, ms: self.ms, left, is_delivered, ending }
    }
}

impl Assistant {
    /// Creates one without a picture tool, for a person who does not choose pictures.
    pub(crate) fn new(name: &str, config: Arc<AssistantConfig>, manner: Manner) -> Self {
        let (needs_picture_tool, chooses) = (false, false);
        Self { name: name.to_owned(), config, needs_picture_tool, manner, chooses }
    }

    /// Returns the tools on offer now.
    pub(crate) fn offers(&self) -> Vec<Offer> {
        let mut offers = Offer::of_assistant(&self.name);
        offers.retain(|it| self.config.has(&it.name, self.needs_picture_tool));
        offers
    }

    /// Runs `task`, following `picker`.
    pub(crate) fn run(
        &self,
        task: &Task,
        before: EarlierResults,
        picker: &mut dyn ToolPicker,
        sink: &EventSink,
    ) -> Result<Run, RunError> {
        let bounds = self.config.bounds();
        let end = Instant::now() + bounds.run;
        let EarlierResults { answered, ms } = before;
        let (mut progress, mut is_cut) = (Progress { answered, ms, turn_at: 0 }, false);
        for round in 0..=bounds.rounds_max {
            let message = task.language.pick("考えています…", "Thinking…");
            sink.send("status", || json!({ "state": "thinking", "message": message }));
            // Read in each round, since components may be swapped meanwhile (ILL-21).
            let mut offers = self.offers();
            offers.retain(|it| picker.may_call_for_pages() || !it.is_for_pages);
            is_cut |= reading::is_cut(progress.turn());
            if is_cut && offers.iter().all(|it| it.name != reading::READ_RESULT) {
                offers.push(reading::offer(task.language));
            }
            let now = Instant::now();
            let until = end.min(now + bounds.decision);
            let is_first = round == 0;
            let answered = progress.turn();
            let turn = Turn { task, is_first, offers: &offers, answered, sink, until };
            let decided = picker.decide(turn);
            let is_over = Instant::now() >= end;
            let decision = match decided {
                Ok(decision) => decision,
                Err(_) if is_over && !progress.answered.is_empty() => {
                    return Ok(progress.interrupt(round > 0, Ending::Stopped(Stopped::Time)));
                }
                Err(_) if is_over => return Err(RunError::ModelError(timeout_error(bounds.run))),
                Err(error) => {
                    let is_late = Instant::now() >= until;
                    let error = if is_late { timeout_error(bounds.decision) } else { error };
                    return match progress.answered.is_empty() {
                        true => Err(RunError::ModelError(error)),
                        false => Ok(progress.interrupt(round > 0, Ending::Failed(error))),
                    };
                }
            };
            let calls = match decision {
                Decision::Conclude(conclusion) => {
                    return Ok(progress.ended(Vec::new(), true, Ending::Concluded(conclusion)));
                }
                Decision::Call(calls) if round == bounds.rounds_max || calls.is_empty() => {
                    let left =
                        calls.iter().map(|it| Answered::failed(it, too_many_rounds())).collect();
                    return Ok(progress.ended(left, true, Ending::Stopped(Stopped::Rounds)));
                }
                Decision::Call(calls) => calls,
            };
            let order = calls.iter().map(|it| it.id.clone()).collect();
            let outcomes = self.call_all(&calls, &offers, &progress.answered, task, (end, sink))?;
            progress.turn_at = progress.answered.len();
            let is_late = outcomes.iter().any(Option::is_none);
            let (mut held, mut left) = (Vec::new(), Vec::new());
            for (call, outcome) in calls.iter().zip(outcomes) {
                match outcome {
                    Some((CallOutcome::Done(it), ms)) => {
                        progress.ms.insert(call.id.clone(), ms);
                        progress.answered.push(it.clone());
                        left.push(it);
                    }
                    Some((CallOutcome::Pending(it), _)) if is_late => {
                        running::withdraw(&self.name, &it.approval);
                        left.push(Answered::failed(call, call_withdrawn()));
                    }
                    Some((CallOutcome::Pending(it), ms)) => {
                        progress.ms.insert(call.id.clone(), ms);
                        held.push(it);
                    }
                    None => left.push(Answered::failed(call, Failure::unfinished())),
                }
            }
            if is_late {
                return Ok(progress.ended(left, true, Ending::Stopped(Stopped::Time)));
            }
            if !held.is_empty() {
                return Ok(progress.ended(Vec::new(), true, Ending::Waits { held, order }));
            }
        }
        Ok(progress.ended(Vec::new(), true, Ending::Stopped(Stopped::Rounds)))
    }

    /// Makes all calls of one turn. Returns each outcome and its duration in milliseconds, in order; `None`
    /// if the call did not end in time.
    fn call_all(
        &self,
        calls: &[ToolCall],
        offers: &[Offer],
        answered: &[Answered],
        task: &Task,
        (end, sink): (Instant, &EventSink),
    ) -> Result<Vec<Option<(CallOutcome, u64)>>, RunError> {
        let bounds = self.config.bounds();
        let offer = |call: &ToolCall| offers.iter().find(|it| it.name == call.name);
        let is_lacking =
            |it: &&ToolCall| self.config.names(&it.name) && running::lacks(&self.name, &it.name);
        if offers.is_empty()
            && let Some(call) = calls.iter().find(is_lacking)
        {
            return Err(RunError::NoTools(call.name.clone()));
        }
        for call in calls {
            if !offer(call).is_some_and(|it| it.asks_first) {
                notify_running(call, task.language, sink);
            }
            sink.send("tool_call", || call_notice(call, offer(call)));
        }
        let mut outcomes: Vec<Option<(CallOutcome, u64)>> = calls.iter().map(|_| None).collect();
        let (mut places, mut requests) = (Vec::new(), Vec::new());
        for (place, call) in calls.iter().enumerate() {
            let back = |answered| {
                let outcome = CallOutcome::Done(answered);
                notify_ended(call, &outcome, 0, task.language, sink);
                Some((outcome, 0))
            };
            outcomes[place] = match offer(call) {
                // Calls its own tool even if it is not on offer to this caller: the host's error ends the run.
                // Unknown tools are not tried.
                None if !(bounds.failures_end && self.config.names(&call.name)) => {
                    back(Answered::failed(call, unknown_tool(call, offers)))
                }
                _ if place >= bounds.calls_max => {
                    back(Answered::failed(call, too_many_calls(bounds.calls_max)))
                }
                Some(offer) if reading::is_own(offer) => {
                    back(Answered::new(call, reading::page(call, answered)))
                }
                _ => {
                    places.push(place);
                    requests.push(request(call));
                    None
                }
            };
        }
        if !requests.is_empty() {
            let running = running::call(&self.name, &requests, &self.manner);
            for _ in 0..requests.len() {
                let left = ms(end.saturating_duration_since(Instant::now()));
                let Some(ended) = running.next(left) else { break };
                let place = usize::try_from(ended.index).ok().and_then(|it| places.get(it));
                let Some(&place) = place else { continue };
                let outcome = self.outcome(&calls[place], ended.outcome);
                notify_ended(&calls[place], &outcome, ended.ms, task.language, sink);
                outcomes[place] = Some((outcome, ended.ms));
            }
        }
        let failed = outcomes.iter().flatten().find_map(|entry| match &entry.0 {
            CallOutcome::Done(Answered { result: ToolResult::Failed(it), .. })
                if bounds.failures_end && it.is_fatal() =>
            {
                Some(it.clone())
            }
            _ => None,
        });
        failed.map_or(Ok(outcomes), |it| Err(RunError::Tool(Box::new(it))))
    }

    /// Converts the host's outcome of `call`.
    pub(crate) fn outcome(&self, call: &ToolCall, outcome: Outcome) -> CallOutcome {
        match outcome {
            Outcome::Done(json) => self.result_outcome(call, &json),
            Outcome::Failed(json) => {
                CallOutcome::Done(Answered::failed(call, Failure::read(&json)))
            }
            Outcome::Held(it) => self.approval_outcome(call, it).0,
        }
    }

    /// Converts the state of the approval of `call`, with its duration if it was made.
    pub(crate) fn approval_outcome(
        &self,
        call: &ToolCall,
        approval: Approval,
    ) -> (CallOutcome, Option<u64>) {
        let Approval { id, standing, questions, changed, trust, outcome, ms } = approval;
        let wait = match (standing, outcome) {
            (Standing::Over, Some(Ok(json))) => return (self.result_outcome(call, &json), ms),
            (_, Some(Err(json))) => {
                return (CallOutcome::Done(Answered::failed(call, Failure::read(&json))), ms);
            }
            (Standing::Asks, _) => {
                let questions = questions.and_then(|it| serde_json::from_str::<Value>(&it).ok());
                let questions = questions.and_then(|it| it.as_array().cloned());
                Wait::Answers { questions: questions.unwrap_or_default() }
            }
            _ => Wait::Approval,
        };
        let held = PendingCall { call: call.clone(), wait, approval: id, trust, changed };
        (CallOutcome::Pending(held), None)
    }

    /// Converts a result: finished, or waiting for the person to use it first.
    fn result_outcome(&self, call: &ToolCall, json: &str) -> CallOutcome {
        let is_made = self.config.picture_tool.as_deref() == Some(&call.name);
        match call::read_result(json) {
            it if call::is_form(&it) => {
                CallOutcome::Pending(PendingCall::for_person(call, Wait::Form { result: it }))
            }
            it if self.chooses && !is_made && call::has_pictures(&it) => {
                CallOutcome::Pending(PendingCall::for_person(call, Wait::Choice { result: it }))
            }
            it => CallOutcome::Done(Answered::new(call, it)),
        }
    }
}

/// Converts `call` for the host.
pub(crate) fn request(call: &ToolCall) -> Request {
    Request {
        name: call.name.clone(),
        arguments: Value::Object(call.arguments.clone()).to_string(),
        meta: (!call.meta.is_empty()).then(|| Value::Object(call.meta.clone()).to_string()),
        reason: call.reason.clone(),
    }
}

/// Milliseconds, rounded up.
pub(crate) fn ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX)
}

// Messages of the loop: to the client as events, and to the model if a call cannot be made.
fn timeout_error(after: Duration) -> ModelError {
    ModelError::new(ErrorKind::Slow, format!("No answer within {} s", after.as_secs()))
}

/// A tool that the assistant does not have.
fn unknown_tool(call: &ToolCall, offers: &[Offer]) -> Failure {
    let names: Vec<_> = offers.iter().map(|it| &*it.name).collect();
    let message = format!("There is no tool {:?} here; there are {}.", call.name, names.join(", "));
    Failure::not_made(call::UNKNOWN_TOOL, 404, message)
}

fn too_many_calls(most: usize) -> Failure {
    let message = format!("At most {most} calls can be made at once; make this one later.");
    Failure::not_made(call::TOO_MANY_CALLS, 429, message)
}

/// A call beyond the last round.
fn too_many_rounds() -> Failure {
    let message = "The call was not made: tools were called as often as they may be in one answer.";
    Failure::not_made(call::TOO_MANY_ROUNDS, 429, message)
}

/// A call that waited for the person when the time was over.
fn call_withdrawn() -> Failure {
    let message = "The time was over before the person was asked. The call was not made.";
    Failure::not_made(call::NOT_ALLOWED, 403, message)
}

/// Reports that `call` has started.
fn notify_running(call: &ToolCall, language: Language, sink: &EventSink) {
    let name = &call.name;
    let message = language.pick(format!("{name}を実行中..."), format!("Running {name}..."));
    let status = json!({ "state": "running", "tool": name, "message": message });
    sink.send("status", || status);
}

/// Reports the result of `call`, if there is one.
pub(crate) fn notify_ended(
    call: &ToolCall,
    outcome: &CallOutcome,
    ms: u64,
    language: Language,
    sink: &EventSink,
) {
    if let Some(result) = outcome.result() {
        sink.send("tool_result", || result_notice(call, result, ms, language));
    }
}

fn call_notice(call: &ToolCall, offer: Option<&Offer>) -> Value {
    json!({
        "id": call.id,
        "name": call.name,
        "params": call.arguments,
        "reason": call.reason,
        "title": offer.and_then(|it| it.title.as_deref()),
        "server": offer.map(|it| &*it.owner),
        "view": offer.and_then(|it| it.view.as_deref()),
    })
}

fn result_notice(call: &ToolCall, result: &ToolResult, ms: u64, language: Language) -> Value {
    let (id, name) = (&call.id, &call.name);
    match result {
        ToolResult::Output { structured, meta, content } => json!({
            "id": id, "name": name, "isError": false, "ms": ms, "result": structured, "meta": meta,
            "text": text_of(content),
        }),
        ToolResult::Failed(failure) => json!({
            "id": id, "name": name, "isError": true, "ms": ms, "result": null,
            "meta": { "madoguchi/error": failure.object() }, "text": failure.for_people(language),
        }),
    }
}
