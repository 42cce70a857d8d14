//! 鋼翼機ファルコ: Falco, Wing of Steel.

use super::*;

/// A falcon of steel against the sun.
pub(super) fn draw(it: &mut Canvas) {
    it.sky(&[(0.0, 0x341030), (0.4, 0xc03c34), (0.72, 0xffb454), (1.0, 0x982c24)]);
    it.moon(240.0, 300.0, 150.0, c(0xffe8a0), c(0xffc060));
    it.clouds(8, [230.0, 620.0], 180.0, 0.55, c(0xff7848).a(0.6));
    it.clouds(19, [20.0, 240.0], 200.0, 0.5, c(0x701838).a(0.6));
    it.ridge(30, 640.0, 110.0, 90.0, c(0x802028), NIGHT);
    let at = [270.0, 300.0];
    for (angles, lengths) in [([-2.75, -1.75], [250.0, 280.0]), ([-0.95, 0.15], [230.0, 200.0])] {
        it.plumage(at, angles, lengths, 34.0, [c(0x401c24), c(0xe07848)]);
    }
    it.plumage([254.0, 390.0], [1.25, 2.1], [170.0, 170.0], 30.0, [c(0x38161e), c(0xc85c3c)]);
    let body = blob("206,250 240,230 286,262 306,320 290,390 254,430 232,390 226,330");
    let ink = Ink::Line(
        [210.0, 240.0],
        [300.0, 420.0],
        vec![(0.0, c(0xf4b088)), (0.4, c(0x984438)), (1.0, c(0x240c14))],
    );
    body.fill(it, lit(ink, PALE, [-2.0, -3.0]));
    let head = blob("!120,268 158,238 196,220 236,222 254,250 230,278 190,276 !150,274");
    let ink =
        Ink::Line([150.0, 220.0], [240.0, 280.0], vec![(0.0, c(0xffc890)), (1.0, c(0x782c2c))]);
    head.fill(it, lit(ink, c(0xffffff), [-1.0, -3.0]));
    blob("!118,272 !154,238 !170,262 146,268 126,288")
        .fill(it, lit(down(238.0, c(0xffe0a0), 288.0, c(0xb05c20)), c(0xffffff), [0.0, -2.0]));
    it.lamp(192.0, 246.0, 7.0, c(0x60f0ff));
    poly("168,234 214,228 214,236 180,244").fill(it, IRON);
    for i in 0..5_u8 {
        let y = 290.0 + f32::from(i) * 24.0;
        blob([[236.0, y], [262.0, y + 8.0], [290.0, y], [262.0, y + 14.0]]).stroke(
            it,
            2.0,
            PALE.a(0.55),
        );
    }
    gear(262.0, 306.0, 27.0, 10, 0.3).fill(it, lit(c(0x602424), PALE, [0.0, -2.0]));
    it.lamp(262.0, 306.0, 11.0, FIRE);
    for (x, y) in [(226.0, 540.0), (254.0, 552.0), (282.0, 540.0)] {
        let flame = leaf([x, y - 30.0], [x + (x - 254.0) * 0.5, y + 60.0], 22.0);
        flame.aura(it, 24.0, FIRE.a(0.8));
        flame.fill(it, down(y - 30.0, PALE, y + 60.0, RED.a(0.2)));
    }
    let streaks = [
        ([470.0, 130.0], [350.0, 230.0]),
        ([480.0, 420.0], [380.0, 370.0]),
        ([60.0, 70.0], [130.0, 150.0]),
    ];
    for (from, to) in streaks {
        thick(&[from, to], &[1.0, 4.0]).fill(it, PALE.a(0.5));
    }
    it.motes(5, 40, [20.0, 300.0, 460.0, 640.0], 2.8, FIRE);
}
