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
    /// The caller's, as far as it is known; else that of what they wrote.
    #[must_use]
    pub fn of(locale: Option<&str>, text: &str) -> Self {
        let is_japanese = match locale {
            Some(it) => it.to_ascii_lowercase().starts_with("ja"),
            None => !text.chars().any(|it| it.is_ascii_alphabetic()) || text.chars().any(is_kana),
        };
        if is_japanese { Self::Japanese } else { Self::English }
    }

    /// One of the two.
    pub fn pick<T>(self, japanese: T, english: T) -> T {
        match self {
            Self::Japanese => japanese,
            Self::English => english,
        }
    }
}

fn is_kana(it: char) -> bool {
    matches!(it, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}
