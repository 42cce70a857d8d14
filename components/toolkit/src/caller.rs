//! Who calls.

use std::cell::RefCell;

use serde_json::Value;

use crate::bindings::madoguchi::tool::caller;

/// The caller's name; `anonymous` where no token is needed.
#[must_use]
pub fn principal() -> String {
    caller::principal()
}

/// What the caller may do.
#[must_use]
pub fn scopes() -> Vec<String> {
    caller::scopes()
}

/// Where a request's `_meta` names the language of who reads the answer; an [app](crate::apps) knows it, and the client
/// that passes its calls on may not.
const LOCALE: &str = "madoguchi/locale";
/// Bytes that such a name may have.
const LOCALE_BYTES_MAX: usize = 35;

thread_local! {
    /// What the request names.
    static NAMED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Takes note of the language that the request's `_meta` names.
pub(crate) fn hear(meta: &str) {
    // Hardly a request names one.
    let meta: Value = match meta.contains(LOCALE) {
        true => serde_json::from_str(meta).unwrap_or_default(),
        false => Value::Null,
    };
    let is_tag = |tag: &&str| {
        (1..=LOCALE_BYTES_MAX).contains(&tag.len())
            && tag.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-')
    };
    let named = meta[LOCALE].as_str().filter(is_tag).map(str::to_owned);
    NAMED.set(named);
}

/// The caller's language as a BCP 47 tag, if the call has one.
#[must_use]
pub fn locale() -> Option<String> {
    NAMED.with_borrow(Clone::clone).or_else(caller::locale)
}

/// Whether the caller reads Japanese; `unsaid` where they name no language.
#[must_use]
pub fn reads_japanese(unsaid: bool) -> bool {
    locale().map_or(unsaid, |it| it.to_lowercase().starts_with("ja"))
}

/// Where this server's page is, for a person to be sent to, without a slash at the end.
#[must_use]
pub fn page() -> Option<String> {
    caller::page()
}

/// The client's capabilities, as MCP has them: an object.
#[must_use]
pub fn client_capabilities() -> Value {
    serde_json::from_str(&caller::client_capabilities()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_that_a_request_names_counts_for_its_call_alone() {
        let named = || NAMED.with_borrow(Clone::clone);
        hear(r#"{"madoguchi/locale":"en-GB"}"#);
        assert_eq!(named().as_deref(), Some("en-GB"));
        for none in ["{}", "", r#"{"madoguchi/locale":"en\n"}"#, r#"{"madoguchi/locale":7}"#] {
            hear(none);
            assert_eq!(named(), None, "{none}");
        }
    }
}
