//! 蒼晶竜アジュール: Azure, the Crystal Dragon.

use super::*;

/// Wings spread before the full moon.
pub(super) fn draw(it: &mut Canvas) {
    it.sky(&[(0.0, 0x040c28), (0.45, 0x0f3d8c), (0.8, 0x3f9be0), (1.0, 0x0f3d8c)]);
    it.stars(3, 130, 420.0, ICE);
    it.aurora(5, 250.0, 170.0, c(0x48e0d8).a(0.10));
    it.moon(240.0, 238.0, 132.0, c(0xcfefff), LIGHT);
    it.craters(240.0, 238.0, 132.0, BLUE.a(0.12));
    it.clouds(8, [120.0, 470.0], 150.0, 0.46, c(0x184a9c).a(0.5));
    it.ridge(11, 500.0, 170.0, 120.0, c(0x3a7fca), c(0x1a4f9f));
    it.mist(430.0, 520.0, LIGHT.a(0.35));
    it.ridge(21, 570.0, 150.0, 90.0, c(0x15418d), NIGHT);
    let tips = [[470.0, 158.0], [452.0, 262.0], [402.0, 334.0], [330.0, 378.0]];
    let (shoulder, wrist, hip) = ([258.0, 300.0], [352.0, 138.0], [262.0, 372.0]);
    let wing = membrane(shoulder, wrist, &tips, hip);
    let glass = Ink::Line(
        [240.0, 140.0],
        [240.0, 380.0],
        vec![(0.0, c(0x60b4f4).a(0.94)), (0.55, c(0x1d58b4).a(0.96)), (1.0, c(0x0a2766))],
    );
    let both = wing.doubled(240.0);
    both.aura(it, 46.0, LIGHT.a(0.35));
    both.fill(it, lit(glass, ICE, [0.0, -3.0]));
    let bones = fingers(shoulder, wrist, &tips, 9.0).doubled(240.0);
    bones.fill(it, lit(c(0x0d3278), ICE, [0.0, -2.0]));
    let spine = limb(
        "318,206 288,200 252,218 232,262 238,318 246,372 226,430 244,492 306,516 352,492 344,452",
        &[16.0, 26.0, 30.0, 34.0, 58.0, 72.0, 62.0, 42.0, 26.0, 14.0, 3.0],
    );
    let head = blob("!366,226 348,206 322,186 292,180 274,198 286,220 !318,222 !350,236");
    let horns = limb("296,188 268,164 232,156", &[13.0, 8.0, 1.0])
        .and(limb("306,184 288,152 262,134", &[12.0, 7.0, 1.0]));
    let legs = limb("268,338 304,362 300,404", &[24.0, 17.0, 11.0])
        .and(limb("216,338 182,364 190,404", &[24.0, 17.0, 11.0]))
        .and(limb("246,412 290,430 268,478 294,490", &[50.0, 34.0, 17.0, 12.0]))
        .and(limb("228,420 190,440 206,480 180,492", &[44.0, 30.0, 17.0, 12.0]))
        .and(star(300.0, 410.0, 5, 13.0, 5.0, 0.0))
        .and(star(190.0, 410.0, 5, 13.0, 5.0, 0.0));
    let mut spikes = Shape::default();
    for (x, y, dx, dy) in [
        (262.0, 206.0, -18.0, -16.0),
        (240.0, 230.0, -26.0, -10.0),
        (222.0, 262.0, -28.0, -2.0),
        (216.0, 296.0, -26.0, 4.0),
    ] {
        spikes = spikes.and(leaf([x + 8.0, y + 14.0], [x + dx, y + dy], 13.0));
    }
    let tail = star(345.0, 446.0, 4, 26.0, 8.0, 0.2);
    let body = spine.and(head).and(horns).and(legs).and(spikes).and(tail);
    body.fill(it, lit(down(180.0, c(0x2a78cc), 500.0, c(0x081d52)), ICE, [2.5, -2.5]));
    for i in 0..7_u8 {
        let y = 300.0 + f32::from(i) * 19.0;
        let plate = blob([[226.0, y], [246.0, y - 6.0], [266.0, y], [246.0, y + 9.0]]);
        plate.fill(it, down(y - 6.0, LIGHT.a(0.75), y + 9.0, BLUE.a(0.15)));
    }
    it.lamp(322.0, 202.0, 3.4, c(0x9ffff0));
    it.crystals(4, 640.0, 220.0, DEEP, LIGHT);
    it.sparkles(9, 16, [30.0, 120.0, 450.0, 600.0], LIGHT);
}
