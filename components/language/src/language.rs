//! The language of an answer.

/// The language of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Answers in Japanese.
    Japanese,
    /// Answers in English.
    English,
}

impl Language {
    /// Picks one of the two values.
    pub fn pick<T>(self, japanese: T, english: T) -> T {
        match self {
            Self::Japanese => japanese,
            Self::English => english,
        }
    }

    /// Returns the BCP 47 tag.
    pub fn tag(self) -> &'static str {
        self.pick("ja", "en")
    }

    /// Returns the caller's language, otherwise that of the text.
    pub fn of_caller(locale: Option<&str>, text: &str) -> Self {
        match locale {
            Some(it) if it.to_ascii_lowercase().starts_with("ja") => Self::Japanese,
            Some(_) => Self::English,
            None => Self::detect(text),
        }
    }

    /// Returns the language of a sentence; Japanese if it has no letters.
    pub fn detect(text: &str) -> Self {
        let is_kana = |it| matches!(it, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}');
        let is_latin = text.chars().any(|it| it.is_ascii_alphabetic());
        if is_latin && !text.chars().any(is_kana) { Self::English } else { Self::Japanese }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefers_the_callers_language() {
        for (locale, text, language) in [
            (Some("ja-JP"), "no highways", Language::Japanese),
            (Some("en"), "高速使わない", Language::English),
            (Some("fr"), "高速使わない", Language::English),
            (None, "高速使わない", Language::Japanese),
            (None, "最短で TOLL なし", Language::Japanese),
            (None, "no highways", Language::English),
            (None, "?", Language::Japanese),
        ] {
            assert_eq!(Language::of_caller(locale, text), language, "{locale:?} {text}");
        }
    }
}
