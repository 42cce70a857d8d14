//! Draws the bundled cards: the same picture each time, on every machine.

pub(crate) mod canvas;
mod light;
mod nature;
pub(crate) mod noise;
pub(crate) mod shape;
mod subjects;

mod abyssal;
mod azure;
mod crimson;
mod golden;
mod snow;
mod starfarer;
mod verdant;

use tiny_skia::Pixmap;

use crate::{cards::Card, picture::Picture};
use canvas::Canvas;

/// Width of a drawn card, in pixels.
pub const WIDTH: u32 = 480;
/// Height of a drawn card, in pixels.
pub const HEIGHT: u32 = 640;

/// The card's picture as a file.
#[must_use]
pub fn picture(card: &Card) -> Picture {
    Picture::png(&card.name, &draw(&card.id))
}

/// Draws the card of that name as the program knows it.
#[must_use]
pub fn draw(id: &str) -> Pixmap {
    let mut canvas = azure::draw(id)
        .or_else(|| crimson::draw(id))
        .or_else(|| verdant::draw(id))
        .or_else(|| golden::draw(id))
        .or_else(|| abyssal::draw(id))
        .or_else(|| snow::draw(id))
        .or_else(|| starfarer::draw(id))
        .unwrap_or_else(|| Canvas::sky(WIDTH, HEIGHT, &[(0.0, 0x0010_1830), (1.0, 0x0030_4060)]));
    canvas.vignette(0.34);
    canvas.map
}

/// An empty card with a sky.
fn card(stops: &[(f32, u32)]) -> Canvas {
    Canvas::sky(WIDTH, HEIGHT, stops)
}
