//! Conversations between agents, with a life cycle that one can watch (CONV-1 to CONV-111).

pub mod activity;
pub mod clock;
pub mod delivery;
pub mod events;
pub mod ids;
pub mod inbox;
pub mod lapse;
pub mod notices;
pub mod person;
pub mod record;
pub mod refusals;
pub mod saying;
pub mod session;
pub mod starting;
pub mod sweep;
pub mod timeouts;
pub mod tools;
pub mod transition;

use tools::{
    EndConversation, GetConversationMessages, GetNextAction, GetPendingMessages, ListAgents,
    RespondChat, SendMessage, StartConversation,
};

toolkit::export_tools!(ListAgents,);
toolkit::export_migrations!(
    1 "tables" => "../migrations/1-tables.sql",
);
toolkit::export_schedule!(sweep::run);
