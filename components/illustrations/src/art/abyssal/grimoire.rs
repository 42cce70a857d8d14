//! 禁書アビスノート: Abyss Note, the Forbidden Book.

use super::*;

/// A book that writes shadows.
pub(super) fn draw(it: &mut Canvas) {
    it.sky(&[(0.0, 0x080418), (0.5, 0x301068), (1.0, 0x0c0428)]);
    it.clouds(7, [-60.0, 500.0], 160.0, 0.54, c(0x7028a0).a(0.5));
    it.stars(55, 90, 400.0, PALE);
    circle(it, 240.0, 210.0, 150.0, 1.0, LIGHT.a(0.85));
    poly("150,440 330,440 470,-20 10,-20").fill(it, down(440.0, CYAN.a(0.5), 0.0, LIGHT.a(0.0)));
    it.glow(240.0, 420.0, 300.0, CYAN.a(0.6));
    circle(it, 240.0, 590.0, 220.0, 0.2, VIOLET.to(LIGHT, 0.5));
    disc(240.0, 590.0, 170.0, 18.0).shadow(it, 24.0, c(0).a(0.7));
    let cover =
        blob("!240,560 150,528 !20,520 !36,400 150,420 240,446 330,420 !444,400 !460,520 330,528");
    cover.fill(it, lit(down(400.0, c(0x602088), 560.0, c(0x1c0838)), LIGHT, [0.0, -2.0]));
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
        let ink = across(
            40.0,
            440.0,
            [
                (0.0, c(0xc8b0d8)),
                (0.46, c(0xfff4e8)),
                (0.5, c(0x8870a0)),
                (0.54, c(0xfff4e8)),
                (1.0, c(0xc8b0d8)),
            ],
        );
        page.doubled(240.0).fill(it, lit(ink, WHITE, [0.0, -1.0]));
    }
    for row in 0..6_u8 {
        let y = 406.0 + f32::from(row) * 17.0;
        thick(
            &line([
                [74.0 + f32::from(row % 3) * 8.0, y - 12.0],
                [140.0, y - 2.0],
                [220.0, y + 18.0],
            ]),
            &[3.0, 3.0],
        )
        .doubled(240.0)
        .fill(it, c(0x683898).a(0.7));
    }
    thick(&[[240.0, 424.0], [240.0, 530.0]], &[4.0, 6.0]).fill(it, c(0x402060).a(0.6));
    limb("262,520 268,570 258,620", &[14.0, 12.0, 10.0])
        .fill(it, lit(c(0xc82860), c(0xffa0c0), [1.0, 0.0]));
    it.glow(240.0, 420.0, 200.0, PALE.a(0.8));
    let ghost = blob(
        "!240,420 214,372 172,352 186,300 170,240 206,190 240,176 274,190 310,240 294,300 308,352 266,372",
    );
    ghost.aura(it, 44.0, LIGHT.a(0.7));
    ghost.fill(it, lit(down(176.0, c(0x300c58), 420.0, c(0xa060e0).a(0.25)), LIGHT, [0.0, -2.5]));
    for x in [216.0, 264.0] {
        it.glow(x, 240.0, 44.0, CYAN.a(0.9));
        leaf([x + (x - 240.0) * 0.6, 228.0], [x - (x - 240.0) * 0.6, 248.0], 17.0).fill(it, WHITE);
    }
    blob("!208,282 224,294 240,286 256,294 !272,282 262,318 240,328 218,318")
        .fill(it, CYAN.a(0.85));
    for claw in ["186,320 130,300 100,250", "294,320 350,300 380,250"] {
        limb(claw, &[34.0, 24.0, 12.0]).fill(it, lit(c(0x381068), LIGHT, [0.0, -2.0]));
    }
    for (x, y) in [(100.0, 250.0), (380.0, 250.0)] {
        for angle in [-2.3_f32, -1.8, -1.3, -0.8] {
            leaf([x, y + 6.0], [x + angle.cos() * 34.0, y + angle.sin() * 34.0], 9.0)
                .fill(it, c(0x481880));
        }
    }
    let mut dice = Dice::new(6);
    for _ in 0..26 {
        let (x, y, s) =
            (dice.within(60.0, 420.0), dice.within(40.0, 400.0), dice.within(5.0, 11.0));
        let turn = dice.within(0.0, 3.0);
        let page = bar(x - s, y - s * 1.3, x + s, y + s * 1.3).turned(x, y, turn);
        page.fill(it, PALE.a(dice.within(0.3, 0.9)));
    }
    it.sparkles(31, 20, [60.0, 60.0, 420.0, 460.0], CYAN);
}
