//! An answer as it comes: its bytes within limits, and the server-sent events in them.

use std::time::Instant;

use serde_json::Value;
use toolkit::http::Incoming;

use super::wire::{WireError, of_http};

/// Bytes of one event: a picture of a few megapixels in base64 fits.
const EVENT_BYTES_MAX: usize = 32 << 20;

/// The bytes of an answer.
pub(super) struct Pieces {
    answer: Incoming,
    until: Instant,
    left: usize,
}

impl Pieces {
    /// At most so many of them, and none later than `until`.
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

    /// Reads all bytes that are left.
    pub(super) fn whole(mut self) -> Result<Vec<u8>, WireError> {
        let mut bytes = Vec::new();
        while let Some(piece) = self.next()? {
            bytes.extend_from_slice(&piece);
        }
        Ok(bytes)
    }
}

/// An answer's events, in order.
pub(super) struct Events {
    pieces: Pieces,
    lines: Lines,
    first: Option<ModelEvent>,
}

/// One event's data; its name, where it has one, is in its data as well.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ModelEvent {
    pub(super) data: String,
}

impl ModelEvent {
    /// Its data as JSON.
    pub(super) fn json(&self) -> Result<Value, WireError> {
        let unreadable = |it: serde_json::Error| WireError::Unreadable(format!("not JSON: {it}"));
        serde_json::from_str(&self.data).map_err(unreadable)
    }
}

impl Events {
    /// A stream of which the first event is there.
    pub(super) fn begun(pieces: Pieces) -> Result<Self, WireError> {
        let mut events = Self { pieces, lines: Lines::default(), first: None };
        match events.next() {
            Some(first) => events.first = Some(first?),
            None => return Err(WireError::Lost("the answer ended before it began".to_owned())),
        }
        Ok(events)
    }

    /// The next event; none at the end.
    pub(super) fn next(&mut self) -> Option<Result<ModelEvent, WireError>> {
        if let Some(first) = self.first.take() {
            return Some(Ok(first));
        }
        loop {
            if let Some(event) = self.lines.event() {
                return Some(Ok(event));
            }
            match self.pieces.next() {
                Ok(Some(piece)) => self.lines.bytes.extend_from_slice(&piece),
                // What is not closed by an empty line is no event.
                Ok(None) => return None,
                Err(error) => return Some(Err(error)),
            }
            if self.lines.bytes.len() + self.lines.data.len() > EVENT_BYTES_MAX {
                let what = "an event of the answer is too long".to_owned();
                return Some(Err(WireError::Unreadable(what)));
            }
        }
    }
}

/// Server-sent events (<https://html.spec.whatwg.org/multipage/server-sent-events.html>), as far as a client needs
/// them that never reconnects: data, closed by an empty line.
#[derive(Default)]
struct Lines {
    bytes: Vec<u8>,
    /// Bytes that were looked through and have no end of a line.
    scanned: usize,
    data: String,
    has_data: bool,
}

impl Lines {
    /// The next whole event.
    fn event(&mut self) -> Option<ModelEvent> {
        while let Some(line) = self.line() {
            if line.is_empty() {
                if std::mem::take(&mut self.has_data) {
                    return Some(ModelEvent { data: std::mem::take(&mut self.data) });
                }
            } else if let Some(data) = line.strip_prefix("data:") {
                if std::mem::replace(&mut self.has_data, true) {
                    self.data.push('\n');
                }
                self.data.push_str(data.strip_prefix(' ').unwrap_or(data));
            } else if line == "data" {
                self.has_data = true;
            }
        }
        None
    }

    /// The next whole line, without its end.
    fn line(&mut self) -> Option<String> {
        let Some(at) = self.bytes[self.scanned..].iter().position(|it| *it == b'\n') else {
            self.scanned = self.bytes.len();
            return None;
        };
        let line: Vec<u8> = self.bytes.drain(..=self.scanned + at).collect();
        self.scanned = 0;
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches(['\n', '\r']);
        Some(line.strip_prefix('\u{feff}').unwrap_or(line).to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_found_however_their_bytes_come() {
        let text = "\u{feff}: hello\r\nevent: a\ndata: {\"窓\":1}\n\ndata:b\r\ndata: c\r\n\r\nid: 7\n\ndata\n\ndata: cut";
        let expected = ["{\"窓\":1}", "b\nc", ""];
        for size in [1, 2, 7, 1_000] {
            let (mut lines, mut found) = (Lines::default(), Vec::new());
            for piece in text.as_bytes().chunks(size) {
                lines.bytes.extend_from_slice(piece);
                while let Some(event) = lines.event() {
                    found.push(event.data);
                }
            }
            assert_eq!(found, expected, "pieces of {size}");
        }
    }
}
