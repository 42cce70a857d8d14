//! The shortest or cheapest of what a provider offers, where it cannot look for it.

use graph::Prefer;
use output::navigation::{Details, Route, RouteDetails, Routes};

use crate::ask::Language;

/// Puts the route first that has the least of what is preferred, and says that only those were compared
/// which the provider offers. Nothing is done where it found the best of all.
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

/// What the tolls come to, in hundredths; where that is not known, more than any.
fn cents(details: &RouteDetails) -> u64 {
    details.toll.as_ref().map_or(u64::MAX, |it| crate::words::whole(it.amount * 100.0))
}

#[cfg(test)]
mod tests {
    use output::navigation::{Measure, Toll};

    use super::*;

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
    fn shortest_and_cheapest_of_those_offered_come_first_and_say_so() {
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
    fn what_is_not_known_is_not_claimed_and_what_was_found_stays() {
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
