//! Conversations between agents, with a life cycle that one can watch (CONV-1 to CONV-111).

pub mod clock;
pub mod events;
pub mod ids;
pub mod person;
pub mod refusals;
pub mod session;
pub mod tools;

use tools::ListAgents;

toolkit::export_tools!(ListAgents,);
toolkit::export_migrations!(
    1 "tables" => "../migrations/1-tables.sql",
);
