//! 紅蓮の鍛冶師ホムラ: Homura, Crimson Smith.

use super::*;

/// A smith at the anvil.
pub(super) fn draw(it: &mut Canvas) {
    it.sky(&[(0.0, 0x160408), (0.6, 0x480c10), (1.0, 0x1c0508)]);
    let arch = blob("!70,600 70,330 120,180 240,110 360,180 410,330 !410,600");
    arch.aura(it, 80.0, FIRE.a(0.4));
    arch.clone()
        .scaled(240.0, 560.0, 1.08)
        .fill(it, lit(down(80.0, c(0x602018), 600.0, c(0x280a0c)), FIRE.a(0.6), [0.0, 3.0]));
    let ink = Ink::Round(
        [240.0, 470.0],
        400.0,
        vec![(0.0, c(0xfff4c8)), (0.25, c(0xffb848)), (0.6, RED), (1.0, DEEP)],
    );
    arch.fill(it, ink);
    let mask = it.mask(&arch);
    for i in 0..9_u8 {
        let x = 80.0 + f32::from(i) * 40.0;
        let tall = 190.0 + 110.0 * (f32::from(i) * 2.3).sin();
        let flame =
            blob(&format!("!{x},{} {},520 {x},600 {},520", 600.0 - tall, x + 34.0, x - 34.0));
        flame.fill_within(it, down(600.0 - tall, FIRE.a(0.1), 600.0, PALE.a(0.75)), mask.as_ref());
    }
    it.rays([240.0, 480.0], 4, 16, 420.0, PALE.a(0.2));
    it.ground(3, 580.0, 6.0, c(0x300c0c), NIGHT);
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
    scarf.fill(it, lit(ink, PALE, [0.0, -2.0]));
    legs.and(trunk).and(left).and(head).fill(it, lit(dark.clone(), c(0xffc070), [2.5, 2.5]));
    apron.fill(it, lit(down(400.0, c(0x502018), 540.0, c(0x1c080a)), FIRE, [2.0, 2.0]));
    hair.fill(it, lit(down(120.0, c(0xff7a38), 240.0, c(0x901c14)), PALE, [1.5, -2.0]));
    let arm = limb("282,296 336,262 346,200 322,150", &[50.0, 44.0, 36.0, 30.0]);
    arm.fill(it, lit(dark, c(0xffc070), [2.5, 2.0]));
    let handle = thick(&[[336.0, 190.0], [268.0, 62.0]], &[11.0, 11.0]);
    handle.fill(it, lit(c(0x784020), PALE, [1.0, 1.0]));
    let hammer = poly("214,62 304,16 330,66 240,112");
    let ink =
        Ink::Line([214.0, 20.0], [330.0, 110.0], vec![(0.0, c(0x987870)), (1.0, c(0x301c20))]);
    hammer.fill(it, lit(ink, PALE, [1.5, 3.0]));
    let anvil =
        blob("!96,452 !306,452 !302,478 250,492 236,516 !262,548 !150,548 176,516 160,490 112,478");
    anvil.fill(it, lit(down(452.0, c(0x805850), 548.0, IRON), PALE, [0.0, -4.0]));
    let blade = poly("120,440 300,430 330,440 300,450");
    blade.aura(it, 26.0, FIRE.a(0.95));
    blade.fill(it, across(120.0, 330.0, [(0.0, RED), (0.5, PALE), (1.0, c(0xffffff))]));
    it.glow(214.0, 440.0, 150.0, PALE.a(0.85));
    let mut dice = Dice::new(9);
    for _ in 0..46 {
        let (angle, near) = (dice.within(-3.0, -0.14), dice.roll());
        let (from, to) = (30.0 + near * 110.0, 44.0 + near * 160.0);
        let at = |r: f32| [214.0 + angle.cos() * r, 440.0 + angle.sin() * r + near * near * 30.0];
        thick(&[at(from), at(to)], &[0.6, 2.6]).fill(it, PALE.to(FIRE, near));
    }
    it.motes(22, 50, [30.0, 120.0, 450.0, 560.0], 2.8, FIRE);
}
