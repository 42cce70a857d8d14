//! What OSRM answers, as far as it is read.

use serde::Deserialize;

/// The answer of `/route`.
#[derive(Debug, Deserialize)]
pub struct Routes {
    /// The routes, best first.
    pub routes: Vec<Route>,
    /// Where on the roads the ends are.
    pub waypoints: Vec<Waypoint>,
}

/// One route of the answer.
#[derive(Debug, Deserialize)]
pub struct Route {
    /// Its length in metres.
    pub distance: f64,
    /// Its time in seconds.
    pub duration: f64,
    /// The whole line, with precision 5.
    pub geometry: String,
    /// From stop to stop.
    pub legs: Vec<Leg>,
}

impl Route {
    /// Whether a road of it is of this class. A server whose map can leave a class out reports it, too.
    pub fn has(&self, class: &str) -> bool {
        let steps = self.legs.iter().flat_map(|it| &it.steps);
        let mut classes = steps.flat_map(|it| &it.intersections).flat_map(|it| &it.classes);
        classes.any(|it| it == class)
    }

    /// Whether it is travelled by other means than `mode`: a server finds routes by the profile that its
    /// map was made with, whichever is asked for.
    pub fn is_by_other_means(&self, mode: &str) -> bool {
        const MODES: [&str; 3] = ["driving", "cycling", "walking"];
        let modes = || self.legs.iter().flat_map(|it| &it.steps).map(|it| it.mode.as_str());
        modes().any(|it| MODES.contains(&it)) && !modes().any(|it| it == mode)
    }
}

/// From one stop to the next.
#[derive(Debug, Deserialize)]
pub struct Leg {
    /// The roads that tell it from others.
    #[serde(default)]
    pub summary: String,
    /// The steps, in order.
    pub steps: Vec<Step>,
}

/// What to do next.
#[derive(Debug, Default, Deserialize)]
pub struct Step {
    /// Its length in metres.
    pub distance: f64,
    /// Its time in seconds.
    pub duration: f64,
    /// The road's name.
    #[serde(default)]
    pub name: String,
    /// The road's number.
    #[serde(default, rename = "ref")]
    pub number: String,
    /// `driving`, `walking`, `cycling`, `ferry`.
    #[serde(default)]
    pub mode: String,
    /// On which side one drives.
    #[serde(default)]
    pub driving_side: String,
    /// What the traveller has to do.
    pub maneuver: Maneuver,
    /// What is on the way.
    #[serde(default)]
    pub intersections: Vec<Intersection>,
}

/// What the traveller has to do.
#[derive(Debug, Default, Deserialize)]
pub struct Maneuver {
    /// `turn`, `merge`, `fork` …
    #[serde(rename = "type")]
    pub kind: String,
    /// `right`, `slight left` …
    #[serde(default)]
    pub modifier: String,
    /// Where it is: lng, lat.
    pub location: (f64, f64),
    /// Where to, clockwise from the north.
    #[serde(default)]
    pub bearing_after: f64,
    /// Which exit of a roundabout.
    pub exit: Option<u32>,
}

/// A crossing on the way.
#[derive(Debug, Default, Deserialize)]
pub struct Intersection {
    /// What the road behind it is: `toll`, `motorway`, `ferry`.
    #[serde(default)]
    pub classes: Vec<String>,
}

/// Where on the roads a place is.
#[derive(Debug, Deserialize)]
pub struct Waypoint {
    /// How far from the place, in metres; older servers do not say.
    pub distance: Option<f64>,
}

/// The answer of `/table`.
#[derive(Debug, Deserialize)]
pub struct Table {
    /// In seconds; null where there is no route.
    pub durations: Vec<Vec<Option<f64>>>,
    /// Lengths in metres, a row for each origin.
    pub distances: Vec<Vec<Option<f64>>>,
    /// Where on the roads the origins are.
    #[serde(default)]
    pub sources: Vec<Waypoint>,
    /// Where the destinations are.
    #[serde(default)]
    pub destinations: Vec<Waypoint>,
}

/// What is answered in place of anything else.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Refusal {
    /// `NoRoute`, `NoSegment` …
    pub code: String,
    /// The explanation, for developers.
    pub message: String,
}
