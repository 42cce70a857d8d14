//! 紅蓮機工: engines, gears and fire.

mod blaze;
mod falco;
mod gard;
mod heart;
mod homura;
mod volcano;

use super::{
    Cards,
    canvas::{Canvas, Ink, Tint, across, c, down, lit, round},
    noise::Dice,
    shape::{Shape, bar, blob, disc, gear, leaf, limb, poly, star, thick},
};

const NIGHT: Tint = c(0x1a0508);
const DEEP: Tint = c(0x5e0f14);
const RED: Tint = c(0xc23318);
const FIRE: Tint = c(0xff8a3c);
const PALE: Tint = c(0xffe9b8);
const STEEL: Tint = c(0x463038);
const IRON: Tint = c(0x1f1218);

pub(super) const CARDS: Cards = [
    ("volcano", volcano::draw),
    ("blaze", blaze::draw),
    ("gard", gard::draw),
    ("heart", heart::draw),
    ("falco", falco::draw),
    ("homura", homura::draw),
];

/// A mountain that pours fire.
fn crater(it: &mut Canvas, x: f32, base: f32, height: f32, wide: f32) {
    let top = base - height;
    it.glow(x, top, height * 1.1, FIRE.a(0.9));
    let slope = poly([
        [x - wide, base],
        [x - 34.0, top],
        [x, top + 12.0],
        [x + 34.0, top],
        [x + wide, base],
    ]);
    slope.fill(it, lit(down(top, c(0x741c1a), base, NIGHT), FIRE.a(0.8), [0.0, -3.0]));
    for (dx, w, l) in [(-12.0, 10.0, 0.7), (6.0, 13.0, 0.95), (22.0, 7.0, 0.55)] {
        let end = top + height * l;
        let stream = limb(
            [[x + dx, top + 6.0], [x + dx * 2.2, top + height * 0.3], [x + dx * 3.6, end]],
            &[w, w * 0.8, 1.0],
        );
        stream.aura(it, 18.0, FIRE.a(0.7));
        stream.fill(it, down(top, PALE, end, RED));
    }
}
