//! 呪鎖の門: Gate of Cursed Chains.

use super::*;

/// A gate to the stars, and its chains.
pub(super) fn draw(it: &mut Canvas) {
    it.sky(&[(0.0, 0x080420), (0.5, 0x341464), (0.85, 0x702888), (1.0, 0x100428)]);
    it.stars(70, 110, 480.0, PALE);
    it.clouds(24, [0.0, 520.0], 180.0, 0.5, c(0x602090).a(0.5));
    it.ridge(18, 560.0, 240.0, 70.0, c(0x381468), c(0x180838));
    it.ground(2, 560.0, 10.0, c(0x381860), NIGHT);
    let hall = blob("!128,580 !128,260 150,180 240,120 330,180 !352,260 !352,580");
    hall.aura(it, 80.0, LIGHT.a(0.7));
    let ink = Ink::Round(
        [240.0, 330.0],
        270.0,
        vec![
            (0.0, WHITE),
            (0.15, c(0xb8f4ff)),
            (0.45, c(0x4060e0)),
            (0.8, c(0x381088)),
            (1.0, c(0x180440)),
        ],
    );
    hall.fill(it, ink);
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
        thick(&swirl, &[2.0, 14.0, 3.0]).fill_within(it, WHITE.a(0.22), mask.as_ref());
    }
    for _ in 0..80 {
        let (angle, r) = (dice.within(0.0, std::f32::consts::TAU), dice.within(10.0, 220.0));
        let s = dice.within(0.6, 2.2);
        disc(240.0 + angle.cos() * r, 330.0 + angle.sin() * r * 1.2, s, s).fill_within(
            it,
            WHITE.a(dice.within(0.4, 1.0)),
            mask.as_ref(),
        );
    }
    it.glow(240.0, 330.0, 120.0, WHITE.a(0.8));
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
    frame.fill(it, lit(ink, PALE, [0.0, -3.0]));
    let arch =
        thick(&line("96,230 126,140 240,72 354,140 384,230"), &[62.0, 56.0, 66.0, 56.0, 62.0]);
    arch.fill(it, lit(down(60.0, c(0x8858b8), 250.0, c(0x381868)), PALE, [0.0, -3.0]));
    for i in 0..11_u8 {
        let angle = 3.32 + f32::from(i) * 0.285;
        let (x, y) = (240.0 + angle.cos() * 138.0, 226.0 + angle.sin() * 146.0);
        it.glow(x, y, 24.0, CYAN.a(0.7));
        star(x, y, 4, 10.0, 3.0, angle).fill(it, CYAN);
    }
    for y in [270.0, 340.0, 410.0, 480.0, 550.0] {
        bar(66.0, y, 122.0, y + 4.0).doubled(240.0).fill(it, NIGHT.a(0.6));
        star(94.0, y - 32.0, 4, 13.0, 5.0, 0.0).doubled(240.0).fill(it, LIGHT.a(0.75));
    }
    blob("!206,84 240,30 !274,84 262,126 240,138 218,126")
        .fill(it, lit(down(30.0, c(0xa070d0), 138.0, DEEP), PALE, [0.0, -2.5]));
    disc(226.0, 92.0, 9.0, 11.0).doubled(240.0).fill(it, NIGHT);
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
            ring.stroke(it, 5.4, c(0x1c0c30));
            ring.moved(-0.8, -0.8).stroke(it, 2.6, c(0xb898d0));
        }
    }
    blob("!214,324 240,306 !266,324 262,372 240,386 218,372")
        .fill(it, lit(down(306.0, c(0xd8b060), 386.0, c(0x603818)), WHITE, [0.0, -2.0]));
    disc(240.0, 340.0, 7.0, 7.0).and(poly("236,342 244,342 247,364 233,364")).fill(it, NIGHT);
    for (half, y) in [(150.0, 580.0), (180.0, 604.0), (212.0, 628.0)] {
        poly([
            [240.0 - half, y],
            [240.0 + half, y],
            [240.0 + half + 14.0, y + 26.0],
            [240.0 - half - 14.0, y + 26.0],
        ])
        .fill(it, lit(down(y, c(0x7858a8), y + 26.0, c(0x281048)), PALE, [0.0, -2.0]));
    }
    it.sparkles(9, 16, [130.0, 130.0, 350.0, 560.0], WHITE);
}
