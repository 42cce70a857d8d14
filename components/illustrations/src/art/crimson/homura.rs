//! 紅蓮の鍛冶師ホムラ: Homura, Crimson Smith.

use super::*;

/// A smith at the anvil.
pub(super) fn draw() -> Canvas {
    let mut it = card(&[(0.0, 0x0016_0408), (0.6, 0x0048_0c10), (1.0, 0x001c_0508)]);
    let arch = blob("!70,600 70,330 120,180 240,110 360,180 410,330 !410,600");
    it.aura(&arch, 80.0, FIRE.a(0.4));
    it.lit(
        &arch.clone().scaled(240.0, 560.0, 1.08),
        down(80.0, c(0x0060_2018), 600.0, c(0x0028_0a0c)),
        FIRE.a(0.6),
        [0.0, 3.0],
    );
    it.fill(
        &arch,
        Ink::Round(
            [240.0, 470.0],
            400.0,
            vec![(0.0, c(0x00ff_f4c8)), (0.25, c(0x00ff_b848)), (0.6, RED), (1.0, DEEP)],
        ),
    );
    let mask = it.mask(&arch);
    for i in 0..9_u8 {
        let x = 80.0 + f32::from(i) * 40.0;
        let tall = 190.0 + 110.0 * (f32::from(i) * 2.3).sin();
        let flame =
            blob(&format!("!{x},{} {},520 {x},600 {},520", 600.0 - tall, x + 34.0, x - 34.0));
        it.fill_within(&flame, down(600.0 - tall, FIRE.a(0.1), 600.0, PALE.a(0.75)), mask.as_ref());
    }
    it.rays([240.0, 480.0], 4, 16, 420.0, PALE.a(0.2));
    it.ground(3, 580.0, 6.0, c(0x0030_0c0c), NIGHT);
    let dark = down(200.0, c(0x0070_241c), 600.0, c(0x001c_060a));
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
    it.lit(
        &scarf,
        Ink::Line([250.0, 260.0], [420.0, 290.0], vec![(0.0, RED), (1.0, FIRE)]),
        PALE,
        [0.0, -2.0],
    );
    it.lit(&legs.and(trunk).and(left).and(head), dark.clone(), c(0x00ff_c070), [2.5, 2.5]);
    it.lit(&apron, down(400.0, c(0x0050_2018), 540.0, c(0x001c_080a)), FIRE, [2.0, 2.0]);
    it.lit(&hair, down(120.0, c(0x00ff_7a38), 240.0, c(0x0090_1c14)), PALE, [1.5, -2.0]);
    let arm = limb("282,296 336,262 346,200 322,150", &[50.0, 44.0, 36.0, 30.0]);
    it.lit(&arm, dark, c(0x00ff_c070), [2.5, 2.0]);
    subject(&mut it);
    it
}

/// Draws the main figure.
fn subject(it: &mut Canvas) {
    let handle = thick(&[[336.0, 190.0], [268.0, 62.0]], &[11.0, 11.0]);
    it.lit(&handle, c(0x0078_4020), PALE, [1.0, 1.0]);
    let hammer = poly("214,62 304,16 330,66 240,112");
    it.lit(
        &hammer,
        Ink::Line(
            [214.0, 20.0],
            [330.0, 110.0],
            vec![(0.0, c(0x0098_7870)), (1.0, c(0x0030_1c20))],
        ),
        PALE,
        [1.5, 3.0],
    );
    let anvil =
        blob("!96,452 !306,452 !302,478 250,492 236,516 !262,548 !150,548 176,516 160,490 112,478");
    it.lit(&anvil, down(452.0, c(0x0080_5850), 548.0, IRON), PALE, [0.0, -4.0]);
    let blade = poly("120,440 300,430 330,440 300,450");
    it.aura(&blade, 26.0, FIRE.a(0.95));
    it.fill(
        &blade,
        Ink::Line([120.0, 0.0], [330.0, 0.0], vec![(0.0, RED), (0.5, PALE), (1.0, c(0x00ff_ffff))]),
    );
    it.glow(214.0, 440.0, 150.0, PALE.a(0.85));
    let mut dice = Dice::new(9);
    for _ in 0..46 {
        let (angle, near) = (dice.within(-3.0, -0.14), dice.roll());
        let (from, to) = (30.0 + near * 110.0, 44.0 + near * 160.0);
        let at = |r: f32| [214.0 + angle.cos() * r, 440.0 + angle.sin() * r + near * near * 30.0];
        it.fill(&thick(&[at(from), at(to)], &[0.6, 2.6]), PALE.to(FIRE, near));
    }
    it.motes(22, 50, [30.0, 120.0, 450.0, 560.0], 2.8, FIRE);
}
