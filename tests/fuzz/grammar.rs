//! Requests generated from the terms of JSON-RPC and MCP, with random changes.

use proptest::{
    collection::vec,
    prelude::*,
    sample::{Index, select},
};
use tests::client::{LEGACY, MODERN};

use crate::request::{Json, Request, SESSION, STATE, Twist, object, raw, string};

/// The protocol and the session of a request.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Protocol {
    Modern,
    Session,
    NoSession,
    Rpc,
}

/// An unfit value.
fn odd() -> impl Strategy<Value = String> {
    let few = [
        "null",
        "true",
        "0",
        "-1",
        "1.5",
        "1e2",
        "1e400",
        "18446744073709551616",
        "\"\"",
        "\"席\"",
        "\"\\ud800\"",
        "\"\\u0000\"",
        "[]",
        "{}",
        "[null]",
        "{\"__proto__\":{}}",
        "nul",
        "\"2025-11-25\"",
        "\"echo\"",
        "\"made.up\"",
        "{\"name\":{\"action\":\"accept\",\"content\":{\"name\":\"x\"}}}",
        "{\"name\":{\"action\":\"maybe\",\"content\":[]}}",
        "{\"name\":7}",
    ];
    prop_oneof![
        12 => select(few.to_vec()).prop_map(str::to_owned),
        1 => (1..400_usize).prop_map(|deep| format!("{}{}", "[".repeat(deep), "]".repeat(deep))),
        1 => (1..400_usize).prop_map(|deep| format!("{}1{}", "{\"a\":".repeat(deep), "}".repeat(deep))),
        1 => (1..100_000_usize).prop_map(|long| format!("\"{}\"", "x".repeat(long))),
        1 => (1..10_000_usize).prop_map(|many| format!("[{}0]", "0,".repeat(many))),
        1 => Just(format!("\"{STATE}\"")),
        1 => ".{0,40}".prop_map(|text| serde_json::Value::from(text).to_string()),
    ]
}

fn twist() -> impl Strategy<Value = Twist> {
    prop_oneof![
        2 => Just(Twist::Remove),
        1 => Just(Twist::Double),
        1 => select(NAMES.to_vec()).prop_map(Twist::Rename),
        3 => odd().prop_map(Twist::Replace),
        2 => (select(NAMES.to_vec()), odd()).prop_map(|(name, it)| Twist::Add(name, it)),
    ]
}

fn meta(protocol: Protocol, progress: bool) -> Json {
    let mut entries = Vec::new();
    if protocol == Protocol::Modern {
        let key = |name: &str| format!("io.modelcontextprotocol/{name}");
        let info = object([("name", string("fuzz")), ("version", string("1"))]);
        entries.push((key("protocolVersion"), string(MODERN)));
        entries.push((key("clientInfo"), info));
        entries.push((key("clientCapabilities"), raw("{\"elicitation\":{\"form\":{}}}")));
    }
    if progress {
        entries.push(("progressToken".to_owned(), string("p")));
    }
    Json::Object(entries)
}

/// Valid parameters of `method`.
fn params(protocol: Protocol, method: &str, tool: &str, answered: bool, progress: bool) -> Json {
    let mut entries = match method {
        "tools/call" => vec![("name", string(tool)), ("arguments", arguments(tool))],
        "prompts/get" => vec![("name", string(PROMPT)), ("arguments", raw("{\"topic\":\"tea\"}"))],
        "resources/read" | "resources/subscribe" => vec![("uri", string(RESOURCE))],
        "initialize" => vec![
            ("protocolVersion", string(LEGACY)),
            ("capabilities", raw("{\"elicitation\":{}}")),
            ("clientInfo", object([("name", string("fuzz")), ("version", string("1"))])),
        ],
        "subscriptions/listen" => {
            let all =
                "{\"toolsListChanged\":true,\"resourceSubscriptions\":[\"library://books/7\"]}";
            vec![("notifications", raw(all))]
        }
        "completion/complete" => vec![
            ("ref", raw("{\"type\":\"ref/prompt\",\"name\":\"recommend\"}")),
            ("argument", raw("{\"name\":\"topic\",\"value\":\"t\"}")),
        ],
        "logging/setLevel" => vec![("level", string("debug"))],
        "notifications/cancelled" => vec![("requestId", raw("1")), ("reason", string("why"))],
        "notifications/progress" => vec![("progressToken", string("p")), ("progress", raw("1"))],
        _ => vec![],
    };
    if answered {
        entries.push(("requestState", string(STATE)));
        let answer = "{\"name\":{\"action\":\"accept\",\"content\":{\"name\":\"x\"}}}";
        entries.push(("inputResponses", raw(answer)));
    }
    entries.push(("_meta", meta(protocol, progress)));
    Json::Object(entries.into_iter().map(|(name, it)| (name.to_owned(), it)).collect())
}

fn arguments(tool: &str) -> Json {
    match tool {
        "echo" => object([("value", object([("席", string("A1")), ("b", raw("[1,2.5,null]"))]))]),
        "count_slowly" => object([("steps", raw("2"))]),
        "ring" => object([("uri", string(RESOURCE))]),
        "by_header" => object([("hall", string("A"))]),
        _ => object([]),
    }
}

fn id(method: &str) -> Option<Json> {
    (!method.starts_with("notifications/")).then(|| raw("1"))
}

fn message(protocol: Protocol, method: &str, tool: &str, answered: bool, progress: bool) -> Json {
    let mut entries = vec![("jsonrpc".to_owned(), string("2.0"))];
    entries.extend(id(method).map(|it| ("id".to_owned(), it)));
    let is_tool = protocol == Protocol::Rpc && method == "tools/call";
    entries.push(("method".to_owned(), string(if is_tool { tool } else { method })));
    let params = match is_tool {
        true => arguments(tool),
        false => params(protocol, method, tool, answered, progress),
    };
    entries.push(("params".to_owned(), params));
    Json::Object(entries)
}

fn headers(protocol: Protocol, method: &str, tool: &str) -> Vec<(String, String)> {
    let mut headers = vec![
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
    ];
    match protocol {
        Protocol::Modern => {
            headers.push(("mcp-protocol-version", MODERN));
            headers.push(("mcp-method", method));
            match method {
                "tools/call" => headers.push(("mcp-name", tool)),
                "prompts/get" => headers.push(("mcp-name", PROMPT)),
                "resources/read" => headers.push(("mcp-name", RESOURCE)),
                _ => {}
            }
        }
        Protocol::Session => {
            headers.push(("mcp-protocol-version", LEGACY));
            headers.push(("mcp-session-id", SESSION));
        }
        Protocol::NoSession | Protocol::Rpc => {}
    }
    headers.into_iter().map(|(name, it)| (name.to_owned(), it.to_owned())).collect()
}

/// A change of the headers.
#[derive(Clone, Debug)]
enum HeaderTwist {
    Remove,
    Double,
    Replace(&'static str),
    Add(&'static str, &'static str),
    Long(&'static str, usize),
}

fn header_twist() -> impl Strategy<Value = HeaderTwist> {
    let (names, values) = (|| select(HEADERS.to_vec()), || select(VALUES.to_vec()));
    prop_oneof![
        3 => Just(HeaderTwist::Remove),
        1 => Just(HeaderTwist::Double),
        3 => values().prop_map(HeaderTwist::Replace),
        4 => (names(), values()).prop_map(|(name, it)| HeaderTwist::Add(name, it)),
        1 => (names(), 1..20_000_usize).prop_map(|(name, long)| HeaderTwist::Long(name, long)),
    ]
}

fn twist_headers(headers: &mut Vec<(String, String)>, at: Index, twist: HeaderTwist) {
    let at = at.index(headers.len().max(1));
    match twist {
        HeaderTwist::Add(name, value) => headers.push((name.to_owned(), value.to_owned())),
        HeaderTwist::Long(name, long) => headers.push((name.to_owned(), "x".repeat(long))),
        _ if headers.is_empty() => {}
        HeaderTwist::Remove => _ = headers.remove(at),
        HeaderTwist::Double => headers.push(headers[at].clone()),
        HeaderTwist::Replace(value) => headers[at].1 = value.to_owned(),
    }
}

/// The shape of a body.
#[derive(Clone, Debug)]
enum Shape {
    One,
    Batch(usize),
    /// An unsolicited response.
    Answer,
    Error,
}

fn shape() -> impl Strategy<Value = Shape> {
    prop_oneof![
        20 => Just(Shape::One),
        1 => (0..4_usize).prop_map(Shape::Batch),
        1 => Just(Shape::Answer),
        1 => Just(Shape::Error),
    ]
}

fn lines() -> impl Strategy<Value = (&'static str, &'static str)> {
    let methods = ["GET", "DELETE", "HEAD", "OPTIONS", "PUT", "PATCH", "BREW"];
    let paths = ["/mcp/", "/mcp?x=1", "//mcp", "/rpc/", "/api/health", "/", "/mcp/../rpc"];
    prop_oneof![
        24 => Just(("POST", "")),
        3 => select(methods.to_vec()).prop_map(|it| (it, "")),
        1 => select(paths.to_vec()).prop_map(|it| ("POST", it)),
    ]
}

/// One changed message of the grammar, in the terms of one protocol.
fn twisted(protocol: Protocol) -> impl Strategy<Value = (String, &'static str, &'static str)> {
    let what = (select(METHODS.to_vec()), select(TOOLS.to_vec()), 0..8_u8, 0..4_u8, shape());
    let twists = vec((any::<Index>(), any::<Index>(), twist()), 0..3);
    (what, twists).prop_map(move |((method, tool, answered, progress, shape), twists)| {
        let mut body = match shape {
            Shape::Answer => {
                object([("jsonrpc", string("2.0")), ("id", raw("1")), ("result", object([]))])
            }
            Shape::Error => {
                let error = object([("code", raw("-1")), ("message", string("no"))]);
                object([("jsonrpc", string("2.0")), ("id", raw("1")), ("error", error)])
            }
            Shape::One | Shape::Batch(_) => {
                message(protocol, method, tool, answered == 0, progress == 0)
            }
        };
        if let Shape::Batch(many) = shape {
            body = Json::Array(vec![body; many]);
        }
        for (object, entry, twist) in &twists {
            body.twist(*object, *entry, twist);
        }
        (body.text(), method, tool)
    })
}

/// A request of the grammar over HTTP.
pub(crate) fn request() -> impl Strategy<Value = Request> {
    let protocols = [
        Protocol::Modern,
        Protocol::Modern,
        Protocol::Modern,
        Protocol::Session,
        Protocol::NoSession,
        Protocol::Rpc,
    ];
    select(protocols.to_vec()).prop_flat_map(|protocol| {
        let header_twists = vec((any::<Index>(), header_twist()), 0..3);
        (twisted(protocol), lines(), header_twists).prop_map(move |(message, line, twists)| {
            let (body, method, tool) = message;
            let mut headers = headers(protocol, method, tool);
            for (at, twist) in twists {
                twist_headers(&mut headers, at, twist);
            }
            let own = if protocol == Protocol::Rpc { "/rpc" } else { "/mcp" };
            let path = if line.1.is_empty() { own } else { line.1 };
            Request::of(&format!("{} {path} HTTP/1.1", line.0), &headers, &body)
        })
    })
}

/// A message of the grammar as a line.
pub(crate) fn line() -> impl Strategy<Value = String> {
    select(vec![Protocol::Modern, Protocol::NoSession])
        .prop_flat_map(twisted)
        .prop_map(|(body, _, _)| body.replace('\n', " "))
}

// Terms of the grammar: methods, tools, members, headers and their values.

/// Methods of some revision, and some that never existed.
const METHODS: [&str; 24] = [
    "tools/call",
    "tools/call",
    "tools/call",
    "tools/call",
    "tools/list",
    "tools/list",
    "server/discover",
    "initialize",
    "ping",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "resources/subscribe",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "logging/setLevel",
    "subscriptions/listen",
    "notifications/initialized",
    "notifications/cancelled",
    "notifications/progress",
    "tasks/get",
    "no/such",
    "",
];
const TOOLS: [&str; 10] = [
    "echo",
    "echo",
    "greet",
    "greet_twice",
    "count_slowly",
    "whoami",
    "ring",
    "chat",
    "by_header",
    "no_such_tool",
];
/// An existing prompt and an existing resource.
const PROMPT: &str = "recommend";
const RESOURCE: &str = "library://books/7";
/// Names of members of some message.
const NAMES: [&str; 18] = [
    "_meta",
    "arguments",
    "cursor",
    "error",
    "id",
    "inputResponses",
    "io.modelcontextprotocol/clientCapabilities",
    "io.modelcontextprotocol/protocolVersion",
    "jsonrpc",
    "method",
    "name",
    "params",
    "progressToken",
    "requestState",
    "result",
    "task",
    "uri",
    "値",
];
const HEADERS: [&str; 20] = [
    "accept",
    "accept-language",
    "authorization",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "expect",
    "host",
    "last-event-id",
    "mcp-method",
    "mcp-name",
    "mcp-param-value",
    "mcp-protocol-version",
    "mcp-session-id",
    "origin",
    "te",
    "traceparent",
    "transfer-encoding",
    "x-forwarded-for",
];
const VALUES: [&str; 26] = [
    "",
    " ",
    "*/*",
    "-1",
    "0",
    "3",
    "99999999999999999999",
    "100-continue",
    "2024-11-05",
    "2025-11-25",
    "2026-07-28",
    "2099-01-01",
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    "=?base64?ZWNobw==?=",
    "=?base64?%%%?=",
    "Bearer mdg_nobody",
    "application/json",
    "application/json;q=0, text/event-stream;q=1.5",
    "chunked",
    "echo",
    "gzip",
    "http://elsewhere.example",
    "text/plain; charset=\"",
    "tools/call",
    "席, \u{1}\u{7f}",
    SESSION,
];
