//! What the components that are served call things, as the host passes it: themes and cards.

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

/// The kinds of names that are known here.
const KINDS: [&str; 2] = ["theme", "card"];

/// Everything that is known by name.
pub(super) struct Known {
    /// With what names each, in lower case.
    pub(super) themes: Vec<(Theme, Vec<String>)>,
    pub(super) theme_words: Lexicon<Theme>,
    pub(super) mood_words: Lexicon<Theme>,
    /// Colours in one sign.
    pub(super) colours: Vec<(char, Theme)>,
    pub(super) cards: &'static [Card],
    pub(super) phrases: Vec<(&'static Card, String, bool)>,
}

thread_local! {
    /// The names that were received last, by their hash.
    static KNOWN: Cell<Option<(u64, &'static Known)>> = const { Cell::new(None) };
}

/// What is known now; nothing, before any names were received.
pub(super) fn known() -> &'static Known {
    match KNOWN.get() {
        Some((_, known)) => known,
        None => tell(&[]),
    }
}

/// From now on these names are known, and no others.
pub(super) fn tell(names: &[Name]) -> &'static Known {
    let names = names.iter().filter(|it| KINDS.contains(&it.kind.as_str()));
    let mut hasher = DefaultHasher::new();
    for name in names.clone() {
        (&name.kind, &name.name, &name.english, &name.within, &name.also, &name.hints, &name.moods)
            .hash(&mut hasher);
    }
    let hash = hasher.finish();
    match KNOWN.get().filter(|it| it.0 == hash) {
        Some((_, known)) => known,
        None => {
            let known = leaked(Known::of(names));
            KNOWN.set(Some((hash, known)));
            known
        }
    }
}

/// For as long as the component's instance is there: that ends with the turn.
fn leaked<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

fn text(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

impl Known {
    fn of<'a>(names: impl Iterator<Item = &'a Name>) -> Self {
        let lower = |all: &[String]| all.iter().map(|it| it.to_lowercase()).collect::<Vec<_>>();
        let (mut themes, mut cards) = (Vec::new(), Vec::new());
        let (mut words, mut moods, mut colours) = (Vec::new(), Vec::new(), Vec::new());
        for name in names {
            let japanese = text(&name.name);
            let english = name.english.as_deref().map_or(japanese, text);
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
                    theme: name.within.as_deref().map_or("", text),
                    japanese,
                    english,
                    names: lower(&name.also),
                    motifs: lower(&name.hints),
                }),
                _ => {}
            }
        }
        let cards = leaked(cards).as_slice();
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
