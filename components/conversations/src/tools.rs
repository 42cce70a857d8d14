//! The tools, in the order in which an agent meets them, then those of people.

mod list_agents;

pub use list_agents::ListAgents;
