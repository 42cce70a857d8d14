//! Finds things by inexact names (CIN-13, ILL-6).

use strsim::jaro_winkler;
use unicode_normalization::UnicodeNormalization;

/// Minimum likeness of two names.
pub const ALIKE_MIN: f64 = 0.45;

/// Minimum nearness of a suggestion. 「ゴリラ」 has 0.40 of 「ゴジラ」; words that share only stray letters with
/// every title of the cinema's demo, such as `string`, have up to 0.36.
pub const NEAR_MIN: f64 = 0.38;

/// Maximum characters of a folded name; longer names are similar to none, because the comparison is quadratic.
const CHARS_MAX: usize = 128;

/// Weight of a similar part against a similar whole name.
const PART: f64 = 0.8;

/// Normalizes a name: NFKC, lower case, hiragana, no accents, only letters and digits.
#[must_use]
pub fn fold(name: &str) -> String {
    let letters = name.nfkc().map(without_accent).flat_map(char::to_lowercase);
    letters.filter(|it| it.is_alphanumeric() && !matches!(it, 'ー' | '〜')).map(hiragana).collect()
}

/// Removes the accent of a Latin letter.
fn without_accent(letter: char) -> char {
    match letter {
        '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => {
            std::iter::once(letter).nfd().next().unwrap_or(letter)
        }
        _ => letter,
    }
}

/// Converts katakana to hiragana, and unifies letters that sound alike.
fn hiragana(letter: char) -> char {
    let letter = match letter {
        'ァ'..='ヶ' => char::from_u32(u32::from(letter) - 0x60).unwrap_or(letter),
        _ => letter,
    };
    match letter {
        'ぢ' => 'じ',
        'づ' => 'ず',
        _ => letter,
    }
}

/// Rates how well `names` match a folded query; `None` without a match.
///
/// Above 2 the query is part of a name, above 1 a name is part of the query, otherwise they are similar.
#[must_use]
pub fn fit<'a>(query: &str, names: impl IntoIterator<Item = &'a str>) -> Option<f64> {
    let best = names.into_iter().map(|it| score(query, &fold(it))).fold(0.0, f64::max);
    (best >= ALIKE_MIN).then_some(best)
}

/// Rates how near `names` are to a folded query, without a minimum.
#[must_use]
pub fn nearness<'a>(query: &str, names: impl IntoIterator<Item = &'a str>) -> f64 {
    names.into_iter().map(|it| score(query, &fold(it))).fold(0.0, f64::max)
}

fn score(query: &str, name: &str) -> f64 {
    let (query_length, name_length) = (query.chars().count(), name.chars().count());
    if query_length == 0 || name_length == 0 {
        return 0.0;
    }
    let share = query_length.min(name_length) as f64 / query_length.max(name_length) as f64;
    if name.contains(query) {
        return 2.0 + share;
    }
    if name_length > 1 && query.contains(name) {
        return 1.0 + share;
    }
    alike(query, name)
}

/// Similarity of two folded names from 0 to 1: the mean of shared letter pairs and Jaro-Winkler.
#[must_use]
pub fn likeness(one: &str, other: &str) -> f64 {
    f64::midpoint(shared_pairs(&chars(one), &chars(other)), jaro_winkler(one, other))
}

/// [`likeness`], or the letter pairs of the best part.
fn alike(query: &str, name: &str) -> f64 {
    if [query, name].iter().any(|it| it.chars().nth(CHARS_MAX).is_some()) {
        return 0.0;
    }
    let whole = likeness(query, name);
    let (query, name) = (chars(query), chars(name));
    if query.len() < 3 || name.len() <= query.len() {
        return whole;
    }
    let parts = name.windows(query.len()).map(|it| shared_pairs(&query, it));
    whole.max(PART * parts.fold(0.0, f64::max))
}

fn chars(text: &str) -> Vec<char> {
    text.chars().collect()
}

/// Dice's coefficient of adjacent letter pairs.
fn shared_pairs(one: &[char], other: &[char]) -> f64 {
    if one.len() < 2 || other.len() < 2 {
        return 0.0;
    }
    let mut left: Vec<&[char]> = other.windows(2).collect();
    let mut shared = 0_u16;
    for pair in one.windows(2) {
        if let Some(found) = left.iter().position(|it| *it == pair) {
            left.swap_remove(found);
            shared += 1;
        }
    }
    let pairs = (one.len() + other.len() - 2) as f64;
    2.0 * f64::from(shared) / pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_long_names_match_only_by_containment() {
        let long = "ab".repeat(2 << 20);
        assert!(nearness(&long, ["ac".repeat(2 << 20).as_str()]) == 0.0);
        assert!(nearness(&long, ["abac"]) == 0.0);
        assert!(nearness("abab", [long.as_str()]) > 2.0);
        assert!(nearness("abab", ["abac"]) > NEAR_MIN);
    }
}
