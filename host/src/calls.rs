//! One `tools/call` from name to outcome: finds the component, gives it the answers of earlier
//! rounds, waits where it waits, and seals what it asks.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    call_state::{Clock, Progress},
    caller::{Caller, Owner},
    component::{
        Answer, AnswerAction, Ask, CallError, Datetime, InputRequired, Invocation, LoadedComponent,
        Output, Question, Round, Stop,
    },
    mcp::thin::Answers,
    record::{Record, Surface, Watch},
    registry::{Catalog, Registry},
    seal::{Asked, Seal, State, StateError, digest},
    telemetry::TraceHeaders,
    waiting::Waiting,
};

mod pass;

/// Rounds in which a call may ask; a tool that goes on is given up.
const ROUNDS_MAX: u32 = 16;

/// Takes calls in and brings them to their end.
#[derive(Clone)]
pub(crate) struct Calls {
    registry: Registry,
    seal: Seal,
    running: TaskTracker,
    watch: Watch,
    stop: CancellationToken,
}

/// One round of a call, as it came in.
pub(crate) struct Call {
    pub(crate) tool: String,
    /// A JSON object.
    pub(crate) arguments: String,
    /// The request's `_meta`, a JSON object.
    pub(crate) meta: String,
    pub(crate) caller: Caller,
    /// What the client answered in this round, by the question's key.
    pub(crate) responses: BTreeMap<String, Value>,
    /// The state that came with the questions.
    pub(crate) state: Option<String>,
    pub(crate) progress: Option<mpsc::Sender<Progress>>,
    /// Where it came in.
    pub(crate) surface: Surface,
    /// The caller's place in a trace, as HTTP told it.
    pub(crate) trace: TraceHeaders,
}

/// How a round ended.
pub(crate) enum Outcome {
    /// With whoever put it out, to be named should it not be usable.
    Done { component: Arc<str>, call_id: u64, output: Output },
    /// Another server's result, as it stands.
    Passed { result: Box<rmcp::model::ServerResult> },
    /// The user must answer; the state comes back with the answers.
    Asked { component: Arc<str>, call_id: u64, questions: Vec<Question>, state: String },
}

impl Calls {
    pub(crate) fn new(
        registry: Registry,
        seal: Seal,
        running: TaskTracker,
        watch: Watch,
        stop: CancellationToken,
    ) -> Self {
        Self { registry, seal, running, watch, stop }
    }

    /// One round of a call, watched from here to its end, be that that nobody waits for it.
    pub(crate) async fn call(&self, call: Call) -> Result<Outcome, CallError> {
        let _running = self.running.token();
        let mut record = self.watch.begin(call);
        let catalog = self.registry.catalog();
        let result = match catalog.served(&record.call.tool) {
            // In a box: a component's call, which is the rule, would carry its state along.
            Some(tool) => Box::pin(self.pass(&mut record, tool)).await,
            None => self.round(&mut record, &catalog).await,
        };
        record.end(&result);
        result
    }

    async fn round(
        &self,
        record: &mut Record<'_>,
        catalog: &Catalog,
    ) -> Result<Outcome, CallError> {
        let mut component = Self::component(&record.call, catalog)?;
        record.component = Some(component.clone());
        let mut state = self.state(&record.call, component.digest(), component.clock())?;
        record.round = state.rounds + 1;
        let (call, call_id) = (&record.call, record.id);
        let mut waiting = Waiting::begin(&component, call_id);
        loop {
            let invocation = invocation(call, &state);
            let round = Round {
                call_id,
                caller: call.caller.clone(),
                progress: call.progress.clone(),
                span: record.span.child("round"),
            };
            match component.call(&invocation, round).await {
                Ok(output) => {
                    let component = component.name().clone();
                    return Ok(Outcome::Done { component, call_id, output });
                }
                Err(CallError::Stopped(Stop::InputRequired(it))) => {
                    state.belong_to(component.digest());
                    return self.ask(
                        (component.name(), component.clock()),
                        (call, call_id),
                        it,
                        state,
                    );
                }
                Err(CallError::Stopped(Stop::Wait(it))) => {
                    waiting.wait(&component, &it, &self.stop).await?;
                    // A wait does not hold a version back.
                    component = Self::component(call, &self.registry.catalog())?;
                    record.component = Some(component.clone());
                    waiting.follow(&component);
                    state.belong_to(component.digest());
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn component(call: &Call, catalog: &Catalog) -> Result<Arc<LoadedComponent>, CallError> {
        let tool = call.tool.as_str();
        let component = catalog.component_for(tool).ok_or_else(|| match catalog.away(tool) {
            Some(it) if call.caller.may_call(Owner::Server(&it.server.name), tool) => {
                it.server.away()
            }
            _ => CallError::UnknownTool {
                tool: tool.chars().take(128).collect(),
                similar: catalog.similar(tool),
            },
        })?;
        match call.caller.may_call(Owner::Component(component.name()), tool) {
            true => Ok(component.clone()),
            false => Err(CallError::Forbidden { scope: format!("tool:{tool}") }),
        }
    }

    /// What earlier rounds left, with the answers of this one.
    ///
    /// Answers to an earlier version of the component are dropped: the new one asks again.
    pub(crate) fn state(
        &self,
        call: &Call,
        version: &str,
        clock: &Clock,
    ) -> Result<State, StateError> {
        let now = clock.now();
        let first_called_at_ns = u64::try_from(now.as_nanos()).unwrap_or(u64::MAX);
        let Some(sealed) = &call.state else {
            return match call.responses.is_empty() {
                true => Ok(State { first_called_at_ns, ..State::default() }),
                false => Err(StateError::Missing),
            };
        };
        let mut state = self.seal.open_state(sealed, now, |it| {
            it.tool == call.tool
                && it.arguments == digest_of(&call.arguments)
                && *it.principal == *call.caller.principal
        })?;
        state.belong_to(version);
        for (key, kind) in std::mem::take(&mut state.asked) {
            if let Some(response) = call.responses.get(&key) {
                state.answers.insert(key, (kind, response.clone()));
            }
        }
        Ok(state)
    }

    pub(crate) fn ask(
        &self,
        (component, clock): (&Arc<str>, &Clock),
        (call, call_id): (&Call, u64),
        it: InputRequired,
        mut state: State,
    ) -> Result<Outcome, CallError> {
        let questions = it.questions;
        let exceeded =
            |limit| CallError::LimitExceeded { component: component.clone(), call_id, limit };
        // Only a call that asks pays for what its state must tell.
        state.tool.clone_from(&call.tool);
        state.arguments = digest_of(&call.arguments);
        state.principal = call.caller.principal.to_string();
        state.rounds += 1;
        if state.rounds > ROUNDS_MAX {
            return Err(exceeded("rounds_max"));
        }
        let kind = |it: &Question| match it.ask {
            Ask::Form(_) | Ask::Url(_) => Asked::Elicitation,
            Ask::Sampling(_) => Asked::Sampling,
            Ask::Roots => Asked::Roots,
        };
        state.asked = questions.iter().map(|it| (it.key.clone(), kind(it))).collect();
        state.own = it.state;
        let sealed = self.seal.close(state, clock.now());
        let state = sealed.ok_or_else(|| exceeded("state_bytes_max"))?;
        Ok(Outcome::Asked { component: component.clone(), call_id, questions, state })
    }
}

/// The SHA-256 of `arguments` without the whitespace in them, which says nothing and may differ
/// from round to round.
fn digest_of(arguments: &str) -> String {
    match serde_json::from_str::<Value>(arguments) {
        Ok(value) => digest(value.to_string().as_bytes()),
        Err(_) => digest(arguments.as_bytes()),
    }
}

impl Answers for Calls {
    fn has_header_arguments(&self, tool: &str) -> bool {
        let catalog = self.registry.catalog();
        if let Some(tool) = catalog.served(tool) {
            return tool.has_header_arguments;
        }
        let component = catalog.component_for(tool);
        let tool = component.and_then(|it| it.tools().iter().find(|it| &*it.name == tool));
        tool.is_some_and(|it| it.has_header_arguments)
    }

    async fn answer(&self, call: Call) -> Result<Outcome, CallError> {
        self.call(call).await
    }
}

fn invocation(call: &Call, state: &State) -> Invocation {
    Invocation {
        name: call.tool.clone(),
        arguments: call.arguments.clone(),
        answers: state.answers.iter().map(|(key, (kind, it))| answer(key, *kind, it)).collect(),
        state: state.own.clone(),
        first_called_at: Datetime {
            seconds: state.first_called_at_ns / 1_000_000_000,
            nanoseconds: u32::try_from(state.first_called_at_ns % 1_000_000_000).unwrap_or(0),
        },
        meta: call.meta.clone(),
    }
}

fn answer(key: &str, kind: Asked, response: &Value) -> Answer {
    let meta = response.get("_meta").map(Value::to_string);
    let (action, content) = match (kind, response.get("action").and_then(Value::as_str)) {
        (Asked::Sampling | Asked::Roots, _) => (AnswerAction::Accept, Some(response.to_string())),
        (Asked::Elicitation, Some("accept")) => {
            let content = response.get("content").map_or("{}".to_owned(), Value::to_string);
            (AnswerAction::Accept, Some(content))
        }
        (Asked::Elicitation, Some("decline")) => (AnswerAction::Decline, None),
        (Asked::Elicitation, _) => (AnswerAction::Cancel, None),
    };
    Answer { key: key.to_owned(), action, content, meta }
}

/// The answer of somebody who is there: the content of a form, or null where they decline.
pub(crate) fn answer_in_solo(key: &str, content: &Value) -> Answer {
    let action = if content.is_null() { AnswerAction::Decline } else { AnswerAction::Accept };
    let content = (!content.is_null()).then(|| content.to_string());
    Answer { key: key.to_owned(), action, content, meta: None }
}
