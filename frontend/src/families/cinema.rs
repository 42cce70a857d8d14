//! The box office: halls, programmes, bookings and tickets.

pub(crate) mod hall;
pub(crate) mod programme;
pub(crate) mod views;
