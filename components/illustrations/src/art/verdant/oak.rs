//! 大樹の守り人オルド: Old Ord, Keeper of the Tree.

use super::*;

/// A tree with a door of light.
pub(super) fn draw() -> Canvas {
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
    subject(&mut it);
    it
}

/// Draws the main figure.
fn subject(it: &mut Canvas) {
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
        it.fill(&blob([[x - 3.0 * s, y + 24.0 * s], [x, y], [x + 3.0 * s, y + 24.0 * s]]), SUN);
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
    grass(it, 15, 645.0, 50.0, [NIGHT, GREEN]);
    it.motes(2, 50, [20.0, 200.0, 460.0, 600.0], 3.0, SUN);
}
