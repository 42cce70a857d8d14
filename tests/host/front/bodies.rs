//! Request bodies: authorized first, and within a common budget.

use futures::{StreamExt, stream::FuturesUnordered};

use super::*;

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
