//! Routes through the bundled network, held against what is known of them, and its streets against the arterial
//! roads of central Tokyo, where that table lies beside the repository; it is no part of it. Then the gazetteer.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use graph::{Class, Found, Graph, Link, Mode, Network, NotFound, Point, Prefer, RouteOptions};

use super::{GAZETTEER, NETWORK, outside};

#[path = "../../build/roads.rs"]
mod roads;
#[path = "../../build/tables.rs"]
mod tables;

const TOKYO: (f64, f64) = (35.6812, 139.7671);
const YOKOHAMA: (f64, f64) = (35.4657, 139.6223);
const SHIBUYA: (f64, f64) = (35.6580, 139.7016);
const HANEDA: (f64, f64) = (35.5490, 139.7838);
const MACHIDA: (f64, f64) = (35.5105, 139.4772);

const PLAIN: RouteOptions = RouteOptions {
    mode: Mode::Drive,
    prefer: Prefer::Fastest,
    avoid_tolls: false,
    avoid_highways: false,
    avoid_ferries: false,
    traffic: [1.0; 9],
    ways: 1,
};
const STREETS: RouteOptions = RouteOptions { avoid_highways: true, ..PLAIN };

fn network() -> Network {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let open = |name: &str| std::fs::read_to_string(folder.join(name)).map_err(|it| it.to_string());
    roads::read(&open).expect("the tables are whole")
}

fn ways(from: (f64, f64), to: (f64, f64), options: &RouteOptions) -> Result<Vec<Found>, NotFound> {
    let graph = Graph::open(NETWORK).expect("the bundled network opens");
    let point = |(lat, lng)| Point { lat, lng };
    graph.ways(point(from), point(to), options)
}

fn best(from: (f64, f64), to: (f64, f64), options: &RouteOptions) -> Found {
    ways(from, to, options).expect("there is a way").remove(0)
}

/// Metres on roads whose name has `name` in it.
fn on(found: &Found, name: &str) -> f64 {
    found.legs.iter().filter(|it| it.name.local.contains(name)).map(|it| it.metres).sum()
}

/// Whether a length is the known one, within a tenth.
fn is_about(metres: f64, known_km: f64) -> bool {
    (metres / 1000.0 / known_km - 1.0).abs() <= 0.1
}

#[test]
fn the_bundled_network_is_whole_and_large_enough() {
    let network = network();
    roads::check(&network).expect("every junction is reached, every length plausible");
    assert!(network.nodes.len() >= 250, "{} junctions", network.nodes.len());
    let count = |kind| network.places.iter().filter(|it| it.kind == kind).count();
    assert!(count(graph::PlaceKind::Station) >= 120);
    let wards = network.places.iter().filter(|it| it.name.local.ends_with('区')).count();
    assert_eq!(wards, 23 + 7 + 18, "wards of Tokyo, Kawasaki and Yokohama");
}

#[test]
fn every_place_is_near_a_road() {
    let graph = Graph::open(NETWORK).expect("the bundled network opens");
    // A junction that lies on an expressway alone is no place to be driven to.
    let places = network().places;
    for place in places.iter().filter(|it| it.kind != graph::PlaceKind::Junction) {
        let snap = graph.nearest(place.at, &PLAIN, 2_500.0).expect("a whole graph");
        assert!(snap.is_some(), "{} is off the roads", place.id);
    }
}

/// The lines' official lengths: the operators' own lists (首都高速道路 営業路線, NEXCO).
#[test]
fn expressways_have_known_lengths() {
    let network = network();
    for (name, known_km) in [
        ("首都高速都心環状線", 14.8),
        ("首都高速3号渋谷線", 11.9),
        ("首都高速神奈川6号川崎線", 5.5),
        ("首都高速神奈川7号横浜北線", 8.2),
        ("第三京浜道路", 16.6),
        ("東名高速道路", 19.7),
        ("東京湾アクアライン", 15.1),
    ] {
        let is_it = |it: &&Link| it.name.local == name && !it.ramp;
        let metres = network.links.iter().filter(is_it).map(|it| it.metres).sum::<f64>();
        assert!(is_about(metres, known_km), "{name}: {metres:.0} m, known are {known_km} km");
    }
}

#[test]
fn tokyo_to_yokohama_is_fastest_by_expressway_and_long_as_known() {
    // 羽田線 13.8 km and 横羽線 as far as 横浜駅東口 14 km by the kilometre posts, 3 km of the ring.
    let found = best(TOKYO, YOKOHAMA, &PLAIN);
    assert!(is_about(found.metres, 31.0), "{:.0} m", found.metres);
    assert!(on(&found, "首都高速") > 25_000.0);
    assert!(on(&found, "横羽線") > 10_000.0 && on(&found, "羽田線") > 10_000.0);
}

#[test]
fn without_motorways_or_tolls_it_is_national_road_1_or_15() {
    // 国道15号 is 29.1 km from 日本橋 to 青木通; 国道1号 by 第二京浜 is about as long.
    for options in [STREETS, RouteOptions { avoid_tolls: true, ..PLAIN }] {
        let found = best(TOKYO, YOKOHAMA, &options);
        assert!(is_about(found.metres, 29.0), "{:.0} m", found.metres);
        assert!(found.legs.iter().all(|it| !it.toll && it.class != Class::Motorway));
        let main = on(&found, "京浜") + on(&found, "桜田通り");
        assert!(main > 18_000.0, "{main:.0} m on the national roads");
    }
}

#[test]
fn finds_three_distinct_routes_from_tokyo_to_yokohama() {
    let found = ways(TOKYO, YOKOHAMA, &RouteOptions { ways: 3, ..PLAIN }).expect("there are ways");
    assert_eq!(found.len(), 3);
    for name in ["横羽線", "湾岸線", "第三京浜"] {
        let longest = found.iter().map(|it| on(it, name)).fold(0.0, f64::max);
        assert!(longest > 10_000.0, "none goes by {name}");
    }
}

#[test]
fn other_routes_have_known_lengths() {
    let cases = [
        // By the expressway and 湾岸線; the taxi companies' tables say 18 to 20 km.
        ("東京 to 羽田空港", TOKYO, HANEDA, PLAIN, 19.0),
        // The kilometre posts of 国道15号 say 18 at 六郷橋; the station is a kilometre farther.
        ("東京 to 川崎", TOKYO, (35.5313, 139.6970), STREETS, 19.5),
        // 3号線 8 km from 渋谷 to 用賀, 3 km of 環八, 第三京浜 16.6 km, 横浜新道 and 三ツ沢線 5 km.
        ("渋谷 to 横浜", SHIBUYA, YOKOHAMA, PLAIN, 32.6),
        // 3 km of the ring, 渋谷線 11.9 km, 東名 19.7 km.
        ("東京 to 横浜町田IC", TOKYO, MACHIDA, PLAIN, 35.5),
        // By 明治通り and 第一京浜: the railway's 10.6 km lead around, the streets are shorter.
        ("新宿 to 品川", (35.6896, 139.7006), (35.6285, 139.7388), STREETS, 10.0),
    ];
    for (what, from, to, options, known_km) in cases {
        let metres = best(from, to, &options).metres;
        assert!(is_about(metres, known_km), "{what}: {metres:.0} m, known are {known_km} km");
    }
    assert!(on(&best(SHIBUYA, YOKOHAMA, &PLAIN), "第三京浜") > 14_000.0);
}

/// Where a name lies.
fn named(name: &str) -> (f64, f64) {
    let graph = Graph::open(NETWORK).expect("the bundled network opens");
    let hits = graph.places().hits(name, 1).expect("a whole index");
    let at = hits.first().unwrap_or_else(|| panic!("{name}")).place.at;
    (at.lat, at.lng)
}

/// Kilometres as a driver there knows them, at least and at most, and whether an expressway is right.
const KNOWN: [(&str, &str, f64, f64, Option<bool>); 16] = [
    ("目黒駅", "恵比寿駅", 1.2, 2.5, Some(false)),
    ("豊洲駅", "有明", 2.3, 3.5, Some(false)),
    ("武蔵小杉駅", "渋谷駅", 10.0, 13.5, Some(false)),
    ("蒲田駅", "自由が丘駅", 6.6, 9.0, Some(false)),
    ("池袋駅", "新宿駅", 4.5, 6.5, Some(false)),
    ("上野駅", "浅草駅", 1.9, 3.0, Some(false)),
    ("東京駅", "羽田空港", 17.5, 21.0, Some(true)),
    ("新宿駅", "羽田空港", 20.0, 25.0, Some(true)),
    ("東京駅", "横浜駅", 28.0, 34.0, Some(true)),
    ("渋谷駅", "横浜駅", 27.0, 34.0, Some(true)),
    ("皇居", "横浜スタジアム", 33.0, 40.0, Some(true)),
    ("鎌倉市", "横浜駅", 20.0, 27.0, Some(true)),
    ("たまプラーザ駅", "渋谷駅", 14.5, 19.0, None),
    ("葛西臨海公園駅", "東京駅", 11.0, 16.0, None),
    ("吉祥寺駅", "新宿駅", 11.0, 16.0, None),
    ("横浜駅", "八景島シーパラダイス", 17.0, 25.0, None),
];

/// Routes are as long as drivers know them.
#[test]
fn routes_have_known_lengths_and_use_expressways_where_sensible() {
    let mut odd = Vec::new();
    for (from, to, least, most, is_fast) in KNOWN {
        let found = best(named(from), named(to), &PLAIN);
        let km = found.metres / 1000.0;
        let fast = found.legs.iter().any(|it| it.class == Class::Motorway);
        if !(least..most).contains(&km) || is_fast.is_some_and(|it| it != fast) {
            odd.push(format!("{from} to {to}: {km:.1} km, expressway: {fast}"));
        }
    }
    assert_eq!(odd, Vec::<String>::new());
}

#[test]
fn drive_begins_and_ends_on_streets_only() {
    let names = [
        "葛西臨海公園駅",
        "たまプラーザ駅",
        "目黒駅",
        "羽田空港",
        "八景島シーパラダイス",
        "海ほたるPA",
    ];
    for name in names {
        let found = best(named(name), YOKOHAMA, &PLAIN);
        let back = best(YOKOHAMA, named(name), &PLAIN);
        for leg in [found.legs.first(), back.legs.last()].into_iter().flatten() {
            assert!(leg.class != Class::Motorway && !leg.ramp, "{name}: {}", leg.name.local);
        }
    }
    for bay in [(35.5, 139.85), (35.55, 139.9), (35.45, 139.80), (35.4, 139.7)] {
        let error = ways(bay, YOKOHAMA, &PLAIN).err();
        assert!(
            matches!(error, Some(NotFound::OriginOutside(Some(it))) if it > 2_500.0),
            "{error:?}"
        );
    }
}

#[test]
fn preferred_route_is_best_of_all() {
    let by = |from, to, prefer| best(from, to, &RouteOptions { prefer, ..PLAIN });
    for (from, to) in [(SHIBUYA, YOKOHAMA), (TOKYO, YOKOHAMA), (TOKYO, HANEDA), (SHIBUYA, HANEDA)] {
        let shortest = by(from, to, Prefer::Shortest);
        let others = ways(from, to, &RouteOptions { ways: 3, ..PLAIN }).expect("ways");
        let others = others.iter().map(|it| it.metres).fold(f64::INFINITY, f64::min);
        let streets = best(from, to, &STREETS).metres;
        assert!(shortest.metres <= others.min(streets) + 0.1, "{} m", shortest.metres);
        let cheapest = by(from, to, Prefer::Cheapest);
        assert!(cheapest.legs.iter().all(|it| !it.toll), "a free road leads there");
    }
    let short = by(SHIBUYA, YOKOHAMA, Prefer::Shortest).metres;
    assert!(short < 27_000.0, "{short} m, and it is 22.6 km as the crow flies");
}

#[test]
fn uses_ferry_across_the_bay_unless_avoided() {
    let (yokosuka, kisarazu) = ((35.2785, 139.6702), (35.3815, 139.9265));
    let by_bridge = best(yokosuka, kisarazu, &PLAIN);
    assert!(on(&by_bridge, "アクアライン") > 10_000.0);
    let by_ferry = best(yokosuka, kisarazu, &STREETS);
    // 11.5 km as the company says.
    assert!(is_about(on(&by_ferry, "フェリー"), 11.5));
    let neither = ways(yokosuka, kisarazu, &RouteOptions { avoid_ferries: true, ..STREETS });
    assert_eq!(neither.err(), Some(NotFound::NoWay));
}

#[test]
fn entrance_in_one_direction_is_not_taken_in_the_other() {
    // From 東京IC one enters the 東名 away from the city; into the city one enters at 用賀.
    let found = best((35.6185, 139.6315), TOKYO, &PLAIN);
    assert!(found.legs.iter().all(|it| it.name.local != "東京IC"));
    let found = best((35.6185, 139.6315), MACHIDA, &PLAIN);
    assert!(found.legs.iter().any(|it| it.name.local == "東京IC"));
}

#[test]
fn no_turn_where_two_expressways_do_not_join() {
    // 小松川JCT joins the ring from the north with the road to Chiba, and nothing else.
    let (kinshicho, kasai) = ((35.6957, 139.8112), (35.6640, 139.8532));
    let found = best(kinshicho, kasai, &PLAIN);
    let names = found.legs.iter().map(|it| it.name.local.as_str()).collect::<Vec<_>>();
    let joins = |pair: &[&str]| pair[0].contains("7号小松川線") && pair[1].contains("中央環状線");
    assert!(!names.windows(2).any(joins), "{names:?}");
}

#[test]
fn finds_places_in_usual_spellings() {
    let graph = Graph::open(NETWORK).expect("the bundled network opens");
    for (text, id) in [
        ("東京駅", "builtin:tokyo-station"),
        ("東京", "builtin:tokyo-station"),
        ("とうきょうえき", "builtin:tokyo-station"),
        ("Tokyo Sta.", "builtin:tokyo-station"),
        ("横浜", "builtin:yokohama-station"),
        ("横浜市", "builtin:yokohama-city"),
        ("Shinjuku", "builtin:shinjuku-station"),
        ("羽田空港", "builtin:haneda-airport"),
        ("羽田空港第2ターミナル", "builtin:haneda-airport-terminal-2"),
        ("みなとみらい", "builtin:minatomirai"),
        ("赤レンガ倉庫", "builtin:yokohama-red-brick-warehouse"),
        ("中華街", "builtin:yokohama-chinatown"),
        ("東京都千代田区丸の内1丁目", "builtin:marunouchi"),
        ("日本、〒220-0012 神奈川県横浜市西区みなとみらい２丁目２", "builtin:minatomirai"),
        ("東京都港区", "builtin:minato-city"),
        ("神奈川県川崎市中原区", "builtin:nakahara-ward-kawasaki"),
        ("横浜町田IC", "builtin:junction-machida-ic"),
    ] {
        let hits = graph.places().hits(text, 3).expect("a whole index");
        assert_eq!(hits.first().map(|it| it.place.id.as_str()), Some(id), "{text}");
    }
    for text in ["大阪府大阪市北区梅田", "札幌市北区", "Kita Ward, Osaka", "大阪"]
    {
        assert_eq!(graph.places().hits(text, 3).expect("a whole index"), [], "{text}");
    }
}

#[test]
fn knows_outside_places_in_both_scripts() {
    for (text, en) in [
        ("大阪駅", "Osaka Station"),
        ("Osaka", "Osaka"),
        ("大阪市", "Osaka"),
        ("おおさか駅", "Osaka Station"),
        ("京都府京都市下京区烏丸通", "Kyoto"),
        ("名古屋", "Nagoya Station"),
        ("札幌市", "Sapporo"),
        ("成田空港", "Narita Airport"),
        ("NRT", "Narita Airport"),
        ("大阪府大阪市北区梅田", "Osaka Station"),
        ("大阪府大阪市北区中之島", "Osaka"),
        ("Kita Ward, Osaka", "Osaka"),
        ("ヘルシンキ", "Helsinki"),
        ("Helsinki", "Helsinki"),
        ("Paris, France", "Paris"),
        ("São Paulo", "São Paulo"),
        ("さいたま市", "Saitama"),
    ] {
        let found = outside(text);
        assert_eq!(found.map(|it| it.name.en).as_deref(), Some(en), "{text}");
    }
}

#[test]
fn an_unknown_place_is_not_found() {
    for text in ["", "どこにもない場所", "Xyzzyville", "Osak", "12345", "\u{0}"] {
        assert_eq!(outside(text), None, "{text}");
    }
}

#[test]
fn the_gazetteer_is_small() {
    assert!(GAZETTEER.len() < 250_000, "{} bytes", GAZETTEER.len());
}

/// Roads that both know, in the table's encoding, which is Shift-JIS.
const ARTERIAL_ROADS: [(&str, &[u8]); 12] = [
    ("桜田通り", b"\x8d\xf7\x93c\x92\xca\x82\xe8"),
    ("第一京浜", b"\x91\xe6\x88\xea\x8b\x9e\x95l"),
    ("青山通り", b"\x90\xc2\x8eR\x92\xca\x82\xe8"),
    ("昭和通り", b"\x8f\xba\x98a\x92\xca\x82\xe8"),
    ("靖国通り", b"\x96\xf5\x8d\x91\x92\xca\x82\xe8"),
    ("山手通り", b"\x8eR\x8e\xe8\x92\xca\x82\xe8"),
    ("永代通り", b"\x89i\x91\xe3\x92\xca\x82\xe8"),
    ("晴海通り", b"\x90\xb0\x8aC\x92\xca\x82\xe8"),
    ("目黒通り", b"\x96\xda\x8d\x95\x92\xca\x82\xe8"),
    ("白山通り", b"\x94\x92\x8eR\x92\xca\x82\xe8"),
    ("江戸通り", b"\x8d]\x8c\xcb\x92\xca\x82\xe8"),
    ("水戸街道", b"\x90\x85\x8c\xcb\x8aX\x93\xb9"),
];

/// The table of arterial roads, in a folder `shared/data` beside or above the repository.
fn arterial_table(name: &str) -> Option<PathBuf> {
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    above.map(|it| it.join("shared/data").join(name)).find(|it| it.is_file())
}

/// A link of the table: its road, its ends by name, its length in metres.
type ArterialRow = (&'static str, [String; 2], f64);

/// The table's links on roads that both know.
fn arterial_rows(links: &[u8]) -> Vec<ArterialRow> {
    let row = |line: &[u8]| {
        let fields = line.split(|it| *it == b',').collect::<Vec<_>>();
        let name = fields[0].iter().position(|it| !it.is_ascii_digit()).map(|at| &fields[0][at..]);
        let road = ARTERIAL_ROADS.iter().find(|it| Some(it.1) == name)?;
        let text = |at: usize| fields.get(at).map(|it| String::from_utf8_lossy(it).into_owned());
        Some((road.0, [text(1)?, text(2)?], text(3)?.parse().ok()?))
    };
    links.split(|it| *it == b'\n').skip(1).filter_map(row).collect()
}

/// The table's junctions.
fn points(nodes: &str) -> HashMap<&str, Point> {
    let point = |line| {
        let mut fields = str::split(line, ',');
        let (name, x, y) = (fields.next()?, fields.next()?, fields.next()?);
        Some((name, Point { lat: y.trim().parse().ok()?, lng: x.parse().ok()? }))
    };
    nodes.lines().skip(1).filter_map(point).collect()
}

/// The junctions of each road that two of its links share, so that they surely lie on it.
fn junctions(points: &HashMap<&str, Point>, rows: &[ArterialRow]) -> Vec<(&'static str, Point)> {
    let mut ends = HashMap::<(&str, &str), u32>::new();
    for (road, both, _) in rows {
        for end in both {
            *ends.entry((road, end)).or_default() += 1;
        }
    }
    // Two links there, and two back.
    let inner = ends.into_iter().filter(|(_, count)| *count >= 4);
    let road = |name: &str| ARTERIAL_ROADS.iter().find(|it| it.0 == name).map(|it| it.0);
    inner.filter_map(|((name, node), _)| Some((road(name)?, *points.get(node)?))).collect()
}

/// Metres from a point to the nearest point of a road of this name.
fn metres_from(network: &Network, road: &str, at: Point) -> f64 {
    let mut nearest = f64::INFINITY;
    for link in network.links.iter().filter(|it| it.name.local == road) {
        let end = |node: u32| network.nodes[node as usize].at;
        let line = [vec![end(link.from)], link.shape.clone(), vec![end(link.to)]].concat();
        for pair in line.windows(2) {
            for part in 0..=40 {
                let part = f64::from(part) / 40.0;
                let between = |from: f64, to: f64| from + (to - from) * part;
                let (lat, lng) =
                    (between(pair[0].lat, pair[1].lat), between(pair[0].lng, pair[1].lng));
                nearest = nearest.min(at.metres_to(Point { lat, lng }));
            }
        }
    }
    nearest
}

/// Both tables, where they are there.
fn arterial_roads() -> Option<(String, Vec<u8>)> {
    let [nodes, links] =
        ["tokyo_arterial_nodes.csv", "tokyo_arterial_links.csv"].map(arterial_table);
    Some((std::fs::read_to_string(nodes?).ok()?, std::fs::read(links?).ok()?))
}

#[test]
fn bundled_streets_match_arterial_roads_of_tokyo() {
    let Some((nodes, links)) = arterial_roads() else { return };
    let network = network();
    let junctions = junctions(&points(&nodes), &arterial_rows(&links));
    assert!(junctions.len() >= 40, "only {} junctions are in both", junctions.len());
    let far = |(road, at): &(&'static str, Point)| (metres_from(&network, road, *at), *road, *at);
    let mut far = junctions.iter().map(far).collect::<Vec<_>>();
    far.sort_by(|a, b| a.0.total_cmp(&b.0));
    let median = far[far.len() / 2].0;
    let (ninth, worst) = (far[far.len() * 9 / 10].0, far[far.len() - 1].0);
    let found = format!("median {median:.0} m, nine of ten {ninth:.0} m, worst {worst:.0} m");
    assert!(median <= 60.0 && ninth <= 250.0 && worst <= 1_000.0, "{found}: {far:?}");
}

#[test]
fn bundled_streets_have_lengths_of_arterial_roads() {
    let Some((nodes, links)) = arterial_roads() else { return };
    let (network, points) = (network(), points(&nodes));
    let (mut ours, mut theirs, mut count) = (0.0, 0.0, 0);
    for (road, both, metres) in arterial_rows(&links) {
        let ends = both.iter().filter_map(|it| points.get(it.as_str())).collect::<Vec<_>>();
        let [from, to] = ends[..] else { continue };
        if [from, to].iter().any(|it| metres_from(&network, road, **it) > 150.0) {
            continue;
        }
        let pair = |it: &Point| (it.lat, it.lng);
        ours += best(pair(from), pair(to), &STREETS).metres;
        theirs += metres;
        count += 1;
    }
    assert!(count >= 60, "only {count} links are in both");
    let found = format!("{count} links: {ours:.0} m, and {theirs:.0} m by the table");
    assert!((ours / theirs - 1.0).abs() <= 0.1, "{found}");
}
