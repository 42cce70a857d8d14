//! Finds the phrases of a table in a sentence, the longest at each position.

use std::{cmp::Ordering, collections::HashMap};

/// Quotation marks and brackets around names.
pub const QUOTES: [(char, char); 6] =
    [('「', '」'), ('『', '』'), ('"', '"'), ('“', '”'), ('【', '】'), ('《', '》')];

/// Splits a table at `|`.
pub fn marks(table: &'static str) -> impl DoubleEndedIterator<Item = &'static str> + Clone {
    table.split('|')
}

/// Phrases with their meaning `M`, indexed by the first character, longest first.
#[derive(Clone, Debug)]
pub struct Lexicon<M> {
    by_first: HashMap<char, Vec<(Vec<char>, M)>>,
}

impl<M: Copy> Lexicon<M> {
    /// Builds it from a table of lowercase phrases separated by `|`.
    pub fn new(table: &[(M, impl AsRef<str>)]) -> Self {
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

    /// Also matches variants: hiragana for katakana, and missing apostrophes.
    pub fn loose(table: &[(M, impl AsRef<str>)]) -> Self {
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

    /// Returns the longest phrase at `at`, with its length.
    pub fn at(&self, text: &[char], at: usize) -> Option<(M, usize)> {
        let fits =
            |it: &&(Vec<char>, M)| text[at..].starts_with(&it.0) && is_whole(text, at, &it.0);
        let phrases = self.by_first.get(text.get(at)?)?;
        phrases.iter().find(fits).map(|(phrase, means)| (*means, phrase.len()))
    }
}

impl<M: Copy> Lexicon<M> {
    /// Returns the phrases that `word` is but for a typo.
    pub fn mistyped_as<'a>(&'a self, word: &'a [char]) -> impl Iterator<Item = &'a [char]> {
        let phrases = word.first().and_then(|it| self.by_first.get(it)).into_iter().flatten();
        phrases.map(|it| it.0.as_slice()).filter(|phrase| is_mistyped(word, phrase))
    }
}

/// Minimum length of a word that may be mistyped, in characters: shorter ones are other words, such as `black`, `width`
/// and `witch`.
pub const TYPED_MIN: usize = 6;

/// Whether `word` is `phrase` but for a typo within it: a letter that is missing or too many, doubled or not, or two
/// neighbours that are exchanged. Another letter makes another word (`charge`, `change`), and so may another ending.
pub fn is_mistyped(word: &[char], phrase: &[char]) -> bool {
    /// `taking` and `waking` are no `talking` and `walking`.
    const ING: [char; 3] = ['i', 'n', 'g'];
    let same = word.iter().zip(phrase).take_while(|it| it.0 == it.1).count();
    if same == 0 || word.len() < TYPED_MIN || word == phrase {
        return false;
    }
    let single = |word: &[char]| {
        let mut word = word.to_vec();
        word.dedup();
        word
    };
    let (left, right) = (&word[same..], &phrase[same..]);
    let is_long = phrase.len() > TYPED_MIN && !word.ends_with(&ING);
    single(word) == single(phrase) && word.last() == phrase.last() && phrase.len() >= TYPED_MIN
        || match left.len().cmp(&right.len()) {
            Ordering::Greater => is_long && !right.is_empty() && left[1..] == *right,
            Ordering::Less => is_long && !left.is_empty() && right[1..] == *left,
            Ordering::Equal => matches!((left, right), ([a, b, left @ ..], [c, d, right @ ..])
                if (a, b) == (d, c) && left == right),
        }
}

/// Converts katakana to hiragana.
pub fn hiragana(sign: char) -> char {
    match sign {
        '\u{30a1}'..='\u{30f6}' => char::from_u32(u32::from(sign) - 0x60).unwrap_or(sign),
        sign => sign,
    }
}

/// Minimum length of a phrase with variants, in characters.
const SPELLED_MIN: usize = 3;

/// `ふぉーむ` for `フォーム`, `whats on` for `what's on`.
fn other_spelling(phrase: &[char]) -> Option<Vec<char>> {
    let is_katakana = |it: &char| matches!(it, '\u{30a1}'..='\u{30f6}' | 'ー');
    if phrase.len() < SPELLED_MIN {
        return None;
    }
    if phrase.iter().all(is_katakana) {
        return Some(phrase.iter().map(|it| hiragana(*it)).collect());
    }
    let bare: Vec<char> = phrase.iter().filter(|it| **it != '\'').copied().collect();
    (bare.len() < phrase.len() && bare.len() > SPELLED_MIN).then_some(bare)
}

/// Whether a Latin phrase is a whole word: `no` is not in `now`.
fn is_whole(text: &[char], at: usize, phrase: &[char]) -> bool {
    let is_letter = |it: Option<&char>| it.is_some_and(char::is_ascii_alphanumeric);
    let (first, is_ascii) = (phrase.first(), phrase.iter().all(char::is_ascii));
    let before = at.checked_sub(1).and_then(|it| text.get(it));
    // `7pm` has a digit right before the word.
    let before =
        before.filter(|it| !it.is_ascii_digit() || first.is_some_and(char::is_ascii_digit));
    let begins = is_ascii && is_letter(first);
    let ends = is_ascii && is_letter(phrase.last());
    let after = text.get(at + phrase.len());
    let runs_on = begins && is_letter(before) || ends && is_letter(after);
    !runs_on
}

/// Length of the longest phrase of `table` at the start of `text`; Latin phrases are whole words.
pub fn begins(text: &str, table: &'static str) -> Option<usize> {
    let is_letter = |it: char| it.is_ascii_alphanumeric();
    let fits = |phrase: &&str| {
        text.strip_prefix(phrase)
            .is_some_and(|rest| !phrase.ends_with(is_letter) || !rest.starts_with(is_letter))
    };
    marks(table).filter(fits).map(str::len).max()
}

/// Normalizes width and spaces.
pub(crate) fn spaced(text: impl Iterator<Item = char>) -> Vec<char> {
    let mut spaced: Vec<char> = Vec::new();
    for it in text {
        let sign = match it {
            '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(it) - 0xff01 + 0x21).unwrap_or(it),
            '’' | '‘' => '\'',
            it if it.is_whitespace() && it != '\n' => ' ',
            it => it,
        };
        if sign != ' ' || spaced.last().is_some_and(|it| *it != ' ') {
            spaced.push(sign);
        }
    }
    spaced
}

/// Normalizes width, spaces and case.
pub fn normal(sentence: &str) -> Vec<char> {
    spaced(sentence.trim().chars()).into_iter().flat_map(char::to_lowercase).collect()
}

/// Lowercase letters and digits of `text`, for comparing names.
pub fn folded(text: &str) -> Vec<char> {
    text.to_lowercase().chars().filter(|it| it.is_alphanumeric()).collect()
}

/// Edit distance.
pub fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (at, x) in a.iter().enumerate() {
        let (mut corner, mut left) = (at, at + 1);
        for (below, y) in b.iter().enumerate() {
            let up = row[below + 1];
            let here = (corner + usize::from(x != y)).min(up + 1).min(left + 1);
            row[below] = left;
            (corner, left) = (up, here);
        }
        row[b.len()] = left;
    }
    row[b.len()]
}
