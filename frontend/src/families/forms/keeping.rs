//! Drafts stored in this browser: their list, and the choice between two drafts.

use output::form::{OpenForm, Values};
use serde::{Deserialize, Serialize};

use crate::browser::Keep;

/// Maximum number of stored drafts; the oldest is dropped first.
const FORMS_MAX: usize = 20;
/// Maximum size of one draft in bytes, as JSON.
const BYTES_MAX: usize = 256 << 10;
/// Storage key of the list.
const HANDLES: &str = "forms";

/// A draft in this browser.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct StoredDraft {
    pub(crate) values: Values,
    pub(crate) labels: Values,
    /// The host's revision that it is based on.
    pub(crate) revision: u32,
    /// Whether the host has it, too.
    pub(crate) is_saved: bool,
}

/// Initial values of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// The form's defaults.
    Fresh,
    /// The host's draft.
    Theirs,
    /// This browser's draft, which the host does not have yet.
    Ours,
    /// This browser's draft and a host's draft changed elsewhere: the reader decides.
    Both,
}

/// Selects the newer of two drafts.
pub(crate) fn start(stored: Option<&StoredDraft>, host: &OpenForm) -> Start {
    let theirs = host.draft.as_ref();
    match stored.filter(|it| !it.is_saved) {
        Some(stored) if theirs == Some(&stored.values) => Start::Theirs,
        Some(stored) if theirs.is_some() && host.revision > stored.revision => Start::Both,
        Some(_) => Start::Ours,
        None if theirs.is_some() => Start::Theirs,
        None => Start::Fresh,
    }
}

/// Storage key of the forms that chats of this browser ask.
const ASKED: &str = "forms.asked";
/// Maximum number of them; the tool takes 200.
const ASKED_MAX: usize = 100;

/// The forms that chats of this browser ask, which others do not see.
pub(crate) fn asked() -> Vec<String> {
    Keep::Browser.get(ASKED).unwrap_or_default()
}

/// Notes that a chat of this browser asks the form.
pub(crate) fn note_asked(handle: &str) {
    let mut handles = asked();
    if !handles.iter().any(|it| it == handle) {
        move_to_end(&mut handles, handle, ASKED_MAX);
        Keep::Browser.put(ASKED, &handles);
    }
}

/// The draft of a form, if this browser has one.
pub(crate) fn find(handle: &str) -> Option<StoredDraft> {
    Keep::Browser.get(&name(handle))
}

/// Stores a draft; one that is too long is left to the host.
pub(crate) fn put(handle: &str, stored: &StoredDraft) -> bool {
    let is_short = serde_json::to_string(stored).is_ok_and(|it| it.len() <= BYTES_MAX);
    if !is_short {
        forget(handle);
        return false;
    }
    let mut handles = handles();
    let dropped = move_to_end(&mut handles, handle, FORMS_MAX);
    dropped.iter().for_each(|it| Keep::Browser.remove(&name(it)));
    Keep::Browser.put(HANDLES, &handles);
    Keep::Browser.put(&name(handle), stored);
    true
}

/// Takes the values typed here when another person sent the form. They are complete once the form's fields are gone,
/// because fields store their values as they go.
pub(crate) fn take_other(sent: &OpenForm) -> Option<Values> {
    let typed = find(&sent.handle).map(|it| it.values);
    forget(&sent.handle);
    typed.filter(|it| Some(it) != sent.values.as_ref())
}

/// Removes the draft of a sent form.
pub(crate) fn forget(handle: &str) {
    Keep::Browser.remove(&name(handle));
    let mut handles = handles();
    handles.retain(|it| it != handle);
    if handles.is_empty() {
        Keep::Browser.remove(HANDLES)
    } else {
        Keep::Browser.put(HANDLES, &handles)
    }
}

fn name(handle: &str) -> String {
    format!("form.{handle}")
}

fn handles() -> Vec<String> {
    Keep::Browser.get(HANDLES).unwrap_or_default()
}

/// Moves a form to the end of the list. Returns the dropped ones.
fn move_to_end(handles: &mut Vec<String>, handle: &str, max: usize) -> Vec<String> {
    handles.retain(|it| it != handle);
    handles.push(handle.to_owned());
    let too_many = handles.len().saturating_sub(max);
    handles.drain(..too_many).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn values(text: &str) -> Values {
        Values::from_iter([("a".to_owned(), json!(text))])
    }

    fn host(draft: Option<&str>, revision: u32) -> OpenForm {
        OpenForm { draft: draft.map(values), revision, ..OpenForm::default() }
    }

    fn stored(text: &str, revision: u32, is_saved: bool) -> StoredDraft {
        StoredDraft { values: values(text), revision, is_saved, ..StoredDraft::default() }
    }

    #[test]
    fn takes_newer_of_two_drafts() {
        assert_eq!(start(None, &host(None, 0)), Start::Fresh);
        assert_eq!(start(None, &host(Some("host"), 3)), Start::Theirs);
        // The host had everything; its current state is as new or newer.
        assert_eq!(start(Some(&stored("mine", 3, true)), &host(Some("host"), 4)), Start::Theirs);
        // Typed after the last save, while offline.
        assert_eq!(start(Some(&stored("mine", 3, false)), &host(Some("host"), 3)), Start::Ours);
        assert_eq!(start(Some(&stored("mine", 0, false)), &host(None, 0)), Start::Ours);
    }

    #[test]
    fn reader_chooses_between_diverged_drafts() {
        let mine = stored("mine", 3, false);
        assert_eq!(start(Some(&mine), &host(Some("host"), 4)), Start::Both);
        assert_eq!(start(Some(&mine), &host(Some("mine"), 4)), Start::Theirs);
    }

    #[test]
    fn keeps_local_draft_if_host_lost_its_own() {
        assert_eq!(start(Some(&stored("mine", 9, false)), &host(None, 0)), Start::Ours);
    }

    #[test]
    fn drops_oldest_of_too_many_drafts() {
        let mut handles = Vec::new();
        for number in 0..FORMS_MAX {
            assert!(move_to_end(&mut handles, &number.to_string(), FORMS_MAX).is_empty());
        }
        assert!(
            move_to_end(&mut handles, "0", FORMS_MAX).is_empty(),
            "one that is there is only moved"
        );
        assert_eq!(move_to_end(&mut handles, "new", FORMS_MAX), ["1"]);
        assert_eq!(handles.len(), FORMS_MAX);
    }
}
