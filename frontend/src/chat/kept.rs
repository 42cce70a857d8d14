//! Conversations over a reload: the last 20 turns of each in this browser, without what is heavy (ILL-46).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::entry::{Body, Entry, Piece, State, Waiting};
use super::thread::Thread;
use crate::browser::Keep;
use crate::cards::picture::{Picture, Shared};

/// Turns of one conversation that are kept: a question and its answer each.
pub(crate) const TURNS_MAX: usize = 20;
/// Conversations that are kept.
pub(crate) const THREADS_MAX: usize = 10;
/// Characters of what one call put out.
const RESULT_MAX: usize = 96 << 10;
/// Characters of one conversation: browsers give an origin about five million.
const THREAD_MAX: usize = 350 << 10;

/// What is known of a conversation without reading it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Head {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) at_ms: u64,
    /// The approval by which it asks the reader something, or nothing where no list of the host's has it; none where it
    /// asks nothing. The front door reads it.
    pub(crate) asks: Option<String>,
}

/// All conversations that are kept, the latest first, and the one that was open.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SavedChats {
    pub(crate) heads: Vec<Head>,
    pub(crate) open: Option<String>,
}

pub(crate) const SAVED_CHATS: &str = "chat";
/// What stands in the composer, in this tab.
pub(crate) const DRAFT: &str = "chat.draft";

/// Under what a conversation is kept.
pub(crate) fn place(id: &str) -> String {
    format!("chat.{id}")
}

impl SavedChats {
    /// What this browser has.
    pub(crate) fn load() -> Self {
        Keep::Browser.get(SAVED_CHATS).unwrap_or_default()
    }

    /// Puts a conversation away; gives those that found no place any more. Nothing where another window has spoken in
    /// it since: what is kept is newer.
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

    /// The conversations whose name has these words in it.
    pub(crate) fn found(&self, words: &str) -> Vec<Head> {
        let words = words.trim().to_lowercase();
        let fits = |it: &&Head| it.name.to_lowercase().contains(&words);
        self.heads.iter().filter(fits).cloned().collect()
    }

    pub(crate) fn save(&self) {
        Keep::Browser.put(SAVED_CHATS, self);
    }
}

/// Keeps a conversation, unless a newer state of it is kept; an empty one is not worth it. Whether what was said last
/// is lost by that: another window has gone on with the conversation and knows nothing of it.
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

/// Whether what was said last in `thread` is in this state of it, too.
pub(crate) fn has_last_of(state: &Thread, thread: &Thread) -> bool {
    let last = thread.entries.last();
    last.is_none_or(|last| state.entries.iter().any(|it| it.at_ms == last.at_ms))
}

/// The conversation of that name, to be gone on with.
pub(crate) fn load(id: &str) -> Option<Thread> {
    let mut thread = stored(id)?;
    thread.wake();
    Some(thread)
}

/// The conversation of that name as it is kept: its answer may be on its way to another window.
pub(crate) fn stored(id: &str) -> Option<Thread> {
    Keep::Browser.get(&place(id))
}

/// Forgets a conversation.
pub(crate) fn forget(saved_chats: &mut SavedChats, id: &str) {
    saved_chats.heads.retain(|it| it.id != id);
    saved_chats.open = saved_chats.open.take().filter(|it| it != id);
    Keep::Browser.remove(&place(id));
    saved_chats.save();
}

/// The conversation less what is too much to keep, the oldest results first.
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

/// Takes out what calls put out beyond so many characters.
fn cut_results(entry: &mut Shared<Entry>, max: usize) {
    let is_heavy = |piece: &Piece| match piece {
        Piece::Call(card) => card.came().is_some_and(|came| !came.is_cut && length(came) > max),
        _ => false,
    };
    if !entry.turn().is_some_and(|it| it.pieces.iter().any(is_heavy)) {
        return;
    }
    let Body::Answered(turn) = &mut entry.change().body else { return };
    for piece in turn.pieces.iter_mut().filter(|it| is_heavy(it)) {
        if let Piece::Call(card) = piece
            && let State::Done(came) = &mut card.change().state
        {
            came.result = Value::Null;
            came.meta = Value::Null;
            came.text = came.text.chars().take(max.min(400)).collect();
            came.is_cut = true;
        }
    }
}

/// Runs over every picture of a conversation, to give it its bytes or to keep them.
pub(crate) fn each_picture(thread: &mut Thread, mut visit: impl FnMut(&mut Shared<Picture>)) {
    for entry in &mut thread.entries {
        match &mut entry.change().body {
            Body::Asked(asked) => asked.pictures.iter_mut().for_each(&mut visit),
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
