//! One-way streets, turns, tolls, ferries, walkers: each rule by itself.

use graph::{
    Class, Forbidden, Found, Graph, Mode, Network, NotFound, Point, Prefer, RouteOptions,
    write::write,
};

use crate::{grid, network, node, on, street};

fn way(
    network: &Network,
    from: Point,
    to: Point,
    options: &RouteOptions,
) -> Result<Found, NotFound> {
    let bytes = write(network).expect("a network");
    let mut ways = Graph::open(&bytes[..]).unwrap().ways(from, to, options)?;
    Ok(ways.remove(0))
}

fn drive(network: &Network, from: Point, to: Point) -> Found {
    way(network, from, to, &RouteOptions::default()).expect("a way")
}

/// A cross: west 0, middle 1, east 2, north 3, south 4; links 0 from the west, 1 east, 2 north, 3 south.
fn cross() -> Network {
    let nodes = [(-400.0, 0.0), (0.0, 0.0), (400.0, 0.0), (0.0, 400.0), (0.0, -400.0)];
    let nodes: Vec<_> = nodes.map(|(east, north)| node(east, north)).into();
    let links = [(0, 1), (1, 2), (1, 3), (1, 4)].map(|(from, to)| street(&nodes, from, to));
    network(nodes, links.into())
}

/// On the left a right turn crosses the traffic, and on the right a left one.
#[test]
fn turn_across_traffic_is_right_on_the_left_and_left_on_right() {
    let mut cross = cross();
    let from = on(&cross, 0, 0.5);
    let seconds = |cross: &Network, link: usize| drive(cross, from, on(cross, link, 0.5)).seconds;
    // 400 m at 10 m a second.
    assert!((seconds(&cross, 1) - 40.0).abs() < 0.1, "straight on");
    assert!((seconds(&cross, 2) - 43.0).abs() < 0.1, "to the left");
    assert!((seconds(&cross, 3) - 48.0).abs() < 0.1, "to the right");
    cross.drives_on_left = false;
    assert!((seconds(&cross, 2) - 48.0).abs() < 0.1, "to the left");
    assert!((seconds(&cross, 3) - 43.0).abs() < 0.1, "to the right");
}

#[test]
fn leg_has_turn_alternatives_and_junction() {
    let mut cross = cross();
    cross.nodes[1].name.local = "四つ辻".into();
    cross.links[3].name.local = "南通り".into();
    cross.links[3].number = "15".into();
    cross.links[3].ramp = true;
    let found = drive(&cross, on(&cross, 0, 0.5), on(&cross, 3, 0.5));
    let [first, second] = &found.legs[..] else { panic!("{:?}", found.legs) };
    assert_eq!((first.turn, first.others.len()), (0.0, 0));
    assert!((second.turn - 90.0).abs() < 1.0, "{}", second.turn);
    assert_eq!(second.others.len(), 2);
    assert!((second.others[0] + 90.0).abs() < 1.0 && second.others[1].abs() < 1.0);
    assert_eq!((&second.junction.local[..], &second.name.local[..]), ("四つ辻", "南通り"));
    assert!(second.number == "15" && second.ramp && !second.toll && !first.ramp);
    assert_eq!(first.points.last(), second.points.first());
    assert!((found.metres - 400.0).abs() < 0.5 && (second.metres - 200.0).abs() < 0.3);
}

#[test]
fn turns_back_at_a_dead_end_but_not_at_a_junction() {
    let cross = cross();
    // From the east, northwards, but east of the middle only the way to its end leads on.
    let mut shut = cross;
    shut.forbidden.push(Forbidden { from: 0, over: 1, to: 2 });
    let found = drive(&shut, on(&shut, 0, 0.5), on(&shut, 2, 0.5));
    // On to the east or the south, back at its end, and then into the north.
    assert!(found.legs.len() > 2, "{:?}", found.legs.len());
    assert!(found.seconds > 40.0 + 80.0 + 20.0, "{}", found.seconds);
}

#[test]
fn dead_end_one_way_street_has_no_route_back() {
    let nodes = vec![node(0.0, 0.0), node(2_000.0, 0.0)];
    let mut links = vec![street(&nodes, 0, 1)];
    links[0].cars = (true, false);
    let one_way = network(nodes, links);
    let found = way(&one_way, on(&one_way, 0, 0.9), on(&one_way, 0, 0.1), &RouteOptions::default());
    assert_eq!(found.unwrap_err(), NotFound::NoWay);
}

#[test]
fn travels_part_of_one_link_in_both_directions() {
    let cross = cross();
    for (from, to) in [(0.2, 0.7), (0.7, 0.2)] {
        let found = drive(&cross, on(&cross, 0, from), on(&cross, 0, to));
        assert_eq!(found.legs.len(), 1);
        assert!((found.seconds - 20.0).abs() < 0.1 && (found.metres - 200.0).abs() < 0.5);
        assert_eq!(found.legs[0].points.len(), 2);
    }
    let same = drive(&cross, on(&cross, 0, 0.5), on(&cross, 0, 0.5));
    assert!(same.seconds < 0.01 && same.legs.len() == 1);
}

#[test]
fn drives_around_one_way_street_and_walks_against_it() {
    let mut grid = grid(3, 3, &[]);
    grid.links[0].cars = (false, true);
    let (from, to) = (on(&grid, 0, 0.2), on(&grid, 0, 0.8));
    let round = drive(&grid, from, to);
    assert!(round.metres > 600.0, "{}", round.metres);
    let walk = RouteOptions { mode: Mode::Walk, ..RouteOptions::default() };
    let walked = way(&grid, from, to, &walk).unwrap();
    assert!((walked.metres - 120.0).abs() < 0.5);
    assert!((walked.seconds - 90.0).abs() < 0.5, "4.8 km/h");
}

#[test]
fn avoids_tolls_motorways_and_ferries_on_request() {
    type Make = fn(&mut Network);
    type Avoid = fn(&mut RouteOptions);
    let cases: [(Make, Avoid); 3] = [
        (|it| it.links[0].toll = true, |it| it.avoid_tolls = true),
        (|it| it.links[0].class = Class::Motorway, |it| it.avoid_highways = true),
        (|it| it.links[0].class = Class::Ferry, |it| it.avoid_ferries = true),
    ];
    for (make, avoid) in cases {
        let mut grid = grid(3, 3, &[]);
        make(&mut grid);
        // Links 1, from the first junction north, and 2, from the second east.
        let (from, to) = (on(&grid, 1, 0.2), on(&grid, 2, 0.5));
        let straight = drive(&grid, from, to);
        assert!(straight.metres < 400.0, "{}", straight.metres);
        let mut options = RouteOptions::default();
        avoid(&mut options);
        let round = way(&grid, from, to, &options).unwrap();
        assert!(round.metres > straight.metres + 50.0);
        assert!(round.legs.iter().all(|it| !it.toll && it.class == Class::Residential));
        // With all of them shut there is none.
        let all = |link: &mut graph::Link| {
            link.toll = true;
            link.class = Class::Motorway;
        };
        let mut shut = grid.clone();
        shut.links.iter_mut().for_each(all);
        let none = RouteOptions { avoid_tolls: true, ..RouteOptions::default() };
        assert_eq!(way(&shut, from, to, &none).unwrap_err(), NotFound::OriginOutside(None));
    }
}

#[test]
fn walkers_avoid_motorways_and_cars_avoid_paths() {
    let mut grid = grid(2, 2, &[]);
    grid.links[0].class = Class::Motorway;
    let walk = RouteOptions { mode: Mode::Walk, ..RouteOptions::default() };
    let (from, to) = (on(&grid, 1, 0.2), on(&grid, 2, 0.2));
    assert!(way(&grid, from, to, &walk).unwrap().legs.iter().all(|it| it.class != Class::Motorway));
    assert!(drive(&grid, from, to).legs.iter().any(|it| it.class == Class::Motorway));
    grid.links[0].class = Class::Path;
    assert!(way(&grid, from, to, &walk).unwrap().legs.iter().any(|it| it.class == Class::Path));
    assert!(drive(&grid, from, to).legs.iter().all(|it| it.class != Class::Path));
}

#[test]
fn roundabouts_count_no_turns() {
    // A ring of four, gone clockwise, and a road from its west and to its east.
    let at = [(-30.0, 0.0), (0.0, 30.0), (30.0, 0.0), (0.0, -30.0), (-430.0, 0.0), (430.0, 0.0)];
    let nodes: Vec<_> = at.map(|(east, north)| node(east, north)).into();
    let ends = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 0), (2, 5)];
    let mut links: Vec<_> = ends.map(|(from, to)| street(&nodes, from, to)).into();
    for link in &mut links[..4] {
        link.roundabout = true;
        link.cars = (true, false);
    }
    let ring = network(nodes, links);
    let found = drive(&ring, on(&ring, 4, 0.5), on(&ring, 5, 0.5));
    assert_eq!(
        found.legs.iter().map(|it| it.roundabout).collect::<Vec<_>>(),
        [false, true, true, false]
    );
    assert!((found.seconds - found.metres / 10.0).abs() < 0.01, "nothing added");
}

#[test]
fn traffic_slows_a_class_and_keeps_the_free_time() {
    let mut options = RouteOptions::default();
    options.traffic[Class::Residential as usize] = 2.0;
    let cross = cross();
    let found = way(&cross, on(&cross, 0, 0.5), on(&cross, 1, 0.5), &options).unwrap();
    assert!((found.seconds - 80.0).abs() < 0.1 && (found.free_seconds - 40.0).abs() < 0.1);
}

#[test]
fn place_near_isolated_road_uses_connected_roads() {
    let mut grid = grid(4, 4, &[]);
    // A snippet that nothing leads to, 30 m north of the first street.
    let first = grid.nodes.len() as u32;
    grid.nodes.extend([node(50.0, 30.0), node(150.0, 30.0)]);
    grid.links.push(street(&grid.nodes, first, first + 1));
    let found = drive(&grid, node(100.0, 32.0).at, node(600.0, 500.0).at);
    assert!(found.metres > 500.0);
    // And one that is left by a one-way street only is left; and is no place to get to.
    let (a, b) = (on(&grid, 0, 0.5), node(100.0, 900.0).at);
    grid.nodes.push(node(100.0, 900.0));
    grid.links.push(street(&grid.nodes, first + 2, 12));
    let last = grid.links.len() - 1;
    grid.links[last].cars = (true, false);
    assert!(drive(&grid, b, a).metres > 600.0);
    assert!(drive(&grid, a, b).metres > 600.0, "to a road near it");
}

#[test]
fn matrix_matches_single_routes_of_a_grid() {
    let grid = grid(4, 4, &[]);
    let bytes = write(&grid).unwrap();
    let graph = Graph::open(&bytes[..]).unwrap();
    let places: Vec<Point> = (0..grid.links.len()).map(|it| on(&grid, it, 0.4)).collect();
    let options = RouteOptions::default();
    let matrix = graph.matrix(&places, &places, &options).unwrap();
    for (from, row) in places.iter().zip(&matrix.rows) {
        for (to, entry) in places.iter().zip(row) {
            let way = &graph.ways(*from, *to, &options).unwrap()[0];
            let (seconds, free, metres) = entry.unwrap();
            assert!((seconds - way.seconds).abs() < 1e-6 && (metres - way.metres).abs() < 1e-6);
            assert!((free - way.free_seconds).abs() < 1e-6);
        }
    }
    let outside = graph.matrix(&places[..1], &[Point { lat: 0.0, lng: 0.0 }], &options).unwrap();
    assert_eq!(outside.rows, [[None]]);
}

#[test]
fn opening_and_routing_read_few_bytes() {
    let large = grid(120, 120, &[]);
    let bytes = write(&large).unwrap();
    let graph = Graph::open(&bytes[..]).unwrap();
    assert!(graph.bytes_read() <= 4096, "{}", graph.bytes_read());
    let options = RouteOptions::default();
    graph.ways(on(&large, 4_000, 0.5), on(&large, 4_600, 0.5), &options).unwrap();
    let read = graph.bytes_read();
    assert!(read * 4 < bytes.len() as u64, "{read} of {}", bytes.len());
    graph.ways(on(&large, 4_000, 0.5), on(&large, 4_600, 0.5), &options).unwrap();
    assert_eq!(graph.bytes_read(), read, "what was read is kept");
}

#[test]
fn search_over_the_block_limit_is_too_far() {
    let large = grid(60, 60, &[]);
    let bytes = write(&large).unwrap();
    let (from, to) = (node(10.0, 0.0).at, node(11_000.0, 11_000.0).at);
    let graph = |blocks| Graph::open(&bytes[..]).unwrap().touching_at_most(blocks);
    let options = RouteOptions::default();
    assert_eq!(graph(3).ways(from, to, &options).unwrap_err(), NotFound::TooFar);
    assert!(graph(100).ways(from, to, &options).is_ok());
    assert_eq!(graph(3).matrix(&[from], &[to], &options).unwrap().rows, [[None]]);
}

#[test]
fn drive_begins_and_ends_where_cars_can_stop() {
    let mut grid = grid(3, 3, &[]);
    grid.links[0].stops = false;
    let on_it = on(&grid, 0, 0.5);
    let bytes = write(&grid).unwrap();
    let graph = Graph::open(&bytes[..]).unwrap();
    let begins = |mode| {
        let options = RouteOptions { mode, ..RouteOptions::default() };
        graph.nearest(on_it, &options, 1_000.0).unwrap().unwrap().metres
    };
    assert!((begins(Mode::Drive) - 100.0).abs() < 1.0, "{}", begins(Mode::Drive));
    assert!(begins(Mode::Walk) < 1.0 && begins(Mode::Cycle) < 1.0);
    // It is driven over all the same.
    let (from, to) = (on(&grid, 1, 0.1), on(&grid, 2, 0.1));
    assert!(drive(&grid, from, to).metres < 300.0);
}

#[test]
fn place_in_the_sea_is_outside_with_road_distance() {
    let grid = grid(3, 3, &[]);
    let off = |metres: f64| {
        way(&grid, node(0.0, -metres).at, on(&grid, 5, 0.5), &RouteOptions::default())
    };
    assert!(off(2_400.0).is_ok());
    let Err(NotFound::OriginOutside(Some(metres))) = off(2_600.0) else { panic!("it is near") };
    assert!((metres - 2_600.0).abs() < 5.0, "{metres}");
}

#[test]
fn shortest_and_cheapest_differ_from_fastest() {
    // From west to east: straight over a slow street, round over a fast toll road, and round without.
    let at =
        [(0.0, 0.0), (1_000.0, 0.0), (0.0, 300.0), (1_000.0, 300.0), (-200.0, 0.0), (1_200.0, 0.0)];
    let mut nodes: Vec<_> = at.map(|(east, north)| node(east, north)).into();
    nodes.extend([node(0.0, -500.0), node(1_000.0, -500.0)]);
    let ends = [(4, 0), (1, 5), (0, 1), (0, 2), (2, 3), (3, 1), (0, 6), (6, 7), (7, 1)];
    let mut links: Vec<_> = ends.map(|(from, to)| street(&nodes, from, to)).into();
    links[2].kmh = 6;
    links[4].kmh = 120;
    links[4].toll = true;
    links[7].kmh = 60;
    let network = network(nodes, links);
    let (from, to) = (on(&network, 0, 0.0), on(&network, 1, 1.0));
    let by = |prefer| {
        way(&network, from, to, &RouteOptions { prefer, ..RouteOptions::default() }).unwrap()
    };
    let (fast, short) = (by(Prefer::Fastest), by(Prefer::Shortest));
    assert!(fast.legs.iter().any(|it| it.toll) && fast.seconds < short.seconds);
    assert!((short.metres - 1_400.0).abs() < 1.0 && short.metres < fast.metres, "{}", short.metres);
    let cheap = by(Prefer::Cheapest);
    assert!(cheap.legs.iter().all(|it| !it.toll) && cheap.metres < fast.metres);
    // Beside it, the fastest is shown.
    let bytes = write(&network).unwrap();
    let graph = Graph::open(&bytes[..]).unwrap();
    let options = RouteOptions { prefer: Prefer::Shortest, ways: 3, ..RouteOptions::default() };
    let ways = graph.ways(from, to, &options).unwrap();
    assert!((ways[0].metres - short.metres).abs() < 0.1 && ways.len() >= 2);
    assert!((ways[1].seconds - fast.seconds).abs() < 0.1);
}

#[test]
fn bicycles_ride_on_paths_and_against_traffic_where_allowed() {
    let mut grid = grid(3, 3, &[]);
    grid.links[0].cars = (false, true);
    let cycle = RouteOptions { mode: Mode::Cycle, ..RouteOptions::default() };
    let (from, to) = (on(&grid, 0, 0.2), on(&grid, 0, 0.8));
    let along = way(&grid, from, to, &cycle).unwrap();
    assert!((along.seconds - 120.0 / (16.0 / 3.6)).abs() < 0.5, "{}", along.seconds);
    grid.links[0].cycles = (false, true);
    assert!(way(&grid, from, to, &cycle).unwrap().metres > 600.0);
    grid.links[0].class = Class::Path;
    grid.links[0].cycles = (true, true);
    let path = way(&grid, from, to, &cycle).unwrap();
    assert!((path.seconds - 120.0 / (12.0 / 3.6)).abs() < 0.5, "{}", path.seconds);
}
