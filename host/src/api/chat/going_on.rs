//! Going on from a turn in which calls wait: what the person allowed happens, once; what they did not
//! answer is asked again.

use std::{collections::BTreeMap, time::Duration};

use futures::future::join_all;
use serde_json::Value;
use tokio::time::timeout;

use super::{Refusal, request::Asked};
use crate::{
    assistant::{
        Answered, Asker, Assistant, Body, Came, Held, Image, Language, Offer, Part, Response,
        Teller, ToolCall, ToolResult, Wait, approval, broken_off, tell_ended, tell_running,
        turns::{Claim, Kept, Settled, Turns, Waiting, next_number},
    },
    definition::Shown,
    failure::Failure,
};

/// How long a call that was allowed may go on at all, its client there or not.
const CALL_MAX: Duration = Duration::from_secs(3_600);

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
        let Held { call, wait, .. } = &waiting.held;
        let says = !self.asked.message.is_empty();
        let back = |result| Some(Came::Back(Answered { call: call.clone(), result }));
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
    async fn decided(&self, waiting: &Waiting, submits: bool) -> (Option<Came>, Option<u64>) {
        let Held { call, wait, shown, .. } = &waiting.held;
        let back = |result| Some(Came::Back(Answered { call: call.clone(), result }));
        let claim = self.turns.claim(&waiting.once, &self.asker.caller.principal).await;
        match claim.settled().await {
            Some(Settled::Ended(came)) => return (Some(*came), None),
            Some(Settled::Begun) => return (back(broken_off()), None),
            None => {}
        }
        let offers = self.assistant.offers(&self.asker.caller);
        let offer = offers.iter().find(|it| *it.name == *call.name);
        // Who says something else instead has not allowed it; a form that is filled in is no answer.
        let passes = !self.asked.message.is_empty() && !submits;
        let response = match wait {
            Wait::Answers { state, .. } => self.asked.answers.get(&call.id).map(|answers| {
                let state = Some(state.clone());
                Response { answers: answers.clone(), state }
            }),
            _ => match self.asked.approvals.get(&call.id) {
                Some(false) => return (back(not_allowed()), None),
                Some(true) => Some(Response::default()),
                None => offer.filter(|it| self.is_trusted(it)).map(|_| Response::default()),
            },
        };
        let Some(response) = response else {
            return (if passes { back(passed_over()) } else { None }, None);
        };
        let Some(offer) = offer else {
            return (back(no_longer(&call.name)), None);
        };
        let changed = changes(shown.as_ref(), offer, response.state.is_some());
        let asks_anew = response.state.is_none() || self.asks_first(offer);
        if !changed.is_empty() && asks_anew {
            // The person said yes to something else.
            let held = Held { changed, ..approval(call, &offer.shown) };
            let came = Came::Held(held);
            if let Err(error) = claim.settle(Settled::Ended(Box::new(came.clone()))).await {
                tracing::error!("that a person is asked anew is not written down: {error}");
            }
            return (Some(came), None);
        }
        self.settled(claim, call, response, offer).await
    }

    /// Makes a call that the person let happen: once, however often and from wherever they say so, and
    /// to its end, even if the client stops waiting.
    async fn settled(
        &self,
        claim: Claim,
        call: &ToolCall,
        response: Response,
        offer: &Offer,
    ) -> (Option<Came>, Option<u64>) {
        let back = |result| Came::Back(Answered { call: call.clone(), result });
        tell_running(call, self.language, self.teller).await;
        let is_first = response.state.is_none();
        let making = self.assistant.make(call, response, Some(offer.shown.clone()), self.asker);
        let (running, unmade) = (self.assistant.calls.hold(), back(unwritten()));
        let making = tokio::spawn(async move {
            let _running = running;
            // Written down before, so that nothing that comes between makes it happen twice. What only
            // answers questions may be repeated: its state tells whether it has ended.
            if is_first && let Err(error) = claim.settle(Settled::Begun).await {
                tracing::error!("a call that was allowed is not made: {error}");
                return (unmade, None);
            }
            let Ok((came, ms)) = timeout(CALL_MAX, making).await else {
                return (unmade_in_time(unmade), None);
            };
            if let Err(error) = claim.settle(Settled::Ended(Box::new(came.clone()))).await {
                tracing::error!("what a call came to is not written down: {error}");
            }
            (came, Some(ms))
        });
        let (came, ms) = making.await.unwrap_or_else(|_| (back(broken_off()), None));
        tell_ended(call, &came, ms.unwrap_or_default(), self.teller).await;
        (Some(came), ms)
    }

    fn asks_first(&self, offer: &Offer) -> bool {
        self.assistant.config.asks_first(offer, &self.asker.trusts)
    }

    /// Whether the person trusts the tool, and the operator lets them.
    fn is_trusted(&self, offer: &Offer) -> bool {
        offer.is_trusted_in(&self.asker.trusts) && !self.assistant.config.always_asks(&offer.name)
    }
}

/// What has changed of a tool since the person was asked about it. What was asked by a host that did
/// not keep that is asked anew, but for answers to a tool's own questions.
fn changes(shown: Option<&Shown>, offer: &Offer, is_answer: bool) -> Vec<String> {
    match shown {
        Some(shown) => offer.shown.changes(shown).into_iter().map(str::to_owned).collect(),
        None if is_answer => Vec::new(),
        None => vec!["all".to_owned()],
    }
}

/// A call that took longer than any may: its end is unknown.
fn unmade_in_time(came: Came) -> Came {
    match came {
        Came::Back(it) => Came::Back(Answered { result: broken_off(), ..it }),
        held => held,
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

fn unwritten() -> ToolResult {
    failed(
        "not_made",
        503,
        "The call was not made, because the server could not write it down. Try later.",
    )
}
