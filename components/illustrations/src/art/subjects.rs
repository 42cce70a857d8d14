//! Parts that several subjects have: wings of skin and of feathers, figures in cloaks.

use super::{
    canvas::{Canvas, Ink, Tint, c},
    shape::{Point, Shape, leaf, limb, thick},
};

fn along(a: Point, b: Point, share: f32) -> Point {
    [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share]
}

/// A wing of skin between fingers: from the shoulder over the wrist to the tips, and back to the hip.
pub(crate) fn membrane(shoulder: Point, wrist: Point, tips: &[Point], hip: Point) -> Shape {
    let mut outline = vec![shoulder, wrist];
    outline.extend(tips.first());
    let ends = tips.iter().skip(1).chain([&hip]);
    for (from, to) in tips.iter().zip(ends) {
        let pull = along(along(*from, *to, 0.5), wrist, 0.3);
        for i in 1..=6_u8 {
            let t = f32::from(i) / 6.0;
            outline.push(along(along(*from, pull, t), along(pull, *to, t), t));
        }
    }
    Shape(vec![outline])
}

/// The fingers of such a wing.
pub(crate) fn fingers(shoulder: Point, wrist: Point, tips: &[Point], width: f32) -> Shape {
    let mut bones = thick(&[shoulder, wrist], &[width * 1.3, width]);
    for tip in tips {
        let bow = along(along(wrist, *tip, 0.5), [wrist[0], tip[1].min(wrist[1])], 0.12);
        bones = bones.and(thick(&[wrist, bow, *tip], &[width * 0.8, width * 0.5, 0.5]));
    }
    bones
}

/// A wing of feathers that spreads from a shoulder: angles in radians, lengths in pixels, first and last.
pub(crate) fn feathers(
    at: Point,
    count: u8,
    angles: [f32; 2],
    lengths: [f32; 2],
    width: f32,
) -> Shape {
    let mut wing = Shape::default();
    for i in 0..count {
        let share = f32::from(i) / f32::from(count.max(2) - 1);
        let angle = angles[0] + (angles[1] - angles[0]) * share;
        let bulge = 1.0 + 0.25 * (share * std::f32::consts::PI).sin();
        let length = (lengths[0] + (lengths[1] - lengths[0]) * share) * bulge;
        let to = [at[0] + angle.cos() * length, at[1] + angle.sin() * length];
        wing = wing.and(leaf(at, to, width));
    }
    wing
}

impl Canvas {
    /// Layers of feathers, each shorter and lighter than the one below it.
    pub(crate) fn plumage(
        &mut self,
        at: Point,
        angles: [f32; 2],
        lengths: [f32; 2],
        width: f32,
        tints: [Tint; 2],
    ) {
        for (layer, size) in [(0_u8, 1.0), (1, 0.74), (2, 0.48)] {
            let tint = tints[0].to(tints[1], f32::from(layer) / 2.0);
            let reach = lengths[0].max(lengths[1]) * size;
            let lengths = lengths.map(|it| it * size);
            let ink = Ink::Round(at, reach, vec![(0.0, tint.to(tints[1], 0.3)), (1.0, tint)]);
            for i in 0..11_u8 {
                let share = f32::from(i) / 10.0;
                let angle = angles[0] + (angles[1] - angles[0]) * share;
                let feather = feathers(
                    at,
                    1,
                    [angle, angle],
                    [lengths[0] + (lengths[1] - lengths[0]) * share; 2],
                    width * size,
                );
                feather.fill(self, ink.clone());
                feather.stroke(self, 0.8, tints[0].to(c(0), 0.35).a(0.45));
            }
        }
    }

    /// Windows, lanterns: a small light with a glow around it.
    pub(crate) fn lamp(&mut self, x: f32, y: f32, size: f32, tint: Tint) {
        self.glow(x, y, size * 6.0, tint.a(0.6));
        super::shape::disc(x, y, size, size).fill(self, tint.to(c(0xffffff), 0.7));
    }

    /// A trail of smoke, wider and fainter with its length.
    pub(crate) fn smoke(&mut self, trail: &str, widths: &[f32], tint: Tint) {
        let trail = limb(trail, widths);
        trail.shadow(self, 22.0, tint);
    }
}
