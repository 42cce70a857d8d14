//! Authorization: who may connect, from which page, what they see and may call, and that no token leaks.

mod accounts;
mod oauth;
mod scopes;

use std::{
    fs,
    time::{Duration, Instant},
};

use futures::{StreamExt, stream};
use reqwest::{Method, Response, StatusCode};
use serde_json::{Value, json};
use tests::{
    client::{Client, LegacySession, Listener, MODERN},
    component_bytes,
    process::{Process, command, output},
    server::{Folders, Operator, TestServer},
    until,
};

/// A caller with full access, and three with less.
const ANN: &str = "mdg_ann-may-do-everything";

const BEN: &str = "mdg_ben-may-echo";

const EVE: &str = "mdg_eve-may-use-the-cinema";

const OLD: &str = "mdg_old-has-expired";

/// The configuration of a caller's token.
fn entry(name: &str, token: &str, scopes: &str) -> String {
    let digest = host::digest::digest(token.as_bytes());
    format!("[tokens.{name}]\nsha256 = '{digest}'\nscopes = [{scopes}]\n")
}

/// A server of echo and cinema with all four, and these lines before.
async fn serve(lines: &str) -> TestServer {
    serve_with(&["echo", "cinema"], lines).await
}

async fn serve_with(components: &[&str], lines: &str) -> TestServer {
    let folders = Folders::new();
    for name in components {
        folders.put(name, &component_bytes(name));
    }
    let old = entry("old", OLD, "'*'") + "expires = '2020-01-01T00:00:00Z'\n";
    let some = entry("ben", BEN, "'tool:echo', 'tool:greet'");
    let all = entry("ann", ANN, "'*'") + &some + &entry("eve", EVE, "'component:cinema'") + &old;
    let config = folders.config_with(&format!("{lines}\n{all}"));
    TestServer::start(folders, |it| *it = config).await
}

/// The value of `WWW-Authenticate`.
fn challenge(response: &Response) -> &str {
    let header = response.headers().get("www-authenticate").expect("a refusal has the header");
    header.to_str().unwrap()
}

/// A request on each surface that needs a token.
async fn on_each_surface(client: &Client) -> Vec<(&'static str, Response)> {
    let rpc = json!({ "jsonrpc": "2.0", "id": 1, "method": "echo", "params": { "value": {} } });
    let legacy = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" },
    } });
    let accept = [("accept", "application/json, text/event-stream")];
    let call = json!({ "name": "echo", "arguments": { "value": {} } });
    vec![
        ("modern", client.send("tools/call", call).await),
        ("list", client.send("tools/list", json!({})).await),
        ("legacy", client.post("/mcp", &accept, legacy.to_string()).await),
        ("rpc", client.post("/rpc", &[], rpc.to_string()).await),
        ("blobs", client.post("/api/blobs", &[], "{}").await),
        ("health", client.get("/api/health").await),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn accepts_valid_token_and_explains_rejection_on_every_surface() {
    let server = serve("").await;
    for (surface, answer) in on_each_surface(&server.client_with(ANN)).await {
        assert!(answer.status().is_success(), "{surface}: {answer:?}");
    }
    for (token, description) in
        [("mdg_nobodys", "The token is not one of this server"), (OLD, "The token has expired")]
    {
        for (surface, answer) in on_each_surface(&server.client_with(token)).await {
            assert_eq!(answer.status(), StatusCode::UNAUTHORIZED, "{surface}");
            let expected = format!(
                "Bearer realm=\"madoguchi\", error=\"invalid_token\", error_description=\"{description}\""
            );
            assert_eq!(challenge(&answer), expected, "{surface}");
            let body: Value = answer.json().await.unwrap();
            let text = body["error"]["message"].as_str().or(body["message"].as_str());
            assert!(text.is_some_and(|it| it.contains("Authorization: Bearer")), "{body}");
        }
    }
    // Two tokens on six surfaces, counted for an operator who watches the attempts.
    let metrics = server.server().calls.watch.metrics.text();
    let counted = "madoguchi_requests_refused_total{reason=\"unauthorized\"} 12\n";
    assert!(metrics.contains(counted), "{metrics}");
}

#[tokio::test(flavor = "multi_thread")]
async fn serves_only_page_and_liveness_to_callers_without_a_token() {
    let server = serve("").await;
    let stranger = server.client();
    for (surface, answer) in on_each_surface(&stranger).await {
        if surface == "health" {
            let health: Value = answer.json().await.unwrap();
            let found: Vec<_> = health.as_object().unwrap().keys().collect();
            assert_eq!(found, ["status", "version"], "{health}");
            continue;
        }
        assert_eq!(answer.status(), StatusCode::UNAUTHORIZED, "{surface}");
        assert_eq!(challenge(&answer), "Bearer realm=\"madoguchi\"", "no error: nothing was sent");
    }
    let list = stranger.http(Method::GET, "/api/cinema/movies").send().await.unwrap();
    assert_eq!(list.status(), StatusCode::UNAUTHORIZED);
    let blob = stranger.get(&format!("/api/blobs/{}", "0".repeat(64))).await;
    assert_eq!(blob.status(), StatusCode::UNAUTHORIZED);
    assert_ne!(stranger.get("/").await.status(), StatusCode::UNAUTHORIZED);
    let twice = stranger.http(Method::GET, "/api/health").header("authorization", "Bearer");
    assert_eq!(twice.send().await.unwrap().status(), StatusCode::BAD_REQUEST);
}

#[tokio::test(flavor = "multi_thread")]
async fn shows_caller_but_never_token_to_components_and_audit_log() {
    let server = serve("").await;
    let ann = server.client_with(ANN);
    let who = ann.output("whoami", json!({})).await;
    assert_eq!((&who["principal"], &who["scopes"]), (&json!("ann"), &json!(["*"])), "{who}");
    let (status, answer) = server.client_with(BEN).request("tools/call", whoami()).await;
    assert_eq!(status, StatusCode::FORBIDDEN, "{answer}");
    server.server().calls.watch.audit.flush();
    let audit = fs::read_dir(server.folders.data().join("audit")).unwrap();
    let audit: String = audit.map(|it| fs::read_to_string(it.unwrap().path()).unwrap()).collect();
    let lines: Vec<Value> = audit.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    let found = |principal: &str, outcome: &str| {
        lines.iter().any(|it| it["principal"] == principal && it["outcome"] == outcome)
    };
    assert!(found("ann", "done") && found("ben", "forbidden"), "{audit}");
    assert!(!audit.contains("mdg_"), "{audit}");
}

fn whoami() -> Value {
    json!({ "name": "whoami", "arguments": {} })
}

/// An unneeded token is accepted.
#[tokio::test(flavor = "multi_thread")]
async fn needs_no_token_on_this_machine_where_none_is_configured() {
    let server = TestServer::with(&["echo"]).await;
    for client in [server.client(), server.client_with("mdg_somebodys")] {
        assert_eq!(client.output("whoami", json!({})).await["principal"], "anonymous");
    }
    let health: Value = server.client().get("/api/health").await.json().await.unwrap();
    assert!(health["components"]["echo"].is_object(), "{health}");
}

#[tokio::test(flavor = "multi_thread")]
async fn answer_state_of_another_caller_is_refused() {
    let server = serve("").await;
    let greet = json!({ "name": "greet", "arguments": {} });
    let asked = server.client_with(ANN).result("tools/call", greet.clone()).await;
    let mut answered = greet;
    answered["requestState"] = asked["requestState"].clone();
    let name = json!({ "action": "accept", "content": { "name": "Ann" } });
    let key = asked["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
    answered["inputResponses"] = json!({ key: name });
    let (_, stolen) = server.client_with(BEN).request("tools/call", answered.clone()).await;
    let message = stolen["error"]["message"].as_str().unwrap();
    assert!(message.contains("belongs to another call"), "{stolen}");
    let greeted = server.client_with(ANN).result("tools/call", answered).await;
    assert_eq!(greeted["structuredContent"]["greeting"], "Hello, Ann!", "{greeted}");
}

#[tokio::test]
async fn requires_token_before_listening_on_address_others_can_reach() {
    let folders = Folders::new();
    let mut config = folders.config();
    // An address for documentation: no machine has it, so nothing is opened should this ever pass.
    config.addr = "192.0.2.1:0".parse().unwrap();
    let refused = host::Server::start(config.clone()).await.err().unwrap().to_string();
    assert!(refused.contains("madoguchi token new NAME"), "{refused}");
    assert!(!folders.data().exists(), "nothing was begun");
    let lines = entry("ann", ANN, "'*'");
    config = host::Config { addr: config.addr, ..folders.config_with(&lines) };
    let other = host::Server::start(config).await.err().unwrap().to_string();
    assert!(other.contains("this machine has no such address"), "the token opens it: {other}");
}

/// Headers of a modern request.
fn modern<'a>(method: &'a str, name: &'a str) -> [(&'a str, &'a str); 4] {
    [
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", MODERN),
        ("mcp-method", method),
        ("mcp-name", name),
    ]
}

// Instructions for models: the host's, and those of the components that the caller may use.

const READS: &str = "mdg_reads-the-library";

/// The library's instructions.
const OF_LIBRARY: &str = "Books are found by their subject.";

/// The instructions of both eras.
async fn instructions(client: &Client) -> [String; 2] {
    let discovered = client.result("server/discover", json!({})).await;
    let initialize = json!({
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {
            "protocolVersion": tests::client::LEGACY, "capabilities": {},
            "clientInfo": { "name": "tests", "version": "1" },
        },
    });
    let accept = [("accept", "application/json, text/event-stream")];
    let answer = client.post("/mcp", &accept, initialize.to_string()).await.text().await.unwrap();
    let lines = answer.lines().map(|it| it.strip_prefix("data:").unwrap_or(it));
    let mut answers = lines.filter_map(|it| serde_json::from_str::<Value>(it).ok());
    let initialized = answers.find(|it| it["result"].is_object()).expect("it initializes");
    [&discovered, &initialized["result"]]
        .map(|it| it["instructions"].as_str().expect("there are some").to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn sends_component_instructions_in_both_eras_to_allowed_callers() {
    let lines = entry("reads", READS, "'component:library'")
        + "[components.library]\ngrants = ['events']\n";
    let server = serve_with(&["echo", "library"], &lines).await;
    for instructions in instructions(&server.client_with(READS)).await {
        assert!(instructions.starts_with("Each tool runs in a sandbox"), "{instructions}");
        assert!(instructions.ends_with(&format!("\n\n{OF_LIBRARY}")), "{instructions}");
    }
    for instructions in instructions(&server.client_with(BEN)).await {
        assert!(instructions.starts_with("Each tool runs in a sandbox"), "{instructions}");
        assert!(!instructions.contains(OF_LIBRARY), "{instructions}");
    }
    let scope = async |token: &str| {
        let found = server.client_with(token).result("server/discover", json!({})).await;
        found["cacheScope"].as_str().map(str::to_owned)
    };
    assert_eq!(scope(READS).await.as_deref(), Some("private"), "they depend on the token");
}

// CORS: which foreign pages may call the server, and with which headers.

const PAGE: &str = "https://app.example";

const LISTED: &str = "allowed_origins = ['https://app.example']";

async fn preflight(server: &TestServer, path: &str, origin: &str) -> Response {
    let request = server.client().http(Method::OPTIONS, path).header("origin", origin);
    let request = request.header("access-control-request-method", "POST");
    let headers = "authorization, mcp-protocol-version, mcp-param-region, x-evil";
    let request = request.header("access-control-request-headers", headers);
    request.send().await.unwrap()
}

fn header<'a>(response: &'a Response, name: &str) -> &'a str {
    response.headers().get(name).map(|it| it.to_str().unwrap()).unwrap_or_default()
}

fn has_cors(response: &Response) -> bool {
    response.headers().keys().any(|it| it.as_str().starts_with("access-control"))
}

#[tokio::test(flavor = "multi_thread")]
async fn listed_page_preflights_without_token_and_reads_its_answers() {
    let server = serve(LISTED).await;
    for path in ["/mcp", "/rpc", "/api/blobs", "/api/cinema/movies"] {
        let may = preflight(&server, path, PAGE).await;
        assert_eq!(may.status(), StatusCode::NO_CONTENT, "{path}");
        assert_eq!(header(&may, "access-control-allow-origin"), PAGE);
        assert!(header(&may, "access-control-allow-methods").contains("POST"));
        let headers = header(&may, "access-control-allow-headers");
        assert_eq!(headers, "authorization, mcp-protocol-version, mcp-param-region");
        assert!(header(&may, "vary").contains("Origin"), "{may:?}");
        assert_eq!(header(&may, "access-control-allow-credentials"), "", "no cookies here");
    }
    for (token, status) in [(Some(ANN), 200), (Some("mdg_wrong"), 401), (None, 401)] {
        let request = server.client().http(Method::GET, "/api/blobs/none").header("origin", PAGE);
        let status = if status == 200 { 404 } else { status };
        let answer = match token {
            Some(token) => request.bearer_auth(token).send().await.unwrap(),
            None => request.send().await.unwrap(),
        };
        assert_eq!(answer.status().as_u16(), status);
        assert_eq!(header(&answer, "access-control-allow-origin"), PAGE);
        assert!(header(&answer, "access-control-expose-headers").contains("WWW-Authenticate"));
        assert!(header(&answer, "vary").contains("Origin"), "{answer:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn refuses_any_other_page_without_cors_and_own_page_needs_none() {
    let server = serve(LISTED).await;
    for origin in ["https://evil.example", "https://app.example.evil.example", "null"] {
        let refused = preflight(&server, "/mcp", origin).await;
        assert!(refused.status() == StatusCode::FORBIDDEN && !has_cors(&refused), "{refused:?}");
    }
    let own = server.client().http(Method::GET, "/api/health").header("origin", server.url());
    let own = own.send().await.unwrap();
    assert!(own.status().is_success() && !has_cors(&own), "{own:?}");
    let plain = server.client_with(ANN).send("tools/list", json!({})).await;
    assert!(plain.status().is_success() && !has_cors(&plain), "{plain:?}");
    let none = serve("").await;
    let refused = preflight(&none, "/mcp", PAGE).await;
    assert!(refused.status() == StatusCode::FORBIDDEN && !has_cors(&refused), "{refused:?}");
}

// Tokens and their digests appear in no response, log or file.

const SECRET: &str = "mdg_s3cr3t-t0ken";

const WRONG: &str = "mdg_wr0ng-but-close";

#[tokio::test(flavor = "multi_thread")]
async fn a_token_and_its_digest_appear_nowhere() {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let config = folders.data().with_file_name("madoguchi.toml");
    let lines = format!("bundled = false\n{}", entry("ann", SECRET, "'tool:whoami', 'tool:echo'"));
    fs::write(&config, lines).unwrap();
    let log = config.with_file_name("log");
    let mut command = command(&folders);
    command.args(["--addr", "127.0.0.1:0", "--components"]).arg(folders.components());
    command.arg("--config").arg(&config).env("MADOGUCHI_LOG", "trace");
    let mut process = Process::logging(command, fs::File::create(&log).unwrap());

    let mut text = String::new();
    for token in [SECRET, WRONG] {
        let client = Client::new(&process.url).with_token(token);
        for (method, params) in [
            ("tools/call", json!({ "name": "whoami", "arguments": {} })),
            ("tools/call", json!({ "name": "greet", "arguments": {} })),
            ("tools/list", json!({})),
            ("no/such", json!({})),
        ] {
            let answer = client.send(method, params).await;
            text += &format!("{:?}{}", answer.headers().clone(), answer.text().await.unwrap());
        }
        for path in ["/", "/api/health", "/api/nobody/x", "/api/blobs/x"] {
            let answer = client.get(path).await;
            text += &format!("{:?}{}", answer.headers().clone(), answer.text().await.unwrap());
        }
        if let Ok(session) = LegacySession::begin(&client).await {
            text += &session.call("whoami", json!({})).await.to_string();
        }
    }
    let operator = Operator::of(&folders.data());
    for path in ["metrics", "audit?lines=1000", "components"] {
        text += &operator.send(Method::GET, path, "").await.1.to_string();
    }
    process.signal();
    process.wait();
    let log = fs::read_to_string(log).unwrap();
    assert!(text.contains("\"ann\"") && log.len() > 1_000, "there was something to see: {text}");
    let digest = host::digest::digest(SECRET.as_bytes());
    let kept = folders.kept();
    let is_below =
        |folder: &str| kept.iter().any(|it| it.0.starts_with(folders.data().join(folder)));
    assert!(is_below("audit") && is_below("generations"), "what lies in folders is read");
    for form in [SECRET, WRONG, &digest, &SECRET[4..]] {
        assert!(!text.contains(form), "an answer has {form}");
        assert!(!log.contains(form), "the log has {form}");
        for (path, bytes) in &kept {
            let is_in = bytes.windows(form.len()).any(|it| it == form.as_bytes());
            assert!(!is_in, "{form} is in {}", path.display());
        }
    }
}

#[test]
fn token_given_as_digest_is_reported_without_the_token() {
    let folders = Folders::new();
    let file = folders.data().with_file_name("madoguchi.toml");
    fs::write(&file, format!("[tokens.ann]\nsha256 = '{SECRET}'\nscopes = ['{SECRET}']\n"))
        .unwrap();
    let start = output(command(&folders).args(["--addr", "127.0.0.1:0", "--config"]).arg(&file));
    let check = output(command(&folders).arg("check-config").arg(&file));
    let debug =
        format!("{:?}", host::Config::read(&file, tests::embedded()).unwrap().tokens["ann"].sha256);
    for ended in [start, check] {
        assert!(!ended.status.success(), "{ended:?}");
        let text = String::from_utf8_lossy(&ended.stderr) + String::from_utf8_lossy(&ended.stdout);
        assert!(text.contains("madoguchi token new") && !text.contains("s3cr3t"), "{text}");
    }
    assert!(!debug.contains("s3cr3t"), "{debug}");
}

// Sessions of legacy clients: ownership, limits and eviction.

fn ping() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" })
}

async fn status(session: &LegacySession) -> StatusCode {
    let answer = session.post(ping()).await;
    let status = answer.status();
    // Until it is answered its id is in use.
    answer.text().await.unwrap();
    status
}

async fn open(client: &Client) -> LegacySession {
    LegacySession::begin(client).await.expect("it opens")
}

#[tokio::test(flavor = "multi_thread")]
async fn session_belongs_to_its_opener_and_is_not_found_for_others() {
    let server = serve("").await;
    let session = open(&server.client_with(ANN)).await;
    let stolen = session.stolen_by(&server.client_with(BEN));
    let refused = stolen.post(ping()).await;
    assert_eq!(refused.status(), StatusCode::NOT_FOUND);
    let refused: Value = refused.json().await.unwrap();
    assert!(refused["error"]["message"].as_str().unwrap().contains("initialize"), "{refused}");
    assert_eq!(stolen.stream().await.status(), StatusCode::NOT_FOUND);
    stolen.delete().await;
    assert_eq!(status(&session).await, StatusCode::OK, "another cannot end it");
    session.delete().await;
    assert_eq!(status(&session).await, StatusCode::NOT_FOUND, "its owner can");
    assert_eq!(status(&open(&server.client_with(ANN)).await).await, StatusCode::OK);
}

/// A server of echo with room for that many sessions.
async fn room_for(sessions_max: usize) -> TestServer {
    keeping(&format!("sessions_max = {sessions_max}")).await
}

/// A server of echo that keeps sessions as this line says.
async fn keeping(line: &str) -> TestServer {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let config = folders.config_with(&format!("[sessions]\n{line}\n"));
    TestServer::start(folders, |it| *it = config).await
}

/// How many tasks there are now.
fn tasks() -> usize {
    tokio::runtime::Handle::current().metrics().num_alive_tasks()
}

/// Two thousand abandoned sessions leave room for the next and leave one in use alone.
#[tokio::test(flavor = "multi_thread")]
async fn evicts_two_thousand_idle_sessions_but_none_in_use() {
    const SESSIONS: usize = 2_000;
    const MAX: usize = 100;
    let server = room_for(MAX).await;
    let client = server.client();
    let used = LegacySession::open(&server.url()).await;
    let listening = used.stream().await;
    let (idle, before) = (open(&client).await, tasks());

    let abandon = async |at: usize| {
        let session = open(&client).await;
        // Every other one is ready for news, and never asks for them.
        if at.is_multiple_of(2) {
            session.initialized().await;
        }
        session
    };
    let opened = stream::iter(0..SESSIONS).map(abandon).buffer_unordered(16);
    let last = opened.fold(None, async |_, it| Some(it)).await.unwrap();

    assert_eq!(status(&idle).await, StatusCode::NOT_FOUND, "the first of the idle ones went");
    assert_eq!(status(&last).await, StatusCode::OK);
    assert_eq!(used.call("echo", json!({ "value": {} })).await["isError"], false);
    assert!(listening.status().is_success(), "and its stream is open");
    drop(listening);
    let next = LegacySession::open(&server.url()).await;
    assert_eq!(next.call("echo", json!({ "value": {} })).await["isError"], false);
    // A session is four tasks at most, its listener among them, and none outlives it; the rest is
    // for connections.
    let most = before + 6 * MAX;
    until(&format!("of {before} tasks there are more than {most}"), async || tasks() < most).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn asks_next_client_to_wait_when_every_session_has_a_listener() {
    let server = room_for(2).await;
    let sessions = [open(&server.client()).await, open(&server.client()).await];
    let streams = [sessions[0].stream().await, sessions[1].stream().await];
    let refused = LegacySession::begin(&server.client()).await.err().expect("there is no room");
    assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert!(refused.headers().contains_key("retry-after"));
    let refused: Value = refused.json().await.unwrap();
    assert!(refused["error"]["message"].as_str().unwrap().contains("sessions_max"), "{refused}");
    assert_eq!(status(&sessions[0]).await, StatusCode::OK);
    drop(streams);
    // The server notices that no client listens when it next looks.
    let client = server.client();
    let has_room = async || LegacySession::begin(&client).await.is_ok();
    until("the room that became free was given to nobody", has_room).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn closes_an_unused_session_but_not_one_with_a_listener() {
    let server = keeping("idle_s = 1").await;
    let idle = open(&server.client()).await;
    // One that a slow machine lets go before its stream begins is opened again.
    let began = Instant::now();
    let (used, listening) = loop {
        let used = open(&server.client()).await;
        let listening = used.stream().await;
        if listening.status().is_success() {
            break (used, listening);
        }
        assert!(began.elapsed() < tests::PATIENCE, "no stream begins: {}", listening.status());
    };
    // To ask is to use: so it is asked seldom.
    until("it is still there", async || {
        tokio::time::sleep(Duration::from_secs(3)).await;
        status(&idle).await == StatusCode::NOT_FOUND
    })
    .await;
    assert_eq!(status(&used).await, StatusCode::OK);
    drop(listening);
}

/// Client information is stored with its session, so its size is limited.
#[tokio::test(flavor = "multi_thread")]
async fn rejects_initialize_too_long_to_store() {
    let server = serve("").await;
    let client = server.client_with(ANN);
    let introduce = async |length: usize| {
        let capabilities = json!({ "experimental": { "a": { "x": "y".repeat(length) } } });
        let params = json!({
            "protocolVersion": "2025-11-25", "capabilities": capabilities,
            "clientInfo": { "name": "tests", "version": "1" },
        });
        let body = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
        let accept = [("accept", "application/json, text/event-stream")];
        client.post(client.endpoint(), &accept, body.to_string()).await.text().await.unwrap()
    };
    let refused = introduce(100_000).await;
    assert!(refused.contains("65536 bytes") && refused.contains("-32602"), "{refused}");
    assert!(introduce(10_000).await.contains("serverInfo"), "another one is taken");
}

#[tokio::test(flavor = "multi_thread")]
async fn repeated_initialized_messages_notify_once() {
    let server = serve("").await;
    let session = open(&server.client_with(ANN)).await;
    for _ in 0..20 {
        session.initialized().await;
    }
    let mut listener = session.listen().await;
    server.folders.put("rogue", &component_bytes("rogue"));
    assert_eq!(listener.notified().await.0, "notifications/tools/list_changed");
    let rest = listener.changes(Duration::from_secs(2)).await;
    assert_eq!(rest, 0, "one client, one notification");
}

/// A legacy call goes on asking though its client has gone, so each caller has so many of them.
#[tokio::test(flavor = "multi_thread")]
async fn abandoned_questions_take_no_slot_of_another_caller() {
    const OF_ONE: usize = 256;
    let server = serve("").await;
    let capabilities = json!({ "elicitation": {} });
    let begin = async |token| {
        let client = server.client_with(token);
        LegacySession::begin_with(&client, capabilities.clone()).await.expect("it opens")
    };
    let greet = |id: usize| {
        let params = json!({ "name": "greet", "arguments": {} });
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
    };
    let (ann, ben) = (begin(ANN).await, begin(BEN).await);
    for id in 1..=OF_ONE {
        let mut asked = Listener::of(ann.post(greet(id)).await);
        let question = asked.next(tests::PATIENCE).await.expect("it asks");
        assert_eq!(question["method"], "elicitation/create", "{question}");
    }
    let refused = ann.post(greet(OF_ONE + 1)).await.text().await.unwrap();
    assert!(refused.contains("too many questions are open"), "{refused}");
    let mut asked = Listener::of(ben.post(greet(1)).await);
    let question = asked.next(tests::PATIENCE).await.expect("it asks");
    assert_eq!(question["method"], "elicitation/create", "{question}");
}
