//! Notifies clients that subscribe to the seats of a showing, or to what a user waits for, when that changes.

use toolkit::{events, resources::filled};

/// The seats of a showing, as a resource.
pub const SEATS: &str = "cinema://showtimes/{showtime_id}/seats";

/// Says that a seat of the showing is another's now, or free.
pub fn seats_changed(showtime_id: &str) {
    events::publish(&filled(SEATS, [showtime_id]));
}

/// What a user waits for, as a resource.
pub const WAITING: &str = "cinema://users/{user_id}/waiting";

/// Says that the user is offered seats, or no longer is.
pub fn waiting_changed(user_id: &str) {
    events::publish(&filled(WAITING, [user_id]));
}
