//! Conversations between agents, with a life cycle that one can watch (CONV-1 to CONV-111).

pub mod activity;
pub mod clock;
pub mod delivery;
pub mod demo;
pub mod events;
pub mod examples;
pub mod ids;
pub mod inbox;
pub mod lapse;
pub mod notices;
pub mod passkey;
pub mod person;
pub mod record;
pub mod refusals;
pub mod rules;
pub mod saying;
pub mod session;
pub mod settings;
pub mod staff;
pub mod starting;
pub mod sweep;
pub mod timeouts;
pub mod tools;
pub mod transition;
pub mod tries;

use tools::{
    Authenticate, DefineAgent, DefineProject, EndConversation, GetConversationMessages,
    GetNextAction, GetPendingMessages, ListAgents, Logout, RenewPasskey, RespondChat, RetireAgent,
    SendMessage, StartConversation,
};

toolkit::export_tools!(
    Authenticate,
    ListAgents,
    StartConversation,
    SendMessage,
    GetNextAction,
    GetPendingMessages,
    RespondChat,
    GetConversationMessages,
    EndConversation,
    Logout,
    DefineProject,
    DefineAgent,
    RenewPasskey,
    RetireAgent,
);
toolkit::export_migrations!(
    1 "tables" => "../migrations/1-tables.sql",
);
toolkit::export_configured!(settings::configure);
toolkit::export_schedule!(sweep::run);
toolkit::export_examples!(examples::examples);
