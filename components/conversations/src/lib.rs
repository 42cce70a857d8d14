//! Conversations between agents, and their observable life cycle (CONV-1 to CONV-111).

pub mod chats;
pub mod clock;
pub mod delivery;
pub mod directory;
pub mod endpoints;
pub mod events;
pub mod expiry;
pub mod guide;
pub mod ids;
pub mod imports;
pub mod inbox;
pub mod listing;
pub mod outgoing;
pub mod passkey;
pub mod person;
pub mod playing;
pub mod record;
pub mod refusals;
pub mod resources;
pub mod sentences;
pub mod session;
pub mod settings;
pub mod starting;
pub mod sweep;
pub mod tools;
pub mod transcripts;
pub mod transition;

use guide::WorkerLoop;
pub use tools::Component;

toolkit::export_defaults!("../defaults.toml");
toolkit::export_prompts!(WorkerLoop);
toolkit::export_completions!(resources::complete);
toolkit::export_migrations!(
    1 "tables" => "../migrations/1-tables.sql",
    2 "tries" => "../migrations/2-tries.sql",
    3 "shares" => "../migrations/3-shares.sql",
    4 "plays" => "../migrations/4-plays.sql",
    5 "asked" => "../migrations/5-asked.sql",
);
toolkit::export_configured!(settings::configure);
toolkit::export_schedule!(sweep::run);
toolkit::export_jobs!(playing::due, playing::run);
toolkit::export_endpoints!(endpoints::get);
toolkit::export_routes!(endpoints::routes);
toolkit::export_resources!(resources::ConversationResources);
toolkit::export_examples!(tools::examples);
toolkit::export_dialogue!(sentences::next);
toolkit::export_names!(sentences::names);
toolkit::export_samples!(sentences::samples);
