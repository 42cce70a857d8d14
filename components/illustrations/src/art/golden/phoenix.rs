//! 不死鳥フェニエル: Feniel, the Phoenix.

use super::*;

/// A thousand feathers end the night.
pub(super) fn draw(it: &mut Canvas) {
    it.sky(&[(0.0, 0x180c40), (0.45, 0x802048), (0.75, 0xf07030), (1.0, 0xffd060)]);
    it.stars(13, 120, 330.0, PALE);
    it.glow(240.0, 300.0, 360.0, c(0xff9030).a(0.8));
    it.rays([240.0, 300.0], 13, 26, 560.0, LIGHT.a(0.2));
    it.clouds(44, [380.0, 720.0], 170.0, 0.6, c(0xffb050).a(0.8));
    for (i, tail) in (0_u8..).zip([
        "240,380 200,470 120,520 60,610",
        "240,380 226,480 180,560 150,640",
        "240,380 240,480 236,570 250,650",
        "240,380 254,480 300,560 330,640",
        "240,380 280,470 360,520 420,610",
    ]) {
        let plume = limb(tail, &[26.0, 34.0, 26.0, 2.0]);
        plume.fill(it, lit(down(380.0, c(0xff7020), 630.0, c(0xffe880)), PALE, [1.0, -2.0]));
        let end = [[74.0, 588.0], [158.0, 610.0], [247.0, 616.0], [322.0, 610.0], [406.0, 588.0]]
            [usize::from(i)];
        it.glow(end[0], end[1], 50.0, PALE.a(0.8));
        disc(end[0], end[1], 17.0, 22.0).fill(
            it,
            lit(round(end[0], end[1], 20.0, c(0x30d0e0), c(0xf09020)), PALE, [0.0, -2.0]),
        );
    }
    for (angles, lengths, tints) in [
        ([-1.35, 0.35], [300.0, 150.0], [c(0xb02018), c(0xff8828)]),
        ([-1.3, 0.3], [224.0, 116.0], [c(0xe05018), c(0xffb840)]),
        ([-1.25, 0.25], [150.0, 86.0], [c(0xff8c28), c(0xfff0a0)]),
    ] {
        for i in 0..11_u8 {
            let share = f32::from(i) / 10.0;
            let angle = angles[1] + (angles[0] - angles[1]) * share;
            let long = lengths[1] + (lengths[0] - lengths[1]) * share * (2.0 - share);
            let wing =
                feathers([256.0, 320.0], 1, [angle, angle], [long, long], 36.0).doubled(240.0);
            let ink =
                Ink::Round([240.0, 320.0], lengths[0], vec![(0.1, tints[0]), (1.0, tints[1])]);
            wing.fill(it, lit(ink, PALE.a(0.9), [0.0, -1.8]));
        }
    }
    let body = blob("240,250 276,286 284,340 264,392 240,412 216,392 204,340 208,286");
    body.aura(it, 46.0, PALE.a(0.7));
    body.fill(it, lit(down(250.0, c(0xffe890), 412.0, c(0xe04c18)), WHITE, [1.0, -3.0]));
    for row in 0..5_u8 {
        for column in 0..3_u8 {
            let (x, y) = (
                216.0 + f32::from(column) * 20.0 + f32::from(row % 2) * 8.0,
                306.0 + f32::from(row) * 18.0,
            );
            leaf([x, y], [x + (x - 240.0) * 0.15, y + 20.0], 11.0).fill(it, c(0xffc040).a(0.7));
        }
    }
    let neck = limb("240,300 254,256 246,216 226,194", &[62.0, 42.0, 32.0, 34.0]);
    let head = blob("!168,206 190,188 216,172 244,180 252,204 236,222 206,220 !188,216");
    neck.and(head).fill(it, lit(down(170.0, c(0xfff4b8), 300.0, c(0xff9c30)), WHITE, [-1.0, -2.5]));
    let crest = leaf([236.0, 184.0], [290.0, 120.0], 20.0)
        .and(leaf([232.0, 182.0], [262.0, 100.0], 18.0))
        .and(leaf([226.0, 180.0], [230.0, 96.0], 16.0))
        .and(leaf([240.0, 190.0], [304.0, 156.0], 18.0));
    crest.fill(it, lit(down(96.0, PALE, 190.0, c(0xff7020)), WHITE, [0.0, -2.0]));
    blob("!166,208 192,190 !198,212 186,218").fill(it, c(0x783810));
    disc(212.0, 196.0, 6.0, 6.0).fill(it, c(0x381008));
    disc(210.4, 194.0, 2.0, 2.0).fill(it, WHITE);
    it.motes(20, 90, [10.0, 100.0, 470.0, 640.0], 3.2, c(0xffb040));
    it.sparkles(4, 16, [40.0, 60.0, 440.0, 600.0], PALE);
}
