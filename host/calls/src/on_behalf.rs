//! Calls that a component makes for its caller: limited to the caller's scopes and to the tools granted to the
//! component or its assistant, and held where a person must approve them.

use std::{sync::Arc, time::Duration};

use serde_json::{Map, Value};

use super::{Calls, Reply, Speaker, refused};
use crate::approvals::{Approval, State, broken_off, digest_of, unread};
use base::{
    call::{CallRequest, Failure, Surface, shortened},
    caller::Caller,
    clean,
    toolsets::Owner,
};
use registry::Catalog;
use sandbox::{
    capability::{
        Acting, Acts, Asking, HeldCall, Part, Requested, Standing, ToolOffer, ToolOutcome,
        ToolRequest,
    },
    component::CallError,
    definition::{Audience, REQUEST_META, Shown, Tool, texts},
};

/// Client capabilities of calls that the host can approve later. Answers may be read by models and people, so they
/// should have handles instead of secrets.
pub(super) const CAPABILITIES: &str =
    r#"{"elicitation":{"form":{},"url":{}},"extensions":{"madoguchi/handles":{}}}"#;
/// Components of which calls wait for one another.
const DEPTH_MAX: usize = 4;
/// Bytes of the reason that a person is shown.
const REASON_BYTES_MAX: usize = 1 << 10;
/// Entries of `_meta` that the host alone sets.
const HOST_META: [&str; 2] = ["madoguchi/", "io.modelcontextprotocol/"];

/// The failure of what may be the same as something that is no longer known.
const OUTCOME_GONE: &str = "What a call of this component came to before it waited is no longer kept, so this one was not made: it may be the same, and have happened. Look first; the operator can have more kept (approvals_max and approvals_bytes_max under [approvals]).";

/// Prefixes of asker names.
const ASSISTANT: &str = "assistant:";
const COMPONENT: &str = "component:";

/// A tool that may be called on a caller's behalf.
struct Offer<'a> {
    owner: Owner<'a>,
    tool: &'a Tool,
    /// JSON Schema of its arguments, as `tools/list` has it, less what a part gives.
    schema: Arc<Map<String, Value>>,
    /// Whether its server has changed it since it was first seen: nothing that was trusted before holds.
    is_changed: bool,
    /// Digests of its definition, part by part.
    shown: Arc<Shown>,
}

impl<'a> Offer<'a> {
    /// Tools of `catalog` that `caller` may call and `among` accepts.
    fn all(
        catalog: &'a Catalog,
        caller: &Caller,
        among: impl Fn(Owner<'_>, &str) -> bool,
    ) -> impl Iterator<Item = Self> {
        let is_hosts = |owner: Owner<'_>, tool: &Tool| {
            tool.audience == Audience::Host && matches!(owner, Owner::Component(_))
        };
        let offers = catalog.offers().filter(move |(owner, tool)| {
            !is_hosts(*owner, tool)
                && among(*owner, &tool.name)
                && caller.may_call(*owner, &tool.name, tool.hints)
        });
        offers.map(|(owner, tool)| Self {
            owner,
            tool,
            schema: tool.input_schema.clone(),
            is_changed: catalog.served.tool(&tool.name).is_some_and(|it| it.is_changed),
            shown: tool.shown.with_owner(owner).into(),
        })
    }

    /// Whether the person trusts the tool: by name and description, or by name alone for components, which only the
    /// operator changes.
    fn is_trusted_in(&self, trusts: &[String]) -> bool {
        let own = self.shown.trusted_as(&self.tool.name);
        let is_components = matches!(self.owner, Owner::Component(_));
        trusts.iter().any(|it| *it == own || is_components && **it == *self.tool.name)
    }

    /// Whether it is that component's.
    fn is_of(&self, component: &str) -> bool {
        self.owner == Owner::Component(component)
    }
}

/// `_meta` entries of a request that a model may set. Those of upstream tools are excluded, because the operator has
/// not seen them.
fn request_meta<'a>(offer: &Offer<'a>) -> Option<&'a Value> {
    let is_components = matches!(offer.owner, Owner::Component(_));
    let meta = offer.tool.meta.get(REQUEST_META)?;
    (is_components && meta.is_object()).then_some(meta)
}

impl Calls {
    /// The tools that may be called, as a component receives them.
    pub(super) fn tool_offers(&self, by: &Requested) -> Vec<ToolOffer> {
        let catalog = self.registry.catalog();
        let language = by.caller.language().tag();
        // Texts for people. Models read the others, which are not localized.
        let title = |tool: &Tool| {
            let own = texts(&tool.meta, language).and_then(|it| it.get("title")?.as_str());
            own.map(str::to_owned).or_else(|| tool.title.clone())
        };
        let view = |it: &Tool| Some(it.meta.get("madoguchi/view")?.as_str()?.to_owned());
        let view = |offer: Offer<'_>| ToolOffer {
            asks_first: asks_first(by, &offer),
            for_pages: offer.tool.audience != Audience::Models,
            trust: offer.shown.trusted_as(&offer.tool.name),
            name: offer.tool.name.to_string(),
            title: title(offer.tool),
            description: offer.tool.description.clone(),
            input_schema: Value::Object((*offer.schema).clone()).to_string(),
            request_meta: request_meta(&offer).map(Value::to_string),
            owner: match offer.owner {
                Owner::Component(name) => format!("component:{name}"),
                Owner::Server(name) => format!("server:{name}"),
            },
            read_only: offer.tool.hints.read_only,
            view: view(offer.tool),
        };
        self.offers_for(by, &catalog).into_iter().map(view).collect()
    }

    /// Makes the call, or has its person asked.
    pub(super) async fn requested(
        &self,
        by: &Requested,
        request: ToolRequest,
        position: u64,
    ) -> Result<ToolOutcome, Failure> {
        let mut arguments = object(&request.arguments, "arguments")?;
        let mut meta = object(request.meta.as_deref().unwrap_or("{}"), "meta")?;
        meta.retain(|name, _| !HOST_META.iter().any(|it| name.starts_with(it)));
        let catalog = self.registry.catalog();
        let offers = self.offers_for(by, &catalog);
        let offer = offers.into_iter().find(|it| *it.tool.name == *request.name);
        let Some(offer) = offer else { return Err(self.not_offered(by, &request.name).await) };
        let name = &*offer.tool.name;
        if let Owner::Component(owner) = offer.owner
            && by.asking.chain.iter().any(|it| **it == *owner)
        {
            let chain = by.asking.chain.iter().map(|it| &**it).chain([owner]);
            let chain = chain.collect::<Vec<_>>().join(" → ");
            let message = format!(
                "The component {owner} is waiting for this call itself ({chain}); call none of its tools from here."
            );
            return Err(Failure::new("call_loop", 409, message));
        }
        if by.asking.chain.len() >= DEPTH_MAX {
            let message = format!("{DEPTH_MAX} components wait for one another already.");
            return Err(Failure::new("too_deep", 409, message));
        }
        let part = part_of(by);
        if let Some(part) = part.filter(|it| offer.is_of(&it.component)) {
            part.add(name, &mut arguments);
        }
        let reads = offer.tool.hints.read_only;
        if let Some(approval) = self.identified(by, (name, reads), &arguments).await? {
            return Ok(ToolOutcome::Held(held_call(by, approval)));
        }
        let wanted = Approval {
            owner: by.caller.principal.clone(),
            asked_by: asked_by(by).into(),
            tool: name.to_owned(),
            arguments,
            meta,
            asks_first: asks_first(by, &offer),
            position,
            ..Approval::default()
        };
        let state = match wanted.asks_first {
            true => State::Waits,
            false => {
                let mut call = wanted.request((caller_for(by), surface(by)), by.trace.clone());
                call.via.chain.clone_from(&by.asking.chain);
                let is_kept = !reads && matches!(by.acts, Acts::Itself(_)) && by.asking.begins();
                let state = self.performed(call, &offer).await;
                if is_kept {
                    let made = || Approval {
                        shown: (*offer.shown).clone(),
                        state: state.clone(),
                        ..wanted.clone()
                    };
                    let made = matches!(state, State::Ended(_)).then(made);
                    by.asking.ends(made.and_then(|it| serde_json::to_string(&it).ok()));
                }
                match state {
                    State::Ended(ended) => {
                        let json = |it| serde_json::to_string(&it).unwrap_or_default();
                        return ended.map(|it| ToolOutcome::Done(json(it)));
                    }
                    asks => asks,
                }
            }
        };
        if part.is_some() {
            let message = "The tool asks a person, and none is here; do without it.";
            return Err(Failure::new("cannot_ask", 400, message));
        }
        let reason = shortened(clean::text(&request.reason), REASON_BYTES_MAX);
        let shown = (*offer.shown).clone();
        let held = self.hold(Approval { reason, shown, state, ..wanted }).await?;
        by.asking.hold(&held.id);
        Ok(ToolOutcome::Held(held_call(by, held)))
    }

    /// State of a call held for `by`. Waits up to `patience` for a running one. Unreadable ones count as held.
    pub(super) async fn held_for(
        &self,
        by: &Requested,
        id: &str,
        patience: Duration,
    ) -> Option<HeldCall> {
        let own = asked_by(by);
        let find = async || {
            let found = self.approvals.current(id, &by.caller.principal).await?;
            Ok::<_, std::io::Error>(found.filter(|it| *it.asked_by == *own))
        };
        let found = async {
            let found = find().await?;
            let Some(running) = found.as_ref().filter(|it| matches!(it.state, State::Running))
            else {
                return Ok(found);
            };
            // The end of the call releases the lock of its approval.
            let _ = tokio::time::timeout(patience, self.approvals.claim(&running.id)).await;
            find().await
        };
        let found = found.await.unwrap_or_else(|error| {
            unread(&error);
            Some(Approval { id: id.to_owned(), state: State::Running, ..Approval::default() })
        });
        Some(held_call(by, found?))
    }

    /// Takes back what `by` asked for and its person has not answered.
    pub(super) async fn withdraw(&self, by: &Requested, id: &str) {
        if self.held_for(by, id, Duration::ZERO).await.is_some() {
            let (caller, trace) = (by.caller.clone(), by.trace.clone());
            let speaker = Speaker { caller, surface: surface(by), trace };
            let _ = self.reply(id, None, speaker, Reply::Withdraw).await;
        }
    }

    fn offers_for<'a>(&self, by: &Requested, catalog: &'a Catalog) -> Vec<Offer<'a>> {
        let component = Owner::Component(&by.component);
        let among = |owner: Owner<'_>, tool: &str| match &by.acts {
            Acts::Itself(it) => owner == component || it.tools.has(owner, tool),
            Acts::Assistant(it) => it.policy.has(owner, tool),
        };
        let offers = Offer::all(catalog, &by.caller, among);
        let Some(part) = part_of(by) else { return offers.collect() };
        // Of its own tools those with given arguments; of others those that need no approval, because there is no
        // user.
        let choose = |offer: Offer<'a>| match offer.is_of(&part.component) {
            true => {
                let schema = part.schema(&offer.tool.name, &offer.schema)?.into();
                Some(Offer { schema, ..offer })
            }
            false => (!asks_first(by, &offer)).then_some(offer),
        };
        offers.filter_map(choose).collect()
    }

    /// Why the tool is not on offer: for an assistant that names it as its own, as the call itself would say it.
    async fn not_offered(&self, by: &Requested, tool: &str) -> Failure {
        if let Acts::Assistant(assistant) = &by.acts
            && assistant.policy.names(tool)
        {
            let caller = (caller_for(by), surface(by));
            let call = CallRequest::new(tool.to_owned(), "{}".to_owned(), caller, by.trace.clone());
            if let Some(error) = self.refused::<super::CallTool>(call).await {
                return error.into();
            }
        }
        let tool = shortened(tool.to_owned(), 128);
        let message = match &by.acts {
            Acts::Itself(_) => format!(
                "The component {} cannot call {tool:?} here: there is no such tool, the caller may not call it, or it is not under calls in the component's configuration.",
                by.component
            ),
            Acts::Assistant(assistant) => format!(
                "The assistant {} cannot call {tool:?} here: there is no such tool, the caller may not call it, or it is not one of the assistant's.",
                assistant.assistant
            ),
        };
        Failure::new("unknown_tool", 404, message)
    }

    /// Makes the call. Changes run to completion, even if nothing waits for them.
    async fn performed(&self, call: CallRequest, offer: &Offer<'_>) -> State {
        let (calls, shown) = (self.clone(), offer.shown.clone());
        let performing = async move { calls.perform(call, &shown).await };
        match offer.tool.hints.read_only {
            true => performing.await,
            false => {
                let performed = tokio::spawn(performing).await;
                performed.unwrap_or_else(|_| State::Ended(Err(broken_off())))
            }
        }
    }

    /// Records unapproved changes of `asking` before its component runs again, so that repeated requests get the same
    /// results.
    pub(super) async fn keep_made(
        &self,
        asking: &Asking,
        component: &str,
    ) -> Result<(), CallError> {
        let refusal = || refused("not_kept", 409, not_recorded(component), None);
        for made in asking.unwritten().ok_or_else(refusal)? {
            let kept = match serde_json::from_str(&made) {
                Ok(made) => self.approvals.keep(made).await,
                Err(error) => Err(error.into()),
            };
            asking.keeps(kept.map_err(|error| {
                tracing::error!(component, "what its calls came to is not written down: {error}");
                refusal()
            })?);
        }
        Ok(())
    }

    /// The existing approval of the same request in this call, or the record of its unapproved change.
    async fn identified(
        &self,
        by: &Requested,
        (tool, reads): (&str, bool),
        arguments: &Map<String, Value>,
    ) -> Result<Option<Approval>, Failure> {
        let held = by.asking.held_ids().into_iter().map(|it| (it, false));
        let made = by.asking.made().into_iter().filter(|_| !reads).map(|it| (it, true));
        let mut ids = held.chain(made).filter(|(id, _)| !by.asking.has_used(id)).peekable();
        if ids.peek().is_none() {
            return Ok(None);
        }
        let (digest, own) = (digest_of(arguments), asked_by(by));
        let mut is_gone = false;
        for (id, is_made) in ids {
            let approval = self.approvals.current(&id, &by.caller.principal).await;
            // An unreadable one is an error. Taken as missing, the person would be asked again.
            let approval = approval.map_err(|it| unread(&it))?;
            is_gone |= is_made && approval.is_none();
            let is_it = |held: &Approval| {
                held.tool == tool && held.arguments_sha256 == digest && *held.asked_by == *own
            };
            if let Some(approval) = approval.filter(is_it)
                && by.asking.uses(&id)
            {
                if approval.id != id && !by.asking.held_ids().contains(&approval.id) {
                    by.asking.hold(&approval.id);
                }
                by.asking.uses(&approval.id);
                return Ok(Some(approval));
            }
        }
        if is_gone { Err(Failure::new("outcome_gone", 409, OUTCOME_GONE)) } else { Ok(None) }
    }

    /// Whether what asked for the tool may still call it.
    pub(super) fn may_still_ask(&self, asked_by: &str, tool: &str, shown: &Shown) -> bool {
        if let Some(name) = asked_by.strip_prefix(ASSISTANT) {
            let policy = self.config.assistants.policy(name);
            return shown.owner().is_some_and(|owner| policy.is_some_and(|it| it.has(owner, tool)));
        }
        let Some(name) = asked_by.strip_prefix(COMPONENT) else { return true };
        let catalog = self.registry.catalog();
        let Some(component) = catalog.component(name) else { return false };
        // A canary has the grants it asks for, which the serving version may lack.
        let both = [Some(component), catalog.canary(name).map(|it| &it.component)];
        let has = |owner: Owner<'_>| {
            both.iter().flatten().any(|it| it.setup.reach.calls.tools.has(owner, tool))
        };
        shown.owner().is_some_and(|it| it == Owner::Component(name) || has(it))
    }
}

/// Sets capabilities of a caller whom the host can ask.
pub(super) fn asked(caller: Caller) -> Caller {
    Caller { client_capabilities: CAPABILITIES.into(), ..caller }
}

/// The caller of the call.
fn caller_for(by: &Requested) -> Caller {
    let Acts::Assistant(acting) = &by.acts else { return asked(by.caller.clone()) };
    let Acting { language, capabilities, .. } = &**acting;
    let mut caller = by.caller.clone();
    if let Some(capabilities) = capabilities {
        caller.client_capabilities = capabilities.as_str().into();
    }
    caller.locale = caller.locale.or_else(|| language.as_deref().map(Into::into));
    caller
}

fn surface(by: &Requested) -> Surface {
    match &by.acts {
        Acts::Itself(_) => Surface::Component,
        Acts::Assistant(it) if it.part.is_some() => Surface::Agent,
        Acts::Assistant(_) => Surface::Rest,
    }
}

fn part_of(by: &Requested) -> Option<&Part> {
    match &by.acts {
        Acts::Itself(_) => None,
        Acts::Assistant(it) => it.part.as_deref(),
    }
}

/// Whether a person has to allow each call of the tool: not of the component's own, which it could do
/// without calling it, nor of those that only read or that the operator or the person trusts it with.
fn asks_first(by: &Requested, offer: &Offer<'_>) -> bool {
    let is_trusted = offer.is_trusted_in(&by.asking.trusts);
    let (name, reads) = (&*offer.tool.name, offer.tool.hints.read_only);
    match &by.acts {
        Acts::Assistant(assistant) => {
            // A part may call its own tools, and others that need no approval.
            let is_given = assistant.part.as_ref().is_some_and(|it| offer.is_of(&it.component));
            !is_given && assistant.policy.asks_first(name, (reads, offer.is_changed), is_trusted)
        }
        Acts::Itself(component) => {
            let is_let = !offer.is_changed && component.trusts.contains(name);
            !offer.is_of(&by.component) && !is_let && !is_trusted && !reads
        }
    }
}

fn asked_by(by: &Requested) -> String {
    match &by.acts {
        Acts::Itself(_) => format!("{COMPONENT}{}", by.component),
        Acts::Assistant(it) => format!("{ASSISTANT}{}", it.assistant),
    }
}

/// Why a call that is to run again ends instead.
fn not_recorded(component: &str) -> String {
    format!(
        "The call ends here, because {component} changed something by calls of tools before it asked or waited, and what they came to cannot be kept: they would be made a second time. What was done stays done; look first. Let it make fewer such calls before it asks or waits (256 in all, and 8 MiB of results at once, each of approval_bytes_max under [approvals]), and wait for all of them."
    )
}

/// The state of an approval as its asker sees it.
fn held_call(by: &Requested, approval: Approval) -> HeldCall {
    let (standing, questions) = match &approval.state {
        State::Waits => (Standing::Waits, None),
        State::Asks { questions, .. } => (Standing::Asks, serde_json::to_string(questions).ok()),
        State::Running => (Standing::Running, None),
        _ => (Standing::Over, None),
    };
    let json = |it| serde_json::to_string(it).unwrap_or_default();
    HeldCall {
        outcome: approval.ended().map(|it| it.map(json).map_err(|it| failure_text(by, &it))),
        standing,
        questions,
        trust: approval.shown.trusted_as(&approval.tool),
        ms: approval.ms,
        changed: approval.changed,
        id: approval.id,
    }
}

/// A failure, as what asked receives it: what runs an assistant also learns whether the request itself was wrong.
pub(super) fn failure_text(by: &Requested, failure: &Failure) -> String {
    const IS_PROTOCOL: &str = "isProtocol";
    let mut object = failure.object_for_components();
    if matches!(by.acts, Acts::Assistant(_)) {
        // A tool cannot say so, whatever facts it has.
        object.remove(IS_PROTOCOL);
        if failure.is_protocol {
            object.insert(IS_PROTOCOL.to_owned(), true.into());
        }
    }
    Value::Object(object).to_string()
}

fn object(json: &str, what: &str) -> Result<Map<String, Value>, Failure> {
    serde_json::from_str(json)
        .map_err(|error| Failure::invalid(format!("{what} must be a JSON object: {error}")))
}
