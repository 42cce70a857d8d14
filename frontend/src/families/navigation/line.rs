//! The line of a route: decoding, simplification for a zoom level, and the nearest point.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Latitude and longitude in degrees.
pub(crate) type Point = (f64, f64);

/// Maximum number of points of a line; a route across Japan has some ten thousand.
pub(crate) const POINTS_MAX: usize = 200_000;
/// Maximum size of an encoded line in bytes.
const ENCODED_BYTES_MAX: usize = 4_000_000;
/// Minimum area of the triangle of a point and its neighbours, in square pixels, for the point to be drawn.
const AREA_MIN_PX: f64 = 0.6;
/// Maximum number of points drawn within the viewport; more are indistinguishable.
const DRAWN_MAX: usize = 4_000;
/// Size of the world at zoom 0, in pixels.
const WORLD_PX: f64 = 256.0;

/// Decodes a line of precision 5; none if it is broken, off the globe or too long.
pub(crate) fn decode(encoded: &str) -> Option<Vec<Point>> {
    // A point has two numbers of at least one byte.
    if encoded.len() > ENCODED_BYTES_MAX || !encoded.is_ascii() {
        return None;
    }
    let line = polyline::decode_polyline(encoded, 5).ok()?;
    let points: Vec<Point> = line.0.iter().map(|it| (it.y, it.x)).collect();
    (points.len() <= POINTS_MAX).then_some(points)
}

/// Projects a point to the map's plane at zoom 0, in pixels.
pub(crate) fn projected((lat, lng): Point) -> (f64, f64) {
    // The map ends here; nearer to the poles it would be infinitely long.
    let sin = lat.clamp(-85.051_128, 85.051_128).to_radians().sin();
    let y = 0.5 - ((1.0 + sin) / (1.0 - sin)).ln() / (4.0 * std::f64::consts::PI);
    ((lng / 360.0 + 0.5) * WORLD_PX, y * WORLD_PX)
}

/// The importance of each point for the line's shape, computed once for all zoom levels.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Weights(Vec<f64>);

impl Weights {
    /// Visvalingam–Whyatt: repeatedly removes the least important point. Unlike Douglas–Peucker, it is equally fast for
    /// a hostile line.
    pub(crate) fn compute(points: &[Point]) -> Self {
        let plane: Vec<_> = points.iter().map(|it| projected(*it)).collect();
        let mut weights = vec![f64::INFINITY; plane.len()];
        let mut left: Vec<usize> = (0..plane.len()).map(|it| it.saturating_sub(1)).collect();
        let mut right: Vec<usize> = (1..=plane.len()).collect();
        let area = |a: usize, b: usize, c: usize| triangle(plane[a], plane[b], plane[c]);
        let mut heap: BinaryHeap<Reverse<(u64, usize)>> = (1..plane.len().saturating_sub(1))
            .map(|it| Reverse((area(it - 1, it, it + 1).to_bits(), it)))
            .collect();
        let mut current: Vec<u64> = vec![0; plane.len()];
        for Reverse((bits, index)) in &heap {
            current[*index] = *bits;
        }
        let mut least = 0.0_f64;
        // Each point is removed once and adds at most two entries; areas are non-negative, so their bits sort.
        while let Some(Reverse((bits, index))) = heap.pop() {
            if weights[index].is_finite() || current[index] != bits {
                continue;
            }
            least = least.max(f64::from_bits(bits));
            weights[index] = least;
            let (before, after) = (left[index], right[index]);
            right[before] = after;
            left[after] = before;
            for it in [before, after] {
                if it > 0 && it + 1 < plane.len() {
                    current[it] = area(left[it], it, right[it]).to_bits();
                    heap.push(Reverse((current[it], it)));
                }
            }
        }
        Self(weights)
    }
}

/// How much `b` adds to a line from `a` to `c`: the area of the triangle. Where the line turns back, it is at least
/// half the square of the way back, because a way to a stop and back on the same road has no area.
fn triangle(a: (f64, f64), b: (f64, f64), c: (f64, f64)) -> f64 {
    let area = ((b.0 - a.0) * (c.1 - a.1) - (c.0 - a.0) * (b.1 - a.1)).abs() / 2.0;
    let (to, back) = ((a.0 - b.0, a.1 - b.1), (c.0 - b.0, c.1 - b.1));
    if to.0 * back.0 + to.1 * back.1 <= 0.0 {
        return area;
    }
    let square = |side: (f64, f64)| side.0 * side.0 + side.1 * side.1;
    area.max(square(to).min(square(back)) / 2.0)
}

/// A visible part of the globe: south, west, north, east.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Viewport {
    pub(crate) south: f64,
    pub(crate) west: f64,
    pub(crate) north: f64,
    pub(crate) east: f64,
}

impl Viewport {
    /// Whether the segment between two points may be visible.
    fn crosses(&self, a: Point, b: Point) -> bool {
        a.0.max(b.0) >= self.south
            && a.0.min(b.0) <= self.north
            && a.1.max(b.1) >= self.west
            && a.1.min(b.1) <= self.east
    }

    /// Whether it contains a point.
    pub(crate) fn has(&self, (lat, lng): Point) -> bool {
        (self.south..=self.north).contains(&lat) && (self.west..=self.east).contains(&lng)
    }

    /// Whether it contains another viewport.
    pub(crate) fn holds(&self, other: &Self) -> bool {
        self.south <= other.south
            && self.north >= other.north
            && self.west <= other.west
            && self.east >= other.east
    }

    /// Enlarged by its own size on every side.
    pub(crate) fn widened(&self) -> Self {
        let (tall, wide) = (self.north - self.south, self.east - self.west);
        Self {
            south: self.south - tall,
            west: self.west - wide,
            north: self.north + tall,
            east: self.east + wide,
        }
    }
}

/// The parts of a line to draw at a zoom level, as runs of point indices. Every drawn point is one of the line's own,
/// so that positions on the drawing are positions on the line.
pub(crate) fn drawn(
    points: &[Point],
    weights: &Weights,
    zoom: f64,
    viewport: &Viewport,
) -> Vec<Vec<usize>> {
    let mut area = AREA_MIN_PX / 4_f64.powf(zoom);
    let mut runs = thinned(points, weights, area, viewport);
    // The world has at most 2⁶⁰ pixels, so this ends long before.
    for _ in 0..30 {
        if runs.iter().map(Vec::len).sum::<usize>() <= DRAWN_MAX {
            break;
        }
        area *= 4.0;
        runs = thinned(points, weights, area, viewport);
    }
    runs
}

fn thinned(points: &[Point], weights: &Weights, area: f64, viewport: &Viewport) -> Vec<Vec<usize>> {
    let mut runs: Vec<Vec<usize>> = Vec::new();
    let mut last: Option<usize> = None;
    let mut is_open = false;
    for (index, _) in weights.0.iter().enumerate().filter(|(_, weight)| **weight >= area) {
        let Some(before) = last.replace(index) else { continue };
        if !viewport.crosses(points[before], points[index]) {
            is_open = false;
            continue;
        }
        match runs.last_mut().filter(|_| is_open) {
            Some(run) => run.push(index),
            None => runs.push(vec![before, index]),
        }
        is_open = true;
    }
    runs
}

/// Index of the point after which the nearest position of the line lies.
pub(crate) fn nearest(points: &[Point], place: Point) -> Option<usize> {
    let shrink = place.0.to_radians().cos();
    let flat = |it: Point| ((it.1 - place.1) * shrink, it.0 - place.0);
    let mut best = (points.first().map(|_| 0)?, f64::INFINITY);
    if let [only] = points {
        return only.0.is_finite().then_some(0);
    }
    for (index, pair) in points.windows(2).enumerate() {
        let (a, b) = (flat(pair[0]), flat(pair[1]));
        let along = (b.0 - a.0, b.1 - a.1);
        let square = along.0 * along.0 + along.1 * along.1;
        let share = if square > 0.0 { -(a.0 * along.0 + a.1 * along.1) / square } else { 0.0 };
        let share = share.clamp(0.0, 1.0);
        let foot = (a.0 + along.0 * share, a.1 + along.1 * share);
        let away = foot.0 * foot.0 + foot.1 * foot.1;
        if away < best.1 {
            let is_at_end = share >= 1.0 && index + 2 == points.len();
            best = (if is_at_end { index + 1 } else { index }, away);
        }
    }
    Some(best.0)
}

/// The smallest viewport around these points.
pub(crate) fn around<'a>(points: impl Iterator<Item = &'a Point>) -> Option<Viewport> {
    points.fold(None, |viewport: Option<Viewport>, (lat, lng)| {
        let (lat, lng) = (*lat, *lng);
        Some(match viewport {
            None => Viewport { south: lat, west: lng, north: lat, east: lng },
            Some(viewport) => Viewport {
                south: viewport.south.min(lat),
                west: viewport.west.min(lng),
                north: viewport.north.max(lat),
                east: viewport.east.max(lng),
            },
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORLD: Viewport = Viewport { south: -90.0, west: -180.0, north: 90.0, east: 180.0 };

    /// A deterministic random generator.
    struct Dice(u64);

    impl Dice {
        fn roll(&mut self) -> f64 {
            self.0 =
                self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
            (self.0 >> 33) as f64 / (1_u64 << 31) as f64
        }
    }

    /// Metres between two nearby points.
    fn metres(a: Point, b: Point) -> f64 {
        (b.0 - a.0).hypot((b.1 - a.1) * a.0.to_radians().cos()).to_radians() * 6_371_008.8
    }

    /// A random walk from Tokyo.
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
        let place = |point: &Point| {
            let mut place = template;
            (place.y, place.x) = *point;
            place
        };
        polyline::encode_coordinates(points.iter().map(place), 5).unwrap()
    }

    #[test]
    fn decodes_line_exactly() {
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
    fn rejects_hostile_lines() {
        let too_many = "??".repeat(POINTS_MAX + 1);
        let too_long = "?".repeat(ENCODED_BYTES_MAX + 1);
        let endless = "~".repeat(100);
        for bad in ["?", "日本", "\u{0}\u{1}", "~~~~~~~~~~~~~?", &endless, &too_many, &too_long] {
            assert_eq!(decode(bad), None, "{}", &bad.chars().take(20).collect::<String>());
        }
        assert!(decode(&"??".repeat(POINTS_MAX)).is_some());
        let mut dice = Dice(7);
        for _ in 0..2_000 {
            let text: String =
                (0..40).map(|_| char::from(63 + (dice.roll() * 64.0) as u8)).collect();
            for (lat, lng) in decode(&text).into_iter().flatten() {
                assert!(lat.abs() <= 90.0 && lng.abs() <= 180.0, "{text}");
            }
        }
    }

    #[test]
    fn draws_line_points_in_order_with_both_ends() {
        for seed in 0..20 {
            let points = walk(seed, 3_000, 0.002);
            let weights = Weights::compute(&points);
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
    fn draws_more_points_when_zoomed_in_up_to_limit() {
        let points = walk(3, 100_000, 0.000_5);
        let weights = Weights::compute(&points);
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
    fn drawing_stays_within_pixels_of_the_line() {
        for seed in 0..5 {
            let points = walk(seed, 2_000, 0.002);
            let runs = drawn(&points, &Weights::compute(&points), 10.0, &WORLD);
            let drawn: Vec<Point> = runs[0].iter().map(|it| points[*it]).collect();
            // A pixel at zoom 10 is some 125 m here.
            for point in &points {
                let index = nearest(&drawn, *point).unwrap();
                let ends =
                    [index, (index + 1).min(drawn.len() - 1)].map(|it| metres(drawn[it], *point));
                let between = metres(drawn[index], drawn[(index + 1).min(drawn.len() - 1)]);
                // The height by Heron's formula.
                let half = (ends[0] + ends[1] + between) / 2.0;
                let square = half * (half - ends[0]) * (half - ends[1]) * (half - between);
                let height =
                    if between > 0.0 { 2.0 * square.max(0.0).sqrt() / between } else { ends[0] };
                assert!(height < 8.0 * 125.0, "seed {seed}: {height} m");
            }
        }
    }

    #[test]
    fn shapeless_line_keeps_ends_and_empty_one_draws_nothing() {
        let straight: Vec<Point> =
            (0..1_000).map(|it| (35.0, 139.0 + f64::from(it) / 1e3)).collect();
        let runs = drawn(&straight, &Weights::compute(&straight), 12.0, &WORLD);
        assert_eq!(runs, [vec![0, 999]]);
        for few in [&straight[..0], &straight[..1]] {
            assert!(drawn(few, &Weights::compute(few), 12.0, &WORLD).is_empty());
        }
        let stays = vec![(35.0, 139.0); 50];
        assert_eq!(drawn(&stays, &Weights::compute(&stays), 12.0, &WORLD), [vec![0, 49]]);
    }

    #[test]
    fn route_to_a_stop_and_back_on_same_road_is_drawn() {
        let north = |step: u32| (35.0 + f64::from(step) / 100.0, 139.0);
        let east = (1..20).map(|step| (35.0, 139.0 + f64::from(step) / 100.0));
        let line: Vec<Point> =
            (0..=10).map(north).chain((0..10).rev().map(north)).chain(east).collect();
        let runs = drawn(&line, &Weights::compute(&line), 10.0, &WORLD);
        assert_eq!(runs, [vec![0, 10, 20, 39]]);
    }

    #[test]
    fn nearest_point_is_start_of_clicked_segment() {
        let line = [(35.0, 139.0), (35.0, 139.1), (35.1, 139.1)];
        assert_eq!(nearest(&line, (35.01, 139.05)), Some(0));
        assert_eq!(nearest(&line, (35.05, 139.12)), Some(1));
        assert_eq!(nearest(&line, (35.2, 139.1)), Some(2), "beyond the end it is the end");
        assert_eq!(nearest(&line, (34.0, 138.0)), Some(0));
        assert_eq!(nearest(&line[..1], (0.0, 0.0)), Some(0));
        assert_eq!(nearest(&[], (0.0, 0.0)), None);
    }

    #[test]
    fn every_point_is_nearest_to_itself() {
        let points = walk(11, 500, 0.01);
        for (index, point) in points.iter().enumerate() {
            let found = nearest(&points, *point).unwrap();
            assert!(found == index || found + 1 == index, "{index}: {found}");
        }
    }

    #[test]
    fn viewport_contains_points_within() {
        let all = around(walk(5, 300, 0.01).iter()).unwrap();
        assert!(all.widened().holds(&all) && !all.holds(&all.widened()));
        assert_eq!(around([].iter()), None);
    }
}
