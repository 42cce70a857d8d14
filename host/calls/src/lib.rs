//! Runs one round of a request: finds the component, adds answers of earlier rounds, waits for events, and signs the
//! state it returns.

#![allow(missing_docs, reason = "what is public here is so for the other crates of the host")]

use std::sync::Arc;

use serde_json::Value;
use tokio_util::{
    sync::CancellationToken,
    task::{TaskTracker, task_tracker::TaskTrackerToken},
};

use crate::{
    approvals::Approvals,
    outcome::{CallOutcome, Executor},
    record::{Record, Watch},
    replay_guard::{Claim, ReplayGuard},
    state::{PAUSED_TTL_S, QuestionKind, State, TTL_S, kind_of, unasked_answers},
    waiting::Waiting,
};
use base::{call::CallRequest, config::Config, grants::Grant};
use registry::{
    Catalog, Registry,
    canary::{Canary, Side},
};
use sandbox::{
    capability::Asking,
    component::{
        Answer, AnswerAction, Ask, CallError, Called, InputRequired, LoadedComponent, Question,
        Refusal, Round, StateError, Stop, Unavailable,
    },
    definition::{TaskUse, Tool},
    scheduler,
};
use store::{clock::Clock, digest::digest, seal::Seal};

pub mod approvals;
pub mod authorization;
pub mod discovery;
pub mod outcome;
pub mod record;
pub mod replay_guard;
pub mod shares;
pub mod state;
pub mod waiting;

mod approved;
mod handle;
mod method;
mod on_behalf;
mod surroundings;

pub use crate::outcome::{CallResult, block};
pub use approved::{Reply, Speaker, questions_of, unknown_approval};
pub use handle::RouteCall;
pub use method::{CallTool, Complete, GetPrompt, Method, ReadResource};

/// Rounds in which a call may ask; a tool that goes on is given up. The official SDKs stop after as many,
/// and say less about it.
const ROUNDS_MAX: u32 = 10;

/// Error for changes while the audit log cannot be written.
const UNAUDITED: &str = "The server's disk takes no line of the audit log, so nothing is changed now; the operator has to make room there, or set required = false under [audit]. What only reads is answered.";

/// Error for answers whose use cannot be checked.
const UNREAD: &str = "The server's database cannot be reached, so it is not known whether this answer was used already; nothing was done. Send the same again in a moment.";

/// Takes calls in and brings them to their end.
#[derive(Clone)]
pub struct Calls {
    pub registry: Registry,
    seal: Seal,
    pub running: TaskTracker,
    pub watch: Watch,
    pub stop: CancellationToken,
    replay_guard: ReplayGuard,
    pub approvals: Approvals,
    pub config: Arc<Config>,
}

/// Runs one round. A call that takes turns runs in a task of its own.
async fn run<M: Method>(
    component: &Arc<LoadedComponent>,
    call: &Arc<CallRequest>,
    state: &Arc<State>,
    round: Round,
) -> Result<M::Output, CallError> {
    let turn_state = round.turn_state.clone();
    let (own, call, state) = (component.clone(), call.clone(), state.clone());
    let run = Box::pin(async move { M::round(&own, &call, &state, round).await });
    match scheduler::run_with_turns(&turn_state, || component.heavy(), run).await {
        Ok(result) => result,
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        // The server ends.
        Err(_) => {
            Err(CallError::Busy { component: component.name().clone(), retry_after_ms: 1_000 })
        }
    }
}

/// The state of the previous round's questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Questions {
    /// The answers that came are all there are.
    Answered,
    /// They may be answered yet, whatever comes of this round.
    Open,
}

impl Calls {
    pub fn new(
        (registry, config): (Registry, Arc<Config>),
        (seal, replay_guard): (Seal, ReplayGuard),
        running: TaskTracker,
        watch: Watch,
        stop: CancellationToken,
        approvals: Approvals,
    ) -> Self {
        Self { registry, seal, running, watch, stop, replay_guard, approvals, config }
    }

    /// Runs one round of `tools/call`.
    pub fn call(&self, call: CallRequest) -> Called<'_, CallOutcome> {
        Box::pin(async move { self.ask::<CallTool>(call, Questions::Answered).await })
    }

    /// Delays shutdown until the returned token is dropped.
    pub fn keep_open(&self) -> TaskTrackerToken {
        self.running.token()
    }

    /// Runs and records one round of a request. `questions` is the state of the previous round's questions.
    pub async fn ask<M: Method>(
        &self,
        call: CallRequest,
        questions: Questions,
    ) -> Result<CallOutcome<M::Output>, CallError> {
        self.ask_in::<M>(call, questions, self.registry.catalog()).await
    }

    async fn ask_in<M: Method>(
        &self,
        call: CallRequest,
        questions: Questions,
        catalog: Arc<Catalog>,
    ) -> Result<CallOutcome<M::Output>, CallError> {
        let _running = self.running.token();
        let mut record = self.watch.begin(call, M::NAME);
        record.reads = !changes::<M>(&catalog, &record.call);
        if !record.reads && self.watch.audit.refuses_changes() {
            let result = Err(unavailable(UNAUDITED.to_owned(), None));
            record.end(&result);
            return result;
        }
        let result = if let Some(result) = M::answer_directly(&catalog, &record.call) {
            let (component, call_id) = (Arc::from("madoguchi"), record.id);
            result.map(|output| CallOutcome::Done { component, call_id, output })
        } else if let Some((server, ask)) = M::served(&catalog, &record.call) {
            // In a box: a component's call, which is the rule, would carry its state along.
            Box::pin(self.pass::<M>(&mut record, server, ask)).await
        } else {
            self.round::<M>(&mut record, &catalog, questions).await
        };
        record.end(&result);
        result
    }

    async fn round<M: Method>(
        &self,
        record: &mut Record<'_>,
        catalog: &Catalog,
        questions: Questions,
    ) -> Result<CallOutcome<M::Output>, CallError> {
        let serving = M::component(catalog, &record.call)?;
        record.component = Some(serving.clone());
        let opened = self.opened::<M>(&record.call, &serving.setup.clock)?;
        let (mut component, compared) = version_for::<M>(catalog, record, serving, opened.as_ref());
        record.component = Some(component.clone());
        record.compared = compared;
        let whose = (&**component.digest(), &component.setup.clock);
        let has_answers = !record.call.responses.is_empty();
        let are_taken = has_answers && takes_unasked::<M>(&record.call, &component);
        let mut state = Arc::new(taken_up(&record.call, opened, whose, are_taken)?);
        let claim = self.claim(&state).await?;
        record.round = state.rounds + 1;
        let (call, call_id) = (&record.call, record.id);
        if !state.approving.is_empty() {
            self.answered(call, &std::mem::take(&mut Arc::make_mut(&mut state).approving)).await;
        }
        let mut asking = None;
        let mut waiting = Waiting::begin(&component, call_id);
        loop {
            if asking.is_none() && component.needs(Grant::Calls) {
                let chain = call.via.chain.iter().chain([component.name()]).cloned();
                let trace = call.trace.clone();
                asking = Some(Asking::of_call(chain.collect(), trace, (&state.held, &state.made)));
            }
            let round = Round {
                call_id,
                caller: call.caller.clone(),
                notifications: call.notifications.clone(),
                span: record.span.child("round"),
                turn_state: component.turn_state(),
                asking: asking.as_ref().map(Asking::round),
                recording: None,
                fence: None,
            };
            let ended = run::<M>(&component, call, &state, round).await;
            let runs_again =
                matches!(ended, Err(CallError::Stopped(Stop::InputRequired(_) | Stop::Wait(_))));
            let kept = match asking.as_ref().filter(|_| runs_again) {
                Some(asking) => Box::pin(self.keep_made(asking, component.name())).await,
                None => Ok(()),
            };
            let asked = match kept.and(ended) {
                Ok(output) => {
                    let claim = claim.filter(|_| questions == Questions::Answered);
                    mark_used(claim, &component.setup.clock).await;
                    if let Some((canary, Side::Canary)) = &record.compared
                        && state.rounds == 0
                        && call.responses.is_empty()
                    {
                        M::compare(self, canary, call, &output);
                    }
                    let component = component.name().clone();
                    return Ok(CallOutcome::Done { component, call_id, output });
                }
                Err(CallError::Stopped(Stop::InputRequired(it))) => {
                    Arc::make_mut(&mut state).belong_to(component.digest());
                    it
                }
                Err(CallError::Stopped(Stop::Wait(it))) => {
                    let approve = self.to_approve(call, asking.as_ref(), &it).await;
                    let Some((approving, asked)) = approve else {
                        let pauses = call.pauses.as_deref();
                        if let Some(pauses) = pauses {
                            let mut state = (*state).clone();
                            state.keep_of(asking.as_ref());
                            let state = self.pause::<M>(call, state, &component.setup.clock);
                            pauses.paused(state).await;
                        }
                        let kept = pauses.and_then(|it| it.wait_max());
                        waiting.wait(&component, &call.caller, &it, kept, &self.stop).await?;
                        record.waited = waiting.waited;
                        // Waiting does not keep a version alive; a canary continues its calls.
                        let catalog = self.registry.catalog();
                        let serving = M::component(&catalog, call)?;
                        match &record.compared {
                            Some((it, Side::Canary)) if is_there(&catalog, it) => {}
                            Some((_, Side::Canary)) => {
                                (component, record.compared) = (serving, None);
                            }
                            _ => component = serving,
                        }
                        record.component = Some(component.clone());
                        waiting.follow(&component);
                        Arc::make_mut(&mut state).belong_to(component.digest());
                        if let Some(pauses) = pauses {
                            pauses.resumed().await;
                        }
                        continue;
                    };
                    Arc::make_mut(&mut state).approving = approving;
                    asked
                }
                Err(error) => {
                    if matches!(error, CallError::Stopped(Stop::Refused(_))) {
                        mark_used(claim, &component.setup.clock).await;
                    }
                    return Err(error);
                }
            };
            let mut state = std::mem::take(Arc::make_mut(&mut state));
            state.keep_of(asking.as_ref());
            let asks = (component.name(), &component.setup.clock);
            return self.seal::<M>(asks, (call, call_id), asked, state);
        }
    }

    /// The end of `call` where its caller's scopes do not reach so far, recorded like any other.
    async fn refused<M: Method>(&self, call: CallRequest) -> Option<CallError> {
        let catalog = self.registry.catalog();
        let is_refused = match M::served(&catalog, &call) {
            Some((server, ask)) => method::lacking(&call.caller, &*server, &ask).is_some(),
            None => matches!(M::component(&catalog, &call), Err(CallError::Forbidden { .. })),
        };
        if is_refused { self.ask::<M>(call, Questions::Answered).await.err() } else { None }
    }

    /// Leave to run a further round of a call that has asked: one at a time, and none once it ended.
    async fn claim(&self, state: &State) -> Result<Option<Claim>, CallError> {
        if state.rounds == 0 {
            return Ok(None);
        }
        match self.replay_guard.claim(state.call, state.expires_at_s).await {
            Ok(claim) => Ok(Some(claim?)),
            Err(error) => {
                tracing::error!("whether an answer was used is not known: {error}");
                Err(unavailable(UNREAD.to_owned(), Some(1_000)))
            }
        }
    }

    /// Opens the state of earlier rounds, if the call has one.
    fn opened<M: Method>(
        &self,
        call: &CallRequest,
        clock: &Clock,
    ) -> Result<Option<State>, StateError> {
        let Some(sealed) = &call.state else { return Ok(None) };
        let state = State::open((&self.seal, sealed), clock.now(), |state| {
            state.method == M::NAME
                && state.name == call.name
                && state.arguments == digest_of(&call.arguments)
                && *state.principal == *call.caller.principal
        });
        state.map(Some)
    }

    /// The signed state of a paused call. `None` if it is too large.
    fn pause<M: Method>(
        &self,
        call: &CallRequest,
        mut state: State,
        clock: &Clock,
    ) -> Option<String> {
        state.belong_to_call(M::NAME, call);
        state.close_for(PAUSED_TTL_S, &self.seal, clock.now())
    }

    fn seal<M: Method>(
        &self,
        (component, clock): (&Arc<str>, &Clock),
        (call, call_id): (&CallRequest, u64),
        required: InputRequired,
        mut state: State,
    ) -> Result<CallOutcome<M::Output>, CallError> {
        let questions = required.questions;
        let exceeded =
            |limit| CallError::LimitExceeded { component: component.clone(), call_id, limit };
        if state.rounds == 0 {
            // The same in all rounds, so that an ended call invalidates all its states.
            let number = getrandom::u64().unwrap_or(call_id);
            state.call = replay_guard::number_for(&call.caller.principal, number);
        }
        // Only a call that asks pays for what its state must tell.
        state.belong_to_call(M::NAME, call);
        state.rounds += 1;
        if state.rounds > ROUNDS_MAX {
            return Err(exceeded("rounds_max"));
        }
        let kind = |question: &Question| match question.ask {
            Ask::Form(_) | Ask::Url(_) => QuestionKind::Elicitation,
            Ask::Sampling(_) => QuestionKind::Sampling,
            Ask::Roots => QuestionKind::Roots,
        };
        // Questions of the host are not those of the component.
        if state.approving.is_empty() {
            state.asked = questions.iter().map(|it| (it.key.clone(), kind(it))).collect();
            state.own = required.state;
        }
        let sealed = state.close(&self.seal, clock.now());
        let state = sealed.ok_or_else(|| exceeded("state_bytes_max"))?;
        Ok(CallOutcome::InputRequired { component: component.clone(), call_id, questions, state })
    }
}

/// The state of earlier rounds with the answers of this one.
///
/// Answers to an earlier version of the component are dropped: the new one asks again.
fn taken_up(
    call: &CallRequest,
    opened: Option<State>,
    (version, clock): (&str, &Clock),
    are_taken_unasked: bool,
) -> Result<State, StateError> {
    let Some(mut state) = opened else {
        let now = clock.now();
        let first_called_at_ns = u64::try_from(now.as_nanos()).unwrap_or(u64::MAX);
        return match call.responses.is_empty() {
            true => Ok(State { first_called_at_ns, ..State::default() }),
            false => {
                let answers = unasked_answers(are_taken_unasked, &call.responses)?;
                let component = version.to_owned();
                Ok(State { component, first_called_at_ns, answers, ..State::default() })
            }
        };
    };
    state.belong_to(version);
    for (key, kind) in std::mem::take(&mut state.asked) {
        let Some(response) = call.responses.get(&key) else { continue };
        // An invalid answer is not a refusal, which would end the call.
        if kind == QuestionKind::Elicitation && kind_of(response) != Some(kind) {
            return Err(StateError::NoAnswer);
        }
        state.answers.insert(key, (kind, response.clone()));
    }
    Ok(state)
}

/// Chooses the version that answers while a canary runs, once for all rounds, and the one to compare with.
fn version_for<M: Method>(
    catalog: &Catalog,
    record: &Record<'_>,
    serving: Arc<LoadedComponent>,
    opened: Option<&State>,
) -> (Arc<LoadedComponent>, Option<(Arc<Canary>, Side)>) {
    let Some(canary) = catalog.canary(serving.name()).filter(|it| !it.is_gone()) else {
        return (serving, None);
    };
    let call = &*record.call;
    if !M::reaches(canary, call) {
        return (serving, None);
    }
    let is_canarys = match opened {
        Some(state) => *state.component == **canary.component.digest(),
        None => canary.takes(&call.caller.principal),
    };
    match is_canarys {
        true => (canary.component.clone(), Some((canary.clone(), Side::Canary))),
        false => (serving, Some((canary.clone(), Side::Serving))),
    }
}

/// Whether `canary` still answers calls.
fn is_there(catalog: &Catalog, canary: &Arc<Canary>) -> bool {
    let now = catalog.canary(canary.component.name());
    now.is_some_and(|it| it.component.digest() == canary.component.digest()) && !canary.is_gone()
}

/// The end of a call that cannot be made now; perhaps in that time.
pub fn unavailable(message: String, retry_after_ms: Option<u32>) -> CallError {
    CallError::Stopped(Stop::Unavailable(Unavailable { message, retry_after_ms }))
}

/// The end of a call that is refused, with its details as JSON.
pub fn refused(code: &str, status: u16, message: String, details: Option<String>) -> CallError {
    let code = code.to_owned();
    CallError::Stopped(Stop::Refused(Refusal { code, message, status, details }))
}

/// Whether it is a tool that does not say of itself that it only reads.
fn changes<M: Method>(catalog: &Catalog, call: &CallRequest) -> bool {
    let offered = || catalog.offered_tool(&call.name);
    M::NAME == CallTool::NAME && offered().is_some_and(|(_, it)| !it.hints.read_only)
}

/// Whether the tool accepts answers to questions it did not ask.
fn takes_unasked<M: Method>(call: &CallRequest, component: &LoadedComponent) -> bool {
    let mut tools = component.tools().iter();
    M::NAME == CallTool::NAME && tools.any(|it| *it.name == *call.name && it.takes_unasked_answers)
}

/// The call has ended, so its answers have been used.
async fn mark_used(claim: Option<Claim>, clock: &Clock) {
    if let Some(claim) = claim {
        claim.mark_used(clock.now().as_secs() + TTL_S).await;
    }
}

impl State {
    /// Takes over what the call has asked for and made so far.
    fn keep_of(&mut self, asking: Option<&Asking>) {
        self.held = asking.map(Asking::held_ids).unwrap_or_default();
        self.made = asking.map(Asking::made).unwrap_or_default();
    }

    /// Says of which call it is.
    fn belong_to_call(&mut self, method: &str, call: &CallRequest) {
        method.clone_into(&mut self.method);
        self.name.clone_from(&call.name);
        self.arguments = digest_of(&call.arguments);
        self.principal = call.caller.principal.to_string();
    }
}

/// SHA-256 of `arguments` without whitespace, which may differ between rounds.
fn digest_of(arguments: &str) -> String {
    match serde_json::from_str::<Value>(arguments) {
        Ok(value) => digest(value.to_string().as_bytes()),
        Err(_) => digest(arguments.as_bytes()),
    }
}

impl Executor for Calls {
    fn is_for_sdk(&self, tool: &str) -> bool {
        let catalog = self.registry.catalog();
        let is_for_sdk = |it: &Tool| it.has_header_arguments || it.task == TaskUse::Required;
        catalog.offered_tool(tool).is_some_and(|(_, it)| is_for_sdk(it))
    }

    async fn refusal(&self, method: &str, call: CallRequest) -> Option<CallError> {
        match method {
            CallTool::NAME => self.refused::<CallTool>(call).await,
            GetPrompt::NAME => self.refused::<GetPrompt>(call).await,
            Complete::NAME => self.refused::<Complete>(call).await,
            _ => self.refused::<ReadResource>(call).await,
        }
    }

    async fn answer(&self, call: CallRequest) -> Result<CallOutcome, CallError> {
        self.call(call).await
    }
}

/// Answers of earlier rounds.
fn answers(state: &State) -> Vec<Answer> {
    state.answers.iter().map(|(key, (kind, it))| answer(key, *kind, it)).collect()
}

fn answer(key: &str, kind: QuestionKind, response: &Value) -> Answer {
    let meta = response.get("_meta").map(Value::to_string);
    let (action, content) = match (kind, response.get("action").and_then(Value::as_str)) {
        (QuestionKind::Sampling | QuestionKind::Roots, _) => {
            (AnswerAction::Accept, Some(response.to_string()))
        }
        (QuestionKind::Elicitation, Some("accept")) => {
            let content = response.get("content").filter(|it| it.is_object());
            let content = content.map_or("{}".to_owned(), Value::to_string);
            (AnswerAction::Accept, Some(content))
        }
        (QuestionKind::Elicitation, Some("decline")) => (AnswerAction::Decline, None),
        (QuestionKind::Elicitation, _) => (AnswerAction::Cancel, None),
    };
    Answer { key: key.to_owned(), action, content, meta }
}

/// The answer of a user in solo mode: form content, or null to decline.
pub fn answer_in_solo(key: &str, content: &Value) -> Answer {
    let action = if content.is_null() { AnswerAction::Decline } else { AnswerAction::Accept };
    let content = (!content.is_null()).then(|| content.to_string());
    Answer { key: key.to_owned(), action, content, meta: None }
}
