//! 深淵魔導: magic out of a night without a floor.

use super::{
    Cards,
    canvas::{
        Canvas, Dice, Ink, Shape, Tint, across, bar, blob, c, disc, down, leaf, limb, line, lit,
        poly, round, star, thick,
    },
};

const NIGHT: Tint = c(0x0a0420);
const DEEP: Tint = c(0x2b0f5c);
const VIOLET: Tint = c(0x6b2fb8);
const LIGHT: Tint = c(0xc583ff);
const PALE: Tint = c(0xffe1ff);
const CYAN: Tint = c(0x60f0e8);
const WHITE: Tint = c(0xffffff);

pub(super) const CARDS: Cards = [
    ("nox", nox),
    ("grimoire", grimoire),
    ("eye", eye),
    ("luna", luna),
    ("gate", gate),
    ("nuit", nuit),
];

/// A circle of magic: rings, a star, signs around it.
fn circle(canvas: &mut Canvas, x: f32, y: f32, radius: f32, flat: f32, tint: Tint) {
    let squeeze = |shape: Shape| {
        Shape(
            shape
                .0
                .into_iter()
                .map(|it| it.into_iter().map(|p| [p[0], y + (p[1] - y) * flat]).collect())
                .collect(),
        )
    };
    squeeze(disc(x, y, radius, radius)).aura(canvas, radius * 0.3, tint.a(0.28));
    for (size, width) in [(1.0, 3.4), (0.93, 1.2), (0.68, 2.0), (0.64, 0.9), (0.3, 1.6)] {
        squeeze(disc(x, y, radius * size, radius * size)).stroke(canvas, width, tint);
    }
    for turn in [0.0, std::f32::consts::PI] {
        squeeze(star(x, y, 3, radius * 0.92, radius * 0.46, turn)).stroke(canvas, 1.8, tint);
    }
    for i in 0..16_u8 {
        let angle = f32::from(i) * std::f32::consts::FRAC_PI_8;
        let at = [x + angle.cos() * radius * 0.8, y + angle.sin() * radius * 0.8];
        let size = radius * 0.055;
        let sign = match i % 4 {
            0 => star(at[0], at[1], 4, size, size * 0.3, angle),
            1 => poly([
                [at[0] - size, at[1] + size],
                [at[0] + size, at[1] + size],
                [at[0], at[1] - size],
            ]),
            2 => disc(at[0], at[1], size * 0.6, size * 0.6),
            _ => thick(&[[at[0] - size, at[1]], [at[0] + size, at[1]]], &[3.0, 3.0])
                .and(thick(&[[at[0], at[1] - size], [at[0], at[1] + size]], &[3.0, 3.0])),
        };
        squeeze(sign).fill(canvas, tint.to(WHITE, 0.4));
    }
}

/// 深淵魔導師ノクス: Nox, Abyssal Mage.
/// A mage of seven circles.
fn nox(canvas: &mut Canvas) {
    canvas.sky(&[(0.0, 0x0a0420), (0.5, 0x3c1478), (0.85, 0xa03c98), (1.0, 0x180838)]);
    canvas.stars(44, 170, 520.0, PALE);
    canvas.clouds(12, [40.0, 560.0], 180.0, 0.52, c(0x8030a8).a(0.5));
    canvas.glow(240.0, 250.0, 330.0, VIOLET.a(0.9));
    circle(canvas, 240.0, 250.0, 190.0, 1.0, LIGHT);
    canvas.ridge(31, 590.0, 120.0, 60.0, c(0x301058), NIGHT);
    circle(canvas, 240.0, 596.0, 210.0, 0.24, CYAN.a(0.8));
    let cloak = blob(
        "!240,190 296,250 340,330 372,470 !410,618 340,600 290,624 240,604 190,624 140,600 !70,618 108,470 140,330 184,250",
    );
    cloak.aura(canvas, 40.0, LIGHT.a(0.5));
    cloak.fill(canvas, lit(down(190.0, c(0x5828a0), 620.0, c(0x100628)), PALE, [0.0, -3.0]));
    for x in [-90.0, -48.0, 48.0, 90.0] {
        limb(
            [[240.0 + x * 0.5, 330.0], [240.0 + x, 460.0], [240.0 + x * 1.5, 606.0]],
            &[2.0, 14.0, 22.0],
        )
        .fill(canvas, NIGHT.a(0.45));
    }
    blob("!222,300 !258,300 272,450 !282,610 240,600 !198,610 208,450")
        .fill(canvas, down(300.0, c(0x180a3c), 610.0, c(0x280c50)));
    for (i, y) in (0_u8..).zip([350.0, 400.0, 450.0, 500.0, 550.0]) {
        star(240.0, y, 4, 9.0 + f32::from(i), 3.0, 0.0).fill(canvas, LIGHT);
    }
    blob("!240,330 176,312 160,280 200,290 240,312 280,290 320,280 304,312")
        .fill(canvas, lit(down(280.0, c(0x9050d8), 330.0, DEEP), PALE, [0.0, -2.0]));
    let hood = blob("!240,122 280,164 302,226 290,290 240,316 190,290 178,226 200,164");
    hood.fill(canvas, lit(down(122.0, c(0x7c40c8), 316.0, c(0x200c48)), PALE, [1.5, -3.0]));
    blob("!240,168 268,206 272,254 240,290 208,254 212,206")
        .fill(canvas, down(168.0, c(0x040210), 290.0, c(0x140828)));
    for x in [224.0, 256.0] {
        canvas.glow(x, 232.0, 34.0, CYAN.a(0.95));
        leaf([x + (x - 240.0) * 0.5, 227.0], [x - (x - 240.0) * 0.55, 236.0], 9.0)
            .fill(canvas, WHITE);
    }
    let sleeve = limb("296,310 352,366 384,352", &[60.0, 56.0, 40.0]);
    let ink =
        Ink::Line([290.0, 300.0], [390.0, 380.0], vec![(0.0, c(0x482090)), (1.0, c(0x180838))]);
    sleeve.fill(canvas, lit(ink, PALE, [1.0, -2.5]));
    let staff = thick(&line("382,620 388,470 384,330 392,196"), &[9.0, 10.0, 9.0, 8.0]);
    staff.fill(canvas, lit(c(0x503858), PALE, [1.5, 0.0]));
    limb("392,200 354,176 350,128 384,104", &[9.0, 9.0, 8.0, 2.0])
        .and(limb("392,200 430,176 436,130 408,104", &[9.0, 9.0, 8.0, 2.0]))
        .fill(canvas, lit(c(0x704c80), PALE, [0.0, -1.5]));
    canvas.glow(393.0, 150.0, 130.0, CYAN.a(0.9));
    star(393.0, 150.0, 8, 46.0, 12.0, 0.0).fill(canvas, CYAN.a(0.6));
    disc(393.0, 150.0, 21.0, 21.0).fill(canvas, round(388.0, 144.0, 24.0, WHITE, CYAN));
    disc(384.0, 352.0, 14.0, 12.0).fill(canvas, c(0xd8b8e8));
    let left = limb("184,310 132,366 104,340", &[60.0, 56.0, 40.0]);
    let ink =
        Ink::Line([190.0, 300.0], [100.0, 380.0], vec![(0.0, c(0x482090)), (1.0, c(0x180838))]);
    left.fill(canvas, lit(ink, PALE, [-1.0, -2.5]));
    disc(102.0, 334.0, 13.0, 12.0).fill(canvas, c(0xd8b8e8));
    canvas.glow(96.0, 286.0, 90.0, LIGHT.a(0.95));
    for (i, angle) in (0_u8..).zip([0.3_f32, 1.3, 2.4, 3.6, 4.9]) {
        let r = 26.0 + f32::from(i) * 5.0;
        limb(
            [
                [96.0, 286.0],
                [96.0 + (angle - 0.5).cos() * r * 0.6, 286.0 + (angle - 0.5).sin() * r * 0.6],
                [96.0 + angle.cos() * r, 286.0 + angle.sin() * r],
            ],
            &[7.0, 5.0, 0.5],
        )
        .fill(canvas, PALE.a(0.9));
    }
    disc(96.0, 286.0, 13.0, 13.0).fill(canvas, WHITE);
    canvas.motes(9, 44, [30.0, 100.0, 450.0, 630.0], 2.8, LIGHT);
    canvas.sparkles(3, 12, [40.0, 60.0, 440.0, 500.0], PALE);
}

/// 禁書アビスノート: Abyss Note, the Forbidden Book.
/// A book that writes shadows.
fn grimoire(canvas: &mut Canvas) {
    canvas.sky(&[(0.0, 0x080418), (0.5, 0x301068), (1.0, 0x0c0428)]);
    canvas.clouds(7, [-60.0, 500.0], 160.0, 0.54, c(0x7028a0).a(0.5));
    canvas.stars(55, 90, 400.0, PALE);
    circle(canvas, 240.0, 210.0, 150.0, 1.0, LIGHT.a(0.85));
    poly("150,440 330,440 470,-20 10,-20")
        .fill(canvas, down(440.0, CYAN.a(0.5), 0.0, LIGHT.a(0.0)));
    canvas.glow(240.0, 420.0, 300.0, CYAN.a(0.6));
    circle(canvas, 240.0, 590.0, 220.0, 0.2, VIOLET.to(LIGHT, 0.5));
    disc(240.0, 590.0, 170.0, 18.0).shadow(canvas, 24.0, c(0).a(0.7));
    let cover =
        blob("!240,560 150,528 !20,520 !36,400 150,420 240,446 330,420 !444,400 !460,520 330,528");
    cover.fill(canvas, lit(down(400.0, c(0x602088), 560.0, c(0x1c0838)), LIGHT, [0.0, -2.0]));
    for (i, drop) in (0_u8..).zip([14.0, 9.0, 4.0, 0.0]) {
        let lift = f32::from(i) * 5.0;
        let page = blob(&format!(
            "!240,{} 160,{} !{},{} !{},{} 160,{} !240,{}",
            544.0 - lift,
            508.0 + drop - lift,
            34.0 + lift,
            506.0 + drop - lift,
            52.0 + lift,
            396.0 + drop - lift,
            406.0 + drop - lift,
            440.0 - lift
        ));
        let ink = across(
            40.0,
            440.0,
            [
                (0.0, c(0xc8b0d8)),
                (0.46, c(0xfff4e8)),
                (0.5, c(0x8870a0)),
                (0.54, c(0xfff4e8)),
                (1.0, c(0xc8b0d8)),
            ],
        );
        page.doubled(240.0).fill(canvas, lit(ink, WHITE, [0.0, -1.0]));
    }
    for row in 0..6_u8 {
        let y = 406.0 + f32::from(row) * 17.0;
        thick(
            &line([
                [74.0 + f32::from(row % 3) * 8.0, y - 12.0],
                [140.0, y - 2.0],
                [220.0, y + 18.0],
            ]),
            &[3.0, 3.0],
        )
        .doubled(240.0)
        .fill(canvas, c(0x683898).a(0.7));
    }
    thick(&[[240.0, 424.0], [240.0, 530.0]], &[4.0, 6.0]).fill(canvas, c(0x402060).a(0.6));
    limb("262,520 268,570 258,620", &[14.0, 12.0, 10.0])
        .fill(canvas, lit(c(0xc82860), c(0xffa0c0), [1.0, 0.0]));
    canvas.glow(240.0, 420.0, 200.0, PALE.a(0.8));
    let ghost = blob(
        "!240,420 214,372 172,352 186,300 170,240 206,190 240,176 274,190 310,240 294,300 308,352 266,372",
    );
    ghost.aura(canvas, 44.0, LIGHT.a(0.7));
    ghost.fill(
        canvas,
        lit(down(176.0, c(0x300c58), 420.0, c(0xa060e0).a(0.25)), LIGHT, [0.0, -2.5]),
    );
    for x in [216.0, 264.0] {
        canvas.glow(x, 240.0, 44.0, CYAN.a(0.9));
        leaf([x + (x - 240.0) * 0.6, 228.0], [x - (x - 240.0) * 0.6, 248.0], 17.0)
            .fill(canvas, WHITE);
    }
    blob("!208,282 224,294 240,286 256,294 !272,282 262,318 240,328 218,318")
        .fill(canvas, CYAN.a(0.85));
    for claw in ["186,320 130,300 100,250", "294,320 350,300 380,250"] {
        limb(claw, &[34.0, 24.0, 12.0]).fill(canvas, lit(c(0x381068), LIGHT, [0.0, -2.0]));
    }
    for (x, y) in [(100.0, 250.0), (380.0, 250.0)] {
        for angle in [-2.3_f32, -1.8, -1.3, -0.8] {
            leaf([x, y + 6.0], [x + angle.cos() * 34.0, y + angle.sin() * 34.0], 9.0)
                .fill(canvas, c(0x481880));
        }
    }
    let mut dice = Dice::new(6);
    for _ in 0..26 {
        let (x, y, s) =
            (dice.within(60.0, 420.0), dice.within(40.0, 400.0), dice.within(5.0, 11.0));
        let turn = dice.within(0.0, 3.0);
        let page = bar(x - s, y - s * 1.3, x + s, y + s * 1.3).turned(x, y, turn);
        page.fill(canvas, PALE.a(dice.within(0.3, 0.9)));
    }
    canvas.sparkles(31, 20, [60.0, 60.0, 420.0, 460.0], CYAN);
}

/// 深淵を覗く眼: Eye of the Abyss.
/// It looks back.
fn eye(canvas: &mut Canvas) {
    canvas.sky(&[(0.0, 0x040212), (0.5, 0x280c54), (1.0, 0x060318)]);
    canvas.clouds(15, [0.0, 640.0], 140.0, 0.55, c(0x681c90).a(0.6));
    canvas.stars(8, 140, 640.0, PALE);
    canvas.glow(240.0, 310.0, 340.0, VIOLET.a(0.95));
    canvas.rays([240.0, 310.0], 6, 24, 520.0, LIGHT.a(0.16));
    let arms = [
        "240,420 150,500 60,470 30,560 80,630",
        "240,430 220,540 150,570 160,660",
        "240,430 270,530 340,560 320,660",
        "240,420 340,500 420,470 456,560 400,640",
        "180,240 90,180 70,80 130,30",
        "300,240 390,180 410,80 350,30",
        "160,300 60,290 20,350 -20,330",
        "320,300 420,290 460,350 500,330",
        "220,220 200,120 250,60 230,-20",
    ];
    for (i, arm) in (0_u8..).zip(arms) {
        let shape = limb(arm, &[60.0, 46.0, 34.0, 22.0, 5.0]);
        shape.fill(
            canvas,
            lit(
                round(240.0, 310.0, 380.0, c(0x702cb0), c(0x160834)),
                LIGHT,
                [if i % 2 == 0 { 2.0 } else { -2.0 }, -2.5],
            ),
        );
        for (k, at) in (0_u8..).zip(line(arm).into_iter().skip(5).step_by(4)) {
            let r = 7.0 - f32::from(k) * 0.9;
            if r > 1.5 {
                disc(at[0], at[1], r, r).fill(canvas, lit(c(0xe090d8), WHITE, [0.0, -1.5]));
            }
        }
    }
    let lid = blob("!40,312 130,220 240,188 350,220 !440,312 350,404 240,436 130,404");
    lid.aura(canvas, 50.0, LIGHT.a(0.6));
    lid.clone()
        .scaled(240.0, 312.0, 1.12)
        .fill(canvas, lit(down(170.0, c(0x602498), 450.0, c(0x200844)), PALE, [0.0, -4.0]));
    let ink = round(240.0, 312.0, 200.0, WHITE, c(0x9060a8)).with(0.6, c(0xf4e0f8));
    lid.fill(canvas, ink);
    let mask = canvas.mask(&lid);
    let mut dice = Dice::new(12);
    for i in 0..18_u8 {
        let angle = f32::from(i) * 0.349 + 0.2;
        let at = |r: f32, off: f32| {
            [240.0 + (angle + off).cos() * r, 312.0 + (angle + off).sin() * r * 0.62]
        };
        let vein = thick(
            &[
                at(200.0, 0.0),
                at(165.0, dice.within(-0.1, 0.1)),
                at(128.0, dice.within(-0.12, 0.12)),
            ],
            &[4.0, 2.4, 0.4],
        );
        vein.fill_within(canvas, c(0xc03080).a(0.6), mask.as_ref());
    }
    let ink = round(240.0, 312.0, 114.0, c(0xfff0a0), c(0x1c0840))
        .with(0.35, c(0xf060c8))
        .with(0.75, c(0x7020b8));
    disc(240.0, 312.0, 114.0, 114.0).fill_within(canvas, ink, mask.as_ref());
    for i in 0..48_u8 {
        let angle = f32::from(i) * 0.1309;
        let (from, to) = (46.0, 108.0 * dice.within(0.75, 1.0));
        let streak = thick(
            &[
                [240.0 + angle.cos() * from, 312.0 + angle.sin() * from],
                [240.0 + angle.cos() * to, 312.0 + angle.sin() * to],
            ],
            &[2.6, 0.6],
        );
        streak.fill_within(canvas, c(0xffd8f8).a(dice.within(0.2, 0.7)), mask.as_ref());
    }
    leaf([240.0, 204.0], [240.0, 420.0], 72.0).fill_within(canvas, c(0x040210), mask.as_ref());
    star(240.0, 312.0, 4, 30.0, 6.0, 0.0).fill_within(canvas, CYAN.a(0.9), mask.as_ref());
    canvas.glow(240.0, 312.0, 60.0, CYAN.a(0.6));
    disc(280.0, 262.0, 20.0, 15.0).fill(canvas, WHITE.a(0.92));
    disc(206.0, 362.0, 9.0, 7.0).fill(canvas, WHITE.a(0.6));
    lid.stroke(canvas, 5.0, c(0x180630));
    for i in 0..11_u8 {
        let share = f32::from(i) / 10.0;
        let x = 60.0 + 360.0 * share;
        let y = 306.0 - 122.0 * (share * std::f32::consts::PI).sin().powf(0.8);
        leaf([x, y + 6.0], [x + (x - 240.0) * 0.28, y - 46.0], 9.0).fill(canvas, c(0x180630));
    }
    canvas.sparkles(14, 14, [30.0, 30.0, 450.0, 610.0], PALE);
}

/// 影猫ルナ: Luna, the Shadow Cat.
/// A cat waits for the moon.
fn luna(canvas: &mut Canvas) {
    canvas.sky(&[(0.0, 0x120838), (0.5, 0x482088), (0.8, 0xc85ca0), (1.0, 0x301050)]);
    canvas.stars(61, 180, 460.0, PALE);
    canvas.moon(250.0, 250.0, 150.0, c(0xffecc8), c(0xf0b0f0));
    canvas.craters(250.0, 250.0, 150.0, c(0xd0a0b8).a(0.25));
    canvas.clouds(16, [180.0, 470.0], 200.0, 0.5, c(0x783898).a(0.6));
    let mut dice = Dice::new(20);
    for (layer, dark) in [(0_u8, c(0x783888)), (1, c(0x441c68))] {
        let base = 510.0 + f32::from(layer) * 36.0;
        let mut town = Shape::default();
        let mut windows = Vec::new();
        let mut x = -10.0;
        while x < 490.0 {
            let (wide, tall) = (dice.within(44.0, 76.0), dice.within(30.0, 96.0));
            town = town.and(poly([
                [x, 640.0],
                [x, base - tall],
                [x + wide / 2.0, base - tall - wide * 0.5],
                [x + wide, base - tall],
                [x + wide, 640.0],
            ]));
            windows.push([x + wide * 0.35, base - tall + 24.0]);
            windows.push([x + wide * 0.65, base - tall + 24.0]);
            x += wide;
        }
        town.fill(canvas, down(base - 120.0, dark, 640.0, NIGHT));
        for [x, y] in windows {
            if dice.roll() < 0.6 {
                canvas.glow(x, y, 16.0, c(0xffc870).a(0.8));
                bar(x - 4.0, y - 6.0, x + 4.0, y + 6.0).fill(canvas, c(0xffe8a8));
            }
        }
    }
    canvas.mist(450.0, 590.0, c(0xe080c0).a(0.3));
    let roof = poly("-10,650 -10,590 240,496 490,590 490,650");
    roof.fill(canvas, lit(down(496.0, c(0x401c70), 640.0, NIGHT), LIGHT, [0.0, -3.0]));
    for row in 0..5_u8 {
        for column in 0..14_u8 {
            let (x, y) = (
                f32::from(column) * 38.0 - 20.0 + f32::from(row % 2) * 19.0,
                546.0 + f32::from(row) * 22.0,
            );
            if y > 508.0 + (x - 240.0).abs() * 0.38 {
                disc(x, y, 17.0, 9.0).stroke(canvas, 1.4, c(0x603890).a(0.7));
            }
        }
    }
    let body = blob("214,500 196,440 204,370 236,330 276,340 300,400 312,460 306,506 260,514");
    let head = blob("186,300 192,268 220,252 252,252 280,268 286,300 270,334 236,346 202,334");
    let ears = poly("190,290 184,222 226,256").and(poly("282,290 288,222 246,256"));
    let tail = limb("300,496 360,500 392,456 380,400 406,364", &[30.0, 26.0, 22.0, 18.0, 10.0]);
    let legs = limb("222,420 216,470 214,506", &[34.0, 24.0, 24.0])
        .and(limb("254,420 252,470 250,508", &[34.0, 24.0, 24.0]));
    let cat = body.and(head).and(ears).and(tail).and(legs);
    cat.aura(canvas, 26.0, c(0xffd0f8).a(0.5));
    cat.fill(canvas, lit(down(230.0, c(0x241248), 510.0, c(0x080418)), c(0xffe8f8), [2.5, -3.0]));
    poly("197,276 193,240 216,258").and(poly("275,276 279,240 256,258")).fill(canvas, c(0x904898));
    for x in [216.0, 256.0] {
        canvas.glow(x, 298.0, 34.0, c(0xffe060).a(0.7));
        leaf([x - 15.0, 299.0], [x + 15.0, 297.0], 22.0).fill(canvas, c(0xffe468));
        disc(x, 298.0, 3.4, 9.5).fill(canvas, c(0x0c0418));
        disc(x + 3.0, 294.0, 2.0, 2.0).fill(canvas, WHITE);
    }
    blob("!230,316 236,313 !242,316 236,322").fill(canvas, c(0xe080a8));
    for (dx, dy) in [(44.0, -4.0), (46.0, 6.0), (42.0, 15.0)] {
        thick(&[[246.0, 320.0], [246.0 + dx, 318.0 + dy]], &[1.4, 0.5])
            .doubled(236.0)
            .fill(canvas, PALE.a(0.8));
    }
    thick(&line("206,344 236,356 268,344"), &[8.0, 9.0, 8.0])
        .fill(canvas, lit(c(0xd02868), c(0xffa0c0), [0.0, -1.5]));
    canvas.lamp(236.0, 366.0, 8.0, c(0xffd860));
    canvas.sparkles(26, 18, [30.0, 40.0, 450.0, 460.0], PALE);
}

/// 呪鎖の門: Gate of Cursed Chains.
/// A gate to the stars, and its chains.
fn gate(canvas: &mut Canvas) {
    canvas.sky(&[(0.0, 0x080420), (0.5, 0x341464), (0.85, 0x702888), (1.0, 0x100428)]);
    canvas.stars(70, 110, 480.0, PALE);
    canvas.clouds(24, [0.0, 520.0], 180.0, 0.5, c(0x602090).a(0.5));
    canvas.ridge(18, 560.0, 240.0, 70.0, c(0x381468), c(0x180838));
    canvas.ground(2, 560.0, 10.0, c(0x381860), NIGHT);
    let hall = blob("!128,580 !128,260 150,180 240,120 330,180 !352,260 !352,580");
    hall.aura(canvas, 80.0, LIGHT.a(0.7));
    let ink = round(240.0, 330.0, 270.0, WHITE, c(0x180440))
        .with(0.15, c(0xb8f4ff))
        .with(0.45, c(0x4060e0))
        .with(0.8, c(0x381088));
    hall.fill(canvas, ink);
    let mask = canvas.mask(&hall);
    let mut dice = Dice::new(4);
    for i in 0..7_u8 {
        let start = f32::from(i) * 0.9;
        let swirl: Vec<_> = (0..22_u8)
            .map(|k| {
                let (k, r) = (f32::from(k), 16.0 + f32::from(k) * 9.0);
                [240.0 + (start + k * 0.16).cos() * r, 330.0 + (start + k * 0.16).sin() * r * 1.2]
            })
            .collect();
        thick(&swirl, &[2.0, 14.0, 3.0]).fill_within(canvas, WHITE.a(0.22), mask.as_ref());
    }
    for _ in 0..80 {
        let (angle, r) = (dice.within(0.0, std::f32::consts::TAU), dice.within(10.0, 220.0));
        let s = dice.within(0.6, 2.2);
        disc(240.0 + angle.cos() * r, 330.0 + angle.sin() * r * 1.2, s, s).fill_within(
            canvas,
            WHITE.a(dice.within(0.4, 1.0)),
            mask.as_ref(),
        );
    }
    canvas.glow(240.0, 330.0, 120.0, WHITE.a(0.8));
    let frame = poly("60,600 60,220 84,190 128,190 128,600").doubled(240.0);
    let ink = across(
        60.0,
        420.0,
        [
            (0.0, c(0x240c48)),
            (0.18, c(0x7848a8)),
            (0.5, c(0x603890)),
            (0.82, c(0x7848a8)),
            (1.0, c(0x240c48)),
        ],
    );
    frame.fill(canvas, lit(ink, PALE, [0.0, -3.0]));
    let arch =
        thick(&line("96,230 126,140 240,72 354,140 384,230"), &[62.0, 56.0, 66.0, 56.0, 62.0]);
    arch.fill(canvas, lit(down(60.0, c(0x8858b8), 250.0, c(0x381868)), PALE, [0.0, -3.0]));
    for i in 0..11_u8 {
        let angle = 3.32 + f32::from(i) * 0.285;
        let (x, y) = (240.0 + angle.cos() * 138.0, 226.0 + angle.sin() * 146.0);
        canvas.glow(x, y, 24.0, CYAN.a(0.7));
        star(x, y, 4, 10.0, 3.0, angle).fill(canvas, CYAN);
    }
    for y in [270.0, 340.0, 410.0, 480.0, 550.0] {
        bar(66.0, y, 122.0, y + 4.0).doubled(240.0).fill(canvas, NIGHT.a(0.6));
        star(94.0, y - 32.0, 4, 13.0, 5.0, 0.0).doubled(240.0).fill(canvas, LIGHT.a(0.75));
    }
    blob("!206,84 240,30 !274,84 262,126 240,138 218,126")
        .fill(canvas, lit(down(30.0, c(0xa070d0), 138.0, DEEP), PALE, [0.0, -2.5]));
    disc(226.0, 92.0, 9.0, 11.0).doubled(240.0).fill(canvas, NIGHT);
    canvas.lamp(226.0, 94.0, 4.0, CYAN);
    canvas.lamp(254.0, 94.0, 4.0, CYAN);
    for chain in [
        "110,210 200,300 280,330 370,470",
        "370,210 290,280 210,350 110,480",
        "110,400 200,450 290,440 370,360",
    ] {
        let links = line(chain);
        for (k, pair) in (0_u8..).zip(links.windows(2)) {
            let ([x, y], [x2, y2]) = (pair[0], pair[1]);
            let angle = (y2 - y).atan2(x2 - x);
            let flat = if k % 2 == 0 { 7.5 } else { 3.2 };
            let ring = disc(x, y, 11.0, flat).turned(x, y, angle);
            ring.stroke(canvas, 5.4, c(0x1c0c30));
            ring.moved(-0.8, -0.8).stroke(canvas, 2.6, c(0xb898d0));
        }
    }
    blob("!214,324 240,306 !266,324 262,372 240,386 218,372")
        .fill(canvas, lit(down(306.0, c(0xd8b060), 386.0, c(0x603818)), WHITE, [0.0, -2.0]));
    disc(240.0, 340.0, 7.0, 7.0).and(poly("236,342 244,342 247,364 233,364")).fill(canvas, NIGHT);
    for (half, y) in [(150.0, 580.0), (180.0, 604.0), (212.0, 628.0)] {
        poly([
            [240.0 - half, y],
            [240.0 + half, y],
            [240.0 + half + 14.0, y + 26.0],
            [240.0 - half - 14.0, y + 26.0],
        ])
        .fill(canvas, lit(down(y, c(0x7858a8), y + 26.0, c(0x281048)), PALE, [0.0, -2.0]));
    }
    canvas.sparkles(9, 16, [130.0, 130.0, 350.0, 560.0], WHITE);
}

/// 夢喰いの蛾ニュイ: Nuit, Moth of Dreams.
/// A moth with the dust of dreams.
fn nuit(canvas: &mut Canvas) {
    canvas.sky(&[(0.0, 0x0c0830), (0.5, 0x341c80), (1.0, 0x883898)]);
    canvas.stars(34, 190, 640.0, PALE);
    canvas.moon(240.0, 140.0, 74.0, c(0xffe8f8), LIGHT);
    disc(270.0, 124.0, 66.0, 66.0).fill(canvas, c(0x201058).a(0.92));
    canvas.clouds(5, [260.0, 720.0], 190.0, 0.56, c(0xb858b0).a(0.6));
    canvas.glow(240.0, 330.0, 330.0, LIGHT.a(0.6));
    let lower = blob("!252,360 330,372 402,430 396,520 350,548 !330,600 300,540 268,470");
    let upper = blob("!250,330 280,230 360,150 !462,128 456,230 470,290 !430,360 340,392 262,374");
    let ink = round(240.0, 350.0, 260.0, c(0xffc0f0), c(0x201058))
        .with(0.35, c(0xa058d8))
        .with(0.7, c(0x5028a0));
    for wing in [lower, upper] {
        let both = wing.doubled(240.0);
        both.aura(canvas, 40.0, LIGHT.a(0.5));
        both.fill(canvas, lit(ink.clone(), PALE, [0.0, -3.0]));
    }
    for (from, to) in [
        ([262.0, 340.0], [450.0, 140.0]),
        ([262.0, 344.0], [456.0, 220.0]),
        ([262.0, 350.0], [452.0, 300.0]),
        ([262.0, 356.0], [410.0, 362.0]),
        ([262.0, 380.0], [384.0, 450.0]),
        ([262.0, 390.0], [340.0, 560.0]),
    ] {
        thick(&[from, to], &[2.6, 0.8]).doubled(240.0).fill(canvas, PALE.a(0.4));
    }
    for (x, y, r) in [(370.0, 244.0, 38.0), (338.0, 462.0, 27.0)] {
        for (size, tint) in
            [(1.0, c(0x180c40)), (0.8, c(0xffd070)), (0.58, c(0x281060)), (0.36, CYAN)]
        {
            disc(x, y, r * size, r * size).doubled(240.0).fill(canvas, tint);
        }
        canvas.glow(x, y, r * 1.8, CYAN.a(0.4));
        canvas.glow(480.0 - x, y, r * 1.8, CYAN.a(0.4));
        disc(x - r * 0.1, y - r * 0.15, r * 0.12, r * 0.12).doubled(240.0).fill(canvas, WHITE);
    }
    for i in 0..8_u8 {
        let share = f32::from(i) / 7.0;
        let (x, y) = (448.0 - 18.0 * (share * 3.1).sin(), 158.0 + share * 172.0);
        star(x, y, 4, 9.0, 3.0, 0.4).doubled(240.0).fill(canvas, c(0xffd8a0));
    }
    let body = blob("240,270 262,306 266,350 256,420 240,500 224,420 214,350 218,306");
    body.fill(canvas, lit(down(270.0, c(0xf0d0f0), 500.0, c(0x482080)), WHITE, [1.5, -2.5]));
    for i in 0..7_u8 {
        let y = 372.0 + f32::from(i) * 17.0;
        let half = 20.0 - f32::from(i) * 2.3;
        thick(&line([[240.0 - half, y], [240.0, y + 7.0], [240.0 + half, y]]), &[2.0, 5.0, 2.0])
            .fill(canvas, c(0x381868).a(0.6));
    }
    disc(240.0, 322.0, 36.0, 30.0)
        .fill(canvas, lit(down(292.0, WHITE, 352.0, c(0xc090d8)), WHITE, [0.0, -2.0]));
    disc(240.0, 276.0, 26.0, 24.0)
        .fill(canvas, lit(down(252.0, c(0xfff0ff), 300.0, c(0x9060c0)), WHITE, [0.0, -2.0]));
    disc(254.0, 272.0, 10.0, 12.0).doubled(240.0).fill(canvas, c(0x100830));
    disc(257.0, 267.0, 3.6, 3.6).and(disc(229.0, 267.0, 3.6, 3.6)).fill(canvas, WHITE);
    let feeler = limb("248,258 268,210 310,176", &[5.0, 4.0, 1.0]);
    feeler.doubled(240.0).fill(canvas, PALE);
    for i in 0..9_u8 {
        let t = f32::from(i) / 8.0;
        let at = [252.0 + 56.0 * t, 248.0 - 70.0 * t.powf(0.8)];
        thick(&[at, [at[0] + 17.0 - t * 8.0, at[1] + 2.0]], &[2.0, 0.5])
            .and(thick(&[at, [at[0] - 6.0, at[1] - 15.0 + t * 8.0]], &[2.0, 0.5]))
            .doubled(240.0)
            .fill(canvas, PALE.a(0.9));
    }
    canvas.motes(30, 80, [20.0, 300.0, 460.0, 636.0], 2.6, c(0xffc0f0));
    canvas.sparkles(11, 22, [30.0, 120.0, 450.0, 620.0], PALE);
}
