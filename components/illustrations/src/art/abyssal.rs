//! 深淵魔導: magic out of a night without a floor.

use super::{
    canvas::{Canvas, Ink, Tint, c, down, round},
    card,
    noise::Dice,
    shape::{Shape, blob, disc, leaf, limb, line, poly, star, thick},
};

const NIGHT: Tint = c(0x000a_0420);
const DEEP: Tint = c(0x002b_0f5c);
const VIOLET: Tint = c(0x006b_2fb8);
const LIGHT: Tint = c(0x00c5_83ff);
const PALE: Tint = c(0x00ff_e1ff);
const CYAN: Tint = c(0x0060_f0e8);
const WHITE: Tint = c(0x00ff_ffff);

pub(super) fn draw(id: &str) -> Option<Canvas> {
    Some(match id {
        "nox" => nox(),
        "grimoire" => grimoire(),
        "eye" => eye(),
        "luna" => luna(),
        "gate" => gate(),
        "nuit" => nuit(),
        _ => return None,
    })
}

/// A circle of magic: rings, a star, signs around it.
fn circle(it: &mut Canvas, x: f32, y: f32, radius: f32, flat: f32, tint: Tint) {
    let squeeze = |shape: Shape| {
        Shape(
            shape
                .0
                .into_iter()
                .map(|it| it.into_iter().map(|p| [p[0], y + (p[1] - y) * flat]).collect())
                .collect(),
        )
    };
    it.aura(&squeeze(disc(x, y, radius, radius)), radius * 0.3, tint.a(0.28));
    for (size, width) in [(1.0, 3.4), (0.93, 1.2), (0.68, 2.0), (0.64, 0.9), (0.3, 1.6)] {
        it.stroke(&squeeze(disc(x, y, radius * size, radius * size)), width, tint);
    }
    for turn in [0.0, std::f32::consts::PI] {
        it.stroke(&squeeze(star(x, y, 3, radius * 0.92, radius * 0.46, turn)), 1.8, tint);
    }
    for i in 0..16_u8 {
        let angle = f32::from(i) * 0.3927;
        let at = [x + angle.cos() * radius * 0.8, y + angle.sin() * radius * 0.8];
        let size = radius * 0.055;
        let sign = match i % 4 {
            0 => star(at[0], at[1], 4, size, size * 0.3, angle),
            1 => poly(&format!(
                "{},{} {},{} {},{}",
                at[0] - size,
                at[1] + size,
                at[0] + size,
                at[1] + size,
                at[0],
                at[1] - size
            )),
            2 => disc(at[0], at[1], size * 0.6, size * 0.6),
            _ => thick(&[[at[0] - size, at[1]], [at[0] + size, at[1]]], &[3.0, 3.0])
                .and(thick(&[[at[0], at[1] - size], [at[0], at[1] + size]], &[3.0, 3.0])),
        };
        it.fill(&squeeze(sign), tint.to(WHITE, 0.4));
    }
}

/// A mage of seven circles.
fn nox() -> Canvas {
    let mut it =
        card(&[(0.0, 0x000a_0420), (0.5, 0x003c_1478), (0.85, 0x00a0_3c98), (1.0, 0x0018_0838)]);
    it.stars(44, 170, 520.0, PALE);
    it.clouds(12, [40.0, 560.0], 180.0, 0.52, c(0x0080_30a8).a(0.5));
    it.glow(240.0, 250.0, 330.0, VIOLET.a(0.9));
    circle(&mut it, 240.0, 250.0, 190.0, 1.0, LIGHT);
    it.ridge(31, 590.0, 120.0, 60.0, c(0x0030_1058), NIGHT);
    circle(&mut it, 240.0, 596.0, 210.0, 0.24, CYAN.a(0.8));
    let cloak = blob(
        "!240,190 296,250 340,330 372,470 !410,618 340,600 290,624 240,604 190,624 140,600 !70,618 108,470 140,330 184,250",
    );
    it.aura(&cloak, 40.0, LIGHT.a(0.5));
    it.lit(&cloak, down(190.0, c(0x0058_28a0), 620.0, c(0x0010_0628)), PALE, [0.0, -3.0]);
    for x in [-90.0, -48.0, 48.0, 90.0] {
        it.fill(
            &limb(
                &format!("{},330 {},460 {},606", 240.0 + x * 0.5, 240.0 + x, 240.0 + x * 1.5),
                &[2.0, 14.0, 22.0],
            ),
            NIGHT.a(0.45),
        );
    }
    it.fill(
        &blob("!222,300 !258,300 272,450 !282,610 240,600 !198,610 208,450"),
        down(300.0, c(0x0018_0a3c), 610.0, c(0x0028_0c50)),
    );
    for (i, y) in (0_u8..).zip([350.0, 400.0, 450.0, 500.0, 550.0]) {
        it.fill(&star(240.0, y, 4, 9.0 + f32::from(i), 3.0, 0.0), LIGHT);
    }
    it.lit(
        &blob("!240,330 176,312 160,280 200,290 240,312 280,290 320,280 304,312"),
        down(280.0, c(0x0090_50d8), 330.0, DEEP),
        PALE,
        [0.0, -2.0],
    );
    let hood = blob("!240,122 280,164 302,226 290,290 240,316 190,290 178,226 200,164");
    it.lit(&hood, down(122.0, c(0x007c_40c8), 316.0, c(0x0020_0c48)), PALE, [1.5, -3.0]);
    it.fill(
        &blob("!240,168 268,206 272,254 240,290 208,254 212,206"),
        down(168.0, c(0x0004_0210), 290.0, c(0x0014_0828)),
    );
    for x in [224.0, 256.0] {
        it.glow(x, 232.0, 34.0, CYAN.a(0.95));
        it.fill(&leaf([x + (x - 240.0) * 0.5, 227.0], [x - (x - 240.0) * 0.55, 236.0], 9.0), WHITE);
    }
    let sleeve = limb("296,310 352,366 384,352", &[60.0, 56.0, 40.0]);
    it.lit(
        &sleeve,
        Ink::Line(
            [290.0, 300.0],
            [390.0, 380.0],
            vec![(0.0, c(0x0048_2090)), (1.0, c(0x0018_0838))],
        ),
        PALE,
        [1.0, -2.5],
    );
    let staff = thick(&line("382,620 388,470 384,330 392,196"), &[9.0, 10.0, 9.0, 8.0]);
    it.lit(&staff, c(0x0050_3858), PALE, [1.5, 0.0]);
    it.lit(
        &limb("392,200 354,176 350,128 384,104", &[9.0, 9.0, 8.0, 2.0])
            .and(limb("392,200 430,176 436,130 408,104", &[9.0, 9.0, 8.0, 2.0])),
        c(0x0070_4c80),
        PALE,
        [0.0, -1.5],
    );
    it.glow(393.0, 150.0, 130.0, CYAN.a(0.9));
    it.fill(&star(393.0, 150.0, 8, 46.0, 12.0, 0.0), CYAN.a(0.6));
    it.fill(&disc(393.0, 150.0, 21.0, 21.0), round(388.0, 144.0, 24.0, WHITE, CYAN));
    it.fill(&disc(384.0, 352.0, 14.0, 12.0), c(0x00d8_b8e8));
    let left = limb("184,310 132,366 104,340", &[60.0, 56.0, 40.0]);
    it.lit(
        &left,
        Ink::Line(
            [190.0, 300.0],
            [100.0, 380.0],
            vec![(0.0, c(0x0048_2090)), (1.0, c(0x0018_0838))],
        ),
        PALE,
        [-1.0, -2.5],
    );
    it.fill(&disc(102.0, 334.0, 13.0, 12.0), c(0x00d8_b8e8));
    it.glow(96.0, 286.0, 90.0, LIGHT.a(0.95));
    for (i, angle) in (0_u8..).zip([0.3_f32, 1.3, 2.4, 3.6, 4.9]) {
        let r = 26.0 + f32::from(i) * 5.0;
        it.fill(
            &limb(
                &format!(
                    "96,286 {},{} {},{}",
                    96.0 + (angle - 0.5).cos() * r * 0.6,
                    286.0 + (angle - 0.5).sin() * r * 0.6,
                    96.0 + angle.cos() * r,
                    286.0 + angle.sin() * r
                ),
                &[7.0, 5.0, 0.5],
            ),
            PALE.a(0.9),
        );
    }
    it.fill(&disc(96.0, 286.0, 13.0, 13.0), WHITE);
    it.motes(9, 44, [30.0, 100.0, 450.0, 630.0], 2.8, LIGHT);
    it.sparkles(3, 12, [40.0, 60.0, 440.0, 500.0], PALE);
    it
}

/// A book that writes shadows.
fn grimoire() -> Canvas {
    let mut it = card(&[(0.0, 0x0008_0418), (0.5, 0x0030_1068), (1.0, 0x000c_0428)]);
    it.clouds(7, [-60.0, 500.0], 160.0, 0.54, c(0x0070_28a0).a(0.5));
    it.stars(55, 90, 400.0, PALE);
    circle(&mut it, 240.0, 210.0, 150.0, 1.0, LIGHT.a(0.85));
    it.fill(&poly("150,440 330,440 470,-20 10,-20"), down(440.0, CYAN.a(0.5), 0.0, LIGHT.a(0.0)));
    it.glow(240.0, 420.0, 300.0, CYAN.a(0.6));
    circle(&mut it, 240.0, 590.0, 220.0, 0.2, VIOLET.to(LIGHT, 0.5));
    it.shadow(&disc(240.0, 590.0, 170.0, 18.0), 24.0, c(0).a(0.7));
    let cover =
        blob("!240,560 150,528 !20,520 !36,400 150,420 240,446 330,420 !444,400 !460,520 330,528");
    it.lit(&cover, down(400.0, c(0x0060_2088), 560.0, c(0x001c_0838)), LIGHT, [0.0, -2.0]);
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
        it.lit(
            &page.doubled(240.0),
            Ink::Line(
                [40.0, 0.0],
                [440.0, 0.0],
                vec![
                    (0.0, c(0x00c8_b0d8)),
                    (0.46, c(0x00ff_f4e8)),
                    (0.5, c(0x0088_70a0)),
                    (0.54, c(0x00ff_f4e8)),
                    (1.0, c(0x00c8_b0d8)),
                ],
            ),
            WHITE,
            [0.0, -1.0],
        );
    }
    for row in 0..6_u8 {
        let y = 406.0 + f32::from(row) * 17.0;
        it.fill(
            &thick(
                &line(&format!(
                    "{},{} 140,{} 220,{}",
                    74.0 + f32::from(row % 3) * 8.0,
                    y - 12.0,
                    y - 2.0,
                    y + 18.0
                )),
                &[3.0, 3.0],
            )
            .doubled(240.0),
            c(0x0068_3898).a(0.7),
        );
    }
    it.fill(&thick(&[[240.0, 424.0], [240.0, 530.0]], &[4.0, 6.0]), c(0x0040_2060).a(0.6));
    it.lit(
        &limb("262,520 268,570 258,620", &[14.0, 12.0, 10.0]),
        c(0x00c8_2860),
        c(0x00ff_a0c0),
        [1.0, 0.0],
    );
    it.glow(240.0, 420.0, 200.0, PALE.a(0.8));
    let ghost = blob(
        "!240,420 214,372 172,352 186,300 170,240 206,190 240,176 274,190 310,240 294,300 308,352 266,372",
    );
    it.aura(&ghost, 44.0, LIGHT.a(0.7));
    it.lit(&ghost, down(176.0, c(0x0030_0c58), 420.0, c(0x00a0_60e0).a(0.25)), LIGHT, [0.0, -2.5]);
    for x in [216.0, 264.0] {
        it.glow(x, 240.0, 44.0, CYAN.a(0.9));
        it.fill(&leaf([x + (x - 240.0) * 0.6, 228.0], [x - (x - 240.0) * 0.6, 248.0], 17.0), WHITE);
    }
    it.fill(
        &blob("!208,282 224,294 240,286 256,294 !272,282 262,318 240,328 218,318"),
        CYAN.a(0.85),
    );
    for claw in ["186,320 130,300 100,250", "294,320 350,300 380,250"] {
        it.lit(&limb(claw, &[34.0, 24.0, 12.0]), c(0x0038_1068), LIGHT, [0.0, -2.0]);
    }
    for (x, y) in [(100.0, 250.0), (380.0, 250.0)] {
        for angle in [-2.3_f32, -1.8, -1.3, -0.8] {
            it.fill(
                &leaf([x, y + 6.0], [x + angle.cos() * 34.0, y + angle.sin() * 34.0], 9.0),
                c(0x0048_1880),
            );
        }
    }
    let mut dice = Dice::new(6);
    for _ in 0..26 {
        let (x, y, s) =
            (dice.within(60.0, 420.0), dice.within(40.0, 400.0), dice.within(5.0, 11.0));
        let turn = dice.within(0.0, 3.0);
        let page = poly(&format!(
            "{},{} {},{} {},{} {},{}",
            x - s,
            y - s * 1.3,
            x + s,
            y - s * 1.3,
            x + s,
            y + s * 1.3,
            x - s,
            y + s * 1.3
        ))
        .turned(x, y, turn);
        it.fill(&page, PALE.a(dice.within(0.3, 0.9)));
    }
    it.sparkles(31, 20, [60.0, 60.0, 420.0, 460.0], CYAN);
    it
}

/// It looks back.
fn eye() -> Canvas {
    let mut it = card(&[(0.0, 0x0004_0212), (0.5, 0x0028_0c54), (1.0, 0x0006_0318)]);
    it.clouds(15, [0.0, 640.0], 140.0, 0.55, c(0x0068_1c90).a(0.6));
    it.stars(8, 140, 640.0, PALE);
    it.glow(240.0, 310.0, 340.0, VIOLET.a(0.95));
    it.rays([240.0, 310.0], 6, 24, 520.0, LIGHT.a(0.16));
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
        it.lit(
            &shape,
            round(240.0, 310.0, 380.0, c(0x0070_2cb0), c(0x0016_0834)),
            LIGHT,
            [if i % 2 == 0 { 2.0 } else { -2.0 }, -2.5],
        );
        for (k, at) in (0_u8..).zip(line(arm).into_iter().skip(5).step_by(4)) {
            let r = 7.0 - f32::from(k) * 0.9;
            if r > 1.5 {
                it.lit(&disc(at[0], at[1], r, r), c(0x00e0_90d8), WHITE, [0.0, -1.5]);
            }
        }
    }
    let lid = blob("!40,312 130,220 240,188 350,220 !440,312 350,404 240,436 130,404");
    it.aura(&lid, 50.0, LIGHT.a(0.6));
    it.lit(
        &lid.clone().scaled(240.0, 312.0, 1.12),
        down(170.0, c(0x0060_2498), 450.0, c(0x0020_0844)),
        PALE,
        [0.0, -4.0],
    );
    it.fill(
        &lid,
        Ink::Round(
            [240.0, 312.0],
            200.0,
            vec![(0.0, WHITE), (0.6, c(0x00f4_e0f8)), (1.0, c(0x0090_60a8))],
        ),
    );
    let mask = it.mask(&lid);
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
        it.fill_within(&vein, c(0x00c0_3080).a(0.6), mask.as_ref());
    }
    it.fill_within(
        &disc(240.0, 312.0, 114.0, 114.0),
        Ink::Round(
            [240.0, 312.0],
            114.0,
            vec![
                (0.0, c(0x00ff_f0a0)),
                (0.35, c(0x00f0_60c8)),
                (0.75, c(0x0070_20b8)),
                (1.0, c(0x001c_0840)),
            ],
        ),
        mask.as_ref(),
    );
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
        it.fill_within(&streak, c(0x00ff_d8f8).a(dice.within(0.2, 0.7)), mask.as_ref());
    }
    it.fill_within(&leaf([240.0, 204.0], [240.0, 420.0], 72.0), c(0x0004_0210), mask.as_ref());
    it.fill_within(&star(240.0, 312.0, 4, 30.0, 6.0, 0.0), CYAN.a(0.9), mask.as_ref());
    it.glow(240.0, 312.0, 60.0, CYAN.a(0.6));
    it.fill(&disc(280.0, 262.0, 20.0, 15.0), WHITE.a(0.92));
    it.fill(&disc(206.0, 362.0, 9.0, 7.0), WHITE.a(0.6));
    it.stroke(&lid, 5.0, c(0x0018_0630));
    for i in 0..11_u8 {
        let share = f32::from(i) / 10.0;
        let x = 60.0 + 360.0 * share;
        let y = 306.0 - 122.0 * (share * std::f32::consts::PI).sin().powf(0.8);
        it.fill(&leaf([x, y + 6.0], [x + (x - 240.0) * 0.28, y - 46.0], 9.0), c(0x0018_0630));
    }
    it.sparkles(14, 14, [30.0, 30.0, 450.0, 610.0], PALE);
    it
}

/// A cat waits for the moon.
fn luna() -> Canvas {
    let mut it =
        card(&[(0.0, 0x0012_0838), (0.5, 0x0048_2088), (0.8, 0x00c8_5ca0), (1.0, 0x0030_1050)]);
    it.stars(61, 180, 460.0, PALE);
    it.moon(250.0, 250.0, 150.0, c(0x00ff_ecc8), c(0x00f0_b0f0));
    it.craters(250.0, 250.0, 150.0, c(0x00d0_a0b8).a(0.25));
    it.clouds(16, [180.0, 470.0], 200.0, 0.5, c(0x0078_3898).a(0.6));
    let mut dice = Dice::new(20);
    for (layer, dark) in [(0_u8, c(0x0078_3888)), (1, c(0x0044_1c68))] {
        let base = 510.0 + f32::from(layer) * 36.0;
        let mut town = Shape::default();
        let mut windows = Vec::new();
        let mut x = -10.0;
        while x < 490.0 {
            let (wide, tall) = (dice.within(44.0, 76.0), dice.within(30.0, 96.0));
            town = town.and(poly(&format!(
                "{x},640 {x},{} {},{} {},{} {},640",
                base - tall,
                x + wide / 2.0,
                base - tall - wide * 0.5,
                x + wide,
                base - tall,
                x + wide
            )));
            windows.push([x + wide * 0.35, base - tall + 24.0]);
            windows.push([x + wide * 0.65, base - tall + 24.0]);
            x += wide;
        }
        it.fill(&town, down(base - 120.0, dark, 640.0, NIGHT));
        for [x, y] in windows {
            if dice.roll() < 0.6 {
                it.glow(x, y, 16.0, c(0x00ff_c870).a(0.8));
                it.fill(
                    &poly(&format!(
                        "{},{} {},{} {},{} {},{}",
                        x - 4.0,
                        y - 6.0,
                        x + 4.0,
                        y - 6.0,
                        x + 4.0,
                        y + 6.0,
                        x - 4.0,
                        y + 6.0
                    )),
                    c(0x00ff_e8a8),
                );
            }
        }
    }
    it.mist(450.0, 590.0, c(0x00e0_80c0).a(0.3));
    let roof = poly("-10,650 -10,590 240,496 490,590 490,650");
    it.lit(&roof, down(496.0, c(0x0040_1c70), 640.0, NIGHT), LIGHT, [0.0, -3.0]);
    for row in 0..5_u8 {
        for column in 0..14_u8 {
            let (x, y) = (
                f32::from(column) * 38.0 - 20.0 + f32::from(row % 2) * 19.0,
                546.0 + f32::from(row) * 22.0,
            );
            if y > 508.0 + (x - 240.0).abs() * 0.38 {
                it.stroke(&disc(x, y, 17.0, 9.0), 1.4, c(0x0060_3890).a(0.7));
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
    it.aura(&cat, 26.0, c(0x00ff_d0f8).a(0.5));
    it.lit(&cat, down(230.0, c(0x0024_1248), 510.0, c(0x0008_0418)), c(0x00ff_e8f8), [2.5, -3.0]);
    it.fill(&poly("197,276 193,240 216,258").and(poly("275,276 279,240 256,258")), c(0x0090_4898));
    for x in [216.0, 256.0] {
        it.glow(x, 298.0, 34.0, c(0x00ff_e060).a(0.7));
        it.fill(&leaf([x - 15.0, 299.0], [x + 15.0, 297.0], 22.0), c(0x00ff_e468));
        it.fill(&disc(x, 298.0, 3.4, 9.5), c(0x000c_0418));
        it.fill(&disc(x + 3.0, 294.0, 2.0, 2.0), WHITE);
    }
    it.fill(&blob("!230,316 236,313 !242,316 236,322"), c(0x00e0_80a8));
    for (dx, dy) in [(44.0, -4.0), (46.0, 6.0), (42.0, 15.0)] {
        it.fill(
            &thick(&[[246.0, 320.0], [246.0 + dx, 318.0 + dy]], &[1.4, 0.5]).doubled(236.0),
            PALE.a(0.8),
        );
    }
    it.lit(
        &thick(&line("206,344 236,356 268,344"), &[8.0, 9.0, 8.0]),
        c(0x00d0_2868),
        c(0x00ff_a0c0),
        [0.0, -1.5],
    );
    it.lamp(236.0, 366.0, 8.0, c(0x00ff_d860));
    it.sparkles(26, 18, [30.0, 40.0, 450.0, 460.0], PALE);
    it
}

/// A gate to the stars, and its chains.
fn gate() -> Canvas {
    let mut it =
        card(&[(0.0, 0x0008_0420), (0.5, 0x0034_1464), (0.85, 0x0070_2888), (1.0, 0x0010_0428)]);
    it.stars(70, 110, 480.0, PALE);
    it.clouds(24, [0.0, 520.0], 180.0, 0.5, c(0x0060_2090).a(0.5));
    it.ridge(18, 560.0, 240.0, 70.0, c(0x0038_1468), c(0x0018_0838));
    it.ground(2, 560.0, 10.0, c(0x0038_1860), NIGHT);
    let hall = blob("!128,580 !128,260 150,180 240,120 330,180 !352,260 !352,580");
    it.aura(&hall, 80.0, LIGHT.a(0.7));
    it.fill(
        &hall,
        Ink::Round(
            [240.0, 330.0],
            270.0,
            vec![
                (0.0, WHITE),
                (0.15, c(0x00b8_f4ff)),
                (0.45, c(0x0040_60e0)),
                (0.8, c(0x0038_1088)),
                (1.0, c(0x0018_0440)),
            ],
        ),
    );
    let mask = it.mask(&hall);
    let mut dice = Dice::new(4);
    for i in 0..7_u8 {
        let start = f32::from(i) * 0.9;
        let swirl: Vec<_> = (0..22_u8)
            .map(|k| {
                let (k, r) = (f32::from(k), 16.0 + f32::from(k) * 9.0);
                [240.0 + (start + k * 0.16).cos() * r, 330.0 + (start + k * 0.16).sin() * r * 1.2]
            })
            .collect();
        it.fill_within(&thick(&swirl, &[2.0, 14.0, 3.0]), WHITE.a(0.22), mask.as_ref());
    }
    for _ in 0..80 {
        let (angle, r) = (dice.within(0.0, 6.28), dice.within(10.0, 220.0));
        let s = dice.within(0.6, 2.2);
        it.fill_within(
            &disc(240.0 + angle.cos() * r, 330.0 + angle.sin() * r * 1.2, s, s),
            WHITE.a(dice.within(0.4, 1.0)),
            mask.as_ref(),
        );
    }
    it.glow(240.0, 330.0, 120.0, WHITE.a(0.8));
    let frame = poly("60,600 60,220 84,190 128,190 128,600").doubled(240.0);
    it.lit(
        &frame,
        Ink::Line(
            [60.0, 0.0],
            [420.0, 0.0],
            vec![
                (0.0, c(0x0024_0c48)),
                (0.18, c(0x0078_48a8)),
                (0.5, c(0x0060_3890)),
                (0.82, c(0x0078_48a8)),
                (1.0, c(0x0024_0c48)),
            ],
        ),
        PALE,
        [0.0, -3.0],
    );
    let arch =
        thick(&line("96,230 126,140 240,72 354,140 384,230"), &[62.0, 56.0, 66.0, 56.0, 62.0]);
    it.lit(&arch, down(60.0, c(0x0088_58b8), 250.0, c(0x0038_1868)), PALE, [0.0, -3.0]);
    for i in 0..11_u8 {
        let angle = 3.32 + f32::from(i) * 0.285;
        let (x, y) = (240.0 + angle.cos() * 138.0, 226.0 + angle.sin() * 146.0);
        it.glow(x, y, 24.0, CYAN.a(0.7));
        it.fill(&star(x, y, 4, 10.0, 3.0, angle), CYAN);
    }
    for y in [270.0, 340.0, 410.0, 480.0, 550.0] {
        it.fill(
            &poly(&format!("66,{y} 122,{y} 122,{} 66,{}", y + 4.0, y + 4.0)).doubled(240.0),
            NIGHT.a(0.6),
        );
        it.fill(&star(94.0, y - 32.0, 4, 13.0, 5.0, 0.0).doubled(240.0), LIGHT.a(0.75));
    }
    it.lit(
        &blob("!206,84 240,30 !274,84 262,126 240,138 218,126"),
        down(30.0, c(0x00a0_70d0), 138.0, DEEP),
        PALE,
        [0.0, -2.5],
    );
    it.fill(&disc(226.0, 92.0, 9.0, 11.0).doubled(240.0), NIGHT);
    it.lamp(226.0, 94.0, 4.0, CYAN);
    it.lamp(254.0, 94.0, 4.0, CYAN);
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
            it.stroke(&ring, 5.4, c(0x001c_0c30));
            it.stroke(&ring.moved(-0.8, -0.8), 2.6, c(0x00b8_98d0));
        }
    }
    it.lit(
        &blob("!214,324 240,306 !266,324 262,372 240,386 218,372"),
        down(306.0, c(0x00d8_b060), 386.0, c(0x0060_3818)),
        WHITE,
        [0.0, -2.0],
    );
    it.fill(&disc(240.0, 340.0, 7.0, 7.0).and(poly("236,342 244,342 247,364 233,364")), NIGHT);
    for (half, y) in [(150.0, 580.0), (180.0, 604.0), (212.0, 628.0)] {
        it.lit(
            &poly(&format!(
                "{},{y} {},{y} {},{} {},{}",
                240.0 - half,
                240.0 + half,
                240.0 + half + 14.0,
                y + 26.0,
                240.0 - half - 14.0,
                y + 26.0
            )),
            down(y, c(0x0078_58a8), y + 26.0, c(0x0028_1048)),
            PALE,
            [0.0, -2.0],
        );
    }
    it.sparkles(9, 16, [130.0, 130.0, 350.0, 560.0], WHITE);
    it
}

/// A moth with the dust of dreams.
fn nuit() -> Canvas {
    let mut it = card(&[(0.0, 0x000c_0830), (0.5, 0x0034_1c80), (1.0, 0x0088_3898)]);
    it.stars(34, 190, 640.0, PALE);
    it.moon(240.0, 140.0, 74.0, c(0x00ff_e8f8), LIGHT);
    it.fill(&disc(270.0, 124.0, 66.0, 66.0), c(0x0020_1058).a(0.92));
    it.clouds(5, [260.0, 720.0], 190.0, 0.56, c(0x00b8_58b0).a(0.6));
    it.glow(240.0, 330.0, 330.0, LIGHT.a(0.6));
    let lower = blob("!252,360 330,372 402,430 396,520 350,548 !330,600 300,540 268,470");
    let upper = blob("!250,330 280,230 360,150 !462,128 456,230 470,290 !430,360 340,392 262,374");
    let ink = Ink::Round(
        [240.0, 350.0],
        260.0,
        vec![
            (0.0, c(0x00ff_c0f0)),
            (0.35, c(0x00a0_58d8)),
            (0.7, c(0x0050_28a0)),
            (1.0, c(0x0020_1058)),
        ],
    );
    for wing in [lower, upper] {
        let both = wing.doubled(240.0);
        it.aura(&both, 40.0, LIGHT.a(0.5));
        it.lit(&both, ink.clone(), PALE, [0.0, -3.0]);
    }
    for (from, to) in [
        ([262.0, 340.0], [450.0, 140.0]),
        ([262.0, 344.0], [456.0, 220.0]),
        ([262.0, 350.0], [452.0, 300.0]),
        ([262.0, 356.0], [410.0, 362.0]),
        ([262.0, 380.0], [384.0, 450.0]),
        ([262.0, 390.0], [340.0, 560.0]),
    ] {
        it.fill(&thick(&[from, to], &[2.6, 0.8]).doubled(240.0), PALE.a(0.4));
    }
    for (x, y, r) in [(370.0, 244.0, 38.0), (338.0, 462.0, 27.0)] {
        for (size, tint) in
            [(1.0, c(0x0018_0c40)), (0.8, c(0x00ff_d070)), (0.58, c(0x0028_1060)), (0.36, CYAN)]
        {
            it.fill(&disc(x, y, r * size, r * size).doubled(240.0), tint);
        }
        it.glow(x, y, r * 1.8, CYAN.a(0.4));
        it.glow(480.0 - x, y, r * 1.8, CYAN.a(0.4));
        it.fill(&disc(x - r * 0.1, y - r * 0.15, r * 0.12, r * 0.12).doubled(240.0), WHITE);
    }
    for i in 0..8_u8 {
        let share = f32::from(i) / 7.0;
        let (x, y) = (448.0 - 18.0 * (share * 3.1).sin(), 158.0 + share * 172.0);
        it.fill(&star(x, y, 4, 9.0, 3.0, 0.4).doubled(240.0), c(0x00ff_d8a0));
    }
    let body = blob("240,270 262,306 266,350 256,420 240,500 224,420 214,350 218,306");
    it.lit(&body, down(270.0, c(0x00f0_d0f0), 500.0, c(0x0048_2080)), WHITE, [1.5, -2.5]);
    for i in 0..7_u8 {
        let y = 372.0 + f32::from(i) * 17.0;
        let half = 20.0 - f32::from(i) * 2.3;
        it.fill(
            &thick(
                &line(&format!("{},{y} 240,{} {},{y}", 240.0 - half, y + 7.0, 240.0 + half)),
                &[2.0, 5.0, 2.0],
            ),
            c(0x0038_1868).a(0.6),
        );
    }
    it.lit(
        &disc(240.0, 322.0, 36.0, 30.0),
        down(292.0, WHITE, 352.0, c(0x00c0_90d8)),
        WHITE,
        [0.0, -2.0],
    );
    it.lit(
        &disc(240.0, 276.0, 26.0, 24.0),
        down(252.0, c(0x00ff_f0ff), 300.0, c(0x0090_60c0)),
        WHITE,
        [0.0, -2.0],
    );
    it.fill(&disc(254.0, 272.0, 10.0, 12.0).doubled(240.0), c(0x0010_0830));
    it.fill(&disc(257.0, 267.0, 3.6, 3.6).and(disc(229.0, 267.0, 3.6, 3.6)), WHITE);
    let feeler = limb("248,258 268,210 310,176", &[5.0, 4.0, 1.0]);
    it.fill(&feeler.doubled(240.0), PALE);
    for i in 0..9_u8 {
        let t = f32::from(i) / 8.0;
        let at = [252.0 + 56.0 * t, 248.0 - 70.0 * t.powf(0.8)];
        it.fill(
            &thick(&[at, [at[0] + 17.0 - t * 8.0, at[1] + 2.0]], &[2.0, 0.5])
                .and(thick(&[at, [at[0] - 6.0, at[1] - 15.0 + t * 8.0]], &[2.0, 0.5]))
                .doubled(240.0),
            PALE.a(0.9),
        );
    }
    it.motes(30, 80, [20.0, 300.0, 460.0, 636.0], 2.6, c(0x00ff_c0f0));
    it.sparkles(11, 22, [30.0, 120.0, 450.0, 620.0], PALE);
    it
}
