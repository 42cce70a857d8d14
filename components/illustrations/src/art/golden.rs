//! 黄金王朝: a dynasty under a sun that never sets.

mod aurum;
mod chalice;
mod leon;
mod phoenix;
mod soleil;
mod temple;

use super::{
    canvas::{Canvas, Ink, Tint, c, down, round},
    card,
    shape::{Shape, blob, disc, leaf, limb, poly, star, thick},
    subjects::feathers,
};

const NIGHT: Tint = c(0x0024_1203);
const DEEP: Tint = c(0x006e_3b0a);
const GOLD: Tint = c(0x00c9_8a1e);
const LIGHT: Tint = c(0x00ff_d76a);
const PALE: Tint = c(0x00ff_fbe0);
const WHITE: Tint = c(0x00ff_ffff);

pub(super) fn draw(id: &str) -> Option<Canvas> {
    Some(match id {
        "soleil" => soleil::draw(),
        "leon" => leon::draw(),
        "temple" => temple::draw(),
        "aurum" => aurum::draw(),
        "chalice" => chalice::draw(),
        "phoenix" => phoenix::draw(),
        _ => return None,
    })
}

/// Metal that shines from the left.
fn metal(x0: f32, x1: f32) -> Ink {
    Ink::Line(
        [x0, 0.0],
        [x1, 0.0],
        vec![(0.0, c(0x008a_5410)), (0.25, LIGHT), (0.4, PALE), (0.6, GOLD), (1.0, c(0x0058_3008))],
    )
}

/// A disc with long rays: the sun as the dynasty draws it.
fn sun(it: &mut Canvas, x: f32, y: f32, radius: f32) {
    it.glow(x, y, radius * 3.0, LIGHT.a(0.8));
    it.fill(&star(x, y, 24, radius * 1.75, radius * 1.08, 0.0), LIGHT.a(0.55));
    it.fill(&star(x, y, 24, radius * 1.42, radius * 1.06, 0.13), PALE.a(0.6));
    it.lit(
        &disc(x, y, radius, radius),
        round(x, y, radius, PALE, c(0x00f0_b438)),
        WHITE,
        [0.0, -3.0],
    );
    it.stroke(&disc(x, y, radius * 0.88, radius * 0.88), 2.0, GOLD);
}

/// Dunes along the lower edge.
fn dunes(it: &mut Canvas) {
    it.ground(5, 520.0, 30.0, c(0x00e8_a848), c(0x0090_5018));
    it.ground(15, 575.0, 26.0, c(0x00b8_7424), c(0x0050_2808));
}
