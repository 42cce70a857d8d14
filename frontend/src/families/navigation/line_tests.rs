//! Lines are decoded, thinned and found as they are, hostile ones too.

use super::*;

const WORLD: Viewport = Viewport { south: -90.0, west: -180.0, north: 90.0, east: 180.0 };

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) as f64 / (1_u64 << 31) as f64
    }
}

/// Metres between two places that are near each other.
fn metres(a: Point, b: Point) -> f64 {
    (b.0 - a.0).hypot((b.1 - a.1) * a.0.to_radians().cos()).to_radians() * 6_371_008.8
}

/// A walk that begins in Tokyo.
fn walk(seed: u64, count: usize, stride: f64) -> Vec<Point> {
    let mut dice = Dice(seed);
    let mut at = (35.68, 139.76);
    let step = |_| {
        let next = (at.0 + (dice.roll() - 0.4) * stride, at.1 + (dice.roll() - 0.6) * stride);
        std::mem::replace(&mut at, next)
    };
    (0..count).map(step).collect()
}

fn encoded(points: &[Point]) -> String {
    let template = polyline::decode_polyline("??", 5).unwrap().0[0];
    let place = |it: &Point| {
        let mut place = template;
        (place.y, place.x) = *it;
        place
    };
    polyline::encode_coordinates(points.iter().map(place), 5).unwrap()
}

#[test]
fn a_line_is_decoded_to_where_it_was() {
    for seed in 0..20 {
        let points = walk(seed, 200, 0.01);
        let back = decode(&encoded(&points)).unwrap();
        assert_eq!(back.len(), points.len());
        let is_near = |(a, b): (&Point, &Point)| {
            (a.0 - b.0).abs() <= 0.000_006 && (a.1 - b.1).abs() <= 0.000_006
        };
        assert!(back.iter().zip(&points).all(is_near), "seed {seed}");
    }
    let known = decode("_p~iF~ps|U_ulLnnqC_mqNvxq`@").unwrap();
    assert_eq!(known, [(38.5, -120.2), (40.7, -120.95), (43.252, -126.453)]);
    assert_eq!(decode(""), Some(Vec::new()));
}

#[test]
fn hostile_lines_are_refused_and_break_nothing() {
    let too_many = "??".repeat(POINTS_MAX + 1);
    let too_long = "?".repeat(ENCODED_BYTES_MAX + 1);
    let endless = "~".repeat(100);
    for bad in ["?", "日本", "\u{0}\u{1}", "~~~~~~~~~~~~~?", &endless, &too_many, &too_long] {
        assert_eq!(decode(bad), None, "{}", &bad.chars().take(20).collect::<String>());
    }
    assert!(decode(&"??".repeat(POINTS_MAX)).is_some());
    let mut dice = Dice(7);
    for _ in 0..2_000 {
        let text: String = (0..40).map(|_| char::from(63 + (dice.roll() * 64.0) as u8)).collect();
        for (lat, lng) in decode(&text).into_iter().flatten() {
            assert!(lat.abs() <= 90.0 && lng.abs() <= 180.0, "{text}");
        }
    }
}

#[test]
fn draws_points_of_the_line_in_their_order_with_both_ends() {
    for seed in 0..20 {
        let points = walk(seed, 3_000, 0.002);
        let weights = Weights::of(&points);
        for zoom in [4.0, 9.0, 14.0, 19.0] {
            let runs = drawn(&points, &weights, zoom, &WORLD);
            assert_eq!(runs.len(), 1, "nothing is out of sight");
            let run = &runs[0];
            assert!(run.windows(2).all(|it| it[0] < it[1]), "seed {seed}");
            assert_eq!((run[0], run[run.len() - 1]), (0, points.len() - 1));
        }
    }
}

#[test]
fn the_nearer_one_looks_the_more_is_drawn_and_never_too_much() {
    let points = walk(3, 100_000, 0.000_5);
    let weights = Weights::of(&points);
    let count = |zoom: f64| drawn(&points, &weights, zoom, &WORLD)[0].len();
    let counts: Vec<usize> = (3..20).map(|zoom| count(f64::from(zoom))).collect();
    assert!(counts.windows(2).all(|it| it[0] <= it[1]), "{counts:?}");
    assert!(counts[0] < 200, "{counts:?}");
    assert!(counts.iter().all(|it| *it <= DRAWN_MAX), "{counts:?}");
    let at = points[50_000];
    let near = Viewport {
        south: at.0 - 0.005,
        west: at.1 - 0.005,
        north: at.0 + 0.005,
        east: at.1 + 0.005,
    };
    let runs = drawn(&points, &weights, 19.0, &near);
    assert!(
        runs.iter().any(|run| run.contains(&50_000)),
        "the middle of what is in sight is drawn"
    );
    assert!(runs.iter().flatten().count() < count(19.0));
}

#[test]
fn the_drawing_stays_within_a_few_pixels_of_the_line() {
    for seed in 0..5 {
        let points = walk(seed, 2_000, 0.002);
        let runs = drawn(&points, &Weights::of(&points), 10.0, &WORLD);
        let kept: Vec<Point> = runs[0].iter().map(|it| points[*it]).collect();
        // A pixel of zoom 10 is some 125 m here.
        for point in &points {
            let index = nearest(&kept, *point).unwrap();
            let ends = [index, (index + 1).min(kept.len() - 1)].map(|it| metres(kept[it], *point));
            let between = metres(kept[index], kept[(index + 1).min(kept.len() - 1)]);
            // The height over the foot, by Heron.
            let half = (ends[0] + ends[1] + between) / 2.0;
            let square = half * (half - ends[0]) * (half - ends[1]) * (half - between);
            let height =
                if between > 0.0 { 2.0 * square.max(0.0).sqrt() / between } else { ends[0] };
            assert!(height < 8.0 * 125.0, "seed {seed}: {height} m");
        }
    }
}

#[test]
fn shapeless_line_keeps_its_ends_and_empty_ones_draw_nothing() {
    let straight: Vec<Point> = (0..1_000).map(|it| (35.0, 139.0 + f64::from(it) / 1e3)).collect();
    let runs = drawn(&straight, &Weights::of(&straight), 12.0, &WORLD);
    assert_eq!(runs, [vec![0, 999]]);
    for few in [&straight[..0], &straight[..1]] {
        assert!(drawn(few, &Weights::of(few), 12.0, &WORLD).is_empty());
    }
    let stays = vec![(35.0, 139.0); 50];
    assert_eq!(drawn(&stays, &Weights::of(&stays), 12.0, &WORLD), [vec![0, 49]]);
}

#[test]
fn the_nearest_point_is_where_the_clicked_part_begins() {
    let line = [(35.0, 139.0), (35.0, 139.1), (35.1, 139.1)];
    assert_eq!(nearest(&line, (35.01, 139.05)), Some(0));
    assert_eq!(nearest(&line, (35.05, 139.12)), Some(1));
    assert_eq!(nearest(&line, (35.2, 139.1)), Some(2), "beyond the end it is the end");
    assert_eq!(nearest(&line, (34.0, 138.0)), Some(0));
    assert_eq!(nearest(&line[..1], (0.0, 0.0)), Some(0));
    assert_eq!(nearest(&[], (0.0, 0.0)), None);
}

#[test]
fn every_point_of_a_line_is_nearest_to_itself() {
    let points = walk(11, 500, 0.01);
    for (index, point) in points.iter().enumerate() {
        let found = nearest(&points, *point).unwrap();
        assert!(found == index || found + 1 == index, "{index}: {found}");
    }
}

#[test]
fn a_sight_holds_what_lies_within_it() {
    let all = around(walk(5, 300, 0.01).iter()).unwrap();
    assert!(all.widened().holds(&all) && !all.holds(&all.widened()));
    assert_eq!(around([].iter()), None);
}
