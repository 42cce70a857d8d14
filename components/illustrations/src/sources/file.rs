//! Parses and checks `catalogue.json`, the catalogue file of a folder of pictures.

use output::text::is_blank;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use toolkit::arguments;

/// Maximum number of cards.
const CARDS_MAX: usize = 2_000;
/// Maximum number of themes.
const THEMES_MAX: usize = 500;
/// Maximum number of further names of a card or a theme.
const ALIASES_MAX: usize = 20;
/// Maximum number of characters of a name.
const NAME_CHARS_MAX: usize = 100;
/// Maximum number of reported problems.
const PROBLEMS_MAX: usize = 10;

/// The parsed file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// The cards, in the file's order.
    pub cards: Vec<Card>,
    /// The listed themes, or else those that cards name.
    pub themes: Vec<Theme>,
}

/// A card of the catalogue.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    /// Its name, as shown.
    pub name: String,
    /// Its reading in kana.
    #[serde(default)]
    pub reading: Option<String>,
    /// Further names.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Names of its themes.
    #[serde(default)]
    pub themes: Vec<String>,
    /// Path of the picture within the folder.
    pub image: String,
}

/// A theme of the catalogue.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Theme {
    /// Its name, as in cards.
    pub name: String,
    /// Its reading in kana.
    #[serde(default)]
    pub reading: Option<String>,
    /// Further names.
    #[serde(default)]
    pub aliases: Vec<String>,
}

impl Card {
    /// Returns all names of the card.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        names(&self.name, self.reading.as_ref(), &self.aliases)
    }
}

impl Theme {
    /// Returns all names of the theme.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        names(&self.name, self.reading.as_ref(), &self.aliases)
    }
}

fn names<'a>(
    name: &'a str,
    reading: Option<&'a String>,
    aliases: &'a [String],
) -> impl Iterator<Item = &'a str> {
    std::iter::once(name)
        .chain(reading.map(String::as_str))
        .chain(aliases.iter().map(String::as_str))
}

/// Parses the text of a catalogue file.
///
/// # Errors
/// The problems, each with its entry: `/cards/3/image …`.
pub fn read(text: &str) -> Result<File, Vec<String>> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Whole {
        cards: Vec<Value>,
        #[serde(default)]
        themes: Vec<Value>,
    }
    let whole: Whole =
        arguments::parse(text).map_err(|it| vec![format!("is no catalogue: {it}")])?;
    let mut problems = Vec::new();
    if whole.cards.len() > CARDS_MAX {
        problems.push(format!("/cards has more than {CARDS_MAX} entries"));
    }
    if whole.themes.len() > THEMES_MAX {
        problems.push(format!("/themes has more than {THEMES_MAX} entries"));
    }
    let themes: Vec<Theme> = entries("/themes", whole.themes, THEMES_MAX, &mut problems);
    let cards: Vec<Card> = entries("/cards", whole.cards, CARDS_MAX, &mut problems);
    if problems.is_empty() {
        check_names(
            "/themes",
            themes.iter().map(|it| (it.name.as_str(), it.names())),
            &mut problems,
        );
        check_names("/cards", cards.iter().map(|it| (it.name.as_str(), it.names())), &mut problems);
        for (at, card) in cards.iter().enumerate() {
            check_card(at, card, &themes, &mut problems);
        }
    }
    if !problems.is_empty() {
        problems.truncate(PROBLEMS_MAX);
        return Err(problems);
    }
    let themes = if themes.is_empty() { themes_of(&cards) } else { themes };
    Ok(File { cards, themes })
}

/// Parses entries, and reports the problems of invalid ones.
fn entries<T: DeserializeOwned>(
    list: &str,
    values: Vec<Value>,
    count_max: usize,
    problems: &mut Vec<String>,
) -> Vec<T> {
    let mut entries = Vec::new();
    for (at, value) in values.into_iter().take(count_max).enumerate() {
        let name = value.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        match arguments::parse(&value.to_string()) {
            Ok(entry) => entries.push(entry),
            Err(it) => problems.push(format!("{list}/{at} ({name:?}): {it}")),
        }
    }
    entries
}

fn check_names<'a, N: Iterator<Item = &'a str>>(
    list: &str,
    all: impl Iterator<Item = (&'a str, N)>,
    problems: &mut Vec<String>,
) {
    let mut places = std::collections::BTreeMap::new();
    for (at, (name, names)) in all.enumerate() {
        let (mut count, mut fit) = (0, true);
        for name in names {
            count += 1;
            fit &= !is_blank(name) && name.chars().nth(NAME_CHARS_MAX).is_none();
            fit &= !name.chars().any(char::is_control);
        }
        if !fit {
            problems.push(format!(
                "{list}/{at} ({name:?}): a name must have 1 to {NAME_CHARS_MAX} characters and no line breaks"
            ));
        }
        if count > ALIASES_MAX + 2 {
            problems.push(format!("{list}/{at} ({name:?}): more than {ALIASES_MAX} aliases"));
        }
        if let Some(first) = places.insert(name, at) {
            problems.push(format!("{list}/{at} ({name:?}): {list}/{first} has that name already"));
        }
    }
}

fn check_card(at: usize, card: &Card, themes: &[Theme], problems: &mut Vec<String>) {
    let name = &card.name;
    if !is_within(&card.image) {
        problems.push(format!(
            "/cards/{at} ({name:?}): image must be the path of a file in the folder, such as \"blue/azure.png\""
        ));
    }
    // Where themes are listed, an unlisted one is a typo.
    for theme in card.themes.iter().filter(|_| !themes.is_empty()) {
        if !themes.iter().any(|it| it.name == *theme) {
            problems
                .push(format!("/cards/{at} ({name:?}): no entry of /themes is named {theme:?}"));
        }
    }
}

fn is_within(path: &str) -> bool {
    let steps = path.split('/');
    path.len() <= 300
        && !path.contains(['\\', '\0', ':'])
        && !steps.into_iter().any(|it| matches!(it, "" | "." | ".."))
}

/// Returns the themes that cards name.
fn themes_of(cards: &[Card]) -> Vec<Theme> {
    let mut themes: Vec<Theme> = Vec::new();
    for name in cards.iter().flat_map(|it| &it.themes) {
        if themes.len() < THEMES_MAX && !themes.iter().any(|it| it.name == *name) {
            themes.push(Theme { name: name.clone(), reading: None, aliases: Vec::new() });
        }
    }
    themes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn themes_are_listed_or_named_by_cards() {
        let file = read(
            r#"{ "cards": [
                { "name": "青眼の白龍", "reading": "ブルーアイズ", "aliases": ["Blue-Eyes"],
                  "themes": ["青眼"], "image": "blue/1.png" } ] }"#,
        )
        .unwrap();
        assert_eq!(file.themes[0].name, "青眼");
        assert_eq!(file.cards[0].names().count(), 3);
    }

    #[test]
    fn reports_problems_with_entry_and_fix() {
        for (text, part) in [
            ("{", "is no catalogue"),
            ("[]", "is no catalogue"),
            (r#"{"cards":[{"name":"a"}]}"#, r#"/cards/0 ("a"): has no image"#),
            (r#"{"cards":[{"name":"a","image":"a","pic":1}]}"#, "pic"),
            (r#"{"cards":[{"name":"","image":"a"}]}"#, "1 to 100 characters"),
            (r#"{"cards":[{"name":"a","image":"../a"}]}"#, "a file in the folder"),
            (r#"{"cards":[{"name":"a","image":"/a"}]}"#, "a file in the folder"),
            (
                r#"{"cards":[{"name":"a","image":"a"},{"name":"a","image":"b"}]}"#,
                "/cards/0 has that name already",
            ),
            (
                r#"{"themes":[{"name":"t"}],"cards":[{"name":"a","image":"a","themes":["u"]}]}"#,
                "no entry of /themes is named \"u\"",
            ),
        ] {
            let problems = read(text).unwrap_err();
            assert!(problems[0].contains(part), "{text}: {problems:?}");
        }
    }

    #[test]
    fn reports_at_most_ten_problems() {
        let cards = vec![r#"{"name":"a"}"#; 50].join(",");
        assert_eq!(read(&format!(r#"{{"cards":[{cards}]}}"#)).unwrap_err().len(), PROBLEMS_MAX);
    }
}
