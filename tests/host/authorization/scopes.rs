//! Scopes, in both eras and on every surface: what a caller sees and may call; and at which rate.

use reqwest::{Method, Response, StatusCode};
use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes,
    legacy::LegacySession,
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
