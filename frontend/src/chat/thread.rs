//! A conversation: its entries, the next request, and the handling of stream events.

mod asking;
mod taking;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use super::entry::{
    Body, Entry, Failure, Pending, Phase, Reply, State, ToolCard, Turn, UserMessage, Waiting,
};
use crate::cards::picture::{Picture, Shared};

pub(crate) use asking::Request;
pub(crate) use taking::Coming;

/// Maximum number of characters of a message.
pub(crate) const MESSAGE_MAX: usize = 8_000;
/// Maximum number of characters of a conversation's name.
pub(crate) const TITLE_MAX: usize = 60;
/// Maximum number of entries; the oldest are removed in pairs.
pub(crate) const ENTRIES_MAX: usize = 200;

/// A conversation with an assistant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Thread {
    pub(crate) id: String,
    /// The reader's name for it; empty by default.
    pub(crate) title: String,
    /// The chosen assistant; the host's default if none was chosen.
    pub(crate) assistant: Option<String>,
    pub(crate) entries: Vec<Shared<Entry>>,
    /// Tools trusted in this conversation: `NAME@DIGEST` as given by the host.
    pub(crate) trusts: Vec<String>,
    /// Whether the reader chooses the pictures from which the next ones are made (ILL-45).
    pub(crate) chooses: bool,
    /// Time of the last message, in milliseconds since 1970.
    pub(crate) at_ms: u64,
    last_id: u64,
}

impl Thread {
    pub(crate) fn new(id: String, assistant: Option<String>) -> Self {
        Self { id, assistant, ..Self::default() }
    }

    /// Sets the assistant, if there are no messages and none was chosen.
    pub(crate) fn begin_with(&mut self, assistant: Option<&str>) {
        if self.entries.is_empty() && self.assistant.is_none() {
            self.assistant = assistant.map(str::to_owned);
        }
    }

    /// Its name: the reader's, or its first message.
    pub(crate) fn name(&self) -> String {
        if !self.title.is_empty() {
            return self.title.clone();
        }
        let first = self.entries.iter().find_map(|it| it.message());
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

    /// Whether an answer is running.
    pub(crate) fn is_running(&self) -> bool {
        self.last_turn().is_some_and(Turn::is_running)
    }

    /// The last answer.
    pub(crate) fn last_turn(&self) -> Option<&Turn> {
        self.entries.last()?.turn()
    }

    /// Whether an item is pending, which a new message would abandon.
    pub(crate) fn is_waiting(&self) -> bool {
        self.open().next().is_some()
    }

    /// Whether all that was pending is answered, in another window, which goes on with it.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.last_turn().is_some_and(|it| it.phase == Phase::Waiting) && !self.is_waiting()
    }

    /// The question of the last answer, as defined by [`Waiting::asks`].
    pub(crate) fn asks(&self) -> Option<&str> {
        self.open().find_map(Waiting::asks)
    }

    /// Everything that waits for the reader.
    fn open(&self) -> impl Iterator<Item = &Waiting> {
        let turn = self.last_turn().filter(|it| it.phase == Phase::Waiting);
        let open = turn.into_iter().flat_map(|it| &it.pending).filter(|it| it.reply.is_none());
        open.map(|it| &it.waiting)
    }

    /// The call that waits for this approval of the host's.
    pub(crate) fn waits_for(&self, approval: &str) -> Option<String> {
        let call = self.open().find(|it| it.approval() == Some(approval))?;
        Some(call.call_id().to_owned())
    }

    /// The approval of the host's that this call waits for.
    pub(crate) fn approval_of(&self, call_id: &str) -> Option<String> {
        let waiting = self.open().find(|it| it.call_id() == call_id)?;
        waiting.approval().filter(|it| !it.is_empty()).map(str::to_owned)
    }

    /// Identifiers of the approvals that wait for the reader.
    pub(crate) fn open_approvals(&self) -> Vec<String> {
        let ids = self.open().filter_map(Waiting::approval).filter(|it| !it.is_empty());
        ids.map(str::to_owned).collect()
    }

    /// The handles of the pending forms.
    pub(crate) fn open_forms(&self) -> Vec<String> {
        self.open().filter_map(Waiting::form).map(str::to_owned).collect()
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

    /// Adds the reader's message and begins its answer.
    pub(crate) fn ask(&mut self, text: &str, pictures: Vec<Shared<Picture>>, at_ms: u64) {
        self.close_waiting();
        let text: String = text.trim().chars().take(MESSAGE_MAX).collect();
        self.push(Body::Asked(UserMessage { text, pictures, ..UserMessage::default() }), at_ms);
        self.push(Body::Answered(Box::default()), at_ms);
    }

    /// Closes pending items: a reader who sends something else has not approved them.
    fn close_waiting(&mut self) {
        let Some(turn) = self.turn_mut().filter(|it| it.phase == Phase::Waiting) else { return };
        for pending in turn.pending.iter_mut().filter(|it| it.reply.is_none()) {
            pending.reply = Some(Reply::Cancelled);
        }
        turn.phase = Phase::Done;
        turn.end_cards(&State::Denied);
    }

    /// The completed calls that the message and later answers record, and nothing else.
    fn acts_since(&self, id: u64) -> impl Iterator<Item = &Shared<ToolCard>> {
        let since = self.entries.iter().skip_while(move |it| it.id != id);
        since.flat_map(|entry| {
            let before = entry.message().into_iter().flat_map(|it| &it.done);
            before.chain(entry.turn().into_iter().flat_map(Turn::acts))
        })
    }

    /// Whether there are such calls.
    pub(crate) fn has_acted_since(&self, id: u64) -> bool {
        self.acts_since(id).next().is_some()
    }

    /// Repeats the last question from the beginning. Refused if a call was made for it, which would be forgotten and
    /// made twice.
    pub(crate) fn again(&mut self, at_ms: u64) -> bool {
        let is_answer = self.last_turn().is_some_and(|it| !it.has_acted());
        if !is_answer || self.is_running() || self.entries.len() < 2 {
            return false;
        }
        self.entries.pop();
        if let Some(entry) = self.entries.last_mut()
            && let Body::Asked(message) = &mut entry.change().body
        {
            message.is_out = false;
        }
        self.push(Body::Answered(Box::default()), at_ms);
        true
    }

    /// Asks in place of an earlier message; all that followed is removed but the calls that were made.
    pub(crate) fn rewrite(
        &mut self,
        id: u64,
        text: &str,
        pictures: Vec<Shared<Picture>>,
        at_ms: u64,
    ) {
        let done: Vec<_> = self.acts_since(id).cloned().collect();
        self.cut(id);
        self.ask(text, pictures, at_ms);
        let asked = self.entries.iter_mut().rev().nth(1);
        if let Some(Body::Asked(message)) = asked.map(|it| &mut it.change().body) {
            message.done = done;
        }
    }

    /// Removes a message and all that followed. Returns the message for editing.
    pub(crate) fn cut(&mut self, id: u64) -> Option<UserMessage> {
        let index = self.entries.iter().position(|it| it.id == id)?;
        let message = self.entries[index].message().cloned()?;
        self.entries.truncate(index);
        Some(message)
    }

    /// Replies to a pending item. Returns whether all items are answered, so that the turn can continue.
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
        // Trusting a tool also approves its other pending calls.
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
        let is_complete = turn.pending.iter().all(|it| it.reply.is_some());
        if is_complete {
            turn.resume_answered();
        }
        is_complete
    }

    /// The pending item of this call.
    fn waiting_of(&self, call_id: &str) -> Option<&Waiting> {
        let pending = &self.last_turn()?.pending;
        pending.iter().map(|it| &it.waiting).find(|it| it.call_id() == call_id)
    }

    /// Excludes the message of a cancelled choice: it stays visible but is not sent (ILL-45).
    fn leave_out(&mut self) {
        if let Some(turn) = self.turn_mut() {
            turn.phase = Phase::Stopped;
            turn.turn = None;
            turn.end_cards(&State::Stopped);
        }
        let before = self.entries.len().wrapping_sub(2);
        if let Some(entry) = self.entries.get_mut(before)
            && let Body::Asked(message) = &mut entry.change().body
        {
            message.is_out = true;
        }
    }

    /// Continues the turn after the replies.
    pub(crate) fn go_on(&mut self) {
        let Some(turn) = self.turn_mut() else { return };
        turn.phase = Phase::Thinking;
        turn.resume_answered();
    }

    /// Stops the answer; what arrived stays.
    pub(crate) fn stop(&mut self) {
        if let Some(turn) = self.turn_mut().filter(|it| it.is_running()) {
            turn.phase = Phase::Stopped;
            turn.end_cards(&State::Stopped);
        }
    }

    /// Ends the answer with a failure; what arrived stays.
    pub(crate) fn fail(&mut self, failure: Failure) {
        if let Some(turn) = self.turn_mut().filter(|it| it.is_running()) {
            turn.phase = Phase::Failed(failure);
            turn.end_cards(&State::Stopped);
        }
    }

    /// Whether a retry sends the person's replies again rather than the question.
    pub(crate) fn goes_on(&self) -> bool {
        self.last_turn().is_some_and(|turn| {
            // A turn that the server has forgotten is asked from the beginning.
            matches!(&turn.phase, Phase::Failed(failure) if failure.status != 404)
                && turn.has_news()
        })
    }

    /// Ends a running answer after a reload: its stream is gone.
    pub(crate) fn wake(&mut self) {
        self.fail(Failure::offline());
        let last = self.entries.iter().map(|it| it.id).max().unwrap_or_default();
        self.last_id = self.last_id.max(last);
    }
}
