//! Seats before they are reserved: holds, what is suggested, and who waits where there are none.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Price, ReservedSeat};

/// Seats that are kept for a user for some minutes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hold {
    /// Names the hold in `extend_hold`, `release_hold` and `reserve_seats`, for the caller who made it alone.
    #[serde(default)]
    pub hold_id: String,
    /// Names it there for every caller who knows it. Told once, to the client that made it, and to none that says it
    /// keeps no secrets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hold_token: Option<String>,
    /// Identifier of the showtime.
    pub showtime_id: String,
    /// The user that it is for.
    pub user_id: String,
    /// Exactly the seats held, rows alphabetical, numbers ascending.
    pub seats: Vec<ReservedSeat>,
    /// When it ends: `YYYY-MM-DDTHH:MM:SS`, the cinema's own time.
    pub expires_at: String,
    /// Seconds until then.
    pub seconds_left: u32,
    /// What the seats would cost together now, where the operator says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<Price>,
}

/// What a caller holds for a user, the newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Holds {
    /// Those that have not ended.
    pub holds: Vec<Hold>,
}

/// Says whether a hold has ended by the call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Released {
    /// False where it had ended before.
    pub released: bool,
}

/// The best seats that are free.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SeatSuggestion {
    /// Identifier of the showtime.
    pub showtime_id: String,
    /// The seats, as `hold_seats` and `reserve_seats` take them.
    pub seat_ids: Vec<String>,
    /// Whether they are apart, since none are together.
    pub is_split: bool,
    /// Where they are, in a sentence.
    pub sentence: String,
    /// The sentence in English.
    pub sentence_en: String,
    /// The seats with what each costs, where the operator says so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seats: Vec<ReservedSeat>,
    /// What they cost together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<Price>,
}

// Waiting lists of full showings.

/// A place in the waiting list of a showing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Waiting {
    /// Names the entry in `leave_waiting_list`.
    pub waiting_id: String,
    /// Identifier of the user who waits.
    pub user_id: String,
    /// Identifier of the showtime.
    pub showtime_id: String,
    /// How many seats they want.
    pub seats_count: u32,
    /// Whether the seats must be side by side.
    pub together: bool,
    /// Whether a wheelchair place must be among them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wheelchair: bool,
    /// When they joined: `YYYY-MM-DDTHH:MM:SS`.
    pub joined_at: String,
    /// Whether they wait, or seats are held for them.
    pub state: WaitingState,
    /// How many entries wait before this one, and one more: 1 is next. Left out once seats are offered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<u32>,
    /// The seats that are held for them until it ends; reserving takes them, releasing passes them on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::cinema::object")]
    pub offer: Option<Hold>,
    /// The film's title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub movie_title: Option<String>,
    /// When the showing begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_time: Option<String>,
}

/// How far an entry has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitingState {
    /// No seats were free for it yet.
    #[default]
    Waiting,
    /// Seats are held for it.
    Offered,
    /// Its seats were reserved.
    Reserved,
    /// Its seats were declined, by releasing the hold.
    Declined,
    /// Its seats were held until the deadline.
    Lapsed,
    /// It was taken back.
    Left,
}

/// A user's entries of showings to come, the oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WaitingList {
    /// Those that wait, and those that are offered seats.
    pub waiting: Vec<Waiting>,
}

/// Says whether an entry has ended by the call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Left {
    /// False where it had ended before.
    pub left: bool,
}
