//! What is found is as good as what a plain search of the same model finds: as fast, as short, as cheap.

use graph::{Class, Graph, Mode, Network, Point, Prefer, RouteOptions, write::write};
use proptest::prelude::*;

use crate::{
    networks::{any_network, large_network, node, on},
    plain::{Plain, nearest, nearest_metres},
};

/// Any constraints of a route.
pub(crate) fn any_options() -> impl Strategy<Value = RouteOptions> {
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
    fn a_way_is_as_good_as_the_plain_search_finds(
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
    fn the_nearest_road_is_the_nearest_of_all(
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
    fn a_way_over_many_blocks_is_as_good_as_the_plain_search_finds(
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
