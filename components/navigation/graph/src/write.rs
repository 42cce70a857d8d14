//! Writes a network as a graph.

mod plan;

use crate::{
    file::{
        self,
        header::{self, Header, to_fixed},
        nodes::Junction,
        roads::{self, ROADS, Road, Roads},
    },
    find::cost::{WALK_METRES_A_SECOND, cycle_kmh},
    network::{Class, Link, Network},
    places,
};
use plan::Plan;

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
    let landmarks = plan::times(&plan, &main.cars);
    let junctions = plan::junctions(&mut plan, &landmarks);
    let topology = plan::blocks(&junctions);
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
    header::write(
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
            header::point(to_fixed(at.lat), to_fixed(at.lng))
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
