//! Patterns: regular expressions for the whole of a text, in time that grows with its length (FORM-48).

use regex_lite::{Regex, RegexBuilder};

/// Bytes that a compiled pattern may take; so many steps a character it may take as well.
const COMPILED_BYTES_MAX: usize = 256 << 10;
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

/// What is said of all else that the engine does not take, in Japanese.
const WRONG: &str = "書き方に誤りがあります（括弧や繰り返しの記号を確かめてください）";

/// What `\s` is in JSON Schema and in HTML, as authors mean it: between Japanese names is a full-width space.
const SPACES: &str = concat!(
    r"\t-\r \u{a0}\u{1680}\u{2000}-\u{200a}",
    r"\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}",
);
/// What `\S` is: all the others.
const OTHERS: &str = concat!(
    r"\x00-\x08\x0e-\x1f!-\u{9f}\u{a1}-\u{167f}\u{1681}-\u{1fff}\u{200b}-\u{2027}",
    r"\u{202a}-\u{202e}\u{2030}-\u{205e}\u{2060}-\u{2fff}\u{3001}-\u{fefe}\u{ff00}-\u{10ffff}",
);

/// The pattern, to be held against a whole text.
///
/// # Errors
/// What is wrong with it, in Japanese and in English.
pub(super) fn compile(pattern: &str) -> Result<Regex, (String, String)> {
    let meant = as_in_json_schema(pattern);
    // On its own first: `a)(b` would be right within the group.
    let whole = build(&meant).and_then(|_| build(&format!(r"\A(?:{meant})\z")));
    whole.map_err(|error| {
        for (constructs, japanese, english) in MISSING {
            if let Some(construct) = constructs.iter().find(|it| pattern.contains(**it)) {
                return (
                    format!("{japanese}（{construct}）は使えません"),
                    format!("{english} ({construct}) is not supported"),
                );
            }
        }
        (WRONG.to_owned(), error.to_string())
    })
}

/// The pattern with what the engine reads otherwise than ECMAScript does put in its words: `\s`, `\S`, and
/// the hyphen beside a class within brackets, as in `[\w-.]`.
fn as_in_json_schema(pattern: &str) -> String {
    let mut meant = String::with_capacity(pattern.len());
    // Where the brackets begin that are open, for a `]` right there is one of what is listed.
    let mut opened = None;
    let mut after_class = false;
    let mut rest = pattern.chars().peekable();
    while let Some(it) = rest.next() {
        let was_after_class = std::mem::take(&mut after_class);
        match (it, opened) {
            ('\\', _) => {
                let escaped = rest.next();
                after_class = escaped.is_some_and(|it| "dDwWsS".contains(it));
                match (escaped, opened) {
                    (Some('s'), Some(_)) => meant.push_str(SPACES),
                    (Some('S'), Some(_)) => meant.push_str(OTHERS),
                    (Some('s'), None) => meant.extend(["[", SPACES, "]"]),
                    (Some('S'), None) => meant.extend(["[^", SPACES, "]"]),
                    (escaped, _) => meant.extend(Some('\\').into_iter().chain(escaped)),
                }
            }
            ('-', Some(_)) if was_after_class => meant.push_str(r"\-"),
            ('[', None) => {
                meant.push('[');
                meant.extend(rest.next_if_eq(&'^'));
                opened = Some(meant.len());
            }
            (']', Some(start)) if start < meant.len() => {
                meant.push(']');
                opened = None;
            }
            (it, _) => meant.push(it),
        }
    }
    meant
}

fn build(pattern: &str) -> Result<Regex, regex_lite::Error> {
    RegexBuilder::new(pattern).size_limit(COMPILED_BYTES_MAX).nest_limit(NESTED_MAX).build()
}
