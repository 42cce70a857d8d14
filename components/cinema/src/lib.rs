//! The box office of a cinema: films, showtimes, seats, reservations, and recorded conversations (CIN).

pub mod catalog;
pub mod clock;
pub mod edit;
pub mod hall;
pub mod holds;
pub mod import;
pub mod picks;
pub mod programme;
pub mod refusals;
pub mod reservation;
pub mod resources;
pub mod rules;
pub mod sentences;
pub mod suggestion;
pub mod ticket;
pub mod titles;
pub mod tools;
pub mod waiting;

pub use tools::Component;

toolkit::export_defaults!("../defaults.toml");
toolkit::export_migrations!(
    1 "tables" => "../migrations/1-tables.sql",
    2 "english" => "../migrations/2-english.sql",
    3 "keys" => "../migrations/3-keys.sql",
    4 "holds" => "../migrations/4-holds.sql",
    5 "prices" => "../migrations/5-prices.sql",
    6 "tickets" => "../migrations/6-tickets.sql",
    7 "waiting" => "../migrations/7-waiting.sql",
    8 "sales" => "../migrations/8-sales.sql",
    9 "edits" => "../migrations/9-edits.sql",
    10 "choices" => "../migrations/10-choices.sql",
    11 "titles" => "../migrations/11-titles.sql",
    12 "holders" => "../migrations/12-holders.sql",
);
toolkit::export_configured!(import::configure);
toolkit::export_schedule!(waiting::scheduled);
toolkit::export_resources!(resources::CinemaResources);
toolkit::export_examples!(tools::examples);
toolkit::export_dialogue!(sentences::next);
toolkit::export_names!(sentences::names);
toolkit::export_samples!(sentences::samples);
