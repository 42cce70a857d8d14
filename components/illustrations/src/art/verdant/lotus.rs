//! 精霊の泉: Fountain of Spirits.

use super::*;

/// A lotus that shines on still water.
pub(super) fn draw(it: &mut Canvas) {
    it.sky(&[(0.0, 0x062430), (0.42, 0x208070), (0.5, 0xb0f0b8), (1.0, 0x042820)]);
    it.stars(6, 60, 200.0, SUN);
    it.glow(240.0, 310.0, 330.0, c(0xc0ffc0).a(0.7));
    trunks(it, 26, 9, 16.0, c(0x1c6858), c(0x409878));
    it.rays([240.0, -80.0], 21, 22, 620.0, SUN.a(0.2));
    it.water(11, 320.0, c(0x50c0a0), c(0x043028), 240.0, c(0xe8ffd8).a(0.5));
    it.mist(260.0, 330.0, SUN.a(0.6));
    for (x, y, w) in [
        (86.0, 420.0, 66.0),
        (398.0, 400.0, 58.0),
        (352.0, 560.0, 96.0),
        (96.0, 570.0, 84.0),
        (250.0, 610.0, 50.0),
        (436.0, 480.0, 44.0),
        (40.0, 486.0, 40.0),
    ] {
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
        pad.clone().moved(0.0, 8.0).shadow(it, 12.0, NIGHT.a(0.5));
        pad.fill(
            it,
            lit(down(y - w * 0.34, c(0x80d880), y + w * 0.34, c(0x186a48)), SUN, [0.0, -2.0]),
        );
    }
    it.glow(240.0, 430.0, 260.0, c(0xffd8f0).a(0.9));
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
            petal.fill(it, lit(ink, c(0xffffff), [0.0, -1.5]));
        }
    }
    it.glow(240.0, 420.0, 110.0, c(0xfff8c0).a(0.95));
    disc(240.0, 436.0, 24.0, 15.0)
        .fill(it, lit(down(420.0, c(0xfff0a0), 452.0, c(0xe0a840)), c(0xffffff), [0.0, -2.0]));
    for i in 0..5_u8 {
        let i = f32::from(i);
        disc(240.0, 500.0, 120.0 + i * 34.0, 16.0 + i * 9.0).stroke(
            it,
            1.6,
            c(0xffffff).a(0.4 - i * 0.07),
        );
    }
    let spirit = blob("240,240 262,262 256,300 !240,340 224,300 218,262");
    spirit.aura(it, 40.0, SUN.a(0.95));
    spirit.fill(it, round(240.0, 268.0, 60.0, c(0xffffff), c(0xc0ffb0).a(0.3)));
    leaf([246.0, 276.0], [312.0, 232.0], 34.0).doubled(240.0).fill(it, c(0xe8ffe0).a(0.7));
    leaf([246.0, 286.0], [296.0, 306.0], 24.0).doubled(240.0).fill(it, c(0xe8ffe0).a(0.55));
    canopy(it, 37, 170.0, 46.0, [NIGHT, c(0x207050)]);
    it.sparkles(18, 14, [60.0, 200.0, 420.0, 560.0], SUN);
    it.motes(28, 40, [30.0, 140.0, 450.0, 600.0], 2.8, c(0xd8ffa0));
}
