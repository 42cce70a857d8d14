//! The language of a caller.

use std::sync::Arc;

use serde::Deserialize;

/// The language that the caller reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Japanese,
    English,
}

impl Language {
    /// The locale's language if known, else that of `text`.
    pub fn detect(locale: Option<&str>, text: &str) -> Self {
        let is_japanese = match locale {
            Some(it) => it.to_ascii_lowercase().starts_with("ja"),
            None => !text.chars().any(|it| it.is_ascii_alphabetic()) || text.chars().any(is_kana),
        };
        if is_japanese { Self::Japanese } else { Self::English }
    }

    /// BCP 47 tag.
    pub fn tag(self) -> &'static str {
        self.pick("ja", "en")
    }

    /// The one of the two that is in this language.
    pub fn pick<T>(self, japanese: T, english: T) -> T {
        match self {
            Self::Japanese => japanese,
            Self::English => english,
        }
    }
}

fn is_kana(character: char) -> bool {
    matches!(character, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}

/// A language as a BCP 47 tag, such as `ja` or `en-GB`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct LanguageTag(pub Arc<str>);

impl TryFrom<String> for LanguageTag {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let language = text.split('-').next().unwrap_or_default();
        // Japan's country code is often mistaken for the language code.
        let is_right = (2..=3).contains(&language.len())
            && !["jp", "jpn"].iter().any(|it| language.eq_ignore_ascii_case(it));
        match is_tag(&text) && is_right {
            true => Ok(Self(text.into())),
            false => Err(format!("{text:?} is no language; a tag such as \"ja\" or \"en\" is")),
        }
    }
}

impl LanguageTag {
    /// What to know of a language in which there are no texts here.
    pub fn unread(&self) -> Option<String> {
        let language = self.0.split('-').next().unwrap_or_default();
        let is_ours = ["ja", "en"].iter().any(|it| language.eq_ignore_ascii_case(it));
        (!is_ours).then(|| {
            format!(
                "{:?}: texts are in Japanese (\"ja\") and English (\"en\"), and English is read in its place; only components may have texts in others",
                self.0
            )
        })
    }
}

/// The language of an `Accept-Language` header: the first that it names; or Japanese, where the first is neither and
/// texts in Japanese are wanted before those in English.
pub fn accepted(header: &str) -> Option<&str> {
    let named = || {
        let tags = header.split(',').map(|it| it.split(';').next().unwrap_or_default().trim());
        tags.filter(|it| is_tag(it))
    };
    let is = |tag: &str, language: &str| tag.to_ascii_lowercase().starts_with(language);
    let ours = named().find(|it| is(it, "ja") || is(it, "en"));
    ours.filter(|it| is(it, "ja")).or_else(|| named().next())
}

fn is_tag(text: &str) -> bool {
    (1..=35).contains(&text.len()) && text.chars().all(|it| it.is_ascii_alphanumeric() || it == '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_invalid_language_tags() {
        for right in ["ja", "en", "JA-jp", "en-GB", "fr"] {
            assert!(LanguageTag::try_from(right.to_owned()).is_ok(), "{right}");
        }
        for wrong in ["jp", "JP", "jpn", "japanese", "English", "j", "-ja", ""] {
            assert!(LanguageTag::try_from(wrong.to_owned()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn notes_languages_without_texts() {
        let unread = |tag: &str| LanguageTag::try_from(tag.to_owned()).unwrap().unread();
        assert_eq!(["ja", "JA-jp", "en-GB"].map(unread), [None, None, None]);
        assert!(unread("fr").unwrap().contains("\"ja\""));
    }

    #[test]
    fn prefers_caller_language_over_that_of_the_sentence() {
        for (locale, text, language) in [
            (Some("ja-JP"), "no highways", Language::Japanese),
            (Some("en"), "高速使わない", Language::English),
            (Some("fr"), "高速使わない", Language::English),
            (None, "高速使わない", Language::Japanese),
            (None, "最短で TOLL なし", Language::Japanese),
            (None, "no highways", Language::English),
            (None, "?", Language::Japanese),
        ] {
            assert_eq!(Language::detect(locale, text), language, "{locale:?} {text}");
        }
    }
}
