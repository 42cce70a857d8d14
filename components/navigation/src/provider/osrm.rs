//! `osrm`: an OSRM server, with Nominatim for the names of places (NAV-35).

use output::navigation::{Comparison, Details, Place, Point, Routes};
use serde::de::DeserializeOwned;

use super::{
    Provider,
    carrier::{Call, Carrier, Web},
    nominatim::{self, Known, Nominatim, Paced},
    table,
};
use crate::{
    ask::{Avoid, CompareAsk, Language, Mode, RouteAsk},
    trouble::Trouble,
};

pub mod answer;
mod instructions;
mod read;
pub(crate) use read::waypoint;
mod status;
#[cfg(test)]
mod tests;

/// An OSRM server.
pub struct Osrm<C, P> {
    base: String,
    carrier: C,
    places: Option<Nominatim<P>>,
}

impl Osrm<Web, Paced> {
    /// Asks under `base`; without `places` it takes coordinates alone.
    #[must_use]
    pub fn new(base: &str, places: Option<Nominatim<Paced>>) -> Self {
        Self::by(base, Web, places)
    }
}

impl<C: Carrier, P: Carrier> Osrm<C, P> {
    /// The same by another carrier.
    pub(crate) fn by(base: &str, carrier: C, places: Option<Nominatim<P>>) -> Self {
        Self { base: base.to_owned(), carrier, places }
    }

    fn ask<T: DeserializeOwned>(
        &self,
        path: &str,
        parameters: &[(&str, &str)],
        about: &status::About<'_>,
    ) -> Result<T, Trouble> {
        let reply = self.carrier.carry(&Call::get(&self.base, path, parameters)?)?;
        if !reply.is_success() {
            return Err(status::trouble(&reply, about));
        }
        reply.object()
    }
}

impl<C: Carrier, P: Carrier> Provider for Osrm<C, P> {
    fn routes(&self, ask: &RouteAsk) -> Result<(Routes, Details), Trouble> {
        let places = self.places.as_ref();
        let from = nominatim::find(places, &ask.origin, "/origin", ask.language)?;
        let to = nominatim::find(places, &ask.destination, "/destination", ask.language)?;
        let profile = if ask.mode == Mode::Drive { "driving" } else { "foot" };
        let path = format!("/route/v1/{profile}/{}", coordinates(&[&from, &to]));
        let exclude = exclude(ask.avoid, ask.mode);
        let mut parameters = vec![
            ("alternatives", if ask.alternatives { "2" } else { "false" }),
            ("steps", "true"),
            ("geometries", "polyline"),
            ("overview", "full"),
        ];
        if !exclude.is_empty() {
            parameters.push(("exclude", &exclude));
        }
        let ends = [("/origin".to_owned(), &from), ("/destination".to_owned(), &to)];
        let about = status::About { ends: &ends, exclude: &exclude };
        let answer: answer::Routes = self.ask(&path, &parameters, &about)?;
        status::is_on_the_map(&answer.waypoints, &about)?;
        read::routes(answer, ask, [&from, &to])
    }

    fn compare(&self, ask: &CompareAsk) -> Result<Comparison, Trouble> {
        let places = self.places.as_ref();
        let origins = nominatim::find_all(places, &ask.origins, "/origins", ask.language)?;
        let destinations =
            nominatim::find_all(places, &ask.destinations, "/destinations", ask.language)?;
        table::of(ask, &origins, &destinations, |from, to| {
            let all: Vec<_> = from.iter().chain(to).copied().collect();
            let path = format!("/table/v1/driving/{}", coordinates(&all));
            let index = |range: std::ops::Range<usize>| -> String {
                range.map(|it| it.to_string()).collect::<Vec<_>>().join(";")
            };
            let (sources, targets) = (index(0..from.len()), index(from.len()..all.len()));
            let parameters = [
                ("sources", sources.as_str()),
                ("destinations", targets.as_str()),
                ("annotations", "duration,distance"),
            ];
            let about = status::About { ends: &[], exclude: "" };
            read::table(&self.ask(&path, &parameters, &about)?)
        })
    }

    fn place(&self, address: &str, language: Language) -> Result<Place, Trouble> {
        nominatim::place(self.places.as_ref(), address, language)
    }
}

/// `lng,lat;lng,lat`, with six digits.
fn coordinates(places: &[&Known]) -> String {
    let one = |&Point { lat, lng }: &Point| format!("{lng:.6},{lat:.6}");
    places.iter().map(|it| one(&it.at)).collect::<Vec<_>>().join(";")
}

/// The classes of roads to leave out; walkers meet neither tolls nor motorways.
fn exclude(avoid: Avoid, mode: Mode) -> String {
    let is_driven = mode == Mode::Drive;
    let all = [
        (avoid.tolls && is_driven, "toll"),
        (avoid.highways && is_driven, "motorway"),
        (avoid.ferries, "ferry"),
    ];
    let some = all.iter().filter(|it| it.0).map(|it| it.1);
    some.collect::<Vec<_>>().join(",")
}
