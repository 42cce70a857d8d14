//! The bundled streets, held against the arterial roads of central Tokyo where that table lies beside
//! the repository; it is no part of it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use graph::{Network, Point};

/// Roads that both know, in the table's encoding, which is Shift-JIS.
const ROADS: [(&str, &[u8]); 12] = [
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

/// The table, in a folder `shared/data` beside or above the repository.
fn table(name: &str) -> Option<PathBuf> {
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    above.map(|it| it.join("shared/data").join(name)).find(|it| it.is_file())
}

/// A link of the table: its road, its ends by name, its length in metres.
type Row = (&'static str, [String; 2], f64);

/// The table's links on roads that both know.
fn rows(links: &[u8]) -> Vec<Row> {
    let row = |line: &[u8]| {
        let fields = line.split(|it| *it == b',').collect::<Vec<_>>();
        let name = fields[0].iter().position(|it| !it.is_ascii_digit()).map(|at| &fields[0][at..]);
        let road = ROADS.iter().find(|it| Some(it.1) == name)?;
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
fn junctions(points: &HashMap<&str, Point>, rows: &[Row]) -> Vec<(&'static str, Point)> {
    let mut ends = HashMap::<(&str, &str), u32>::new();
    for (road, both, _) in rows {
        for end in both {
            *ends.entry((road, end)).or_default() += 1;
        }
    }
    // Two links there, and two back.
    let inner = ends.into_iter().filter(|(_, count)| *count >= 4);
    let road = |name: &str| ROADS.iter().find(|it| it.0 == name).map(|it| it.0);
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
fn tables() -> Option<(String, Vec<u8>)> {
    let [nodes, links] = ["tokyo_arterial_nodes.csv", "tokyo_arterial_links.csv"].map(table);
    Some((std::fs::read_to_string(nodes?).ok()?, std::fs::read(links?).ok()?))
}

#[test]
fn bundled_streets_lie_where_the_arterial_roads_of_tokyo_lie() {
    let Some((nodes, links)) = tables() else { return };
    let network = super::network();
    let junctions = junctions(&points(&nodes), &rows(&links));
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
fn bundled_streets_are_as_long_as_the_arterial_roads_of_tokyo() {
    let Some((nodes, links)) = tables() else { return };
    let (network, points) = (super::network(), points(&nodes));
    let (mut ours, mut theirs, mut count) = (0.0, 0.0, 0);
    for (road, both, metres) in rows(&links) {
        let ends = both.iter().filter_map(|it| points.get(it.as_str())).collect::<Vec<_>>();
        let [from, to] = ends[..] else { continue };
        if [from, to].iter().any(|it| metres_from(&network, road, **it) > 150.0) {
            continue;
        }
        let pair = |it: &Point| (it.lat, it.lng);
        ours += super::best(pair(from), pair(to), &super::STREETS).metres;
        theirs += metres;
        count += 1;
    }
    assert!(count >= 60, "only {count} links are in both");
    let found = format!("{count} links: {ours:.0} m, and {theirs:.0} m by the table");
    assert!((ours / theirs - 1.0).abs() <= 0.1, "{found}");
}
