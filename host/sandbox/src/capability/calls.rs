//! The interface `calls`: tool calls of a component on its caller's behalf.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use futures::future::join_all;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    Acts, HeldCall, Requested, Standing, Surroundings, ToolOffer, ToolOutcome, ToolRequest,
};
use crate::{bindings::madoguchi::tool::calls as wit, capability::state::CallState};
use base::{
    call::{Failure, TraceHeaders},
    toolsets::ToolSet,
};

/// Calls of tools that one function makes at once, and approvals that it asks for.
pub(super) const AT_ONCE_MAX: usize = 64;

/// The tools that one component may call.
#[derive(Clone, Default)]
pub struct ToolCalls {
    pub tools: ToolSet,
    /// Tools that need no approval.
    pub trusts: BTreeSet<String>,
}

impl CallState {
    /// The requesting context and the surroundings. `None` without a caller or surroundings.
    pub(super) fn requested(&self, acts: Acts) -> Option<(Requested, Arc<dyn Surroundings>)> {
        let context = &self.context;
        let around = context.setup.reach.around.get()?;
        let asking = context.round.asking.clone()?;
        let parent = context.round.span.traceparent().map(Into::into);
        let trace = match parent {
            Some(_) => TraceHeaders { parent, state: None },
            None => asking.trace.clone(),
        };
        let (component, caller) = (context.component.clone(), context.round.caller.clone());
        Some((Requested { component, caller, acts, asking, trace }, around))
    }

    fn requested_itself(&self) -> Option<(Requested, Arc<dyn Surroundings>)> {
        self.requested(Acts::Itself(self.context.setup.reach.calls.clone()))
    }

    /// Counts up to `wanted` calls and returns how many are allowed.
    pub(super) fn take_calls(&mut self, wanted: usize) -> usize {
        let left = usize::try_from(self.left.tool_calls_max).unwrap_or(usize::MAX);
        let made = wanted.min(AT_ONCE_MAX).min(left);
        self.left.tool_calls_max -= u32::try_from(made).unwrap_or(self.left.tool_calls_max);
        made
    }
}

/// The outcome of a call in a record.
#[derive(Serialize, Deserialize)]
#[serde(remote = "wit::Outcome", rename_all = "snake_case")]
enum KeptOutcome {
    Done(String),
    Held(String),
    Failed(String),
}

/// An outcome that is read and written by [`KeptOutcome`].
#[derive(Serialize, Deserialize)]
struct Kept(#[serde(with = "KeptOutcome")] wit::Outcome);

impl Kept {
    fn all(outcomes: &[wit::Outcome]) -> Value {
        json!(outcomes.iter().cloned().map(Self).collect::<Vec<_>>())
    }
}

/// A tool that may be called, as a record has it.
#[derive(Serialize, Deserialize)]
#[serde(remote = "wit::Offer")]
struct KeptOffer {
    name: String,
    title: Option<String>,
    description: String,
    input_schema: String,
    owner: String,
    read_only: bool,
    asks_first: bool,
    view: Option<String>,
}

/// An offer that is read and written by [`KeptOffer`].
#[derive(Serialize, Deserialize)]
struct Offered(#[serde(with = "KeptOffer")] wit::Offer);

impl wit::Host for CallState {
    async fn offers(&mut self) -> Vec<wit::Offer> {
        let taped = self.taped("calls.offers", || Value::Null);
        if let Some(given) = taped.given::<Vec<Offered>>().await {
            return given.into_iter().map(|it| it.0).collect();
        }
        let to_wit = |offer: ToolOffer| wit::Offer {
            name: offer.name,
            title: offer.title,
            description: offer.description,
            input_schema: offer.input_schema,
            owner: offer.owner,
            read_only: offer.read_only,
            asks_first: offer.asks_first,
            view: offer.view,
        };
        let offers = self.requested_itself().map(|(by, around)| around.offers(&by));
        let offers = offers.into_iter().flatten().map(to_wit).collect();
        let kept = |offers: &Vec<wit::Offer>| {
            json!(offers.iter().cloned().map(Offered).collect::<Vec<_>>())
        };
        taped.keep_as(offers, |_, it| kept(it))
    }

    async fn call(&mut self, requests: Vec<wit::Request>) -> Vec<wit::Outcome> {
        let made = self.take_calls(requests.len());
        let shown = |it: &wit::Request| json!([it.name, it.arguments, it.meta, it.reason]);
        let taped =
            self.taped("calls.call", || requests.iter().map(shown).collect::<Vec<_>>().into());
        if let Some(given) = taped.given::<Vec<Kept>>().await {
            return given.into_iter().map(|it| it.0).collect();
        }
        let Some((by, around)) = self.requested_itself() else {
            let outcomes = requests.iter().map(|_| wit::Outcome::Failed(no_caller())).collect();
            return taped.keep_as(outcomes, |_, it: &Vec<_>| Kept::all(it));
        };
        let rest = requests.len() - made;
        let calls = requests.into_iter().take(made).map(|request| {
            let wit::Request { name, arguments, meta, reason } = request;
            let reason = reason.unwrap_or_default();
            around.call(by.clone(), ToolRequest { name, arguments, meta, reason })
        });
        let mut outcomes: Vec<_> = join_all(calls).await.into_iter().map(outcome).collect();
        outcomes.extend((0..rest).map(|_| wit::Outcome::Failed(too_many())));
        taped.keep_as(outcomes, |_, it| Kept::all(it))
    }

    async fn held(&mut self, ids: Vec<String>) -> Vec<wit::Outcome> {
        let taped = self.taped("calls.held", || json!(ids));
        if let Some(given) = taped.given::<Vec<Kept>>().await {
            return given.into_iter().map(|it| it.0).collect();
        }
        let Some((by, around)) = self.requested_itself() else {
            let outcomes = ids.iter().map(|_| wit::Outcome::Failed(no_caller())).collect();
            return taped.keep_as(outcomes, |_, it: &Vec<_>| Kept::all(it));
        };
        let rest = ids.len().saturating_sub(AT_ONCE_MAX);
        let asked = ids.into_iter().take(AT_ONCE_MAX);
        let asked = asked.map(|it| around.held_call(by.clone(), it, Duration::ZERO));
        let held = join_all(asked).await.into_iter();
        let mut outcomes: Vec<_> = held
            .map(|it| it.map_or_else(|| wit::Outcome::Failed(unknown()), held_outcome))
            .collect();
        outcomes.extend((0..rest).map(|_| wit::Outcome::Failed(too_many())));
        taped.keep_as(outcomes, |_, it| Kept::all(it))
    }
}

fn outcome(outcome: ToolOutcome) -> wit::Outcome {
    match outcome {
        ToolOutcome::Done(json) => wit::Outcome::Done(json),
        ToolOutcome::Held(it) => held_outcome(it),
        ToolOutcome::Failed(json) => wit::Outcome::Failed(json),
    }
}

fn held_outcome(held: HeldCall) -> wit::Outcome {
    match (held.standing, held.outcome) {
        (Standing::Over, Some(Ok(json))) => wit::Outcome::Done(json),
        (Standing::Over, Some(Err(json))) => wit::Outcome::Failed(json),
        _ => wit::Outcome::Held(held.id),
    }
}

fn failed(error: &str, status: u16, message: &str) -> String {
    Value::Object(Failure::new(error, status, message).object_for_components()).to_string()
}

pub(super) fn no_caller() -> String {
    let message = "There is no caller on whose behalf a tool could be called; calls are there while a call or a request is answered.";
    failed("no_caller", 403, message)
}

pub(super) fn too_many() -> String {
    let message = "Too many calls of tools: 64 at once, and tool_calls_max in one call.";
    failed("too_many_calls", 429, message)
}

fn unknown() -> String {
    let message =
        "There is no such approval of this component's on behalf of this caller, or it is too old.";
    failed("unknown_approval", 404, message)
}
