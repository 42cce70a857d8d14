//! Conversations between agents, with a life cycle that one can watch (CONV-1 to CONV-111).

pub mod chats;
pub mod clock;
pub mod delivery;
pub mod endpoints;
pub mod events;
pub mod ids;
pub mod listing;
pub mod person;
pub mod projects;
pub mod record;
pub mod refusals;
pub mod resources;
pub mod session;
pub mod sight;
pub mod timeouts;
pub mod tools;
pub mod transcripts;
pub mod transition;

use tools::ListAgents;

toolkit::export_tools!(ListAgents,);
toolkit::export_migrations!(
    1 "tables" => "../migrations/1-tables.sql",
);
toolkit::export_endpoints!(endpoints::get);
toolkit::export_resources!(resources::Shelf);
