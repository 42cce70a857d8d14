//! Places: suggestions, names of points, coordinates as text, and the reader's position, if they share it.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use leptos::prelude::window;
use output::form::Choice;
use output::navigation::Point;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{Closure, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Position, PositionError, PositionOptions};

use crate::lookup::Options;
use crate::text::Key;

/// Maximum number of suggestions.
pub(crate) const SUGGESTIONS_MAX: usize = 8;
/// Maximum number of characters of a map's name.
const NAME_CHARS_MAX: usize = 100;

/// A suggestion of `GET /api/navigation/places`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Suggestion {
    pub(crate) name: String,
    /// Distinguishes it from others of the same name.
    pub(crate) detail: String,
    pub(crate) location: Point,
}

/// The example search: two places with Japanese and English names, and their positions.
pub(crate) const EXAMPLE: [((&str, &str), Point); 2] = [
    (("東京駅", "Tokyo Station"), Point { lat: 35.681, lng: 139.767 }),
    (("横浜駅", "Yokohama Station"), Point { lat: 35.466, lng: 139.622 }),
];

/// The area covered by the host's map, from `GET /api/navigation/about`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Area {
    pub(crate) name: String,
    south_west: Point,
    north_east: Point,
}

impl Area {
    /// None if routes are found elsewhere.
    pub(crate) fn parse(about: &Value) -> Option<Self> {
        let name = about.get("map")?.as_str()?.chars().take(NAME_CHARS_MAX).collect();
        let corner = |at: usize| {
            let part = |it: usize| about.pointer(&format!("/bounds/{at}/{it}"))?.as_f64();
            Some(Point { lat: part(0)?, lng: part(1)? }).filter(|it| is_on_globe(*it))
        };
        Some(Self { name, south_west: corner(0)?, north_east: corner(1)? })
    }

    pub(crate) fn has(&self, point: Point) -> bool {
        (self.south_west.lat..=self.north_east.lat).contains(&point.lat)
            && (self.south_west.lng..=self.north_east.lng).contains(&point.lng)
    }

    pub(crate) fn middle(&self) -> Point {
        let half = |a: f64, b: f64| f64::midpoint(a, b);
        Point {
            lat: half(self.south_west.lat, self.north_east.lat),
            lng: half(self.south_west.lng, self.north_east.lng),
        }
    }

    /// Its closed outline as (lat, lng).
    pub(crate) fn outline(&self) -> [(f64, f64); 5] {
        let (low, high) = (self.south_west, self.north_east);
        let first = (low.lat, low.lng);
        [first, (low.lat, high.lng), (high.lat, high.lng), (high.lat, low.lng), first]
    }
}

/// Parses suggestions into options; unnamed ones are skipped.
pub(crate) fn options(answer: &Value) -> Options {
    let read = |value: &Value| {
        let suggestion: Suggestion = serde_json::from_value(value.clone()).ok()?;
        let label: String = suggestion.name.chars().take(super::query::PLACE_MAX).collect();
        let value = serde_json::to_value(&suggestion).ok()?;
        (!label.trim().is_empty()).then_some(Choice { value, label })
    };
    let items = answer.as_array().map(Vec::as_slice).unwrap_or_default();
    Arc::from_iter(items.iter().filter_map(read).take(SUGGESTIONS_MAX))
}

/// The suggestion of an option made by [`options`].
pub(crate) fn suggestion(choice: &Choice) -> Suggestion {
    serde_json::from_value(choice.value.clone()).unwrap_or_default()
}

/// Formats a point as text that the router accepts as a place.
pub(crate) fn coordinates(point: Point) -> String {
    format!("{:.5},{:.5}", point.lat, point.lng)
}

/// Parses a text of coordinates, which need no geocoding.
pub(crate) fn point_of(text: &str) -> Option<Point> {
    let (lat, lng) = text.split_once(',')?;
    let point = Point { lat: lat.trim().parse().ok()?, lng: lng.trim().parse().ok()? };
    is_on_globe(point).then_some(point)
}

/// Whether the point is valid.
pub(crate) fn is_on_globe(point: Point) -> bool {
    point.lat.abs() <= 90.0 && point.lng.abs() <= 180.0
}

/// Maximum duration of locating.
const DEADLINE_MS: u32 = 10_000;
/// Maximum age of a cached position.
const AGE_MAX_MS: u32 = 60_000;

/// The reader's position, or the message for them.
pub(crate) async fn locate() -> Result<Point, Key> {
    if !window().is_secure_context() {
        return Err(Key::NavHereInsecure);
    }
    let geolocation = window().navigator().geolocation().map_err(|_| Key::NavHereNone)?;
    let found = Rc::new(RefCell::new(Err(Key::NavHereFailed)));
    let promise = js_sys::Promise::new(&mut |resolve, reject| {
        let (good, bad) = (Rc::clone(&found), Rc::clone(&found));
        let failed = resolve.clone();
        let take = Closure::once_into_js(move |position: Position| {
            let coords = position.coords();
            *good.borrow_mut() = Ok(Point { lat: coords.latitude(), lng: coords.longitude() });
            let _ = resolve.call0(&JsValue::UNDEFINED);
        });
        let fail = Closure::once_into_js(move |error: PositionError| {
            *bad.borrow_mut() = Err(why(error.code()));
            let _ = failed.call0(&JsValue::UNDEFINED);
        });
        let options = PositionOptions::new();
        options.set_timeout(DEADLINE_MS);
        options.set_maximum_age(AGE_MAX_MS);
        let request = geolocation.get_current_position_with_error_callback_and_options(
            take.unchecked_ref(),
            Some(fail.unchecked_ref()),
            &options,
        );
        if request.is_err() {
            let _ = reject.call0(&JsValue::UNDEFINED);
        }
    });
    JsFuture::from(promise).await.map_err(|_| Key::NavHereFailed)?;
    *found.borrow()
}

/// The message for the browser's error code.
fn why(code: u16) -> Key {
    match code {
        1 => Key::NavHereDenied,
        2 => Key::NavHereFailed,
        3 => Key::NavHereLate,
        _ => Key::NavHereNone,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parses_map_area_if_present() {
        let about = json!({ "map": "東京・川崎・横浜", "bounds": [[35.3, 139.4], [35.9, 139.9]] });
        let area = Area::parse(&about).unwrap();
        assert!(EXAMPLE.iter().all(|it| area.has(it.1)));
        assert!(area.has(area.middle()));
        assert!(!area.has(Point { lat: 34.702, lng: 135.495 }), "大阪駅");
        assert_eq!(area.outline()[0], area.outline()[4]);
        for none in [
            json!({ "map": null, "bounds": null }),
            json!({ "map": "x", "bounds": [[0, 0]] }),
            json!({ "map": "x", "bounds": [[99, 0], [99, 1]] }),
        ] {
            assert_eq!(Area::parse(&none), None, "{none}");
        }
    }

    #[test]
    fn parses_suggestions_singly_up_to_limit() {
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
    fn accepts_only_valid_coordinates() {
        let point = Point { lat: 35.681_236, lng: 139.767_125 };
        assert_eq!(coordinates(point), "35.68124,139.76712");
        assert_eq!(point_of(" 35.5 , 139.5 "), Some(Point { lat: 35.5, lng: 139.5 }));
        for wild in ["東京駅", "東京,駅", "91,0", "NaN,1", "1,2,3", "inf,0", ""] {
            assert_eq!(point_of(wild), None, "{wild}");
        }
    }

    #[test]
    fn every_failure_has_its_own_message() {
        let keys = [1, 2, 3, 9].map(why);
        for (index, key) in keys.iter().enumerate() {
            assert!(!keys[..index].contains(key), "{key:?}");
        }
    }
}
