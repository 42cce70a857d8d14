//! A card with its frame, its shadow and its light; and the two letters between rivals.

use tiny_skia::{
    FillRule, FilterQuality, Paint, PathBuilder, Pattern, Pixmap, SpreadMode, Transform,
};

use super::{layout::Place, letters, palette::Palette};
use crate::art::{
    canvas::{Canvas, Ink, c},
    shape::{Shape, star, thick},
};

/// Width of a card by its height.
const SHAPE: f32 = 0.75;
/// The frame's width by the card's height.
const BORDER: f32 = 0.022;

/// A rectangle with round corners around a middle.
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
pub(super) fn card(it: &mut Canvas, picture: &Pixmap, place: Place, palette: &Palette) {
    let Place { x, y, height, turn } = place;
    let (width, border) = (height * SHAPE, height * BORDER);
    let outer = rounded(x, y, width, height, height * 0.04).turned(x, y, turn);
    let inner = (width - 2.0 * border, height - 2.0 * border);
    outer.clone().moved(14.0, 22.0).shadow(it, 46.0, palette.night.to(c(0), 0.7).a(0.85));
    outer.clone().scaled(x, y, 1.02).aura(it, 44.0, palette.light.a(0.8));
    let metal = vec![
        (0.0, c(0xffffff)),
        (0.22, palette.light),
        (0.45, palette.middle.to(palette.deep, 0.4)),
        (0.6, palette.light.to(c(0xffffff), 0.5)),
        (0.8, palette.middle),
        (1.0, palette.deep),
    ];
    let corner = [[x - width / 2.0, y - height / 2.0], [x + width / 2.0, y + height / 2.0]];
    outer.fill(it, Ink::Line(corner[0], corner[1], metal));
    outer.stroke(it, 2.0, c(0xffffff).a(0.9));
    // The picture fills the inner rectangle; what stands over is cut off on both sides alike.
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
        it.map.fill_path(&path, &paint, FillRule::Winding, Transform::identity(), None);
    }
    window.stroke(it, 2.0, palette.night.a(0.8));
    let mask = it.mask(&window);
    let gleam = thick(
        &[[x - width * 0.7, y - height * 0.1], [x + width * 0.15, y - height * 0.75]],
        &[height * 0.16, height * 0.16],
    )
    .turned(x, y, turn);
    gleam.fill_within(it, c(0xffffff).a(0.13), mask.as_ref());
}

/// VS, between the two sides.
pub(super) fn versus(it: &mut Canvas, has_text: bool, palette: &Palette) {
    let y = if has_text { 300.0 } else { 360.0 };
    it.glow(640.0, y, 230.0, c(0xffd060).a(0.8));
    let burst = star(640.0, y, 18, 150.0, 96.0, 0.08);
    burst.clone().moved(4.0, 8.0).shadow(it, 22.0, c(0).a(0.6));
    burst.fill(
        it,
        Ink::Round(
            [640.0, y],
            150.0,
            vec![(0.0, c(0xfff8d0)), (0.6, c(0xffc030)), (1.0, c(0xf05018))],
        ),
    );
    star(640.0, y, 18, 116.0, 80.0, 0.2).fill(it, palette.night.a(0.9));
    let mut path = PathBuilder::new();
    let size = 132.0;
    let width = letters::run("VS", size, &mut path, &mut Vec::new());
    if let Some(path) = path.finish() {
        let middle = Transform::from_translate(-width / 2.0, size * 0.36)
            .post_concat(Transform::from_row(1.0, -0.05, -0.16, 1.0, 0.0, 0.0))
            .post_translate(640.0, y);
        if let Some(path) = path.transform(middle) {
            letters::paint(
                it,
                &path,
                [y - 60.0, y + 60.0],
                [c(0xffffff), c(0xffc838)],
                c(0x801010),
                9.0,
            );
        }
    }
}
