//! Nominatim: the places of OSRM and Valhalla, asked as its usage policy wants: by name, with pauses,
//! and with thanks to OpenStreetMap.

use output::navigation::{Details, End, Place, Point, Waypoint};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use toolkit::pace;

use super::{
    client::{self, Call, HttpClient, Web, failed},
    travel_mode,
};
use crate::{
    arguments,
    ask::{Language, RouteAsk},
    refusals::ProviderError,
    words::{self, tag},
};

/// Who asks: the policy wants to know.
const USER_AGENT: &str = concat!("madoguchi/", env!("CARGO_PKG_VERSION"), " (navigation)");
/// Whose data it is; must be shown.
const ATTRIBUTION: &str = "© OpenStreetMap contributors";
/// Where one reads how to name a geocoder, in both languages.
const UNSET: (&str, &str) = (
    "地名を調べるサーバー（NOMINATIM_URL）が設定されていないため、場所は「緯度,経度」で指定してください: 35.6812,139.7671",
    "the operator has named no geocoder (NOMINATIM_URL), so places are given as lat,lng: \
     35.6812,139.7671",
);

/// Places by name.
pub struct Nominatim<C> {
    base: String,
    client: C,
}

/// The network, with a pause between two requests, of all callers together.
#[derive(Clone, Copy, Debug)]
pub struct RateLimited {
    /// The pause; the public server wants 1,000.
    pub interval_ms: u32,
}

impl HttpClient for RateLimited {
    fn send(&self, call: &Call) -> Result<client::Reply, ProviderError> {
        let insert = "INSERT INTO pace (provider, at_ms) VALUES ($1, $2) ON CONFLICT (provider)";
        let unknown = |_| failed("whose turn it is at the geocoder cannot be told");
        if self.interval_ms > 0
            && !pace::wait(insert, "nominatim", self.interval_ms).map_err(unknown)?
        {
            return Err(ProviderError::OverQueryLimit { retry_after_s: 5 });
        }
        Web.send(call)
    }

    /// The policy wants it kept: routes between the same places are asked for again and again.
    fn place<T: Serialize + DeserializeOwned>(
        &self,
        asked: &str,
        ask: impl FnOnce() -> Result<T, ProviderError>,
    ) -> Result<T, ProviderError> {
        client::place(asked, ask)
    }
}

/// A place as it was understood.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spot {
    /// The name, for people.
    pub name: String,
    /// Where it lies.
    pub at: Point,
    /// What OpenStreetMap calls it; empty for a place on the globe.
    pub id: String,
    /// OpenStreetMap's kind of place.
    pub kind: Option<String>,
}

/// A place on the way, and where it stands in the arguments.
pub type Stop = (String, Spot);

/// One hit of a search.
#[derive(Debug, Deserialize)]
struct Hit {
    lat: String,
    lon: String,
    #[serde(default)]
    display_name: String,
    #[serde(default)]
    osm_type: String,
    osm_id: Option<u64>,
    #[serde(rename = "type")]
    kind: Option<String>,
}

impl<C: HttpClient> Nominatim<C> {
    /// Asks under `base`.
    pub(crate) fn new(base: &str, client: C) -> Self {
        Self { base: base.to_owned(), client }
    }

    /// The first place of that name, asked for once in a while.
    fn place(&self, name: &str, pointer: &str, language: Language) -> Result<Spot, ProviderError> {
        let asked = format!("nominatim {} {language:?} {name:?}", self.base);
        self.client.place(&asked, || self.search(name, pointer, language))
    }

    fn search(&self, name: &str, pointer: &str, language: Language) -> Result<Spot, ProviderError> {
        let parameters =
            [("q", name), ("format", "jsonv2"), ("limit", "1"), ("accept-language", tag(language))];
        let call = Call::get(&self.base, "/search", &parameters)?.header("user-agent", USER_AGENT);
        let reply = self.client.send(&call)?;
        match reply.status {
            _ if reply.is_success() => {}
            429 => return Err(reply.over_limit()),
            // There is no key that could be wrong: the public server bars those who ask too much.
            other => {
                return Err(failed(&format!("the geocoder answers with the HTTP status {other}")));
            }
        }
        let hits: Vec<Hit> = reply.json()?;
        let unknown =
            || ProviderError::UnknownPlace { pointer: pointer.to_owned(), place: name.to_owned() };
        let hit = hits.into_iter().next().ok_or_else(unknown)?;
        let at = arguments::point(&format!("{},{}", hit.lat, hit.lon));
        let at = at.ok_or_else(|| failed("the geocoder's place is not on the globe"))?;
        Ok(Spot { name: hit.display_name, at, id: id(&hit.osm_type, hit.osm_id), kind: hit.kind })
    }
}

/// `osm:n123`, as imported maps call the same.
fn id(kind: &str, number: Option<u64>) -> String {
    match (kind.chars().next().filter(|it| matches!(it, 'n' | 'w' | 'r')), number) {
        (Some(kind), Some(number)) => format!("osm:{kind}{number}"),
        _ => String::new(),
    }
}

/// What `text` means: a place on the globe as it stands, or what the geocoder knows.
///
/// # Errors
/// See [`ProviderError`]; `pointer` is where `text` stands.
pub fn find<C: HttpClient>(
    places: Option<&Nominatim<C>>,
    text: &str,
    pointer: &str,
    language: Language,
) -> Result<Spot, ProviderError> {
    if let Some(at) = arguments::point(text) {
        return Ok(Spot { name: text.trim().to_owned(), at, ..Spot::default() });
    }
    let unset = || ProviderError::Invalid {
        pointer: pointer.to_owned(),
        message: language.pick(UNSET.0, UNSET.1).to_owned(),
    };
    places.ok_or_else(unset)?.place(text, pointer, language)
}

/// Where one begins, stops and ends, in order, and where each stands in the arguments.
///
/// # Errors
/// See [`ProviderError`].
pub fn find_stops<C: HttpClient>(
    places: Option<&Nominatim<C>>,
    ask: &RouteAsk,
) -> Result<Vec<Stop>, ProviderError> {
    let found = |text: &str, pointer: String| {
        find(places, text, &pointer, ask.language).map(|it| (pointer, it))
    };
    let mut stops = vec![found(&ask.origin, "/origin".to_owned())?];
    let destination = found(&ask.destination, "/destination".to_owned())?;
    if ask.via.is_empty() && stops[0].1.at == destination.1.at {
        return Err(ProviderError::SamePlace { place: destination.1.name });
    }
    for (at, text) in ask.via.iter().enumerate() {
        stops.push(found(text, format!("/via/{at}"))?);
    }
    stops.push(destination);
    Ok(stops)
}

/// What is the same for all routes of `provider` between these stops, and both ends as they were understood.
pub(super) fn details(provider: &str, ask: &RouteAsk, stops: &[Stop]) -> (Details, Vec<Waypoint>) {
    let end = |(_, it): &Stop| End { name: it.name.clone(), location: it.at, ..End::default() };
    let waypoint = |(_, it): &Stop| Waypoint {
        place_id: it.id.clone(),
        types: it.kind.iter().cloned().collect(),
    };
    let (from, to) = (stops.first(), stops.last());
    let details = Details {
        provider: provider.to_owned(),
        attribution: ATTRIBUTION.to_owned(),
        travel_mode: travel_mode(ask.mode).to_owned(),
        origin: from.map(end),
        destination: to.map(end),
        via: stops.iter().skip(1).take(ask.via.len()).map(end).collect(),
        ..Details::default()
    };
    (details, from.into_iter().chain(to).map(waypoint).collect())
}

/// What a traveller must know of stops that are so many metres from the road.
pub(super) fn far<'a>(
    stops: impl Iterator<Item = (&'a Stop, f64)>,
    language: Language,
) -> Vec<String> {
    stops.filter_map(|(it, metres)| words::off_road(&it.1.name, metres, language)).collect()
}

/// What each of `texts` means; one that is not known is none. Each name is asked for once.
///
/// # Errors
/// When the geocoder does not answer.
pub fn find_all<C: HttpClient>(
    places: Option<&Nominatim<C>>,
    texts: &[String],
    pointer: &str,
    language: Language,
) -> Result<Vec<Option<Spot>>, ProviderError> {
    let mut found: Vec<Option<Spot>> = Vec::new();
    for (at, text) in texts.iter().enumerate() {
        let earlier = texts[..at].iter().position(|it| it == text);
        found.push(match earlier {
            Some(earlier) => found[earlier].clone(),
            None => match find(places, text, &format!("{pointer}/{at}"), language) {
                Ok(located) => Some(located),
                Err(ProviderError::UnknownPlace { .. }) => None,
                Err(error) => return Err(error),
            },
        });
    }
    Ok(found)
}

/// The tool `geocode`'s answer.
///
/// # Errors
/// See [`ProviderError`].
pub fn place<C: HttpClient>(
    places: Option<&Nominatim<C>>,
    address: &str,
    language: Language,
) -> Result<Place, ProviderError> {
    let located = find(places, address, "/address", language)?;
    Ok(Place { location: located.at, formatted_address: located.name, place_id: located.id })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::provider::client::tests::Script;

    fn hit(name: &str) -> serde_json::Value {
        json!({
            "place_id": 1, "osm_type": "node", "osm_id": 123, "lat": "35.6812", "lon": "139.7671",
            "category": "railway", "type": "station", "display_name": name
        })
    }

    #[test]
    fn a_name_is_asked_for_politely_and_the_first_hit_counts() {
        let script = Script::of([json!([hit("東京駅, 千代田区"), hit("other")])]);
        let nominatim = Nominatim::new("https://places.example/nominatim/", &script);
        let place = place(Some(&nominatim), "東京駅", Language::Japanese).unwrap();
        assert_eq!(place.formatted_address, "東京駅, 千代田区");
        assert_eq!((place.place_id.as_str(), place.location.lat), ("osm:n123", 35.6812));
        let call = &script.calls()[0];
        assert_eq!(
            call.url.as_str(),
            "https://places.example/nominatim/search?q=%E6%9D%B1%E4%BA%AC%E9%A7%85&format=jsonv2&limit=1&accept-language=ja"
        );
        let (name, agent) = &call.headers[0];
        assert!(*name == "user-agent" && agent.starts_with("madoguchi/"), "{agent}");
    }

    /// Without a geocoder, a name is refused with what to do.
    #[test]
    fn coordinates_need_no_geocoder_and_a_name_without_gets_advice() {
        let none: Option<&Nominatim<&Script>> = None;
        let located = find(none, "35.5, 139.5", "/origin", Language::English).unwrap();
        assert_eq!((located.at.lat, located.name.as_str()), (35.5, "35.5, 139.5"));
        let error = find(none, "東京駅", "/origin", Language::English).unwrap_err();
        let ProviderError::Invalid { pointer, message } = error else { panic!("{error:?}") };
        assert!(pointer == "/origin" && message.contains("NOMINATIM_URL"), "{message}");
    }

    #[test]
    fn asks_for_each_of_many_names_once_and_an_unknown_one_is_none() {
        let script = Script::of([json!([hit("東京駅")]), json!([])]);
        let nominatim = Nominatim::new("https://a.example", &script);
        let names = ["東京駅", "無い", "35,139", "東京駅"].map(str::to_owned);
        let found = find_all(Some(&nominatim), &names, "/origins", Language::Japanese).unwrap();
        let is_there: Vec<_> = found.iter().map(Option::is_some).collect();
        assert_eq!((is_there, script.calls().len()), (vec![true, false, true, true], 2));
    }

    #[test]
    fn reports_refusals_and_unreadable_answers() {
        for (status, body, expected) in [
            (429, String::new(), "OverQueryLimit"),
            (
                403,
                "<html>".to_owned(),
                "Failed { message: \"the geocoder answers with the HTTP status 403",
            ),
            (503, String::new(), "Failed"),
            (200, "{}".to_owned(), "Failed"),
            (200, json!([{ "lat": "95", "lon": "0" }]).to_string(), "Failed"),
            (200, json!([{ "lat": 35.0, "lon": 139.0 }]).to_string(), "Failed"),
            (200, "[]".to_owned(), "UnknownPlace { pointer: \"/address\""),
        ] {
            let script = Script::with([(status, body.clone())]);
            let nominatim = Nominatim::new("https://a.example", &script);
            let error = place(Some(&nominatim), "東京駅", Language::Japanese).unwrap_err();
            assert!(format!("{error:?}").starts_with(expected), "{body}: {error:?}");
        }
    }
}
