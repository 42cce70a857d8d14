//! Server-sent events of a streamed response.

use std::collections::VecDeque;
use std::pin::pin;
use std::time::Duration;

use futures::future::{Either, select};
use gloo_net::http::Response;
use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::ReadableStreamDefaultReader;

use crate::browser;
use crate::error::CallError;
use crate::request::lost;

/// Reads the events of a response; dropping it closes the stream.
pub(crate) struct Pieces {
    reader: ReadableStreamDefaultReader,
    events: Events,
    ready: VecDeque<Event>,
    /// Maximum silence of the host; unlimited if none.
    silence: Option<Duration>,
}

impl Pieces {
    pub(crate) fn new(response: Response) -> Option<Self> {
        let reader = response.body()?.get_reader().unchecked_into();
        Some(Self { reader, events: Events::default(), ready: VecDeque::new(), silence: None })
    }

    /// Treats a stream as broken after this silence, keep-alives included: a lost network or a sleeping computer closes
    /// no connection.
    pub(super) fn within(mut self, silence: Duration) -> Self {
        self.silence = Some(silence);
        self
    }

    /// The next event's data; none at the end of the stream.
    pub(super) async fn next(&mut self) -> Result<Option<String>, CallError> {
        Ok(self.next_event().await?.map(|it| it.data))
    }

    /// The next event with its name.
    pub(crate) async fn next_event(&mut self) -> Result<Option<Event>, CallError> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Ok(Some(event));
            }
            let Some(piece) = self.piece().await.map_err(|error| broken(&error))? else {
                return Ok(None);
            };
            let events = self.events.feed(&piece.to_vec());
            self.ready = events.map_err(|_| CallError::page("an event was too long"))?.into();
        }
    }

    async fn piece(&self) -> Result<Option<Uint8Array>, JsValue> {
        let read = JsFuture::from(self.reader.read());
        let read = match self.silence {
            None => read.await?,
            Some(silence) => match select(read, pin!(browser::sleep(silence))).await {
                Either::Left((read, _)) => read?,
                Either::Right(_) => return Err(JsValue::NULL),
            },
        };
        if Reflect::get(&read, &"done".into())?.is_truthy() {
            return Ok(None);
        }
        Reflect::get(&read, &"value".into())?.dyn_into().map(Some)
    }
}

/// The error of a broken stream: a lost network, or a call cancelled by the user.
fn broken(error: &JsValue) -> CallError {
    let name = Reflect::get(error, &"name".into()).ok().and_then(|name| name.as_string());
    if name.as_deref() == Some("AbortError") { CallError::Stopped } else { lost() }
}

impl Drop for Pieces {
    fn drop(&mut self) {
        let cancelled = JsFuture::from(self.reader.cancel());
        // Fails if the call was aborted, which is equally fine.
        wasm_bindgen_futures::spawn_local(async move { drop(cancelled.await) });
    }
}

/// Maximum size of one event's data.
const BYTES_MAX: usize = 32 << 20;

/// One server-sent event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Event {
    /// Its type; empty by default.
    pub(crate) name: String,
    pub(crate) data: String,
}

/// An incremental parser of events.
#[derive(Debug, Default)]
struct Events {
    line: Vec<u8>,
    name: String,
    data: Option<String>,
    after_return: bool,
}

/// An event exceeded the limit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

impl Events {
    /// Parses the next piece. Returns the events completed by it.
    pub(super) fn feed(&mut self, piece: &[u8]) -> Result<Vec<Event>, TooLong> {
        let mut events = Vec::new();
        for &byte in piece {
            match byte {
                b'\n' if self.after_return => self.after_return = false,
                b'\n' | b'\r' => {
                    self.after_return = byte == b'\r';
                    events.extend(self.end_line());
                }
                _ => {
                    self.after_return = false;
                    self.line.push(byte);
                }
            }
            if self.line.len() + self.data.as_ref().map_or(0, String::len) > BYTES_MAX {
                return Err(TooLong);
            }
        }
        Ok(events)
    }

    /// Ends a line: an empty one completes the event, one with data extends it.
    fn end_line(&mut self) -> Option<Event> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            let name = std::mem::take(&mut self.name);
            let data = self.data.take().filter(|data| !data.is_empty());
            return data.map(|data| Event { name, data });
        }
        let line = String::from_utf8_lossy(&line);
        let (name, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        if name == "event" {
            self.name = value.to_owned();
        }
        if name == "data" {
            match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_event_arriving_byte_by_byte() {
        let mut events = Events::default();
        let mut found = Vec::new();
        for byte in ": hello\n\nevent: message\r\nid: 7\r\ndata: {\"席\":1}\r\n\r\n".bytes() {
            found.extend(events.feed(&[byte]).unwrap());
        }
        assert_eq!(found, [Event { name: "message".into(), data: "{\"席\":1}".into() }]);
    }

    #[test]
    fn joins_data_lines_and_skips_comments() {
        let mut events = Events::default();
        let found =
            events.feed(b": keep-alive\n\ndata: a\ndata:b\n\ndata: c\n\ndata: half").unwrap();
        let data: Vec<_> = found.iter().map(|it| it.data.as_str()).collect();
        assert_eq!(data, ["a\nb", "c"]);
    }

    #[test]
    fn skips_event_without_data() {
        assert_eq!(Events::default().feed(b"id: 1\nretry: 3000\ndata:\n\n"), Ok(Vec::new()));
    }

    #[test]
    fn event_name_applies_to_one_event() {
        let found = Events::default().feed(b"event: done\ndata: 1\n\ndata: 2\n\n").unwrap();
        let names: Vec<_> = found.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["done", ""]);
    }

    #[test]
    fn rejects_endless_line() {
        let mut events = Events::default();
        let piece = vec![b'x'; 1 << 20];
        assert!((0..40).any(|_| events.feed(&piece) == Err(TooLong)));
    }
}
