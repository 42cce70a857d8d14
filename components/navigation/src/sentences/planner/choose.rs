//! The selection rules of NAV-51.

use super::{
    constraints::{Constraints, Rule},
    found::Found,
};

/// Maximum ratio of times to the fastest route for less traffic: a fifth longer.
const DETOUR: (u64, u64) = (6, 5);

/// Returns the index of the best route; none without routes.
pub(super) fn choose(constraints: &Constraints, routes: &[Found]) -> Option<usize> {
    if let Some(number) = constraints.once.pick
        && (1..=routes.len()).contains(&number)
    {
        return Some(number - 1);
    }
    let ranking = ranking(constraints, routes);
    ranking.get(constraints.others.checked_rem(routes.len())?).copied()
}

/// Returns the indices of `routes`, best first. Equal routes keep the provider's order.
pub(super) fn ranking(constraints: &Constraints, routes: &[Found]) -> Vec<usize> {
    let mut places: Vec<_> = (0..routes.len()).collect();
    match constraints.rule {
        Some(rule) => places.sort_by_key(|it| key(rule, &routes[*it])),
        // Without known traffic, none of them has less.
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

/// Whether the traffic of any route is known.
pub(super) fn is_traffic_known(routes: &[Found]) -> bool {
    routes.iter().any(|it| it.seconds_in_traffic.is_some())
}

fn key(rule: Rule, route: &Found) -> (bool, u64, u64) {
    let time = route.time();
    let (first, second) = match rule {
        Rule::Fastest => (time, route.metres),
        Rule::Shortest => (route.metres, time),
        // An unknown toll does not count as free.
        Rule::Cheapest => (route.price().unwrap_or(u64::MAX), time),
        Rule::FewestRightTurns => (route.right_turns as u64, time),
    };
    // The provider's best of all is not compared with the others.
    (!(route.is_best && matches!(rule, Rule::Shortest | Rule::Cheapest)), first, second)
}
