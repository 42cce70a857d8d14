//! The loop: asks what decides, has all calls of one turn made at once, and hands the results back.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use toolkit::assistants::running::{self, Approval, Manner, Outcome, Request, Standing};

use crate::{
    Answered, AssistantConfig, Conclusion, Decision, Failure, Held, Language, ModelError, Offer,
    Task, Teller, ToolCall, ToolPicker, ToolResult, Turn, Wait, Why, call, reading, text_of,
};

/// Runs tasks through the tools on offer.
#[derive(Clone)]
pub(crate) struct Assistant {
    pub(crate) name: String,
    /// Which tools it has, and how long it may take.
    pub(crate) config: Arc<AssistantConfig>,
    /// Whether the pictures are made by a tool, because no model makes them.
    pub(crate) needs_picture_tool: bool,
    /// What calls are made with.
    pub(crate) manner: Manner,
    /// Whether the person wants to choose among the pictures that tools bring (ILL-45).
    pub(crate) chooses: bool,
}

/// A run that came to its end.
pub(crate) struct Run {
    /// Every call, in the order in which they were decided on.
    pub(crate) answered: Vec<Answered>,
    /// How long each call took, by its id.
    pub(crate) ms: BTreeMap<String, u64>,
    /// Calls that were decided on last, where the run was stopped or the model failed before it received
    /// their results: it has to receive them before anything else.
    pub(crate) left: Vec<Answered>,
    /// Whether the model has received the task's message.
    pub(crate) is_delivered: bool,
    pub(crate) ending: Ending,
}

/// How a run ended.
pub(crate) enum Ending {
    Concluded(Conclusion),
    /// Calls of the last turn wait for the person; the others of that turn are the last so many of
    /// `answered`, and `order` has the ids of all of them.
    Waits {
        held: Vec<Held>,
        order: Vec<String>,
    },
    /// It was stopped: too many rounds, or too long. What exists is there (ILL-25).
    Stopped(Stopped),
    /// The model failed after calls had been made: what they came to is there.
    Failed(ModelError),
}

/// What stopped a run before its conclusion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stopped {
    Rounds,
    Time,
}

/// Why a run has no answer.
#[derive(Debug)]
pub(crate) enum RunError {
    /// The model failed.
    ModelError(ModelError),
    /// A tool failed in a way that ends the run (NAV-40).
    Tool(Box<Failure>),
    /// A tool of the assistant's was called, and none of them is there (ILL-16).
    NoTools(String),
}

/// What calls of the turn before, which waited for the person, came to.
#[derive(Default)]
pub(crate) struct Before {
    /// In the order of that turn.
    pub(crate) answered: Vec<Answered>,
    /// How long those took that were made only now.
    pub(crate) ms: BTreeMap<String, u64>,
}

/// What a call came to.
#[derive(Clone)]
pub(crate) enum Came {
    Back(Answered),
    Held(Held),
}

impl Came {
    /// The result, where there is one.
    pub(crate) fn result(&self) -> Option<&ToolResult> {
        match self {
            Self::Back(it) => Some(&it.result),
            Self::Held(Held { wait: Wait::Form { result } | Wait::Choice { result }, .. }) => {
                Some(result)
            }
            Self::Held(_) => None,
        }
    }
}

/// The run so far.
#[derive(Default)]
struct Course {
    answered: Vec<Answered>,
    ms: BTreeMap<String, u64>,
    /// Where the results of the last turn begin.
    turn_at: usize,
}

impl Course {
    fn turn(&self) -> &[Answered] {
        &self.answered[self.turn_at..]
    }

    /// The end of a run in which the model did not receive the last results: they are kept for it.
    fn broken(self, is_delivered: bool, ending: Ending) -> Run {
        let left = self.turn().to_vec();
        self.ended(left, is_delivered, ending)
    }

    fn ended(self, left: Vec<Answered>, is_delivered: bool, ending: Ending) -> Run {
        Run { answered: self.answered, ms: self.ms, left, is_delivered, ending }
    }
}

impl Assistant {
    /// One whose pictures, if any, a model makes, for a person who chooses nothing.
    pub(crate) fn new(name: &str, config: Arc<AssistantConfig>, manner: Manner) -> Self {
        let (needs_picture_tool, chooses) = (false, false);
        Self { name: name.to_owned(), config, needs_picture_tool, manner, chooses }
    }

    /// What it may call, as it is on offer now.
    pub(crate) fn offers(&self) -> Vec<Offer> {
        let mut offers = Offer::all(&self.name);
        offers.retain(|it| self.config.has(&it.name, self.needs_picture_tool));
        offers
    }

    /// Does `task` as `picker` says.
    pub(crate) fn run(
        &self,
        task: &Task,
        before: Before,
        picker: &mut dyn ToolPicker,
        teller: &Teller,
    ) -> Result<Run, RunError> {
        let bounds = self.config.bounds();
        let end = Instant::now() + bounds.run;
        let Before { answered, ms } = before;
        let (mut course, mut is_cut) = (Course { answered, ms, turn_at: 0 }, false);
        for round in 0..=bounds.rounds_max {
            let message = task.language.pick("考えています…", "Thinking…");
            teller.tell("status", || json!({ "state": "thinking", "message": message }));
            // Anew each round: what was swapped meanwhile is on offer (ILL-21).
            let mut offers = self.offers();
            offers.retain(|it| picker.may_call_for_pages() || !it.is_for_pages);
            is_cut |= reading::is_cut(course.turn());
            if is_cut && offers.iter().all(|it| it.name != reading::READ_RESULT) {
                offers.push(reading::offer(task.language));
            }
            let now = Instant::now();
            let until = end.min(now + bounds.decision);
            let is_first = round == 0;
            let answered = course.turn();
            let turn = Turn { task, is_first, offers: &offers, answered, teller, until };
            let decided = picker.decide(turn);
            let is_over = Instant::now() >= end;
            let decision = match decided {
                Ok(decision) => decision,
                Err(_) if is_over && !course.answered.is_empty() => {
                    return Ok(course.broken(round > 0, Ending::Stopped(Stopped::Time)));
                }
                Err(_) if is_over => return Err(RunError::ModelError(slow(bounds.run))),
                Err(it) => {
                    let is_late = Instant::now() >= until;
                    let it = if is_late { slow(bounds.decision) } else { it };
                    return match course.answered.is_empty() {
                        true => Err(RunError::ModelError(it)),
                        false => Ok(course.broken(round > 0, Ending::Failed(it))),
                    };
                }
            };
            let calls = match decision {
                Decision::Conclude(conclusion) => {
                    return Ok(course.ended(Vec::new(), true, Ending::Concluded(conclusion)));
                }
                Decision::Call(calls) if round == bounds.rounds_max || calls.is_empty() => {
                    let left = calls.iter().map(|it| Answered::failed(it, unmade())).collect();
                    return Ok(course.ended(left, true, Ending::Stopped(Stopped::Rounds)));
                }
                Decision::Call(calls) => calls,
            };
            let order = calls.iter().map(|it| it.id.clone()).collect();
            let came = self.all(&calls, &offers, &course.answered, task, (end, teller))?;
            course.turn_at = course.answered.len();
            let is_late = came.iter().any(Option::is_none);
            let (mut held, mut left) = (Vec::new(), Vec::new());
            for (call, came) in calls.iter().zip(came) {
                match came {
                    Some((Came::Back(it), ms)) => {
                        course.ms.insert(call.id.clone(), ms);
                        course.answered.push(it.clone());
                        left.push(it);
                    }
                    Some((Came::Held(it), _)) if is_late => {
                        running::withdraw(&self.name, &it.approval);
                        left.push(Answered::failed(call, unended()));
                    }
                    Some((Came::Held(it), ms)) => {
                        course.ms.insert(call.id.clone(), ms);
                        held.push(it);
                    }
                    None => left.push(Answered::failed(call, unended())),
                }
            }
            if is_late {
                return Ok(course.ended(left, true, Ending::Stopped(Stopped::Time)));
            }
            if !held.is_empty() {
                return Ok(course.ended(Vec::new(), true, Ending::Waits { held, order }));
            }
        }
        Ok(course.ended(Vec::new(), true, Ending::Stopped(Stopped::Rounds)))
    }

    /// All calls of one turn at once: what each came to and how long it took in milliseconds, in their order;
    /// none is one of which the end was not waited for.
    fn all(
        &self,
        calls: &[ToolCall],
        offers: &[Offer],
        answered: &[Answered],
        task: &Task,
        (end, teller): (Instant, &Teller),
    ) -> Result<Vec<Option<(Came, u64)>>, RunError> {
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
                tell_running(call, task.language, teller);
            }
            teller.tell("tool_call", || call_notice(call, offer(call)));
        }
        let mut came: Vec<Option<(Came, u64)>> = calls.iter().map(|_| None).collect();
        let (mut places, mut requests) = (Vec::new(), Vec::new());
        for (place, call) in calls.iter().enumerate() {
            let back = |it| Some((Came::Back(it), 0));
            came[place] = match offer(call) {
                // One of its own that is not on offer to this caller: the host says why, and that ends the
                // run. Anything else is not even tried.
                None if !(bounds.failures_end && self.config.names(&call.name)) => {
                    back(Answered::failed(call, unknown(call, offers)))
                }
                _ if place >= bounds.calls_max => {
                    back(Answered::failed(call, too_many(bounds.calls_max)))
                }
                Some(it) if reading::is_own(it) => {
                    let page = Came::Back(Answered::new(call, reading::page(call, answered)));
                    tell_ended(call, &page, 0, teller);
                    Some((page, 0))
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
                let it = self.came(&calls[place], ended.outcome);
                tell_ended(&calls[place], &it, ended.ms, teller);
                came[place] = Some((it, ended.ms));
            }
        }
        let failed = came.iter().flatten().find_map(|entry| match &entry.0 {
            Came::Back(Answered { result: ToolResult::Failed(it), .. })
                if bounds.failures_end && it.is_fatal() =>
            {
                Some(it.clone())
            }
            _ => None,
        });
        failed.map_or(Ok(came), |it| Err(RunError::Tool(Box::new(it))))
    }

    /// What `call` came to.
    pub(crate) fn came(&self, call: &ToolCall, outcome: Outcome) -> Came {
        match outcome {
            Outcome::Done(json) => self.taken(call, &json),
            Outcome::Failed(json) => Came::Back(Answered::failed(call, Failure::read(&json))),
            Outcome::Held(it) => self.stands(call, it).0,
        }
    }

    /// How `call` stands by its approval, and how long it took where it was made.
    pub(crate) fn stands(&self, call: &ToolCall, approval: Approval) -> (Came, Option<u64>) {
        let Approval { id, standing, questions, changed, trust, outcome, ms } = approval;
        let wait = match (standing, outcome) {
            (Standing::Over, Some(Ok(json))) => return (self.taken(call, &json), ms),
            (_, Some(Err(json))) => {
                return (Came::Back(Answered::failed(call, Failure::read(&json))), ms);
            }
            (Standing::Asks, _) => {
                let questions = questions.and_then(|it| serde_json::from_str::<Value>(&it).ok());
                let questions = questions.and_then(|it| it.as_array().cloned());
                Wait::Answers { questions: questions.unwrap_or_default() }
            }
            _ => Wait::Approval,
        };
        let held = Held { call: call.clone(), wait, approval: id, trust, changed };
        (Came::Held(held), None)
    }

    /// A result, or what the person does with it first.
    fn taken(&self, call: &ToolCall, json: &str) -> Came {
        let is_made = self.config.picture_tool.as_deref() == Some(&call.name);
        match call::read_result(json) {
            it if call::is_form(&it) => {
                Came::Held(Held::for_person(call, Wait::Form { result: it }))
            }
            it if self.chooses && !is_made && call::has_pictures(&it) => {
                Came::Held(Held::for_person(call, Wait::Choice { result: it }))
            }
            it => Came::Back(Answered::new(call, it)),
        }
    }
}

/// `call` as the host takes it.
pub(crate) fn request(call: &ToolCall) -> Request {
    Request {
        name: call.name.clone(),
        arguments: Value::Object(call.arguments.clone()).to_string(),
        meta: (!call.meta.is_empty()).then(|| Value::Object(call.meta.clone()).to_string()),
        reason: call.reason.clone(),
    }
}

/// A time in milliseconds, the part of one counted whole.
pub(crate) fn ms(it: Duration) -> u64 {
    u64::try_from(it.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX)
}

// What the loop says: to the client that reads events, and to the model where a call cannot be made.
fn slow(after: Duration) -> ModelError {
    ModelError::new(Why::Slow, format!("No answer within {} s", after.as_secs()))
}

/// A tool that is not the assistant's, whatever else is on offer.
fn unknown(call: &ToolCall, offers: &[Offer]) -> Failure {
    let names: Vec<_> = offers.iter().map(|it| &*it.name).collect();
    let message = format!("There is no tool {:?} here; there are {}.", call.name, names.join(", "));
    Failure::new("unknown_tool", 404, message)
}

fn too_many(most: usize) -> Failure {
    let message = format!("At most {most} calls can be made at once; make this one later.");
    Failure::new("too_many_calls", 429, message)
}

/// A call that was one round too many.
fn unmade() -> Failure {
    let message = "The call was not made: tools were called as often as they may be in one answer.";
    Failure::new("too_many_rounds", 429, message)
}

/// A call of which the end was not waited for.
fn unended() -> Failure {
    let message = "The call's end was not waited for, because the answer took too long. What only reads was given up; what changes something may still happen: look first.";
    Failure::new("deadline", 504, message)
}

/// Tells that `call` has begun.
fn tell_running(call: &ToolCall, language: Language, teller: &Teller) {
    let name = &call.name;
    let message = language.pick(format!("{name}を実行中..."), format!("Running {name}..."));
    let status = json!({ "state": "running", "tool": name, "message": message });
    teller.tell("status", || status);
}

/// Tells what `call` came to, where it has a result.
pub(crate) fn tell_ended(call: &ToolCall, came: &Came, ms: u64, teller: &Teller) {
    if let Some(result) = came.result() {
        teller.tell("tool_result", || result_notice(call, result, ms));
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

fn result_notice(call: &ToolCall, result: &ToolResult, ms: u64) -> Value {
    let (id, name) = (&call.id, &call.name);
    match result {
        ToolResult::Output { structured, meta, content } => json!({
            "id": id, "name": name, "isError": false, "ms": ms, "result": structured, "meta": meta,
            "text": text_of(content),
        }),
        ToolResult::Failed(failure) => json!({
            "id": id, "name": name, "isError": true, "ms": ms, "result": null,
            "meta": { "madoguchi/error": failure.object() }, "text": failure.message,
        }),
    }
}
