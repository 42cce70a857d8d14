//! Finds things by names that are not quite right (CIN-13, ILL-6).

use strsim::jaro_winkler;
use unicode_normalization::UnicodeNormalization;

/// How alike two names must at least be.
pub const ALIKE_MIN: f64 = 0.45;

/// How near a name must at least come to be suggested. 「ゴリラ」 has 0.40 of 「ゴジラ」; what shares
/// only stray letters with every title of the cinema's demo, such as `string`, has up to 0.36.
pub const NEAR_MIN: f64 = 0.38;

/// Characters of a name, folded, beyond which it is like none: comparing takes the time of both lengths.
const CHARS_MAX: usize = 128;

/// What a part of a name that is alike counts, against a whole name that is.
const PART: f64 = 0.8;

/// A name as it is compared: NFKC, lower case, hiragana, no accents, and nothing but letters and digits.
#[must_use]
pub fn fold(name: &str) -> String {
    let letters = name.nfkc().map(without_accent).flat_map(char::to_lowercase);
    letters.filter(|it| it.is_alphanumeric() && !matches!(it, 'ー' | '〜')).map(hiragana).collect()
}

/// A Latin letter without what stands above or below it.
fn without_accent(letter: char) -> char {
    match letter {
        '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => {
            std::iter::once(letter).nfd().next().unwrap_or(letter)
        }
        _ => letter,
    }
}

/// Katakana as hiragana; of two letters that sound alike, the usual one.
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

/// How well something with these `names` fits a folded query, or none if it does not.
///
/// Above 2 the query is part of a name, above 1 a name is part of the query, else they are alike.
#[must_use]
pub fn fit<'a>(query: &str, names: impl IntoIterator<Item = &'a str>) -> Option<f64> {
    let best = names.into_iter().map(|it| score(query, &fold(it))).fold(0.0, f64::max);
    (best >= ALIKE_MIN).then_some(best)
}

/// How near something with these `names` comes to a folded query, however far that is.
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

/// From 0 to 1: how alike two folded names are as a whole; the mean of shared pairs of letters and
/// Jaro-Winkler.
#[must_use]
pub fn likeness(one: &str, other: &str) -> f64 {
    f64::midpoint(shared_pairs(&chars(one), &chars(other)), jaro_winkler(one, other))
}

/// [`likeness`], or the best part's pairs of letters.
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

/// Dice's coefficient of the pairs of neighbouring letters.
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
    fn too_long_names_resemble_none_but_may_contain_one_another() {
        let long = "ab".repeat(2 << 20);
        assert!(nearness(&long, ["ac".repeat(2 << 20).as_str()]) == 0.0);
        assert!(nearness(&long, ["abac"]) == 0.0);
        assert!(nearness("abab", [long.as_str()]) > 2.0);
        assert!(nearness("abab", ["abac"]) > NEAR_MIN);
    }
}
