//! Finds known places, which are never cut.

use std::sync::LazyLock;

use language::scan::Lexicon;

/// Names in lower case, one per line.
const NAMES: &str = include_str!("names.txt");
/// Minimum number of characters of a name.
const CHARS_MIN: usize = 2;

static LEXICON: LazyLock<Lexicon<()>> =
    LazyLock::new(|| Lexicon::new(&[((), NAMES.trim().replace('\n', "|").as_str())]));

/// Returns the ranges of known places in `lower` from left to right, the longest at each position.
pub(super) fn spots(lower: &[char]) -> Vec<(usize, usize)> {
    let (mut spots, mut at) = (Vec::new(), 0);
    while at < lower.len() {
        match LEXICON.at(lower, at).filter(|it| it.1 >= CHARS_MIN) {
            Some((_, length)) => {
                spots.push((at, at + length));
                at += length;
            }
            None => at += 1,
        }
    }
    spots
}
