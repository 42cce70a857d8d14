//! The first check: tokenizes a statement like SQLite and rejects what is not allowed.
//!
//! SQLite's authorizer is never asked about `OR ROLLBACK` and `RAISE(ROLLBACK)`, which would end
//! the transaction of a whole group; so the bare word ROLLBACK is refused wherever it stands. A
//! test compares this reading with SQLite's own on thousands of mutilated texts.

/// Purpose of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// A statement of `query`.
    Read,
    /// A statement of `transact`.
    Write,
    /// A statement of a migration.
    Migration,
}

const READS: [&str; 3] = ["SELECT", "WITH", "VALUES"];
const WRITES: [&str; 4] = ["INSERT", "REPLACE", "UPDATE", "DELETE"];
const DEFINITIONS: [&str; 3] = ["CREATE", "ALTER", "DROP"];

/// Rejects forbidden statements and names the correct form.
pub(super) fn check(sql: &str, access: Access) -> Result<(), String> {
    if sql.contains('\0') {
        return Err("the text holds a NUL character".into());
    }
    let mut tokens = Tokens { rest: sql };
    match tokens.next() {
        None => return Err("the statement is empty".into()),
        Some(Token::Word(word)) => check_beginning(word, access)?,
        Some(Token::Other(text) | Token::Parameter(text)) => {
            return Err(format!("a statement cannot begin with `{text}`"));
        }
    }
    for token in tokens {
        match token {
            Token::Word(word) if word.eq_ignore_ascii_case("ROLLBACK") => {
                return Err("ROLLBACK is not allowed: it would undo what others have written; \
                            use ABORT, or write the name in double quotes"
                    .into());
            }
            Token::Parameter(text) => check_parameter(text)?,
            Token::Word(_) | Token::Other(_) => {}
        }
    }
    Ok(())
}

fn check_beginning(word: &str, access: Access) -> Result<(), String> {
    let is_one_of = |words: &[&str]| words.iter().any(|known| known.eq_ignore_ascii_case(word));
    if is_one_of(&READS) {
        return Ok(());
    }
    if is_one_of(&WRITES) {
        return match access {
            Access::Read => Err(format!("{word} changes rows: send it through `transact`")),
            Access::Write | Access::Migration => Ok(()),
        };
    }
    if is_one_of(&DEFINITIONS) {
        let message = "changes the shape of the database: make it a migration";
        let is_allowed = access == Access::Migration;
        return if is_allowed { Ok(()) } else { Err(format!("{word} {message}")) };
    }
    let word: String = word.chars().take(40).collect();
    Err(format!(
        "`{word}` is not allowed: a statement begins with SELECT, WITH, VALUES, INSERT, UPDATE or DELETE"
    ))
}

/// `$1` … without leading zeros, and nothing glued to it. SQLite would take `$1::text` and
/// `$1(…)` for names, the latter swallowing any text up to the parenthesis.
fn check_parameter(text: &str) -> Result<(), String> {
    if parameter_number(text).is_some() {
        return Ok(());
    }
    let text: String = text.chars().take(40).collect();
    let hint = if text.contains("::") { "; use CAST($1 AS type)" } else { "" };
    Err(format!("`{text}` is not a parameter: write $1 for the first, $2 for the second{hint}"))
}

/// The number of a parameter that is written as it should be.
pub(super) fn parameter_number(text: &str) -> Option<usize> {
    let digits = text.strip_prefix('$')?;
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    if plain { digits.parse().ok() } else { None }
}

pub(super) enum Token<'a> {
    /// An unquoted keyword or name.
    Word(&'a str),
    /// A parameter: `?`, `?1`, `:name`, `@name`, `#1`, `$name`.
    Parameter(&'a str),
    /// Anything else that is not space or comment.
    Other(&'a str),
}

pub(super) struct Tokens<'a> {
    pub(super) rest: &'a str,
}

/// Bytes of names after the first: SQLite counts `$` and everything beyond ASCII among them.
fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

impl<'a> Tokens<'a> {
    /// Cuts off the first bytes; a cut within a character moves to its end.
    fn take(&mut self, length: usize) -> &'a str {
        let (token, rest) = self.rest.split_at(self.rest.ceil_char_boundary(length));
        self.rest = rest;
        token
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let bytes = self.rest.as_bytes();
            let first = *bytes.first()?;
            let run = |from: usize| {
                from + bytes[from..].iter().take_while(|byte| in_name(**byte)).count()
            };
            // SQLite skips a byte order mark like a space, wherever a token may begin.
            if self.rest.starts_with('\u{feff}') {
                self.take(3);
                continue;
            }
            match first {
                b' ' | b'\t' | b'\n' | b'\x0b' | b'\x0c' | b'\r' => _ = self.take(1),
                b'-' if bytes.get(1) == Some(&b'-') => {
                    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
                    self.take(end);
                }
                b'/' if bytes.get(1) == Some(&b'*') => {
                    let end = self.rest[2..].find("*/").map_or(bytes.len(), |at| at + 4);
                    self.take(end);
                }
                b'\'' | b'"' | b'`' => return Some(Token::Other(self.take(quoted(bytes, first)))),
                b'[' => {
                    let end = bytes.iter().position(|byte| *byte == b']');
                    return Some(Token::Other(self.take(end.map_or(bytes.len(), |at| at + 1))));
                }
                b'x' | b'X' if bytes.get(1) == Some(&b'\'') => {
                    return Some(Token::Other(self.take(1 + quoted(&bytes[1..], b'\''))));
                }
                b'?' | b'@' | b'#' => return Some(Token::Parameter(self.take(run(1)))),
                b'$' | b':' => return Some(Token::Parameter(self.take(glued(bytes)))),
                b'0'..=b'9' => return Some(Token::Other(self.take(run(0)))),
                _ if in_name(first) => return Some(Token::Word(self.take(run(0)))),
                _ => return Some(Token::Other(self.take(1))),
            }
        }
    }
}

/// Length of a quoted token with doubled quotes.
fn quoted(bytes: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < bytes.len() {
        if bytes[at] == quote {
            if bytes.get(at + 1) != Some(&quote) {
                return at + 1;
            }
            at += 1;
        }
        at += 1;
    }
    bytes.len()
}

/// Length of a `$` or `:` token with whatever SQLite would count as part of its name.
fn glued(bytes: &[u8]) -> usize {
    let mut at = 1;
    while at < bytes.len() && (in_name(bytes[at]) || matches!(bytes[at], b':' | b'(')) {
        at += 1;
    }
    at
}
