//! Finds the phrases of the grammar in a sentence: from left to right, the longest at each place.

use std::{collections::HashMap, sync::LazyLock};

use super::{
    grammar::{Means, PHRASES},
    when,
};

/// A phrase that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) means: Means,
    /// Where it begins and ends, in characters.
    pub(super) from: usize,
    pub(super) to: usize,
    /// Whether it is written in ASCII, as English is.
    pub(super) is_ascii: bool,
}

/// Phrases by their first character, the longest first; what they mean is `M`.
pub(crate) struct Lexicon<M> {
    by_first: HashMap<char, Vec<(Vec<char>, M)>>,
}

impl<M: Copy> Lexicon<M> {
    /// That of a table: phrases, `|` between them, in lower case.
    pub(crate) fn new(table: &[(M, impl AsRef<str>)]) -> Self {
        let mut by_first: HashMap<char, Vec<(Vec<char>, M)>> = HashMap::new();
        for (means, phrases) in table {
            for phrase in phrases.as_ref().split('|') {
                let phrase: Vec<char> = phrase.chars().collect();
                let Some(first) = phrase.first() else { continue };
                by_first.entry(*first).or_default().push((phrase, *means));
            }
        }
        for phrases in by_first.values_mut() {
            phrases.sort_by_key(|it| std::cmp::Reverse(it.0.len()));
        }
        Self { by_first }
    }

    /// The same, with what people make of its phrases: katakana in hiragana, and no apostrophes.
    pub(crate) fn loose(table: &[(M, impl AsRef<str>)]) -> Self {
        let mut loose = Self::new(table);
        let others = loose
            .by_first
            .values()
            .flatten()
            .filter_map(|(phrase, means)| Some((other_spelling(phrase)?, *means)));
        for (phrase, means) in others.collect::<Vec<_>>() {
            loose.by_first.entry(phrase[0]).or_default().push((phrase, means));
        }
        for phrases in loose.by_first.values_mut() {
            phrases.sort_by_key(|it| std::cmp::Reverse(it.0.len()));
        }
        loose
    }

    /// The longest phrase that is at `at`, and how many characters it takes.
    pub(crate) fn at(&self, text: &[char], at: usize) -> Option<(M, usize)> {
        let fits =
            |it: &&(Vec<char>, M)| text[at..].starts_with(&it.0) && is_whole(text, at, &it.0);
        let phrases = self.by_first.get(text.get(at)?)?;
        phrases.iter().find(fits).map(|(phrase, means)| (*means, phrase.len()))
    }
}

/// How short a phrase may be that is spelled in another way, in characters.
const SPELLED_MIN: usize = 3;

/// `ふぉーむ` for `フォーム`, `whats on` for `what's on`.
fn other_spelling(phrase: &[char]) -> Option<Vec<char>> {
    let is_katakana = |it: &char| matches!(it, '\u{30a1}'..='\u{30f6}' | 'ー');
    if phrase.len() < SPELLED_MIN {
        return None;
    }
    if phrase.iter().all(is_katakana) {
        let hiragana = |it: &char| match it {
            'ー' => 'ー',
            it => char::from_u32(u32::from(*it) - 0x60).unwrap_or(*it),
        };
        return Some(phrase.iter().map(hiragana).collect());
    }
    let bare: Vec<char> = phrase.iter().filter(|it| **it != '\'').copied().collect();
    (bare.len() < phrase.len() && bare.len() > SPELLED_MIN).then_some(bare)
}

static WISHES: LazyLock<Lexicon<Means>> = LazyLock::new(|| Lexicon::new(PHRASES));

/// What `sentence` says, phrase by phrase.
pub(super) fn tokens(sentence: &str) -> Vec<Token> {
    let text = normal(sentence);
    let (mut tokens, mut at) = (Vec::new(), 0);
    while at < text.len() {
        let time = when::date(&text, at).or_else(|| when::clock(&text, at));
        match time.or_else(|| WISHES.at(&text, at)) {
            Some((means, length)) => {
                let (from, to) = (at, at + length);
                tokens.push(Token { means, from, to, is_ascii: text[at].is_ascii() });
                at = to;
            }
            None => at += 1,
        }
    }
    tokens
}

/// Where phrases that are known stand in `sentence`, in characters.
pub(crate) fn spans(sentence: &str) -> Vec<(usize, usize)> {
    tokens(sentence).into_iter().map(|it| (it.from, it.to)).collect()
}

/// Whether a phrase of letters is there as a word of its own: `no` is not in `now`.
fn is_whole(text: &[char], at: usize, phrase: &[char]) -> bool {
    let is_letter = |it: Option<&char>| it.is_some_and(char::is_ascii_alphanumeric);
    let (first, is_ascii) = (phrase.first(), phrase.iter().all(char::is_ascii));
    let before = at.checked_sub(1).and_then(|it| text.get(it));
    // `7pm` has the number right before the word.
    let before =
        before.filter(|it| !it.is_ascii_digit() || first.is_some_and(char::is_ascii_digit));
    let begins = is_ascii && is_letter(first);
    let ends = is_ascii && is_letter(phrase.last());
    let after = text.get(at + phrase.len());
    let runs_on = begins && is_letter(before) || ends && is_letter(after);
    !runs_on
}

/// In one way of writing: ASCII where there is a wide form of it, lower case, one space at a time.
pub(super) fn normal(sentence: &str) -> Vec<char> {
    let mut text: Vec<char> = Vec::new();
    for it in sentence.trim().chars() {
        let it = match it {
            '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(it) - 0xff01 + 0x21).unwrap_or(it),
            '’' | '‘' => '\'',
            it if it.is_whitespace() && it != '\n' => ' ',
            it => it,
        };
        if it != ' ' || text.last().is_some_and(|it| *it != ' ') {
            text.extend(it.to_lowercase());
        }
    }
    text
}
