//! Reports the progress of a long call.

use crate::bindings::madoguchi::tool::progress;

/// Reports that `done` of `total`, if known, is done; `message` describes the current step.
pub fn report(done: impl Into<f64>, total: Option<f64>, message: Option<&str>) {
    progress::report(done.into(), total, message);
}
