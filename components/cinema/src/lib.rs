//! The box office of a cinema: films, showtimes, seats, reservations, and what was said (CIN).

pub mod catalog;
pub mod clock;
pub mod examples;
pub mod import;
pub mod programme;
pub mod refusals;
pub mod reservation;
pub mod seats;
pub mod sentences;
pub mod slots;
pub mod titles;
pub mod tools;

use tools::{
    CancelReservation, GetConversationHistory, GetReservation, ListAvailableSeats, ListMovies,
    ListShowtimes, RecordConversation, ReserveSeats,
};

toolkit::export_tools!(
    ListMovies,
    ListShowtimes,
    ListAvailableSeats,
    ReserveSeats,
    GetReservation,
    CancelReservation,
    RecordConversation,
    GetConversationHistory,
);
toolkit::export_defaults!("../defaults.toml");
toolkit::export_migrations!(
    1 "tables" => "../migrations/1-tables.sql",
    2 "english" => "../migrations/2-english.sql",
    3 "keys" => "../migrations/3-keys.sql",
);
toolkit::export_configured!(import::configure);
toolkit::export_examples!(examples::examples);
toolkit::export_dialogue!(sentences::next);
toolkit::export_names!(sentences::names);
toolkit::export_samples!(sentences::samples);
