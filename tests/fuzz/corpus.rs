//! Valid requests, and damage to their bytes on the way.

use proptest::{
    collection::vec,
    prelude::*,
    sample::{Index, select},
};
use tests::client::{LEGACY, MODERN};

use crate::request::{Request, SESSION, STATE};

const META: &str = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"fuzz","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}"#;

/// The same for a client with tasks.
const TAKES_TASKS: &str = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}"#;

/// Bytes with a meaning in some protocol.
const PIECES: [&[u8]; 20] = [
    b"\"",
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\n",
    b"\n\n",
    b"\r\n",
    b"\0",
    b"\xff",
    b"\\u",
    b"null",
    b"1e999",
    b"\xe5\xb8\xad",
    b"jsonrpc",
    b"2.0",
    b"chunked",
];

fn modern(method: &str, name: Option<&str>, params: &str) -> Request {
    modern_as(META, method, name, params)
}

fn modern_as(meta: &str, method: &str, name: Option<&str>, params: &str) -> Request {
    let mut headers = vec![
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", MODERN),
        ("mcp-method", method),
    ];
    headers.extend(name.map(|it| ("mcp-name", it)));
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params}"_meta":{meta}}}}}"#
    );
    Request::of("POST /mcp HTTP/1.1", &headers, &body)
}

fn legacy(body: &str) -> Request {
    let headers = [
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", LEGACY),
        ("mcp-session-id", SESSION),
    ];
    Request::of("POST /mcp HTTP/1.1", &headers, body)
}

/// One valid request of each kind.
pub(crate) fn requests() -> Vec<Request> {
    let json =
        [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
    let events = [("accept", "text/event-stream"), ("mcp-session-id", SESSION)];
    let answered = format!(
        r#""name":"greet","arguments":{{}},"requestState":"{STATE}","inputResponses":{{"name":{{"action":"accept","content":{{"name":"x"}}}}}},"#
    );
    vec![
        modern(
            "tools/call",
            Some("echo"),
            r#""name":"echo","arguments":{"value":{"a":[1,2.5,"席"]}},"#,
        ),
        modern("tools/call", Some("greet"), r#""name":"greet","arguments":{},"#),
        modern("tools/call", Some("greet"), &answered),
        modern_as(
            TAKES_TASKS,
            "tools/call",
            Some("echo"),
            r#""name":"echo","arguments":{"value":{}},"task":{"ttl":1},"#,
        ),
        modern_as(TAKES_TASKS, "tasks/get", Some("a"), r#""taskId":"a","#),
        modern_as(
            TAKES_TASKS,
            "tasks/update",
            Some("a"),
            r#""taskId":"a","inputResponses":{"name":{"action":"accept","content":{}}},"#,
        ),
        modern_as(TAKES_TASKS, "tasks/cancel", Some("a"), r#""taskId":"a","#),
        modern("tasks/get", Some("a"), r#""taskId":"a","#),
        modern("tools/list", None, ""),
        modern("server/discover", None, ""),
        modern("subscriptions/listen", None, r#""notifications":{"toolsListChanged":true},"#),
        legacy(
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"value":{}}}}"#,
        ),
        legacy(
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet","arguments":{}}}"#,
        ),
        legacy(r#"{"jsonrpc":"2.0","id":"a","method":"tools/list"}"#),
        legacy(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#),
        Request::of("GET /mcp HTTP/1.1", &events, ""),
        Request::of("DELETE /mcp HTTP/1.1", &events, ""),
        Request::of(
            "POST /mcp HTTP/1.1",
            &json,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"fuzz","version":"1"}}}"#,
        ),
        Request::of(
            "POST /rpc HTTP/1.1",
            &json,
            r#"{"jsonrpc":"2.0","id":1,"method":"echo","params":{"value":{"a":1}}}"#,
        ),
        Request::of(
            "POST /rpc HTTP/1.1",
            &json,
            r#"[{"jsonrpc":"2.0","id":1,"method":"whoami"},{"jsonrpc":"2.0","method":"whoami"}]"#,
        ),
    ]
}

/// The bodies of the requests above that go over standard input as well.
pub(crate) fn lines() -> Vec<Vec<u8>> {
    let bodies = requests().into_iter().filter(|it| it.path() == "/mcp").filter_map(|request| {
        let end = request.0.windows(2).position(|it| it == b"\n\n")?;
        Some(request.0[end + 2..].to_vec())
    });
    bodies.filter(|it| !it.is_empty()).collect()
}

/// Damage to bytes.
#[derive(Clone, Debug)]
enum Accident {
    Flip(Index, u8),
    Cut(Index, u16),
    Insert(Index, Vec<u8>),
    Repeat(Index, u16, u8),
    Swap(Index, Index),
}

fn accident() -> impl Strategy<Value = Accident> {
    let at = any::<Index>;
    let piece =
        prop_oneof![select(PIECES.to_vec()).prop_map(<[u8]>::to_vec), vec(any::<u8>(), 1..8),];
    prop_oneof![
        3 => (at(), 0..8_u8).prop_map(|(at, bit)| Accident::Flip(at, bit)),
        2 => (at(), 1..200_u16).prop_map(|(at, length)| Accident::Cut(at, length)),
        3 => (at(), piece).prop_map(|(at, piece)| Accident::Insert(at, piece)),
        1 => (at(), 1..100_u16, 1..20_u8).prop_map(|(at, length, n)| Accident::Repeat(at, length, n)),
        1 => (at(), at()).prop_map(|(a, b)| Accident::Swap(a, b)),
    ]
}

fn happens(bytes: &mut Vec<u8>, accident: Accident) {
    if bytes.is_empty() {
        return;
    }
    let end = |at: usize, length: u16| bytes.len().min(at + usize::from(length));
    match accident {
        Accident::Flip(at, bit) => {
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
        }
        Accident::Cut(at, length) => {
            let at = at.index(bytes.len());
            bytes.drain(at..end(at, length));
        }
        Accident::Insert(at, piece) => {
            let at = at.index(bytes.len());
            bytes.splice(at..at, piece);
        }
        Accident::Repeat(at, length, times) => {
            let at = at.index(bytes.len());
            let piece = bytes[at..end(at, length)].repeat(usize::from(times));
            bytes.splice(at..at, piece);
        }
        Accident::Swap(a, b) => {
            let (a, b) = (a.index(bytes.len()), b.index(bytes.len()));
            bytes.swap(a, b);
        }
    }
}

/// `right` with some damage.
pub(crate) fn damaged(right: Vec<Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    (select(right), vec(accident(), 1..6)).prop_map(|(mut bytes, accidents)| {
        for accident in accidents {
            happens(&mut bytes, accident);
        }
        bytes
    })
}

/// A valid request with some damage, or random bytes.
pub(crate) fn request() -> impl Strategy<Value = Request> {
    let right = requests().into_iter().map(|it| it.0).collect();
    let noise = vec(any::<u8>(), 0..400).prop_map(|mut body| {
        let mut bytes = b"POST /mcp HTTP/1.1\ncontent-type: application/json\naccept: application/json, text/event-stream\n\n".to_vec();
        bytes.append(&mut body);
        bytes
    });
    prop_oneof![
        12 => damaged(right),
        2 => noise,
        1 => vec(any::<u8>(), 0..400),
    ]
    .prop_map(Request)
}
