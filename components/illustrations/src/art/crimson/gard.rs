//! 機工城塞ガルド: Gard, the Engine Fortress.

use super::*;

/// A factory town that walks.
pub(super) fn draw(it: &mut Canvas) {
    it.sky(&[(0.0, 0x2a0a1c), (0.5, 0xa02c30), (0.78, 0xffb060), (1.0, 0x601418)]);
    it.moon(352.0, 262.0, 86.0, c(0xffd890), FIRE);
    it.clouds(23, [60.0, 480.0], 200.0, 0.5, c(0x601822).a(0.6));
    it.ridge(3, 560.0, 80.0, 120.0, c(0x903030), c(0x58161c));
    it.mist(440.0, 580.0, c(0xffc080).a(0.5));
    let mut dice = Dice::new(77);
    for (layer, dark) in [(0_u8, c(0x702428)), (1, c(0x441218)), (2, c(0x22080e))] {
        let l = f32::from(layer);
        let mut town = Shape::default();
        let mut windows = Vec::new();
        for i in 0..7_u8 {
            let off = f32::from(i) - 3.0;
            let x = 236.0 + off * (40.0 + l * 8.0) + dice.within(-8.0, 8.0);
            let tall = (300.0 - off.abs() * 62.0 - l * 74.0) * dice.within(0.85, 1.1);
            let (wide, foot) = (dice.within(30.0, 46.0), 470.0);
            let top = foot - tall;
            town = town.and(poly([
                [x - wide / 2.0, foot],
                [x - wide / 2.4, top],
                [x + wide / 2.4, top],
                [x + wide / 2.0, foot],
            ]));
            if i % 2 == layer % 2 {
                town =
                    town.and(poly([[x - wide / 1.7, top], [x, top - 40.0], [x + wide / 1.7, top]]));
            } else {
                town = town.and(poly([
                    [x - 7.0, top],
                    [x - 5.0, top - 56.0],
                    [x + 5.0, top - 56.0],
                    [x + 7.0, top],
                ]));
                it.smoke(
                    &format!(
                        "{x},{} {},{} {},{}",
                        top - 60.0,
                        x - 26.0,
                        top - 110.0,
                        x - 80.0,
                        top - 160.0
                    ),
                    &[12.0, 36.0, 70.0],
                    c(0x300c14).a(0.55),
                );
            }
            for _ in 0..4 {
                windows.push([
                    x + dice.within(-0.3, 0.3) * wide,
                    foot - tall * dice.within(0.2, 0.92),
                ]);
            }
        }
        town.fill(
            it,
            lit(down(170.0, dark.to(FIRE, 0.22), 480.0, dark), FIRE.a(0.85), [3.0, -2.0]),
        );
        for [x, y] in windows {
            it.glow(x, y, 13.0, FIRE.a(0.8));
            bar(x - 3.0, y - 5.0, x + 3.0, y + 5.0).fill(it, PALE);
        }
    }
    let hull = blob("!40,452 !440,452 420,510 330,540 150,540 60,510");
    hull.fill(it, lit(down(450.0, c(0x782420), 540.0, IRON), PALE, [0.0, -3.0]));
    for x in [104.0, 172.0, 240.0, 308.0, 376.0] {
        gear(x, 490.0, 27.0, 10, x).fill(it, lit(c(0x904030), FIRE, [0.0, -1.5]));
        it.lamp(x, 490.0, 7.0, FIRE);
    }
    let legs = limb("110,520 60,556 84,620", &[44.0, 34.0, 26.0])
        .and(limb("180,534 156,580 168,632", &[44.0, 34.0, 28.0]))
        .and(limb("300,534 326,580 312,632", &[44.0, 34.0, 28.0]))
        .and(limb("370,520 420,556 396,620", &[44.0, 34.0, 26.0]));
    legs.fill(it, lit(down(520.0, c(0x541a1c), 630.0, NIGHT), FIRE, [2.5, -2.0]));
    it.smoke("60,640 160,628 320,634 440,640", &[50.0, 70.0, 70.0, 50.0], c(0xe09070).a(0.6));
    it.motes(4, 34, [10.0, 200.0, 470.0, 630.0], 2.6, FIRE);
}
