//! The found routes without duplicates, and their differences in the reader's language (`+5 分`, `−1.2 km`, `+¥1,320`).

use std::sync::Arc;

use output::navigation::{
    Details, End, Point, Route, RouteDetails, Routes, Step, Toll, kilometres, minutes, rounded,
};

use super::event::Plain;
use super::line;
use crate::dates::grouped;
use crate::text::{Key, Lang};

/// Maximum number of routes shown, from all searches of a planner.
pub(crate) const ROUTES_MAX: usize = 9;
/// Maximum number of steps listed.
pub(crate) const STEPS_MAX: usize = 500;
/// A line on the map: (latitude, longitude).
pub(crate) type Line = Arc<Vec<(f64, f64)>>;

/// One of the routes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Alternative {
    pub(crate) route: Route,
    pub(crate) details: RouteDetails,
    pub(crate) line: Line,
    /// Its stops, in order.
    pub(crate) via: Vec<End>,
    /// The calls that found it, and its index in each.
    calls: Vec<(String, usize)>,
    /// The ends of its search; routes of other searches are not compared with it.
    ends: (Option<String>, Option<String>),
}

impl Alternative {
    /// Duration in seconds, including traffic if known.
    pub(crate) fn seconds(&self) -> u64 {
        self.route.duration_in_traffic.as_ref().unwrap_or(&self.route.duration).value
    }

    /// The points of the line between which a step lies; none if the provider does not give them.
    pub(crate) fn span(&self, step: usize) -> Option<(usize, usize)> {
        let last = self.line.len().checked_sub(1)?;
        let at = |index: usize| self.details.steps_at.get(index).map(|it| *it as usize);
        let begin = at(step)?.min(last);
        Some((begin, at(step + 1).unwrap_or(last).clamp(begin, last)))
    }

    /// The step of a point of the line.
    pub(crate) fn step_at(&self, point: usize) -> Option<usize> {
        let before = self.details.steps_at.iter().take(self.route.steps.len());
        before.take_while(|it| **it as usize <= point).count().checked_sub(1)
    }
}

/// All found routes, in order of arrival.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Found {
    pub(crate) alternatives: Vec<Alternative>,
    pub(crate) origin: Option<End>,
    pub(crate) destination: Option<End>,
    pub(crate) provider: String,
    pub(crate) attribution: String,
}

impl Found {
    pub(crate) fn is_empty(&self) -> bool {
        self.alternatives.is_empty()
    }

    /// Adds the routes found by a call of `route_search`.
    pub(crate) fn take(&mut self, call: &str, routes: Routes, details: Details) {
        let mut of_route = details.routes.into_iter();
        let name = |end: &Option<End>| end.as_ref().map(|it| it.name.clone());
        let ends = (name(&details.origin), name(&details.destination));
        let via = details.via;
        for (index, route) in routes.routes.into_iter().enumerate() {
            let details = of_route.next().unwrap_or_default();
            let known = self.alternatives.iter_mut().find(|alternative| {
                alternative.ends == ends
                    && alternative.route.polyline == route.polyline
                    && !route.polyline.is_empty()
            });
            if let Some(known) = known {
                known.calls.push((call.to_owned(), index));
            } else if self.alternatives.len() < ROUTES_MAX {
                let line = Arc::new(decoded(&route.polyline));
                let calls = vec![(call.to_owned(), index)];
                self.alternatives.push(Alternative {
                    route,
                    details,
                    line,
                    via: via.clone(),
                    calls,
                    ends: ends.clone(),
                });
            }
        }
        for (own, new) in
            [(&mut self.origin, details.origin), (&mut self.destination, details.destination)]
        {
            if own.is_none() {
                *own = new;
            }
        }
        for (own, new) in
            [(&mut self.provider, details.provider), (&mut self.attribution, details.attribution)]
        {
            if own.is_empty() {
                *own = new;
            }
        }
    }

    /// Adds the one route of the plain REST answer, if no call gave details of it.
    pub(crate) fn take_plain(&mut self, plain: Plain) {
        let ends = (plain.polyline.first().copied(), plain.polyline.last().copied());
        let end = |point: Option<Point>| point.map(|location| End { location, ..End::default() });
        self.origin = self.origin.take().or_else(|| end(ends.0));
        self.destination = self.destination.take().or_else(|| end(ends.1));
        let step = |it: super::event::PlainStep| Step {
            instruction: it.instruction,
            distance: it.distance,
            duration: it.duration,
            maneuver: None,
        };
        let route = Route {
            summary: plain.summary,
            distance: plain.distance,
            duration: plain.duration,
            steps: plain.steps.into_iter().map(step).collect(),
            ..Route::default()
        };
        let line = plain.polyline.iter().map(|it| (it.lat, it.lng)).filter(is_on_globe).collect();
        self.alternatives.push(Alternative {
            route,
            line: Arc::new(line),
            ..Alternative::default()
        });
    }

    /// The index of the route that a call found as its `index`-th.
    pub(crate) fn index_of(&self, call: &str, index: usize) -> Option<usize> {
        let is_from_call =
            |it: &Alternative| it.calls.iter().any(|own| own.0 == call && own.1 == index);
        self.alternatives.iter().position(is_from_call)
    }

    /// Keeps only routes between the ends of the given one. Returns its new index.
    pub(crate) fn keep_like(&mut self, index: usize) -> usize {
        let Some(ends) = self.alternatives.get(index).map(|it| it.ends.clone()) else { return 0 };
        let before = self.alternatives[..index].iter().filter(|it| it.ends == ends).count();
        self.alternatives.retain(|it| it.ends == ends);
        before
    }

    /// The fastest route; the first of several.
    pub(crate) fn fastest(&self) -> Option<usize> {
        least(self.alternatives.iter().map(Alternative::seconds))
    }

    /// The shortest route.
    pub(crate) fn shortest(&self) -> Option<usize> {
        least(self.alternatives.iter().map(|it| it.route.distance.value))
    }
}

/// The index of the smallest value; none if there is only one or all are equal.
fn least(mut values: impl Iterator<Item = u64> + Clone) -> Option<usize> {
    let (index, least) = values.clone().enumerate().min_by_key(|(_, value)| *value)?;
    values.any(|it| it != least).then_some(index)
}

/// Decodes a line; empty if it is broken. An invalid point would shift later ones, so it invalidates the line.
fn decoded(encoded: &str) -> Vec<(f64, f64)> {
    let points = line::decode(encoded).unwrap_or_default();
    if points.iter().all(is_on_globe) { points } else { Vec::new() }
}

fn is_on_globe(&(lat, lng): &(f64, f64)) -> bool {
    lat.abs() <= 90.0 && lng.abs() <= 180.0
}

/// Difference of two durations in seconds, between the minutes that are shown of them.
pub(crate) fn time(own: u64, base: u64, lang: Lang) -> String {
    let minutes = minutes(own).cast_signed() - minutes(base).cast_signed();
    signed(minutes, &minutes_text(minutes.unsigned_abs(), lang))
}

/// Formats a number of minutes.
pub(crate) fn minutes_text(minutes: u64, lang: Lang) -> String {
    let (hours, rest) = (minutes / 60, minutes % 60);
    match (hours, rest) {
        (0, _) => lang.fill(Key::Minutes, &[&rest.to_string()]),
        (_, 0) => lang.fill(Key::NavHours, &[&hours.to_string()]),
        _ => lang.fill(Key::HoursMinutes, &[&hours.to_string(), &rest.to_string()]),
    }
}

/// Difference of two lengths in metres, between what is shown of them.
pub(crate) fn distance(own: u64, base: u64) -> String {
    let metres = rounded(own).cast_signed() - rounded(base).cast_signed();
    signed(metres, &kilometres(metres.unsigned_abs()))
}

/// Difference of tolls; none for different currencies.
pub(crate) fn toll(own: &Toll, other: &Toll) -> Option<String> {
    let cents = |toll: &Toll| (toll.amount * 100.0).round() as i64;
    let difference = cents(own) - cents(other);
    let amount = Toll {
        currency: own.currency.clone(),
        amount: difference.unsigned_abs() as f64 / 100.0,
        is_estimate: false,
    };
    (own.currency == other.currency).then(|| signed(difference, &money(&amount)))
}

/// Formats `¥1,320`, or another currency by its code.
pub(crate) fn money(toll: &Toll) -> String {
    let amount = if toll.amount.is_finite() { toll.amount.abs().min(1e12) } else { 0.0 };
    if toll.currency == "JPY" {
        return format!("¥{}", grouped(amount.round() as u64));
    }
    let cents = (amount * 100.0).round() as u64;
    format!("{} {}.{:02}", toll.currency, grouped(cents / 100), cents % 100)
}

fn signed(value: i64, text: &str) -> String {
    match value {
        0 => format!("±{text}"),
        1.. => format!("+{text}"),
        _ => format!("−{text}"),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use output::navigation::Measure;

    use super::*;

    /// Encoded lines of three points.
    const LINES: [&str; 3] =
        ["_p~iF~ps|U_ulLnnqC_mqNvxq`@", "_p~iF~ps|U_ulLnnqC_ulLnnqC", "_p~iF~ps|U_ulLnnqC??"];

    /// A route of that length and duration on one of the lines, with two steps.
    pub(crate) fn route(line: usize, metres: u64, seconds: u64, traffic: Option<u64>) -> Route {
        let measure = |value: u64| Measure { text: value.to_string(), value };
        let step = |text: &str| Step { instruction: text.to_owned(), ..Step::default() };
        Route {
            summary: format!("{line} 経由"),
            distance: measure(metres),
            duration: measure(seconds),
            duration_in_traffic: traffic.map(measure),
            polyline: LINES[line].to_owned(),
            steps: vec![step("進む"), step("着く")],
            warnings: Vec::new(),
        }
    }

    pub(crate) fn routes(routes: &[Route]) -> Routes {
        Routes { routes: routes.to_vec(), ..Routes::default() }
    }

    pub(crate) fn details(from: &str) -> Details {
        let end = |name: &str| Some(End { name: name.to_owned(), ..End::default() });
        let of_route = RouteDetails { steps_at: vec![0, 1], ..RouteDetails::default() };
        Details {
            provider: "builtin".to_owned(),
            attribution: "©".to_owned(),
            travel_mode: "driving".to_owned(),
            origin: end(from),
            destination: end("横浜駅"),
            routes: vec![of_route; 3],
            ..Details::default()
        }
    }

    #[test]
    fn merges_route_found_by_two_calls() {
        let mut found = Found::default();
        found.take(
            "a",
            routes(&[route(0, 30_000, 2_000, None), route(1, 28_000, 3_000, None)]),
            details("東京駅"),
        );
        found.take(
            "b",
            routes(&[route(1, 28_000, 3_000, None), route(2, 40_000, 1_000, None)]),
            details("東京駅"),
        );
        assert_eq!(found.alternatives.len(), 3);
        assert_eq!((found.index_of("a", 1), found.index_of("b", 0)), (Some(1), Some(1)));
        assert_eq!((found.index_of("b", 1), found.index_of("b", 2)), (Some(2), None));
        assert_eq!((found.provider.as_str(), found.attribution.as_str()), ("builtin", "©"));
    }

    /// One alone is neither the fastest nor the shortest.
    #[test]
    fn marks_fastest_by_traffic_unless_only_one() {
        let mut found = Found::default();
        found.take("a", routes(&[route(0, 30_000, 2_000, Some(3_600))]), details("東京駅"));
        assert_eq!((found.fastest(), found.shortest()), (None, None));
        found.take(
            "b",
            routes(&[route(1, 29_000, 3_000, None), route(2, 28_000, 3_100, None)]),
            details("東京駅"),
        );
        assert_eq!((found.fastest(), found.shortest()), (Some(1), Some(2)));
    }

    #[test]
    fn maps_step_to_its_line_piece_and_back() {
        let mut found = Found::default();
        found.take("a", routes(&[route(0, 30_000, 2_000, None)]), details("東京駅"));
        let own = &found.alternatives[0];
        assert_eq!(own.line.len(), 3);
        assert_eq!((own.span(0), own.span(1), own.span(2)), (Some((0, 1)), Some((1, 2)), None));
        assert_eq!([0, 1, 9].map(|it| own.step_at(it)), [Some(0), Some(1), Some(1)]);
        let bare = Alternative { details: RouteDetails::default(), ..own.clone() };
        assert_eq!((bare.span(0), bare.step_at(1)), (None, None), "nobody says where steps begin");
    }

    #[test]
    fn clamps_step_positions_to_the_line() {
        let mut found = Found::default();
        found.take("a", routes(&[route(0, 30_000, 2_000, None)]), details("東京駅"));
        let mut own = found.alternatives[0].clone();
        own.details.steps_at = vec![7, 3, u32::MAX];
        assert_eq!([0, 1, 2].map(|it| own.span(it)), [Some((2, 2)); 3]);
        own.line = Line::default();
        assert_eq!(own.span(0), None);
    }

    #[test]
    fn keeps_only_routes_with_the_chosen_ones_ends() {
        let mut found = Found::default();
        found.take("a", routes(&[route(0, 30_000, 2_000, None)]), details("品川駅"));
        found.take(
            "b",
            routes(&[route(1, 30_000, 2_000, None), route(2, 30_000, 2_000, None)]),
            details("東京駅"),
        );
        assert_eq!(found.keep_like(2), 1);
        assert_eq!(found.alternatives.len(), 2);
        assert_eq!(found.keep_like(7), 0, "none of that index");
        assert_eq!(found.alternatives.len(), 2);
    }

    #[test]
    fn survives_broken_line_and_100_routes() {
        let mut found = Found::default();
        let broken = Route { polyline: "\u{7f}…".to_owned(), ..route(0, 1, 1, None) };
        found.take("a", routes(&[broken]), Details::default());
        assert!(found.alternatives[0].line.is_empty());
        let many = (0..100).map(|_| Route { polyline: String::new(), ..route(0, 1, 1, None) });
        found.take("b", routes(&many.collect::<Vec<_>>()), Details::default());
        assert_eq!(found.alternatives.len(), ROUTES_MAX);
    }

    #[test]
    fn plain_answer_is_a_route_with_both_ends() {
        let point = |lat: f64| Point { lat, lng: 139.0 };
        let plain =
            Plain { polyline: vec![point(35.0), point(95.0), point(36.0)], ..Plain::default() };
        let mut found = Found::default();
        found.take_plain(plain);
        assert_eq!(*found.alternatives[0].line, [(35.0, 139.0), (36.0, 139.0)]);
        assert_eq!(found.destination.map(|it| it.location.lat), Some(36.0));
    }

    fn yen(amount: f64) -> Toll {
        Toll { currency: "JPY".to_owned(), amount, is_estimate: true }
    }

    #[test]
    fn differences_have_a_sign() {
        assert_eq!(time(900, 600, Lang::Ja), "+5 分");
        assert_eq!(time(600, 4_500, Lang::En), "−1 h 5 min");
        assert_eq!(time(7_800, 600, Lang::En), "+2 h");
        assert_eq!(time(610, 629, Lang::Ja), "±0 分");
        assert_eq!(distance(31_240, 30_000), "+1.2 km");
        assert_eq!(distance(400, 850), "−450 m");
        assert_eq!(distance(1_100, 1_103), "±0 m");
    }

    /// 41 and 45 minutes, 32.4 and 30.3 km: readers reckon between what they see.
    #[test]
    fn differences_are_between_the_shown_numbers() {
        assert_eq!(time(2_689, 2_489, Lang::Ja), "+4 分");
        assert_eq!(minutes(2_731) - minutes(2_429), 6);
        assert_eq!(time(2_731, 2_429, Lang::Ja), "+6 分");
        assert_eq!((kilometres(32_449), kilometres(30_251)), ("32.4 km".into(), "30.3 km".into()));
        assert_eq!(distance(32_449, 30_251), "+2.1 km");
    }

    #[test]
    fn compares_only_equal_currencies() {
        assert_eq!(toll(&yen(1_320.0), &yen(0.0)).as_deref(), Some("+¥1,320"));
        assert_eq!(toll(&yen(0.0), &yen(1_320.0)).as_deref(), Some("−¥1,320"));
        assert_eq!(toll(&yen(500.0), &yen(500.0)).as_deref(), Some("±¥0"));
        let euros = Toll { currency: "EUR".to_owned(), amount: 1_234.5, is_estimate: false };
        assert_eq!(toll(&yen(1.0), &euros), None);
        assert_eq!(money(&euros), "EUR 1,234.50");
        assert_eq!(money(&yen(f64::NAN)), "¥0");
    }
}
