//! 蒼晶竜の咆哮: Roar of the Crystal Dragon.

use super::*;

/// A head in profile, and the light that it breathes.
pub(super) fn draw(it: &mut Canvas) {
    it.sky(&[(0.0, 0x0c2f7c), (0.5, 0x091c52), (1.0, 0x030a20)]);
    it.stars(29, 90, 640.0, LIGHT);
    it.clouds(12, [0.0, 420.0], 190.0, 0.55, c(0x225cb8).a(0.5));
    let mouth = [196.0, 352.0];
    it.rays(mouth, 9, 26, 620.0, LIGHT.a(0.20));
    let beam = thick(&[mouth, [100.0, 200.0], [-60.0, -60.0]], &[26.0, 120.0, 330.0]);
    beam.aura(it, 70.0, LIGHT.a(0.9));
    let ink = Ink::Line(
        mouth,
        [0.0, 0.0],
        vec![(0.0, c(0xffffff)), (0.5, ICE.a(0.9)), (1.0, LIGHT.a(0.35))],
    );
    beam.fill(it, ink);
    thick(&[mouth, [110.0, 210.0], [-40.0, -40.0]], &[12.0, 50.0, 150.0])
        .fill(it, c(0xffffff).a(0.85));
    let skin = Ink::Line(
        [170.0, 200.0],
        [470.0, 560.0],
        vec![(0.0, c(0x62bcf6)), (0.35, c(0x2268c0)), (1.0, c(0x081a4a))],
    );
    let mane = [
        "330,236 402,150 470,96",
        "372,250 440,190 500,160",
        "396,290 460,250 510,240",
        "404,340 466,320 520,330",
    ];
    for (i, horn) in (0_u8..).zip(mane) {
        let wide = 40.0 - f32::from(i) * 5.0;
        let ink = Ink::Line([340.0, 250.0], [490.0, 110.0], vec![(0.0, c(0x164a98)), (1.0, ICE)]);
        limb(horn, &[wide, wide * 0.6, 2.0]).fill(it, lit(ink, ICE, [-2.0, -2.0]));
    }
    let lower = blob("!352,430 !296,420 !236,420 !178,404 172,424 214,466 286,508 360,520");
    lower.fill(it, lit(skin.clone(), ICE, [-3.0, -3.0]));
    let upper = blob(
        "!142,306 158,278 206,262 250,226 306,206 368,220 412,270 470,350 !500,420 !500,680 !300,680 330,590 364,500 !340,420 !300,372 !232,346 !176,336",
    );
    upper.fill(it, lit(skin, ICE, [-3.0, -4.0]));
    let mut teeth = Shape::default();
    for (x, y, h) in [
        (164.0, 330.0, 26.0),
        (196.0, 338.0, 18.0),
        (226.0, 344.0, 24.0),
        (258.0, 354.0, 18.0),
        (286.0, 366.0, 18.0),
    ] {
        teeth = teeth.and(poly([[x - 8.0, y - 4.0], [x + 9.0, y], [x + 2.0, y + h]]));
    }
    for (x, y, h) in
        [(190.0, 410.0, 24.0), (218.0, 420.0, 18.0), (248.0, 424.0, 22.0), (282.0, 424.0, 16.0)]
    {
        teeth = teeth.and(poly([[x - 8.0, y], [x + 8.0, y + 2.0], [x - 1.0, y - h]]));
    }
    teeth.fill(it, c(0xffffff));
    for (i, x) in (0_u8..).zip([344.0, 372.0, 402.0, 430.0]) {
        let y = 400.0 + f32::from(i) * 44.0;
        poly([[x, y], [x + 34.0, y - 16.0], [x + 60.0, y + 20.0], [x + 24.0, y + 34.0]])
            .fill(it, LIGHT.a(0.16));
        poly([[x - 10.0, y + 60.0], [x + 20.0, y + 44.0], [x + 40.0, y + 84.0]])
            .fill(it, LIGHT.a(0.12));
    }
    blob("!248,272 282,250 !322,262 290,278").fill(it, c(0x040c28));
    it.glow(288.0, 266.0, 60.0, c(0x70ffe8).a(0.8));
    blob("!256,271 284,256 !314,264 288,274").fill(it, c(0xc8fff4));
    disc(286.0, 265.0, 3.0, 9.0).fill(it, NIGHT);
    blob("!150,296 166,286 !176,292 164,302").fill(it, NIGHT.a(0.7));
    it.glow(mouth[0], mouth[1], 150.0, ICE.a(0.9));
    it.crystals(14, 660.0, 150.0, NIGHT, BLUE);
    it.sparkles(21, 18, [10.0, 20.0, 300.0, 420.0], ICE);
}
