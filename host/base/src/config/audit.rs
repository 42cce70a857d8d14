//! The audit log: `[audit]`.

use serde::Deserialize;

/// `[audit]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AuditConfig {
    /// Whether calls are written down.
    pub enabled: bool,
    /// Whether calls that change something are refused while they cannot be written down.
    pub required: bool,
    /// Bytes after which a new file is begun, of each kind.
    pub bytes_max: u64,
    /// Full files that are kept beside the one that is written, of each kind.
    pub files_kept: usize,
}

impl Default for AuditConfig {
    fn default() -> Self {
        Self { enabled: true, required: true, bytes_max: 16 << 20, files_kept: 4 }
    }
}
