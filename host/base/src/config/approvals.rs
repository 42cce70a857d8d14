//! Calls that wait for a person, as the operator limits them.

use serde::Deserialize;

/// `[approvals]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ApprovalsConfig {
    /// Seconds after which a call that nobody has allowed is no longer made.
    pub valid_s: u64,
    /// Approvals that are kept, those that are over included.
    pub approvals_max: usize,
    /// Bytes of all of them.
    pub approvals_bytes_max: u64,
    /// Bytes of one, with what its call came to.
    pub approval_bytes_max: u64,
}

impl Default for ApprovalsConfig {
    fn default() -> Self {
        Self {
            valid_s: 24 * 60 * 60,
            approvals_max: 10_000,
            approvals_bytes_max: 256 << 20,
            approval_bytes_max: 32 << 20,
        }
    }
}

impl ApprovalsConfig {
    /// Says what to mend where these cannot work.
    pub fn check(&self) -> Result<(), String> {
        let within = |name: &str, it: u64, least: u64, most: u64| match (least..=most).contains(&it)
        {
            true => Ok(()),
            false => Err(format!("{name} = {it} cannot work; {least} to {most} is right")),
        };
        within("valid_s", self.valid_s, 1, 366 * 24 * 60 * 60)?;
        within("approvals_max", self.approvals_max as u64, 1, 1_000_000)?;
        within("approvals_bytes_max", self.approvals_bytes_max, 1 << 20, 1 << 40)?;
        within("approval_bytes_max", self.approval_bytes_max, 1 << 10, 1 << 30)
    }
}
