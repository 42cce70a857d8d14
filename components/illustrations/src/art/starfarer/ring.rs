//! 環の惑星サテュラ: Satyra, the Ringed World.

use super::*;

/// The world of rainbow rings.
pub(super) fn draw(it: &mut Canvas) {
    space(it, 36, [c(0x783890), c(0x207098)]);
    it.glow(240.0, 300.0, 360.0, c(0x8060e0).a(0.5));
    let tilt = -0.32_f32;
    let rings = |canvas: &mut Canvas, front: bool| {
        for (i, rgb) in
            (0_u8..).zip([0xff7088, 0xffa868, 0xffe078, 0x98e8a0, 0x70d8e8, 0x8098ff, 0xc888ff])
        {
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
            thick(&arc, &[7.0, 11.5, 7.0]).fill(canvas, c(rgb).a(if front { 0.9 } else { 0.55 }));
            thick(&arc, &[1.0, 1.6, 1.0])
                .moved(0.0, -3.0)
                .fill(canvas, WHITE.a(if front { 0.5 } else { 0.2 }));
        }
    };
    rings(it, false);
    planet(it, 240.0, 300.0, 132.0, c(0xffc890), c(0x702860), 13);
    blob("180,350 220,336 270,342 290,360 250,374 200,370").fill(it, c(0xf07860).a(0.5));
    blob("200,356 230,346 260,352 270,360 244,366 214,364").fill(it, c(0xffe0b0).a(0.6));
    rings(it, true);
    for (x, y, r, light, dark, seed) in [
        (100.0, 150.0, 26.0, c(0xa0e0e8), c(0x184868), 3),
        (386.0, 470.0, 36.0, c(0xf098b8), c(0x581850), 5),
        (410.0, 130.0, 13.0, c(0xf8e8a8), c(0x705020), 6),
    ] {
        planet(it, x, y, r, light, dark, seed);
    }
    it.ridge(4, 650.0, 130.0, 60.0, c(0x403078), c(0x0c0c28));
    blob("222,566 232,546 246,544 254,566 260,612 216,612")
        .and(disc(238.0, 534.0, 13.0, 14.0))
        .fill(it, c(0x0a0c24));
    limb("250,560 276,540 290,516", &[9.0, 7.0, 5.0]).fill(it, c(0x0a0c24));
    disc(238.0, 532.0, 8.0, 7.0).fill(it, c(0x80c8f0));
    thick(&[[204.0, 616.0], [204.0, 520.0]], &[3.0, 3.0])
        .and(poly("204,522 160,532 204,550"))
        .fill(it, c(0x0a0c24));
    poly("202,524 164,532 202,546").fill(it, c(0xe04858));
    let comet = thick(&[[60.0, 420.0], [120.0, 452.0], [220.0, 480.0]], &[14.0, 8.0, 0.6]);
    comet.aura(it, 20.0, LIGHT.a(0.8));
    let ink = Ink::Line([60.0, 420.0], [220.0, 480.0], vec![(0.0, WHITE), (1.0, LIGHT.a(0.0))]);
    comet.fill(it, ink);
    it.sparkles(13, 24, [20.0, 20.0, 460.0, 560.0], PALE);
}
