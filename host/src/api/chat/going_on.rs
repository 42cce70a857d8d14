//! Going on from a turn in which calls wait: what the person allowed happens, once; what they did not
//! answer is asked again.

use std::collections::BTreeMap;

use futures::future::join_all;
use serde_json::Value;

use super::{Refusal, request::Asked};
use crate::{
    approvals::{Approval, State},
    assistant::{
        Answered, Asker, Assistant, Body, Came, Held, Image, Language, Offer, Part, Teller,
        ToolCall, ToolResult, Wait, tell_ended, tell_running,
        turns::{Kept, Waiting},
    },
    call::Surface,
    calls::{Reply, Speaker},
    failure::Failure,
};

/// What the calls that waited came to.
pub(super) struct GoneOn {
    /// Those that wait no longer, and those of their turn that never did, in the order of that turn.
    pub(super) answered: Vec<Answered>,
    pub(super) waiting: Vec<Waiting>,
    /// How long those took that were made now.
    pub(super) ms: BTreeMap<String, u64>,
}

/// What a call came to, and its approval.
type Stands = (Came, String);

/// Who goes on, and with what.
pub(super) struct GoingOn<'a> {
    pub(super) assistant: &'a Assistant,
    pub(super) asker: &'a Asker,
    pub(super) asked: &'a Asked,
    pub(super) language: Language,
    pub(super) teller: &'a Teller,
}

impl GoingOn<'_> {
    /// Refuses what names calls that do not wait.
    pub(super) fn check(asked: &Asked, kept: &Kept, language: Language) -> Result<(), Refusal> {
        let waits = |id: &str, fits: fn(&Wait) -> bool| {
            kept.waiting.iter().any(|it| it.held.call.id == id && fits(&it.held.wait))
        };
        let approval = |it: &Wait| matches!(it, Wait::Approval);
        let answers = |it: &Wait| matches!(it, Wait::Answers { .. });
        let named = asked.approvals.keys().map(|it| ("approvals", it, waits(it, approval)));
        let named = named.chain(asked.answers.keys().map(|it| ("answers", it, waits(it, answers))));
        for (field, id, is_right) in named {
            // One that another window answered is one of the turn, and waits no longer.
            if is_right {
                continue;
            }
            let ids: Vec<_> = kept.waiting.iter().map(|it| it.held.call.id.as_str()).collect();
            let ids = ids.join(", ");
            let details = language.pick(
                format!("{field}: 呼び出し{id:?}は待っていません。待っているのは: {ids}"),
                format!("{field}: the call {id:?} does not wait; these do: {ids}"),
            );
            return Err(Refusal::invalid(details, language));
        }
        Ok(())
    }

    /// All that waits, as far as it is answered.
    pub(super) async fn go(&self, kept: Kept) -> Result<GoneOn, Refusal> {
        let submits = kept.waiting.iter().any(|it| matches!(it.held.wait, Wait::Form { .. }));
        let all = kept.waiting.iter().map(|it| self.one(it, submits));
        // In a box: a call's state is large, and there are several.
        let all = Box::pin(join_all(all)).await;
        let mut gone = GoneOn { answered: kept.answered, waiting: Vec::new(), ms: BTreeMap::new() };
        for (waiting, (came, ms)) in kept.waiting.into_iter().zip(all) {
            let id = waiting.held.call.id.clone();
            gone.ms.extend(ms.map(|ms| (id, ms)));
            match came {
                None => gone.waiting.push(waiting),
                Some((Came::Back(it), _)) => gone.answered.push(it),
                // It asks for something else now.
                Some((Came::Held(held), approval)) => {
                    gone.waiting.push(Waiting { approval, held });
                }
            }
        }
        let place = |it: &Answered| kept.order.iter().position(|id| *id == it.call.id);
        gone.answered.sort_by_key(place);
        // An approval that is no longer known is asked for anew.
        let asks = |it: &&mut Waiting| {
            it.approval.is_empty() && matches!(it.held.wait, Wait::Approval | Wait::Answers { .. })
        };
        for it in gone.waiting.iter_mut().filter(asks) {
            let held = self.assistant.hold(&it.held, self.asker).await;
            it.approval = held.map_err(|it| Refusal::unkept(it.message, self.language))?;
        }
        Ok(gone)
    }

    /// One of them; nothing, where it is to be asked again.
    async fn one(&self, waiting: &Waiting, submits: bool) -> (Option<Stands>, Option<u64>) {
        let Held { call, wait, .. } = &waiting.held;
        let says = !self.asked.message.is_empty();
        let back =
            |result| Some((Came::Back(Answered { call: call.clone(), result }), String::new()));
        match wait {
            Wait::Form { result } if says => (back(result.clone()), None),
            Wait::Choice { result } => match &self.asked.selected {
                Some(selected) => (back(chosen(result, selected)), None),
                None if says => (back(result.clone()), None),
                None => (None, None),
            },
            Wait::Approval | Wait::Answers { .. } => self.decided(waiting, submits).await,
            Wait::Form { .. } => (None, None),
        }
    }

    /// One that is made once the person says so. What it came to already is told, whatever is said now.
    async fn decided(&self, waiting: &Waiting, submits: bool) -> (Option<Stands>, Option<u64>) {
        let Held { call, wait, .. } = &waiting.held;
        let back =
            |result| Some((Came::Back(Answered { call: call.clone(), result }), String::new()));
        let calls = &self.assistant.calls;
        let (id, owner) = (waiting.approval.as_str(), &self.asker.caller.principal);
        let known = match calls.approvals() {
            Some(approvals) => approvals.current(id, owner).await,
            None => None,
        };
        let Some(known) = known else { return self.anew(waiting).await };
        if matches!(known.state, State::Running) {
            // Another window let it happen: what it comes to is told here too.
            return match calls.reply(id, self.speaker(), Reply::Allow).await {
                Ok(approval) => (Some(self.came(call, &approval)), None),
                Err(failure) => (back(ToolResult::Failed(failure)), None),
            };
        }
        // Asked anew meanwhile, an answer to what was asked before is none.
        if !known.state.is_open() || known.id != id {
            return (Some(self.came(call, &known)), None);
        }
        let offers = self.assistant.offers(&self.asker.caller);
        let offer = offers.iter().find(|it| *it.name == *call.name);
        // Who says something else instead has not allowed it; a form that is filled in is no answer.
        let passes = !self.asked.message.is_empty() && !submits;
        let reply = match wait {
            Wait::Answers { .. } => self.asked.answers.get(&call.id).cloned().map(Reply::Answers),
            _ => match self.asked.approvals.get(&call.id) {
                Some(false) => Some(Reply::Deny),
                Some(true) => Some(Reply::Allow),
                None => offer.filter(|it| self.is_trusted(it)).map(|_| Reply::Allow),
            },
        };
        let Some(reply) = reply else {
            if passes {
                let _ = calls.reply(id, self.speaker(), Reply::Withdraw).await;
                return (back(passed_over()), None);
            }
            return (None, None);
        };
        if offer.is_none() && reply != Reply::Deny {
            return (back(no_longer(&call.name)), None);
        }
        let is_made = reply != Reply::Deny;
        if is_made {
            tell_running(call, self.language, self.teller).await;
        }
        let approval = match calls.reply(id, self.speaker(), reply).await {
            Ok(approval) => approval,
            Err(failure) => return (back(ToolResult::Failed(failure)), None),
        };
        let (came, ms) = (self.came(call, &approval), approval.ms.filter(|_| is_made));
        if is_made {
            tell_ended(call, &came.0, ms.unwrap_or_default(), self.teller).await;
        }
        (Some(came), ms)
    }

    /// How the call stands by its approval.
    fn came(&self, call: &ToolCall, approval: &Approval) -> Stands {
        let id = approval.id.clone();
        let wait = match (&approval.state, approval.ended()) {
            (_, Some(Ok(result))) => {
                return (self.assistant.taken(call, result.clone(), self.asker), id);
            }
            (_, Some(Err(failure))) => {
                let result = ToolResult::Failed(failure);
                return (Came::Back(Answered { call: call.clone(), result }), id);
            }
            (State::Asks { questions, state }, None) => {
                Wait::Answers { questions: questions.clone(), state: state.clone() }
            }
            (_, None) => Wait::Approval,
        };
        let (call, changed) = (call.clone(), approval.changed.clone());
        let shown = Some(approval.shown.clone());
        (Came::Held(Held { call, wait, shown, changed }), id)
    }

    /// One whose approval is too old: the person is asked again, with the tool as it is now.
    async fn anew(&self, waiting: &Waiting) -> (Option<Stands>, Option<u64>) {
        let call = &waiting.held.call;
        let offers = self.assistant.offers(&self.asker.caller);
        let Some(offer) = offers.iter().find(|it| *it.name == *call.name) else {
            let result = no_longer(&call.name);
            let back = Came::Back(Answered { call: call.clone(), result });
            return (Some((back, String::new())), None);
        };
        let mut held = waiting.held.clone();
        (held.wait, held.shown) = (Wait::Approval, Some((*offer.shown).clone()));
        (Some((Came::Held(held), String::new())), None)
    }

    fn speaker(&self) -> Speaker {
        let (caller, trace) = (self.asker.caller.clone(), self.asker.trace.clone());
        Speaker { caller, surface: Surface::Rest, trace }
    }

    /// Whether the person trusts the tool, and the operator lets them.
    fn is_trusted(&self, offer: &Offer) -> bool {
        offer.is_trusted_in(&self.asker.trusts) && !self.assistant.config.always_asks(&offer.name)
    }
}

/// What of a run waits for the person, who is asked for it now.
pub(super) async fn waits(
    assistant: &Assistant,
    asker: &Asker,
    held: Vec<Held>,
    language: Language,
) -> Result<Vec<Waiting>, Refusal> {
    let mut waiting = Vec::with_capacity(held.len());
    for held in held {
        let approval = assistant.hold(&held, asker).await;
        let approval = approval.map_err(|it| Refusal::unkept(it.message, language))?;
        waiting.push(Waiting { approval, held });
    }
    Ok(waiting)
}

/// `result` with those pictures only that the person chose; one that it did not have is theirs, and
/// comes along.
fn chosen(result: &ToolResult, selected: &[Image]) -> ToolResult {
    let ToolResult::Output { structured, meta, content } = result else { return result.clone() };
    let is_chosen = |data: &str| selected.iter().any(|it| *it.data == *data);
    let keeps = |it: &&Part| match &it.body {
        Body::Image(it) => is_chosen(&it.data),
        Body::Text(_) => true,
    };
    let content: Vec<_> = content.iter().filter(keeps).cloned().collect();
    let mut structured = structured.clone();
    for list in structured.as_object_mut().into_iter().flat_map(|it| it.values_mut()) {
        let Some(list) = list.as_array_mut() else { continue };
        list.retain(|it| it["data"].as_str().is_none_or(is_chosen));
    }
    if structured["data"].as_str().is_some_and(|it| !is_chosen(it)) {
        structured = Value::Object(Default::default());
    }
    ToolResult::Output { structured, meta: meta.clone(), content }
}

fn failed(code: &str, status: u16, message: impl Into<String>) -> ToolResult {
    ToolResult::Failed(Failure::new(code, status, message))
}

fn passed_over() -> ToolResult {
    failed(
        "not_allowed",
        403,
        "The person did not answer, and says something else instead. The call was not made.",
    )
}

fn no_longer(tool: &str) -> ToolResult {
    failed("unknown_tool", 404, format!("{tool} is no longer offered. The call was not made."))
}
