//! Secrets: where they are stored, and masking. The host adds them to outgoing requests and never shows them.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use data_encoding::{BASE64, BASE64URL, HEXLOWER, HEXUPPER};
use reqwest::Url;
use serde::{Deserialize, Deserializer, de::Error};
use serde_json::Value;

use crate::source::read_text;

/// A text that never prints itself and cannot be serialised.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Arc<str>);

/// Replacement of a masked secret.
const MASK: &str = "[secret]";

impl Secret {
    /// Keeps `text` out of logs and errors.
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        Self(text.into())
    }

    /// The text itself: for the request to its host, and for nothing else.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

impl<'de> Deserialize<'de> for Secret {
    /// The error does not repeat the value.
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let unfit = |error: D::Error| {
            let is_missing = error.to_string().starts_with("missing field");
            if is_missing { error } else { D::Error::custom("must be a text") }
        };
        Ok(Self::new(String::deserialize(from).map_err(unfit)?))
    }
}

/// Removes secrets from received data, in each form in which they may appear.
#[derive(Clone, Default)]
pub struct Mask {
    forms: Vec<Arc<str>>,
}

/// Beginning of a mark, in place of a secret that is needed again: its number and a bracket follow. The bracket alone
/// follows where the text has this beginning by itself.
const MARK: &str = "[secret:";

/// Minimum length of a masked form, in bytes. Shorter ones would match by chance.
pub const FORM_BYTES_MIN: usize = 6;

impl Mask {
    /// Adds `secret` as it is, and as programs write it that do not mean to hide it: in JSON, in a query, in hexadecimal
    /// and in base64, where it may begin anywhere in a longer text (`user:secret`).
    pub fn add_secret(&mut self, secret: &str) {
        if secret.len() < FORM_BYTES_MIN {
            return;
        }
        self.add(secret);
        let quoted = Value::from(secret).to_string();
        let quoted = &quoted[1..quoted.len() - 1];
        self.add(quoted);
        self.add(&quoted.replace('/', "\\/"));
        for plain in PLAIN_IN_URLS {
            let escaped = escaped(secret, plain);
            for url in [escaped.replace("%20", "+"), escaped] {
                self.add(&with_small_escapes(&url));
                self.add(&url);
            }
        }
        for hexadecimal in [HEXLOWER, HEXUPPER] {
            self.add(&hexadecimal.encode(secret.as_bytes()));
        }
        for base64 in [BASE64, BASE64URL] {
            // What stands before it moves it within its four characters; those at its edges depend on its neighbours.
            for (before, from) in [0, 2, 3].into_iter().enumerate() {
                let bytes = [&[0; 2][..before], secret.as_bytes()].concat();
                self.add(&base64.encode(&bytes)[from..bytes.len() * 8 / 6]);
            }
        }
    }

    /// Adds one form in which a secret may appear.
    pub fn add(&mut self, form: &str) {
        if form.len() >= FORM_BYTES_MIN && !self.forms.iter().any(|it| &**it == form) {
            self.forms.push(form.into());
        }
    }

    pub fn is_empty(&self) -> bool {
        self.forms.is_empty()
    }

    /// `text`, with `[secret]` in place of each secret.
    pub fn text(&self, text: &str) -> String {
        self.forms.iter().fold(text.to_owned(), |text, form| text.replace(&**form, MASK))
    }

    /// `text`, with a mark in place of each secret, which [`revealed`](Self::revealed) turns into the secret again. What
    /// looks like a mark is none afterwards: it may come from a client.
    pub fn marked(&self, text: &str) -> String {
        let own = format!("{MARK}]");
        let (mut marked, mut rest) = (String::new(), text);
        let first = |rest: &str| {
            let forms = self.forms.iter().enumerate();
            let found =
                forms.filter_map(|(number, form)| Some((rest.find(&**form)?, form, number)));
            found.min_by_key(|(at, form, _)| (*at, usize::MAX - form.len()))
        };
        while let Some((at, form, number)) = first(rest) {
            marked += &rest[..at].replace(MARK, &own);
            marked += &format!("{MARK}{number}]");
            rest = &rest[at + form.len()..];
        }
        marked + &rest.replace(MARK, &own)
    }

    /// `text` as it was before [`marked`](Self::marked): for the server that has said it, and for no other.
    pub fn revealed(&self, text: &str) -> String {
        let mut parts = text.split(MARK);
        let mut revealed = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let found = part.split_once(']').and_then(|(number, rest)| match number {
                "" => Some((MARK, rest)),
                number => Some((&**self.forms.get(number.parse::<usize>().ok()?)?, rest)),
            });
            let (text, rest) = found.unwrap_or((MARK, part));
            revealed += text;
            revealed += rest;
        }
        revealed
    }

    /// Whether a secret is in `text`.
    pub fn is_in(&self, text: &str) -> bool {
        self.forms.iter().any(|it| text.contains(&**it))
    }

    /// Replaces each secret in the texts of `value`, as [`text`](Self::text) does, and in names of members that are more
    /// than words: a word that is a secret, too, is a name by chance. Returns whether there was one.
    pub fn json(&self, value: &mut Value) -> bool {
        match value {
            Value::String(text) if self.is_in(text) => {
                *text = self.text(text);
                true
            }
            Value::Array(all) => {
                all.iter_mut().map(|it| self.json(it)).filter(|it| *it).count() > 0
            }
            Value::Object(all) => {
                let is_word =
                    |it: &str| it.bytes().all(|it| it.is_ascii_alphabetic() || it == b'_');
                let names = all.keys().filter(|it| !is_word(it) && self.is_in(it));
                let names: Vec<_> = names.cloned().collect();
                for name in &names {
                    if let Some(value) = all.remove(name) {
                        all.insert(self.text(name), value);
                    }
                }
                let found = all.values_mut().map(|it| self.json(it)).filter(|it| *it).count();
                found + names.len() > 0
            }
            _ => false,
        }
    }

    /// Overwrites each secret in `bytes` with asterisks and keeps the length.
    pub fn bytes(&self, bytes: &mut [u8]) {
        let mut begins = [false; 256];
        for form in &self.forms {
            begins[usize::from(form.as_bytes()[0])] = true;
        }
        let mut at = 0;
        while let Some(rest) = bytes.get(at..)
            && let Some(next) = rest.iter().position(|it| begins[usize::from(*it)])
        {
            let found = self.forms.iter().filter(|it| rest[next..].starts_with(it.as_bytes()));
            let longest = found.map(|it| it.len()).max().unwrap_or_default();
            bytes[at + next..at + next + longest].fill(b'*');
            at += next + longest.max(1);
        }
    }

    /// Number of trailing bytes that may be the start of a secret.
    pub fn secret_prefix_len(&self, bytes: &[u8]) -> usize {
        let begun = |form: &[u8]| {
            let most = (form.len() - 1).min(bytes.len());
            (1..=most).rev().find(|&it| bytes.ends_with(&form[..it])).unwrap_or(0)
        };
        self.forms.iter().map(|it| begun(it.as_bytes())).max().unwrap_or(0)
    }
}

/// `text` as it stands in a query.
pub fn encoded(text: &str) -> String {
    let mut url = Url::parse("http://query/").expect("it is a URL");
    url.query_pairs_mut().append_pair("", text);
    url.query().unwrap_or_default().trim_start_matches('=').to_owned()
}

/// The characters besides letters and digits that programs leave as they are in a URL: forms of HTML, RFC 3986 in a
/// query and in a path, and JavaScript's `encodeURIComponent`.
const PLAIN_IN_URLS: [&str; 4] = ["*-._", "-._~", "-._~/", "-._~!*'()"];

/// `text` as it stands in a URL where `plain` needs no escape.
fn escaped(text: &str, plain: &str) -> String {
    let mut url = String::new();
    for byte in text.bytes() {
        match byte.is_ascii_alphanumeric() || plain.as_bytes().contains(&byte) {
            true => url.push(byte.into()),
            false => url += &format!("%{byte:02X}"),
        }
    }
    url
}

/// `query` with its escapes in small letters.
fn with_small_escapes(query: &str) -> String {
    let mut parts = query.split('%');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |whole, part| {
        let (escape, rest) = part.split_at(part.len().min(2));
        whole + "%" + &escape.to_ascii_lowercase() + rest
    })
}

/// Bytes that a value may have.
const BYTES_MAX: u64 = 64 << 10;

/// Source of a value, read again for each connection so that a file may change.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Written")]
pub enum Given {
    /// A literal in the configuration, for values that are no secrets.
    Text(Secret),
    /// Written down, to be kept secret.
    Value(Secret),
    /// The content of a file.
    File(PathBuf),
    /// A variable of the environment.
    Environment(String),
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "a text, or a table with environment, file or value")]
enum Written {
    Text(Secret),
    From(From),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct From {
    environment: Option<String>,
    file: Option<PathBuf>,
    value: Option<Secret>,
}

impl TryFrom<Written> for Given {
    type Error = &'static str;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        match written {
            Written::Text(text) => Ok(Self::Text(text)),
            Written::From(it) => Self::of_one(it.environment, it.file, it.value),
        }
    }
}

impl Given {
    /// The one of the three that is there.
    pub(super) fn of_one(
        environment: Option<String>,
        file: Option<PathBuf>,
        value: Option<Secret>,
    ) -> Result<Self, &'static str> {
        match (environment, file, value) {
            (Some(name), None, None) => Ok(Self::Environment(name)),
            (None, Some(path), None) => Ok(Self::File(path)),
            (None, None, Some(value)) => Ok(Self::Value(value)),
            _ => Err(
                "a secret comes from one place: environment = \"VARIABLE\", file = \"PATH\" or value = \"…\"",
            ),
        }
    }

    pub fn value(text: &str) -> Self {
        Self::Value(Secret::new(text))
    }

    /// Whether there is something: a variable may be missing, or empty.
    pub fn is_there(&self) -> bool {
        match self {
            Self::Environment(name) => std::env::var_os(name).is_some_and(|it| !it.is_empty()),
            _ => true,
        }
    }

    /// Whether it was written as one.
    pub fn is_secret(&self) -> bool {
        !matches!(self, Self::Text(_))
    }

    /// The file that it is kept in.
    pub(super) fn file(&self) -> Option<&Path> {
        if let Self::File(file) = self { Some(file) } else { None }
    }

    /// Reads the value without trailing newlines. Paths are relative to `base`. Errors do not repeat the text.
    pub(super) fn text(&self, base: &Path) -> Result<String, String> {
        let (text, empty) = match self {
            Self::Text(it) | Self::Value(it) => (it.expose().to_owned(), "it is empty".to_owned()),
            Self::Environment(name) => {
                let missing = format!("the environment has no variable {name}, or it is empty");
                (std::env::var(name).unwrap_or_default(), missing)
            }
            Self::File(path) => {
                let shown = path.display();
                let text = read_text(&base.join(path), BYTES_MAX);
                let text = text.map_err(|error| format!("the file {shown}: {error}"))?;
                (text, format!("the file {shown} is empty"))
            }
        };
        match text.trim_end_matches(['\n', '\r']) {
            "" => Err(empty),
            text => Ok(text.to_owned()),
        }
    }

    /// The value itself, fit for a header.
    pub fn read(&self, base: &Path) -> Result<Secret, String> {
        let text = self.text(base)?;
        match text.contains(char::is_control) {
            true => Err("it has characters that a header cannot have".to_owned()),
            false => Ok(Secret::new(text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mask() -> Mask {
        let mut mask = Mask::default();
        mask.add("hunter2hunter2");
        mask
    }

    #[test]
    fn secret_never_appears_in_debug_or_errors() {
        assert_eq!(format!("{:?}", Some(Secret::new("hunter2"))), "Some([secret])");
        let error = serde_json::from_str::<Secret>("4711").unwrap_err().to_string();
        assert!(!error.contains("4711") && error.contains("must be a text"), "{error}");
    }

    #[test]
    fn redacts_secret_in_texts_and_bytes_keeping_length() {
        assert_eq!(mask().text("a?key=hunter2hunter2&b"), "a?key=[secret]&b");
        let mut bytes = b"x hunter2hunter2 y".to_vec();
        mask().bytes(&mut bytes);
        assert_eq!(bytes, b"x ************** y");
        let mut other = b"x hunter3hunter3 y".to_vec();
        mask().bytes(&mut other);
        assert_eq!(other, b"x hunter3hunter3 y");
    }

    #[test]
    fn redacts_secret_in_the_encodings_of_programs() {
        let secret = "s3cr3t/+ key~\"zz?(it's!*)";
        let mut mask = Mask::default();
        mask.add_secret(secret);
        let urls = [
            "s3cr3t%2f%2b%20key%7e%22zz%3f%28it%27s%21*%29",
            "s3cr3t%2F%2B+key~%22zz%3F%28it%27s%21%2A%29",
            "s3cr3t/%2B%20key~%22zz%3F%28it%27s%21%2A%29",
            "s3cr3t%2F%2B%20key~%22zz%3F(it's!*)",
        ];
        for lead in ["", "a", "ab", "abc", "user:", "Bearer "] {
            for text in [format!("{lead}{secret}"), format!("{lead}{secret} and more")] {
                let bytes = text.as_bytes();
                let in_urls = urls.map(|it| format!("?a={it}&b"));
                for encoded in in_urls.into_iter().chain([
                    text.clone(),
                    Value::from(&*text).to_string(),
                    encoded(&text),
                    HEXLOWER.encode(bytes),
                    HEXUPPER.encode(bytes),
                    BASE64.encode(bytes),
                    BASE64URL.encode(bytes),
                    data_encoding::BASE64_NOPAD.encode(bytes),
                    data_encoding::BASE64URL_NOPAD.encode(bytes),
                ]) {
                    assert!(mask.is_in(&encoded), "{encoded}");
                    let masked = mask.text(&encoded);
                    assert!(masked.contains("[secret]") && !mask.is_in(&masked), "{masked}");
                    let mut bytes = encoded.clone().into_bytes();
                    mask.bytes(&mut bytes);
                    let bytes = String::from_utf8(bytes).unwrap();
                    assert!(bytes.len() == encoded.len() && !mask.is_in(&bytes), "{bytes}");
                }
            }
        }
        let mut weak = Mask::default();
        weak.add_secret("abcde");
        assert!(weak.is_empty(), "too short to be told from words");
    }

    #[test]
    fn redacts_secret_in_names_of_members_that_are_no_words() {
        let mut mask = mask();
        mask.add("content");
        let mut value =
            serde_json::json!({ "hunter2hunter2": 1, "content": ["a", { "x hunter2hunter2": 2 }] });
        assert!(mask.json(&mut value));
        let masked = serde_json::json!({ "[secret]": 1, "content": ["a", { "x [secret]": 2 }] });
        assert_eq!(value, masked);
        assert!(!mask.json(&mut value));
    }

    #[test]
    fn marks_secrets_so_that_they_can_be_revealed() {
        let mut mask = mask();
        mask.add("correct horse");
        let text = "hunter2hunter2 and correct horse, hunter2hunter2";
        let marked = mask.marked(text);
        assert_eq!(marked, "[secret:0] and [secret:1], [secret:0]");
        assert_eq!(mask.revealed(&marked), text);
        assert_eq!(Mask::default().revealed(&marked), marked);
    }

    #[test]
    fn reveals_nothing_that_was_not_marked() {
        let mut mask = mask();
        for form in ["secret", "hunter2hunter2hunter2", "Bearer hunter2hunter2", "[secret:0]"] {
            mask.add(form);
            for text in [
                "[secret:0]",
                "[secret:0",
                "[secret:",
                "[secret:]",
                "[secret:9][secret:x]",
                "[secret:[secret:0]hunter2hunter2[secret:1]",
                "[hunter2hunter2:0]",
                "Bearer hunter2hunter2hunter2 [secret:1] secret",
                "席",
            ] {
                for mask in [&mask, &Mask::default()] {
                    assert_eq!(mask.revealed(&mask.marked(text)), text);
                }
                assert!(!mask.marked(text).contains("hunter2hunter2"), "{text}");
            }
        }
    }

    #[test]
    fn finds_prefix_of_a_secret_at_the_end() {
        assert_eq!(mask().secret_prefix_len(b"... hunter2hun"), 10);
        assert_eq!(mask().secret_prefix_len(b"... hunter2hunter"), 13);
        assert_eq!(mask().secret_prefix_len(b"nothing"), 0);
    }
}
