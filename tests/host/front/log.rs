//! The log: disconnecting clients are no errors, and texts of clients start no line.

use std::fs;

use tests::process::{Process, command};

use super::*;

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
