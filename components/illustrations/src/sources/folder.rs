//! A source in a folder of the operator, with pictures and a catalogue file.
//!
//! Parses and checks `catalogue.json`, the catalogue file of a folder of pictures.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use output::text::is_blank;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use toolkit::{Stop, arguments, dialogue::Name, log};

use super::{Found, Source, remote::THEME_BYTES_MAX};
use crate::{
    matching::{meant, near},
    picture::{self, Picture},
    refusals::SourceError,
};

/// File name of the catalogue.
const CATALOGUE: &str = "catalogue.json";
/// Maximum size of the catalogue, in bytes.
const CATALOGUE_BYTES_MAX: usize = 1 << 20;
/// Maximum size of a picture, in bytes.
const PICTURE_BYTES_MAX: usize = 4 << 20;
/// Minimum number of characters of names that count in any sentence; fewer in katakana, which only names and
/// loanwords have.
const LONG_CHARS: usize = 4;
const LONG_KATAKANA: usize = 3;
/// Maximum number of pictures checked before the component serves.
const LOOKED_AT_MAX: usize = 200;
/// Number of bytes checked of each, which show type and size.
const HEAD_BYTES: u64 = 64 << 10;

/// A granted folder.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Creates the source for `path`, as the component sees it.
    pub fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Checks catalogue and pictures. Missing or broken pictures are only logged.
    ///
    /// # Errors
    /// The problems of the catalogue, entry by entry.
    pub fn check(&self) -> Result<(), Vec<String>> {
        let file = self.file()?;
        for card in file.cards.iter().take(LOOKED_AT_MAX) {
            let looked = self.open(&card.image).and_then(|file| {
                let mut head = Vec::new();
                file.take(HEAD_BYTES).read_to_end(&mut head)?;
                Ok(head)
            });
            let wrong = match looked {
                Ok(head) => picture::mime_type(&head).err().map(|it| it.to_string()),
                Err(error) => Some(why(&error)),
            };
            if let Some(wrong) = wrong {
                log::warning(&format!("no picture of {:?} ({}): {wrong}", card.name, card.image));
            }
        }
        Ok(())
    }

    /// Reads the catalogue.
    fn file(&self) -> Result<File, Vec<String>> {
        let path = self.path.join(CATALOGUE);
        let described = |why: &str| format!("{} {why}", path.display());
        let bytes = read(&path, CATALOGUE_BYTES_MAX).map_err(|error| {
            let grant = format!(
                "[components.illustrations.folders] \"{}\" = \"…\" grants the folder",
                self.path.display()
            );
            vec![described(&format!("cannot be read: {}; {grant}", why(&error)))]
        })?;
        let text = std::str::from_utf8(&bytes).map_err(|_| vec![described("is no UTF-8 text")])?;
        read_catalogue(text).map_err(|all| all.iter().map(|it| described(it)).collect())
    }

    fn catalogue(&self) -> Result<File, SourceError> {
        self.file().map_err(|all| SourceError::File { message: all.join("; ") })
    }

    fn open(&self, image: &str) -> io::Result<fs::File> {
        fs::File::open(self.path.join(image))
    }

    fn picture(&self, card: &Card) -> Result<Picture, SourceError> {
        let told = |why: &str| SourceError::File { message: format!("{} {why}", card.image) };
        let bytes = read(&self.path.join(&card.image), PICTURE_BYTES_MAX)
            .map_err(|error| told(&format!("cannot be read: {}", why(&error))))?;
        let mime_type =
            picture::mime_type(&bytes).map_err(|it| told(&format!("is broken: {it}")))?;
        Ok(Picture { name: card.name.clone(), mime_type: mime_type.to_owned(), bytes })
    }

    /// Reads the pictures of cards. Broken ones are logged and left out; it fails only where none is left.
    fn pictures<'a>(
        &self,
        cards: impl Iterator<Item = &'a Card>,
        limit: usize,
    ) -> Result<Vec<Picture>, SourceError> {
        let (mut pictures, mut bytes, mut last) = (Vec::new(), 0, None);
        for card in cards {
            if pictures.len() == limit {
                break;
            }
            match self.picture(card) {
                Ok(picture) if bytes + picture.bytes.len() <= THEME_BYTES_MAX => {
                    bytes += picture.bytes.len();
                    pictures.push(picture);
                }
                Ok(_) => log::warning(&format!("{} is left out: too much at once", card.image)),
                Err(error) => {
                    log::warning(&format!("no picture of {:?}: {error:?}", card.name));
                    last = Some(error);
                }
            }
        }
        match last {
            Some(error) if pictures.is_empty() => Err(error),
            _ => Ok(pictures),
        }
    }
}

impl Source for Folder {
    fn card(&self, name: &str) -> Result<Option<Found<Picture>>, Stop> {
        let file = self.catalogue()?;
        let (found, is_whole) = meant(name, file.cards.iter().map(Card::names));
        let [only] = found[..] else { return Ok(None) };
        Ok(Some(Found { value: self.picture(&file.cards[only])?, is_whole }))
    }

    fn theme(&self, name: &str, limit: usize) -> Result<Option<Found<Vec<Picture>>>, Stop> {
        let file = self.catalogue()?;
        let (found, is_whole) = meant(name, file.themes.iter().map(Theme::names));
        let [only] = found[..] else { return Ok(None) };
        let theme = &file.themes[only].name;
        let cards = file.cards.iter().filter(|it| it.themes.contains(theme));
        Ok(Some(Found { value: self.pictures(cards, limit)?, is_whole }))
    }

    fn near_cards(&self, name: &str) -> Result<Vec<(f64, String)>, Stop> {
        let file = self.catalogue()?;
        let (alike, _) = meant(name, file.cards.iter().map(Card::names));
        Ok(near(name, &alike, file.cards.iter().map(|it| (&it.name, it.names()))))
    }

    fn near_themes(&self, name: &str) -> Result<Vec<(f64, String)>, Stop> {
        let file = self.catalogue()?;
        let (alike, _) = meant(name, file.themes.iter().map(Theme::names));
        Ok(near(name, &alike, file.themes.iter().map(|it| (&it.name, it.names()))))
    }

    fn names(&self) -> Result<Vec<Name>, Stop> {
        let file = self.catalogue()?;
        let themes = file.themes.iter().map(|it| named("theme", it.names(), None));
        let cards = file.cards.iter().map(|it| named("card", it.names(), it.themes.first()));
        Ok(themes.chain(cards).collect())
    }
}

/// Returns the names of a card or a theme. Names as short as common words count only in sentences about cards.
fn named<'a>(
    kind: &str,
    mut names: impl Iterator<Item = &'a str>,
    within: Option<&String>,
) -> Name {
    let name = names.next().unwrap_or_default().to_owned();
    let others: Vec<_> = names.map(str::to_owned).collect();
    let english = others.iter().find(|it| it.is_ascii()).cloned();
    let is_long = |name: &String| {
        let is_katakana = name.chars().all(|it| matches!(it, '\u{30a1}'..='\u{30fa}' | 'ー'));
        name.chars().count() >= if is_katakana { LONG_KATAKANA } else { LONG_CHARS }
    };
    let (also, hints) = others.into_iter().partition(is_long);
    let (kind, within, moods) = (kind.to_owned(), within.cloned(), Vec::new());
    Name { kind, name, english, within, also, hints, moods }
}

/// Reads a file of at most `bytes_max` bytes.
fn read(path: &Path, bytes_max: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let limit = u64::try_from(bytes_max).unwrap_or(u64::MAX).saturating_add(1);
    fs::File::open(path)?.take(limit).read_to_end(&mut bytes)?;
    if bytes.len() > bytes_max {
        let message = format!("it has more than {} MiB", bytes_max >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// Formats an error without the system's error number.
fn why(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "it is not there".to_owned(),
        io::ErrorKind::PermissionDenied => "it may not be read".to_owned(),
        _ => error.to_string(),
    }
}

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
fn read_catalogue(text: &str) -> Result<File, Vec<String>> {
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
        let file = read_catalogue(
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
            let problems = read_catalogue(text).unwrap_err();
            assert!(problems[0].contains(part), "{text}: {problems:?}");
        }
    }

    #[test]
    fn reports_at_most_ten_problems() {
        let cards = vec![r#"{"name":"a"}"#; 50].join(",");
        assert_eq!(
            read_catalogue(&format!(r#"{{"cards":[{cards}]}}"#)).unwrap_err().len(),
            PROBLEMS_MAX
        );
    }
}
