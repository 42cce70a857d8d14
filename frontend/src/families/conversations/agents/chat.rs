//! A person's chat with an agent as plain state: what the host has, what is on its way there, and where
//! the unread begins.

use output::conversations::ChatMessage;
use serde::Deserialize;

use crate::error::CallError;
use crate::families::conversations::kept::Unsent;

/// One page of a chat (`GET …/chat/messages`), oldest first.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Messages {
    pub(crate) messages: Vec<ChatMessage>,
    pub(crate) has_more: bool,
}

/// How far a message of the reader's has come.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fate {
    /// It waits for those before it.
    Waiting,
    /// It is on its way.
    Sending,
    /// The host has taken it and calls it so; the list does not have it yet.
    Taken(String),
    /// It may have come or not.
    Failed(CallError),
}

/// A message of the reader's on its way.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outgoing {
    pub(crate) unsent: Unsent,
    pub(crate) fate: Fate,
}

/// A chat with an agent.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Chat {
    /// As which agent the reader talks.
    me: String,
    /// What the host has, by number.
    pub(crate) messages: Vec<ChatMessage>,
    /// Whether there are older ones.
    pub(crate) has_older: bool,
    /// In the order in which they were written.
    pub(crate) outgoing: Vec<Outgoing>,
    /// The number of the first message that was unread when the reader came.
    pub(crate) mark: Option<u64>,
    /// Up to which number the host knows that the reader has read.
    told: u64,
    has_begun: bool,
}

impl Chat {
    /// With what the host was not seen to take before the reader left: whether it came is not known, so it waits to be
    /// sent under the same name.
    pub(crate) fn with(unsent: Vec<Unsent>) -> Self {
        let outgoing = |unsent| Outgoing { unsent, fate: Fate::Waiting };
        Self { outgoing: unsent.into_iter().map(outgoing).collect(), ..Self::default() }
    }

    /// Takes the newest page; gives the messages of the other side that were not there before.
    pub(crate) fn take_newest(
        &mut self,
        me: &str,
        page: Messages,
        is_seen: bool,
    ) -> Vec<ChatMessage> {
        me.clone_into(&mut self.me);
        let last = self.last();
        let has_begun = std::mem::replace(&mut self.has_begun, true);
        let is_gap = page.messages.first().is_some_and(|it| it.sequence > last + 1);
        if is_gap || page.messages.is_empty() {
            // What lies between is asked for when the reader goes there.
            self.messages.clear();
        }
        if self.messages.is_empty() {
            self.has_older = page.has_more;
        }
        let new = page.messages.iter().filter(|it| it.sequence > last && it.sender_id != me);
        let new: Vec<_> = if has_begun { new.cloned().collect() } else { Vec::new() };
        self.merge(page.messages);
        if !has_begun || (!is_seen && !new.is_empty() && self.mark.is_none()) {
            let first = self.unread().map(|it| it.sequence).next();
            self.mark = first;
        }
        new
    }

    /// Takes a page of what came before.
    pub(crate) fn take_older(&mut self, page: Messages) {
        self.has_older = page.has_more && !page.messages.is_empty();
        self.merge(page.messages);
    }

    fn merge(&mut self, messages: Vec<ChatMessage>) {
        for message in messages {
            match self.messages.binary_search_by_key(&message.sequence, |it| it.sequence) {
                Ok(index) => self.messages[index] = message,
                Err(index) => self.messages.insert(index, message),
            }
        }
        let is_here = |id: &String| self.messages.iter().any(|it| it.id == *id);
        let is_left = |it: &Outgoing| !matches!(&it.fate, Fate::Taken(id) if is_here(id));
        self.outgoing.retain(is_left);
        self.spread_receipts();
    }

    /// A person who has read a message has read those before it, also where their receipts are out of date.
    fn spread_receipts(&mut self) {
        let mut read_at = None;
        for message in self.messages.iter_mut().rev().filter(|it| it.sender_id == self.me) {
            if message.read_at.is_some() {
                read_at.clone_from(&message.read_at);
            } else {
                message.read_at.clone_from(&read_at);
            }
        }
    }

    fn last(&self) -> u64 {
        self.messages.last().map_or(0, |it| it.sequence)
    }

    fn unread(&self) -> impl Iterator<Item = &ChatMessage> {
        self.messages.iter().filter(|it| it.sender_id != self.me && it.read_at.is_none())
    }

    /// Whether to notify the host that the reader has read what is here; once for each message.
    pub(crate) fn is_to_tell(&mut self) -> bool {
        let last = self.unread().last().map_or(0, |it| it.sequence);
        let is_to_tell = last > self.told;
        self.told = self.told.max(last);
        is_to_tell
    }

    /// The host could not be notified.
    pub(crate) fn untold(&mut self) {
        self.told = 0;
    }

    /// The reader writes; what was unread no longer is.
    pub(crate) fn write(&mut self, unsent: Unsent) {
        self.mark = None;
        self.outgoing.push(Outgoing { unsent, fate: Fate::Waiting });
    }

    /// What is to be sent now: the first that waits, once nothing else is on its way. One that failed
    /// holds up those behind it, so that they keep their order.
    pub(crate) fn next_to_send(&mut self) -> Option<Unsent> {
        let is_settled = |it: &&mut Outgoing| !matches!(it.fate, Fate::Taken(_));
        let next = self.outgoing.iter_mut().find(is_settled)?;
        if next.fate != Fate::Waiting {
            return None;
        }
        next.fate = Fate::Sending;
        Some(next.unsent.clone())
    }

    /// The host has taken a message, and calls it so.
    pub(crate) fn taken(&mut self, client_id: &str, message_id: &str) {
        self.settle(client_id, Fate::Taken(message_id.to_owned()));
        self.merge(Vec::new());
    }

    /// A message did not get through, as far as is known.
    pub(crate) fn failed(&mut self, client_id: &str, error: CallError) {
        self.settle(client_id, Fate::Failed(error));
    }

    /// All that failed is sent once more, under the same names, so that the host has each once.
    pub(crate) fn again(&mut self) {
        let failed = |it: &&mut Outgoing| matches!(it.fate, Fate::Failed(_));
        self.outgoing.iter_mut().filter(failed).for_each(|it| it.fate = Fate::Waiting);
    }

    fn settle(&mut self, client_id: &str, fate: Fate) {
        if let Some(it) = self.outgoing.iter_mut().find(|it| it.unsent.client_id == client_id) {
            it.fate = fate;
        }
    }

    /// A message that did not get through goes back to its writer.
    pub(crate) fn withdraw(&mut self, client_id: &str) -> Option<String> {
        let is_it = |it: &Outgoing| it.unsent.client_id == client_id;
        let index = self.outgoing.iter().position(is_it)?;
        Some(self.outgoing.remove(index).unsent.content)
    }

    /// What is worth keeping over a reload.
    pub(crate) fn unsent(&self) -> Vec<Unsent> {
        let is_open = |it: &&Outgoing| !matches!(it.fate, Fate::Taken(_));
        self.outgoing.iter().filter(is_open).map(|it| it.unsent.clone()).collect()
    }

    /// Whether the reader wrote it.
    pub(crate) fn is_own(&self, message: &ChatMessage) -> bool {
        message.sender_id == self.me
    }

    /// Whether there are no messages yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.messages.is_empty() && self.outgoing.is_empty()
    }
}

#[cfg(test)]
#[path = "chat_tests.rs"]
mod tests;
