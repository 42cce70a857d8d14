//! Draws the bundled cards, always the same on every machine.

pub(crate) mod canvas;
mod nature;

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

/// A theme's cards: identifiers and drawing functions.
type Cards = [(&'static str, fn(&mut Canvas)); 6];

/// Returns the card's picture as a file.
pub fn picture(card: &Card) -> Picture {
    Picture::png(&card.name, &draw(&card.id))
}

/// Draws the card with that identifier.
pub fn draw(id: &str) -> Pixmap {
    let mut canvas = Canvas::new(WIDTH, HEIGHT);
    let themes = [
        azure::CARDS,
        crimson::CARDS,
        verdant::CARDS,
        golden::CARDS,
        abyssal::CARDS,
        snow::CARDS,
        starfarer::CARDS,
    ];
    match themes.iter().flatten().find(|it| it.0 == id) {
        Some((_, draw)) => draw(&mut canvas),
        None => canvas.sky(&[(0.0, 0x101830), (1.0, 0x304060)]),
    }
    canvas.vignette(0.34);
    canvas.map
}
