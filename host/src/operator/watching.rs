//! What the operator watches: the counters and the last lines of the audit log.

/// The one place where metrics and the audit log are plugged in: fields here, filled in by
/// `server.rs`, and the two functions below.
#[derive(Clone, Default)]
pub(crate) struct Watching {}

impl Watching {
    /// All counters, in the format that Prometheus reads; none where nothing counts.
    pub(crate) fn metrics(&self) -> Option<String> {
        None
    }

    /// The last `lines` lines of the audit log; none where there is no such log.
    pub(crate) fn audit(&self, _lines: usize) -> Option<Vec<String>> {
        None
    }
}
