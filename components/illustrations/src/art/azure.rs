//! 蒼晶竜: dragons and crystals under the moon.

mod ajur;
mod rivie;
mod roar;
mod ruri;
mod seiran;
mod spire;

use super::{
    Cards,
    canvas::{Canvas, Ink, Tint, c, down, lit, round},
    shape::{Shape, blob, disc, leaf, limb, poly, star, thick},
    subjects::{fingers, membrane},
};

const NIGHT: Tint = c(0x061436);
const DEEP: Tint = c(0x0f3d8c);
const BLUE: Tint = c(0x2f86d6);
const LIGHT: Tint = c(0x8fd8ff);
const ICE: Tint = c(0xe9fbff);

pub(super) const CARDS: Cards = [
    ("azure", ajur::draw),
    ("ruri", ruri::draw),
    ("rivie", rivie::draw),
    ("roar", roar::draw),
    ("seiran", seiran::draw),
    ("spire", spire::draw),
];

fn round_light() -> Shape {
    star(240.0, 82.0, 8, 70.0, 9.0, 0.0)
}
