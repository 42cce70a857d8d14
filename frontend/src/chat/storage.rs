//! Stored conversations: the last 20 turns of each in this browser, without large content (ILL-46).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::entry::{Body, Entry, Piece, State, ToolCard, Waiting};
use super::thread::Thread;
use crate::browser::Keep;
use crate::cards::picture::{Picture, Shared};
use crate::text::folded;

/// Maximum number of stored turns of a conversation, each a question and its answer.
pub(crate) const TURNS_MAX: usize = 20;
/// Maximum number of stored conversations.
pub(crate) const THREADS_MAX: usize = 10;
/// Maximum size of one call's output in bytes, as JSON.
const RESULT_MAX: usize = 96 << 10;
/// Maximum size of one conversation in bytes, as JSON: browsers give an origin about five million characters.
const THREAD_MAX: usize = 350 << 10;

/// Summary of a stored conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Head {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) at_ms: u64,
    /// The approval by which it asks the reader; empty if no list of the host's contains it, none if it asks nothing.
    /// The home view reads it.
    pub(crate) asks: Option<String>,
}

/// All stored conversations, latest first, and the open one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SavedChats {
    pub(crate) heads: Vec<Head>,
    pub(crate) open: Option<String>,
}

pub(crate) const SAVED_CHATS: &str = "chat";
/// Storage key of the composer's draft in this tab.
pub(crate) const DRAFT: &str = "chat.draft";

/// Storage key of a conversation.
pub(crate) fn place(id: &str) -> String {
    format!("chat.{id}")
}

impl SavedChats {
    /// Loads the summaries from this browser.
    pub(crate) fn load() -> Self {
        Keep::Browser.get(SAVED_CHATS).unwrap_or_default()
    }

    /// Records a conversation. Returns the summaries that exceeded the limit. Returns none if another window has stored
    /// a newer state.
    pub(crate) fn note(&mut self, thread: &Thread) -> Option<Vec<Head>> {
        if self.heads.iter().any(|it| it.id == thread.id && it.at_ms > thread.at_ms) {
            return None;
        }
        self.heads.retain(|it| it.id != thread.id);
        let head = Head {
            id: thread.id.clone(),
            name: thread.name(),
            at_ms: thread.at_ms,
            asks: thread.asks().map(str::to_owned),
        };
        self.heads.push(head);
        self.heads.sort_by_key(|it| std::cmp::Reverse(it.at_ms));
        Some(self.heads.split_off(self.heads.len().min(THREADS_MAX)))
    }

    /// The conversations whose name contains these words.
    pub(crate) fn found(&self, query: &str) -> Vec<Head> {
        let query = folded(query.trim());
        let fits = |it: &&Head| folded(&it.name).contains(&query);
        self.heads.iter().filter(fits).cloned().collect()
    }

    pub(crate) fn save(&self) {
        Keep::Browser.put(SAVED_CHATS, self);
    }
}

/// Stores a conversation, unless a newer state of it is stored or it is empty. Returns whether its last message would
/// be lost: another window has continued the conversation without it.
pub(crate) fn keep(saved_chats: &mut SavedChats, thread: &Thread) -> bool {
    if thread.is_empty() {
        return false;
    }
    let Some(gone) = saved_chats.note(thread) else {
        return stored(&thread.id).is_some_and(|it| !has_last_of(&it, thread));
    };
    for gone in gone {
        Keep::Browser.remove(&place(&gone.id));
    }
    Keep::Browser.put(&place(&thread.id), &light(thread));
    saved_chats.save();
    false
}

/// Whether `state` contains the last message of `thread`.
pub(crate) fn has_last_of(state: &Thread, thread: &Thread) -> bool {
    let last = thread.entries.last();
    last.is_none_or(|last| state.entries.iter().any(|it| it.at_ms == last.at_ms))
}

/// Loads the conversation of that id for continuing it.
pub(crate) fn load(id: &str) -> Option<Thread> {
    let mut thread = stored(id)?;
    thread.wake();
    Some(thread)
}

/// Loads the conversation of that id as stored: its answer may still be arriving in another window.
pub(crate) fn stored(id: &str) -> Option<Thread> {
    Keep::Browser.get(&place(id))
}

/// Removes a conversation.
pub(crate) fn forget(saved_chats: &mut SavedChats, id: &str) {
    saved_chats.heads.retain(|it| it.id != id);
    saved_chats.open = saved_chats.open.take().filter(|it| it != id);
    Keep::Browser.remove(&place(id));
    saved_chats.save();
}

/// The conversation without content too large to store; the oldest results are dropped first.
pub(crate) fn light(thread: &Thread) -> Thread {
    let mut light = thread.clone();
    let excess = light.entries.len().saturating_sub(2 * TURNS_MAX);
    light.entries.drain(..excess + excess % 2);
    for entry in &mut light.entries {
        cut_results(entry, RESULT_MAX);
    }
    let mut size = length(&light);
    let mut index = 0;
    while size > THREAD_MAX && index < light.entries.len() {
        cut_results(&mut light.entries[index], 0);
        size = length(&light);
        index += 1;
    }
    while size > THREAD_MAX && light.entries.len() > 2 {
        light.entries.drain(..2);
        size = length(&light);
    }
    light
}

fn length(value: &impl Serialize) -> usize {
    serde_json::to_string(value).map_or(0, |it| it.len())
}

/// Removes outputs of calls of more than `max` bytes as JSON; the beginning of their text stays.
fn cut_results(entry: &mut Shared<Entry>, max: usize) {
    let is_heavy = |card: &Shared<ToolCard>| {
        card.outcome().is_some_and(|outcome| !outcome.is_cut && length(outcome) > max)
    };
    if !entry.body.calls().any(is_heavy) {
        return;
    }
    for card in entry.change().body.calls_mut().filter(|it| is_heavy(it)) {
        if let State::Done(outcome) = &mut card.change().state {
            outcome.result = Value::Null;
            outcome.meta = Value::Null;
            outcome.text = outcome.text.chars().take(max.min(400)).collect();
            outcome.is_cut = true;
        }
    }
}

/// Visits every picture of a conversation.
pub(crate) fn each_picture(thread: &mut Thread, mut visit: impl FnMut(&mut Shared<Picture>)) {
    for entry in &mut thread.entries {
        match &mut entry.change().body {
            Body::Asked(message) => message.pictures.iter_mut().for_each(&mut visit),
            Body::Answered(turn) => {
                for piece in &mut turn.pieces {
                    if let Piece::Pictures(list) = piece {
                        list.iter_mut().for_each(&mut visit);
                    }
                }
                for pending in &mut turn.pending {
                    if let Waiting::Choice { pictures, .. } = &mut pending.waiting {
                        pictures.iter_mut().for_each(&mut visit);
                    }
                }
            }
        }
    }
}

/// All pictures of a conversation.
pub(crate) fn pictures(thread: &Thread) -> Vec<Shared<Picture>> {
    let mut all = Vec::new();
    each_picture(&mut thread.clone(), |it| all.push(it.clone()));
    all
}
