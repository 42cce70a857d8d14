//! What a person has typed and not sent yet, over a look elsewhere and a reload: in this tab and nowhere else.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::place::Seat;
use crate::browser::Keep;

/// Of so many it is kept; beyond that, the first by name is forgotten.
const KEPT_MAX: usize = 40;

/// What is kept under a name.
pub(crate) trait Typed: Default + Serialize + DeserializeOwned {
    /// What all of it is called in the tab's storage.
    const KEPT: &'static str;

    /// Whether there is nothing to keep.
    fn is_empty(&self) -> bool;
}

/// A message that the host has not been seen to take.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Unsent {
    pub(crate) content: String,
    /// What the page calls it, the same however often it is sent.
    pub(crate) client_id: String,
}

impl Typed for Unsent {
    const KEPT: &'static str = "conversations.written";

    fn is_empty(&self) -> bool {
        self.content.is_empty()
    }
}

/// What is kept of a chat with an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct KeptChat {
    /// What stands in the composer.
    pub(crate) draft: String,
    /// What the host has not been seen to take.
    pub(crate) unsent: Vec<Unsent>,
}

impl Typed for KeptChat {
    const KEPT: &'static str = "agents.chats";

    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What is kept under that name.
pub(crate) fn load<T: Typed>(name: &str) -> Option<T> {
    Keep::Tab.get::<BTreeMap<String, T>>(T::KEPT)?.remove(name)
}

/// Keeps it in the browser.
pub(crate) fn save<T: Typed>(name: &str, typed: T) {
    let mut all = Keep::Tab.get(T::KEPT).unwrap_or_default();
    put(&mut all, name, typed);
    if all.is_empty() { Keep::Tab.remove(T::KEPT) } else { Keep::Tab.put(T::KEPT, &all) }
}

fn put<T: Typed>(all: &mut BTreeMap<String, T>, name: &str, typed: T) {
    all.remove(name);
    if typed.is_empty() {
        return;
    }
    while all.len() >= KEPT_MAX {
        all.pop_first();
    }
    all.insert(name.to_owned(), typed);
}

/// The host has taken a message to a conversation; what was written since stays.
pub(crate) fn written_taken(conversation: &str, client_id: &str) {
    if load::<Unsent>(conversation).is_some_and(|it| it.client_id == client_id) {
        save(conversation, Unsent::default());
    }
}

impl KeptChat {
    /// Under which name it is kept.
    pub(crate) fn name(seat: &Seat) -> String {
        format!("{}/{}", seat.project, seat.agent)
    }

    /// The host has taken a message of a chat that is no longer open.
    pub(crate) fn taken(seat: &Seat, client_id: &str) {
        let mut kept: Self = load(&Self::name(seat)).unwrap_or_default();
        kept.unsent.retain(|it| it.client_id != client_id);
        save(&Self::name(seat), kept);
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
        assert_eq!(all.len(), KEPT_MAX);
        assert!(all.get("c_099") == Some(typed));
        put(&mut all, "c_099", T::default());
        assert!(!all.contains_key("c_099"), "nothing is left of what was sent");
    }

    #[test]
    fn keeps_drafts_by_name_up_to_limit() {
        let content = "あ".to_owned();
        keeps_so_many_and_nothing_of_nothing(&KeptChat {
            draft: content.clone(),
            unsent: Vec::new(),
        });
        keeps_so_many_and_nothing_of_nothing(&Unsent { content, client_id: "1".to_owned() });
    }
}
