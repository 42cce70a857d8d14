//! 環の惑星サテュラ: Satyra, the Ringed World.

use super::*;

/// The world of rainbow rings.
pub(super) fn draw() -> Canvas {
    let mut it = space(36, [c(0x0078_3890), c(0x0020_7098)]);
    it.glow(240.0, 300.0, 360.0, c(0x0080_60e0).a(0.5));
    let tilt = -0.32_f32;
    let rings = |canvas: &mut Canvas, front: bool| {
        for (i, rgb) in (0_u8..).zip([
            0x00ff_7088,
            0x00ff_a868,
            0x00ff_e078,
            0x0098_e8a0,
            0x0070_d8e8,
            0x0080_98ff,
            0x00c8_88ff,
        ]) {
            let r = 232.0 - f32::from(i) * 12.5;
            let arc: Vec<_> = (0..=40_u8)
                .map(|k| {
                    let angle = std::f32::consts::PI * f32::from(k) / 40.0
                        + if front { 0.0 } else { std::f32::consts::PI };
                    let (x, y) = (angle.cos() * r, angle.sin() * r * 0.26);
                    [
                        240.0 + x * tilt.cos() - y * tilt.sin(),
                        300.0 + x * tilt.sin() + y * tilt.cos(),
                    ]
                })
                .collect();
            canvas.fill(&thick(&arc, &[7.0, 11.5, 7.0]), c(rgb).a(if front { 0.9 } else { 0.55 }));
            canvas.fill(
                &thick(&arc, &[1.0, 1.6, 1.0]).moved(0.0, -3.0),
                WHITE.a(if front { 0.5 } else { 0.2 }),
            );
        }
    };
    rings(&mut it, false);
    planet(&mut it, 240.0, 300.0, 132.0, c(0x00ff_c890), c(0x0070_2860), 13);
    it.fill(&blob("180,350 220,336 270,342 290,360 250,374 200,370"), c(0x00f0_7860).a(0.5));
    it.fill(&blob("200,356 230,346 260,352 270,360 244,366 214,364"), c(0x00ff_e0b0).a(0.6));
    rings(&mut it, true);
    for (x, y, r, light, dark, seed) in [
        (100.0, 150.0, 26.0, c(0x00a0_e0e8), c(0x0018_4868), 3),
        (386.0, 470.0, 36.0, c(0x00f0_98b8), c(0x0058_1850), 5),
        (410.0, 130.0, 13.0, c(0x00f8_e8a8), c(0x0070_5020), 6),
    ] {
        planet(&mut it, x, y, r, light, dark, seed);
    }
    it.ridge(4, 650.0, 130.0, 60.0, c(0x0040_3078), c(0x000c_0c28));
    it.fill(
        &blob("222,566 232,546 246,544 254,566 260,612 216,612")
            .and(disc(238.0, 534.0, 13.0, 14.0)),
        c(0x000a_0c24),
    );
    it.fill(&limb("250,560 276,540 290,516", &[9.0, 7.0, 5.0]), c(0x000a_0c24));
    it.fill(&disc(238.0, 532.0, 8.0, 7.0), c(0x0080_c8f0));
    it.fill(
        &thick(&[[204.0, 616.0], [204.0, 520.0]], &[3.0, 3.0]).and(poly("204,522 160,532 204,550")),
        c(0x000a_0c24),
    );
    it.fill(&poly("202,524 164,532 202,546"), c(0x00e0_4858));
    let comet = thick(&[[60.0, 420.0], [120.0, 452.0], [220.0, 480.0]], &[14.0, 8.0, 0.6]);
    it.aura(&comet, 20.0, LIGHT.a(0.8));
    it.fill(
        &comet,
        Ink::Line([60.0, 420.0], [220.0, 480.0], vec![(0.0, WHITE), (1.0, LIGHT.a(0.0))]),
    );
    it.sparkles(13, 24, [20.0, 20.0, 460.0, 560.0], PALE);
    it
}
