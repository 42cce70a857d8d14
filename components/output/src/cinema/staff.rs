//! What the staff of a cinema sees: the door, the week's numbers, and the catalogue.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Price, Reservation};

/// What came of scanning a ticket.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CheckIn {
    /// Whether they may go in: it is used now, for the first time.
    pub admitted: bool,
    /// Why they may not go in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<NotAdmitted>,
    /// Who it is for, with seats and film.
    pub reservation: Reservation,
    /// Whether it is for the showing that is let in; left out where the call names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_right_showing: Option<bool>,
    /// Whether tickets of its showing are scanned now.
    pub is_in_time: bool,
    /// From when they are: `YYYY-MM-DDTHH:MM:SS`.
    pub opens_at: String,
    /// Until when: the end of the showing.
    pub closes_at: String,
    /// When it was used first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_used_at: Option<String>,
    /// The outcome in a sentence.
    pub sentence: String,
    /// The sentence in English.
    pub sentence_en: String,
}

/// Why a ticket does not open the door.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NotAdmitted {
    /// It was used before.
    AlreadyUsed,
    /// It is for another showing.
    WrongShowing,
    /// Its showing is later.
    TooEarly,
    /// Its showing is over.
    TooLate,
}

/// Whether seats of a showing are sold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SalesState {
    /// Identifier of the showtime.
    pub showtime_id: String,
    /// Whether its sales are closed.
    pub is_sales_closed: bool,
    /// Why, as the staff wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// How full the showings of some days are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Occupancy {
    /// The first day: `YYYY-MM-DD`.
    pub from: String,
    /// The last day: `YYYY-MM-DD`.
    pub until: String,
    /// One entry a showing, earliest first.
    pub showtimes: Vec<ShowtimeOccupancy>,
    /// Seats of all of them.
    pub seats_count: u32,
    /// Seats that are reserved.
    pub sold_count: u32,
    /// Seats that are held.
    pub held_count: u32,
    /// Seats of reservations that were used at the door.
    pub checked_in_count: u32,
    /// What the reserved seats cost when they were reserved, an entry a currency.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub revenue: Vec<Price>,
}

/// How full one showing is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ShowtimeOccupancy {
    /// Identifier of the showtime.
    pub showtime_id: String,
    /// Identifier of the film.
    pub movie_id: String,
    /// The film's title.
    pub movie_title: String,
    /// The screen's name.
    pub theater_name: String,
    /// When it begins.
    pub start_time: String,
    /// Seats of the screen.
    pub seats_count: u32,
    /// Seats that are reserved.
    pub sold_count: u32,
    /// Seats that are held.
    pub held_count: u32,
    /// Seats of reservations that were used at the door.
    pub checked_in_count: u32,
    /// Entries of its waiting list.
    #[serde(default, skip_serializing_if = "is_none_of")]
    pub waiting_count: u32,
    /// Whether its sales are closed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_sales_closed: bool,
    /// Whether it has begun: no seat of it can be reserved any more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_begun: bool,
    /// What the reserved seats cost when they were reserved, an entry a currency.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub revenue: Vec<Price>,
}

fn is_none_of(count: &u32) -> bool {
    *count == 0
}

/// The catalogue as a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CatalogueExport {
    /// Which import it is; counted from 1, the highest is on sale.
    pub import: u32,
    /// Where it is from: `operator` (the settings), `demo` or `staff`.
    pub source: String,
    /// When it was imported: `YYYY-MM-DDTHH:MM:SS`.
    pub imported_at: String,
    /// `json` or `csv`.
    pub format: String,
    /// The text of the file.
    pub text: String,
}

/// What an edit of the catalogue changes, or would change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CatalogueImport {
    /// Whether it is on sale now; false of a trial.
    pub imported: bool,
    /// What changes, a line each: at most 200.
    pub changes: Vec<String>,
    /// How many lines there are.
    pub changes_count: u32,
    /// The number under which the catalogue before is kept, for `export_catalogue`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<u32>,
}
