//! The names of themes and cards that the host passes for a turn.

use std::{
    cell::Cell,
    hash::{DefaultHasher, Hash, Hasher},
};

use language::scan::Lexicon;
use toolkit::dialogue::Name;

use super::{
    catalogue::{self, Card},
    themes::Theme,
};

/// The kinds of names used here.
const KINDS: [&str; 2] = ["theme", "card"];

/// All names, prepared for searches.
pub(super) struct KnownNames {
    /// Themes with their names in lower case.
    pub(super) themes: Vec<(Theme, Vec<String>)>,
    pub(super) theme_words: Lexicon<Theme>,
    pub(super) mood_words: Lexicon<Theme>,
    /// Colours of a single character.
    pub(super) colours: Vec<(char, Theme)>,
    pub(super) cards: &'static [Card],
    pub(super) phrases: Vec<(&'static Card, String, bool)>,
}

thread_local! {
    /// The names received last, with their hash.
    static KNOWN: Cell<Option<(u64, &'static KnownNames)>> = const { Cell::new(None) };
}

/// Returns the current names; they are empty before any were received.
pub(super) fn known_names() -> &'static KnownNames {
    match KNOWN.get() {
        Some((_, known_names)) => known_names,
        None => set_known_names(&[]),
    }
}

/// Replaces the current names.
pub(super) fn set_known_names(names: &[Name]) -> &'static KnownNames {
    let names = names.iter().filter(|it| KINDS.contains(&it.kind.as_str()));
    let mut hasher = DefaultHasher::new();
    for name in names.clone() {
        (&name.kind, &name.name, &name.english, &name.within, &name.also, &name.hints, &name.moods)
            .hash(&mut hasher);
    }
    let hash = hasher.finish();
    match KNOWN.get().filter(|it| it.0 == hash) {
        Some((_, known_names)) => known_names,
        None => {
            let known_names = leak(KnownNames::of(names));
            KNOWN.set(Some((hash, known_names)));
            known_names
        }
    }
}

/// Leaks a value for the lifetime of the component's instance, which ends with the turn.
fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

fn leak_text(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

impl KnownNames {
    fn of<'a>(names: impl Iterator<Item = &'a Name>) -> Self {
        let lower = |all: &[String]| all.iter().map(|it| it.to_lowercase()).collect::<Vec<_>>();
        let (mut themes, mut cards) = (Vec::new(), Vec::new());
        let (mut words, mut moods, mut colours) = (Vec::new(), Vec::new(), Vec::new());
        for name in names {
            let japanese = leak_text(&name.name);
            let english = name.english.as_deref().map_or(japanese, leak_text);
            match name.kind.as_str() {
                "theme" => {
                    let theme = Theme { japanese, english, is_name: true };
                    let mut named = vec![japanese.to_lowercase(), english.to_lowercase()];
                    named.extend(lower(&name.also));
                    let (signs, hints): (Vec<_>, Vec<_>) =
                        lower(&name.hints).into_iter().partition(|it| it.chars().count() == 1);
                    let hinted = Theme { is_name: false, ..theme };
                    colours
                        .extend(signs.iter().filter_map(|it| Some((it.chars().next()?, hinted))));
                    words.extend(named.iter().map(|it| (theme, it.clone())));
                    words.extend(hints.into_iter().map(|it| (hinted, it)));
                    moods.extend(lower(&name.moods).into_iter().map(|it| (theme, it)));
                    themes.push((theme, named));
                }
                "card" => cards.push(Card {
                    theme: name.within.as_deref().map_or("", leak_text),
                    japanese,
                    english,
                    names: lower(&name.also),
                    motifs: lower(&name.hints),
                }),
                _ => {}
            }
        }
        let cards = leak(cards).as_slice();
        Self {
            themes,
            theme_words: Lexicon::loose(&words),
            mood_words: Lexicon::new(&moods),
            colours,
            cards,
            phrases: catalogue::phrases(cards),
        }
    }
}
