//! What was typed to agents and what could not be sent, over a reload: in this tab and nowhere else.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::chat::Unsent;
use crate::browser::Keep;
use crate::families::conversations::place::Seat;

const KEPT: &str = "agents.chats";
/// Chats whose drafts are kept; beyond that, the oldest by name is forgotten.
const CHATS_MAX: usize = 40;

/// What is kept of one chat.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Kept {
    /// What stands in the composer.
    pub(crate) draft: String,
    /// What the host has not been seen to take.
    pub(crate) unsent: Vec<Unsent>,
}

type All = BTreeMap<String, Kept>;

/// What is kept of this chat.
pub(crate) fn load(seat: &Seat) -> Kept {
    Keep::Tab.get::<All>(KEPT).and_then(|mut it| it.remove(&name(seat))).unwrap_or_default()
}

/// Keeps it in the browser.
pub(crate) fn save(seat: &Seat, kept: Kept) {
    let mut all = Keep::Tab.get(KEPT).unwrap_or_default();
    put(&mut all, name(seat), kept);
    if all.is_empty() { Keep::Tab.remove(KEPT) } else { Keep::Tab.put(KEPT, &all) }
}

/// The host has taken a message of a chat that is no longer open.
pub(crate) fn taken(seat: &Seat, client_id: &str) {
    let mut kept = load(seat);
    kept.unsent.retain(|it| it.client_id != client_id);
    save(seat, kept);
}

fn name(seat: &Seat) -> String {
    format!("{}/{}", seat.project, seat.agent)
}

fn put(all: &mut All, name: String, kept: Kept) {
    all.remove(&name);
    if kept == Kept::default() {
        return;
    }
    while all.len() >= CHATS_MAX {
        all.pop_first();
    }
    all.insert(name, kept);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_nothing_of_a_chat_without_typing_and_never_too_much() {
        let mut all = All::new();
        let kept = Kept { draft: "あ".to_owned(), unsent: Vec::new() };
        for number in 0..100 {
            put(&mut all, format!("demo/{number:03}"), kept.clone());
        }
        assert_eq!(all.len(), CHATS_MAX);
        put(&mut all, "demo/099".to_owned(), Kept::default());
        assert!(!all.contains_key("demo/099"));
    }
}
