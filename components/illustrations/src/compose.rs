//! A thumbnail of cards and a title: 1280×720, as video sites want it (ILL-43).

mod backdrop;
mod frame;
mod layout;
mod letters;
mod palette;

use schemars::JsonSchema;
use serde::Deserialize;
use tiny_skia::Pixmap;
use toolkit::{Stop, refused};

use crate::picture::Picture;
use letters::Lettering;
use palette::Palette;

/// Width of a thumbnail, in pixels.
pub const WIDTH: u32 = 1280;
/// Height of a thumbnail, in pixels.
pub const HEIGHT: u32 = 720;

/// How the cards are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Style {
    /// Two sides against each other.
    Versus,
    /// The cards fanned out.
    Spread,
    /// The first card big, the others behind it.
    Spotlight,
}

impl Style {
    /// As an argument has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Versus => "versus",
            Self::Spread => "spread",
            Self::Spotlight => "spotlight",
        }
    }
}

/// What is to be on it.
#[derive(Clone, Debug)]
pub struct Plan {
    /// From left to right.
    pub cards: Vec<Picture>,
    /// The big line; may be empty.
    pub title: String,
    /// The small line; may be empty.
    pub subtitle: String,
    /// The layout, where one was asked for.
    pub style: Option<Style>,
    /// The theme whose colours are asked for.
    pub theme: Option<String>,
}

/// A finished thumbnail.
#[derive(Clone, Debug)]
pub struct Composed {
    /// The bytes of the PNG file.
    pub png: Vec<u8>,
    /// Letters that the font does not have; a 〓 stands in their place.
    pub missing: Vec<char>,
}

impl Plan {
    /// The layout: the one that was asked for, else by the number of cards.
    pub fn style(&self) -> Style {
        self.style.unwrap_or(match self.cards.len() {
            0 | 1 => Style::Spotlight,
            2 => Style::Versus,
            _ => Style::Spread,
        })
    }
}

/// Draws it.
///
/// # Errors
/// `theme_not_found` where the background is to be of a theme that there is not, `picture_unreadable`
/// where a card's picture is neither PNG nor JPEG, or too large.
pub fn compose(plan: &Plan) -> Result<Composed, Stop> {
    let read = |it: &Picture| it.read().ok_or_else(|| unreadable(it));
    let pictures = plan.cards.iter().map(read).collect::<Result<Vec<Pixmap>, _>>()?;
    let (style, text) = (plan.style(), !plan.title.is_empty() || !plan.subtitle.is_empty());
    let left = Palette::of(plan.theme.as_deref(), plan.cards.first(), pictures.first())?;
    let right = match (&plan.theme, style) {
        (None, Style::Versus) => Palette::of(None, plan.cards.last(), pictures.last())?,
        _ => left.clone(),
    };
    let mut canvas = backdrop::draw(style, &left, &right);
    let places = layout::places(style, pictures.len(), text);
    for index in layout::back_to_front(style, pictures.len()) {
        let side = if index * 2 >= pictures.len() { &right } else { &left };
        frame::card(&mut canvas, &pictures[index], places[index], side);
    }
    if style == Style::Versus {
        frame::versus(&mut canvas, text, &left);
    }
    let mut lettering = Lettering::new(&left);
    lettering.write(&mut canvas, style, &plan.title, &plan.subtitle);
    backdrop::finish(&mut canvas, &left);
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
