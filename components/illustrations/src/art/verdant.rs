//! 翠森精霊: spirits of the deep wood.

mod leafy;
mod lotus;
mod mimi;
mod moss;
mod oak;
mod silva;

use super::{
    Cards,
    canvas::{Canvas, Ink, Tint, across, c, down, lit, round},
    noise::Dice,
    shape::{Shape, blob, disc, leaf, limb, poly, star, thick},
};

const NIGHT: Tint = c(0x04170f);
const GREEN: Tint = c(0x2f9a5a);
const LEAF: Tint = c(0x9be07a);
const SUN: Tint = c(0xf6ffd0);
const BARK: Tint = c(0x302a1c);

pub(super) const CARDS: Cards = [
    ("leafy", leafy::draw),
    ("oak", oak::draw),
    ("silva", silva::draw),
    ("mimi", mimi::draw),
    ("moss", moss::draw),
    ("lotus", lotus::draw),
];

/// Trunks from top to bottom, one layer.
fn trunks(it: &mut Canvas, seed: u32, count: u8, width: f32, top: Tint, foot: Tint) {
    let mut dice = Dice::new(seed);
    let mut wood = Shape::default();
    for i in 0..count {
        let x = 480.0 * (f32::from(i) + dice.within(0.1, 0.9)) / f32::from(count);
        let (wide, lean) = (width * dice.within(0.6, 1.2), dice.within(-14.0, 14.0));
        wood = wood.and(limb(
            [[x + lean, -10.0], [x, 320.0], [x, 600.0], [x, 650.0]],
            &[wide * 0.7, wide * 0.8, wide * 1.1, wide * 2.0],
        ));
        for _ in 0..3 {
            let (y, side) = (dice.within(40.0, 360.0), if dice.roll() < 0.5 { -1.0 } else { 1.0 });
            wood = wood.and(limb(
                [[x, y], [x + side * wide * 1.6, y - 26.0], [x + side * wide * 3.0, y - 70.0]],
                &[wide * 0.4, wide * 0.25, 1.0],
            ));
        }
    }
    wood.fill(it, down(0.0, top, 640.0, foot));
}

/// Leaves that hang into the picture from its upper edge.
fn canopy(it: &mut Canvas, seed: u32, low: f32, size: f32, tints: [Tint; 2]) {
    let mut dice = Dice::new(seed);
    for _ in 0..90 {
        let x = dice.within(-10.0, 490.0);
        let edge = (x / 240.0 - 1.0).abs();
        let y = dice.within(-20.0, low * (0.35 + 0.65 * edge * edge));
        let (angle, long) = (dice.within(0.5, 2.6), size * dice.within(0.6, 1.3));
        let to = [x + angle.cos() * long, y + angle.sin() * long];
        leaf([x, y], to, long * 0.45).fill(it, tints[0].to(tints[1], dice.roll()));
    }
}

/// Grass along the lower edge.
fn grass(it: &mut Canvas, seed: u32, base: f32, height: f32, tints: [Tint; 2]) {
    let mut dice = Dice::new(seed);
    for _ in 0..130 {
        let x = dice.within(-10.0, 490.0);
        let (tall, lean) = (height * dice.within(0.4, 1.0), dice.within(-24.0, 24.0));
        let blade = limb(
            [[x, base + 8.0], [x + lean * 0.3, base - tall * 0.6], [x + lean, base - tall]],
            &[5.0, 3.5, 0.6],
        );
        blade.fill(it, tints[0].to(tints[1], dice.roll()));
    }
}
