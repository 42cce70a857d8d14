//! Tokens and their digests appear in no response, log or file.

use std::fs;

use serde_json::json;
use tests::{
    client::Client,
    component_bytes,
    legacy::LegacySession,
    operator::Operator,
    process::{Process, command, output},
    server::Folders,
};

use super::entry;

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
        text += &operator.send(reqwest::Method::GET, path, "").await.1.to_string();
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
