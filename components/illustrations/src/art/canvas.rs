//! The canvas: fills and strokes shapes, and draws light and haze.

use tiny_skia::{
    Color, FillRule, GradientStop, LinearGradient, Mask, Paint, Pixmap, Point as SkiaPoint,
    RadialGradient, Shader, SpreadMode, Stroke, Transform,
};

use super::shape::{Point, Shape};

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

/// Creates a horizontal gradient with colour stops.
pub(crate) fn across<const N: usize>(left: f32, right: f32, stops: [(f32, Tint); N]) -> Ink {
    Ink::Line([left, 0.0], [right, 0.0], stops.to_vec())
}

/// Creates a gradient from one point to another.
pub(crate) fn slope(from: Point, to: Point, first: Tint, last: Tint) -> Ink {
    Ink::Line(from, to, vec![(0.0, first), (1.0, last)])
}

/// Creates a radial gradient.
pub(crate) fn round(x: f32, y: f32, radius: f32, inner: Tint, outer: Tint) -> Ink {
    Ink::Round([x, y], radius, vec![(0.0, inner), (1.0, outer)])
}

/// An ink, and the rim light of the filled shape.
pub(crate) struct Look(Ink, Option<(Tint, Point)>);

impl From<Ink> for Look {
    fn from(ink: Ink) -> Self {
        Self(ink, None)
    }
}

impl From<Tint> for Look {
    fn from(tint: Tint) -> Self {
        Self(Ink::Flat(tint), None)
    }
}

/// Creates a look whose edge has the tint `rim` towards the light.
pub(crate) fn lit(ink: impl Into<Ink>, rim: Tint, light: Point) -> Look {
    Look(ink.into(), Some((rim, light)))
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
    /// Adds a colour stop between the first and the last.
    pub(crate) fn with(mut self, at: f32, tint: Tint) -> Self {
        if let Self::Line(.., stops) | Self::Round(.., stops) = &mut self {
            stops.insert(stops.len() - 1, (at, tint));
        }
        self
    }

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

    /// Draws a sky with colour stops from 0 at the top to 1 at the bottom.
    pub(crate) fn sky(&mut self, stops: &[(f32, u32)]) {
        let rows = self.height();
        self.rows(|y| {
            let at = y / rows;
            let above = stops.iter().rev().find(|it| it.0 <= at).unwrap_or(&stops[0]);
            let below = stops.iter().find(|it| it.0 > at).unwrap_or(above);
            let share = (at - above.0) / (below.0 - above.0).max(0.001);
            c(above.1).to(c(below.1), share.clamp(0.0, 1.0))
        });
    }

    pub(crate) fn width(&self) -> f32 {
        self.map.width() as f32
    }

    pub(crate) fn height(&self) -> f32 {
        self.map.height() as f32
    }

    /// Lays a tint over each row.
    fn rows(&mut self, tint: impl Fn(f32) -> Tint) {
        let width = self.map.width() as usize * 4;
        for (y, row) in self.map.data_mut().chunks_exact_mut(width).enumerate() {
            let tint = tint(y as f32);
            if tint.1 <= 0.0 {
                continue;
            }
            let over = tint.channels().map(|it| it * tint.1);
            let rest = 1.0 - tint.1;
            for pixel in row.chunks_exact_mut(4) {
                for (old, over) in pixel.iter_mut().zip(over) {
                    *old = byte(f32::from(*old) * rest + over + 0.5);
                }
            }
        }
    }

    /// Draws mist that grows from `from` to `to` and fades over the same distance beyond.
    pub(crate) fn mist(&mut self, from: f32, to: f32, tint: Tint) {
        self.rows(|y| {
            let share = (1.0 - ((y - to) / (to - from)).abs()).max(0.0);
            tint.a(tint.1 * share * share * (3.0 - 2.0 * share))
        });
    }

    /// Returns the mask of a shape.
    pub(crate) fn mask(&self, shape: &Shape) -> Option<Mask> {
        let mut mask = Mask::new(self.map.width(), self.map.height())?;
        mask.fill_path(&shape.path()?, FillRule::Winding, true, Transform::identity());
        Some(mask)
    }

    /// Lights the edge of the shape that faces the light.
    fn rim(&mut self, shape: &Shape, rim: Tint, light: Point) -> Option<()> {
        let path = shape.path()?;
        let bounds = path.bounds();
        let (left, top) = (bounds.left().max(0.0).floor(), bounds.top().max(0.0).floor());
        let width = (bounds.right().min(self.width()).ceil() - left) as u32;
        let height = (bounds.bottom().min(self.height()).ceil() - top) as u32;
        let (mut whole, mut rest) = (Mask::new(width, height)?, Mask::new(width, height)?);
        let here = Transform::from_translate(-left, -top);
        whole.fill_path(&path, FillRule::Winding, true, here);
        rest.fill_path(&path, FillRule::Winding, true, here.post_translate(-light[0], -light[1]));
        let over = rim.channels();
        let stride = self.map.width() as usize;
        let start = top as usize * stride + left as usize;
        let pixels = self.map.data_mut();
        let rows = whole.data().chunks(width as usize).zip(rest.data().chunks(width as usize));
        for (y, (whole, rest)) in rows.enumerate() {
            let row = &mut pixels[(start + y * stride) * 4..];
            for ((pixel, whole), rest) in row.chunks_exact_mut(4).zip(whole).zip(rest) {
                let edge = whole.saturating_sub(*rest);
                if edge > 0 {
                    let share = f32::from(edge) / 255.0 * rim.1;
                    for (old, over) in pixel.iter_mut().zip(over) {
                        *old = byte(f32::from(*old) * (1.0 - share) + over * share + 0.5);
                    }
                }
            }
        }
        Some(())
    }
}

impl Shape {
    pub(crate) fn fill(&self, canvas: &mut Canvas, look: impl Into<Look>) {
        let Look(ink, light) = look.into();
        self.fill_within(canvas, ink, None);
        if let Some((rim, light)) = light {
            canvas.rim(self, rim, light);
        }
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
