//! What a film house shows: films, showtimes, halls, bookings and tickets.

pub(crate) mod box_office;
pub(crate) mod choice;
pub(crate) mod hall;
pub(crate) mod history;
pub(crate) mod movies;
pub(crate) mod staff;
pub(crate) mod ticket;
