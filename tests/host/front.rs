//! The public listener: authorization before bodies are read, budgets and time-outs.

mod timeouts;

use std::{fs, time::Duration};

use futures::{StreamExt, stream::FuturesUnordered};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tests::{
    client::{Client, LegacySession},
    component_bytes,
    process::{Process, command},
    server::{Folders, TestServer},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

const ANN: &str = "mdg_ann-at-the-front-door";

const BEN: &str = "mdg_ben-at-the-front-door";

/// Longer than anything here takes.
const LONG: Duration = tests::PATIENCE;

/// The configuration of the token of `name`.
fn entry(name: &str, token: &str) -> String {
    let digest = host::digest::digest(token.as_bytes());
    format!("[tokens.{name}]\nsha256 = '{digest}'\nscopes = ['*']\n")
}

/// A server of echo with these lines of configuration.
async fn serve(lines: &str) -> TestServer {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let config = folders.config_with(lines);
    TestServer::start(folders, |it| *it = config).await
}

/// A connection on which bytes are sent as they stand.
struct Raw(TcpStream);

impl Raw {
    async fn to(server: &TestServer) -> Self {
        Self(TcpStream::connect(server.server().addr.unwrap()).await.unwrap())
    }

    async fn send(&mut self, text: impl AsRef<[u8]>) {
        self.0.write_all(text.as_ref()).await.unwrap();
    }

    /// The head of a request to `path` and these headers, with a body of `length` bytes to come.
    async fn begin(&mut self, path: &str, headers: &str, length: usize) {
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{headers}content-length: {length}\r\n\r\n"
        );
        self.send(head).await;
    }

    /// Reads until `end`, or until the server closes.
    async fn until(&mut self, end: &str) -> String {
        let mut text = String::new();
        let read = async {
            let mut buffer = [0; 4096];
            while !text.contains(end) {
                match self.0.read(&mut buffer).await {
                    Ok(read @ 1..) => text += &String::from_utf8_lossy(&buffer[..read]),
                    _ => break,
                }
            }
        };
        tokio::time::timeout(LONG, read).await.expect("the server answers, or closes");
        text
    }

    /// The status of the next answer.
    async fn status(&mut self) -> u16 {
        let head = self.until("\r\n\r\n").await;
        head.split(' ').nth(1).and_then(|it| it.parse().ok()).unwrap_or_default()
    }

    /// Reads until the server closes.
    async fn rest(&mut self) -> String {
        self.until("\0 nothing that is sent").await
    }
}

/// A request of `/rpc` that calls echo.
fn rpc() -> String {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "echo", "params": { "value": {} } }).to_string()
}

async fn echoes(client: &Client) {
    assert_eq!(client.output("echo", json!({ "value": {} })).await, json!({ "value": {} }));
}

// Responses to unusual requests: unknown paths, wrong methods, batches, long names.

/// What clients that look for an authorization server, or for another transport, ask for.
const PROBED: [&str; 9] = [
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp",
    "/.well-known/oauth-authorization-server",
    "/.well-known/openid-configuration",
    "/authorize",
    "/register",
    "/token",
    "/sse",
    "/messages/",
];

#[tokio::test(flavor = "multi_thread")]
async fn unknown_paths_get_404() {
    for lines in [String::new(), entry("ann", ANN)] {
        let server = serve(&lines).await;
        let client = server.client();
        for path in PROBED {
            for method in [Method::GET, Method::POST] {
                let answer =
                    client.http(method, path).header("accept", "text/html").send().await.unwrap();
                assert_eq!(answer.status(), StatusCode::NOT_FOUND, "{path}");
                let body: Value = answer.json().await.expect("JSON");
                let text = body["error_description"].as_str().unwrap();
                assert!(text.contains("Authorization: Bearer"), "{path}: {text}");
            }
        }
        for path in ["/api", "/some/view", "/mcp/x", "/index", "/API/health"] {
            let answer = client.get(path).await;
            assert_eq!(answer.status(), StatusCode::NOT_FOUND, "{path}");
            assert_eq!(answer.json::<Value>().await.unwrap()["error"], "not_found", "{path}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_methods_get_405_with_the_allowed_ones() {
    let server = TestServer::with(&["assistant", "echo"]).await;
    for (method, path) in [
        (Method::GET, "/rpc"),
        (Method::POST, "/"),
        (Method::PUT, "/api/chat"),
        (Method::POST, "/api/health"),
        (Method::PATCH, "/mcp"),
    ] {
        let answer = server.client().http(method.clone(), path).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::METHOD_NOT_ALLOWED, "{method} {path}");
        assert!(answer.headers().contains_key("allow"), "{method} {path}: {answer:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn mcp_with_a_trailing_slash_is_the_same() {
    let server = serve(&entry("ann", ANN)).await;
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "_meta": Client::meta() } });
    let headers = [
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/list"),
    ];
    let ann = server.client_with(ANN).post("/mcp/", &headers, body.to_string()).await;
    let list: Value = ann.json().await.unwrap();
    assert!(list["result"]["tools"].is_array(), "{list}");
    let stranger = server.client().post("/mcp/", &headers, body.to_string()).await;
    assert_eq!(stranger.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(stranger.json::<Value>().await.unwrap()["jsonrpc"], "2.0");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_response_has_nosniff() {
    let server = serve("").await;
    for path in ["/rpc", "/api/nothing", "/api/health", "/register", "/mcp", "/"] {
        let answer = server.client().get(path).await;
        assert_eq!(answer.headers()["x-content-type-options"], "nosniff", "{path}");
    }
    let refused = server.client().post("/rpc", &[("origin", "http://evil.example")], rpc()).await;
    assert_eq!(refused.headers()["x-content-type-options"], "nosniff");
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_elsewhere_are_refused_without_an_origin_too() {
    let server = serve("").await;
    let client = server.client();
    for path in ["/rpc", "/mcp", "/api/chat", "/api/navigate", "/api/route", "/api/blobs"] {
        for site in ["cross-site", "same-site"] {
            let answer = client.post(path, &[("sec-fetch-site", site)], rpc()).await;
            assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{path} {site}");
        }
    }
    assert_eq!(client.post("/rpc", &[("sec-fetch-site", "none")], rpc()).await.status(), 200);
    let ftp = server.url().replace("http:", "ftp:");
    assert_eq!(client.post("/rpc", &[("origin", &ftp)], rpc()).await.status(), 403);
    let mut raw = Raw::to(&server).await;
    raw.send("GET / HTTP/1.1\r\nhost: localhost\r\nhost: localhost\r\n\r\n").await;
    assert_eq!(raw.status().await, 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn giant_name_is_neither_compared_nor_echoed() {
    let server = serve("").await;
    let client = server.client();
    // Made of characters of tool names.
    let giant = "greetecho".repeat(100_000);
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": giant, "params": {} });
    let answer = client.post("/rpc", &[], call.to_string()).await.text().await.unwrap();
    assert!(answer.contains("-32601") && !answer.contains("did you mean"), "{answer:.300}");
    assert!(answer.len() < 1_000, "{} bytes", answer.len());
    let session = LegacySession::open(&server.url()).await;
    for (method, params) in [
        ("tools/call", json!({ "name": giant, "arguments": {} })),
        ("prompts/get", json!({ "name": giant })),
        ("resources/read", json!({ "uri": giant })),
        (
            "completion/complete",
            json!({ "ref": { "type": "ref/prompt", "name": giant }, "argument": { "name": "a", "value": "b" } }),
        ),
        ("tools/list", json!({ "cursor": giant })),
        ("logging/setLevel", json!({ "level": giant })),
        (giant.as_str(), json!({})),
    ] {
        let answer = session.request(method, params).await.to_string();
        assert!(answer.contains("\"error\""), "{method:.30}: {answer:.300}");
        assert!(!answer.contains("did you mean"), "{method:.30}: {answer:.300}");
        assert!(answer.len() < 10_000, "{method:.30}: {} bytes: {answer:.300}", answer.len());
    }
    echoes(&client).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn request_id_is_returned_unchanged() {
    let server = serve("").await;
    for id in ["123456789012345678901234567890", "-0.10", "\"\\u7a93\"", "1e3", "null"] {
        for method in ["echo", "nothing"] {
            let body = format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{{\"value\":{{}}}}}}"
            );
            let answer = server.client().post("/rpc", &[], body).await.text().await.unwrap();
            assert!(answer.contains(&format!("\"id\":{id},")), "{answer}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_request_of_a_batch_counts_for_the_rate() {
    let rate = "rate = { requests_per_s = 1, burst = 4 }\n";
    for (lines, token) in [(rate.to_owned(), ""), (rate.to_owned() + &entry("ann", ANN), ANN)] {
        let server = serve(&lines).await;
        let client = if token.is_empty() { server.client() } else { server.client_with(token) };
        let batch = format!("[{}]", vec![rpc(); 10].join(","));
        let answers: Vec<Value> = client.post("/rpc", &[], batch).await.json().await.unwrap();
        let done = answers.iter().filter(|it| it["result"].is_object()).count();
        assert!((4..=6).contains(&done), "{answers:?}");
        let refused = &answers[9]["error"]["data"];
        assert_eq!(refused["error"], "rate_limited", "{answers:?}");
        assert!(refused["retry_after_ms"].is_u64(), "{refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn batch_items_without_room_for_answers_are_not_run() {
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "whoami" }).to_string();
    let batch = format!("[{}]", vec![request; 32].join(","));
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    // Each answer has more than twice the bytes of its request.
    let server = TestServer::start(folders, |it| it.body_bytes_max = batch.len()).await;
    let calls = || server.server().calls.watch.metrics.component("echo").calls;
    let before = calls();
    let answers = server.client().post("/rpc", &[], batch).await;
    assert_eq!(answers.headers()["content-type"], "application/json");
    let answers: Vec<Value> = answers.json().await.unwrap();
    assert_eq!(answers.len(), 32, "each is answered");
    let done = answers.iter().filter(|it| it["result"].is_object()).count();
    assert!((1..32).contains(&done), "{answers:?}");
    for refused in &answers[done..] {
        assert_eq!(refused["error"]["code"], -32000, "{refused}");
        assert_eq!(refused["error"]["data"]["error"], "limit_exceeded", "{refused}");
        assert!(refused["error"]["message"].as_str().unwrap().contains("fewer calls"));
    }
    assert_eq!(calls() - before, done as u64);
}

#[tokio::test(flavor = "multi_thread")]
async fn long_answers_waiting_for_readers_have_a_budget() {
    let lines = "body_bytes_max = 8388608\n[connections]\nanswers_bytes_max = 1048576\n";
    let server = serve(lines).await;
    // More than the system takes for a client that does not read.
    let params = json!({ "value": { "text": "x".repeat(7 << 20) } });
    let long = json!({ "jsonrpc": "2.0", "id": 1, "method": "echo", "params": params }).to_string();
    let mut raw = Raw::to(&server).await;
    raw.begin("/rpc", "", long.len()).await;
    raw.send(&long).await;
    assert_eq!(raw.status().await, 200, "one that is larger than all takes all");
    let busy = server.client().post("/rpc", &[], &*long).await;
    assert_eq!(busy.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert!(busy.headers().contains_key("retry-after"));
    let busy: Value = busy.json().await.unwrap();
    assert_eq!(busy["error"]["data"]["error"], "busy", "{busy}");
    echoes(&server.client()).await;
    // A client that goes holds nothing any more.
    drop(raw);
    tests::until("there is never room", async || {
        let answer = server.client().post("/rpc", &[], &*long).await;
        if answer.status() == StatusCode::SERVICE_UNAVAILABLE {
            return false;
        }
        assert_eq!(answer.status(), StatusCode::OK);
        let answer: Value = answer.json().await.unwrap();
        assert_eq!(answer["result"], params);
        true
    })
    .await;
}

// Request bodies: authorized first, and within a common budget.

/// Bodies of up to 100 kB, of which three fit.
const NARROW: &str = "body_bytes_max = 100000\n[chat]\nbody_bytes_max = 100000\n[connections]\nbodies_bytes_max = 300000\n";

#[tokio::test(flavor = "multi_thread")]
async fn unauthenticated_requests_are_rejected_before_their_bodies() {
    let password = "[chat]\npassword = { value = 'open' }\n";
    for (lines, is_open) in
        [(password.to_owned() + &entry("ann", ANN), false), (password.to_owned(), true)]
    {
        let server = serve(&lines).await;
        let paths = ["/api/chat", "/mcp", "/rpc", "/api/navigate", "/api/route", "/api/blobs"];
        for path in paths.iter().take(if is_open { 1 } else { paths.len() }) {
            let mut raw = Raw::to(&server).await;
            raw.begin(path, "", 3_000_000).await;
            assert_eq!(raw.status().await, 401, "{path}: and no byte was sent");
        }
        // Bodies without a length are not read to their end either.
        let mut raw = Raw::to(&server).await;
        raw.send(
            "POST /api/auth HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n",
        )
        .await;
        raw.send(format!("4000\r\n{}\r\n", "x".repeat(0x4000))).await;
        assert_eq!(raw.status().await, 413);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn cookie_allows_larger_chat_bodies_than_strangers_get() {
    let folders = Folders::new();
    for name in ["assistant", "cinema"] {
        folders.put(name, &component_bytes(name));
    }
    let lines = "[chat]\npassword = { value = 'open' }\n".to_owned() + &entry("ann", ANN);
    let config = folders.config_with(&lines);
    let server = TestServer::start(folders, |it| *it = config).await;
    let client = server.client();
    let entered = client.post("/api/auth", &[], "{\"password\": \"open\"}").await;
    let cookie =
        entered.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let body = json!({ "message": "こんにちは", "history": [
        { "role": "user", "parts": [{ "text": "x".repeat(50_000) }] },
        { "role": "model", "parts": [{ "text": "はい" }] },
    ] });
    let answer = client.post("/api/chat", &[("cookie", &cookie)], body.to_string()).await;
    assert_eq!(answer.status(), StatusCode::OK);
    let refused = client.post("/api/chat", &[], body.to_string()).await;
    assert_eq!(refused.status(), StatusCode::UNAUTHORIZED);
}

/// A request that is sent in part.
async fn half_sent(server: &TestServer, token: &str) -> Raw {
    let mut raw = Raw::to(server).await;
    let token =
        if token.is_empty() { String::new() } else { format!("authorization: Bearer {token}\r\n") };
    raw.begin("/rpc", &token, 95_000).await;
    raw.send(" ".repeat(90_000)).await;
    raw
}

/// Waits for the next answer, which must report a lack of room.
async fn next_is_busy(waiting: &mut FuturesUnordered<impl Future<Output = String>>) {
    let head = waiting.next().await.expect("one is left");
    assert!(head.starts_with("HTTP/1.1 503 ") && head.contains("retry-after"), "{head}");
}

/// Sends a large body until there is room for it.
async fn succeeds(server: &TestServer, token: &str) {
    tests::until("there is never room", async || {
        let mut raw = half_sent(server, token).await;
        raw.send(format!("{:5000}", rpc())).await;
        let status = raw.status().await;
        assert!([200, 503].contains(&status), "{status}");
        status == 200
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_in_memory_have_a_budget_over_all_requests() {
    let server = serve(NARROW).await;
    let mut waiting = FuturesUnordered::new();
    for _ in 0..6 {
        let mut raw = half_sent(&server, "").await;
        waiting.push(async move { raw.until("\r\n\r\n").await });
    }
    for _ in 0..3 {
        next_is_busy(&mut waiting).await;
    }
    echoes(&server.client()).await;
    // Abandoned requests free their budget.
    drop(waiting);
    succeeds(&server, "").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_of_one_caller_leave_room_for_others() {
    let server = serve(&(NARROW.to_owned() + &entry("ann", ANN) + &entry("ben", BEN))).await;
    let mut waiting = FuturesUnordered::new();
    for _ in 0..3 {
        let mut raw = half_sent(&server, ANN).await;
        waiting.push(async move { raw.until("\r\n\r\n").await });
    }
    for _ in 0..2 {
        next_is_busy(&mut waiting).await;
    }
    let mut raw = half_sent(&server, BEN).await;
    raw.send(format!("{:5000}", rpc())).await;
    assert_eq!(raw.status().await, 200, "half of all is one caller's");
    drop(waiting);
    succeeds(&server, ANN).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rejected_upload_is_answered_while_it_is_sent() {
    let server = serve("").await;
    let mut raw = Raw::to(&server).await;
    raw.begin("/rpc", "", 10 << 20).await;
    raw.send(vec![b'x'; 10 << 20]).await;
    assert_eq!(raw.status().await, 413);
}

#[tokio::test(flavor = "multi_thread")]
async fn body_of_too_many_values_is_rejected_everywhere() {
    let server = serve("").await;
    let client = server.client();
    let call = |zeros: usize| json!({ "name": "echo", "arguments": { "value": { "list": vec![0; zeros] } } });
    let rpc = |zeros: usize| json!({ "jsonrpc": "2.0", "id": 1, "method": "echo", "params": call(zeros)["arguments"] });
    // Longer than uncounted bodies.
    let (few, many) = (150_000, 200_001);
    assert_eq!(client.post("/rpc", &[], rpc(few).to_string()).await.status(), StatusCode::OK);
    let answer = client.post("/rpc", &[], rpc(many).to_string()).await;
    assert_eq!(answer.status(), StatusCode::PAYLOAD_TOO_LARGE);
    let answer: Value = answer.json().await.unwrap();
    assert_eq!(answer["error"]["data"]["error"], "payload_too_large", "{answer}");
    // The one goes the fast path, the other the SDK's.
    for method in ["tools/call", "tools/list"] {
        let (status, answer) = client.request(method, call(many)).await;
        assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE, "{method}: {answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("values"), "{method}: {message}");
    }
    let (status, answer) = client.request("tools/call", call(few)).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    assert!(answer["result"].is_object(), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn announced_excess_is_refused_before_it_is_sent() {
    let server = serve("").await;
    for path in ["/mcp", "/rpc", "/api/auth", "/api/approvals/a", "/api/blobs"] {
        let mut raw = Raw::to(&server).await;
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\nexpect: 100-continue\r\ncontent-length: 9000000000\r\n\r\n"
        );
        raw.send(head).await;
        assert_eq!(raw.status().await, 413, "{path}: and it is not told to go on");
    }
    echoes(&server.client()).await;
}

// The log: disconnecting clients are no errors, and texts of clients start no line.

#[tokio::test(flavor = "multi_thread")]
async fn disconnecting_clients_are_not_logged_as_errors() {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let log = folders.components().with_file_name("log");
    let mut command = command(&folders);
    command.args(["--addr", "127.0.0.1:0", "--components"]).arg(folders.components());
    command.env_remove("MADOGUCHI_LOG");
    let mut process = Process::logging(command, fs::File::create(&log).unwrap());
    let client = Client::new(&process.url);
    for _ in 0..4 {
        drop(client.listen().await);
        let session = LegacySession::open(&process.url).await;
        let stream = session.stream().await;
        drop(stream);
        // Calls whose callers do not wait for the answer, in both eras.
        let (modern, legacy) = (client.clone(), session);
        let mut meta = Client::meta();
        meta["progressToken"] = "far".into();
        let slow = json!({ "name": "count_slowly", "arguments": { "steps": 200 }, "_meta": meta });
        let calls = [
            tokio::spawn(async move { modern.request("tools/call", slow).await.1 }),
            tokio::spawn(async move { legacy.call("count_slowly", json!({ "steps": 200 })).await }),
        ];
        tokio::time::sleep(Duration::from_millis(50)).await;
        calls.iter().for_each(|it| it.abort());
        let ended = LegacySession::open(&process.url).await;
        let stream = ended.stream().await;
        ended.delete().await;
        drop(stream);
        let mut raw = TcpStream::connect(process.url.trim_start_matches("http://")).await.unwrap();
        raw.write_all(b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{")
            .await
            .unwrap();
        drop(raw);
    }
    let open = client.listen().await;
    echoes(&client).await;
    process.signal();
    process.wait();
    drop(open);
    let log = fs::read_to_string(&log).unwrap();
    let errors: Vec<_> = log.lines().filter(|it| it.contains("ERROR")).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    assert!(log.contains("stopping"), "the log is there: {log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn client_texts_cannot_start_a_log_line() {
    let folders = Folders::new();
    folders.put("rogue", &component_bytes("rogue"));
    folders.put("a\n2026-01-01T00:00:00Z ERROR forged", b"no component");
    let log = folders.components().with_file_name("log");
    let mut command = command(&folders);
    command.args(["--addr", "127.0.0.1:0", "--components"]).arg(folders.components());
    command.env("MADOGUCHI_LOG", "info,rmcp=off");
    let mut process = Process::logging(command, fs::File::create(&log).unwrap());
    // A panic has a line of its own for its message.
    Client::new(&process.url).failure("panic", json!({})).await;
    process.signal();
    process.wait();
    let log = fs::read_to_string(&log).unwrap();
    assert!(log.contains("panicked") && log.contains("forged"), "{log}");
    for line in log.lines() {
        let level = line.split_whitespace().nth(1).unwrap_or_default();
        assert!(["INFO", "WARN", "ERROR"].contains(&level), "{line:?} is no line of ours: {log}");
        assert!(!line.contains("Z ERROR forged") || line.contains("component's name"), "{log}");
    }
}

// Event streams end with their token or their session.

/// A server where Ann's token expires after this time, and Ben's never.
async fn serve_for(time: Duration) -> TestServer {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    folders.lend_code();
    // Started once before, so that it starts at once: what took so long then takes less now.
    let began = std::time::Instant::now();
    host::Server::start(folders.config()).await.unwrap().stop().await;
    let expires = jiff::Timestamp::now() + time + 4 * began.elapsed();
    let lines = format!("{}expires = '{expires}'\n{}", entry("ann", ANN), entry("ben", BEN));
    let config = folders.config_with(&lines);
    TestServer::start(folders, |it| *it = config).await
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_end_when_their_token_expires() {
    let server = serve_for(Duration::from_secs(15)).await;
    let ann = server.client_with(ANN);
    let mut modern = ann.listen().await;
    let session = LegacySession::begin(&ann).await.ok().unwrap();
    session.initialized().await;
    let legacy = session.stream().await;
    assert_eq!(legacy.status(), StatusCode::OK);
    let mut other = server.client_with(BEN).listen().await;
    let ended = tokio::time::timeout(LONG, legacy.text()).await;
    assert!(ended.is_ok(), "the stream of a session ends");
    assert_eq!(modern.next(LONG).await, None);
    assert_eq!(ann.get("/api/health").await.status(), StatusCode::UNAUTHORIZED);
    server.folders.put("rogue", &component_bytes("rogue"));
    assert!(other.next(LONG).await.is_some(), "who may come in goes on hearing");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_ended_once() {
    let server = serve("").await;
    let session = LegacySession::open(&server.url()).await;
    let first = session.delete().await;
    assert_eq!(first.status(), StatusCode::NO_CONTENT);
    assert_eq!(first.text().await.unwrap(), "");
    let again = session.delete().await;
    assert_eq!(again.status(), StatusCode::NOT_FOUND);
    let body: Value = again.json().await.unwrap();
    assert!(body["error"]["message"].as_str().unwrap().contains("initialize"), "{body}");
    let unknown = server.client().http(Method::DELETE, "/mcp").header("mcp-session-id", "none");
    assert_eq!(unknown.send().await.unwrap().status(), StatusCode::NOT_FOUND);
}
