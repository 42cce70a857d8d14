//! Finds known themes in a sentence, by name, colour or mood.

use language::{
    Language,
    scan::{distance, marks},
};

use super::{
    catalogue::{Card, card_of},
    names::known_names,
};

/// Returns the moods and motifs in a sentence, with their themes and ranges.
pub(super) fn moods(lower: &[char]) -> Vec<(Theme, usize, usize)> {
    let words = &known_names().mood_words;
    let found = |at| words.at(lower, at).map(|(theme, length)| (theme, at, at + length));
    (0..lower.len()).filter_map(found).collect()
}

/// Returns the theme at `at`, by its name or a hint.
pub(super) fn theme(lower: &[char], at: usize) -> Option<(Theme, usize)> {
    known_names().theme_words.at(lower, at)
}

/// Returns the theme of the single-character colour at `at`: neither `面白い` nor `赤坂` has one.
pub(super) fn colour(lower: &[char], at: usize) -> Option<Theme> {
    let theme = known_names().colours.iter().find(|it| it.0 == lower[at])?.1;
    let is_kanji = |it: Option<&char>| it.is_some_and(|it| matches!(it, '\u{4e00}'..='\u{9fff}'));
    let before = at.checked_sub(1).and_then(|it| lower.get(it));
    let rest: String = lower[at + 1..].iter().take(3).collect();
    // `全部赤で`.
    let is_behind_all = lower[..at].ends_with(&['全', '部']);
    let is_alone = (is_behind_all || !is_kanji(before))
        && !matches!(before, Some('お' | '('))
        && !is_kanji(lower.get(at + 1));
    const BEHIND: &str = "で|に|と|っぽ|、|い|を|が|な|から|は|も|だけ";
    // `金2枚と緑三枚`.
    let is_number = |it: char| it.is_ascii_digit() || "一二三四五六七八九十".contains(it);
    // `赤以外のカード`.
    let is_out = !is_kanji(before) && ["以外", "抜き"].iter().any(|it| rest.starts_with(it));
    let is_counted = is_out
        || (is_behind_all || !is_kanji(before))
            && rest.trim_start_matches(is_number).starts_with('枚');
    let is_colour =
        is_counted || is_alone && (rest.is_empty() || marks(BEHIND).any(|it| rest.starts_with(it)));
    is_colour.then_some(theme)
}

/// Returns the names of all known themes.
pub(super) fn theme_names(language: Language) -> Vec<&'static str> {
    known_names().themes.iter().map(|it| language.pick(it.0.japanese, it.0.english)).collect()
}

/// Returns the name of a theme or a card in `language`, if it is known.
pub(super) fn name_in(name: &str, language: Language) -> String {
    let theme = known_names().themes.iter().map(|it| it.0).find(|it| it.japanese == name);
    let theme = theme.map(|it| (it.japanese, it.english));
    let card = || card_of(name).map(|it| (it.japanese, it.english));
    theme.or_else(card).map_or(name, |it| language.pick(it.0, it.1)).to_owned()
}

/// Returns the number of cards of a theme.
pub(super) fn cards_of(theme: &str) -> usize {
    known_names()
        .themes
        .iter()
        .filter(|it| it.0.japanese == theme || it.0.english == theme)
        .map(|it| known_names().cards.iter().filter(|card| card.theme == it.0.japanese).count())
        .sum()
}

/// Returns a theme and two cards of different themes for examples, or generic words where there are none.
pub(super) fn samples(language: Language) -> (&'static str, [&'static str; 2]) {
    let themes = theme_names(language);
    let theme = themes.first().copied().unwrap_or(language.pick("テーマの名前", "name of a theme"));
    let cards = known_names().cards;
    let name = |it: &'static Card| language.pick(it.japanese, it.english);
    let first = cards.first();
    let second = cards.iter().find(|it| first.is_some_and(|first| first.theme != it.theme));
    let [one, other] =
        [language.pick("カードの名前", "one card"), language.pick("もう1枚の名前", "another")];
    (theme, [first.map_or(one, name), second.map_or(other, name)])
}

/// Number of allowed typos in a theme's name, per number of its characters.
const SLIPS: (usize, usize) = (1, 4);
const SLIPS_MAX: usize = 2;

/// A known theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Theme {
    pub(super) japanese: &'static str,
    pub(super) english: &'static str,
    /// Whether it is a name, rather than a colour.
    pub(super) is_name: bool,
}

/// Whether `name` is a theme's name with a typo, which the tool finds as written.
pub(super) fn is_nearly_theme(name: &str) -> bool {
    let name: Vec<char> = name.to_lowercase().chars().collect();
    let names = known_names().themes.iter().flat_map(|it| &it.1);
    names.map(|it| it.chars().collect::<Vec<_>>()).any(|other| {
        let most = (other.len() * SLIPS.0 / SLIPS.1).min(SLIPS_MAX);
        other.len().abs_diff(name.len()) <= most && distance(&other, &name) <= most
    })
}
