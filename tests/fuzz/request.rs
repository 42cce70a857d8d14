//! A request as stored in a file: its head in lines, an empty line, its body.

use std::fmt;

/// Placeholder for the id of an open session of the server.
pub(crate) const SESSION: &str = "@SESSION@";
/// Placeholder for a state that the server issued with a question of `greet`.
pub(crate) const STATE: &str = "@STATE@";

/// A valid or invalid request.
#[derive(Clone, PartialEq)]
pub(crate) struct Request(pub(crate) Vec<u8>);

impl Request {
    /// A request of these parts.
    pub(crate) fn of(
        line: &str,
        headers: &[(impl AsRef<str>, impl AsRef<str>)],
        body: &str,
    ) -> Self {
        let mut text = format!("{line}\n");
        for (name, value) in headers {
            text += &format!("{}: {}\n", name.as_ref(), value.as_ref());
        }
        Self((text + "\n" + body).into_bytes())
    }

    /// Whether it names `placeholder`.
    pub(crate) fn names(&self, placeholder: &str) -> bool {
        self.0.windows(placeholder.len()).any(|it| it == placeholder.as_bytes())
    }

    /// Replaces a placeholder.
    pub(crate) fn with(&self, placeholder: &str, value: &str) -> Self {
        let (mut out, mut rest) = (Vec::new(), &self.0[..]);
        while let Some(at) =
            rest.windows(placeholder.len()).position(|it| it == placeholder.as_bytes())
        {
            out.extend_from_slice(&rest[..at]);
            out.extend_from_slice(value.as_bytes());
            rest = &rest[at + placeholder.len()..];
        }
        out.extend_from_slice(rest);
        Self(out)
    }

    /// Replaces a placeholder in the head only: in a body, ids of different servers could parse differently.
    pub(crate) fn with_in_head(&self, placeholder: &str, value: &str) -> Self {
        let mut head = Self(self.head().to_vec()).with(placeholder, value);
        head.0.extend_from_slice(&self.0[self.head().len()..]);
        head
    }

    fn head(&self) -> &[u8] {
        let end = self.0.windows(2).position(|it| it == b"\n\n");
        &self.0[..end.unwrap_or(self.0.len())]
    }

    fn body(&self) -> &[u8] {
        self.0.get(self.head().len() + 2..).unwrap_or_default()
    }

    /// Its method, where it has one.
    pub(crate) fn method(&self) -> &[u8] {
        self.head().split(|it| *it == b' ').next().unwrap_or_default()
    }

    /// Its path, where it has one.
    pub(crate) fn path(&self) -> String {
        let path = self.head().split(|it| it.is_ascii_whitespace()).nth(1).unwrap_or_default();
        String::from_utf8_lossy(path).into_owned()
    }

    fn has(&self, header: &str) -> bool {
        self.head().split(|it| *it == b'\n').skip(1).any(|line| {
            let name = line.split(|it| *it == b':').next().unwrap_or_default();
            name.trim_ascii().eq_ignore_ascii_case(header.as_bytes())
        })
    }

    /// Whether it has a length of its own, which may be wrong.
    pub(crate) fn has_own_length(&self) -> bool {
        self.has("content-length") || self.has("transfer-encoding")
    }

    /// The bytes on the wire, with default host and length.
    pub(crate) fn wire(&self, host: &str) -> Vec<u8> {
        let mut wire = Vec::with_capacity(self.0.len() + 128);
        for line in self.head().split(|it| *it == b'\n') {
            wire.extend_from_slice(line);
            wire.extend_from_slice(b"\r\n");
        }
        if !self.has("host") {
            wire.extend_from_slice(format!("host: {host}\r\n").as_bytes());
        }
        if !self.has_own_length() {
            let length = self.body().len();
            wire.extend_from_slice(format!("content-length: {length}\r\n").as_bytes());
        }
        wire.extend_from_slice(b"\r\n");
        wire.extend_from_slice(self.body());
        wire
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let most = self.0.len().min(4096);
        write!(f, "{}", self.0[..most].escape_ascii())
    }
}
