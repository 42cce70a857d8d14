//! Routes on a real road network, the centre of Helsinki: against a plain search, as alternatives, by bytes
//! read; the component with an imported map, and the roads that the page draws.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap, HashMap, HashSet},
    fmt::Write,
    path::{Path, PathBuf},
};

use graph::{Class, Found, Graph, Link, Network, NotFound, Point, RouteOptions};
use host::grants::Grant;
use serde_json::{Value, json};
use tests::{
    bench::{Bench, Tested},
    fixtures::{self, Map, helsinki, helsinki_extract},
};
use workbench::solo::SoloOutcome;

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
    fixtures::check_golden(&root().join("components/output/map/roads.json"), &drawn());
}

// Dijkstra's textbook search over the same network, with the costs that `graph` documents.
//
// A link takes its length by its speed. Where three links or more meet, a turn of 45° or more takes
// 3 s, and 8 s across the traffic that comes towards one; none at roundabouts. No car goes back into
// the link that it comes by unless nothing else is left (20 s).

/// A link, and whether one travels it as it is mapped.
type Arc = (u32, bool);

/// A network that cars are on, with no other traffic.
struct Plain {
    links: Vec<Link>,
    nodes: Vec<Point>,
    forbidden: HashSet<(u32, u32, u32)>,
    meet: HashMap<u32, Vec<Arc>>,
    is_left: bool,
}

impl Plain {
    fn new(network: &Network) -> Self {
        let mut meet = HashMap::<u32, Vec<Arc>>::new();
        for (index, link) in (0..).zip(&network.links) {
            meet.entry(link.from).or_default().push((index, true));
            meet.entry(link.to).or_default().push((index, false));
        }
        Self {
            links: network.links.clone(),
            nodes: network.nodes.iter().map(|it| it.at).collect(),
            forbidden: network.forbidden.iter().map(|it| (it.from, it.over, it.to)).collect(),
            meet,
            is_left: network.drives_on_left,
        }
    }

    /// Whether cars may travel it so.
    fn is_open(&self, (link, is_ahead): Arc) -> bool {
        let link = &self.links[link as usize];
        link.class != Class::Path && if is_ahead { link.cars.0 } else { link.cars.1 }
    }

    /// Milliseconds of a whole link.
    fn link_ms(&self, (link, _): Arc) -> f64 {
        let link = &self.links[link as usize];
        (link.metres * 3600.0 / f64::from(link.kmh)).round()
    }

    fn end(&self, (link, is_ahead): Arc) -> u32 {
        let link = &self.links[link as usize];
        if is_ahead { link.to } else { link.from }
    }

    /// Where one can go on to, and what turning there takes.
    fn next(&self, arc: Arc) -> Vec<(Arc, f64)> {
        let over = self.end(arc);
        let meet = &self.meet[&over];
        let may = |it: &Arc| self.is_open(*it) && !self.forbidden.contains(&(arc.0, over, it.0));
        let (back, on): (Vec<Arc>, Vec<Arc>) =
            meet.iter().copied().filter(may).partition(|it| *it == (arc.0, !arc.1));
        match on.is_empty() {
            true => back.into_iter().map(|it| (it, 20_000.0)).collect(),
            false => on.into_iter().map(|it| (it, self.turn_ms(arc, it, meet.len()))).collect(),
        }
    }

    /// What the turn from one to the other takes.
    fn turn_ms(&self, from: Arc, to: Arc, meet: usize) -> f64 {
        let is_round = |it: Arc| self.links[it.0 as usize].roundabout;
        if meet < 3 || is_round(from) || is_round(to) {
            return 0.0;
        }
        // Headings are whole 256ths of a turn; right is positive.
        let incoming = self.heading((from.0, !from.1)) + 128;
        let bend = (self.heading(to) - incoming + 128).rem_euclid(256) - 128;
        let is_across = (bend > 0) == self.is_left;
        match bend.abs() {
            0..32 => 0.0,
            _ if is_across => 8_000.0,
            _ => 3_000.0,
        }
    }

    /// The points of a link as one travels it.
    fn line(&self, (link, is_ahead): Arc) -> Vec<Point> {
        let link = &self.links[link as usize];
        let ends = [link.from, link.to].map(|it| self.nodes[it as usize]);
        let mut line = [&ends[..1], &link.shape, &ends[1..]].concat();
        if !is_ahead {
            line.reverse();
        }
        line
    }

    /// Where a link leads from its beginning: towards its first point 15 m away, or its last.
    fn heading(&self, arc: Arc) -> i32 {
        let line = self.line(arc);
        let far = line.iter().find(|it| line[0].metres_to(**it) >= 15.0);
        let far = far.or(line.last()).copied().unwrap_or_default();
        let north = far.lat - line[0].lat;
        let east = (far.lng - line[0].lng) * f64::midpoint(far.lat, line[0].lat).to_radians().cos();
        (east.atan2(north) / std::f64::consts::TAU * 256.0).round() as i32
    }

    /// Milliseconds from the end of each of `from`, which took so long, to the end of each of `to`,
    /// less what is left of it there: the least sum.
    fn fastest(&self, from: &[(Arc, f64)], to: &[(Arc, f64)]) -> Option<f64> {
        let mut settled = HashSet::new();
        let mut queue: BinaryHeap<_> =
            from.iter().map(|(arc, ms)| Reverse((Ms(*ms), *arc, false))).collect();
        let mut best = f64::INFINITY;
        let slack = to.iter().map(|it| it.1).fold(0.0, f64::max);
        while let Some(Reverse((Ms(ms), arc, is_whole))) = queue.pop() {
            if ms >= best + slack || (is_whole && !settled.insert(arc)) {
                continue;
            }
            for (_, left) in to.iter().filter(|(it, _)| is_whole && *it == arc) {
                best = best.min(ms - left);
            }
            for (next, turn) in self.next(arc) {
                if !settled.contains(&next) {
                    queue.push(Reverse((Ms(ms + turn + self.link_ms(next)), next, true)));
                }
            }
        }
        best.is_finite().then_some(best)
    }

    /// What a way along these takes, their first left out: turns and links.
    fn along(&self, arcs: &[Arc]) -> f64 {
        let step = |pair: &[Arc]| {
            let next = self.next(pair[0]);
            let turn = next.iter().find(|(it, _)| *it == pair[1]).map(|(_, turn)| *turn);
            turn.unwrap_or(f64::INFINITY) + self.link_ms(pair[1])
        };
        arcs.windows(2).map(step).sum()
    }
}

/// Milliseconds, with an order for the heap.
#[derive(Clone, Copy, PartialEq)]
struct Ms(f64);

impl Eq for Ms {}

impl PartialOrd for Ms {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ms {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

// Random pairs of places from a seed, each clearly on one road.

/// Another road nearer than this makes it doubtful which one a place is on.
const CLEAR_METRES: f64 = 3.0;

/// A place on a link: which link, and how much of it lies before.
#[derive(Clone, Copy, Debug)]
struct On {
    at: Point,
    link: u32,
    part: f64,
}

/// Where from and where to.
#[derive(Clone, Copy, Debug)]
struct Pair {
    from: On,
    to: On,
}

/// So many pairs, the same in every run.
fn pairs(map: &Map, plain: &Plain, graph: &Graph<&[u8]>, count: usize) -> Vec<Pair> {
    let mut chance = Chance(0x6d61_646f_6775_6368);
    let mut place = || loop {
        let link = chance.below(map.network.links.len());
        if let Some(on) = on(plain, graph, map.network.links.len(), link, 0.3 + 0.4 * chance.part())
        {
            return on;
        }
    };
    (0..count).map(|_| Pair { from: place(), to: place() }).collect()
}

/// A place on that link, where cars may use it and no other road is about as near.
fn on(plain: &Plain, graph: &Graph<&[u8]>, links: usize, link: usize, part: f64) -> Option<On> {
    let link = u32::try_from(link).ok()?;
    if !is_open(plain, link) {
        return None;
    }
    let at = along(&plain.line((link, true)), part);
    let others = (0..u32::try_from(links).ok()?).filter(|it| *it != link && is_open(plain, *it));
    let is_clear = |it: u32| metres(at, &plain.line((it, true))) > CLEAR_METRES;
    // Roads that most others do not reach give way to ones that they do: then it is not the nearest.
    let snap = graph.nearest(at, &RouteOptions::default(), 1000.0).unwrap()?;
    (snap.metres < 0.5 && others.into_iter().all(is_clear)).then_some(On { at, link, part })
}

fn is_open(plain: &Plain, link: u32) -> bool {
    plain.is_open((link, true)) || plain.is_open((link, false))
}

/// The point of a line with this part of its length before it.
fn along(line: &[Point], part: f64) -> Point {
    let length: f64 = line.windows(2).map(|it| it[0].metres_to(it[1])).sum();
    let mut left = length * part;
    for pair in line.windows(2) {
        let step = pair[0].metres_to(pair[1]);
        if step > 0.0 && left <= step {
            let part = left / step;
            return Point {
                lat: pair[0].lat + (pair[1].lat - pair[0].lat) * part,
                lng: pair[0].lng + (pair[1].lng - pair[0].lng) * part,
            };
        }
        left -= step;
    }
    line[line.len() - 1]
}

/// How far a line is away.
fn metres(at: Point, line: &[Point]) -> f64 {
    let shrink = at.lat.to_radians().cos();
    let flat = |it: Point| ((it.lng - at.lng) * shrink * 111_195.0, (it.lat - at.lat) * 111_195.0);
    let to_pair = |pair: &[Point]| {
        let (a, b) = (flat(pair[0]), flat(pair[1]));
        let (x, y) = (b.0 - a.0, b.1 - a.1);
        let square = x * x + y * y;
        let part = if square > 0.0 { (-(a.0 * x + a.1 * y) / square).clamp(0.0, 1.0) } else { 0.0 };
        (a.0 + x * part).hypot(a.1 + y * part)
    };
    line.windows(2).map(to_pair).fold(f64::INFINITY, f64::min)
}

impl Pair {
    /// Milliseconds of the fastest way, by the plain search.
    fn fastest(&self, plain: &Plain) -> Option<f64> {
        let ways = |on: On, is_end: bool| {
            let arcs: [Arc; 2] = [(on.link, true), (on.link, false)];
            arcs.into_iter().filter(|it| plain.is_open(*it)).map(move |arc| {
                let before = if arc.1 { on.part } else { 1.0 - on.part };
                (arc, (1.0 - before) * plain.link_ms(arc), is_end)
            })
        };
        let from: Vec<_> = ways(self.from, false).map(|(arc, left, _)| (arc, left)).collect();
        let to: Vec<_> = ways(self.to, true).map(|(arc, left, _)| (arc, left)).collect();
        // On one link without leaving it.
        let direct = from.iter().flat_map(|(arc, left)| {
            let same = to.iter().filter(move |(it, after)| it == arc && after <= left);
            same.map(move |(_, after)| left - after)
        });
        let best = direct.fold(f64::INFINITY, f64::min);
        let best = plain.fastest(&from, &to).map_or(best, |it| it.min(best));
        best.is_finite().then_some(best)
    }
}

/// Chance that is the same in every run: xorshift.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, most: usize) -> usize {
        (self.next() % most as u64) as usize
    }

    fn part(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}
