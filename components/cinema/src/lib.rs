//! The box office of a cinema: films, showtimes, seats, reservations, and what was said (CIN).

pub mod catalog;
pub mod clock;
pub mod examples;
pub mod hall;
pub mod holds;
pub mod import;
pub mod notices;
pub mod programme;
pub mod refusals;
pub mod reservation;
pub mod resources;
pub mod seats;
pub mod sentences;
pub mod slots;
pub mod suggestion;
pub mod ticket;
pub mod titles;
pub mod tools;

use tools::{
    CancelReservation, ExtendHold, GetConversationHistory, GetReservation, HoldSeats,
    ListAvailableSeats, ListMovies, ListReservations, ListShowtimes, RecordConversation,
    ReleaseHold, ReserveSeats, SuggestSeats,
};

toolkit::export_tools!(
    ListMovies,
    ListShowtimes,
    ListAvailableSeats,
    ReserveSeats,
    SuggestSeats,
    HoldSeats,
    ExtendHold,
    ReleaseHold,
    GetReservation,
    ListReservations,
    CancelReservation,
    RecordConversation,
    GetConversationHistory,
);
toolkit::export_defaults!("../defaults.toml");
toolkit::export_migrations!(
    1 "tables" => "../migrations/1-tables.sql",
    2 "english" => "../migrations/2-english.sql",
    3 "keys" => "../migrations/3-keys.sql",
    4 "holds" => "../migrations/4-holds.sql",
);
toolkit::export_configured!(import::configure);
toolkit::export_schedule!(holds::sweep::run);
toolkit::export_resources!(resources::CinemaResources);
toolkit::export_examples!(examples::examples);
toolkit::export_dialogue!(sentences::next);
toolkit::export_names!(sentences::names);
toolkit::export_samples!(sentences::samples);
