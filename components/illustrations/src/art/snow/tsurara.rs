//! 白鶴ツララ: Tsurara, the White Crane.

use super::*;

/// A crane on a frozen lake.
pub(super) fn draw(it: &mut Canvas) {
    it.sky(&[(0.0, 0x3860a8), (0.4, 0xa8c0e8), (0.6, 0xffe8e0), (1.0, 0x88a8d8)]);
    it.moon(350.0, 200.0, 92.0, c(0xffe0d0), c(0xffd0c8));
    it.clouds(36, [40.0, 360.0], 210.0, 0.5, WHITE.a(0.6));
    it.ridge(52, 440.0, 220.0, 110.0, c(0x88a0d0), c(0xe0e4f4));
    it.firs(14, 446.0, 70.0, c(0x6880b0), c(0xb0c0e0));
    it.mist(370.0, 460.0, WHITE.a(0.7));
    it.water(31, 440.0, c(0xd8e8f8), c(0x6088c8), 350.0, c(0xfff0e8).a(0.6));
    for crack in [
        "0,520 90,500 170,540 260,520",
        "480,500 380,520 320,500",
        "170,540 190,600 150,640",
        "300,600 380,580 480,610",
    ] {
        limb(crack, &[3.0, 2.0, 0.6]).fill(it, WHITE.a(0.6));
    }
    let stems = Ink::Flat(c(0x908098));
    for (x, lean, tall) in [
        (40.0, 20.0, 200.0),
        (64.0, -14.0, 160.0),
        (440.0, -24.0, 190.0),
        (460.0, 6.0, 230.0),
        (20.0, 6.0, 150.0),
    ] {
        limb(
            [[x, 640.0], [x + lean * 0.3, 640.0 - tall * 0.6], [x + lean, 640.0 - tall]],
            &[4.0, 3.0, 1.4],
        )
        .fill(it, stems.clone());
        leaf([x + lean, 640.0 - tall], [x + lean * 1.6, 590.0 - tall], 14.0).fill(it, c(0xf0e8f0));
    }
    disc(246.0, 590.0, 90.0, 9.0).shadow(it, 12.0, c(0x4060a0).a(0.5));
    limb("252,440 250,520 252,590", &[8.0, 6.0, 6.0])
        .and(limb("252,588 226,596", &[5.0, 1.0]))
        .and(limb("252,588 280,596", &[5.0, 1.0]))
        .and(limb("270,440 300,490 262,520 258,540", &[8.0, 6.0, 5.0, 4.0]))
        .fill(it, c(0x383040));
    for (angles, lengths, tint) in [
        ([-0.35, 0.75], [250.0, 170.0], c(0x282c40)),
        ([-0.5, 0.6], [220.0, 150.0], c(0xe0e8f8)),
        ([-0.55, 0.4], [160.0, 110.0], WHITE),
    ] {
        for side in [false, true] {
            for i in 0..9_u8 {
                let share = 1.0 - f32::from(i) / 8.0;
                let angle = angles[0] - 0.4 + (angles[1] - angles[0]) * share;
                let long = lengths[0] + (lengths[1] - lengths[0]) * share;
                let mut wing = feathers([262.0, 356.0], 1, [angle, angle], [long, long], 30.0);
                if side {
                    wing = wing.flipped(252.0);
                }
                let ink = Ink::Round(
                    [252.0, 356.0],
                    250.0,
                    vec![(0.0, tint.to(SILVER, 0.35)), (1.0, tint)],
                );
                wing.fill(it, lit(ink, WHITE, [0.0, -1.4]));
            }
        }
    }
    blob("252,322 290,360 296,410 270,450 234,450 210,410 216,360")
        .fill(it, lit(down(322.0, WHITE, 450.0, c(0xb0c4e8)), WHITE, [1.5, -3.0]));
    let neck = limb("250,370 230,310 250,250 238,190 214,166", &[52.0, 30.0, 21.0, 18.0, 22.0]);
    neck.fill(it, lit(down(160.0, WHITE, 370.0, c(0xd0dcf0)), WHITE, [1.5, -1.5]));
    limb("238,200 252,250 234,304", &[5.0, 13.0, 3.0]).fill(it, c(0x282838));
    disc(214.0, 168.0, 19.0, 16.0).fill(it, lit(WHITE, WHITE, [0.0, -1.0]));
    blob("198,160 212,148 230,154 222,164").fill(it, c(0xd82840));
    poly("200,164 132,184 202,178").fill(it, lit(c(0x605848), c(0xf0e0b0), [0.0, -1.0]));
    disc(206.0, 168.0, 3.0, 3.0).fill(it, NIGHT);
    leaf([230.0, 174.0], [246.0, 214.0], 12.0).fill(it, c(0x282838));
    for i in 0..4_u8 {
        let i = f32::from(i);
        disc(252.0, 592.0, 40.0 + i * 34.0, 6.0 + i * 5.0).stroke(it, 1.4, WHITE.a(0.6 - i * 0.12));
    }
    for (x, long) in [
        (30.0, 70.0),
        (70.0, 110.0),
        (104.0, 60.0),
        (150.0, 90.0),
        (200.0, 50.0),
        (300.0, 60.0),
        (348.0, 100.0),
        (390.0, 64.0),
        (430.0, 120.0),
        (462.0, 70.0),
    ] {
        poly([[x - 13.0, -4.0], [x + 13.0, -4.0], [x, long]])
            .fill(it, lit(down(0.0, WHITE.a(0.9), long, c(0x90c0f0).a(0.7)), WHITE, [-1.5, 0.0]));
    }
    it.snow(41, 130, WHITE);
    it.sparkles(19, 16, [40.0, 40.0, 440.0, 600.0], WHITE);
}
