//! Whether JSON is plain enough to be handed on as the bytes that it is.
//!
//! Raw bytes are looked through for their form only. The SDK reads them into values, and so refuses
//! what no value can hold (half a pair of surrogates, a number beyond all bounds, a thousand levels)
//! and takes the last of two members with one name. What might be one of these is left to it.

/// Levels, of the 128 that the SDK reads.
const DEPTH_MAX: usize = 100;
/// Digits in a row; an integer of so many fits.
const DIGITS_MAX: usize = 18;
/// Members of one object, each of which is held against all before it.
const MEMBERS_MAX: usize = 64;

/// What has been seen of one document.
#[derive(Default)]
struct Document<'a> {
    /// The names in all objects that are open, and where those of each level begin.
    names: Vec<&'a [u8]>,
    levels: Vec<usize>,
}

/// Whether every number in `json` is small, every escape whole by itself, nothing deep, and no name
/// there twice.
pub(super) fn is_plain(json: &[u8]) -> bool {
    let (mut document, mut digits, mut at) = (Document::default(), 0_usize, 0_usize);
    while let Some(byte) = json.get(at) {
        at += 1;
        match byte {
            b'"' => {
                let Some(end) = end_of_string(json, at) else { return false };
                if is_name(&json[end..]) && !document.name(&json[at..end - 1]) {
                    return false;
                }
                at = end;
            }
            b'[' | b'{' => document.levels.push(document.names.len()),
            // As it comes; whether each fits its beginning is for the reader to see.
            b']' | b'}' => {
                let begin = document.levels.pop().unwrap_or_default();
                document.names.truncate(begin);
            }
            b'e' | b'E' if digits > 0 => return false,
            _ => {}
        }
        digits = if byte.is_ascii_digit() { digits + 1 } else { 0 };
        if document.levels.len() > DEPTH_MAX || digits > DIGITS_MAX {
            return false;
        }
    }
    true
}

impl<'a> Document<'a> {
    /// Whether `name` is new in its object, judged by its bytes.
    fn name(&mut self, name: &'a [u8]) -> bool {
        let own = self.names.get(self.levels.last().copied().unwrap_or_default()..);
        let own = own.unwrap_or_default();
        let is_new = own.len() < MEMBERS_MAX && !name.contains(&b'\\') && !own.contains(&name);
        self.names.push(name);
        is_new
    }
}

/// Whether what stands before `rest` is a member's name.
fn is_name(rest: &[u8]) -> bool {
    rest.iter().find(|it| !it.is_ascii_whitespace()) == Some(&b':')
}

/// Behind the string that begins at `at`, unless there are surrogates in it.
fn end_of_string(json: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match json.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' if json.get(at + 1) == Some(&b'u') && is_surrogate(json.get(at + 2..at + 4)?) => {
                return None;
            }
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// Whether an escape that begins with these digits is half of a pair.
fn is_surrogate(digits: &[u8]) -> bool {
    digits[0].eq_ignore_ascii_case(&b'd') && !digits[1].is_ascii_digit()
        || matches!(digits, b"d8" | b"d9" | b"D8" | b"D9")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_every_value_holds_is_plain_and_what_it_may_not_is_not() {
        let deep = |levels| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let plain = [
            r#"{"a" : {"a":{"a":1},"b":[{"a":1},{"a":2}]}}"#,
            r#"{"a":[1,-2.5,true,"\u5e2d\\u \"e9"],"e":"1e400"}"#,
            "123456789012345678",
        ];
        for json in plain.map(str::to_owned).into_iter().chain([deep(100)]) {
            assert!(is_plain(json.as_bytes()), "{json}");
        }
        let not = [
            "1e400",
            "[1E2]",
            "1234567890123456789",
            r#""\ud800""#,
            r#""\uDE00""#,
            "\"a",
            r#"{"a":1,"b":[{"a":2}],"a":3}"#,
            r#"{"\u0061":1}"#,
        ];
        for json in not.map(str::to_owned).into_iter().chain([deep(101)]) {
            assert!(!is_plain(json.as_bytes()), "{json}");
        }
    }
}
