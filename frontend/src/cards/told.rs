//! What is told of a call in words: its arguments, what it put out, what goes back to the assistant.

use output::cinema::{History, Movies, Reservation, SeatMap, Showtimes};
use output::conversations::{Conversations, Transcript};
use output::illustrations::{Illustrations, Thumbnail};
use output::navigation::{Comparison, Routes};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::masked::masked;
use crate::text::Key;

/// What a cancelled form tells the assistant (FORM-9).
pub(crate) const CANCELLED: &str = "フォーム入力をキャンセルしました。";
/// Arguments shown at most, and characters of each.
const ARGUMENTS_MAX: usize = 30;
const VALUE_MAX: usize = 300;

/// What a submitted form tells the assistant (FORM-5).
pub(crate) fn submitted(values: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(values).unwrap_or_default()
}

/// The arguments of a call to be read: names, and values in words. Secrets are hidden.
pub(crate) fn arguments(params: &Value, comma: &str) -> Vec<(String, String)> {
    let Value::Object(params) = masked(params) else { return Vec::new() };
    let entry = |(name, value): (String, Value)| (name, words(&value, comma));
    params.into_iter().take(ARGUMENTS_MAX).map(entry).collect()
}

fn words(value: &Value, comma: &str) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Null => "—".to_owned(),
        Value::Array(items) if items.iter().all(|it| !it.is_object() && !it.is_array()) => {
            let items = items.iter().take(ARGUMENTS_MAX).map(|it| words(it, comma));
            items.collect::<Vec<_>>().join(comma)
        }
        other => other.to_string(),
    };
    let mut shown: String = text.chars().take(VALUE_MAX).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

/// Which seats a call is about, where it is about seats.
pub(crate) fn seats(params: &Value) -> Vec<String> {
    let list = params.get("seat_ids").or_else(|| params.get("seats")).and_then(Value::as_array);
    let seats = list.into_iter().flatten().filter_map(Value::as_str);
    seats.take(ARGUMENTS_MAX).map(|it| it.chars().take(12).collect()).collect()
}

/// What a call put out, in one line: the words, and what is filled into them.
pub(crate) fn summary(view: Option<&str>, result: &Value) -> Option<(Key, Vec<String>)> {
    fn read<T: DeserializeOwned>(value: &Value) -> Option<T> {
        serde_json::from_value(value.clone()).ok()
    }
    let counted = |key: Key, count: usize| (key, vec![count.to_string()]);
    Some(match view? {
        "movies" => counted(Key::CardFilms, read::<Movies>(result)?.movies.len()),
        "showtimes" => counted(Key::CardShowtimes, read::<Showtimes>(result)?.showtimes.len()),
        "seat_map" => {
            let map = read::<SeatMap>(result)?;
            counted(Key::CardSeats, map.seats.iter().filter(|it| !it.is_reserved).count())
        }
        "reservation" => (Key::CardReservation, vec![read::<Reservation>(result)?.reservation_id]),
        "conversation" | "history" => match read::<Transcript>(result) {
            Some(told) => (Key::CardTalk, talk(told)),
            None => counted(Key::CardMessages, read::<History>(result)?.history.len()),
        },
        "conversations" => {
            counted(Key::CardTalks, read::<Conversations>(result)?.conversations.len())
        }
        "routes" => counted(Key::CardRoutes, read::<Routes>(result)?.routes.len()),
        "comparison" => (Key::CardComparison, {
            read::<Comparison>(result)?;
            Vec::new()
        }),
        "illustration" => counted(Key::CardPictures, 1),
        "illustrations" => {
            counted(Key::CardPictures, read::<Illustrations>(result)?.illustrations.len())
        }
        "thumbnail" => match read::<Thumbnail>(result)?.title {
            title if title.is_empty() => (Key::PictureMade, Vec::new()),
            title => (Key::CardThumbnail, vec![title]),
        },
        _ => return None,
    })
}

/// A conversation's purpose and who takes part, for a line in which neither moves on.
fn talk(told: Transcript) -> Vec<String> {
    let own = told.conversation;
    let names: Vec<String> = own.members.into_iter().map(|it| it.name).collect();
    vec![own.purpose.unwrap_or_else(|| "—".to_owned()), names.join(" ⇄ ")]
}

/// Whether a result is looked at rather than read, and where: by a view of its own.
pub(crate) fn is_drawn(view: Option<&str>) -> bool {
    const DRAWN: [&str; 13] = [
        "movies",
        "showtimes",
        "seat_map",
        "reservation",
        "conversation",
        "conversations",
        "history",
        "routes",
        "comparison",
        "place",
        "illustration",
        "illustrations",
        "thumbnail",
    ];
    view.is_some_and(|it| DRAWN.contains(&it))
}

/// A result as it is kept beside the drawing: long texts such as the bytes of pictures only begin.
pub(crate) fn shortened(value: &Value) -> Value {
    const TEXT_MAX: usize = 2_000;
    match value {
        Value::String(text) if text.len() > TEXT_MAX => {
            let begin: String = text.chars().take(80).collect();
            Value::String(format!("{begin}… ({} B)", text.len()))
        }
        Value::Array(items) => items.iter().map(shortened).collect(),
        Value::Object(object) => {
            let entry = |(name, value): (&String, &Value)| (name.clone(), shortened(value));
            Value::Object(object.iter().map(entry).collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_form_holds_goes_back_as_json_on_lines_of_its_own() {
        // FORM-5: `JSON.stringify(data, null, 2)`.
        let values = json!({ "name": "新規", "tags": ["a"], "count": 2 });
        assert_eq!(
            submitted(&values),
            "{\n  \"name\": \"新規\",\n  \"tags\": [\n    \"a\"\n  ],\n  \"count\": 2\n}"
        );
    }

    #[test]
    fn arguments_are_read_and_secrets_are_not() {
        let params = json!({ "seat_ids": ["A5", "A6"], "passkey": "1234", "deep": { "a": 1 } });
        let expected = [("seat_ids", "A5、A6"), ("passkey", "••••••"), ("deep", "{\"a\":1}")];
        let told = arguments(&params, "、");
        let told: Vec<_> = told.iter().map(|it| (it.0.as_str(), it.1.as_str())).collect();
        assert_eq!(told, expected);
        assert_eq!(seats(&params), ["A5", "A6"]);
        assert_eq!(arguments(&json!(7), "、"), []);
    }

    #[test]
    fn a_result_is_told_in_one_line_if_it_is_what_its_view_says() {
        let map = json!({ "seats": [
            { "seat_id": "A1", "row": "A", "number": 1, "is_reserved": false },
            { "seat_id": "A2", "row": "A", "number": 2, "is_reserved": true },
        ] });
        assert_eq!(summary(Some("seat_map"), &map), Some((Key::CardSeats, vec!["1".to_owned()])));
        assert_eq!(summary(Some("seat_map"), &json!([])), None);
        assert_eq!(summary(Some("strange"), &map), None);
        assert_eq!(summary(None, &map), None);
    }

    #[test]
    fn the_bytes_of_a_picture_are_not_printed() {
        let value = json!({ "data": "A".repeat(4_000), "name": "青" });
        let shown = shortened(&value);
        assert!(shown.to_string().len() < 200);
        assert_eq!(shown["name"], "青");
    }
}
