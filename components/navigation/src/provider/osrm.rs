//! `osrm`: an OSRM server, with Nominatim for the names of places (NAV-35); what it answers, as routes and tables: its
//! maneuvers as text, in two languages, with Google's names for them; what it refuses, as what it means here.

use answer::{Refusal, Waypoint};
use output::navigation::{Comparison, Details, Place, Point, Route, RouteDetails, Routes, Step};
use serde::de::DeserializeOwned;

use super::{
    NO_ROUTE, Pair, Provider,
    client::{Call, HttpClient, Reply, clipped, failed},
    collect_routes,
    nominatim::{self, Nominatim, Spot, Stop},
};
use crate::{
    ask::{Avoid, CompareAsk, Language, Mode, RouteAsk},
    refusals::{OSRM_MAP, ProviderError},
    words::{metres, seconds, whole},
};

/// An OSRM server.
pub struct Osrm<C, P> {
    base: String,
    client: C,
    places: Option<Nominatim<P>>,
}

impl<C: HttpClient, P: HttpClient> Osrm<C, P> {
    /// Asks under `base`; without `places` it takes coordinates alone.
    pub(crate) fn new(base: &str, client: C, places: Option<Nominatim<P>>) -> Self {
        Self { base: base.to_owned(), client, places }
    }

    fn ask<T: DeserializeOwned>(
        &self,
        path: &str,
        parameters: &[(&str, &str)],
        about: &About<'_>,
    ) -> Result<T, ProviderError> {
        let reply = self.client.send(&Call::get(&self.base, path, parameters)?)?;
        if !reply.is_success() {
            return Err(status_error(&reply, about));
        }
        reply.object()
    }
}

impl<C: HttpClient, P: HttpClient> Osrm<C, P> {
    /// The routes on roads of none of these classes; and which of those to avoid the first has all the
    /// same.
    fn leaving_out(
        &self,
        ask: &RouteAsk,
        stops: &[Stop],
        classes: &[&str],
    ) -> Result<((Routes, Details), Vec<&'static str>), ProviderError> {
        let (profile, mode) = match ask.mode {
            Mode::Drive => ("driving", "driving"),
            Mode::Walk => ("foot", "walking"),
            Mode::Cycle => ("bike", "cycling"),
        };
        let path = format!("/route/v1/{profile}/{}", coordinates(stops.iter().map(|it| &it.1)));
        let excluded = classes.join(",");
        let mut parameters = vec![
            ("alternatives", if ask.wants_several() { "2" } else { "false" }),
            ("steps", "true"),
            ("geometries", "polyline"),
            ("overview", "full"),
        ];
        if !excluded.is_empty() {
            parameters.push(("exclude", &excluded));
        }
        let about = About { ends: stops, exclude: &excluded, language: ask.language };
        let answer: answer::Routes = self.ask(&path, &parameters, &about)?;
        is_on_the_map(&answer.waypoints, &about)?;
        if answer.routes.iter().any(|it| it.is_by_other_means(mode)) {
            let message = other_means(ask).to_owned();
            return Err(ProviderError::Invalid { pointer: String::new(), message });
        }
        let mut left = exclude(ask.avoid, ask.mode);
        left.retain(|it| answer.routes.first().is_some_and(|route| route.has(it)));
        let found = routes(answer, ask, stops)?;
        Ok((found, left))
    }
}

impl<C: HttpClient, P: HttpClient> Provider for Osrm<C, P> {
    fn routes(&self, ask: &RouteAsk) -> Result<(Routes, Details), ProviderError> {
        let stops = nominatim::find_stops(self.places.as_ref(), ask)?;
        let classes = exclude(ask.avoid, ask.mode);
        match self.leaving_out(ask, &stops, &classes) {
            Err(ProviderError::Invalid { pointer, .. })
                if pointer == "/avoid" && classes.len() > 1 => {}
            answer => return answer.map(|it| it.0),
        }
        // A map that is made for cars leaves out one class at a time. Leaving out one may do for all.
        let (mut best, mut refused) = (None::<((Routes, Details), Vec<_>)>, None);
        for class in &classes {
            match self.leaving_out(ask, &stops, &[*class]) {
                Ok((found, left)) if left.is_empty() => return Ok(found),
                Ok(it) => best = best.or(Some(it)),
                Err(it @ ProviderError::Invalid { .. }) => refused = Some(it),
                Err(it) => return Err(it),
            }
        }
        let Some(((mut routes, details), left)) = best else {
            return Err(refused.unwrap_or(ProviderError::NoRoute));
        };
        let note = not_left_out(&left, ask.language);
        routes.routes.iter_mut().for_each(|it| it.warnings.insert(0, note.clone()));
        Ok((routes, details))
    }

    fn compare(&self, ask: &CompareAsk) -> Result<Comparison, ProviderError> {
        let places = self.places.as_ref();
        let origins = nominatim::find_all(places, &ask.origins, "/origins", ask.language)?;
        let destinations =
            nominatim::find_all(places, &ask.destinations, "/destinations", ask.language)?;
        super::comparison(ask, &origins, &destinations, |from, to| {
            let all = from.iter().chain(to).copied();
            let path = format!("/table/v1/driving/{}", coordinates(all));
            let index = |range: std::ops::Range<usize>| -> String {
                range.map(|it| it.to_string()).collect::<Vec<_>>().join(";")
            };
            let (sources, targets) =
                (index(0..from.len()), index(from.len()..from.len() + to.len()));
            let parameters = [
                ("sources", sources.as_str()),
                ("destinations", targets.as_str()),
                ("annotations", "duration,distance"),
            ];
            let about = About { ends: &[], exclude: "", language: ask.language };
            table(&self.ask(&path, &parameters, &about)?)
        })
    }

    fn place(&self, address: &str, language: Language) -> Result<Place, ProviderError> {
        nominatim::place(self.places.as_ref(), address, language)
    }
}

/// `lng,lat;lng,lat`, with six digits.
fn coordinates<'s>(places: impl Iterator<Item = &'s Spot>) -> String {
    let one = |Point { lat, lng }| format!("{lng:.6},{lat:.6}");
    places.map(|it| one(it.at)).collect::<Vec<_>>().join(";")
}

/// The classes of roads to leave out; only cars meet tolls and motorways. Motorways go first: where one
/// class only can be left out, the others are mostly left out with them.
fn exclude(avoid: Avoid, mode: Mode) -> Vec<&'static str> {
    let is_driven = mode == Mode::Drive;
    let all = [
        (avoid.highways && is_driven, "motorway"),
        (avoid.tolls && is_driven, "toll"),
        (avoid.ferries, "ferry"),
    ];
    all.iter().filter(|it| it.0).map(|it| it.1).collect()
}

/// That the server's map was made for other means of travel.
fn other_means(ask: &RouteAsk) -> &'static str {
    let (japanese, english) = match ask.mode {
        Mode::Drive => (
            "このOSRMサーバーの地図は車のルートに対応していません",
            "this OSRM server's map was not made for cars",
        ),
        Mode::Walk => (
            "このOSRMサーバーの地図は徒歩のルートに対応していません",
            "this OSRM server's map was not made for walking",
        ),
        Mode::Cycle => (
            "このOSRMサーバーの地図は自転車のルートに対応していません",
            "this OSRM server's map was not made for bicycles",
        ),
    };
    ask.language.pick(japanese, english)
}

/// That the routes have what was to be avoided.
fn not_left_out(classes: &[&str], language: Language) -> String {
    let name = |class: &&str| match (*class, language) {
        ("motorway", Language::Japanese) => "高速道路",
        ("motorway", Language::English) => "motorways",
        ("toll", Language::Japanese) => "有料道路",
        ("toll", Language::English) => "toll roads",
        (_, Language::Japanese) => "フェリー",
        (_, Language::English) => "ferries",
    };
    let names: Vec<_> = classes.iter().map(name).collect();
    match language {
        Language::Japanese => format!(
            "このOSRMサーバーは一度に1種類の道路しか避けられず、{}を通ります。",
            names.join("・")
        ),
        Language::English => format!(
            "This OSRM server leaves out one kind of road at a time: the route has {}.",
            names.join(" and ")
        ),
    }
}

/// A place farther from any road than this is not on the map: OSRM itself would take the nearest
/// road of the country next door.
const OFF_ROAD_METRES_MAX: f64 = 5_000.0;

/// What was asked for.
struct About<'a> {
    /// Places, and where they stand in the arguments.
    ends: &'a [Stop],
    /// Classes of roads to leave out.
    exclude: &'a str,
    /// That of the caller.
    language: Language,
}

/// What a status other than success means.
fn status_error(reply: &Reply, about: &About<'_>) -> ProviderError {
    let refusal: Refusal = reply.object().unwrap_or_default();
    let message = clipped(&refusal.message);
    let invalid = |pointer: &str, message: String| ProviderError::Invalid {
        pointer: pointer.to_owned(),
        message,
    };
    match refusal.code.as_str() {
        _ if reply.status == 429 => reply.over_limit(),
        "NoRoute" | "NoTable" => ProviderError::NoRoute,
        "NoSegment" => {
            // The message ends with the number of the place.
            let number = message.rsplit(' ').next().and_then(|it| it.parse::<usize>().ok());
            outside(about, number.unwrap_or(0))
        }
        "InvalidValue" | "InvalidOptions" if message.to_lowercase().contains("exclude") => {
            let classes = about.exclude;
            let message = about.language.pick(
                format!("このOSRMサーバーの地図では{classes}を避けられません。避けるものを減らしてください"),
                format!(
                    "this OSRM server's map cannot leave out {classes}: it was made without these classes, or not with this combination of them; ask for fewer"
                ),
            );
            invalid("/avoid", message)
        }
        "TooBig" => invalid(
            "",
            about.language.pick(
                "このOSRMサーバーが一度に扱える量を超えています".to_owned(),
                format!("more than this OSRM server takes at once: {message}"),
            ),
        ),
        "" => reply.refusal(),
        code => failed(&format!("OSRM answers {}: {message}", clipped(code))),
    }
}

fn outside(about: &About<'_>, at: usize) -> ProviderError {
    let map = OSRM_MAP.to_owned();
    match about.ends.get(at) {
        Some((pointer, located)) => {
            ProviderError::OutsideMap { pointer: pointer.clone(), place: located.name.clone(), map }
        }
        None => ProviderError::OutsideMap { pointer: String::new(), place: String::new(), map },
    }
}

/// Whether both ends are near a road of the map.
fn is_on_the_map(waypoints: &[Waypoint], about: &About<'_>) -> Result<(), ProviderError> {
    match waypoints.iter().position(is_off) {
        Some(at) => Err(outside(about, at)),
        None => Ok(()),
    }
}

/// Whether no road is near.
fn is_off(waypoint: &Waypoint) -> bool {
    waypoint.distance.is_some_and(|it| it > OFF_ROAD_METRES_MAX)
}

/// Routes between both ends.
fn routes(
    answer: answer::Routes,
    ask: &RouteAsk,
    stops: &[Stop],
) -> Result<(Routes, Details), ProviderError> {
    if answer.routes.is_empty() {
        return Err(ProviderError::NoRoute);
    }
    let (details, ends) = nominatim::details("osrm", ask, stops);
    let metres = answer.waypoints.iter().map(|it| it.distance.unwrap_or_default());
    let far = nominatim::far(stops.iter().zip(metres), ask.language);
    let (mut routes, details) = collect_routes(answer.routes, ask, details, ends, route)?;
    routes.routes.iter_mut().for_each(|it| it.warnings.extend(far.clone()));
    Ok((routes, details))
}

fn route(route: answer::Route, ask: &RouteAsk) -> Result<(Route, RouteDetails), ProviderError> {
    let points = super::points(&route.geometry, 5)?;
    if route.legs.is_empty() {
        return Err(failed("the provider's route has no leg"));
    }
    let last = route.legs.len() - 1;
    let steps = route.legs.iter().enumerate();
    let steps = steps.flat_map(|(at, leg)| leg.steps.iter().map(move |it| (it, at < last)));
    let (all, at_stops): (Vec<_>, Vec<_>) = steps.unzip();
    let begins: Vec<_> = all
        .iter()
        .map(|it| Point { lat: it.maneuver.location.1, lng: it.maneuver.location.0 })
        .collect();
    let step = |(step, is_stop): (&&answer::Step, bool)| Step {
        instruction: instruction(step, is_stop, ask.language),
        distance: metres(step.distance).text,
        duration: seconds(step.duration, ask.language).text,
        maneuver: maneuver(step).map(str::to_owned),
    };
    let route = Route {
        summary: summary(&route.legs),
        distance: metres(route.distance),
        duration: seconds(route.duration, ask.language),
        // It knows no traffic.
        duration_in_traffic: None,
        steps: all.iter().zip(at_stops).map(step).collect(),
        polyline: route.geometry,
        warnings: Vec::new(),
    };
    let ferry: f64 = all.iter().filter(|it| it.mode == "ferry").map(|it| it.distance).sum();
    let ferry_metres = Some(whole(ferry)).filter(|it| *it > 0);
    let steps_at = super::steps_at(&points, &begins);
    Ok((route, RouteDetails { steps_at, ferry_metres, ..RouteDetails::default() }))
}

/// What each leg is called, once.
fn summary(legs: &[answer::Leg]) -> String {
    let mut names: Vec<&str> = legs.iter().map(|it| it.summary.as_str()).collect();
    names.retain(|it| !it.is_empty());
    names.dedup();
    names.join(", ")
}

/// A row of a table as it comes; null is no route.
type Numbers = Vec<Option<f64>>;

/// Metres and seconds, pair by pair; a place off the map has no route to anywhere.
fn table(table: &answer::Table) -> Result<Vec<Vec<Pair>>, ProviderError> {
    let is_off = |all: &[Waypoint], at: usize| all.get(at).is_some_and(is_off);
    let row = |(at, (durations, distances)): (usize, (&Numbers, &Numbers))| {
        if durations.len() != distances.len() {
            return Err(failed("the provider's table leaves a distance out"));
        }
        let pair = |(to, (seconds, metres)): (usize, (&Option<f64>, &Option<f64>))| {
            let is_there = !is_off(&table.sources, at) && !is_off(&table.destinations, to);
            metres.zip(*seconds).filter(|_| is_there).ok_or(NO_ROUTE)
        };
        Ok(durations.iter().zip(distances).enumerate().map(pair).collect())
    };
    table.durations.iter().zip(&table.distances).enumerate().map(row).collect()
}

/// Google's name for it; none where it has none.
fn maneuver(step: &answer::Step) -> Option<&'static str> {
    if step.mode == "ferry" {
        return Some("ferry");
    }
    let (side, drives_left) = (Side::of(&step.maneuver.modifier), step.driving_side == "left");
    Some(match (step.maneuver.kind.as_str(), step.maneuver.modifier.as_str()) {
        ("depart" | "arrive" | "new name" | "notification", _) => return None,
        ("exit roundabout" | "exit rotary", _) => return None,
        ("roundabout" | "rotary" | "roundabout turn", _) if drives_left => "roundabout-left",
        ("roundabout" | "rotary" | "roundabout turn", _) => "roundabout-right",
        ("merge", _) => "merge",
        ("on ramp" | "off ramp", _) if side == Side::Left => "ramp-left",
        ("on ramp" | "off ramp", _) => "ramp-right",
        ("fork", _) if side == Side::Left => "fork-left",
        ("fork", _) if side == Side::Right => "fork-right",
        (_, "uturn") if drives_left => "uturn-right",
        (_, "uturn") => "uturn-left",
        (_, "sharp right") => "turn-sharp-right",
        (_, "right") => "turn-right",
        (_, "slight right") => "turn-slight-right",
        (_, "slight left") => "turn-slight-left",
        (_, "left") => "turn-left",
        (_, "sharp left") => "turn-sharp-left",
        (_, "straight") => "straight",
        _ => return None,
    })
}

/// In which direction it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Left,
    Right,
    Ahead,
}

impl Side {
    fn of(modifier: &str) -> Self {
        match modifier.rsplit(' ').next() {
            Some("left") => Self::Left,
            Some("right") => Self::Right,
            _ => Self::Ahead,
        }
    }

    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Left => ("左", "left"),
            Self::Right => ("右", "right"),
            Self::Ahead => ("", ""),
        }
    }
}

/// What to do, in plain text; `is_stop` where it ends at a stop on the way.
fn instruction(step: &answer::Step, is_stop: bool, language: Language) -> String {
    let road = match (step.name.as_str(), step.number.as_str()) {
        ("", number) => number.to_owned(),
        (name, _) => name.to_owned(),
    };
    match language {
        Language::Japanese => japanese(step, &road, is_stop),
        Language::English => english(step, &road, is_stop),
    }
}

fn japanese(step: &answer::Step, road: &str, is_stop: bool) -> String {
    let side = Side::of(&step.maneuver.modifier).words().0;
    let then = |act: &str, and: &str| match road {
        "" => act.to_owned(),
        road => format!("{and}{road}に入る"),
    };
    if step.mode == "ferry" && step.maneuver.kind != "arrive" {
        return if road.is_empty() {
            "フェリーに乗る".into()
        } else {
            format!("フェリー（{road}）に乗る")
        };
    }
    match step.maneuver.kind.as_str() {
        "depart" => {
            let to = compass(step.maneuver.bearing_after).0;
            if road.is_empty() {
                format!("{to}に進む")
            } else {
                format!("{road}を{to}に進む")
            }
        }
        "arrive" => {
            let end = if is_stop { "経由地" } else { "目的地" };
            let beside = if side.is_empty() { String::new() } else { format!("（{side}側）") };
            format!("{end}に到着{beside}")
        }
        "new name" | "notification" => then("道なりに進む", "道なりに"),
        "merge" => {
            if road.is_empty() {
                "合流する".into()
            } else {
                format!("{road}に合流する")
            }
        }
        "on ramp" => then(&format!("{side}側のランプに入る"), &format!("{side}側のランプから")),
        "off ramp" => then(&format!("{side}側の出口を出る"), &format!("{side}側の出口を出て")),
        "fork" if side.is_empty() => then("分岐を直進する", "分岐を直進して"),
        "fork" => then(&format!("分岐を{side}方向に進む"), &format!("分岐を{side}方向に進み")),
        "roundabout" | "rotary" | "roundabout turn" => match step.maneuver.exit {
            Some(exit) => then(
                &format!("環状交差点で{exit}番目の出口を出る"),
                &format!("環状交差点で{exit}番目の出口を出て"),
            ),
            None => "環状交差点に入る".to_owned(),
        },
        "exit roundabout" | "exit rotary" => then("環状交差点を出る", "環状交差点を出て"),
        kind => {
            let at = if kind == "end of road" { "突き当たりを" } else { "" };
            let (act, and) = match step.maneuver.modifier.as_str() {
                "uturn" => ("Uターンする", "Uターンして"),
                "sharp right" => ("大きく右に曲がる", "大きく右に曲がり"),
                "right" => ("右折する", "右折して"),
                "slight right" => ("斜め右方向に進む", "斜め右方向に進み"),
                "slight left" => ("斜め左方向に進む", "斜め左方向に進み"),
                "left" => ("左折する", "左折して"),
                "sharp left" => ("大きく左に曲がる", "大きく左に曲がり"),
                _ => ("直進する", "直進して"),
            };
            then(&format!("{at}{act}"), &format!("{at}{and}"))
        }
    }
}

fn english(step: &answer::Step, road: &str, is_stop: bool) -> String {
    let side = Side::of(&step.maneuver.modifier).words().1;
    let onto = |act: String| match road {
        "" => act,
        road => format!("{act} onto {road}"),
    };
    if step.mode == "ferry" && step.maneuver.kind != "arrive" {
        return if road.is_empty() {
            "Take the ferry".into()
        } else {
            format!("Take the ferry {road}")
        };
    }
    let on =
        |act: &str| if side.is_empty() { act.to_owned() } else { format!("{act} on the {side}") };
    match step.maneuver.kind.as_str() {
        "depart" => {
            let head = format!("Head {}", compass(step.maneuver.bearing_after).1);
            if road.is_empty() { head } else { format!("{head} on {road}") }
        }
        "arrive" => {
            let end = if is_stop { "stop" } else { "destination" };
            on(&format!("Arrive at your {end}"))
                .replace(&format!("{end} on"), &format!("{end}, on"))
        }
        "new name" | "notification" => onto("Continue".to_owned()),
        "merge" => onto("Merge".to_owned()),
        "on ramp" => onto(on("Take the ramp")),
        "off ramp" => onto(on("Take the exit")),
        "fork" if side.is_empty() => onto("Go straight on at the fork".to_owned()),
        "fork" => onto(format!("Keep {side} at the fork")),
        "roundabout" | "rotary" | "roundabout turn" => match step.maneuver.exit {
            Some(exit) => onto(format!("At the roundabout take exit {exit}")),
            None => "Enter the roundabout".to_owned(),
        },
        "exit roundabout" | "exit rotary" => onto("Leave the roundabout".to_owned()),
        kind => {
            let act = match step.maneuver.modifier.as_str() {
                "uturn" => "make a U-turn",
                "sharp right" => "turn sharp right",
                "right" => "turn right",
                "slight right" => "bear right",
                "slight left" => "bear left",
                "left" => "turn left",
                "sharp left" => "turn sharp left",
                _ => "go straight on",
            };
            match kind {
                "end of road" => onto(format!("At the end of the road {act}")),
                _ => onto(format!("{}{}", act[..1].to_uppercase(), &act[1..])),
            }
        }
    }
}

/// Where a bearing leads to, of eight.
fn compass(bearing: f64) -> (&'static str, &'static str) {
    const WORDS: [(&str, &str); 8] = [
        ("北", "north"),
        ("北東", "north-east"),
        ("東", "east"),
        ("南東", "south-east"),
        ("南", "south"),
        ("南西", "south-west"),
        ("西", "west"),
        ("北西", "north-west"),
    ];
    let eighth = whole(bearing.rem_euclid(360.0) / 45.0) % 8;
    WORDS[usize::try_from(eighth).unwrap_or(0)]
}

#[cfg(test)]
mod tests;

/// What OSRM answers, as far as it is read.
pub mod answer {
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
}
