//! The token with which the page calls, where the operator wants one: asked for when the host
//! refuses to answer without, kept in this tab and nowhere else.

use std::cell::RefCell;

use crate::browser::Keep;

/// Where the tab keeps it.
const KEPT: &str = "token";
/// Longer than any token of ours or of a well-known provider.
const BYTES_MAX: usize = 8 << 10;

type Refused = Box<dyn Fn()>;

thread_local! {
    static TOKEN: RefCell<Option<String>> = const { RefCell::new(None) };
    static WHEN_REFUSED: RefCell<Option<Refused>> = const { RefCell::new(None) };
}

/// Takes up what this tab kept over a reload, and says whom to tell when a token is asked for.
pub(crate) fn open(when_refused: impl Fn() + 'static) {
    TOKEN.set(Keep::Tab.get(KEPT));
    WHEN_REFUSED.set(Some(Box::new(when_refused)));
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

/// Calls without a token again.
pub(crate) fn leave() {
    Keep::Tab.remove(KEPT);
    TOKEN.set(None);
}

/// Whether the page calls with a token.
pub(crate) fn is_entered() -> bool {
    TOKEN.with_borrow(Option::is_some)
}

/// The host refused to answer without a token, or with this one.
pub(crate) fn refused() {
    WHEN_REFUSED.with_borrow(|tell| tell.iter().for_each(|tell| tell()));
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
    fn a_token_is_read_however_it_was_copied() {
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
