//! Clients that subscribe to the seats of a showing hear when one of them changes.

use toolkit::{events, resources::filled};

/// The seats of a showing, as a resource.
pub const SEATS: &str = "cinema://showtimes/{showtime_id}/seats";

/// Says that a seat of the showing is another's now, or free.
pub fn seats_changed(showtime_id: &str) {
    events::publish(&filled(SEATS, [showtime_id]));
}
