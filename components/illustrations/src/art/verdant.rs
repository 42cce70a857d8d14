//! 翠森精霊: spirits of the deep wood.

use super::{
    Cards,
    canvas::{
        Canvas, Dice, Ink, Shape, Tint, across, blob, c, disc, down, leaf, limb, lit, poly, round,
        rows, slope, star, thick,
    },
};

const NIGHT: Tint = c(0x04170f);
const GREEN: Tint = c(0x2f9a5a);
const LEAF: Tint = c(0x9be07a);
const SUN: Tint = c(0xf6ffd0);
const BARK: Tint = c(0x302a1c);

pub(super) const CARDS: Cards = [
    ("leafy", leafy),
    ("oak", oak),
    ("silva", silva),
    ("mimi", mimi),
    ("moss", moss),
    ("lotus", lotus),
];

/// Trunks from top to bottom, one layer.
fn trunks(canvas: &mut Canvas, seed: u32, count: u8, width: f32, top: Tint, foot: Tint) {
    let mut dice = Dice::new(seed);
    let mut wood = Shape::default();
    for i in 0..count {
        let x = 480.0 * (f32::from(i) + dice.within(0.1, 0.9)) / f32::from(count);
        let (wide, lean) = (width * dice.within(0.6, 1.2), dice.within(-14.0, 14.0));
        wood = wood.and(limb(
            [[x + lean, -10.0], [x, 320.0], [x, 600.0], [x, 650.0]],
            &[wide * 0.7, wide * 0.8, wide * 1.1, wide * 2.0],
        ));
        for _ in 0..3 {
            let (y, side) = (dice.within(40.0, 360.0), if dice.roll() < 0.5 { -1.0 } else { 1.0 });
            wood = wood.and(limb(
                [[x, y], [x + side * wide * 1.6, y - 26.0], [x + side * wide * 3.0, y - 70.0]],
                &[wide * 0.4, wide * 0.25, 1.0],
            ));
        }
    }
    wood.fill(canvas, down(0.0, top, 640.0, foot));
}

/// Leaves that hang into the picture from its upper edge.
fn canopy(canvas: &mut Canvas, seed: u32, low: f32, size: f32, tints: [Tint; 2]) {
    let mut dice = Dice::new(seed);
    for _ in 0..90 {
        let x = dice.within(-10.0, 490.0);
        let edge = (x / 240.0 - 1.0).abs();
        let y = dice.within(-20.0, low * (0.35 + 0.65 * edge * edge));
        let (angle, long) = (dice.within(0.5, 2.6), size * dice.within(0.6, 1.3));
        let to = [x + angle.cos() * long, y + angle.sin() * long];
        leaf([x, y], to, long * 0.45).fill(canvas, tints[0].to(tints[1], dice.roll()));
    }
}

/// Grass along the lower edge.
fn grass(canvas: &mut Canvas, seed: u32, base: f32, height: f32, tints: [Tint; 2]) {
    let mut dice = Dice::new(seed);
    for _ in 0..130 {
        let x = dice.within(-10.0, 490.0);
        let (tall, lean) = (height * dice.within(0.4, 1.0), dice.within(-24.0, 24.0));
        let blade = limb(
            [[x, base + 8.0], [x + lean * 0.3, base - tall * 0.6], [x + lean, base - tall]],
            &[5.0, 3.5, 0.6],
        );
        blade.fill(canvas, tints[0].to(tints[1], dice.roll()));
    }
}

/// 翠森精霊リーフィ: Leafy of the Verdant.
/// The smallest spirit, on wings of young leaves.
fn leafy(canvas: &mut Canvas) {
    canvas.sky(&[(0.0, 0xc8f4a0), (0.45, 0x58b874), (1.0, 0x0a3c2c)]);
    canvas.glow(250.0, 90.0, 420.0, SUN.a(0.95));
    trunks(canvas, 3, 9, 20.0, c(0x70c088), c(0x2c7a54));
    canvas.mist(120.0, 560.0, SUN.a(0.35));
    trunks(canvas, 8, 5, 36.0, c(0x246a4c), c(0x093424));
    canvas.rays([290.0, -60.0], 11, 26, 820.0, SUN.a(0.26));
    canvas.ground(4, 580.0, 18.0, c(0x1c6a44), NIGHT);
    canvas.glow(240.0, 330.0, 250.0, SUN.a(0.75));
    let upper =
        leaf([252.0, 316.0], [440.0, 150.0], 110.0).and(leaf([228.0, 316.0], [40.0, 150.0], 110.0));
    let lower =
        leaf([250.0, 336.0], [392.0, 436.0], 78.0).and(leaf([230.0, 336.0], [88.0, 436.0], 78.0));
    for wing in [upper, lower] {
        wing.aura(canvas, 24.0, LEAF.a(0.5));
        wing.fill(
            canvas,
            lit(round(240.0, 325.0, 260.0, c(0xe8ffb0), c(0x50c070)), c(0xffffff), [0.0, -3.0]),
        );
    }
    for (x, y) in [(420.0, 168.0), (376.0, 424.0)] {
        thick(&[[246.0, 326.0], [x, y]], &[3.0, 0.8])
            .doubled(240.0)
            .fill(canvas, c(0x308a50).a(0.8));
        for i in 1..6_u8 {
            let t = f32::from(i) / 6.5;
            let at = [246.0 + (x - 246.0) * t, 326.0 + (y - 326.0) * t];
            for turn in [-34.0, 34.0] {
                let to = [
                    at[0] + (x - 246.0) * 0.12 - turn * (y - 326.0) / 300.0,
                    at[1] + (y - 326.0) * 0.12 + turn * 0.5,
                ];
                thick(&[at, to], &[1.6, 0.4]).doubled(240.0).fill(canvas, c(0x308a50).a(0.55));
            }
        }
    }
    let legs = limb("232,404 226,450 234,492", &[17.0, 13.0, 7.0])
        .and(limb("250,404 262,446 252,486", &[17.0, 13.0, 7.0]));
    legs.fill(canvas, lit(down(400.0, c(0xffe4c8), 490.0, c(0xd8a888)), c(0xffffff), [1.5, -1.0]));
    let mut skirt = Shape::default();
    for (x, y) in [(180.0, 420.0), (206.0, 440.0), (240.0, 450.0), (274.0, 440.0), (300.0, 420.0)] {
        skirt = skirt.and(leaf([240.0, 340.0], [x, y], 40.0));
    }
    skirt.fill(canvas, lit(down(340.0, LEAF, 450.0, GREEN), SUN, [1.5, -2.0]));
    blob("218,318 240,308 262,318 256,366 240,376 224,366")
        .fill(canvas, lit(down(308.0, c(0xc8f090), 376.0, c(0x60b860)), SUN, [1.5, -2.0]));
    let arms = limb("222,326 186,344 170,312", &[13.0, 11.0, 8.0])
        .and(limb("258,326 296,338 316,300", &[13.0, 11.0, 8.0]));
    arms.fill(canvas, lit(c(0xffe0c4), c(0xffffff), [1.0, -1.5]));
    leaf([316.0, 306.0], [340.0, 196.0], 9.0)
        .and(star(342.0, 190.0, 4, 22.0, 5.0, 0.0))
        .fill(canvas, lit(SUN, c(0xffffff), [0.0, -1.0]));
    canvas.glow(342.0, 190.0, 70.0, SUN.a(0.9));
    let hair = blob("240,208 290,226 306,280 290,330 268,300 212,300 190,330 174,280 190,226")
        .and(leaf([240.0, 222.0], [262.0, 156.0], 28.0))
        .and(leaf([240.0, 222.0], [212.0, 166.0], 22.0));
    hair.fill(canvas, lit(down(156.0, c(0x80d868), 330.0, c(0x1e7a4c)), SUN, [2.0, -3.0]));
    blob("240,230 276,252 278,286 240,318 202,286 204,252")
        .fill(canvas, down(230.0, c(0xfff0dc), 318.0, c(0xf8d0b0)));
    blob("!200,268 216,236 240,226 264,236 !280,268 262,252 240,256 218,252")
        .fill(canvas, c(0x40a85c));
    leaf([276.0, 270.0], [318.0, 250.0], 17.0).doubled(240.0).fill(canvas, c(0xffe4c8));
    disc(258.0, 280.0, 7.0, 10.0).doubled(240.0).fill(canvas, down(270.0, NIGHT, 290.0, GREEN));
    disc(260.0, 276.0, 2.6, 3.2).and(disc(224.0, 276.0, 2.6, 3.2)).fill(canvas, c(0xffffff));
    disc(268.0, 294.0, 7.0, 4.0).doubled(240.0).fill(canvas, c(0xff9898).a(0.45));
    thick(&crate::art::canvas::line("233,300 240,304 247,300"), &[0.8, 2.4, 0.8])
        .fill(canvas, c(0xb05850));
    canopy(canvas, 6, 150.0, 46.0, [c(0x105034), c(0x48a85c)]);
    grass(canvas, 5, 640.0, 110.0, [NIGHT, c(0x248a50)]);
    canvas.motes(12, 44, [30.0, 120.0, 450.0, 600.0], 3.2, SUN);
}

/// 大樹の守り人オルド: Old Ord, Keeper of the Tree.
/// A tree with a door of light.
fn oak(canvas: &mut Canvas) {
    canvas.sky(&[(0.0, 0x062018), (0.5, 0x207a5c), (0.8, 0x80d090), (1.0, 0x083020)]);
    canvas.stars(5, 60, 240.0, SUN);
    canvas.glow(240.0, 360.0, 360.0, c(0x90f0a0).a(0.6));
    trunks(canvas, 13, 10, 16.0, c(0x247858), c(0x1c6044));
    canvas.mist(300.0, 560.0, c(0xb0f0b0).a(0.45));
    let mut crown = Shape::default();
    let mut dice = Dice::new(44);
    for _ in 0..26 {
        let (x, y, r) =
            (dice.within(30.0, 450.0), dice.within(20.0, 210.0), dice.within(40.0, 78.0));
        crown = crown.and(disc(x, y, r, r * 0.8));
    }
    crown.fill(canvas, lit(down(-20.0, c(0x54b45c), 280.0, c(0x0c4430)), c(0xd8ff90), [0.0, -5.0]));
    let wood = blob(
        "!186,240 204,330 176,440 120,520 40,570 !10,610 140,590 200,600 240,590 280,600 340,590 !470,610 440,570 360,520 304,440 276,330 !294,240 262,262 240,250 218,262",
    );
    let boughs = limb("220,320 160,240 90,200", &[60.0, 34.0, 8.0])
        .and(limb("262,320 320,236 396,190", &[60.0, 34.0, 8.0]))
        .and(limb("240,320 244,220 230,120", &[60.0, 36.0, 8.0]));
    let ink = across(120.0, 360.0, [(0.0, c(0x302c1c)), (0.5, c(0x7a6040)), (1.0, c(0x242014))]);
    wood.and(boughs).fill(canvas, lit(ink, c(0xc8f090), [2.0, -2.0]));
    for (a, w) in [
        ("206,300 200,400 150,500", 4.0),
        ("224,300 226,380 210,420", 3.0),
        ("276,300 288,400 340,500", 4.0),
        ("258,290 262,360 276,420", 3.0),
    ] {
        limb(a, &[1.0, w, 1.0]).fill(canvas, NIGHT.a(0.5));
    }
    for _ in 0..60 {
        let (x, y) = (dice.within(20.0, 460.0), dice.within(10.0, 240.0));
        let (angle, long) = (dice.within(0.0, 6.2), dice.within(14.0, 30.0));
        leaf([x, y], [x + angle.cos() * long, y + angle.sin() * long], long * 0.5)
            .fill(canvas, c(0x247a48).to(c(0xc8f488), dice.roll()).a(0.85));
    }
    let face = disc(212.0, 366.0, 13.0, 9.0).doubled(240.0);
    canvas.glow(240.0, 366.0, 90.0, SUN.a(0.5));
    face.fill(canvas, c(0x18140c));
    disc(212.0, 366.0, 7.0, 7.0).doubled(240.0).fill(canvas, SUN);
    limb("190,346 212,342 230,352", &[3.0, 9.0, 3.0]).doubled(240.0).fill(canvas, c(0x242014));
    blob("240,370 252,398 240,408 228,398").fill(canvas, c(0x504028));
    let beard = leaf([240.0, 410.0], [240.0, 476.0], 36.0)
        .and(leaf([228.0, 408.0], [206.0, 460.0], 24.0))
        .and(leaf([252.0, 408.0], [274.0, 460.0], 24.0));
    beard.fill(canvas, lit(down(408.0, LEAF, 476.0, GREEN), SUN, [1.0, -2.0]));
    let door = blob("!206,594 206,530 240,486 274,530 !274,594");
    door.aura(canvas, 60.0, SUN.a(0.95));
    let ink = round(240.0, 560.0, 90.0, c(0xffffff), c(0xf0b848)).with(0.5, c(0xfff4a8));
    door.fill(canvas, ink);
    door.stroke(canvas, 6.0, c(0x483820));
    canvas.ground(6, 606.0, 10.0, c(0x207044), NIGHT);
    poly("208,600 272,600 340,660 140,660")
        .fill(canvas, down(596.0, SUN.a(0.7), 650.0, SUN.a(0.0)));
    let traveller = blob("236,572 244,560 252,572 260,612 228,612");
    traveller.fill(canvas, NIGHT);
    for [x, y, s] in rows("86,584,1 120,600,0.7 396,590,1.1 360,606,0.7") {
        blob([[x - 3.0 * s, y + 24.0 * s], [x, y], [x + 3.0 * s, y + 24.0 * s]]).fill(canvas, SUN);
        blob(&format!(
            "!{},{y} {x},{} !{},{y} {x},{}",
            x - 18.0 * s,
            y - 20.0 * s,
            x + 18.0 * s,
            y + 4.0 * s
        ))
        .fill(canvas, lit(c(0xf07858), SUN, [0.0, -2.0]));
    }
    grass(canvas, 15, 645.0, 50.0, [NIGHT, GREEN]);
    canvas.motes(2, 50, [20.0, 200.0, 460.0, 600.0], 3.0, SUN);
}

/// 翠角の鹿シルヴァ: Silva, the Green-Antlered Stag.
/// A stag on a hill in the mist.
fn silva(canvas: &mut Canvas) {
    canvas.sky(&[(0.0, 0x186a60), (0.5, 0x70c898), (0.78, 0xf0ffd0), (1.0, 0x104a34)]);
    canvas.moon(250.0, 250.0, 130.0, c(0xfffbd8), c(0xf0ffb0));
    canvas.rays([250.0, 250.0], 8, 20, 520.0, SUN.a(0.22));
    canvas.ridge(4, 470.0, 110.0, 130.0, c(0x6cc0a0), c(0xa8e0b8));
    canvas.firs(2, 480.0, 130.0, c(0x48a080), c(0x70c098));
    canvas.mist(380.0, 500.0, SUN.a(0.5));
    canvas.firs(7, 540.0, 190.0, c(0x206a50), c(0x489870));
    canvas.mist(460.0, 570.0, SUN.a(0.4));
    canvas.ground(12, 545.0, 30.0, c(0x165a3c), NIGHT);
    let ink =
        slope([140.0, 220.0], [330.0, 540.0], c(0x5c8058), c(0x082018)).with(0.4, c(0x244c38));
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
    body.and(neck).and(head).and(ears).and(legs).and(tail).fill(canvas, lit(ink, SUN, [1.5, -3.5]));
    let antlers = limb("160,256 150,210 110,170 108,110", &[12.0, 10.0, 8.0, 2.0])
        .and(limb("136,196 96,190 70,160", &[8.0, 6.0, 1.5]))
        .and(limb("112,160 82,130 78,96", &[7.0, 5.0, 1.5]))
        .and(limb("150,214 158,176 146,140", &[7.0, 5.0, 1.5]))
        .and(limb("168,256 196,214 246,186 262,120", &[12.0, 10.0, 8.0, 2.0]))
        .and(limb("216,204 262,206 292,174", &[8.0, 6.0, 1.5]))
        .and(limb("248,178 286,150 292,110", &[7.0, 5.0, 1.5]))
        .and(limb("204,210 206,166 222,132", &[7.0, 5.0, 1.5]));
    antlers.fill(canvas, lit(down(100.0, c(0x487a40), 260.0, c(0x303c24)), SUN, [1.5, -1.5]));
    let mut dice = Dice::new(3);
    for [x, y] in
        rows("108,110 70,160 78,96 146,140 262,120 292,174 292,110 222,132 112,160 246,186")
    {
        for _ in 0..7 {
            let (angle, long) = (dice.within(0.0, 6.2), dice.within(14.0, 28.0));
            leaf([x, y], [x + angle.cos() * long, y + angle.sin() * long], long * 0.5)
                .fill(canvas, c(0x309850).to(c(0xc8f080), dice.roll()));
        }
    }
    disc(140.0, 278.0, 4.4, 4.0).fill(canvas, NIGHT);
    disc(138.6, 276.6, 1.4, 1.4).fill(canvas, c(0xffffff));
    for [x, y] in rows("236,384 262,396 288,384 310,400 276,414 240,410") {
        disc(x, y, 4.0, 3.2).fill(canvas, SUN.a(0.5));
    }
    canopy(canvas, 31, 120.0, 44.0, [NIGHT, c(0x206a48)]);
    grass(canvas, 8, 640.0, 90.0, [NIGHT, c(0x308a54)]);
    canvas.motes(41, 36, [30.0, 180.0, 450.0, 600.0], 3.0, SUN);
}

/// 蛍火の梟ミミ: Mimi, the Firefly Owl.
/// An owl among fireflies.
fn mimi(canvas: &mut Canvas) {
    canvas.sky(&[(0.0, 0x041420), (0.5, 0x0c4848), (1.0, 0x082c20)]);
    canvas.stars(9, 120, 400.0, SUN);
    canvas.moon(330.0, 150.0, 84.0, c(0xfff8c8), c(0xc8f0a0));
    canvas.craters(330.0, 150.0, 84.0, c(0xa0c080).a(0.2));
    trunks(canvas, 21, 8, 22.0, c(0x0c3c38), c(0x083028));
    canvas.mist(380.0, 600.0, c(0x60c890).a(0.35));
    let bough = limb("-20,500 120,486 260,492 500,452", &[50.0, 44.0, 36.0, 26.0])
        .and(limb("330,480 390,420 450,400", &[18.0, 12.0, 3.0]))
        .and(limb("90,490 60,430 70,380", &[18.0, 12.0, 3.0]));
    bough.fill(canvas, lit(down(440.0, c(0x6a5438), 520.0, c(0x1c1810)), SUN, [1.0, -3.0]));
    let wing = blob("318,300 362,360 356,440 316,482 300,400").doubled(232.0);
    let body = blob("232,210 306,232 334,320 312,430 270,484 194,484 152,430 130,320 158,232");
    let tufts = blob("!172,246 !152,170 206,214").and(blob("!292,246 !312,170 258,214"));
    body.aura(canvas, 40.0, c(0xc8f0a0).a(0.35));
    let ink =
        slope([150.0, 200.0], [330.0, 480.0], c(0xa08458), c(0x282c20)).with(0.5, c(0x605038));
    tufts.and(body).fill(canvas, lit(ink, SUN, [2.5, -3.0]));
    wing.fill(canvas, lit(down(300.0, c(0x705c3c), 480.0, c(0x202418)), SUN.a(0.8), [2.0, -2.0]));
    blob("232,330 286,350 284,430 232,478 180,430 178,350")
        .fill(canvas, down(330.0, c(0xf0e0b8), 478.0, c(0xb8a070)));
    for row in 0..5_u8 {
        for column in 0..4_u8 {
            let (x, y) = (
                190.0 + f32::from(column) * 26.0 + f32::from(row % 2) * 13.0,
                362.0 + f32::from(row) * 22.0,
            );
            blob(&format!(
                "!{},{y} {},{} {x},{} {},{}",
                x,
                x + 6.0,
                y + 8.0,
                y + 14.0,
                x - 6.0,
                y + 8.0
            ))
            .fill(canvas, c(0x806840).a(0.65));
        }
    }
    let disc_face = disc(188.0, 290.0, 56.0, 56.0).and(disc(276.0, 290.0, 56.0, 56.0));
    disc_face
        .fill(canvas, lit(down(234.0, c(0xf8ecc8), 346.0, c(0xc0a878)), c(0xffffff), [0.0, -2.0]));
    for x in [188.0, 276.0] {
        canvas.glow(x, 290.0, 64.0, c(0xffe070).a(0.6));
        let ink = round(x, 290.0, 38.0, c(0xffd040), c(0x804c10)).with(0.7, c(0xf0a020));
        disc(x, 290.0, 38.0, 38.0).fill(canvas, ink);
        disc(x, 290.0, 22.0, 23.0).fill(canvas, c(0x0a0c08));
        disc(x + 8.0, 281.0, 8.0, 8.0).fill(canvas, c(0xffffff));
        disc(x - 8.0, 300.0, 4.0, 4.0).fill(canvas, SUN.a(0.8));
    }
    blob("!218,308 232,300 !246,308 !232,346")
        .fill(canvas, lit(down(300.0, c(0xffc850), 346.0, c(0xa86c20)), SUN, [0.0, -2.0]));
    for x in [196.0, 214.0, 250.0, 268.0] {
        leaf([x, 474.0], [x, 506.0], 15.0).fill(canvas, lit(c(0xe0a840), SUN, [0.0, -1.0]));
    }
    poly("150,520 232,546 314,520 314,580 232,606 150,580")
        .fill(canvas, lit(down(520.0, c(0xfbf4d8), 606.0, c(0xa89870)), c(0xffffff), [0.0, -2.0]));
    thick(&[[232.0, 546.0], [232.0, 606.0]], &[2.0, 2.0]).fill(canvas, c(0x706040));
    for i in 0..4_u8 {
        let y = 542.0 + f32::from(i) * 11.0;
        thick(&[[166.0, y], [220.0, y + 17.0]], &[2.0, 2.0])
            .doubled(232.0)
            .fill(canvas, c(0x706848).a(0.7));
    }
    canvas.glow(232.0, 550.0, 130.0, c(0xe8ff90).a(0.5));
    canopy(canvas, 17, 140.0, 40.0, [NIGHT, c(0x145040)]);
    for [x, y] in rows("110,300 390,300 150,130 96,560 380,540 420,380 70,210 250,130") {
        canvas.glow(x, y, 44.0, c(0xd8ff70).a(0.7));
        disc(x, y, 4.0, 4.0).fill(canvas, SUN);
    }
    canvas.motes(19, 36, [20.0, 120.0, 460.0, 630.0], 2.4, c(0xd8ff70));
}

/// 苔むす巨人モルグ: Morg, the Mossy Giant.
/// A giant with a wood on its back.
fn moss(canvas: &mut Canvas) {
    canvas.sky(&[(0.0, 0x80c8c0), (0.5, 0xd8f0c0), (0.8, 0x80c088), (1.0, 0x104030)]);
    canvas.glow(110.0, 110.0, 330.0, c(0xfffbe0).a(0.95));
    canvas.clouds(6, [-60.0, 300.0], 200.0, 0.52, c(0xffffff).a(0.7));
    canvas.ridge(14, 450.0, 210.0, 140.0, c(0x80b8b0), c(0xb8e0c0));
    canvas.mist(330.0, 470.0, c(0xffffe8).a(0.6));
    canvas.ridge(24, 520.0, 130.0, 90.0, c(0x58a088), c(0x90c8a0));
    canvas.firs(3, 540.0, 60.0, c(0x387a60), c(0x58a080));
    canvas.mist(450.0, 560.0, c(0xf0ffe0).a(0.6));
    let stone =
        slope([160.0, 180.0], [360.0, 600.0], c(0x9cb48c), c(0x183028)).with(0.4, c(0x587860));
    limb("330,400 372,490 352,612", &[110.0, 84.0, 92.0])
        .and(limb("236,420 250,510 230,612", &[100.0, 80.0, 92.0]))
        .fill(canvas, lit(stone.clone(), SUN, [-2.0, -3.0]));
    let hump = blob("150,330 176,250 250,196 340,200 400,260 410,360 370,440 270,470 186,440");
    hump.fill(canvas, lit(stone.clone(), SUN, [-2.0, -4.0]));
    let mut dice = Dice::new(18);
    for i in 0..13_u8 {
        let angle = 3.4 + f32::from(i) * 0.2;
        let (x, y) = (282.0 + angle.cos() * 124.0, 306.0 + angle.sin() * 104.0);
        let tall = dice.within(56.0, 110.0);
        thick(&[[x, y + 10.0], [x + 3.0, y - tall * 0.5]], &[8.0, 4.0]).fill(canvas, BARK);
        for (dx, dy, r) in [(-0.16, 0.55, 0.26), (0.18, 0.6, 0.25), (0.0, 0.85, 0.28)] {
            let bush = disc(x + dx * tall, y - dy * tall, r * tall, r * tall * 0.86);
            bush.fill(canvas, lit(down(y - tall, c(0x8cd070), y, c(0x206040)), SUN, [-1.5, -2.5]));
        }
    }
    let carpet = blob(
        "146,316 180,250 250,208 330,206 396,258 404,310 360,296 330,330 290,300 250,336 214,300 180,340",
    );
    carpet.fill(canvas, down(206.0, c(0x98d868), 340.0, c(0x388048)));
    let arm = limb("180,350 110,420 96,520 120,580", &[96.0, 76.0, 66.0, 72.0]);
    arm.fill(canvas, lit(stone.clone(), SUN, [-2.0, -3.0]));
    blob("140,300 156,262 200,258 226,290 214,336 166,344")
        .fill(canvas, lit(stone, SUN, [-2.0, -3.0]));
    blob("138,292 156,258 204,254 226,284 200,282 178,292 160,280").fill(canvas, c(0x80c860));
    for x in [164.0, 192.0] {
        canvas.lamp(x, 306.0, 5.0, c(0xe8ffa0));
    }
    for [x, y] in rows("112,420 140,392 104,480 250,420 320,400 350,470 256,520") {
        disc(x, y, 20.0, 10.0).fill(canvas, c(0x78b858).a(0.8));
        thick(&[[x, y + 6.0], [x + 2.0, y + 34.0]], &[4.0, 0.5]).fill(canvas, c(0x68a850).a(0.8));
    }
    for [x, y, s] in rows("90,180,1 122,162,0.7 60,206,0.6 420,130,0.8") {
        limb(
            [
                [x - 16.0 * s, y - 6.0 * s],
                [x - 8.0 * s, y - 10.0 * s],
                [x, y],
                [x + 8.0 * s, y - 10.0 * s],
                [x + 16.0 * s, y - 6.0 * s],
            ],
            &[0.6, 3.0, 3.4, 3.0, 0.6],
        )
        .fill(canvas, c(0x204840));
    }
    canvas.mist(560.0, 640.0, c(0xf0ffe0).a(0.5));
    grass(canvas, 33, 644.0, 80.0, [c(0x0c3424), c(0x388a50)]);
    canvas.motes(8, 22, [20.0, 380.0, 460.0, 620.0], 2.6, SUN);
}

/// 精霊の泉: Fountain of Spirits.
/// A lotus that shines on still water.
fn lotus(canvas: &mut Canvas) {
    canvas.sky(&[(0.0, 0x062430), (0.42, 0x208070), (0.5, 0xb0f0b8), (1.0, 0x042820)]);
    canvas.stars(6, 60, 200.0, SUN);
    canvas.glow(240.0, 310.0, 330.0, c(0xc0ffc0).a(0.7));
    trunks(canvas, 26, 9, 16.0, c(0x1c6858), c(0x409878));
    canvas.rays([240.0, -80.0], 21, 22, 620.0, SUN.a(0.2));
    canvas.water(11, 320.0, c(0x50c0a0), c(0x043028), 240.0, c(0xe8ffd8).a(0.5));
    canvas.mist(260.0, 330.0, SUN.a(0.6));
    for [x, y, w] in
        rows("86,420,66 398,400,58 352,560,96 96,570,84 250,610,50 436,480,44 40,486,40")
    {
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
        pad.clone().moved(0.0, 8.0).shadow(canvas, 12.0, NIGHT.a(0.5));
        pad.fill(
            canvas,
            lit(down(y - w * 0.34, c(0x80d880), y + w * 0.34, c(0x186a48)), SUN, [0.0, -2.0]),
        );
    }
    canvas.glow(240.0, 430.0, 260.0, c(0xffd8f0).a(0.9));
    for (count, long, low, tints) in [
        (9_u8, 190.0, 0.12, [c(0xffa0cc), c(0xc84890)]),
        (8, 160.0, 0.5, [c(0xffc0dc), c(0xe068a8)]),
        (7, 126.0, 0.9, [c(0xffe4f0), c(0xf890c0)]),
        (5, 92.0, 1.2, [c(0xffffff), c(0xffb8d8)]),
    ] {
        for i in 0..count {
            let share = f32::from(i) / f32::from(count - 1) * 2.0 - 1.0;
            let angle = -std::f32::consts::FRAC_PI_2 + share * (1.75 - low * 0.75);
            let to = [240.0 + angle.cos() * long, 476.0 + angle.sin() * long * 0.9];
            let petal = leaf([240.0, 480.0], to, long * 0.42);
            let ink = Ink::Line([240.0, 480.0], to, vec![(0.0, tints[1]), (1.0, tints[0])]);
            petal.fill(canvas, lit(ink, c(0xffffff), [0.0, -1.5]));
        }
    }
    canvas.glow(240.0, 420.0, 110.0, c(0xfff8c0).a(0.95));
    disc(240.0, 436.0, 24.0, 15.0)
        .fill(canvas, lit(down(420.0, c(0xfff0a0), 452.0, c(0xe0a840)), c(0xffffff), [0.0, -2.0]));
    for i in 0..5_u8 {
        let i = f32::from(i);
        disc(240.0, 500.0, 120.0 + i * 34.0, 16.0 + i * 9.0).stroke(
            canvas,
            1.6,
            c(0xffffff).a(0.4 - i * 0.07),
        );
    }
    let spirit = blob("240,240 262,262 256,300 !240,340 224,300 218,262");
    spirit.aura(canvas, 40.0, SUN.a(0.95));
    spirit.fill(canvas, round(240.0, 268.0, 60.0, c(0xffffff), c(0xc0ffb0).a(0.3)));
    leaf([246.0, 276.0], [312.0, 232.0], 34.0).doubled(240.0).fill(canvas, c(0xe8ffe0).a(0.7));
    leaf([246.0, 286.0], [296.0, 306.0], 24.0).doubled(240.0).fill(canvas, c(0xe8ffe0).a(0.55));
    canopy(canvas, 37, 170.0, 46.0, [NIGHT, c(0x207050)]);
    canvas.sparkles(18, 14, [60.0, 200.0, 420.0, 560.0], SUN);
    canvas.motes(28, 40, [30.0, 140.0, 450.0, 600.0], 2.8, c(0xd8ffa0));
}
