//! Places: what is suggested while one types, how a point of the map is called, and what a text is.

use std::sync::Arc;

use output::form::Choice;
use output::navigation::Point;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::lookup::Options;

/// Suggestions asked for.
pub(crate) const SUGGESTIONS_MAX: usize = 8;

/// One suggestion, as `GET /api/navigation/places` has it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Suggestion {
    pub(crate) name: String,
    /// What tells it from others of that name.
    pub(crate) detail: String,
    pub(crate) location: Point,
}

/// The suggestions of an answer as options; what has no name is none.
pub(crate) fn options(answer: &Value) -> Options {
    let read = |it: &Value| {
        let suggestion: Suggestion = serde_json::from_value(it.clone()).ok()?;
        let label: String = suggestion.name.chars().take(super::query::PLACE_MAX).collect();
        let value = serde_json::to_value(&suggestion).ok()?;
        (!label.trim().is_empty()).then_some(Choice { value, label })
    };
    let items = answer.as_array().map(Vec::as_slice).unwrap_or_default();
    Arc::from_iter(items.iter().filter_map(read).take(SUGGESTIONS_MAX))
}

/// What an option of [`options`] is.
pub(crate) fn suggestion(choice: &Choice) -> Suggestion {
    serde_json::from_value(choice.value.clone()).unwrap_or_default()
}

/// A point as a text that the router reads as a place.
pub(crate) fn coordinates(point: Point) -> String {
    format!("{:.5},{:.5}", point.lat, point.lng)
}

/// The point that a text says, if it is coordinates: there is nothing to look up.
pub(crate) fn point_of(text: &str) -> Option<Point> {
    let (lat, lng) = text.split_once(',')?;
    let point = Point { lat: lat.trim().parse().ok()?, lng: lng.trim().parse().ok()? };
    is_on_globe(point).then_some(point)
}

/// Whether there is such a place.
pub(crate) fn is_on_globe(point: Point) -> bool {
    point.lat.abs() <= 90.0 && point.lng.abs() <= 180.0
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn suggestions_are_read_one_by_one_and_at_most_so_many() {
        let one = json!({ "name": "東京駅", "detail": "千代田区", "place_id": "x",
            "location": { "lat": 35.68, "lng": 139.76 } });
        let answer = json!([one, { "name": " " }, { "name": 3 }, "x", { "name": "東京タワー" }]);
        let options = options(&answer);
        let labels: Vec<_> = options.iter().map(|it| it.label.as_str()).collect();
        assert_eq!(labels, ["東京駅", "東京タワー"]);
        assert_eq!(suggestion(&options[0]).detail, "千代田区");
        let many = json!(vec![json!({ "name": "x" }); 50]);
        assert_eq!(super::options(&many).len(), SUGGESTIONS_MAX);
        assert!(super::options(&json!({ "error": "x" })).is_empty());
    }

    #[test]
    fn coordinates_are_a_place_and_wild_ones_are_not() {
        let point = Point { lat: 35.681_236, lng: 139.767_125 };
        assert_eq!(coordinates(point), "35.68124,139.76712");
        assert_eq!(point_of(" 35.5 , 139.5 "), Some(Point { lat: 35.5, lng: 139.5 }));
        for wild in ["東京駅", "東京,駅", "91,0", "NaN,1", "1,2,3", "inf,0", ""] {
            assert_eq!(point_of(wild), None, "{wild}");
        }
    }
}
