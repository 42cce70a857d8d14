//! 黄金翼の騎士オーラム: Aurum, Golden-Winged Knight.

use super::*;

/// A guardian in the sky, sword raised.
pub(super) fn draw(it: &mut Canvas) {
    it.sky(&[(0.0, 0x2c5cb0), (0.45, 0x98c8f0), (0.75, 0xfff0c0), (1.0, 0xe8a048)]);
    it.rays([240.0, 60.0], 5, 26, 700.0, PALE.a(0.4));
    it.clouds(9, [60.0, 460.0], 190.0, 0.53, WHITE.a(0.8));
    it.glow(240.0, 260.0, 310.0, PALE.a(0.8));
    let mut town = Shape::default();
    for (x, w, h) in [
        (40.0, 40.0, 90.0),
        (84.0, 30.0, 130.0),
        (120.0, 44.0, 80.0),
        (360.0, 40.0, 96.0),
        (400.0, 28.0, 140.0),
        (440.0, 46.0, 84.0),
        (240.0, 60.0, 60.0),
        (180.0, 40.0, 50.0),
        (300.0, 40.0, 56.0),
    ] {
        town = town.and(poly([
            [x - w / 2.0, 640.0],
            [x - w / 2.0, 640.0 - h],
            [x, 610.0 - h],
            [x + w / 2.0, 640.0 - h],
            [x + w / 2.0, 640.0],
        ]));
    }
    town.fill(it, down(480.0, c(0xd8a060), 640.0, c(0x905828)));
    it.mist(480.0, 600.0, PALE.a(0.6));
    for (angles, lengths, tints) in [
        ([-0.95, 0.55], [300.0, 170.0], [c(0xd89830), c(0xffe8a8)]),
        ([-0.9, 0.4], [200.0, 120.0], [c(0xf0bc50), c(0xfff8dc)]),
    ] {
        for i in 0..10_u8 {
            let share = f32::from(i) / 9.0;
            let angle = angles[0] + (angles[1] - angles[0]) * (1.0 - share);
            let long = lengths[0] + (lengths[1] - lengths[0]) * (1.0 - share);
            let wing =
                feathers([262.0, 280.0], 1, [angle, angle], [long, long], 38.0).doubled(240.0);
            let ink = Ink::Round([240.0, 280.0], 300.0, vec![(0.0, tints[0]), (1.0, tints[1])]);
            wing.fill(it, lit(ink, WHITE, [0.0, -1.6]));
        }
    }
    let cloth = blob("!204,380 !276,380 300,480 !322,580 270,556 240,590 210,556 !158,580 180,480");
    cloth.fill(it, lit(down(380.0, c(0xd03048), 590.0, c(0x601028)), LIGHT, [1.0, -1.0]));
    let legs = blob("!212,392 !238,392 234,480 226,560 214,560 206,480")
        .and(blob("!242,392 !268,392 274,480 268,556 256,556 246,480"));
    legs.fill(it, lit(down(390.0, c(0xf8d080), 560.0, c(0x784c14)), WHITE, [1.5, -1.0]));
    let trunk = blob("!196,268 240,256 !284,268 276,330 262,370 274,402 206,402 218,370 204,330");
    trunk.fill(it, lit(metal(190.0, 290.0), WHITE, [0.0, -3.0]));
    limb("206,300 240,326 274,300", &[2.0, 5.0, 2.0]).fill(it, DEEP.a(0.7));
    star(240.0, 312.0, 8, 17.0, 8.0, 0.0).fill(it, lit(c(0xf05050), PALE, [0.0, -1.5]));
    poly("206,368 274,368 276,382 204,382").fill(it, c(0x703c10));
    disc(196.0, 282.0, 27.0, 22.0)
        .doubled(240.0)
        .fill(it, lit(metal(170.0, 310.0), WHITE, [0.0, -3.0]));
    let left = limb("190,290 164,336 180,378", &[26.0, 24.0, 20.0]);
    left.fill(it, lit(metal(150.0, 210.0), WHITE, [1.0, -2.0]));
    let shield = blob("!124,330 170,318 !216,330 212,390 170,440 128,390");
    shield.fill(it, lit(metal(124.0, 216.0), WHITE, [0.0, -3.0]));
    blob("!138,342 170,332 !202,342 198,386 170,422 142,386")
        .fill(it, lit(down(332.0, c(0xe04058), 422.0, c(0x801028)), PALE, [0.0, -1.0]));
    star(170.0, 374.0, 12, 24.0, 13.0, 0.0).fill(it, lit(LIGHT, WHITE, [0.0, -1.5]));
    let arm = limb("288,284 318,246 312,190", &[26.0, 24.0, 20.0]);
    arm.fill(it, lit(metal(280.0, 330.0), WHITE, [1.0, -2.0]));
    let blade = poly("303,166 310,-6 317,166");
    poly("296,170 310,0 324,170").aura(it, 34.0, PALE.a(0.95));
    let ink = across(302.0, 318.0, [(0.0, c(0xd8e8ff)), (0.5, WHITE), (1.0, c(0x98b8e0))]);
    blade.and(poly("302,166 310,20 318,166")).fill(it, ink);
    poly("278,164 342,164 338,174 282,174")
        .and(poly("305,170 315,170 315,206 305,206"))
        .fill(it, lit(metal(278.0, 342.0), WHITE, [0.0, -1.5]));
    let helm = blob("!210,232 212,196 240,178 268,196 !270,232 258,262 240,272 222,262");
    helm.fill(it, lit(metal(206.0, 274.0), WHITE, [0.0, -3.0]));
    poly("218,222 262,222 256,232 224,232").fill(it, c(0x301808));
    disc(230.0, 227.0, 3.4, 2.4).and(disc(250.0, 227.0, 3.4, 2.4)).fill(it, c(0x90f0ff));
    thick(&[[240.0, 180.0], [240.0, 266.0]], &[2.0, 3.0]).fill(it, c(0x805018).a(0.7));
    let ink = across(120.0, 240.0, [(0.0, c(0x801028)), (1.0, c(0xf04858))]);
    limb("240,184 214,140 160,130 120,156", &[12.0, 26.0, 22.0, 2.0])
        .fill(it, lit(ink, c(0xffc0b0), [0.0, -2.5]));
    leaf([212.0, 222.0], [176.0, 176.0], 17.0)
        .doubled(240.0)
        .fill(it, lit(c(0xfff0c0), WHITE, [0.0, -1.5]));
    it.petals(6, 26, [20.0, 60.0, 460.0, 620.0], 20.0, [c(0xffe8a0), WHITE]);
    it.sparkles(2, 16, [40.0, 20.0, 440.0, 520.0], PALE);
}
