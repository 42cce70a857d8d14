//! The bundled catalogue: themes and cards of our own invention, read from `data/cards.json`.

use std::sync::OnceLock;

use serde::Deserialize;

/// The file that people edit.
const FILE: &str = include_str!("../data/cards.json");

/// A theme and its cards.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Theme {
    /// As the program knows it.
    pub id: String,
    /// In Japanese.
    pub name: String,
    /// In hiragana.
    pub reading: String,
    /// In English.
    pub name_en: String,
    /// What people call its colour, in both languages.
    pub colours: Vec<String>,
    /// Its colours from dark to light, `#rrggbb`: night, deep, middle, light, glow.
    pub palette: [String; 5],
    /// In one sentence, in Japanese.
    pub description: String,
    /// In one sentence, in English.
    pub description_en: String,
    /// Best known first.
    pub cards: Vec<Card>,
}

/// A card.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    /// As the program knows it: which picture is drawn.
    pub id: String,
    /// In Japanese.
    pub name: String,
    /// In hiragana.
    pub reading: String,
    /// In English.
    pub name_en: String,
    /// In one sentence, in Japanese.
    pub description: String,
    /// In one sentence, in English.
    pub description_en: String,
}

impl Theme {
    /// Whatever it may be found by.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        [&self.name, &self.reading, &self.name_en]
            .into_iter()
            .chain(&self.colours)
            .map(String::as_str)
    }
}

impl Card {
    /// Whatever it may be found by.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        [&self.name, &self.reading, &self.name_en].into_iter().map(String::as_str)
    }
}

/// The bundled themes.
pub fn themes() -> &'static [Theme] {
    static THEMES: OnceLock<Vec<Theme>> = OnceLock::new();
    THEMES.get_or_init(|| serde_json::from_str(FILE).expect("held by a test"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_can_be_read_and_has_seven_themes_of_six_cards() {
        assert_eq!(themes().len(), 7);
        for theme in themes() {
            assert!(theme.cards.len() >= 6, "{}", theme.name);
        }
    }
}
