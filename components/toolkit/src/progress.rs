//! Tells the caller how far along a long call is.

use crate::bindings::madoguchi::tool::progress;

/// So much is done of `total`, if the total is known; `message` says what is being done.
pub fn report(done: impl Into<f64>, total: Option<f64>, message: Option<&str>) {
    progress::report(done.into(), total, message);
}
