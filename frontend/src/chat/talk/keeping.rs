//! Stored conversations: restored after a reload, opened, renamed, removed (ILL-46).

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::Talk;
use crate::browser::{self, Keep};
use crate::chat::album;
use crate::chat::storage::{self, SAVED_CHATS, SavedChats};
use crate::chat::thread::{TITLE_MAX, Thread};
use crate::history;
use crate::page::page;
use crate::route::Route;
use crate::text::Key;

impl Talk {
    /// Restores the stored state.
    pub(super) fn restore(self) {
        let saved_chats = SavedChats::load();
        let open = saved_chats.open.clone();
        self.saved_chats.set(saved_chats);
        self.load_draft();
        match open.and_then(|it| storage::load(&it)) {
            Some(thread) => self.show(thread),
            None => self.show(Thread::new(browser::unique(), None)),
        }
    }

    /// Handles a storage change by another window.
    pub(super) fn on_storage_change(self, name: &str) {
        if name == Keep::name(SAVED_CHATS) {
            self.change_saved(|_| {});
        } else if name == Keep::name(&storage::place(&self.id())) {
            self.catch_up();
        }
    }

    /// Takes over the state stored by another window, unless this window has unsaved changes. An answer arriving there
    /// is taken over once complete.
    pub(super) fn catch_up(self) {
        if self.has_changed() || self.thread.with_untracked(Thread::is_running) {
            return;
        }
        if let Some(thread) = storage::stored(&self.id()).filter(|it| !it.is_running()) {
            self.show(thread);
        }
    }

    fn id(self) -> String {
        self.thread.with_untracked(|it| it.id.clone())
    }

    /// Whether the conversation differs from its last loaded or stored state.
    fn has_changed(self) -> bool {
        self.thread.with_untracked(|now| self.saved.with_value(|it| it != now))
    }

    /// Marks the conversation as stored.
    fn mark_saved(self) {
        self.saved.set_value(self.thread.get_untracked());
    }

    /// Changes the stored summaries, reloading them first: another window may have changed them.
    fn change_saved(self, change: impl FnOnce(&mut SavedChats)) {
        self.saved_chats.update(|chats| {
            *chats = SavedChats::load();
            change(chats);
        });
    }

    fn show(self, thread: Thread) {
        self.thread.set(thread);
        self.mark_saved();
        self.load_pictures();
    }

    /// Stores the open conversation if it has changed.
    pub(crate) fn keep(self) {
        if self.has_changed() {
            self.keep_as(self.thread.get_untracked());
            self.mark_saved();
        }
    }

    /// Stores the conversation before the page goes; a running answer ends.
    pub(super) fn keep_last(self) {
        if self.has_changed() || self.thread.with_untracked(Thread::is_running) {
            let mut thread = self.thread.get_untracked();
            thread.wake();
            self.keep_as(thread);
        }
    }

    /// Stores the conversation. If another window has continued it, this state becomes a conversation of its own.
    fn keep_as(self, mut thread: Thread) {
        let id = thread.id.clone();
        self.change_saved(|chats| {
            if storage::keep(chats, &thread) {
                thread.id = browser::unique();
                storage::keep(chats, &thread);
            }
            chats.open = Some(thread.id.clone());
            chats.save();
        });
        if thread.id != id {
            // The address belongs to the other state.
            if Route::parse(&browser::hash()) == Route::Chat(Some(id)) {
                history::replace_hash(&Route::Chat(Some(thread.id.clone())).hash());
            }
            self.thread.update(|it| it.id = thread.id);
            page().notify(Key::ChatParted);
        }
    }

    /// Stores the pictures of the last question and its answer.
    pub(super) fn keep_pictures(self) {
        let mut last = self.thread.get_untracked();
        last.entries.drain(..last.entries.len().saturating_sub(2));
        let pictures = storage::pictures(&last);
        spawn_local(async move {
            for picture in pictures {
                // If the browser stores none, a placeholder is shown.
                drop(album::keep(&picture).await);
            }
        });
    }

    fn load_pictures(self) {
        let (id, pictures) =
            self.thread.with_untracked(|it| (it.id.clone(), storage::pictures(it)));
        let ids: Vec<String> = pictures.iter().map(|it| it.id.clone()).collect();
        if ids.is_empty() {
            return;
        }
        spawn_local(async move {
            let found = album::load(&ids).await.unwrap_or_default();
            let is_open = self.thread.try_with_untracked(|it| it.id == id) == Some(true);
            if is_open && !found.is_empty() {
                let has_changed = self.has_changed();
                self.thread.update(|thread| {
                    storage::each_picture(thread, |picture| {
                        let data = found.iter().find(|it| it.0 == picture.id);
                        if let Some((_, data)) = data.filter(|_| picture.data.is_none()) {
                            picture.change().data = Some(data.as_str().into());
                        }
                    });
                });
                // The bytes are stored apart from the conversation.
                if !has_changed {
                    self.mark_saved();
                }
            }
        });
    }

    /// Begins a new conversation with the same assistant.
    pub(crate) fn begin(self) {
        self.attempt.give_up();
        self.thread.update(Thread::stop);
        self.keep();
        let assistant = self.thread.with_untracked(|it| it.assistant.clone());
        self.put_back();
        self.show(Thread::new(browser::unique(), assistant));
        self.change_saved(|chats| {
            chats.open = None;
            chats.save();
        });
        page().announce_key(Key::ChatBegun);
        browser::focus_soon("chat-input");
    }

    /// Opens another conversation. Returns whether this browser has it.
    pub(crate) fn open(self, id: &str) -> bool {
        if self.thread.with_untracked(|it| it.id == id) {
            return true;
        }
        let Some(thread) = storage::load(id) else {
            self.change_saved(|it| storage::forget(it, id));
            return false;
        };
        self.attempt.give_up();
        self.thread.update(Thread::stop);
        self.keep();
        self.put_back();
        self.change_saved(|chats| {
            chats.open = Some(id.to_owned());
            chats.save();
        });
        self.show(thread);
        page().announce_key(Key::ChatOpened);
        browser::focus_soon("chat-input");
        true
    }

    /// Renames a conversation.
    pub(crate) fn rename(self, id: &str, title: &str) {
        let title: String = title.trim().chars().take(TITLE_MAX).collect();
        if self.thread.with_untracked(|it| it.id == id) {
            self.thread.update(|it| it.title = title);
            return self.keep();
        }
        if let Some(mut thread) = storage::stored(id) {
            thread.title = title;
            self.change_saved(|chats| {
                storage::keep(chats, &thread);
            });
        }
    }

    /// Removes a conversation and its pictures.
    pub(crate) fn forget(self, id: &str) {
        let is_open = self.thread.with_untracked(|it| it.id == id);
        let thread = if is_open { Some(self.thread.get_untracked()) } else { storage::load(id) };
        let pictures = thread.map(|it| storage::pictures(&it)).unwrap_or_default();
        let ids: Vec<String> = pictures.iter().map(|it| it.id.clone()).collect();
        spawn_local(async move { drop(album::forget(&ids).await) });
        if is_open {
            self.attempt.give_up();
            let assistant = self.thread.with_untracked(|it| it.assistant.clone());
            self.put_back();
            self.show(Thread::new(browser::unique(), assistant));
            if Route::parse(&browser::hash()) == Route::Chat(Some(id.to_owned())) {
                history::replace_hash(&Route::Chat(None).hash());
                page().route.set(Route::Chat(None));
            }
        }
        self.change_saved(|it| storage::forget(it, id));
        page().notify(Key::ChatForgotten);
        browser::focus_soon("chat-input");
    }
}
