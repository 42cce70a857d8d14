//! Why an agent is launched, and how its player hears of it.

use std::collections::{HashSet, VecDeque};

use serde::Deserialize;
use tokio::sync::mpsc;

/// Purposes that wait for one player.
const WAITING_MAX: usize = 32;
/// Purposes that are remembered as handed over.
const HANDED_MAX: usize = 256;

/// An agent of a project: one player each.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) project_id: String,
    pub(super) agent_id: String,
}

/// A pending purpose, as `list_purposes` has it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Purpose {
    pub(super) id: String,
    pub(super) agent_id: String,
    /// The agent's name for people.
    pub(super) name: String,
    pub(super) project_id: String,
    /// None where a person has begun a chat.
    pub(super) conversation_id: Option<String>,
    pub(super) assistant: String,
    /// `initiator` or `participant`.
    pub(super) role: Option<String>,
    /// What the conversation is for.
    pub(super) purpose: Option<String>,
    pub(super) partner_id: Option<String>,
    pub(super) partner_name: Option<String>,
}

impl Purpose {
    pub(super) fn key(&self) -> Key {
        Key { project_id: self.project_id.clone(), agent_id: self.agent_id.clone() }
    }
}

/// The coordinator's end: each purpose is handed over once.
pub(super) struct Purposes {
    sender: mpsc::Sender<Purpose>,
    handed: HashSet<String>,
    order: VecDeque<String>,
}

impl Purposes {
    pub(super) fn new() -> (Self, mpsc::Receiver<Purpose>) {
        let (sender, receiver) = mpsc::channel(WAITING_MAX);
        (Self { sender, handed: HashSet::new(), order: VecDeque::new() }, receiver)
    }

    /// Hands it over, unless that was done before. A player that has too much to do is handed it the
    /// next time that somebody looks.
    pub(super) fn hand(&mut self, purpose: Purpose) {
        let id = purpose.id.clone();
        if self.handed.contains(&id) || self.sender.try_send(purpose).is_err() {
            return;
        }
        self.handed.insert(id.clone());
        self.order.push_back(id);
        if self.order.len() > HANDED_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.handed.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_purpose_is_handed_over_once_and_one_too_many_is_not_lost() {
        let (mut purposes, mut inbox) = Purposes::new();
        let purpose = |at: usize| Purpose { id: format!("pap_{at}"), ..Purpose::default() };
        for at in (0..=WAITING_MAX).chain(0..=WAITING_MAX) {
            purposes.hand(purpose(at));
        }
        let mut heard = Vec::new();
        while let Ok(it) = inbox.try_recv() {
            heard.push(it.id);
        }
        assert_eq!(heard.len(), WAITING_MAX);
        purposes.hand(purpose(WAITING_MAX));
        assert_eq!(inbox.try_recv().unwrap().id, format!("pap_{WAITING_MAX}"));
    }
}
