//! 夢喰いの蛾ニュイ: Nuit, Moth of Dreams.

use super::*;

/// A moth with the dust of dreams.
pub(super) fn draw(it: &mut Canvas) {
    it.sky(&[(0.0, 0x0c0830), (0.5, 0x341c80), (1.0, 0x883898)]);
    it.stars(34, 190, 640.0, PALE);
    it.moon(240.0, 140.0, 74.0, c(0xffe8f8), LIGHT);
    disc(270.0, 124.0, 66.0, 66.0).fill(it, c(0x201058).a(0.92));
    it.clouds(5, [260.0, 720.0], 190.0, 0.56, c(0xb858b0).a(0.6));
    it.glow(240.0, 330.0, 330.0, LIGHT.a(0.6));
    let lower = blob("!252,360 330,372 402,430 396,520 350,548 !330,600 300,540 268,470");
    let upper = blob("!250,330 280,230 360,150 !462,128 456,230 470,290 !430,360 340,392 262,374");
    let ink = Ink::Round(
        [240.0, 350.0],
        260.0,
        vec![(0.0, c(0xffc0f0)), (0.35, c(0xa058d8)), (0.7, c(0x5028a0)), (1.0, c(0x201058))],
    );
    for wing in [lower, upper] {
        let both = wing.doubled(240.0);
        both.aura(it, 40.0, LIGHT.a(0.5));
        both.fill(it, lit(ink.clone(), PALE, [0.0, -3.0]));
    }
    for (from, to) in [
        ([262.0, 340.0], [450.0, 140.0]),
        ([262.0, 344.0], [456.0, 220.0]),
        ([262.0, 350.0], [452.0, 300.0]),
        ([262.0, 356.0], [410.0, 362.0]),
        ([262.0, 380.0], [384.0, 450.0]),
        ([262.0, 390.0], [340.0, 560.0]),
    ] {
        thick(&[from, to], &[2.6, 0.8]).doubled(240.0).fill(it, PALE.a(0.4));
    }
    for (x, y, r) in [(370.0, 244.0, 38.0), (338.0, 462.0, 27.0)] {
        for (size, tint) in
            [(1.0, c(0x180c40)), (0.8, c(0xffd070)), (0.58, c(0x281060)), (0.36, CYAN)]
        {
            disc(x, y, r * size, r * size).doubled(240.0).fill(it, tint);
        }
        it.glow(x, y, r * 1.8, CYAN.a(0.4));
        it.glow(480.0 - x, y, r * 1.8, CYAN.a(0.4));
        disc(x - r * 0.1, y - r * 0.15, r * 0.12, r * 0.12).doubled(240.0).fill(it, WHITE);
    }
    for i in 0..8_u8 {
        let share = f32::from(i) / 7.0;
        let (x, y) = (448.0 - 18.0 * (share * 3.1).sin(), 158.0 + share * 172.0);
        star(x, y, 4, 9.0, 3.0, 0.4).doubled(240.0).fill(it, c(0xffd8a0));
    }
    let body = blob("240,270 262,306 266,350 256,420 240,500 224,420 214,350 218,306");
    body.fill(it, lit(down(270.0, c(0xf0d0f0), 500.0, c(0x482080)), WHITE, [1.5, -2.5]));
    for i in 0..7_u8 {
        let y = 372.0 + f32::from(i) * 17.0;
        let half = 20.0 - f32::from(i) * 2.3;
        thick(&line([[240.0 - half, y], [240.0, y + 7.0], [240.0 + half, y]]), &[2.0, 5.0, 2.0])
            .fill(it, c(0x381868).a(0.6));
    }
    disc(240.0, 322.0, 36.0, 30.0)
        .fill(it, lit(down(292.0, WHITE, 352.0, c(0xc090d8)), WHITE, [0.0, -2.0]));
    disc(240.0, 276.0, 26.0, 24.0)
        .fill(it, lit(down(252.0, c(0xfff0ff), 300.0, c(0x9060c0)), WHITE, [0.0, -2.0]));
    disc(254.0, 272.0, 10.0, 12.0).doubled(240.0).fill(it, c(0x100830));
    disc(257.0, 267.0, 3.6, 3.6).and(disc(229.0, 267.0, 3.6, 3.6)).fill(it, WHITE);
    let feeler = limb("248,258 268,210 310,176", &[5.0, 4.0, 1.0]);
    feeler.doubled(240.0).fill(it, PALE);
    for i in 0..9_u8 {
        let t = f32::from(i) / 8.0;
        let at = [252.0 + 56.0 * t, 248.0 - 70.0 * t.powf(0.8)];
        thick(&[at, [at[0] + 17.0 - t * 8.0, at[1] + 2.0]], &[2.0, 0.5])
            .and(thick(&[at, [at[0] - 6.0, at[1] - 15.0 + t * 8.0]], &[2.0, 0.5]))
            .doubled(240.0)
            .fill(it, PALE.a(0.9));
    }
    it.motes(30, 80, [20.0, 300.0, 460.0, 636.0], 2.6, c(0xffc0f0));
    it.sparkles(11, 22, [30.0, 120.0, 450.0, 620.0], PALE);
}
