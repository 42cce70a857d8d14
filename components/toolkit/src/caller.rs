//! Who calls.

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

/// The caller's language as a BCP 47 tag, if the call has one.
#[must_use]
pub fn locale() -> Option<String> {
    caller::locale()
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
