//! Limits untrusted JSON before parsing: a value takes many times the bytes of its text.

use crate::failure::Failure;

/// Values that the JSON of one request may have.
pub const VALUES_MAX: usize = 200_000;
/// Minimum size in bytes to count values. Shorter texts cannot have too many.
pub const COUNTED_BYTES_MIN: usize = 256 << 10;
const _: () =
    assert!(COUNTED_BYTES_MIN / 2 <= VALUES_MAX, "a list of digits has one value in two bytes");

/// Checks that `json` has no more than [`VALUES_MAX`] values, whatever else is wrong with it.
///
/// # Errors
/// The response for too many values, with status 413.
pub fn check(json: &[u8]) -> Result<(), Failure> {
    if json.len() < COUNTED_BYTES_MIN || values(json) <= VALUES_MAX {
        return Ok(());
    }
    let message = format!(
        "The JSON of the body has more than {VALUES_MAX} values; send it in several requests, or what is long as one text."
    );
    Err(Failure::new("payload_too_large", 413, message))
}

/// Counts each comma and each beginning of a list or an object, outside texts: all values but for one in each level.
fn values(json: &[u8]) -> usize {
    let (mut values, mut at) = (0, 0);
    while let Some(byte) = json.get(at) {
        at += 1;
        match byte {
            b'"' => at = behind_text(json, at),
            b',' | b'[' | b'{' => values += 1,
            _ => {}
        }
    }
    values
}

/// Returns the position after the string that begins at `at`.
fn behind_text(json: &[u8], mut at: usize) -> usize {
    while let Some(byte) = json.get(at) {
        at += match byte {
            b'"' => return at + 1,
            b'\\' => 2,
            _ => 1,
        };
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An object with a list of so many zeros.
    fn list(zeros: usize) -> String {
        format!("{{\"list\":[{}0]}}", "0,".repeat(zeros - 1))
    }

    #[test]
    fn rejects_too_many_values_with_remedy() {
        let failure = check(list(VALUES_MAX + 1).as_bytes()).unwrap_err();
        assert_eq!((&*failure.error, failure.status), ("payload_too_large", 413));
        assert!(failure.message.contains("200000") && failure.message.contains("several requests"));
        assert_eq!(check(list(VALUES_MAX - 1).as_bytes()), Ok(()));
        for nested in ["[ ", "{\"a\":", "[],"] {
            assert!(check(nested.repeat(VALUES_MAX + 1).as_bytes()).is_err(), "{nested}");
        }
    }

    #[test]
    fn ignores_punctuation_inside_strings() {
        for text in [",[{", "\\\",", "\\\\\\\",[", "窓,"] {
            let json = format!("[\"{}\"]", text.repeat(VALUES_MAX));
            assert_eq!(check(json.as_bytes()), Ok(()), "{text}");
        }
        assert_eq!(values(br#"["a,\\", {"b,": [1, 2]}]"#), 5);
        for cut in ["\"", "\"\\", "[\"a,"] {
            assert!(values(cut.as_bytes()) < 2, "{cut}");
        }
    }
}
