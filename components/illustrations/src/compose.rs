//! Composes a thumbnail of cards and a title, 1280×720 as video sites want it (ILL-43): layout and colours, the
//! background, the framed cards, and VS between opponents.

use std::sync::OnceLock;

use output::text::is_unseen;
use schemars::JsonSchema;
use serde::Deserialize;
use tiny_skia::{
    FillRule, FilterQuality, LineJoin, Paint, Path, PathBuilder, Pattern, Pixmap, SpreadMode,
    Stroke, Transform,
};
use toolkit::{Stop, refused};
use ttf_parser::{Face, OutlineBuilder};

use crate::{
    canvas::{Canvas, Dice, Ink, Shape, Tint, byte, c, disc, down, flat, poly, star, thick},
    cards::{self, Theme, themes},
    picture::Picture,
    refusals,
};

/// Width of a thumbnail, in pixels.
pub const WIDTH: u32 = 1280;
/// Height of a thumbnail, in pixels.
pub const HEIGHT: u32 = 720;

/// The layout of the cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Style {
    /// Two opponents.
    Versus,
    /// A fan of cards.
    Spread,
    /// The first card large, the others behind it.
    Spotlight,
}

impl Style {
    /// Returns the name used in arguments.
    pub fn name(self) -> &'static str {
        match self {
            Self::Versus => "versus",
            Self::Spread => "spread",
            Self::Spotlight => "spotlight",
        }
    }
}

/// The contents of a thumbnail.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The cards from left to right.
    pub cards: Vec<Picture>,
    /// The large line; may be empty.
    pub title: String,
    /// The small line; may be empty.
    pub subtitle: String,
    /// The requested layout.
    pub style: Option<Style>,
    /// The theme of the requested colours.
    pub theme: Option<String>,
}

/// A finished thumbnail.
#[derive(Clone, Debug)]
pub struct Composed {
    /// The bytes of the PNG file.
    pub png: Vec<u8>,
    /// Characters that the font lacks, replaced by 〓.
    pub missing: Vec<char>,
}

impl Plan {
    /// Returns the requested layout, or one by the number of cards.
    pub fn style(&self) -> Style {
        self.style.unwrap_or(match self.cards.len() {
            0 | 1 => Style::Spotlight,
            2 => Style::Versus,
            _ => Style::Spread,
        })
    }
}

/// Draws the thumbnail.
///
/// # Errors
/// `theme_not_found` for an unknown theme, `picture_unreadable` for a picture that is neither PNG nor JPEG, or too
/// large.
pub fn compose(plan: &Plan) -> Result<Composed, Stop> {
    let read = |it: &Picture| it.read().ok_or_else(|| unreadable(it));
    let pictures = plan.cards.iter().map(read).collect::<Result<Vec<Pixmap>, _>>()?;
    let (style, text) = (plan.style(), !plan.title.is_empty() || !plan.subtitle.is_empty());
    let left = Palette::choose(plan.theme.as_deref(), plan.cards.first(), pictures.first())?;
    let right = match (&plan.theme, style) {
        (None, Style::Versus) => Palette::choose(None, plan.cards.last(), pictures.last())?,
        _ => left.clone(),
    };
    let mut canvas = draw(style, &left, &right);
    let places = places(style, pictures.len(), text);
    for index in back_to_front(style, pictures.len()) {
        let side = if index * 2 >= pictures.len() { &right } else { &left };
        card(&mut canvas, &pictures[index], places[index], side);
    }
    if style == Style::Versus {
        draw_versus(&mut canvas, text, &left);
    }
    let mut lettering = Lettering::new(&left);
    lettering.write(&mut canvas, style, &plan.title, &plan.subtitle);
    finish(&mut canvas, &left);
    let png = Picture::png("", &canvas.map).bytes;
    Ok(Composed { png, missing: lettering.missing })
}

fn unreadable(picture: &Picture) -> Stop {
    let message = format!(
        "The picture of {:?} cannot be drawn on: it is {} and must be a PNG or JPEG of at most two million pixels.",
        picture.name, picture.mime_type
    );
    refused("picture_unreadable", 422, message)
}

/// A card's place: its middle, its height, and its rotation in radians.
#[derive(Clone, Copy, Debug)]
struct Place {
    x: f32,
    y: f32,
    height: f32,
    turn: f32,
}

const fn place(x: f32, y: f32, height: f32, turn: f32) -> Place {
    Place { x, y, height, turn }
}

/// Returns the places of `count` cards, in order; they are smaller with a text.
fn places(style: Style, count: usize, has_text: bool) -> Vec<Place> {
    match style {
        Style::Versus => versus(count, has_text),
        Style::Spread => spread(count, has_text),
        Style::Spotlight => spotlight(count, has_text),
    }
}

/// Returns the drawing order: the card in front comes last.
fn back_to_front(style: Style, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    match style {
        Style::Spotlight => order.reverse(),
        Style::Spread => {
            // Twice the distance from the middle, which is a whole number.
            order.sort_by_key(|it| std::cmp::Reverse((2 * it + 1).abs_diff(count)));
        }
        Style::Versus => {}
    }
    order
}

/// Places half of the cards on each side.
fn versus(count: usize, has_text: bool) -> Vec<Place> {
    let (y, height) = if has_text { (290.0, 480.0) } else { (360.0, 590.0) };
    let lefts = count / 2 + count % 2;
    let side = |index: usize, of: usize, middle: f32, turn: f32| {
        let off = index as f32 - (of as f32 - 1.0) / 2.0;
        let size = if of > 1 { height * 0.84 } else { height };
        place(
            middle + off * size * if of > 2 { 0.4 } else { 0.52 },
            y + off.abs() * 8.0,
            size,
            turn + off * 0.06,
        )
    };
    (0..count)
        .map(|at| {
            if at < lefts {
                side(at, lefts, 316.0, -0.11)
            } else {
                side(at - lefts, count - lefts, 964.0, 0.11)
            }
        })
        .collect()
}

/// Places the cards in a fan, the largest in the middle.
fn spread(count: usize, has_text: bool) -> Vec<Place> {
    let (y, height) = if has_text { (280.0, 470.0) } else { (350.0, 570.0) };
    let step = if count > 4 { 232.0 } else { 272.0 };
    (0..count)
        .map(|at| {
            let off = at as f32 - (count as f32 - 1.0) / 2.0;
            let size = height * (1.0 - 0.075 * off.abs());
            place(640.0 + off * step, y + off * off * 13.0, size, off * 0.085)
        })
        .collect()
}

/// Places the first card large and the others behind it, to its right where there is no text.
fn spotlight(count: usize, has_text: bool) -> Vec<Place> {
    let x = if has_text { 300.0 } else { 640.0 };
    let mut places = vec![place(x, 360.0, 610.0, -0.05)];
    for index in 1..count {
        let off = index as f32;
        if has_text {
            places.push(place(
                x + 120.0 + off * 78.0,
                372.0 + off * 12.0,
                540.0 - off * 30.0,
                off * 0.085,
            ));
        } else {
            let side = if index % 2 == 1 { 1.0 } else { -1.0 };
            let far = index.div_ceil(2) as f32;
            places.push(place(
                x + side * (70.0 + far * 210.0),
                372.0,
                560.0 - far * 50.0,
                side * far * 0.1,
            ));
        }
    }
    places
}

/// Colours from dark to light.
#[derive(Clone, Debug)]
struct Palette {
    night: Tint,
    deep: Tint,
    middle: Tint,
    light: Tint,
    glow: Tint,
}

impl Palette {
    /// Returns the colours of the requested theme, else of the card's theme, else of its picture.
    fn choose(
        theme: Option<&str>,
        card: Option<&Picture>,
        picture: Option<&Pixmap>,
    ) -> Result<Self, Stop> {
        if let Some(name) = theme {
            let all = || themes().iter().take(5).map(|it| it.name.clone()).collect::<Vec<_>>();
            return match cards::meant(name).0[..] {
                [only] => Ok(Self::theme(&themes()[only])),
                _ => Err(refusals::theme_not_found(name, &all())),
            };
        }
        let own = |card: &Picture| {
            themes().iter().find(|it| it.cards.iter().any(|it| it.name == card.name))
        };
        Ok(match (card.and_then(own), picture) {
            (Some(theme), _) => Self::theme(theme),
            (None, Some(picture)) => Self::around(mean(picture)),
            (None, None) => Self::around([60.0, 90.0, 160.0]),
        })
    }

    fn theme(theme: &Theme) -> Self {
        let tint = |i: usize| {
            let hex = theme.palette[i].trim_start_matches('#');
            c(u32::from_str_radix(hex, 16).unwrap_or_default())
        };
        Self { night: tint(0), deep: tint(1), middle: tint(2), light: tint(3), glow: tint(4) }
    }

    fn around(mean: [f32; 3]) -> Self {
        let most = mean.iter().copied().fold(1.0, f32::max);
        let full = mean.map(|it| it / most * 210.0);
        let of = |share: f32| {
            let [r, g, b] = full.map(|it| byte(it * share));
            c(u32::from_be_bytes([0, r, g, b]))
        };
        let white = c(0xffffff);
        Self {
            night: of(0.14),
            deep: of(0.38),
            middle: of(0.9),
            light: of(1.0).to(white, 0.45),
            glow: of(1.0).to(white, 0.85),
        }
    }
}

/// Returns the mean colour of a picture, by every 97th pixel.
fn mean(picture: &Pixmap) -> [f32; 3] {
    let (mut sum, mut count) = ([0.0; 3], 1.0);
    for pixel in picture.pixels().iter().step_by(97) {
        for (sum, it) in sum.iter_mut().zip([pixel.red(), pixel.green(), pixel.blue()]) {
            *sum += f32::from(it);
        }
        count += 1.0;
    }
    sum.map(|it| it / count)
}

/// Draws the background.
fn draw(style: Style, left: &Palette, right: &Palette) -> Canvas {
    let sky = vec![(0.0, left.night), (0.55, left.deep), (1.0, left.night)];
    let mut canvas = Canvas::new(WIDTH, HEIGHT);
    poly("0,0 1280,0 1280,720 0,720").fill(&mut canvas, Ink::Line([0.0, 0.0], [0.0, 720.0], sky));
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
fn finish(canvas: &mut Canvas, palette: &Palette) {
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
fn card(canvas: &mut Canvas, picture: &Pixmap, place: Place, palette: &Palette) {
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
fn draw_versus(canvas: &mut Canvas, has_text: bool, palette: &Palette) {
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
    let width = run("VS", size, &mut path, &mut Vec::new());
    if let Some(path) = path.finish() {
        let middle = Transform::from_translate(-width / 2.0, size * 0.36)
            .post_concat(Transform::from_row(1.0, -0.05, -0.16, 1.0, 0.0, 0.0))
            .post_translate(640.0, y);
        if let Some(path) = path.transform(middle) {
            paint(
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

// Text on the picture: outlines of the bundled font with an edge and a shadow.

/// Noto Sans JP, black: JIS level 1, kana, ASCII. Its licence is in the same folder.
const FONT: &[u8] = include_bytes!("../data/font/subset.ttf");
/// Replaces characters that the font lacks.
const SUBSTITUTE: char = '〓';

/// Writes titles with the bundled font.
struct Lettering {
    tints: [Tint; 2],
    edge: Tint,
    /// Characters that the font lacks, each once.
    missing: Vec<char>,
}

/// A box for text, given by its middle.
#[derive(Clone, Copy)]
struct Space {
    x: f32,
    y: f32,
    width: f32,
    height: f32,
    lines_max: usize,
    /// Maximum size of the letters.
    size_max: f32,
}

impl Lettering {
    fn new(palette: &Palette) -> Self {
        let edge = palette.night.to(c(0), 0.35);
        Self {
            tints: [c(0xffffff), palette.light.to(palette.glow, 0.35)],
            edge,
            missing: Vec::new(),
        }
    }

    /// Draws title and subtitle where the layout has room for them.
    fn write(&mut self, canvas: &mut Canvas, style: Style, title: &str, subtitle: &str) {
        let beside = style == Style::Spotlight;
        let (big, small) = match (beside, subtitle.is_empty(), title.is_empty()) {
            (true, true, _) => (space(900.0, 360.0, 660.0, 470.0, 4, 190.0), None),
            (true, false, true) => (
                space(900.0, 200.0, 10.0, 10.0, 1, 10.0),
                Some(space(900.0, 360.0, 660.0, 200.0, 3, 90.0)),
            ),
            (true, false, false) => (
                space(900.0, 310.0, 660.0, 380.0, 3, 180.0),
                Some(space(900.0, 566.0, 640.0, 96.0, 2, 58.0)),
            ),
            (false, true, _) => (space(640.0, 626.0, 1220.0, 158.0, 2, 138.0), None),
            (false, false, _) => (
                space(640.0, 604.0, 1220.0, 118.0, 1, 116.0),
                Some(space(640.0, 688.0, 1180.0, 44.0, 1, 42.0)),
            ),
        };
        self.block(canvas, title, big, self.tints);
        if let Some(small) = small {
            self.block(canvas, subtitle, small, [c(0xffffff), c(0xfff4d0)]);
        }
    }

    /// Draws text as large as fits, with the number of lines that allows the largest letters.
    fn block(&mut self, canvas: &mut Canvas, text: &str, space: Space, tints: [Tint; 2]) {
        if text.is_empty() {
            return;
        }
        let mut best = (0.0, Vec::new());
        for count in 1..=space.lines_max {
            let lines = wrapped(text, count);
            let widest = lines.iter().map(|it| width(it)).fold(0.001, f32::max);
            let tall = space.height / (lines.len() as f32 * 1.16);
            let size = (space.width / widest).min(tall).min(space.size_max);
            if size > best.0 + 0.5 {
                best = (size, lines);
            }
        }
        let (size, lines) = best;
        let top = space.y - (lines.len() as f32 - 1.0) * size * 0.58;
        for (index, line) in lines.iter().enumerate() {
            let middle = top + index as f32 * size * 1.16;
            let mut path = PathBuilder::new();
            let wide = run(line, size, &mut path, &mut self.missing);
            let place = Transform::from_translate(-wide / 2.0, size * 0.36)
                .post_concat(Transform::from_row(1.0, 0.0, -0.09, 1.0, 0.0, 0.0))
                .post_translate(space.x, middle);
            if let Some(path) = path.finish().and_then(|it| it.transform(place)) {
                let span = [middle - size * 0.45, middle + size * 0.45];
                paint(canvas, &path, span, tints, self.edge, size * 0.075);
            }
        }
    }
}

const fn space(x: f32, y: f32, width: f32, height: f32, lines_max: usize, size_max: f32) -> Space {
    Space { x, y, width, height, lines_max, size_max }
}

/// Fills letters from one tint to another, within a light and a dark edge.
fn paint(
    canvas: &mut Canvas,
    path: &Path,
    span: [f32; 2],
    tints: [Tint; 2],
    edge: Tint,
    width: f32,
) {
    let still = Transform::identity();
    let stroke = |width: f32| Stroke { width, line_join: LineJoin::Round, ..Stroke::default() };
    let dark = flat(edge.a(0.55));
    let fallen = Transform::from_translate(width * 0.7, width);
    canvas.map.stroke_path(path, &dark, &stroke(width * 3.6), fallen, None);
    canvas.map.stroke_path(path, &flat(edge), &stroke(width * 3.2), still, None);
    let middle = tints[1].to(edge, 0.35);
    canvas.map.stroke_path(path, &flat(middle), &stroke(width * 1.5), still, None);
    canvas.map.stroke_path(path, &flat(c(0xffffff)), &stroke(width * 0.5), still, None);
    let ink = down(span[0], tints[0], span[1], tints[1]).paint();
    canvas.map.fill_path(path, &ink, FillRule::Winding, still, None);
}

fn face() -> Option<&'static Face<'static>> {
    static FACE: OnceLock<Option<Face<'static>>> = OnceLock::new();
    FACE.get_or_init(|| Face::parse(FONT, 0).ok()).as_ref()
}

/// Returns the width of a line at size 1.
fn width(line: &str) -> f32 {
    run(line, 1.0, &mut PathBuilder::new(), &mut Vec::new())
}

/// Adds a line's outlines from the origin. Returns its width.
fn run(line: &str, size: f32, path: &mut PathBuilder, missing: &mut Vec<char>) -> f32 {
    let Some(face) = face() else { return 0.0 };
    let scale = size / f32::from(face.units_per_em());
    let mut x = 0.0;
    for letter in line.chars().filter(|it| !is_unseen(*it)) {
        let glyph = face.glyph_index(letter).or_else(|| {
            if !missing.contains(&letter) {
                missing.push(letter);
            }
            face.glyph_index(SUBSTITUTE)
        });
        let Some(glyph) = glyph else { continue };
        face.outline_glyph(glyph, &mut Pen { path, x, scale });
        x += f32::from(face.glyph_hor_advance(glyph).unwrap_or_default()) * scale;
    }
    x
}

/// Wraps text into `count` lines of similar width.
fn wrapped(text: &str, count: usize) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let mut lines = Vec::new();
    let mut from = 0;
    for line in 0..count {
        let left = letters.len() - from;
        let even = from + left.div_ceil(count - line);
        let to = if line + 1 < count { broken(&letters, from, even) } else { letters.len() };
        let piece: String = letters[from..to].iter().collect();
        if !piece.trim().is_empty() {
            lines.push(piece.trim().to_owned());
        }
        from = to;
    }
    lines
}

/// Returns the best break near `even`.
fn broken(letters: &[char], from: usize, even: usize) -> usize {
    let cost = |to: usize| {
        let (before, after) = (letters[to - 1], letters[to]);
        let far = to.abs_diff(even);
        match (kind(before), kind(after)) {
            (_, Kind::Space) | (Kind::Space, _) => far,
            _ if TRAILING.contains(after) => far + 40,
            (Kind::Latin, Kind::Latin) => far + 30,
            (before, after) if before == after => far + 6,
            // Words begin with kanji and end with kana.
            (Kind::Hiragana, _) => far + 1,
            (_, Kind::Hiragana) => far + 5,
            _ => far + 2,
        }
    };
    let reach = even.saturating_sub(5).max(from + 1)..(even + 6).min(letters.len());
    reach.min_by_key(|it| cost(*it)).unwrap_or(even.min(letters.len()))
}

/// Characters that may not begin a line.
const TRAILING: &str = "ぁぃぅぇぉっゃゅょァィゥェォッャュョー、。！？!?,.」』】）)…・〓";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Space,
    Latin,
    Hiragana,
    Katakana,
    Other,
}

fn kind(letter: char) -> Kind {
    match letter {
        ' ' | '\u{3000}' => Kind::Space,
        'ぁ'..='ん' => Kind::Hiragana,
        'ァ'..='ー' => Kind::Katakana,
        it if it.is_ascii_alphanumeric() => Kind::Latin,
        _ => Kind::Other,
    }
}

struct Pen<'a> {
    path: &'a mut PathBuilder,
    x: f32,
    scale: f32,
}

impl Pen<'_> {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.scale, -y * self.scale)
    }
}

impl OutlineBuilder for Pen<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests;
