//! Time-outs and limits of connections.

use tests::{
    client::Listener,
    process::{Process, command},
};

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

// The server's stop: prompt whatever idle clients do, and with all pending answers.

/// Lets a stop and a call take longer than any test.
const PATIENT: &str =
    "[connections]\nstop_s = 600\n[limits]\ncpu_ms_max = 600000\ndeadline_ms = 600000\n";

/// Starts a long call, which ends with its client.
async fn start_counting(client: &Client) -> Listener {
    let mut meta = Client::meta();
    meta["progressToken"] = "far".into();
    let arguments = json!({ "steps": 20_000 });
    let params = json!({ "name": "count_slowly", "arguments": arguments, "_meta": meta });
    let mut progress = client.stream("tools/call", params).await;
    let first = progress.next(LONG).await.expect("it runs");
    assert_eq!(first["method"], "notifications/progress", "{first}");
    progress
}

/// Polls `/api/ready` for this status.
async fn until_ready_is(client: &Client, ready: bool) -> Value {
    let asked = async {
        loop {
            // A server that stops closes idle connections, perhaps while this goes out on one.
            if let Ok(answer) = client.http(Method::GET, "/api/ready").send().await {
                let status = answer.status();
                assert_eq!(answer.headers()["cache-control"], "no-store");
                let body: Value = answer.json().await.unwrap();
                assert_eq!(status == StatusCode::OK, body["ready"] == true, "{body}");
                if body["ready"] == ready {
                    return body;
                }
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(LONG, asked).await.expect("it says so")
}

/// STO-40: a load balancer needs no token, and learns nothing else.
#[tokio::test(flavor = "multi_thread")]
async fn readiness_needs_no_token_and_reveals_no_more() {
    let server = serve(&entry("ann", ANN)).await;
    let client = server.client();
    assert_eq!(client.get("/api/cinema").await.status(), 401, "a token is needed elsewhere");
    assert_eq!(until_ready_is(&client, true).await, json!({ "ready": true }));
    let head = client.http(Method::HEAD, "/api/ready").send().await.unwrap();
    assert_eq!(head.status(), StatusCode::OK);
    assert_eq!(head.text().await.unwrap(), "");
    assert_eq!(client.http(Method::POST, "/api/ready").send().await.unwrap().status(), 405);
}

/// STO-41: a server that is to stop says so, and takes calls until load balancers have seen it.
#[tokio::test(flavor = "multi_thread")]
async fn stopping_server_is_not_ready_but_takes_calls() {
    // It is not waited for: the test ends before.
    let mut server = serve("[connections]\ndrain_s = 600").await;
    let (client, addr) = (server.client(), server.server().addr.unwrap());
    let mut open = Raw::to(&server).await;
    open.send("GET /api/health HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
    let head = open.until("\r\n\r\n").await.to_lowercase();
    assert!(!head.contains("connection: close"), "{head}");
    until_ready_is(&client, true).await;
    let leaving = async {
        let health = until_ready_is(&client, false).await;
        assert_eq!(health["why"], "the server is about to stop");
        echoes(&client).await;
        // On a connection of before as well, which ends with that answer and not in the middle of one.
        open.send("GET /api/health HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
        let rest = open.rest().await.to_lowercase();
        assert!(rest.contains("http/1.1 200") && rest.contains("connection: close"), "{rest}");
        let mut new = Raw(TcpStream::connect(addr).await.unwrap());
        new.send("GET /api/ready HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
        let rest = new.rest().await.to_lowercase();
        assert!(rest.contains("http/1.1 503") && rest.contains("connection: close"), "{rest}");
    };
    tokio::select! {
        () = server.stop() => panic!("it stopped before its time"),
        () = leaving => {}
    }
}

/// STO-41: what comes while the last calls run is told to come again, on each way; what runs ends.
#[tokio::test(flavor = "multi_thread")]
async fn calls_after_the_stop_get_a_retry_time() {
    let mut server = serve(PATIENT).await;
    let client = server.client();
    let call = start_counting(&client).await;
    let listening = client.listen().await;
    let asked = async {
        until_ready_is(&client, false).await;
        loop {
            let answer = client.send("tools/list", json!({})).await;
            if answer.status() == StatusCode::SERVICE_UNAVAILABLE {
                assert_eq!(answer.headers()["retry-after"], "1");
                assert_eq!(answer.headers()["connection"], "close");
                let body: Value = answer.json().await.unwrap();
                assert_eq!(body["error"]["data"]["error"], "unavailable", "{body}");
                assert_eq!(body["error"]["data"]["retry_after_ms"], 1_000, "{body}");
                break;
            }
        }
        let long = "x".repeat(1 << 20);
        for (path, body) in [("/rpc", rpc()), ("/rpc", long.clone()), ("/api/blobs", long)] {
            let answer = client.post(path, &[], body).await;
            assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE, "{path}");
            assert_eq!(answer.headers()["retry-after"], "1", "{path}");
        }
        assert_eq!(client.get("/api/health").await.status(), 200, "it lives");
        // The last client goes.
        drop(call);
    };
    tokio::join!(server.stop(), asked);
    // The stream has its end, and is not cut off.
    listening.end().await.unwrap();
}

/// The program with echo and these lines of configuration.
fn program(folders: &Folders, lines: &str) -> Process {
    folders.put("echo", &component_bytes("echo"));
    let config = folders.data().with_file_name("madoguchi.toml");
    fs::write(&config, format!("bundled = false\n{lines}")).unwrap();
    let mut command = command(folders);
    command.args(["--addr", "127.0.0.1:0", "--components"]).arg(folders.components());
    command.arg("--config").arg(&config);
    Process::from(command)
}

/// Reads a call to its end, which is no result.
async fn is_not_waited_for(mut call: Listener) {
    while let Some(message) = call.next(LONG).await {
        assert!(message.get("result").is_none(), "it was not waited for: {message}");
    }
}

/// STO-41: a second signal ends the program at once.
#[tokio::test(flavor = "multi_thread")]
async fn a_second_signal_ends_the_program_at_once() {
    let folders = Folders::new();
    let mut process = program(&folders, PATIENT);
    let client = Client::new(&process.url);
    let call = start_counting(&client).await;
    process.signal();
    until_ready_is(&client, false).await;
    process.signal();
    assert_eq!(process.wait().code(), Some(1));
    is_not_waited_for(call).await;
}

/// STO-41: a stop has an end, whatever a call does.
#[tokio::test(flavor = "multi_thread")]
async fn call_longer_than_stop_s_ends_with_the_program() {
    let folders = Folders::new();
    let lines = PATIENT.replace("stop_s = 600", "stop_s = 1");
    let mut process = program(&folders, &lines);
    let call = start_counting(&Client::new(&process.url)).await;
    process.signal();
    process.wait();
    is_not_waited_for(call).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn stop_waits_for_calls_but_not_for_idle_connections() {
    let mut server = serve("[connections]\nstop_s = 600\n").await;
    let mut held = Vec::new();
    for request in [
        "",
        "GET / HTTP/1.1\r\nhost: local",
        "POST /rpc HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{",
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{",
        "POST /api/blobs HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{",
        "GET /api/health HTTP/1.1\r\nhost: localhost\r\n\r\n",
    ] {
        let mut raw = Raw::to(&server).await;
        raw.send(request).await;
        held.push(raw);
    }
    let listening = server.client().listen().await;
    let client = server.client();
    let call =
        tokio::spawn(async move { client.call("count_slowly", json!({ "steps": 1000 })).await });
    let running = "madoguchi_calls_running{component=\"echo\"} 1";
    while !server.server().calls.watch.metrics.text().contains(running) {
        assert!(!call.is_finished(), "it was never seen to run");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let stopped = tokio::time::timeout(tests::PATIENCE, server.stop()).await;
    assert!(stopped.is_ok(), "strangers hold it up");
    assert_eq!(call.await.unwrap()["structuredContent"]["counted"], 1000);
    drop((held, listening));
}
