//! 黄金王朝: a dynasty under a sun that never sets.

use super::{
    Cards,
    canvas::{
        Canvas, Ink, Shape, Tint, across, bar, blob, c, disc, down, leaf, limb, lit, poly, round,
        rows, star, thick,
    },
    nature::feathers,
};

const NIGHT: Tint = c(0x241203);
const DEEP: Tint = c(0x6e3b0a);
const GOLD: Tint = c(0xc98a1e);
const LIGHT: Tint = c(0xffd76a);
const PALE: Tint = c(0xfffbe0);
const WHITE: Tint = c(0xffffff);

pub(super) const CARDS: Cards = [
    ("soleil", soleil),
    ("leon", leon),
    ("temple", temple),
    ("aurum", aurum),
    ("chalice", chalice),
    ("phoenix", phoenix),
];

/// Metal that shines from the left.
fn metal(x0: f32, x1: f32) -> Ink {
    across(
        x0,
        x1,
        [(0.0, c(0x8a5410)), (0.25, LIGHT), (0.4, PALE), (0.6, GOLD), (1.0, c(0x583008))],
    )
}

/// A disc with long rays: the sun as the dynasty draws it.
fn sun(canvas: &mut Canvas, x: f32, y: f32, radius: f32) {
    canvas.glow(x, y, radius * 3.0, LIGHT.a(0.8));
    star(x, y, 24, radius * 1.75, radius * 1.08, 0.0).fill(canvas, LIGHT.a(0.55));
    star(x, y, 24, radius * 1.42, radius * 1.06, 0.13).fill(canvas, PALE.a(0.6));
    disc(x, y, radius, radius)
        .fill(canvas, lit(round(x, y, radius, PALE, c(0xf0b438)), WHITE, [0.0, -3.0]));
    disc(x, y, radius * 0.88, radius * 0.88).stroke(canvas, 2.0, GOLD);
}

/// Dunes along the lower edge.
fn dunes(canvas: &mut Canvas) {
    canvas.ground(5, 520.0, 30.0, c(0xe8a848), c(0x905018));
    canvas.ground(15, 575.0, 26.0, c(0xb87424), c(0x502808));
}

/// 黄金王ソレイユ: Soleil, the Golden King.
/// The sun for a crown.
fn soleil(canvas: &mut Canvas) {
    canvas.sky(&[(0.0, 0x641c30), (0.4, 0xe08830), (0.75, 0xffe090), (1.0, 0x904c10)]);
    canvas.rays([240.0, 190.0], 4, 30, 620.0, PALE.a(0.28));
    sun(canvas, 240.0, 190.0, 128.0);
    canvas.ridge(3, 560.0, 60.0, 140.0, c(0xd89038), c(0xa05c1c));
    dunes(canvas);
    let cloak = blob("!178,286 !302,286 372,360 410,520 !440,650 !40,650 70,520 108,360");
    cloak.fill(canvas, lit(down(286.0, c(0xb02038), 650.0, c(0x400818)), LIGHT, [0.0, -4.0]));
    for x in [110.0, 160.0, 320.0, 370.0] {
        limb(
            [[240.0 + (x - 240.0) * 0.7, 330.0], [x, 480.0], [240.0 + (x - 240.0) * 1.3, 650.0]],
            &[2.0, 14.0, 26.0],
        )
        .fill(canvas, c(0x300410).a(0.4));
    }
    let robe = blob("!196,290 !284,290 306,400 !330,650 !150,650 174,400");
    robe.fill(canvas, lit(down(290.0, PALE, 650.0, c(0xd8a058)), WHITE, [2.0, -2.0]));
    poly("224,300 256,300 268,650 212,650").fill(canvas, metal(212.0, 268.0));
    for y in [380.0, 450.0, 520.0, 590.0] {
        star(240.0, y, 8, 20.0, 9.0, 0.0).fill(canvas, lit(c(0xc82840), LIGHT, [0.0, -2.0]));
    }
    blob("!150,310 196,278 240,296 284,278 !330,310 300,350 240,366 180,350")
        .fill(canvas, lit(metal(150.0, 330.0), WHITE, [0.0, -3.0]));
    disc(240.0, 336.0, 15.0, 15.0)
        .fill(canvas, lit(round(236.0, 330.0, 18.0, c(0xff9080), c(0xb01030)), WHITE, [0.0, -2.0]));
    let arm = limb("316,330 372,366 392,330", &[48.0, 36.0, 24.0]);
    arm.fill(canvas, lit(down(300.0, PALE, 380.0, c(0xd09848)), WHITE, [1.0, -2.0]));
    let staff = thick(&[[398.0, 150.0], [390.0, 600.0]], &[8.0, 8.0]);
    staff.fill(canvas, lit(metal(386.0, 402.0), WHITE, [1.0, 0.0]));
    canvas.glow(399.0, 128.0, 90.0, PALE.a(0.9));
    star(399.0, 128.0, 12, 38.0, 20.0, 0.0)
        .fill(canvas, lit(round(399.0, 128.0, 38.0, WHITE, LIGHT), WHITE, [0.0, -1.5]));
    disc(393.0, 322.0, 14.0, 13.0).fill(canvas, c(0xf0c090));
    let hair = blob(
        "188,190 206,150 240,138 274,150 292,190 304,262 !318,320 280,300 240,310 200,300 !162,320 176,262",
    );
    hair.fill(canvas, lit(down(140.0, c(0xfff0b0), 320.0, GOLD), WHITE, [2.0, -3.0]));
    blob("240,160 276,180 278,226 262,262 240,278 218,262 202,226 204,180")
        .fill(canvas, lit(down(160.0, c(0xffe8cc), 278.0, c(0xe8b488)), WHITE, [1.0, -1.0]));
    blob("!202,214 206,172 240,158 274,172 !278,214 262,184 240,196 218,184")
        .fill(canvas, c(0xf4d070));
    for x in [222.0, 258.0] {
        disc(x, 220.0, 6.5, 5.0).fill(canvas, WHITE);
        disc(x, 220.0, 3.8, 4.8).fill(canvas, c(0x803c10));
        limb([[x - 10.0, 210.0], [x, 206.0], [x + 10.0, 210.0]], &[1.0, 3.0, 1.0])
            .fill(canvas, DEEP);
    }
    thick(&[[240.0, 224.0], [237.0, 240.0]], &[1.0, 2.4]).fill(canvas, c(0xc08058));
    limb("230,254 240,257 250,254", &[1.0, 3.0, 1.0]).fill(canvas, c(0xa04038));
    let crown = poly("190,166 182,96 212,128 226,78 240,122 254,78 268,128 298,96 290,166 240,178");
    crown.aura(canvas, 30.0, LIGHT.a(0.6));
    crown.fill(canvas, lit(metal(182.0, 298.0), WHITE, [0.0, -2.0]));
    for [x, y, r] in rows("240,148,9 212,150,6 268,150,6 226,78,5 254,78,5 182,96,5 298,96,5") {
        disc(x, y, r, r).fill(canvas, lit(c(0xd01838), WHITE, [0.0, -1.5]));
    }
    canvas.sparkles(5, 18, [60.0, 60.0, 430.0, 580.0], PALE);
    canvas.motes(11, 26, [20.0, 200.0, 460.0, 630.0], 2.6, LIGHT);
}

/// 王冠の獅子レオン: Leon, the Crowned Lion.
/// Sunlight braided into a mane.
fn leon(canvas: &mut Canvas) {
    canvas.sky(&[(0.0, 0x2a1440), (0.45, 0xb05030), (1.0, 0xffc860)]);
    canvas.rays([240.0, 320.0], 9, 28, 560.0, LIGHT.a(0.25));
    canvas.glow(240.0, 320.0, 330.0, LIGHT.a(0.7));
    for (count, long, wide, tints) in [
        (26_u8, 250.0, 62.0, [c(0x803c0c), c(0xc87c1c)]),
        (22, 204.0, 56.0, [c(0xa85c14), c(0xf0b040)]),
        (18, 166.0, 52.0, [c(0xc88420), c(0xffdc80)]),
    ] {
        for i in 0..count {
            let angle = std::f32::consts::TAU * f32::from(i) / f32::from(count) + long;
            let reach = long * (1.0 + 0.12 * (f32::from(i) * 2.7).sin());
            let lock = limb(
                [
                    [240.0, 326.0],
                    [
                        240.0 + (angle + 0.12).cos() * reach * 0.6,
                        326.0 + (angle + 0.12).sin() * reach * 0.62,
                    ],
                    [240.0 + angle.cos() * reach, 326.0 + angle.sin() * reach * 1.06],
                ],
                &[wide * 0.4, wide, 1.0],
            );
            let ink = Ink::Round([240.0, 326.0], long, vec![(0.3, tints[0]), (1.0, tints[1])]);
            lock.fill(canvas, lit(ink, PALE.a(0.75), [angle.sin() * -1.6, -1.8]));
        }
    }
    let ears = disc(158.0, 232.0, 34.0, 34.0).doubled(240.0);
    ears.fill(canvas, lit(c(0xd09038), PALE, [0.0, -2.5]));
    disc(160.0, 236.0, 18.0, 18.0).doubled(240.0).fill(canvas, c(0x804818));
    let face =
        blob("240,210 306,226 340,286 330,360 290,410 240,428 190,410 150,360 140,286 174,226");
    face.fill(canvas, lit(down(210.0, c(0xffe0a0), 428.0, c(0xc88430)), WHITE, [2.0, -4.0]));
    blob("!218,240 !262,240 266,330 286,352 240,366 194,352 214,330")
        .fill(canvas, down(240.0, c(0xfff0c8).a(0.8), 360.0, c(0xf0c070).a(0.3)));
    let muzzle = blob("240,344 292,346 306,386 274,418 240,412 206,418 174,386 188,346");
    muzzle.fill(canvas, lit(down(344.0, c(0xfff6dc), 418.0, c(0xe0b878)), WHITE, [0.0, -2.0]));
    blob("!206,334 240,326 !274,334 256,362 240,370 224,362")
        .fill(canvas, lit(down(326.0, c(0x804030), 370.0, c(0x38180c)), c(0xffc8a0), [0.0, -2.0]));
    limb("240,368 240,390 214,402 192,394", &[3.0, 4.0, 4.0, 1.0])
        .doubled(240.0)
        .fill(canvas, DEEP);
    blob("!204,414 240,408 !276,414 258,448 240,456 222,448")
        .fill(canvas, lit(down(410.0, c(0xf4d490), 456.0, c(0xb07424)), PALE, [0.0, -1.0]));
    blob("!160,296 188,276 !218,300 190,308").doubled(240.0).fill(canvas, c(0x381c08));
    disc(190.0, 293.0, 12.0, 12.0)
        .doubled(240.0)
        .fill(canvas, round(240.0, 293.0, 70.0, c(0xffe840), c(0xe89018)));
    disc(191.0, 293.0, 5.0, 7.0).doubled(240.0).fill(canvas, NIGHT);
    disc(194.0, 288.0, 3.0, 3.0).and(disc(292.0, 288.0, 3.0, 3.0)).fill(canvas, WHITE);
    limb("148,280 184,258 222,286", &[2.0, 11.0, 3.0]).doubled(240.0).fill(canvas, c(0x885418));
    for (x, y) in [(206.0, 380.0), (194.0, 388.0), (208.0, 394.0)] {
        disc(x, y, 2.4, 2.4).doubled(240.0).fill(canvas, DEEP);
    }
    let crown =
        poly("156,222 140,120 188,164 214,92 240,152 266,92 292,164 340,120 324,222 240,204");
    crown.aura(canvas, 36.0, LIGHT.a(0.7));
    crown.fill(canvas, lit(metal(140.0, 340.0), WHITE, [0.0, -3.0]));
    thick(&crate::art::canvas::line("158,212 240,192 322,212"), &[5.0, 5.0])
        .fill(canvas, DEEP.a(0.6));
    for [x, y, r] in rows("240,172,13 196,180,8 284,180,8 214,92,7 266,92,7 140,120,7 340,120,7") {
        disc(x, y, r, r).fill(
            canvas,
            lit(round(x - 2.0, y - 3.0, r * 1.3, c(0xa0f0ff), c(0x1060b0)), WHITE, [0.0, -1.5]),
        );
    }
    canvas.sparkles(8, 18, [40.0, 60.0, 440.0, 600.0], PALE);
}

/// 太陽の大神殿: Great Temple of the Sun.
/// Stairs of light.
fn temple(canvas: &mut Canvas) {
    canvas.sky(&[(0.0, 0x303c90), (0.4, 0xf09058), (0.7, 0xffe8a8), (1.0, 0xa05c18)]);
    canvas.stars(3, 60, 170.0, PALE);
    canvas.rays([240.0, 150.0], 7, 26, 640.0, PALE.a(0.3));
    canvas.clouds(3, [40.0, 380.0], 210.0, 0.5, c(0xffb080).a(0.55));
    sun(canvas, 240.0, 130.0, 62.0);
    canvas.ridge(8, 440.0, 90.0, 120.0, c(0xd88c48), c(0xc0783c));
    canvas.mist(370.0, 460.0, PALE.a(0.5));
    for (x, s) in [(70.0, 0.55), (420.0, 0.62)] {
        let tomb = poly([[x - 130.0 * s, 480.0], [x, 480.0 - 210.0 * s], [x + 130.0 * s, 480.0]]);
        let ink = across(
            x - 100.0 * s,
            x + 100.0 * s,
            [(0.0, c(0xf8cc80)), (0.5, c(0xe0a050)), (0.52, c(0xa86828)), (1.0, c(0x804818))],
        );
        tomb.fill(canvas, ink);
    }
    for step in 0..6_u8 {
        let s = f32::from(step);
        let (half, top) = (66.0 + s * 30.0, 244.0 + s * 48.0);
        let tier = poly([
            [240.0 - half, top],
            [240.0 + half, top],
            [240.0 + half + 12.0, top + 50.0],
            [240.0 - half - 12.0, top + 50.0],
        ]);
        let ink = across(
            240.0 - half,
            240.0 + half,
            [
                (0.0, c(0x985c1c)),
                (0.3, c(0xe0a44c)),
                (0.5, LIGHT),
                (0.7, c(0xd0903c)),
                (1.0, c(0x703c0c)),
            ],
        );
        tier.fill(canvas, lit(ink, PALE, [0.0, -3.0]));
        for i in 0..(5 + step * 2) {
            let x =
                240.0 - half + 12.0 + f32::from(i) * (2.0 * half - 24.0) / f32::from(4 + step * 2);
            if (x - 240.0).abs() > 40.0 + s * 4.0 {
                bar(x - 6.0, top + 44.0, x + 6.0, top + 20.0).fill(canvas, c(0x502808).a(0.7));
            }
        }
    }
    let shrine = poly("192,244 192,190 288,190 288,244");
    shrine.fill(canvas, lit(metal(192.0, 288.0), WHITE, [0.0, -2.0]));
    poly("180,192 240,150 300,192")
        .fill(canvas, lit(down(150.0, PALE, 192.0, GOLD), WHITE, [0.0, -2.0]));
    for x in [200.0, 218.0, 254.0, 272.0] {
        bar(x, 244.0, x + 9.0, 196.0).fill(canvas, lit(c(0xfff0b8), WHITE, [1.0, 0.0]));
    }
    poly("230,244 230,206 250,206 250,244").fill(canvas, WHITE);
    canvas.glow(240.0, 224.0, 110.0, PALE.a(0.95));
    poly("222,244 258,244 300,540 180,540").fill(canvas, down(244.0, WHITE, 540.0, LIGHT.a(0.85)));
    for i in 0..22_u8 {
        let y = 250.0 + f32::from(i) * 13.2;
        let half = 19.0 + f32::from(i) * 1.9;
        bar(240.0 - half, y, 240.0 + half, y + 3.0).fill(canvas, c(0xc88428).a(0.5));
    }
    canvas.ground(16, 540.0, 6.0, c(0xe0a850), c(0x804814));
    poly("180,538 300,538 420,660 60,660")
        .fill(canvas, down(538.0, PALE.a(0.85), 650.0, LIGHT.a(0.1)));
    for (x, h) in [(96.0, 190.0), (384.0, 190.0), (30.0, 250.0), (450.0, 250.0)] {
        let ink = across(
            x - 18.0,
            x + 18.0,
            [(0.0, c(0x703c0c)), (0.5, c(0xd89c44)), (1.0, c(0x482408))],
        );
        poly([
            [x - 18.0, 640.0],
            [x - 12.0, 640.0 - h],
            [x, 616.0 - h],
            [x + 12.0, 640.0 - h],
            [x + 18.0, 640.0],
        ])
        .fill(canvas, lit(ink, PALE, [if x < 240.0 { 2.0 } else { -2.0 }, -2.0]));
    }
    for x in [204.0, 226.0, 262.0, 284.0] {
        blob([[x - 6.0, 580.0], [x, 560.0], [x + 6.0, 580.0], [x + 9.0, 620.0], [x - 9.0, 620.0]])
            .fill(canvas, c(0x482010));
    }
    canvas.sparkles(15, 14, [60.0, 60.0, 420.0, 500.0], PALE);
}

/// 黄金翼の騎士オーラム: Aurum, Golden-Winged Knight.
/// A guardian in the sky, sword raised.
fn aurum(canvas: &mut Canvas) {
    canvas.sky(&[(0.0, 0x2c5cb0), (0.45, 0x98c8f0), (0.75, 0xfff0c0), (1.0, 0xe8a048)]);
    canvas.rays([240.0, 60.0], 5, 26, 700.0, PALE.a(0.4));
    canvas.clouds(9, [60.0, 460.0], 190.0, 0.53, WHITE.a(0.8));
    canvas.glow(240.0, 260.0, 310.0, PALE.a(0.8));
    let mut town = Shape::default();
    for [x, w, h] in rows(
        "40,40,90 84,30,130 120,44,80 360,40,96 400,28,140 440,46,84 240,60,60 180,40,50 300,40,56",
    ) {
        town = town.and(poly([
            [x - w / 2.0, 640.0],
            [x - w / 2.0, 640.0 - h],
            [x, 610.0 - h],
            [x + w / 2.0, 640.0 - h],
            [x + w / 2.0, 640.0],
        ]));
    }
    town.fill(canvas, down(480.0, c(0xd8a060), 640.0, c(0x905828)));
    canvas.mist(480.0, 600.0, PALE.a(0.6));
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
            wing.fill(canvas, lit(ink, WHITE, [0.0, -1.6]));
        }
    }
    let cloth = blob("!204,380 !276,380 300,480 !322,580 270,556 240,590 210,556 !158,580 180,480");
    cloth.fill(canvas, lit(down(380.0, c(0xd03048), 590.0, c(0x601028)), LIGHT, [1.0, -1.0]));
    let legs = blob("!212,392 !238,392 234,480 226,560 214,560 206,480")
        .and(blob("!242,392 !268,392 274,480 268,556 256,556 246,480"));
    legs.fill(canvas, lit(down(390.0, c(0xf8d080), 560.0, c(0x784c14)), WHITE, [1.5, -1.0]));
    let trunk = blob("!196,268 240,256 !284,268 276,330 262,370 274,402 206,402 218,370 204,330");
    trunk.fill(canvas, lit(metal(190.0, 290.0), WHITE, [0.0, -3.0]));
    limb("206,300 240,326 274,300", &[2.0, 5.0, 2.0]).fill(canvas, DEEP.a(0.7));
    star(240.0, 312.0, 8, 17.0, 8.0, 0.0).fill(canvas, lit(c(0xf05050), PALE, [0.0, -1.5]));
    poly("206,368 274,368 276,382 204,382").fill(canvas, c(0x703c10));
    disc(196.0, 282.0, 27.0, 22.0)
        .doubled(240.0)
        .fill(canvas, lit(metal(170.0, 310.0), WHITE, [0.0, -3.0]));
    let left = limb("190,290 164,336 180,378", &[26.0, 24.0, 20.0]);
    left.fill(canvas, lit(metal(150.0, 210.0), WHITE, [1.0, -2.0]));
    let shield = blob("!124,330 170,318 !216,330 212,390 170,440 128,390");
    shield.fill(canvas, lit(metal(124.0, 216.0), WHITE, [0.0, -3.0]));
    blob("!138,342 170,332 !202,342 198,386 170,422 142,386")
        .fill(canvas, lit(down(332.0, c(0xe04058), 422.0, c(0x801028)), PALE, [0.0, -1.0]));
    star(170.0, 374.0, 12, 24.0, 13.0, 0.0).fill(canvas, lit(LIGHT, WHITE, [0.0, -1.5]));
    let arm = limb("288,284 318,246 312,190", &[26.0, 24.0, 20.0]);
    arm.fill(canvas, lit(metal(280.0, 330.0), WHITE, [1.0, -2.0]));
    let blade = poly("303,166 310,-6 317,166");
    poly("296,170 310,0 324,170").aura(canvas, 34.0, PALE.a(0.95));
    let ink = across(302.0, 318.0, [(0.0, c(0xd8e8ff)), (0.5, WHITE), (1.0, c(0x98b8e0))]);
    blade.and(poly("302,166 310,20 318,166")).fill(canvas, ink);
    poly("278,164 342,164 338,174 282,174")
        .and(poly("305,170 315,170 315,206 305,206"))
        .fill(canvas, lit(metal(278.0, 342.0), WHITE, [0.0, -1.5]));
    let helm = blob("!210,232 212,196 240,178 268,196 !270,232 258,262 240,272 222,262");
    helm.fill(canvas, lit(metal(206.0, 274.0), WHITE, [0.0, -3.0]));
    poly("218,222 262,222 256,232 224,232").fill(canvas, c(0x301808));
    disc(230.0, 227.0, 3.4, 2.4).and(disc(250.0, 227.0, 3.4, 2.4)).fill(canvas, c(0x90f0ff));
    thick(&[[240.0, 180.0], [240.0, 266.0]], &[2.0, 3.0]).fill(canvas, c(0x805018).a(0.7));
    let ink = across(120.0, 240.0, [(0.0, c(0x801028)), (1.0, c(0xf04858))]);
    limb("240,184 214,140 160,130 120,156", &[12.0, 26.0, 22.0, 2.0])
        .fill(canvas, lit(ink, c(0xffc0b0), [0.0, -2.5]));
    leaf([212.0, 222.0], [176.0, 176.0], 17.0)
        .doubled(240.0)
        .fill(canvas, lit(c(0xfff0c0), WHITE, [0.0, -1.5]));
    canvas.petals(6, 26, [20.0, 60.0, 460.0, 620.0], 20.0, [c(0xffe8a0), WHITE]);
    canvas.sparkles(2, 16, [40.0, 20.0, 440.0, 520.0], PALE);
}

/// 王家の聖杯: Royal Chalice.
/// The cup in which a morning is born.
fn chalice(canvas: &mut Canvas) {
    canvas.sky(&[(0.0, 0x300c28), (0.5, 0x983c28), (1.0, 0x401810)]);
    canvas.rays([240.0, 230.0], 14, 32, 620.0, LIGHT.a(0.32));
    canvas.glow(240.0, 220.0, 340.0, LIGHT.a(0.85));
    let columns =
        poly("20,0 84,0 84,560 20,560").and(poly("112,60 150,60 150,540 112,540")).doubled(240.0);
    columns
        .fill(canvas, lit(down(0.0, c(0x703820), 560.0, c(0x301410)), LIGHT.a(0.5), [0.0, -2.0]));
    for x in [30.0, 46.0, 62.0, 120.0, 134.0] {
        bar(x, 0.0, x + 5.0, 560.0).doubled(240.0).fill(canvas, NIGHT.a(0.35));
    }
    poly("90,540 390,540 430,600 50,600")
        .fill(canvas, lit(down(540.0, c(0xc08040), 600.0, c(0x582c14)), PALE, [0.0, -3.0]));
    poly("50,600 430,600 450,650 30,650")
        .fill(canvas, lit(down(600.0, c(0x804420), 650.0, c(0x301408)), LIGHT, [0.0, -2.0]));
    let cloth = blob("!130,540 !350,540 !330,640 290,610 240,650 190,610 !150,640");
    cloth.fill(canvas, lit(down(540.0, c(0xb82040), 650.0, c(0x500818)), LIGHT, [0.0, -2.0]));
    disc(240.0, 546.0, 100.0, 14.0).shadow(canvas, 20.0, c(0).a(0.6));
    let foot = blob("!160,544 172,526 226,512 232,470 !248,470 254,512 308,526 !320,544");
    foot.fill(canvas, lit(metal(160.0, 320.0), WHITE, [0.0, -2.0]));
    disc(240.0, 462.0, 32.0, 24.0).fill(canvas, lit(metal(206.0, 274.0), WHITE, [0.0, -3.0]));
    poly("229,400 251,400 247,450 233,450")
        .fill(canvas, lit(metal(226.0, 254.0), WHITE, [0.0, -1.0]));
    let handles = thick(
        &crate::art::canvas::line("146,286 96,276 84,330 126,372 178,370"),
        &[6.0, 12.0, 13.0, 12.0, 6.0],
    )
    .doubled(240.0);
    handles.fill(canvas, lit(metal(84.0, 396.0), WHITE, [0.0, -2.0]));
    let bowl = blob("!138,264 !342,264 336,330 300,390 240,414 180,390 144,330");
    bowl.fill(canvas, lit(metal(130.0, 350.0), WHITE, [0.0, -3.0]));
    for (x, rgb) in [
        (172.0, 0xd01838),
        (206.0, 0x1070c8),
        (240.0, 0x18a060),
        (274.0, 0x1070c8),
        (308.0, 0xd01838),
    ] {
        let y = 326.0 + (1.0 - ((x - 240.0) / 90.0_f32).powi(2)) * 12.0;
        disc(x, y, 11.0, 13.0)
            .fill(canvas, lit(round(x - 3.0, y - 4.0, 15.0, WHITE, c(rgb)), WHITE, [0.0, -1.5]));
    }
    thick(&crate::art::canvas::line("146,296 240,310 334,296"), &[4.0, 4.0])
        .fill(canvas, DEEP.a(0.6));
    thick(&crate::art::canvas::line("160,352 240,374 320,352"), &[3.0, 3.0])
        .fill(canvas, DEEP.a(0.5));
    disc(240.0, 264.0, 104.0, 24.0).fill(canvas, lit(c(0xa06418), PALE, [0.0, -2.0]));
    let ink = Ink::Round([240.0, 262.0], 96.0, vec![(0.0, WHITE), (0.5, PALE), (1.0, LIGHT)]);
    disc(240.0, 266.0, 94.0, 18.0).fill(canvas, ink);
    canvas.glow(240.0, 250.0, 190.0, PALE.a(0.95));
    let sunrise = disc(240.0, 196.0, 46.0, 46.0);
    sunrise.aura(canvas, 60.0, PALE.a(0.95));
    star(240.0, 196.0, 16, 96.0, 52.0, 0.0).fill(canvas, PALE.a(0.55));
    sunrise.fill(canvas, round(240.0, 196.0, 46.0, WHITE, LIGHT));
    for (from, to) in [
        ([200.0, 250.0], [150.0, 110.0]),
        ([280.0, 250.0], [330.0, 110.0]),
        ([222.0, 250.0], [206.0, 70.0]),
        ([258.0, 250.0], [274.0, 70.0]),
    ] {
        let middle = [(from[0] + to[0]) / 2.0 + (from[1] - 250.0) + (to[0] - 240.0) * 0.25, 170.0];
        thick(&[from, middle, to], &[9.0, 5.0, 0.6]).fill(canvas, PALE.a(0.7));
    }
    canvas.sparkles(17, 24, [90.0, 40.0, 390.0, 420.0], PALE);
    canvas.motes(18, 40, [60.0, 40.0, 420.0, 520.0], 2.8, LIGHT);
}

/// 不死鳥フェニエル: Feniel, the Phoenix.
/// A thousand feathers end the night.
fn phoenix(canvas: &mut Canvas) {
    canvas.sky(&[(0.0, 0x180c40), (0.45, 0x802048), (0.75, 0xf07030), (1.0, 0xffd060)]);
    canvas.stars(13, 120, 330.0, PALE);
    canvas.glow(240.0, 300.0, 360.0, c(0xff9030).a(0.8));
    canvas.rays([240.0, 300.0], 13, 26, 560.0, LIGHT.a(0.2));
    canvas.clouds(44, [380.0, 720.0], 170.0, 0.6, c(0xffb050).a(0.8));
    for (i, tail) in (0_u8..).zip([
        "240,380 200,470 120,520 60,610",
        "240,380 226,480 180,560 150,640",
        "240,380 240,480 236,570 250,650",
        "240,380 254,480 300,560 330,640",
        "240,380 280,470 360,520 420,610",
    ]) {
        let plume = limb(tail, &[26.0, 34.0, 26.0, 2.0]);
        plume.fill(canvas, lit(down(380.0, c(0xff7020), 630.0, c(0xffe880)), PALE, [1.0, -2.0]));
        let end = [[74.0, 588.0], [158.0, 610.0], [247.0, 616.0], [322.0, 610.0], [406.0, 588.0]]
            [usize::from(i)];
        canvas.glow(end[0], end[1], 50.0, PALE.a(0.8));
        disc(end[0], end[1], 17.0, 22.0).fill(
            canvas,
            lit(round(end[0], end[1], 20.0, c(0x30d0e0), c(0xf09020)), PALE, [0.0, -2.0]),
        );
    }
    for (angles, lengths, tints) in [
        ([-1.35, 0.35], [300.0, 150.0], [c(0xb02018), c(0xff8828)]),
        ([-1.3, 0.3], [224.0, 116.0], [c(0xe05018), c(0xffb840)]),
        ([-1.25, 0.25], [150.0, 86.0], [c(0xff8c28), c(0xfff0a0)]),
    ] {
        for i in 0..11_u8 {
            let share = f32::from(i) / 10.0;
            let angle = angles[1] + (angles[0] - angles[1]) * share;
            let long = lengths[1] + (lengths[0] - lengths[1]) * share * (2.0 - share);
            let wing =
                feathers([256.0, 320.0], 1, [angle, angle], [long, long], 36.0).doubled(240.0);
            let ink =
                Ink::Round([240.0, 320.0], lengths[0], vec![(0.1, tints[0]), (1.0, tints[1])]);
            wing.fill(canvas, lit(ink, PALE.a(0.9), [0.0, -1.8]));
        }
    }
    let body = blob("240,250 276,286 284,340 264,392 240,412 216,392 204,340 208,286");
    body.aura(canvas, 46.0, PALE.a(0.7));
    body.fill(canvas, lit(down(250.0, c(0xffe890), 412.0, c(0xe04c18)), WHITE, [1.0, -3.0]));
    for row in 0..5_u8 {
        for column in 0..3_u8 {
            let (x, y) = (
                216.0 + f32::from(column) * 20.0 + f32::from(row % 2) * 8.0,
                306.0 + f32::from(row) * 18.0,
            );
            leaf([x, y], [x + (x - 240.0) * 0.15, y + 20.0], 11.0).fill(canvas, c(0xffc040).a(0.7));
        }
    }
    let neck = limb("240,300 254,256 246,216 226,194", &[62.0, 42.0, 32.0, 34.0]);
    let head = blob("!168,206 190,188 216,172 244,180 252,204 236,222 206,220 !188,216");
    neck.and(head)
        .fill(canvas, lit(down(170.0, c(0xfff4b8), 300.0, c(0xff9c30)), WHITE, [-1.0, -2.5]));
    let crest = leaf([236.0, 184.0], [290.0, 120.0], 20.0)
        .and(leaf([232.0, 182.0], [262.0, 100.0], 18.0))
        .and(leaf([226.0, 180.0], [230.0, 96.0], 16.0))
        .and(leaf([240.0, 190.0], [304.0, 156.0], 18.0));
    crest.fill(canvas, lit(down(96.0, PALE, 190.0, c(0xff7020)), WHITE, [0.0, -2.0]));
    blob("!166,208 192,190 !198,212 186,218").fill(canvas, c(0x783810));
    disc(212.0, 196.0, 6.0, 6.0).fill(canvas, c(0x381008));
    disc(210.4, 194.0, 2.0, 2.0).fill(canvas, WHITE);
    canvas.motes(20, 90, [10.0, 100.0, 470.0, 640.0], 3.2, c(0xffb040));
    canvas.sparkles(4, 16, [40.0, 60.0, 440.0, 600.0], PALE);
}
