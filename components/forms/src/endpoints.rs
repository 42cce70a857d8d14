//! What it answers to `GET /api/forms/…`: the look-ups of forms.

use serde_json::Value;
use toolkit::endpoints::{Failure, Request};

/// One look-up: somewhere else's, or one of the demo's.
///
/// # Errors
/// As the look-up, or when nothing is served there.
pub fn get(request: &Request) -> Result<Value, Failure> {
    match request.path.as_str() {
        "lookup" => crate::lookup::get(request),
        path if path.starts_with("demo/") => crate::demo::get(request),
        _ => Err(Failure::NotFound),
    }
}
