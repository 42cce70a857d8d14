//! Shapes made of points: smooth outlines, tapering limbs and regular shapes; reproducible random numbers and smooth
//! noise.

use std::f32::consts::{PI, TAU};

use tiny_skia::{Path, PathBuilder, Transform};

/// A point on the picture.
pub(crate) type Point = [f32; 2];

/// Number of segments between two points of a smooth line.
const PIECES: u8 = 7;

/// One or more closed outlines, filled as one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape(pub(crate) Vec<Vec<Point>>);

/// Points of a line, and whether each is a corner.
pub(crate) trait Points {
    fn points(self) -> Vec<(Point, bool)>;
}

/// Points as `x,y x,y`; one with `!` before it is a corner.
impl<T: AsRef<str> + ?Sized> Points for &T {
    fn points(self) -> Vec<(Point, bool)> {
        let number = |it: &str| it.parse().unwrap_or(0.0);
        let point = |text: &str| {
            let (x, y) = text.trim_start_matches('!').split_once(',')?;
            Some(([number(x), number(y)], text.starts_with('!')))
        };
        self.as_ref().split_whitespace().filter_map(point).collect()
    }
}

/// Computed points without corners.
impl<const N: usize> Points for [Point; N] {
    fn points(self) -> Vec<(Point, bool)> {
        self.map(|it| (it, false)).to_vec()
    }
}

/// Rows of numbers as `1,2,3 4,5,6`: places, and what else differs from one to the next, such as a size.
pub(crate) fn rows<const N: usize>(text: &str) -> Vec<[f32; N]> {
    let numbers = |row: &str| {
        let mut numbers = row.split(',').map(|it| it.parse().unwrap_or(0.0));
        std::array::from_fn(|_| numbers.next().unwrap_or(0.0))
    };
    text.split_whitespace().map(numbers).collect()
}

fn add(a: Point, b: Point, times: f32) -> Point {
    [a[0] + b[0] * times, a[1] + b[1] * times]
}

/// A point on the Catmull-Rom spline from `b` to `c` with the neighbours `a` and `d`.
fn between(a: Point, b: Point, c: Point, d: Point, t: f32) -> Point {
    let at = |i: usize| {
        let (p0, p1, p2, p3) = (a[i], b[i], c[i], d[i]);
        let cubic =
            (2.0 * p0 - 5.0 * p1 + 4.0 * p2 - p3) * t + (3.0 * p1 - p0 - 3.0 * p2 + p3) * t * t;
        p1 + 0.5 * t * ((p2 - p0) + cubic)
    };
    [at(0), at(1)]
}

fn smooth(points: &[(Point, bool)], is_closed: bool) -> Vec<Point> {
    let count = points.len();
    let last = if is_closed { count } else { count.saturating_sub(1) };
    let mut line = Vec::with_capacity(last * usize::from(PIECES) + 1);
    for i in 0..last {
        let at = |i: usize| points[i % count];
        let (b, c) = (at(i), at(i + 1));
        let before = if i == 0 && !is_closed { b } else { at(i + count - 1) };
        let after = if i + 2 >= count && !is_closed { c } else { at(i + 2) };
        let a = if b.1 { b.0 } else { before.0 };
        let d = if c.1 { c.0 } else { after.0 };
        for piece in 0..PIECES {
            line.push(between(a, b.0, c.0, d, f32::from(piece) / f32::from(PIECES)));
        }
    }
    if !is_closed && let Some(end) = points.last() {
        line.push(end.0);
    }
    line
}

/// A closed outline, smooth but at its corners.
pub(crate) fn blob(line: impl Points) -> Shape {
    Shape(vec![smooth(&line.points(), true)])
}

/// A closed outline of straight lines.
pub(crate) fn poly(line: impl Points) -> Shape {
    Shape(vec![line.points().into_iter().map(|it| it.0).collect()])
}

/// A rectangle between two corners.
pub(crate) fn bar(x: f32, y: f32, to_x: f32, to_y: f32) -> Shape {
    poly([[x, y], [x, to_y], [to_x, to_y], [to_x, y]])
}

/// A smooth line whose thickness follows `widths`.
pub(crate) fn limb(line: impl Points, widths: &[f32]) -> Shape {
    thick(&smooth(&line.points(), false), widths)
}

/// The points of a smooth line.
pub(crate) fn line(line: impl Points) -> Vec<Point> {
    smooth(&line.points(), false)
}

pub(crate) fn thick(line: &[Point], widths: &[f32]) -> Shape {
    let count = line.len();
    if count < 2 || widths.is_empty() {
        return Shape::default();
    }
    let (mut left, mut right) = (Vec::with_capacity(count * 2), Vec::with_capacity(count));
    for (i, here) in line.iter().enumerate() {
        let (before, after) = (line[i.saturating_sub(1)], line[(i + 1).min(count - 1)]);
        let along = add(after, before, -1.0);
        let length = along[0].hypot(along[1]).max(0.001);
        let at = i as f32 / (count - 1) as f32 * (widths.len() - 1) as f32;
        let (low, share) = (at as usize, at.fract());
        let high = (low + 1).min(widths.len() - 1);
        let half = (widths[low] * (1.0 - share) + widths[high] * share) / 2.0 / length;
        left.push([here[0] - along[1] * half, here[1] + along[0] * half]);
        right.push([here[0] + along[1] * half, here[1] - along[0] * half]);
    }
    left.extend(right.into_iter().rev());
    let mut shape = Shape(vec![left]);
    for (end, width) in [(line[0], widths[0]), (line[count - 1], widths[widths.len() - 1])] {
        if width > 3.0 {
            shape = shape.and(disc(end[0], end[1], width / 2.0, width / 2.0));
        }
    }
    shape
}

/// An ellipse around `(x, y)` with the radii `rx` and `ry`.
pub(crate) fn disc(x: f32, y: f32, rx: f32, ry: f32) -> Shape {
    let corner = |i: u8| {
        let angle = TAU * f32::from(i) / 48.0;
        [x + rx * angle.cos(), y + ry * angle.sin()]
    };
    Shape(vec![(0..48).map(corner).collect()])
}

/// A star of `count` points between two radii; the first one at `turn`, in radians from the top.
pub(crate) fn star(x: f32, y: f32, count: u8, outer: f32, inner: f32, turn: f32) -> Shape {
    let corner = |i: u8| {
        let angle = turn - PI / 2.0 + PI * f32::from(i) / f32::from(count);
        let radius = if i.is_multiple_of(2) { outer } else { inner };
        [x + radius * angle.cos(), y + radius * angle.sin()]
    };
    Shape(vec![(0..count * 2).map(corner).collect()])
}

/// A gear wheel without its hole.
pub(crate) fn gear(x: f32, y: f32, radius: f32, teeth: u8, turn: f32) -> Shape {
    let tooth = TAU / f32::from(teeth);
    let corner = |i: u16| {
        let (part, at) = (i % 4, f32::from(i / 4));
        let angle = turn + tooth * (at + [0.0, 0.12, 0.42, 0.54][usize::from(part)]);
        let radius = if part == 1 || part == 2 { radius } else { radius * 0.84 };
        [x + radius * angle.cos(), y + radius * angle.sin()]
    };
    Shape(vec![(0..u16::from(teeth) * 4).map(corner).collect()])
}

/// A leaf or a feather from one point to another, as wide as `width` in the middle.
pub(crate) fn leaf(from: Point, to: Point, width: f32) -> Shape {
    let along = add(to, from, -1.0);
    let length = along[0].hypot(along[1]).max(0.001);
    let aside = [-along[1] / length * width / 2.0, along[0] / length * width / 2.0];
    let middle = add(from, along, 0.45);
    let outline = [
        (from, true),
        (add(middle, aside, 1.0), false),
        (to, true),
        (add(middle, aside, -1.0), false),
    ];
    Shape(vec![smooth(&outline, true)])
}

impl Shape {
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    fn map(mut self, to: impl Fn(Point) -> Point) -> Self {
        for point in self.0.iter_mut().flatten() {
            *point = to(*point);
        }
        self
    }

    pub(crate) fn moved(self, x: f32, y: f32) -> Self {
        self.map(|it| [it[0] + x, it[1] + y])
    }

    /// Larger or smaller around a place.
    pub(crate) fn scaled(self, x: f32, y: f32, times: f32) -> Self {
        self.map(|it| [x + (it[0] - x) * times, y + (it[1] - y) * times])
    }

    /// Turned around a place, in radians.
    pub(crate) fn turned(self, x: f32, y: f32, angle: f32) -> Self {
        let (sin, cos) = angle.sin_cos();
        self.map(|point| {
            let (dx, dy) = (point[0] - x, point[1] - y);
            [x + dx * cos - dy * sin, y + dx * sin + dy * cos]
        })
    }

    /// Its mirror image on the other side of `x`.
    pub(crate) fn flipped(self, x: f32) -> Self {
        self.map(|it| [2.0 * x - it[0], it[1]])
    }

    /// With its mirror image.
    pub(crate) fn doubled(self, x: f32) -> Self {
        let other = self.clone().flipped(x);
        self.and(other)
    }

    /// Returns the path for the rasteriser; all outlines have the same direction, so that none cuts a hole into
    /// another.
    pub(crate) fn path(&self) -> Option<Path> {
        let mut path = PathBuilder::new();
        for outline in &self.0 {
            let mut outline = outline.clone();
            let next = outline.iter().cycle().skip(1);
            let area: f32 = outline.iter().zip(next).map(|(a, b)| a[0] * b[1] - b[0] * a[1]).sum();
            if area < 0.0 {
                outline.reverse();
            }
            let mut rest = outline.into_iter();
            let Some(first) = rest.next() else { continue };
            path.move_to(first[0], first[1]);
            rest.for_each(|it| path.line_to(it[0], it[1]));
            path.close();
        }
        path.finish()
    }

    /// Returns the path for the rasteriser, scaled.
    pub(crate) fn path_at(&self, scale: f32) -> Option<Path> {
        self.path()?.transform(Transform::from_scale(scale, scale))
    }
}

/// A random number generator that depends only on its seed.
#[derive(Clone, Debug)]
pub(crate) struct Dice(u32);

impl Dice {
    pub(crate) fn new(seed: u32) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9) ^ 0x85eb_ca6b)
    }

    /// Returns a number from 0 to 1.
    pub(crate) fn roll(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9);
        unit(mix(self.0))
    }

    pub(crate) fn within(&mut self, least: f32, most: f32) -> f32 {
        least + (most - least) * self.roll()
    }
}

fn mix(mut bits: u32) -> u32 {
    bits = (bits ^ (bits >> 16)).wrapping_mul(0x7feb_352d);
    bits = (bits ^ (bits >> 15)).wrapping_mul(0x846c_a68b);
    bits ^ (bits >> 16)
}

fn unit(bits: u32) -> f32 {
    (bits >> 8) as f32 / 16_777_216.0
}

fn corner(x: i32, y: i32, seed: u32) -> f32 {
    unit(mix((x as u32).wrapping_mul(0x27d4_eb2f) ^ mix((y as u32).wrapping_add(seed))))
}

/// Smooth noise from 0 to 1, with about one hill per unit.
pub(crate) fn noise(x: f32, y: f32, seed: u32) -> f32 {
    let (left, top) = (x.floor(), y.floor());
    let (u, v) = (x - left, y - top);
    let (u, v) = (u * u * (3.0 - 2.0 * u), v * v * (3.0 - 2.0 * v));
    let (left, top) = (left as i32, top as i32);
    let above = corner(left, top, seed) * (1.0 - u) + corner(left + 1, top, seed) * u;
    let below = corner(left, top + 1, seed) * (1.0 - u) + corner(left + 1, top + 1, seed) * u;
    above * (1.0 - v) + below * v
}

/// Noise with finer noise on it, from 0 to 1.
pub(crate) fn rough(mut x: f32, mut y: f32, seed: u32, octaves: u32) -> f32 {
    let (mut sum, mut weight, mut whole) = (0.0, 0.5, 0.0);
    for octave in 0..octaves {
        sum += weight * noise(x, y, seed.wrapping_add(octave * 101));
        whole += weight;
        weight *= 0.5;
        (x, y) = (x * 2.03 + 11.7, y * 2.03 + 5.3);
    }
    sum / whole
}
