//! 星詠みの羅針盤: Compass of the Star Readers.

use super::*;

/// Its needle points home.
pub(super) fn draw(it: &mut Canvas) {
    space(it, 67, [c(0x304ca8), c(0x885030)]);
    it.rays([240.0, 310.0], 5, 28, 520.0, PALE.a(0.16));
    it.glow(240.0, 310.0, 330.0, GOLD.a(0.5));
    let brass = Ink::Line(
        [80.0, 150.0],
        [400.0, 480.0],
        vec![
            (0.0, c(0xfff0b8)),
            (0.3, GOLD),
            (0.6, c(0x905818)),
            (0.8, c(0xf0c060)),
            (1.0, c(0x583008)),
        ],
    );
    thick(&line("240,110 232,70 250,30 240,-20"), &[6.0, 6.0, 6.0, 6.0]).fill(it, c(0xb07c28));
    disc(240.0, 100.0, 26.0, 26.0).stroke(it, 11.0, c(0x905818));
    disc(239.0, 99.0, 26.0, 26.0).stroke(it, 5.0, c(0xffe098));
    disc(246.0, 322.0, 194.0, 194.0).shadow(it, 26.0, c(0).a(0.6));
    disc(240.0, 310.0, 194.0, 194.0).fill(it, lit(brass.clone(), WHITE, [-1.0, -4.0]));
    let ink = Ink::Round(
        [240.0, 310.0],
        168.0,
        vec![(0.0, c(0x3860b8)), (0.6, c(0x122868)), (1.0, c(0x040c2c))],
    );
    disc(240.0, 310.0, 168.0, 168.0).fill(it, lit(ink, c(0x603808), [0.0, -5.0]));
    let mut dice = Dice::new(40);
    for _ in 0..110 {
        let (angle, r) = (dice.within(0.0, std::f32::consts::TAU), dice.roll().sqrt() * 160.0);
        let s = dice.within(0.5, 1.6);
        disc(240.0 + angle.cos() * r, 310.0 + angle.sin() * r, s, s)
            .fill(it, WHITE.a(dice.within(0.3, 1.0)));
    }
    for i in 0..72_u8 {
        let angle = f32::from(i) * 0.087_27;
        let long = if i % 6 == 0 { 19.0 } else { 10.0 };
        let at = |r: f32| [240.0 + angle.cos() * r, 310.0 + angle.sin() * r];
        thick(&[at(187.0), at(187.0 - long)], &[2.4, 1.6]).fill(it, c(0x482808).a(0.85));
    }
    for (r, w) in [(158.0, 1.6), (120.0, 1.2), (62.0, 1.6)] {
        disc(240.0, 310.0, r, r).stroke(it, w, GOLD.a(0.9));
    }
    for (turn, long, wide, tints) in [
        (0.785_f32, 112.0, 15.0, [c(0x88a8d8), c(0x304888)]),
        (0.0, 152.0, 22.0, [c(0xfff0c0), c(0xa87020)]),
    ] {
        for i in 0..4_u8 {
            let angle = turn + f32::from(i) * std::f32::consts::FRAC_PI_2;
            let tip = [240.0 + angle.cos() * long, 310.0 + angle.sin() * long];
            for (side, tint) in [(0.785_f32, tints[0]), (-0.785, tints[1])] {
                let waist =
                    [240.0 + (angle + side).cos() * wide, 310.0 + (angle + side).sin() * wide];
                poly([[240.0, 310.0], waist, tip]).fill(it, tint);
            }
        }
    }
    for (i, (x, y)) in
        (0_u8..).zip([(240.0, 178.0), (372.0, 310.0), (240.0, 442.0), (108.0, 310.0)])
    {
        it.glow(x, y, 34.0, PALE.a(0.8));
        let sign = match i {
            0 => star(x, y, 5, 15.0, 6.0, 0.0),
            1 => disc(x, y, 10.0, 10.0),
            2 => blob(&format!(
                "!{},{} {},{y} !{},{} {},{y}",
                x - 4.0,
                y - 13.0,
                x + 14.0,
                x - 4.0,
                y + 13.0,
                x + 3.0
            )),
            _ => star(x, y, 8, 13.0, 6.0, 0.0),
        };
        sign.fill(it, PALE);
    }
    let needle = poly([[240.0, 176.0], [255.0, 310.0], [225.0, 310.0]]).turned(240.0, 310.0, 0.55);
    let back = poly([[240.0, 444.0], [255.0, 310.0], [225.0, 310.0]]).turned(240.0, 310.0, 0.55);
    needle.aura(it, 22.0, c(0xff7060).a(0.7));
    needle.fill(it, lit(c(0xe83848), c(0xffd0c8), [-1.5, -1.0]));
    back.fill(it, lit(c(0xd8e8f8), WHITE, [-1.5, -1.0]));
    disc(240.0, 310.0, 17.0, 17.0).fill(it, lit(brass, WHITE, [-1.0, -2.0]));
    blob("110,220 160,170 240,150 320,170 280,190 220,200 150,240").fill(it, WHITE.a(0.10));
    leaf([120.0, 380.0], [190.0, 460.0], 10.0).fill(it, WHITE.a(0.10));
    let map = blob("!20,560 120,580 240,566 360,584 !460,556 !480,650 !0,650");
    map.fill(it, lit(down(556.0, c(0xf0dcb0), 650.0, c(0x907048)), WHITE, [0.0, -2.0]));
    for path in ["40,610 110,600 180,620 260,600 330,616 430,596", "90,640 160,620 220,640"] {
        for pair in line(path).chunks(4) {
            thick(&pair[..pair.len().min(3)], &[3.0, 3.0]).fill(it, c(0xa03830));
        }
    }
    thick(&[[422.0, 588.0], [440.0, 606.0]], &[4.0, 4.0])
        .and(thick(&[[440.0, 588.0], [422.0, 606.0]], &[4.0, 4.0]))
        .fill(it, c(0xc02830));
    it.sparkles(38, 26, [30.0, 40.0, 450.0, 580.0], PALE);
}
