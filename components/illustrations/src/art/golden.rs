//! 黄金王朝: a dynasty under a sun that never sets.

use super::{
    canvas::{Canvas, Ink, Tint, c, down, round},
    card,
    shape::{Shape, blob, disc, leaf, limb, poly, star, thick},
    subjects::feathers,
};

const NIGHT: Tint = c(0x0024_1203);
const DEEP: Tint = c(0x006e_3b0a);
const GOLD: Tint = c(0x00c9_8a1e);
const LIGHT: Tint = c(0x00ff_d76a);
const PALE: Tint = c(0x00ff_fbe0);
const WHITE: Tint = c(0x00ff_ffff);

pub(super) fn draw(id: &str) -> Option<Canvas> {
    Some(match id {
        "soleil" => soleil(),
        "leon" => leon(),
        "temple" => temple(),
        "aurum" => aurum(),
        "chalice" => chalice(),
        "phoenix" => phoenix(),
        _ => return None,
    })
}

/// Metal that shines from the left.
fn metal(x0: f32, x1: f32) -> Ink {
    Ink::Line(
        [x0, 0.0],
        [x1, 0.0],
        vec![(0.0, c(0x008a_5410)), (0.25, LIGHT), (0.4, PALE), (0.6, GOLD), (1.0, c(0x0058_3008))],
    )
}

/// A disc with long rays: the sun as the dynasty draws it.
fn sun(it: &mut Canvas, x: f32, y: f32, radius: f32) {
    it.glow(x, y, radius * 3.0, LIGHT.a(0.8));
    it.fill(&star(x, y, 24, radius * 1.75, radius * 1.08, 0.0), LIGHT.a(0.55));
    it.fill(&star(x, y, 24, radius * 1.42, radius * 1.06, 0.13), PALE.a(0.6));
    it.lit(
        &disc(x, y, radius, radius),
        round(x, y, radius, PALE, c(0x00f0_b438)),
        WHITE,
        [0.0, -3.0],
    );
    it.stroke(&disc(x, y, radius * 0.88, radius * 0.88), 2.0, GOLD);
}

/// Dunes along the lower edge.
fn dunes(it: &mut Canvas) {
    it.ground(5, 520.0, 30.0, c(0x00e8_a848), c(0x0090_5018));
    it.ground(15, 575.0, 26.0, c(0x00b8_7424), c(0x0050_2808));
}

/// The sun for a crown.
fn soleil() -> Canvas {
    let mut it =
        card(&[(0.0, 0x0064_1c30), (0.4, 0x00e0_8830), (0.75, 0x00ff_e090), (1.0, 0x0090_4c10)]);
    it.rays([240.0, 190.0], 4, 30, 620.0, PALE.a(0.28));
    sun(&mut it, 240.0, 190.0, 128.0);
    it.ridge(3, 560.0, 60.0, 140.0, c(0x00d8_9038), c(0x00a0_5c1c));
    dunes(&mut it);
    let cloak = blob("!178,286 !302,286 372,360 410,520 !440,650 !40,650 70,520 108,360");
    it.lit(&cloak, down(286.0, c(0x00b0_2038), 650.0, c(0x0040_0818)), LIGHT, [0.0, -4.0]);
    for x in [110.0, 160.0, 320.0, 370.0] {
        it.fill(
            &limb(
                &format!(
                    "{},330 {},480 {},650",
                    240.0 + (x - 240.0) * 0.7,
                    x,
                    240.0 + (x - 240.0) * 1.3
                ),
                &[2.0, 14.0, 26.0],
            ),
            c(0x0030_0410).a(0.4),
        );
    }
    let robe = blob("!196,290 !284,290 306,400 !330,650 !150,650 174,400");
    it.lit(&robe, down(290.0, PALE, 650.0, c(0x00d8_a058)), WHITE, [2.0, -2.0]);
    it.fill(&poly("224,300 256,300 268,650 212,650"), metal(212.0, 268.0));
    for y in [380.0, 450.0, 520.0, 590.0] {
        it.lit(&star(240.0, y, 8, 20.0, 9.0, 0.0), c(0x00c8_2840), LIGHT, [0.0, -2.0]);
    }
    it.lit(
        &blob("!150,310 196,278 240,296 284,278 !330,310 300,350 240,366 180,350"),
        metal(150.0, 330.0),
        WHITE,
        [0.0, -3.0],
    );
    it.lit(
        &disc(240.0, 336.0, 15.0, 15.0),
        round(236.0, 330.0, 18.0, c(0x00ff_9080), c(0x00b0_1030)),
        WHITE,
        [0.0, -2.0],
    );
    let arm = limb("316,330 372,366 392,330", &[48.0, 36.0, 24.0]);
    it.lit(&arm, down(300.0, PALE, 380.0, c(0x00d0_9848)), WHITE, [1.0, -2.0]);
    let staff = thick(&[[398.0, 150.0], [390.0, 600.0]], &[8.0, 8.0]);
    it.lit(&staff, metal(386.0, 402.0), WHITE, [1.0, 0.0]);
    it.glow(399.0, 128.0, 90.0, PALE.a(0.9));
    it.lit(
        &star(399.0, 128.0, 12, 38.0, 20.0, 0.0),
        round(399.0, 128.0, 38.0, WHITE, LIGHT),
        WHITE,
        [0.0, -1.5],
    );
    it.fill(&disc(393.0, 322.0, 14.0, 13.0), c(0x00f0_c090));
    let hair = blob(
        "188,190 206,150 240,138 274,150 292,190 304,262 !318,320 280,300 240,310 200,300 !162,320 176,262",
    );
    it.lit(&hair, down(140.0, c(0x00ff_f0b0), 320.0, GOLD), WHITE, [2.0, -3.0]);
    it.lit(
        &blob("240,160 276,180 278,226 262,262 240,278 218,262 202,226 204,180"),
        down(160.0, c(0x00ff_e8cc), 278.0, c(0x00e8_b488)),
        WHITE,
        [1.0, -1.0],
    );
    it.fill(
        &blob("!202,214 206,172 240,158 274,172 !278,214 262,184 240,196 218,184"),
        c(0x00f4_d070),
    );
    for x in [222.0, 258.0] {
        it.fill(&disc(x, 220.0, 6.5, 5.0), WHITE);
        it.fill(&disc(x, 220.0, 3.8, 4.8), c(0x0080_3c10));
        it.fill(
            &limb(
                &format!("{},{} {x},{} {},{}", x - 10.0, 210.0, 206.0, x + 10.0, 210.0),
                &[1.0, 3.0, 1.0],
            ),
            DEEP,
        );
    }
    it.fill(&thick(&[[240.0, 224.0], [237.0, 240.0]], &[1.0, 2.4]), c(0x00c0_8058));
    it.fill(&limb("230,254 240,257 250,254", &[1.0, 3.0, 1.0]), c(0x00a0_4038));
    let crown = poly("190,166 182,96 212,128 226,78 240,122 254,78 268,128 298,96 290,166 240,178");
    it.aura(&crown, 30.0, LIGHT.a(0.6));
    it.lit(&crown, metal(182.0, 298.0), WHITE, [0.0, -2.0]);
    for (x, y, r) in [
        (240.0, 148.0, 9.0),
        (212.0, 150.0, 6.0),
        (268.0, 150.0, 6.0),
        (226.0, 78.0, 5.0),
        (254.0, 78.0, 5.0),
        (182.0, 96.0, 5.0),
        (298.0, 96.0, 5.0),
    ] {
        it.lit(&disc(x, y, r, r), c(0x00d0_1838), WHITE, [0.0, -1.5]);
    }
    it.sparkles(5, 18, [60.0, 60.0, 430.0, 580.0], PALE);
    it.motes(11, 26, [20.0, 200.0, 460.0, 630.0], 2.6, LIGHT);
    it
}

/// Sunlight braided into a mane.
fn leon() -> Canvas {
    let mut it = card(&[(0.0, 0x002a_1440), (0.45, 0x00b0_5030), (1.0, 0x00ff_c860)]);
    it.rays([240.0, 320.0], 9, 28, 560.0, LIGHT.a(0.25));
    it.glow(240.0, 320.0, 330.0, LIGHT.a(0.7));
    for (count, long, wide, tints) in [
        (26_u8, 250.0, 62.0, [c(0x0080_3c0c), c(0x00c8_7c1c)]),
        (22, 204.0, 56.0, [c(0x00a8_5c14), c(0x00f0_b040)]),
        (18, 166.0, 52.0, [c(0x00c8_8420), c(0x00ff_dc80)]),
    ] {
        for i in 0..count {
            let angle = std::f32::consts::TAU * f32::from(i) / f32::from(count) + long;
            let reach = long * (1.0 + 0.12 * (f32::from(i) * 2.7).sin());
            let lock = limb(
                &format!(
                    "240,326 {},{} {},{}",
                    240.0 + (angle + 0.12).cos() * reach * 0.6,
                    326.0 + (angle + 0.12).sin() * reach * 0.62,
                    240.0 + angle.cos() * reach,
                    326.0 + angle.sin() * reach * 1.06
                ),
                &[wide * 0.4, wide, 1.0],
            );
            it.lit(
                &lock,
                Ink::Round([240.0, 326.0], long, vec![(0.3, tints[0]), (1.0, tints[1])]),
                PALE.a(0.75),
                [angle.sin() * -1.6, -1.8],
            );
        }
    }
    let ears = disc(158.0, 232.0, 34.0, 34.0).doubled(240.0);
    it.lit(&ears, c(0x00d0_9038), PALE, [0.0, -2.5]);
    it.fill(&disc(160.0, 236.0, 18.0, 18.0).doubled(240.0), c(0x0080_4818));
    let face =
        blob("240,210 306,226 340,286 330,360 290,410 240,428 190,410 150,360 140,286 174,226");
    it.lit(&face, down(210.0, c(0x00ff_e0a0), 428.0, c(0x00c8_8430)), WHITE, [2.0, -4.0]);
    it.fill(
        &blob("!218,240 !262,240 266,330 286,352 240,366 194,352 214,330"),
        down(240.0, c(0x00ff_f0c8).a(0.8), 360.0, c(0x00f0_c070).a(0.3)),
    );
    let muzzle = blob("240,344 292,346 306,386 274,418 240,412 206,418 174,386 188,346");
    it.lit(&muzzle, down(344.0, c(0x00ff_f6dc), 418.0, c(0x00e0_b878)), WHITE, [0.0, -2.0]);
    it.lit(
        &blob("!206,334 240,326 !274,334 256,362 240,370 224,362"),
        down(326.0, c(0x0080_4030), 370.0, c(0x0038_180c)),
        c(0x00ff_c8a0),
        [0.0, -2.0],
    );
    it.fill(&limb("240,368 240,390 214,402 192,394", &[3.0, 4.0, 4.0, 1.0]).doubled(240.0), DEEP);
    it.lit(
        &blob("!204,414 240,408 !276,414 258,448 240,456 222,448"),
        down(410.0, c(0x00f4_d490), 456.0, c(0x00b0_7424)),
        PALE,
        [0.0, -1.0],
    );
    it.fill(&blob("!160,296 188,276 !218,300 190,308").doubled(240.0), c(0x0038_1c08));
    it.fill(
        &disc(190.0, 293.0, 12.0, 12.0).doubled(240.0),
        round(240.0, 293.0, 70.0, c(0x00ff_e840), c(0x00e8_9018)),
    );
    it.fill(&disc(191.0, 293.0, 5.0, 7.0).doubled(240.0), NIGHT);
    it.fill(&disc(194.0, 288.0, 3.0, 3.0).and(disc(292.0, 288.0, 3.0, 3.0)), WHITE);
    it.fill(&limb("148,280 184,258 222,286", &[2.0, 11.0, 3.0]).doubled(240.0), c(0x0088_5418));
    for (x, y) in [(206.0, 380.0), (194.0, 388.0), (208.0, 394.0)] {
        it.fill(&disc(x, y, 2.4, 2.4).doubled(240.0), DEEP);
    }
    let crown =
        poly("156,222 140,120 188,164 214,92 240,152 266,92 292,164 340,120 324,222 240,204");
    it.aura(&crown, 36.0, LIGHT.a(0.7));
    it.lit(&crown, metal(140.0, 340.0), WHITE, [0.0, -3.0]);
    it.fill(&thick(&super::shape::line("158,212 240,192 322,212"), &[5.0, 5.0]), DEEP.a(0.6));
    for (x, y, r) in [
        (240.0, 172.0, 13.0),
        (196.0, 180.0, 8.0),
        (284.0, 180.0, 8.0),
        (214.0, 92.0, 7.0),
        (266.0, 92.0, 7.0),
        (140.0, 120.0, 7.0),
        (340.0, 120.0, 7.0),
    ] {
        it.lit(
            &disc(x, y, r, r),
            round(x - 2.0, y - 3.0, r * 1.3, c(0x00a0_f0ff), c(0x0010_60b0)),
            WHITE,
            [0.0, -1.5],
        );
    }
    it.sparkles(8, 18, [40.0, 60.0, 440.0, 600.0], PALE);
    it
}

/// Stairs of light.
fn temple() -> Canvas {
    let mut it =
        card(&[(0.0, 0x0030_3c90), (0.4, 0x00f0_9058), (0.7, 0x00ff_e8a8), (1.0, 0x00a0_5c18)]);
    it.stars(3, 60, 170.0, PALE);
    it.rays([240.0, 150.0], 7, 26, 640.0, PALE.a(0.3));
    it.clouds(3, [40.0, 380.0], 210.0, 0.5, c(0x00ff_b080).a(0.55));
    sun(&mut it, 240.0, 130.0, 62.0);
    it.ridge(8, 440.0, 90.0, 120.0, c(0x00d8_8c48), c(0x00c0_783c));
    it.mist(370.0, 460.0, PALE.a(0.5));
    for (x, s) in [(70.0, 0.55), (420.0, 0.62)] {
        let tomb = Shape(vec![vec![
            [x - 130.0 * s, 480.0],
            [x, 480.0 - 210.0 * s],
            [x + 130.0 * s, 480.0],
        ]]);
        it.fill(
            &tomb,
            Ink::Line(
                [x - 100.0 * s, 0.0],
                [x + 100.0 * s, 0.0],
                vec![
                    (0.0, c(0x00f8_cc80)),
                    (0.5, c(0x00e0_a050)),
                    (0.52, c(0x00a8_6828)),
                    (1.0, c(0x0080_4818)),
                ],
            ),
        );
    }
    for step in 0..6_u8 {
        let s = f32::from(step);
        let (half, top) = (66.0 + s * 30.0, 244.0 + s * 48.0);
        let tier = poly(&format!(
            "{},{top} {},{top} {},{} {},{}",
            240.0 - half,
            240.0 + half,
            240.0 + half + 12.0,
            top + 50.0,
            240.0 - half - 12.0,
            top + 50.0
        ));
        it.lit(
            &tier,
            Ink::Line(
                [240.0 - half, 0.0],
                [240.0 + half, 0.0],
                vec![
                    (0.0, c(0x0098_5c1c)),
                    (0.3, c(0x00e0_a44c)),
                    (0.5, LIGHT),
                    (0.7, c(0x00d0_903c)),
                    (1.0, c(0x0070_3c0c)),
                ],
            ),
            PALE,
            [0.0, -3.0],
        );
        for i in 0..(5 + step * 2) {
            let x =
                240.0 - half + 12.0 + f32::from(i) * (2.0 * half - 24.0) / f32::from(4 + step * 2);
            if (x - 240.0).abs() > 40.0 + s * 4.0 {
                it.fill(
                    &poly(&format!(
                        "{},{} {},{} {},{} {},{}",
                        x - 6.0,
                        top + 44.0,
                        x - 6.0,
                        top + 20.0,
                        x + 6.0,
                        top + 20.0,
                        x + 6.0,
                        top + 44.0
                    )),
                    c(0x0050_2808).a(0.7),
                );
            }
        }
    }
    let shrine = poly("192,244 192,190 288,190 288,244");
    it.lit(&shrine, metal(192.0, 288.0), WHITE, [0.0, -2.0]);
    it.lit(&poly("180,192 240,150 300,192"), down(150.0, PALE, 192.0, GOLD), WHITE, [0.0, -2.0]);
    for x in [200.0, 218.0, 254.0, 272.0] {
        it.lit(
            &poly(&format!("{x},244 {x},196 {},196 {},244", x + 9.0, x + 9.0)),
            c(0x00ff_f0b8),
            WHITE,
            [1.0, 0.0],
        );
    }
    it.fill(&poly("230,244 230,206 250,206 250,244"), WHITE);
    it.glow(240.0, 224.0, 110.0, PALE.a(0.95));
    it.fill(&poly("222,244 258,244 300,540 180,540"), down(244.0, WHITE, 540.0, LIGHT.a(0.85)));
    for i in 0..22_u8 {
        let y = 250.0 + f32::from(i) * 13.2;
        let half = 19.0 + f32::from(i) * 1.9;
        it.fill(
            &poly(&format!(
                "{},{y} {},{y} {},{} {},{}",
                240.0 - half,
                240.0 + half,
                240.0 + half,
                y + 3.0,
                240.0 - half,
                y + 3.0
            )),
            c(0x00c8_8428).a(0.5),
        );
    }
    it.ground(16, 540.0, 6.0, c(0x00e0_a850), c(0x0080_4814));
    it.fill(
        &poly("180,538 300,538 420,660 60,660"),
        down(538.0, PALE.a(0.85), 650.0, LIGHT.a(0.1)),
    );
    for (x, h) in [(96.0, 190.0), (384.0, 190.0), (30.0, 250.0), (450.0, 250.0)] {
        it.lit(
            &poly(&format!(
                "{},640 {},{} {x},{} {},{} {},640",
                x - 18.0,
                x - 12.0,
                640.0 - h,
                616.0 - h,
                x + 12.0,
                640.0 - h,
                x + 18.0
            )),
            Ink::Line(
                [x - 18.0, 0.0],
                [x + 18.0, 0.0],
                vec![(0.0, c(0x0070_3c0c)), (0.5, c(0x00d8_9c44)), (1.0, c(0x0048_2408))],
            ),
            PALE,
            [if x < 240.0 { 2.0 } else { -2.0 }, -2.0],
        );
    }
    for x in [204.0, 226.0, 262.0, 284.0] {
        it.fill(
            &blob(&format!(
                "{},580 {x},560 {},580 {},620 {},620",
                x - 6.0,
                x + 6.0,
                x + 9.0,
                x - 9.0
            )),
            c(0x0048_2010),
        );
    }
    it.sparkles(15, 14, [60.0, 60.0, 420.0, 500.0], PALE);
    it
}

/// A guardian in the sky, sword raised.
fn aurum() -> Canvas {
    let mut it =
        card(&[(0.0, 0x002c_5cb0), (0.45, 0x0098_c8f0), (0.75, 0x00ff_f0c0), (1.0, 0x00e8_a048)]);
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
        town = town.and(poly(&format!(
            "{},640 {},{} {x},{} {},{} {},640",
            x - w / 2.0,
            x - w / 2.0,
            640.0 - h,
            610.0 - h,
            x + w / 2.0,
            640.0 - h,
            x + w / 2.0
        )));
    }
    it.fill(&town, down(480.0, c(0x00d8_a060), 640.0, c(0x0090_5828)));
    it.mist(480.0, 600.0, PALE.a(0.6));
    for (angles, lengths, tints) in [
        ([-0.95, 0.55], [300.0, 170.0], [c(0x00d8_9830), c(0x00ff_e8a8)]),
        ([-0.9, 0.4], [200.0, 120.0], [c(0x00f0_bc50), c(0x00ff_f8dc)]),
    ] {
        for i in 0..10_u8 {
            let share = f32::from(i) / 9.0;
            let angle = angles[0] + (angles[1] - angles[0]) * (1.0 - share);
            let long = lengths[0] + (lengths[1] - lengths[0]) * (1.0 - share);
            let wing =
                feathers([262.0, 280.0], 1, [angle, angle], [long, long], 38.0).doubled(240.0);
            it.lit(
                &wing,
                Ink::Round([240.0, 280.0], 300.0, vec![(0.0, tints[0]), (1.0, tints[1])]),
                WHITE,
                [0.0, -1.6],
            );
        }
    }
    let cloth = blob("!204,380 !276,380 300,480 !322,580 270,556 240,590 210,556 !158,580 180,480");
    it.lit(&cloth, down(380.0, c(0x00d0_3048), 590.0, c(0x0060_1028)), LIGHT, [1.0, -1.0]);
    let legs = blob("!212,392 !238,392 234,480 226,560 214,560 206,480")
        .and(blob("!242,392 !268,392 274,480 268,556 256,556 246,480"));
    it.lit(&legs, down(390.0, c(0x00f8_d080), 560.0, c(0x0078_4c14)), WHITE, [1.5, -1.0]);
    let trunk = blob("!196,268 240,256 !284,268 276,330 262,370 274,402 206,402 218,370 204,330");
    it.lit(&trunk, metal(190.0, 290.0), WHITE, [0.0, -3.0]);
    it.fill(&limb("206,300 240,326 274,300", &[2.0, 5.0, 2.0]), DEEP.a(0.7));
    it.lit(&star(240.0, 312.0, 8, 17.0, 8.0, 0.0), c(0x00f0_5050), PALE, [0.0, -1.5]);
    it.fill(&poly("206,368 274,368 276,382 204,382"), c(0x0070_3c10));
    it.lit(&disc(196.0, 282.0, 27.0, 22.0).doubled(240.0), metal(170.0, 310.0), WHITE, [0.0, -3.0]);
    let left = limb("190,290 164,336 180,378", &[26.0, 24.0, 20.0]);
    it.lit(&left, metal(150.0, 210.0), WHITE, [1.0, -2.0]);
    let shield = blob("!124,330 170,318 !216,330 212,390 170,440 128,390");
    it.lit(&shield, metal(124.0, 216.0), WHITE, [0.0, -3.0]);
    it.lit(
        &blob("!138,342 170,332 !202,342 198,386 170,422 142,386"),
        down(332.0, c(0x00e0_4058), 422.0, c(0x0080_1028)),
        PALE,
        [0.0, -1.0],
    );
    it.lit(&star(170.0, 374.0, 12, 24.0, 13.0, 0.0), LIGHT, WHITE, [0.0, -1.5]);
    let arm = limb("288,284 318,246 312,190", &[26.0, 24.0, 20.0]);
    it.lit(&arm, metal(280.0, 330.0), WHITE, [1.0, -2.0]);
    let blade = poly("303,166 310,-6 317,166");
    it.aura(&poly("296,170 310,0 324,170"), 34.0, PALE.a(0.95));
    it.fill(
        &blade.and(poly("302,166 310,20 318,166")),
        Ink::Line(
            [302.0, 0.0],
            [318.0, 0.0],
            vec![(0.0, c(0x00d8_e8ff)), (0.5, WHITE), (1.0, c(0x0098_b8e0))],
        ),
    );
    it.lit(
        &poly("278,164 342,164 338,174 282,174").and(poly("305,170 315,170 315,206 305,206")),
        metal(278.0, 342.0),
        WHITE,
        [0.0, -1.5],
    );
    let helm = blob("!210,232 212,196 240,178 268,196 !270,232 258,262 240,272 222,262");
    it.lit(&helm, metal(206.0, 274.0), WHITE, [0.0, -3.0]);
    it.fill(&poly("218,222 262,222 256,232 224,232"), c(0x0030_1808));
    it.fill(&disc(230.0, 227.0, 3.4, 2.4).and(disc(250.0, 227.0, 3.4, 2.4)), c(0x0090_f0ff));
    it.fill(&thick(&[[240.0, 180.0], [240.0, 266.0]], &[2.0, 3.0]), c(0x0080_5018).a(0.7));
    it.lit(
        &limb("240,184 214,140 160,130 120,156", &[12.0, 26.0, 22.0, 2.0]),
        Ink::Line([120.0, 0.0], [240.0, 0.0], vec![(0.0, c(0x0080_1028)), (1.0, c(0x00f0_4858))]),
        c(0x00ff_c0b0),
        [0.0, -2.5],
    );
    it.lit(
        &leaf([212.0, 222.0], [176.0, 176.0], 17.0).doubled(240.0),
        c(0x00ff_f0c0),
        WHITE,
        [0.0, -1.5],
    );
    it.petals(6, 26, [20.0, 60.0, 460.0, 620.0], 20.0, [c(0x00ff_e8a0), WHITE]);
    it.sparkles(2, 16, [40.0, 20.0, 440.0, 520.0], PALE);
    it
}

/// The cup in which a morning is born.
fn chalice() -> Canvas {
    let mut it = card(&[(0.0, 0x0030_0c28), (0.5, 0x0098_3c28), (1.0, 0x0040_1810)]);
    it.rays([240.0, 230.0], 14, 32, 620.0, LIGHT.a(0.32));
    it.glow(240.0, 220.0, 340.0, LIGHT.a(0.85));
    let columns =
        poly("20,0 84,0 84,560 20,560").and(poly("112,60 150,60 150,540 112,540")).doubled(240.0);
    it.lit(&columns, down(0.0, c(0x0070_3820), 560.0, c(0x0030_1410)), LIGHT.a(0.5), [0.0, -2.0]);
    for x in [30.0, 46.0, 62.0, 120.0, 134.0] {
        it.fill(
            &poly(&format!("{x},0 {},0 {},560 {x},560", x + 5.0, x + 5.0)).doubled(240.0),
            NIGHT.a(0.35),
        );
    }
    it.lit(
        &poly("90,540 390,540 430,600 50,600"),
        down(540.0, c(0x00c0_8040), 600.0, c(0x0058_2c14)),
        PALE,
        [0.0, -3.0],
    );
    it.lit(
        &poly("50,600 430,600 450,650 30,650"),
        down(600.0, c(0x0080_4420), 650.0, c(0x0030_1408)),
        LIGHT,
        [0.0, -2.0],
    );
    let cloth = blob("!130,540 !350,540 !330,640 290,610 240,650 190,610 !150,640");
    it.lit(&cloth, down(540.0, c(0x00b8_2040), 650.0, c(0x0050_0818)), LIGHT, [0.0, -2.0]);
    it.shadow(&disc(240.0, 546.0, 100.0, 14.0), 20.0, c(0).a(0.6));
    let foot = blob("!160,544 172,526 226,512 232,470 !248,470 254,512 308,526 !320,544");
    it.lit(&foot, metal(160.0, 320.0), WHITE, [0.0, -2.0]);
    it.lit(&disc(240.0, 462.0, 32.0, 24.0), metal(206.0, 274.0), WHITE, [0.0, -3.0]);
    it.lit(&poly("229,400 251,400 247,450 233,450"), metal(226.0, 254.0), WHITE, [0.0, -1.0]);
    let handles = thick(
        &super::shape::line("146,286 96,276 84,330 126,372 178,370"),
        &[6.0, 12.0, 13.0, 12.0, 6.0],
    )
    .doubled(240.0);
    it.lit(&handles, metal(84.0, 396.0), WHITE, [0.0, -2.0]);
    let bowl = blob("!138,264 !342,264 336,330 300,390 240,414 180,390 144,330");
    it.lit(&bowl, metal(130.0, 350.0), WHITE, [0.0, -3.0]);
    for (x, rgb) in [
        (172.0, 0x00d0_1838),
        (206.0, 0x0010_70c8),
        (240.0, 0x0018_a060),
        (274.0, 0x0010_70c8),
        (308.0, 0x00d0_1838),
    ] {
        let y = 326.0 + (1.0 - ((x - 240.0) / 90.0_f32).powi(2)) * 12.0;
        it.lit(
            &disc(x, y, 11.0, 13.0),
            round(x - 3.0, y - 4.0, 15.0, WHITE, c(rgb)),
            WHITE,
            [0.0, -1.5],
        );
    }
    it.fill(&thick(&super::shape::line("146,296 240,310 334,296"), &[4.0, 4.0]), DEEP.a(0.6));
    it.fill(&thick(&super::shape::line("160,352 240,374 320,352"), &[3.0, 3.0]), DEEP.a(0.5));
    it.lit(&disc(240.0, 264.0, 104.0, 24.0), c(0x00a0_6418), PALE, [0.0, -2.0]);
    it.fill(
        &disc(240.0, 266.0, 94.0, 18.0),
        Ink::Round([240.0, 262.0], 96.0, vec![(0.0, WHITE), (0.5, PALE), (1.0, LIGHT)]),
    );
    it.glow(240.0, 250.0, 190.0, PALE.a(0.95));
    let sunrise = disc(240.0, 196.0, 46.0, 46.0);
    it.aura(&sunrise, 60.0, PALE.a(0.95));
    it.fill(&star(240.0, 196.0, 16, 96.0, 52.0, 0.0), PALE.a(0.55));
    it.fill(&sunrise, round(240.0, 196.0, 46.0, WHITE, LIGHT));
    for (from, to) in [
        ([200.0, 250.0], [150.0, 110.0]),
        ([280.0, 250.0], [330.0, 110.0]),
        ([222.0, 250.0], [206.0, 70.0]),
        ([258.0, 250.0], [274.0, 70.0]),
    ] {
        let middle = [(from[0] + to[0]) / 2.0 + (from[1] - 250.0) + (to[0] - 240.0) * 0.25, 170.0];
        it.fill(&thick(&[from, middle, to], &[9.0, 5.0, 0.6]), PALE.a(0.7));
    }
    it.sparkles(17, 24, [90.0, 40.0, 390.0, 420.0], PALE);
    it.motes(18, 40, [60.0, 40.0, 420.0, 520.0], 2.8, LIGHT);
    it
}

/// A thousand feathers end the night.
fn phoenix() -> Canvas {
    let mut it =
        card(&[(0.0, 0x0018_0c40), (0.45, 0x0080_2048), (0.75, 0x00f0_7030), (1.0, 0x00ff_d060)]);
    it.stars(13, 120, 330.0, PALE);
    it.glow(240.0, 300.0, 360.0, c(0x00ff_9030).a(0.8));
    it.rays([240.0, 300.0], 13, 26, 560.0, LIGHT.a(0.2));
    it.clouds(44, [380.0, 720.0], 170.0, 0.6, c(0x00ff_b050).a(0.8));
    for (i, tail) in (0_u8..).zip([
        "240,380 200,470 120,520 60,610",
        "240,380 226,480 180,560 150,640",
        "240,380 240,480 236,570 250,650",
        "240,380 254,480 300,560 330,640",
        "240,380 280,470 360,520 420,610",
    ]) {
        let plume = limb(tail, &[26.0, 34.0, 26.0, 2.0]);
        it.lit(&plume, down(380.0, c(0x00ff_7020), 630.0, c(0x00ff_e880)), PALE, [1.0, -2.0]);
        let end = [[74.0, 588.0], [158.0, 610.0], [247.0, 616.0], [322.0, 610.0], [406.0, 588.0]]
            [usize::from(i)];
        it.glow(end[0], end[1], 50.0, PALE.a(0.8));
        it.lit(
            &disc(end[0], end[1], 17.0, 22.0),
            round(end[0], end[1], 20.0, c(0x0030_d0e0), c(0x00f0_9020)),
            PALE,
            [0.0, -2.0],
        );
    }
    for (angles, lengths, tints) in [
        ([-1.35, 0.35], [300.0, 150.0], [c(0x00b0_2018), c(0x00ff_8828)]),
        ([-1.3, 0.3], [224.0, 116.0], [c(0x00e0_5018), c(0x00ff_b840)]),
        ([-1.25, 0.25], [150.0, 86.0], [c(0x00ff_8c28), c(0x00ff_f0a0)]),
    ] {
        for i in 0..11_u8 {
            let share = f32::from(i) / 10.0;
            let angle = angles[1] + (angles[0] - angles[1]) * share;
            let long = lengths[1] + (lengths[0] - lengths[1]) * share * (2.0 - share);
            let wing =
                feathers([256.0, 320.0], 1, [angle, angle], [long, long], 36.0).doubled(240.0);
            it.lit(
                &wing,
                Ink::Round([240.0, 320.0], lengths[0], vec![(0.1, tints[0]), (1.0, tints[1])]),
                PALE.a(0.9),
                [0.0, -1.8],
            );
        }
    }
    let body = blob("240,250 276,286 284,340 264,392 240,412 216,392 204,340 208,286");
    it.aura(&body, 46.0, PALE.a(0.7));
    it.lit(&body, down(250.0, c(0x00ff_e890), 412.0, c(0x00e0_4c18)), WHITE, [1.0, -3.0]);
    for row in 0..5_u8 {
        for column in 0..3_u8 {
            let (x, y) = (
                216.0 + f32::from(column) * 20.0 + f32::from(row % 2) * 8.0,
                306.0 + f32::from(row) * 18.0,
            );
            it.fill(&leaf([x, y], [x + (x - 240.0) * 0.15, y + 20.0], 11.0), c(0x00ff_c040).a(0.7));
        }
    }
    let neck = limb("240,300 254,256 246,216 226,194", &[62.0, 42.0, 32.0, 34.0]);
    let head = blob("!168,206 190,188 216,172 244,180 252,204 236,222 206,220 !188,216");
    it.lit(
        &neck.and(head),
        down(170.0, c(0x00ff_f4b8), 300.0, c(0x00ff_9c30)),
        WHITE,
        [-1.0, -2.5],
    );
    let crest = leaf([236.0, 184.0], [290.0, 120.0], 20.0)
        .and(leaf([232.0, 182.0], [262.0, 100.0], 18.0))
        .and(leaf([226.0, 180.0], [230.0, 96.0], 16.0))
        .and(leaf([240.0, 190.0], [304.0, 156.0], 18.0));
    it.lit(&crest, down(96.0, PALE, 190.0, c(0x00ff_7020)), WHITE, [0.0, -2.0]);
    it.fill(&blob("!166,208 192,190 !198,212 186,218"), c(0x0078_3810));
    it.fill(&disc(212.0, 196.0, 6.0, 6.0), c(0x0038_1008));
    it.fill(&disc(210.4, 194.0, 2.0, 2.0), WHITE);
    it.motes(20, 90, [10.0, 100.0, 470.0, 640.0], 3.2, c(0x00ff_b040));
    it.sparkles(4, 16, [40.0, 60.0, 440.0, 600.0], PALE);
    it
}
