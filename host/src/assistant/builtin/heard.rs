//! A sentence as it was heard: its words by the tables, what is quoted in it, and what is said no to.

use std::sync::LazyLock;

use jiff::civil::Date;

use super::{
    dates::{self, When},
    numbers::{self, Numbers},
    words::{PHRASES, Word},
};
use crate::assistant::planner::scan::Lexicon;

/// The longest sentence that is read, in characters; what is behind is not.
const CHARS_MAX: usize = 600;
/// How far a no may be from what it denies, in characters.
const REACH: usize = 14;
/// What stands in place of a quoted name while words are looked for.
pub(super) const MASK: char = '\u{fffc}';
/// Brackets and quotation marks that hold a name.
const QUOTES: [(char, char); 6] =
    [('「', '」'), ('『', '』'), ('"', '"'), ('“', '”'), ('【', '】'), ('《', '》')];

static WORDS: LazyLock<Lexicon<Word>> = LazyLock::new(|| Lexicon::loose(PHRASES));

/// A phrase that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) word: Word,
    /// Where it begins and ends, in characters.
    pub(super) from: usize,
    pub(super) to: usize,
    /// Whether the words around it say no to it.
    pub(super) is_denied: bool,
}

/// A piece of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) text: String,
}

/// A sentence as it was heard.
#[derive(Clone, Debug)]
pub(super) struct Heard {
    /// As it was written, in one way of writing widths and spaces.
    pub(super) chars: Vec<char>,
    /// The same in lower case, with what is quoted masked.
    pub(super) lower: Vec<char>,
    pub(super) tokens: Vec<Token>,
    /// What is in quotation marks, without them.
    pub(super) quoted: Vec<Piece>,
    pub(super) when: When,
    pub(super) numbers: Numbers,
    /// Of each character, whether it belongs to something that is known.
    known: Vec<bool>,
}

impl Heard {
    /// What is heard in `text` on the day `today`.
    pub(super) fn of(text: &str, today: Date) -> Self {
        let chars = clean(text);
        let mut lower: Vec<char> =
            chars.iter().map(|it| it.to_lowercase().next().unwrap_or(*it)).collect();
        let quoted = quoted(&chars);
        for piece in &quoted {
            lower[piece.from..piece.to].fill(MASK);
        }
        let when = dates::read(&lower, today);
        let numbers = numbers::read(&chars, &lower, &when.spans);
        let tokens = tokens(&lower);
        let mut known = vec![false; lower.len()];
        let words = tokens.iter().map(|it| (it.from, it.to));
        for (from, to) in words.chain(when.spans.iter().chain(&numbers.spans).copied()) {
            let to = to.min(known.len());
            known[from.min(to)..to].fill(true);
        }
        Self { chars, lower, tokens, quoted, when, numbers, known }
    }

    /// Whether one of `words` is there and not denied.
    pub(super) fn has(&self, words: &[Word]) -> bool {
        self.tokens.iter().any(|it| words.contains(&it.word) && !it.is_denied)
    }

    /// Whether one of `words` is there and denied.
    pub(super) fn denies(&self, words: &[Word]) -> bool {
        self.tokens.iter().any(|it| words.contains(&it.word) && it.is_denied)
    }

    /// The characters from `from` to `to`, as they were written.
    pub(super) fn piece(&self, from: usize, to: usize) -> Piece {
        let text = self.chars[from..to].iter().collect::<String>();
        Piece { from, to, text }
    }

    /// The whole sentence.
    pub(super) fn text(&self) -> String {
        self.chars.iter().collect()
    }

    /// Whether the character at `at` belongs to a word, a date or a number that is known.
    pub(super) fn is_known(&self, at: usize) -> bool {
        self.known.get(at).copied().unwrap_or(false)
    }
}

/// What the tables find, from left to right, the longest at each place.
fn tokens(lower: &[char]) -> Vec<Token> {
    let (mut tokens, mut at) = (Vec::new(), 0);
    while at < lower.len() {
        match WORDS.at(lower, at) {
            Some((word, length)) => {
                tokens.push(Token { word, from: at, to: at + length, is_denied: false });
                at += length;
            }
            None => at += 1,
        }
    }
    let denied: Vec<_> = (0..tokens.len()).map(|it| is_denied(lower, &tokens, it)).collect();
    for (token, is_denied) in tokens.iter_mut().zip(denied) {
        token.is_denied = is_denied;
    }
    tokens
}

/// Words that name a deed; a no belongs to the nearest of them.
const DEEDS: &[Word] = &[
    Word::Reserve,
    Word::Make,
    Word::Compose,
    Word::Form,
    Word::Thumbnail,
    Word::Show,
    Word::Record,
    Word::Converse,
    Word::Chain,
];

/// Whether a no denies the deed at `at`: the nearest one behind it in Japanese, before it in English.
fn is_denied(lower: &[char], tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    if !DEEDS.contains(&token.word) {
        return false;
    }
    let is_no = |it: &Token| matches!(it.word, Word::Not);
    let is_end = |it: &Token| it.word == Word::Stop;
    if lower[token.from].is_ascii() {
        let before = tokens[..at].iter().rev();
        let mut near = before
            .take_while(|it| !is_end(it) && it.word != Word::Pause && it.to + REACH >= token.from);
        return near.any(|it| is_no(it) && lower[it.from].is_ascii());
    }
    let behind = tokens[at + 1..].iter();
    let mut near = behind.take_while(|it| {
        let is_other = DEEDS.contains(&it.word) && it.from > token.to + 2;
        !is_end(it) && it.word != Word::Pause && !is_other && it.from <= token.to + REACH
    });
    near.any(|it| is_no(it) && !lower[it.from].is_ascii())
}

/// The phrases of a table, with `|` between them.
pub(super) fn marks(table: &'static str) -> impl Iterator<Item = &'static str> + Clone {
    table.split('|')
}

/// In one way of writing: ASCII where there is a wide form of it, one space at a time.
pub(super) fn clean(text: &str) -> Vec<char> {
    let mut chars: Vec<char> = Vec::new();
    for it in text.trim().chars().take(CHARS_MAX) {
        let it = match it {
            '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(it) - 0xff01 + 0x21).unwrap_or(it),
            '’' | '‘' => '\'',
            it if it.is_whitespace() && it != '\n' => ' ',
            it => it,
        };
        if it != ' ' || chars.last().is_some_and(|it| *it != ' ') {
            chars.push(it);
        }
    }
    chars
}

fn quoted(chars: &[char]) -> Vec<Piece> {
    let (mut pieces, mut at) = (Vec::new(), 0);
    while at < chars.len() {
        let close = QUOTES.iter().find(|it| it.0 == chars[at]).map(|it| it.1);
        let end = close.and_then(|close| chars[at + 1..].iter().position(|it| *it == close));
        match end {
            Some(length) if length > 0 => {
                let (from, to) = (at + 1, at + 1 + length);
                pieces.push(Piece { from, to, text: chars[from..to].iter().collect() });
                at = to + 1;
            }
            _ => at += 1,
        }
    }
    pieces
}
