//! Card illustrations: of a card, of a theme, and thumbnails composed of them (ILL-1 to ILL-6).

mod canvas;
pub mod cards;
pub mod compose;
pub mod matching;
pub mod picture;
pub mod refusals;
pub mod sentences;
pub mod sources;
pub mod tools;

pub use tools::Component;

toolkit::export_defaults!("../defaults.toml");
toolkit::export_migrations!(1 "sources" => "../migrations/1-sources.sql");
toolkit::export_dialogue!(sentences::next);
toolkit::export_names!(sentences::names);
toolkit::export_samples!(sentences::samples);
toolkit::export_resources!(tools::Pictures);
toolkit::export_configured!(sources::configure);
toolkit::export_examples!(tools::examples);
