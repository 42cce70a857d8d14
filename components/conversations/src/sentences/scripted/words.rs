//! The words that the built-in model knows, and how it finds the one that is meant.

use std::sync::LazyLock;

use super::kana::{hiragana, is_kana, nexts};
use language::{
    Language,
    scan::{QUOTES, marks},
};

/// Nouns in kana, a line each, other writings behind them; the more usual ones come first.
static NOUNS: LazyLock<Vec<Word>> = LazyLock::new(|| read(include_str!("nouns.txt")));
/// The same in English.
static ENGLISH: LazyLock<Vec<Word>> = LazyLock::new(|| read(include_str!("english.txt")));

/// Characters of a word that is not known.
const CHARS: std::ops::RangeInclusive<usize> = 2..=10;
/// What surrounds a word in a message.
const BEFORE: &str = "それでは|では|じゃあ|えーと|えっと|うーん|はい|次は|つぎは|私は|わたしは|僕は|ぼくは|答えは|こたえは|私の言葉は|言葉は";
const BEHIND: &str =
    "でお願いします|にします|ですね|ですよ|でーす|でした|です|だよ|だね|だ|かな|で|ね|よ";

/// A word, and how else it is written.
pub(super) struct Word {
    pub(super) text: &'static str,
    others: Vec<&'static str>,
}

/// What was found in a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// A word, which may be an unknown one.
    Word(String),
    Nothing,
}

fn read(table: &'static str) -> Vec<Word> {
    let lines = table.lines().map(str::trim).filter(|it| !it.is_empty() && !it.starts_with('#'));
    let word = |line: &'static str| {
        let mut words = line.split(' ');
        Some(Word { text: words.next()?, others: words.collect() })
    };
    lines.filter_map(word).collect()
}

/// All that are known, the more usual ones first.
pub(super) fn known(language: Language) -> &'static [Word] {
    language.pick(&NOUNS, &ENGLISH)
}

/// With which letters the word after `word` may begin.
pub(super) fn follow(word: &str, language: Language) -> Vec<char> {
    match language {
        Language::Japanese => nexts(word),
        Language::English => word.chars().last().into_iter().collect(),
    }
}

/// `piece` as the tables write it, and whether it stands there; none where it cannot be one word.
fn word(piece: &str, language: Language) -> Option<(String, bool)> {
    let text = match language {
        Language::Japanese => hiragana(piece),
        Language::English => piece.to_lowercase(),
    };
    let is_it = |it: &&Word| it.text == text || it.others.contains(&piece);
    if let Some(it) = known(language).iter().find(is_it) {
        return Some((it.text.to_owned(), true));
    }
    let is_written = match language {
        Language::Japanese => is_kana(&text),
        Language::English => text.chars().all(|it| it.is_ascii_lowercase()),
    };
    (is_written && CHARS.contains(&text.chars().count())).then_some((text, false))
}

/// The word that `text` means, where it should begin with one of `wanted`: one that is known and fits
/// before one that fits, and that before any other. Where any may come, the last is meant.
pub(super) fn find(text: &str, wanted: &[char], language: Language) -> Found {
    let mut pieces = pieces(text, language);
    if wanted.is_empty() {
        pieces.reverse();
    }
    let words = pieces.iter().flatten().filter_map(|it| word(it, language));
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

/// Whether little stands beside a word, so that an unknown one is meant as one.
fn is_alone(text: &str, language: Language) -> bool {
    match language {
        Language::Japanese => text.chars().count() <= 40,
        Language::English => text.split_whitespace().count() <= 3,
    }
}

/// The pieces of `text` that may be a word: what is quoted, then what marks part; each as it is, and
/// without what surrounds a word.
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
            while let Some(it) = marks(BEFORE).find_map(|it| plain.strip_prefix(it)) {
                plain = it;
            }
            ways.push(plain.to_owned());
            let bare = marks(BEHIND).find_map(|it| plain.strip_suffix(it));
            ways.extend(bare.map(str::to_owned));
        }
        pieces.push(ways);
    }
    pieces
}
