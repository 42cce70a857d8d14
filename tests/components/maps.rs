//! Routes on a real road network, the centre of Helsinki: against a plain search, as alternatives, by bytes
//! read; the component with an imported map, and the roads that the page draws.

mod plain;

use std::{
    collections::{BTreeMap, HashMap},
    fmt::Write,
    path::{Path, PathBuf},
};

use graph::{Found, Graph, NotFound, Point, RouteOptions};
use host::grants::Grant;
use serde_json::{Value, json};
use tests::{
    bench::{Bench, Tested},
    goldens,
    maps::{helsinki, helsinki_extract},
};
use workbench::solo::SoloOutcome;

use plain::{Arc, Pair, Plain, pairs};

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

// The component with a map that the operator grants: sound, foreign, damaged.

async fn with_map(map: &Path) -> Tested {
    let grants = ["sql", "settings", "clock", "random", "http", "files", "endpoints", "assistants"];
    let all = Grant::ALL.into_iter().filter(|it| grants.contains(&&*it.to_string()));
    all.fold(Bench::of("navigation"), Bench::grant).file("map", map).start().await
}

fn ask(origin: &str, destination: &str) -> Value {
    json!({ "origin": origin, "destination": destination, "alternatives": true })
}

#[tokio::test]
async fn route_on_an_imported_map_leads_from_name_to_name_and_back() {
    let tested = with_map(&helsinki().file).await;
    let there = tested.call("route_search", ask("Kiasma", "Hakaniemi")).await;
    let route = &there["routes"][0];
    let metres = route["distance"]["value"].as_f64().unwrap();
    // 1.0 km as the crow flies.
    assert!((900.0..4000.0).contains(&metres), "{route}");
    let line = polyline::decode_polyline(route["polyline"].as_str().unwrap(), 5).unwrap();
    let (first, last) = (line.0[0], line.0[line.0.len() - 1]);
    assert!((first.y - 60.1717).abs() < 0.003 && (first.x - 24.9366).abs() < 0.006, "{first:?}");
    assert!((last.y - 60.1787).abs() < 0.003 && (last.x - 24.9515).abs() < 0.006, "{last:?}");
    assert!(!route["steps"].as_array().unwrap().is_empty());
    let back = tested.call("route_search", ask("Hakaniemi", "Kiasma")).await;
    assert_ne!(back["routes"][0]["polyline"], route["polyline"], "one-way streets");
    let spot = tested.call("route_search", ask("60.1717,24.9366", "60.1787,24.9515")).await;
    assert!(spot["routes"][0]["distance"]["value"].as_f64().unwrap() > 900.0, "{spot}");
}

#[tokio::test]
async fn knows_places_of_an_imported_map_and_keeps_the_built_in_ones() {
    let tested = with_map(&helsinki().file).await;
    for name in ["Helsinki", "ヘルシンキ", "Helsingfors"] {
        let place = tested.call("geocode", json!({ "address": name })).await;
        let lat = place["location"]["lat"].as_f64().unwrap();
        assert!((60.1..60.3).contains(&lat), "{name}: {place}");
    }
    let tokyo = tested.call("route_search", ask("東京駅", "横浜駅")).await;
    assert!(tokyo["routes"][0]["distance"]["value"].as_f64().unwrap() > 20_000.0, "{tokyo}");
    let apart = tested.failure("route_search", ask("東京駅", "Kiasma")).await;
    assert!(
        ["zero_results", "place_outside_map"].iter().any(|it| apart["error"] == *it),
        "{apart}"
    );
}

#[tokio::test]
async fn rejects_file_that_is_no_map() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, content: &[u8]| {
        let file = folder.path().join(name);
        std::fs::write(&file, content).unwrap();
        file
    };
    let map = &helsinki().bytes;
    let mut newer = map.clone();
    newer[4..16].fill(0xff);
    let files = [
        helsinki_extract(),
        put("empty", b""),
        put("text", "{\"type\":\"FeatureCollection\"}".repeat(1000).as_bytes()),
        put("zeros", &[0; 1 << 16]),
        put("newer", &newer),
        put("head", &map[..100]),
    ];
    for file in files {
        let tested = with_map(&file).await;
        for (tool, arguments) in [
            ("route_search", ask("Kiasma", "Hakaniemi")),
            ("geocode", json!({ "address": "Kiasma" })),
        ] {
            let failure = tested.failure(tool, arguments).await;
            assert_eq!(failure["error"], "map_unreadable", "{}: {failure}", file.display());
            assert_eq!(failure["status"], 500, "{failure}");
            assert!(failure["message"].as_str().is_some_and(|it| !it.is_empty()), "{failure}");
        }
    }
}

#[tokio::test]
async fn damaged_map_gives_a_route_or_an_error_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("map");
    let map = &helsinki().bytes;
    let (mut routes, mut unreadable) = (0, 0);
    let cut = (1..8).map(|it| map[..map.len() * it / 8].to_vec());
    let flipped = (0..40).map(|number| {
        let mut bytes = map.clone();
        let at = (number * 7919 + 13) * 4001 % bytes.len();
        bytes[at..].iter_mut().take(64).for_each(|it| *it = !*it);
        bytes
    });
    for bytes in cut.chain(flipped) {
        std::fs::write(&file, bytes).unwrap();
        let tested = with_map(&file).await;
        match tested.round("route_search", ask("Kiasma", "Hakaniemi"), json!({})).await {
            SoloOutcome::Done(_) => routes += 1,
            SoloOutcome::Failed(failure) => {
                // A name whose block is damaged may be a name that is not there.
                let text = ["map_unreadable", "place_unknown", "zero_results", "place_outside_map"];
                assert!(text.iter().any(|it| failure["error"] == *it), "{failure}");
                unreadable += usize::from(failure["error"] == "map_unreadable");
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(routes > 0 && unreadable > 0, "{routes} {unreadable}");
}

// The roads that the page draws under a route match the bundled network.

/// What is drawn, in this order; ferries and ramps are not.
const CLASSES: [&str; 4] = ["secondary", "primary", "trunk", "motorway"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The rows of a table, without their comments.
fn rows(name: &str) -> Vec<Vec<String>> {
    let path = root().join("components/navigation/data").join(name);
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|it| !it.is_empty() && !it.starts_with('#'));
    lines.map(|it| it.split('\t').map(str::to_owned).collect()).collect()
}

/// `35.68,139.77` as GeoJSON has it.
fn place(text: &str) -> String {
    let (lat, lng) = text.split_once(',').unwrap();
    format!("[{},{}]", lng.parse::<f64>().unwrap(), lat.parse::<f64>().unwrap())
}

/// A `FeatureCollection`: one feature a class, one line a row of the table.
fn drawn() -> String {
    let pairs = |name: &str, column: usize| -> BTreeMap<String, String> {
        rows(name).into_iter().map(|row| (row[0].clone(), row[column].clone())).collect()
    };
    let (junctions, classes) = (pairs("junctions.tsv", 1), pairs("roads.tsv", 4));
    let links = rows("links.tsv");
    let line = |row: &Vec<String>| {
        let place = |it: &str| place(junctions.get(it).map_or(it, String::as_str));
        let places = row[2].split_whitespace().map(place).collect::<Vec<_>>();
        format!("[{}]", places.join(","))
    };
    let mut text = String::from("{\"type\":\"FeatureCollection\",\"features\":[");
    for (index, class) in CLASSES.iter().enumerate() {
        let own = links.iter().filter(|row| classes.get(&row[0]).is_some_and(|it| it == class));
        let lines = own.map(line).collect::<Vec<_>>().join(",\n");
        let comma = if index > 0 { "," } else { "" };
        write!(
            text,
            "{comma}\n{{\"type\":\"Feature\",\"properties\":{{\"class\":\"{class}\"}},\
             \"geometry\":{{\"type\":\"MultiLineString\",\"coordinates\":[\n{lines}\n]}}}}"
        )
        .unwrap();
    }
    text.push_str("\n]}\n");
    text
}

#[test]
fn roads_drawn_by_the_page_are_those_of_the_bundled_network() {
    goldens::check(&root().join("components/output/map/roads.json"), &drawn());
}
