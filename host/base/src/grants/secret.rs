//! A secret: known to the host, put into requests on their way out, never shown.

use std::{fmt, sync::Arc};

use serde::{Deserialize, Deserializer, de::Error};

/// A text that never prints itself and cannot be serialised.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Arc<str>);

/// What stands where a secret stood.
const MASK: &str = "[secret]";

impl Secret {
    /// Keeps `text` secret.
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
    /// An error does not repeat what was found.
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from).map_err(|_| D::Error::custom("must be a text"))?;
        Ok(Self::new(text))
    }
}

/// Takes secrets out of what comes back from a host: each form in which one may appear.
#[derive(Clone, Default)]
pub struct Mask {
    forms: Vec<Arc<str>>,
}

/// Shorter ones are not looked for: they would be found in what is no secret.
const FORM_BYTES_MIN: usize = 6;

impl Mask {
    pub fn add(&mut self, form: &str) {
        if form.len() >= FORM_BYTES_MIN && !self.forms.iter().any(|it| &**it == form) {
            self.forms.push(form.into());
        }
    }

    pub fn is_empty(&self) -> bool {
        self.forms.is_empty()
    }

    /// `text` without secrets.
    pub fn text(&self, text: &str) -> String {
        self.forms.iter().fold(text.to_owned(), |text, form| text.replace(&**form, MASK))
    }

    /// Overwrites each secret in `bytes` with asterisks, so that lengths stay what they are.
    pub fn bytes(&self, bytes: &mut [u8]) {
        for form in self.forms.iter().map(|it| it.as_bytes()) {
            let mut at = 0;
            while at + form.len() <= bytes.len() {
                if &bytes[at..at + form.len()] == form {
                    bytes[at..at + form.len()].fill(b'*');
                    at += form.len();
                } else {
                    at += 1;
                }
            }
        }
    }

    /// How many of the last bytes may be the beginning of a secret.
    pub fn begun(&self, bytes: &[u8]) -> usize {
        let begun = |form: &[u8]| {
            let most = (form.len() - 1).min(bytes.len());
            (1..=most).rev().find(|&it| bytes.ends_with(&form[..it])).unwrap_or(0)
        };
        self.forms.iter().map(|it| begun(it.as_bytes())).max().unwrap_or(0)
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
    fn a_secret_shows_itself_nowhere_and_errors_do_not_repeat_it() {
        assert_eq!(format!("{:?}", Some(Secret::new("hunter2"))), "Some([secret])");
        let error = serde_json::from_str::<Secret>("4711").unwrap_err().to_string();
        assert!(!error.contains("4711") && error.contains("must be a text"), "{error}");
    }

    #[test]
    fn a_secret_is_taken_out_of_texts_and_of_bytes_whose_length_stays() {
        assert_eq!(mask().text("a?key=hunter2hunter2&b"), "a?key=[secret]&b");
        let mut bytes = b"x hunter2hunter2 y".to_vec();
        mask().bytes(&mut bytes);
        assert_eq!(bytes, b"x ************** y");
        let mut other = b"x hunter3hunter3 y".to_vec();
        mask().bytes(&mut other);
        assert_eq!(other, b"x hunter3hunter3 y");
    }

    #[test]
    fn the_beginning_of_a_secret_at_the_end_is_seen() {
        assert_eq!(mask().begun(b"... hunter2hun"), 10);
        assert_eq!(mask().begun(b"... hunter2hunter"), 13);
        assert_eq!(mask().begun(b"nothing"), 0);
    }
}
