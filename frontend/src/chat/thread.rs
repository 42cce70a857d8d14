//! A conversation: its entries, what is asked next, and what the stream makes of the answer.

mod asking;
mod taking;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use super::entry::{Asked, Body, Entry, Failure, Pending, Phase, Reply, State, Turn, Waiting};
use crate::cards::picture::{Picture, Shared};

pub(crate) use asking::Request;
pub(crate) use taking::Coming;

/// Characters of one message.
pub(crate) const MESSAGE_MAX: usize = 8_000;
/// Characters of a conversation's name.
pub(crate) const TITLE_MAX: usize = 60;
/// Entries of one conversation: those before are forgotten, in pairs.
pub(crate) const ENTRIES_MAX: usize = 200;

/// A conversation with an assistant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Thread {
    pub(crate) id: String,
    /// What the reader calls it; empty until they do.
    pub(crate) title: String,
    /// Whom it is held with; the host's default where none was chosen.
    pub(crate) assistant: Option<String>,
    pub(crate) entries: Vec<Shared<Entry>>,
    /// Tools that may act without asking in this conversation: `NAME@DIGEST` as the host says it.
    pub(crate) trusts: Vec<String>,
    /// Whether the reader picks the pictures that the next ones are made from (ILL-45).
    pub(crate) chooses: bool,
    /// When it was last spoken in, in milliseconds since 1970.
    pub(crate) at_ms: u64,
    last_id: u64,
}

impl Thread {
    pub(crate) fn new(id: String, assistant: Option<String>) -> Self {
        Self { id, assistant, ..Self::default() }
    }

    /// Is held with `assistant`, where it has no messages and none was chosen.
    pub(crate) fn begin_with(&mut self, assistant: Option<&str>) {
        if self.entries.is_empty() && self.assistant.is_none() {
            self.assistant = assistant.map(str::to_owned);
        }
    }

    /// What it is called: by the reader, or by how it began.
    pub(crate) fn name(&self) -> String {
        if !self.title.is_empty() {
            return self.title.clone();
        }
        let first = self.entries.iter().find_map(|it| it.asked());
        let line = first.map(|it| it.text.lines().next().unwrap_or_default().trim());
        let line = line.unwrap_or_default();
        match line.char_indices().nth(TITLE_MAX) {
            Some(_) => line.chars().take(TITLE_MAX - 1).chain(['…']).collect(),
            None => line.to_owned(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether an answer is on its way.
    pub(crate) fn is_running(&self) -> bool {
        self.last_turn().is_some_and(Turn::is_running)
    }

    /// The last answer.
    pub(crate) fn last_turn(&self) -> Option<&Turn> {
        self.entries.last()?.turn()
    }

    /// Whether something waits for the reader, so that a new sentence would leave it behind.
    pub(crate) fn is_waiting(&self) -> bool {
        self.last_turn().is_some_and(|it| it.phase == Phase::Waiting)
    }

    /// What the last answer asks the reader, as [`Waiting::asks`] has it.
    pub(crate) fn asks(&self) -> Option<&str> {
        let turn = self.last_turn().filter(|it| it.phase == Phase::Waiting)?;
        let mut open = turn.pending.iter().filter(|it| it.reply.is_none());
        open.find_map(|it| it.waiting.asks())
    }

    /// The call that waits for this approval of the host's.
    pub(crate) fn waits_for(&self, approval: &str) -> Option<String> {
        let turn = self.last_turn().filter(|it| it.phase == Phase::Waiting)?;
        let open = turn.pending.iter().filter(|it| it.reply.is_none());
        open.map(|it| &it.waiting).find_map(|it| match it {
            Waiting::Approval { call_id, approval: own, .. } if own == approval => {
                Some(call_id.clone())
            }
            _ => None,
        })
    }

    /// The forms that wait for the reader here, by their handles.
    pub(crate) fn open_forms(&self) -> Vec<String> {
        let turn = self.last_turn().filter(|it| it.phase == Phase::Waiting);
        let open = turn.into_iter().flat_map(|it| &it.pending).filter(|it| it.reply.is_none());
        open.filter_map(|it| it.waiting.form()).map(str::to_owned).collect()
    }

    fn turn_mut(&mut self) -> Option<&mut Turn> {
        match &mut self.entries.last_mut()?.change().body {
            Body::Answered(turn) => Some(turn),
            Body::Asked(_) => None,
        }
    }

    fn push(&mut self, body: Body, at_ms: u64) {
        self.last_id += 1;
        self.at_ms = at_ms;
        self.entries.push(Shared::new(Entry { id: self.last_id, at_ms, body }));
        let excess = self.entries.len().saturating_sub(ENTRIES_MAX);
        self.entries.drain(..excess + excess % 2);
    }

    /// The reader says something; its answer begins.
    pub(crate) fn ask(&mut self, text: &str, pictures: Vec<Shared<Picture>>, at_ms: u64) {
        self.close_waiting();
        let text: String = text.trim().chars().take(MESSAGE_MAX).collect();
        self.push(Body::Asked(Asked { text, pictures, is_out: false }), at_ms);
        self.push(Body::Answered(Box::default()), at_ms);
    }

    /// A reader who goes on with something else has not allowed what waited.
    fn close_waiting(&mut self) {
        let Some(turn) = self.turn_mut().filter(|it| it.phase == Phase::Waiting) else { return };
        for pending in turn.pending.iter_mut().filter(|it| it.reply.is_none()) {
            pending.reply = Some(Reply::Cancelled);
        }
        turn.phase = Phase::Done;
        turn.end_cards(&State::Denied);
    }

    /// Whether the message or an answer after it records something that was done, so that taking them out loses the
    /// the only record of it.
    pub(crate) fn has_acted_since(&self, id: u64) -> bool {
        let since = self.entries.iter().skip_while(|it| it.id != id);
        since.filter_map(|it| it.turn()).any(Turn::has_acted)
    }

    /// The answer and its question are asked once more, from the beginning; not where something was done for it,
    /// which would be forgotten, and done twice.
    pub(crate) fn again(&mut self, at_ms: u64) -> bool {
        let is_answer = self.last_turn().is_some_and(|it| !it.has_acted());
        if !is_answer || self.is_running() || self.entries.len() < 2 {
            return false;
        }
        self.entries.pop();
        if let Some(entry) = self.entries.last_mut()
            && let Body::Asked(asked) = &mut entry.change().body
        {
            asked.is_out = false;
        }
        self.push(Body::Answered(Box::default()), at_ms);
        true
    }

    /// Takes a message and all that followed out; the message, to be written anew.
    pub(crate) fn cut(&mut self, id: u64) -> Option<Asked> {
        let index = self.entries.iter().position(|it| it.id == id)?;
        let asked = self.entries[index].asked().cloned()?;
        self.entries.truncate(index);
        Some(asked)
    }

    /// The person answers what waits. Whether all of it is answered now, so that the run can go on.
    pub(crate) fn reply(&mut self, call_id: &str, reply: Reply) -> bool {
        let trusted = match (&reply, self.waiting_of(call_id)) {
            (Reply::Trust, Some(Waiting::Approval { name, trust, .. })) => {
                Some(if trust.is_empty() { name.clone() } else { trust.clone() })
            }
            _ => None,
        };
        self.trusts.extend(trusted.filter(|it| !self.trusts.contains(it)));
        let trusts = self.trusts.clone();
        let Some(turn) = self.turn_mut().filter(|it| it.phase == Phase::Waiting) else {
            return false;
        };
        let fits = |it: &&mut Pending| it.waiting.call_id() == call_id && it.reply.is_none();
        let Some(pending) = turn.pending.iter_mut().find(fits) else { return false };
        let is_denied = reply == Reply::Deny;
        let is_dropped_choice =
            matches!(pending.waiting, Waiting::Choice { .. }) && reply == Reply::Cancelled;
        pending.reply = Some(reply);
        // A reader who trusts a tool has answered for its other calls too.
        for other in turn.pending.iter_mut().filter(|it| it.reply.is_none()) {
            if let Waiting::Approval { name, trust, .. } = &other.waiting
                && (trusts.contains(name) || trusts.contains(trust))
            {
                other.reply = Some(Reply::Trust);
            }
        }
        if is_denied {
            turn.set_card(call_id, State::Denied);
        }
        if is_dropped_choice {
            self.leave_out();
            return false;
        }
        turn.pending.iter().all(|it| it.reply.is_some())
    }

    /// What waits on this call.
    fn waiting_of(&self, call_id: &str) -> Option<&Waiting> {
        let pending = &self.last_turn()?.pending;
        pending.iter().map(|it| &it.waiting).find(|it| it.call_id() == call_id)
    }

    /// A choice that was cancelled: the message stays to be seen, and is not sent (ILL-45).
    fn leave_out(&mut self) {
        if let Some(turn) = self.turn_mut() {
            turn.phase = Phase::Stopped;
            turn.turn = None;
            turn.end_cards(&State::Stopped);
        }
        let before = self.entries.len().wrapping_sub(2);
        if let Some(entry) = self.entries.get_mut(before)
            && let Body::Asked(asked) = &mut entry.change().body
        {
            asked.is_out = true;
        }
    }

    /// The run goes on after the answers.
    pub(crate) fn go_on(&mut self) {
        let Some(turn) = self.turn_mut() else { return };
        turn.phase = Phase::Thinking;
        let calls: Vec<String> = turn
            .pending
            .iter()
            .filter(|it| !matches!(it.reply, Some(Reply::Deny | Reply::Cancelled)))
            .map(|it| it.waiting.call_id().to_owned())
            .collect();
        for call in calls {
            turn.resume_card(&call);
        }
    }

    /// The reader does not want to wait any more; what came stays.
    pub(crate) fn stop(&mut self) {
        if let Some(turn) = self.turn_mut().filter(|it| it.is_running()) {
            turn.phase = Phase::Stopped;
            turn.end_cards(&State::Stopped);
        }
    }

    /// It ended in the middle; what came stays.
    pub(crate) fn fail(&mut self, failure: Failure) {
        if let Some(turn) = self.turn_mut().filter(|it| it.is_running()) {
            turn.phase = Phase::Failed(failure);
            turn.end_cards(&State::Stopped);
        }
    }

    /// Whether trying once more sends the person's answers again, and does not ask anew.
    pub(crate) fn goes_on(&self) -> bool {
        self.last_turn().is_some_and(|turn| {
            // A turn that the server has forgotten is asked for from its beginning.
            matches!(&turn.phase, Phase::Failed(failure) if failure.status != 404)
                && turn.has_news()
        })
    }

    /// After a reload no stream is listened to any more.
    pub(crate) fn wake(&mut self) {
        self.fail(Failure::offline());
        let last = self.entries.iter().map(|it| it.id).max().unwrap_or_default();
        self.last_id = self.last_id.max(last);
    }
}
