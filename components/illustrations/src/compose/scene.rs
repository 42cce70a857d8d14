//! Draws the thumbnail's background, its framed cards, and VS between opponents.

use tiny_skia::{
    FillRule, FilterQuality, Paint, PathBuilder, Pattern, Pixmap, SpreadMode, Transform,
};

use super::{HEIGHT, Palette, Place, Style, WIDTH, letters};
use crate::art::{
    canvas::{Canvas, Ink, c, down},
    noise::Dice,
    shape::{Shape, disc, poly, star, thick},
};

/// Draws the background.
pub(super) fn draw(style: Style, left: &Palette, right: &Palette) -> Canvas {
    let stops = [(0.0, left.night.0), (0.55, left.deep.0), (1.0, left.night.0)];
    let mut canvas = Canvas::new(WIDTH, HEIGHT);
    canvas.sky(&stops);
    match style {
        Style::Versus => duel(&mut canvas, left, right),
        Style::Spread => stage(&mut canvas, left, 640.0),
        Style::Spotlight => stage(&mut canvas, left, 380.0),
    }
    canvas
}

fn stage(canvas: &mut Canvas, palette: &Palette, x: f32) {
    canvas.clouds(5, [-200.0, 900.0], 330.0, 0.52, palette.middle.a(0.45));
    canvas.rays([x, 330.0], 7, 40, 1150.0, palette.light.a(0.3));
    canvas.glow(x, 330.0, 620.0, palette.middle.a(0.9));
    canvas.glow(x, 330.0, 330.0, palette.light.a(0.6));
    for (radius, width, alpha) in
        [(330.0, 3.0, 0.5), (352.0, 10.0, 0.22), (430.0, 2.0, 0.35), (560.0, 1.5, 0.25)]
    {
        disc(x, 340.0, radius, radius).stroke(canvas, width, palette.light.a(alpha));
    }
    floor(canvas, palette);
    canvas.motes(9, 90, [0.0, 20.0, 1280.0, 700.0], 3.4, palette.light);
}

fn duel(canvas: &mut Canvas, left: &Palette, right: &Palette) {
    let half = poly("760,0 1280,0 1280,720 520,720");
    half.fill(canvas, down(0.0, right.night, 720.0, right.deep));
    canvas.clouds(3, [-200.0, 900.0], 300.0, 0.5, left.middle.to(right.middle, 0.5).a(0.3));
    for (x, palette, seed) in [(316.0, left, 4), (964.0, right, 8)] {
        let side = if x < 640.0 { poly("0,0 752,0 512,720 0,720") } else { half.clone() };
        let mut wheel = Shape::default();
        let mut dice = Dice::new(seed);
        for i in 0..36_u8 {
            let angle = f32::from(i) * 0.1745 + dice.within(-0.05, 0.05);
            wheel = wheel.and(thick(
                &[[x, 300.0], [x + angle.cos() * 1000.0, 300.0 + angle.sin() * 1000.0]],
                &[1.0, dice.within(20.0, 90.0)],
            ));
        }
        let mask = canvas.mask(&side);
        wheel.fill_within(canvas, palette.middle.a(0.5), mask.as_ref());
        canvas.glow(x, 300.0, 480.0, palette.middle.a(0.95));
        canvas.glow(x, 300.0, 270.0, palette.light.a(0.7));
        canvas.motes(seed, 50, [x - 316.0, 20.0, x + 316.0, 700.0], 3.4, palette.light);
    }
    floor(canvas, left);
    let bolt = poly(
        "772,-10 690,190 726,196 640,380 684,384 500,730 560,730 716,352 668,346 764,168 726,162 812,-10",
    );
    bolt.aura(canvas, 90.0, left.glow.to(right.glow, 0.5));
    bolt.fill(canvas, c(0xffffff));
    bolt.stroke(canvas, 4.0, right.light.a(0.8));
}

/// Draws lines that meet at the horizon.
fn floor(canvas: &mut Canvas, palette: &Palette) {
    poly("0,600 1280,600 1280,720 0,720")
        .fill(canvas, down(600.0, palette.night.a(0.0), 720.0, palette.night.a(0.9)));
    let mut dice = Dice::new(3);
    for _ in 0..46 {
        let (x, y) = (dice.within(-40.0, 1280.0), dice.within(590.0, 720.0));
        let long = dice.within(30.0, 190.0);
        thick(&[[x, y], [x + long, y - long * 0.04]], &[0.4, 2.4, 0.4])
            .fill(canvas, palette.light.a(dice.within(0.1, 0.5)));
    }
}

/// Draws sparks in front, and darkens the corners.
pub(super) fn finish(canvas: &mut Canvas, palette: &Palette) {
    canvas.vignette(0.3);
    canvas.sparkles(77, 14, [30.0, 20.0, 1250.0, 560.0], palette.glow);
}

/// Ratio of a card's width to its height.
const SHAPE: f32 = 0.75;
/// Ratio of the frame's width to the card's height.
const BORDER: f32 = 0.022;

/// Returns a rectangle with round corners around a middle.
fn rounded(x: f32, y: f32, width: f32, height: f32, radius: f32) -> Shape {
    let mut outline = Vec::with_capacity(28);
    for (corner, (sx, sy)) in (0_u8..).zip([(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)]) {
        for step in 0..7_u8 {
            let angle = (f32::from(corner) + f32::from(step) / 6.0) * std::f32::consts::FRAC_PI_2;
            let (cx, cy) = (x + sx * (width / 2.0 - radius), y + sy * (height / 2.0 - radius));
            outline.push([cx + angle.cos() * radius, cy + angle.sin() * radius]);
        }
    }
    Shape(vec![outline])
}

/// Draws a card at its place.
pub(super) fn card(canvas: &mut Canvas, picture: &Pixmap, place: Place, palette: &Palette) {
    let Place { x, y, height, turn } = place;
    let (width, border) = (height * SHAPE, height * BORDER);
    let outer = rounded(x, y, width, height, height * 0.04).turned(x, y, turn);
    let inner = (width - 2.0 * border, height - 2.0 * border);
    outer.clone().moved(14.0, 22.0).shadow(canvas, 46.0, palette.night.to(c(0), 0.7).a(0.85));
    outer.clone().scaled(x, y, 1.02).aura(canvas, 44.0, palette.light.a(0.8));
    let metal = vec![
        (0.0, c(0xffffff)),
        (0.22, palette.light),
        (0.45, palette.middle.to(palette.deep, 0.4)),
        (0.6, palette.light.to(c(0xffffff), 0.5)),
        (0.8, palette.middle),
        (1.0, palette.deep),
    ];
    let corner = [[x - width / 2.0, y - height / 2.0], [x + width / 2.0, y + height / 2.0]];
    outer.fill(canvas, Ink::Line(corner[0], corner[1], metal));
    outer.stroke(canvas, 2.0, c(0xffffff).a(0.9));
    // The picture fills the inner rectangle and is cropped on both sides equally.
    let (across, tall) = (picture.width() as f32, picture.height() as f32);
    let scale = (inner.0 / across).max(inner.1 / tall);
    let at = Transform::from_translate(-across / 2.0, -tall / 2.0)
        .post_scale(scale, scale)
        .post_rotate(turn.to_degrees())
        .post_translate(x, y);
    let shader = Pattern::new(picture.as_ref(), SpreadMode::Pad, FilterQuality::Bilinear, 1.0, at);
    let window = rounded(x, y, inner.0, inner.1, height * 0.026).turned(x, y, turn);
    if let Some(path) = window.path() {
        let paint = Paint { shader, anti_alias: true, ..Paint::default() };
        canvas.map.fill_path(&path, &paint, FillRule::Winding, Transform::identity(), None);
    }
    window.stroke(canvas, 2.0, palette.night.a(0.8));
    let mask = canvas.mask(&window);
    let gleam = thick(
        &[[x - width * 0.7, y - height * 0.1], [x + width * 0.15, y - height * 0.75]],
        &[height * 0.16, height * 0.16],
    )
    .turned(x, y, turn);
    gleam.fill_within(canvas, c(0xffffff).a(0.13), mask.as_ref());
}

/// Draws VS between the opponents.
pub(super) fn versus(canvas: &mut Canvas, has_text: bool, palette: &Palette) {
    let y = if has_text { 300.0 } else { 360.0 };
    canvas.glow(640.0, y, 230.0, c(0xffd060).a(0.8));
    let burst = star(640.0, y, 18, 150.0, 96.0, 0.08);
    burst.clone().moved(4.0, 8.0).shadow(canvas, 22.0, c(0).a(0.6));
    burst.fill(
        canvas,
        Ink::Round(
            [640.0, y],
            150.0,
            vec![(0.0, c(0xfff8d0)), (0.6, c(0xffc030)), (1.0, c(0xf05018))],
        ),
    );
    star(640.0, y, 18, 116.0, 80.0, 0.2).fill(canvas, palette.night.a(0.9));
    let mut path = PathBuilder::new();
    let size = 132.0;
    let width = letters::run("VS", size, &mut path, &mut Vec::new());
    if let Some(path) = path.finish() {
        let middle = Transform::from_translate(-width / 2.0, size * 0.36)
            .post_concat(Transform::from_row(1.0, -0.05, -0.16, 1.0, 0.0, 0.0))
            .post_translate(640.0, y);
        if let Some(path) = path.transform(middle) {
            letters::paint(
                canvas,
                &path,
                [y - 60.0, y + 60.0],
                [c(0xffffff), c(0xffc838)],
                c(0x801010),
                9.0,
            );
        }
    }
}
