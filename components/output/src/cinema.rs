//! The cinema's nouns: what is on, when, on which seats, and who sits there (CIN-70).

mod rules;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

pub use rules::{Broken, Price, PriceList, SeatRule, SeatRules, pair_up, total};

/// The films that are on, best match first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Movies {
    /// One entry a film; empty when nothing fits (CIN-14).
    pub movies: Vec<Movie>,
    /// Titles that come close, when nothing fits (CIN-13).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<String>,
    /// The same in English, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions_en: Vec<String>,
    /// What the clock of the cinema shows (`YYYY-MM-DDTHH:MM:SS`), where there are films: the reader may be in another zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
    /// The zone of its times, by IANA: `Asia/Tokyo`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
}

/// A film of the catalogue.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Movie {
    /// Names the film in `list_showtimes`.
    pub movie_id: String,
    /// As on the poster.
    pub title: String,
    /// What it is about, in a sentence or two.
    pub description: String,
    /// From 0 to 5, one decimal (CIN-X6).
    pub rating: f64,
    /// The title in English.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title_en: Option<String>,
    /// What it is about, in English.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description_en: Option<String>,
    /// For example `ドラマ` or `SF`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub genre: Option<String>,
    /// The genre in English.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub genre_en: Option<String>,
    /// Running time in minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration: Option<u32>,
    /// When it came out: `YYYY-MM-DD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release_date: Option<String>,
    /// Showtimes on the day asked for, or in all days on offer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub showtimes_count: Option<u32>,
}

/// When a film is on, earliest first (CIN-23).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Showtimes {
    /// One entry a showing.
    pub showtimes: Vec<Showtime>,
}

/// One showing of one film.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Showtime {
    /// Names the showing in `list_available_seats` and `reserve_seats`.
    pub showtime_id: String,
    /// Identifier of the film.
    pub movie_id: String,
    /// `YYYY-MM-DDTHH:MM:SS`, the cinema's own time (CIN-21).
    pub start_time: String,
    /// Seats that are free now (CIN-22).
    pub available_seats_count: u32,
    /// When it ends, as `start_time`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_time: Option<String>,
    /// The screen's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theater_id: Option<String>,
    /// The screen's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theater_name: Option<String>,
    /// The screen's name in English.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theater_name_en: Option<String>,
    /// Seats of the screen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_seats_count: Option<u32>,
    /// The film's title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub movie_title: Option<String>,
    /// The film's title in English.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub movie_title_en: Option<String>,
    /// Whether it can be booked: it has yet to begin by the cinema's own clock, and its sales are not closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_open: Option<bool>,
    /// Whether the staff closed its sales.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_sales_closed: bool,
}

/// The seats of one showing, rows alphabetical, numbers ascending (CIN-33).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SeatMap {
    /// Free seats and the caller's own only, unless all were asked for (CIN-31, CIN-32).
    pub seats: Vec<Seat>,
    /// The showing that the seats are of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub showtime: Option<Showtime>,
    /// Seats that one call of `reserve_seats` may have (CIN-44).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seats_max: Option<u32>,
    /// What each kind of seat costs at this showing, where the operator says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prices: Option<PriceList>,
    /// What a choice of seats has to keep to; [`SeatRules::broken`] says whether it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<SeatRules>,
    /// The zone of its times, by IANA: `Asia/Tokyo`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
}

/// A seat, and whether it is taken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Seat {
    /// Row and number, as printed on the ticket: `A5`.
    pub seat_id: String,
    /// `A` is nearest to the screen.
    pub row: String,
    /// Counted from the left, looking at the screen.
    pub number: u32,
    /// Whether it is reserved.
    pub is_reserved: bool,
    /// Whether it is held for a user who has yet to reserve it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_held: bool,
    /// Whether the hold is the caller's own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_mine: bool,
    /// Where in its row it stands, counted from 1, where that is not its number: one left out is an aisle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// What kind of place it is, where it is no ordinary seat.
    #[serde(default, skip_serializing_if = "SeatKind::is_standard")]
    pub kind: SeatKind,
    /// The other seat of a pair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair_with: Option<String>,
}

impl Seat {
    /// Where in its row it stands, counted from 1.
    pub fn place(&self) -> u32 {
        self.column.unwrap_or(self.number)
    }

    /// Whether the caller can have it: it is free, or in their own hold.
    pub fn is_available(&self) -> bool {
        self.is_free() || self.is_mine && !self.is_reserved
    }

    /// Whether it is neither reserved nor held.
    pub fn is_free(&self) -> bool {
        !self.is_reserved && !self.is_held
    }
}

impl SeatKind {
    /// Whether it is an ordinary seat.
    pub fn is_standard(&self) -> bool {
        *self == Self::Standard
    }
}

/// What kind of place a seat is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SeatKind {
    /// An ordinary seat.
    #[default]
    Standard,
    /// A wider one.
    Premium,
    /// A place for a wheelchair.
    Wheelchair,
    /// A seat beside a place for a wheelchair, for who comes along.
    Companion,
    /// One of two seats that are sold together.
    Pair,
}

/// A reserved seat (CIN-41).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReservedSeat {
    /// Row and number: `A5`.
    pub seat_id: String,
    /// The row's name: `A`.
    pub row: String,
    /// The number in its row: 5.
    pub number: u32,
    /// What it costs, where the operator says so; of a reservation, what it cost when it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "object")]
    pub price: Option<Price>,
}

/// Serializes seats without their prices.
fn without_prices<S: serde::Serializer>(
    seats: &[ReservedSeat],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(seats.iter().map(|it| ReservedSeat { price: None, ..it.clone() }))
}

/// The seats of a user.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reservation {
    /// Names the reservation in `get_reservation` and `cancel_reservation`.
    pub reservation_id: String,
    /// `YYYY-MM-DDTHH:MM:SS`, the cinema's own time.
    pub reserved_at: String,
    /// Exactly the seats reserved, and nothing else of them (CIN-41): what they cost is in `total`.
    #[serde(serialize_with = "without_prices")]
    pub seats: Vec<ReservedSeat>,
    /// Identifier of the user that it is for.
    pub user_id: String,
    /// Identifier of the showtime.
    pub showtime_id: String,
    /// Whether it still holds.
    pub status: ReservationStatus,
    /// The film's title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub movie_title: Option<String>,
    /// The film's title in English.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub movie_title_en: Option<String>,
    /// When the showing begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_time: Option<String>,
    /// The screen's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theater_name: Option<String>,
    /// The screen's name in English.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theater_name_en: Option<String>,
    /// What the seats cost together when they were reserved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<Price>,
    /// When it was used at the door: `YYYY-MM-DDTHH:MM:SS`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked_in_at: Option<String>,
    /// To which user it was given, where its status says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transferred_to: Option<String>,
    /// Which user gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transferred_from: Option<String>,
    /// What was changed since it was made, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "objects")]
    pub history: Vec<Change>,
    /// The zone of its times, by IANA: `Asia/Tokyo`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
}

/// Schema of lists of objects without their fields, which keeps tool lists small.
fn objects(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "items": { "type": "object" } })
}

/// Schema of an object without its fields.
fn object(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object" })
}

/// Something that happened to a reservation after it was made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// `YYYY-MM-DDTHH:MM:SS`.
    pub at: String,
    /// What kind of change it was.
    pub change: ChangeKind,
    /// The showing before the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_showtime_id: Option<String>,
    /// The seats before the change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from_seat_ids: Vec<String>,
    /// The user before the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_user_id: Option<String>,
    /// The user after the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_user_id: Option<String>,
    /// Why, as the staff wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What happened to a reservation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// Given to another user.
    #[default]
    Transferred,
    /// Moved to other seats or another showing by the staff.
    Moved,
}

/// A user's reservations, the newest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reservations {
    /// A hundred at most.
    pub reservations: Vec<Reservation>,
    /// How many there are.
    pub reservations_count: u32,
    /// What the clock of the cinema shows (`YYYY-MM-DDTHH:MM:SS`), where there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
}

/// Whether a reservation holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReservationStatus {
    /// The seats are taken.
    #[default]
    Confirmed,
    /// The seats are free again.
    Cancelled,
    /// The seats are another user's, under a reservation of their own.
    Transferred,
}

/// Says that a message is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Recorded {
    /// Always true: a failure is a refusal.
    pub success: bool,
}

/// The recorded messages, in the order in which they were recorded (CIN-61).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct History {
    /// One entry a message.
    pub history: Vec<Message>,
}

/// A recorded message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Message {
    /// Made by the server (CIN-52).
    pub message_id: String,
    /// Who sent it.
    pub sender: Sender,
    /// Its text.
    pub content: String,
    /// `YYYY-MM-DDTHH:MM:SS`.
    pub timestamp: String,
}

/// The sender of a recorded message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sender {
    /// The customer.
    User,
    /// The person or the assistant that serves them.
    Agent,
}

// Seats before they are reserved: holds, and what is suggested.

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
    #[schemars(schema_with = "object")]
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

// What the staff sees: the door, the numbers of the week, and the catalogue.

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
