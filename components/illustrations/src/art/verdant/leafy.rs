//! 翠森精霊リーフィ: Leafy of the Verdant.

use super::*;

/// The smallest spirit, on wings of young leaves.
pub(super) fn draw(it: &mut Canvas) {
    it.sky(&[(0.0, 0xc8f4a0), (0.45, 0x58b874), (1.0, 0x0a3c2c)]);
    it.glow(250.0, 90.0, 420.0, SUN.a(0.95));
    trunks(it, 3, 9, 20.0, c(0x70c088), c(0x2c7a54));
    it.mist(120.0, 560.0, SUN.a(0.35));
    trunks(it, 8, 5, 36.0, c(0x246a4c), c(0x093424));
    it.rays([290.0, -60.0], 11, 26, 820.0, SUN.a(0.26));
    it.ground(4, 580.0, 18.0, c(0x1c6a44), NIGHT);
    it.glow(240.0, 330.0, 250.0, SUN.a(0.75));
    let upper =
        leaf([252.0, 316.0], [440.0, 150.0], 110.0).and(leaf([228.0, 316.0], [40.0, 150.0], 110.0));
    let lower =
        leaf([250.0, 336.0], [392.0, 436.0], 78.0).and(leaf([230.0, 336.0], [88.0, 436.0], 78.0));
    for wing in [upper, lower] {
        wing.aura(it, 24.0, LEAF.a(0.5));
        wing.fill(
            it,
            lit(round(240.0, 325.0, 260.0, c(0xe8ffb0), c(0x50c070)), c(0xffffff), [0.0, -3.0]),
        );
    }
    for (x, y) in [(420.0, 168.0), (376.0, 424.0)] {
        thick(&[[246.0, 326.0], [x, y]], &[3.0, 0.8]).doubled(240.0).fill(it, c(0x308a50).a(0.8));
        for i in 1..6_u8 {
            let t = f32::from(i) / 6.5;
            let at = [246.0 + (x - 246.0) * t, 326.0 + (y - 326.0) * t];
            for turn in [-34.0, 34.0] {
                let to = [
                    at[0] + (x - 246.0) * 0.12 - turn * (y - 326.0) / 300.0,
                    at[1] + (y - 326.0) * 0.12 + turn * 0.5,
                ];
                thick(&[at, to], &[1.6, 0.4]).doubled(240.0).fill(it, c(0x308a50).a(0.55));
            }
        }
    }
    let legs = limb("232,404 226,450 234,492", &[17.0, 13.0, 7.0])
        .and(limb("250,404 262,446 252,486", &[17.0, 13.0, 7.0]));
    legs.fill(it, lit(down(400.0, c(0xffe4c8), 490.0, c(0xd8a888)), c(0xffffff), [1.5, -1.0]));
    let mut skirt = Shape::default();
    for (x, y) in [(180.0, 420.0), (206.0, 440.0), (240.0, 450.0), (274.0, 440.0), (300.0, 420.0)] {
        skirt = skirt.and(leaf([240.0, 340.0], [x, y], 40.0));
    }
    skirt.fill(it, lit(down(340.0, LEAF, 450.0, GREEN), SUN, [1.5, -2.0]));
    blob("218,318 240,308 262,318 256,366 240,376 224,366")
        .fill(it, lit(down(308.0, c(0xc8f090), 376.0, c(0x60b860)), SUN, [1.5, -2.0]));
    let arms = limb("222,326 186,344 170,312", &[13.0, 11.0, 8.0])
        .and(limb("258,326 296,338 316,300", &[13.0, 11.0, 8.0]));
    arms.fill(it, lit(c(0xffe0c4), c(0xffffff), [1.0, -1.5]));
    leaf([316.0, 306.0], [340.0, 196.0], 9.0)
        .and(star(342.0, 190.0, 4, 22.0, 5.0, 0.0))
        .fill(it, lit(SUN, c(0xffffff), [0.0, -1.0]));
    it.glow(342.0, 190.0, 70.0, SUN.a(0.9));
    let hair = blob("240,208 290,226 306,280 290,330 268,300 212,300 190,330 174,280 190,226")
        .and(leaf([240.0, 222.0], [262.0, 156.0], 28.0))
        .and(leaf([240.0, 222.0], [212.0, 166.0], 22.0));
    hair.fill(it, lit(down(156.0, c(0x80d868), 330.0, c(0x1e7a4c)), SUN, [2.0, -3.0]));
    blob("240,230 276,252 278,286 240,318 202,286 204,252")
        .fill(it, down(230.0, c(0xfff0dc), 318.0, c(0xf8d0b0)));
    blob("!200,268 216,236 240,226 264,236 !280,268 262,252 240,256 218,252").fill(it, c(0x40a85c));
    leaf([276.0, 270.0], [318.0, 250.0], 17.0).doubled(240.0).fill(it, c(0xffe4c8));
    disc(258.0, 280.0, 7.0, 10.0).doubled(240.0).fill(it, down(270.0, NIGHT, 290.0, GREEN));
    disc(260.0, 276.0, 2.6, 3.2).and(disc(224.0, 276.0, 2.6, 3.2)).fill(it, c(0xffffff));
    disc(268.0, 294.0, 7.0, 4.0).doubled(240.0).fill(it, c(0xff9898).a(0.45));
    thick(&crate::art::shape::line("233,300 240,304 247,300"), &[0.8, 2.4, 0.8])
        .fill(it, c(0xb05850));
    canopy(it, 6, 150.0, 46.0, [c(0x105034), c(0x48a85c)]);
    grass(it, 5, 640.0, 110.0, [NIGHT, c(0x248a50)]);
    it.motes(12, 44, [30.0, 120.0, 450.0, 600.0], 3.2, SUN);
}
