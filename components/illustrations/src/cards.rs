//! The bundled catalogue: themes and cards from `data/cards.json`, their pictures from `data/cards/`, and further words
//! for them from `data/said.json`.

use std::{collections::BTreeMap, sync::OnceLock};

use serde::Deserialize;
use toolkit::{dialogue::Name, names::fold};

use crate::{matching, picture::Picture};

const CARDS_FILE: &str = include_str!("../data/cards.json");

/// A theme and its cards.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Theme {
    /// Identifier.
    pub id: String,
    /// Its name in Japanese.
    pub name: String,
    /// Its name in hiragana.
    pub reading: String,
    /// Its name in English.
    pub name_en: String,
    /// Words for its colour, in both languages.
    pub colours: Vec<String>,
    /// Its colours from dark to light, `#rrggbb`: night, deep, middle, light, glow.
    pub palette: [String; 5],
    /// Description in one Japanese sentence.
    pub description: String,
    /// Description in one English sentence.
    pub description_en: String,
    /// Its cards, best known first.
    pub cards: Vec<Card>,
}

/// A bundled card.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    /// Identifier, which is the name of its picture's file.
    pub id: String,
    /// Its name in Japanese.
    pub name: String,
    /// Its name in hiragana.
    pub reading: String,
    /// Its name in English.
    pub name_en: String,
    /// Description in one Japanese sentence.
    pub description: String,
    /// Description in one English sentence.
    pub description_en: String,
}

/// Texts after a colour: 「ブルー系テーマのカード」 is blue.
const AFTER_COLOUR: &str = "\
    いろ|っぽい|ぽい|っぽいの|みたいな|がかった|ish|い|色|系|系統|けい|の|な|てま|かど|でっき|\
    いらすと|たち|theme|themes|cards|card|deck";

impl Theme {
    /// Returns its names without the colours.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        [&self.name, &self.reading, &self.name_en].into_iter().map(String::as_str)
    }

    /// Returns its names and colours, for suggestions.
    fn suggested_by(&self) -> impl Iterator<Item = &str> {
        self.names().chain(self.colours.iter().map(String::as_str))
    }
}

/// Returns the indices of the themes that `name` matches, and whether as a whole. A colour counts only alone: 「ブルー」
/// and 「青系のカード」 match, 「ブルーアイズ」 is a card's name.
pub fn meant(name: &str) -> (Vec<usize>, bool) {
    let query = fold(name);
    let is_of = |it: &Theme| it.colours.iter().any(|it| is_colour(&query, &fold(it)));
    match themes().iter().position(is_of) {
        Some(at) => (vec![at], true),
        None => matching::meant(name, themes().iter().map(Theme::names)),
    }
}

/// Returns similar names of themes, with their nearness.
pub fn near(name: &str) -> Vec<(f64, String)> {
    let all = themes().iter().map(|it| (&it.name, it.suggested_by()));
    matching::near(name, &meant(name).0, all)
}

/// Whether the query is that colour, followed at most by [`AFTER_COLOUR`].
fn is_colour(query: &str, colour: &str) -> bool {
    let Some(mut rest) = query.strip_prefix(colour) else { return false };
    while !rest.is_empty() {
        let Some(left) = AFTER_COLOUR.split('|').find_map(|it| rest.strip_prefix(it)) else {
            return false;
        };
        rest = left;
    }
    true
}

impl Card {
    /// Returns all its names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        [&self.name, &self.reading, &self.name_en].into_iter().map(String::as_str)
    }
}

/// Returns the bundled themes.
pub fn themes() -> &'static [Theme] {
    static THEMES: OnceLock<Vec<Theme>> = OnceLock::new();
    THEMES.get_or_init(|| serde_json::from_str(CARDS_FILE).expect("held by a test"))
}

macro_rules! pictures {
    ($($id:literal)+) => {
        &[$(($id, include_bytes!(concat!("../data/cards/", $id, ".png")))),+]
    };
}

/// The pictures' files by the cards' identifiers.
const PICTURES: &[(&str, &[u8])] = pictures! {
    "azure" "ruri" "rivie" "roar" "seiran" "spire"
    "volcano" "blaze" "gard" "heart" "falco" "homura"
    "leafy" "oak" "silva" "mimi" "moss" "lotus"
    "soleil" "leon" "temple" "aurum" "chalice" "phoenix"
    "nox" "grimoire" "eye" "luna" "gate" "nuit"
    "yuki" "kaguya" "kohana" "torii" "tsurara" "sakura"
    "argo" "pharos" "ring" "barena" "stella" "compass"
};

impl Card {
    /// Returns its picture as a file.
    pub fn picture(&self) -> Picture {
        let file = PICTURES.iter().find(|it| it.0 == self.id).expect("held by a test");
        Picture {
            name: self.name.clone(),
            mime_type: "image/png".to_owned(),
            bytes: file.1.to_vec(),
        }
    }
}

const WORDS_FILE: &str = include_str!("../data/said.json");

/// Further words, by the Japanese names of themes and cards.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExtraWords {
    themes: BTreeMap<String, Words>,
    cards: BTreeMap<String, Words>,
}

/// Further words for a theme or a card.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Words {
    /// Words that count in any sentence.
    also: Vec<String>,
    /// Words that count in sentences about cards: a colour, a motif.
    hints: Vec<String>,
    /// Words that count where nothing is named.
    moods: Vec<String>,
}

/// Returns the names of the bundled catalogue: each theme followed by its cards.
pub fn names() -> Vec<Name> {
    let extra_words = extra_words();
    let mut names = Vec::new();
    for theme in themes() {
        names.push(named("theme", (&theme.name, &theme.name_en), None, &extra_words.themes));
        names.extend(theme.cards.iter().map(|card| {
            named("card", (&card.name, &card.name_en), Some(&theme.name), &extra_words.cards)
        }));
    }
    names
}

fn named(
    kind: &str,
    (name, english): (&str, &str),
    within: Option<&String>,
    extra_words: &BTreeMap<String, Words>,
) -> Name {
    let Words { also, hints, moods } = extra_words.get(name).cloned().unwrap_or_default();
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

fn extra_words() -> &'static ExtraWords {
    static ALL: OnceLock<ExtraWords> = OnceLock::new();
    ALL.get_or_init(|| serde_json::from_str(WORDS_FILE).expect("held by a test"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_has_seven_themes_of_six_cards() {
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
    fn each_card_has_its_picture_of_480_by_640_pixels() {
        let cards: Vec<_> = themes().iter().flat_map(|it| &it.cards).collect();
        for card in &cards {
            let drawn = card.picture().read().expect("a picture");
            assert_eq!((drawn.width(), drawn.height()), (480, 640), "{}", card.id);
            assert!(drawn.pixels().iter().all(|it| it.is_opaque()), "{}", card.id);
        }
        assert_eq!(PICTURES.len(), cards.len());
    }

    #[test]
    fn palettes_have_five_colours() {
        for theme in themes() {
            for colour in &theme.palette {
                let digits = colour.strip_prefix('#').unwrap();
                assert!(digits.len() == 6 && u32::from_str_radix(digits, 16).is_ok(), "{colour}");
            }
        }
    }

    #[test]
    fn extra_words_name_existing_cards_and_themes() {
        let cards = || themes().iter().flat_map(|it| &it.cards);
        assert!(
            extra_words().themes.keys().all(|it| themes().iter().any(|theme| theme.name == *it))
        );
        assert!(extra_words().cards.keys().all(|it| cards().any(|card| card.name == *it)));
        assert_eq!(names().len(), 7 + 42);
    }
}
