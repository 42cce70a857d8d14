//! Every limit of one call, with its default, in one place.

use serde::{Deserialize, Serialize};

/// What one component may use. Each field can be set in `[components.NAME.limits]`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Linear memory of one instance, in bytes.
    pub memory_bytes_max: usize,
    /// Time on a processor that one call may take, in milliseconds.
    pub cpu_ms_max: u64,
    /// Time that one round of a call may take, waiting for capabilities included, in milliseconds.
    pub deadline_ms: u64,
    /// Bytes that may cross the border in one go, results and arguments of capabilities alike.
    pub output_bytes_max: usize,
    /// Bytes that one call may write to the log and to its standard error; the rest is dropped.
    pub log_bytes_max: usize,
    /// Elements of one instance's tables.
    pub table_elements_max: usize,
    /// Resources of the host that one instance may hold at a time.
    pub handles_max: usize,
    /// Progress notes of one call; the rest is dropped.
    pub progress_max: u32,
    /// Calls that run at a time.
    pub calls_max: usize,
    /// Calls that may wait for their turn; one more is answered `busy` at once.
    pub queue_max: usize,
    /// Time that a call may spend in `wait`, in milliseconds.
    pub wait_ms_max: u64,
    /// Calls that may be in `wait` at a time.
    pub waiters_max: usize,
    /// Events that one call may publish; the rest is dropped.
    pub events_max: u32,
    /// Bytes of blobs that one call may make.
    pub blob_bytes_max: u64,
    /// Bytes that the component's database may have.
    pub database_bytes_max: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory_bytes_max: 64 << 20,
            cpu_ms_max: 2_000,
            deadline_ms: 30_000,
            output_bytes_max: 8 << 20,
            log_bytes_max: 64 << 10,
            table_elements_max: 20_000,
            handles_max: 256,
            progress_max: 1_000,
            calls_max: 64,
            queue_max: 1_024,
            wait_ms_max: 60_000,
            waiters_max: 256,
            events_max: 256,
            blob_bytes_max: 32 << 20,
            database_bytes_max: 256 << 20,
        }
    }
}
