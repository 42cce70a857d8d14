//! Finds the phrases of a table in a sentence: the longest at each place.

use std::collections::HashMap;

/// Brackets and quotation marks that hold a name.
pub const QUOTES: [(char, char); 6] =
    [('「', '」'), ('『', '』'), ('"', '"'), ('“', '”'), ('【', '】'), ('《', '》')];

/// The phrases of a table, with `|` between them.
pub fn marks(table: &'static str) -> impl DoubleEndedIterator<Item = &'static str> + Clone {
    table.split('|')
}

/// Phrases by their first character, the longest first; what they mean is `M`.
#[derive(Clone, Debug)]
pub struct Lexicon<M> {
    by_first: HashMap<char, Vec<(Vec<char>, M)>>,
}

impl<M: Copy> Lexicon<M> {
    /// That of a table: phrases, `|` between them, in lower case.
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

    /// The same, with what people make of its phrases: katakana in hiragana, and no apostrophes.
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

    /// The longest phrase that is at `at`, and how many characters it takes.
    pub fn at(&self, text: &[char], at: usize) -> Option<(M, usize)> {
        let fits =
            |it: &&(Vec<char>, M)| text[at..].starts_with(&it.0) && is_whole(text, at, &it.0);
        let phrases = self.by_first.get(text.get(at)?)?;
        phrases.iter().find(fits).map(|(phrase, means)| (*means, phrase.len()))
    }
}

/// Katakana as hiragana; anything else as it is.
pub fn hiragana(it: char) -> char {
    match it {
        '\u{30a1}'..='\u{30f6}' => char::from_u32(u32::from(it) - 0x60).unwrap_or(it),
        it => it,
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
        return Some(phrase.iter().map(|it| hiragana(*it)).collect());
    }
    let bare: Vec<char> = phrase.iter().filter(|it| **it != '\'').copied().collect();
    (bare.len() < phrase.len() && bare.len() > SPELLED_MIN).then_some(bare)
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

/// How long the longest phrase of `table` is that `text` begins with; one of letters, as words of their own.
pub fn begins(text: &str, table: &'static str) -> Option<usize> {
    let is_letter = |it: char| it.is_ascii_alphanumeric();
    let fits = |it: &&str| {
        text.strip_prefix(it)
            .is_some_and(|rest| !it.ends_with(is_letter) || !rest.starts_with(is_letter))
    };
    marks(table).filter(fits).map(str::len).max()
}

/// In one way of writing: ASCII where there is a wide form of it, one space at a time.
pub(crate) fn spaced(text: impl Iterator<Item = char>) -> Vec<char> {
    let mut spaced: Vec<char> = Vec::new();
    for it in text {
        let it = match it {
            '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(it) - 0xff01 + 0x21).unwrap_or(it),
            '’' | '‘' => '\'',
            it if it.is_whitespace() && it != '\n' => ' ',
            it => it,
        };
        if it != ' ' || spaced.last().is_some_and(|it| *it != ' ') {
            spaced.push(it);
        }
    }
    spaced
}

/// The same in lower case.
pub fn normal(sentence: &str) -> Vec<char> {
    spaced(sentence.trim().chars()).into_iter().flat_map(char::to_lowercase).collect()
}

/// The letters and digits of `text` in lower case, as names are compared.
pub fn folded(text: &str) -> Vec<char> {
    text.to_lowercase().chars().filter(|it| it.is_alphanumeric()).collect()
}

/// How many characters are to be put in, left out or changed.
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
