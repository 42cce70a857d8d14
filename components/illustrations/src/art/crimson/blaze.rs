//! 紅蓮特急ブレイズ: Blaze Express.

use super::*;

/// A locomotive, head on, over lava.
pub(super) fn draw(it: &mut Canvas) {
    it.sky(&[
        (0.0, 0x220814),
        (0.35, 0x821c2c),
        (0.56, 0xff9a4c),
        (0.6, 0xc23318),
        (1.0, 0x2a0408),
    ]);
    it.stars(12, 60, 200.0, PALE);
    it.glow(240.0, 360.0, 320.0, FIRE.a(0.7));
    it.ridge(9, 372.0, 120.0, 110.0, c(0x6a161c), c(0x380a10));
    it.water(5, 370.0, c(0xff9a3c), c(0x901408), 240.0, PALE.a(0.6));
    it.smoke(
        "240,170 270,100 210,50 250,-20 230,-90",
        &[50.0, 110.0, 160.0, 200.0, 240.0],
        c(0xf4c8b0).a(0.75),
    );
    it.smoke("262,150 300,80 270,20", &[30.0, 70.0, 120.0], c(0x702028).a(0.8));
    poly("206,440 274,440 452,660 28,660").fill(it, down(440.0, c(0x502024), 640.0, IRON));
    for i in 0..9_u8 {
        let depth = f32::from(i) / 8.0;
        let (y, half) = (446.0 + depth * depth * 190.0, 40.0 + depth * depth * 178.0);
        bar(240.0 - half, y, 240.0 + half, y + 3.0 + depth * 12.0).fill(it, c(0x803a2c));
    }
    poly("214,440 220,440 120,660 88,660").doubled(240.0).fill(it, c(0xffc890).a(0.9));
    let body = poly("128,250 352,250 366,470 114,470");
    body.fill(it, lit(down(250.0, c(0x702428), 470.0, IRON), FIRE, [0.0, -3.0]));
    let funnel = poly("206,216 212,150 196,150 188,126 292,126 284,150 268,150 274,216");
    let ink = across(190.0, 290.0, [(0.0, IRON), (0.4, c(0x903c38)), (1.0, IRON)]);
    funnel.fill(it, lit(ink, FIRE, [2.0, -2.0]));
    let boiler = disc(240.0, 318.0, 116.0, 116.0);
    boiler.fill(it, lit(round(210.0, 270.0, 190.0, c(0xa44440), c(0x1c0a0e)), PALE, [0.0, -4.0]));
    disc(240.0, 318.0, 92.0, 92.0).stroke(it, 7.0, c(0xe09440));
    disc(240.0, 318.0, 84.0, 84.0).fill(it, round(220.0, 290.0, 120.0, c(0x542428), IRON));
    for i in 0..12_u8 {
        let angle = f32::from(i) * std::f32::consts::FRAC_PI_6;
        disc(240.0 + 103.0 * angle.cos(), 318.0 + 103.0 * angle.sin(), 4.0, 4.0).fill(it, PALE);
    }
    star(240.0, 330.0, 5, 46.0, 20.0, 0.0)
        .fill(it, lit(down(290.0, PALE, 370.0, RED), c(0xffffff), [0.0, -2.0]));
    poly("92,440 388,440 388,478 92,478")
        .fill(it, lit(down(440.0, c(0xd84a28), 478.0, c(0x70140c)), PALE, [0.0, -3.0]));
    for x in [126.0, 354.0] {
        disc(x, 458.0, 28.0, 28.0)
            .fill(it, lit(round(x - 8.0, 450.0, 34.0, c(0xb07068), IRON), PALE, [0.0, -2.0]));
    }
    let guard = poly("130,484 350,484 398,592 82,592");
    guard.fill(it, lit(down(484.0, c(0x602020), 592.0, IRON), FIRE, [0.0, -3.0]));
    for i in 0..9_u8 {
        let x = f32::from(i) - 4.0;
        thick(&[[240.0 + x * 24.0, 490.0], [240.0 + x * 36.0, 586.0]], &[5.0, 8.0])
            .fill(it, down(490.0, FIRE, 590.0, RED));
    }
    it.rays([240.0, 230.0], 3, 14, 330.0, PALE.a(0.3));
    it.glow(240.0, 230.0, 150.0, PALE.a(0.9));
    disc(240.0, 230.0, 36.0, 36.0).fill(it, lit(c(0xe09440), PALE, [0.0, -2.0]));
    disc(240.0, 230.0, 28.0, 28.0).fill(it, round(240.0, 230.0, 28.0, c(0xffffff), PALE));
    it.smoke("70,520 20,500 -40,530", &[60.0, 100.0, 140.0], c(0xffe4d0).a(0.7));
    it.smoke("410,520 460,500 520,530", &[60.0, 100.0, 140.0], c(0xffe4d0).a(0.7));
    it.motes(8, 50, [10.0, 120.0, 470.0, 640.0], 3.0, FIRE);
}
