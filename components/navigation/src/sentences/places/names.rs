//! Places that are known by name, whose names neither end nor begin within.

use std::sync::LazyLock;

use language::scan::Lexicon;

/// A name on each line, in lower case.
const NAMES: &str = include_str!("names.txt");
/// The shortest name of a place, in characters.
const CHARS_MIN: usize = 2;

static LEXICON: LazyLock<Lexicon<()>> =
    LazyLock::new(|| Lexicon::new(&[((), NAMES.trim().replace('\n', "|").as_str())]));

/// Where places that are known by name stand in `lower`, from left to right, the longest at each place.
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
