//! Seats before they are reserved: holds, and what is suggested.

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
