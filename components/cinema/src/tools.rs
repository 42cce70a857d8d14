//! The tools, in the order in which a customer uses them, shared parts, and the examples with the demo catalogue that the
//! host runs before it serves the component: on Friday, 1 January 2027, 09:00 in Tokyo.

mod catalogue;
mod conversations;
mod edit;
mod hold;
mod movies;
mod reserve;
mod sales;
mod waiting;

use serde_json::json;
use toolkit::{Example, Stop, Text, Tool, apps::App, caller, example, invalid, refused};

use crate::{
    clock::{Clock, Day},
    refusals::{NAME_CHARS_MAX, at_most, length, reject_problems, say},
};

pub use catalogue::{ExportCatalogue, ImportCatalogue};
pub use conversations::{GetConversationHistory, RecordConversation, RecordedMessage};
pub use edit::{EditMovie, EditScreen, EditShowtime};
pub use hold::{ExtendHold, HoldSeats, ListHolds, ReleaseHold};
pub use movies::{KeepChoice, ListAvailableSeats, ListMovies, ListShowtimes, SuggestSeats};
pub use reserve::ReserveSeats;
pub use reserve::{CancelReservation, GetReservation, ListReservations, TransferReservation};
pub use sales::{CheckIn, CloseSales, MoveParty, Occupancy, OpenSales};
pub use waiting::{JoinWaitingList, LeaveWaitingList, ListWaiting, waits_for};

toolkit::export_tools!(
    readings "readings.txt";
    ListMovies,
    ListShowtimes,
    ListAvailableSeats,
    ReserveSeats,
    SuggestSeats,
    HoldSeats,
    ExtendHold,
    ReleaseHold,
    ListHolds,
    GetReservation,
    ListReservations,
    CancelReservation,
    TransferReservation,
    JoinWaitingList,
    LeaveWaitingList,
    ListWaiting,
    RecordConversation,
    GetConversationHistory,
    KeepChoice,
    CheckIn,
    CloseSales,
    OpenSales,
    MoveParty,
    Occupancy,
    EditMovie,
    EditScreen,
    EditShowtime,
    ExportCatalogue,
    ImportCatalogue,
);

/// Labels of arguments that several tools have.
mod labels {
    use toolkit::Text;

    pub(super) const MOVIE: (&str, Text) = ("movie_id", Text { ja: "映画", en: "Film" });
    pub(super) const SHOWTIME: (&str, Text) =
        ("showtime_id", Text { ja: "上映回", en: "Showtime" });
    pub(super) const SEATS: (&str, Text) = ("seat_ids", Text { ja: "座席", en: "Seats" });
}

/// Parses the argument `date` of a listing (CIN-15, CIN-16).
fn day(clock: &Clock, date: Option<&str>) -> Result<Option<Day>, Stop> {
    let read =
        |it| clock.day(it).ok_or_else(|| invalid("/date", "Invalid date format. Use YYYY-MM-DD."));
    date.map(read).transpose()
}

// The staff is recognized by the token (CIN-92). A token for the whole component is a customer's; otherwise each page
// that sells seats could also admit people.

/// `_meta` of tools for pages only, hidden from models.
pub const FOR_PAGES: &str = r#"{"ui":{"visibility":["app"]}}"#;

/// Scopes that permit everything.
const ALL: [&str; 2] = ["*", "operator"];

/// Rejects callers who are not staff: with tokens, their scopes contain `*`, `operator` or this tool.
///
/// # Errors
/// If the caller is a customer.
pub fn staff_only(tool: &str) -> Result<(), Stop> {
    if is_staff(&caller::principal(), &caller::scopes(), tool) {
        return Ok(());
    }
    Err(refused(
        "staff_only",
        403,
        say(
            format!("スタッフ用です。スコープ tool:{tool} を持つトークンが必要です。"),
            format!("This is for the staff: their tokens have the scope tool:{tool}."),
        ),
    )
    .with(json!({ "tool": tool, "scope": format!("tool:{tool}") })))
}

fn is_staff(principal: &str, scopes: &[String], tool: &str) -> bool {
    let is_alone = matches!(principal, "anonymous" | "stdio");
    let names = |scope: &String| {
        ALL.contains(&scope.as_str()) || scope.strip_prefix("tool:").is_some_and(|it| it == tool)
    };
    is_alone || scopes.iter().any(names)
}

/// App to choose, hold and reserve seats, and to view and cancel a reservation.
pub const SEATS: App = App {
    uri: "ui://cinema/seats",
    name: "seats_app",
    title: Text { ja: "座席表", en: "Seats" },
    style: include_str!("../app/seats.css"),
    script: &[include_str!("../app/seats.js")],
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use toolkit::{Tool, Tools};

    use super::*;
    use crate::{Component, clock::tests::clock};

    #[test]
    fn bad_date_error_matches_the_specification() {
        let stop = day(&clock(), Some("next week")).unwrap_err();
        let Stop::InvalidArguments(problems) = stop else { panic!("{stop:?}") };
        assert_eq!(problems[0].pointer, "/date");
        assert_eq!(problems[0].message, "Invalid date format. Use YYYY-MM-DD.");
    }

    #[test]
    fn describes_arguments_in_both_languages() {
        for definition in Component::definitions() {
            let input: Value = serde_json::from_str(&definition.input_schema).unwrap();
            let meta: Value = serde_json::from_str(&definition.meta.unwrap()).unwrap();
            let english = &meta["madoguchi/text"]["en"]["arguments"];
            for (name, schema) in input["properties"].as_object().unwrap() {
                assert!(schema["description"].is_string(), "{}: {name}", definition.name);
                assert!(english[name].is_string(), "{}: {name}", definition.name);
            }
            for name in english.as_object().unwrap().keys() {
                let at = format!("/properties/{}", name.replace('.', "/properties/"));
                assert!(input.pointer(&at).is_some(), "{}: {name}", definition.name);
            }
        }
    }

    #[test]
    fn keeps_specified_texts_verbatim() {
        let descriptions: Vec<_> =
            Component::definitions().into_iter().map(|it| it.description).collect();
        for (description, specified) in descriptions.iter().zip([
            "指定日時に上映中の映画一覧を取得し、曖昧な映画名にも対応。",
            "指定映画・日付の上映時間枠一覧を取得。",
            "指定上映時間枠の空席一覧を取得。",
            "指定座席の予約を確定。",
        ]) {
            assert_eq!(description, specified);
        }
    }

    #[test]
    fn requires_the_specified_arguments() {
        let required = |name: &str| {
            let found = Component::definitions().into_iter().find(|it| it.name == name).unwrap();
            let schema: Value = serde_json::from_str(&found.input_schema).unwrap();
            schema["required"].clone()
        };
        assert_eq!(required(ListMovies::NAME), Value::Null);
        assert_eq!(required(ListShowtimes::NAME), json!(["movie_id"]));
        assert_eq!(required(ListAvailableSeats::NAME), json!(["showtime_id"]));
        assert_eq!(required(ReserveSeats::NAME), json!(["user_id", "showtime_id", "seat_ids"]));
        assert_eq!(
            required(RecordConversation::NAME),
            json!(["conversation_id", "user_id", "message"])
        );
        assert_eq!(required(GetConversationHistory::NAME), json!(["conversation_id"]));
    }

    #[test]
    fn recognizes_staff_by_scopes() {
        let is = |principal: &str, scopes: &[&str]| {
            let scopes: Vec<_> = scopes.iter().map(|it| (*it).to_owned()).collect();
            is_staff(principal, &scopes, "check_in")
        };
        assert!(is("anonymous", &[]) && is("stdio", &[]), "where no token is needed");
        assert!(is("door", &["tool:check_in"]) && is("boss", &["*"]));
        assert!(is("boss", &["component:cinema", "operator"]));
        assert!(!is("page", &["component:cinema"]) && !is("page", &["tool:list_movies"]));
    }
}
