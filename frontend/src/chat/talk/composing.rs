//! The composer: a draft that lasts, attached pictures, and editing of an earlier message.

use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen_futures::JsFuture;
use web_sys::{File, FileList};

use super::{Talk, now};
use crate::base64;
use crate::browser::{self, Keep};
use crate::cards::picture::{KINDS, Picture, Shared};
use crate::chat::storage;
use crate::chat::thread::{MESSAGE_MAX, Thread};
use crate::page::page;
use crate::text::{Key, Lang};

/// Maximum number of pictures attached to a message.
pub(crate) const ATTACHED_MAX: usize = 4;
/// Maximum size of one picture in bytes.
const BYTES_MAX: f64 = 5.0 * 1024.0 * 1024.0;

/// Why a file is not attached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refused {
    Kind,
    Size,
    Count,
    Unread,
}

impl Refused {
    /// Checks a file of this kind and size, with `count` others attached.
    fn check(kind: &str, bytes: f64, count: usize) -> Option<Self> {
        match () {
            () if count >= ATTACHED_MAX => Some(Self::Count),
            () if !KINDS.contains(&kind) => Some(Self::Kind),
            () if bytes > BYTES_MAX => Some(Self::Size),
            () => None,
        }
    }

    fn key(self) -> Key {
        match self {
            Self::Kind => Key::ChatAttachKind,
            Self::Size => Key::ChatAttachSize,
            Self::Count => Key::ChatAttachCount,
            Self::Unread => Key::ChatAttachUnread,
        }
    }
}

/// An app's text for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AppText {
    /// Identifies the app.
    pub(crate) number: u32,
    /// The app's title.
    pub(crate) title: String,
    text: String,
}

impl Talk {
    /// Replaces the text of an app; an empty one removes it.
    pub(crate) fn set_app_text(self, number: u32, title: String, text: String) {
        self.apps.update(|messages| {
            messages.retain(|it| it.number != number);
            if !text.is_empty() {
                messages.push(AppText { number, title, text });
            }
        });
    }

    /// Removes the text of an app that is gone or unwanted.
    pub(crate) fn forget_app(self, number: u32) {
        if self.apps.try_with_untracked(|it| it.iter().any(|it| it.number == number)) == Some(true)
        {
            self.apps.try_update(|it| it.retain(|it| it.number != number));
        }
    }

    /// Appends the texts of apps to a message, once each, as far as they fit.
    pub(super) fn with_apps(self, mut text: String) -> String {
        let lang = Lang::now();
        for app in self.apps.try_update(std::mem::take).unwrap_or_default() {
            let more = format!("\n\n{}\n{}", lang.fill(Key::AppTold, &[&app.title]), app.text);
            if text.chars().count() + more.chars().count() <= MESSAGE_MAX {
                text.push_str(&more);
            }
        }
        text
    }

    /// Loads the draft of this conversation in this tab.
    pub(super) fn load_draft(self) {
        let draft: Option<String> = Keep::Tab.get(storage::DRAFT);
        self.draft.set(draft.unwrap_or_default());
    }

    /// Stores the draft over a reload.
    pub(crate) fn keep_draft(self) {
        // An edited message is stored with the conversation.
        if self.editing.get_untracked().is_some() {
            return;
        }
        let draft = self.draft.get_untracked();
        if draft.is_empty() {
            Keep::Tab.remove(storage::DRAFT);
        } else {
            Keep::Tab.put(storage::DRAFT, &draft);
        }
    }

    /// Puts an earlier message into the composer for editing.
    pub(crate) fn edit(self, id: u64) {
        if self.thread.with_untracked(Thread::is_running) {
            return;
        }
        let message = self.thread.with_untracked(|it| it.clone().cut(id));
        if let Some(message) = message {
            // The draft is restored afterwards; it is already set aside if another message was being edited.
            if self.editing.get_untracked().is_none() {
                self.aside.set_value((self.draft.get_untracked(), self.attached.get_untracked()));
            }
            self.draft.set(message.text);
            self.attached.set(message.pictures);
            self.editing.set(Some(id));
            page().announce_key(self.editing_key(id));
            browser::focus_soon("chat-input");
        }
    }

    /// The text that explains what sending the edited message removes and does not undo.
    pub(crate) fn editing_key(self, id: u64) -> Key {
        let has_acted = untrack(|| self.thread.with(|it| it.has_acted_since(id)));
        if has_acted { Key::ChatEditingActed } else { Key::ChatEditing }
    }

    /// Cancels editing; the earlier message stays.
    pub(crate) fn stop_editing(self) {
        self.put_back();
        browser::focus_soon("chat-input");
    }

    /// Ends editing and restores the draft.
    pub(super) fn put_back(self) {
        if self.editing.get_untracked().is_none() {
            return;
        }
        self.editing.set(None);
        let (draft, attached) = self.aside.try_update_value(std::mem::take).unwrap_or_default();
        self.draft.set(draft);
        self.attached.set(attached);
        self.keep_draft();
    }

    /// Attaches pictures, and reports files that are not accepted.
    pub(crate) fn attach(self, files: &FileList) {
        for file in (0..files.length().min(20)).filter_map(|it| files.get(it)) {
            spawn_local(async move {
                if let Err(refused) = self.attach_one(&file).await {
                    page().notify(refused.key());
                }
            });
        }
    }

    async fn attach_one(self, file: &File) -> Result<(), Refused> {
        let count = self.attached.with_untracked(Vec::len);
        if let Some(refused) = Refused::check(&file.type_(), file.size(), count) {
            return Err(refused);
        }
        let bytes = JsFuture::from(file.array_buffer()).await.map_err(|_| Refused::Unread)?;
        let data = base64::encoded(&js_sys::Uint8Array::new(&bytes).to_vec());
        let id = format!("{:015}-{}", now(), browser::unique());
        let picture = Picture::new(id, &file.type_(), &data, &file.name(), now());
        let picture = picture.map(Shared::new).ok_or(Refused::Unread)?;
        // Others may have been attached while this one was read.
        let is_taken = self.attached.try_update(|attached| {
            let fits = attached.len() < ATTACHED_MAX;
            if fits {
                attached.push(picture);
            }
            fits
        });
        if is_taken == Some(true) { Ok(()) } else { Err(Refused::Count) }
    }

    /// Removes an attached picture.
    pub(crate) fn detach(self, id: &str) {
        self.attached.update(|it| it.retain(|it| it.id != id));
        browser::focus_soon("chat-input");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attaches_only_a_few_small_pictures() {
        assert_eq!(Refused::check("image/png", 10.0, 0), None);
        assert_eq!(Refused::check("image/svg+xml", 10.0, 0), Some(Refused::Kind));
        assert_eq!(Refused::check("image/webp", BYTES_MAX + 1.0, 0), Some(Refused::Size));
        assert_eq!(Refused::check("image/gif", 10.0, ATTACHED_MAX), Some(Refused::Count));
    }
}
