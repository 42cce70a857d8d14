//! 蒼海竜リヴィエ: Rivie, Serpent of the Blue Sea.

use super::*;

/// A serpent that rises from the sea.
pub(super) fn draw(it: &mut Canvas) {
    it.sky(&[(0.0, 0x030d2c), (0.4, 0x0e3f86), (0.68, 0x38a0c8), (1.0, 0x0a2a5c)]);
    it.stars(17, 160, 380.0, ICE);
    it.moon(118.0, 132.0, 52.0, c(0xd8f4ff), LIGHT);
    it.clouds(31, [200.0, 420.0], 170.0, 0.5, c(0x78c8e8).a(0.35));
    it.ridge(41, 420.0, 46.0, 150.0, c(0x1d5d97), c(0x144c85));
    it.water(8, 412.0, c(0x2486b8), c(0x041740), 118.0, c(0xc8f4ff).a(0.5));
    let skin = Ink::Line(
        [150.0, 160.0],
        [380.0, 520.0],
        vec![(0.0, c(0x4cc4e4)), (0.5, c(0x1766b4)), (1.0, c(0x082a64))],
    );
    let far = limb("396,462 410,410 438,404 456,462", &[24.0, 26.0, 26.0, 22.0]);
    far.fill(it, lit(skin.clone(), ICE, [-2.0, -2.0]));
    let hump = limb("70,500 96,428 150,404 196,440 210,506", &[40.0, 46.0, 48.0, 46.0, 40.0]);
    hump.fill(it, lit(skin.clone(), ICE, [-2.0, -3.0]));
    let mut crest = Shape::default();
    let ridge = [
        (352.0, 440.0),
        (374.0, 396.0),
        (374.0, 350.0),
        (350.0, 306.0),
        (318.0, 268.0),
        (296.0, 226.0),
        (304.0, 186.0),
    ];
    for (i, (x, y)) in ridge.into_iter().enumerate() {
        let lean = if i < 3 { 44.0 } else { 38.0 };
        crest = crest.and(leaf([x - 14.0, y + 10.0], [x + lean, y - 26.0], 24.0));
    }
    let neck = limb(
        "300,520 336,440 346,370 306,310 262,258 252,206 276,166 250,150",
        &[78.0, 72.0, 64.0, 56.0, 48.0, 42.0, 38.0, 30.0],
    );
    let head = blob("!166,196 190,164 226,138 268,126 300,146 302,178 272,198 !232,196 !196,204");
    let fin = membrane(
        [286.0, 150.0],
        [330.0, 110.0],
        &[[372.0, 92.0], [382.0, 136.0], [356.0, 170.0]],
        [296.0, 184.0],
    );
    let whisker = limb("190,190 150,216 128,262 140,296", &[6.0, 4.0, 3.0, 0.5])
        .and(limb("204,196 186,232 192,270", &[5.0, 3.0, 0.5]));
    crest.fill(it, lit(down(160.0, ICE, 440.0, c(0x30a0d8)), c(0xffffff), [1.0, -2.0]));
    let ink = Ink::Line([290.0, 160.0], [380.0, 110.0], vec![(0.0, BLUE), (1.0, c(0xa8fff0))]);
    fin.fill(it, lit(ink, ICE, [0.0, -2.0]));
    neck.and(head).and(whisker).fill(it, lit(skin, ICE, [-3.0, -2.5]));
    for i in 0..11_u8 {
        let share = f32::from(i) / 10.0;
        let (x, y) =
            (240.0 + 66.0 * (share * 3.1).sin() - share * 10.0 + 2.0, 212.0 + share * 258.0);
        blob([[x - 17.0, y], [x, y - 5.0], [x + 16.0, y + 3.0], [x, y + 9.0]])
            .fill(it, ICE.a(0.34));
    }
    it.lamp(236.0, 164.0, 4.0, c(0xfff0a0));
    for (x, y, w) in [(140.0, 506.0, 110.0), (312.0, 520.0, 74.0), (428.0, 464.0, 52.0)] {
        for i in 0..4_u8 {
            let i = f32::from(i);
            disc(x, y + i * 7.0, w - i * 16.0, 3.0).fill(it, ICE.a(0.45 - i * 0.09));
        }
    }
    it.motes(3, 26, [90.0, 380.0, 420.0, 520.0], 3.0, LIGHT);
}
