//! The end of a server: soon, whatever strangers hold open, and with the answers that were on their way.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_waits_for_calls_and_not_for_strangers() {
    let mut server = serve("").await;
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
    let stopped = tokio::time::timeout(Duration::from_secs(10), server.stop()).await;
    assert!(stopped.is_ok(), "strangers hold it up");
    assert_eq!(call.await.unwrap()["structuredContent"]["counted"], 1000);
    drop((held, listening));
}
