//! Writes a network as a graph.
//!
//! A network in the order in which it is written, its texts collected: junctions with the ends of their links,
//! block by block, in the order of a curve that fills the plane, so that what is near in the plane is mostly near
//! on it; and times to and from some far places, by which a search knows which direction is towards its goal.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap},
};

use crate::{
    file::{
        self, Header, MOST, TEXTS,
        nodes::{
            self, BEGINS, CYCLE_IN, CYCLE_OUT, DEGREE_MAX, Half, IN, Junction, LANDMARK_MS, NODES,
            OUT, RAMP, ROUNDABOUT, TOLL, UNKNOWN, WALK, free_ms,
        },
        put_text,
        roads::{self, ROADS, Road, Roads},
        to_fixed,
    },
    find::{WALK_METRES_A_SECOND, cycle_kmh},
    network::{Class, Link, Network, Point, Text},
    places,
};

/// Returns the bytes of a graph's file; deterministic.
///
/// # Errors
/// When the network is too large for the format or invalid: an index out of range, a point off the globe, an invalid
/// length, a speed of 0, more than 255 links at a junction.
pub fn write(network: &Network) -> Result<Vec<u8>, String> {
    let mut plan = Plan::new(network)?;
    let main = Main {
        cars: main_along(&plan, |it| it.cars),
        walkers: main_for_walkers(&plan),
        cycles: main_along(&plan, |it| it.cycles),
    };
    let landmarks = times(&plan, &main.cars);
    let junctions = junctions(&mut plan, &landmarks);
    let topology = blocks(&junctions);
    let (roads, boxes) = roads(&mut plan, &junctions, &main);
    let bounds = boxes.iter().fold(roads::EMPTY, |a, &b| roads::around(a, b));
    let bounds = network.nodes.iter().fold(bounds, |a, node| {
        let (lat, lng) = (to_fixed(node.at.lat), to_fixed(node.at.lng));
        roads::around(a, [lat, lng, lat, lng])
    });
    let tree = roads::write_boxes(boxes);
    let texts = plan.texts.blocks();
    let about = Header {
        name: network.name.clone(),
        attribution: network.attribution.clone(),
        drives_on_left: network.drives_on_left,
        nodes: network.nodes.len() as u32,
        links: network.links.len() as u32,
        landmarks: landmarks.len() as u32,
        crow: crow(network, &plan),
        bounds: if bounds[0] > bounds[2] { [0; 4] } else { bounds },
        ..Header::default()
    };
    let on_section =
        |blocks: &[Vec<u8>]| Ok::<_, String>((file::write_section(blocks)?, blocks.len()));
    file::write(
        about,
        [on_section(&topology)?, on_section(&roads)?, on_section(&tree)?, on_section(&texts)?],
        &places::write(&network.places),
    )
}

/// Upper bounds as the crow flies, by what is kept in the file: see [`Header::crow`].
fn crow(network: &Network, plan: &Plan<'_>) -> [[f64; 2]; 3] {
    let cycle = |class: Class, kmh: u8| f64::from(cycle_kmh(class as u8, kmh)) / 3.6;
    let mut most = [[WALK_METRES_A_SECOND; 2], [cycle(Class::Residential, 0); 2], [1.0; 2]];
    for (number, ends) in (0_u32..).zip(&plan.links) {
        let link = plan.link(number);
        let [from, to] = [ends.from, ends.to].map(|node| {
            let at = network.nodes[plan.nodes[node as usize] as usize].at;
            file::point(to_fixed(at.lat), to_fixed(at.lng))
        });
        // A length is kept to the tenth of a metre; of nothing at all, nothing is beaten.
        let metres = f64::from(plan.decimetres(number).max(1)) / 10.0;
        // What a computer loses of a sum of angles is less than this.
        let straight = from.metres_to(to) / metres * 1.000_001;
        let walk = match link.class {
            Class::Ferry => f64::from(link.kmh) / 3.6,
            _ => WALK_METRES_A_SECOND,
        };
        let open = [
            (link.walkers, walk),
            (link.cycles.0 || link.cycles.1, cycle(link.class, link.kmh)),
            (true, 1.0),
        ];
        for (most, (_, speed)) in most.iter_mut().zip(open).filter(|it| it.1.0) {
            if link.class != Class::Ferry {
                most[0] = most[0].max(speed * straight);
            }
            most[1] = most[1].max(speed * straight);
        }
    }
    most
}

/// The blocks of links, and the box around each.
fn roads(
    plan: &mut Plan<'_>,
    junctions: &[Junction],
    main: &Main,
) -> (Vec<Vec<u8>>, Vec<roads::Box4>) {
    let (mut blocks, mut boxes) = (Vec::new(), Vec::new());
    let numbers: Vec<u32> = (0..plan.links.len() as u32).collect();
    for numbers in numbers.chunks(ROADS) {
        let mut block = Roads::default();
        for &number in numbers {
            let ends = plan.links[number as usize];
            let link = plan.link(number);
            let is_main = |main: &[bool]| main[ends.from as usize] && main[ends.to as usize];
            let mains = [&main.cars, &main.walkers, &main.cycles].map(|it| is_main(it));
            let begin = block.points.len() as u32;
            block.points.push(junctions[ends.from as usize].at);
            block.points.extend(link.shape.iter().map(|it| (to_fixed(it.lat), to_fixed(it.lng))));
            block.points.push(junctions[ends.to as usize].at);
            block.roads.push(Road {
                from: ends.from,
                to: ends.to,
                from_slot: ends.from_slot,
                to_slot: ends.to_slot,
                class: link.class as u8,
                flags: flags(link, mains),
                text: plan.texts.add(&link.name, &link.number),
                points: (begin, block.points.len() as u32),
            });
        }
        boxes.push(
            block
                .points
                .iter()
                .fold(roads::EMPTY, |a, &(lat, lng)| roads::around(a, [lat, lng, lat, lng])),
        );
        blocks.push(block.write());
    }
    (blocks, boxes)
}

/// The junctions that most others reach, by mode.
struct Main {
    cars: Vec<bool>,
    walkers: Vec<bool>,
    cycles: Vec<bool>,
}

fn flags(link: &Link, [cars, walkers, cycles]: [bool; 3]) -> u16 {
    [
        (link.cars.0, roads::AHEAD),
        (link.cars.1, roads::BACK),
        (link.walkers, roads::WALK),
        (link.toll, roads::TOLL),
        (cars, roads::MAIN_CARS),
        (walkers, roads::MAIN_WALKERS),
        (link.stops, roads::STOPS),
        (link.cycles.0, roads::CYCLE_AHEAD),
        (link.cycles.1, roads::CYCLE_BACK),
        (cycles, roads::MAIN_CYCLES),
    ]
    .into_iter()
    .filter(|it| it.0)
    .fold(0, |flags, it| flags | it.1)
}

/// The open directions of a link.
type Open = fn(&Link) -> (bool, bool);

/// For each junction whether one gets there from most others, and away, by links in the directions in
/// which they are open. Where there is no such part of at least half of all that is reached, all are.
fn main_along(plan: &Plan<'_>, open: Open) -> Vec<bool> {
    // Kosaraju's second pass: against the direction of travel, those that finished last first.
    largest(plan, open, finished(plan, open).into_iter().rev())
}

/// The same for walkers, who walk all their links in both directions.
fn main_for_walkers(plan: &Plan<'_>) -> Vec<bool> {
    largest(plan, |it| (it.walkers, it.walkers), 0..plan.nodes.len() as u32)
}

/// Those in the largest of the parts that are reached from `roots` against the traffic, one root after another, where
/// it has at least half of the junctions with an open link; else all.
fn largest(plan: &Plan<'_>, open: Open, roots: impl Iterator<Item = u32>) -> Vec<bool> {
    let mut part = vec![u32::MAX; plan.nodes.len()];
    let mut sizes = Vec::new();
    for root in roots {
        if part[root as usize] != u32::MAX {
            continue;
        }
        let number = sizes.len() as u32;
        part[root as usize] = number;
        let mut size = 0_usize;
        let mut left = vec![root];
        while let Some(node) = left.pop() {
            size += 1;
            for index in 0..plan.at[node as usize].len() {
                if let Some(other) = reached(plan, node, index, false, open)
                    && part[other as usize] == u32::MAX
                {
                    part[other as usize] = number;
                    left.push(other);
                }
            }
        }
        sizes.push(size);
    }
    let is_open = |arcs: &&Vec<(u32, bool)>| {
        arcs.iter().any(|arc| {
            let (ahead, back) = open(plan.link(arc.0));
            ahead || back
        })
    };
    let open = plan.at.iter().filter(is_open).count();
    match sizes.iter().enumerate().max_by_key(|it| *it.1) {
        Some((number, &size)) if size * 2 >= open => {
            part.iter().map(|&it| it == number as u32).collect()
        }
        _ => vec![true; part.len()],
    }
}

/// Where one gets from a junction by one of its links, along the traffic or against it.
fn reached(plan: &Plan<'_>, node: u32, index: usize, along: bool, open: Open) -> Option<u32> {
    let (link, begins) = plan.at[node as usize][index];
    let (ends, ways) = (plan.links[link as usize], open(plan.link(link)));
    let is_open = if begins == along { ways.0 } else { ways.1 };
    is_open.then_some(if begins { ends.to } else { ends.from })
}

/// All junctions in the order in which a search in depth is done with them.
fn finished(plan: &Plan<'_>, open: Open) -> Vec<u32> {
    let mut visited = vec![false; plan.nodes.len()];
    let mut order = Vec::with_capacity(plan.nodes.len());
    for root in 0..plan.nodes.len() as u32 {
        if std::mem::replace(&mut visited[root as usize], true) {
            continue;
        }
        let mut left = vec![(root, 0)];
        while let Some((node, index)) = left.last_mut() {
            if *index == plan.at[*node as usize].len() {
                order.push(*node);
                left.pop();
                continue;
            }
            let other = reached(plan, *node, *index, true, open);
            *index += 1;
            if let Some(other) = other
                && !std::mem::replace(&mut visited[other as usize], true)
            {
                left.push((other, 0));
            }
        }
    }
    order
}

/// Where a link begins and ends, in new numbers, and which of the ends there are its own.
#[derive(Clone, Copy, Debug)]
struct Ends {
    from: u32,
    to: u32,
    from_slot: u8,
    to_slot: u8,
}

/// The network in its new order.
#[derive(Debug)]
struct Plan<'n> {
    network: &'n Network,
    /// The old number of each node.
    nodes: Vec<u32>,
    /// The old number of each link.
    old_links: Vec<u32>,
    /// The new number of each link.
    new_links: Vec<u32>,
    /// Ends of each link.
    links: Vec<Ends>,
    /// The links at each node, and whether they begin there.
    at: Vec<Vec<(u32, bool)>>,
    texts: Texts,
}

impl<'n> Plan<'n> {
    fn new(network: &'n Network) -> Result<Self, String> {
        check(network)?;
        let mut nodes: Vec<u32> = (0..network.nodes.len() as u32).collect();
        nodes.sort_by_cached_key(|&it| (along_curve(network.nodes[it as usize].at), it));
        let mut new_nodes = vec![0; nodes.len()];
        for (new, &old) in nodes.iter().enumerate() {
            new_nodes[old as usize] = new as u32;
        }
        let mut old_links: Vec<u32> = (0..network.links.len() as u32).collect();
        old_links.sort_by_key(|&it| (new_nodes[network.links[it as usize].from as usize], it));
        let mut new_links = vec![0; old_links.len()];
        let mut at = vec![Vec::new(); nodes.len()];
        let mut links = Vec::with_capacity(old_links.len());
        for (new, &old) in old_links.iter().enumerate() {
            new_links[old as usize] = new as u32;
            let link = &network.links[old as usize];
            let [from, to] = [link.from, link.to].map(|it| new_nodes[it as usize]);
            let from_slot = at[from as usize].len();
            at[from as usize].push((new as u32, true));
            let to_slot = at[to as usize].len();
            at[to as usize].push((new as u32, false));
            if from_slot.max(to_slot) >= DEGREE_MAX {
                return Err(format!("more than {DEGREE_MAX} links meet at one junction"));
            }
            links.push(Ends { from, to, from_slot: from_slot as u8, to_slot: to_slot as u8 });
        }
        Ok(Self { network, nodes, old_links, new_links, links, at, texts: Texts::new() })
    }

    /// A link by its new number.
    fn link(&self, number: u32) -> &'n Link {
        &self.network.links[self.old_links[number as usize] as usize]
    }

    /// Its length as it is kept.
    fn decimetres(&self, number: u32) -> u32 {
        (self.link(number).metres * 10.0).round() as u32
    }
}

/// Whether it is a network at all.
fn check(network: &Network) -> Result<(), String> {
    let (nodes, links) = (network.nodes.len(), network.links.len());
    if nodes.max(links) > MOST {
        return Err("the network is larger than the format can hold".to_owned());
    }
    if let Some(bad) = network.nodes.iter().position(|it| !it.at.is_on_globe()) {
        return Err(format!("node {bad} is not on the globe"));
    }
    for (index, link) in network.links.iter().enumerate() {
        let fault = if link.from as usize >= nodes || link.to as usize >= nodes {
            "leads to a node that there is not"
        } else if !link.shape.iter().all(|it| it.is_on_globe()) {
            "leads off the globe"
        } else if !(0.0..1e8).contains(&link.metres) {
            "has no length"
        } else if link.kmh == 0 {
            "has no speed"
        } else {
            continue;
        };
        return Err(format!("link {index} {fault}"));
    }
    let exists = |turn: &crate::network::Forbidden| {
        (turn.from as usize) < links && (turn.to as usize) < links && (turn.over as usize) < nodes
    };
    match network.forbidden.iter().position(|it| !exists(it)) {
        Some(bad) => Err(format!("turn {bad} is between links that there are not")),
        None => Ok(()),
    }
}

/// Names and numbers, each of them once.
#[derive(Debug)]
struct Texts {
    numbers: HashMap<[String; 3], u32>,
    all: Vec<[String; 3]>,
}

impl Texts {
    fn new() -> Self {
        let mut texts = Self { numbers: HashMap::new(), all: Vec::new() };
        texts.add(&Text::default(), "");
        texts
    }

    /// The number of a name with a road's number.
    fn add(&mut self, name: &Text, number: &str) -> u32 {
        let key = [name.local.clone(), name.en.clone(), number.to_owned()];
        if let Some(&number) = self.numbers.get(&key) {
            return number;
        }
        let new = self.all.len() as u32;
        self.all.push(key.clone());
        self.numbers.insert(key, new);
        new
    }

    fn blocks(&self) -> Vec<Vec<u8>> {
        let block = |texts: &[[String; 3]]| {
            let mut bytes = Vec::new();
            texts.iter().flatten().for_each(|it| put_text(&mut bytes, it));
            bytes
        };
        self.all.chunks(TEXTS).map(block).collect()
    }
}

/// Steps of the curve to either side.
const SIDE: u32 = 1 << 22;

/// Where on Hilbert's curve over the globe a point lies.
fn along_curve(at: Point) -> u64 {
    let step = |degrees: f64, most: f64| {
        let part = (degrees + most) / (2.0 * most) * f64::from(SIDE);
        (part.max(0.0) as u32).min(SIDE - 1)
    };
    let (mut x, mut y) = (step(at.lng, 180.0), step(at.lat, 90.0));
    let mut distance = 0_u64;
    let mut size = SIDE / 2;
    while size > 0 {
        let (right, up) = (u32::from(x & size > 0), u32::from(y & size > 0));
        distance += u64::from(size) * u64::from(size) * u64::from((3 * right) ^ up);
        if up == 0 {
            if right == 1 {
                (x, y) = (SIDE - 1 - x, SIDE - 1 - y);
            }
            (x, y) = (y, x);
        }
        size /= 2;
    }
    distance
}

/// How far along a link its heading is taken, in metres: the first metres of a drawn line wobble.
const HEADING_METRES: f64 = 15.0;

/// All junctions in their order.
fn junctions(plan: &mut Plan<'_>, landmarks: &[Times]) -> Vec<Junction> {
    let mut junctions = Vec::with_capacity(plan.nodes.len());
    for (new, &old) in plan.nodes.iter().enumerate() {
        let node = &plan.network.nodes[old as usize];
        junctions.push(Junction {
            at: (to_fixed(node.at.lat), to_fixed(node.at.lng)),
            text: plan.texts.add(&node.name, ""),
            halves: plan.at[new].iter().map(|&it| half(plan, it)).collect(),
            forbidden: Vec::new(),
            landmarks: landmarks.iter().map(|it| (it.from[new], it.to[new])).collect(),
        });
    }
    forbid(plan, &mut junctions);
    junctions
}

/// The blocks of these.
fn blocks(junctions: &[Junction]) -> Vec<Vec<u8>> {
    junctions
        .chunks(NODES)
        .enumerate()
        .map(|(block, it)| nodes::write((block * NODES) as u32, it))
        .collect()
}

fn half(plan: &Plan<'_>, (number, begins): (u32, bool)) -> Half {
    let (ends, link) = (plan.links[number as usize], plan.link(number));
    let (out, into) = if begins { link.cars } else { (link.cars.1, link.cars.0) };
    let cycles = if begins { link.cycles } else { (link.cycles.1, link.cycles.0) };
    let flags = [
        (cycles.0, CYCLE_OUT),
        (cycles.1, CYCLE_IN),
        (out, OUT),
        (into, IN),
        (link.walkers, WALK),
        (link.toll, TOLL),
        (link.ramp, RAMP),
        (link.roundabout, ROUNDABOUT),
        (begins, BEGINS),
    ];
    Half {
        other: if begins { ends.to } else { ends.from },
        link: number,
        decimetres: plan.decimetres(number),
        twin: if begins { ends.to_slot } else { ends.from_slot },
        class: link.class as u8,
        kmh: link.kmh,
        flags: flags.into_iter().filter(|it| it.0).fold(0, |flags, it| flags | it.1),
        bearing: heading(plan, link, begins),
    }
}

/// Where a link heads from one of its ends: 0 north, 64 east.
fn heading(plan: &Plan<'_>, link: &Link, begins: bool) -> u8 {
    let [from, to] = [link.from, link.to].map(|it| plan.network.nodes[it as usize].at);
    let mut line = vec![from];
    line.extend(&link.shape);
    line.push(to);
    if !begins {
        line.reverse();
    }
    let far = line.iter().find(|it| it.metres_to(line[0]) >= HEADING_METRES);
    let far = far.or(line.last()).copied().unwrap_or_default();
    (line[0].bearing_to(far) / 360.0 * 256.0).round() as i32 as u8
}

/// Writes the forbidden turns to their junctions; those between links that do not meet there say nothing.
fn forbid(plan: &Plan<'_>, junctions: &mut [Junction]) {
    let mut new_nodes = vec![0; plan.nodes.len()];
    for (new, &old) in plan.nodes.iter().enumerate() {
        new_nodes[old as usize] = new;
    }
    for turn in &plan.network.forbidden {
        let over = new_nodes[turn.over as usize];
        let slots = |link: u32| {
            let number = plan.new_links[link as usize];
            let ends = plan.at[over].iter().enumerate();
            ends.filter(move |it| it.1.0 == number).map(|it| it.0 as u8)
        };
        for from in slots(turn.from) {
            junctions[over].forbidden.extend(slots(turn.to).map(|to| (from, to)));
        }
    }
    for junction in junctions {
        junction.forbidden.sort_unstable();
        junction.forbidden.dedup();
    }
}

impl Point {
    /// The heading from here to `other`, in degrees: 0 north, 90 east; near places, on a flat map.
    pub(crate) fn bearing_to(self, other: Self) -> f64 {
        let east = (other.lng - self.lng) * ((self.lat + other.lat) / 2.0).to_radians().cos();
        east.atan2(other.lat - self.lat).to_degrees().rem_euclid(360.0)
    }
}

/// Landmarks of a large network.
const LANDMARKS: usize = 8;

/// The times from one landmark to every junction, and back, in steps of [`LANDMARK_MS`].
///
/// Each link's time is rounded down to whole steps first: then no difference of two times is more than
/// what the route between takes, and a search may rely on that at every link.
#[derive(Debug)]
struct Times {
    from: Vec<u32>,
    to: Vec<u32>,
}

/// Far places, each as far from the others as can be, in the part that cars reach.
fn times(plan: &Plan<'_>, main: &[bool]) -> Vec<Times> {
    let Some(start) = main.iter().position(|it| *it) else { return Vec::new() };
    let nodes = plan.nodes.len();
    let wanted = LANDMARKS.min(nodes / 8);
    let mut nearest = vec![UNKNOWN; nodes];
    let mut next = farthest(&reach_times(plan, start as u32, true), main);
    let mut chosen = Vec::new();
    while chosen.len() < wanted {
        let Some(landmark) = next else { break };
        let times = Times {
            from: reach_times(plan, landmark, true),
            to: reach_times(plan, landmark, false),
        };
        for (nearest, (from, to)) in nearest.iter_mut().zip(times.from.iter().zip(&times.to)) {
            *nearest = (*nearest).min(from.saturating_add(*to));
        }
        chosen.push(times);
        next = farthest(&nearest, main);
    }
    chosen
}

fn farthest(times: &[u32], main: &[bool]) -> Option<u32> {
    let counts = |it: &(usize, &u32)| main[it.0] && *it.1 != UNKNOWN && *it.1 > 0;
    let far = times.iter().enumerate().filter(counts).max_by_key(|it| *it.1);
    far.map(|it| it.0 as u32)
}

/// The shortest times by car from (or to) one junction, no turn counted.
fn reach_times(plan: &Plan<'_>, start: u32, away: bool) -> Vec<u32> {
    let mut times = vec![UNKNOWN; plan.nodes.len()];
    let mut queue = BinaryHeap::from([Reverse((0, start))]);
    times[start as usize] = 0;
    while let Some(Reverse((time, node))) = queue.pop() {
        if time > times[node as usize] {
            continue;
        }
        for &(number, begins) in &plan.at[node as usize] {
            let (link, ends) = (plan.link(number), plan.links[number as usize]);
            let open = if begins == away { link.cars.0 } else { link.cars.1 };
            if !open {
                continue;
            }
            let other = if begins { ends.to } else { ends.from };
            let step = free_ms(plan.decimetres(number), link.kmh) / LANDMARK_MS;
            let reached = time.saturating_add(step).min(i32::MAX as u32);
            if reached < times[other as usize] {
                times[other as usize] = reached;
                queue.push(Reverse((reached, other)));
            }
        }
    }
    times
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curve_neighbours_are_plane_neighbours() {
        let (lat, lng) = (180.0 / f64::from(SIDE), 360.0 / f64::from(SIDE));
        let mut cells = Vec::new();
        for y in 0..32_i32 {
            for x in 0..32_i32 {
                let at = Point {
                    lat: (f64::from(y) + 0.5) * lat - 90.0,
                    lng: (f64::from(x) + 0.5) * lng - 180.0,
                };
                cells.push((along_curve(at), x, y));
            }
        }
        cells.sort_unstable();
        for (index, pair) in cells.windows(2).enumerate() {
            assert_eq!(pair[0].0, index as u64, "each cell once");
            assert_eq!((pair[0].1 - pair[1].1).abs() + (pair[0].2 - pair[1].2).abs(), 1);
        }
    }
}
