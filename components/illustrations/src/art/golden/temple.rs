//! 太陽の大神殿: Great Temple of the Sun.

use super::*;

/// Stairs of light.
pub(super) fn draw(it: &mut Canvas) {
    it.sky(&[(0.0, 0x303c90), (0.4, 0xf09058), (0.7, 0xffe8a8), (1.0, 0xa05c18)]);
    it.stars(3, 60, 170.0, PALE);
    it.rays([240.0, 150.0], 7, 26, 640.0, PALE.a(0.3));
    it.clouds(3, [40.0, 380.0], 210.0, 0.5, c(0xffb080).a(0.55));
    sun(it, 240.0, 130.0, 62.0);
    it.ridge(8, 440.0, 90.0, 120.0, c(0xd88c48), c(0xc0783c));
    it.mist(370.0, 460.0, PALE.a(0.5));
    for (x, s) in [(70.0, 0.55), (420.0, 0.62)] {
        let tomb = poly([[x - 130.0 * s, 480.0], [x, 480.0 - 210.0 * s], [x + 130.0 * s, 480.0]]);
        let ink = across(
            x - 100.0 * s,
            x + 100.0 * s,
            [(0.0, c(0xf8cc80)), (0.5, c(0xe0a050)), (0.52, c(0xa86828)), (1.0, c(0x804818))],
        );
        tomb.fill(it, ink);
    }
    for step in 0..6_u8 {
        let s = f32::from(step);
        let (half, top) = (66.0 + s * 30.0, 244.0 + s * 48.0);
        let tier = poly([
            [240.0 - half, top],
            [240.0 + half, top],
            [240.0 + half + 12.0, top + 50.0],
            [240.0 - half - 12.0, top + 50.0],
        ]);
        let ink = across(
            240.0 - half,
            240.0 + half,
            [
                (0.0, c(0x985c1c)),
                (0.3, c(0xe0a44c)),
                (0.5, LIGHT),
                (0.7, c(0xd0903c)),
                (1.0, c(0x703c0c)),
            ],
        );
        tier.fill(it, lit(ink, PALE, [0.0, -3.0]));
        for i in 0..(5 + step * 2) {
            let x =
                240.0 - half + 12.0 + f32::from(i) * (2.0 * half - 24.0) / f32::from(4 + step * 2);
            if (x - 240.0).abs() > 40.0 + s * 4.0 {
                bar(x - 6.0, top + 44.0, x + 6.0, top + 20.0).fill(it, c(0x502808).a(0.7));
            }
        }
    }
    let shrine = poly("192,244 192,190 288,190 288,244");
    shrine.fill(it, lit(metal(192.0, 288.0), WHITE, [0.0, -2.0]));
    poly("180,192 240,150 300,192")
        .fill(it, lit(down(150.0, PALE, 192.0, GOLD), WHITE, [0.0, -2.0]));
    for x in [200.0, 218.0, 254.0, 272.0] {
        bar(x, 244.0, x + 9.0, 196.0).fill(it, lit(c(0xfff0b8), WHITE, [1.0, 0.0]));
    }
    poly("230,244 230,206 250,206 250,244").fill(it, WHITE);
    it.glow(240.0, 224.0, 110.0, PALE.a(0.95));
    poly("222,244 258,244 300,540 180,540").fill(it, down(244.0, WHITE, 540.0, LIGHT.a(0.85)));
    for i in 0..22_u8 {
        let y = 250.0 + f32::from(i) * 13.2;
        let half = 19.0 + f32::from(i) * 1.9;
        bar(240.0 - half, y, 240.0 + half, y + 3.0).fill(it, c(0xc88428).a(0.5));
    }
    it.ground(16, 540.0, 6.0, c(0xe0a850), c(0x804814));
    poly("180,538 300,538 420,660 60,660").fill(it, down(538.0, PALE.a(0.85), 650.0, LIGHT.a(0.1)));
    for (x, h) in [(96.0, 190.0), (384.0, 190.0), (30.0, 250.0), (450.0, 250.0)] {
        let ink = across(
            x - 18.0,
            x + 18.0,
            [(0.0, c(0x703c0c)), (0.5, c(0xd89c44)), (1.0, c(0x482408))],
        );
        poly([
            [x - 18.0, 640.0],
            [x - 12.0, 640.0 - h],
            [x, 616.0 - h],
            [x + 12.0, 640.0 - h],
            [x + 18.0, 640.0],
        ])
        .fill(it, lit(ink, PALE, [if x < 240.0 { 2.0 } else { -2.0 }, -2.0]));
    }
    for x in [204.0, 226.0, 262.0, 284.0] {
        blob([[x - 6.0, 580.0], [x, 560.0], [x + 6.0, 580.0], [x + 9.0, 620.0], [x - 9.0, 620.0]])
            .fill(it, c(0x482010));
    }
    it.sparkles(15, 14, [60.0, 60.0, 420.0, 500.0], PALE);
}
