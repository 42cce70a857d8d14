//! What is found is as good as what a plain search of the same model finds: as fast, as short, as cheap; and
//! alternatives keep to their definition. Both are checked by other code than that which finds them.

use std::collections::HashMap;

use graph::{
    Class, Found, Graph, Mode, Network, Point, Prefer, RouteOptions,
    find::alternatives::{LONGER_MAX, SHARED_MAX, STRETCH},
    write::write,
};
use proptest::prelude::*;

use crate::{
    any_network, grid, large_network, node, on,
    plain::{Plain, nearest, nearest_metres},
};

/// Any constraints of a route.
fn any_options() -> impl Strategy<Value = RouteOptions> {
    let modes = prop::sample::select(vec![Mode::Drive, Mode::Drive, Mode::Walk, Mode::Cycle]);
    let best = vec![Prefer::Fastest, Prefer::Fastest, Prefer::Shortest, Prefer::Cheapest];
    let asked = (modes, prop::sample::select(best), any::<[bool; 4]>());
    (asked, prop::array::uniform9(0.5_f32..3.0)).prop_map(|((mode, prefer, flags), traffic)| {
        RouteOptions {
            mode,
            prefer,
            avoid_tolls: flags[1],
            avoid_highways: flags[2],
            avoid_ferries: flags[3],
            traffic,
            ways: 1,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn route_matches_plain_search(
        network in any_network(),
        options in any_options(),
        pairs in prop::collection::vec((any::<prop::sample::Index>(), 0.1..0.9, any::<prop::sample::Index>(), 0.1..0.9), 12),
    ) {
        let pairs: Vec<_> = pairs
            .into_iter()
            .map(|(from, begin, to, end)| {
                let place = |link: prop::sample::Index, part| on(&network, link.index(network.links.len()), part);
                (place(from, begin), place(to, end))
            })
            .collect();
        prop_assert_eq!(unequal(&network, &options, &pairs).1, Vec::<String>::new());
    }

    #[test]
    fn nearest_road_matches_plain_search(
        network in any_network(),
        options in any_options(),
        places in prop::collection::vec((-500.0..1_500.0, -500.0..1_500.0), 8),
    ) {
        let bytes = write(&network).unwrap();
        let graph = Graph::open(&bytes[..]).unwrap();
        let plain = Plain::new(&network, &options);
        for (east, north) in places {
            let at = node(east, north).at;
            let expected = nearest_metres(&plain, at);
            let snap = graph.nearest(at, &options, 20_000.0).unwrap();
            // A road that most others do not reach counts as 100 m farther.
            let metres = snap.as_ref().map_or(f64::INFINITY, |it| it.metres);
            prop_assert!(metres >= expected - 0.1 && (metres < expected + 100.1 || metres == expected));
            if let Some(snap) = snap {
                prop_assert!((snap.at.metres_to(at) - snap.metres).abs() < 0.5);
                let nearer = graph.nearest(at, &options, expected / 2.0).unwrap();
                prop_assert!(nearer.is_none() || expected < 0.01);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn route_over_many_blocks_matches_plain_search(
        mut network in large_network(),
        mut options in any_options(),
        pairs in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 16),
    ) {
        // Mostly streets, so that most pairs have a route.
        for (index, link) in network.links.iter_mut().enumerate().filter(|it| it.0 % 3 > 0) {
            link.cars = (true, true);
            link.walkers = true;
            link.cycles = (true, true);
            link.stops = true;
            link.class = if index % 2 == 0 { Class::Residential } else { Class::Primary };
        }
        options.avoid_tolls = false;
        let place = |link: prop::sample::Index| on(&network, link.index(network.links.len()), 0.3);
        let pairs: Vec<_> = pairs.into_iter().map(|it| (place(it.0), place(it.1))).collect();
        let (equal, others) = unequal(&network, &options, &pairs);
        prop_assert_eq!(others, Vec::<String>::new());
        prop_assert!(equal > 4, "{} compared", equal);
    }
}

/// How many of the pairs have a route that is as good as the plain search's; and what is wrong with others.
fn unequal(
    network: &Network,
    options: &RouteOptions,
    pairs: &[(Point, Point)],
) -> (usize, Vec<String>) {
    let bytes = write(network).unwrap();
    let graph = Graph::open(&bytes[..]).unwrap();
    let plain = Plain::new(network, options);
    let (mut equal, mut wrong) = (0, Vec::new());
    for &(from, to) in pairs {
        let (Some(begin), Some(end)) = (nearest(&plain, from), nearest(&plain, to)) else {
            continue;
        };
        // A road that most others do not reach gives way to one that they do; the plain search knows none.
        let far = |at: Point| {
            let snapped = graph.nearest(at, options, 1_000.0).unwrap().unwrap().metres;
            snapped > nearest_metres(&plain, at) + 0.5
        };
        if far(from) || far(to) {
            continue;
        }
        let Some(expected) = plain.best(begin, end) else { continue };
        let found = graph.ways(from, to, options).map(|mut it| it.remove(0));
        match found {
            Ok(way) => {
                let legs: f64 = way.legs.iter().map(|it| it.seconds).sum();
                // Lengths are kept to the tenth of a metre, and times to the millisecond.
                let worth = plain.worth(&way);
                let about = if options.prefer == Prefer::Fastest { 0.05 } else { 0.5 };
                if (worth - expected).abs() < about && (way.seconds - legs).abs() < 1e-6 {
                    equal += 1;
                } else {
                    let seconds = way.seconds;
                    wrong.push(format!("{worth}, {seconds} s, by legs {legs}, and not {expected}"));
                }
            }
            Err(why) => wrong.push(format!("{why:?} and not {expected}")),
        }
    }
    (equal, wrong)
}

/// The links of a route: which, whether from its beginning, and the metres and seconds travelled on it.
fn links(network: &Network, way: &Found) -> Vec<(usize, bool)> {
    let key = |a: Point, b: Point| [a.lat, a.lng, b.lat, b.lng].map(|it| (it * 1e6).round() as i64);
    let mut ends = HashMap::new();
    for (index, link) in network.links.iter().enumerate() {
        let [a, b] = [link.from, link.to].map(|it| network.nodes[it as usize].at);
        ends.insert(key(a, b), (index, true));
        ends.insert(key(b, a), (index, false));
    }
    // The first and the last are travelled in part only, and are no whole links.
    let whole = &way.legs[1..way.legs.len().max(2) - 1];
    let line = |it: &graph::Leg| key(it.points[0], it.points[it.points.len() - 1]);
    whole.iter().map(|it| ends[&line(it)]).collect()
}

fn obeys(
    network: &Network,
    options: &RouteOptions,
    ways: &[Found],
    index: usize,
) -> Result<(), String> {
    let (best, way) = (&ways[0], &ways[index]);
    if way.seconds > best.seconds * LONGER_MAX + 0.01 {
        return Err(format!("{} s and the best {}", way.seconds, best.seconds));
    }
    let mine = links(network, way);
    let length = |links: &[(usize, bool)]| -> f64 {
        links.iter().map(|it| network.links[it.0].metres).sum()
    };
    for better in &ways[..index] {
        let theirs = links(network, better);
        let both: Vec<_> =
            mine.iter().copied().filter(|it| theirs.iter().any(|other| other.0 == it.0)).collect();
        let shorter = way.metres.min(better.metres);
        if length(&both) > shorter * SHARED_MAX + 0.5 {
            return Err(format!("{} m of {shorter} are shared", length(&both)));
        }
    }
    let plain = Plain::new(network, options);
    let stretch = best.seconds * STRETCH;
    for (from, begin) in mine.iter().enumerate() {
        let mut taken = 0.0;
        for (place, next) in mine.iter().enumerate().skip(from) {
            let leg = &way.legs[place + 1];
            let turn = leg.seconds - plain.seconds(next.0);
            taken += plain.seconds(next.0) + if place == from { 0.0 } else { turn };
            if taken > stretch {
                break;
            }
            let fastest = plain.fastest_over(*begin, *next);
            if fastest.is_some_and(|it| it < taken - 0.05) {
                return Err(format!("links {from} to {place} take {taken} s and not {fastest:?}"));
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn alternatives_obey_their_definition(
        network in any_network(),
        pairs in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 6),
    ) {
        let bytes = write(&network).unwrap();
        let graph = Graph::open(&bytes[..]).unwrap();
        let options = RouteOptions { ways: 3, ..RouteOptions::default() };
        for (from, to) in pairs {
            let [from, to] = [from, to].map(|it| on(&network, it.index(network.links.len()), 0.4));
            let Ok(ways) = graph.ways(from, to, &options) else { continue };
            let alone = graph.ways(from, to, &RouteOptions { ways: 1, ..options.clone() }).unwrap();
            prop_assert!((alone[0].seconds - ways[0].seconds).abs() < 1e-6);
            for index in 1..ways.len() {
                prop_assert_eq!(obeys(&network, &options, &ways, index), Ok(()));
                let ends = |it: &Found| (it.legs[0].points[0], *it.legs.last().unwrap().points.last().unwrap());
                // Where a place is beside several roads, one route may begin nearer to it than the other.
                if ends(&ways[index]) == ends(&ways[index - 1]) {
                    prop_assert!(ways[index].seconds >= ways[index - 1].seconds - 0.01, "best first");
                }
                prop_assert!(graph.is_alternative(&ways[index], &ways[..index], &options).unwrap());
            }
        }
    }
}

/// Two towns 6 km apart, and streets of which some are faster.
fn roads() -> Network {
    let mut grid = grid(30, 7, &[]);
    for link in &mut grid.links {
        let row = (link.from / 30, link.to / 30);
        link.kmh = match row {
            (1, 1) => 60,
            (3, 3) => 58,
            (5, 5) => 55,
            _ => 30,
        };
    }
    grid
}

#[test]
fn finds_three_routes_over_three_roads() {
    let network = roads();
    let bytes = write(&network).unwrap();
    let graph = Graph::open(&bytes[..]).unwrap();
    let options = RouteOptions { ways: 3, ..RouteOptions::default() };
    let (from, to) = (grid_place(0, 3), grid_place(29, 3));
    let ways = graph.ways(from, to, &options).unwrap();
    assert_eq!(ways.len(), 3);
    for index in 1..3 {
        assert_eq!(obeys(&network, &options, &ways, index), Ok(()));
    }
    let two = graph.ways(from, to, &RouteOptions { ways: 2, ..options }).unwrap();
    assert_eq!(two.len(), 2);
}

/// A place just beside a junction of the grid.
fn grid_place(x: u32, y: u32) -> Point {
    node(f64::from(x) * 200.0 + 4.0, f64::from(y) * 200.0 + 1.0).at
}

#[test]
fn no_alternative_shares_too_much_takes_too_long_or_detours() {
    let network = roads();
    let bytes = write(&network).unwrap();
    let graph = Graph::open(&bytes[..]).unwrap();
    let options = RouteOptions { ways: 3, ..RouteOptions::default() };
    let (from, to) = (grid_place(0, 3), grid_place(29, 3));
    let ways = graph.ways(from, to, &options).unwrap();
    let same = graph.is_alternative(&ways[0], &ways[..1], &options).unwrap();
    assert!(!same, "it shares all");
    // Where the fast roads are shut the route is there still, but on the open map it is beside them.
    let mut slow = network;
    for link in &mut slow.links {
        if link.kmh > 30 {
            link.toll = true;
        }
    }
    let bytes = write(&slow).unwrap();
    let graph = Graph::open(&bytes[..]).unwrap();
    let free = RouteOptions { avoid_tolls: true, ..RouteOptions::default() };
    let detour = graph.ways(from, to, &free).unwrap().remove(0);
    assert!(!graph.is_alternative(&detour, &ways[..1], &options).unwrap());
}
