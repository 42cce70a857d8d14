//! Patterns: regular expressions for the whole of a text, in time that grows with its length (FORM-48).

use regex_lite::{Regex, RegexBuilder};

/// Bytes that a compiled pattern may take; so many steps a character it may take as well.
const COMPILED_BYTES_MAX: usize = 128 << 10;
/// How deeply groups may be nested.
const NESTED_MAX: u32 = 30;

/// What the engine does not have, with what it is called in Japanese and in English.
const MISSING: [(&[&str], &str, &str); 4] = [
    (&["(?=", "(?!", "(?<=", "(?<!"], "先読み・後読み", "look-around"),
    (
        &["\\1", "\\2", "\\3", "\\4", "\\5", "\\6", "\\7", "\\8", "\\9", "\\k<"],
        "後方参照",
        "the back-reference",
    ),
    (&["\\p", "\\P"], "Unicodeプロパティ", "the Unicode property"),
    (&["(?>"], "アトミックグループ", "the atomic group"),
];

/// The pattern, to be held against a whole text.
///
/// # Errors
/// What is wrong with it, in Japanese and in English.
pub(super) fn compile(pattern: &str) -> Result<Regex, (String, String)> {
    // On its own first: `a)(b` would be right within the group.
    let whole = build(pattern).and_then(|_| build(&format!(r"\A(?:{pattern})\z")));
    whole.map_err(|error| {
        for (constructs, japanese, english) in MISSING {
            if let Some(construct) = constructs.iter().find(|it| pattern.contains(**it)) {
                return (
                    format!("{japanese}（{construct}）は使えません"),
                    format!("{english} ({construct}) is not supported"),
                );
            }
        }
        let error = error.to_string();
        (error.clone(), error)
    })
}

fn build(pattern: &str) -> Result<Regex, regex_lite::Error> {
    RegexBuilder::new(pattern).size_limit(COMPILED_BYTES_MAX).nest_limit(NESTED_MAX).build()
}
