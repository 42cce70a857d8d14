//! The seats of a showing, and the ticket, as an app that other programs show (APP-4).

use toolkit::{Text, apps::App};

/// Seats to choose, to hold and to reserve; a reservation to look at and to cancel.
pub const SEATS: App = App {
    uri: "ui://cinema/seats",
    name: "seats_app",
    title: Text { ja: "座席表", en: "Seats" },
    style: include_str!("../app/seats.css"),
    script: &[include_str!("../app/seats.js")],
};
