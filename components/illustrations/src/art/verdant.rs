//! 翠森精霊: spirits of the deep wood.

use super::{
    canvas::{Canvas, Ink, Tint, c, down, round},
    card,
    noise::Dice,
    shape::{Shape, blob, disc, leaf, limb, poly, star, thick},
};

const NIGHT: Tint = c(0x0004_170f);
const GREEN: Tint = c(0x002f_9a5a);
const LEAF: Tint = c(0x009b_e07a);
const SUN: Tint = c(0x00f6_ffd0);
const BARK: Tint = c(0x0030_2a1c);

pub(super) fn draw(id: &str) -> Option<Canvas> {
    Some(match id {
        "leafy" => leafy(),
        "oak" => oak(),
        "silva" => silva(),
        "mimi" => mimi(),
        "moss" => moss(),
        "lotus" => lotus(),
        _ => return None,
    })
}

/// Trunks from top to bottom, one layer.
fn trunks(it: &mut Canvas, seed: u32, count: u8, width: f32, top: Tint, foot: Tint) {
    let mut dice = Dice::new(seed);
    let mut wood = Shape::default();
    for i in 0..count {
        let x = 480.0 * (f32::from(i) + dice.within(0.1, 0.9)) / f32::from(count);
        let (wide, lean) = (width * dice.within(0.6, 1.2), dice.within(-14.0, 14.0));
        wood = wood.and(limb(
            &format!("{},-10 {x},320 {x},600 {x},650", x + lean),
            &[wide * 0.7, wide * 0.8, wide * 1.1, wide * 2.0],
        ));
        for _ in 0..3 {
            let (y, side) = (dice.within(40.0, 360.0), if dice.roll() < 0.5 { -1.0 } else { 1.0 });
            wood = wood.and(limb(
                &format!(
                    "{x},{y} {},{} {},{}",
                    x + side * wide * 1.6,
                    y - 26.0,
                    x + side * wide * 3.0,
                    y - 70.0
                ),
                &[wide * 0.4, wide * 0.25, 1.0],
            ));
        }
    }
    it.fill(&wood, down(0.0, top, 640.0, foot));
}

/// Leaves that hang into the picture from its upper edge.
fn canopy(it: &mut Canvas, seed: u32, low: f32, size: f32, tints: [Tint; 2]) {
    let mut dice = Dice::new(seed);
    for _ in 0..90 {
        let x = dice.within(-10.0, 490.0);
        let edge = (x / 240.0 - 1.0).abs();
        let y = dice.within(-20.0, low * (0.35 + 0.65 * edge * edge));
        let (angle, long) = (dice.within(0.5, 2.6), size * dice.within(0.6, 1.3));
        let to = [x + angle.cos() * long, y + angle.sin() * long];
        it.fill(&leaf([x, y], to, long * 0.45), tints[0].to(tints[1], dice.roll()));
    }
}

/// Grass along the lower edge.
fn grass(it: &mut Canvas, seed: u32, base: f32, height: f32, tints: [Tint; 2]) {
    let mut dice = Dice::new(seed);
    for _ in 0..130 {
        let x = dice.within(-10.0, 490.0);
        let (tall, lean) = (height * dice.within(0.4, 1.0), dice.within(-24.0, 24.0));
        let blade = limb(
            &format!(
                "{x},{} {},{} {},{}",
                base + 8.0,
                x + lean * 0.3,
                base - tall * 0.6,
                x + lean,
                base - tall
            ),
            &[5.0, 3.5, 0.6],
        );
        it.fill(&blade, tints[0].to(tints[1], dice.roll()));
    }
}

/// The smallest spirit, on wings of young leaves.
fn leafy() -> Canvas {
    let mut it = card(&[(0.0, 0x00c8_f4a0), (0.45, 0x0058_b874), (1.0, 0x000a_3c2c)]);
    it.glow(250.0, 90.0, 420.0, SUN.a(0.95));
    trunks(&mut it, 3, 9, 20.0, c(0x0070_c088), c(0x002c_7a54));
    it.mist(120.0, 560.0, SUN.a(0.35));
    trunks(&mut it, 8, 5, 36.0, c(0x0024_6a4c), c(0x0009_3424));
    it.rays([290.0, -60.0], 11, 26, 820.0, SUN.a(0.26));
    it.ground(4, 580.0, 18.0, c(0x001c_6a44), NIGHT);
    it.glow(240.0, 330.0, 250.0, SUN.a(0.75));
    let upper =
        leaf([252.0, 316.0], [440.0, 150.0], 110.0).and(leaf([228.0, 316.0], [40.0, 150.0], 110.0));
    let lower =
        leaf([250.0, 336.0], [392.0, 436.0], 78.0).and(leaf([230.0, 336.0], [88.0, 436.0], 78.0));
    for wing in [upper, lower] {
        it.aura(&wing, 24.0, LEAF.a(0.5));
        it.lit(
            &wing,
            round(240.0, 325.0, 260.0, c(0x00e8_ffb0), c(0x0050_c070)),
            c(0x00ff_ffff),
            [0.0, -3.0],
        );
    }
    for (x, y) in [(420.0, 168.0), (376.0, 424.0)] {
        it.fill(
            &thick(&[[246.0, 326.0], [x, y]], &[3.0, 0.8]).doubled(240.0),
            c(0x0030_8a50).a(0.8),
        );
        for i in 1..6_u8 {
            let t = f32::from(i) / 6.5;
            let at = [246.0 + (x - 246.0) * t, 326.0 + (y - 326.0) * t];
            for turn in [-34.0, 34.0] {
                let to = [
                    at[0] + (x - 246.0) * 0.12 - turn * (y - 326.0) / 300.0,
                    at[1] + (y - 326.0) * 0.12 + turn * 0.5,
                ];
                it.fill(&thick(&[at, to], &[1.6, 0.4]).doubled(240.0), c(0x0030_8a50).a(0.55));
            }
        }
    }
    let legs = limb("232,404 226,450 234,492", &[17.0, 13.0, 7.0])
        .and(limb("250,404 262,446 252,486", &[17.0, 13.0, 7.0]));
    it.lit(&legs, down(400.0, c(0x00ff_e4c8), 490.0, c(0x00d8_a888)), c(0x00ff_ffff), [1.5, -1.0]);
    let mut skirt = Shape::default();
    for (x, y) in [(180.0, 420.0), (206.0, 440.0), (240.0, 450.0), (274.0, 440.0), (300.0, 420.0)] {
        skirt = skirt.and(leaf([240.0, 340.0], [x, y], 40.0));
    }
    it.lit(&skirt, down(340.0, LEAF, 450.0, GREEN), SUN, [1.5, -2.0]);
    it.lit(
        &blob("218,318 240,308 262,318 256,366 240,376 224,366"),
        down(308.0, c(0x00c8_f090), 376.0, c(0x0060_b860)),
        SUN,
        [1.5, -2.0],
    );
    let arms = limb("222,326 186,344 170,312", &[13.0, 11.0, 8.0])
        .and(limb("258,326 296,338 316,300", &[13.0, 11.0, 8.0]));
    it.lit(&arms, c(0x00ff_e0c4), c(0x00ff_ffff), [1.0, -1.5]);
    it.lit(
        &leaf([316.0, 306.0], [340.0, 196.0], 9.0).and(star(342.0, 190.0, 4, 22.0, 5.0, 0.0)),
        SUN,
        c(0x00ff_ffff),
        [0.0, -1.0],
    );
    it.glow(342.0, 190.0, 70.0, SUN.a(0.9));
    let hair = blob("240,208 290,226 306,280 290,330 268,300 212,300 190,330 174,280 190,226")
        .and(leaf([240.0, 222.0], [262.0, 156.0], 28.0))
        .and(leaf([240.0, 222.0], [212.0, 166.0], 22.0));
    it.lit(&hair, down(156.0, c(0x0080_d868), 330.0, c(0x001e_7a4c)), SUN, [2.0, -3.0]);
    it.fill(
        &blob("240,230 276,252 278,286 240,318 202,286 204,252"),
        down(230.0, c(0x00ff_f0dc), 318.0, c(0x00f8_d0b0)),
    );
    it.fill(
        &blob("!200,268 216,236 240,226 264,236 !280,268 262,252 240,256 218,252"),
        c(0x0040_a85c),
    );
    it.fill(&leaf([276.0, 270.0], [318.0, 250.0], 17.0).doubled(240.0), c(0x00ff_e4c8));
    it.fill(&disc(258.0, 280.0, 7.0, 10.0).doubled(240.0), down(270.0, NIGHT, 290.0, GREEN));
    it.fill(&disc(260.0, 276.0, 2.6, 3.2).and(disc(224.0, 276.0, 2.6, 3.2)), c(0x00ff_ffff));
    it.fill(&disc(268.0, 294.0, 7.0, 4.0).doubled(240.0), c(0x00ff_9898).a(0.45));
    it.fill(
        &thick(&super::shape::line("233,300 240,304 247,300"), &[0.8, 2.4, 0.8]),
        c(0x00b0_5850),
    );
    canopy(&mut it, 6, 150.0, 46.0, [c(0x0010_5034), c(0x0048_a85c)]);
    grass(&mut it, 5, 640.0, 110.0, [NIGHT, c(0x0024_8a50)]);
    it.motes(12, 44, [30.0, 120.0, 450.0, 600.0], 3.2, SUN);
    it
}

/// A tree with a door of light.
fn oak() -> Canvas {
    let mut it =
        card(&[(0.0, 0x0006_2018), (0.5, 0x0020_7a5c), (0.8, 0x0080_d090), (1.0, 0x0008_3020)]);
    it.stars(5, 60, 240.0, SUN);
    it.glow(240.0, 360.0, 360.0, c(0x0090_f0a0).a(0.6));
    trunks(&mut it, 13, 10, 16.0, c(0x0024_7858), c(0x001c_6044));
    it.mist(300.0, 560.0, c(0x00b0_f0b0).a(0.45));
    let mut crown = Shape::default();
    let mut dice = Dice::new(44);
    for _ in 0..26 {
        let (x, y, r) =
            (dice.within(30.0, 450.0), dice.within(20.0, 210.0), dice.within(40.0, 78.0));
        crown = crown.and(disc(x, y, r, r * 0.8));
    }
    it.lit(&crown, down(-20.0, c(0x0054_b45c), 280.0, c(0x000c_4430)), c(0x00d8_ff90), [0.0, -5.0]);
    let wood = blob(
        "!186,240 204,330 176,440 120,520 40,570 !10,610 140,590 200,600 240,590 280,600 340,590 !470,610 440,570 360,520 304,440 276,330 !294,240 262,262 240,250 218,262",
    );
    let boughs = limb("220,320 160,240 90,200", &[60.0, 34.0, 8.0])
        .and(limb("262,320 320,236 396,190", &[60.0, 34.0, 8.0]))
        .and(limb("240,320 244,220 230,120", &[60.0, 36.0, 8.0]));
    it.lit(
        &wood.and(boughs),
        Ink::Line(
            [120.0, 0.0],
            [360.0, 0.0],
            vec![(0.0, c(0x0030_2c1c)), (0.5, c(0x007a_6040)), (1.0, c(0x0024_2014))],
        ),
        c(0x00c8_f090),
        [2.0, -2.0],
    );
    for (a, w) in [
        ("206,300 200,400 150,500", 4.0),
        ("224,300 226,380 210,420", 3.0),
        ("276,300 288,400 340,500", 4.0),
        ("258,290 262,360 276,420", 3.0),
    ] {
        it.fill(&limb(a, &[1.0, w, 1.0]), NIGHT.a(0.5));
    }
    for _ in 0..60 {
        let (x, y) = (dice.within(20.0, 460.0), dice.within(10.0, 240.0));
        let (angle, long) = (dice.within(0.0, 6.2), dice.within(14.0, 30.0));
        it.fill(
            &leaf([x, y], [x + angle.cos() * long, y + angle.sin() * long], long * 0.5),
            c(0x0024_7a48).to(c(0x00c8_f488), dice.roll()).a(0.85),
        );
    }
    let face = disc(212.0, 366.0, 13.0, 9.0).doubled(240.0);
    it.glow(240.0, 366.0, 90.0, SUN.a(0.5));
    it.fill(&face, c(0x0018_140c));
    it.fill(&disc(212.0, 366.0, 7.0, 7.0).doubled(240.0), SUN);
    it.fill(&limb("190,346 212,342 230,352", &[3.0, 9.0, 3.0]).doubled(240.0), c(0x0024_2014));
    it.fill(&blob("240,370 252,398 240,408 228,398"), c(0x0050_4028));
    let beard = leaf([240.0, 410.0], [240.0, 476.0], 36.0)
        .and(leaf([228.0, 408.0], [206.0, 460.0], 24.0))
        .and(leaf([252.0, 408.0], [274.0, 460.0], 24.0));
    it.lit(&beard, down(408.0, LEAF, 476.0, GREEN), SUN, [1.0, -2.0]);
    let door = blob("!206,594 206,530 240,486 274,530 !274,594");
    it.aura(&door, 60.0, SUN.a(0.95));
    it.fill(
        &door,
        Ink::Round(
            [240.0, 560.0],
            90.0,
            vec![(0.0, c(0x00ff_ffff)), (0.5, c(0x00ff_f4a8)), (1.0, c(0x00f0_b848))],
        ),
    );
    it.stroke(&door, 6.0, c(0x0048_3820));
    it.ground(6, 606.0, 10.0, c(0x0020_7044), NIGHT);
    it.fill(&poly("208,600 272,600 340,660 140,660"), down(596.0, SUN.a(0.7), 650.0, SUN.a(0.0)));
    let traveller = blob("236,572 244,560 252,572 260,612 228,612");
    it.fill(&traveller, NIGHT);
    for (x, y, s) in
        [(86.0, 584.0, 1.0), (120.0, 600.0, 0.7), (396.0, 590.0, 1.1), (360.0, 606.0, 0.7)]
    {
        it.fill(
            &blob(&format!(
                "{},{} {x},{y} {},{}",
                x - 3.0 * s,
                y + 24.0 * s,
                x + 3.0 * s,
                y + 24.0 * s
            )),
            SUN,
        );
        it.lit(
            &blob(&format!(
                "!{},{y} {x},{} !{},{y} {x},{}",
                x - 18.0 * s,
                y - 20.0 * s,
                x + 18.0 * s,
                y + 4.0 * s
            )),
            c(0x00f0_7858),
            SUN,
            [0.0, -2.0],
        );
    }
    grass(&mut it, 15, 645.0, 50.0, [NIGHT, GREEN]);
    it.motes(2, 50, [20.0, 200.0, 460.0, 600.0], 3.0, SUN);
    it
}

/// A stag on a hill in the mist.
fn silva() -> Canvas {
    let mut it =
        card(&[(0.0, 0x0018_6a60), (0.5, 0x0070_c898), (0.78, 0x00f0_ffd0), (1.0, 0x0010_4a34)]);
    it.moon(250.0, 250.0, 130.0, c(0x00ff_fbd8), c(0x00f0_ffb0));
    it.rays([250.0, 250.0], 8, 20, 520.0, SUN.a(0.22));
    it.ridge(4, 470.0, 110.0, 130.0, c(0x006c_c0a0), c(0x00a8_e0b8));
    it.firs(2, 480.0, 130.0, c(0x0048_a080), c(0x0070_c098));
    it.mist(380.0, 500.0, SUN.a(0.5));
    it.firs(7, 540.0, 190.0, c(0x0020_6a50), c(0x0048_9870));
    it.mist(460.0, 570.0, SUN.a(0.4));
    it.ground(12, 545.0, 30.0, c(0x0016_5a3c), NIGHT);
    let ink = Ink::Line(
        [140.0, 220.0],
        [330.0, 540.0],
        vec![(0.0, c(0x005c_8058)), (0.4, c(0x0024_4c38)), (1.0, c(0x0008_2018))],
    );
    let body =
        blob("168,372 210,352 270,362 330,356 352,392 344,434 310,446 250,440 200,452 166,424");
    let neck = limb("192,412 172,350 152,290", &[86.0, 58.0, 40.0]);
    let head = blob("!92,306 118,276 150,252 180,262 178,290 150,306 !116,318");
    let ears =
        leaf([176.0, 266.0], [218.0, 246.0], 18.0).and(leaf([160.0, 256.0], [178.0, 222.0], 15.0));
    let legs = limb("188,430 182,490 192,560", &[34.0, 17.0, 9.0])
        .and(limb("214,436 226,490 218,556", &[30.0, 15.0, 9.0]))
        .and(limb("316,430 304,484 318,552", &[42.0, 18.0, 9.0]))
        .and(limb("338,410 350,478 344,548", &[38.0, 17.0, 9.0]));
    let tail = leaf([344.0, 372.0], [372.0, 402.0], 18.0);
    it.lit(&body.and(neck).and(head).and(ears).and(legs).and(tail), ink, SUN, [1.5, -3.5]);
    let antlers = limb("160,256 150,210 110,170 108,110", &[12.0, 10.0, 8.0, 2.0])
        .and(limb("136,196 96,190 70,160", &[8.0, 6.0, 1.5]))
        .and(limb("112,160 82,130 78,96", &[7.0, 5.0, 1.5]))
        .and(limb("150,214 158,176 146,140", &[7.0, 5.0, 1.5]))
        .and(limb("168,256 196,214 246,186 262,120", &[12.0, 10.0, 8.0, 2.0]))
        .and(limb("216,204 262,206 292,174", &[8.0, 6.0, 1.5]))
        .and(limb("248,178 286,150 292,110", &[7.0, 5.0, 1.5]))
        .and(limb("204,210 206,166 222,132", &[7.0, 5.0, 1.5]));
    it.lit(&antlers, down(100.0, c(0x0048_7a40), 260.0, c(0x0030_3c24)), SUN, [1.5, -1.5]);
    let mut dice = Dice::new(3);
    for (x, y) in [
        (108.0, 110.0),
        (70.0, 160.0),
        (78.0, 96.0),
        (146.0, 140.0),
        (262.0, 120.0),
        (292.0, 174.0),
        (292.0, 110.0),
        (222.0, 132.0),
        (112.0, 160.0),
        (246.0, 186.0),
    ] {
        for _ in 0..7 {
            let (angle, long) = (dice.within(0.0, 6.2), dice.within(14.0, 28.0));
            it.fill(
                &leaf([x, y], [x + angle.cos() * long, y + angle.sin() * long], long * 0.5),
                c(0x0030_9850).to(c(0x00c8_f080), dice.roll()),
            );
        }
    }
    it.fill(&disc(140.0, 278.0, 4.4, 4.0), NIGHT);
    it.fill(&disc(138.6, 276.6, 1.4, 1.4), c(0x00ff_ffff));
    for (x, y) in [
        (236.0, 384.0),
        (262.0, 396.0),
        (288.0, 384.0),
        (310.0, 400.0),
        (276.0, 414.0),
        (240.0, 410.0),
    ] {
        it.fill(&disc(x, y, 4.0, 3.2), SUN.a(0.5));
    }
    canopy(&mut it, 31, 120.0, 44.0, [NIGHT, c(0x0020_6a48)]);
    grass(&mut it, 8, 640.0, 90.0, [NIGHT, c(0x0030_8a54)]);
    it.motes(41, 36, [30.0, 180.0, 450.0, 600.0], 3.0, SUN);
    it
}

/// An owl among fireflies.
fn mimi() -> Canvas {
    let mut it = card(&[(0.0, 0x0004_1420), (0.5, 0x000c_4848), (1.0, 0x0008_2c20)]);
    it.stars(9, 120, 400.0, SUN);
    it.moon(330.0, 150.0, 84.0, c(0x00ff_f8c8), c(0x00c8_f0a0));
    it.craters(330.0, 150.0, 84.0, c(0x00a0_c080).a(0.2));
    trunks(&mut it, 21, 8, 22.0, c(0x000c_3c38), c(0x0008_3028));
    it.mist(380.0, 600.0, c(0x0060_c890).a(0.35));
    let bough = limb("-20,500 120,486 260,492 500,452", &[50.0, 44.0, 36.0, 26.0])
        .and(limb("330,480 390,420 450,400", &[18.0, 12.0, 3.0]))
        .and(limb("90,490 60,430 70,380", &[18.0, 12.0, 3.0]));
    it.lit(&bough, down(440.0, c(0x006a_5438), 520.0, c(0x001c_1810)), SUN, [1.0, -3.0]);
    let wing = blob("318,300 362,360 356,440 316,482 300,400").doubled(232.0);
    let body = blob("232,210 306,232 334,320 312,430 270,484 194,484 152,430 130,320 158,232");
    let tufts = blob("!172,246 !152,170 206,214").and(blob("!292,246 !312,170 258,214"));
    it.aura(&body, 40.0, c(0x00c8_f0a0).a(0.35));
    it.lit(
        &tufts.and(body),
        Ink::Line(
            [150.0, 200.0],
            [330.0, 480.0],
            vec![(0.0, c(0x00a0_8458)), (0.5, c(0x0060_5038)), (1.0, c(0x0028_2c20))],
        ),
        SUN,
        [2.5, -3.0],
    );
    it.lit(&wing, down(300.0, c(0x0070_5c3c), 480.0, c(0x0020_2418)), SUN.a(0.8), [2.0, -2.0]);
    it.fill(
        &blob("232,330 286,350 284,430 232,478 180,430 178,350"),
        down(330.0, c(0x00f0_e0b8), 478.0, c(0x00b8_a070)),
    );
    for row in 0..5_u8 {
        for column in 0..4_u8 {
            let (x, y) = (
                190.0 + f32::from(column) * 26.0 + f32::from(row % 2) * 13.0,
                362.0 + f32::from(row) * 22.0,
            );
            it.fill(
                &blob(&format!(
                    "!{},{y} {},{} {x},{} {},{}",
                    x,
                    x + 6.0,
                    y + 8.0,
                    y + 14.0,
                    x - 6.0,
                    y + 8.0
                )),
                c(0x0080_6840).a(0.65),
            );
        }
    }
    let disc_face = disc(188.0, 290.0, 56.0, 56.0).and(disc(276.0, 290.0, 56.0, 56.0));
    it.lit(
        &disc_face,
        down(234.0, c(0x00f8_ecc8), 346.0, c(0x00c0_a878)),
        c(0x00ff_ffff),
        [0.0, -2.0],
    );
    for x in [188.0, 276.0] {
        it.glow(x, 290.0, 64.0, c(0x00ff_e070).a(0.6));
        it.fill(
            &disc(x, 290.0, 38.0, 38.0),
            Ink::Round(
                [x, 290.0],
                38.0,
                vec![(0.0, c(0x00ff_d040)), (0.7, c(0x00f0_a020)), (1.0, c(0x0080_4c10))],
            ),
        );
        it.fill(&disc(x, 290.0, 22.0, 23.0), c(0x000a_0c08));
        it.fill(&disc(x + 8.0, 281.0, 8.0, 8.0), c(0x00ff_ffff));
        it.fill(&disc(x - 8.0, 300.0, 4.0, 4.0), SUN.a(0.8));
    }
    it.lit(
        &blob("!218,308 232,300 !246,308 !232,346"),
        down(300.0, c(0x00ff_c850), 346.0, c(0x00a8_6c20)),
        SUN,
        [0.0, -2.0],
    );
    for x in [196.0, 214.0, 250.0, 268.0] {
        it.lit(&leaf([x, 474.0], [x, 506.0], 15.0), c(0x00e0_a840), SUN, [0.0, -1.0]);
    }
    it.lit(
        &poly("150,520 232,546 314,520 314,580 232,606 150,580"),
        down(520.0, c(0x00fb_f4d8), 606.0, c(0x00a8_9870)),
        c(0x00ff_ffff),
        [0.0, -2.0],
    );
    it.fill(&thick(&[[232.0, 546.0], [232.0, 606.0]], &[2.0, 2.0]), c(0x0070_6040));
    for i in 0..4_u8 {
        let y = 542.0 + f32::from(i) * 11.0;
        it.fill(
            &thick(&[[166.0, y], [220.0, y + 17.0]], &[2.0, 2.0]).doubled(232.0),
            c(0x0070_6848).a(0.7),
        );
    }
    it.glow(232.0, 550.0, 130.0, c(0x00e8_ff90).a(0.5));
    canopy(&mut it, 17, 140.0, 40.0, [NIGHT, c(0x0014_5040)]);
    for (x, y) in [
        (110.0, 300.0),
        (390.0, 300.0),
        (150.0, 130.0),
        (96.0, 560.0),
        (380.0, 540.0),
        (420.0, 380.0),
        (70.0, 210.0),
        (250.0, 130.0),
    ] {
        it.glow(x, y, 44.0, c(0x00d8_ff70).a(0.7));
        it.fill(&disc(x, y, 4.0, 4.0), SUN);
    }
    it.motes(19, 36, [20.0, 120.0, 460.0, 630.0], 2.4, c(0x00d8_ff70));
    it
}

/// A giant with a wood on its back.
fn moss() -> Canvas {
    let mut it =
        card(&[(0.0, 0x0080_c8c0), (0.5, 0x00d8_f0c0), (0.8, 0x0080_c088), (1.0, 0x0010_4030)]);
    it.glow(110.0, 110.0, 330.0, c(0x00ff_fbe0).a(0.95));
    it.clouds(6, [-60.0, 300.0], 200.0, 0.52, c(0x00ff_ffff).a(0.7));
    it.ridge(14, 450.0, 210.0, 140.0, c(0x0080_b8b0), c(0x00b8_e0c0));
    it.mist(330.0, 470.0, c(0x00ff_ffe8).a(0.6));
    it.ridge(24, 520.0, 130.0, 90.0, c(0x0058_a088), c(0x0090_c8a0));
    it.firs(3, 540.0, 60.0, c(0x0038_7a60), c(0x0058_a080));
    it.mist(450.0, 560.0, c(0x00f0_ffe0).a(0.6));
    let stone = Ink::Line(
        [160.0, 180.0],
        [360.0, 600.0],
        vec![(0.0, c(0x009c_b48c)), (0.4, c(0x0058_7860)), (1.0, c(0x0018_3028))],
    );
    it.lit(
        &limb("330,400 372,490 352,612", &[110.0, 84.0, 92.0])
            .and(limb("236,420 250,510 230,612", &[100.0, 80.0, 92.0])),
        stone.clone(),
        SUN,
        [-2.0, -3.0],
    );
    let hump = blob("150,330 176,250 250,196 340,200 400,260 410,360 370,440 270,470 186,440");
    it.lit(&hump, stone.clone(), SUN, [-2.0, -4.0]);
    let mut dice = Dice::new(18);
    for i in 0..13_u8 {
        let angle = 3.4 + f32::from(i) * 0.2;
        let (x, y) = (282.0 + angle.cos() * 124.0, 306.0 + angle.sin() * 104.0);
        let tall = dice.within(56.0, 110.0);
        it.fill(&thick(&[[x, y + 10.0], [x + 3.0, y - tall * 0.5]], &[8.0, 4.0]), BARK);
        for (dx, dy, r) in [(-0.16, 0.55, 0.26), (0.18, 0.6, 0.25), (0.0, 0.85, 0.28)] {
            let bush = disc(x + dx * tall, y - dy * tall, r * tall, r * tall * 0.86);
            it.lit(&bush, down(y - tall, c(0x008c_d070), y, c(0x0020_6040)), SUN, [-1.5, -2.5]);
        }
    }
    let carpet = blob(
        "146,316 180,250 250,208 330,206 396,258 404,310 360,296 330,330 290,300 250,336 214,300 180,340",
    );
    it.fill(&carpet, down(206.0, c(0x0098_d868), 340.0, c(0x0038_8048)));
    let arm = limb("180,350 110,420 96,520 120,580", &[96.0, 76.0, 66.0, 72.0]);
    it.lit(&arm, stone.clone(), SUN, [-2.0, -3.0]);
    it.lit(&blob("140,300 156,262 200,258 226,290 214,336 166,344"), stone, SUN, [-2.0, -3.0]);
    it.fill(&blob("138,292 156,258 204,254 226,284 200,282 178,292 160,280"), c(0x0080_c860));
    for x in [164.0, 192.0] {
        it.lamp(x, 306.0, 5.0, c(0x00e8_ffa0));
    }
    for (x, y) in [
        (112.0, 420.0),
        (140.0, 392.0),
        (104.0, 480.0),
        (250.0, 420.0),
        (320.0, 400.0),
        (350.0, 470.0),
        (256.0, 520.0),
    ] {
        it.fill(&disc(x, y, 20.0, 10.0), c(0x0078_b858).a(0.8));
        it.fill(&thick(&[[x, y + 6.0], [x + 2.0, y + 34.0]], &[4.0, 0.5]), c(0x0068_a850).a(0.8));
    }
    for (x, y, s) in
        [(90.0, 180.0, 1.0), (122.0, 162.0, 0.7), (60.0, 206.0, 0.6), (420.0, 130.0, 0.8)]
    {
        it.fill(
            &limb(
                &format!(
                    "{},{} {},{} {x},{y} {},{} {},{}",
                    x - 16.0 * s,
                    y - 6.0 * s,
                    x - 8.0 * s,
                    y - 10.0 * s,
                    x + 8.0 * s,
                    y - 10.0 * s,
                    x + 16.0 * s,
                    y - 6.0 * s
                ),
                &[0.6, 3.0, 3.4, 3.0, 0.6],
            ),
            c(0x0020_4840),
        );
    }
    it.mist(560.0, 640.0, c(0x00f0_ffe0).a(0.5));
    grass(&mut it, 33, 644.0, 80.0, [c(0x000c_3424), c(0x0038_8a50)]);
    it.motes(8, 22, [20.0, 380.0, 460.0, 620.0], 2.6, SUN);
    it
}

/// A lotus that shines on still water.
fn lotus() -> Canvas {
    let mut it =
        card(&[(0.0, 0x0006_2430), (0.42, 0x0020_8070), (0.5, 0x00b0_f0b8), (1.0, 0x0004_2820)]);
    it.stars(6, 60, 200.0, SUN);
    it.glow(240.0, 310.0, 330.0, c(0x00c0_ffc0).a(0.7));
    trunks(&mut it, 26, 9, 16.0, c(0x001c_6858), c(0x0040_9878));
    it.rays([240.0, -80.0], 21, 22, 620.0, SUN.a(0.2));
    it.water(11, 320.0, c(0x0050_c0a0), c(0x0004_3028), 240.0, c(0x00e8_ffd8).a(0.5));
    it.mist(260.0, 330.0, SUN.a(0.6));
    for (x, y, w) in [
        (86.0, 420.0, 66.0),
        (398.0, 400.0, 58.0),
        (352.0, 560.0, 96.0),
        (96.0, 570.0, 84.0),
        (250.0, 610.0, 50.0),
        (436.0, 480.0, 44.0),
        (40.0, 486.0, 40.0),
    ] {
        let pad = blob(&format!(
            "{},{y} {x},{} {},{y} {},{} !{x},{y} {},{}",
            x - w,
            y - w * 0.34,
            x + w,
            x + w * 0.5,
            y + w * 0.3,
            x - w * 0.4,
            y + w * 0.34
        ));
        it.shadow(&pad.clone().moved(0.0, 8.0), 12.0, NIGHT.a(0.5));
        it.lit(
            &pad,
            down(y - w * 0.34, c(0x0080_d880), y + w * 0.34, c(0x0018_6a48)),
            SUN,
            [0.0, -2.0],
        );
    }
    it.glow(240.0, 430.0, 260.0, c(0x00ff_d8f0).a(0.9));
    for (count, long, low, tints) in [
        (9_u8, 190.0, 0.12, [c(0x00ff_a0cc), c(0x00c8_4890)]),
        (8, 160.0, 0.5, [c(0x00ff_c0dc), c(0x00e0_68a8)]),
        (7, 126.0, 0.9, [c(0x00ff_e4f0), c(0x00f8_90c0)]),
        (5, 92.0, 1.2, [c(0x00ff_ffff), c(0x00ff_b8d8)]),
    ] {
        for i in 0..count {
            let share = f32::from(i) / f32::from(count - 1) * 2.0 - 1.0;
            let angle = -std::f32::consts::FRAC_PI_2 + share * (1.75 - low * 0.75);
            let to = [240.0 + angle.cos() * long, 476.0 + angle.sin() * long * 0.9];
            let petal = leaf([240.0, 480.0], to, long * 0.42);
            it.lit(
                &petal,
                Ink::Line([240.0, 480.0], to, vec![(0.0, tints[1]), (1.0, tints[0])]),
                c(0x00ff_ffff),
                [0.0, -1.5],
            );
        }
    }
    it.glow(240.0, 420.0, 110.0, c(0x00ff_f8c0).a(0.95));
    it.lit(
        &disc(240.0, 436.0, 24.0, 15.0),
        down(420.0, c(0x00ff_f0a0), 452.0, c(0x00e0_a840)),
        c(0x00ff_ffff),
        [0.0, -2.0],
    );
    for i in 0..5_u8 {
        let i = f32::from(i);
        it.stroke(
            &disc(240.0, 500.0, 120.0 + i * 34.0, 16.0 + i * 9.0),
            1.6,
            c(0x00ff_ffff).a(0.4 - i * 0.07),
        );
    }
    let spirit = blob("240,240 262,262 256,300 !240,340 224,300 218,262");
    it.aura(&spirit, 40.0, SUN.a(0.95));
    it.fill(&spirit, round(240.0, 268.0, 60.0, c(0x00ff_ffff), c(0x00c0_ffb0).a(0.3)));
    it.fill(&leaf([246.0, 276.0], [312.0, 232.0], 34.0).doubled(240.0), c(0x00e8_ffe0).a(0.7));
    it.fill(&leaf([246.0, 286.0], [296.0, 306.0], 24.0).doubled(240.0), c(0x00e8_ffe0).a(0.55));
    canopy(&mut it, 37, 170.0, 46.0, [NIGHT, c(0x0020_7050)]);
    it.sparkles(18, 14, [60.0, 200.0, 420.0, 560.0], SUN);
    it.motes(28, 40, [30.0, 140.0, 450.0, 600.0], 2.8, c(0x00d8_ffa0));
    it
}
