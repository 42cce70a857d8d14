//! 雪月花: snow, moon and flower.

mod kaguya;
mod kohana;
mod sakura;
mod torii;
mod tsurara;
mod yuki;

use super::{
    Cards,
    canvas::{Canvas, Ink, Tint, across, c, down, lit, round},
    noise::Dice,
    shape::{Shape, bar, blob, disc, leaf, limb, line, poly, thick},
    subjects::feathers,
};

const NIGHT: Tint = c(0x1c2340);
const SILVER: Tint = c(0x9fb4d8);
const PINK: Tint = c(0xf2a9c4);
const WHITE: Tint = c(0xffffff);
const LAMP: Tint = c(0xffc060);

pub(super) const CARDS: Cards = [
    ("yuki", yuki::draw),
    ("kaguya", kaguya::draw),
    ("kohana", kohana::draw),
    ("torii", torii::draw),
    ("tsurara", tsurara::draw),
    ("sakura", sakura::draw),
];

/// A blossom of five petals.
fn blossom(x: f32, y: f32, size: f32, turn: f32) -> Shape {
    let mut flower = Shape::default();
    for i in 0..5_u8 {
        let angle = turn + f32::from(i) * 1.2566;
        flower =
            flower.and(leaf([x, y], [x + angle.cos() * size, y + angle.sin() * size], size * 0.85));
    }
    flower
}

/// A bough with blossoms.
fn bough(it: &mut Canvas, seed: u32, path: &str, widths: &[f32], size: f32) {
    limb(path, widths).fill(it, lit(c(0x3c2c3c), c(0xc0a8c0), [0.0, -1.5]));
    let mut dice = Dice::new(seed);
    for at in line(path).into_iter().skip(2) {
        for _ in 0..3 {
            let (x, y) = (at[0] + dice.within(-24.0, 24.0), at[1] + dice.within(-22.0, 22.0));
            let tint = PINK.to(WHITE, dice.within(0.1, 0.8));
            blossom(x, y, size * dice.within(0.6, 1.2), dice.within(0.0, 1.2)).fill(it, tint);
            disc(x, y, size * 0.14, size * 0.14).fill(it, c(0xe05080));
        }
    }
}

/// A lantern of stone with its light.
fn lantern(it: &mut Canvas, x: f32, y: f32, s: f32) {
    let stone = down(y - 130.0 * s, c(0x707c9c), y, c(0x303858));
    let post = poly([
        [x - 13.0 * s, y],
        [x - 9.0 * s, y - 70.0 * s],
        [x + 9.0 * s, y - 70.0 * s],
        [x + 13.0 * s, y],
    ]);
    post.fill(it, lit(stone.clone(), LAMP, [1.0, -1.0]));
    it.glow(x, y - 88.0 * s, 120.0 * s, LAMP.a(0.9));
    bar(x - 20.0 * s, y - 70.0 * s, x + 20.0 * s, y - 106.0 * s)
        .fill(it, lit(stone.clone(), LAMP, [0.0, -1.0]));
    bar(x - 13.0 * s, y - 74.0 * s, x + 13.0 * s, y - 101.0 * s).fill(it, c(0xfff0b8));
    blob(&format!(
        "!{},{} {x},{} !{},{} {x},{}",
        x - 36.0 * s,
        y - 104.0 * s,
        y - 142.0 * s,
        x + 36.0 * s,
        y - 104.0 * s,
        y - 108.0 * s
    ))
    .fill(it, lit(stone, WHITE, [0.0, -1.0]));
    blob([
        [x - 36.0 * s, y - 110.0 * s],
        [x - 18.0 * s, y - 132.0 * s],
        [x, y - 146.0 * s],
        [x + 18.0 * s, y - 132.0 * s],
        [x + 36.0 * s, y - 110.0 * s],
        [x, y - 124.0 * s],
    ])
    .fill(it, WHITE);
}
