//! Conversations that come and go: kept over a reload, opened, named, forgotten (ILL-46).

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::Talk;
use crate::browser;
use crate::chat::album;
use crate::chat::kept::{self, SavedChats};
use crate::chat::thread::{TITLE_MAX, Thread};
use crate::text::Key;

impl Talk {
    /// What this browser kept.
    pub(super) fn take_up(self) {
        let saved_chats = SavedChats::load();
        let open = saved_chats.open.clone();
        self.saved_chats.set(saved_chats);
        self.load_draft();
        match open.and_then(|it| kept::load(&it)) {
            Some(thread) => self.show(thread),
            None => self.thread.set(Thread::new(browser::unique(), None)),
        }
    }

    /// No message stays in the page; what is kept is asked for anew.
    pub(crate) fn leave(self) {
        self.give_up();
        self.has_met.set_value(false);
        self.thread.set(Thread::default());
        self.saved_chats.set(SavedChats::default());
        self.draft.set(String::new());
        self.attached.set(Vec::new());
        self.editing.set(None);
    }

    fn show(self, thread: Thread) {
        self.thread.set(thread);
        self.load_pictures();
    }

    /// Keeps the conversation that is open.
    pub(crate) fn keep(self) {
        let thread = self.thread.get_untracked();
        self.saved_chats.update(|it| {
            // Another window may have put something there since.
            *it = SavedChats { open: Some(thread.id.clone()), ..SavedChats::load() };
            kept::keep(it, &thread);
        });
    }

    /// Keeps the pictures of the last question and its answer.
    pub(super) fn keep_pictures(self) {
        let mut last = self.thread.get_untracked();
        last.entries.drain(..last.entries.len().saturating_sub(2));
        let pictures = kept::pictures(&last);
        spawn_local(async move {
            for picture in pictures {
                // A browser that does not keep them shows a place where one was.
                drop(album::keep(&picture).await);
            }
        });
    }

    fn load_pictures(self) {
        let (id, pictures) = self.thread.with_untracked(|it| (it.id.clone(), kept::pictures(it)));
        let ids: Vec<String> = pictures.iter().map(|it| it.id.clone()).collect();
        if ids.is_empty() {
            return;
        }
        spawn_local(async move {
            let found = album::load(&ids).await.unwrap_or_default();
            let is_open = self.thread.try_with_untracked(|it| it.id == id) == Some(true);
            if is_open && !found.is_empty() {
                self.thread.update(|it| {
                    kept::each_picture(it, |picture| {
                        let data = found.iter().find(|it| it.0 == picture.id);
                        if let Some((_, data)) = data.filter(|_| picture.data.is_none()) {
                            picture.change().data = Some(data.as_str().into());
                        }
                    });
                });
            }
        });
    }

    /// Begins another conversation, with the same assistant.
    pub(crate) fn begin(self) {
        self.give_up();
        self.thread.update(Thread::stop);
        self.keep();
        let assistant = self.thread.with_untracked(|it| it.assistant.clone());
        self.editing.set(None);
        self.thread.set(Thread::new(browser::unique(), assistant));
        self.saved_chats.update(|it| {
            it.open = None;
            it.save();
        });
        self.page.announce_key(Key::ChatBegun);
        browser::focus_soon("chat-input");
    }

    /// Opens another conversation; whether this browser has it.
    pub(crate) fn open(self, id: &str) -> bool {
        if self.thread.with_untracked(|it| it.id == id) {
            return true;
        }
        let Some(thread) = kept::load(id) else {
            self.saved_chats.update(|it| kept::forget(it, id));
            return false;
        };
        self.give_up();
        self.thread.update(Thread::stop);
        self.keep();
        self.editing.set(None);
        self.saved_chats.update(|it| {
            it.open = Some(id.to_owned());
            it.save();
        });
        self.show(thread);
        self.page.announce_key(Key::ChatOpened);
        browser::focus_soon("chat-input");
        true
    }

    /// Calls a conversation otherwise.
    pub(crate) fn rename(self, id: &str, title: &str) {
        let title: String = title.trim().chars().take(TITLE_MAX).collect();
        if self.thread.with_untracked(|it| it.id == id) {
            self.thread.update(|it| it.title = title);
            return self.keep();
        }
        if let Some(mut thread) = kept::load(id) {
            thread.title = title;
            self.saved_chats.update(|it| kept::keep(it, &thread));
        }
    }

    /// Forgets a conversation and its pictures.
    pub(crate) fn forget(self, id: &str) {
        let is_open = self.thread.with_untracked(|it| it.id == id);
        let thread = if is_open { Some(self.thread.get_untracked()) } else { kept::load(id) };
        let pictures = thread.map(|it| kept::pictures(&it)).unwrap_or_default();
        let ids: Vec<String> = pictures.iter().map(|it| it.id.clone()).collect();
        spawn_local(async move { drop(album::forget(&ids).await) });
        if is_open {
            self.give_up();
            let assistant = self.thread.with_untracked(|it| it.assistant.clone());
            self.editing.set(None);
            self.thread.set(Thread::new(browser::unique(), assistant));
        }
        self.saved_chats.update(|it| kept::forget(it, id));
        self.page.notify(Key::ChatForgotten);
        browser::focus_soon("chat-input");
    }
}
