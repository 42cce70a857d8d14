//! All texts of the page, in Japanese and English.

#[macro_use]
mod chat;
#[macro_use]
mod operator;
mod words;

use std::sync::OnceLock;

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::part::{Part, part};

pub(crate) use words::Key;

/// Texts used only by parts.
static LATER: Part<Later> = part!(words: Later = &Later(Key::later_text));

/// Texts of the operator's views.
static OPERATOR: Part<Later> = part!(operator: Later = &Later(Key::operator_text));

struct Later(fn(Key, Lang) -> &'static str);

/// Whether the texts of all parts are loaded.
pub(crate) fn is_whole() -> bool {
    LATER.loaded().is_some()
}

/// Loads the texts of parts. Returns false on failure.
pub(crate) async fn load() -> bool {
    LATER.fetch().await.is_some()
}

/// Loads the texts of the operator's views. Returns false on failure.
pub(crate) async fn load_operator() -> bool {
    OPERATOR.fetch().await.is_some()
}

/// The page's language, once it is open.
static SPOKEN: OnceLock<RwSignal<Lang>> = OnceLock::new();

/// Sets the signal that holds the page's language.
pub(crate) fn speak(lang: RwSignal<Lang>) {
    let _ = SPOKEN.set(lang);
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Lang {
    #[default]
    Ja,
    En,
}

impl Lang {
    /// The page's language, tracked.
    pub(crate) fn spoken() -> Self {
        SPOKEN.get().map(|it| it.get()).unwrap_or_default()
    }

    /// The page's language, untracked.
    pub(crate) fn now() -> Self {
        untrack(Self::spoken)
    }

    /// The best match for a browser's preferred languages (BCP 47), most preferred first.
    pub(crate) fn preferred(languages: &[String]) -> Self {
        let known = languages.iter().find_map(|tag| Self::from_tag(tag));
        known.unwrap_or(Self::En)
    }

    /// The language of a BCP 47 tag, if supported.
    pub(crate) fn from_tag(tag: &str) -> Option<Self> {
        match tag.split(['-', '_']).next()?.to_ascii_lowercase().as_str() {
            "ja" => Some(Self::Ja),
            "en" => Some(Self::En),
            _ => None,
        }
    }

    /// Value of the `lang` attribute and for `Intl`.
    pub(crate) fn tag(self) -> &'static str {
        match self {
            Self::Ja => "ja",
            Self::En => "en",
        }
    }

    pub(crate) fn other(self) -> Self {
        match self {
            Self::Ja => Self::En,
            Self::En => Self::Ja,
        }
    }

    /// Separator between a label and its value.
    pub(crate) fn colon(self) -> &'static str {
        match self {
            Self::Ja => "：",
            Self::En => ": ",
        }
    }

    /// Separator of list entries in a sentence.
    pub(crate) fn comma(self) -> &'static str {
        match self {
            Self::Ja => "、",
            Self::En => ", ",
        }
    }

    /// The text of a key; empty if it belongs to a part that is not loaded.
    pub(crate) fn say(self, key: Key) -> &'static str {
        let later = || {
            let part = if key.is_operators() { &OPERATOR } else { &LATER };
            part.loaded().map_or("", |it| (it.0)(key, self))
        };
        key.text(self).unwrap_or_else(later)
    }

    /// The text of a key with values, as by [`filled`].
    pub(crate) fn fill(self, key: Key, values: &[&str]) -> String {
        filled(self.say(key), values)
    }
}

/// Makes a text usable as a view and as an attribute value, which follow the language.
macro_rules! spoken {
    ($text:ty) => {
        impl $text {
            /// The text in the page's language, tracked.
            pub(crate) fn say(self) -> &'static str {
                self.text_in($crate::text::Lang::spoken())
            }

            /// Like `say`, with values as by [`filled`](crate::text::filled).
            pub(crate) fn fill(self, values: &[&str]) -> String {
                $crate::text::filled(self.say(), values)
            }
        }

        impl ::leptos::tachys::reactive_graph::ReactiveFunction for $text {
            type Output = &'static str;

            fn invoke(&mut self) -> &'static str {
                self.say()
            }

            fn into_shared(
                self,
            ) -> ::leptos::tachys::reactive_graph::SharedReactiveFunction<&'static str> {
                ::std::sync::Arc::new(::std::sync::Mutex::new(move || self.say()))
            }
        }

        impl From<$text> for ::leptos::prelude::Signal<String> {
            fn from(text: $text) -> Self {
                Self::derive(move || text.say().to_owned())
            }
        }
    };
}

pub(crate) use spoken;

spoken!(Key);

impl Key {
    fn text_in(self, lang: Lang) -> &'static str {
        lang.say(self)
    }
}

/// Replaces `{0}`, `{1}` … by values, and `{0|seat|seats}` by the form for that count. Inserted text is not substituted
/// again. Within Japanese quotation marks it has those for inner ones.
pub(crate) fn filled(text: &str, values: &[&str]) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some(begin) = rest.find('{') {
        filled.push_str(&rest[..begin]);
        let end = rest[begin..].find('}').map_or(rest.len(), |end| begin + end);
        let mut parts = rest[begin + 1..end].split('|');
        let index = parts.next().and_then(|it| it.parse::<usize>().ok());
        let value = index.and_then(|index| values.get(index)).copied().unwrap_or_default();
        let is_quoted = filled.ends_with('「') && rest[end..].starts_with("}」");
        match (value, parts.next(), parts.next()) {
            ("1", Some(one), _) => filled.push_str(one),
            (_, _, Some(many)) => filled.push_str(many),
            _ if is_quoted => filled.push_str(&value.replace('「', "『").replace('」', "』")),
            _ => filled.push_str(value),
        }
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    filled.push_str(rest);
    filled
}

/// The first `max` characters of a text.
pub(crate) fn at_most(text: &str, max: usize) -> String {
    text.chars().take(max).collect()
}

/// Like [`at_most`], with an ellipsis if truncated.
pub(crate) fn cut(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Converts a full-width letter to ASCII: Japanese keyboards type them wide.
pub(crate) fn narrow(letter: char) -> char {
    match letter {
        '！'..='～' => char::from_u32(u32::from(letter) - 0xfee0).unwrap_or(letter),
        '\u{3000}' => ' ',
        _ => letter,
    }
}

/// Half-width katakana from U+FF66 on, as hiragana.
const HALF_WIDTH: &str = "をぁぃぅぇぉゃゅょっーあいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわん゛゜";

/// Folds differences of typing: case, width, katakana.
pub(crate) fn folded(text: &str) -> String {
    let mut folded = String::new();
    for letter in text.chars().map(narrow) {
        let letter = match letter {
            'ァ'..='ヶ' => char::from_u32(u32::from(letter) - 0x60).unwrap_or(letter),
            '\u{ff66}'..='\u{ff9f}' => {
                let at = u32::from(letter) - 0xff66;
                HALF_WIDTH.chars().nth(at as usize).unwrap_or(letter)
            }
            _ => letter,
        };
        // A voicing mark of its own belongs to the letter before it.
        let voiced = match letter {
            '゛' | '\u{3099}' => 1,
            '゜' | '\u{309a}' => 2,
            _ => 0,
        };
        let whole = folded.chars().next_back().filter(|_| voiced > 0);
        let whole = whole.and_then(|it| char::from_u32(u32::from(it) + voiced));
        let is_whole = |kana: &char| {
            let all = ["", "がぎぐげござじずぜぞだぢづでどばびぶべぼ", "ぱぴぷぺぽ"];
            all.get(voiced as usize).is_some_and(|all| all.contains(*kana))
        };
        match whole.filter(is_whole) {
            Some(whole) => {
                folded.pop();
                folded.push(whole);
            }
            None => folded.extend(letter.to_lowercase()),
        }
    }
    folded
}

/// A fixed English plural after a count, which may be one.
#[cfg(test)]
pub(crate) fn plural(text: &str) -> Option<&str> {
    const VERBS: [&str; 4] = ["was", "has", "serves", "waits"];
    let word = |it: &'_ str| it.find(|it: char| !it.is_ascii_alphabetic()).unwrap_or(it.len());
    let words = text.split("} ").skip(1).map(|it| &it[..word(it)]);
    words.into_iter().find(|it| it.len() > 2 && it.ends_with('s') && !VERBS.contains(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_supported_language_wins() {
        let tags = |tags: &[&str]| tags.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(Lang::preferred(&tags(&["fr-CA", "ja-JP", "en"])), Lang::Ja);
        assert_eq!(Lang::preferred(&tags(&["de", "en-GB"])), Lang::En);
        assert_eq!(Lang::preferred(&[]), Lang::En);
    }

    #[test]
    fn frame_uses_only_texts_of_first_part() {
        let frame = [
            include_str!("app.rs"),
            include_str!("approvals.rs"),
            include_str!("call.rs"),
            include_str!("operator.rs"),
            include_str!("page.rs"),
            include_str!("settings.rs"),
            include_str!("error.rs"),
            include_str!("views/notice.rs"),
            include_str!("views/part.rs"),
            include_str!("families/cinema/programme.rs"),
            include_str!("families/cinema/views/box_office.rs"),
            include_str!("families/cinema/views/box_office/browse.rs"),
            include_str!("families/cinema/views/movies.rs"),
        ];
        let is_name = |it: char| it.is_ascii_alphanumeric();
        let without_tests = frame.iter().filter_map(|it| it.split("#[cfg(test)]").next());
        let used = without_tests.flat_map(|it| it.split("Key::").skip(1));
        let used: Vec<&str> = used.filter_map(|it| it.split(|it| !is_name(it)).next()).collect();
        let later = Key::ALL.iter().filter(|it| it.text(Lang::En).is_none());
        let missing: Vec<_> = later.filter(|it| used.contains(&&*format!("{it:?}"))).collect();
        assert!(missing.is_empty(), "these stand behind `@later`: {missing:?}");
    }

    #[test]
    fn folds_case_width_and_katakana() {
        for (text, same) in [
            ("ザセキ", "ざせき"),
            ("ｻﾞｾｷ", "ざせき"),
            ("か\u{3099}", "が"),
            ("ﾌﾟﾛｼﾞｪｸﾄ", "ぷろじぇくと"),
            ("Ｍａｄｏｇｕｃｈｉ　７", "madoguchi 7"),
            ("あ゛ ﾞ", "あ゛ ゛"),
        ] {
            assert_eq!(folded(text), same, "{text}");
        }
    }

    #[test]
    fn truncates_text_between_characters_with_ellipsis() {
        assert_eq!(cut("予算配分", 4), "予算配分");
        assert_eq!(cut("予算配分", 2), "予算…");
        assert_eq!(cut("", 2), "");
        assert_eq!(at_most("予算配分", 2), "予算");
    }

    #[test]
    fn does_not_substitute_inside_arguments() {
        assert_eq!(Lang::En.fill(Key::SeatName, &["{1}", "3"]), "Row {1}, seat 3");
    }

    #[test]
    fn quoted_quotation_has_inner_marks() {
        let chat = ["「羅生門」を2席"];
        assert_eq!(
            Lang::Ja.fill(Key::FrontAsks, &chat),
            "チャット「『羅生門』を2席」が回答を待っています"
        );
        assert_eq!(Lang::Ja.fill(Key::FieldSuggested, &chat), "入力しました：「羅生門」を2席");
    }

    #[test]
    fn noun_agrees_with_count() {
        let turns = |count| Lang::En.fill(Key::TalkTurns, &[count]);
        assert_eq!([turns("1"), turns("0"), turns("12")], ["1 turn", "0 turns", "12 turns"]);
        assert_eq!(Lang::Ja.fill(Key::TalkTurns, &["1"]), "1 ターン");
    }

    #[test]
    fn no_text_has_fixed_plural_for_counts() {
        let wrong = Key::ALL.iter().filter_map(|it| plural(Lang::En.say(*it)));
        assert_eq!(wrong.collect::<Vec<_>>(), [""; 0]);
    }

    #[test]
    fn both_languages_have_the_same_placeholders() {
        for key in Key::ALL {
            let places = |lang: Lang| {
                (0..9)
                    .filter(|it| lang.say(*key).contains(&format!("{{{it}}}")))
                    .collect::<Vec<_>>()
            };
            assert_eq!(places(Lang::Ja), places(Lang::En), "{key:?}");
            assert!(!Lang::Ja.say(*key).is_empty() && !Lang::En.say(*key).is_empty(), "{key:?}");
        }
    }
}
