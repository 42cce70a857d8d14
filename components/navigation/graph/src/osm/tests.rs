//! What becomes of small extracts, sound, odd and hostile.
//!
//! Writes small extracts for tests, wrong ones too: the format is four messages of protobuf.

use std::path::Path;

use tempfile::NamedTempFile;

use super::is_left;
use crate::network::{Class, Link, Network, PlaceKind, Point};

/// Tags of a way.
type Tags = &'static [(&'static str, &'static str)];

fn read(pbf: &Pbf) -> Network {
    super::read(pbf.file().path(), &mut |_| ()).unwrap()
}

fn refused(path: &Path) -> String {
    super::read(path, &mut |_| ()).unwrap_err()
}

/// A cross: 1 – 2 – 3 from west to east, 4 – 2 – 5 from north to south.
fn cross() -> Pbf {
    Pbf::default().nodes(&[
        (1, 60.0, 24.0),
        (2, 60.0, 24.01),
        (3, 60.0, 24.02),
        (4, 60.01, 24.01),
        (5, 59.99, 24.01),
    ])
}

fn named<'n>(network: &'n Network, name: &str) -> &'n Link {
    network.links.iter().find(|it| it.name.local == name).unwrap()
}

#[test]
fn cuts_roads_at_junctions_and_joins_the_rest() {
    let street = |name| [("highway", "residential"), ("name", name)];
    let pbf = cross()
        .nodes(&[(6, 60.0, 24.03)])
        .way(10, &[1, 2, 3], &street("East"))
        .way(11, &[3, 6], &street("East"))
        .way(12, &[4, 2, 5], &street("South"));
    let network = read(&pbf);
    let mut lengths: Vec<_> =
        network.links.iter().map(|it| (&*it.name.local, it.shape.len())).collect();
    lengths.sort_unstable();
    assert_eq!(lengths, [("East", 0), ("East", 1), ("South", 0), ("South", 0)]);
    assert_eq!(network.nodes.len(), 5, "3 is a bend and no junction");
    let all: f64 = network.links.iter().map(|it| it.metres).sum();
    let wanted = 0.03_f64.to_radians() * 6_371_000.0 * 0.5 + 0.02_f64.to_radians() * 6_371_000.0;
    assert!((all - wanted).abs() < 1.0, "{all} {wanted}");
}

#[test]
fn one_way_roads_keep_their_direction() {
    let pbf = cross()
        .way(10, &[2, 3], &[("highway", "primary"), ("name", "A"), ("oneway", "yes")])
        .way(11, &[1, 2], &[("highway", "primary"), ("name", "A"), ("oneway", "yes")])
        .way(12, &[4, 5], &[("highway", "primary"), ("name", "B"), ("oneway", "-1")])
        .way(13, &[4, 1], &[("highway", "motorway"), ("name", "C")])
        .way(14, &[5, 1], &[("highway", "tertiary"), ("name", "D"), ("junction", "roundabout")])
        .way(15, &[5, 3], &[("highway", "motorway"), ("name", "E"), ("oneway", "no")]);
    let network = read(&pbf);
    let a = named(&network, "A");
    assert_eq!((a.cars, a.shape.len()), ((true, false), 1));
    let from = network.nodes[a.from as usize].at;
    assert!((from.lng - 24.0).abs() < 1e-6, "it begins in the west: {from:?}");
    for (name, cars) in
        [("B", (false, true)), ("C", (true, false)), ("D", (true, false)), ("E", (true, true))]
    {
        assert_eq!(named(&network, name).cars, cars, "{name}");
    }
    assert!(named(&network, "D").roundabout);
}

#[test]
fn most_precise_tag_decides_access() {
    let cases: [(Tags, (bool, bool)); 12] = [
        (&[("highway", "residential")], (true, true)),
        (&[("highway", "motorway")], (true, false)),
        (&[("highway", "trunk"), ("motorroad", "yes")], (true, false)),
        (&[("highway", "footway")], (false, true)),
        (&[("highway", "cycleway"), ("foot", "designated")], (false, true)),
        (&[("highway", "service"), ("access", "private"), ("motorcar", "yes")], (true, false)),
        (&[("highway", "residential"), ("vehicle", "no")], (false, true)),
        (&[("highway", "residential"), ("foot", "no")], (true, false)),
        (&[("highway", "track")], (false, true)),
        (&[("highway", "pedestrian"), ("motor_vehicle", "yes")], (true, true)),
        (&[("route", "ferry")], (false, true)),
        (&[("route", "ferry"), ("motor_vehicle", "yes")], (true, true)),
    ];
    for (tags, wanted) in cases {
        let network = read(&cross().way(10, &[1, 2], tags));
        let link = &network.links[0];
        assert_eq!((link.cars.0, link.walkers), wanted, "{tags:?}");
    }
    for tags in
        [[("highway", "construction"), ("foot", "yes")], [("highway", "path"), ("access", "no")]]
    {
        let message = refused(cross().way(10, &[1, 2], &tags).file().path());
        assert!(message.contains("no roads"), "{message}");
    }
}

#[test]
fn keeps_ferry_times_tolls_and_numbers() {
    let ferry =
        [("route", "ferry"), ("motor_vehicle", "yes"), ("duration", "00:10"), ("name", "F")];
    let toll = [("highway", "motorway_link"), ("toll", "yes"), ("ref", "E18;51"), ("name", "T")];
    let network = read(&cross().way(10, &[1, 2, 3], &ferry).way(11, &[4, 2], &toll));
    let ferries = network.links.iter().filter(|it| it.class == Class::Ferry);
    let seconds: f64 = ferries.map(|it| it.metres / (f64::from(it.kmh) / 3.6)).sum();
    assert!((seconds - 600.0).abs() < 60.0, "{seconds}");
    let toll = named(&network, "T");
    assert_eq!((toll.toll, toll.ramp, &*toll.number), (true, true, "E18 / 51"));
}

#[test]
fn forbidden_turns_join_links_of_their_roads() {
    let street = |name| [("highway", "residential"), ("name", name)];
    let turn = [("from", 1, 10), ("via", 0, 2), ("to", 1, 12)];
    let plan = || {
        cross()
            .way(10, &[1, 2], &street("West"))
            .way(11, &[2, 3], &street("East"))
            .way(12, &[4, 2], &street("North"))
            .way(13, &[2, 5], &street("South"))
    };
    let of = |says: &str, more: (&str, &str)| {
        let tags = [("type", "restriction"), ("restriction", says), more];
        let network = read(&plan().relation(20, &turn, &tags));
        let name = |it: u32| network.links[it as usize].name.local.clone();
        let mut turns: Vec<_> =
            network.forbidden.iter().map(|it| (name(it.from), name(it.to))).collect();
        turns.sort();
        turns
    };
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(of("no_left_turn", ("a", "b")), [pair("West", "North")]);
    assert_eq!(of("only_left_turn", ("a", "b")), [pair("West", "East"), pair("West", "South")]);
    assert_eq!(of("no_left_turn", ("except", "bicycle;motorcar")), []);
    assert_eq!(of("nonsense", ("a", "b")), []);
    let bollard = plan().node(2, 60.0, 24.01, &[("barrier", "bollard")]);
    assert_eq!(read(&bollard).forbidden.len(), 12, "nobody drives over a bollard");
}

#[test]
fn finds_towns_streets_and_sights_with_their_area() {
    let museum =
        [("tourism", "museum"), ("name", "Museo"), ("name:en", "Museum"), ("name:ja", "博物館")];
    let pbf = cross()
        .node(30, 60.0, 24.0, &[("place", "city"), ("name", "Helsinki"), ("population", "650000")])
        .node(31, 60.001, 24.01, &museum)
        .node(32, 60.002, 24.012, &[("railway", "station"), ("name", "Asema")])
        .way(33, &[1, 2, 3, 1], &[("railway", "station"), ("name", "Asema")])
        .way(10, &[1, 2], &[("highway", "residential"), ("name", "Katu")])
        .way(11, &[2, 3], &[("highway", "primary"), ("name", "Katu")]);
    let network = read(&pbf);
    let of = |kind| network.places.iter().filter(move |it| it.kind == kind).collect::<Vec<_>>();
    let landmarks = of(PlaceKind::Landmark);
    assert_eq!(landmarks.len(), 1);
    assert_eq!((&*landmarks[0].id, &*landmarks[0].name.en), ("osm:n31", "Museum"));
    assert_eq!(landmarks[0].aliases, ["博物館"]);
    assert_eq!(landmarks[0].address.local, "Helsinki");
    assert_eq!(of(PlaceKind::Station).len(), 1, "a point and an area of one name are one station");
    let streets = of(PlaceKind::Street);
    assert_eq!(streets.len(), 1, "one street of one town, of however many classes: {streets:?}");
    assert_eq!(of(PlaceKind::Town)[0].weight, 213);
}

#[test]
fn houses_are_places_with_their_street_and_number() {
    let house = |number| [("addr:street", "Katu"), ("addr:housenumber", number)];
    let pbf = cross()
        .node(30, 60.0, 24.0, &[("place", "city"), ("name", "Helsinki"), ("population", "650000")])
        .node(31, 60.001, 24.01, &house("10"))
        .node(32, 60.001, 24.01, &house("10"))
        .node(33, 60.001, 24.01, &house("no number"))
        .way(
            40,
            &[2, 3, 4, 2],
            &[
                ("building", "yes"),
                ("addr:street", "Katu"),
                ("addr:housenumber", "12a"),
                ("addr:city", "Espoo"),
            ],
        )
        .way(10, &[1, 2], &[("highway", "residential"), ("name", "Katu")]);
    let network = read(&pbf);
    let houses: Vec<_> = network.places.iter().filter(|it| it.kind == PlaceKind::House).collect();
    let found: Vec<_> = houses.iter().map(|it| (&*it.name.local, &*it.address.local)).collect();
    assert_eq!(found, [("Katu 10", "Helsinki"), ("Katu 12a", "Espoo")]);
    assert!((houses[1].at.lng - 24.01).abs() < 1e-6, "{:?}", houses[1].at);
}

#[test]
fn tags_decide_bicycle_and_car_access_and_stops() {
    let road = |tags: &[(&str, &str)]| {
        let mut all = vec![("name", "Katu")];
        all.extend(tags);
        let network = read(&cross().way(10, &[1, 2], &all));
        let link = named(&network, "Katu");
        (link.cycles, link.stops)
    };
    let (both, none) = ((true, true), (false, false));
    assert_eq!(road(&[("highway", "residential")]), (both, true));
    assert_eq!(road(&[("highway", "residential"), ("oneway", "yes")]).0, (true, false));
    let against = [("highway", "residential"), ("oneway", "yes"), ("oneway:bicycle", "no")];
    assert_eq!(road(&against).0, both);
    assert_eq!(road(&[("highway", "residential"), ("bicycle", "no")]).0, none);
    assert_eq!(road(&[("highway", "residential"), ("vehicle", "private")]).0, none);
    assert_eq!(road(&[("highway", "footway")]).0, none);
    assert_eq!(road(&[("highway", "footway"), ("bicycle", "yes")]).0, both);
    assert_eq!(road(&[("highway", "footway"), ("bicycle", "dismount")]).0, none);
    assert_eq!(road(&[("highway", "cycleway")]).0, both);
    assert_eq!(road(&[("highway", "motorway")]), (none, false));
    assert_eq!(road(&[("highway", "primary_link")]), (both, false));
    assert!(!road(&[("highway", "primary"), ("tunnel", "yes")]).1);
    assert!(!road(&[("highway", "trunk"), ("bridge", "yes")]).1);
    assert!(road(&[("highway", "residential"), ("bridge", "yes")]).1);
    assert!(!road(&[("highway", "trunk"), ("motorroad", "yes")]).1);
}

#[test]
fn reports_invalid_extract_with_advice() {
    let missing = refused(Path::new("/no/such/file.osm.pbf"));
    assert!(missing.contains("there is no such file"), "{missing}");
    for (name, content) in [("text", &b"<osm version=\"0.6\"></osm>"[..]), ("zeros", &[0; 4096])] {
        let message = refused(file(content).path());
        assert!(message.contains("no OpenStreetMap extract"), "{name}: {message}");
    }
    assert!(refused(file(b"").path()).contains("empty"));
    assert!(refused(&std::env::temp_dir()).contains("no file"));
    let roads = cross().way(10, &[1, 2], &[("highway", "residential")]);
    let message = refused(roads.wants("HistoricalInformation").file().path());
    assert!(message.contains("HistoricalInformation"), "{message}");
    let message = refused(cross().file().path());
    assert!(message.contains("no roads"), "{message}");
}

#[test]
fn reports_truncated_file_at_any_length() {
    let sound = cross().way(10, &[1, 2], &[("highway", "residential")]).bytes();
    assert!(super::read(file(&sound).path(), &mut |_| ()).is_ok());
    for length in 1..sound.len() {
        let message = refused(file(&sound[..length]).path());
        let is_told = ["fetch it again", "no roads", "no OpenStreetMap extract"];
        assert!(is_told.iter().any(|it| message.contains(it)), "{length}: {message}");
    }
}

#[test]
fn wrong_byte_only_fails_the_import() {
    let turn = [("from", 1, 10), ("via", 0, 2), ("to", 1, 10)];
    let tags = [("type", "restriction"), ("restriction", "no_u_turn")];
    let sound = cross()
        .way(10, &[1, 2, 3, 4, 1], &[("highway", "residential"), ("maxspeed", "50")])
        .relation(20, &turn, &tags)
        .bytes();
    let (mut read, mut refused) = (0, 0);
    for at in 0..sound.len() {
        for flip in [0x01, 0x80, 0xff] {
            let mut bytes = sound.clone();
            bytes[at] ^= flip;
            match super::read(file(&bytes).path(), &mut |_| ()) {
                Ok(network) => {
                    let count = u32::try_from(network.nodes.len()).unwrap();
                    assert!(network.links.iter().all(|it| it.from < count && it.to < count));
                    assert!(network.nodes.iter().all(|it| it.at.is_on_globe()));
                    read += 1;
                }
                Err(message) => {
                    assert!(!message.is_empty());
                    refused += 1;
                }
            }
        }
    }
    assert!(read > 0 && refused > 0, "{read} {refused}");
}

#[test]
fn skips_absurd_values() {
    let long = "x".repeat(100_000);
    let street =
        [("highway", "residential"), ("maxspeed", "1e300"), ("name", &*long), ("oneway", "?")];
    let pbf = cross()
        .nodes(&[(7, 91.0, 24.0), (8, 60.0, 1e9), (-9, 60.0, 24.05), (i64::MAX, 60.0, 24.06)])
        .way(10, &[1, 2, 7, 3, 8, 4, 99, 5], &street)
        .way(11, &[1, 1, 1], &street)
        .way(12, &[], &street)
        .way(13, &[2, -9, i64::MAX, i64::MIN], &street)
        .way(14, &[3, 5, 3, 5, 3], &street)
        .way(i64::MAX, &[4, 4], &street)
        .relation(
            20,
            &[("from", 1, 10), ("via", 0, 404), ("to", 1, 11)],
            &[("type", "restriction")],
        );
    let network = read(&pbf);
    assert!(network.nodes.iter().all(|it| it.at.is_on_globe()));
    assert!(network.links.iter().all(|it| it.metres.is_finite() && it.metres > 0.0 && it.kmh > 0));
    assert!(network.links.iter().all(|it| it.from != it.to && it.name.local.len() <= 200));
    assert!(!network.links.is_empty());
}

#[test]
fn closes_isolated_yard_to_cars() {
    let mut pbf = Pbf::default();
    let street = [("highway", "residential")];
    for id in 0..200_i64 {
        let lng = 24.0 + id as f64 / 1000.0;
        pbf = pbf.nodes(&[(id, 60.0, lng), (1000 + id, 60.001, lng)]);
        pbf = pbf.way(id, &[id, 1000 + id], &street).way(
            1000 + id,
            &[id, (id + 1).min(199)],
            &street,
        );
    }
    pbf = pbf.nodes(&[(5000, 60.1, 24.0), (5001, 60.1, 24.01)]);
    let yard = [("highway", "service"), ("name", "Yard")];
    let dead_end = [("highway", "residential"), ("oneway", "yes"), ("name", "Trap")];
    let pbf = pbf.way(5000, &[5000, 5001], &yard).way(5001, &[50, 5000], &dead_end);
    let network = read(&pbf);
    for name in ["Yard", "Trap"] {
        let link = named(&network, name);
        assert_eq!((link.cars, link.walkers), ((false, false), true), "{name}");
    }
    assert!(network.links.iter().filter(|it| it.cars == (true, true)).count() > 300);
}

#[test]
fn drives_left_in_tokyo_and_london_and_right_in_paris_and_seoul() {
    let left = [(35.68, 139.77), (51.5, -0.12), (43.06, 141.35), (26.2, 127.7), (-33.9, 151.2)];
    let right = [(48.86, 2.35), (37.56, 126.98), (60.17, 24.94), (42.5, 1.52), (31.2, 121.5)];
    for (lat, lng) in left {
        assert!(is_left(Point { lat, lng }), "{lat} {lng}");
    }
    for (lat, lng) in right {
        assert!(!is_left(Point { lat, lng }), "{lat} {lng}");
    }
}

/// An extract in the making.
#[derive(Default)]
pub(super) struct Pbf {
    strings: Vec<String>,
    group: Vec<u8>,
    wants: Vec<&'static str>,
}

impl Pbf {
    /// A street plan: nodes of these ids and places.
    pub(super) fn nodes(mut self, nodes: &[(i64, f64, f64)]) -> Self {
        for (id, lat, lng) in nodes {
            self = self.node(*id, *lat, *lng, &[]);
        }
        self
    }

    pub(super) fn node(mut self, id: i64, lat: f64, lng: f64, tags: &[(&str, &str)]) -> Self {
        let mut node = Vec::new();
        number(&mut node, 1, zigzag(id));
        self.tags(&mut node, tags);
        number(&mut node, 8, zigzag((lat * 1e7).round() as i64));
        number(&mut node, 9, zigzag((lng * 1e7).round() as i64));
        bytes(&mut self.group, 1, &node);
        self
    }

    pub(super) fn way(mut self, id: i64, refs: &[i64], tags: &[(&str, &str)]) -> Self {
        let mut way = Vec::new();
        number(&mut way, 1, id.cast_unsigned());
        self.tags(&mut way, tags);
        let mut last = 0_i64;
        let deltas =
            refs.iter().map(|it| zigzag(it.wrapping_sub(std::mem::replace(&mut last, *it))));
        bytes(&mut way, 8, &packed(deltas));
        bytes(&mut self.group, 3, &way);
        self
    }

    /// Members are a role, a kind (0 node, 1 way) and an id.
    pub(super) fn relation(
        mut self,
        id: i64,
        members: &[(&str, u64, i64)],
        tags: &[(&str, &str)],
    ) -> Self {
        let mut relation = Vec::new();
        number(&mut relation, 1, id.cast_unsigned());
        self.tags(&mut relation, tags);
        let roles: Vec<u64> = members.iter().map(|(role, _, _)| self.string(role)).collect();
        bytes(&mut relation, 8, &packed(roles.into_iter()));
        let mut last = 0_i64;
        let deltas =
            members.iter().map(|it| zigzag(it.2.wrapping_sub(std::mem::replace(&mut last, it.2))));
        bytes(&mut relation, 9, &packed(deltas));
        bytes(&mut relation, 10, &packed(members.iter().map(|it| it.1)));
        bytes(&mut self.group, 4, &relation);
        self
    }

    /// Claims that a reader must understand this.
    pub(super) fn wants(mut self, feature: &'static str) -> Self {
        self.wants.push(feature);
        self
    }

    fn tags(&mut self, element: &mut Vec<u8>, tags: &[(&str, &str)]) {
        let keys: Vec<u64> = tags.iter().map(|it| self.string(it.0)).collect();
        let values: Vec<u64> = tags.iter().map(|it| self.string(it.1)).collect();
        bytes(element, 2, &packed(keys.into_iter()));
        bytes(element, 3, &packed(values.into_iter()));
    }

    fn string(&mut self, text: &str) -> u64 {
        let found = self.strings.iter().position(|it| it == text);
        let index = found.unwrap_or_else(|| {
            self.strings.push(text.to_owned());
            self.strings.len() - 1
        });
        // The first string of a table is never used.
        index as u64 + 1
    }

    /// The bytes of the file.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut header = Vec::new();
        for feature in ["OsmSchema-V0.6"].iter().chain(&self.wants) {
            bytes(&mut header, 4, feature.as_bytes());
        }
        let mut table = Vec::new();
        bytes(&mut table, 1, b"");
        for string in &self.strings {
            bytes(&mut table, 1, string.as_bytes());
        }
        let mut block = Vec::new();
        bytes(&mut block, 1, &table);
        bytes(&mut block, 2, &self.group);
        let mut file = blob("OSMHeader", &header);
        file.extend(blob("OSMData", &block));
        file
    }

    /// Writes the file.
    pub(super) fn file(&self) -> NamedTempFile {
        file(&self.bytes())
    }
}

/// A file of that content.
pub(super) fn file(content: &[u8]) -> NamedTempFile {
    let file = tempfile::Builder::new().suffix(".osm.pbf").tempfile().unwrap();
    std::fs::write(file.path(), content).unwrap();
    file
}

fn blob(kind: &str, content: &[u8]) -> Vec<u8> {
    let mut blob = Vec::new();
    bytes(&mut blob, 1, content);
    let mut header = Vec::new();
    bytes(&mut header, 1, kind.as_bytes());
    number(&mut header, 3, blob.len() as u64);
    let mut all = u32::try_from(header.len()).unwrap().to_be_bytes().to_vec();
    all.extend(header);
    all.extend(blob);
    all
}

fn number(to: &mut Vec<u8>, field: u8, value: u64) {
    to.push(field << 3);
    varint(to, value);
}

fn bytes(to: &mut Vec<u8>, field: u8, value: &[u8]) {
    to.push(field << 3 | 2);
    varint(to, value.len() as u64);
    to.extend(value);
}

fn packed(values: impl Iterator<Item = u64>) -> Vec<u8> {
    let mut all = Vec::new();
    values.for_each(|it| varint(&mut all, it));
    all
}

fn varint(to: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        to.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    to.push(value as u8);
}

fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}
