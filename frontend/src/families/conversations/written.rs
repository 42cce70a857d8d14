//! What a person has written into a conversation and not sent yet, over a look elsewhere and a reload: in this tab and
//! nowhere else.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::browser::Keep;

const KEPT: &str = "conversations.written";
/// Conversations of which it is kept; beyond that, the first by name is forgotten.
const KEPT_MAX: usize = 40;

/// A message that the host has not been seen to take.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Written {
    pub(crate) content: String,
    /// What the page calls it, the same however often it is sent.
    pub(crate) client_id: String,
}

type All = BTreeMap<String, Written>;

/// What was written into this conversation.
pub(crate) fn load(conversation: &str) -> Option<Written> {
    Keep::Tab.get::<All>(KEPT)?.remove(conversation)
}

/// Keeps it in the browser.
pub(crate) fn save(conversation: &str, written: Written) {
    let mut all = Keep::Tab.get(KEPT).unwrap_or_default();
    put(&mut all, conversation, written);
    if all.is_empty() { Keep::Tab.remove(KEPT) } else { Keep::Tab.put(KEPT, &all) }
}

/// The host has taken a message; what was written since stays.
pub(crate) fn taken(conversation: &str, client_id: &str) {
    if load(conversation).is_some_and(|it| it.client_id == client_id) {
        save(conversation, Written::default());
    }
}

fn put(all: &mut All, conversation: &str, written: Written) {
    all.remove(conversation);
    if written.content.is_empty() {
        return;
    }
    while all.len() >= KEPT_MAX {
        all.pop_first();
    }
    all.insert(conversation.to_owned(), written);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_was_written_by_conversation_and_never_too_much() {
        let mut all = All::new();
        let written = Written { content: "あ".to_owned(), client_id: "1".to_owned() };
        for number in 0..100 {
            put(&mut all, &format!("c_{number:03}"), written.clone());
        }
        assert_eq!(all.len(), KEPT_MAX);
        assert_eq!(all.get("c_099"), Some(&written));
        put(&mut all, "c_099", Written::default());
        assert!(!all.contains_key("c_099"), "nothing is left of what was sent");
    }
}
