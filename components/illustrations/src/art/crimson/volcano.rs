//! 紅蓮機工ボルカノ: Volcano Engine.

use super::*;

/// The titan with a volcano for a furnace.
pub(super) fn draw(it: &mut Canvas) {
    it.sky(&[(0.0, 0x1c0510), (0.4, 0x741420), (0.75, 0xd84424), (1.0, 0x5e0f14)]);
    it.clouds(4, [-80.0, 330.0], 150.0, 0.6, c(0x20080c).a(0.85));
    crater(it, 240.0, 520.0, 420.0, 300.0);
    it.smoke("240,100 210,40 260,-20 250,-80", &[60.0, 120.0, 180.0, 220.0], c(0x380c10).a(0.8));
    it.glow(240.0, 96.0, 110.0, FIRE.a(0.8));
    it.ridge(5, 540.0, 90.0, 80.0, c(0x481014), NIGHT);
    it.mist(430.0, 560.0, RED.a(0.35));
    let metal = Ink::Line(
        [140.0, 200.0],
        [360.0, 560.0],
        vec![(0.0, c(0xb84a40)), (0.35, c(0x782024)), (1.0, c(0x180a10))],
    );
    let pipes = poly("112,250 112,150 142,150 142,250")
        .and(poly("156,236 156,176 180,176 180,240"))
        .doubled(240.0);
    pipes.fill(it, lit(down(150.0, STEEL, 250.0, IRON), FIRE, [2.0, -2.0]));
    for x in [127.0, 353.0, 168.0, 312.0] {
        it.lamp(x, if x > 140.0 && x < 340.0 { 176.0 } else { 150.0 }, 6.0, FIRE);
    }
    let legs = poly("180,446 232,446 226,540 240,600 158,600 172,540").doubled(240.0);
    legs.fill(it, lit(down(440.0, c(0x582428), 600.0, IRON), FIRE, [2.0, -2.0]));
    let arms = limb("96,300 62,370 76,440", &[58.0, 50.0, 46.0])
        .and(blob("40,440 112,436 122,500 96,530 50,526 30,490"))
        .doubled(240.0);
    arms.fill(it, lit(metal.clone(), FIRE, [2.0, -3.0]));
    let trunk = poly("150,244 330,244 352,330 318,452 162,452 128,330");
    trunk.fill(it, lit(metal, FIRE, [0.0, -4.0]));
    let shoulders = blob("60,300 70,246 130,218 178,240 168,300 110,326").doubled(240.0);
    let ink =
        Ink::Line([80.0, 220.0], [160.0, 330.0], vec![(0.0, c(0xd85a3c)), (1.0, c(0x601418))]);
    shoulders.fill(it, lit(ink, PALE, [0.0, -3.5]));
    let head = poly("196,236 202,178 222,152 258,152 278,178 284,236 262,258 218,258");
    head.fill(it, lit(down(150.0, c(0xb46454), 260.0, c(0x32141a)), PALE, [0.0, -3.0]));
    poly("202,178 222,110 236,152").doubled(240.0).fill(it, down(110.0, PALE, 178.0, RED));
    it.glow(240.0, 202.0, 70.0, FIRE.a(0.9));
    poly("208,196 236,206 236,214 212,208").doubled(240.0).fill(it, PALE);
    for y in [230.0, 240.0, 250.0] {
        poly([[222.0, y], [258.0, y], [256.0, y + 4.0], [224.0, y + 4.0]]).fill(it, NIGHT.a(0.8));
    }
    disc(240.0, 346.0, 66.0, 66.0).fill(it, c(0x1c0c10));
    gear(240.0, 346.0, 62.0, 14, 0.1).fill(it, lit(c(0x703430), FIRE, [0.0, -2.0]));
    it.glow(240.0, 346.0, 120.0, FIRE.a(0.8));
    let ink = Ink::Round(
        [240.0, 346.0],
        42.0,
        vec![(0.0, c(0xffffff)), (0.4, PALE), (0.8, FIRE), (1.0, RED)],
    );
    disc(240.0, 346.0, 42.0, 42.0).fill(it, ink);
    for i in 0..4_u8 {
        let y = 320.0 + f32::from(i) * 17.0;
        bar(198.0, y, 282.0, y + 5.0).fill(it, IRON.a(0.75));
    }
    for (x, y) in [
        (166.0, 268.0),
        (314.0, 268.0),
        (152.0, 330.0),
        (328.0, 330.0),
        (176.0, 430.0),
        (304.0, 430.0),
    ] {
        disc(x, y, 5.0, 5.0).fill(it, PALE.a(0.7));
    }
    it.ground(7, 590.0, 12.0, c(0x380c10), c(0x0c0204));
    it.motes(6, 60, [10.0, 60.0, 470.0, 630.0], 3.2, FIRE);
}
