//! 深淵を覗く眼: Eye of the Abyss.

use super::*;

/// It looks back.
pub(super) fn draw(it: &mut Canvas) {
    it.sky(&[(0.0, 0x040212), (0.5, 0x280c54), (1.0, 0x060318)]);
    it.clouds(15, [0.0, 640.0], 140.0, 0.55, c(0x681c90).a(0.6));
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
        shape.fill(
            it,
            lit(
                round(240.0, 310.0, 380.0, c(0x702cb0), c(0x160834)),
                LIGHT,
                [if i % 2 == 0 { 2.0 } else { -2.0 }, -2.5],
            ),
        );
        for (k, at) in (0_u8..).zip(line(arm).into_iter().skip(5).step_by(4)) {
            let r = 7.0 - f32::from(k) * 0.9;
            if r > 1.5 {
                disc(at[0], at[1], r, r).fill(it, lit(c(0xe090d8), WHITE, [0.0, -1.5]));
            }
        }
    }
    let lid = blob("!40,312 130,220 240,188 350,220 !440,312 350,404 240,436 130,404");
    lid.aura(it, 50.0, LIGHT.a(0.6));
    lid.clone()
        .scaled(240.0, 312.0, 1.12)
        .fill(it, lit(down(170.0, c(0x602498), 450.0, c(0x200844)), PALE, [0.0, -4.0]));
    let ink = Ink::Round(
        [240.0, 312.0],
        200.0,
        vec![(0.0, WHITE), (0.6, c(0xf4e0f8)), (1.0, c(0x9060a8))],
    );
    lid.fill(it, ink);
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
        vein.fill_within(it, c(0xc03080).a(0.6), mask.as_ref());
    }
    let ink = Ink::Round(
        [240.0, 312.0],
        114.0,
        vec![(0.0, c(0xfff0a0)), (0.35, c(0xf060c8)), (0.75, c(0x7020b8)), (1.0, c(0x1c0840))],
    );
    disc(240.0, 312.0, 114.0, 114.0).fill_within(it, ink, mask.as_ref());
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
        streak.fill_within(it, c(0xffd8f8).a(dice.within(0.2, 0.7)), mask.as_ref());
    }
    leaf([240.0, 204.0], [240.0, 420.0], 72.0).fill_within(it, c(0x040210), mask.as_ref());
    star(240.0, 312.0, 4, 30.0, 6.0, 0.0).fill_within(it, CYAN.a(0.9), mask.as_ref());
    it.glow(240.0, 312.0, 60.0, CYAN.a(0.6));
    disc(280.0, 262.0, 20.0, 15.0).fill(it, WHITE.a(0.92));
    disc(206.0, 362.0, 9.0, 7.0).fill(it, WHITE.a(0.6));
    lid.stroke(it, 5.0, c(0x180630));
    for i in 0..11_u8 {
        let share = f32::from(i) / 10.0;
        let x = 60.0 + 360.0 * share;
        let y = 306.0 - 122.0 * (share * std::f32::consts::PI).sin().powf(0.8);
        leaf([x, y + 6.0], [x + (x - 240.0) * 0.28, y - 46.0], 9.0).fill(it, c(0x180630));
    }
    it.sparkles(14, 14, [30.0, 30.0, 450.0, 610.0], PALE);
}
