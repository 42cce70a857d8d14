//! What people say for the bundled cards and themes beside their names, read from `data/said.json`.

use std::{collections::BTreeMap, sync::OnceLock};

use serde::Deserialize;
use toolkit::dialogue::Name;

use crate::cards::themes;

/// The file that people edit.
const FILE: &str = include_str!("../data/said.json");

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
    ALL.get_or_init(|| serde_json::from_str(FILE).expect("held by a test"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_speaks_of_cards_and_themes_that_are_there() {
        let cards = || themes().iter().flat_map(|it| &it.cards);
        assert!(spoken().themes.keys().all(|it| themes().iter().any(|theme| theme.name == *it)));
        assert!(spoken().cards.keys().all(|it| cards().any(|card| card.name == *it)));
        assert_eq!(names().len(), 7 + 42);
    }
}
