//! 蒼晶竜: dragons and crystals under the moon.

use super::{
    Cards,
    canvas::{
        Canvas, Ink, Shape, Tint, blob, c, disc, down, leaf, limb, lit, poly, round, rows, slope,
        star, thick,
    },
    nature::{fingers, membrane},
};

const NIGHT: Tint = c(0x061436);
const DEEP: Tint = c(0x0f3d8c);
const BLUE: Tint = c(0x2f86d6);
const LIGHT: Tint = c(0x8fd8ff);
const ICE: Tint = c(0xe9fbff);

pub(super) const CARDS: Cards = [
    ("azure", ajur),
    ("ruri", ruri),
    ("rivie", rivie),
    ("roar", roar),
    ("seiran", seiran),
    ("spire", spire),
];

fn round_light() -> Shape {
    star(240.0, 82.0, 8, 70.0, 9.0, 0.0)
}

/// 蒼晶竜アジュール: Azure, the Crystal Dragon.
/// Wings spread before the full moon.
fn ajur(canvas: &mut Canvas) {
    canvas.sky(&[(0.0, 0x040c28), (0.45, 0x0f3d8c), (0.8, 0x3f9be0), (1.0, 0x0f3d8c)]);
    canvas.stars(3, 130, 420.0, ICE);
    canvas.aurora(5, 250.0, 170.0, c(0x48e0d8).a(0.10));
    canvas.moon(240.0, 238.0, 132.0, c(0xcfefff), LIGHT);
    canvas.craters(240.0, 238.0, 132.0, BLUE.a(0.12));
    canvas.clouds(8, [120.0, 470.0], 150.0, 0.46, c(0x184a9c).a(0.5));
    canvas.ridge(11, 500.0, 170.0, 120.0, c(0x3a7fca), c(0x1a4f9f));
    canvas.mist(430.0, 520.0, LIGHT.a(0.35));
    canvas.ridge(21, 570.0, 150.0, 90.0, c(0x15418d), NIGHT);
    let tips = [[470.0, 158.0], [452.0, 262.0], [402.0, 334.0], [330.0, 378.0]];
    let (shoulder, wrist, hip) = ([258.0, 300.0], [352.0, 138.0], [262.0, 372.0]);
    let wing = membrane(shoulder, wrist, &tips, hip);
    let glass = slope([240.0, 140.0], [240.0, 380.0], c(0x60b4f4).a(0.94), c(0x0a2766))
        .with(0.55, c(0x1d58b4).a(0.96));
    let both = wing.doubled(240.0);
    both.aura(canvas, 46.0, LIGHT.a(0.35));
    both.fill(canvas, lit(glass, ICE, [0.0, -3.0]));
    let bones = fingers(shoulder, wrist, &tips, 9.0).doubled(240.0);
    bones.fill(canvas, lit(c(0x0d3278), ICE, [0.0, -2.0]));
    let spine = limb(
        "318,206 288,200 252,218 232,262 238,318 246,372 226,430 244,492 306,516 352,492 344,452",
        &[16.0, 26.0, 30.0, 34.0, 58.0, 72.0, 62.0, 42.0, 26.0, 14.0, 3.0],
    );
    let head = blob("!366,226 348,206 322,186 292,180 274,198 286,220 !318,222 !350,236");
    let horns = limb("296,188 268,164 232,156", &[13.0, 8.0, 1.0])
        .and(limb("306,184 288,152 262,134", &[12.0, 7.0, 1.0]));
    let legs = limb("268,338 304,362 300,404", &[24.0, 17.0, 11.0])
        .and(limb("216,338 182,364 190,404", &[24.0, 17.0, 11.0]))
        .and(limb("246,412 290,430 268,478 294,490", &[50.0, 34.0, 17.0, 12.0]))
        .and(limb("228,420 190,440 206,480 180,492", &[44.0, 30.0, 17.0, 12.0]))
        .and(star(300.0, 410.0, 5, 13.0, 5.0, 0.0))
        .and(star(190.0, 410.0, 5, 13.0, 5.0, 0.0));
    let mut spikes = Shape::default();
    for [x, y, dx, dy] in rows("262,206,-18,-16 240,230,-26,-10 222,262,-28,-2 216,296,-26,4") {
        spikes = spikes.and(leaf([x + 8.0, y + 14.0], [x + dx, y + dy], 13.0));
    }
    let tail = star(345.0, 446.0, 4, 26.0, 8.0, 0.2);
    let body = spine.and(head).and(horns).and(legs).and(spikes).and(tail);
    body.fill(canvas, lit(down(180.0, c(0x2a78cc), 500.0, c(0x081d52)), ICE, [2.5, -2.5]));
    for i in 0..7_u8 {
        let y = 300.0 + f32::from(i) * 19.0;
        let plate = blob([[226.0, y], [246.0, y - 6.0], [266.0, y], [246.0, y + 9.0]]);
        plate.fill(canvas, down(y - 6.0, LIGHT.a(0.75), y + 9.0, BLUE.a(0.15)));
    }
    canvas.lamp(322.0, 202.0, 3.4, c(0x9ffff0));
    canvas.crystals(4, 640.0, 220.0, DEEP, LIGHT);
    canvas.sparkles(9, 16, [30.0, 120.0, 450.0, 600.0], LIGHT);
}

/// 蒼晶の幼竜ルリ: Ruri, Crystal Hatchling.
/// Fresh out of its egg.
fn ruri(canvas: &mut Canvas) {
    canvas.sky(&[(0.0, 0x0b2a6b), (0.5, 0x2b7cc9), (1.0, 0xa8e6ff)]);
    canvas.glow(240.0, 330.0, 380.0, ICE.a(0.75));
    canvas.rays([240.0, 360.0], 6, 18, 520.0, ICE.a(0.22));
    canvas.crystal(70.0, 560.0, 330.0, -0.12, DEEP, LIGHT);
    canvas.crystal(420.0, 570.0, 380.0, 0.12, DEEP, LIGHT);
    canvas.crystal(16.0, 600.0, 240.0, -0.1, NIGHT, BLUE);
    canvas.crystal(474.0, 600.0, 220.0, 0.1, NIGHT, BLUE);
    let wing = membrane(
        [300.0, 390.0],
        [380.0, 300.0],
        &[[436.0, 322.0], [420.0, 384.0], [372.0, 412.0]],
        [310.0, 430.0],
    );
    wing.doubled(240.0).fill(canvas, lit(down(300.0, LIGHT, 430.0, BLUE), ICE, [0.0, -3.0]));
    let body = blob("240,360 300,400 318,480 290,560 190,560 162,480 180,400");
    body.fill(canvas, lit(down(360.0, c(0x56aaf0), 560.0, c(0x1c58b0)), ICE, [3.0, -3.0]));
    blob("240,400 280,440 284,520 240,560 196,520 200,440")
        .fill(canvas, down(400.0, ICE.a(0.9), 560.0, LIGHT.a(0.5)));
    let ears = leaf([300.0, 270.0], [378.0, 206.0], 44.0).doubled(240.0);
    ears.fill(canvas, lit(down(200.0, LIGHT, 290.0, BLUE), ICE, [0.0, -2.0]));
    let horns = limb("272,236 286,196 276,160", &[24.0, 15.0, 2.0]).doubled(240.0);
    horns.fill(canvas, lit(down(160.0, ICE, 240.0, BLUE), c(0xffffff), [2.0, -1.0]));
    let head = blob("240,216 312,236 344,300 318,362 240,392 162,362 136,300 168,236");
    head.fill(canvas, lit(down(216.0, c(0x75c4fa), 392.0, c(0x2870c8)), ICE, [3.0, -4.0]));
    blob("240,312 284,330 282,368 240,386 198,368 196,330").fill(canvas, ICE.a(0.45));
    let eye = disc(296.0, 300.0, 26.0, 32.0).doubled(240.0);
    eye.fill(canvas, down(268.0, NIGHT, 332.0, c(0x1b6fd0)));
    disc(296.0, 314.0, 17.0, 15.0)
        .doubled(240.0)
        .fill(canvas, down(300.0, BLUE.a(0.0), 330.0, c(0x60fff0).a(0.9)));
    disc(303.0, 288.0, 9.0, 10.0).and(disc(189.0, 288.0, 9.0, 10.0)).fill(canvas, c(0xffffff));
    disc(288.0, 318.0, 4.0, 4.0).and(disc(176.0, 318.0, 4.0, 4.0)).fill(canvas, c(0xffffff).a(0.8));
    disc(252.0, 340.0, 3.4, 2.6).doubled(240.0).fill(canvas, NIGHT);
    thick(
        &crate::art::canvas::line("216,356 228,366 240,360 252,366 264,356"),
        &[1.0, 3.6, 3.6, 1.0],
    )
    .fill(canvas, NIGHT);
    disc(326.0, 340.0, 16.0, 9.0).doubled(240.0).fill(canvas, c(0xffa8d8).a(0.4));
    let arms = limb("300,430 300,470 276,484", &[30.0, 26.0, 24.0]).doubled(240.0);
    arms.fill(canvas, lit(down(420.0, c(0x56aaf0), 490.0, c(0x2f7fd6)), ICE, [2.0, -2.0]));
    let shell = poly(
        "96,490 132,462 160,500 196,468 240,508 284,468 320,500 348,462 384,490 372,570 320,628 240,650 160,628 108,570",
    );
    shell.fill(canvas, lit(down(460.0, c(0xddf6ff), 650.0, c(0x2266c0)), c(0xffffff), [0.0, -4.0]));
    for (facet, alpha) in [
        ("96,490 132,462 160,500 150,580 108,570", 0.25),
        ("240,508 284,468 300,560 240,600", 0.3),
        ("320,500 348,462 384,490 340,560", 0.18),
        ("160,500 196,468 190,560", 0.12),
    ] {
        poly(facet).fill(canvas, c(0xffffff).a(alpha));
    }
    canvas.sparkles(7, 20, [30.0, 60.0, 450.0, 580.0], ICE);
}

/// 蒼海竜リヴィエ: Rivie, Serpent of the Blue Sea.
/// A serpent that rises from the sea.
fn rivie(canvas: &mut Canvas) {
    canvas.sky(&[(0.0, 0x030d2c), (0.4, 0x0e3f86), (0.68, 0x38a0c8), (1.0, 0x0a2a5c)]);
    canvas.stars(17, 160, 380.0, ICE);
    canvas.moon(118.0, 132.0, 52.0, c(0xd8f4ff), LIGHT);
    canvas.clouds(31, [200.0, 420.0], 170.0, 0.5, c(0x78c8e8).a(0.35));
    canvas.ridge(41, 420.0, 46.0, 150.0, c(0x1d5d97), c(0x144c85));
    canvas.water(8, 412.0, c(0x2486b8), c(0x041740), 118.0, c(0xc8f4ff).a(0.5));
    let skin =
        slope([150.0, 160.0], [380.0, 520.0], c(0x4cc4e4), c(0x082a64)).with(0.5, c(0x1766b4));
    let far = limb("396,462 410,410 438,404 456,462", &[24.0, 26.0, 26.0, 22.0]);
    far.fill(canvas, lit(skin.clone(), ICE, [-2.0, -2.0]));
    let hump = limb("70,500 96,428 150,404 196,440 210,506", &[40.0, 46.0, 48.0, 46.0, 40.0]);
    hump.fill(canvas, lit(skin.clone(), ICE, [-2.0, -3.0]));
    let mut crest = Shape::default();
    let ridge = rows("352,440 374,396 374,350 350,306 318,268 296,226 304,186");
    for (i, [x, y]) in ridge.into_iter().enumerate() {
        let lean = if i < 3 { 44.0 } else { 38.0 };
        crest = crest.and(leaf([x - 14.0, y + 10.0], [x + lean, y - 26.0], 24.0));
    }
    let neck = limb(
        "300,520 336,440 346,370 306,310 262,258 252,206 276,166 250,150",
        &[78.0, 72.0, 64.0, 56.0, 48.0, 42.0, 38.0, 30.0],
    );
    let head = blob("!166,196 190,164 226,138 268,126 300,146 302,178 272,198 !232,196 !196,204");
    let fin = membrane(
        [286.0, 150.0],
        [330.0, 110.0],
        &[[372.0, 92.0], [382.0, 136.0], [356.0, 170.0]],
        [296.0, 184.0],
    );
    let whisker = limb("190,190 150,216 128,262 140,296", &[6.0, 4.0, 3.0, 0.5])
        .and(limb("204,196 186,232 192,270", &[5.0, 3.0, 0.5]));
    crest.fill(canvas, lit(down(160.0, ICE, 440.0, c(0x30a0d8)), c(0xffffff), [1.0, -2.0]));
    let ink = Ink::Line([290.0, 160.0], [380.0, 110.0], vec![(0.0, BLUE), (1.0, c(0xa8fff0))]);
    fin.fill(canvas, lit(ink, ICE, [0.0, -2.0]));
    neck.and(head).and(whisker).fill(canvas, lit(skin, ICE, [-3.0, -2.5]));
    for i in 0..11_u8 {
        let share = f32::from(i) / 10.0;
        let (x, y) =
            (240.0 + 66.0 * (share * 3.1).sin() - share * 10.0 + 2.0, 212.0 + share * 258.0);
        blob([[x - 17.0, y], [x, y - 5.0], [x + 16.0, y + 3.0], [x, y + 9.0]])
            .fill(canvas, ICE.a(0.34));
    }
    canvas.lamp(236.0, 164.0, 4.0, c(0xfff0a0));
    for (x, y, w) in [(140.0, 506.0, 110.0), (312.0, 520.0, 74.0), (428.0, 464.0, 52.0)] {
        for i in 0..4_u8 {
            let i = f32::from(i);
            disc(x, y + i * 7.0, w - i * 16.0, 3.0).fill(canvas, ICE.a(0.45 - i * 0.09));
        }
    }
    canvas.motes(3, 26, [90.0, 380.0, 420.0, 520.0], 3.0, LIGHT);
}

/// 蒼晶竜の咆哮: Roar of the Crystal Dragon.
/// A head in profile, and the light that it breathes.
fn roar(canvas: &mut Canvas) {
    canvas.sky(&[(0.0, 0x0c2f7c), (0.5, 0x091c52), (1.0, 0x030a20)]);
    canvas.stars(29, 90, 640.0, LIGHT);
    canvas.clouds(12, [0.0, 420.0], 190.0, 0.55, c(0x225cb8).a(0.5));
    let mouth = [196.0, 352.0];
    canvas.rays(mouth, 9, 26, 620.0, LIGHT.a(0.20));
    let beam = thick(&[mouth, [100.0, 200.0], [-60.0, -60.0]], &[26.0, 120.0, 330.0]);
    beam.aura(canvas, 70.0, LIGHT.a(0.9));
    let ink = slope(mouth, [0.0, 0.0], c(0xffffff), LIGHT.a(0.35)).with(0.5, ICE.a(0.9));
    beam.fill(canvas, ink);
    thick(&[mouth, [110.0, 210.0], [-40.0, -40.0]], &[12.0, 50.0, 150.0])
        .fill(canvas, c(0xffffff).a(0.85));
    let skin =
        slope([170.0, 200.0], [470.0, 560.0], c(0x62bcf6), c(0x081a4a)).with(0.35, c(0x2268c0));
    let mane = [
        "330,236 402,150 470,96",
        "372,250 440,190 500,160",
        "396,290 460,250 510,240",
        "404,340 466,320 520,330",
    ];
    for (i, horn) in (0_u8..).zip(mane) {
        let wide = 40.0 - f32::from(i) * 5.0;
        let ink = Ink::Line([340.0, 250.0], [490.0, 110.0], vec![(0.0, c(0x164a98)), (1.0, ICE)]);
        limb(horn, &[wide, wide * 0.6, 2.0]).fill(canvas, lit(ink, ICE, [-2.0, -2.0]));
    }
    let lower = blob("!352,430 !296,420 !236,420 !178,404 172,424 214,466 286,508 360,520");
    lower.fill(canvas, lit(skin.clone(), ICE, [-3.0, -3.0]));
    let upper = blob(
        "!142,306 158,278 206,262 250,226 306,206 368,220 412,270 470,350 !500,420 !500,680 !300,680 330,590 364,500 !340,420 !300,372 !232,346 !176,336",
    );
    upper.fill(canvas, lit(skin, ICE, [-3.0, -4.0]));
    let mut teeth = Shape::default();
    for [x, y, h] in rows("164,330,26 196,338,18 226,344,24 258,354,18 286,366,18") {
        teeth = teeth.and(poly([[x - 8.0, y - 4.0], [x + 9.0, y], [x + 2.0, y + h]]));
    }
    for [x, y, h] in rows("190,410,24 218,420,18 248,424,22 282,424,16") {
        teeth = teeth.and(poly([[x - 8.0, y], [x + 8.0, y + 2.0], [x - 1.0, y - h]]));
    }
    teeth.fill(canvas, c(0xffffff));
    for (i, x) in (0_u8..).zip([344.0, 372.0, 402.0, 430.0]) {
        let y = 400.0 + f32::from(i) * 44.0;
        poly([[x, y], [x + 34.0, y - 16.0], [x + 60.0, y + 20.0], [x + 24.0, y + 34.0]])
            .fill(canvas, LIGHT.a(0.16));
        poly([[x - 10.0, y + 60.0], [x + 20.0, y + 44.0], [x + 40.0, y + 84.0]])
            .fill(canvas, LIGHT.a(0.12));
    }
    blob("!248,272 282,250 !322,262 290,278").fill(canvas, c(0x040c28));
    canvas.glow(288.0, 266.0, 60.0, c(0x70ffe8).a(0.8));
    blob("!256,271 284,256 !314,264 288,274").fill(canvas, c(0xc8fff4));
    disc(286.0, 265.0, 3.0, 9.0).fill(canvas, NIGHT);
    blob("!150,296 166,286 !176,292 164,302").fill(canvas, NIGHT.a(0.7));
    canvas.glow(mouth[0], mouth[1], 150.0, ICE.a(0.9));
    canvas.crystals(14, 660.0, 150.0, NIGHT, BLUE);
    canvas.sparkles(21, 18, [10.0, 20.0, 300.0, 420.0], ICE);
}

/// 蒼晶竜騎士セイラン: Seiran, Crystal Dragon Rider.
/// A rider above the clouds.
fn seiran(canvas: &mut Canvas) {
    canvas.sky(&[(0.0, 0x1858b4), (0.45, 0x62b4ee), (0.72, 0xe4f6ff), (1.0, 0x60a8e4)]);
    canvas.moon(366.0, 168.0, 84.0, c(0xffffff), c(0xfff8d8));
    canvas.clouds(5, [20.0, 330.0], 210.0, 0.5, c(0xffffff).a(0.55));
    canvas.ridge(51, 520.0, 150.0, 110.0, c(0x5ca4de), c(0xb8e0f8));
    canvas.mist(440.0, 540.0, c(0xffffff).a(0.7));
    let skin =
        slope([240.0, 90.0], [240.0, 440.0], c(0x52a8ee), c(0x0c2c6c)).with(0.5, c(0x1e5cb4));
    let far_tips = [[226.0, 62.0], [292.0, 128.0], [306.0, 214.0]];
    membrane([214.0, 330.0], [150.0, 150.0], &far_tips, [280.0, 330.0])
        .fill(canvas, lit(c(0x164690), LIGHT, [1.0, -2.0]));
    let tail = limb("300,368 366,394 420,372 452,314 440,262", &[64.0, 40.0, 24.0, 13.0, 3.0])
        .and(star(438.0, 254.0, 4, 24.0, 7.0, 0.4));
    let trunk = limb("116,268 150,286 180,330 236,352 310,366", &[30.0, 36.0, 48.0, 72.0, 58.0]);
    let head = blob("!44,292 66,260 100,238 132,240 146,262 132,290 !98,290 !66,306");
    let horns = limb("124,246 156,222 190,222", &[13.0, 8.0, 1.0])
        .and(limb("116,240 138,206 168,196", &[12.0, 7.0, 1.0]));
    let legs = limb("202,368 186,404 212,428", &[28.0, 16.0, 9.0])
        .and(limb("292,384 300,424 332,438", &[34.0, 18.0, 9.0]));
    trunk
        .and(tail)
        .and(head)
        .and(horns)
        .and(legs)
        .fill(canvas, lit(skin.clone(), ICE, [2.5, -3.0]));
    disc(98.0, 262.0, 4.0, 4.0).fill(canvas, c(0xfff4b0));
    let cape = blob("!246,266 292,262 340,284 !388,268 356,312 300,322 250,318");
    let ink =
        Ink::Line([246.0, 280.0], [380.0, 290.0], vec![(0.0, c(0xf05a6c)), (1.0, c(0x901c48))]);
    cape.fill(canvas, lit(ink, c(0xffd0c8), [1.0, -2.0]));
    let rider = blob("224,252 246,256 252,300 238,330 214,322 214,280")
        .and(disc(230.0, 236.0, 16.0, 18.0))
        .and(limb("226,274 200,288 178,282", &[15.0, 12.0, 9.0]))
        .and(limb("232,318 214,346 222,374", &[19.0, 14.0, 9.0]));
    rider.fill(canvas, lit(down(216.0, c(0xb8c8e0), 370.0, c(0x304678)), c(0xffffff), [2.0, -2.0]));
    leaf([234.0, 220.0], [274.0, 206.0], 15.0)
        .fill(canvas, lit(c(0xf05a6c), c(0xffd0c8), [0.0, -1.0]));
    thick(&[[300.0, 352.0], [62.0, 190.0]], &[4.0, 4.0])
        .and(leaf([92.0, 212.0], [30.0, 166.0], 15.0))
        .fill(canvas, c(0xf4fbff));
    let tips = [[408.0, 92.0], [418.0, 206.0], [372.0, 290.0]];
    let near = membrane([250.0, 344.0], [298.0, 140.0], &tips, [308.0, 352.0]);
    let ink =
        slope([280.0, 130.0], [330.0, 350.0], c(0x84d0ff), c(0x144490)).with(0.6, c(0x2a70c8));
    near.fill(canvas, lit(ink, ICE, [2.0, -3.0]));
    fingers([250.0, 344.0], [298.0, 140.0], &tips, 9.0).fill(canvas, lit(skin, ICE, [1.5, -2.0]));
    canvas.clouds(77, [450.0, 760.0], 150.0, 0.78, c(0xffffff).a(0.95));
    canvas.clouds(78, [540.0, 740.0], 120.0, 0.72, c(0xb0d8f8).a(0.8));
    canvas.sparkles(2, 10, [20.0, 60.0, 460.0, 520.0], c(0xffffff));
}

/// 蒼晶の尖塔: Spire of Azure Crystal.
/// A tower of crystal that reaches the stars.
fn spire(canvas: &mut Canvas) {
    canvas.sky(&[(0.0, 0x060a2c), (0.4, 0x202c80), (0.7, 0x4088d8), (1.0, 0x103070)]);
    canvas.stars(71, 170, 460.0, ICE);
    canvas.band(
        3,
        &[[-20.0, 300.0], [160.0, 190.0], [330.0, 90.0], [500.0, 40.0]],
        90.0,
        c(0x8ca8ff).a(0.5),
    );
    poly("222,0 258,0 290,640 190,640").fill(canvas, down(0.0, ICE.a(0.05), 460.0, ICE.a(0.75)));
    canvas.glow(240.0, 330.0, 330.0, LIGHT.a(0.55));
    canvas.ridge(61, 520.0, 130.0, 80.0, c(0x3c80cc), c(0x184690));
    canvas.mist(430.0, 530.0, LIGHT.a(0.5));
    for [x, y, h, lean] in rows(
        "150,590,250,-0.16 330,590,280,0.15 196,600,360,-0.07 286,600,330,0.06 240,620,540,0 118,610,150,-0.3 368,612,160,0.3 210,630,200,-0.12 278,632,180,0.14",
    ) {
        canvas.crystal(x, y, h, lean, c(0x123c90), c(0xa0e4ff));
    }
    for (i, y) in (0_u8..).zip([190.0, 262.0, 340.0]) {
        let wide = 96.0 + f32::from(i) * 40.0;
        let ring = disc(240.0, y, wide, wide * 0.22);
        ring.stroke(canvas, 2.4, ICE.a(0.65));
        ring.aura(canvas, 14.0, LIGHT.a(0.16));
    }
    for (x, y, s) in [(92.0, 170.0, 0.34), (394.0, 236.0, 0.26), (344.0, 120.0, 0.18)] {
        let bird = blob("240,320 300,270 !380,260 320,300 280,350 250,352 !240,400 230,352 200,350 160,300 !100,260 180,270").scaled(240.0, 320.0, s).moved(x - 240.0, y - 320.0);
        bird.fill(canvas, NIGHT.a(0.85));
    }
    canvas.ground(9, 606.0, 14.0, c(0x0e2c66), NIGHT);
    canvas.crystals(15, 650.0, 120.0, NIGHT, BLUE);
    round_light().fill(canvas, round(240.0, 82.0, 70.0, c(0xffffff), LIGHT.a(0.0)));
    canvas.sparkles(33, 22, [60.0, 60.0, 420.0, 560.0], ICE);
}
