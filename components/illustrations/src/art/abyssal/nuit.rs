//! 夢喰いの蛾ニュイ: Nuit, Moth of Dreams.

use super::*;

/// A moth with the dust of dreams.
pub(super) fn draw() -> Canvas {
    let mut it = card(&[(0.0, 0x000c_0830), (0.5, 0x0034_1c80), (1.0, 0x0088_3898)]);
    it.stars(34, 190, 640.0, PALE);
    it.moon(240.0, 140.0, 74.0, c(0x00ff_e8f8), LIGHT);
    it.fill(&disc(270.0, 124.0, 66.0, 66.0), c(0x0020_1058).a(0.92));
    it.clouds(5, [260.0, 720.0], 190.0, 0.56, c(0x00b8_58b0).a(0.6));
    it.glow(240.0, 330.0, 330.0, LIGHT.a(0.6));
    let lower = blob("!252,360 330,372 402,430 396,520 350,548 !330,600 300,540 268,470");
    let upper = blob("!250,330 280,230 360,150 !462,128 456,230 470,290 !430,360 340,392 262,374");
    let ink = Ink::Round(
        [240.0, 350.0],
        260.0,
        vec![
            (0.0, c(0x00ff_c0f0)),
            (0.35, c(0x00a0_58d8)),
            (0.7, c(0x0050_28a0)),
            (1.0, c(0x0020_1058)),
        ],
    );
    for wing in [lower, upper] {
        let both = wing.doubled(240.0);
        it.aura(&both, 40.0, LIGHT.a(0.5));
        it.lit(&both, ink.clone(), PALE, [0.0, -3.0]);
    }
    for (from, to) in [
        ([262.0, 340.0], [450.0, 140.0]),
        ([262.0, 344.0], [456.0, 220.0]),
        ([262.0, 350.0], [452.0, 300.0]),
        ([262.0, 356.0], [410.0, 362.0]),
        ([262.0, 380.0], [384.0, 450.0]),
        ([262.0, 390.0], [340.0, 560.0]),
    ] {
        it.fill(&thick(&[from, to], &[2.6, 0.8]).doubled(240.0), PALE.a(0.4));
    }
    for (x, y, r) in [(370.0, 244.0, 38.0), (338.0, 462.0, 27.0)] {
        for (size, tint) in
            [(1.0, c(0x0018_0c40)), (0.8, c(0x00ff_d070)), (0.58, c(0x0028_1060)), (0.36, CYAN)]
        {
            it.fill(&disc(x, y, r * size, r * size).doubled(240.0), tint);
        }
        it.glow(x, y, r * 1.8, CYAN.a(0.4));
        it.glow(480.0 - x, y, r * 1.8, CYAN.a(0.4));
        it.fill(&disc(x - r * 0.1, y - r * 0.15, r * 0.12, r * 0.12).doubled(240.0), WHITE);
    }
    subject(&mut it);
    it
}

/// Draws the main figure.
fn subject(it: &mut Canvas) {
    for i in 0..8_u8 {
        let share = f32::from(i) / 7.0;
        let (x, y) = (448.0 - 18.0 * (share * 3.1).sin(), 158.0 + share * 172.0);
        it.fill(&star(x, y, 4, 9.0, 3.0, 0.4).doubled(240.0), c(0x00ff_d8a0));
    }
    let body = blob("240,270 262,306 266,350 256,420 240,500 224,420 214,350 218,306");
    it.lit(&body, down(270.0, c(0x00f0_d0f0), 500.0, c(0x0048_2080)), WHITE, [1.5, -2.5]);
    for i in 0..7_u8 {
        let y = 372.0 + f32::from(i) * 17.0;
        let half = 20.0 - f32::from(i) * 2.3;
        it.fill(
            &thick(
                &line([[240.0 - half, y], [240.0, y + 7.0], [240.0 + half, y]]),
                &[2.0, 5.0, 2.0],
            ),
            c(0x0038_1868).a(0.6),
        );
    }
    it.lit(
        &disc(240.0, 322.0, 36.0, 30.0),
        down(292.0, WHITE, 352.0, c(0x00c0_90d8)),
        WHITE,
        [0.0, -2.0],
    );
    it.lit(
        &disc(240.0, 276.0, 26.0, 24.0),
        down(252.0, c(0x00ff_f0ff), 300.0, c(0x0090_60c0)),
        WHITE,
        [0.0, -2.0],
    );
    it.fill(&disc(254.0, 272.0, 10.0, 12.0).doubled(240.0), c(0x0010_0830));
    it.fill(&disc(257.0, 267.0, 3.6, 3.6).and(disc(229.0, 267.0, 3.6, 3.6)), WHITE);
    let feeler = limb("248,258 268,210 310,176", &[5.0, 4.0, 1.0]);
    it.fill(&feeler.doubled(240.0), PALE);
    for i in 0..9_u8 {
        let t = f32::from(i) / 8.0;
        let at = [252.0 + 56.0 * t, 248.0 - 70.0 * t.powf(0.8)];
        it.fill(
            &thick(&[at, [at[0] + 17.0 - t * 8.0, at[1] + 2.0]], &[2.0, 0.5])
                .and(thick(&[at, [at[0] - 6.0, at[1] - 15.0 + t * 8.0]], &[2.0, 0.5]))
                .doubled(240.0),
            PALE.a(0.9),
        );
    }
    it.motes(30, 80, [20.0, 300.0, 460.0, 636.0], 2.6, c(0x00ff_c0f0));
    it.sparkles(11, 22, [30.0, 120.0, 450.0, 620.0], PALE);
}
