//! The loop: asks whoever decides, runs all calls of one turn at once, and hands the results back.

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
    time::Instant,
};

use futures::future::join_all;
use serde_json::json;
use tokio::time::{timeout, timeout_at};

mod asker;
mod came;
mod outcome;
mod told;

pub(crate) use asker::Asker;
pub(crate) use came::Came;
use came::{back, made};
pub(crate) use outcome::{answered, outcome};

use told::{broken_off, is_fatal, nobody, slow, told_call, too_many, unended, unknown, unmade};
pub(crate) use told::{tell_ended, tell_running};

use super::{
    Answered, AssistantConfig, Conclusion, Decider, Decision, Held, Language, Offer, Task, Teller,
    ToolCall, ToolResult, Turn, Undecided, Wait, reading, result,
};
use crate::{
    approvals::{State, Wanted},
    caller::Caller,
    calls::{CallResult, Calls, Performed, questions_of},
    definition::Shown,
    failure::Failure,
    registry::Registry,
    tool_set::Owner,
};

/// What the calls of one turn came to, as far as they have ended, with the time that each took.
type Ended = Vec<OnceLock<(Came, u64)>>;

/// Runs tasks through the tools on the counter.
#[derive(Clone)]
pub(crate) struct Assistant {
    pub(crate) calls: Calls,
    pub(crate) registry: Registry,
    /// Which tools it has, which of them ask first, and how long it may take.
    pub(crate) config: Arc<AssistantConfig>,
    /// Whether the pictures are made by a tool, because no model makes them.
    pub(crate) needs_picture_tool: bool,
    /// As whom it wants calls: `assistant:NAME`.
    pub(crate) asked_by: Arc<str>,
}

/// A run that came to its end.
pub(crate) struct Run {
    /// Every call, in the order in which they were decided on.
    pub(crate) answered: Vec<Answered>,
    /// How long each call took, by its id.
    pub(crate) ms: BTreeMap<String, u64>,
    /// Calls that were decided on last, where the run was stopped or the model failed before it heard
    /// what they came to: it has to hear of them before anything else.
    pub(crate) left: Vec<Answered>,
    /// Whether the model has heard the task's message.
    pub(crate) is_heard: bool,
    pub(crate) ending: Ending,
}

impl Run {
    fn stopped(
        answered: Vec<Answered>,
        ms: BTreeMap<String, u64>,
        left: Vec<Answered>,
        by: Stopped,
    ) -> Self {
        Self { answered, ms, left, is_heard: true, ending: Ending::Stopped(by) }
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
    /// The model failed after calls had been made: what they came to is there.
    Failed(Undecided),
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
    pub(crate) fn new(
        calls: &Calls,
        registry: &Registry,
        (name, config): (&str, Arc<AssistantConfig>),
    ) -> Self {
        let (calls, registry) = (calls.clone(), registry.clone());
        let asked_by = format!("assistant:{name}").into();
        Self { calls, registry, config, needs_picture_tool: false, asked_by }
    }

    /// Has the person asked for the call that `held` waits for; the number of the approval, or why nobody
    /// can be asked.
    pub(crate) async fn hold(&self, held: &Held, asker: &Asker) -> Result<String, Failure> {
        let state = match &held.wait {
            Wait::Approval => State::Waits,
            Wait::Answers { questions, state } => {
                State::Asks { questions: questions.clone(), state: state.clone() }
            }
            Wait::Form { .. } | Wait::Choice { .. } => return Ok(String::new()),
        };
        let call = &held.call;
        let offers = self.offers(&asker.caller);
        let offer = offers.iter().find(|it| *it.name == *call.name);
        let wanted = Wanted {
            owner: asker.caller.principal.clone(),
            asked_by: self.asked_by.clone(),
            tool: call.name.clone(),
            arguments: call.arguments.clone(),
            meta: call.meta.clone(),
            reason: call.reason.clone(),
            shown: held.shown.clone().unwrap_or_default(),
            asks_first: offer.is_none_or(|it| !it.is_read_only),
            changed: held.changed.clone(),
            state,
        };
        self.calls.hold(wanted).await.map(|it| it.id)
    }

    /// What the assistant may call for `caller`, as it is on offer now.
    pub(crate) fn offers(&self, caller: &Caller) -> Vec<Offer> {
        let has =
            |owner: Owner<'_>, tool: &str| self.config.has(owner, tool, self.needs_picture_tool);
        Offer::all(&self.registry.catalog(), caller, has)
    }

    /// The same for whoever asks.
    fn offers_to(&self, asker: &Asker) -> Vec<Offer> {
        let offers = self.offers(&asker.caller);
        match &asker.played {
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
        let (mut turn_at, mut is_cut) = (0, false);
        // What the model did not get to hear is kept for it.
        let broken = |answered: Vec<Answered>, ms, turn_at: usize, round, ending| {
            let left = answered[turn_at..].to_vec();
            Ok(Run { answered, ms, left, is_heard: round > 0, ending })
        };
        for round in 0..=bounds.rounds_max {
            let message = task.language.pick("考えています…", "Thinking…");
            teller.tell("status", || json!({ "state": "thinking", "message": message })).await;
            // Anew each round: what was swapped meanwhile is on offer (ILL-21).
            let mut offers = self.offers_to(asker);
            if !decider.may_call_for_pages() {
                let catalog = self.registry.catalog();
                offers.retain(|it| !catalog.is_for_pages(&it.name));
            }
            is_cut |= reading::is_cut(&answered[turn_at..]);
            if is_cut && offers.iter().all(|it| &*it.name != reading::READ_RESULT) {
                offers.push(reading::offer(task.language));
            }
            let turn = Turn {
                task,
                is_first: round == 0,
                offers: &offers,
                answered: &answered[turn_at..],
                teller,
            };
            let deciding = timeout(bounds.decision, decider.decide(turn));
            let decision = match timeout_at(end, deciding).await {
                Ok(Ok(decision)) => decision,
                Ok(Err(_)) => Err(slow(bounds.decision)),
                Err(_) if answered.is_empty() => Err(slow(bounds.run)),
                Err(_) => {
                    let ending = Ending::Stopped(Stopped::Time);
                    return broken(answered, ms, turn_at, round, ending);
                }
            };
            let decision = match decision {
                Ok(decision) => decision,
                Err(it) if answered.is_empty() => return Err(Trouble::Undecided(it)),
                Err(it) => return broken(answered, ms, turn_at, round, Ending::Failed(it)),
            };
            let calls = match decision {
                Decision::Conclude(conclusion) => {
                    let (left, ending) = (Vec::new(), Ending::Concluded(conclusion));
                    return Ok(Run { answered, ms, left, is_heard: true, ending });
                }
                Decision::Call(calls) if round == bounds.rounds_max || calls.is_empty() => {
                    let left = calls.iter().map(|it| back(it, unmade())).collect();
                    return Ok(Run::stopped(answered, ms, left, Stopped::Rounds));
                }
                Decision::Call(calls) => calls,
            };
            turn_at = answered.len();
            let order = calls.iter().map(|it| it.id.clone()).collect();
            // What has ended is not lost where another call takes too long.
            let ended: Ended = calls.iter().map(|_| OnceLock::new()).collect();
            let results = (&*answered, &ended);
            let results = self.all(&calls, (&offers, results), task.language, asker, teller);
            let results = timeout_at(end, results).await;
            match results {
                Ok(results) => results?,
                Err(_) => {
                    let mut left = Vec::with_capacity(calls.len());
                    for (call, ended) in calls.iter().zip(ended) {
                        match ended.into_inner() {
                            Some((Came::Back(it), took_ms)) => {
                                ms.insert(it.call.id.clone(), took_ms);
                                answered.push(it.clone());
                                left.push(it);
                            }
                            _ => left.push(back(call, unended())),
                        }
                    }
                    return Ok(Run::stopped(answered, ms, left, Stopped::Time));
                }
            }
            let mut held = Vec::new();
            for (result, took_ms) in ended.into_iter().filter_map(OnceLock::into_inner) {
                ms.insert(result.call().id.clone(), took_ms);
                match result {
                    Came::Back(it) => answered.push(it),
                    Came::Held(it) => held.push(it),
                }
            }
            if !held.is_empty() {
                let (left, ending) = (Vec::new(), Ending::Waits { held, order });
                return Ok(Run { answered, ms, left, is_heard: true, ending });
            }
        }
        Ok(Run::stopped(answered, ms, Vec::new(), Stopped::Rounds))
    }

    /// All calls of one turn at once; each puts what it came to in its place, with the time that it
    /// took.
    async fn all(
        &self,
        calls: &[ToolCall],
        (offers, (answered, ended)): (&[Offer], (&[Answered], &Ended)),
        language: Language,
        asker: &Asker,
        teller: &Teller,
    ) -> Result<(), Trouble> {
        let bounds = self.config.bounds();
        let offer = |call: &ToolCall| offers.iter().find(|it| *it.name == *call.name);
        let waits = |it: &Offer| {
            let asks = asker.played.is_none() && it.asks_first(&self.config, &asker.trusts);
            asks && !reading::is_own(it)
        };
        if let Some(call) = calls.iter().find(|it| offers.is_empty() && self.lacks(&it.name)) {
            return Err(Trouble::NoTools(call.name.clone()));
        }
        for call in calls {
            if !offer(call).is_some_and(waits) {
                tell_running(call, language, teller).await;
            }
            teller.tell("tool_call", || told_call(call, offer(call))).await;
        }
        let one = |index: usize, call: &ToolCall| {
            let call = call.clone();
            async move {
                let Some(offer) = offer(&call) else {
                    // One of its own that is not on offer to this caller: the call says why, and that
                    // ends the run. Anything else is not even tried.
                    if bounds.failures_end && self.config.names(&call.name) {
                        return self.one(&call, None, asker, teller).await;
                    }
                    return (Came::Back(back(&call, unknown(&call, offers))), 0);
                };
                if index >= bounds.calls_max {
                    return (Came::Back(back(&call, too_many(bounds.calls_max))), 0);
                }
                if reading::is_own(offer) {
                    let came = Came::Back(back(&call, reading::page(&call, answered)));
                    tell_ended(&call, &came, 0, teller).await;
                    return (came, 0);
                }
                if waits(offer) {
                    return (Came::Held(approval(&call, &offer.shown)), 0);
                }
                self.one(&call, Some(offer), asker, teller).await
            }
        };
        let results = calls.iter().enumerate().map(|(index, call)| {
            let one = one(index, call);
            async move {
                let came = one.await;
                let _ = ended[index].set(came);
            }
        });
        // In a box: a call's state is large, and there are several.
        Box::pin(join_all(results)).await;
        let failed = ended.iter().filter_map(OnceLock::get).find_map(|it| match &it.0 {
            Came::Back(Answered { result: ToolResult::Failed(failure), .. })
                if bounds.failures_end && is_fatal(failure) =>
            {
                Some(failure.clone())
            }
            _ => None,
        });
        failed.map_or(Ok(()), |it| Err(Trouble::Tool(it)))
    }

    /// Whether `tool` is one that the assistant is to have, and nobody on the counter offers it.
    fn lacks(&self, tool: &str) -> bool {
        let catalog = self.registry.catalog();
        self.config.names(tool)
            && catalog.component_for(tool).is_none()
            && catalog.served().tool(tool).is_none()
    }

    /// One call of the tool that is on `offer`, and how long it took in milliseconds.
    async fn one(
        &self,
        call: &ToolCall,
        offer: Option<&Offer>,
        asker: &Asker,
        teller: &Teller,
    ) -> (Came, u64) {
        let shown = offer.map(|it| it.shown.clone());
        let making = self.make(call, shown, asker);
        // What changes something is let come to its end, even if the client stops waiting.
        let is_let = asker.played.is_none() && offer.is_some_and(|it| !it.is_read_only);
        let (came, ms) = match is_let {
            false => making.await,
            true => {
                let lost = || (Came::Back(back(call, broken_off())), 0);
                tokio::spawn(making).await.unwrap_or_else(|_| lost())
            }
        };
        tell_ended(call, &came, ms, teller).await;
        (came, ms)
    }

    /// Makes one call of the tool that was `shown`. Needs nothing of whoever waits for it, so that it can go
    /// on without them.
    fn make(
        &self,
        call: &ToolCall,
        shown: Option<Arc<Shown>>,
        asker: &Asker,
    ) -> impl Future<Output = (Came, u64)> + Send + use<> {
        let (assistant, call, asker) = (self.clone(), call.clone(), asker.clone());
        async move {
            let _running = assistant.calls.keep_open();
            let began = Instant::now();
            let made = made(&call, &asker, &assistant.registry.catalog(), &assistant.asked_by);
            let performed = assistant.calls.perform(made, shown.as_deref()).await;
            let came = match performed {
                Performed::Ended(Ok(it)) => assistant.taken(&call, it, &asker),
                Performed::Ended(Err(failure)) => {
                    Came::Back(back(&call, ToolResult::Failed(failure)))
                }
                Performed::Asks { questions, state } => match questions_of(&questions) {
                    Ok(questions) => Came::Held(Held {
                        call: call.clone(),
                        wait: Wait::Answers { questions, state },
                        shown: shown.as_deref().cloned(),
                        changed: Vec::new(),
                    }),
                    Err(failure) => Came::Back(back(&call, ToolResult::Failed(failure))),
                },
            };
            let came = match came {
                it if asker.played.is_some() && it.result().is_none() => {
                    Came::Back(back(&call, nobody()))
                }
                it => it,
            };
            (came, u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX))
        }
    }

    /// What `call` came to, or what the person does with it first.
    pub(crate) fn taken(&self, call: &ToolCall, result: CallResult, asker: &Asker) -> Came {
        let result = result::of(result);
        let is_made = self.config.picture_tool() == Some(&call.name);
        let wait = match result {
            it if result::is_form(&it) => Wait::Form { result: it },
            it if asker.chooses && !is_made && result::has_pictures(&it) => {
                Wait::Choice { result: it }
            }
            it => return Came::Back(back(call, it)),
        };
        Came::Held(Held { call: call.clone(), wait, shown: None, changed: Vec::new() })
    }
}

/// `call`, held until the person lets it happen as it is `shown`.
fn approval(call: &ToolCall, shown: &Shown) -> Held {
    let (call, shown) = (call.clone(), Some(shown.clone()));
    Held { call, wait: Wait::Approval, shown, changed: Vec::new() }
}
