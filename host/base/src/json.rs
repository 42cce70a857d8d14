//! Untrusted JSON: limits before parsing, because a value takes many times the bytes of its text, and explanations of
//! parse errors without terms of the library, which are about Rust.

use crate::call::Failure;

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

/// Explains an error of the library, such as `missing field `name` at line 1 column 12`.
pub fn explain(error: &str) -> String {
    let (what, place) = match error.rsplit_once(" at line ") {
        Some((what, place)) => (what, place.replace(" column ", ", column ")),
        None => (error, String::new()),
    };
    let at = if place.is_empty() { String::new() } else { format!(" (line {place})") };
    let named = |prefix: &str| what.strip_prefix(prefix)?.split('`').next();
    if let Some(name) = named("missing field `") {
        return format!("{name} is missing");
    }
    if let Some(name) = named("unknown field `") {
        return format!("{name} is not known here");
    }
    if let Some(name) = named("duplicate field `") {
        return format!("{name} is there twice");
    }
    let unknown = what.strip_prefix("unknown variant `");
    if let Some((name, expected)) = unknown.and_then(|it| it.split_once("`, expected ")) {
        return format!("{name} is not known here; {expected} is right");
    }
    if let Some((found, expected)) =
        what.strip_prefix("invalid type: ").and_then(|it| it.split_once(", expected "))
    {
        return format!("{} stands where {} is right{at}", kind(found), kind(expected));
    }
    // A list is read by position where an object is wanted, and has too few entries.
    if what.starts_with("invalid length ") && what.contains(", expected struct ") {
        return format!("an array stands where an object is right{at}");
    }
    let what = match what {
        it if it.starts_with("EOF") => "it ends too early",
        it if it.starts_with("recursion limit") => "it is nested too deeply",
        it if it.starts_with("trailing characters") => "something follows its end",
        it if it.contains("number out of range") => "a number is too large",
        it if it.contains("surrogate") || it.contains("escape") => "an escape in a text is wrong",
        it if it.contains("control character") => "a control character stands in a text",
        it if it.starts_with("unrecognized") || it.starts_with("invalid length") => {
            "it is of another form"
        }
        it if it.contains("unicode") || it.contains("utf-8") => "it is not UTF-8",
        _ => "it is not well-formed",
    };
    format!("{what}{at}")
}

/// The JSON name of a type that the library names in Rust's terms.
fn kind(message: &str) -> &'static str {
    let has = |names: &[&str]| names.iter().any(|it| message.contains(it));
    match message {
        it if it.starts_with("string") || it.ends_with("string") => "a text",
        _ if has(&["boolean"]) => "true or false",
        _ if has(&["integer", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "usize"]) => {
            "an integer"
        }
        _ if has(&["float", "f32", "f64", "number"]) => "a number",
        _ if has(&["sequence", "array", "tuple"]) => "an array",
        _ if has(&["map", "struct", "object", "enum"]) => "an object",
        _ if has(&["null", "unit"]) => "null",
        _ => "something else",
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

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

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code, reason = "only read")]
    struct Asked {
        name: String,
        count: Option<u32>,
        way: Option<Way>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Way {
        In,
        Out,
    }

    #[test]
    fn explains_parse_errors_without_rust_terms() {
        for (json, message) in [
            ("{}", "name is missing"),
            (r#"{"name":1}"#, "an integer stands where a text is right (line 1, column 9)"),
            (
                r#"{"name":"a","count":"b"}"#,
                "a text stands where an integer is right (line 1, column 23)",
            ),
            (r#"{"name":"a","more":1}"#, "more is not known here"),
            (r#"{"name":"a","name":"b"}"#, "name is there twice"),
            (r#"{"name":"a","way":"up"}"#, "up is not known here; `in` or `out` is right"),
            ("7", "an integer stands where an object is right (line 1, column 1)"),
            ("[]", "an array stands where an object is right (line 1, column 2)"),
            (r#"{"name""#, "it ends too early (line 1, column 7)"),
            (r#"{"name":}"#, "it is not well-formed (line 1, column 9)"),
            (r#"{"name":"a"} x"#, "something follows its end (line 1, column 14)"),
        ] {
            let error = serde_json::from_str::<Asked>(json).unwrap_err().to_string();
            assert_eq!(explain(&error), message, "{error}");
        }
    }
}
