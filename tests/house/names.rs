//! Names in the sources: terms that other Rust projects use, and `it` only in closures of one line.

use crate::repository::{sources, text};

/// Folders with these rules.
const AREAS: [&str; 6] =
    ["components/", "frontend/src/", "host/", "tests/", "workbench/src/", "xtask/src/"];
/// Keywords of checked definitions.
const ITEMS: [&str; 8] = ["const", "enum", "fn", "mod", "static", "struct", "trait", "type"];
/// Words that had a meaning in this project alone, or that leave open who is meant.
const PRIVATE: [&str; 41] = [
    "amend",
    "amended",
    "amends",
    "anybody",
    "bell",
    "bells",
    "decider",
    "deciders",
    "desk",
    "desks",
    "ears",
    "habit",
    "habits",
    "hear",
    "heard",
    "hears",
    "keeper",
    "keepers",
    "lapse",
    "lapsed",
    "lapses",
    "mend",
    "mended",
    "mends",
    "nobody",
    "player",
    "players",
    "probation",
    "said",
    "shelf",
    "shelves",
    "somebody",
    "spent",
    "talker",
    "talkers",
    "ticker",
    "told",
    "trouble",
    "troubles",
    "undecided",
    "whoever",
];

/// A token of Rust and the number of its line. Each string and character is `"`; comments are none.
type Token<'a> = (usize, &'a str);

fn tokens(source: &str) -> Vec<Token<'_>> {
    let (mut found, mut rest, mut line) = (Vec::new(), source, 1);
    while let Some(first) = rest.chars().next() {
        let name = rest.find(|it: char| it != '_' && !it.is_alphanumeric()).unwrap_or(rest.len());
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |it| it + 2)
        } else if let Some(length) = literal(rest) {
            found.push((line, "\""));
            length
        } else {
            let length = name.max(first.len_utf8());
            if !first.is_whitespace() {
                found.push((line, &rest[..length]));
            }
            length
        };
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    found
}

/// The length of the string or the character that a text begins with.
fn literal(text: &str) -> Option<usize> {
    let quote = text.trim_start_matches(['b', 'c']);
    let quote = if text.len() - quote.len() > 1 { text } else { quote };
    if let Some(raw) = quote.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        let inner = raw[hashes..].strip_prefix('"')?;
        let end = format!("\"{}", "#".repeat(hashes));
        let length = inner.find(&end).map_or(inner.len(), |it| it + end.len());
        return Some(text.len() - inner.len() + length);
    }
    let mark = quote.chars().next().filter(|it| matches!(it, '"' | '\''))?;
    let inner = &quote[1..];
    // A lifetime has no second quote behind its first character.
    let is_lifetime =
        mark == '\'' && !inner.starts_with('\\') && inner.chars().nth(1) != Some('\'');
    if is_lifetime {
        return None;
    }
    let mut is_escaped = false;
    let end = inner.find(|letter| {
        let is_end = letter == mark && !is_escaped;
        is_escaped = letter == '\\' && !is_escaped;
        is_end
    });
    Some(text.len() - inner.len() + end.map_or(inner.len(), |it| it + 1))
}

/// The words of a name in snake or camel case, in lower case.
fn segments(name: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut was_lower = false;
    for letter in name.chars() {
        if letter == '_' || letter.is_uppercase() && was_lower {
            found.push(String::new());
        }
        if let Some(last) = found.last_mut().filter(|_| letter != '_') {
            last.extend(letter.to_lowercase());
        }
        was_lower = letter.is_lowercase() || letter.is_numeric();
    }
    found
}

/// The index of the first separator after `at` outside of brackets, or of the bracket that closes.
fn end(tokens: &[Token<'_>], at: usize, separators: &[&str]) -> usize {
    let mut depth = 0;
    for (index, (_, token)) in tokens.iter().enumerate().skip(at) {
        let closes = matches!(*token, ")" | "]" | "}");
        if depth == 0 && (closes || index > at && separators.contains(token)) {
            return index;
        }
        depth += i32::from(matches!(*token, "(" | "[" | "{")) - i32::from(closes);
    }
    tokens.len() - 1
}

/// Whether a `|` after these tokens begins a closure, not an alternative of a pattern.
fn is_before_closure(last: &str, second_last: Option<&str>) -> bool {
    matches!(last, "(" | "," | "=" | "{" | ":" | "&" | "async" | "move")
        || last == ">" && second_last == Some("=")
}

fn has_it(tokens: &[Token<'_>]) -> bool {
    tokens.iter().any(|(_, token)| *token == "it")
}

/// Finds unclear names in a source, each with its line.
fn offences(source: &str) -> Vec<String> {
    let tokens = tokens(source);
    let mut found = Vec::new();
    for (at, (line, token)) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1).map_or("", |it| it.1);
        let before = if at == 0 { "" } else { tokens[at - 1].1 };
        let mut report = |message: String| found.push(format!("{line}: {message}"));
        if ITEMS.contains(token) {
            let words = segments(next);
            if let Some(word) = words.iter().find(|it| PRIVATE.contains(&it.as_str())) {
                report(format!("`{token} {next}` has \"{word}\""));
            }
        }
        if *token == "fn" {
            let is_parameter = |it: &[Token<'_>]| it[0].1 == "it" && it[1].1 == ":";
            if tokens[at..end(&tokens, at, &["{", ";"])].windows(2).any(is_parameter) {
                report(format!("`fn {next}` has a parameter `it`"));
            }
        }
        if *token == "let" && !matches!(before, "if" | "while" | "&") {
            let pattern = &tokens[at..end(&tokens, at, &["=", ":", ";"])];
            if has_it(pattern) {
                report("`let it`".to_owned());
            }
        }
        if *token == "|" && is_before_closure(before, at.checked_sub(2).map(|it| tokens[it].1)) {
            let parameters = tokens[at + 1..].iter().take_while(|it| it.1 != "|").count();
            let mut body = tokens.iter().skip(at + parameters + 2).skip_while(|it| it.1 == "{");
            let is_long = body.next().is_some_and(|it| it.0 > *line);
            if is_long && has_it(&tokens[at + 1..=at + parameters]) {
                report("a closure of more than a line has a parameter `it`".to_owned());
            }
        }
    }
    found
}

#[test]
fn names_are_clear_without_a_glossary() {
    let mut found = Vec::new();
    for path in sources().filter(|path| AREAS.iter().any(|area| path.starts_with(area))) {
        found.extend(offences(&text(path)).into_iter().map(|it| format!("{path}:{it}")));
    }
    let count = found.len();
    assert!(found.is_empty(), "{count} names to change:\n{}", found.join("\n"));
}

#[test]
fn finds_each_kind_of_unclear_name_and_nothing_in_text() {
    let source = r#"
mod somebody;
struct NobodyHears;
fn well_told<F: Fn(u8)>(a: &[u8; 2], it: u8) -> [u8; 2] {
    let it = a;
    let (mut it, _) = (it, 'x');
    let all = a.iter().map(async move |it| {
        it + 1
    });
}
// fn told(it: u8) { let it = 1; }
fn fine<'a>(text: &'a str, is_it: bool) -> Option<&'a str> {
    if let Some(it) = text.find("let it = '\"'; fn heard()") { return None }
    let b = b'"' | br"\"[0] | 1;
    [1, 2].iter().map(|it| it * 2).filter(|it| {
        *it > 2
    })
}
"#;
    let expected = [
        "2: `mod somebody` has \"somebody\"",
        "3: `struct NobodyHears` has \"nobody\"",
        "4: `fn well_told` has \"told\"",
        "4: `fn well_told` has a parameter `it`",
        "5: `let it`",
        "6: `let it`",
        "7: a closure of more than a line has a parameter `it`",
        "15: a closure of more than a line has a parameter `it`",
    ];
    assert_eq!(offences(source), expected);
}
