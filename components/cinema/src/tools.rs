//! The tools, in the order in which a customer meets them, and what their arguments share.

mod available_seats;
mod catalogue;
mod check_in;
mod choice;
mod conversations;
mod edit;
mod hold;
mod move_party;
mod movies;
mod occupancy;
mod reservations;
mod reserve;
mod sales;
mod showtimes;
mod suggest;
mod transfer;
mod waiting;

pub use available_seats::ListAvailableSeats;
pub use catalogue::{ExportCatalogue, ImportCatalogue};
pub use check_in::CheckIn;
pub use choice::KeepChoice;
pub use conversations::{GetConversationHistory, RecordConversation, Said};
pub use edit::{EditMovie, EditScreen, EditShowtime};
pub use hold::{ExtendHold, HoldSeats, ListHolds, ReleaseHold};
pub use move_party::MoveParty;
pub use movies::ListMovies;
pub use occupancy::Occupancy;
pub use reservations::{CancelReservation, GetReservation, ListReservations};
pub use reserve::ReserveSeats;
pub use sales::{CloseSales, OpenSales};
pub use showtimes::ListShowtimes;
pub use suggest::SuggestSeats;
pub use transfer::TransferReservation;
pub use waiting::{JoinWaitingList, LeaveWaitingList, ListWaiting, waits_for};

toolkit::export_tools!(
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

use toolkit::{Stop, invalid};

use crate::{
    clock::{Clock, Day},
    limits::{NAME_CHARS_MAX, at_most, length, none_of},
};

/// The argument `date` of a listing (CIN-15, CIN-16).
fn day(clock: &Clock, date: Option<&str>) -> Result<Option<Day>, Stop> {
    let read =
        |it| clock.day(it).ok_or_else(|| invalid("/date", "Invalid date format. Use YYYY-MM-DD."));
    date.map(read).transpose()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use toolkit::{Tool, Tools};

    use super::*;
    use crate::{Component, clock::tests::clock};

    #[test]
    fn a_bad_date_is_refused_in_the_words_of_the_specification() {
        let stop = day(&clock(), Some("next week")).unwrap_err();
        let Stop::InvalidArguments(problems) = stop else { panic!("{stop:?}") };
        assert_eq!(problems[0].pointer, "/date");
        assert_eq!(problems[0].message, "Invalid date format. Use YYYY-MM-DD.");
    }

    #[test]
    fn every_argument_is_explained_in_both_languages() {
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
    fn the_specified_texts_are_kept_verbatim() {
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
    fn the_required_arguments_are_the_specified_ones() {
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
}
