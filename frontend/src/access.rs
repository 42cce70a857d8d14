//! The token with which the page calls, where the operator wants one: asked for when the host refuses to answer
//! without. One that was pasted is kept in this tab and nowhere else.

use std::cell::RefCell;

use leptos::task::spawn_local;

use crate::browser::Keep;

pub(crate) mod account;

/// Where the tab keeps it.
const KEPT: &str = "token";
/// Longer than any token of ours or of a well-known provider.
const BYTES_MAX: usize = 8 << 10;

/// Whom to tell: that a token is asked for, or that there is another one now, or none any more.
type Tell = Box<dyn Fn(Change)>;

/// What becomes of the token without the reader's doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// The host wants one, or another.
    Refused,
    /// It was renewed after a call was refused.
    Renewed,
    /// It is gone: another tab has signed out, or the host took it back.
    Gone,
}

thread_local! {
    static TOKEN: RefCell<Option<String>> = const { RefCell::new(None) };
    static WHEN_CHANGED: RefCell<Option<Tell>> = const { RefCell::new(None) };
}

/// Takes up what this tab or this browser kept. Whether the reader can be let in at once; not where what they come
/// with has to be exchanged first.
pub(crate) fn open() -> bool {
    let of_account = account::open();
    TOKEN.set(Keep::Tab.get(KEPT).or(of_account));
    !account::is_returning()
}

/// Says whom to tell of what becomes of the token.
pub(crate) fn tell_when_changed(when_changed: impl Fn(Change) + 'static) {
    WHEN_CHANGED.set(Some(Box::new(when_changed)));
}

/// What goes into the header `Authorization`, if anything.
pub(crate) fn header() -> Option<String> {
    TOKEN.with_borrow(|token| token.as_ref().map(|token| format!("Bearer {token}")))
}

/// Calls with this token from now on.
pub(crate) fn enter(token: &str) {
    Keep::Tab.put(KEPT, &token);
    TOKEN.set(Some(token.to_owned()));
}

/// Calls with a token of an account from now on, which is kept elsewhere.
pub(crate) fn enter_by_account(token: String) {
    Keep::Tab.remove(KEPT);
    TOKEN.set(Some(token));
}

/// Calls without the token that was refused. An account that another tab is in by stays.
pub(crate) fn leave() {
    if Keep::Tab.get::<String>(KEPT).is_none() {
        return spawn_local(sign_out());
    }
    Keep::Tab.remove(KEPT);
    TOKEN.set(None);
}

/// Forgets all by which this browser was let in; what is returned tells the host so.
pub(crate) fn sign_out() -> impl Future<Output = ()> {
    let told = account::leave();
    Keep::Tab.remove(KEPT);
    TOKEN.set(None);
    told
}

/// The account's token is another one now, or none; `change` is what that means. One that was pasted stays, and a tab
/// that waits at the door is not let in by another's signing in: its reader may want to be someone else.
fn renewed(token: Option<String>, change: Option<Change>) {
    if Keep::Tab.get::<String>(KEPT).is_some() || !is_entered() {
        return;
    }
    TOKEN.set(token);
    change.into_iter().for_each(tell);
}

fn tell(change: Change) {
    WHEN_CHANGED.with_borrow(|tell| tell.iter().for_each(|tell| tell(change)));
}

/// Whether the page calls with a token.
pub(crate) fn is_entered() -> bool {
    TOKEN.with_borrow(Option::is_some)
}

/// The host refused to answer without a token, or with this one.
pub(crate) fn refused() {
    let token = TOKEN.with_borrow(Clone::clone);
    let is_pasted = Keep::Tab.get::<String>(KEPT).is_some();
    if let Some(token) = token.filter(|_| !is_pasted)
        && account::refused(&token)
    {
        return;
    }
    tell(Change::Refused);
}

/// What was pasted, as a token; none where it cannot be one. A header line pasted whole will do.
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
