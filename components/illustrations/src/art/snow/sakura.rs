//! 千年桜: Thousand-Year Cherry.

use super::*;

/// A cherry that blooms up to the moon.
pub(super) fn draw(it: &mut Canvas) {
    it.sky(&[(0.0, 0x181848), (0.5, 0x604890), (0.8, 0xe890b0), (1.0, 0x483068)]);
    it.stars(52, 150, 420.0, WHITE);
    it.moon(140.0, 150.0, 92.0, c(0xfff0d8), c(0xffc8e0));
    it.craters(140.0, 150.0, 92.0, c(0xe0c0c8).a(0.35));
    it.ridge(46, 500.0, 120.0, 130.0, c(0x785898), c(0xc880a8));
    it.mist(430.0, 530.0, c(0xffd0e0).a(0.5));
    it.water(17, 508.0, c(0xd088b0), c(0x302058), 140.0, c(0xfff0f0).a(0.55));
    blob("!130,560 200,540 280,536 380,548 !490,540 !490,650 !100,650 160,600")
        .fill(it, lit(down(536.0, c(0x587068), 650.0, c(0x182038)), c(0xffd0e0), [0.0, -3.0]));
    let trunk = limb("300,556 292,480 320,400 290,330 310,250", &[62.0, 60.0, 54.0, 44.0, 26.0]);
    let roots = limb("286,540 228,570 176,592", &[56.0, 26.0, 2.0])
        .and(limb("316,540 378,570 436,590", &[56.0, 26.0, 2.0]));
    let boughs = limb("306,400 230,330 150,320 90,350", &[36.0, 26.0, 14.0, 3.0])
        .and(limb("300,340 380,280 450,270", &[34.0, 20.0, 4.0]))
        .and(limb("306,280 260,210 200,190", &[26.0, 16.0, 3.0]))
        .and(limb("310,260 340,190 400,150", &[26.0, 16.0, 3.0]))
        .and(limb("230,330 200,270 150,250", &[16.0, 9.0, 2.0]));
    let ink = across(220.0, 390.0, [(0.0, c(0x805868)), (0.5, c(0x483048)), (1.0, c(0x201428))]);
    trunk.and(roots).and(boughs).fill(it, lit(ink, c(0xffd8e8), [-2.5, -2.0]));
    let mut dice = Dice::new(90);
    let clumps = [
        (90.0, 350.0, 46.0),
        (150.0, 310.0, 56.0),
        (150.0, 245.0, 44.0),
        (210.0, 190.0, 54.0),
        (230.0, 290.0, 50.0),
        (290.0, 210.0, 64.0),
        (330.0, 150.0, 60.0),
        (400.0, 150.0, 58.0),
        (380.0, 240.0, 64.0),
        (450.0, 270.0, 52.0),
        (270.0, 130.0, 50.0),
        (440.0, 200.0, 50.0),
        (330.0, 290.0, 44.0),
        (470.0, 330.0, 36.0),
    ];
    for (layer, tint) in [(0_u8, c(0xa84880)), (1, c(0xe080a8)), (2, c(0xffc0d8))] {
        let off = f32::from(layer);
        for (x, y, r) in clumps {
            for _ in 0..6 {
                let (angle, far) =
                    (dice.within(0.0, std::f32::consts::TAU), dice.roll().sqrt() * r * 0.8);
                let (px, py) =
                    (x + angle.cos() * far - off * 4.0, y + angle.sin() * far * 0.8 - off * 7.0);
                disc(px, py, r * dice.within(0.2, 0.42), r * dice.within(0.2, 0.36))
                    .fill(it, tint.a(0.8));
            }
        }
    }
    for (x, y, r) in clumps {
        for _ in 0..13 {
            let (angle, far) = (dice.within(0.0, std::f32::consts::TAU), dice.roll().sqrt() * r);
            let (px, py) = (x + angle.cos() * far, y + angle.sin() * far * 0.85);
            blossom(px, py, dice.within(5.0, 10.0), angle)
                .fill(it, PINK.to(WHITE, dice.within(0.3, 1.0)));
        }
    }
    it.glow(300.0, 220.0, 240.0, c(0xffd0e8).a(0.4));
    let bench = blob("236,566 242,556 248,566 252,590 232,590");
    bench.fill(it, c(0x181028));
    it.lamp(222.0, 582.0, 5.0, LAMP);
    it.petals(9, 90, [0.0, 260.0, 480.0, 640.0], 12.0, [c(0xf090b8), c(0xfff0f8)]);
    it.sparkles(24, 14, [30.0, 60.0, 450.0, 520.0], WHITE);
}
