//! The language that an agent speaks in a conversation.

/// One of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    /// Japanese.
    Japanese,
    /// English.
    English,
}

impl Language {
    /// That of a text; Japanese where it has no letters.
    pub(super) fn of(text: &str) -> Self {
        let has_letters = text.chars().any(|it| it.is_ascii_alphabetic());
        if !has_letters || text.chars().any(is_japanese) { Self::Japanese } else { Self::English }
    }

    /// As a BCP 47 tag.
    pub(super) fn tag(self) -> &'static str {
        self.pick("ja", "en")
    }

    /// One of the two texts.
    pub(super) fn pick<T>(self, japanese: T, english: T) -> T {
        match self {
            Self::Japanese => japanese,
            Self::English => english,
        }
    }
}

fn is_japanese(it: char) -> bool {
    matches!(it, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_is_that_of_the_text() {
        for (text, language) in [
            ("しりとり", Language::Japanese),
            ("最短で TOLL なし", Language::Japanese),
            ("word chain, 3 rounds", Language::English),
            ("?", Language::Japanese),
        ] {
            assert_eq!(Language::of(text), language, "{text}");
        }
    }
}
