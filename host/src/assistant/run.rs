//! The loop: asks whoever decides, runs all calls of one turn at once, and hands the results back.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};

use futures::future::join_all;
use serde_json::json;
use tokio::time::{timeout, timeout_at};

mod asker;
mod came;
mod told;

pub(crate) use asker::Asker;
pub(crate) use came::{Came, Response};
use came::{back, made};

pub(crate) use told::tell_running;
use told::{is_fatal, nobody, slow, told_call, told_result, too_many, unended, unknown, unmade};

use super::{
    Answered, AssistantConfig, Conclusion, Decider, Decision, Held, Language, Offer, Task, Teller,
    ToolCall, ToolResult, Turn, Undecided, Wait, result,
};
use crate::{
    caller::Caller,
    calls::{Calls, Outcome},
    component::CallError,
    failure::Failure,
    registry::Registry,
    seal::StateError,
};

/// Runs tasks through the tools on the counter.
#[derive(Clone)]
pub(crate) struct Assistant {
    pub(crate) calls: Calls,
    pub(crate) registry: Registry,
    /// Which tools it has, which of them ask first, and how long it may take.
    pub(crate) config: Arc<AssistantConfig>,
    /// Whether the pictures are made by a tool, because no model makes them.
    pub(crate) needs_picture_tool: bool,
}

/// How far a run may go, and what ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// Turns in which calls may be decided on (ILL-25).
    pub(crate) rounds_max: usize,
    /// Calls of one turn.
    pub(crate) calls_max: usize,
    /// How long one decision may take (NAV-56).
    pub(crate) decision: Duration,
    /// How long all may take together.
    pub(crate) run: Duration,
    /// Whether a tool that fails for good ends the run (NAV-40), rather than being told to whoever
    /// decides (ILL-26).
    pub(crate) failures_end: bool,
}

/// A run that came to its end.
pub(crate) struct Run {
    /// Every call, in the order in which they were decided on.
    pub(crate) answered: Vec<Answered>,
    /// How long each call took, by its id.
    pub(crate) ms: BTreeMap<String, u64>,
    /// Calls that were decided on last and came to no end, because the run was stopped: whoever
    /// decides has to hear of them before anything else.
    pub(crate) left: Vec<Answered>,
    pub(crate) ending: Ending,
}

impl Run {
    fn stopped(
        answered: Vec<Answered>,
        ms: BTreeMap<String, u64>,
        left: Vec<Answered>,
        by: Stopped,
    ) -> Self {
        Self { answered, ms, left, ending: Ending::Stopped(by) }
    }
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
}

/// What stopped a run before its conclusion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stopped {
    Rounds,
    Time,
}

/// Why a run has no answer.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// Nobody decided.
    Undecided(Undecided),
    /// A tool failed in a way that ends the run (NAV-40).
    Tool(Failure),
    /// A tool of the assistant's was called, and nobody has any of them (ILL-16).
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

impl Assistant {
    /// One whose pictures, if any, a model makes.
    pub(crate) fn new(calls: &Calls, registry: &Registry, config: Arc<AssistantConfig>) -> Self {
        let (calls, registry) = (calls.clone(), registry.clone());
        Self { calls, registry, config, needs_picture_tool: false }
    }

    /// What the assistant may call for `caller`, as it is on offer now.
    pub(crate) fn offers(&self, caller: &Caller) -> Vec<Offer> {
        self.config.offers(&self.registry.catalog(), caller, self.needs_picture_tool)
    }

    /// The same for whoever asks.
    fn offers_to(&self, asker: &Asker) -> Vec<Offer> {
        let offers = self.offers(&asker.caller);
        match &asker.binding {
            Some(it) => it.offers(offers, (&self.config, &self.registry.catalog())),
            None => offers,
        }
    }

    /// Does `task` as `decider` says. Ends with the future: who no longer waits cancels its calls.
    pub(crate) async fn run(
        &self,
        task: &Task,
        before: Before,
        decider: &mut dyn Decider,
        asker: &Asker,
        teller: &Teller,
    ) -> Result<Run, Trouble> {
        let bounds = self.config.bounds();
        let end = tokio::time::Instant::now() + bounds.run;
        let (mut answered, mut ms) = (before.answered, before.ms);
        let mut turn_at = 0;
        for round in 0..=bounds.rounds_max {
            let message = task.language.pick("考えています…", "Thinking…");
            teller.tell("status", || json!({ "state": "thinking", "message": message })).await;
            // Anew each round: what was swapped meanwhile is on offer (ILL-21).
            let offers = self.offers_to(asker);
            let turn = Turn {
                task,
                is_first: round == 0,
                offers: &offers,
                answered: &answered[turn_at..],
                teller,
            };
            let deciding = timeout(bounds.decision, decider.decide(turn));
            let decision = match timeout_at(end, deciding).await {
                Ok(Ok(decision)) => decision.map_err(Trouble::Undecided)?,
                Ok(Err(_)) => return Err(Trouble::Undecided(slow(bounds.decision))),
                Err(_) if answered.is_empty() => {
                    return Err(Trouble::Undecided(slow(bounds.run)));
                }
                Err(_) => return Ok(Run::stopped(answered, ms, Vec::new(), Stopped::Time)),
            };
            let calls = match decision {
                Decision::Conclude(conclusion) => {
                    let (left, ending) = (Vec::new(), Ending::Concluded(conclusion));
                    return Ok(Run { answered, ms, left, ending });
                }
                Decision::Call(calls) if round == bounds.rounds_max || calls.is_empty() => {
                    let left = calls.iter().map(|it| back(it, unmade())).collect();
                    return Ok(Run::stopped(answered, ms, left, Stopped::Rounds));
                }
                Decision::Call(calls) => calls,
            };
            turn_at = answered.len();
            let order = calls.iter().map(|it| it.id.clone()).collect();
            let left = calls.iter().map(|it| back(it, unended())).collect();
            let results = self.all(calls, &offers, task.language, asker, teller);
            let Ok(results) = timeout_at(end, results).await else {
                return Ok(Run::stopped(answered, ms, left, Stopped::Time));
            };
            let mut held = Vec::new();
            for (result, took_ms) in results? {
                ms.insert(result.call().id.clone(), took_ms);
                match result {
                    Came::Back(it) => answered.push(it),
                    Came::Held(it) => held.push(it),
                }
            }
            if !held.is_empty() {
                let (left, ending) = (Vec::new(), Ending::Waits { held, order });
                return Ok(Run { answered, ms, left, ending });
            }
        }
        Ok(Run::stopped(answered, ms, Vec::new(), Stopped::Rounds))
    }

    /// All calls of one turn at once; their results in the order of the calls, with the time that
    /// each took.
    async fn all(
        &self,
        calls: Vec<ToolCall>,
        offers: &[Offer],
        language: Language,
        asker: &Asker,
        teller: &Teller,
    ) -> Result<Vec<(Came, u64)>, Trouble> {
        let bounds = self.config.bounds();
        let offer = |call: &ToolCall| offers.iter().find(|it| *it.name == *call.name);
        let waits =
            |it: &Offer| asker.binding.is_none() && self.config.asks_first(it, &asker.trusts);
        if let Some(call) = calls.iter().find(|it| offers.is_empty() && self.lacks(&it.name)) {
            return Err(Trouble::NoTools(call.name.clone()));
        }
        for call in &calls {
            if !offer(call).is_some_and(waits) {
                tell_running(call, language, teller).await;
            }
            teller.tell("tool_call", || told_call(call, offer(call))).await;
        }
        let results = calls.iter().enumerate().map(|(index, call)| async move {
            let Some(offer) = offer(call) else {
                // One of its own that is not on offer to this caller: the call says why, and that ends
                // the run. Anything else is not even tried.
                if bounds.failures_end && self.config.names(&call.name) {
                    return self.one(call, Response::default(), asker, teller).await;
                }
                return (Came::Back(back(call, unknown(call, offers))), 0);
            };
            if index >= bounds.calls_max {
                return (Came::Back(back(call, too_many(bounds.calls_max))), 0);
            }
            if waits(offer) {
                return (Came::Held(Held { call: call.clone(), wait: Wait::Approval }), 0);
            }
            self.one(call, Response::default(), asker, teller).await
        });
        // In a box: a call's state is large, and there are several.
        let results = Box::pin(join_all(results)).await;
        let failed = results.iter().find_map(|it| match &it.0 {
            Came::Back(Answered { result: ToolResult::Failed(failure), .. })
                if bounds.failures_end && is_fatal(failure) =>
            {
                Some(failure.clone())
            }
            _ => None,
        });
        failed.map_or(Ok(results), |it| Err(Trouble::Tool(it)))
    }

    /// Whether `tool` is one that the assistant is to have, and nobody on the counter offers it.
    fn lacks(&self, tool: &str) -> bool {
        let catalog = self.registry.catalog();
        self.config.names(tool)
            && catalog.component_for(tool).is_none()
            && catalog.served().tool(tool).is_none()
    }

    /// One call, and how long it took in milliseconds; `response` is what the person answered, where it
    /// asked before.
    pub(crate) async fn one(
        &self,
        call: &ToolCall,
        response: Response,
        asker: &Asker,
        teller: &Teller,
    ) -> (Came, u64) {
        let began = Instant::now();
        let mut came = self.came(call, response, asker).await;
        if asker.binding.is_some() && came.result().is_none() {
            came = Came::Back(back(call, nobody()));
        }
        let ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        if let Some(result) = came.result() {
            teller.tell("tool_result", || told_result(call, result, ms)).await;
        }
        (came, ms)
    }

    async fn came(&self, call: &ToolCall, response: Response, asker: &Asker) -> Came {
        let is_answered = response.state.is_some();
        let made = |response| made(call, response, asker, &self.registry.catalog());
        let mut outcome = self.calls.call(made(response)).await;
        // A question waits as long as the person likes (FORM-2); its state does not, so that it is
        // asked again.
        if is_answered && matches!(outcome, Err(CallError::State(StateError::Expired))) {
            outcome = self.calls.call(made(Response::default())).await;
        }
        let read = match outcome {
            Ok(Outcome::Done { component, call_id, output }) => {
                result::done(&component, call_id, output)
            }
            Ok(Outcome::Passed { result }) => result::passed(*result),
            Ok(Outcome::Asked { questions, state, .. }) => match result::questions(&questions) {
                Ok(questions) => {
                    let wait = Wait::Answers { questions, state };
                    return Came::Held(Held { call: call.clone(), wait });
                }
                Err(failure) => Err(failure),
            },
            Err(error) => Err(error.into()),
        };
        let result = read.unwrap_or_else(ToolResult::Failed);
        let held = |wait| Came::Held(Held { call: call.clone(), wait });
        if result::is_form(&result) {
            return held(Wait::Form { result });
        }
        let is_made = self.config.picture_tool() == Some(&call.name);
        match asker.chooses && !is_made && result::has_pictures(&result) {
            true => held(Wait::Choice { result }),
            false => Came::Back(back(call, result)),
        }
    }
}
