//! 紅蓮機工: engines, gears and fire.

use super::{
    Cards,
    canvas::{
        Canvas, Dice, Ink, Shape, Tint, across, bar, blob, c, disc, down, gear, leaf, limb, lit,
        poly, round, rows, slope, star, thick,
    },
};

const NIGHT: Tint = c(0x1a0508);
const DEEP: Tint = c(0x5e0f14);
const RED: Tint = c(0xc23318);
const FIRE: Tint = c(0xff8a3c);
const PALE: Tint = c(0xffe9b8);
const STEEL: Tint = c(0x463038);
const IRON: Tint = c(0x1f1218);

pub(super) const CARDS: Cards = [
    ("volcano", volcano),
    ("blaze", blaze),
    ("gard", gard),
    ("heart", heart),
    ("falco", falco),
    ("homura", homura),
];

/// A mountain that pours fire.
fn crater(canvas: &mut Canvas, x: f32, base: f32, height: f32, wide: f32) {
    let top = base - height;
    canvas.glow(x, top, height * 1.1, FIRE.a(0.9));
    let slope = poly([
        [x - wide, base],
        [x - 34.0, top],
        [x, top + 12.0],
        [x + 34.0, top],
        [x + wide, base],
    ]);
    slope.fill(canvas, lit(down(top, c(0x741c1a), base, NIGHT), FIRE.a(0.8), [0.0, -3.0]));
    for (dx, w, l) in [(-12.0, 10.0, 0.7), (6.0, 13.0, 0.95), (22.0, 7.0, 0.55)] {
        let end = top + height * l;
        let stream = limb(
            [[x + dx, top + 6.0], [x + dx * 2.2, top + height * 0.3], [x + dx * 3.6, end]],
            &[w, w * 0.8, 1.0],
        );
        stream.aura(canvas, 18.0, FIRE.a(0.7));
        stream.fill(canvas, down(top, PALE, end, RED));
    }
}

/// 紅蓮機工ボルカノ: Volcano Engine.
/// The titan with a volcano for a furnace.
fn volcano(canvas: &mut Canvas) {
    canvas.sky(&[(0.0, 0x1c0510), (0.4, 0x741420), (0.75, 0xd84424), (1.0, 0x5e0f14)]);
    canvas.clouds(4, [-80.0, 330.0], 150.0, 0.6, c(0x20080c).a(0.85));
    crater(canvas, 240.0, 520.0, 420.0, 300.0);
    canvas.smoke(
        "240,100 210,40 260,-20 250,-80",
        &[60.0, 120.0, 180.0, 220.0],
        c(0x380c10).a(0.8),
    );
    canvas.glow(240.0, 96.0, 110.0, FIRE.a(0.8));
    canvas.ridge(5, 540.0, 90.0, 80.0, c(0x481014), NIGHT);
    canvas.mist(430.0, 560.0, RED.a(0.35));
    let metal =
        slope([140.0, 200.0], [360.0, 560.0], c(0xb84a40), c(0x180a10)).with(0.35, c(0x782024));
    let pipes = poly("112,250 112,150 142,150 142,250")
        .and(poly("156,236 156,176 180,176 180,240"))
        .doubled(240.0);
    pipes.fill(canvas, lit(down(150.0, STEEL, 250.0, IRON), FIRE, [2.0, -2.0]));
    for x in [127.0, 353.0, 168.0, 312.0] {
        canvas.lamp(x, if x > 140.0 && x < 340.0 { 176.0 } else { 150.0 }, 6.0, FIRE);
    }
    let legs = poly("180,446 232,446 226,540 240,600 158,600 172,540").doubled(240.0);
    legs.fill(canvas, lit(down(440.0, c(0x582428), 600.0, IRON), FIRE, [2.0, -2.0]));
    let arms = limb("96,300 62,370 76,440", &[58.0, 50.0, 46.0])
        .and(blob("40,440 112,436 122,500 96,530 50,526 30,490"))
        .doubled(240.0);
    arms.fill(canvas, lit(metal.clone(), FIRE, [2.0, -3.0]));
    let trunk = poly("150,244 330,244 352,330 318,452 162,452 128,330");
    trunk.fill(canvas, lit(metal, FIRE, [0.0, -4.0]));
    let shoulders = blob("60,300 70,246 130,218 178,240 168,300 110,326").doubled(240.0);
    let ink =
        Ink::Line([80.0, 220.0], [160.0, 330.0], vec![(0.0, c(0xd85a3c)), (1.0, c(0x601418))]);
    shoulders.fill(canvas, lit(ink, PALE, [0.0, -3.5]));
    let head = poly("196,236 202,178 222,152 258,152 278,178 284,236 262,258 218,258");
    head.fill(canvas, lit(down(150.0, c(0xb46454), 260.0, c(0x32141a)), PALE, [0.0, -3.0]));
    poly("202,178 222,110 236,152").doubled(240.0).fill(canvas, down(110.0, PALE, 178.0, RED));
    canvas.glow(240.0, 202.0, 70.0, FIRE.a(0.9));
    poly("208,196 236,206 236,214 212,208").doubled(240.0).fill(canvas, PALE);
    for y in [230.0, 240.0, 250.0] {
        poly([[222.0, y], [258.0, y], [256.0, y + 4.0], [224.0, y + 4.0]])
            .fill(canvas, NIGHT.a(0.8));
    }
    disc(240.0, 346.0, 66.0, 66.0).fill(canvas, c(0x1c0c10));
    gear(240.0, 346.0, 62.0, 14, 0.1).fill(canvas, lit(c(0x703430), FIRE, [0.0, -2.0]));
    canvas.glow(240.0, 346.0, 120.0, FIRE.a(0.8));
    let ink = round(240.0, 346.0, 42.0, c(0xffffff), RED).with(0.4, PALE).with(0.8, FIRE);
    disc(240.0, 346.0, 42.0, 42.0).fill(canvas, ink);
    for i in 0..4_u8 {
        let y = 320.0 + f32::from(i) * 17.0;
        bar(198.0, y, 282.0, y + 5.0).fill(canvas, IRON.a(0.75));
    }
    for [x, y] in rows("166,268 314,268 152,330 328,330 176,430 304,430") {
        disc(x, y, 5.0, 5.0).fill(canvas, PALE.a(0.7));
    }
    canvas.ground(7, 590.0, 12.0, c(0x380c10), c(0x0c0204));
    canvas.motes(6, 60, [10.0, 60.0, 470.0, 630.0], 3.2, FIRE);
}

/// 紅蓮特急ブレイズ: Blaze Express.
/// A locomotive, head on, over lava.
fn blaze(canvas: &mut Canvas) {
    canvas.sky(&[
        (0.0, 0x220814),
        (0.35, 0x821c2c),
        (0.56, 0xff9a4c),
        (0.6, 0xc23318),
        (1.0, 0x2a0408),
    ]);
    canvas.stars(12, 60, 200.0, PALE);
    canvas.glow(240.0, 360.0, 320.0, FIRE.a(0.7));
    canvas.ridge(9, 372.0, 120.0, 110.0, c(0x6a161c), c(0x380a10));
    canvas.water(5, 370.0, c(0xff9a3c), c(0x901408), 240.0, PALE.a(0.6));
    canvas.smoke(
        "240,170 270,100 210,50 250,-20 230,-90",
        &[50.0, 110.0, 160.0, 200.0, 240.0],
        c(0xf4c8b0).a(0.75),
    );
    canvas.smoke("262,150 300,80 270,20", &[30.0, 70.0, 120.0], c(0x702028).a(0.8));
    poly("206,440 274,440 452,660 28,660").fill(canvas, down(440.0, c(0x502024), 640.0, IRON));
    for i in 0..9_u8 {
        let depth = f32::from(i) / 8.0;
        let (y, half) = (446.0 + depth * depth * 190.0, 40.0 + depth * depth * 178.0);
        bar(240.0 - half, y, 240.0 + half, y + 3.0 + depth * 12.0).fill(canvas, c(0x803a2c));
    }
    poly("214,440 220,440 120,660 88,660").doubled(240.0).fill(canvas, c(0xffc890).a(0.9));
    let body = poly("128,250 352,250 366,470 114,470");
    body.fill(canvas, lit(down(250.0, c(0x702428), 470.0, IRON), FIRE, [0.0, -3.0]));
    let funnel = poly("206,216 212,150 196,150 188,126 292,126 284,150 268,150 274,216");
    let ink = across(190.0, 290.0, [(0.0, IRON), (0.4, c(0x903c38)), (1.0, IRON)]);
    funnel.fill(canvas, lit(ink, FIRE, [2.0, -2.0]));
    let boiler = disc(240.0, 318.0, 116.0, 116.0);
    boiler
        .fill(canvas, lit(round(210.0, 270.0, 190.0, c(0xa44440), c(0x1c0a0e)), PALE, [0.0, -4.0]));
    disc(240.0, 318.0, 92.0, 92.0).stroke(canvas, 7.0, c(0xe09440));
    disc(240.0, 318.0, 84.0, 84.0).fill(canvas, round(220.0, 290.0, 120.0, c(0x542428), IRON));
    for i in 0..12_u8 {
        let angle = f32::from(i) * std::f32::consts::FRAC_PI_6;
        disc(240.0 + 103.0 * angle.cos(), 318.0 + 103.0 * angle.sin(), 4.0, 4.0).fill(canvas, PALE);
    }
    star(240.0, 330.0, 5, 46.0, 20.0, 0.0)
        .fill(canvas, lit(down(290.0, PALE, 370.0, RED), c(0xffffff), [0.0, -2.0]));
    poly("92,440 388,440 388,478 92,478")
        .fill(canvas, lit(down(440.0, c(0xd84a28), 478.0, c(0x70140c)), PALE, [0.0, -3.0]));
    for x in [126.0, 354.0] {
        disc(x, 458.0, 28.0, 28.0)
            .fill(canvas, lit(round(x - 8.0, 450.0, 34.0, c(0xb07068), IRON), PALE, [0.0, -2.0]));
    }
    let guard = poly("130,484 350,484 398,592 82,592");
    guard.fill(canvas, lit(down(484.0, c(0x602020), 592.0, IRON), FIRE, [0.0, -3.0]));
    for i in 0..9_u8 {
        let x = f32::from(i) - 4.0;
        thick(&[[240.0 + x * 24.0, 490.0], [240.0 + x * 36.0, 586.0]], &[5.0, 8.0])
            .fill(canvas, down(490.0, FIRE, 590.0, RED));
    }
    canvas.rays([240.0, 230.0], 3, 14, 330.0, PALE.a(0.3));
    canvas.glow(240.0, 230.0, 150.0, PALE.a(0.9));
    disc(240.0, 230.0, 36.0, 36.0).fill(canvas, lit(c(0xe09440), PALE, [0.0, -2.0]));
    disc(240.0, 230.0, 28.0, 28.0).fill(canvas, round(240.0, 230.0, 28.0, c(0xffffff), PALE));
    canvas.smoke("70,520 20,500 -40,530", &[60.0, 100.0, 140.0], c(0xffe4d0).a(0.7));
    canvas.smoke("410,520 460,500 520,530", &[60.0, 100.0, 140.0], c(0xffe4d0).a(0.7));
    canvas.motes(8, 50, [10.0, 120.0, 470.0, 640.0], 3.0, FIRE);
}

/// 機工城塞ガルド: Gard, the Engine Fortress.
/// A factory town that walks.
fn gard(canvas: &mut Canvas) {
    canvas.sky(&[(0.0, 0x2a0a1c), (0.5, 0xa02c30), (0.78, 0xffb060), (1.0, 0x601418)]);
    canvas.moon(352.0, 262.0, 86.0, c(0xffd890), FIRE);
    canvas.clouds(23, [60.0, 480.0], 200.0, 0.5, c(0x601822).a(0.6));
    canvas.ridge(3, 560.0, 80.0, 120.0, c(0x903030), c(0x58161c));
    canvas.mist(440.0, 580.0, c(0xffc080).a(0.5));
    let mut dice = Dice::new(77);
    for (layer, dark) in [(0_u8, c(0x702428)), (1, c(0x441218)), (2, c(0x22080e))] {
        let l = f32::from(layer);
        let mut town = Shape::default();
        let mut windows = Vec::new();
        for i in 0..7_u8 {
            let off = f32::from(i) - 3.0;
            let x = 236.0 + off * (40.0 + l * 8.0) + dice.within(-8.0, 8.0);
            let tall = (300.0 - off.abs() * 62.0 - l * 74.0) * dice.within(0.85, 1.1);
            let (wide, foot) = (dice.within(30.0, 46.0), 470.0);
            let top = foot - tall;
            town = town.and(poly([
                [x - wide / 2.0, foot],
                [x - wide / 2.4, top],
                [x + wide / 2.4, top],
                [x + wide / 2.0, foot],
            ]));
            if i % 2 == layer % 2 {
                town =
                    town.and(poly([[x - wide / 1.7, top], [x, top - 40.0], [x + wide / 1.7, top]]));
            } else {
                town = town.and(poly([
                    [x - 7.0, top],
                    [x - 5.0, top - 56.0],
                    [x + 5.0, top - 56.0],
                    [x + 7.0, top],
                ]));
                canvas.smoke(
                    &format!(
                        "{x},{} {},{} {},{}",
                        top - 60.0,
                        x - 26.0,
                        top - 110.0,
                        x - 80.0,
                        top - 160.0
                    ),
                    &[12.0, 36.0, 70.0],
                    c(0x300c14).a(0.55),
                );
            }
            for _ in 0..4 {
                windows.push([
                    x + dice.within(-0.3, 0.3) * wide,
                    foot - tall * dice.within(0.2, 0.92),
                ]);
            }
        }
        town.fill(
            canvas,
            lit(down(170.0, dark.to(FIRE, 0.22), 480.0, dark), FIRE.a(0.85), [3.0, -2.0]),
        );
        for [x, y] in windows {
            canvas.glow(x, y, 13.0, FIRE.a(0.8));
            bar(x - 3.0, y - 5.0, x + 3.0, y + 5.0).fill(canvas, PALE);
        }
    }
    let hull = blob("!40,452 !440,452 420,510 330,540 150,540 60,510");
    hull.fill(canvas, lit(down(450.0, c(0x782420), 540.0, IRON), PALE, [0.0, -3.0]));
    for x in [104.0, 172.0, 240.0, 308.0, 376.0] {
        gear(x, 490.0, 27.0, 10, x).fill(canvas, lit(c(0x904030), FIRE, [0.0, -1.5]));
        canvas.lamp(x, 490.0, 7.0, FIRE);
    }
    let legs = limb("110,520 60,556 84,620", &[44.0, 34.0, 26.0])
        .and(limb("180,534 156,580 168,632", &[44.0, 34.0, 28.0]))
        .and(limb("300,534 326,580 312,632", &[44.0, 34.0, 28.0]))
        .and(limb("370,520 420,556 396,620", &[44.0, 34.0, 26.0]));
    legs.fill(canvas, lit(down(520.0, c(0x541a1c), 630.0, NIGHT), FIRE, [2.5, -2.0]));
    canvas.smoke("60,640 160,628 320,634 440,640", &[50.0, 70.0, 70.0, 50.0], c(0xe09070).a(0.6));
    canvas.motes(4, 34, [10.0, 200.0, 470.0, 630.0], 2.6, FIRE);
}

/// 歯車の心臓: Heart of Gears.
/// Gears around a glowing core.
fn heart(canvas: &mut Canvas) {
    canvas.sky(&[(0.0, 0x1a0508), (0.5, 0x5a1014), (1.0, 0x120306)]);
    canvas.clouds(3, [0.0, 640.0], 120.0, 0.5, c(0x902418).a(0.4));
    canvas.glow(240.0, 320.0, 330.0, FIRE.a(0.7));
    canvas.rays([240.0, 320.0], 5, 22, 460.0, FIRE.a(0.25));
    let wheels = [
        (60.0, 120.0, 110.0, 16, DEEP),
        (430.0, 90.0, 130.0, 18, DEEP),
        (40.0, 530.0, 140.0, 20, DEEP),
        (440.0, 560.0, 120.0, 16, DEEP),
        (132.0, 232.0, 74.0, 12, c(0x903428)),
        (352.0, 214.0, 66.0, 11, c(0xa44430)),
        (126.0, 424.0, 66.0, 11, c(0xa44430)),
        (360.0, 434.0, 80.0, 13, c(0x903428)),
        (240.0, 130.0, 58.0, 10, c(0xb45c34)),
        (240.0, 520.0, 58.0, 10, c(0xb45c34)),
    ];
    for (x, y, r, teeth, tint) in wheels {
        let wheel = gear(x, y, r, teeth, x + y);
        wheel.clone().moved(6.0, 10.0).shadow(canvas, 14.0, c(0).a(0.5));
        wheel.fill(
            canvas,
            lit(
                round(240.0, 320.0, 420.0, tint.to(FIRE, 0.55), tint.to(NIGHT, 0.6)),
                PALE.a(0.9),
                [(240.0 - x) / 110.0, (320.0 - y) / 110.0],
            ),
        );
        disc(x, y, r * 0.62, r * 0.62).stroke(canvas, r * 0.05, NIGHT.a(0.6));
        for i in 0..5_u8 {
            let angle = f32::from(i) * 1.2566 + x;
            disc(x + r * 0.42 * angle.cos(), y + r * 0.42 * angle.sin(), r * 0.13, r * 0.13)
                .fill(canvas, NIGHT.a(0.75));
        }
        disc(x, y, r * 0.14, r * 0.14).fill(canvas, c(0xe09440));
    }
    gear(240.0, 320.0, 128.0, 20, 0.0)
        .fill(canvas, lit(round(240.0, 320.0, 130.0, c(0xe08038), c(0x601c18)), PALE, [0.0, -4.0]));
    disc(240.0, 320.0, 90.0, 90.0).fill(canvas, c(0x180608));
    canvas.glow(240.0, 320.0, 240.0, FIRE.a(0.95));
    let heart = blob("!240,390 186,338 178,290 206,264 !240,288 274,264 302,290 294,338");
    heart.aura(canvas, 40.0, PALE.a(0.9));
    let ink = round(240.0, 316.0, 84.0, c(0xffffff), RED).with(0.35, PALE).with(0.75, FIRE);
    heart.fill(canvas, lit(ink, c(0xffffff), [0.0, -3.0]));
    blob("200,292 212,276 224,280 210,300").fill(canvas, c(0xffffff).a(0.8));
    let beat =
        crate::art::canvas::line("150,322 190,322 206,300 226,350 250,286 268,334 284,322 330,322");
    thick(&beat, &[1.0, 5.0, 5.0, 1.0]).fill(canvas, c(0x901410).a(0.55));
    canvas.motes(14, 60, [20.0, 20.0, 460.0, 620.0], 3.0, FIRE);
    canvas.sparkles(4, 10, [120.0, 180.0, 360.0, 460.0], PALE);
}

/// 鋼翼機ファルコ: Falco, Wing of Steel.
/// A falcon of steel against the sun.
fn falco(canvas: &mut Canvas) {
    canvas.sky(&[(0.0, 0x341030), (0.4, 0xc03c34), (0.72, 0xffb454), (1.0, 0x982c24)]);
    canvas.moon(240.0, 300.0, 150.0, c(0xffe8a0), c(0xffc060));
    canvas.clouds(8, [230.0, 620.0], 180.0, 0.55, c(0xff7848).a(0.6));
    canvas.clouds(19, [20.0, 240.0], 200.0, 0.5, c(0x701838).a(0.6));
    canvas.ridge(30, 640.0, 110.0, 90.0, c(0x802028), NIGHT);
    let at = [270.0, 300.0];
    for (angles, lengths) in [([-2.75, -1.75], [250.0, 280.0]), ([-0.95, 0.15], [230.0, 200.0])] {
        canvas.plumage(at, angles, lengths, 34.0, [c(0x401c24), c(0xe07848)]);
    }
    canvas.plumage([254.0, 390.0], [1.25, 2.1], [170.0, 170.0], 30.0, [c(0x38161e), c(0xc85c3c)]);
    let body = blob("206,250 240,230 286,262 306,320 290,390 254,430 232,390 226,330");
    let ink =
        slope([210.0, 240.0], [300.0, 420.0], c(0xf4b088), c(0x240c14)).with(0.4, c(0x984438));
    body.fill(canvas, lit(ink, PALE, [-2.0, -3.0]));
    let head = blob("!120,268 158,238 196,220 236,222 254,250 230,278 190,276 !150,274");
    let ink =
        Ink::Line([150.0, 220.0], [240.0, 280.0], vec![(0.0, c(0xffc890)), (1.0, c(0x782c2c))]);
    head.fill(canvas, lit(ink, c(0xffffff), [-1.0, -3.0]));
    blob("!118,272 !154,238 !170,262 146,268 126,288")
        .fill(canvas, lit(down(238.0, c(0xffe0a0), 288.0, c(0xb05c20)), c(0xffffff), [0.0, -2.0]));
    canvas.lamp(192.0, 246.0, 7.0, c(0x60f0ff));
    poly("168,234 214,228 214,236 180,244").fill(canvas, IRON);
    for i in 0..5_u8 {
        let y = 290.0 + f32::from(i) * 24.0;
        blob([[236.0, y], [262.0, y + 8.0], [290.0, y], [262.0, y + 14.0]]).stroke(
            canvas,
            2.0,
            PALE.a(0.55),
        );
    }
    gear(262.0, 306.0, 27.0, 10, 0.3).fill(canvas, lit(c(0x602424), PALE, [0.0, -2.0]));
    canvas.lamp(262.0, 306.0, 11.0, FIRE);
    for (x, y) in [(226.0, 540.0), (254.0, 552.0), (282.0, 540.0)] {
        let flame = leaf([x, y - 30.0], [x + (x - 254.0) * 0.5, y + 60.0], 22.0);
        flame.aura(canvas, 24.0, FIRE.a(0.8));
        flame.fill(canvas, down(y - 30.0, PALE, y + 60.0, RED.a(0.2)));
    }
    let streaks = [
        ([470.0, 130.0], [350.0, 230.0]),
        ([480.0, 420.0], [380.0, 370.0]),
        ([60.0, 70.0], [130.0, 150.0]),
    ];
    for (from, to) in streaks {
        thick(&[from, to], &[1.0, 4.0]).fill(canvas, PALE.a(0.5));
    }
    canvas.motes(5, 40, [20.0, 300.0, 460.0, 640.0], 2.8, FIRE);
}

/// 紅蓮の鍛冶師ホムラ: Homura, Crimson Smith.
/// A smith at the anvil.
fn homura(canvas: &mut Canvas) {
    canvas.sky(&[(0.0, 0x160408), (0.6, 0x480c10), (1.0, 0x1c0508)]);
    let arch = blob("!70,600 70,330 120,180 240,110 360,180 410,330 !410,600");
    arch.aura(canvas, 80.0, FIRE.a(0.4));
    arch.clone()
        .scaled(240.0, 560.0, 1.08)
        .fill(canvas, lit(down(80.0, c(0x602018), 600.0, c(0x280a0c)), FIRE.a(0.6), [0.0, 3.0]));
    let ink = round(240.0, 470.0, 400.0, c(0xfff4c8), DEEP).with(0.25, c(0xffb848)).with(0.6, RED);
    arch.fill(canvas, ink);
    let mask = canvas.mask(&arch);
    for i in 0..9_u8 {
        let x = 80.0 + f32::from(i) * 40.0;
        let tall = 190.0 + 110.0 * (f32::from(i) * 2.3).sin();
        let flame =
            blob(&format!("!{x},{} {},520 {x},600 {},520", 600.0 - tall, x + 34.0, x - 34.0));
        flame.fill_within(
            canvas,
            down(600.0 - tall, FIRE.a(0.1), 600.0, PALE.a(0.75)),
            mask.as_ref(),
        );
    }
    canvas.rays([240.0, 480.0], 4, 16, 420.0, PALE.a(0.2));
    canvas.ground(3, 580.0, 6.0, c(0x300c0c), NIGHT);
    let dark = down(200.0, c(0x70241c), 600.0, c(0x1c060a));
    let legs = limb("206,430 190,510 196,596", &[50.0, 38.0, 30.0])
        .and(limb("250,430 276,510 268,596", &[50.0, 38.0, 30.0]));
    let trunk = blob("176,280 226,262 286,276 300,340 280,440 190,444 172,350");
    let apron = poly("190,400 276,400 300,540 176,540");
    let left = limb("186,292 140,330 150,390 196,420", &[48.0, 42.0, 34.0, 30.0]);
    let head = blob("204,214 232,186 262,206 264,244 238,270 208,252");
    let hair = blob(
        "!192,236 196,196 218,160 !214,130 244,152 !262,120 268,160 !298,160 274,200 264,216 232,192 206,214",
    );
    let scarf = limb("250,268 310,262 366,296 420,276", &[30.0, 26.0, 22.0, 4.0]);
    let ink = Ink::Line([250.0, 260.0], [420.0, 290.0], vec![(0.0, RED), (1.0, FIRE)]);
    scarf.fill(canvas, lit(ink, PALE, [0.0, -2.0]));
    legs.and(trunk).and(left).and(head).fill(canvas, lit(dark.clone(), c(0xffc070), [2.5, 2.5]));
    apron.fill(canvas, lit(down(400.0, c(0x502018), 540.0, c(0x1c080a)), FIRE, [2.0, 2.0]));
    hair.fill(canvas, lit(down(120.0, c(0xff7a38), 240.0, c(0x901c14)), PALE, [1.5, -2.0]));
    let arm = limb("282,296 336,262 346,200 322,150", &[50.0, 44.0, 36.0, 30.0]);
    arm.fill(canvas, lit(dark, c(0xffc070), [2.5, 2.0]));
    let handle = thick(&[[336.0, 190.0], [268.0, 62.0]], &[11.0, 11.0]);
    handle.fill(canvas, lit(c(0x784020), PALE, [1.0, 1.0]));
    let hammer = poly("214,62 304,16 330,66 240,112");
    let ink =
        Ink::Line([214.0, 20.0], [330.0, 110.0], vec![(0.0, c(0x987870)), (1.0, c(0x301c20))]);
    hammer.fill(canvas, lit(ink, PALE, [1.5, 3.0]));
    let anvil =
        blob("!96,452 !306,452 !302,478 250,492 236,516 !262,548 !150,548 176,516 160,490 112,478");
    anvil.fill(canvas, lit(down(452.0, c(0x805850), 548.0, IRON), PALE, [0.0, -4.0]));
    let blade = poly("120,440 300,430 330,440 300,450");
    blade.aura(canvas, 26.0, FIRE.a(0.95));
    blade.fill(canvas, across(120.0, 330.0, [(0.0, RED), (0.5, PALE), (1.0, c(0xffffff))]));
    canvas.glow(214.0, 440.0, 150.0, PALE.a(0.85));
    let mut dice = Dice::new(9);
    for _ in 0..46 {
        let (angle, near) = (dice.within(-3.0, -0.14), dice.roll());
        let (from, to) = (30.0 + near * 110.0, 44.0 + near * 160.0);
        let at = |r: f32| [214.0 + angle.cos() * r, 440.0 + angle.sin() * r + near * near * 30.0];
        thick(&[at(from), at(to)], &[0.6, 2.6]).fill(canvas, PALE.to(FIRE, near));
    }
    canvas.motes(22, 50, [30.0, 120.0, 450.0, 560.0], 2.8, FIRE);
}
