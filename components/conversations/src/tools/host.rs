//! What the host does with its own hands: launches the agents that it plays (CONV-8, CONV-81).

mod launch;
mod purposes;
mod usage;

pub use launch::LaunchAgent;
pub use purposes::ListPurposes;
pub use usage::ReportUsage;
