//! A file that is to be loaded: what it may be, and what the component would be called.

use super::units;
use crate::text::{Key, Lang};

/// What the host takes at most.
const BYTES_MAX: u64 = 64 << 20;
/// Characters of a component's name.
pub(crate) const NAME_MAX: usize = 64;

/// Why a file cannot be sent, in a sentence.
pub(crate) fn wrong(file: &str, size: u64, lang: Lang) -> Option<String> {
    if !file.to_lowercase().ends_with(".wasm") {
        return Some(lang.fill(Key::OperatorNotWasm, &[file]));
    }
    match size {
        0 => Some(lang.fill(Key::OperatorEmptyFile, &[file])),
        1..=BYTES_MAX => None,
        _ => Some(lang.fill(Key::OperatorTooLarge, &[file, &units::bytes(size)])),
    }
}

/// The component's name by that of the file; a browser's number for one that was downloaded twice is not part of it.
pub(crate) fn name(file: &str) -> String {
    let base = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let stem = match base.rsplit_once('.') {
        Some((stem, ending)) if ending.eq_ignore_ascii_case("wasm") => stem,
        _ => base,
    };
    let numbered = stem.strip_suffix(')').and_then(|it| it.rsplit_once(" ("));
    let is_number = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
    numbered.filter(|it| is_number(it.1)).map_or(stem, |it| it.0).to_owned()
}

/// Whether a component can be called so.
pub(crate) fn is_name(name: &str) -> bool {
    let fits = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit() || b"-_".contains(&it);
    (1..=NAME_MAX).contains(&name.len())
        && name.as_bytes()[0].is_ascii_lowercase()
        && name.bytes().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_component_is_called_as_its_file() {
        for (file, expected) in [
            ("weather.wasm", "weather"),
            ("weather.WASM", "weather"),
            ("my-tool_2.wasm", "my-tool_2"),
            ("weather (1).wasm", "weather"),
            ("weather (x).wasm", "weather (x)"),
            ("weather", "weather"),
            (".wasm", ""),
        ] {
            assert_eq!(name(file), expected, "{file}");
        }
    }

    #[test]
    fn names_are_those_that_the_host_takes() {
        for good in ["a", "weather", "my-tool_2"] {
            assert!(is_name(good), "{good}");
        }
        for bad in ["", "2a", "Weather", "a b", "天気", &"a".repeat(65)] {
            assert!(!is_name(bad), "{bad}");
        }
    }

    #[test]
    fn what_the_host_would_not_take_is_not_sent() {
        assert_eq!(wrong("a.wasm", 1, Lang::En), None);
        assert_eq!(wrong("a.wasm", BYTES_MAX, Lang::En), None);
        let large = wrong("a.wasm", BYTES_MAX + (10 << 20), Lang::En);
        assert_eq!(large.as_deref(), Some("a.wasm has 74 MB; at most 64 MB can be loaded."));
        assert!(wrong("a.wasm", 0, Lang::Ja).is_some() && wrong("a.zip", 9, Lang::Ja).is_some());
    }
}
