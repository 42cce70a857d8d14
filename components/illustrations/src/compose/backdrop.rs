//! What lies behind the cards, and what flies before them.

use super::{HEIGHT, Style, WIDTH, palette::Palette};
use crate::art::{
    canvas::{Canvas, c, down},
    noise::Dice,
    shape::{Shape, disc, poly, thick},
};

/// The light, the rays and the colours behind the cards.
pub(super) fn draw(style: Style, left: &Palette, right: &Palette) -> Canvas {
    let stops = [(0.0, left.night.0), (0.55, left.deep.0), (1.0, left.night.0)];
    let mut it = Canvas::new(WIDTH, HEIGHT);
    it.sky(&stops);
    match style {
        Style::Versus => duel(&mut it, left, right),
        Style::Spread => stage(&mut it, left, 640.0),
        Style::Spotlight => stage(&mut it, left, 380.0),
    }
    it
}

fn stage(it: &mut Canvas, palette: &Palette, x: f32) {
    it.clouds(5, [-200.0, 900.0], 330.0, 0.52, palette.middle.a(0.45));
    it.rays([x, 330.0], 7, 40, 1150.0, palette.light.a(0.3));
    it.glow(x, 330.0, 620.0, palette.middle.a(0.9));
    it.glow(x, 330.0, 330.0, palette.light.a(0.6));
    for (radius, width, alpha) in
        [(330.0, 3.0, 0.5), (352.0, 10.0, 0.22), (430.0, 2.0, 0.35), (560.0, 1.5, 0.25)]
    {
        disc(x, 340.0, radius, radius).stroke(it, width, palette.light.a(alpha));
    }
    floor(it, palette);
    it.motes(9, 90, [0.0, 20.0, 1280.0, 700.0], 3.4, palette.light);
}

fn duel(it: &mut Canvas, left: &Palette, right: &Palette) {
    let half = poly("760,0 1280,0 1280,720 520,720");
    half.fill(it, down(0.0, right.night, 720.0, right.deep));
    it.clouds(3, [-200.0, 900.0], 300.0, 0.5, left.middle.to(right.middle, 0.5).a(0.3));
    for (x, palette, seed) in [(316.0, left, 4), (964.0, right, 8)] {
        let side = if x < 640.0 { poly("0,0 752,0 512,720 0,720") } else { half.clone() };
        let mut wheel = Shape::default();
        let mut dice = Dice::new(seed);
        for i in 0..36_u8 {
            let angle = f32::from(i) * 0.1745 + dice.within(-0.05, 0.05);
            wheel = wheel.and(thick(
                &[[x, 300.0], [x + angle.cos() * 1000.0, 300.0 + angle.sin() * 1000.0]],
                &[1.0, dice.within(20.0, 90.0)],
            ));
        }
        let mask = it.mask(&side);
        wheel.fill_within(it, palette.middle.a(0.5), mask.as_ref());
        it.glow(x, 300.0, 480.0, palette.middle.a(0.95));
        it.glow(x, 300.0, 270.0, palette.light.a(0.7));
        it.motes(seed, 50, [x - 316.0, 20.0, x + 316.0, 700.0], 3.4, palette.light);
    }
    floor(it, left);
    let bolt = poly(
        "772,-10 690,190 726,196 640,380 684,384 500,730 560,730 716,352 668,346 764,168 726,162 812,-10",
    );
    bolt.aura(it, 90.0, left.glow.to(right.glow, 0.5));
    bolt.fill(it, c(0xffffff));
    bolt.stroke(it, 4.0, right.light.a(0.8));
}

/// Lines that run away to the horizon.
fn floor(it: &mut Canvas, palette: &Palette) {
    poly("0,600 1280,600 1280,720 0,720")
        .fill(it, down(600.0, palette.night.a(0.0), 720.0, palette.night.a(0.9)));
    let mut dice = Dice::new(3);
    for _ in 0..46 {
        let (x, y) = (dice.within(-40.0, 1280.0), dice.within(590.0, 720.0));
        let long = dice.within(30.0, 190.0);
        thick(&[[x, y], [x + long, y - long * 0.04]], &[0.4, 2.4, 0.4])
            .fill(it, palette.light.a(dice.within(0.1, 0.5)));
    }
}

/// Sparks before everything, and dark corners.
pub(super) fn finish(it: &mut Canvas, palette: &Palette) {
    it.vignette(0.3);
    it.sparkles(77, 14, [30.0, 20.0, 1250.0, 560.0], palette.glow);
}
