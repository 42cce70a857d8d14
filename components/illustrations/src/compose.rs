//! Composes a thumbnail of cards and a title, 1280×720 as video sites want it (ILL-43): layout and colours.

mod letters;
mod scene;

use schemars::JsonSchema;
use serde::Deserialize;
use tiny_skia::Pixmap;
use toolkit::{Stop, refused};

use crate::{
    art::canvas::{Tint, byte, c},
    cards::{self, Theme, themes},
    picture::Picture,
    refusals,
};
use letters::Lettering;

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
    let mut canvas = scene::draw(style, &left, &right);
    let places = places(style, pictures.len(), text);
    for index in back_to_front(style, pictures.len()) {
        let side = if index * 2 >= pictures.len() { &right } else { &left };
        scene::card(&mut canvas, &pictures[index], places[index], side);
    }
    if style == Style::Versus {
        scene::versus(&mut canvas, text, &left);
    }
    let mut lettering = Lettering::new(&left);
    lettering.write(&mut canvas, style, &plan.title, &plan.subtitle);
    scene::finish(&mut canvas, &left);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_every_card_once_with_its_middle_on_the_picture() {
        for style in [Style::Versus, Style::Spread, Style::Spotlight] {
            for count in 1..=5 {
                for has_text in [false, true] {
                    let places = places(style, count, has_text);
                    assert_eq!(places.len(), count);
                    for place in &places {
                        assert!((60.0..1220.0).contains(&place.x), "{style:?} {count}: {place:?}");
                        assert!((60.0..660.0).contains(&place.y), "{style:?} {count}: {place:?}");
                    }
                }
                let mut order = back_to_front(style, count);
                order.sort_unstable();
                assert_eq!(order, (0..count).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn front_card_is_middle_of_fan_and_first_in_spotlight() {
        assert_eq!(back_to_front(Style::Spread, 5).last(), Some(&2));
        assert_eq!(back_to_front(Style::Spotlight, 4).last(), Some(&0));
    }
}
