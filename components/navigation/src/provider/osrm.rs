//! `osrm`: an OSRM server, with Nominatim for the names of places (NAV-35); what it refuses, as what it means here.

pub mod answer;
mod read;
#[cfg(test)]
mod tests;

use output::navigation::{Comparison, Details, Place, Point, Routes};
use serde::de::DeserializeOwned;

use super::{
    Provider, answers,
    client::{Call, HttpClient, Reply, clipped, failed},
    nominatim::{self, Nominatim, Spot, Stop},
};
use crate::{
    ask::{Avoid, CompareAsk, Language, Mode, RouteAsk},
    refusals::{OSRM_MAP, ProviderError},
};
use answer::{Refusal, Waypoint};

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
        let found = read::routes(answer, ask, stops)?;
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
        answers::comparison(ask, &origins, &destinations, |from, to| {
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
            read::table(&self.ask(&path, &parameters, &about)?)
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
