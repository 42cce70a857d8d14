//! 精霊の泉: Fountain of Spirits.

use super::*;

/// A lotus that shines on still water.
pub(super) fn draw() -> Canvas {
    let mut it =
        card(&[(0.0, 0x0006_2430), (0.42, 0x0020_8070), (0.5, 0x00b0_f0b8), (1.0, 0x0004_2820)]);
    it.stars(6, 60, 200.0, SUN);
    it.glow(240.0, 310.0, 330.0, c(0x00c0_ffc0).a(0.7));
    trunks(&mut it, 26, 9, 16.0, c(0x001c_6858), c(0x0040_9878));
    it.rays([240.0, -80.0], 21, 22, 620.0, SUN.a(0.2));
    it.water(11, 320.0, c(0x0050_c0a0), c(0x0004_3028), 240.0, c(0x00e8_ffd8).a(0.5));
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
        it.shadow(&pad.clone().moved(0.0, 8.0), 12.0, NIGHT.a(0.5));
        it.lit(
            &pad,
            down(y - w * 0.34, c(0x0080_d880), y + w * 0.34, c(0x0018_6a48)),
            SUN,
            [0.0, -2.0],
        );
    }
    it.glow(240.0, 430.0, 260.0, c(0x00ff_d8f0).a(0.9));
    subject(&mut it);
    it
}

/// Draws the main figure.
fn subject(it: &mut Canvas) {
    for (count, long, low, tints) in [
        (9_u8, 190.0, 0.12, [c(0x00ff_a0cc), c(0x00c8_4890)]),
        (8, 160.0, 0.5, [c(0x00ff_c0dc), c(0x00e0_68a8)]),
        (7, 126.0, 0.9, [c(0x00ff_e4f0), c(0x00f8_90c0)]),
        (5, 92.0, 1.2, [c(0x00ff_ffff), c(0x00ff_b8d8)]),
    ] {
        for i in 0..count {
            let share = f32::from(i) / f32::from(count - 1) * 2.0 - 1.0;
            let angle = -std::f32::consts::FRAC_PI_2 + share * (1.75 - low * 0.75);
            let to = [240.0 + angle.cos() * long, 476.0 + angle.sin() * long * 0.9];
            let petal = leaf([240.0, 480.0], to, long * 0.42);
            it.lit(
                &petal,
                Ink::Line([240.0, 480.0], to, vec![(0.0, tints[1]), (1.0, tints[0])]),
                c(0x00ff_ffff),
                [0.0, -1.5],
            );
        }
    }
    it.glow(240.0, 420.0, 110.0, c(0x00ff_f8c0).a(0.95));
    it.lit(
        &disc(240.0, 436.0, 24.0, 15.0),
        down(420.0, c(0x00ff_f0a0), 452.0, c(0x00e0_a840)),
        c(0x00ff_ffff),
        [0.0, -2.0],
    );
    for i in 0..5_u8 {
        let i = f32::from(i);
        it.stroke(
            &disc(240.0, 500.0, 120.0 + i * 34.0, 16.0 + i * 9.0),
            1.6,
            c(0x00ff_ffff).a(0.4 - i * 0.07),
        );
    }
    let spirit = blob("240,240 262,262 256,300 !240,340 224,300 218,262");
    it.aura(&spirit, 40.0, SUN.a(0.95));
    it.fill(&spirit, round(240.0, 268.0, 60.0, c(0x00ff_ffff), c(0x00c0_ffb0).a(0.3)));
    it.fill(&leaf([246.0, 276.0], [312.0, 232.0], 34.0).doubled(240.0), c(0x00e8_ffe0).a(0.7));
    it.fill(&leaf([246.0, 286.0], [296.0, 306.0], 24.0).doubled(240.0), c(0x00e8_ffe0).a(0.55));
    canopy(it, 37, 170.0, 46.0, [NIGHT, c(0x0020_7050)]);
    it.sparkles(18, 14, [60.0, 200.0, 420.0, 560.0], SUN);
    it.motes(28, 40, [30.0, 140.0, 450.0, 600.0], 2.8, c(0x00d8_ffa0));
}
