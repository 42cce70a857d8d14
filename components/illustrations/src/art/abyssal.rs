//! 深淵魔導: magic out of a night without a floor.

mod eye;
mod gate;
mod grimoire;
mod luna;
mod nox;
mod nuit;

use super::{
    canvas::{Canvas, Ink, Tint, c, down, round},
    card,
    noise::Dice,
    shape::{Shape, blob, disc, leaf, limb, line, poly, star, thick},
};

const NIGHT: Tint = c(0x000a_0420);
const DEEP: Tint = c(0x002b_0f5c);
const VIOLET: Tint = c(0x006b_2fb8);
const LIGHT: Tint = c(0x00c5_83ff);
const PALE: Tint = c(0x00ff_e1ff);
const CYAN: Tint = c(0x0060_f0e8);
const WHITE: Tint = c(0x00ff_ffff);

pub(super) fn draw(id: &str) -> Option<Canvas> {
    Some(match id {
        "nox" => nox::draw(),
        "grimoire" => grimoire::draw(),
        "eye" => eye::draw(),
        "luna" => luna::draw(),
        "gate" => gate::draw(),
        "nuit" => nuit::draw(),
        _ => return None,
    })
}

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
    it.aura(&squeeze(disc(x, y, radius, radius)), radius * 0.3, tint.a(0.28));
    for (size, width) in [(1.0, 3.4), (0.93, 1.2), (0.68, 2.0), (0.64, 0.9), (0.3, 1.6)] {
        it.stroke(&squeeze(disc(x, y, radius * size, radius * size)), width, tint);
    }
    for turn in [0.0, std::f32::consts::PI] {
        it.stroke(&squeeze(star(x, y, 3, radius * 0.92, radius * 0.46, turn)), 1.8, tint);
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
        it.fill(&squeeze(sign), tint.to(WHITE, 0.4));
    }
}
