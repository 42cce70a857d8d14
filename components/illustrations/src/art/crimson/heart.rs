//! 歯車の心臓: Heart of Gears.

use super::*;

/// Gears around a glowing core.
pub(super) fn draw(it: &mut Canvas) {
    it.sky(&[(0.0, 0x1a0508), (0.5, 0x5a1014), (1.0, 0x120306)]);
    it.clouds(3, [0.0, 640.0], 120.0, 0.5, c(0x902418).a(0.4));
    it.glow(240.0, 320.0, 330.0, FIRE.a(0.7));
    it.rays([240.0, 320.0], 5, 22, 460.0, FIRE.a(0.25));
    let wheels = [
        (60.0, 120.0, 110.0, 16, DEEP),
        (430.0, 90.0, 130.0, 18, DEEP),
        (40.0, 530.0, 140.0, 20, DEEP),
        (440.0, 560.0, 120.0, 16, DEEP),
        (132.0, 232.0, 74.0, 12, c(0x903428)),
        (352.0, 214.0, 66.0, 11, c(0xa44430)),
        (126.0, 424.0, 66.0, 11, c(0xa44430)),
        (360.0, 434.0, 80.0, 13, c(0x903428)),
        (240.0, 130.0, 58.0, 10, c(0xb45c34)),
        (240.0, 520.0, 58.0, 10, c(0xb45c34)),
    ];
    for (x, y, r, teeth, tint) in wheels {
        let wheel = gear(x, y, r, teeth, x + y);
        wheel.clone().moved(6.0, 10.0).shadow(it, 14.0, c(0).a(0.5));
        wheel.fill(
            it,
            lit(
                round(240.0, 320.0, 420.0, tint.to(FIRE, 0.55), tint.to(NIGHT, 0.6)),
                PALE.a(0.9),
                [(240.0 - x) / 110.0, (320.0 - y) / 110.0],
            ),
        );
        disc(x, y, r * 0.62, r * 0.62).stroke(it, r * 0.05, NIGHT.a(0.6));
        for i in 0..5_u8 {
            let angle = f32::from(i) * 1.2566 + x;
            disc(x + r * 0.42 * angle.cos(), y + r * 0.42 * angle.sin(), r * 0.13, r * 0.13)
                .fill(it, NIGHT.a(0.75));
        }
        disc(x, y, r * 0.14, r * 0.14).fill(it, c(0xe09440));
    }
    gear(240.0, 320.0, 128.0, 20, 0.0)
        .fill(it, lit(round(240.0, 320.0, 130.0, c(0xe08038), c(0x601c18)), PALE, [0.0, -4.0]));
    disc(240.0, 320.0, 90.0, 90.0).fill(it, c(0x180608));
    it.glow(240.0, 320.0, 240.0, FIRE.a(0.95));
    let heart = blob("!240,390 186,338 178,290 206,264 !240,288 274,264 302,290 294,338");
    heart.aura(it, 40.0, PALE.a(0.9));
    let ink = Ink::Round(
        [240.0, 316.0],
        84.0,
        vec![(0.0, c(0xffffff)), (0.35, PALE), (0.75, FIRE), (1.0, RED)],
    );
    heart.fill(it, lit(ink, c(0xffffff), [0.0, -3.0]));
    blob("200,292 212,276 224,280 210,300").fill(it, c(0xffffff).a(0.8));
    let beat =
        crate::art::shape::line("150,322 190,322 206,300 226,350 250,286 268,334 284,322 330,322");
    thick(&beat, &[1.0, 5.0, 5.0, 1.0]).fill(it, c(0x901410).a(0.55));
    it.motes(14, 60, [20.0, 20.0, 460.0, 620.0], 3.0, FIRE);
    it.sparkles(4, 10, [120.0, 180.0, 360.0, 460.0], PALE);
}
