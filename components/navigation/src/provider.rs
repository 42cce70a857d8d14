//! Providers of routes behind one trait, selected by the operator's setting `provider`.
//!
//! Common parts of providers' answers: lines with precision 5, the starts of steps on them, instructions without
//! HTML, and tables of pairs.

pub mod builtin;
pub mod client;
pub mod google_legacy;
pub mod google_routes;
pub mod nominatim;
pub mod osrm;
pub mod valhalla;

use std::time::{Duration, SystemTime};

use graph::Prefer;
use output::navigation::{
    Comparison, Details, Element, Place, Point, Route, RouteDetails, Routes, Row, Waypoint,
};
use toolkit::settings::Unfit;

use crate::{
    arguments::written,
    ask::{CompareAsk, Departure, Language, Mode, RouteAsk},
    provider::{client::failed, nominatim::Spot},
    refusals::ProviderError,
    settings::{self, Kind},
    words,
};
use client::{Cached, DailyQuota, Web};
use nominatim::{Nominatim, RateLimited};

/// Maximum number of routes of a search (NAV-20).
pub(crate) const ROUTES_MAX: usize = 3;

/// The public server, which requires a second between two requests.
const PUBLIC_NOMINATIM: &str = "//nominatim.openstreetmap.org";
const PUBLIC_INTERVAL_MS: u32 = 1_000;

/// Returns the name of a mode in `Details`.
pub(crate) fn travel_mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Drive => "driving",
        Mode::Walk => "walking",
        Mode::Cycle => "bicycling",
    }
}

/// Parses as many found routes as requested, and adds the common details.
pub(crate) fn collect_routes<T>(
    found: impl IntoIterator<Item = T>,
    ask: &RouteAsk,
    details: Details,
    geocoded_waypoints: Vec<Waypoint>,
    read: impl Fn(T, &RouteAsk) -> Result<(Route, RouteDetails), ProviderError>,
) -> Result<(Routes, Details), ProviderError> {
    let most = if ask.alternatives { ROUTES_MAX } else { 1 };
    let all = found.into_iter().take(most).map(|it| read(it, ask));
    let (routes, drawn): (Vec<_>, Vec<_>) = all.collect::<Result<_, _>>()?;
    Ok((Routes { routes, geocoded_waypoints }, Details { routes: drawn, ..details }))
}

/// Finds routes, compares pairs, and finds places.
pub trait Provider {
    /// Finds up to three routes over the stops, best first, with details for a page.
    ///
    /// # Errors
    /// See [`ProviderError`].
    fn routes(&self, ask: &RouteAsk) -> Result<(Routes, Details), ProviderError>;

    /// Compares all pairs. An error of a single pair is that pair's status.
    ///
    /// # Errors
    /// See [`ProviderError`].
    fn compare(&self, ask: &CompareAsk) -> Result<Comparison, ProviderError>;

    /// Finds the first place that `address` may mean.
    ///
    /// # Errors
    /// See [`ProviderError`].
    fn place(&self, address: &str, language: Language) -> Result<Place, ProviderError>;
}

/// Returns the configured provider, with a cache if it is remote.
///
/// # Errors
/// When a setting is invalid.
pub fn configured() -> Result<Box<dyn Provider>, Unfit> {
    let kind = settings::provider()?;
    let counted = || settings::daily_quota().map(|daily_quota| DailyQuota { daily_quota });
    Ok(match kind {
        // It is as fast as a cache, and its maps may be replaced.
        Kind::Builtin => Box::new(builtin::Builtin::here()?),
        Kind::GoogleLegacy => {
            let base = settings::url("google_url")?;
            cached(kind, &base, google_legacy::GoogleLegacy::new(&base, counted()?))
        }
        Kind::GoogleRoutes => {
            let (base, geocoding) =
                (settings::url("google_routes_url")?, settings::url("google_url")?);
            let provider = google_routes::GoogleRoutes::new(&base, &geocoding, counted()?);
            cached(kind, &format!("{base} {geocoding}"), provider)
        }
        Kind::Osrm => {
            let base = settings::url("osrm_url")?;
            cached(kind, &with_places(&base), osrm::Osrm::new(&base, Web, nominatim()?))
        }
        Kind::Valhalla => {
            let base = settings::url("valhalla_url")?;
            cached(kind, &with_places(&base), valhalla::Valhalla::new(&base, Web, nominatim()?))
        }
    })
}

/// Returns the configured geocoder for providers without place names.
fn nominatim() -> Result<Option<Nominatim<RateLimited>>, Unfit> {
    if !settings::is_set("nominatim_url") {
        return Ok(None);
    }
    let base = settings::url("nominatim_url")?;
    let is_public = base.contains(PUBLIC_NOMINATIM);
    let interval_ms = if is_public { PUBLIC_INTERVAL_MS } else { 0 };
    Ok(Some(Nominatim::new(&base, RateLimited { interval_ms })))
}

/// Joins `base` and the geocoder's address for cache keys.
fn with_places(base: &str) -> String {
    format!("{base} {}", toolkit::settings::raw("nominatim_url").unwrap_or_default())
}

/// Adds a cache whose answers are not shared with other providers or addresses.
fn cached(kind: Kind, base: &str, provider: impl Provider + 'static) -> Box<dyn Provider> {
    Box::new(Cached::new(kind, base, provider))
}

/// Maximum number of points of a line.
const POINTS_MAX: usize = 200_000;

/// Decodes the points of a line.
///
/// # Errors
/// When the line is invalid.
pub fn points(encoded: &str, precision: u32) -> Result<Vec<Point>, ProviderError> {
    let unreadable = || failed("the provider's line of a route cannot be read");
    let line = polyline::decode_polyline(encoded, precision).map_err(|_| unreadable())?;
    let points = line.coords().take(POINTS_MAX).map(|it| Point { lat: it.y, lng: it.x });
    Ok(points.collect())
}

/// Encodes the line through these points with precision 5.
///
/// # Errors
/// When one of them is not on the globe.
pub fn encoded(points: &[Point]) -> Result<String, ProviderError> {
    let points = points.iter().map(|it| (it.lng, it.lat).into());
    polyline::encode_coordinates(points, 5)
        .map_err(|_| failed("the provider's line of a route leaves the globe"))
}

/// Returns the index of the point of `line` at which each step begins: the nearest to the provider's start, not
/// before that of the step before.
pub fn steps_at(line: &[Point], begins: &[Point]) -> Vec<u32> {
    let mut from = 0;
    let at = begins.iter().map(|begin| {
        let rest = line.iter().enumerate().skip(from);
        let nearest = rest.min_by(|a, b| apart(*a.1, *begin).total_cmp(&apart(*b.1, *begin)));
        from = nearest.map_or(from, |it| it.0);
        u32::try_from(from).unwrap_or(u32::MAX)
    });
    at.collect()
}

/// Returns a distance of two points without a unit, only for comparisons.
fn apart(a: Point, b: Point) -> f64 {
    let lng = (a.lng - b.lng) * b.lat.to_radians().cos();
    (a.lat - b.lat).powi(2) + lng.powi(2)
}

/// Maximum number of characters of an instruction.
const CHARACTERS_MAX: usize = 1_000;

/// Converts `html` to text: strips tags and decodes entities once. The result is plain text: `&lt;b&gt;` becomes
/// `<b>`, which is no tag.
pub fn plain(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find(['<', '&']) {
        let (before, from) = rest.split_at(at);
        text.push_str(before);
        rest = if from.starts_with('<') { tag(from, &mut text) } else { entity(from, &mut text) };
    }
    text.push_str(rest);
    let words = text.split(|it: char| it.is_whitespace() || it.is_control());
    let words: Vec<_> = words.filter(|it| !it.is_empty()).collect();
    words.join(" ").chars().take(CHARACTERS_MAX).collect()
}

/// Returns the rest after the tag that `from` begins with; a `<` without a tag is plain text.
fn tag<'a>(from: &'a str, text: &mut String) -> &'a str {
    let inner = &from[1..];
    let begins = |it: char| it.is_ascii_alphabetic() || matches!(it, '/' | '!' | '?');
    if !inner.starts_with(begins) {
        text.push('<');
        return inner;
    }
    // An unclosed tag ends the text.
    let Some(end) = inner.find('>') else { return "" };
    let (name, rest) = (name(&inner[..end]), &inner[end + 1..]);
    match name.as_str() {
        // Their contents are not text.
        "script" | "style" => after_end(rest, &name),
        "div" | "/div" | "br" | "br/" | "p" | "/p" => {
            text.push(' ');
            rest
        }
        _ => rest,
    }
}

/// Returns the name of a tag, in lower case.
fn name(tag: &str) -> String {
    let name = tag.split(|it: char| it.is_whitespace()).next().unwrap_or_default();
    name.to_ascii_lowercase()
}

/// Returns the rest after `</NAME…>`; empty where it is unclosed.
fn after_end<'a>(rest: &'a str, name: &str) -> &'a str {
    let end = format!("</{name}");
    let Some(at) = rest.to_ascii_lowercase().find(&end) else { return "" };
    rest[at..].find('>').map_or("", |it| &rest[at + it + 1..])
}

/// Returns the rest after the entity that `from` begins with; an `&` without an entity is plain text.
fn entity<'a>(from: &'a str, text: &mut String) -> &'a str {
    let end = from.char_indices().take(12).find(|it| it.1 == ';').map(|it| it.0);
    let Some((end, sign)) = end.and_then(|end| Some((end, sign(&from[1..end])?))) else {
        text.push('&');
        return &from[1..];
    };
    text.push(sign);
    &from[end + 1..]
}

fn sign(name: &str) -> Option<char> {
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    })
}

/// Metres and seconds of a pair, or Google's status.
pub type Pair = Result<(f64, f64), &'static str>;

/// The status of a pair without a route.
pub const NO_ROUTE: &str = "ZERO_RESULTS";
/// The status of a pair at which the provider failed.
pub const UNKNOWN: &str = "UNKNOWN_ERROR";

/// Compares `origins` with `destinations`, requesting the known ones from `ask_for`. Pairs with an unknown place have
/// the status `NOT_FOUND`.
///
/// # Errors
/// Those of `ask_for`, and when its table has another size.
pub fn comparison(
    ask: &CompareAsk,
    origins: &[Option<Spot>],
    destinations: &[Option<Spot>],
    ask_for: impl FnOnce(&[&Spot], &[&Spot]) -> Result<Vec<Vec<Pair>>, ProviderError>,
) -> Result<Comparison, ProviderError> {
    let (from, to): (Vec<_>, Vec<_>) =
        (origins.iter().flatten().collect(), destinations.iter().flatten().collect());
    let pairs = match from.is_empty() || to.is_empty() {
        true => Vec::new(),
        false => ask_for(&from, &to)?,
    };
    let is_whole = from.is_empty()
        || to.is_empty()
        || (pairs.len() == from.len() && pairs.iter().all(|it| it.len() == to.len()));
    if !is_whole {
        return Err(failed("the provider's table is not of as many places as were asked for"));
    }
    let unknown = || Element { status: "NOT_FOUND".to_owned(), ..Element::default() };
    let mut rows = pairs.into_iter();
    let row = |origin: &Option<Spot>| {
        let row = origin.as_ref().and_then(|_| rows.next());
        let mut cells = row.into_iter().flatten();
        let element = |destination: &Option<Spot>| {
            let cell = destination.as_ref().and_then(|_| cells.next());
            cell.map_or_else(unknown, |it| element(it, ask))
        };
        Row { elements: destinations.iter().map(element).collect() }
    };
    let rows = origins.iter().map(row).collect();
    let name = |it: &Option<Spot>| it.as_ref().map(|it| it.name.clone()).unwrap_or_default();
    Ok(Comparison {
        rows,
        origin_addresses: origins.iter().map(name).collect(),
        destination_addresses: destinations.iter().map(name).collect(),
    })
}

fn element(pair: Pair, ask: &CompareAsk) -> Element {
    let (metres, seconds) = match pair {
        Ok(it) => it,
        Err(status) => return Element { status: status.to_owned(), ..Element::default() },
    };
    Element {
        distance: Some(words::metres(metres)),
        duration: Some(words::seconds(seconds, ask.language)),
        duration_in_traffic: None,
        status: "OK".to_owned(),
    }
}

// Features that providers lack: the departure for an arrival time, and the shortest or cheapest of the offered routes.

/// Tolerance for clocks that are behind.
const GRACE: Duration = Duration::from_mins(1);

/// Finds routes that arrive at `arrival`: a first request measures the duration, a second one leaves that much earlier
/// and gives the traffic.
///
/// # Errors
/// Those of the provider, and when the departure would be in the past.
pub fn arriving(
    provider: &dyn Provider,
    ask: &RouteAsk,
    arrival: SystemTime,
    now: SystemTime,
) -> Result<(Routes, Details), ProviderError> {
    let takes = |routes: &Routes| {
        let route = routes.routes.first();
        let time = route.map(|it| it.duration_in_traffic.as_ref().unwrap_or(&it.duration));
        Duration::from_secs(time.map_or(0, |it| it.value))
    };
    // Providers refuse times in the past, even by seconds.
    let departure = |at: SystemTime| if at > now { Departure::At(at) } else { Departure::Now };
    let leaving = |at: SystemTime| RouteAsk { departure: departure(at), ..ask.clone() };
    let (first, _) = provider.routes(&leaving(arrival))?;
    let start = before(arrival, takes(&first), now).ok_or_else(|| late(takes(&first), ask))?;
    let (routes, mut details) = provider.routes(&leaving(start))?;
    let start = before(arrival, takes(&routes), now).ok_or_else(|| late(takes(&routes), ask))?;
    (details.departure_time, details.arrival_time) = (Some(written(start)), Some(written(arrival)));
    Ok((routes, details))
}

/// Returns the departure; none where that is in the past.
fn before(arrival: SystemTime, takes: Duration, now: SystemTime) -> Option<SystemTime> {
    arrival.checked_sub(takes).filter(|it| *it + GRACE >= now)
}

fn late(takes: Duration, ask: &RouteAsk) -> ProviderError {
    let takes = words::duration(takes.as_secs(), ask.language);
    ProviderError::Invalid {
        pointer: String::new(),
        message: match ask.language {
            Language::Japanese => format!("到着時刻に間に合いません。{takes}かかります"),
            Language::English => format!("nobody is there by then any more: it takes {takes}"),
        },
    }
}

/// Puts the best route by the preference first, and says that only the offered ones were compared. Does nothing where
/// the provider found the best of all.
pub fn put_first(prefer: Prefer, routes: &mut Routes, details: &mut Details, language: Language) {
    if prefer == Prefer::Fastest || details.preferred.is_some() || routes.routes.is_empty() {
        return;
    }
    details.routes.resize_with(routes.routes.len(), RouteDetails::default);
    let more = std::mem::take(&mut details.routes);
    let mut both: Vec<(Route, RouteDetails)> = routes.routes.drain(..).zip(more).collect();
    let is_known = prefer == Prefer::Shortest || both.iter().any(|it| it.1.toll.is_some());
    both.sort_by_key(|(route, details)| match prefer {
        Prefer::Cheapest if is_known => cents(details),
        Prefer::Cheapest | Prefer::Fastest => 0,
        Prefer::Shortest => route.distance.value,
    });
    let note = match (prefer, is_known, language) {
        (Prefer::Shortest, _, Language::Japanese) => {
            "この経路プロバイダーは最短距離では探せないため、提示されたルートの中で最も短いものです。"
        }
        (Prefer::Shortest, _, Language::English) => {
            "The provider does not look for the shortest way: this is the shortest of those offered."
        }
        (_, true, Language::Japanese) => {
            "この経路プロバイダーは料金の安さでは探せないため、提示されたルートの中で料金が最も安いものです。"
        }
        (_, true, Language::English) => {
            "The provider does not look for the cheapest way: this is the cheapest of those offered."
        }
        (_, false, Language::Japanese) => {
            "この経路プロバイダーは料金を示さないため、安さでは選べません。"
        }
        (_, false, Language::English) => {
            "The provider tells no tolls, so that the cheapest way is not known."
        }
    };
    both[0].0.warnings.insert(0, note.to_owned());
    (routes.routes, details.routes) = both.into_iter().unzip();
}

/// Returns the toll in hundredths; the maximum where it is unknown.
fn cents(details: &RouteDetails) -> u64 {
    details.toll.as_ref().map_or(u64::MAX, |it| words::whole(it.amount * 100.0))
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, time::UNIX_EPOCH};

    use chrono::DateTime;
    use output::navigation::{Comparison, Measure, Place, Toll};

    use super::{google_legacy::tests::compare_ask, *};
    use crate::{
        ask::CompareAsk,
        network::NETWORK,
        provider::{builtin, google_legacy::tests::route_ask},
    };

    #[test]
    fn converts_line_precision_6_to_5() {
        let line = [(35.681_236, 139.767_125), (35.465_8, 139.622_3)];
        let line = line.map(|(lat, lng)| Point { lat, lng });
        let six = polyline::encode_coordinates(line.map(|it| (it.lng, it.lat).into()), 6).unwrap();
        let five = encoded(&points(&six, 6).unwrap()).unwrap();
        let read = points(&five, 5).unwrap();
        assert_eq!(read[0], Point { lat: 35.681_24, lng: 139.767_13 });
        assert!(points("\u{1}", 5).is_err() && encoded(&[Point { lat: 91.0, lng: 0.0 }]).is_err());
    }

    #[test]
    fn steps_begin_in_order_at_their_points() {
        let line: Vec<_> =
            (0..5).map(|it| Point { lat: 35.0, lng: 139.0 + f64::from(it) }).collect();
        let begins = [line[0], line[2], Point { lat: 35.0, lng: 139.1 }, line[4]];
        // The third says a place that lies behind: it does not go back.
        assert_eq!(steps_at(&line, &begins), [0, 2, 2, 4]);
        assert_eq!(steps_at(&[], &begins), [0, 0, 0, 0]);
    }

    #[test]
    fn strips_tags_and_keeps_their_text() {
        for (html, text) in [
            ("<b>右折</b>して<b>国道15号</b>に入る", "右折して国道15号に入る"),
            (
                "Turn <b>left</b><div style=\"font-size:0.9em\">Toll road</div>",
                "Turn left Toll road",
            ),
            ("首都高速<wbr/>1号", "首都高速1号"),
            ("A &amp; B &lt;C&gt; &#39;D&#x27; &quot;E&quot;&nbsp;F", "A & B <C> 'D' \"E\" F"),
            ("1 < 2 && 3 &unknown; &#xffffffff; &", "1 < 2 && 3 &unknown; &#xffffffff; &"),
        ] {
            assert_eq!(plain(html), text);
        }
    }

    #[test]
    fn drops_scripts_and_decodes_entities_once() {
        for (html, text) in [
            ("<script>alert(1)</script>北へ", "北へ"),
            ("<STYLE>b{}</STYLE >北へ", "北へ"),
            ("<img src=x onerror=alert(1)>北へ", "北へ"),
            ("北へ<img src=x onerror=alert(1)", "北へ"),
            ("<scr<script>ipt>北へ", "ipt>北へ"),
            ("&amp;lt;b&amp;gt;", "&lt;b&gt;"),
            ("a\u{0}b\r\nc", "a b c"),
        ] {
            assert_eq!(plain(html), text, "{html}");
        }
        assert_eq!(plain(&"あ".repeat(5_000)).chars().count(), CHARACTERS_MAX);
    }

    fn located(name: &str) -> Option<Spot> {
        Some(Spot { name: name.to_owned(), ..Spot::default() })
    }

    #[test]
    fn unknown_and_unreachable_pairs_keep_their_places() {
        let (origins, destinations) = ([None, located("a")], [located("x"), None, located("y")]);
        let table = comparison(&compare_ask(), &origins, &destinations, |from, to| {
            assert_eq!((from.len(), to.len()), (1, 2));
            Ok(vec![vec![Err(NO_ROUTE), Ok((1_000.0, 60.0))]])
        });
        let table = table.unwrap();
        let statuses: Vec<Vec<_>> = table
            .rows
            .iter()
            .map(|it| it.elements.iter().map(|it| it.status.as_str()).collect())
            .collect();
        assert_eq!(statuses[0], ["NOT_FOUND"; 3]);
        assert_eq!(statuses[1], ["ZERO_RESULTS", "NOT_FOUND", "OK"]);
        assert_eq!(table.destination_addresses, ["x", "", "y"]);
    }

    /// A table of another size than the one asked for is refused.
    #[test]
    fn asks_nothing_if_no_place_is_known_and_rejects_a_misfit_table() {
        let empty =
            comparison(&compare_ask(), &[None], &[located("x")], |_, _| panic!("it is asked"));
        assert_eq!(empty.unwrap().rows[0].elements[0].status, "NOT_FOUND");
        let wrong =
            comparison(&compare_ask(), &[located("a")], &[located("x")], |_, _| Ok(vec![vec![]]));
        assert!(matches!(wrong, Err(ProviderError::Failed { .. })));
    }

    /// Knows routes, and nothing else.
    struct Fake<F>(F);

    impl<F: Fn(&RouteAsk) -> Result<(Routes, Details), ProviderError>> Provider for Fake<F> {
        fn routes(&self, ask: &RouteAsk) -> Result<(Routes, Details), ProviderError> {
            self.0(ask)
        }

        fn compare(&self, _: &CompareAsk) -> Result<Comparison, ProviderError> {
            Err(ProviderError::NoRoute)
        }

        fn place(&self, _: &str, _: Language) -> Result<Place, ProviderError> {
            Err(ProviderError::NoRoute)
        }
    }

    #[test]
    fn departure_is_never_in_the_past() {
        let now = UNIX_EPOCH + Duration::from_secs(1_795_132_800);
        let arrival = now + Duration::from_secs(570);
        let asked = RefCell::<Vec<Departure>>::default();
        let ten_minutes = Fake(|ask: &RouteAsk| {
            asked.borrow_mut().push(ask.departure);
            let duration = words::seconds(600.0, Language::Japanese);
            let route = Route { duration, ..Default::default() };
            Ok((Routes { routes: vec![route], ..Routes::default() }, Details::default()))
        });
        assert!(arriving(&ten_minutes, &route_ask(), arrival, now).is_ok());
        assert_eq!(asked.into_inner(), [Departure::At(arrival), Departure::Now]);
    }

    #[test]
    fn departure_is_arrival_minus_duration() {
        // 9:00 on Friday, 20 November 2026 in Japan.
        let arrival = UNIX_EPOCH + Duration::from_secs(1_795_132_800);
        let ask = RouteAsk {
            origin: "東京駅".to_owned(),
            destination: "横浜駅".to_owned(),
            ..route_ask()
        };
        let now = arrival - Duration::from_hours(5);
        let bundled = Fake(|ask: &RouteAsk| {
            builtin::routes(&[graph::Graph::open(NETWORK).unwrap()], ask, UNIX_EPOCH)
        });
        let (routes, details) = arriving(&bundled, &ask, arrival, now).unwrap();
        let takes = routes.routes[0].duration_in_traffic.as_ref().unwrap().value;
        let start = DateTime::parse_from_rfc3339(details.departure_time.as_deref().unwrap());
        assert_eq!(u64::try_from(start.unwrap().timestamp()).unwrap() + takes, 1_795_132_800);
        assert_eq!(details.arrival_time.as_deref(), Some("2026-11-20T09:00:00+09:00"));
        let free = routes.routes[0].duration.value;
        assert!(takes > free, "the rush hour counts: {takes} s, {free} s");
        let late = arriving(&bundled, &ask, arrival, arrival - Duration::from_mins(10));
        assert!(matches!(late, Err(ProviderError::Invalid { .. })), "{late:?}");
    }

    fn offered(of: &[(u64, Option<f64>)]) -> (Routes, Details) {
        let route = |(metres, _): &(u64, Option<f64>)| Route {
            distance: Measure { text: String::new(), value: *metres },
            ..Route::default()
        };
        let details = |(_, amount): &(u64, Option<f64>)| RouteDetails {
            toll: amount.map(|amount| Toll { amount, ..Toll::default() }),
            ..RouteDetails::default()
        };
        let details = Details { routes: of.iter().map(details).collect(), ..Details::default() };
        (Routes { routes: of.iter().map(route).collect(), ..Routes::default() }, details)
    }

    #[test]
    fn puts_shortest_or_cheapest_offered_route_first() {
        let of = [(30_000, Some(1_260.0)), (26_000, None), (28_000, Some(0.0))];
        for (prefer, metres) in [(Prefer::Shortest, 26_000), (Prefer::Cheapest, 28_000)] {
            let (mut routes, mut details) = offered(&of);
            put_first(prefer, &mut routes, &mut details, Language::English);
            assert_eq!(routes.routes[0].distance.value, metres);
            assert!(routes.routes[0].warnings[0].contains("of those offered"));
            let toll = details.routes[0].toll.as_ref().map(|it| it.amount);
            assert_eq!(toll, if prefer == Prefer::Cheapest { Some(0.0) } else { None });
        }
    }

    #[test]
    fn claims_nothing_unknown_and_keeps_found_order() {
        let (mut routes, mut details) = offered(&[(30_000, None), (26_000, None)]);
        put_first(Prefer::Cheapest, &mut routes, &mut details, Language::Japanese);
        assert_eq!(routes.routes[0].distance.value, 30_000);
        assert!(routes.routes[0].warnings[0].contains("料金を示さない"));
        let (mut routes, mut details) = offered(&[(30_000, None), (26_000, None)]);
        details.preferred = Some("cheapest".to_owned());
        put_first(Prefer::Cheapest, &mut routes, &mut details, Language::Japanese);
        assert!(routes.routes[0].warnings.is_empty());
    }
}
