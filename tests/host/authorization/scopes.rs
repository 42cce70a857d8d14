//! Scopes, in both eras and on every surface: what a caller sees and may call; and at which rate.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    process::{Output, Stdio},
};

use host::OperatorKey;
use reqwest::{Method, Response, StatusCode};
use serde_json::{Value, json};
use tests::{
    client::{Client, LegacySession},
    component_bytes,
    process::{Process, bare_command, command, output},
    rebuilt,
    server::{Folders, TestServer},
};

use super::{ANN, BEN, EVE, challenge, entry, modern, serve, serve_with};

const MISSING: &str =
    "Bearer realm=\"madoguchi\", error=\"insufficient_scope\", scope=\"tool:list_movies\"";

fn tools(list: &Value) -> Vec<&str> {
    let tools = list["tools"].as_array().unwrap_or_else(|| panic!("{list}"));
    tools.iter().map(|it| it["name"].as_str().unwrap()).collect()
}

async fn legacy(client: &Client) -> LegacySession {
    LegacySession::begin(client).await.expect("it opens")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_outside_the_scopes_is_not_seen_in_either_era() {
    let server = serve("").await;
    let all = server.client_with(ANN).tools().await;
    assert!(all.len() > 7 && all.contains(&"list_movies".to_owned()), "{all:?}");
    let ben = server.client_with(BEN);
    let list = ben.result("tools/list", json!({})).await;
    assert_eq!(tools(&list), ["echo", "greet"]);
    assert_eq!(list["cacheScope"], "private", "no proxy shows it to others");
    let session = legacy(&ben).await;
    let list = session.request("tools/list", json!({})).await;
    assert_eq!(tools(&list["result"]), ["echo", "greet"]);
    let eve = server.client_with(EVE).tools().await;
    assert!(eve.contains(&"list_movies".to_owned()) && !eve.contains(&"echo".to_owned()));
    // Nor in suggestions of similar names, nor in health.
    let (_, close) = ben.request("tools/call", call("list_movie")).await;
    assert!(!close.to_string().contains("list_movies"), "{close}");
    let health: Value = ben.get("/api/health").await.json().await.unwrap();
    assert_eq!(health["tools"], json!(["echo", "greet"]));
    assert!(health["components"].get("cinema").is_none(), "{health}");
}

fn call(tool: &str) -> Value {
    json!({ "name": tool, "arguments": {} })
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_tool_outside_scopes_in_both_eras_and_by_rpc() {
    let server = serve("").await;
    let ben = server.client_with(BEN);
    let request = |id: Value, params: &Value| {
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string()
    };
    let mut params = call("list_movies");
    params["_meta"] = Client::meta();
    let headers = modern("tools/call", "list_movies");
    let plain = ben.post("/mcp", &headers, request(7.into(), &params));
    params["_meta"]["progressToken"] = "p".into();
    let progress = request("x".into(), &params);
    let progress = ben.post("/mcp", &headers, progress);
    let session = legacy(&ben).await;
    let body =
        json!({ "jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": call("list_movies") });
    let rpc = json!({ "jsonrpc": "2.0", "id": 9, "method": "list_movies", "params": {} });
    let answers = [
        ("the fast path", plain.await, json!(7)),
        ("the SDK's way", progress.await, json!("x")),
        ("legacy", session.post(body).await, json!(8)),
        ("rpc", ben.post("/rpc", &[], rpc.to_string()).await, json!(9)),
    ];
    for (surface, answer, id) in answers {
        assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{surface}");
        assert_eq!(challenge(&answer), MISSING, "{surface}");
        let answer: Value = answer.json().await.unwrap();
        assert_eq!(answer["id"], id, "{surface}: {answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("scope tool:list_movies"), "{surface}: {answer}");
        assert_eq!(answer["error"]["data"]["scope"], "tool:list_movies", "{surface}: {answer}");
    }
    // In a batch each request is refused for itself.
    let batch =
        json!([rpc, { "jsonrpc": "2.0", "id": 1, "method": "echo", "params": { "value": {} } }]);
    let batch: Value = ben.post("/rpc", &[], batch.to_string()).await.json().await.unwrap();
    assert_eq!(batch[0]["error"]["data"]["error"], "insufficient_scope", "{batch}");
    assert_eq!(batch[1]["result"], json!({ "value": {} }), "{batch}");
    // A caller with the scope succeeds on the same surfaces.
    assert!(server.client_with(EVE).output("list_movies", json!({})).await.is_object());
    let session = legacy(&server.client_with(EVE)).await;
    assert_eq!(session.call("list_movies", json!({})).await["isError"], false);
    assert_eq!(ben.output("echo", json!({ "value": {} })).await, json!({ "value": {} }));
}

#[tokio::test(flavor = "multi_thread")]
async fn read_scope_sees_and_calls_read_only_tools() {
    const READER: &str = "mdg_reader";
    const NARROW: &str = "mdg_narrow";
    let lines = entry("reader", READER, "'read-only'")
        + &entry("narrow", NARROW, "'component:echo', 'tool:reserve_seats', 'read-only'");
    let server = serve(&lines).await;
    let reader = server.client_with(READER);
    let tools = reader.tools().await;
    assert!(tools.contains(&"echo".to_owned()) && tools.contains(&"list_movies".to_owned()));
    assert!(!tools.contains(&"reserve_seats".to_owned()), "{tools:?}");
    for (token, changes) in [(READER, "reserve_seats"), (NARROW, "reserve_seats")] {
        let client = server.client_with(token);
        let (status, answer) = client.request("tools/call", call(changes)).await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{answer}");
        let upload = client.post("/api/blobs", &[], "{}").await;
        assert_eq!(upload.status(), StatusCode::FORBIDDEN);
        assert!(challenge(&upload).contains("insufficient_scope"));
    }
    let narrow = server.client_with(NARROW).tools().await;
    assert!(narrow.contains(&"echo".to_owned()) && !narrow.contains(&"list_movies".to_owned()));
    assert!(server.client_with(ANN).tools().await.contains(&"reserve_seats".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_too_long_body_to_callers_with_scopes() {
    let server = serve("body_bytes_max = 4096").await;
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "echo", "arguments": { "value": { "text": "x".repeat(8_000) } },
    } });
    for token in [ANN, BEN] {
        let headers = modern("tools/call", "echo");
        let answer = server.client_with(token).post("/mcp", &headers, body.to_string()).await;
        assert_eq!(answer.status(), StatusCode::PAYLOAD_TOO_LARGE);
        let answer: Value = answer.json().await.unwrap();
        assert!(answer["error"]["message"].as_str().unwrap().contains("4096 bytes"), "{answer}");
    }
}

/// Requests for the library's prompts and resources, with the header `Mcp-Name`.
fn requests_without_tools() -> [(&'static str, Value, &'static str); 5] {
    let prompt = json!({ "type": "ref/prompt", "name": "recommend" });
    let argument = json!({ "name": "topic", "value": "" });
    [
        (
            "prompts/get",
            json!({ "name": "recommend", "arguments": { "topic": "Ann" } }),
            "recommend",
        ),
        ("resources/read", json!({ "uri": "library://cover" }), "library://cover"),
        ("resources/read", json!({ "uri": "library://books/1" }), "library://books/1"),
        ("completion/complete", json!({ "ref": prompt, "argument": argument }), ""),
        ("resources/subscribe", json!({ "uri": "library://cover" }), "library://cover"),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn prompts_and_resources_go_with_their_component_in_both_eras() {
    const READS: &str = "mdg_reads-the-library";
    let lines = entry("reads", READS, "'component:library'")
        + "[components.library]\ngrants = ['events']\n";
    let server = serve_with(&["echo", "cinema", "library"], &lines).await;
    let (ben, reads) = (server.client_with(BEN), server.client_with(READS));
    for (list, of) in [("prompts/list", "prompts"), ("resources/list", "resources")] {
        let count = async |client: &Client| {
            client.result(list, json!({})).await[of].as_array().map(Vec::len)
        };
        assert_eq!(count(&ben).await, Some(0), "{list}");
        assert!(count(&reads).await > Some(0), "{list}");
    }
    let (session, may) = (legacy(&ben).await, legacy(&reads).await);
    for (method, params, name) in requests_without_tools() {
        let mut modern_params = params.clone();
        modern_params["_meta"] = Client::meta();
        let body =
            |params| json!({ "jsonrpc": "2.0", "id": 4, "method": method, "params": params });
        let mut answers = vec![("legacy", session.post(body(params.clone())).await)];
        if method != "resources/subscribe" {
            let text = body(modern_params).to_string();
            answers.push(("modern", ben.post("/mcp", &modern(method, name), text.clone()).await));
            let allowed = reads.post("/mcp", &modern(method, name), text).await;
            assert_eq!(
                allowed.status(),
                StatusCode::OK,
                "{method}: {}",
                allowed.text().await.unwrap()
            );
        }
        for (era, answer) in answers {
            assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{method}, {era}");
            assert!(challenge(&answer).ends_with("scope=\"component:library\""), "{method}, {era}");
            let answer: Value = answer.json().await.unwrap();
            assert_eq!(answer["id"], 4, "{answer}");
        }
        let allowed = may.post(body(params)).await;
        assert_eq!(allowed.status(), StatusCode::OK, "{method}");
        // Its id is free once it is answered.
        allowed.text().await.unwrap();
    }
    let (_, unknown) = ben.request("prompts/get", json!({ "name": "nothing" })).await;
    assert!(
        unknown["error"]["message"].is_string(),
        "what is not there is not forbidden: {unknown}"
    );
}

// Rate limits of callers.

/// So slow that no token of the bucket returns during a test: one in a second, a few at once.
const SLOW: &str = "rate = { requests_per_s = 1, burst = 3 }\n";

async fn list(client: &Client) -> Response {
    client.send("tools/list", json!({})).await
}

/// Calls until refused; returns the number of answers and the refusal.
async fn until_refused(client: &Client) -> (usize, Response) {
    for answered in 0..100 {
        let answer = list(client).await;
        if answer.status() == StatusCode::TOO_MANY_REQUESTS {
            return (answered, answer);
        }
        assert!(!answer.status().is_server_error(), "{answer:?}");
    }
    panic!("nothing was ever too much");
}

#[tokio::test(flavor = "multi_thread")]
async fn excess_request_gets_retry_time_and_delays_no_other_caller() {
    let server = serve(SLOW).await;
    let (answered, refused) = until_refused(&server.client_with(ANN)).await;
    assert!(answered >= 3, "the burst passes: {answered}");
    let wait_s: u64 = refused.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=2).contains(&wait_s), "{wait_s}");
    let body: Value = refused.json().await.unwrap();
    assert_eq!(body["error"]["data"]["error"], "rate_limited", "{body}");
    assert_eq!(body["error"]["data"]["status"], 429, "{body}");
    assert!(list(&server.client_with(BEN)).await.status().is_success(), "each has their own");
    // Strangers are counted before they are refused as strangers.
    let (answered, refused) = until_refused(&server.client_with("mdg_guess")).await;
    assert!(answered >= 3 && refused.headers().contains_key("retry-after"), "{answered}");
    assert!(list(&server.client_with(BEN)).await.status().is_success());
}

#[tokio::test(flavor = "multi_thread")]
async fn token_may_have_its_own_rate_or_none() {
    const SLOW_ONE: &str = "mdg_slow-one";
    let server = serve(&(entry("slow", SLOW_ONE, "'*'") + SLOW)).await;
    assert!(until_refused(&server.client_with(SLOW_ONE)).await.0 >= 3);
    for _ in 0..30 {
        assert!(list(&server.client_with(ANN)).await.status().is_success());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn local_callers_are_rate_limited_only_if_configured() {
    let free = TestServer::with(&["echo"]).await;
    for _ in 0..30 {
        assert!(list(&free.client()).await.status().is_success());
    }
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let config = folders.config_with(SLOW);
    let counted = TestServer::start(folders, |it| *it = config).await;
    assert!(until_refused(&counted.client()).await.0 >= 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_caller_cannot_fill_file_store_or_use_all_uploads() {
    let lines = "[blobs]\nbytes_max = 200_000\ncaller_bytes_max = 50_000\ncaller_uploads_max = 1\n";
    let server = serve(lines).await;
    let send = async |token: &str, body: reqwest::Body| {
        let request = server.client_with(token).http(Method::POST, "/api/blobs").body(body);
        let response = request.header("content-type", "text/plain").send().await.unwrap();
        let retry = response.headers().contains_key("retry-after");
        (response.status(), retry, response.json::<Value>().await.unwrap())
    };
    let bytes = |of: u8| reqwest::Body::from(vec![of; 30_000]);
    assert_eq!(send(ANN, bytes(1)).await.0, StatusCode::CREATED);
    let (status, _, body) = send(ANN, bytes(2)).await;
    assert_eq!((status, &body["error"]), (StatusCode::INSUFFICIENT_STORAGE, &json!("share_full")));
    assert!(body["message"].as_str().unwrap().contains("caller_bytes_max"), "{body}");
    assert_eq!(send(BEN, bytes(3)).await.0, StatusCode::CREATED, "others have their own");
    // One on its way, which goes on for as long as this test.
    let begin = || {
        let begun = futures::stream::iter([Ok::<_, std::io::Error>(vec![7_u8; 1_000])]);
        reqwest::Body::wrap_stream(futures::StreamExt::chain(begun, futures::stream::pending()))
    };
    let client = server.client_with(ANN);
    let upload = tokio::spawn(async move {
        // One of the small ones below can hold the only place at this moment.
        while let Ok(answer) = client.http(Method::POST, "/api/blobs").body(begin()).send().await {
            assert_eq!(answer.status(), StatusCode::TOO_MANY_REQUESTS);
        }
    });
    let refused = async {
        loop {
            let (status, retry, body) = send(ANN, reqwest::Body::from("small")).await;
            if status == StatusCode::TOO_MANY_REQUESTS {
                return (retry, body);
            }
        }
    };
    let refused = tokio::time::timeout(tests::PATIENCE, refused).await;
    let (has_retry, body) = refused.expect("its own upload is in the way");
    assert!(
        has_retry && body["message"].as_str().unwrap().contains("caller_uploads_max"),
        "{body}"
    );
    assert_eq!(send(EVE, bytes(4)).await.0, StatusCode::CREATED, "others have places");
    upload.abort();
}

// The operator on the public listener: by this start's key on this machine, or by a token with the
// operator's scope; tokens on the command line.

const OPAL: &str = "mdg_opal-looks-after-the-server";

const LOU: &str = "mdg_lou-looks-at-the-server";

fn key(server: &TestServer) -> OperatorKey {
    OperatorKey::read(&server.folders.data()).unwrap().unwrap()
}

async fn guarded(lines: &str) -> TestServer {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let all = entry("ann", ANN, "'*'")
        + &entry("opal", OPAL, "'operator'")
        + &entry("lou", LOU, "'operator', 'read-only'");
    let config = folders.config_with(&format!("{lines}\n{all}"));
    TestServer::start(folders, |it| *it = config).await
}

async fn send(client: &Client, method: Method, path: &str, body: Vec<u8>) -> Response {
    let request = client.http(method, &format!("/api/operator/{path}")).body(body);
    request.send().await.unwrap()
}

async fn read(response: Response) -> (StatusCode, Value) {
    (response.status(), response.json().await.unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn without_tokens_only_the_key_of_this_start_admits_operator() {
    let server = TestServer::with(&["echo"]).await;
    let paths = ["", "/", "/now", "/components", "/audit", "/metrics", "/nowhere"];
    for client in [server.client(), server.client_with("wrong")] {
        for path in paths {
            let answer = client.get(&format!("/api/operator{path}")).await;
            assert!(challenge(&answer).contains("scope=\"operator\""), "{path}");
            let (status, body) = read(answer).await;
            assert_eq!(status, StatusCode::UNAUTHORIZED, "{path}");
            let message = body["message"].as_str().unwrap();
            assert!(message.contains("madoguchi operator") && message.contains("scope"), "{body}");
        }
        let second = rebuilt(&component_bytes("echo"), 2);
        let answer = send(&client, Method::POST, "components/echo", second).await;
        assert_eq!(answer.status(), StatusCode::UNAUTHORIZED);
    }
    let client = server.client_with(&key(&server).token);
    let (status, now) = read(client.get("/api/operator/now").await).await;
    assert_eq!((status, &now["serving"], &now["calls"]), (StatusCode::OK, &json!(1), &json!(0)));
    let second = rebuilt(&component_bytes("echo"), 2);
    let (status, report) =
        read(send(&client, Method::POST, "components/echo", second.clone()).await).await;
    assert_eq!((status, &report["generation"]), (StatusCode::OK, &json!(2)), "{report}");
    let (_, report) =
        read(send(&client, Method::POST, "components/echo/rollback", Vec::new()).await).await;
    assert_eq!(report["generation"], 1);
    let (status, body) = read(send(&client, Method::POST, "call", b"{}".to_vec()).await).await;
    assert_eq!(status, StatusCode::NOT_FOUND, "tools are called as anybody calls them: {body}");
    assert!(body["message"].as_str().unwrap().contains("docs/operating.md"), "{body}");
    let (status, body) = read(send(&client, Method::PUT, "now", Vec::new()).await).await;
    assert_eq!(
        (status, &body["error"]),
        (StatusCode::METHOD_NOT_ALLOWED, &json!("method_not_allowed"))
    );
    assert!(!body.to_string().contains(&key(&server).token));
}

#[tokio::test(flavor = "multi_thread")]
async fn refuses_foreign_page_even_with_operator_key_but_admits_own() {
    let server = TestServer::with(&["echo"]).await;
    let client = server.client_with(&key(&server).token);
    let from = async |origin: &str| {
        let request = client.http(Method::GET, "/api/operator/components");
        request.header("origin", origin).send().await.unwrap().status()
    };
    assert_eq!(from(&server.url()).await, StatusCode::OK);
    assert_eq!(from("https://evil.example").await, StatusCode::FORBIDDEN);
    let foreign = client.http(Method::GET, "/api/operator/components");
    let foreign = foreign.header("host", "evil.example").send().await.unwrap();
    assert_eq!(foreign.status(), StatusCode::FORBIDDEN);
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_key_works_only_on_this_machine() {
    let folders = Folders::new();
    let server = TestServer::start(folders, |config| {
        config.trusted_proxies = vec![std::net::IpAddr::from([127, 0, 0, 1]).into()];
    })
    .await;
    let client = server.client_with(&key(&server).token);
    let behind = async |address: &str| {
        let request = client.http(Method::GET, "/api/operator/now");
        request.header("x-forwarded-for", address).send().await.unwrap().status()
    };
    assert_eq!(behind("127.0.0.1").await, StatusCode::OK);
    assert_eq!(behind("192.0.2.1").await, StatusCode::UNAUTHORIZED);
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_scope_administers_server_and_wildcard_lacks_it() {
    let server = guarded("").await;
    let (ann, opal) = (server.client_with(ANN), server.client_with(OPAL));
    let answer = ann.get("/api/operator/components").await;
    assert!(challenge(&answer).contains("insufficient_scope"), "{}", challenge(&answer));
    let (status, body) = read(answer).await;
    assert_eq!((status, &body["scope"]), (StatusCode::FORBIDDEN, &json!("operator")), "{body}");
    let (status, listed) = read(opal.get("/api/operator/components").await).await;
    assert_eq!((status, &listed["components"][0]["name"]), (StatusCode::OK, &json!("echo")));
    assert!(opal.tools().await.is_empty(), "it is no leave to call tools");
    assert!(!ann.tools().await.is_empty());
    for (client, is_operator) in [(&ann, Value::Null), (&opal, json!(true))] {
        let (_, page) = read(client.get("/api/page").await).await;
        assert_eq!(page["isOperator"], is_operator);
    }
    let of_the_start = server.client_with(&key(&server).token);
    assert_eq!(of_the_start.get("/api/operator/now").await.status(), StatusCode::OK);
    assert_eq!(of_the_start.get("/api/health").await.status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test(flavor = "multi_thread")]
async fn read_only_operator_views_and_changes_nothing() {
    let server = guarded("").await;
    let lou = server.client_with(LOU);
    for path in ["now", "components", "components/echo", "audit", "audit?lines=5&", "metrics"] {
        let status = lou.get(&format!("/api/operator/{path}")).await.status();
        assert_eq!(status, StatusCode::OK, "{path}");
    }
    let second = rebuilt(&component_bytes("echo"), 2);
    for (method, path, body) in [
        (Method::POST, "components/echo", second),
        (Method::DELETE, "components/echo", Vec::new()),
        (Method::POST, "components/echo/rollback", Vec::new()),
        (Method::POST, "components/echo/accept", Vec::new()),
        (Method::POST, "components/echo/refuse", Vec::new()),
    ] {
        let is_sent = !body.is_empty();
        let answer = send(&lou, method, path, body).await;
        let closes = answer.headers().get("connection").is_some_and(|it| it == "close");
        assert_eq!(closes, is_sent, "{path}: what is not read ends the connection, and says so");
        let (status, body) = read(answer).await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{path}: {body}");
        assert!(body["message"].as_str().unwrap().contains("read-only"), "{body}");
    }
    assert_eq!(server.server().control.component("echo").unwrap().generation, Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_loads_component_above_the_usual_body_limit() {
    let server = guarded("body_bytes_max = 65536").await;
    let opal = server.client_with(OPAL);
    let bytes = rebuilt(&component_bytes("echo"), 2);
    assert!(bytes.len() > 65_536);
    let (status, report) = read(send(&opal, Method::POST, "components/echo", bytes).await).await;
    assert_eq!((status, &report["generation"]), (StatusCode::OK, &json!(2)), "{report}");
    let too_large = vec![0; (64 << 20) + 1];
    let status = send(&opal, Method::POST, "components/echo", too_large).await.status();
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_gets_status_and_problems_of_the_server() {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    folders.put("broken", b"no component");
    let server = TestServer::start(folders, |_| {}).await;
    let client = server.client();
    for _ in 0..3 {
        client.output("echo", json!({ "value": {} })).await;
    }
    client.failure("echo", json!({ "value": 1 })).await;
    let operator = server.client_with(&key(&server).token);
    let (_, now) = read(operator.get("/api/operator/now").await).await;
    let count = |name: &str| now[name].as_u64().unwrap_or_else(|| panic!("{name}: {now}"));
    assert_eq!((count("calls"), count("errors"), count("traps")), (4, 0, 0), "{now}");
    assert!(count("p99_us") >= count("p50_us") && count("p50_us") > 0, "{now}");
    assert_eq!((count("running"), count("queued"), count("waiting")), (0, 0, 0), "{now}");
    assert!(now["uptime_s"].as_f64().unwrap() > 0.0 && now["version"].is_string());
    assert_eq!(now["troubles"][0]["of"], "component", "{now}");
    assert_eq!(now["troubles"][0]["name"], "broken", "{now}");
}

// `madoguchi token`, and tokens in the output of other commands.

fn run(folders: &Folders, arguments: &[&str]) -> Output {
    output(bare_command(folders).args(arguments))
}

fn json_of(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn fresh_token_admits_who_pastes_its_lines_and_is_kept_nowhere() {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let new = ["token", "new", "ci", "--scope", "tool:echo", "--scope", "tool:whoami"];
    let fresh = json_of(&run(&folders, &[&new[..], &["--expires", "90d", "--json"]].concat()));
    assert!(!folders.data().exists(), "nothing is written");
    let token = fresh["token"].as_str().unwrap();
    assert_eq!(fresh["sha256"], host::digest::digest(token.as_bytes()));
    let lines = fresh["configuration"].as_str().unwrap();
    assert!(!lines.contains(token) && lines.contains("expires = \""), "{lines}");

    let file = folders.data().with_file_name("madoguchi.toml");
    fs::write(&file, format!("bundled = false\n{lines}")).unwrap();
    let path = file.to_str().unwrap();
    let mut command = command(&folders);
    command.args(["--addr", "127.0.0.1:0", "--config", path, "--components"]);
    command.arg(folders.components());
    let process = Process::from(command);
    let client = Client::new(&process.url).with_token(token);
    let who = client.output("whoami", json!({})).await;
    assert_eq!((&who["principal"], &who["scopes"][0]), (&json!("ci"), &json!("tool:echo")));
    let listed = json_of(&run(&folders, &["--config", path, "token", "list", "--json"]));
    assert_eq!(listed["ci"]["scopes"], json!(["tool:echo", "tool:whoami"]));
    assert!(listed["ci"]["expired"] == false && !listed.to_string().contains("sha256"));
    let again = run(&folders, &["--config", path, "token", "new", "ci"]);
    let text = String::from_utf8_lossy(&again.stderr);
    assert!(!again.status.success() && text.contains("[tokens.ci] already"), "{text}");
}

#[test]
fn person_starting_the_process_needs_no_token_on_its_stdin() {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let file = folders.data().with_file_name("madoguchi.toml");
    let lines = entry("ann", ANN, "'*'");
    fs::write(&file, format!("bundled = false\n{lines}")).unwrap();
    let mut command = command(&folders);
    command.args(["--stdio", "--config"]).arg(&file).arg("--components").arg(folders.components());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut process = command.spawn().unwrap();
    let params = json!({ "name": "whoami", "arguments": {}, "_meta": Client::meta() });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let mut input = process.stdin.take().unwrap();
    writeln!(input, "{call}").unwrap();
    let mut answer = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut answer).unwrap();
    drop(input);
    process.wait().unwrap();
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["result"]["structuredContent"]["principal"], "stdio", "{answer}");
}

#[test]
fn prints_token_once_and_names_valid_arguments() {
    let folders = Folders::new();
    let output = run(&folders, &["token", "new", "ann"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(text.matches("mdg_").count(), 1, "{text}");
    assert!(text.contains("[tokens.ann]\nsha256 = ") && text.contains("scopes = [\"*\"]"));
    for (arguments, expected) in [
        (vec!["ann", "--scope", "tools:echo"], "tool:NAME"),
        (vec!["ann", "--expires", "soon"], "90d"),
        (vec!["a b"], "A-Z"),
        (vec!["stdio"], "another name"),
    ] {
        let refused = run(&folders, &[&["token", "new"], &arguments[..]].concat());
        let text = String::from_utf8_lossy(&refused.stderr);
        assert!(!refused.status.success() && text.contains(expected), "{arguments:?}: {text}");
        assert!(refused.stdout.is_empty(), "no token comes of it");
    }
    let past = run(&folders, &["token", "new", "ann", "--expires", "2020-01-01"]);
    assert!(String::from_utf8_lossy(&past.stderr).contains("expired already"), "{past:?}");
}

#[test]
fn check_config_names_the_line_of_each_mistake_in_tokens() {
    let folders = Folders::new();
    let digest = host::digest::digest(b"mdg_x");
    let text = format!(
        "bundled = false\nallowed_origins = ['*']\n[tokens.ann]\nsha256 = '{digest}'\n\
        scopes = ['tool:x', 'everything']\nexpires = '2020-01-01T00:00:00Z'\n\
        [tokens.ben]\nsha256 = '{digest}'\nscopes = ['component:nobody']\n"
    );
    let file = folders.components().join("madoguchi.toml");
    fs::write(&file, text).unwrap();
    let report = json_of(&run(&folders, &["check-config", file.to_str().unwrap(), "--json"]));
    let findings = report["findings"].as_array().unwrap();
    let found: Vec<_> = findings
        .iter()
        .map(|it| (it["about"].as_str().unwrap(), it["line"].as_u64().unwrap(), &it["is_problem"]))
        .collect();
    let (yes, no) = (&json!(true), &json!(false));
    let expected = [
        ("tokens.ann.scopes", 5, yes),
        ("tokens.ann.expires", 6, no),
        ("tokens.ben.sha256", 8, yes),
        ("allowed_origins", 2, yes),
        ("tokens.ben.scopes", 9, no),
    ];
    assert_eq!(found, expected, "{report}");
    assert!(!report.to_string().contains(&digest), "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn accounts_are_made_listed_linked_and_removed_by_commands() {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let file = folders.data().with_file_name("madoguchi.toml");
    fs::write(&file, "bundled = false\n[accounts]\nenabled = true\n").unwrap();
    let alone = run(&folders, &["account", "list"]);
    let text = String::from_utf8_lossy(&alone.stderr).into_owned();
    assert!(!alone.status.success() && text.contains("no server"), "{text}");
    let serving = || {
        let mut program = command(&folders);
        program.args(["--addr", "127.0.0.1:0", "--config", file.to_str().unwrap()]);
        program.arg("--components").arg(folders.components());
        program
    };
    let mut process = Process::from(serving());
    let new = ["account", "new", "ann", "--scopes", "tool:echo,tool:whoami", "--json"];
    let made = json_of(&run(&folders, &new));
    let link = made["link"].as_str().unwrap();
    assert!(link.starts_with(&format!("{}/account/link/mdg_link_", process.url)), "{made}");
    let again = run(&folders, &new);
    let text = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(!again.status.success() && text.contains("account link NAME"), "{text}");
    for (wrong, why) in [
        (&["account", "new", "a b"][..], "the name of an account"),
        (&["account", "new", "operator"], "another name"),
        (&["account", "new", "ben", "--scopes", "everything"], "is not a scope"),
        (&["account", "link", "nobody"], "no such account"),
        (&["account", "scopes", "ann"], "which scopes?"),
        (&["account", "revoke", "ann", "0a"], "no such account or device"),
    ] {
        let refused = run(&folders, wrong);
        let text = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && text.contains(why), "{wrong:?}: {text}");
    }
    let shown = run(&folders, &["account", "link", "ann"]);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("it works once") && !shown.contains(link), "{shown}");
    let changed = run(&folders, &["account", "scopes", "ann", "--scopes", "component:echo"]);
    assert!(changed.status.success(), "{changed:?}");
    let listed = run(&folders, &["account", "list"]);
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(listed.contains("ann  component:echo  passkeys: 0"), "{listed}");
    // The answer is durable before the program ends.
    process.kill();
    let process = Process::from(serving());
    let kept = run(&folders, &["account", "list"]);
    assert_eq!(String::from_utf8_lossy(&kept.stdout), listed);
    assert!(run(&folders, &["account", "remove", "ann"]).status.success());
    let listed = json_of(&run(&folders, &["account", "list", "--json"]));
    assert_eq!(listed, json!({ "accounts": [] }));
    drop(process);
}
