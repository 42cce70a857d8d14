//! The caller of the current call.

use std::cell::RefCell;

use serde_json::Value;

use crate::bindings::madoguchi::tool::caller;

/// Name of the caller; `anonymous` without a token.
#[must_use]
pub fn principal() -> String {
    caller::principal()
}

/// Scopes of the caller.
#[must_use]
pub fn scopes() -> Vec<String> {
    caller::scopes()
}

/// Key of the reader's language in a request's `_meta`; an [app](crate::apps) knows it, while the
/// client that forwards its calls may not.
const LOCALE: &str = "madoguchi/locale";
/// Maximum bytes of a language tag.
const LOCALE_BYTES_MAX: usize = 35;

thread_local! {
    /// Language of the current request.
    static NAMED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Reads the language from the request's `_meta`.
pub(crate) fn read_locale(meta: &str) {
    // Most requests have none.
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

/// Language of the caller as a BCP 47 tag, if known.
#[must_use]
pub fn locale() -> Option<String> {
    NAMED.with_borrow(Clone::clone).or_else(caller::locale)
}

/// Whether the caller reads Japanese; `unsaid` if their language is unknown.
#[must_use]
pub fn reads_japanese(unsaid: bool) -> bool {
    locale().map_or(unsaid, |it| it.to_lowercase().starts_with("ja"))
}

/// URL of this server's page, without a trailing slash.
#[must_use]
pub fn page() -> Option<String> {
    caller::page()
}

/// Capabilities of the client in MCP's format: an object.
#[must_use]
pub fn client_capabilities() -> Value {
    serde_json::from_str(&caller::client_capabilities()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_locale_applies_to_its_call_only() {
        let named = || NAMED.with_borrow(Clone::clone);
        read_locale(r#"{"madoguchi/locale":"en-GB"}"#);
        assert_eq!(named().as_deref(), Some("en-GB"));
        for none in ["{}", "", r#"{"madoguchi/locale":"en\n"}"#, r#"{"madoguchi/locale":7}"#] {
            read_locale(none);
            assert_eq!(named(), None, "{none}");
        }
    }
}
