//! 紅蓮特急ブレイズ: Blaze Express.

use super::*;

/// A locomotive, head on, over lava.
pub(super) fn draw() -> Canvas {
    let mut it = card(&[
        (0.0, 0x0022_0814),
        (0.35, 0x0082_1c2c),
        (0.56, 0x00ff_9a4c),
        (0.6, 0x00c2_3318),
        (1.0, 0x002a_0408),
    ]);
    it.stars(12, 60, 200.0, PALE);
    it.glow(240.0, 360.0, 320.0, FIRE.a(0.7));
    it.ridge(9, 372.0, 120.0, 110.0, c(0x006a_161c), c(0x0038_0a10));
    it.water(5, 370.0, c(0x00ff_9a3c), c(0x0090_1408), 240.0, PALE.a(0.6));
    it.smoke(
        "240,170 270,100 210,50 250,-20 230,-90",
        &[50.0, 110.0, 160.0, 200.0, 240.0],
        c(0x00f4_c8b0).a(0.75),
    );
    it.smoke("262,150 300,80 270,20", &[30.0, 70.0, 120.0], c(0x0070_2028).a(0.8));
    it.fill(&poly("206,440 274,440 452,660 28,660"), down(440.0, c(0x0050_2024), 640.0, IRON));
    for i in 0..9_u8 {
        let depth = f32::from(i) / 8.0;
        let (y, half) = (446.0 + depth * depth * 190.0, 40.0 + depth * depth * 178.0);
        it.fill(
            &poly([
                [240.0 - half, y],
                [240.0 + half, y],
                [240.0 + half, y + 3.0 + depth * 12.0],
                [240.0 - half, y + 3.0 + depth * 12.0],
            ]),
            c(0x0080_3a2c),
        );
    }
    it.fill(&poly("214,440 220,440 120,660 88,660").doubled(240.0), c(0x00ff_c890).a(0.9));
    let body = poly("128,250 352,250 366,470 114,470");
    it.lit(&body, down(250.0, c(0x0070_2428), 470.0, IRON), FIRE, [0.0, -3.0]);
    let funnel = poly("206,216 212,150 196,150 188,126 292,126 284,150 268,150 274,216");
    it.lit(
        &funnel,
        Ink::Line(
            [190.0, 0.0],
            [290.0, 0.0],
            vec![(0.0, IRON), (0.4, c(0x0090_3c38)), (1.0, IRON)],
        ),
        FIRE,
        [2.0, -2.0],
    );
    subject(&mut it);
    it
}

/// Draws the main figure.
fn subject(it: &mut Canvas) {
    let boiler = disc(240.0, 318.0, 116.0, 116.0);
    it.lit(&boiler, round(210.0, 270.0, 190.0, c(0x00a4_4440), c(0x001c_0a0e)), PALE, [0.0, -4.0]);
    it.stroke(&disc(240.0, 318.0, 92.0, 92.0), 7.0, c(0x00e0_9440));
    it.fill(&disc(240.0, 318.0, 84.0, 84.0), round(220.0, 290.0, 120.0, c(0x0054_2428), IRON));
    for i in 0..12_u8 {
        let angle = f32::from(i) * std::f32::consts::FRAC_PI_6;
        it.fill(&disc(240.0 + 103.0 * angle.cos(), 318.0 + 103.0 * angle.sin(), 4.0, 4.0), PALE);
    }
    it.lit(
        &star(240.0, 330.0, 5, 46.0, 20.0, 0.0),
        down(290.0, PALE, 370.0, RED),
        c(0x00ff_ffff),
        [0.0, -2.0],
    );
    it.lit(
        &poly("92,440 388,440 388,478 92,478"),
        down(440.0, c(0x00d8_4a28), 478.0, c(0x0070_140c)),
        PALE,
        [0.0, -3.0],
    );
    for x in [126.0, 354.0] {
        it.lit(
            &disc(x, 458.0, 28.0, 28.0),
            round(x - 8.0, 450.0, 34.0, c(0x00b0_7068), IRON),
            PALE,
            [0.0, -2.0],
        );
    }
    let guard = poly("130,484 350,484 398,592 82,592");
    it.lit(&guard, down(484.0, c(0x0060_2020), 592.0, IRON), FIRE, [0.0, -3.0]);
    for i in 0..9_u8 {
        let x = f32::from(i) - 4.0;
        it.fill(
            &thick(&[[240.0 + x * 24.0, 490.0], [240.0 + x * 36.0, 586.0]], &[5.0, 8.0]),
            down(490.0, FIRE, 590.0, RED),
        );
    }
    it.rays([240.0, 230.0], 3, 14, 330.0, PALE.a(0.3));
    it.glow(240.0, 230.0, 150.0, PALE.a(0.9));
    it.lit(&disc(240.0, 230.0, 36.0, 36.0), c(0x00e0_9440), PALE, [0.0, -2.0]);
    it.fill(&disc(240.0, 230.0, 28.0, 28.0), round(240.0, 230.0, 28.0, c(0x00ff_ffff), PALE));
    it.smoke("70,520 20,500 -40,530", &[60.0, 100.0, 140.0], c(0x00ff_e4d0).a(0.7));
    it.smoke("410,520 460,500 520,530", &[60.0, 100.0, 140.0], c(0x00ff_e4d0).a(0.7));
    it.motes(8, 50, [10.0, 120.0, 470.0, 640.0], 3.0, FIRE);
}
