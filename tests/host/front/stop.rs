//! The server's stop: prompt whatever idle clients do, and with all pending answers.

use tests::{
    client::Listener,
    process::{Process, command},
};

use super::*;

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
    std::fs::write(&config, format!("bundled = false\n{lines}")).unwrap();
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
