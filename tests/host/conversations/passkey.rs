//! `madoguchi passkey`, from the command line to the session that the passkey opens.

use std::{
    fs,
    io::Write,
    process::{Output, Stdio},
};

use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes,
    process::{Process, bare_command, command, output},
    server::Folders,
};

fn run(folders: &Folders, arguments: &[&str]) -> Output {
    output(bare_command(folders).args(arguments))
}

fn json_of(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

/// Runs it with `text` on its standard input.
fn run_with(folders: &Folders, arguments: &[&str], text: &[u8]) -> Output {
    let mut command = command(folders);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = command.spawn().unwrap();
    // It may turn a text down before it has read all of it.
    let _ = process.stdin.take().unwrap().write_all(text);
    process.wait_with_output().unwrap()
}

fn has(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|it| it == text.as_bytes())
}

/// The agent is the one whose lines are pasted into the configuration.
#[tokio::test(flavor = "multi_thread")]
async fn fresh_passkey_admits_agent_of_its_lines_and_is_kept_nowhere() {
    let folders = Folders::new();
    folders.put("conversations", &component_bytes("conversations"));
    let file = folders.data().with_file_name("madoguchi.toml");
    let path = file.to_str().unwrap().to_owned();
    let shop = "bundled = false\n[components.conversations.settings.projects.shop]\n";
    fs::write(&file, shop).unwrap();
    let fresh = json_of(&run(&folders, &["--config", &path, "passkey", "alice", "--json"]));
    assert!(!folders.data().exists(), "nothing is written");
    let passkey = fresh["passkey"].as_str().unwrap().to_owned();
    let lines = fresh["configuration"].as_str().unwrap();
    assert!(!lines.contains(&passkey) && lines.contains("projects = [\"shop\"]"), "{lines}");
    let text = b"correct horse battery\r\nrest";
    let brought = json_of(&run_with(
        &folders,
        &["--config", &path, "passkey", "bob", "--stdin", "--json"],
        text,
    ));
    assert!(brought.get("passkey").is_none(), "who brings it has it: {brought}");
    let bob = brought["configuration"].as_str().unwrap();
    fs::write(&file, format!("{shop}{lines}{bob}")).unwrap();

    let again = json_of(&run(&folders, &["--config", &path, "passkey", "alice", "--json"]));
    let again = again["configuration"].as_str().unwrap();
    assert!(!again.contains("projects"), "of a table that is there, the line alone: {again}");

    let log = file.with_file_name("log");
    let mut command = command(&folders);
    command.args(["--addr", "127.0.0.1:0", "--config", &path, "--components"]);
    command.arg(folders.components()).env("MADOGUCHI_LOG", "trace");
    let process = Process::logging(command, fs::File::create(&log).unwrap());
    let client = Client::new(&process.url);
    let enter = |agent: &str, passkey: &str| json!({ "agent_id": agent, "passkey": passkey, "project_id": "shop" });
    let opened = client.output("authenticate", enter("alice", &passkey)).await;
    assert_eq!(opened["success"], true, "{opened}");
    let bob = client.output("authenticate", enter("bob", "correct horse battery")).await;
    assert_eq!(bob["success"], true, "{bob}");
    let wrong = client.output("authenticate", enter("bob", "incorrect-horse")).await;
    assert_eq!(wrong["error"], "Authentication failed");
    let token = opened["session_token"].as_str().unwrap();
    let listed = client.output("list_agents", json!({ "session_token": token })).await;
    assert_eq!(listed["my_agent_id"], "alice");
    client.output("logout", json!({ "session_token": token })).await;
    let refused = client.failure("list_agents", json!({ "session_token": token })).await;
    assert_eq!(refused["error"], "invalid_session");
    process.signal();
    let mut process = process;
    process.wait();

    let bytes = folders.kept().into_iter().flat_map(|it| it.1).collect::<Vec<_>>();
    let log = fs::read(&log).unwrap();
    assert!(has(&bytes, "alice") && !log.is_empty(), "looked here");
    for secret in [
        &passkey,
        token,
        bob["session_token"].as_str().unwrap(),
        "correct horse",
        "incorrect-horse",
    ] {
        let secret = secret.trim_start_matches("sess_").trim_start_matches("mdp_");
        assert!(!has(&bytes, secret), "in the data: {secret}");
        assert!(!has(&log, secret), "in the log: {secret}");
    }
}

#[test]
fn prints_passkey_once_and_names_valid_input() {
    let folders = Folders::new();
    let output = run(&folders, &["passkey", "alice"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(text.matches("mdp_").count(), 1, "{text}");
    let table = "[components.conversations.settings.agents.alice]\nname = \"alice\"\n";
    assert!(text.contains(table) && text.contains("passkey = \"$argon2id$v=19$m=19456,t=2,p=1$"));
    let dotted = json_of(&run(&folders, &["passkey", "a.b", "--json"]));
    assert!(dotted["configuration"].as_str().unwrap().contains(".agents.\"a.b\"]"), "{dotted}");
    let other = String::from_utf8(run(&folders, &["passkey", "alice"]).stdout).unwrap();
    assert_ne!(text, other, "another one each time");

    for (arguments, text, why) in [
        (vec!["passkey", "a b"], &b""[..], "A-Z"),
        (vec!["passkey"], b"", "AGENT"),
        (vec!["passkey", "alice", "--stdin"], b"short\n", "8 to 200 characters"),
        (vec!["passkey", "alice", "--stdin"], b"", "8 to 200 characters"),
        (vec!["passkey", "alice", "--stdin"], b"with a\ttab in it\n", "one line"),
        (vec!["passkey", "alice", "--stdin"], b"\xff\xfe\xff\xfe\xff\xfe\xff\xfe\n", "UTF-8"),
        (vec!["passkey", "alice", "--stdin"], &[b'x'; 100_000], "8 to 200 characters"),
        (vec!["passkey", "alice", "open-sesame"], b"", "unexpected argument"),
    ] {
        let refused = run_with(&folders, &arguments, text);
        let text = String::from_utf8_lossy(&refused.stderr);
        assert!(!refused.status.success() && text.contains(why), "{arguments:?}: {text}");
        assert!(refused.stdout.is_empty(), "no passkey comes of it");
    }
}
