//! Themes of cards that are known by name, and what people say for them.

use language::{
    Language,
    scan::{distance, marks},
};

use super::{
    catalogue::{Card, card_of},
    names::known,
};

/// The moods and motifs in a sentence: the theme of each, and where its word stands.
pub(super) fn moods(lower: &[char]) -> Vec<(Theme, usize, usize)> {
    let words = &known().mood_words;
    let found = |at| words.at(lower, at).map(|(theme, length)| (theme, at, at + length));
    (0..lower.len()).filter_map(found).collect()
}

/// The theme at `at`, by its name or by what hints at it.
pub(super) fn theme(lower: &[char], at: usize) -> Option<(Theme, usize)> {
    known().theme_words.at(lower, at)
}

/// The theme of the colour at `at`, in one sign that stands by itself: neither `面白い` nor `赤坂` has one.
pub(super) fn colour(lower: &[char], at: usize) -> Option<Theme> {
    let theme = known().colours.iter().find(|it| it.0 == lower[at])?.1;
    let is_kanji = |it: Option<&char>| it.is_some_and(|it| matches!(it, '\u{4e00}'..='\u{9fff}'));
    let before = at.checked_sub(1).and_then(|it| lower.get(it));
    let rest: String = lower[at + 1..].iter().take(3).collect();
    let is_alone =
        !is_kanji(before) && !matches!(before, Some('お' | '(')) && !is_kanji(lower.get(at + 1));
    const BEHIND: &str = "で|に|と|っぽ|、|い|を|が|な|から|は|も";
    let is_colour = is_alone && (rest.is_empty() || marks(BEHIND).any(|it| rest.starts_with(it)));
    is_colour.then_some(theme)
}

/// The names of all themes that are known.
pub(super) fn theme_names(language: Language) -> Vec<&'static str> {
    known().themes.iter().map(|it| language.pick(it.0.japanese, it.0.english)).collect()
}

/// The name of a theme or a card in `language`, where it is known.
pub(super) fn name_in(name: &str, language: Language) -> String {
    let theme = known().themes.iter().map(|it| it.0).find(|it| it.japanese == name);
    let theme = theme.map(|it| (it.japanese, it.english));
    let card = || card_of(name).map(|it| (it.japanese, it.english));
    theme.or_else(card).map_or(name, |it| language.pick(it.0, it.1)).to_owned()
}

/// How many cards a theme has.
pub(super) fn cards_of(theme: &str) -> usize {
    known()
        .themes
        .iter()
        .filter(|it| it.0.japanese == theme || it.0.english == theme)
        .map(|it| known().cards.iter().filter(|card| card.theme == it.0.japanese).count())
        .sum()
}

/// A theme and two cards of different themes, as an example of what may be written; words for them where
/// there are none.
pub(super) fn samples(language: Language) -> (&'static str, [&'static str; 2]) {
    let themes = theme_names(language);
    let theme = themes.first().copied().unwrap_or(language.pick("テーマの名前", "name of a theme"));
    let cards = known().cards;
    let name = |it: &'static Card| language.pick(it.japanese, it.english);
    let first = cards.first();
    let second = cards.iter().find(|it| first.is_some_and(|first| first.theme != it.theme));
    let [one, other] =
        [language.pick("カードの名前", "one card"), language.pick("もう1枚の名前", "another")];
    (theme, [first.map_or(one, name), second.map_or(other, name)])
}

/// How many characters may differ from a theme's name, for each so many that it has.
const SLIPS: (usize, usize) = (1, 4);
const SLIPS_MAX: usize = 2;

/// A theme that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Theme {
    pub(super) japanese: &'static str,
    pub(super) english: &'static str,
    /// Whether it is named, rather than a colour.
    pub(super) is_name: bool,
}

/// Whether `name` is a theme's with a slip in it: the tool finds it, as it was written.
pub(super) fn is_nearly_theme(name: &str) -> bool {
    let name: Vec<char> = name.to_lowercase().chars().collect();
    let names = known().themes.iter().flat_map(|it| &it.1);
    names.map(|it| it.chars().collect::<Vec<_>>()).any(|other| {
        let most = (other.len() * SLIPS.0 / SLIPS.1).min(SLIPS_MAX);
        other.len().abs_diff(name.len()) <= most && distance(&other, &name) <= most
    })
}
