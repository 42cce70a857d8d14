//! The access token with which the page calls the host, if the operator requires one. The page asks for it when the
//! host refuses a call without it. A pasted token is kept in this tab only.

use std::cell::RefCell;

use leptos::task::spawn_local;

use crate::browser::Keep;

pub(crate) mod account;

/// Storage key of the token in this tab.
const STORAGE_KEY: &str = "token";
/// Maximum length of a token. No token of ours or of a well-known provider is longer.
const BYTES_MAX: usize = 8 << 10;

/// Called when a token is requested, replaced or removed.
type OnChange = Box<dyn Fn(Change)>;

/// A change of the token that the reader did not cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// The host requires a token, or a different one.
    Refused,
    /// The token was renewed after a call was refused.
    Renewed,
    /// The token is gone: another tab signed out, or the host revoked it.
    Gone,
}

thread_local! {
    static TOKEN: RefCell<Option<String>> = const { RefCell::new(None) };
    static WHEN_CHANGED: RefCell<Option<OnChange>> = const { RefCell::new(None) };
}

/// Restores the token kept by this tab or browser. Returns whether the reader can be admitted at once; false while a
/// returned sign-in code must still be exchanged.
pub(crate) fn open() -> bool {
    let of_account = account::open();
    TOKEN.set(Keep::Tab.get(STORAGE_KEY).or(of_account));
    !account::is_returning()
}

/// Registers the callback for changes of the token.
pub(crate) fn set_on_change(when_changed: impl Fn(Change) + 'static) {
    WHEN_CHANGED.set(Some(Box::new(when_changed)));
}

/// Returns the value of the `Authorization` header, if there is a token.
pub(crate) fn header() -> Option<String> {
    TOKEN.with_borrow(|token| token.as_ref().map(|token| format!("Bearer {token}")))
}

/// Uses this token for all further calls.
pub(crate) fn enter(token: &str) {
    Keep::Tab.put(STORAGE_KEY, &token);
    TOKEN.set(Some(token.to_owned()));
}

/// Uses an account's token for all further calls. The account module stores it, not the tab.
pub(crate) fn enter_by_account(token: String) {
    Keep::Tab.remove(STORAGE_KEY);
    TOKEN.set(Some(token));
}

/// Drops the refused token. An account used by another tab stays signed in.
pub(crate) fn leave() {
    if Keep::Tab.get::<String>(STORAGE_KEY).is_none() {
        return spawn_local(sign_out());
    }
    Keep::Tab.remove(STORAGE_KEY);
    TOKEN.set(None);
}

/// Forgets all credentials of this browser. The returned future tells the host.
pub(crate) fn sign_out() -> impl Future<Output = ()> {
    let notified = account::leave();
    Keep::Tab.remove(STORAGE_KEY);
    TOKEN.set(None);
    notified
}

/// Replaces or removes the account's token and reports `change`. A pasted token stays. A tab that asks for a token is
/// not admitted when another tab signs in: its reader may want to be someone else.
fn renewed(token: Option<String>, change: Option<Change>) {
    if Keep::Tab.get::<String>(STORAGE_KEY).is_some() || !is_entered() {
        return;
    }
    TOKEN.set(token);
    change.into_iter().for_each(notify);
}

fn notify(change: Change) {
    WHEN_CHANGED.with_borrow(|notify| notify.iter().for_each(|notify| notify(change)));
}

/// Whether the page has a token.
pub(crate) fn is_entered() -> bool {
    TOKEN.with_borrow(Option::is_some)
}

/// Handles a call refused for lack of a valid token.
pub(crate) fn refused() {
    let token = TOKEN.with_borrow(Clone::clone);
    let is_pasted = Keep::Tab.get::<String>(STORAGE_KEY).is_some();
    if let Some(token) = token.filter(|_| !is_pasted)
        && account::refused(&token)
    {
        return;
    }
    notify(Change::Refused);
}

/// Extracts a token from pasted text, which may be a whole header line. Returns none if it cannot be a token.
pub(crate) fn read(pasted: &str) -> Option<String> {
    let text = pasted.trim();
    let text = text.strip_prefix("Authorization:").unwrap_or(text).trim_start();
    let text = text.strip_prefix("Bearer ").unwrap_or(text).trim();
    // RFC 6750's b68token; a character beyond it would break the header.
    let fits = |it: char| it.is_ascii_alphanumeric() || "-._~+/=".contains(it);
    let is_token = (1..=BYTES_MAX).contains(&text.len()) && text.chars().all(fits);
    is_token.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_token_with_copied_prefix_or_spaces() {
        for pasted in
            ["mdg_a-b_c", " mdg_a-b_c\n", "Bearer mdg_a-b_c", "Authorization: Bearer mdg_a-b_c"]
        {
            assert_eq!(read(pasted).as_deref(), Some("mdg_a-b_c"), "{pasted:?}");
        }
        for pasted in ["", "   ", "two words", "トークン", "a\r\nb"] {
            assert_eq!(read(pasted), None, "{pasted:?}");
        }
    }
}
