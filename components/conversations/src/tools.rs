//! The tools, in the order in which an agent meets them, then those of people.

mod authenticate;
mod define_agent;
mod define_project;
mod list_agents;
mod logout;
mod renew_passkey;
mod retire_agent;

pub mod host;
pub mod people;

pub use authenticate::{Authenticate, Authentication, enter};
pub use define_agent::DefineAgent;
pub use define_project::DefineProject;
pub use list_agents::ListAgents;
pub use logout::Logout;
pub use renew_passkey::RenewPasskey;
pub use retire_agent::RetireAgent;

/// Only pages see these: `_meta` of a tool that no model is told of.
const FOR_PAGES: &str = r#"{"ui":{"visibility":["app"]}}"#;
