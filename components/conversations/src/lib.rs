//! Conversations between agents, with a life cycle that one can watch (CONV-1 to CONV-111).

pub mod clock;
pub mod delivery;
pub mod demo;
pub mod events;
pub mod examples;
pub mod ids;
pub mod passkey;
pub mod person;
pub mod refusals;
pub mod rules;
pub mod session;
pub mod settings;
pub mod staff;
pub mod timeouts;
pub mod tools;
pub mod transition;
pub mod tries;

use tools::{
    Authenticate, DefineAgent, DefineProject, ListAgents, Logout, RenewPasskey, RetireAgent,
};

toolkit::export_tools!(
    Authenticate,
    ListAgents,
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
toolkit::export_examples!(examples::examples);
