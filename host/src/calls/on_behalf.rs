//! Calls that a component makes on behalf of its caller: with the caller's scopes, of the tools that the
//! component was given, and held where a person has to allow them first.

use futures::{FutureExt, future::BoxFuture};
use serde_json::{Map, Value};

use super::{Calls, Offer, Performed};
use crate::{
    approvals::{Approval, State, Wanted, broken_off, digest_of},
    call::{Call, Surface, Via},
    caller::Caller,
    capability::{CallsTools, Requested, ToolOffer, ToolOutcome, ToolRequest, failed},
    clean,
    definition::Shown,
    failure::{Failure, shortened},
    tool_set::Owner,
};

/// What is told of those who are asked by the host for a tool that a component calls.
pub(super) const CAPABILITIES: &str = r#"{"elicitation":{"form":{},"url":{}}}"#;
/// Components of which calls wait for one another.
const DEPTH_MAX: usize = 4;
/// Bytes of the reason that a person is shown.
const REASON_BYTES_MAX: usize = 1 << 10;
/// Entries of `_meta` that the host alone sets.
const OWN_META: [&str; 2] = ["madoguchi/", "io.modelcontextprotocol/"];

/// Calls tools for components.
pub(crate) struct Behalf(pub(crate) Calls);

impl CallsTools for Behalf {
    fn offers(&self, by: &Requested) -> Vec<ToolOffer> {
        let told = |it: Offer| ToolOffer {
            asks_first: asks_first(by, &it),
            name: it.name.to_string(),
            title: it.title,
            description: it.description,
            input_schema: Value::Object((*it.schema).clone()).to_string(),
            owner: match it.shown.is_served() {
                true => format!("server:{}", it.owner),
                false => format!("component:{}", it.owner),
            },
            read_only: it.is_read_only,
            view: it.view,
        };
        self.0.offers_for(by).into_iter().map(told).collect()
    }

    fn call(&self, by: Requested, request: ToolRequest) -> BoxFuture<'static, ToolOutcome> {
        let calls = self.0.clone();
        async move { calls.requested(&by, request).await.unwrap_or_else(|it| failed(&it)) }.boxed()
    }

    fn held(&self, by: Requested, id: String) -> BoxFuture<'static, ToolOutcome> {
        let calls = self.0.clone();
        async move {
            let approvals = calls.approvals.as_ref();
            let found = match approvals {
                Some(it) => it.current(&id, &by.caller.principal).await,
                None => None,
            };
            let own = asked_by(&by);
            found.filter(|it| *it.asked_by == *own).map_or_else(|| failed(&unknown()), outcome)
        }
        .boxed()
    }
}

impl Calls {
    fn offers_for(&self, by: &Requested) -> Vec<Offer> {
        let own = Owner::Component(&by.component);
        let among = |owner: Owner<'_>, tool: &str| owner == own || by.tools.tools.has(owner, tool);
        Offer::all(&self.registry.catalog(), &by.caller, among)
    }

    async fn requested(
        &self,
        by: &Requested,
        request: ToolRequest,
    ) -> Result<ToolOutcome, Failure> {
        let arguments = object(&request.arguments, "arguments")?;
        let mut meta = object(request.meta.as_deref().unwrap_or("{}"), "meta")?;
        meta.retain(|name, _| !OWN_META.iter().any(|it| name.starts_with(it)));
        let offers = self.offers_for(by);
        let offer = offers.into_iter().find(|it| *it.name == *request.name);
        let offer = offer.ok_or_else(|| not_offered(by, &request.name))?;
        if !offer.shown.is_served() && by.asking.chain.contains(&offer.owner) {
            let chain = by.asking.chain.iter().chain([&offer.owner]);
            let chain = chain.map(|it| &**it).collect::<Vec<_>>().join(" → ");
            let message = format!(
                "The component {} is waiting for this call itself ({chain}); call none of its tools from here.",
                offer.owner
            );
            return Err(Failure::new("call_loop", 409, message));
        }
        if by.asking.chain.len() >= DEPTH_MAX {
            let message = format!("{DEPTH_MAX} components wait for one another already.");
            return Err(Failure::new("too_deep", 409, message));
        }
        if let Some(known) = self.known(by, &offer.name, &arguments).await {
            return Ok(outcome(known));
        }
        let reason = clean::text(&request.reason.unwrap_or_default());
        let wanted = |state| Wanted {
            owner: by.caller.principal.clone(),
            asked_by: asked_by(by).into(),
            tool: offer.name.to_string(),
            arguments: arguments.clone(),
            meta: meta.clone(),
            reason: shortened(reason.clone(), REASON_BYTES_MAX),
            shown: (*offer.shown).clone(),
            asks_first: asks_first(by, &offer),
            changed: Vec::new(),
            state,
        };
        let state = match asks_first(by, &offer) {
            true => State::Waits,
            false => {
                let text = Value::Object(arguments.clone()).to_string();
                let meta = Value::Object(meta.clone()).to_string();
                let caller = (asked(by.caller.clone()), Surface::Component);
                let via = Via {
                    asked_by: Some(asked_by(by).into()),
                    approval: None,
                    chain: by.asking.chain.clone(),
                };
                let call = Call::new(offer.name.to_string(), text, caller, by.trace.clone());
                let call = Call { meta, via, ..call };
                let performed = self.performed(call, &offer).await;
                match performed.and_then(State::of) {
                    Ok(State::Ended(ended)) => {
                        let json = |it| serde_json::to_string(&it).unwrap_or_default();
                        return ended.map(|it| ToolOutcome::Done(json(it)));
                    }
                    Ok(asks) => asks,
                    Err(failure) => return Err(failure),
                }
            }
        };
        let held = self.hold(wanted(state)).await?;
        by.asking.hold(&held.id);
        Ok(ToolOutcome::Held(held.id))
    }

    /// The call's result. What changes something is let come to its end, whoever waits for it.
    async fn performed(&self, call: Call, offer: &Offer) -> Result<Performed, Failure> {
        let (calls, shown) = (self.clone(), offer.shown.clone());
        let performing = async move { calls.perform(call, Some(&shown)).await };
        match offer.is_read_only {
            true => Ok(performing.await),
            false => tokio::spawn(performing).await.map_err(|_| broken_off()),
        }
    }

    /// The approval that the same request was held for before in this call.
    async fn known(
        &self,
        by: &Requested,
        tool: &str,
        arguments: &Map<String, Value>,
    ) -> Option<Approval> {
        let held = by.asking.held();
        if held.is_empty() {
            return None;
        }
        let (digest, own) = (digest_of(arguments), asked_by(by));
        for id in held {
            let approval = self.approvals.as_ref()?.current(&id, &by.caller.principal).await;
            let is_it = |it: &Approval| {
                it.tool == tool && it.arguments_sha256 == digest && *it.asked_by == *own
            };
            if let Some(approval) = approval.filter(is_it)
                && by.asking.uses(&id)
            {
                if approval.id != id && !by.asking.held().contains(&approval.id) {
                    by.asking.hold(&approval.id);
                }
                by.asking.uses(&approval.id);
                return Some(approval);
            }
        }
        None
    }

    /// Whether the component that asked for the tool may still call it.
    pub(super) fn may_still_ask(&self, asked_by: &str, tool: &str, shown: &Shown) -> bool {
        let Some(name) = asked_by.strip_prefix("component:") else { return true };
        let catalog = self.registry.catalog();
        let Some(component) = catalog.component(name) else { return false };
        let tools = &component.setup().reach.calls.tools;
        shown.owner().is_some_and(|it| it == Owner::Component(name) || tools.has(it, tool))
    }
}

/// `caller`, who can be asked by the host.
pub(super) fn asked(caller: Caller) -> Caller {
    Caller { client_capabilities: CAPABILITIES.into(), ..caller }
}

/// Whether a person has to allow each call of the tool: not of the component's own, which it could do
/// without calling it, nor of those that only read or that the operator trusts it with.
fn asks_first(by: &Requested, offer: &Offer) -> bool {
    let is_own = !offer.shown.is_served() && *offer.owner == *by.component;
    let is_trusted = !offer.is_changed && by.tools.trusts.contains(&*offer.name);
    !is_own && !is_trusted && !offer.is_read_only
}

fn asked_by(by: &Requested) -> String {
    format!("component:{}", by.component)
}

/// How an approval stands, as the component that asked for it is told.
fn outcome(approval: Approval) -> ToolOutcome {
    match approval.ended() {
        None => ToolOutcome::Held(approval.id),
        Some(Ok(it)) => ToolOutcome::Done(serde_json::to_string(it).unwrap_or_default()),
        Some(Err(failure)) => failed(&failure),
    }
}

fn object(json: &str, what: &str) -> Result<Map<String, Value>, Failure> {
    serde_json::from_str(json).map_err(|error| {
        Failure::new("invalid_params", 400, format!("{what} must be a JSON object: {error}"))
    })
}

fn not_offered(by: &Requested, tool: &str) -> Failure {
    let tool = shortened(tool.to_owned(), 128);
    let message = format!(
        "The component {} cannot call {tool:?} here: there is no such tool, the caller may not call it, or it is not under calls in the component's configuration.",
        by.component
    );
    Failure::new("unknown_tool", 404, message)
}

fn unknown() -> Failure {
    let message =
        "There is no such approval of this component's on behalf of this caller, or it is too old.";
    Failure::new("unknown_approval", 404, message)
}

impl State {
    /// Where a call stands that has come so far.
    pub(super) fn of(performed: Performed) -> Result<Self, Failure> {
        match performed {
            Performed::Ended(it) => Ok(Self::Ended(it)),
            Performed::Asks { questions, state } => {
                Ok(Self::Asks { questions: super::questions_of(&questions)?, state })
            }
        }
    }
}
