//! The language of an answer.

/// The language of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// Japanese.
    Japanese,
    /// English.
    English,
}

impl Language {
    /// One of the two.
    pub(crate) fn pick<T>(self, japanese: T, english: T) -> T {
        match self {
            Self::Japanese => japanese,
            Self::English => english,
        }
    }
}

#[cfg(test)]
impl Language {
    /// That of a sentence.
    pub(crate) fn of(text: &str) -> Self {
        let is_kana = |it| matches!(it, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}');
        let is_latin = text.chars().any(|it| it.is_ascii_alphabetic());
        if is_latin && !text.chars().any(is_kana) { Self::English } else { Self::Japanese }
    }
}
