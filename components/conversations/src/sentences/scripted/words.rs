//! The word lists of the game, and the search for a word in a message.

use std::sync::LazyLock;

use super::kana::{hiragana, is_kana, next_kana};
use language::{
    Language,
    scan::{QUOTES, marks},
};

/// Japanese nouns in kana, one per line, followed by other spellings; common ones come first.
static NOUNS: LazyLock<Vec<Word>> = LazyLock::new(|| parse_table(include_str!("nouns.txt")));
/// English nouns.
static ENGLISH: LazyLock<Vec<Word>> = LazyLock::new(|| parse_table(include_str!("english.txt")));

/// Length of an unknown word, in characters.
const CHARS: std::ops::RangeInclusive<usize> = 2..=10;
/// Texts around a word in a message.
const BEFORE: &str = "それでは|では|じゃあ|えーと|えっと|うーん|はい|次は|つぎは|私は|わたしは|僕は|ぼくは|答えは|こたえは|私の言葉は|言葉は";
const BEHIND: &str =
    "でお願いします|にします|ですね|ですよ|でーす|でした|です|だよ|だね|だ|かな|で|ね|よ";

/// A word and its other spellings.
pub(super) struct Word {
    pub(super) text: &'static str,
    others: Vec<&'static str>,
}

/// The result of a search in a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// A word, possibly an unknown one.
    Word(String),
    Nothing,
}

fn parse_table(table: &'static str) -> Vec<Word> {
    let lines = table.lines().map(str::trim).filter(|it| !it.is_empty() && !it.starts_with('#'));
    let word = |line: &'static str| {
        let mut words = line.split(' ');
        Some(Word { text: words.next()?, others: words.collect() })
    };
    lines.filter_map(word).collect()
}

/// Returns the words of a language, common ones first.
pub(super) fn word_list(language: Language) -> &'static [Word] {
    language.pick(&NOUNS, &ENGLISH)
}

/// Returns the letters with which the word after `word` may begin.
pub(super) fn next_letters(word: &str, language: Language) -> Vec<char> {
    match language {
        Language::Japanese => next_kana(word),
        Language::English => word.chars().last().into_iter().collect(),
    }
}

/// Returns `piece` in the spelling of the word list, and whether it is listed. None where it cannot be a word.
fn lookup(piece: &str, language: Language) -> Option<(String, bool)> {
    let text = match language {
        Language::Japanese => hiragana(piece),
        Language::English => piece.to_lowercase(),
    };
    let is_match = |it: &&Word| it.text == text || it.others.contains(&piece);
    if let Some(word) = word_list(language).iter().find(is_match) {
        return Some((word.text.to_owned(), true));
    }
    let is_written = match language {
        Language::Japanese => is_kana(&text),
        Language::English => text.chars().all(|it| it.is_ascii_lowercase()),
    };
    (is_written && CHARS.contains(&text.chars().count())).then_some((text, false))
}

/// Finds the word in `text`, which should begin with one of `wanted`. Prefers listed words that fit, then words that
/// fit, then any. Where `wanted` is empty, the last word counts.
pub(super) fn find(text: &str, wanted: &[char], language: Language) -> Found {
    let mut pieces = pieces(text, language);
    if wanted.is_empty() {
        pieces.reverse();
    }
    let words = pieces.iter().flatten().filter_map(|it| lookup(it, language));
    let words: Vec<_> = words.collect();
    let fits = |word: &&(String, bool)| {
        wanted.is_empty() || word.0.chars().next().is_some_and(|it| wanted.contains(&it))
    };
    let found = words
        .iter()
        .find(|it| it.1 && fits(it))
        .or_else(|| words.iter().find(|it| fits(it) && is_alone(text, language)))
        .or_else(|| words.iter().find(|it| it.1))
        .or_else(|| words.first().filter(|_| is_alone(text, language)));
    found.map_or(Found::Nothing, |it| Found::Word(it.0.clone()))
}

/// Whether the text is so short that an unknown word in it counts.
fn is_alone(text: &str, language: Language) -> bool {
    match language {
        Language::Japanese => text.chars().count() <= 40,
        Language::English => text.split_whitespace().count() <= 3,
    }
}

/// Returns the pieces of `text` that may be a word: quoted ones first, then those between punctuation marks. Each comes
/// with and without the texts around words.
fn pieces(text: &str, language: Language) -> Vec<Vec<String>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((at, open)) = rest.char_indices().find(|it| QUOTES.iter().any(|q| q.0 == it.1)) {
        let inner = &rest[at + open.len_utf8()..];
        let close = QUOTES.iter().find(|it| it.0 == open).map_or(open, |it| it.1);
        let Some(end) = inner.find(close) else { break };
        pieces.push(vec![inner[..end].trim().to_owned()]);
        rest = &inner[end + close.len_utf8()..];
    }
    let is_mark = |sign: char| match language {
        Language::Japanese => !sign.is_alphanumeric() && sign != 'ー',
        Language::English => !sign.is_ascii_alphabetic(),
    };
    for piece in text.split(is_mark).filter(|it| !it.is_empty()) {
        let mut ways = vec![piece.to_owned()];
        if language == Language::Japanese {
            let mut plain = piece;
            while let Some(stripped) =
                marks(BEFORE).find_map(|stripped| plain.strip_prefix(stripped))
            {
                plain = stripped;
            }
            ways.push(plain.to_owned());
            let bare = marks(BEHIND).find_map(|it| plain.strip_suffix(it));
            ways.extend(bare.map(str::to_owned));
        }
        pieces.push(ways);
    }
    pieces
}
