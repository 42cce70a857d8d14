//! `google-routes`: Google's Routes API, version 2, and its Geocoding API for places (NAV-35); what it answers, as routes
//! and as a comparison (elements in no order, each with its place), and what it refuses, as what it means here (NAV-40).

use std::time::{Duration, SystemTime};

use answer::Refusal as Body;
use output::navigation::{
    Comparison, Details, Element, End, Place, Point, Route, RouteDetails, Routes, Row, Step, Toll,
    Waypoint,
};
use serde_json::{Value, json};

use super::{
    Provider, UNKNOWN,
    client::{Call, HttpClient, Reply, clipped, failed},
    collect_routes, google_legacy, plain, travel_mode,
};
use crate::{
    arguments,
    ask::{CompareAsk, Departure, Language, Mode, RouteAsk, Traffic},
    refusals::ProviderError,
    words::{metres, seconds, tag},
};

/// The header that says what is to be answered; without it nothing is.
const MASK: &str = "x-goog-fieldmask";
/// Pairs that one table may have where traffic is looked at as well as can be.
const PAIRS_MAX: usize = 100;

/// Google's Routes API. The host adds the key on the way out.
pub struct GoogleRoutes<C> {
    base: String,
    geocoding: String,
    client: C,
}

impl<C: HttpClient> GoogleRoutes<C> {
    /// Asks for routes under `base` and for places under `geocoding`.
    pub(crate) fn new(base: &str, geocoding: &str, client: C) -> Self {
        Self { base: base.to_owned(), geocoding: geocoding.to_owned(), client }
    }

    /// What is answered to `body`; what was not to be had for a moment is asked for once more.
    fn post<T>(
        &self,
        path: &str,
        mask: &str,
        body: Value,
        read: impl Fn(&Reply) -> Result<T, ProviderError>,
    ) -> Result<T, Refusal> {
        let call = Call::post(&self.base, path, body)?.header(MASK, mask);
        let mut reply = self.client.send(&call)?;
        if matches!(reply.status, 500 | 503) {
            reply = self.client.send(&call)?;
        }
        if !reply.is_success() {
            return Err(refusal(&reply));
        }
        Ok(read(&reply)?)
    }
}

impl<C: HttpClient> Provider for GoogleRoutes<C> {
    fn routes(&self, ask: &RouteAsk) -> Result<(Routes, Details), ProviderError> {
        let answer =
            self.post("/directions/v2:computeRoutes", ROUTES_MASK, route_body(ask), Reply::object);
        read_routes(answer.map_err(|it| it.about_routes(ask))?, ask)
    }

    fn compare(&self, ask: &CompareAsk) -> Result<Comparison, ProviderError> {
        if ask.origins.len() * ask.destinations.len() > PAIRS_MAX {
            let message = format!("at most {PAIRS_MAX} pairs");
            return Err(ProviderError::Invalid { pointer: "/destinations".to_owned(), message });
        }
        let path = "/distanceMatrix/v2:computeRouteMatrix";
        let answer = self.post(path, PAIRS_MASK, compare_body(ask), Reply::json);
        read_pairs(answer.map_err(|it| it.about_pairs(ask))?, ask)
    }

    fn place(&self, address: &str, language: Language) -> Result<Place, ProviderError> {
        google_legacy::place(&self.client, &self.geocoding, address, language)
    }
}

/// What is posted for routes.
fn route_body(ask: &RouteAsk) -> Value {
    let mut body = json!({
        "origin": waypoint(&ask.origin),
        "destination": waypoint(&ask.destination),
        "travelMode": match ask.mode {
            Mode::Drive => "DRIVE",
            Mode::Walk => "WALK",
            Mode::Cycle => "BICYCLE",
        },
        "computeAlternativeRoutes": ask.wants_several(),
        "languageCode": tag(ask.language),
        "units": "METRIC",
        "polylineQuality": "OVERVIEW",
        "polylineEncoding": "ENCODED_POLYLINE",
    });
    let Some(fields) = body.as_object_mut() else { return body };
    if !ask.via.is_empty() {
        let stops: Vec<_> = ask.via.iter().map(|it| waypoint(it)).collect();
        fields.insert("intermediates".to_owned(), stops.into());
    }
    // Walkers pay no tolls, and Google refuses to talk to them of traffic.
    if ask.mode == Mode::Drive {
        fields.insert("routeModifiers".to_owned(), modifiers(ask));
        fields.insert("extraComputations".to_owned(), json!(["TOLLS"]));
        // A model of traffic is only taken with the best preference.
        fields.insert("routingPreference".to_owned(), json!("TRAFFIC_AWARE_OPTIMAL"));
        fields.insert("trafficModel".to_owned(), json!(model(ask.traffic)));
        if let Some(time) = departure(ask.departure) {
            fields.insert("departureTime".to_owned(), json!(time));
        }
    }
    body
}

fn modifiers(ask: &RouteAsk) -> Value {
    json!({
        "avoidTolls": ask.avoid.tolls,
        "avoidHighways": ask.avoid.highways,
        "avoidFerries": ask.avoid.ferries,
    })
}

/// What is posted for a table. Without a time of its own traffic is that of now.
fn compare_body(ask: &CompareAsk) -> Value {
    let places = |all: &[String]| -> Vec<Value> {
        all.iter().map(|it| json!({ "waypoint": waypoint(it) })).collect()
    };
    let mut body = json!({
        "origins": places(&ask.origins),
        "destinations": places(&ask.destinations),
        "travelMode": "DRIVE",
        "routingPreference": "TRAFFIC_AWARE",
        "languageCode": tag(ask.language),
        "units": "METRIC",
    });
    if let (Some(time), Some(fields)) = (departure(ask.departure), body.as_object_mut()) {
        fields.insert("departureTime".to_owned(), json!(time));
    }
    body
}

fn waypoint(place: &str) -> Value {
    match arguments::point(place) {
        Some(at) => {
            json!({ "location": { "latLng": { "latitude": at.lat, "longitude": at.lng } } })
        }
        None => json!({ "address": place }),
    }
}

fn model(traffic: Traffic) -> &'static str {
    match traffic {
        Traffic::BestGuess => "BEST_GUESS",
        Traffic::Pessimistic => "PESSIMISTIC",
        Traffic::Optimistic => "OPTIMISTIC",
    }
}

/// The time, where it lies ahead: Google refuses one that is over, and takes now where there is none.
fn departure(departure: Departure) -> Option<String> {
    /// What may pass until Google reads it.
    const AHEAD: Duration = Duration::from_secs(30);
    let Departure::At(time) = departure else { return None };
    if time <= SystemTime::now() + AHEAD {
        return None;
    }
    let since = time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    let time = chrono::DateTime::from_timestamp(i64::try_from(since.as_secs()).ok()?, 0)?;
    Some(time.format("%Y-%m-%dT%H:%M:%SZ").to_string())
}

/// Why nothing was answered.
#[derive(Debug)]
enum Refusal {
    /// It is plain what that means.
    Plain(ProviderError),
    /// An argument, or one of the places, with Google's explanation.
    Argument { is_place: bool, message: String },
}

impl From<ProviderError> for Refusal {
    fn from(error: ProviderError) -> Self {
        Self::Plain(error)
    }
}

/// What a status other than success means.
fn refusal(reply: &Reply) -> Refusal {
    // A stream begins with its bracket, errors among it.
    let body = reply.object::<Body>().or_else(|_| {
        let all = reply.json::<Vec<Body>>()?;
        all.into_iter().next().ok_or_else(|| failed("it is empty"))
    });
    let error = body.unwrap_or_default().error;
    let message = clipped(&plain(&error.message));
    let is_key = message.to_lowercase().contains("api key");
    Refusal::Plain(match (error.status.as_str(), reply.status) {
        // A wrong key is an invalid argument to Google.
        ("INVALID_ARGUMENT" | "FAILED_PRECONDITION", _) if is_key => ProviderError::Denied,
        ("PERMISSION_DENIED" | "UNAUTHENTICATED", _) | (_, 401 | 403) => ProviderError::Denied,
        ("RESOURCE_EXHAUSTED", _) | (_, 429) => reply.over_limit(),
        ("NOT_FOUND", _) if !error.message.is_empty() => {
            return Refusal::Argument { is_place: true, message };
        }
        ("INVALID_ARGUMENT" | "FAILED_PRECONDITION" | "OUT_OF_RANGE", _) => {
            // The error of an address that is not known looks like this, too.
            let is_place = message.to_lowercase().contains("geocod");
            return Refusal::Argument { is_place, message };
        }
        _ => reply.refusal(),
    })
}

impl Refusal {
    /// The same, for who asked for routes.
    fn about_routes(self, ask: &RouteAsk) -> ProviderError {
        let name = |pointer: &str| match pointer {
            "/origin" => "origin",
            "/destination" => "destination",
            _ => "intermediate",
        };
        let ends: Vec<_> = ask.places().map(|(at, place)| (name(&at), at, place)).collect();
        let rest = [("departure", "/departure_time"), ("traffic", "/traffic_model")];
        self.about(&ends, &rest)
    }

    /// The same, for who asked for a table.
    fn about_pairs(self, ask: &CompareAsk) -> ProviderError {
        let places = |name: &'static str, all: &'static str, list: &[String]| {
            let place = |(at, it): (usize, &String)| (name, format!("{all}/{at}"), it.clone());
            list.iter().enumerate().map(place).collect::<Vec<_>>()
        };
        let mut all = places("origin", "/origins", &ask.origins);
        all.extend(places("destination", "/destinations", &ask.destinations));
        let named: Vec<_> = all.iter().map(|it| (it.0, it.1.clone(), it.2.as_str())).collect();
        self.about(&named, &[("departure", "/departure_time")])
    }

    /// Whose address or name the message has in it, is what it is about.
    fn about(self, places: &[(&str, String, &str)], rest: &[(&str, &str)]) -> ProviderError {
        let (is_place, message) = match self {
            Self::Plain(error) => return error,
            Self::Argument { is_place, message } => (is_place, message),
        };
        let small = message.to_lowercase();
        let by_text = places.iter().find(|it| message.contains(it.2));
        let place = by_text.or_else(|| places.iter().find(|it| small.contains(it.0)));
        match place {
            Some((_, pointer, place)) if is_place => {
                ProviderError::UnknownPlace { pointer: pointer.clone(), place: (*place).to_owned() }
            }
            Some((_, pointer, _)) => ProviderError::Invalid { pointer: pointer.clone(), message },
            None => {
                let field = rest.iter().find(|it| small.contains(it.0));
                let pointer = field.map_or(String::new(), |it| it.1.to_owned());
                ProviderError::Invalid { pointer, message }
            }
        }
    }
}

/// What is to be answered: each field costs, and none is answered that is not named.
const ROUTES_MASK: &str = "routes.description,routes.warnings,routes.distanceMeters,\
routes.duration,routes.staticDuration,routes.polyline.encodedPolyline,routes.legs.startLocation,\
routes.legs.endLocation,routes.legs.steps.distanceMeters,routes.legs.steps.staticDuration,\
routes.legs.steps.startLocation,routes.legs.steps.navigationInstruction,\
routes.travelAdvisory.tollInfo,geocodingResults";

/// Reads the answer as routes.
fn read_routes(answer: answer::Routes, ask: &RouteAsk) -> Result<(Routes, Details), ProviderError> {
    let ends = answer.geocoding_results;
    let stops =
        ends.intermediates.iter().map(|it| (it.intermediate_waypoint_request_index + 1, it));
    let all = [(0, &ends.origin)].into_iter().chain(stops);
    for (at, end) in all.chain([(ask.via.len() + 1, &ends.destination)]) {
        if end.geocoder_status.code != 0
            && let Some((pointer, place)) = ask.places().nth(at)
        {
            return Err(ProviderError::UnknownPlace { pointer, place: place.to_owned() });
        }
    }
    let first = answer.routes.first().ok_or(ProviderError::NoRoute)?;
    let [leg, ..] = &*first.legs else { return Err(failed("the provider's route has no leg")) };
    let last = first.legs.last().unwrap_or(leg);
    let end = |name: &String, at: &answer::Location| {
        Some(End { name: name.clone(), location: point(at), ..End::default() })
    };
    let details = Details {
        provider: "google-routes".to_owned(),
        attribution: "Google Maps".to_owned(),
        travel_mode: travel_mode(ask.mode).to_owned(),
        origin: end(&ask.origin, &leg.start_location),
        via: ask
            .via
            .iter()
            .zip(&first.legs)
            .filter_map(|it| end(it.0, &it.1.end_location))
            .collect(),
        destination: end(&ask.destination, &last.end_location),
        ..Details::default()
    };
    let waypoint = |it: answer::End| Waypoint { place_id: it.place_id, types: it.types };
    let geocoded_waypoints = vec![waypoint(ends.origin), waypoint(ends.destination)];
    collect_routes(answer.routes, ask, details, geocoded_waypoints, route)
}

fn point(at: &answer::Location) -> Point {
    Point { lat: at.lat_lng.latitude, lng: at.lat_lng.longitude }
}

fn route(route: answer::Route, ask: &RouteAsk) -> Result<(Route, RouteDetails), ProviderError> {
    let points = super::points(&route.polyline.encoded_polyline, 5)?;
    let steps = route.legs.iter().flat_map(|it| &it.steps);
    let begins: Vec<_> = steps.clone().map(|it| point(&it.start_location)).collect();
    let with_traffic = seconds_in(&route.duration)?;
    // Google leaves it out where it is the same.
    let without = if route.static_duration.is_empty() {
        with_traffic
    } else {
        seconds_in(&route.static_duration)?
    };
    let is_driven = ask.mode == Mode::Drive;
    let text = |number| seconds(number, ask.language);
    let toll = route.travel_advisory.toll_info.and_then(|it| toll(&it));
    let route = Route {
        summary: plain(&route.description),
        distance: metres(route.distance_meters as f64),
        duration: text(without),
        duration_in_traffic: is_driven.then(|| text(with_traffic)),
        polyline: route.polyline.encoded_polyline,
        steps: steps.map(|it| step(it, ask)).collect::<Result<_, _>>()?,
        warnings: route.warnings.iter().map(|it| plain(it)).collect(),
    };
    let steps_at = super::steps_at(&points, &begins);
    Ok((route, RouteDetails { steps_at, toll, ..RouteDetails::default() }))
}

fn step(step: &answer::Step, ask: &RouteAsk) -> Result<Step, ProviderError> {
    let lasts = match step.static_duration.as_str() {
        "" => 0.0,
        text => seconds_in(text)?,
    };
    let instruction = plain(&step.navigation_instruction.instructions);
    Ok(Step {
        // Google has no words for a step that only goes on.
        instruction: match instruction.is_empty() {
            true => ask.language.pick("道なりに進む", "Continue").to_owned(),
            false => instruction,
        },
        distance: metres(step.distance_meters as f64).text,
        duration: seconds(lasts, ask.language).text,
        maneuver: maneuver(&step.navigation_instruction.maneuver),
    })
}

/// `123s`, `123.5s`.
fn seconds_in(text: &str) -> Result<f64, ProviderError> {
    let number = text.strip_suffix('s').and_then(|it| it.parse::<f64>().ok());
    let number = number.filter(|it| it.is_finite() && *it >= 0.0);
    number.ok_or_else(|| failed("the provider's answer has a duration that is none"))
}

/// `TURN_SLIGHT_LEFT` as Google called it before: `turn-slight-left`. What had no name has none.
fn maneuver(code: &str) -> Option<String> {
    const MANEUVERS: &str = "\
        TURN_SLIGHT_LEFT TURN_SHARP_LEFT UTURN_LEFT TURN_LEFT TURN_SLIGHT_RIGHT TURN_SHARP_RIGHT \
        UTURN_RIGHT TURN_RIGHT STRAIGHT RAMP_LEFT RAMP_RIGHT MERGE FORK_LEFT FORK_RIGHT FERRY \
        FERRY_TRAIN ROUNDABOUT_LEFT ROUNDABOUT_RIGHT";
    MANEUVERS.split(' ').any(|it| it == code).then(|| code.to_lowercase().replace('_', "-"))
}

/// What tolls come to in the first currency that Google names.
fn toll(toll: &answer::TollInfo) -> Option<Toll> {
    let price = toll.estimated_price.first()?;
    let units: f64 = if price.units.is_empty() { 0.0 } else { price.units.parse().ok()? };
    let amount = units + f64::from(price.nanos) / 1e9;
    let fits = amount.is_finite() && amount >= 0.0 && price.currency_code.len() == 3;
    let currency = price.currency_code.clone();
    fits.then_some(Toll { currency, amount, is_estimate: true })
}

/// What is to be answered; without the status all would seem well.
const PAIRS_MASK: &str =
    "originIndex,destinationIndex,status,condition,distanceMeters,duration,staticDuration";

/// A number of gRPC's.
const NOT_FOUND: i64 = 5;
/// The same: what is asked for is no place to Google.
const INVALID_ARGUMENT: i64 = 3;

/// Reads it. A pair that is not answered is no answer at all.
fn read_pairs(answer: Vec<answer::Element>, ask: &CompareAsk) -> Result<Comparison, ProviderError> {
    let mut rows = vec![vec![None; ask.destinations.len()]; ask.origins.len()];
    for pair in answer {
        let row = rows.get_mut(pair.origin_index);
        let place = row.and_then(|row| row.get_mut(pair.destination_index));
        let place = place.ok_or_else(|| failed("the provider's table has a pair too many"))?;
        *place = Some(element(&pair, ask.language)?);
    }
    let whole = |row: Vec<Option<Element>>| -> Option<Row> {
        Some(Row { elements: row.into_iter().collect::<Option<_>>()? })
    };
    let rows = rows.into_iter().map(whole).collect::<Option<_>>();
    Ok(Comparison {
        rows: rows.ok_or_else(|| failed("the provider's table leaves a pair out"))?,
        // Routes does not say how it understood them.
        origin_addresses: ask.origins.clone(),
        destination_addresses: ask.destinations.clone(),
    })
}

fn element(element: &answer::Element, language: Language) -> Result<Element, ProviderError> {
    let status = match (element.status.code, element.condition.as_str()) {
        (0, "ROUTE_EXISTS") => "OK",
        (0, "ROUTE_NOT_FOUND") => "ZERO_RESULTS",
        (NOT_FOUND | INVALID_ARGUMENT, _) => "NOT_FOUND",
        (0, _) => return Err(failed("the provider's table has a status that nobody knows")),
        // Google could not work this one out; the others stand.
        _ => UNKNOWN,
    };
    if status != "OK" {
        return Ok(Element { status: status.to_owned(), ..Element::default() });
    }
    let with_traffic = seconds_in(&element.duration)?;
    let without = if element.static_duration.is_empty() {
        with_traffic
    } else {
        seconds_in(&element.static_duration)?
    };
    Ok(Element {
        distance: Some(metres(element.distance_meters as f64)),
        duration: Some(seconds(without, language)),
        duration_in_traffic: Some(seconds(with_traffic, language)),
        status: status.to_owned(),
    })
}

#[cfg(test)]
mod tests;

/// What the Routes API answers, as far as it is asked for. A field that would be empty or 0 is left
/// out by Google.
pub mod answer {
    use serde::Deserialize;

    /// The answer of `computeRoutes`.
    #[derive(Debug, Default, Deserialize)]
    #[serde(default, rename_all = "camelCase")]
    pub struct Routes {
        /// The routes, best first.
        pub routes: Vec<Route>,
        /// How the ends were understood.
        pub geocoding_results: Ends,
    }

    /// One route of the answer.
    #[derive(Debug, Default, Deserialize)]
    #[serde(default, rename_all = "camelCase")]
    pub struct Route {
        /// What tells it from the others.
        pub description: String,
        /// What must be shown.
        pub warnings: Vec<String>,
        /// Its length in metres.
        pub distance_meters: u64,
        /// With traffic: `123s`.
        pub duration: String,
        /// Its time without traffic.
        pub static_duration: String,
        /// The whole line.
        pub polyline: Line,
        /// From stop to stop.
        pub legs: Vec<Leg>,
        /// What else there is to say.
        pub travel_advisory: Advisory,
    }

    /// An encoded line.
    #[derive(Debug, Default, Deserialize)]
    #[serde(default, rename_all = "camelCase")]
    pub struct Line {
        /// The line, encoded with precision 5.
        pub encoded_polyline: String,
    }

    /// From one stop to the next.
    #[derive(Debug, Default, Deserialize)]
    #[serde(default, rename_all = "camelCase")]
    pub struct Leg {
        /// Where it begins.
        pub start_location: Location,
        /// Where it ends.
        pub end_location: Location,
        /// The steps, in order.
        pub steps: Vec<Step>,
    }

    /// What to do next.
    #[derive(Debug, Default, Deserialize)]
    #[serde(default, rename_all = "camelCase")]
    pub struct Step {
        /// Its length in metres.
        pub distance_meters: u64,
        /// Its time without traffic.
        pub static_duration: String,
        /// Where it begins.
        pub start_location: Location,
        /// The instruction for the step.
        pub navigation_instruction: Instruction,
    }

    /// What the driver has to do.
    #[derive(Debug, Default, Deserialize)]
    #[serde(default, rename_all = "camelCase")]
    pub struct Instruction {
        /// The maneuver, such as `TURN_RIGHT`.
        pub maneuver: String,
        /// The instruction, for people.
        pub instructions: String,
    }

    /// A place as a point.
    #[derive(Debug, Default, Deserialize)]
    #[serde(default, rename_all = "camelCase")]
    pub struct Location {
        /// Its coordinates, in degrees.
        pub lat_lng: LatLng,
    }

    /// Coordinates in degrees.
    #[derive(Debug, Default, Deserialize)]
    #[serde(default)]
    pub struct LatLng {
        /// Latitude; north is positive.
        pub latitude: f64,
        /// Longitude; east is positive.
        pub longitude: f64,
    }

    /// What else there is to say of a route.
    #[derive(Debug, Default, Deserialize)]
    #[serde(default, rename_all = "camelCase")]
    pub struct Advisory {
        /// There where the route has tolls.
        pub toll_info: Option<TollInfo>,
    }

    /// What tolls come to.
    #[derive(Debug, Default, Deserialize)]
    #[serde(default, rename_all = "camelCase")]
    pub struct TollInfo {
        /// One a currency; none where Google does not know.
        pub estimated_price: Vec<Money>,
    }

    /// An amount of money.
    #[derive(Debug, Default, Deserialize)]
    #[serde(default, rename_all = "camelCase")]
    pub struct Money {
        /// The currency's code by ISO 4217.
        pub currency_code: String,
        /// Whole units; a text, as Google writes large numbers.
        pub units: String,
        /// The rest, in billionths of the unit.
        pub nanos: i32,
    }

    /// How origin, destination and stops were understood; places on the globe are not among them.
    #[derive(Debug, Default, Deserialize)]
    #[serde(default)]
    pub struct Ends {
        /// How the beginning was understood.
        pub origin: End,
        /// How the end was understood.
        pub destination: End,
        /// How the stops on the way were understood.
        pub intermediates: Vec<End>,
    }

    /// How one of them was understood.
    #[derive(Debug, Default, Deserialize)]
    #[serde(default, rename_all = "camelCase")]
    pub struct End {
        /// The geocoder's status; empty where all is well.
        pub geocoder_status: Status,
        /// Google's name for it.
        pub place_id: String,
        /// Google's types of the place.
        #[serde(rename = "type")]
        pub types: Vec<String>,
        /// Which of the stops it is, from 0.
        pub intermediate_waypoint_request_index: usize,
    }

    /// How something went: 0 is well.
    #[derive(Debug, Default, Deserialize)]
    #[serde(default)]
    pub struct Status {
        /// A number of gRPC's: 5 is not found.
        pub code: i64,
        /// The explanation, for developers.
        pub message: String,
    }

    /// One element of `computeRouteMatrix`, which come in no order.
    #[derive(Debug, Default, Deserialize)]
    #[serde(default, rename_all = "camelCase")]
    pub struct Element {
        /// Which origin, from 0.
        pub origin_index: usize,
        /// Which destination, from 0.
        pub destination_index: usize,
        /// How this pair went.
        pub status: Status,
        /// Whether there is a route: `ROUTE_EXISTS`, `ROUTE_NOT_FOUND`.
        pub condition: String,
        /// Its length in metres.
        pub distance_meters: u64,
        /// Its time with traffic.
        pub duration: String,
        /// Its time without traffic.
        pub static_duration: String,
    }

    /// What is answered in place of anything else.
    #[derive(Debug, Default, Deserialize)]
    #[serde(default)]
    pub struct Refusal {
        /// The error's details.
        pub error: Refused,
    }

    /// The details of an error.
    #[derive(Debug, Default, Deserialize)]
    #[serde(default)]
    pub struct Refused {
        /// `INVALID_ARGUMENT`, `PERMISSION_DENIED` …
        pub status: String,
        /// The explanation, for developers.
        pub message: String,
    }
}
