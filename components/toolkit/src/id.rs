//! Identifiers that cannot be guessed and no two calls share.

/// Letters that are not mistaken for one another when read aloud (Crockford's base 32).
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// `prefix-` and sixteen letters: 80 random bits, so that knowing one is a key to what it names.
///
/// # Panics
/// When the component was not granted `wasi:random`.
#[must_use]
pub fn fresh_id(prefix: &str) -> String {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("wasi:random never fails");
    let letters = bytes.iter().map(|it| char::from(LETTERS[usize::from(it & 31)]));
    format!("{prefix}-{}", letters.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_identifiers_are_the_same() {
        let (one, other) = (fresh_id("rsv"), fresh_id("rsv"));
        assert_eq!(one.len(), "rsv-".len() + 16);
        assert_ne!(one, other);
    }
}
