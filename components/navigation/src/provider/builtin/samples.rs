//! Routes made by hand, for tests.

use graph::{Class, Leg, Point, Text};

/// A stretch of a main road, to the north.
pub(crate) fn leg(name: &str, metres: f64) -> Leg {
    let name = Text { local: name.to_owned(), en: String::new() };
    Leg {
        points: vec![Point { lat: 35.0, lng: 139.0 }, Point { lat: 35.01, lng: 139.0 }],
        metres,
        seconds: metres / 10.0,
        class: Class::Trunk,
        name,
        number: String::new(),
        toll: false,
        ramp: false,
        roundabout: false,
        turn: 0.0,
        others: Vec::new(),
        junction: Text::default(),
    }
}
