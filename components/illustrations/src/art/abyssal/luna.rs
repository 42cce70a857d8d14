//! 影猫ルナ: Luna, the Shadow Cat.

use super::*;

/// A cat waits for the moon.
pub(super) fn draw(it: &mut Canvas) {
    it.sky(&[(0.0, 0x120838), (0.5, 0x482088), (0.8, 0xc85ca0), (1.0, 0x301050)]);
    it.stars(61, 180, 460.0, PALE);
    it.moon(250.0, 250.0, 150.0, c(0xffecc8), c(0xf0b0f0));
    it.craters(250.0, 250.0, 150.0, c(0xd0a0b8).a(0.25));
    it.clouds(16, [180.0, 470.0], 200.0, 0.5, c(0x783898).a(0.6));
    let mut dice = Dice::new(20);
    for (layer, dark) in [(0_u8, c(0x783888)), (1, c(0x441c68))] {
        let base = 510.0 + f32::from(layer) * 36.0;
        let mut town = Shape::default();
        let mut windows = Vec::new();
        let mut x = -10.0;
        while x < 490.0 {
            let (wide, tall) = (dice.within(44.0, 76.0), dice.within(30.0, 96.0));
            town = town.and(poly([
                [x, 640.0],
                [x, base - tall],
                [x + wide / 2.0, base - tall - wide * 0.5],
                [x + wide, base - tall],
                [x + wide, 640.0],
            ]));
            windows.push([x + wide * 0.35, base - tall + 24.0]);
            windows.push([x + wide * 0.65, base - tall + 24.0]);
            x += wide;
        }
        town.fill(it, down(base - 120.0, dark, 640.0, NIGHT));
        for [x, y] in windows {
            if dice.roll() < 0.6 {
                it.glow(x, y, 16.0, c(0xffc870).a(0.8));
                bar(x - 4.0, y - 6.0, x + 4.0, y + 6.0).fill(it, c(0xffe8a8));
            }
        }
    }
    it.mist(450.0, 590.0, c(0xe080c0).a(0.3));
    let roof = poly("-10,650 -10,590 240,496 490,590 490,650");
    roof.fill(it, lit(down(496.0, c(0x401c70), 640.0, NIGHT), LIGHT, [0.0, -3.0]));
    for row in 0..5_u8 {
        for column in 0..14_u8 {
            let (x, y) = (
                f32::from(column) * 38.0 - 20.0 + f32::from(row % 2) * 19.0,
                546.0 + f32::from(row) * 22.0,
            );
            if y > 508.0 + (x - 240.0).abs() * 0.38 {
                disc(x, y, 17.0, 9.0).stroke(it, 1.4, c(0x603890).a(0.7));
            }
        }
    }
    let body = blob("214,500 196,440 204,370 236,330 276,340 300,400 312,460 306,506 260,514");
    let head = blob("186,300 192,268 220,252 252,252 280,268 286,300 270,334 236,346 202,334");
    let ears = poly("190,290 184,222 226,256").and(poly("282,290 288,222 246,256"));
    let tail = limb("300,496 360,500 392,456 380,400 406,364", &[30.0, 26.0, 22.0, 18.0, 10.0]);
    let legs = limb("222,420 216,470 214,506", &[34.0, 24.0, 24.0])
        .and(limb("254,420 252,470 250,508", &[34.0, 24.0, 24.0]));
    let cat = body.and(head).and(ears).and(tail).and(legs);
    cat.aura(it, 26.0, c(0xffd0f8).a(0.5));
    cat.fill(it, lit(down(230.0, c(0x241248), 510.0, c(0x080418)), c(0xffe8f8), [2.5, -3.0]));
    poly("197,276 193,240 216,258").and(poly("275,276 279,240 256,258")).fill(it, c(0x904898));
    for x in [216.0, 256.0] {
        it.glow(x, 298.0, 34.0, c(0xffe060).a(0.7));
        leaf([x - 15.0, 299.0], [x + 15.0, 297.0], 22.0).fill(it, c(0xffe468));
        disc(x, 298.0, 3.4, 9.5).fill(it, c(0x0c0418));
        disc(x + 3.0, 294.0, 2.0, 2.0).fill(it, WHITE);
    }
    blob("!230,316 236,313 !242,316 236,322").fill(it, c(0xe080a8));
    for (dx, dy) in [(44.0, -4.0), (46.0, 6.0), (42.0, 15.0)] {
        thick(&[[246.0, 320.0], [246.0 + dx, 318.0 + dy]], &[1.4, 0.5])
            .doubled(236.0)
            .fill(it, PALE.a(0.8));
    }
    thick(&line("206,344 236,356 268,344"), &[8.0, 9.0, 8.0])
        .fill(it, lit(c(0xd02868), c(0xffa0c0), [0.0, -1.5]));
    it.lamp(236.0, 366.0, 8.0, c(0xffd860));
    it.sparkles(26, 18, [30.0, 40.0, 450.0, 460.0], PALE);
}
