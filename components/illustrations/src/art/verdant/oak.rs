//! 大樹の守り人オルド: Old Ord, Keeper of the Tree.

use super::*;

/// A tree with a door of light.
pub(super) fn draw(it: &mut Canvas) {
    it.sky(&[(0.0, 0x062018), (0.5, 0x207a5c), (0.8, 0x80d090), (1.0, 0x083020)]);
    it.stars(5, 60, 240.0, SUN);
    it.glow(240.0, 360.0, 360.0, c(0x90f0a0).a(0.6));
    trunks(it, 13, 10, 16.0, c(0x247858), c(0x1c6044));
    it.mist(300.0, 560.0, c(0xb0f0b0).a(0.45));
    let mut crown = Shape::default();
    let mut dice = Dice::new(44);
    for _ in 0..26 {
        let (x, y, r) =
            (dice.within(30.0, 450.0), dice.within(20.0, 210.0), dice.within(40.0, 78.0));
        crown = crown.and(disc(x, y, r, r * 0.8));
    }
    crown.fill(it, lit(down(-20.0, c(0x54b45c), 280.0, c(0x0c4430)), c(0xd8ff90), [0.0, -5.0]));
    let wood = blob(
        "!186,240 204,330 176,440 120,520 40,570 !10,610 140,590 200,600 240,590 280,600 340,590 !470,610 440,570 360,520 304,440 276,330 !294,240 262,262 240,250 218,262",
    );
    let boughs = limb("220,320 160,240 90,200", &[60.0, 34.0, 8.0])
        .and(limb("262,320 320,236 396,190", &[60.0, 34.0, 8.0]))
        .and(limb("240,320 244,220 230,120", &[60.0, 36.0, 8.0]));
    let ink = across(120.0, 360.0, [(0.0, c(0x302c1c)), (0.5, c(0x7a6040)), (1.0, c(0x242014))]);
    wood.and(boughs).fill(it, lit(ink, c(0xc8f090), [2.0, -2.0]));
    for (a, w) in [
        ("206,300 200,400 150,500", 4.0),
        ("224,300 226,380 210,420", 3.0),
        ("276,300 288,400 340,500", 4.0),
        ("258,290 262,360 276,420", 3.0),
    ] {
        limb(a, &[1.0, w, 1.0]).fill(it, NIGHT.a(0.5));
    }
    for _ in 0..60 {
        let (x, y) = (dice.within(20.0, 460.0), dice.within(10.0, 240.0));
        let (angle, long) = (dice.within(0.0, 6.2), dice.within(14.0, 30.0));
        leaf([x, y], [x + angle.cos() * long, y + angle.sin() * long], long * 0.5)
            .fill(it, c(0x247a48).to(c(0xc8f488), dice.roll()).a(0.85));
    }
    let face = disc(212.0, 366.0, 13.0, 9.0).doubled(240.0);
    it.glow(240.0, 366.0, 90.0, SUN.a(0.5));
    face.fill(it, c(0x18140c));
    disc(212.0, 366.0, 7.0, 7.0).doubled(240.0).fill(it, SUN);
    limb("190,346 212,342 230,352", &[3.0, 9.0, 3.0]).doubled(240.0).fill(it, c(0x242014));
    blob("240,370 252,398 240,408 228,398").fill(it, c(0x504028));
    let beard = leaf([240.0, 410.0], [240.0, 476.0], 36.0)
        .and(leaf([228.0, 408.0], [206.0, 460.0], 24.0))
        .and(leaf([252.0, 408.0], [274.0, 460.0], 24.0));
    beard.fill(it, lit(down(408.0, LEAF, 476.0, GREEN), SUN, [1.0, -2.0]));
    let door = blob("!206,594 206,530 240,486 274,530 !274,594");
    door.aura(it, 60.0, SUN.a(0.95));
    let ink = Ink::Round(
        [240.0, 560.0],
        90.0,
        vec![(0.0, c(0xffffff)), (0.5, c(0xfff4a8)), (1.0, c(0xf0b848))],
    );
    door.fill(it, ink);
    door.stroke(it, 6.0, c(0x483820));
    it.ground(6, 606.0, 10.0, c(0x207044), NIGHT);
    poly("208,600 272,600 340,660 140,660").fill(it, down(596.0, SUN.a(0.7), 650.0, SUN.a(0.0)));
    let traveller = blob("236,572 244,560 252,572 260,612 228,612");
    traveller.fill(it, NIGHT);
    for (x, y, s) in
        [(86.0, 584.0, 1.0), (120.0, 600.0, 0.7), (396.0, 590.0, 1.1), (360.0, 606.0, 0.7)]
    {
        blob([[x - 3.0 * s, y + 24.0 * s], [x, y], [x + 3.0 * s, y + 24.0 * s]]).fill(it, SUN);
        blob(&format!(
            "!{},{y} {x},{} !{},{y} {x},{}",
            x - 18.0 * s,
            y - 20.0 * s,
            x + 18.0 * s,
            y + 4.0 * s
        ))
        .fill(it, lit(c(0xf07858), SUN, [0.0, -2.0]));
    }
    grass(it, 15, 645.0, 50.0, [NIGHT, GREEN]);
    it.motes(2, 50, [20.0, 200.0, 460.0, 600.0], 3.0, SUN);
}
