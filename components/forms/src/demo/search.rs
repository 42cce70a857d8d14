//! Finding entries by what people type: かな, 漢字, romaji, half or full width.

use serde_json::{Map, Value};
use unicode_normalization::UnicodeNormalization;

/// Words to search for.
const WORDS_MAX: usize = 16;

/// Typed text, ready to be compared.
pub(super) struct Query {
    words: Vec<String>,
}

impl Query {
    pub(super) fn new(typed: &str) -> Self {
        let words = fold(typed);
        Self { words: words.split_whitespace().take(WORDS_MAX).map(str::to_owned).collect() }
    }

    /// The entries in which each word stands, those first in which something begins with one.
    pub(super) fn pick(&self, entries: Vec<Map<String, Value>>, limit: usize) -> Value {
        let mut found: Vec<_> = entries
            .into_iter()
            .filter_map(|entry| Some((self.rank(&entry)?, Value::Object(entry))))
            .collect();
        found.sort_by_key(|it| it.0);
        found.into_iter().take(limit).map(|it| it.1).collect()
    }

    /// How well an entry fits, 0 the best; none where it does not.
    fn rank(&self, entry: &Map<String, Value>) -> Option<u8> {
        if self.words.is_empty() {
            return Some(0);
        }
        let texts = entry.values().filter_map(Value::as_str);
        let texts: Vec<String> = texts.map(|it| fold(it).replace(' ', "")).collect();
        let stands = |word: &String| texts.iter().any(|it| it.contains(word.as_str()));
        if !self.words.iter().all(stands) {
            return None;
        }
        let begins = |word: &String| texts.iter().any(|it| it.starts_with(word.as_str()));
        Some(if self.words.iter().any(begins) { 0 } else { 1 })
    }
}

/// `text` as it is compared: NFKC, lower case, hiragana, long vowels of romaji as one.
fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for letter in text.nfkc().flat_map(char::to_lowercase) {
        let letter = match letter {
            // Katakana lie as far from their hiragana, all of them.
            'ァ'..='ヶ' => char::from_u32(letter as u32 - 0x60).unwrap_or(letter),
            'ā' => 'a',
            'ī' => 'i',
            'ū' => 'u',
            'ē' => 'e',
            'ō' => 'o',
            it if it.is_whitespace() => ' ',
            it => it,
        };
        // Kouji and Koji, Ohno's Oono and Ono: written either way.
        let is_long =
            matches!((folded.chars().last(), letter), (Some('o'), 'u' | 'o') | (Some('u'), 'u'));
        if !is_long {
            folded.push(letter);
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_in_many_ways_is_compared_as_one() {
        for (one, other) in [
            ("サトウ", "さとう"),
            ("ｻﾄｳ", "さとう"),
            ("ＳＡＴＯ", "sato"),
            ("Kōji", "kouji"),
            ("Ōno", "oono"),
            ("佐藤\u{3000}花子", "佐藤 花子"),
            ("ガ", "か\u{3099}"),
        ] {
            assert_eq!(fold(one), fold(other), "{one}");
        }
        assert_ne!(fold("か"), fold("が"));
        assert_ne!(fold("sato"), fold("saito"));
    }
}
