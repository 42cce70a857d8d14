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

    /// Returns the language of a sentence; Japanese if it has no letters. An English sentence may have a Japanese
    /// name, `when is 羅生門 on?`, and a Japanese one may begin with an English name: `Let It Beは何時から？`.
    pub fn detect(text: &str) -> Self {
        const OPENINGS: &str = "show|tell|book|reserve|get|give|find|make|draw|cancel|let|open|list|when|what|what's|which|where|how|who|is|are|can|could|do|does|i|i'd|we|please|from";
        /// Particles behind a name.
        const PARTICLES: &str = "は|の|を|が|って|に|で";
        /// Ends of a Japanese sentence.
        const ENDS: &str = "て|か|い|です|ます|した|から|まで|ある|てる|いつ|何時";
        let is_kana = |it: char| matches!(it, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}');
        let is_latin = text.chars().any(|it| it.is_ascii_alphabetic());
        let first = text.split_whitespace().next().unwrap_or_default().to_lowercase();
        let is_opened = || OPENINGS.split('|').any(|it| it == first);
        let begin = text.find(is_kana).unwrap_or(text.len());
        let end = text.trim_end_matches(|it: char| !it.is_alphanumeric());
        let is_ended = || {
            end.ends_with(is_kana)
                && (PARTICLES.split('|').any(|it| text[begin..].starts_with(it))
                    || ENDS.split('|').any(|it| end.ends_with(it)))
        };
        let is_english = is_latin && (!text.chars().any(is_kana) || is_opened() && !is_ended());
        if is_english { Self::English } else { Self::Japanese }
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
            (None, "when is 君の名は on tomorrow?", Language::English),
            (None, "Book two seats for 羅生門", Language::English),
            (None, "what's the running time of 生きる?", Language::English),
            (None, "Spirited Awayは明日何時？", Language::Japanese),
            (None, "Let It Beは明日やってる？", Language::Japanese),
            (None, "Open the Door 2枚予約して", Language::Japanese),
            (None, "AKIRA 明日", Language::Japanese),
            (None, "?", Language::Japanese),
        ] {
            assert_eq!(Language::of_caller(locale, text), language, "{locale:?} {text}");
        }
    }
}
