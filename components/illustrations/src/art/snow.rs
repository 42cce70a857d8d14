//! 雪月花: snow, moon and flower.

use super::{
    Cards,
    canvas::{
        Canvas, Dice, Ink, Shape, Tint, across, bar, blob, c, disc, down, leaf, limb, line, lit,
        poly, round, rows, slope, thick,
    },
    nature::feathers,
};

const NIGHT: Tint = c(0x1c2340);
const SILVER: Tint = c(0x9fb4d8);
const PINK: Tint = c(0xf2a9c4);
const WHITE: Tint = c(0xffffff);
const LAMP: Tint = c(0xffc060);

pub(super) const CARDS: Cards = [
    ("yuki", yuki),
    ("kaguya", kaguya),
    ("kohana", kohana),
    ("torii", torii),
    ("tsurara", tsurara),
    ("sakura", sakura),
];

/// A blossom of five petals.
fn blossom(x: f32, y: f32, size: f32, turn: f32) -> Shape {
    let mut flower = Shape::default();
    for i in 0..5_u8 {
        let angle = turn + f32::from(i) * 1.2566;
        flower =
            flower.and(leaf([x, y], [x + angle.cos() * size, y + angle.sin() * size], size * 0.85));
    }
    flower
}

/// A bough with blossoms.
fn bough(canvas: &mut Canvas, seed: u32, path: &str, widths: &[f32], size: f32) {
    limb(path, widths).fill(canvas, lit(c(0x3c2c3c), c(0xc0a8c0), [0.0, -1.5]));
    let mut dice = Dice::new(seed);
    for at in line(path).into_iter().skip(2) {
        for _ in 0..3 {
            let (x, y) = (at[0] + dice.within(-24.0, 24.0), at[1] + dice.within(-22.0, 22.0));
            let tint = PINK.to(WHITE, dice.within(0.1, 0.8));
            blossom(x, y, size * dice.within(0.6, 1.2), dice.within(0.0, 1.2)).fill(canvas, tint);
            disc(x, y, size * 0.14, size * 0.14).fill(canvas, c(0xe05080));
        }
    }
}

/// A lantern of stone with its light.
fn lantern(canvas: &mut Canvas, x: f32, y: f32, s: f32) {
    let stone = down(y - 130.0 * s, c(0x707c9c), y, c(0x303858));
    let post = poly([
        [x - 13.0 * s, y],
        [x - 9.0 * s, y - 70.0 * s],
        [x + 9.0 * s, y - 70.0 * s],
        [x + 13.0 * s, y],
    ]);
    post.fill(canvas, lit(stone.clone(), LAMP, [1.0, -1.0]));
    canvas.glow(x, y - 88.0 * s, 120.0 * s, LAMP.a(0.9));
    bar(x - 20.0 * s, y - 70.0 * s, x + 20.0 * s, y - 106.0 * s)
        .fill(canvas, lit(stone.clone(), LAMP, [0.0, -1.0]));
    bar(x - 13.0 * s, y - 74.0 * s, x + 13.0 * s, y - 101.0 * s).fill(canvas, c(0xfff0b8));
    blob(&format!(
        "!{},{} {x},{} !{},{} {x},{}",
        x - 36.0 * s,
        y - 104.0 * s,
        y - 142.0 * s,
        x + 36.0 * s,
        y - 104.0 * s,
        y - 108.0 * s
    ))
    .fill(canvas, lit(stone, WHITE, [0.0, -1.0]));
    blob([
        [x - 36.0 * s, y - 110.0 * s],
        [x - 18.0 * s, y - 132.0 * s],
        [x, y - 146.0 * s],
        [x + 18.0 * s, y - 132.0 * s],
        [x + 36.0 * s, y - 110.0 * s],
        [x, y - 124.0 * s],
    ])
    .fill(canvas, WHITE);
}

/// 雪兎ユキ: Yuki, the Snow Hare.
/// A hare that came from the moon.
fn yuki(canvas: &mut Canvas) {
    canvas.sky(&[(0.0, 0x121c48), (0.5, 0x3c5498), (0.8, 0xb8b0d8), (1.0, 0xe8e4f4)]);
    canvas.stars(3, 150, 420.0, WHITE);
    canvas.moon(240.0, 220.0, 150.0, c(0xfff4d8), c(0xd8e0ff));
    canvas.craters(240.0, 220.0, 150.0, c(0xd8d0d8).a(0.4));
    canvas.clouds(13, [240.0, 460.0], 210.0, 0.5, c(0x9098c8).a(0.5));
    canvas.ridge(15, 480.0, 130.0, 120.0, c(0x98a8d8), c(0xc8cce8));
    canvas.firs(6, 512.0, 110.0, c(0x485c98), c(0x90a0c8));
    canvas.mist(420.0, 520.0, WHITE.a(0.5));
    canvas.ground(4, 520.0, 18.0, c(0xf4f6ff), c(0x98a8d0));
    disc(250.0, 556.0, 140.0, 16.0).shadow(canvas, 16.0, c(0x485890).a(0.5));
    let ink = slope([150.0, 240.0], [360.0, 570.0], WHITE, c(0x98a8d4)).with(0.5, c(0xe8ecfa));
    let far = blob("216,330 214,260 232,180 252,150 262,190 256,270 244,336");
    far.fill(canvas, lit(down(150.0, c(0xd8dcf0), 336.0, c(0xa8b4d8)), WHITE, [1.0, -2.0]));
    let body = blob("220,400 290,392 350,430 374,490 356,544 290,560 200,558 172,520 180,450");
    disc(374.0, 512.0, 28.0, 27.0)
        .fill(canvas, lit(round(368.0, 500.0, 34.0, WHITE, c(0xb8c4e4)), WHITE, [2.0, -2.0]));
    body.fill(canvas, lit(ink.clone(), WHITE, [2.0, -4.0]));
    blob("270,470 330,456 358,500 340,552 270,558 250,520")
        .fill(canvas, lit(ink.clone(), WHITE, [2.0, -3.0]));
    blob("230,540 300,540 330,560 280,570 220,566")
        .fill(canvas, lit(c(0xf0f2fc), WHITE, [0.0, -2.0]));
    blob("166,540 206,536 222,556 190,568 154,562")
        .fill(canvas, lit(c(0xf0f2fc), WHITE, [0.0, -2.0]));
    blob("214,420 236,480 214,548 182,548 172,480")
        .fill(canvas, lit(ink.clone(), WHITE, [-1.0, -1.0]));
    let head = blob("196,310 240,314 262,350 254,400 216,426 168,420 136,396 140,362 160,328");
    head.fill(canvas, lit(ink.clone(), WHITE, [1.5, -3.5]));
    let near = blob("192,334 172,260 174,170 192,132 210,170 216,260 216,334");
    near.fill(canvas, lit(ink, WHITE, [1.5, -2.0]));
    blob("196,310 184,250 186,184 194,156 203,190 206,256 206,310")
        .fill(canvas, down(156.0, c(0xffd8e0), 310.0, c(0xf0a0b8)));
    disc(192.0, 366.0, 13.0, 15.0).fill(canvas, c(0xb02040));
    disc(192.0, 368.0, 8.0, 10.0).fill(canvas, c(0x480818));
    disc(188.0, 360.0, 4.6, 5.0).fill(canvas, WHITE);
    disc(197.0, 374.0, 2.2, 2.2).fill(canvas, WHITE.a(0.8));
    blob("!138,380 150,376 152,386 !142,392").fill(canvas, c(0xf088a0));
    disc(206.0, 396.0, 14.0, 8.0).fill(canvas, c(0xffa0b0).a(0.45));
    for dy in [-4.0, 2.0, 8.0] {
        thick(&[[156.0, 392.0], [106.0, 394.0 + dy * 2.4]], &[1.4, 0.5])
            .fill(canvas, c(0x8090c0).a(0.8));
    }
    limb("176,424 214,440 252,424", &[10.0, 13.0, 10.0])
        .fill(canvas, lit(c(0xd83858), c(0xffb0b8), [0.0, -2.0]));
    leaf([214.0, 440.0], [176.0, 468.0], 24.0)
        .and(leaf([214.0, 440.0], [246.0, 472.0], 24.0))
        .fill(canvas, lit(c(0xd83858), c(0xffb0b8), [0.0, -2.0]));
    canvas.lamp(214.0, 446.0, 8.0, LAMP);
    for (x, y, r) in [(60.0, 590.0, 40.0), (420.0, 600.0, 52.0), (110.0, 624.0, 50.0)] {
        disc(x, y, r * 1.6, r * 0.7)
            .fill(canvas, lit(down(y - r, WHITE, y + r, c(0xa8b4d8)), WHITE, [0.0, -3.0]));
    }
    bough(canvas, 4, "-10,40 80,70 150,50 210,90", &[16.0, 11.0, 7.0, 2.0], 14.0);
    canvas.snow(8, 150, WHITE);
    canvas.sparkles(12, 12, [40.0, 60.0, 440.0, 560.0], WHITE);
}

/// 月下の舞姫カグヤ: Kaguya, Dancer under the Moon.
/// She opens her parasol.
fn kaguya(canvas: &mut Canvas) {
    canvas.sky(&[(0.0, 0x201c50), (0.5, 0x6858a0), (0.8, 0xf0b8c8), (1.0, 0xf8e0e8)]);
    canvas.stars(23, 110, 360.0, WHITE);
    canvas.moon(300.0, 190.0, 120.0, c(0xfff0d0), c(0xffd8e0));
    canvas.clouds(17, [160.0, 420.0], 190.0, 0.5, c(0xc890b8).a(0.5));
    canvas.ridge(25, 500.0, 110.0, 140.0, c(0x9080b8), c(0xe0b8c8));
    canvas.mist(430.0, 530.0, c(0xfff0f4).a(0.6));
    canvas.ground(14, 560.0, 12.0, c(0xfff4f8), c(0xb0a0c8));
    disc(240.0, 606.0, 150.0, 14.0).shadow(canvas, 14.0, c(0x605088).a(0.5));
    let shade = blob(
        "!60,262 90,190 160,136 230,122 300,140 366,196 !392,268 348,250 306,262 266,246 226,258 184,244 142,258 100,246",
    );
    let train =
        blob("!214,400 !276,400 310,500 360,584 !420,616 300,624 180,622 !104,612 170,540 196,470");
    train.fill(canvas, lit(down(400.0, c(0xd83860), 620.0, c(0x701848)), c(0xffc8d0), [2.0, -2.0]));
    blob("!204,330 !280,330 296,420 330,520 !346,600 250,612 !160,600 190,500 196,420")
        .fill(canvas, lit(down(330.0, c(0xfff0f4), 610.0, c(0xf090b0)), WHITE, [2.0, -2.0]));
    for [x, y, s] in rows("230,470,17 280,530,22 206,560,20 250,590,14 310,580,15 250,510,11") {
        blossom(x, y, s, x).fill(canvas, c(0xe04070).a(0.8));
        disc(x, y, s * 0.16, s * 0.16).fill(canvas, c(0xffe0a0));
    }
    let sleeve = blob("!272,318 330,330 362,300 !384,316 388,420 !366,452 340,420 300,372");
    let other = blob("!208,318 170,350 150,340 !138,356 120,440 !146,470 172,434 206,382");
    sleeve
        .and(other)
        .fill(canvas, lit(down(300.0, c(0xe84868), 460.0, c(0x882050)), c(0xffd0d8), [2.0, -2.0]));
    blob("!206,310 240,300 !278,310 284,372 !276,404 206,404 !198,372")
        .fill(canvas, lit(down(300.0, c(0xf05070), 404.0, c(0xa02850)), c(0xffd0d8), [1.5, -2.0]));
    poly("198,366 284,366 286,404 196,404")
        .fill(canvas, lit(down(366.0, c(0xffd880), 404.0, c(0xb87830)), WHITE, [0.0, -2.0]));
    poly("198,382 284,382 284,388 198,388").fill(canvas, c(0xd02850));
    poly("222,306 240,352 258,306 250,302 240,330 230,302").fill(canvas, WHITE);
    thick(&[[232.0, 110.0], [262.0, 380.0]], &[6.0, 6.0])
        .fill(canvas, lit(c(0x583030), c(0xd8a898), [1.0, 0.0]));
    disc(258.0, 354.0, 10.0, 9.0).and(disc(150.0, 344.0, 9.0, 9.0)).fill(canvas, c(0xffe4d4));
    let hair = blob(
        "198,240 212,206 244,198 274,214 284,252 290,330 310,420 !322,470 292,440 276,380 262,290 214,290 204,380 186,440 !166,466 180,400 194,320",
    );
    hair.fill(canvas, lit(down(200.0, c(0x302448), 460.0, c(0x140c28)), c(0xb0a8e0), [2.0, -2.0]));
    blob("240,226 264,240 266,270 240,300 214,270 216,240")
        .fill(canvas, down(226.0, c(0xfff4ec), 300.0, c(0xffd8cc)));
    blob("!212,256 220,230 242,222 262,232 !270,258 256,240 240,244 226,240")
        .fill(canvas, c(0x241838));
    for x in [230.0, 252.0] {
        limb([[x - 7.0, 262.0], [x, 267.0], [x + 7.0, 262.0]], &[1.0, 3.0, 1.0])
            .fill(canvas, c(0x401830));
    }
    disc(222.0, 274.0, 6.0, 4.0).and(disc(260.0, 274.0, 6.0, 4.0)).fill(canvas, c(0xff90a8).a(0.5));
    blob("!235,283 241,280 !247,283 241,288").fill(canvas, c(0xd02848));
    blossom(272.0, 232.0, 16.0, 0.3).fill(canvas, PINK.to(WHITE, 0.3));
    blossom(284.0, 250.0, 11.0, 0.9).fill(canvas, c(0xe84870));
    shade.aura(canvas, 24.0, c(0xffd0d8).a(0.4));
    shade.fill(canvas, lit(down(122.0, c(0xf04868), 268.0, c(0x981c48)), c(0xffe0e0), [0.0, -3.0]));
    for x in [60.0, 100.0, 142.0, 184.0, 226.0, 266.0, 306.0, 348.0, 392.0] {
        let y = if !(70.0..=380.0).contains(&x) { 264.0 } else { 250.0 };
        thick(
            &[
                [232.0, 122.0],
                [232.0 + (x - 232.0) * 0.72, 168.0 + (x - 232.0_f32).abs() * 0.06],
                [x, y],
            ],
            &[2.0, 2.0, 1.4],
        )
        .fill(canvas, c(0x601030).a(0.6));
    }
    for (x, y, s) in [(150.0, 186.0, 22.0), (240.0, 178.0, 26.0), (322.0, 196.0, 20.0)] {
        blossom(x, y, s, x).fill(canvas, WHITE.a(0.85));
        disc(x, y, 4.0, 4.0).fill(canvas, c(0xffd070));
    }
    bough(canvas, 8, "490,60 420,70 360,40 320,60", &[18.0, 12.0, 7.0, 2.0], 13.0);
    canvas.petals(5, 60, [10.0, 60.0, 470.0, 620.0], 15.0, [PINK, WHITE]);
    canvas.snow(9, 60, WHITE);
}

/// 花嵐の狐コハナ: Kohana, Fox of the Petal Storm.
/// A fox with nine tails.
fn kohana(canvas: &mut Canvas) {
    canvas.sky(&[(0.0, 0x5888c8), (0.45, 0xc8d0ec), (0.7, 0xffdce8), (1.0, 0xf0a8c0)]);
    canvas.glow(330.0, 130.0, 330.0, WHITE.a(0.9));
    canvas.clouds(27, [-40.0, 330.0], 210.0, 0.53, WHITE.a(0.8));
    canvas.ridge(33, 500.0, 150.0, 130.0, c(0xb0b0d8), c(0xf0d0e0));
    canvas.mist(420.0, 540.0, WHITE.a(0.6));
    canvas.ground(19, 560.0, 20.0, c(0xf8c8d8), c(0xa06890));
    for (i, angle) in (0_u8..).zip([-2.95_f32, -2.62, -2.3, -2.0, -1.7, -1.4, -1.1, -0.8, -0.5]) {
        let long = 250.0 + 34.0 * (f32::from(i) * 0.4).sin();
        let at = |share: f32, off: f32| {
            [280.0 + (angle + off).cos() * long * share, 470.0 + (angle + off).sin() * long * share]
        };
        let spine = [at(0.0, 0.0), at(0.3, 0.16), at(0.6, 0.14), at(0.85, -0.02), at(1.05, -0.22)];
        let tail = thick(&spine, &[18.0, 44.0, 66.0, 50.0, 2.0]);
        let ink = Ink::Round(
            [280.0, 470.0],
            270.0,
            vec![(0.2, c(0xe88858)), (0.65, c(0xf8b888)), (0.8, c(0xfff4ec)), (1.0, WHITE)],
        );
        tail.fill(canvas, lit(ink, WHITE, [1.0, -3.0]));
        thick(&[at(0.2, 0.08), at(0.6, 0.14), at(0.8, 0.04)], &[1.0, 5.0, 1.0])
            .fill(canvas, c(0xc06040).a(0.3));
    }
    let fur =
        slope([140.0, 280.0], [330.0, 590.0], c(0xffc898), c(0xb05038)).with(0.5, c(0xf09058));
    let body = blob("190,380 250,386 306,430 330,500 316,570 250,588 190,584 164,520 166,440");
    body.fill(canvas, lit(fur.clone(), WHITE, [2.0, -3.0]));
    limb("206,480 200,540 196,588", &[44.0, 30.0, 30.0])
        .and(limb("166,474 160,530 154,588", &[40.0, 28.0, 28.0]))
        .fill(canvas, lit(fur.clone(), WHITE, [1.5, -1.5]));
    disc(196.0, 584.0, 18.0, 10.0).and(disc(154.0, 584.0, 17.0, 10.0)).fill(canvas, c(0x582828));
    blob("258,510 316,500 336,552 300,588 240,588 236,550")
        .fill(canvas, lit(fur.clone(), WHITE, [2.0, -2.0]));
    blob("150,400 190,420 214,460 190,520 !170,490 158,510 !148,470 138,480 136,430")
        .fill(canvas, WHITE);
    let ears = blob("!104,300 !92,214 148,258").and(blob("!216,290 !238,208 176,256"));
    ears.fill(canvas, lit(fur.clone(), WHITE, [1.0, -2.0]));
    poly("110,286 102,240 136,264").and(poly("210,282 226,234 188,262")).fill(canvas, c(0x702830));
    let head =
        blob("164,250 216,280 !244,350 202,372 170,402 !152,410 136,400 106,370 !72,352 108,282");
    head.fill(canvas, lit(fur, WHITE, [1.5, -3.0]));
    blob(
        "!78,352 116,350 146,372 156,372 186,350 !238,350 202,370 170,400 !152,408 136,398 108,370",
    )
    .fill(canvas, c(0xfff8f4));
    for (from, to) in [([118.0, 322.0], [146.0, 334.0]), ([200.0, 318.0], [172.0, 334.0])] {
        let eye: Shape = leaf(from, to, 13.0);
        eye.fill(canvas, c(0x401820));
        disc((from[0] + to[0]) / 2.0, (from[1] + to[1]) / 2.0 - 1.0, 3.4, 4.0)
            .fill(canvas, c(0xffd060));
        limb([[from[0] + (from[0] - to[0]) * 0.5, from[1] - 9.0], [from[0], from[1]]], &[0.6, 3.6])
            .fill(canvas, c(0xd02848));
    }
    blob("!144,380 154,376 !164,380 154,390").fill(canvas, c(0x301018));
    leaf([156.0, 262.0], [158.0, 298.0], 13.0).fill(canvas, c(0xd02848));
    disc(140.0, 284.0, 3.4, 3.4).and(disc(176.0, 282.0, 3.4, 3.4)).fill(canvas, c(0xd02848));
    limb("132,412 170,430 214,410", &[9.0, 12.0, 9.0])
        .fill(canvas, lit(c(0xd83050), c(0xffc0c8), [0.0, -2.0]));
    canvas.lamp(172.0, 436.0, 9.0, LAMP);
    bough(canvas, 2, "-10,90 70,60 150,90 220,50 300,70", &[26.0, 17.0, 12.0, 8.0, 2.0], 17.0);
    bough(canvas, 6, "70,64 110,130 90,170", &[10.0, 6.0, 2.0], 14.0);
    canvas.petals(7, 110, [0.0, 60.0, 480.0, 636.0], 19.0, [c(0xf088b0), c(0xfff0f6)]);
    canvas.sparkles(16, 10, [40.0, 80.0, 440.0, 540.0], WHITE);
}

/// 雪灯りの社: Shrine of Snow Lanterns.
/// The lanterns know the way.
fn torii(canvas: &mut Canvas) {
    canvas.sky(&[(0.0, 0x101838), (0.5, 0x384880), (0.8, 0x98a0c8), (1.0, 0xc8d0e8)]);
    canvas.stars(39, 120, 330.0, WHITE);
    canvas.moon(240.0, 236.0, 74.0, c(0xfff8e0), c(0xd0d8ff));
    canvas.ridge(37, 470.0, 240.0, 170.0, c(0x506098), c(0x90a0c8));
    canvas.mist(330.0, 470.0, c(0xe0e8ff).a(0.5));
    canvas.firs(11, 500.0, 180.0, c(0x283868), c(0x607098));
    canvas.firs(12, 540.0, 250.0, c(0x142048), c(0x384870));
    canvas.mist(430.0, 560.0, WHITE.a(0.4));
    canvas.ground(18, 520.0, 12.0, c(0xf0f4ff), c(0x90a0c8));
    poly("206,430 206,384 274,384 274,430 290,430 290,520 190,520 190,430")
        .fill(canvas, lit(down(384.0, c(0x703038), 520.0, c(0x301828)), LAMP.a(0.7), [0.0, 2.0]));
    blob("!160,392 200,372 240,336 280,372 !320,392 280,396 200,396")
        .fill(canvas, lit(down(336.0, c(0x485080), 396.0, c(0x202848)), WHITE, [0.0, -2.0]));
    blob("!166,388 202,368 240,332 278,368 !314,388 278,378 240,348 202,378").fill(canvas, WHITE);
    poly("220,520 220,440 260,440 260,520")
        .fill(canvas, down(440.0, c(0xffe8a0), 520.0, c(0xffb050)));
    canvas.glow(240.0, 480.0, 130.0, LAMP.a(0.8));
    blob("!210,520 !270,520 300,570 !400,650 !80,650 180,570")
        .fill(canvas, down(520.0, c(0xffecc8), 650.0, c(0xc8c8e0)));
    for step in 0..6_u8 {
        let y = 528.0 + f32::from(step) * 19.0;
        let half = 34.0 + f32::from(step) * 17.0;
        thick(&line([[240.0 - half, y], [240.0, y + 3.0], [240.0 + half, y]]), &[1.0, 3.0, 1.0])
            .fill(canvas, c(0x9090b8).a(0.6));
    }
    let red = across(
        70.0,
        410.0,
        [
            (0.0, c(0x881828)),
            (0.2, c(0xe84840)),
            (0.5, c(0xd03038)),
            (0.8, c(0xe84840)),
            (1.0, c(0x801424)),
        ],
    );
    poly("92,600 100,190 130,190 136,600")
        .doubled(240.0)
        .fill(canvas, lit(red.clone(), LAMP, [2.0, -1.0]));
    poly("88,606 92,570 136,570 140,606").doubled(240.0).fill(canvas, c(0x281828));
    poly("60,246 420,246 420,272 60,272").fill(canvas, lit(red.clone(), LAMP, [0.0, 2.0]));
    poly("226,196 254,196 254,248 226,248").fill(canvas, lit(c(0x381828), LAMP, [1.0, -1.0]));
    blob("!34,150 130,172 240,178 350,172 !446,150 !436,190 340,200 240,204 140,200 !44,190")
        .fill(canvas, lit(red, LAMP, [0.0, 2.0]));
    blob("!24,128 130,152 240,158 350,152 !456,128 !448,156 350,178 240,184 130,178 !32,156")
        .fill(canvas, lit(c(0x281828), c(0xc0b0c8), [0.0, -2.0]));
    blob("!22,128 60,126 130,142 240,148 350,142 420,126 !458,128 440,140 350,156 240,162 130,156 40,140").fill(canvas, WHITE);
    thick(&line("112,290 176,318 240,296 304,318 368,290"), &[9.0, 16.0, 18.0, 16.0, 9.0])
        .fill(canvas, lit(c(0xe8d098), WHITE, [0.0, -2.0]));
    for x in [160.0, 208.0, 272.0, 320.0] {
        poly([
            [x, 314.0],
            [x + 10.0, 314.0],
            [x + 16.0, 330.0],
            [x + 8.0, 330.0],
            [x + 14.0, 352.0],
            [x + 4.0, 352.0],
            [x, 334.0],
        ])
        .fill(canvas, WHITE);
    }
    for [x, y, s] in rows("178,552,0.55 302,552,0.55 126,626,1 354,626,1") {
        lantern(canvas, x, y, s);
    }
    for (x, y, r) in [(40.0, 610.0, 50.0), (444.0, 606.0, 56.0)] {
        disc(x, y, r * 1.5, r * 0.8)
            .fill(canvas, lit(down(y - r, WHITE, y + r, c(0x98a8d0)), WHITE, [0.0, -3.0]));
    }
    canvas.snow(21, 220, WHITE);
}

/// 白鶴ツララ: Tsurara, the White Crane.
/// A crane on a frozen lake.
fn tsurara(canvas: &mut Canvas) {
    canvas.sky(&[(0.0, 0x3860a8), (0.4, 0xa8c0e8), (0.6, 0xffe8e0), (1.0, 0x88a8d8)]);
    canvas.moon(350.0, 200.0, 92.0, c(0xffe0d0), c(0xffd0c8));
    canvas.clouds(36, [40.0, 360.0], 210.0, 0.5, WHITE.a(0.6));
    canvas.ridge(52, 440.0, 220.0, 110.0, c(0x88a0d0), c(0xe0e4f4));
    canvas.firs(14, 446.0, 70.0, c(0x6880b0), c(0xb0c0e0));
    canvas.mist(370.0, 460.0, WHITE.a(0.7));
    canvas.water(31, 440.0, c(0xd8e8f8), c(0x6088c8), 350.0, c(0xfff0e8).a(0.6));
    for crack in [
        "0,520 90,500 170,540 260,520",
        "480,500 380,520 320,500",
        "170,540 190,600 150,640",
        "300,600 380,580 480,610",
    ] {
        limb(crack, &[3.0, 2.0, 0.6]).fill(canvas, WHITE.a(0.6));
    }
    let stems = Ink::Flat(c(0x908098));
    for [x, lean, tall] in rows("40,20,200 64,-14,160 440,-24,190 460,6,230 20,6,150") {
        limb(
            [[x, 640.0], [x + lean * 0.3, 640.0 - tall * 0.6], [x + lean, 640.0 - tall]],
            &[4.0, 3.0, 1.4],
        )
        .fill(canvas, stems.clone());
        leaf([x + lean, 640.0 - tall], [x + lean * 1.6, 590.0 - tall], 14.0)
            .fill(canvas, c(0xf0e8f0));
    }
    disc(246.0, 590.0, 90.0, 9.0).shadow(canvas, 12.0, c(0x4060a0).a(0.5));
    limb("252,440 250,520 252,590", &[8.0, 6.0, 6.0])
        .and(limb("252,588 226,596", &[5.0, 1.0]))
        .and(limb("252,588 280,596", &[5.0, 1.0]))
        .and(limb("270,440 300,490 262,520 258,540", &[8.0, 6.0, 5.0, 4.0]))
        .fill(canvas, c(0x383040));
    for (angles, lengths, tint) in [
        ([-0.35, 0.75], [250.0, 170.0], c(0x282c40)),
        ([-0.5, 0.6], [220.0, 150.0], c(0xe0e8f8)),
        ([-0.55, 0.4], [160.0, 110.0], WHITE),
    ] {
        for side in [false, true] {
            for i in 0..9_u8 {
                let share = 1.0 - f32::from(i) / 8.0;
                let angle = angles[0] - 0.4 + (angles[1] - angles[0]) * share;
                let long = lengths[0] + (lengths[1] - lengths[0]) * share;
                let mut wing = feathers([262.0, 356.0], 1, [angle, angle], [long, long], 30.0);
                if side {
                    wing = wing.flipped(252.0);
                }
                let ink = round(252.0, 356.0, 250.0, tint.to(SILVER, 0.35), tint);
                wing.fill(canvas, lit(ink, WHITE, [0.0, -1.4]));
            }
        }
    }
    blob("252,322 290,360 296,410 270,450 234,450 210,410 216,360")
        .fill(canvas, lit(down(322.0, WHITE, 450.0, c(0xb0c4e8)), WHITE, [1.5, -3.0]));
    let neck = limb("250,370 230,310 250,250 238,190 214,166", &[52.0, 30.0, 21.0, 18.0, 22.0]);
    neck.fill(canvas, lit(down(160.0, WHITE, 370.0, c(0xd0dcf0)), WHITE, [1.5, -1.5]));
    limb("238,200 252,250 234,304", &[5.0, 13.0, 3.0]).fill(canvas, c(0x282838));
    disc(214.0, 168.0, 19.0, 16.0).fill(canvas, lit(WHITE, WHITE, [0.0, -1.0]));
    blob("198,160 212,148 230,154 222,164").fill(canvas, c(0xd82840));
    poly("200,164 132,184 202,178").fill(canvas, lit(c(0x605848), c(0xf0e0b0), [0.0, -1.0]));
    disc(206.0, 168.0, 3.0, 3.0).fill(canvas, NIGHT);
    leaf([230.0, 174.0], [246.0, 214.0], 12.0).fill(canvas, c(0x282838));
    for i in 0..4_u8 {
        let i = f32::from(i);
        disc(252.0, 592.0, 40.0 + i * 34.0, 6.0 + i * 5.0).stroke(
            canvas,
            1.4,
            WHITE.a(0.6 - i * 0.12),
        );
    }
    for [x, long] in rows("30,70 70,110 104,60 150,90 200,50 300,60 348,100 390,64 430,120 462,70")
    {
        poly([[x - 13.0, -4.0], [x + 13.0, -4.0], [x, long]]).fill(
            canvas,
            lit(down(0.0, WHITE.a(0.9), long, c(0x90c0f0).a(0.7)), WHITE, [-1.5, 0.0]),
        );
    }
    canvas.snow(41, 130, WHITE);
    canvas.sparkles(19, 16, [40.0, 40.0, 440.0, 600.0], WHITE);
}

/// 千年桜: Thousand-Year Cherry.
/// A cherry that blooms up to the moon.
fn sakura(canvas: &mut Canvas) {
    canvas.sky(&[(0.0, 0x181848), (0.5, 0x604890), (0.8, 0xe890b0), (1.0, 0x483068)]);
    canvas.stars(52, 150, 420.0, WHITE);
    canvas.moon(140.0, 150.0, 92.0, c(0xfff0d8), c(0xffc8e0));
    canvas.craters(140.0, 150.0, 92.0, c(0xe0c0c8).a(0.35));
    canvas.ridge(46, 500.0, 120.0, 130.0, c(0x785898), c(0xc880a8));
    canvas.mist(430.0, 530.0, c(0xffd0e0).a(0.5));
    canvas.water(17, 508.0, c(0xd088b0), c(0x302058), 140.0, c(0xfff0f0).a(0.55));
    blob("!130,560 200,540 280,536 380,548 !490,540 !490,650 !100,650 160,600")
        .fill(canvas, lit(down(536.0, c(0x587068), 650.0, c(0x182038)), c(0xffd0e0), [0.0, -3.0]));
    let trunk = limb("300,556 292,480 320,400 290,330 310,250", &[62.0, 60.0, 54.0, 44.0, 26.0]);
    let roots = limb("286,540 228,570 176,592", &[56.0, 26.0, 2.0])
        .and(limb("316,540 378,570 436,590", &[56.0, 26.0, 2.0]));
    let boughs = limb("306,400 230,330 150,320 90,350", &[36.0, 26.0, 14.0, 3.0])
        .and(limb("300,340 380,280 450,270", &[34.0, 20.0, 4.0]))
        .and(limb("306,280 260,210 200,190", &[26.0, 16.0, 3.0]))
        .and(limb("310,260 340,190 400,150", &[26.0, 16.0, 3.0]))
        .and(limb("230,330 200,270 150,250", &[16.0, 9.0, 2.0]));
    let ink = across(220.0, 390.0, [(0.0, c(0x805868)), (0.5, c(0x483048)), (1.0, c(0x201428))]);
    trunk.and(roots).and(boughs).fill(canvas, lit(ink, c(0xffd8e8), [-2.5, -2.0]));
    let mut dice = Dice::new(90);
    let clumps = rows(
        "90,350,46 150,310,56 150,245,44 210,190,54 230,290,50 290,210,64 330,150,60 \
        400,150,58 380,240,64 450,270,52 270,130,50 440,200,50 330,290,44 470,330,36",
    );
    for (layer, tint) in [(0_u8, c(0xa84880)), (1, c(0xe080a8)), (2, c(0xffc0d8))] {
        let off = f32::from(layer);
        for &[x, y, r] in &clumps {
            for _ in 0..6 {
                let (angle, far) =
                    (dice.within(0.0, std::f32::consts::TAU), dice.roll().sqrt() * r * 0.8);
                let (px, py) =
                    (x + angle.cos() * far - off * 4.0, y + angle.sin() * far * 0.8 - off * 7.0);
                disc(px, py, r * dice.within(0.2, 0.42), r * dice.within(0.2, 0.36))
                    .fill(canvas, tint.a(0.8));
            }
        }
    }
    for &[x, y, r] in &clumps {
        for _ in 0..13 {
            let (angle, far) = (dice.within(0.0, std::f32::consts::TAU), dice.roll().sqrt() * r);
            let (px, py) = (x + angle.cos() * far, y + angle.sin() * far * 0.85);
            blossom(px, py, dice.within(5.0, 10.0), angle)
                .fill(canvas, PINK.to(WHITE, dice.within(0.3, 1.0)));
        }
    }
    canvas.glow(300.0, 220.0, 240.0, c(0xffd0e8).a(0.4));
    let bench = blob("236,566 242,556 248,566 252,590 232,590");
    bench.fill(canvas, c(0x181028));
    canvas.lamp(222.0, 582.0, 5.0, LAMP);
    canvas.petals(9, 90, [0.0, 260.0, 480.0, 640.0], 12.0, [c(0xf090b8), c(0xfff0f8)]);
    canvas.sparkles(24, 14, [30.0, 60.0, 450.0, 520.0], WHITE);
}
