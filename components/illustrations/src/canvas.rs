//! The canvas: fills and strokes shapes, and draws light and haze: glows, auras, clouds, rays and the vignette.

use std::f32::consts::{PI, TAU};

use tiny_skia::{
    Color, FillRule, GradientStop, LinearGradient, Mask, Paint, Path, PathBuilder, Pixmap,
    Point as SkiaPoint, RadialGradient, Shader, SpreadMode, Stroke, Transform,
};

/// A colour and its opacity.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tint(pub(crate) u32, pub(crate) f32);

/// Creates an opaque colour.
pub(crate) const fn c(rgb: u32) -> Tint {
    Tint(rgb, 1.0)
}

impl Tint {
    pub(crate) const fn a(self, alpha: f32) -> Self {
        Self(self.0, alpha)
    }

    pub(crate) fn channels(self) -> [f32; 3] {
        [(self.0 >> 16) as u8, (self.0 >> 8) as u8, self.0 as u8].map(f32::from)
    }

    /// Mixes with another colour.
    pub(crate) fn to(self, other: Self, share: f32) -> Self {
        let (one, two) = (self.channels(), other.channels());
        let at = |i: usize| byte(one[i] + (two[i] - one[i]) * share);
        let rgb = u32::from_be_bytes([0, at(0), at(1), at(2)]);
        Self(rgb, self.1 + (other.1 - self.1) * share)
    }

    fn color(self) -> Color {
        let [r, g, b] = self.channels().map(|it| it / 255.0);
        Color::from_rgba(r, g, b, self.1.clamp(0.0, 1.0)).unwrap_or(Color::BLACK)
    }
}

pub(crate) fn byte(level: f32) -> u8 {
    level.clamp(0.0, 255.0) as u8
}

/// What a shape is filled with.
#[derive(Clone, Debug)]
pub(crate) enum Ink {
    /// A single colour.
    Flat(Tint),
    /// A linear gradient.
    Line(Point, Point, Vec<(f32, Tint)>),
    /// A radial gradient.
    Round(Point, f32, Vec<(f32, Tint)>),
}

/// Creates a vertical gradient from `top` to `bottom`.
pub(crate) fn down(top: f32, upper: Tint, bottom: f32, lower: Tint) -> Ink {
    slope([0.0, top], [0.0, bottom], upper, lower)
}

/// Creates a gradient from one point to another.
pub(crate) fn slope(from: Point, to: Point, first: Tint, last: Tint) -> Ink {
    Ink::Line(from, to, vec![(0.0, first), (1.0, last)])
}

/// Returns a paint of one colour.
pub(crate) fn flat(tint: Tint) -> Paint<'static> {
    Ink::Flat(tint).paint()
}

impl From<Tint> for Ink {
    fn from(tint: Tint) -> Self {
        Self::Flat(tint)
    }
}

impl Ink {
    fn shader(&self) -> Shader<'static> {
        let stops = |all: &[(f32, Tint)]| {
            all.iter().map(|it| GradientStop::new(it.0, it.1.color())).collect::<Vec<_>>()
        };
        let point = |it: &Point| SkiaPoint::from_xy(it[0], it[1]);
        let (pad, still) = (SpreadMode::Pad, Transform::identity());
        let shader = match self {
            Self::Flat(tint) => Some(Shader::SolidColor(tint.color())),
            Self::Line(from, to, all) => {
                LinearGradient::new(point(from), point(to), stops(all), pad, still)
            }
            Self::Round(at, radius, all) => {
                let at = point(at);
                RadialGradient::new(at, 0.0, at, *radius, stops(all), pad, still)
            }
        };
        shader.unwrap_or(Shader::SolidColor(Color::TRANSPARENT))
    }

    pub(crate) fn paint(&self) -> Paint<'static> {
        Paint { shader: self.shader(), anti_alias: true, ..Paint::default() }
    }
}

/// The picture while it is drawn; always opaque.
pub(crate) struct Canvas {
    pub(crate) map: Pixmap,
}

impl Canvas {
    /// Creates a black canvas.
    pub(crate) fn new(width: u32, height: u32) -> Self {
        let mut map = Pixmap::new(width, height).expect("held by a test");
        map.fill(Color::BLACK);
        Self { map }
    }

    pub(crate) fn width(&self) -> f32 {
        self.map.width() as f32
    }

    pub(crate) fn height(&self) -> f32 {
        self.map.height() as f32
    }

    /// Returns the mask of a shape.
    pub(crate) fn mask(&self, shape: &Shape) -> Option<Mask> {
        let mut mask = Mask::new(self.map.width(), self.map.height())?;
        mask.fill_path(&shape.path()?, FillRule::Winding, true, Transform::identity());
        Some(mask)
    }
}

impl Shape {
    pub(crate) fn fill(&self, canvas: &mut Canvas, ink: impl Into<Ink>) {
        self.fill_within(canvas, ink, None);
    }

    pub(crate) fn fill_within(
        &self,
        canvas: &mut Canvas,
        ink: impl Into<Ink>,
        mask: Option<&Mask>,
    ) {
        if let Some(path) = self.path() {
            let paint = ink.into().paint();
            canvas.map.fill_path(&path, &paint, FillRule::Winding, Transform::identity(), mask);
        }
    }

    pub(crate) fn stroke(&self, canvas: &mut Canvas, width: f32, tint: Tint) {
        if let Some(path) = self.path() {
            let stroke = Stroke { width, ..Stroke::default() };
            canvas.map.stroke_path(&path, &flat(tint), &stroke, Transform::identity(), None);
        }
    }
}

/// Grid distance of auras and clouds in pixels; values between are interpolated.
const COARSE: usize = 4;

/// Amounts on a coarse grid.
struct Grid {
    width: usize,
    height: usize,
    amounts: Vec<f32>,
}

impl Grid {
    fn at(&self, x: usize, y: usize) -> f32 {
        self.amounts[y.min(self.height - 1) * self.width + x.min(self.width - 1)]
    }
}

impl Canvas {
    /// Draws a glow around a point, which fades out at `radius`.
    pub(crate) fn glow(&mut self, x: f32, y: f32, radius: f32, tint: Tint) {
        let light = tint.channels().map(|it| it / 255.0 * tint.1);
        let (width, height) = (self.map.width() as usize, self.map.height() as usize);
        let from = ((y - radius).max(0.0) as usize, (x - radius).max(0.0) as usize);
        let to = ((y + radius).max(0.0) as usize, (x + radius).max(0.0) as usize);
        let pixels = self.map.data_mut();
        for row in from.0..to.0.min(height) {
            let dy = (row as f32 - y) / radius;
            for column in from.1..to.1.min(width) {
                let dx = (column as f32 - x) / radius;
                let near = 1.0 - dx * dx - dy * dy;
                if near > 0.0 {
                    let at = (row * width + column) * 4;
                    lighten(&mut pixels[at..at + 3], light, near * near * near);
                }
            }
        }
    }

    fn add(&mut self, grid: &Grid, tint: Tint) {
        let light = tint.channels().map(|it| it / 255.0 * tint.1);
        self.each(grid, |pixel, amount| lighten(pixel, light, amount));
    }

    fn cover(&mut self, grid: &Grid, tint: Tint) {
        let over = tint.channels();
        self.each(grid, |pixel, amount| {
            let amount = amount * tint.1;
            for (old, over) in pixel.iter_mut().zip(over) {
                *old = byte(f32::from(*old) * (1.0 - amount) + over * amount);
            }
        });
    }

    /// Calls `paint` for each pixel with the interpolated value.
    fn each(&mut self, grid: &Grid, paint: impl Fn(&mut [u8], f32)) {
        let width = self.map.width() as usize;
        let rows = self.map.data_mut().chunks_exact_mut(width * 4);
        for (y, row) in rows.enumerate() {
            let (cell_y, v) = (y / COARSE, (y % COARSE) as f32 / COARSE as f32);
            for (cell_x, pixels) in row.chunks_mut(COARSE * 4).enumerate() {
                let column = |x: usize| {
                    let (above, below) = (grid.at(x, cell_y), grid.at(x, cell_y + 1));
                    above + (below - above) * v
                };
                let (left, right) = (column(cell_x), column(cell_x + 1));
                if left <= 0.002 && right <= 0.002 {
                    continue;
                }
                for (x, pixel) in pixels.chunks_exact_mut(4).enumerate() {
                    let amount = left + (right - left) * x as f32 / COARSE as f32;
                    paint(&mut pixel[..3], amount);
                }
            }
        }
    }

    fn blurred(&self, shape: &Shape, reach: f32) -> Option<Grid> {
        let width = self.map.width() as usize / COARSE + 1;
        let height = self.map.height() as usize / COARSE + 1;
        let mut mask = Mask::new(width as u32, height as u32)?;
        let path = shape.path_at(1.0 / COARSE as f32)?;
        mask.fill_path(&path, FillRule::Winding, true, Transform::identity());
        let amounts = mask.data().iter().map(|it| f32::from(*it) / 255.0).collect();
        let mut grid = Grid { width, height, amounts };
        let radius = (reach / COARSE as f32 / 2.0).max(1.0) as usize;
        for _ in 0..3 {
            grid.blur(radius);
        }
        Some(grid)
    }

    /// Draws clouds between two heights; `cover` is their density.
    pub(crate) fn clouds(&mut self, seed: u32, span: [f32; 2], size: f32, cover: f32, tint: Tint) {
        let (width, height) =
            (self.map.width() as usize / COARSE + 2, self.map.height() as usize / COARSE + 2);
        let mut amounts = Vec::with_capacity(width * height);
        let (middle, half) = ((span[0] + span[1]) / 2.0, (span[1] - span[0]) / 2.0);
        for y in 0..height {
            let y = (y * COARSE) as f32;
            let near = (1.0 - ((y - middle) / half).powi(2)).max(0.0);
            for x in 0..width {
                let x = (x * COARSE) as f32;
                let amount = if near > 0.0 {
                    let wave = rough(x / size, y / size * 2.0, seed, 4);
                    ((wave - 1.0 + cover) * 3.2).clamp(0.0, 1.0) * near
                } else {
                    0.0
                };
                amounts.push(amount);
            }
        }
        self.cover(&Grid { width, height, amounts }, tint);
    }

    /// Draws rays of different widths from a point.
    pub(crate) fn rays(&mut self, from: [f32; 2], seed: u32, count: u8, length: f32, tint: Tint) {
        let mut dice = Dice::new(seed);
        for i in 0..count {
            let angle = TAU * (f32::from(i) + dice.within(-0.35, 0.35)) / f32::from(count);
            let reach = length * dice.within(0.6, 1.0);
            let to = [from[0] + angle.cos() * reach, from[1] + angle.sin() * reach];
            let width = dice.within(0.06, 0.2) * reach;
            let ray = thick(&[from, to], &[1.0, width]);
            let faint = vec![(0.0, tint), (1.0, tint.a(0.0))];
            ray.fill(self, Ink::Round(from, reach, faint));
        }
    }

    /// Draws little lights with four points.
    pub(crate) fn sparkles(&mut self, seed: u32, count: u8, area: [f32; 4], tint: Tint) {
        let mut dice = Dice::new(seed);
        for _ in 0..count {
            let (x, y) = (dice.within(area[0], area[2]), dice.within(area[1], area[3]));
            let size = 2.5 + dice.roll().powi(3) * 12.0;
            self.glow(x, y, size * 2.4, tint.a(0.55));
            star(x, y, 4, size, size * 0.16, 0.0).fill(self, c(0xffffff).a(0.92));
        }
    }

    /// Draws soft points, bright in the middle.
    pub(crate) fn motes(&mut self, seed: u32, count: u8, area: [f32; 4], size: f32, tint: Tint) {
        let mut dice = Dice::new(seed);
        for _ in 0..count {
            let (x, y) = (dice.within(area[0], area[2]), dice.within(area[1], area[3]));
            let size = size * (0.35 + dice.roll().powi(2));
            self.glow(x, y, size * 4.5, tint.a(0.5));
            disc(x, y, size, size).fill(self, tint.to(c(0xffffff), 0.7));
        }
    }

    /// Darkens the corners.
    pub(crate) fn vignette(&mut self, strength: f32) {
        let (width, height) = (self.width(), self.height());
        let row_bytes = self.map.width() as usize * 4;
        for (y, row) in self.map.data_mut().chunks_exact_mut(row_bytes).enumerate() {
            let dy = (y as f32 / height - 0.5) * 1.8;
            for (x, pixel) in row.chunks_exact_mut(4).enumerate() {
                let dx = (x as f32 / width - 0.5) * 1.8;
                let far = (dx * dx + dy * dy - 0.35).max(0.0);
                if far > 0.0 {
                    let keep = 1.0 - strength * far.min(1.0);
                    for channel in &mut pixel[..3] {
                        *channel = byte(f32::from(*channel) * keep);
                    }
                }
            }
        }
    }
}

impl Shape {
    /// Draws light around the shape, `reach` wide.
    pub(crate) fn aura(&self, canvas: &mut Canvas, reach: f32, tint: Tint) {
        if let Some(grid) = canvas.blurred(self, reach) {
            canvas.add(&grid, tint);
        }
    }

    /// Draws a soft shadow.
    pub(crate) fn shadow(&self, canvas: &mut Canvas, reach: f32, tint: Tint) {
        if let Some(grid) = canvas.blurred(self, reach) {
            canvas.cover(&grid, tint);
        }
    }
}

impl Grid {
    /// Box blur in two passes.
    fn blur(&mut self, radius: usize) {
        let whole = (2 * radius + 1) as f32;
        for (count, length, step, stride) in
            [(self.height, self.width, self.width, 1), (self.width, self.height, 1, self.width)]
        {
            let mut line = vec![0.0; length];
            for i in 0..count {
                for (k, it) in line.iter_mut().enumerate() {
                    *it = self.amounts[i * step + k * stride];
                }
                let mut sum: f32 = line.iter().take(radius).sum();
                for k in 0..length {
                    sum += line.get(k + radius).copied().unwrap_or(0.0);
                    if k > radius {
                        sum -= line[k - radius - 1];
                    }
                    self.amounts[i * step + k * stride] = sum / whole;
                }
            }
        }
    }
}

/// Adds light by the screen formula, never beyond white.
fn lighten(pixel: &mut [u8], light: [f32; 3], amount: f32) {
    for (old, light) in pixel.iter_mut().zip(light) {
        let dark = 255.0 - f32::from(*old);
        *old = byte(255.0 - dark * (1.0 - light * amount).max(0.0) + 0.5);
    }
}

// Shapes made of points; reproducible random numbers and smooth noise.

/// A point on the picture.
pub(crate) type Point = [f32; 2];

/// One or more closed outlines, filled as one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape(pub(crate) Vec<Vec<Point>>);

fn add(a: Point, b: Point, times: f32) -> Point {
    [a[0] + b[0] * times, a[1] + b[1] * times]
}

/// A closed outline of straight lines through points as `x,y x,y`.
pub(crate) fn poly(points: &str) -> Shape {
    let number = |it: &str| it.parse().unwrap_or(0.0);
    let point = |it: &str| it.split_once(',').map(|(x, y)| [number(x), number(y)]);
    Shape(vec![points.split_whitespace().filter_map(point).collect()])
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
