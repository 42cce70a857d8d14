//! Messages of upstream servers in a form that the SDK can read.

use std::{borrow::Cow, collections::BTreeMap};

use base::{grants::secret::Mask, json};
use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, stream::BoxStream};
use reqwest::Response;
use rmcp::model::{ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage};
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json, value::RawValue};
use sse_stream::{Error as SseError, Sse, SseStream};

use crate::wire::Envelope;

/// Error code in place of an unreadable answer.
pub(super) const UNREADABLE: ErrorCode = ErrorCode(-32_096);
/// Error code in place of a too large answer.
pub(super) const TOO_LARGE: ErrorCode = ErrorCode(-32_097);

/// Member of a result that comes back to its server.
const STATE: &str = "requestState";

/// Error in place of an invalid message.
pub(super) fn no_message(error: &str, id: RequestId) -> ServerJsonRpcMessage {
    unusable(&format!("its answer is no message in JSON: {}", json::explain(error)), id)
}

/// Error in place of an answer that cannot be used.
pub(super) fn unusable(why: &str, id: RequestId) -> ServerJsonRpcMessage {
    ServerJsonRpcMessage::error(ErrorData::new(UNREADABLE, why.to_owned(), None), Some(id))
}

/// The message in the body of an answer to the request `id`, or its error.
pub(super) fn answer(body: &str, id: RequestId) -> ServerJsonRpcMessage {
    serde_json::from_str(body).unwrap_or_else(|error| match Answer::of(body) {
        Some(Answer { wrong: Some(why), .. }) => unusable(why, id),
        _ => no_message(&error.to_string(), id),
    })
}

/// A message that is no request and no notification.
struct Answer {
    id: Option<RequestId>,
    /// What keeps it from being an answer of JSON-RPC 2.0.
    wrong: Option<&'static str>,
}

impl Answer {
    fn of(json: &str) -> Option<Self> {
        if json.trim_start().starts_with('[') {
            let all: Vec<&RawValue> = serde_json::from_str(json).ok()?;
            let id = all.iter().find_map(|it| Self::of(it.get())?.id);
            let wrong = Some("its answer is an array, and there are no batches");
            return Some(Self { id, wrong });
        }
        let members: BTreeMap<Cow<'_, str>, &RawValue> = serde_json::from_str(json).ok()?;
        let member = |name: &str| members.get(name).map(|it| it.get());
        if member("method").is_some() {
            return None;
        }
        let wrong = match (member("jsonrpc"), member("result").or(member("error"))) {
            (None, _) => Some("its answer has no jsonrpc, where \"2.0\" is right"),
            (Some(it), _) if it != "\"2.0\"" => Some("its answer has another jsonrpc than \"2.0\""),
            (_, None) => Some("its answer has neither a result nor an error"),
            _ => None,
        };
        let id = member("id").and_then(|it| serde_json::from_str(it).ok());
        Some(Self { id, wrong })
    }
}

/// Error in place of a too large answer.
pub(super) fn too_large(id: RequestId) -> ServerJsonRpcMessage {
    let error = ErrorData::new(TOO_LARGE, "the answer is too large", None);
    ServerJsonRpcMessage::error(error, Some(id))
}

/// The message in `text`, as the SDK can read it. An answer that is no JSON, or none of JSON-RPC, becomes the error of its
/// request: an unreadable message answers nothing, and its request would go on waiting.
pub(super) fn readable<'a>(text: &'a str, mask: &Mask) -> Cow<'a, str> {
    let text = masked(without_halves(text.strip_prefix('\u{feff}').unwrap_or(text)), mask);
    let Err(error) = serde_json::from_str::<IgnoredAny>(&text) else {
        let text = with_error(&text).map_or(text, Cow::Owned);
        let Some(Answer { id: Some(id), wrong: Some(why) }) = Answer::of(&text) else {
            return text;
        };
        return json!(unusable(why, id)).to_string().into();
    };
    let envelope = Envelope::of(text.as_bytes());
    let Some(id) = envelope.answered().filter(|_| envelope.has_answer) else { return text };
    json!(no_message(&error.to_string(), id)).to_string().into()
}

/// The message in `json` without secrets of its server, which it may say back.
fn masked<'a>(json: Cow<'a, str>, mask: &Mask) -> Cow<'a, str> {
    // JSON may write any character of a secret as an escape.
    let may_be_escaped = !mask.is_empty() && ["\\u", "\\/"].iter().any(|it| json.contains(it));
    if !may_be_escaped && !mask.is_in(&json) && !json.contains(STATE) {
        return json;
    }
    let Ok(mut message) = serde_json::from_str::<Value>(&json) else {
        return mask.text(&json).into();
    };
    // The server needs its state as it was, and gets it so.
    let state = message.pointer_mut("/result").and_then(Value::as_object_mut);
    let state =
        state.and_then(|it| Some((mask.marked(it.get(STATE)?.as_str()?), it.remove(STATE)?)));
    let mut is_changed = state.as_ref().is_some_and(|(marked, it)| it != marked);
    for part in ["result", "error", "params"] {
        is_changed |= message.get_mut(part).is_some_and(|it| mask.json(it));
    }
    if let Some((marked, _)) = state {
        message["result"][STATE] = marked.into();
    }
    if is_changed { message.to_string().into() } else { json }
}

/// The answer in `json` with its error as JSON-RPC defines it, a number and a text without a result beside it, or
/// without an error that is null beside a result. `None` if nothing is to be changed. Servers write errors in many ways, and their refusals must stay
/// readable.
fn with_error(json: &str) -> Option<String> {
    json.contains("\"error\"").then_some(())?;
    let mut answer: Map<String, Value> = serde_json::from_str(json).ok()?;
    let error = answer.get("error").filter(|_| !answer.contains_key("method"))?;
    if serde_json::from_value::<ErrorData>(error.clone()).is_ok() {
        answer.remove("result")?;
        return Some(json!(answer).to_string());
    }
    if error.is_null() {
        answer.contains_key("result").then(|| answer.remove("error"))?;
        return Some(json!(answer).to_string());
    }
    let text = |it: &Value| match it {
        Value::Null => None,
        Value::String(it) => Some(it.clone()),
        it => Some(it.to_string()),
    };
    let (code, message) = match error {
        Value::Object(it) => (it.get("code"), it.get("message").and_then(text)),
        it => (None, text(it)),
    };
    let number = code.and_then(|it| it.as_f64().or_else(|| it.as_str()?.parse().ok()));
    let number = number
        .filter(|it| it.fract() == 0.0 && f64::from(i32::MIN) <= *it && *it <= f64::from(i32::MAX));
    let mut message = message.unwrap_or_else(|| "it says no reason".to_owned());
    if let Some(code) = code.filter(|_| number.is_none()).and_then(text) {
        message = format!("{code}: {message}");
    }
    let code = number.map_or(ErrorCode::INTERNAL_ERROR.0, |it| it as i32);
    let data = error.get("data").cloned();
    answer.insert("error".to_owned(), json!(ErrorData::new(ErrorCode(code), message, data)));
    answer.remove("result");
    Some(json!(answer).to_string())
}

/// `json` with U+FFFD in place of each escape that is half of a surrogate pair. A text that was cut in the middle of a
/// character ends in one, which is valid JSON but no text that can be stored here.
fn without_halves(json: &str) -> Cow<'_, str> {
    let unit = |at: usize| {
        let digits = json.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let (mut whole, mut kept, mut at) = (String::new(), 0, 0);
    while let Some(found) =
        json.as_bytes().get(at..).and_then(|it| it.iter().position(|it| *it == b'\\'))
    {
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

// Event streams of upstream servers: limited, and corrected for the parser and the SDK.

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
        self.is_answered = event_answer(passed, self.answered(false));
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
        } else if !self.is_answered && !event_answer(passed, self.answered(true)) {
            tracing::warn!(target: "server", most = self.most, "an event that is too large answers nothing");
        }
        (self.event, self.is_cut, self.is_first) = (0, false, false);
        self.seen.clear();
        self.envelope = Envelope::default();
    }
}

/// Writes the error for request `id`, if known.
fn event_answer(passed: &mut Vec<u8>, id: Option<RequestId>) -> bool {
    let Some(id) = id else { return false };
    let event = format!("event: message\ndata: {}\n\n", json!(too_large(id)));
    passed.extend_from_slice(event.as_bytes());
    true
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn reads_text_cut_within_a_character() {
        let answer = |text: &str| {
            format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"content":[],"a":"{text}"}}}}"#)
        };
        for (sent, read) in [
            (r"cut \ud83d", "cut \u{fffd}"),
            (r"\uDE00\ud83d\uD83D\uDE00", "\u{fffd}\u{fffd}\u{1f600}"),
            (r"\\ud83d \u00e9\n席", "\\ud83d é\n席"),
            (r"\ud83d\u0041", "\u{fffd}A"),
        ] {
            let (sent, wanted) = (answer(sent), json!(read));
            let read: Value = serde_json::from_str(&readable(&sent, &Mask::default())).unwrap();
            assert_eq!(read["result"]["a"], wanted, "{sent}");
        }
        let whole = answer(r#"\ud83d\ude00 \\ \""#);
        assert!(matches!(readable(&whole, &Mask::default()), Cow::Borrowed(_)), "as it is");
    }

    #[test]
    fn masks_secret_however_it_is_escaped() {
        let mut mask = Mask::default();
        mask.add("abcdef==");
        for sent in ["abcdef==", r"abcdef\u003d\u003d", r"\u0061bcdef=\u003D"] {
            let sent = format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"a":["x {sent}"]}}}}"#);
            let read: Value = serde_json::from_str(&readable(&sent, &mask)).unwrap();
            assert_eq!(read["result"]["a"][0], "x [secret]", "{sent}");
        }
        let other = r#"{"jsonrpc":"2.0","id":7,"result":{"a":"\u3042","n":1.50}}"#;
        assert!(matches!(readable(other, &mask), Cow::Borrowed(_)), "as it is");
    }

    #[test]
    fn state_of_a_round_can_be_given_back_whole() {
        let mut mask = Mask::default();
        mask.add("abcdef==");
        for secret in ["abcdef==", r"abcdef\u003d="] {
            let sent =
                format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"requestState":"a {secret}"}}}}"#);
            let read: Value = serde_json::from_str(&readable(&sent, &mask)).unwrap();
            assert!(!read.to_string().contains("abcdef"), "{read}");
            let state = read["result"]["requestState"].as_str().unwrap();
            assert_eq!(mask.revealed(state), "a abcdef==");
        }
    }

    #[test]
    fn mark_of_a_client_in_a_state_reveals_nothing() {
        let mut mask = Mask::default();
        mask.add("abcdef==");
        for mask in [mask, Mask::default()] {
            for state in ["you said [secret:0]", "[secret:0] abcdef== [secret:"] {
                let result = json!({ "requestState": state, "inputRequests": {} });
                let sent = json!({ "jsonrpc": "2.0", "id": 7, "result": result }).to_string();
                let read: Value = serde_json::from_str(&readable(&sent, &mask)).unwrap();
                assert_eq!(mask.revealed(read["result"]["requestState"].as_str().unwrap()), state);
            }
        }
    }

    #[test]
    fn error_stands_without_a_result_beside_it() {
        let error = r#""error":{"code":-32602,"message":"no such city"}"#;
        let sent = format!(r#"{{"jsonrpc":"2.0","id":7,"result":null,{error}}}"#);
        let read: ServerJsonRpcMessage =
            serde_json::from_str(&readable(&sent, &Mask::default())).unwrap();
        assert!(
            matches!(read, ServerJsonRpcMessage::Error(it) if it.error.message == "no such city")
        );
        let sent = format!(r#"{{"jsonrpc":"2.0","id":7,{error}}}"#);
        assert!(matches!(readable(&sent, &Mask::default()), Cow::Borrowed(_)), "as it is");
    }

    #[test]
    fn answer_of_another_form_fails_its_request() {
        for (text, what) in [
            (r#"{"jsonrpc":"2.0","id":7}"#, "neither a result nor an error"),
            (r#"{"jsonrpc":"1.0","id":7,"result":{}}"#, "another jsonrpc"),
            (r#"{"jsonrpc":2.0,"id":7,"error":{"code":1,"message":"a"}}"#, "another jsonrpc"),
            (r#"{"id":7,"result":{}}"#, "no jsonrpc"),
            (r#"[{"jsonrpc":"2.0","id":7,"result":{}}]"#, "an array"),
            (
                r#" [{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","id":7,"result":{}}]"#,
                "an array",
            ),
        ] {
            let error: Value = serde_json::from_str(&readable(text, &Mask::default())).unwrap();
            assert_eq!((&error["id"], &error["error"]["code"]), (&7.into(), &json!(UNREADABLE.0)));
            assert!(error["error"]["message"].as_str().unwrap().contains(what), "{error}");
        }
        for text in [
            r#"{"jsonrpc":"2.0","id":7,"result":null}"#,
            r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/message"}"#,
            r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":[7]}"#,
            "[1]",
            "5",
        ] {
            assert_eq!(readable(text, &Mask::default()), text, "as it is");
        }
        for (body, what) in [
            (r#"[]"#, "an array"),
            (r#"{"jsonrpc":"2.0"}"#, "neither a result nor an error"),
            ("5", "another form"),
            ("{", "too early"),
        ] {
            let error = json!(answer(body, RequestId::Number(7)));
            assert_eq!(error["id"], 7);
            assert!(error["error"]["message"].as_str().unwrap().contains(what), "{error}");
        }
    }

    #[test]
    fn non_json_answer_fails_its_request() {
        for (text, id) in [
            (r#"{"jsonrpc":"2.0","id":7,"result":{"x":NaN}}"#, 7.into()),
            (r#"{"result":{"x":Infinity},"jsonrpc":"2.0","id":"a"}"#, json!("a")),
        ] {
            let error: Value = serde_json::from_str(&readable(text, &Mask::default())).unwrap();
            assert_eq!((&error["id"], &error["error"]["code"]), (&id, &json!(UNREADABLE.0)));
            assert!(error["error"]["message"].as_str().unwrap().contains("JSON"), "{error}");
        }
        for text in [
            "Server running",
            "{\"id\":7,\"method\":\"ping\",",
            r#"{"jsonrpc":"2.0","id":7,"method":"a/b","params":{"result":NaN}}"#,
        ] {
            assert_eq!(readable(text, &Mask::default()), text, "it answers nothing");
        }
    }

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
