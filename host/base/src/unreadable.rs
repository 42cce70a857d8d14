//! Explains JSON parse errors without terms of the library, which are about Rust.

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
