//! The selection rules of NAV-51: which of the routes that were found.

use super::{
    constraints::{Constraints, Rule},
    found::Found,
};

/// How much longer than the fastest a route may take that has less traffic: a fifth.
const DETOUR: (u64, u64) = (6, 5);

/// The place of the route that fits `constraints` best; none where there is no route.
pub(super) fn choose(constraints: &Constraints, routes: &[Found]) -> Option<usize> {
    if let Some(number) = constraints.once.pick
        && (1..=routes.len()).contains(&number)
    {
        return Some(number - 1);
    }
    let ranking = ranking(constraints, routes);
    ranking.get(constraints.others.checked_rem(routes.len())?).copied()
}

/// The places of `routes`, best first. Of what is equal, the provider's order decides.
pub(super) fn ranking(constraints: &Constraints, routes: &[Found]) -> Vec<usize> {
    let mut places: Vec<_> = (0..routes.len()).collect();
    match constraints.rule {
        Some(rule) => places.sort_by_key(|it| key(rule, &routes[*it])),
        // Where no traffic is known, none of them has less of it.
        None if constraints.traffic && is_traffic_known(routes) => {
            let fastest = routes.iter().map(Found::time).min().unwrap_or_default();
            let most = fastest.saturating_mul(DETOUR.0) / DETOUR.1;
            let key = |it: &Found| (it.time() > most, it.delay().unwrap_or(u64::MAX), it.time());
            places.sort_by_key(|it| key(&routes[*it]));
        }
        None => {}
    }
    places
}

/// Whether the provider says of any of `routes` what traffic costs.
pub(super) fn is_traffic_known(routes: &[Found]) -> bool {
    routes.iter().any(|it| it.seconds_in_traffic.is_some())
}

fn key(rule: Rule, route: &Found) -> (bool, u64, u64) {
    let time = route.time();
    let (first, second) = match rule {
        Rule::Fastest => (time, route.metres),
        Rule::Shortest => (route.metres, time),
        // What has no known toll is not taken to be free.
        Rule::Cheapest => (route.price().unwrap_or(u64::MAX), time),
        Rule::FewestRightTurns => (route.right_turns as u64, time),
    };
    // What the provider knows for the best of all is none of those that it is compared with.
    (!(route.is_best && matches!(rule, Rule::Shortest | Rule::Cheapest)), first, second)
}
