//! 翠森精霊リーフィ: Leafy of the Verdant.

use super::*;

/// The smallest spirit, on wings of young leaves.
pub(super) fn draw() -> Canvas {
    let mut it = card(&[(0.0, 0x00c8_f4a0), (0.45, 0x0058_b874), (1.0, 0x000a_3c2c)]);
    it.glow(250.0, 90.0, 420.0, SUN.a(0.95));
    trunks(&mut it, 3, 9, 20.0, c(0x0070_c088), c(0x002c_7a54));
    it.mist(120.0, 560.0, SUN.a(0.35));
    trunks(&mut it, 8, 5, 36.0, c(0x0024_6a4c), c(0x0009_3424));
    it.rays([290.0, -60.0], 11, 26, 820.0, SUN.a(0.26));
    it.ground(4, 580.0, 18.0, c(0x001c_6a44), NIGHT);
    it.glow(240.0, 330.0, 250.0, SUN.a(0.75));
    let upper =
        leaf([252.0, 316.0], [440.0, 150.0], 110.0).and(leaf([228.0, 316.0], [40.0, 150.0], 110.0));
    let lower =
        leaf([250.0, 336.0], [392.0, 436.0], 78.0).and(leaf([230.0, 336.0], [88.0, 436.0], 78.0));
    for wing in [upper, lower] {
        it.aura(&wing, 24.0, LEAF.a(0.5));
        it.lit(
            &wing,
            round(240.0, 325.0, 260.0, c(0x00e8_ffb0), c(0x0050_c070)),
            c(0x00ff_ffff),
            [0.0, -3.0],
        );
    }
    for (x, y) in [(420.0, 168.0), (376.0, 424.0)] {
        it.fill(
            &thick(&[[246.0, 326.0], [x, y]], &[3.0, 0.8]).doubled(240.0),
            c(0x0030_8a50).a(0.8),
        );
        for i in 1..6_u8 {
            let t = f32::from(i) / 6.5;
            let at = [246.0 + (x - 246.0) * t, 326.0 + (y - 326.0) * t];
            for turn in [-34.0, 34.0] {
                let to = [
                    at[0] + (x - 246.0) * 0.12 - turn * (y - 326.0) / 300.0,
                    at[1] + (y - 326.0) * 0.12 + turn * 0.5,
                ];
                it.fill(&thick(&[at, to], &[1.6, 0.4]).doubled(240.0), c(0x0030_8a50).a(0.55));
            }
        }
    }
    let legs = limb("232,404 226,450 234,492", &[17.0, 13.0, 7.0])
        .and(limb("250,404 262,446 252,486", &[17.0, 13.0, 7.0]));
    it.lit(&legs, down(400.0, c(0x00ff_e4c8), 490.0, c(0x00d8_a888)), c(0x00ff_ffff), [1.5, -1.0]);
    subject(&mut it);
    it
}

/// Draws the main figure.
fn subject(it: &mut Canvas) {
    let mut skirt = Shape::default();
    for (x, y) in [(180.0, 420.0), (206.0, 440.0), (240.0, 450.0), (274.0, 440.0), (300.0, 420.0)] {
        skirt = skirt.and(leaf([240.0, 340.0], [x, y], 40.0));
    }
    it.lit(&skirt, down(340.0, LEAF, 450.0, GREEN), SUN, [1.5, -2.0]);
    it.lit(
        &blob("218,318 240,308 262,318 256,366 240,376 224,366"),
        down(308.0, c(0x00c8_f090), 376.0, c(0x0060_b860)),
        SUN,
        [1.5, -2.0],
    );
    let arms = limb("222,326 186,344 170,312", &[13.0, 11.0, 8.0])
        .and(limb("258,326 296,338 316,300", &[13.0, 11.0, 8.0]));
    it.lit(&arms, c(0x00ff_e0c4), c(0x00ff_ffff), [1.0, -1.5]);
    it.lit(
        &leaf([316.0, 306.0], [340.0, 196.0], 9.0).and(star(342.0, 190.0, 4, 22.0, 5.0, 0.0)),
        SUN,
        c(0x00ff_ffff),
        [0.0, -1.0],
    );
    it.glow(342.0, 190.0, 70.0, SUN.a(0.9));
    let hair = blob("240,208 290,226 306,280 290,330 268,300 212,300 190,330 174,280 190,226")
        .and(leaf([240.0, 222.0], [262.0, 156.0], 28.0))
        .and(leaf([240.0, 222.0], [212.0, 166.0], 22.0));
    it.lit(&hair, down(156.0, c(0x0080_d868), 330.0, c(0x001e_7a4c)), SUN, [2.0, -3.0]);
    it.fill(
        &blob("240,230 276,252 278,286 240,318 202,286 204,252"),
        down(230.0, c(0x00ff_f0dc), 318.0, c(0x00f8_d0b0)),
    );
    it.fill(
        &blob("!200,268 216,236 240,226 264,236 !280,268 262,252 240,256 218,252"),
        c(0x0040_a85c),
    );
    it.fill(&leaf([276.0, 270.0], [318.0, 250.0], 17.0).doubled(240.0), c(0x00ff_e4c8));
    it.fill(&disc(258.0, 280.0, 7.0, 10.0).doubled(240.0), down(270.0, NIGHT, 290.0, GREEN));
    it.fill(&disc(260.0, 276.0, 2.6, 3.2).and(disc(224.0, 276.0, 2.6, 3.2)), c(0x00ff_ffff));
    it.fill(&disc(268.0, 294.0, 7.0, 4.0).doubled(240.0), c(0x00ff_9898).a(0.45));
    it.fill(
        &thick(&crate::art::shape::line("233,300 240,304 247,300"), &[0.8, 2.4, 0.8]),
        c(0x00b0_5850),
    );
    canopy(it, 6, 150.0, 46.0, [c(0x0010_5034), c(0x0048_a85c)]);
    grass(it, 5, 640.0, 110.0, [NIGHT, c(0x0024_8a50)]);
    it.motes(12, 44, [30.0, 120.0, 450.0, 600.0], 3.2, SUN);
}
