//! The bundled catalogue: themes and cards of our own invention, read from `data/cards.json`, and what people say for
//! them beside their names, from `data/said.json`.

use std::{collections::BTreeMap, sync::OnceLock};

use serde::Deserialize;
use toolkit::{dialogue::Name, names::fold};

use crate::matching;

/// The file that people edit.
const CARDS_FILE: &str = include_str!("../data/cards.json");

/// A theme and its cards.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Theme {
    /// As the program knows it.
    pub id: String,
    /// Its name in Japanese.
    pub name: String,
    /// Its name in hiragana.
    pub reading: String,
    /// Its name in English.
    pub name_en: String,
    /// What people call its colour, in both languages.
    pub colours: Vec<String>,
    /// Its colours from dark to light, `#rrggbb`: night, deep, middle, light, glow.
    pub palette: [String; 5],
    /// In one sentence, in Japanese.
    pub description: String,
    /// In one sentence, in English.
    pub description_en: String,
    /// Its cards, best known first.
    pub cards: Vec<Card>,
}

/// A bundled card.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    /// As the program knows it: which picture is drawn.
    pub id: String,
    /// Its name in Japanese.
    pub name: String,
    /// Its name in hiragana.
    pub reading: String,
    /// Its name in English.
    pub name_en: String,
    /// In one sentence, in Japanese.
    pub description: String,
    /// In one sentence, in English.
    pub description_en: String,
}

/// What people say after a colour: 「ブルー系テーマのカード」 is blue.
const AFTER_COLOUR: [&str; 24] = [
    "いろ",
    "っぽい",
    "ぽい",
    "っぽいの",
    "みたいな",
    "がかった",
    "ish",
    "い",
    "色",
    "系",
    "系統",
    "けい",
    "の",
    "な",
    "てま",
    "かど",
    "でっき",
    "いらすと",
    "たち",
    "theme",
    "themes",
    "cards",
    "card",
    "deck",
];

impl Theme {
    /// Its names, the colours aside.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        [&self.name, &self.reading, &self.name_en].into_iter().map(String::as_str)
    }

    /// Its names and its colours: it may be suggested by a part of one.
    fn suggested_by(&self) -> impl Iterator<Item = &str> {
        self.names().chain(self.colours.iter().map(String::as_str))
    }
}

/// The places of the themes that `name` means, and whether it names them as a whole. A colour must be all
/// that is asked for: 「ブルー」 and 「青系のカード」 mean one, 「ブルーアイズ」 is another card's name.
pub fn meant(name: &str) -> (Vec<usize>, bool) {
    let query = fold(name);
    let is_of = |it: &Theme| it.colours.iter().any(|it| is_colour(&query, &fold(it)));
    match themes().iter().position(is_of) {
        Some(at) => (vec![at], true),
        None => matching::meant(name, themes().iter().map(Theme::names)),
    }
}

/// Names of themes that come near, each with how near.
pub fn near(name: &str) -> Vec<(f64, String)> {
    let all = themes().iter().map(|it| (&it.name, it.suggested_by()));
    matching::near(name, &meant(name).0, all)
}

/// Whether it is that colour, with nothing after it but what people say there.
fn is_colour(query: &str, colour: &str) -> bool {
    let Some(mut rest) = query.strip_prefix(colour) else { return false };
    while !rest.is_empty() {
        let Some(left) = AFTER_COLOUR.iter().find_map(|it| rest.strip_prefix(it)) else {
            return false;
        };
        rest = left;
    }
    true
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
    THEMES.get_or_init(|| serde_json::from_str(CARDS_FILE).expect("held by a test"))
}

/// The file that people edit.
const SAID_FILE: &str = include_str!("../data/said.json");

/// By their Japanese names.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Spoken {
    themes: BTreeMap<String, Words>,
    cards: BTreeMap<String, Words>,
}

/// What people call one of them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Words {
    /// What names it in any sentence.
    also: Vec<String>,
    /// What names it where cards are talked about: a colour, what is on the picture.
    hints: Vec<String>,
    /// What suggests it where nothing is named.
    moods: Vec<String>,
}

/// The names of the bundled catalogue: each theme, and its cards behind it.
pub fn names() -> Vec<Name> {
    let spoken = spoken();
    let mut names = Vec::new();
    for theme in themes() {
        names.push(named("theme", (&theme.name, &theme.name_en), None, &spoken.themes));
        names.extend(
            theme
                .cards
                .iter()
                .map(|it| named("card", (&it.name, &it.name_en), Some(&theme.name), &spoken.cards)),
        );
    }
    names
}

fn named(
    kind: &str,
    (name, english): (&str, &str),
    within: Option<&String>,
    spoken: &BTreeMap<String, Words>,
) -> Name {
    let Words { also, hints, moods } = spoken.get(name).cloned().unwrap_or_default();
    Name {
        kind: kind.to_owned(),
        name: name.to_owned(),
        english: Some(english.to_owned()),
        within: within.cloned(),
        also,
        hints,
        moods,
    }
}

fn spoken() -> &'static Spoken {
    static ALL: OnceLock<Spoken> = OnceLock::new();
    ALL.get_or_init(|| serde_json::from_str(SAID_FILE).expect("held by a test"))
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

    #[test]
    fn names_are_unique_and_themes_found_by_each_name_and_colour() {
        let mut names: Vec<_> =
            themes().iter().flat_map(|it| &it.cards).map(|it| &it.name).collect();
        let ids: std::collections::BTreeSet<_> =
            themes().iter().flat_map(|it| &it.cards).map(|it| &it.id).collect();
        names.sort();
        names.dedup();
        assert_eq!((names.len(), ids.len()), (42, 42));
        let best = |query: &str| match meant(query).0[..] {
            [only] => Some(themes()[only].id.as_str()),
            _ => None,
        };
        for theme in themes() {
            for name in theme.names().chain(theme.colours.iter().map(String::as_str)) {
                assert_eq!(best(name), Some(theme.id.as_str()), "{name}");
            }
        }
        for query in ["ブルー系テーマのカード", "青色のカード", "blue cards", "あおいの"]
        {
            assert_eq!(best(query), Some("azure"), "{query}");
        }
        for query in ["蒼晶竜テーマ", "雪月花デッキのカード", "the crimson engine deck"]
        {
            assert!(best(query).is_some(), "{query}");
        }
        for query in [
            "ブルーアイズ",
            "ブラック・マジシャン",
            "Blue-Eyes",
            "zzzz",
            "string",
            "card",
            "Stardust Dragon",
            "on",
            "い",
            "",
        ] {
            assert_eq!(best(query), None, "{query}");
        }
    }

    #[test]
    fn a_palette_is_five_colours() {
        for theme in themes() {
            for colour in &theme.palette {
                let digits = colour.strip_prefix('#').unwrap();
                assert!(digits.len() == 6 && u32::from_str_radix(digits, 16).is_ok(), "{colour}");
            }
        }
    }

    #[test]
    fn the_file_speaks_of_cards_and_themes_that_are_there() {
        let cards = || themes().iter().flat_map(|it| &it.cards);
        assert!(spoken().themes.keys().all(|it| themes().iter().any(|theme| theme.name == *it)));
        assert!(spoken().cards.keys().all(|it| cards().any(|card| card.name == *it)));
        assert_eq!(names().len(), 7 + 42);
    }
}
