//! What a host answered.

use serde::de::DeserializeOwned;

use super::Error;
use crate::{Problem, arguments::parse};

/// An answer, read to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The headers, names in lower case.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The bytes of the body.
    pub body: Vec<u8>,
}

impl Answer {
    /// The first header of that name, if it is text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }

    /// The body as text.
    ///
    /// # Errors
    /// When it is not UTF-8.
    pub fn text(&self) -> Result<&str, Error> {
        std::str::from_utf8(&self.body)
            .map_err(|_| Error::InvalidAnswer("it is not UTF-8".to_owned()))
    }

    /// The body as a `T` in JSON.
    ///
    /// # Errors
    /// When it is not one.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        let unfit = |it: Problem| Error::InvalidAnswer(it.to_string());
        parse(self.text()?).map_err(unfit)
    }

    /// The same answer, if its status says success.
    ///
    /// # Errors
    /// The status that says otherwise.
    pub fn successful(self) -> Result<Self, Error> {
        if (200..300).contains(&self.status) { Ok(self) } else { Err(Error::Status(self.status)) }
    }

    /// Whether it points elsewhere.
    #[must_use]
    pub fn is_redirect(&self) -> bool {
        matches!(self.status, 301 | 302 | 303 | 307 | 308)
    }
}

/// The first of `headers` with that name, if it is text.
pub(super) fn header<'a>(headers: &'a [(String, Vec<u8>)], name: &str) -> Option<&'a str> {
    let (_, value) = headers.iter().find(|(it, _)| it.eq_ignore_ascii_case(name))?;
    std::str::from_utf8(value).ok()
}
