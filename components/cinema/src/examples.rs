//! Examples with the demo catalogue that the host runs before it serves the component: on Friday, 1
//! January 2027, 09:00 in Tokyo.

use serde_json::json;
use toolkit::{Example, Tool, example};

use crate::tools::{
    GetConversationHistory, ListAvailableSeats, ListMovies, ListShowtimes, RecordConversation,
    ReserveSeats,
};

/// A showing of that day on the smallest screen.
const NOON: &str = "st-20270101-mini-1220";

/// A customer's way: list, choose, reserve, and be too late.
pub fn examples() -> Vec<Example> {
    let seats =
        |seats: &[&str]| json!({ "user_id": "example", "showtime_id": NOON, "seat_ids": seats });
    vec![
        example(
            "a title in hiragana finds its film (CIN-12)",
            ListMovies::NAME,
            json!({ "title_query": "きみのなは" }),
        )
        .gives(json!({ "movies": [{ "movie_id": "kiminonawa", "title": "君の名は。" }] })),
        example(
            "a film on a day has its showtimes, earliest first (CIN-23)",
            ListShowtimes::NAME,
            json!({ "movie_id": "tokyo-monogatari", "date": "2027-01-01" }),
        )
        .gives(json!({ "showtimes": [
            { "showtime_id": NOON, "start_time": "2027-01-01T12:20:00", "is_open": true },
            { "start_time": "2027-01-01T15:20:00" },
        ] })),
        example(
            "a film that nobody knows is refused",
            ListShowtimes::NAME,
            json!({ "movie_id": "nobody-knows" }),
        )
        .refuses("movie_not_found"),
        example(
            "a date that is none must be mended (CIN-15)",
            ListMovies::NAME,
            json!({ "date": "next week" }),
        )
        .refuses_the_arguments(),
        example("a seat is reserved (CIN-40)", ReserveSeats::NAME, seats(&["A2"])).gives(json!({
            "user_id": "example",
            "showtime_id": NOON,
            "seats": [{ "seat_id": "A2" }],
        })),
        example("a seat is not sold twice (CIN-43)", ReserveSeats::NAME, seats(&["A1", "A2"]))
            .refuses("seat_already_reserved"),
        example(
            "one of the two was free, and stays so (CIN-42)",
            ReserveSeats::NAME,
            seats(&["A1"]),
        )
        .gives(json!({ "seats": [{ "seat_id": "A1" }] })),
        example(
            "a showing that there is not has no seats",
            ListAvailableSeats::NAME,
            json!({ "showtime_id": "st-20270101-mini-0001" }),
        )
        .refuses("showtime_not_found"),
        example(
            "what was said is kept (CIN-50)",
            RecordConversation::NAME,
            json!({
                "conversation_id": "example",
                "user_id": "example",
                "message": { "sender": "user", "content": "A2をお願いします" },
            }),
        )
        .gives(json!({})),
        example(
            "a conversation that never was is refused (CIN-62)",
            GetConversationHistory::NAME,
            json!({ "conversation_id": "never" }),
        )
        .refuses("conversation_not_found"),
    ]
}
