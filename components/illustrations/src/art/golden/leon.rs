//! 王冠の獅子レオン: Leon, the Crowned Lion.

use super::*;

/// Sunlight braided into a mane.
pub(super) fn draw() -> Canvas {
    let mut it = card(&[(0.0, 0x002a_1440), (0.45, 0x00b0_5030), (1.0, 0x00ff_c860)]);
    it.rays([240.0, 320.0], 9, 28, 560.0, LIGHT.a(0.25));
    it.glow(240.0, 320.0, 330.0, LIGHT.a(0.7));
    for (count, long, wide, tints) in [
        (26_u8, 250.0, 62.0, [c(0x0080_3c0c), c(0x00c8_7c1c)]),
        (22, 204.0, 56.0, [c(0x00a8_5c14), c(0x00f0_b040)]),
        (18, 166.0, 52.0, [c(0x00c8_8420), c(0x00ff_dc80)]),
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
            it.lit(
                &lock,
                Ink::Round([240.0, 326.0], long, vec![(0.3, tints[0]), (1.0, tints[1])]),
                PALE.a(0.75),
                [angle.sin() * -1.6, -1.8],
            );
        }
    }
    let ears = disc(158.0, 232.0, 34.0, 34.0).doubled(240.0);
    it.lit(&ears, c(0x00d0_9038), PALE, [0.0, -2.5]);
    it.fill(&disc(160.0, 236.0, 18.0, 18.0).doubled(240.0), c(0x0080_4818));
    let face =
        blob("240,210 306,226 340,286 330,360 290,410 240,428 190,410 150,360 140,286 174,226");
    it.lit(&face, down(210.0, c(0x00ff_e0a0), 428.0, c(0x00c8_8430)), WHITE, [2.0, -4.0]);
    it.fill(
        &blob("!218,240 !262,240 266,330 286,352 240,366 194,352 214,330"),
        down(240.0, c(0x00ff_f0c8).a(0.8), 360.0, c(0x00f0_c070).a(0.3)),
    );
    let muzzle = blob("240,344 292,346 306,386 274,418 240,412 206,418 174,386 188,346");
    it.lit(&muzzle, down(344.0, c(0x00ff_f6dc), 418.0, c(0x00e0_b878)), WHITE, [0.0, -2.0]);
    subject(&mut it);
    it
}

/// Draws the main figure.
fn subject(it: &mut Canvas) {
    it.lit(
        &blob("!206,334 240,326 !274,334 256,362 240,370 224,362"),
        down(326.0, c(0x0080_4030), 370.0, c(0x0038_180c)),
        c(0x00ff_c8a0),
        [0.0, -2.0],
    );
    it.fill(&limb("240,368 240,390 214,402 192,394", &[3.0, 4.0, 4.0, 1.0]).doubled(240.0), DEEP);
    it.lit(
        &blob("!204,414 240,408 !276,414 258,448 240,456 222,448"),
        down(410.0, c(0x00f4_d490), 456.0, c(0x00b0_7424)),
        PALE,
        [0.0, -1.0],
    );
    it.fill(&blob("!160,296 188,276 !218,300 190,308").doubled(240.0), c(0x0038_1c08));
    it.fill(
        &disc(190.0, 293.0, 12.0, 12.0).doubled(240.0),
        round(240.0, 293.0, 70.0, c(0x00ff_e840), c(0x00e8_9018)),
    );
    it.fill(&disc(191.0, 293.0, 5.0, 7.0).doubled(240.0), NIGHT);
    it.fill(&disc(194.0, 288.0, 3.0, 3.0).and(disc(292.0, 288.0, 3.0, 3.0)), WHITE);
    it.fill(&limb("148,280 184,258 222,286", &[2.0, 11.0, 3.0]).doubled(240.0), c(0x0088_5418));
    for (x, y) in [(206.0, 380.0), (194.0, 388.0), (208.0, 394.0)] {
        it.fill(&disc(x, y, 2.4, 2.4).doubled(240.0), DEEP);
    }
    let crown =
        poly("156,222 140,120 188,164 214,92 240,152 266,92 292,164 340,120 324,222 240,204");
    it.aura(&crown, 36.0, LIGHT.a(0.7));
    it.lit(&crown, metal(140.0, 340.0), WHITE, [0.0, -3.0]);
    it.fill(&thick(&crate::art::shape::line("158,212 240,192 322,212"), &[5.0, 5.0]), DEEP.a(0.6));
    for (x, y, r) in [
        (240.0, 172.0, 13.0),
        (196.0, 180.0, 8.0),
        (284.0, 180.0, 8.0),
        (214.0, 92.0, 7.0),
        (266.0, 92.0, 7.0),
        (140.0, 120.0, 7.0),
        (340.0, 120.0, 7.0),
    ] {
        it.lit(
            &disc(x, y, r, r),
            round(x - 2.0, y - 3.0, r * 1.3, c(0x00a0_f0ff), c(0x0010_60b0)),
            WHITE,
            [0.0, -1.5],
        );
    }
    it.sparkles(8, 18, [40.0, 60.0, 440.0, 600.0], PALE);
}
