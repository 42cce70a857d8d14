//! Look-ups: not here yet.

use serde_json::Value;
use toolkit::endpoints::{Failure, Request};

/// One look-up.
///
/// # Errors
/// When nothing is served there.
pub fn get(_: &Request) -> Result<Value, Failure> {
    Err(Failure::NotFound)
}
