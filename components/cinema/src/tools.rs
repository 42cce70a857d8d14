//! The tools, in the order in which a customer meets them, and what their arguments share.

mod available_seats;
mod conversations;
mod hold;
mod movies;
mod picked;
mod reservations;
mod reserve;
mod showtimes;
mod suggest;

pub use available_seats::ListAvailableSeats;
pub use conversations::{GetConversationHistory, RecordConversation, Said};
pub use hold::{ExtendHold, HoldSeats, ReleaseHold};
pub use movies::ListMovies;
pub use reservations::{CancelReservation, GetReservation, ListReservations};
pub use reserve::ReserveSeats;
pub use showtimes::ListShowtimes;
pub use suggest::SuggestSeats;

use toolkit::{Problem, Stop, invalid};

use crate::clock::{Clock, Day};

/// How long an identifier may be, and a name that a caller makes up: of a user, a conversation, an
/// idempotency key.
const NAME_CHARS_MAX: usize = 200;

/// The argument `date` of a listing (CIN-15, CIN-16).
fn day(clock: &Clock, date: Option<&str>) -> Result<Option<Day>, Stop> {
    let read =
        |it| clock.day(it).ok_or_else(|| invalid("/date", "Invalid date format. Use YYYY-MM-DD."));
    date.map(read).transpose()
}

/// What is wrong with a text that must have 1 to `max` characters.
fn length(pointer: &str, text: &str, max: usize) -> Option<Problem> {
    let fits = !text.is_empty() && text.chars().count() <= max;
    (!fits).then(|| Problem::at(pointer, format!("must have 1 to {max} characters")))
}

/// What is wrong with an identifier that something may have: nothing is named as long as that.
fn at_most(pointer: &str, id: &str) -> Option<Problem> {
    (id.chars().count() > NAME_CHARS_MAX)
        .then(|| Problem::at(pointer, format!("must have at most {NAME_CHARS_MAX} characters")))
}

/// Stops if anything is wrong.
fn none_of(problems: impl IntoIterator<Item = Option<Problem>>) -> Result<(), Stop> {
    let problems: Vec<_> = problems.into_iter().flatten().collect();
    if problems.is_empty() { Ok(()) } else { Err(Stop::InvalidArguments(problems)) }
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
