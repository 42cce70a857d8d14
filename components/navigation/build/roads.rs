//! Builds the bundled network from its tables and checks it.

use std::collections::HashMap;

use graph::{Class, Forbidden, Link, Network, Node, Point, Text};

use super::tables::{self, Open, Row, optional, rows};

/// Maximum length of a link that is neither a ferry nor an undersea tunnel, in metres.
const METRES_MAX: f64 = 12_000.0;
/// How fast a ramp is driven, and what its lights, its toll gate and merging take besides, in seconds.
const RAMP_KMH: f64 = 40.0;
const RAMP_S: f64 = 60.0;

struct Road {
    class: Class,
    kmh: u8,
    toll: bool,
    winding: f64,
    name: Text,
    number: String,
}

/// The network under construction.
#[derive(Default)]
struct Builder {
    network: Network,
    junctions: HashMap<String, u32>,
    roads: HashMap<String, Road>,
}

/// Builds the network that the tables describe.
pub(crate) fn read(open: Open<'_>) -> Result<Network, String> {
    let mut builder = Builder {
        network: Network {
            // A line a language: Japanese, English.
            name: "東京・川崎・横浜\nTokyo–Kawasaki–Yokohama".to_owned(),
            attribution: "内蔵の道路網（手作業で作成、概略）\nBundled road network (made by hand, approximate)"
                .to_owned(),
            drives_on_left: true,
            ..Network::default()
        },
        ..Builder::default()
    };
    for row in rows("junctions.tsv", &open("junctions.tsv")?, 4)? {
        builder.junction(&row)?;
    }
    for row in rows("roads.tsv", &open("roads.tsv")?, 7)? {
        builder.road(&row)?;
    }
    for row in rows("links.tsv", &open("links.tsv")?, 3)? {
        builder.chain(&row)?;
    }
    let ramps = open("ramps.tsv")?;
    let ramps = rows("ramps.tsv", &ramps, 4)?;
    let first = builder.network.links.len();
    let mut ends = Vec::new();
    for row in &ramps {
        builder.ramp(row, &mut ends)?;
    }
    builder.half_interchanges(first, &ends)?;
    for row in rows("turns.tsv", &open("turns.tsv")?, 3)? {
        builder.turn(&row)?;
    }
    builder.network.places = tables::places(open)?;
    Ok(builder.network)
}

impl Builder {
    fn junction(&mut self, row: &Row<'_>) -> Result<(), String> {
        let (key, index) = (row.field(0), self.network.nodes.len() as u32);
        let name = Text { local: optional(row.field(2)), en: optional(row.field(3)) };
        self.network.nodes.push(Node { at: row.point(1)?, name });
        match self.junctions.insert(key.to_owned(), index) {
            Some(_) => Err(row.wrong(&format!("a second junction {key}"))),
            None => Ok(()),
        }
    }

    fn road(&mut self, row: &Row<'_>) -> Result<(), String> {
        let class = match row.field(4) {
            "motorway" => Class::Motorway,
            "trunk" => Class::Trunk,
            "primary" => Class::Primary,
            "secondary" => Class::Secondary,
            "tertiary" => Class::Tertiary,
            "ferry" => Class::Ferry,
            other => return Err(row.wrong(&format!("{other:?} is no class"))),
        };
        let road = Road {
            class,
            kmh: row.number(5)?,
            toll: row.field(6) == "toll",
            winding: row.factor(7)?,
            name: Text { local: optional(row.field(2)), en: optional(row.field(3)) },
            number: optional(row.field(1)),
        };
        match self.roads.insert(row.field(0).to_owned(), road) {
            Some(_) => Err(row.wrong("a second road of this key")),
            None => Ok(()),
        }
    }

    fn at(&self, row: &Row<'_>, key: &str) -> Result<u32, String> {
        let found = self.junctions.get(key).copied();
        found.ok_or_else(|| row.wrong(&format!("there is no junction {key}")))
    }

    /// A road through junctions, with points between them.
    fn chain(&mut self, row: &Row<'_>) -> Result<(), String> {
        let key = row.field(0);
        let road = self.roads.get(key).ok_or_else(|| row.wrong(&format!("no road {key}")))?;
        let back = match row.field(1) {
            "both" => true,
            "one" => false,
            other => return Err(row.wrong(&format!("{other:?} is neither both nor one"))),
        };
        let template = Link {
            from: 0,
            to: 0,
            shape: Vec::new(),
            metres: road.winding,
            class: road.class,
            kmh: road.kmh,
            name: road.name.clone(),
            number: road.number.clone(),
            cars: (true, back),
            walkers: road.class != Class::Motorway,
            toll: road.toll,
            cycles: if road.class == Class::Motorway { (false, false) } else { (true, back) },
            stops: !matches!(road.class, Class::Motorway | Class::Ferry),
            ramp: false,
            roundabout: false,
        };
        let (mut from, mut shape) = (None, Vec::new());
        for token in row.field(2).split_ascii_whitespace() {
            if token.contains(',') {
                shape.push(row.read_point(token)?);
                continue;
            }
            let to = self.at(row, token)?;
            if let Some(from) = from.replace(to) {
                let shape = std::mem::take(&mut shape);
                self.link(Link { from, to, shape, ..template.clone() });
            }
        }
        if shape.is_empty() { Ok(()) } else { Err(row.wrong("a road ends at a junction")) }
    }

    /// Adds a link; its length is that of its line times the factor `metres`.
    fn link(&mut self, mut link: Link) {
        let at = |node: u32| self.network.nodes[node as usize].at;
        let mut line = vec![at(link.from)];
        line.extend(&link.shape);
        line.push(at(link.to));
        link.metres *= length(&line);
        self.network.links.push(link);
    }

    /// Adds a ramp, with the delays of lights, toll gate and merging.
    fn ramp_link(&mut self, link: Link) {
        self.link(link);
        if let Some(link) = self.network.links.last_mut() {
            let seconds = link.metres * 3.6 / RAMP_KMH + RAMP_S;
            link.kmh = (link.metres * 3.6 / seconds).round().max(1.0) as u8;
        }
    }

    /// A ramp: an entrance, an exit, or both. `ends` gets the junction that each new link is bound to.
    fn ramp(&mut self, row: &Row<'_>, ends: &mut Vec<Option<u32>>) -> Result<(), String> {
        let (ic, street) = (self.at(row, row.field(1))?, self.at(row, row.field(2))?);
        let bound = match row.field(3) {
            "-" => None,
            key => Some(self.at(row, key)?),
        };
        let shape = row.field(4).split_ascii_whitespace().map(|it| row.read_point(it));
        let shape = shape.collect::<Result<Vec<_>, _>>()?;
        // A ramp that also serves a free road is free.
        let passes =
            |it: &&Link| it.class == Class::Motorway && !it.ramp && (it.from == ic || it.to == ic);
        let main = self.network.links.iter().filter(passes).min_by_key(|it| it.toll);
        let main = main.ok_or_else(|| row.wrong("no motorway passes this junction"))?.clone();
        let name = self.network.nodes[ic as usize].name.clone();
        let ramp = Link { metres: 1.0, ramp: true, cars: (true, false), walkers: false, ..main };
        let way = row.field(0);
        if !["in", "out", "both"].contains(&way) {
            return Err(row.wrong(&format!("{way:?} is none of in, out, both")));
        }
        if way != "out" {
            let name = named(&name, "入口", "Entrance");
            self.ramp_link(Link {
                from: street,
                to: ic,
                shape: shape.clone(),
                name,
                ..ramp.clone()
            });
            ends.push(bound);
        }
        if way != "in" {
            let name = named(&name, "出口", "Exit");
            let shape = shape.into_iter().rev().collect();
            self.ramp_link(Link { from: ic, to: street, shape, name, ..ramp });
            ends.push(bound);
        }
        Ok(())
    }

    /// Adds a junction at which two roads do not connect.
    fn turn(&mut self, row: &Row<'_>) -> Result<(), String> {
        let over = self.at(row, row.field(0))?;
        let link = |key: &str| {
            let other = self.at(row, key)?;
            let joins = |it: &Link| [(it.from, it.to), (it.to, it.from)].contains(&(over, other));
            let found = self.network.links.iter().position(|it| !it.ramp && joins(it));
            found.map(|it| it as u32).ok_or_else(|| row.wrong(&format!("no road leads to {key}")))
        };
        let (one, other) = (link(row.field(1))?, link(row.field(2))?);
        for (from, to) in [(one, other), (other, one)] {
            self.network.forbidden.push(Forbidden { from, over, to });
        }
        Ok(())
    }

    /// A car that enters where only one direction can be taken must not take the other one, nor leave
    /// from it.
    fn half_interchanges(&mut self, first: usize, ends: &[Option<u32>]) -> Result<(), String> {
        let links = &self.network.links;
        for (at, bound) in (first..).zip(ends) {
            let Some(bound) = *bound else { continue };
            let ramp = &links[at];
            // The node on the motorway is the one with a link to where the ramp is bound.
            let meets = |node: u32| {
                let joins = |link: &Link| {
                    (link.from, link.to) == (node, bound) || (link.to, link.from) == (node, bound)
                };
                links.iter().any(|it| !it.ramp && joins(it))
            };
            let enters = meets(ramp.to);
            if !enters && !meets(ramp.from) {
                return Err(format!("{}: not beside where it is bound", ramp.name.local));
            }
            let over = if enters { ramp.to } else { ramp.from };
            for (other, link) in links.iter().enumerate() {
                let touches = link.from == over || link.to == over;
                if other == at || !touches || [link.from, link.to].contains(&bound) {
                    continue;
                }
                let (from, to) = if enters { (at, other) } else { (other, at) };
                let (from, to) = (from as u32, to as u32);
                self.network.forbidden.push(Forbidden { from, over, to });
            }
        }
        Ok(())
    }
}

/// `芝浦出入口` is called `芝浦入口` by cars that enter there; an `IC` stays what it is.
fn named(name: &Text, local: &str, en: &str) -> Text {
    match name.local.strip_suffix("出入口") {
        Some(stem) => Text { local: format!("{stem}{local}"), en: format!("{} {en}", name.en) },
        None => name.clone(),
    }
}

/// Returns the length of a line.
fn length(line: &[Point]) -> f64 {
    line.windows(2).map(|pair| pair[0].metres_to(pair[1])).sum()
}

/// Checks that everything is near Tokyo Bay, every junction can be reached and left, and every name is present.
pub(crate) fn check(network: &Network) -> Result<(), String> {
    for (at, node) in network.nodes.iter().enumerate() {
        let (lat, lng) = (node.at.lat, node.at.lng);
        if !(34.9..36.2).contains(&lat) || !(139.0..140.6).contains(&lng) {
            return Err(format!("{} lies elsewhere: {lat},{lng}", node.name.local));
        }
        let touches = |it: &&Link| it.from == at as u32 || it.to == at as u32;
        if network.links.iter().find(touches).is_none() {
            return Err(format!("no road leads to {}", node.name.local));
        }
    }
    for link in &network.links {
        let [from, to] = [link.from, link.to].map(|it| &network.nodes[it as usize]);
        let crow = from.at.metres_to(to.at);
        let is_plausible = link.metres >= crow * 0.999 && link.metres <= crow * 2.0 + 300.0;
        let is_short =
            link.metres <= METRES_MAX || link.class == Class::Ferry || link.number == "CA";
        if from.at == to.at || !is_plausible || !is_short || link.kmh == 0 {
            return Err(format!(
                "{} from {} to {}: {:.0} m, {crow:.0} m as the crow flies",
                link.name.local, from.name.local, to.name.local, link.metres
            ));
        }
    }
    let lost = unreachable(network, false).or_else(|| unreachable(network, true));
    lost.map_or(Ok(()), |at| Err(format!("{} is cut off", network.nodes[at].name.local)))
}

/// Returns a junction that cars cannot reach from the first one, or, with `back`, from which they cannot reach it.
fn unreachable(network: &Network, back: bool) -> Option<usize> {
    let mut reached = vec![false; network.nodes.len()];
    let mut open = vec![0_usize];
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut reached[at], true) {
            continue;
        }
        for link in &network.links {
            let (from, to) = (link.from as usize, link.to as usize);
            let (there, again) = if back { (link.cars.1, link.cars.0) } else { link.cars };
            if there && from == at {
                open.push(to);
            }
            if again && to == at {
                open.push(from);
            }
        }
    }
    reached.iter().position(|it| !it)
}
