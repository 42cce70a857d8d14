//! 星海航路: ships on the sea of stars.

mod argo;
mod barena;
mod compass;
mod pharos;
mod ring;
mod stella;

use super::{
    Cards,
    canvas::{Canvas, Ink, Tint, across, c, down, lit, round},
    noise::Dice,
    shape::{blob, disc, leaf, limb, line, poly, star, thick},
};

const NIGHT: Tint = c(0x030818);
const BLUE: Tint = c(0x2a4c9c);
const LIGHT: Tint = c(0x6fb7e8);
const PALE: Tint = c(0xfff3c8);
const GOLD: Tint = c(0xf0b848);
const WHITE: Tint = c(0xffffff);

pub(super) const CARDS: Cards = [
    ("argo", argo::draw),
    ("pharos", pharos::draw),
    ("ring", ring::draw),
    ("barena", barena::draw),
    ("stella", stella::draw),
    ("compass", compass::draw),
];

/// Deep space: a galaxy across it, and clouds of two colours.
fn space(it: &mut Canvas, seed: u32, clouds: [Tint; 2]) {
    it.sky(&[(0.0, 0x030818), (0.5, 0x0e1f50), (1.0, 0x060c28)]);
    it.clouds(seed, [-200.0, 640.0], 200.0, 0.53, clouds[0].a(0.6));
    it.clouds(seed + 9, [60.0, 840.0], 170.0, 0.5, clouds[1].a(0.5));
    it.stars(seed, 260, 640.0, WHITE);
}

/// A planet, lit from the upper left.
fn planet(it: &mut Canvas, x: f32, y: f32, r: f32, light: Tint, dark: Tint, seed: u32) {
    it.glow(x, y, r * 1.8, light.a(0.4));
    let globe = disc(x, y, r, r);
    globe.fill(it, light);
    if let Some(mask) = it.mask(&globe) {
        let mut dice = Dice::new(seed);
        for i in 0..9_u8 {
            let at = y - r + 2.0 * r * (f32::from(i) + dice.roll()) / 9.0;
            let band = limb(
                [[x - r * 1.1, at], [x, at + r * 0.12], [x + r * 1.1, at]],
                &[r * 0.1, r * dice.within(0.06, 0.22), r * 0.1],
            );
            band.fill_within(
                it,
                light.to(if i % 2 == 0 { dark } else { WHITE }, 0.35).a(0.7),
                Some(&mask),
            );
        }
        let shade = Ink::Round(
            [x - r * 0.45, y - r * 0.45],
            r * 1.75,
            vec![(0.0, dark.a(0.0)), (0.5, dark.a(0.15)), (0.85, dark.a(0.92)), (1.0, NIGHT)],
        );
        globe.fill_within(it, shade, Some(&mask));
    }
    globe.fill(it, lit(c(0).a(0.0), WHITE.a(0.75), [-2.0, -2.0]));
}
