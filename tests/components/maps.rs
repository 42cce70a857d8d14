//! Routes on a real road network, the centre of Helsinki: against a plain search, as alternatives, and by
//! bytes read.

mod component;
mod pairs;
mod plain;

use std::collections::HashMap;

use graph::{Found, Graph, NotFound, Point, RouteOptions};
use pairs::{Pair, pairs};
use plain::{Arc, Plain};
use tests::maps::helsinki;

/// Pairs that are compared with the plain search.
const PAIRS: usize = 1000;
/// Pairs whose alternatives are held to their definition.
const ALTERNATIVES: usize = 300;
/// What one query may read of a file.
const QUERY_BYTES_MAX: u64 = 1_000_000;

fn options(ways: usize) -> RouteOptions {
    RouteOptions { ways, ..RouteOptions::default() }
}

#[test]
fn thousand_random_routes_are_as_fast_as_those_of_plain_search() {
    let map = helsinki();
    let plain = Plain::new(&map.network);
    let graph = Graph::open(&map.bytes[..]).unwrap();
    let (mut with, mut without) = (0, 0);
    for pair in pairs(map, &plain, &graph, PAIRS) {
        let wanted = pair.fastest(&plain);
        match (wanted, graph.ways(pair.from.at, pair.to.at, &options(1))) {
            (Some(ms), Ok(found)) => {
                let time = found[0].seconds * 1000.0;
                // Half a millisecond for each end, where a link is travelled in part.
                assert!((time - ms).abs() <= 2.0, "{time} ms, and {ms} ms is right: {pair:?}");
                with += 1;
            }
            // If the nearest road is a dead end, neighbouring ones are tried.
            (None, Ok(_) | Err(NotFound::NoWay)) => without += 1,
            (wanted, found) => panic!("{wanted:?}, and not {found:?}: {pair:?}"),
        }
    }
    assert_eq!(with + without, PAIRS);
    assert!(without * 50 < PAIRS, "{without} pairs have no way");
}

#[test]
fn alternatives_are_short_and_different_enough_without_detours() {
    let map = helsinki();
    let plain = Plain::new(&map.network);
    let graph = Graph::open(&map.bytes[..]).unwrap();
    let arcs = known(&plain, map.network.links.len());
    let mut alternatives = 0;
    for pair in pairs(map, &plain, &graph, ALTERNATIVES) {
        let Ok(found) = graph.ways(pair.from.at, pair.to.at, &options(3)) else { continue };
        assert!((1..=3).contains(&found.len()));
        let ways: Vec<Vec<Arc>> = found.iter().map(|it| arcs_of(it, &arcs)).collect();
        for index in 1..found.len() {
            alternatives += 1;
            assert!(found[index].seconds >= found[index - 1].seconds - 0.01, "best first");
            assert!(
                found[index].seconds <= found[0].seconds * 1.4 + 0.01,
                "1.4 times the best at most"
            );
            for better in 0..index {
                let shared = shared(&found[index], &ways[index], &ways[better]);
                assert!(shared <= 0.701, "{shared} shared with a better one: {pair:?}");
            }
            let detour = detour(&plain, &found[0], &ways[index]);
            assert_eq!(detour, None, "{pair:?}");
        }
    }
    assert!(
        alternatives >= ALTERNATIVES / 4,
        "{alternatives} alternatives of {ALTERNATIVES} pairs"
    );
}

/// A stretch of whole links that takes a quarter of the best time or less and can be travelled faster.
fn detour(plain: &Plain, best: &Found, way: &[Arc]) -> Option<String> {
    let quarter = best.seconds * 1000.0 / 4.0;
    // The first and the last are travelled in part.
    let inner = way.get(1..way.len().saturating_sub(1)).unwrap_or_default();
    for begin in 0..inner.len() {
        let lengths = begin + 2..=inner.len();
        let whole = |it: &usize| plain.link_ms(inner[begin]) + plain.along(&inner[begin..*it]);
        let end = lengths.take_while(|it| whole(it) <= quarter).last();
        let Some(end) = end else { continue };
        let taken = plain.along(&inner[begin..end]);
        let fastest = plain.fastest(&[(inner[begin], 0.0)], &[(inner[end - 1], 0.0)]).unwrap();
        if taken > fastest + 1.0 {
            let stretch = &inner[begin..end];
            return Some(format!("{taken} ms of {stretch:?}, and {fastest} ms would do"));
        }
    }
    None
}

/// Links by the points at which one gets onto them and off them, and how many points there are.
type Arcs = HashMap<Vec<(i64, i64)>, Arc>;

fn known(plain: &Plain, links: usize) -> Arcs {
    let links = u32::try_from(links).unwrap();
    let arcs = (0..links).flat_map(|it| [(it, true), (it, false)]);
    let mut open: Vec<Arc> = arcs.filter(|it| plain.is_open(*it)).collect();
    // Of two that lie on each other, one is gone along only: the faster.
    open.sort_by(|a, b| plain.link_ms(*b).total_cmp(&plain.link_ms(*a)));
    open.into_iter().map(|arc| (key(&plain.line(arc)), arc)).collect()
}

fn key(line: &[Point]) -> Vec<(i64, i64)> {
    let kept = |it: f64| (it * 1e6).round() as i64;
    line.iter().map(|it| (kept(it.lat), kept(it.lng))).collect()
}

/// The links of a way that are travelled whole; of the first and the last a part is.
fn arcs_of(found: &Found, known: &Arcs) -> Vec<Arc> {
    let last = found.legs.len() - 1;
    let arc = |(index, leg): (usize, &graph::Leg)| match known.get(&key(&leg.points)) {
        Some(arc) => *arc,
        None if index == 0 || index == last => (u32::MAX, true),
        None => panic!("no link has these points: {leg:?}"),
    };
    found.legs.iter().enumerate().map(arc).collect()
}

/// The share of a way's length that another goes along too.
fn shared(found: &Found, way: &[Arc], other: &[Arc]) -> f64 {
    let legs = found.legs.iter().zip(way);
    let is_shared = |arc: &Arc| arc.0 != u32::MAX && other.contains(arc);
    let metres: f64 = legs.filter(|(_, arc)| is_shared(arc)).map(|(leg, _)| leg.metres).sum();
    metres / found.metres
}

#[test]
fn a_query_reads_less_than_a_megabyte_of_the_file() {
    let map = helsinki();
    let plain = Plain::new(&map.network);
    let graph = Graph::open(&map.bytes[..]).unwrap();
    let fresh = |pair: &Pair| {
        // As in a fresh instance: nothing is known of the file.
        let graph = Graph::open(&map.bytes[..]).unwrap();
        let found = graph.ways(pair.from.at, pair.to.at, &options(3));
        found.is_ok().then(|| graph.bytes_read())
    };
    let mut read: Vec<u64> =
        pairs(map, &plain, &graph, ALTERNATIVES).iter().filter_map(fresh).collect();
    read.sort_unstable();
    let (median, most) = (read[read.len() / 2], read[read.len() - 1]);
    eprintln!("a query reads {median} bytes, {most} at most, of {}", map.bytes.len());
    assert!(most < QUERY_BYTES_MAX, "{most} bytes, {median} in the median");
    assert!(median < map.bytes.len() as u64, "a query reads all of it: {median}");
}

#[test]
fn streets_stations_and_landmarks_are_found_by_each_name() {
    let graph = Graph::open(&helsinki().bytes[..]).unwrap();
    let names = [
        ("Mannerheimintie", "Mannerheimintie"),
        ("kiasma", "Kiasma"),
        ("ヘルシンキ", "Helsinki"),
        ("Helsingfors", "Helsinki"),
        ("Central Railway Station", "Rautatientori"),
    ];
    for (asked, wanted) in names {
        let places = graph.places().named(asked, 5).unwrap();
        assert!(places.iter().any(|it| it.name.local == wanted), "{asked}: {places:?}");
    }
    let (low, high) = graph.bounds();
    let street = &graph.places().named("Mannerheimintie", 1).unwrap()[0];
    assert!((low.lat..high.lat).contains(&street.at.lat) && street.address.local == "Helsinki");
    assert!(graph.places().named("Dogenpalast", 5).unwrap().is_empty());
    assert!(graph.attribution().contains("OpenStreetMap"), "{}", graph.attribution());
    assert!(!graph.drives_on_left());
}
