//! Reads an answer's body within limits, and its server-sent events.

use std::{borrow::Cow, time::Instant};

use serde_json::Value;
use toolkit::http::Incoming;

use super::wire::{WireError, of_http};

/// Maximum bytes of one event; fits a picture of a few megapixels in base64.
const EVENT_BYTES_MAX: usize = 32 << 20;
/// Data with which some servers end a stream.
const DONE: &str = "[DONE]";

/// Parses an event as a provider's error; `None` for a piece of the answer.
pub(super) type ErrorOf = fn(&Value) -> Option<WireError>;

/// Bytes of an answer.
pub(super) struct Pieces {
    answer: Incoming,
    until: Instant,
    left: usize,
}

impl Pieces {
    /// Reads at most `bytes_max` bytes, until `until`.
    pub(super) fn new(answer: Incoming, until: Instant, bytes_max: usize) -> Self {
        Self { answer, until, left: bytes_max }
    }

    fn next(&mut self) -> Result<Option<Vec<u8>>, WireError> {
        let piece = self.answer.next(Some(self.until)).map_err(|it| of_http(it, false))?;
        let taken = piece.as_ref().map_or(0, Vec::len);
        let too_long = || WireError::Unreadable("the answer is too long".to_owned());
        self.left = self.left.checked_sub(taken).ok_or_else(too_long)?;
        Ok(piece)
    }

    /// Reads all remaining bytes.
    pub(super) fn whole(mut self) -> Result<Vec<u8>, WireError> {
        let mut bytes = Vec::new();
        while let Some(piece) = self.next()? {
            bytes.extend_from_slice(&piece);
        }
        Ok(bytes)
    }
}

/// Events of an answer in order, with their data as JSON. Event names are ignored, since the data contains them.
pub(super) struct Events {
    pieces: Option<Pieces>,
    lines: Lines,
    only: Option<Value>,
    error_of: ErrorOf,
    is_done: bool,
}

impl Events {
    /// Reads a stream.
    pub(super) fn new(pieces: Pieces, error_of: ErrorOf) -> Self {
        Self { pieces: Some(pieces), lines: Lines::default(), only: None, error_of, is_done: false }
    }

    /// Reads a stream that has come whole.
    #[cfg(test)]
    pub(super) fn from_text(stream: &str, error_of: ErrorOf) -> Self {
        let lines = Lines { bytes: stream.into(), ..Lines::default() };
        Self { pieces: None, lines, only: None, error_of, is_done: false }
    }

    /// Reads a whole document as a single event.
    pub(super) fn from_document(whole: &[u8], error_of: ErrorOf) -> Result<Self, WireError> {
        let only = serde_json::from_slice(whole).map_err(not_json)?;
        let lines = Lines::default();
        Ok(Self { pieces: None, lines, only: Some(only), error_of, is_done: false })
    }

    /// Whether the server has said that the answer is over, rather than just stopped.
    pub(super) fn is_done(&self) -> bool {
        self.is_done
    }

    /// Returns the next event; `None` at the end.
    pub(super) fn next(&mut self) -> Option<Result<Value, WireError>> {
        if let Some(only) = self.only.take() {
            return Some(self.judged(only));
        }
        loop {
            if let Some(data) = self.lines.event() {
                if data.trim() == DONE {
                    self.is_done = true;
                    return None;
                }
                let event = serde_json::from_str(&whole(&data)).map_err(not_json);
                return Some(event.and_then(|it| self.judged(it)));
            }
            match self.pieces.as_mut()?.next() {
                Ok(Some(piece)) => self.lines.bytes.extend_from_slice(&piece),
                // An event that no empty line ends is incomplete.
                Ok(None) => return None,
                Err(error) => return Some(Err(error)),
            }
            if self.lines.bytes.len() + self.lines.data.len() > EVENT_BYTES_MAX {
                let what = "an event of the answer is too long".to_owned();
                return Some(Err(WireError::Unreadable(what)));
            }
        }
    }

    fn judged(&self, event: Value) -> Result<Value, WireError> {
        (self.error_of)(&event).map_or(Ok(event), Err)
    }
}

pub(super) fn not_json(error: serde_json::Error) -> WireError {
    WireError::Unreadable(format!("not JSON: {error}"))
}

/// Returns `json` with U+FFFD in place of each escape that is half of a pair of surrogates: a piece of the answer
/// that was cut in the middle of a character ends in one, and costs no more than that character.
fn whole(json: &str) -> Cow<'_, str> {
    let unit = |at: usize| {
        let digits = json.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let (mut whole, mut kept, mut at) = (String::new(), 0, 0);
    while let Some(found) = json.get(at..).and_then(|it| it.find('\\')) {
        let here = at + found;
        at = here
            + match (unit(here), unit(here + 6)) {
                (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
                (Some(0xd800..=0xdfff), _) => {
                    whole.push_str(&json[kept..here]);
                    whole.push_str("\\ufffd");
                    kept = here + 6;
                    6
                }
                _ => 2,
            };
    }
    if kept == 0 {
        return json.into();
    }
    whole.push_str(&json[kept..]);
    whole.into()
}

/// Server-sent events (<https://html.spec.whatwg.org/multipage/server-sent-events.html>) for a client
/// that never reconnects: data, ended by an empty line. Events without data are skipped.
#[derive(Default)]
struct Lines {
    bytes: Vec<u8>,
    /// Bytes already searched for a line end.
    scanned: usize,
    data: String,
    /// Whether the last line ended in CR, so that an LF that comes next is the rest of its end.
    ends_in_cr: bool,
}

impl Lines {
    /// Returns the data of the next whole event that has some.
    fn event(&mut self) -> Option<String> {
        while let Some(line) = self.line() {
            if line.is_empty() {
                let data = std::mem::take(&mut self.data);
                if !data.trim().is_empty() {
                    return Some(data);
                }
            } else if let Some(data) = line.strip_prefix("data:") {
                if !self.data.is_empty() {
                    self.data.push('\n');
                }
                self.data.push_str(data.strip_prefix(' ').unwrap_or(data));
            }
        }
        None
    }

    /// Returns the next whole line, without its end: CR, LF, or both.
    fn line(&mut self) -> Option<String> {
        if self.ends_in_cr && self.bytes.first() == Some(&b'\n') {
            self.bytes.remove(0);
        }
        self.ends_in_cr &= self.bytes.is_empty();
        let is_end = |it: &u8| matches!(it, b'\n' | b'\r');
        let Some(at) = self.bytes[self.scanned..].iter().position(is_end) else {
            self.scanned = self.bytes.len();
            return None;
        };
        let end = self.scanned + at;
        self.ends_in_cr = self.bytes[end] == b'\r';
        let line: Vec<u8> = self.bytes.drain(..=end).collect();
        self.scanned = 0;
        let line = String::from_utf8_lossy(&line[..end]);
        Some(line.strip_prefix('\u{feff}').unwrap_or(&line).to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_piece_cut_within_a_character() {
        for (sent, read) in [
            (r#""\ud83d""#, "\u{fffd}"),
            (r#""\uDE00b \ud83d\ude00\\ud83d""#, "\u{fffd}b \u{1f600}\\ud83d"),
            (r#""\\\ud83d席\n""#, "\\\u{fffd}席\n"),
        ] {
            assert_eq!(serde_json::from_str::<String>(&whole(sent)).unwrap(), read, "{sent}");
        }
        assert!(matches!(whole(r#""\ud83d\ude00 \n""#), Cow::Borrowed(_)), "as it is");
    }

    #[test]
    fn parses_events_from_any_chunking() {
        let text = "\u{feff}: hello\r\nevent: a\ndata: {\"窓\":1}\n\ndata:b\r\ndata: c\r\n\r\nid: 7\n\ndata\n\ndata:\n\ndata: \n\ndata: d\n\ndata: cut";
        let expected = ["{\"窓\":1}", "b\nc", "d"];
        let unix = text.replace('\r', "");
        for (ends, text) in [("mixed", text), ("CR", &unix.replace('\n', "\r")), ("LF", &unix)] {
            for size in [1, 2, 7, 1_000] {
                let (mut lines, mut found) = (Lines::default(), Vec::new());
                for piece in text.as_bytes().chunks(size) {
                    lines.bytes.extend_from_slice(piece);
                    while let Some(data) = lines.event() {
                        found.push(data);
                    }
                }
                assert_eq!(found, expected, "{ends}: pieces of {size}");
            }
        }
    }
}
