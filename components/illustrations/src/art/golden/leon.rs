//! 王冠の獅子レオン: Leon, the Crowned Lion.

use super::*;

/// Sunlight braided into a mane.
pub(super) fn draw(it: &mut Canvas) {
    it.sky(&[(0.0, 0x2a1440), (0.45, 0xb05030), (1.0, 0xffc860)]);
    it.rays([240.0, 320.0], 9, 28, 560.0, LIGHT.a(0.25));
    it.glow(240.0, 320.0, 330.0, LIGHT.a(0.7));
    for (count, long, wide, tints) in [
        (26_u8, 250.0, 62.0, [c(0x803c0c), c(0xc87c1c)]),
        (22, 204.0, 56.0, [c(0xa85c14), c(0xf0b040)]),
        (18, 166.0, 52.0, [c(0xc88420), c(0xffdc80)]),
    ] {
        for i in 0..count {
            let angle = std::f32::consts::TAU * f32::from(i) / f32::from(count) + long;
            let reach = long * (1.0 + 0.12 * (f32::from(i) * 2.7).sin());
            let lock = limb(
                [
                    [240.0, 326.0],
                    [
                        240.0 + (angle + 0.12).cos() * reach * 0.6,
                        326.0 + (angle + 0.12).sin() * reach * 0.62,
                    ],
                    [240.0 + angle.cos() * reach, 326.0 + angle.sin() * reach * 1.06],
                ],
                &[wide * 0.4, wide, 1.0],
            );
            let ink = Ink::Round([240.0, 326.0], long, vec![(0.3, tints[0]), (1.0, tints[1])]);
            lock.fill(it, lit(ink, PALE.a(0.75), [angle.sin() * -1.6, -1.8]));
        }
    }
    let ears = disc(158.0, 232.0, 34.0, 34.0).doubled(240.0);
    ears.fill(it, lit(c(0xd09038), PALE, [0.0, -2.5]));
    disc(160.0, 236.0, 18.0, 18.0).doubled(240.0).fill(it, c(0x804818));
    let face =
        blob("240,210 306,226 340,286 330,360 290,410 240,428 190,410 150,360 140,286 174,226");
    face.fill(it, lit(down(210.0, c(0xffe0a0), 428.0, c(0xc88430)), WHITE, [2.0, -4.0]));
    blob("!218,240 !262,240 266,330 286,352 240,366 194,352 214,330")
        .fill(it, down(240.0, c(0xfff0c8).a(0.8), 360.0, c(0xf0c070).a(0.3)));
    let muzzle = blob("240,344 292,346 306,386 274,418 240,412 206,418 174,386 188,346");
    muzzle.fill(it, lit(down(344.0, c(0xfff6dc), 418.0, c(0xe0b878)), WHITE, [0.0, -2.0]));
    blob("!206,334 240,326 !274,334 256,362 240,370 224,362")
        .fill(it, lit(down(326.0, c(0x804030), 370.0, c(0x38180c)), c(0xffc8a0), [0.0, -2.0]));
    limb("240,368 240,390 214,402 192,394", &[3.0, 4.0, 4.0, 1.0]).doubled(240.0).fill(it, DEEP);
    blob("!204,414 240,408 !276,414 258,448 240,456 222,448")
        .fill(it, lit(down(410.0, c(0xf4d490), 456.0, c(0xb07424)), PALE, [0.0, -1.0]));
    blob("!160,296 188,276 !218,300 190,308").doubled(240.0).fill(it, c(0x381c08));
    disc(190.0, 293.0, 12.0, 12.0)
        .doubled(240.0)
        .fill(it, round(240.0, 293.0, 70.0, c(0xffe840), c(0xe89018)));
    disc(191.0, 293.0, 5.0, 7.0).doubled(240.0).fill(it, NIGHT);
    disc(194.0, 288.0, 3.0, 3.0).and(disc(292.0, 288.0, 3.0, 3.0)).fill(it, WHITE);
    limb("148,280 184,258 222,286", &[2.0, 11.0, 3.0]).doubled(240.0).fill(it, c(0x885418));
    for (x, y) in [(206.0, 380.0), (194.0, 388.0), (208.0, 394.0)] {
        disc(x, y, 2.4, 2.4).doubled(240.0).fill(it, DEEP);
    }
    let crown =
        poly("156,222 140,120 188,164 214,92 240,152 266,92 292,164 340,120 324,222 240,204");
    crown.aura(it, 36.0, LIGHT.a(0.7));
    crown.fill(it, lit(metal(140.0, 340.0), WHITE, [0.0, -3.0]));
    thick(&crate::art::shape::line("158,212 240,192 322,212"), &[5.0, 5.0]).fill(it, DEEP.a(0.6));
    for (x, y, r) in [
        (240.0, 172.0, 13.0),
        (196.0, 180.0, 8.0),
        (284.0, 180.0, 8.0),
        (214.0, 92.0, 7.0),
        (266.0, 92.0, 7.0),
        (140.0, 120.0, 7.0),
        (340.0, 120.0, 7.0),
    ] {
        disc(x, y, r, r).fill(
            it,
            lit(round(x - 2.0, y - 3.0, r * 1.3, c(0xa0f0ff), c(0x1060b0)), WHITE, [0.0, -1.5]),
        );
    }
    it.sparkles(8, 18, [40.0, 60.0, 440.0, 600.0], PALE);
}
