//! Forms: input that agents request from people (FORM-1 to FORM-90).

pub mod clock;
pub mod delivery;
pub mod demo;
pub mod elicitation;
pub mod files;
pub mod guide;
pub mod lookup;
pub mod record;
pub mod refusals;
pub mod resources;
pub mod sentences;
pub mod store;
pub mod tools;

use guide::FormGuide;
use resources::FormResources;
pub use tools::Component;

toolkit::export_defaults!("../defaults.toml");
toolkit::export_migrations!(
    1 "tables" => "../migrations/1-tables.sql",
    2 "lookups" => "../migrations/2-lookups.sql",
    3 "shares" => "../migrations/3-shares.sql",
    4 "chats" => "../migrations/4-chats.sql",
);
toolkit::export_configured!(store::configure);
toolkit::export_schedule!(store::run);
toolkit::export_endpoints!(lookup::get);
toolkit::export_resources!(FormResources);
toolkit::export_prompts!(FormGuide);
toolkit::export_completions!(resources::complete);
toolkit::export_examples!(tools::examples);
toolkit::export_dialogue!(sentences::next);
toolkit::export_names!(sentences::names);
toolkit::export_samples!(sentences::samples);
