//! Time-outs and limits of connections.

use super::*;

const HASTY: &str = "[connections]\nheader_s = 1\nbody_s = 1\nidle_s = 2\nwrite_s = 1\n";

#[tokio::test(flavor = "multi_thread")]
async fn half_heads_idle_connections_and_half_bodies_end() {
    let server = serve(HASTY).await;
    // Each sends its text at once: a second later it may be closed.
    let mut idle = Raw::to(&server).await;
    idle.send("GET /api/health HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
    assert_eq!(idle.status().await, 200);
    let mut body = Raw::to(&server).await;
    body.begin("/rpc", "", 1_000).await;
    body.send("{").await;
    let mut blob = Raw::to(&server).await;
    blob.begin("/api/blobs", "", 1_000).await;
    blob.send("{").await;
    let mut head = Raw::to(&server).await;
    head.send("GET / HTTP/1.1\r\nhost: local").await;
    let mut silent = Raw::to(&server).await;
    assert_eq!((silent.rest().await, head.rest().await), (String::new(), String::new()));
    let answer = body.rest().await;
    assert!(answer.starts_with("HTTP/1.1 408 ") && answer.contains("body_s"), "{answer}");
    assert!(blob.rest().await.starts_with("HTTP/1.1 408 "));
    assert!(!idle.rest().await.contains("HTTP/1.1"), "it is closed, and no more is said");
    echoes(&server.client()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dripping_body_times_out_and_slow_one_is_answered() {
    let server = serve("[connections]\nbody_s = 1\nbody_bytes_per_s_min = 100\n").await;
    let text = rpc();
    let slowly = async |path: &str, padding: usize| {
        let mut raw = Raw::to(&server).await;
        raw.begin(path, "", 9 * padding + text.len()).await;
        for _ in 0..9 {
            let sent = raw.0.write_all(" ".repeat(padding).as_bytes()).await;
            if sent.is_err() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
        let _ = raw.0.write_all(text.as_bytes()).await;
        raw.status().await
    };
    let all = tokio::join!(slowly("/rpc", 1), slowly("/rpc", 1_000), slowly("/api/blobs", 1));
    assert_eq!(all, (408, 200, 408));
}

#[tokio::test(flavor = "multi_thread")]
async fn full_server_accepts_a_new_client() {
    let server = serve("[connections]\nconnections_max = 16\n").await;
    let mut held = Vec::new();
    for _ in 0..40 {
        let mut raw = Raw::to(&server).await;
        raw.send("GET / HTTP/1.1\r\nhost: local").await;
        held.push(raw);
    }
    echoes(&server.client()).await;
    assert_eq!(held[0].rest().await, "", "what has waited longest gave way");
}

#[tokio::test(flavor = "multi_thread")]
async fn connection_that_is_not_read_is_closed() {
    let server = serve(HASTY).await;
    let mut raw = Raw::to(&server).await;
    let value = "x".repeat(1 << 20);
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "echo", "params": { "value": { "a": value } } });
    let body = body.to_string();
    let request = format!(
        "POST /rpc HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    // More than any buffer between takes, until the server gives up.
    let send = async {
        for _ in 0..64 {
            if raw.0.write_all(request.as_bytes()).await.is_err() {
                return true;
            }
        }
        false
    };
    assert!(tokio::time::timeout(LONG, send).await.expect("it does not wait for ever"));
    echoes(&server.client()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn http_2_is_not_served() {
    let server = serve("").await;
    let mut raw = Raw::to(&server).await;
    raw.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u{4}\0\0\0\0\0").await;
    let answer = raw.rest().await;
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer:?}");
}

/// A file larger than all buffers in between.
const BIG: usize = 16 << 20;

/// The address of a file of so many bytes, which `client` leaves.
async fn big(client: &Client) -> String {
    let request = client.http(Method::POST, "/api/blobs").body(vec![7_u8; BIG]);
    let answer = request.header("content-type", "text/plain").send().await.unwrap();
    let blob: Value = answer.json().await.unwrap();
    format!("/api/blobs/{}", blob["id"].as_str().unwrap_or_else(|| panic!("{blob}")))
}

/// A connection from this address of this machine.
async fn from(address: &str, server: &TestServer) -> Raw {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind(format!("{address}:0").parse().unwrap()).unwrap();
    Raw(socket.connect(server.server().addr.unwrap()).await.unwrap())
}

/// The status of the answer to a request for `path`, of which no more than the beginning is read.
async fn begins(raw: &mut Raw, path: &str, token: Option<&str>) -> u16 {
    let token = token.map(|it| format!("authorization: Bearer {it}\r\n")).unwrap_or_default();
    raw.send(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n{token}\r\n")).await;
    raw.status().await
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_readers_of_one_address_leave_others_their_share() {
    let server = serve("[connections]\nconnections_max = 16\n").await;
    let path = big(&server.client()).await;
    let mut held = Vec::new();
    for _ in 0..16 {
        let mut raw = Raw::to(&server).await;
        assert_eq!(begins(&mut raw, &path, None).await, 200);
        held.push(raw);
    }
    for _ in 0..8 {
        let mut raw = from("127.0.0.2", &server).await;
        assert_eq!(begins(&mut raw, &path, None).await, 200, "up to its share");
        held.push(raw);
    }
    for address in ["127.0.0.1", "127.0.0.2"] {
        let mut raw = from(address, &server).await;
        assert_eq!(raw.status().await, 503, "{address} has its share, and takes none of another's");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_readers_of_one_token_leave_others_their_share() {
    let lines =
        format!("{}{}[connections]\nconnections_max = 16\n", entry("ann", ANN), entry("ben", BEN));
    let server = serve(&lines).await;
    let path = big(&server.client_with(ANN)).await;
    let mut held = Vec::new();
    for _ in 0..8 {
        let mut raw = Raw::to(&server).await;
        assert_eq!(begins(&mut raw, &path, Some(ANN)).await, 200);
        held.push(raw);
    }
    for _ in 0..12 {
        let mut raw = Raw::to(&server).await;
        assert_eq!(begins(&mut raw, "/api/health", Some(ANN)).await, 429);
        held.push(raw);
    }
    let refused = server.client_with(ANN).get("/api/health").await;
    assert!(refused.headers().contains_key("retry-after"));
    let refused: Value = refused.json().await.unwrap();
    assert_eq!(refused["error"], "too_many_open", "{refused}");
    echoes(&server.client_with(BEN)).await;
    held.clear();
    let again = async {
        while server.client_with(ANN).get("/api/health").await.status() != StatusCode::OK {}
    };
    tokio::time::timeout(LONG, again).await.expect("what is over makes room");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_caller_cannot_use_all_downloads() {
    let lines =
        format!("{}{}[blobs]\ncaller_downloads_max = 2\n", entry("ann", ANN), entry("ben", BEN));
    let server = serve(&lines).await;
    let path = big(&server.client_with(ANN)).await;
    let mut held = Vec::new();
    for _ in 0..2 {
        let mut raw = Raw::to(&server).await;
        assert_eq!(begins(&mut raw, &path, Some(ANN)).await, 200);
        held.push(raw);
    }
    let refused: Value = server.client_with(ANN).get(&path).await.json().await.unwrap();
    assert_eq!(refused["error"], "too_many_downloads", "{refused}");
    let mut ben = Raw::to(&server).await;
    assert_eq!(begins(&mut ben, &path, Some(BEN)).await, 200, "others have theirs");
}
