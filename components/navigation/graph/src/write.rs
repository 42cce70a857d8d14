//! A network, written as a graph.

mod landmarks;
mod order;
mod parts;
mod plan;
mod topology;

use crate::find::cost::WALK_METRES_A_SECOND;
use crate::{
    file::{
        header::{self, Header, kept},
        nodes::Junction,
        roads::{self, ROADS, Road, Roads},
        shelf, tree,
    },
    network::{Class, Link, Network},
    places,
};
use plan::Plan;

/// Names in a block.
pub(crate) const TEXTS: usize = 64;

/// The bytes of a graph's file. The same network gives the same bytes.
///
/// # Errors
/// When the network is larger than the format can hold, or not one: an index out of range, a point off
/// the globe, a length that is no number, a speed of nothing, more than 255 links at one junction.
pub fn write(network: &Network) -> Result<Vec<u8>, String> {
    let mut plan = Plan::new(network)?;
    let main_cars = parts::cars(&plan);
    let main_walkers = parts::walkers(&plan);
    let landmarks = landmarks::times(&plan, &main_cars);
    let junctions = topology::junctions(&mut plan, &landmarks);
    let topology = topology::blocks(&junctions);
    let (roads, boxes) = roads(&mut plan, &junctions, &main_cars, &main_walkers);
    let bounds = boxes.iter().fold(tree::EMPTY, |a, &b| tree::around(a, b));
    let bounds = network.nodes.iter().fold(bounds, |a, it| {
        let (lat, lng) = (kept(it.at.lat), kept(it.at.lng));
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
        walk_speeds: walk_speeds(network),
        bounds: if bounds[0] > bounds[2] { [0; 4] } else { bounds },
        ..Header::default()
    };
    let on_shelf = |blocks: &[Vec<u8>]| Ok::<_, String>((shelf::write(blocks)?, blocks.len()));
    header::write(
        about,
        [on_shelf(&topology)?, on_shelf(&roads)?, on_shelf(&tree)?, on_shelf(&texts)?],
        &places::write(&network.places),
    )
}

/// Metres a second as the crow flies that no walker beats: without ferries, and with.
fn walk_speeds(network: &Network) -> [f64; 2] {
    let mut speeds = [WALK_METRES_A_SECOND; 2];
    for link in network.links.iter().filter(|it| it.walkers) {
        let [from, to] = [link.from, link.to].map(|it| network.nodes[it as usize].at);
        let walk = match link.class {
            Class::Ferry => f64::from(link.kmh) / 3.6,
            _ => WALK_METRES_A_SECOND,
        };
        // A length is kept to the tenth of a metre, and may have been rounded down.
        let crow = from.metres_to(to) + 0.3;
        let speed = walk * crow / (link.metres - 0.1).max(0.01);
        if link.class != Class::Ferry {
            speeds[0] = speeds[0].max(speed);
        }
        speeds[1] = speeds[1].max(speed);
    }
    speeds
}

/// The blocks of links, and the box around each.
fn roads(
    plan: &mut Plan<'_>,
    junctions: &[Junction],
    main_cars: &[bool],
    main_walkers: &[bool],
) -> (Vec<Vec<u8>>, Vec<tree::Box4>) {
    let (mut blocks, mut boxes) = (Vec::new(), Vec::new());
    let numbers: Vec<u32> = (0..plan.links.len() as u32).collect();
    for numbers in numbers.chunks(ROADS) {
        let mut block = Roads::default();
        for &number in numbers {
            let ends = plan.links[number as usize];
            let link = plan.link(number);
            let main = |main: &[bool]| main[ends.from as usize] && main[ends.to as usize];
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
                flags: flags(link, main(main_cars), main(main_walkers)),
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

fn flags(link: &Link, main_cars: bool, main_walkers: bool) -> u8 {
    [
        (link.cars.0, roads::AHEAD),
        (link.cars.1, roads::BACK),
        (link.walkers, roads::WALK),
        (link.toll, roads::TOLL),
        (main_cars, roads::MAIN_CARS),
        (main_walkers, roads::MAIN_WALKERS),
    ]
    .into_iter()
    .filter(|it| it.0)
    .fold(0, |flags, it| flags | it.1)
}
