//! A network, written as a graph.

mod landmarks;
mod order;
mod parts;
mod plan;
mod topology;

use crate::find::cost::{WALK_METRES_A_SECOND, cycle_kmh};
use crate::{
    file::{
        header::{self, Header, kept},
        nodes::Junction,
        roads::{self, ROADS, Road, Roads},
        section, tree,
    },
    network::{Class, Link, Network},
    places,
};
use plan::Plan;

/// The bytes of a graph's file. The same network gives the same bytes.
///
/// # Errors
/// When the network is larger than the format can hold, or not one: an index out of range, a point off
/// the globe, a length that is no number, a speed of nothing, more than 255 links at one junction.
pub fn write(network: &Network) -> Result<Vec<u8>, String> {
    let mut plan = Plan::new(network)?;
    let main = Main {
        cars: parts::directed(&plan, |it| it.cars),
        walkers: parts::walkers(&plan),
        cycles: parts::directed(&plan, |it| it.cycles),
    };
    let landmarks = landmarks::times(&plan, &main.cars);
    let junctions = topology::junctions(&mut plan, &landmarks);
    let topology = topology::blocks(&junctions);
    let (roads, boxes) = roads(&mut plan, &junctions, &main);
    let bounds = boxes.iter().fold(tree::EMPTY, |a, &b| tree::around(a, b));
    let bounds = network.nodes.iter().fold(bounds, |a, node| {
        let (lat, lng) = (kept(node.at.lat), kept(node.at.lng));
        tree::around(a, [lat, lng, lat, lng])
    });
    let tree = tree::write(boxes);
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
    let on_section = |blocks: &[Vec<u8>]| Ok::<_, String>((section::write(blocks)?, blocks.len()));
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
            header::point(kept(at.lat), kept(at.lng))
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
) -> (Vec<Vec<u8>>, Vec<tree::Box4>) {
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
            block.points.extend(link.shape.iter().map(|it| (kept(it.lat), kept(it.lng))));
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
                .fold(tree::EMPTY, |a, &(lat, lng)| tree::around(a, [lat, lng, lat, lng])),
        );
        blocks.push(block.write());
    }
    (blocks, boxes)
}

/// Which junctions most others reach, as one travels.
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
