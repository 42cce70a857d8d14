//! Features that providers lack: the departure for an arrival time, and the shortest or cheapest of the offered routes.

use std::time::{Duration, SystemTime};

use graph::Prefer;
use output::navigation::{Details, Route, RouteDetails, Routes};

use super::Provider;
use crate::{
    arguments::written,
    ask::{Departure, Language, RouteAsk},
    refusals::ProviderError,
    words,
};

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

    use super::*;
    use crate::{
        ask::CompareAsk,
        network::NETWORK,
        provider::{builtin, google_legacy::tests::route_ask},
    };

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
