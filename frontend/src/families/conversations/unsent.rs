//! Unsent text of the reader, kept in this tab over a reload or a visit elsewhere.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::place::Seat;
use crate::browser::Keep;

/// Maximum number of entries; beyond it, the first by name is dropped.
const ENTRIES_MAX: usize = 40;

/// A kind of stored text.
pub(crate) trait Typed: Default + Serialize + DeserializeOwned {
    /// Storage key.
    const STORAGE_KEY: &'static str;

    /// Whether there is nothing to store.
    fn is_empty(&self) -> bool;
}

/// A message not known to have been received.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Unsent {
    pub(crate) content: String,
    /// The page's id of the message, equal for all attempts.
    pub(crate) client_id: String,
}

impl Typed for Unsent {
    const STORAGE_KEY: &'static str = "conversations.written";

    fn is_empty(&self) -> bool {
        self.content.is_empty()
    }
}

/// Stored state of a chat with an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct StoredChat {
    /// Text of the composer.
    pub(crate) draft: String,
    /// Messages not known to have been received.
    pub(crate) unsent: Vec<Unsent>,
}

impl Typed for StoredChat {
    const STORAGE_KEY: &'static str = "agents.chats";

    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Loads the entry of that name.
pub(crate) fn load<T: Typed>(name: &str) -> Option<T> {
    Keep::Tab.get::<BTreeMap<String, T>>(T::STORAGE_KEY)?.remove(name)
}

/// Stores an entry in the browser.
pub(crate) fn save<T: Typed>(name: &str, typed: T) {
    let mut all = Keep::Tab.get(T::STORAGE_KEY).unwrap_or_default();
    put(&mut all, name, typed);
    if all.is_empty() {
        Keep::Tab.remove(T::STORAGE_KEY)
    } else {
        Keep::Tab.put(T::STORAGE_KEY, &all)
    }
}

fn put<T: Typed>(all: &mut BTreeMap<String, T>, name: &str, typed: T) {
    all.remove(name);
    if typed.is_empty() {
        return;
    }
    while all.len() >= ENTRIES_MAX {
        all.pop_first();
    }
    all.insert(name.to_owned(), typed);
}

/// Removes a received message of a conversation; text written since stays.
pub(crate) fn written_taken(conversation: &str, client_id: &str) {
    if load::<Unsent>(conversation).is_some_and(|it| it.client_id == client_id) {
        save(conversation, Unsent::default());
    }
}

impl StoredChat {
    /// Name of the entry.
    pub(crate) fn name(seat: &Seat) -> String {
        format!("{}/{}", seat.project, seat.agent)
    }

    /// Removes a received message of a chat that is no longer open.
    pub(crate) fn taken(seat: &Seat, client_id: &str) {
        let mut stored: Self = load(&Self::name(seat)).unwrap_or_default();
        stored.unsent.retain(|it| it.client_id != client_id);
        save(&Self::name(seat), stored);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keeps_so_many_and_nothing_of_nothing<T: Typed + Clone + PartialEq>(typed: &T) {
        let mut all = BTreeMap::new();
        for number in 0..100 {
            put(&mut all, &format!("c_{number:03}"), typed.clone());
        }
        assert_eq!(all.len(), ENTRIES_MAX);
        assert!(all.get("c_099") == Some(typed));
        put(&mut all, "c_099", T::default());
        assert!(!all.contains_key("c_099"), "nothing is left of what was sent");
    }

    #[test]
    fn keeps_drafts_by_name_up_to_limit() {
        let content = "あ".to_owned();
        keeps_so_many_and_nothing_of_nothing(&StoredChat {
            draft: content.clone(),
            unsent: Vec::new(),
        });
        keeps_so_many_and_nothing_of_nothing(&Unsent { content, client_id: "1".to_owned() });
    }
}
