//! 黄金王朝: a dynasty under a sun that never sets.

mod aurum;
mod chalice;
mod leon;
mod phoenix;
mod soleil;
mod temple;

use super::{
    Cards,
    canvas::{Canvas, Ink, Tint, across, c, down, lit, round},
    shape::{Shape, bar, blob, disc, leaf, limb, poly, star, thick},
    subjects::feathers,
};

const NIGHT: Tint = c(0x241203);
const DEEP: Tint = c(0x6e3b0a);
const GOLD: Tint = c(0xc98a1e);
const LIGHT: Tint = c(0xffd76a);
const PALE: Tint = c(0xfffbe0);
const WHITE: Tint = c(0xffffff);

pub(super) const CARDS: Cards = [
    ("soleil", soleil::draw),
    ("leon", leon::draw),
    ("temple", temple::draw),
    ("aurum", aurum::draw),
    ("chalice", chalice::draw),
    ("phoenix", phoenix::draw),
];

/// Metal that shines from the left.
fn metal(x0: f32, x1: f32) -> Ink {
    across(
        x0,
        x1,
        [(0.0, c(0x8a5410)), (0.25, LIGHT), (0.4, PALE), (0.6, GOLD), (1.0, c(0x583008))],
    )
}

/// A disc with long rays: the sun as the dynasty draws it.
fn sun(it: &mut Canvas, x: f32, y: f32, radius: f32) {
    it.glow(x, y, radius * 3.0, LIGHT.a(0.8));
    star(x, y, 24, radius * 1.75, radius * 1.08, 0.0).fill(it, LIGHT.a(0.55));
    star(x, y, 24, radius * 1.42, radius * 1.06, 0.13).fill(it, PALE.a(0.6));
    disc(x, y, radius, radius)
        .fill(it, lit(round(x, y, radius, PALE, c(0xf0b438)), WHITE, [0.0, -3.0]));
    disc(x, y, radius * 0.88, radius * 0.88).stroke(it, 2.0, GOLD);
}

/// Dunes along the lower edge.
fn dunes(it: &mut Canvas) {
    it.ground(5, 520.0, 30.0, c(0xe8a848), c(0x905018));
    it.ground(15, 575.0, 26.0, c(0xb87424), c(0x502808));
}
