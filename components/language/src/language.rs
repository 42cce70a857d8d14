//! The language of an answer.

/// The language of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Japanese.
    Japanese,
    /// English.
    English,
}

impl Language {
    /// One of the two.
    #[must_use]
    pub fn pick<T>(self, japanese: T, english: T) -> T {
        match self {
            Self::Japanese => japanese,
            Self::English => english,
        }
    }
}

impl Language {
    /// As a BCP 47 tag.
    #[must_use]
    pub fn tag(self) -> &'static str {
        self.pick("ja", "en")
    }

    /// That of a sentence; Japanese where it has no letters.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let is_kana = |it| matches!(it, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}');
        let is_latin = text.chars().any(|it| it.is_ascii_alphabetic());
        if is_latin && !text.chars().any(is_kana) { Self::English } else { Self::Japanese }
    }
}
