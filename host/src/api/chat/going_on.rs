//! Going on from a turn in which calls wait: what the person allowed happens, once; what they did not
//! answer is asked again.

use std::collections::BTreeMap;

use futures::future::join_all;
use serde_json::Value;

use super::{Refusal, request::Asked};
use crate::{
    assistant::{
        Answered, Asker, Assistant, Body, Came, Held, Image, Language, Part, Response, Teller,
        ToolCall, ToolResult, Wait, tell_running,
        turns::{Kept, Settled, Turns, Waiting, next_number},
    },
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

/// Who goes on, and with what.
pub(super) struct GoingOn<'a> {
    pub(super) assistant: &'a Assistant,
    pub(super) asker: &'a Asker,
    pub(super) asked: &'a Asked,
    pub(super) turns: &'a Turns,
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
    pub(super) async fn go(&self, kept: Kept) -> GoneOn {
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
                Some(Came::Back(it)) => gone.answered.push(it),
                // It asks for something else now, and is another thing to settle: the same one for
                // everybody who comes from here.
                Some(Came::Held(held)) => {
                    let once = next_number(&waiting.once);
                    gone.waiting.push(Waiting { once, held });
                }
            }
        }
        let place = |it: &Answered| kept.order.iter().position(|id| *id == it.call.id);
        gone.answered.sort_by_key(place);
        gone
    }

    /// One of them; nothing, where it is to be asked again.
    async fn one(&self, waiting: &Waiting, submits: bool) -> (Option<Came>, Option<u64>) {
        let Held { call, wait } = &waiting.held;
        let says = !self.asked.message.is_empty();
        let back = |result| Some(Came::Back(Answered { call: call.clone(), result }));
        match wait {
            Wait::Form { result } if says => (back(result.clone()), None),
            Wait::Choice { result } => match &self.asked.selected {
                Some(selected) => (back(chosen(result, selected)), None),
                None if says => (back(result.clone()), None),
                None => (None, None),
            },
            Wait::Approval => match self.is_allowed(call) {
                Some(true) => self.settled(waiting, Response::default()).await,
                Some(false) => (back(not_allowed()), None),
                // Who says something else instead has not allowed it; a form that is filled in is
                // no answer to it.
                None if says && !submits => (back(passed_over()), None),
                None => (None, None),
            },
            Wait::Answers { state, .. } => match self.asked.answers.get(&call.id) {
                Some(answers) => {
                    let state = Some(state.clone());
                    let response = Response { answers: answers.clone(), state };
                    self.settled(waiting, response).await
                }
                None if says && !submits => (back(passed_over()), None),
                None => (None, None),
            },
            Wait::Form { .. } => (None, None),
        }
    }

    fn is_allowed(&self, call: &ToolCall) -> Option<bool> {
        let said = self.asked.approvals.get(&call.id).copied();
        said.or(self.asker.trusts.contains(&call.name).then_some(true))
    }

    /// Makes a call that the person let happen: once, however often and from wherever they say so.
    async fn settled(&self, waiting: &Waiting, response: Response) -> (Option<Came>, Option<u64>) {
        let call = &waiting.held.call;
        let back = |result| Came::Back(Answered { call: call.clone(), result });
        let claim = self.turns.claim(&waiting.once).await;
        match claim.settled().await {
            Some(Settled::Ended(came)) => return (Some(*came), None),
            Some(Settled::Begun) => return (Some(back(broken_off())), None),
            None => {}
        }
        let offers = self.assistant.offers(&self.asker.caller);
        if !offers.iter().any(|it| *it.name == *call.name) {
            return (Some(back(no_longer(&call.name))), None);
        }
        // Written down before, so that nothing that comes between makes it happen twice. What only
        // answers questions may be repeated: its state tells whether it has ended.
        if response.state.is_none()
            && let Err(error) = claim.settle(Settled::Begun).await
        {
            tracing::error!("a call that was allowed is not made: {error}");
            return (Some(back(unwritten())), None);
        }
        tell_running(call, self.language, self.teller).await;
        let (came, ms) = self.assistant.one(call, response, self.asker, self.teller).await;
        if let Err(error) = claim.settle(Settled::Ended(Box::new(came.clone()))).await {
            tracing::error!("what a call came to is not written down: {error}");
        }
        (Some(came), Some(ms))
    }
}

/// `held`, to be settled once; nothing where there is no chance to be had.
pub(super) fn waits(held: Held) -> Option<Waiting> {
    let once = crate::assistant::turns::number();
    once.ok().map(|once| Waiting { once, held })
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

fn not_allowed() -> ToolResult {
    failed(
        "not_allowed",
        403,
        "The person did not allow this call. It was not made; do not make it again unless they ask for it.",
    )
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

fn broken_off() -> ToolResult {
    failed(
        "broken_off",
        409,
        "The call was begun, and broke off before its end was known: it may have happened or not. Look first; do not simply make it again.",
    )
}

fn unwritten() -> ToolResult {
    failed(
        "not_made",
        503,
        "The call was not made, because the server could not write it down. Try later.",
    )
}
