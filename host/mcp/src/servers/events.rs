//! Event streams of upstream servers: limited, and corrected for the parser and the SDK.

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, stream::BoxStream};
use reqwest::Response;
use rmcp::model::RequestId;
use serde_json::json;
use sse_stream::{Error as SseError, Sse, SseStream};

use super::messages::{readable, too_large};
use crate::envelope::Envelope;
use base::grants::secret::Mask;

pub(super) type Events = BoxStream<'static, Result<Sse, SseError>>;

/// The events of `response`, of at most `most` bytes each. All of them belong to the request `of`, where one is named.
pub(super) fn events(response: Response, most: usize, of: Option<RequestId>, mask: Mask) -> Events {
    let mut lines = Lines { most, of, is_first: true, ..Lines::default() };
    let bytes = response.bytes_stream().map_ok(move |it| lines.pass(&it));
    SseStream::from_bytes_stream(bytes).map_ok(move |it| readable_event(it, &mask)).boxed()
}

fn readable_event(mut event: Sse, mask: &Mask) -> Sse {
    // An address to post to is needed as it is, and is shown nowhere.
    if event.event.as_deref() == Some("endpoint") {
        return event;
    }
    event.data = event.data.map(|it| readable(&it, mask).into_owned());
    event
}

/// Corrects the lines of an event stream for the parser, which ends the stream at a cut character, at a field that no
/// event has and at one that is repeated; other clients ignore such a field, so it is left out, as is a comment, however
/// long. An event that is too large is not kept and is replaced by an error of its request.
#[derive(Default)]
struct Lines {
    /// Maximum size of an event, in bytes.
    most: usize,
    of: Option<RequestId>,
    line: Vec<u8>,
    is_first: bool,
    /// Fields of the event that may occur once and have occurred.
    seen: Vec<&'static str>,
    /// Bytes of the event and of its last line.
    event: usize,
    last: usize,
    /// Whether the line so far begins as a comment does, or as data.
    is_comment: bool,
    is_data: bool,
    after_cr: bool,
    envelope: Envelope,
    is_cut: bool,
    is_answered: bool,
}

impl Lines {
    /// Returns the corrected lines that end in `chunk`, including one that began before it.
    fn pass(&mut self, chunk: &[u8]) -> Bytes {
        let mut passed = Vec::with_capacity(chunk.len());
        for byte in chunk {
            match byte {
                // The second half of a line end.
                b'\n' if self.after_cr => {}
                b'\r' | b'\n' if self.last == 0 => self.end_event(&mut passed),
                b'\r' | b'\n' => self.end_line(&mut passed),
                _ => self.take(*byte, &mut passed),
            }
            self.after_cr = *byte == b'\r';
        }
        passed.into()
    }

    fn take(&mut self, byte: u8, passed: &mut Vec<u8>) {
        const DATA: &[u8] = b"data:";
        self.is_comment = if self.last == 0 { byte == b':' } else { self.is_comment };
        self.is_data = match DATA.get(self.last) {
            Some(expected) => (self.last == 0 || self.is_data) && byte == *expected,
            None => self.is_data,
        };
        self.last += 1;
        if self.is_comment {
            // Comments may keep a quiet stream open for ever and are no part of an event.
            return;
        }
        self.event += 1;
        if self.is_data && self.last > DATA.len() {
            self.envelope.read(&[byte]);
        }
        if self.is_cut {
            return;
        }
        if self.event <= self.most {
            return self.line.push(byte);
        }
        (self.is_cut, self.line) = (true, Vec::new());
        // Ends the event so far, which is no message and is ignored.
        passed.push(b'\n');
        self.is_answered = answer(passed, self.answered(false));
    }

    /// The request that an event answers. While it is not whole, what has no result so far may be a request yet.
    fn answered(&self, is_whole: bool) -> Option<RequestId> {
        let of = self.of.clone().filter(|_| !self.envelope.has_method);
        of.or_else(|| self.envelope.answered().filter(|_| is_whole || self.envelope.has_answer))
    }

    /// Passes on the line that ends, if its field is valid.
    fn end_line(&mut self, passed: &mut Vec<u8>) {
        self.last = 0;
        let line = std::mem::take(&mut self.line);
        let line = match std::mem::take(&mut self.is_first) {
            true => line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&line),
            false => &line,
        };
        let mut parts = line.splitn(2, |it| *it == b':');
        let (name, value) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let value = String::from_utf8_lossy(value);
        let once = ["event", "id", "retry"].into_iter().find(|it| it.as_bytes() == name);
        let is_right = match once {
            Some("retry") => value.trim_ascii().parse::<u64>().is_ok(),
            Some(_) => true,
            None => name == b"data",
        };
        if self.is_cut || !is_right || once.is_some_and(|it| self.seen.contains(&it)) {
            return;
        }
        self.seen.extend(once);
        passed.extend_from_slice(name);
        passed.push(b':');
        passed.extend_from_slice(value.as_bytes());
        passed.push(b'\n');
    }

    fn end_event(&mut self, passed: &mut Vec<u8>) {
        if !self.is_cut {
            passed.push(b'\n');
        } else if !self.is_answered && !answer(passed, self.answered(true)) {
            tracing::warn!(target: "server", most = self.most, "an event that is too large answers nothing");
        }
        (self.event, self.is_cut, self.is_first) = (0, false, false);
        self.seen.clear();
        self.envelope = Envelope::default();
    }
}

/// Writes the error for request `id`, if known.
fn answer(passed: &mut Vec<u8>, id: Option<RequestId>) -> bool {
    let Some(id) = id else { return false };
    let event = format!("event: message\ndata: {}\n\n", json!(too_large(id)));
    passed.extend_from_slice(event.as_bytes());
    true
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn passed(most: usize, of: Option<RequestId>, chunks: &[&[u8]]) -> String {
        let mut lines = Lines { most, of, is_first: true, ..Lines::default() };
        let passed: Vec<_> = chunks.iter().map(|it| lines.pass(it)).collect();
        String::from_utf8(passed.concat()).unwrap()
    }

    #[test]
    fn leaves_out_lines_that_are_no_field() {
        for (sent, read) in [
            ("data: 1\n\ndata:2\r\n\r\n", "data: 1\n\ndata:2\n\n"),
            ("retry: soon\n: x\nmore: y\ndata\n\nretry: 3\n\n", "data:\n\nretry: 3\n\n"),
            (
                "id: 1\nid: 2\nevent: a\nevent: b\ndata: 1\n\nid: 3\n\n",
                "id: 1\nevent: a\ndata: 1\n\nid: 3\n\n",
            ),
            ("\u{feff}data: \u{5e2d}\rdata: a:b\r\r", "data: \u{5e2d}\ndata: a:b\n\n"),
            ("data: 3\n\n: x\n\ndata: 4\n\n", "data: 3\n\n\ndata: 4\n\n"),
        ] {
            let sent = sent.as_bytes();
            assert_eq!(passed(64, None, &[sent]), read);
            let (one, two) = sent.split_at(4);
            assert_eq!(passed(64, None, &[one, two]), read, "in pieces");
        }
    }

    #[test]
    fn replaces_a_cut_character() {
        assert_eq!(passed(64, None, &[b"data: cut \xe5\xb8\n\n"]), "data: cut \u{fffd}\n\n");
    }

    #[test]
    fn reads_messages_of_events() {
        let event = Sse::default().data(r#"{"jsonrpc":"2.0","id":7,"result":{"a":"\ud83d"}}"#);
        let read: Value =
            serde_json::from_str(&readable_event(event, &Mask::default()).data.unwrap()).unwrap();
        assert_eq!(read["result"]["a"], "\u{fffd}");
    }

    #[test]
    fn address_to_post_to_keeps_its_key() {
        let mut mask = Mask::default();
        mask.add("hunter2hunter2");
        let mut event = Sse::default().data("/messages?key=hunter2hunter2");
        event.event = Some("endpoint".to_owned());
        let data = readable_event(event, &mask).data;
        assert_eq!(data.as_deref(), Some("/messages?key=hunter2hunter2"));
    }

    #[test]
    fn limits_events_of_many_lines() {
        let line = b"data: 12345678\r\n".as_slice();
        let end = b"\r\n".as_slice();
        let id = || Some(RequestId::Number(7));
        let small = passed(32, id(), &[line, line, end, line, line, end]);
        assert!(!small.contains("-32097"), "{small}");
        let large = passed(32, id(), &[line, line, line, line]);
        assert!(large.contains("-32097") && large.contains("\"id\":7"), "{large}");
    }

    #[test]
    fn answers_the_request_of_a_cut_event() {
        let large = "x".repeat(3_000);
        let first = format!(
            "data: {{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{{\"id\":1,\"t\":\"{large}\"}}}}\n\n"
        );
        let last = format!(
            "data: {{\"result\":{{\"t\":\"{large}\"}},\"jsonrpc\":\"2.0\",\"id\":\"a\"}}\r\n\r\n"
        );
        let middle = format!(
            "data: {{\"result\":{{\"t\":\"{large}\"}},\ndata: \"id\":8,\ndata: \"meta\":\"{large}\"}}\n\n"
        );
        for (event, id) in [(first, "7"), (last, "\"a\""), (middle, "8")] {
            for cut in [1_500, 2_990] {
                let (one, two) = event.as_bytes().split_at(cut);
                let text = passed(2_000, None, &[b"data: 0\n\n", one, two, b"data: 1\n\n"]);
                assert!(text.starts_with("data: 0\n\n") && text.ends_with("\n\ndata: 1\n\n"));
                let errors: Vec<&str> = text.lines().filter(|it| it.contains("-32097")).collect();
                assert_eq!(errors.len(), 1, "{text}");
                assert!(errors[0].contains(&format!("\"id\":{id}")), "{}", errors[0]);
            }
        }
    }

    #[test]
    fn leaves_out_large_event_that_answers_nothing() {
        let large = "y".repeat(3_000);
        for event in [
            large.clone(),
            format!(r#"{{"method":"notifications/message","params":{{"id":7,"data":"{large}"}}}}"#),
            format!(r#"{{"id":7,"method":"sampling/createMessage","params":["{large}"]}}"#),
            format!(r#"{{"method":"sampling/createMessage","params":["{large}"],"id":7}}"#),
        ] {
            let event = format!("data: {event}\n\n");
            for of in [None, Some(RequestId::Number(7))] {
                let of = of.filter(|_| event.contains("method"));
                let read = passed(2_000, of, &[event.as_bytes(), b"data: 1\n\n"]);
                assert_eq!(read, "\ndata: 1\n\n", "{event:.60}");
            }
        }
    }

    #[test]
    fn comments_count_for_no_event() {
        let answer = format!("data: {{\"id\":7,\"result\":\"{}\"}}\n\n", "y".repeat(1_000));
        let comments = ": \"result\", and so on\n".repeat(1_000);
        let read = passed(2_000, None, &[comments.as_bytes(), answer.as_bytes()]);
        assert_eq!(read, answer);
        let comment = format!(":{}\n", "\"method\":{".repeat(1_000));
        let read = passed(2_000, None, &[comment.as_bytes(), answer.as_bytes()]);
        assert_eq!(read, answer, "one that is longer than an event may be");
        let large = answer.replace('y', "yyy");
        let read = passed(2_000, None, &[comments.as_bytes(), large.as_bytes()]);
        assert!(read.contains("-32097") && read.contains("\"id\":7"), "{read}");
    }
}
