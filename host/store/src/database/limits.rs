//! How much of everything one component's database may use: all limits, with their defaults.

use std::time::Duration;

/// The limits of one database.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Statements in one batch. 1,000.
    pub statements_max: usize,
    /// Bytes of one statement's text. 64 KiB.
    pub sql_bytes_max: usize,
    /// Parameters of one statement. 500.
    pub parameters_max: usize,
    /// Bytes of one text, blob or row. 1 MiB.
    pub value_bytes_max: usize,
    /// Bytes of one batch, text and parameters together. 8 MiB.
    pub batch_bytes_max: usize,
    /// Rows that one batch may return. 10,000.
    pub rows_max: usize,
    /// Bytes that one batch may return. 8 MiB.
    pub result_bytes_max: usize,
    /// Bytes of the database file. 256 MiB.
    pub database_bytes_max: u64,
    /// Batches that may wait for the writer; one more is refused as busy. 1,024.
    pub queue_max: usize,
    /// Bytes that may wait for the writer. 64 MiB.
    pub queue_bytes_max: usize,
    /// Batches that one commit may carry. 256.
    pub group_max: usize,
    /// After this long a group takes no further batch, so that a slow one does not delay the
    /// acknowledgement of those before it. 20 ms: five times the fsync that they share.
    pub group_time_max: Duration,
    /// How long one batch may occupy the writer, whatever its deadline. 5 s.
    pub transact_time_max: Duration,
    /// How long all new migrations together may take. 5 min.
    pub migrate_time_max: Duration,
    /// Connections for reading. 4.
    pub readers_max: usize,
    /// How long to wait for a lock that another process holds. 2 s.
    pub lock_time_max: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            statements_max: 1_000,
            sql_bytes_max: 64 << 10,
            parameters_max: 500,
            value_bytes_max: 1 << 20,
            batch_bytes_max: 8 << 20,
            rows_max: 10_000,
            result_bytes_max: 8 << 20,
            database_bytes_max: 256 << 20,
            queue_max: 1_024,
            queue_bytes_max: 64 << 20,
            group_max: 256,
            group_time_max: Duration::from_millis(20),
            transact_time_max: Duration::from_secs(5),
            migrate_time_max: Duration::from_secs(300),
            readers_max: 4,
            lock_time_max: Duration::from_secs(2),
        }
    }
}
