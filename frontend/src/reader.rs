//! The data that this browser stores about its reader, and its removal from every window, storage and memory.

use std::pin::pin;
use std::time::Duration;

use futures::future::{join, select};
use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::StorageEvent;

use crate::access;
use crate::browser::{self, Keep};
use crate::chat::album;
use crate::page::{Admission, page};
use crate::text::{self, Key};

/// Storage key that notifies other windows, and this one after the reload. Its value is whether the reader signed out.
const FORGOTTEN: &str = "forgotten";
/// How long the page waits for the host to be notified.
const PATIENCE: Duration = Duration::from_secs(3);

/// What remains when all is cleared: settings and credentials.
pub(crate) const PERMANENT: Key = Key::PreferencesOwn;

/// The category of a stored name.
pub(crate) fn kind(name: &str) -> Key {
    match name {
        "language" | "theme" | "motion" | "notices" => PERMANENT,
        _ if is_credential(name) => PERMANENT,
        _ if name == "chat" || name.starts_with("chat.") => Key::PreferencesChats,
        _ => Key::PreferencesTyped,
    }
}

/// Whether the name holds a credential.
fn is_credential(name: &str) -> bool {
    matches!(name, "token" | "operator-key") || name.starts_with("account")
}

/// Follows other windows that forget the reader, and announces what this one did before its reload.
pub(crate) fn follow() {
    let on_storage = |event: StorageEvent| {
        let is_sign_out = event.key().is_some_and(|it| it == Keep::name(FORGOTTEN));
        if let Some(is_out) = event.new_value().filter(|_| is_sign_out) {
            clear(is_out == "true");
            open_anew();
        }
    };
    let _others = window_event_listener(leptos::ev::Custom::new("storage"), on_storage);
    let Some(is_out) = Keep::Tab.get::<bool>(FORGOTTEN) else { return };
    Keep::Tab.remove(FORGOTTEN);
    spawn_local(async move {
        text::load().await;
        page().notify(if is_out { Key::SignedOut } else { Key::PreferencesCleared });
    });
}

/// Forgets the reader who signs out or starts afresh. All windows reload: no state of a view or a family outlives that.
pub(crate) fn forget(is_out: bool) {
    let revocation = is_out.then(access::sign_out);
    if is_out {
        page().admission.set(Admission::Shut);
    }
    Keep::Browser.put(FORGOTTEN, &is_out);
    Keep::Tab.put(FORGOTTEN, &is_out);
    clear(is_out);
    spawn_local(async move {
        let notified = async {
            if let Some(revocation) = revocation {
                revocation.await;
            }
        };
        // A browser that stores no pictures has none to remove.
        let done = pin!(join(album::clear(), notified));
        select(done, pin!(browser::sleep(PATIENCE))).await;
        open_anew();
    });
}

/// Removes the reader's stored data; this window stores nothing from now on.
fn clear(is_out: bool) {
    Keep::shut();
    for keep in [Keep::Browser, Keep::Tab] {
        let goes = |it: &String| kind(it) != PERMANENT || (is_out && is_credential(it));
        // The message shown after the reload.
        let is_notice = |it: &String| matches!(keep, Keep::Tab) && it == FORGOTTEN;
        let names = keep.names().into_iter().filter(|it| goes(it) && !is_notice(it));
        names.for_each(|it| keep.remove(&it));
    }
}

fn open_anew() {
    let _ = window().location().reload();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clearing_keeps_credentials_and_settings() {
        for name in ["language", "theme", "motion", "notices", "token", "operator-key", "account"] {
            assert_eq!(kind(name), PERMANENT, "{name}");
        }
        assert_eq!(kind("chat.abc"), Key::PreferencesChats);
        for name in ["draft.echo", "name", "tools", "forgotten", "form.abc"] {
            assert_eq!(kind(name), Key::PreferencesTyped, "{name}");
        }
    }

    #[test]
    fn recognises_credentials_removed_at_sign_out() {
        assert!(
            ["token", "operator-key", "account", "account.begun"]
                .iter()
                .all(|it| is_credential(it))
        );
        assert!(!["language", "theme", "motion", "notices"].iter().any(|it| is_credential(it)));
    }
}
