//! 深淵魔導: magic out of a night without a floor.

mod eye;
mod gate;
mod grimoire;
mod luna;
mod nox;
mod nuit;

use super::{
    Cards,
    canvas::{Canvas, Ink, Tint, across, c, down, lit, round},
    noise::Dice,
    shape::{Shape, bar, blob, disc, leaf, limb, line, poly, star, thick},
};

const NIGHT: Tint = c(0x0a0420);
const DEEP: Tint = c(0x2b0f5c);
const VIOLET: Tint = c(0x6b2fb8);
const LIGHT: Tint = c(0xc583ff);
const PALE: Tint = c(0xffe1ff);
const CYAN: Tint = c(0x60f0e8);
const WHITE: Tint = c(0xffffff);

pub(super) const CARDS: Cards = [
    ("nox", nox::draw),
    ("grimoire", grimoire::draw),
    ("eye", eye::draw),
    ("luna", luna::draw),
    ("gate", gate::draw),
    ("nuit", nuit::draw),
];

/// A circle of magic: rings, a star, signs around it.
fn circle(it: &mut Canvas, x: f32, y: f32, radius: f32, flat: f32, tint: Tint) {
    let squeeze = |shape: Shape| {
        Shape(
            shape
                .0
                .into_iter()
                .map(|it| it.into_iter().map(|p| [p[0], y + (p[1] - y) * flat]).collect())
                .collect(),
        )
    };
    squeeze(disc(x, y, radius, radius)).aura(it, radius * 0.3, tint.a(0.28));
    for (size, width) in [(1.0, 3.4), (0.93, 1.2), (0.68, 2.0), (0.64, 0.9), (0.3, 1.6)] {
        squeeze(disc(x, y, radius * size, radius * size)).stroke(it, width, tint);
    }
    for turn in [0.0, std::f32::consts::PI] {
        squeeze(star(x, y, 3, radius * 0.92, radius * 0.46, turn)).stroke(it, 1.8, tint);
    }
    for i in 0..16_u8 {
        let angle = f32::from(i) * std::f32::consts::FRAC_PI_8;
        let at = [x + angle.cos() * radius * 0.8, y + angle.sin() * radius * 0.8];
        let size = radius * 0.055;
        let sign = match i % 4 {
            0 => star(at[0], at[1], 4, size, size * 0.3, angle),
            1 => poly([
                [at[0] - size, at[1] + size],
                [at[0] + size, at[1] + size],
                [at[0], at[1] - size],
            ]),
            2 => disc(at[0], at[1], size * 0.6, size * 0.6),
            _ => thick(&[[at[0] - size, at[1]], [at[0] + size, at[1]]], &[3.0, 3.0])
                .and(thick(&[[at[0], at[1] - size], [at[0], at[1] + size]], &[3.0, 3.0])),
        };
        squeeze(sign).fill(it, tint.to(WHITE, 0.4));
    }
}
