//! 王家の聖杯: Royal Chalice.

use super::*;

/// The cup in which a morning is born.
pub(super) fn draw(it: &mut Canvas) {
    it.sky(&[(0.0, 0x300c28), (0.5, 0x983c28), (1.0, 0x401810)]);
    it.rays([240.0, 230.0], 14, 32, 620.0, LIGHT.a(0.32));
    it.glow(240.0, 220.0, 340.0, LIGHT.a(0.85));
    let columns =
        poly("20,0 84,0 84,560 20,560").and(poly("112,60 150,60 150,540 112,540")).doubled(240.0);
    columns.fill(it, lit(down(0.0, c(0x703820), 560.0, c(0x301410)), LIGHT.a(0.5), [0.0, -2.0]));
    for x in [30.0, 46.0, 62.0, 120.0, 134.0] {
        bar(x, 0.0, x + 5.0, 560.0).doubled(240.0).fill(it, NIGHT.a(0.35));
    }
    poly("90,540 390,540 430,600 50,600")
        .fill(it, lit(down(540.0, c(0xc08040), 600.0, c(0x582c14)), PALE, [0.0, -3.0]));
    poly("50,600 430,600 450,650 30,650")
        .fill(it, lit(down(600.0, c(0x804420), 650.0, c(0x301408)), LIGHT, [0.0, -2.0]));
    let cloth = blob("!130,540 !350,540 !330,640 290,610 240,650 190,610 !150,640");
    cloth.fill(it, lit(down(540.0, c(0xb82040), 650.0, c(0x500818)), LIGHT, [0.0, -2.0]));
    disc(240.0, 546.0, 100.0, 14.0).shadow(it, 20.0, c(0).a(0.6));
    let foot = blob("!160,544 172,526 226,512 232,470 !248,470 254,512 308,526 !320,544");
    foot.fill(it, lit(metal(160.0, 320.0), WHITE, [0.0, -2.0]));
    disc(240.0, 462.0, 32.0, 24.0).fill(it, lit(metal(206.0, 274.0), WHITE, [0.0, -3.0]));
    poly("229,400 251,400 247,450 233,450").fill(it, lit(metal(226.0, 254.0), WHITE, [0.0, -1.0]));
    let handles = thick(
        &crate::art::shape::line("146,286 96,276 84,330 126,372 178,370"),
        &[6.0, 12.0, 13.0, 12.0, 6.0],
    )
    .doubled(240.0);
    handles.fill(it, lit(metal(84.0, 396.0), WHITE, [0.0, -2.0]));
    let bowl = blob("!138,264 !342,264 336,330 300,390 240,414 180,390 144,330");
    bowl.fill(it, lit(metal(130.0, 350.0), WHITE, [0.0, -3.0]));
    for (x, rgb) in [
        (172.0, 0xd01838),
        (206.0, 0x1070c8),
        (240.0, 0x18a060),
        (274.0, 0x1070c8),
        (308.0, 0xd01838),
    ] {
        let y = 326.0 + (1.0 - ((x - 240.0) / 90.0_f32).powi(2)) * 12.0;
        disc(x, y, 11.0, 13.0)
            .fill(it, lit(round(x - 3.0, y - 4.0, 15.0, WHITE, c(rgb)), WHITE, [0.0, -1.5]));
    }
    thick(&crate::art::shape::line("146,296 240,310 334,296"), &[4.0, 4.0]).fill(it, DEEP.a(0.6));
    thick(&crate::art::shape::line("160,352 240,374 320,352"), &[3.0, 3.0]).fill(it, DEEP.a(0.5));
    disc(240.0, 264.0, 104.0, 24.0).fill(it, lit(c(0xa06418), PALE, [0.0, -2.0]));
    let ink = Ink::Round([240.0, 262.0], 96.0, vec![(0.0, WHITE), (0.5, PALE), (1.0, LIGHT)]);
    disc(240.0, 266.0, 94.0, 18.0).fill(it, ink);
    it.glow(240.0, 250.0, 190.0, PALE.a(0.95));
    let sunrise = disc(240.0, 196.0, 46.0, 46.0);
    sunrise.aura(it, 60.0, PALE.a(0.95));
    star(240.0, 196.0, 16, 96.0, 52.0, 0.0).fill(it, PALE.a(0.55));
    sunrise.fill(it, round(240.0, 196.0, 46.0, WHITE, LIGHT));
    for (from, to) in [
        ([200.0, 250.0], [150.0, 110.0]),
        ([280.0, 250.0], [330.0, 110.0]),
        ([222.0, 250.0], [206.0, 70.0]),
        ([258.0, 250.0], [274.0, 70.0]),
    ] {
        let middle = [(from[0] + to[0]) / 2.0 + (from[1] - 250.0) + (to[0] - 240.0) * 0.25, 170.0];
        thick(&[from, middle, to], &[9.0, 5.0, 0.6]).fill(it, PALE.a(0.7));
    }
    it.sparkles(17, 24, [90.0, 40.0, 390.0, 420.0], PALE);
    it.motes(18, 40, [60.0, 40.0, 420.0, 520.0], 2.8, LIGHT);
}
