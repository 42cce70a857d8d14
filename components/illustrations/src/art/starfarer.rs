//! 星海航路: ships on the sea of stars.

use super::{
    Cards,
    canvas::{
        Canvas, Dice, Ink, Tint, across, blob, c, disc, down, leaf, limb, line, lit, poly, round,
        rows, slope, star, thick,
    },
};

const NIGHT: Tint = c(0x030818);
const BLUE: Tint = c(0x2a4c9c);
const LIGHT: Tint = c(0x6fb7e8);
const PALE: Tint = c(0xfff3c8);
const GOLD: Tint = c(0xf0b848);
const WHITE: Tint = c(0xffffff);

pub(super) const CARDS: Cards = [
    ("argo", argo),
    ("pharos", pharos),
    ("ring", ring),
    ("barena", barena),
    ("stella", stella),
    ("compass", compass),
];

/// Deep space: a galaxy across it, and clouds of two colours.
fn space(canvas: &mut Canvas, seed: u32, clouds: [Tint; 2]) {
    canvas.sky(&[(0.0, 0x030818), (0.5, 0x0e1f50), (1.0, 0x060c28)]);
    canvas.clouds(seed, [-200.0, 640.0], 200.0, 0.53, clouds[0].a(0.6));
    canvas.clouds(seed + 9, [60.0, 840.0], 170.0, 0.5, clouds[1].a(0.5));
    canvas.stars(seed, 260, 640.0, WHITE);
}

/// A planet, lit from the upper left.
fn planet(canvas: &mut Canvas, x: f32, y: f32, r: f32, light: Tint, dark: Tint, seed: u32) {
    canvas.glow(x, y, r * 1.8, light.a(0.4));
    let globe = disc(x, y, r, r);
    globe.fill(canvas, light);
    if let Some(mask) = canvas.mask(&globe) {
        let mut dice = Dice::new(seed);
        for i in 0..9_u8 {
            let at = y - r + 2.0 * r * (f32::from(i) + dice.roll()) / 9.0;
            let band = limb(
                [[x - r * 1.1, at], [x, at + r * 0.12], [x + r * 1.1, at]],
                &[r * 0.1, r * dice.within(0.06, 0.22), r * 0.1],
            );
            band.fill_within(
                canvas,
                light.to(if i % 2 == 0 { dark } else { WHITE }, 0.35).a(0.7),
                Some(&mask),
            );
        }
        let shade = round(x - r * 0.45, y - r * 0.45, r * 1.75, dark.a(0.0), NIGHT)
            .with(0.5, dark.a(0.15))
            .with(0.85, dark.a(0.92));
        globe.fill_within(canvas, shade, Some(&mask));
    }
    globe.fill(canvas, lit(c(0).a(0.0), WHITE.a(0.75), [-2.0, -2.0]));
}

/// 星海船アルゴ: Argo, the Star Ship.
/// Starlight in its sails.
fn argo(canvas: &mut Canvas) {
    space(canvas, 3, [c(0x502c98), c(0x1868b0)]);
    canvas.band(
        5,
        &[[-20.0, 420.0], [160.0, 330.0], [320.0, 200.0], [500.0, 110.0]],
        110.0,
        c(0x80a0ff).a(0.6),
    );
    planet(canvas, 396.0, 116.0, 58.0, c(0xf0a868), c(0x602038), 7);
    planet(canvas, 66.0, 200.0, 22.0, c(0x80e0d0), c(0x104058), 9);
    canvas.glow(230.0, 330.0, 280.0, LIGHT.a(0.5));
    let cloth = |x: f32, top: f32, foot: f32| {
        slope([x - 60.0, top], [x + 60.0, foot], WHITE, c(0xc89878)).with(0.55, c(0xffecc0))
    };
    let masts = thick(&[[150.0, 470.0], [146.0, 190.0]], &[9.0, 5.0])
        .and(thick(&[[244.0, 470.0], [240.0, 100.0]], &[11.0, 6.0]))
        .and(thick(&[[330.0, 470.0], [328.0, 196.0]], &[9.0, 5.0]))
        .and(thick(&[[96.0, 452.0], [8.0, 372.0]], &[9.0, 4.0]));
    masts.fill(canvas, lit(c(0x684028), PALE, [1.5, 0.0]));
    for [a, b] in [
        [[8.0, 372.0], [146.0, 200.0]],
        [[8.0, 372.0], [240.0, 110.0]],
        [[146.0, 200.0], [240.0, 130.0]],
        [[240.0, 110.0], [328.0, 210.0]],
        [[328.0, 200.0], [412.0, 440.0]],
        [[240.0, 110.0], [190.0, 460.0]],
        [[240.0, 110.0], [290.0, 460.0]],
    ] {
        thick(&[a, b], &[1.2, 1.2]).fill(canvas, PALE.a(0.6));
    }
    for [x, top, foot, wide] in rows(
        "146,216,300,42 146,306,420,54 328,222,304,40 328,310,420,50 240,124,202,48 240,208,306,64 240,312,432,76",
    ) {
        let sail = blob(&format!(
            "!{},{top} !{},{top} {},{} !{},{foot} {},{} !{},{foot} {},{}",
            x - wide,
            x + wide,
            x + wide * 0.82,
            (top + foot) / 2.0,
            x + wide * 1.12,
            x - wide * 0.1,
            foot - 16.0,
            x - wide * 1.12,
            x - wide * 1.36,
            (top + foot) / 2.0
        ));
        sail.aura(canvas, 18.0, PALE.a(0.22));
        sail.fill(canvas, lit(cloth(x, top, foot), WHITE, [-1.5, -1.5]));
        thick(&[[x - wide * 1.04, top], [x + wide * 1.04, top]], &[6.0, 6.0])
            .fill(canvas, c(0x784c30));
    }
    star(232.0, 366.0, 8, 34.0, 13.0, 0.0).fill(canvas, GOLD);
    star(232.0, 366.0, 4, 34.0, 7.0, 0.4).fill(canvas, c(0xd05048));
    leaf([240.0, 106.0], [310.0, 88.0], 20.0)
        .fill(canvas, lit(c(0xe04050), c(0xffc0b8), [0.0, -1.5]));
    let hull = blob(
        "!70,440 120,458 240,470 350,458 !372,430 !430,412 !424,470 390,536 300,560 180,560 116,530",
    );
    hull.aura(canvas, 40.0, LIGHT.a(0.5));
    hull.fill(canvas, lit(down(420.0, c(0xa86c40), 560.0, c(0x301828)), PALE, [-1.0, -3.0]));
    for y in [482.0, 504.0, 526.0] {
        thick(
            &line([
                [92.0 + (y - 470.0) * 0.6, y - 14.0],
                [240.0, y + 6.0],
                [420.0 - (y - 470.0) * 0.6, y - 24.0],
            ]),
            &[1.5, 3.0, 1.5],
        )
        .fill(canvas, GOLD.a(0.75));
    }
    for x in [150.0, 190.0, 230.0, 270.0, 310.0, 350.0] {
        canvas.lamp(x, 496.0, 5.0, c(0xffd070));
    }
    poly("372,430 432,408 440,372 376,396")
        .fill(canvas, lit(down(372.0, c(0xb87848), 430.0, c(0x583028)), PALE, [0.0, -2.0]));
    poly("388,412 404,406 404,392 388,398")
        .and(poly("412,403 426,398 426,384 412,389"))
        .fill(canvas, c(0xffe8a0));
    canvas.lamp(444.0, 362.0, 8.0, c(0xffd070));
    for (i, wave) in (0_u8..).zip([
        "-20,560 90,530 200,566 320,540 500,566",
        "-20,590 120,566 240,596 380,570 500,596",
        "-20,622 100,600 260,628 400,604 500,626",
    ]) {
        let depth = f32::from(i);
        let crest = limb(wave, &[22.0, 34.0, 30.0, 34.0, 22.0]);
        crest.shadow(canvas, 20.0, LIGHT.to(BLUE, depth / 3.0).a(0.75));
        limb(wave, &[1.0, 3.0, 2.0, 3.0, 1.0]).fill(canvas, WHITE.a(0.7 - depth * 0.15));
    }
    canvas.motes(6, 60, [0.0, 520.0, 480.0, 636.0], 2.6, LIGHT);
    canvas.sparkles(10, 22, [30.0, 40.0, 450.0, 600.0], PALE);
}

/// 灯台星ファロス: Pharos, the Lighthouse Star.
/// A lighthouse alone on a little star.
fn pharos(canvas: &mut Canvas) {
    space(canvas, 21, [c(0x2858a8), c(0x883878)]);
    planet(canvas, 90.0, 500.0, 40.0, c(0xe888a0), c(0x501848), 4);
    let lamp = [240.0, 172.0];
    for (a, b, tint) in [
        ([-40.0, 20.0], [-40.0, 150.0], PALE.a(0.75)),
        ([520.0, 190.0], [520.0, 330.0], PALE.a(0.75)),
    ] {
        let beam = poly([lamp, a, b]);
        beam.fill(canvas, Ink::Round(lamp, 310.0, vec![(0.0, tint), (1.0, tint.a(0.08))]));
        beam.aura(canvas, 40.0, PALE.a(0.25));
    }
    let rock =
        blob("60,560 100,500 180,470 300,468 380,498 424,560 400,630 320,690 160,690 80,640");
    rock.aura(canvas, 50.0, LIGHT.a(0.4));
    let ink = round(210.0, 470.0, 230.0, c(0x88a8c8), c(0x101838)).with(0.5, c(0x405c8c));
    rock.fill(canvas, lit(ink, PALE, [0.0, -4.0]));
    for [x, y, r] in rows("120,560,26 330,540,34 220,600,40 380,600,20 160,520,14 280,510,11") {
        disc(x, y, r, r * 0.55).fill(
            canvas,
            lit(down(y - r, c(0x203058), y + r, c(0x5878a8)), LIGHT.a(0.8), [0.0, 2.0]),
        );
    }
    let ink = across(206.0, 274.0, [(0.0, c(0xa0a8c8)), (0.35, WHITE), (1.0, c(0x707498))]);
    blob("!206,482 !274,482 258,300 !256,206 !224,206 222,300")
        .fill(canvas, lit(ink, WHITE, [1.0, 0.0]));
    for (y, half) in [(236.0, 17.5), (306.0, 20.5), (376.0, 25.0), (446.0, 30.5)] {
        let ink =
            across(206.0, 274.0, [(0.0, c(0x901c30)), (0.35, c(0xf05058)), (1.0, c(0x681028))]);
        blob(&format!(
            "!{},{y} 240,{} !{},{y} !{},{} 240,{} !{},{}",
            240.0 - half,
            y + 5.0,
            240.0 + half,
            240.0 + half + 2.0,
            y + 34.0,
            y + 39.0,
            240.0 - half - 2.0,
            y + 34.0
        ))
        .fill(canvas, ink);
    }
    blob("!230,482 !230,456 240,444 !250,456 !250,482").fill(canvas, c(0x502818));
    for y in [286.0, 356.0, 424.0] {
        canvas.lamp(240.0, y, 5.0, c(0xffd070));
    }
    poly("208,200 272,200 276,212 204,212").fill(canvas, lit(c(0x483848), PALE, [0.0, -2.0]));
    poly("224,152 256,152 256,200 224,200").fill(canvas, lit(c(0xfff0b0), WHITE, [0.0, 0.0]));
    thick(&[[232.0, 152.0], [232.0, 200.0]], &[2.0, 2.0]).doubled(240.0).fill(canvas, c(0x483848));
    blob("!216,152 228,126 240,116 252,126 !264,152")
        .fill(canvas, lit(down(116.0, c(0xf05058), 152.0, c(0x881830)), WHITE, [0.0, -2.0]));
    thick(&[[240.0, 118.0], [240.0, 92.0]], &[2.0, 2.0]).fill(canvas, PALE);
    canvas.glow(lamp[0], lamp[1], 220.0, PALE.a(0.95));
    canvas.glow(lamp[0], lamp[1], 80.0, WHITE.a(0.95));
    star(lamp[0], lamp[1], 4, 74.0, 6.0, 0.0).fill(canvas, WHITE.a(0.85));
    poly("296,478 296,448 318,430 340,448 340,476")
        .fill(canvas, lit(down(430.0, c(0xd8c8b8), 478.0, c(0x806c70)), PALE, [-1.0, -1.5]));
    poly("288,450 318,424 348,450 342,454 318,434 294,454")
        .fill(canvas, lit(c(0x903040), PALE, [0.0, -1.0]));
    canvas.lamp(318.0, 462.0, 5.0, c(0xffd070));
    canvas.smoke("332,430 346,400 340,370 356,340", &[6.0, 14.0, 20.0, 26.0], WHITE.a(0.35));
    blob("178,470 186,452 194,470 190,486 182,486")
        .and(disc(186.0, 448.0, 6.0, 7.0))
        .fill(canvas, c(0x182040));
    let ship = blob("!372,226 !412,226 404,240 380,240")
        .and(poly("390,226 390,196 408,218"))
        .and(poly("387,224 387,202 374,220"));
    ship.fill(canvas, lit(c(0xd8c0a8), WHITE, [-1.0, -1.0]));
    canvas.sparkles(31, 22, [20.0, 30.0, 460.0, 460.0], PALE);
}

/// 環の惑星サテュラ: Satyra, the Ringed World.
/// The world of rainbow rings.
fn ring(canvas: &mut Canvas) {
    space(canvas, 36, [c(0x783890), c(0x207098)]);
    canvas.glow(240.0, 300.0, 360.0, c(0x8060e0).a(0.5));
    let tilt = -0.32_f32;
    let rings = |canvas: &mut Canvas, front: bool| {
        for (i, rgb) in
            (0_u8..).zip([0xff7088, 0xffa868, 0xffe078, 0x98e8a0, 0x70d8e8, 0x8098ff, 0xc888ff])
        {
            let r = 232.0 - f32::from(i) * 12.5;
            let arc: Vec<_> = (0..=40_u8)
                .map(|k| {
                    let angle = std::f32::consts::PI * f32::from(k) / 40.0
                        + if front { 0.0 } else { std::f32::consts::PI };
                    let (x, y) = (angle.cos() * r, angle.sin() * r * 0.26);
                    [
                        240.0 + x * tilt.cos() - y * tilt.sin(),
                        300.0 + x * tilt.sin() + y * tilt.cos(),
                    ]
                })
                .collect();
            thick(&arc, &[7.0, 11.5, 7.0]).fill(canvas, c(rgb).a(if front { 0.9 } else { 0.55 }));
            thick(&arc, &[1.0, 1.6, 1.0])
                .moved(0.0, -3.0)
                .fill(canvas, WHITE.a(if front { 0.5 } else { 0.2 }));
        }
    };
    rings(canvas, false);
    planet(canvas, 240.0, 300.0, 132.0, c(0xffc890), c(0x702860), 13);
    blob("180,350 220,336 270,342 290,360 250,374 200,370").fill(canvas, c(0xf07860).a(0.5));
    blob("200,356 230,346 260,352 270,360 244,366 214,364").fill(canvas, c(0xffe0b0).a(0.6));
    rings(canvas, true);
    for (x, y, r, light, dark, seed) in [
        (100.0, 150.0, 26.0, c(0xa0e0e8), c(0x184868), 3),
        (386.0, 470.0, 36.0, c(0xf098b8), c(0x581850), 5),
        (410.0, 130.0, 13.0, c(0xf8e8a8), c(0x705020), 6),
    ] {
        planet(canvas, x, y, r, light, dark, seed);
    }
    canvas.ridge(4, 650.0, 130.0, 60.0, c(0x403078), c(0x0c0c28));
    blob("222,566 232,546 246,544 254,566 260,612 216,612")
        .and(disc(238.0, 534.0, 13.0, 14.0))
        .fill(canvas, c(0x0a0c24));
    limb("250,560 276,540 290,516", &[9.0, 7.0, 5.0]).fill(canvas, c(0x0a0c24));
    disc(238.0, 532.0, 8.0, 7.0).fill(canvas, c(0x80c8f0));
    thick(&[[204.0, 616.0], [204.0, 520.0]], &[3.0, 3.0])
        .and(poly("204,522 160,532 204,550"))
        .fill(canvas, c(0x0a0c24));
    poly("202,524 164,532 202,546").fill(canvas, c(0xe04858));
    let comet = thick(&[[60.0, 420.0], [120.0, 452.0], [220.0, 480.0]], &[14.0, 8.0, 0.6]);
    comet.aura(canvas, 20.0, LIGHT.a(0.8));
    let ink = Ink::Line([60.0, 420.0], [220.0, 480.0], vec![(0.0, WHITE), (1.0, LIGHT.a(0.0))]);
    comet.fill(canvas, ink);
    canvas.sparkles(13, 24, [20.0, 20.0, 460.0, 560.0], PALE);
}

/// 星鯨バレナ: Barena, the Star Whale.
/// A whale that sings constellations.
fn barena(canvas: &mut Canvas) {
    space(canvas, 51, [c(0x186090), c(0x483098)]);
    canvas.aurora(7, 260.0, 210.0, c(0x60f0d0).a(0.14));
    canvas.aurora(9, 160.0, 150.0, c(0xa080ff).a(0.12));
    canvas.moon(386.0, 120.0, 46.0, PALE, c(0xffe8a0));
    let skin =
        slope([240.0, 230.0], [240.0, 480.0], c(0x5090d8), c(0x0a1444)).with(0.4, c(0x20489c));
    let tail = blob(
        "!430,250 400,262 376,236 366,200 !352,160 392,176 420,204 436,176 !476,150 470,200 456,236",
    );
    let far = blob("250,410 300,440 330,500 !336,552 290,520 240,450");
    far.fill(canvas, lit(c(0x142c70), LIGHT, [1.0, -2.0]));
    let body = blob(
        "40,330 70,270 140,232 230,232 310,262 370,290 410,270 432,240 450,250 440,300 400,352 320,404 230,436 140,440 76,410 44,376",
    );
    body.aura(canvas, 60.0, LIGHT.a(0.5));
    body.and(tail).fill(canvas, lit(skin, c(0xc0f4ff), [0.0, -4.0]));
    let belly = blob("44,366 100,372 180,384 260,376 320,396 240,430 140,438 78,410");
    belly.fill(canvas, down(366.0, c(0xd8f0ff), 438.0, c(0x80b0e0)));
    for i in 0..8_u8 {
        let y = 376.0 + f32::from(i) * 7.5;
        let (from, to) = (54.0 + f32::from(i) * 7.0, 290.0 - f32::from(i) * 15.0);
        thick(
            &line([[from, y - 4.0], [(from + to) / 2.0, y + 6.0], [to, y + 2.0]]),
            &[0.8, 2.2, 0.8],
        )
        .fill(canvas, c(0x3060a8).a(0.7));
    }
    limb("42,356 100,364 150,350", &[2.0, 4.0, 1.0]).fill(canvas, c(0x081440));
    disc(140.0, 332.0, 9.0, 10.0).fill(canvas, c(0x060c28));
    disc(137.0, 328.0, 3.6, 4.0).fill(canvas, WHITE);
    disc(140.0, 332.0, 13.0, 13.0).stroke(canvas, 1.6, LIGHT.a(0.7));
    let fin = blob("190,400 220,396 260,450 !266,530 210,500 180,440");
    fin.fill(canvas, lit(down(396.0, c(0x4080d0), 530.0, c(0x102868)), c(0xc0f4ff), [1.5, -2.0]));
    let dots =
        rows("120,280 170,262 210,290 262,276 300,306 344,308 386,300 230,334 280,350 180,310");
    for [a, b] in
        [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [2, 7], [7, 8], [8, 4], [0, 9], [9, 7]]
    {
        thick(&[dots[a], dots[b]], &[1.4, 1.4]).fill(canvas, PALE.a(0.6));
    }
    for [x, y] in dots {
        canvas.glow(x, y, 22.0, PALE.a(0.9));
        star(x, y, 4, 9.0, 2.4, 0.0).fill(canvas, WHITE);
    }
    let spout = limb("150,236 146,180 110,130 70,120", &[8.0, 12.0, 10.0, 1.0])
        .and(limb("152,236 158,170 190,116 236,104", &[8.0, 12.0, 10.0, 1.0]))
        .and(limb("151,236 150,160 146,90", &[8.0, 12.0, 1.0]));
    spout.aura(canvas, 24.0, PALE.a(0.9));
    spout.fill(canvas, down(90.0, WHITE.a(0.2), 236.0, PALE.a(0.9)));
    canvas.sparkles(44, 20, [50.0, 70.0, 260.0, 220.0], PALE);
    for (x, y, s) in [(120.0, 540.0, 0.27), (360.0, 520.0, 0.18)] {
        let calf = blob("40,330 70,270 140,232 230,232 310,262 370,290 410,270 !440,220 450,250 440,300 400,352 320,404 230,436 140,440 76,410 44,376").scaled(240.0, 330.0, s).moved(x - 240.0, y - 330.0);
        calf.fill(canvas, lit(c(0x2858a8), c(0xc0f4ff), [0.0, -1.5]));
    }
    for (i, wave) in (0_u8..)
        .zip(["-20,600 100,576 220,604 340,580 500,604", "-20,630 120,610 260,634 400,612 500,630"])
    {
        limb(wave, &[20.0, 34.0, 26.0, 34.0, 20.0]).shadow(
            canvas,
            18.0,
            LIGHT.to(BLUE, f32::from(i) / 2.0).a(0.55),
        );
    }
    canvas.sparkles(17, 14, [20.0, 20.0, 460.0, 620.0], WHITE);
}

/// 航海士ステラ: Stella, the Navigator.
/// She names the stars.
fn stella(canvas: &mut Canvas) {
    canvas.sky(&[(0.0, 0x060c30), (0.45, 0x203c88), (0.75, 0x7070b8), (1.0, 0xf0a890)]);
    canvas.clouds(9, [-100.0, 420.0], 190.0, 0.5, c(0x603898).a(0.5));
    canvas.band(
        8,
        &[[60.0, -20.0], [200.0, 130.0], [330.0, 260.0], [500.0, 350.0]],
        110.0,
        c(0x90a8ff).a(0.6),
    );
    canvas.stars(58, 260, 520.0, WHITE);
    let dots = rows("90,90 140,140 120,210 190,190 170,270 60,260");
    for [a, b] in [[0, 1], [1, 2], [1, 3], [3, 4], [2, 5]] {
        thick(&[dots[a], dots[b]], &[1.4, 1.4]).fill(canvas, PALE.a(0.7));
    }
    for [x, y] in dots {
        canvas.glow(x, y, 30.0, PALE.a(0.9));
        star(x, y, 4, 13.0, 3.0, 0.0).fill(canvas, WHITE);
    }
    canvas.ridge(60, 560.0, 90.0, 120.0, c(0x605898), c(0xc08098));
    canvas.mist(480.0, 580.0, c(0xffc8b0).a(0.4));
    let cliff =
        blob("!490,460 380,470 300,480 250,500 200,520 !176,540 216,560 236,600 !250,650 !490,650");
    cliff.fill(canvas, lit(down(460.0, c(0x484880), 650.0, c(0x101030)), PALE, [-1.0, -3.0]));
    for (a, b) in [
        ([300.0, 490.0], [320.0, 560.0]),
        ([380.0, 480.0], [370.0, 580.0]),
        ([440.0, 476.0], [450.0, 600.0]),
    ] {
        thick(&[a, b], &[3.0, 1.0]).fill(canvas, NIGHT.a(0.4));
    }
    let tripod = thick(&[[236.0, 380.0], [200.0, 516.0]], &[6.0, 5.0])
        .and(thick(&[[240.0, 380.0], [250.0, 506.0]], &[6.0, 5.0]))
        .and(thick(&[[244.0, 380.0], [292.0, 492.0]], &[6.0, 5.0]));
    tripod.fill(canvas, lit(c(0x704830), PALE, [-1.0, -1.0]));
    let tube = poly("136,268 150,252 246,344 236,358").and(poly("230,338 244,326 300,386 288,398"));
    let ink = slope([140.0, 250.0], [300.0, 400.0], c(0xffe8a0), c(0x784818)).with(0.5, GOLD);
    tube.fill(canvas, lit(ink, WHITE, [-1.0, -2.0]));
    poly("124,270 148,246 158,256 134,280").fill(canvas, lit(GOLD, WHITE, [-1.0, -1.0]));
    disc(136.0, 258.0, 15.0, 15.0).fill(canvas, round(132.0, 254.0, 17.0, WHITE, LIGHT));
    canvas.glow(134.0, 256.0, 60.0, LIGHT.a(0.8));
    let cape = blob(
        "!318,366 350,360 !384,374 420,420 !452,470 404,478 !372,500 330,486 !296,494 304,430",
    );
    cape.fill(canvas, lit(down(360.0, c(0x3860b8), 500.0, c(0x102058)), c(0xd0e8ff), [-2.0, -3.0]));
    let legs = limb("336,460 332,484 322,492", &[26.0, 20.0, 18.0])
        .and(limb("364,460 370,480 360,490", &[26.0, 20.0, 18.0]));
    legs.fill(canvas, lit(c(0x503028), PALE, [-1.0, -1.0]));
    blob("316,370 350,364 374,380 376,440 350,464 318,456 312,410")
        .fill(canvas, lit(down(364.0, c(0xf8f0e0), 464.0, c(0x9888a8)), WHITE, [-2.0, -2.0]));
    poly("314,424 376,424 376,434 314,434").fill(canvas, c(0x683c28));
    limb("324,384 306,412 290,396", &[18.0, 16.0, 13.0])
        .and(limb("340,390 310,420 276,384", &[18.0, 16.0, 13.0]))
        .fill(canvas, lit(down(380.0, c(0xf8f0e0), 420.0, c(0xb0a0b8)), WHITE, [-1.0, -1.5]));
    disc(286.0, 390.0, 8.0, 8.0).and(disc(274.0, 380.0, 8.0, 8.0)).fill(canvas, c(0xffdcc4));
    let hair = blob(
        "312,318 324,292 352,288 376,304 386,340 406,376 !420,410 384,398 364,374 340,366 320,352",
    );
    let ink =
        Ink::Line([310.0, 290.0], [420.0, 400.0], vec![(0.0, c(0xffd890)), (1.0, c(0xb06838))]);
    hair.fill(canvas, lit(ink, WHITE, [-1.5, -2.0]));
    blob("312,318 330,308 346,318 348,344 332,362 312,352 !302,340").fill(canvas, c(0xffe4d0));
    disc(320.0, 332.0, 4.0, 5.0).fill(canvas, c(0x203878));
    disc(319.0, 330.0, 1.4, 1.6).fill(canvas, WHITE);
    disc(328.0, 344.0, 6.0, 4.0).fill(canvas, c(0xff9898).a(0.5));
    limb("308,349 316,351", &[1.0, 2.4]).fill(canvas, c(0xb05048));
    blob("!292,316 320,300 340,272 376,280 390,306 !402,318 350,312")
        .fill(canvas, lit(down(272.0, c(0x3050a8), 318.0, c(0x102050)), c(0xd0e8ff), [-1.0, -2.0]));
    thick(&line("314,308 350,302 394,310"), &[6.0, 7.0, 5.0]).fill(canvas, GOLD);
    star(348.0, 294.0, 5, 10.0, 4.0, 0.0).fill(canvas, PALE);
    leaf([372.0, 286.0], [440.0, 250.0], 20.0).fill(canvas, lit(WHITE, PALE, [0.0, -1.0]));
    poly("404,474 440,462 452,478 416,490").fill(canvas, lit(c(0xf8e8c8), WHITE, [0.0, -1.0]));
    canvas.lamp(456.0, 456.0, 8.0, c(0xffc860));
    for (a, b) in [([420.0, 60.0], [340.0, 110.0]), ([300.0, 40.0], [240.0, 80.0])] {
        let trail = thick(&[b, a], &[5.0, 0.6]);
        trail.aura(canvas, 14.0, LIGHT.a(0.7));
        trail.fill(canvas, WHITE.a(0.9));
    }
    canvas.sparkles(27, 16, [20.0, 20.0, 460.0, 420.0], PALE);
}

/// 星詠みの羅針盤: Compass of the Star Readers.
/// Its needle points home.
fn compass(canvas: &mut Canvas) {
    space(canvas, 67, [c(0x304ca8), c(0x885030)]);
    canvas.rays([240.0, 310.0], 5, 28, 520.0, PALE.a(0.16));
    canvas.glow(240.0, 310.0, 330.0, GOLD.a(0.5));
    let brass = slope([80.0, 150.0], [400.0, 480.0], c(0xfff0b8), c(0x583008))
        .with(0.3, GOLD)
        .with(0.6, c(0x905818))
        .with(0.8, c(0xf0c060));
    thick(&line("240,110 232,70 250,30 240,-20"), &[6.0, 6.0, 6.0, 6.0]).fill(canvas, c(0xb07c28));
    disc(240.0, 100.0, 26.0, 26.0).stroke(canvas, 11.0, c(0x905818));
    disc(239.0, 99.0, 26.0, 26.0).stroke(canvas, 5.0, c(0xffe098));
    disc(246.0, 322.0, 194.0, 194.0).shadow(canvas, 26.0, c(0).a(0.6));
    disc(240.0, 310.0, 194.0, 194.0).fill(canvas, lit(brass.clone(), WHITE, [-1.0, -4.0]));
    let ink = round(240.0, 310.0, 168.0, c(0x3860b8), c(0x040c2c)).with(0.6, c(0x122868));
    disc(240.0, 310.0, 168.0, 168.0).fill(canvas, lit(ink, c(0x603808), [0.0, -5.0]));
    let mut dice = Dice::new(40);
    for _ in 0..110 {
        let (angle, r) = (dice.within(0.0, std::f32::consts::TAU), dice.roll().sqrt() * 160.0);
        let s = dice.within(0.5, 1.6);
        disc(240.0 + angle.cos() * r, 310.0 + angle.sin() * r, s, s)
            .fill(canvas, WHITE.a(dice.within(0.3, 1.0)));
    }
    for i in 0..72_u8 {
        let angle = f32::from(i) * 0.087_27;
        let long = if i % 6 == 0 { 19.0 } else { 10.0 };
        let at = |r: f32| [240.0 + angle.cos() * r, 310.0 + angle.sin() * r];
        thick(&[at(187.0), at(187.0 - long)], &[2.4, 1.6]).fill(canvas, c(0x482808).a(0.85));
    }
    for (r, w) in [(158.0, 1.6), (120.0, 1.2), (62.0, 1.6)] {
        disc(240.0, 310.0, r, r).stroke(canvas, w, GOLD.a(0.9));
    }
    for (turn, long, wide, tints) in [
        (0.785_f32, 112.0, 15.0, [c(0x88a8d8), c(0x304888)]),
        (0.0, 152.0, 22.0, [c(0xfff0c0), c(0xa87020)]),
    ] {
        for i in 0..4_u8 {
            let angle = turn + f32::from(i) * std::f32::consts::FRAC_PI_2;
            let tip = [240.0 + angle.cos() * long, 310.0 + angle.sin() * long];
            for (side, tint) in [(0.785_f32, tints[0]), (-0.785, tints[1])] {
                let waist =
                    [240.0 + (angle + side).cos() * wide, 310.0 + (angle + side).sin() * wide];
                poly([[240.0, 310.0], waist, tip]).fill(canvas, tint);
            }
        }
    }
    for (i, (x, y)) in
        (0_u8..).zip([(240.0, 178.0), (372.0, 310.0), (240.0, 442.0), (108.0, 310.0)])
    {
        canvas.glow(x, y, 34.0, PALE.a(0.8));
        let sign = match i {
            0 => star(x, y, 5, 15.0, 6.0, 0.0),
            1 => disc(x, y, 10.0, 10.0),
            2 => blob(&format!(
                "!{},{} {},{y} !{},{} {},{y}",
                x - 4.0,
                y - 13.0,
                x + 14.0,
                x - 4.0,
                y + 13.0,
                x + 3.0
            )),
            _ => star(x, y, 8, 13.0, 6.0, 0.0),
        };
        sign.fill(canvas, PALE);
    }
    let needle = poly([[240.0, 176.0], [255.0, 310.0], [225.0, 310.0]]).turned(240.0, 310.0, 0.55);
    let back = poly([[240.0, 444.0], [255.0, 310.0], [225.0, 310.0]]).turned(240.0, 310.0, 0.55);
    needle.aura(canvas, 22.0, c(0xff7060).a(0.7));
    needle.fill(canvas, lit(c(0xe83848), c(0xffd0c8), [-1.5, -1.0]));
    back.fill(canvas, lit(c(0xd8e8f8), WHITE, [-1.5, -1.0]));
    disc(240.0, 310.0, 17.0, 17.0).fill(canvas, lit(brass, WHITE, [-1.0, -2.0]));
    blob("110,220 160,170 240,150 320,170 280,190 220,200 150,240").fill(canvas, WHITE.a(0.10));
    leaf([120.0, 380.0], [190.0, 460.0], 10.0).fill(canvas, WHITE.a(0.10));
    let map = blob("!20,560 120,580 240,566 360,584 !460,556 !480,650 !0,650");
    map.fill(canvas, lit(down(556.0, c(0xf0dcb0), 650.0, c(0x907048)), WHITE, [0.0, -2.0]));
    for path in ["40,610 110,600 180,620 260,600 330,616 430,596", "90,640 160,620 220,640"] {
        for pair in line(path).chunks(4) {
            thick(&pair[..pair.len().min(3)], &[3.0, 3.0]).fill(canvas, c(0xa03830));
        }
    }
    thick(&[[422.0, 588.0], [440.0, 606.0]], &[4.0, 4.0])
        .and(thick(&[[440.0, 588.0], [422.0, 606.0]], &[4.0, 4.0]))
        .fill(canvas, c(0xc02830));
    canvas.sparkles(38, 26, [30.0, 40.0, 450.0, 580.0], PALE);
}
