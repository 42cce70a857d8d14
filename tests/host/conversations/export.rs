//! Export and import of `chat.jsonl`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Output,
};

use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes,
    conversations::HASH,
    process::{Process, command, exported, output},
    server::Folders,
};

const SETTINGS: &str = r#"
[components.conversations.settings]
projects = { office = { name = "事務所" } }
[components.conversations.settings.agents]
helper = { name = "Helper", projects = ["office"], passkey = "HASH" }
worker-a = { name = "A", projects = ["office"], passkey = "HASH" }
worker-b = { name = "B", projects = ["office"], passkey = "HASH" }
"#;
/// The sample of the specification, in one line.
const SAMPLE: &str = r#"{"id":"msg_xxx","senderId":"worker-a","recipientId":"worker-b","content":"しりとりをしましょう。りんご","timestamp":"2026-01-23T10:00:00Z","conversationId":"conv_xxx"}"#;

/// Folders with the component and a configuration.
struct Place {
    folders: Folders,
    config: PathBuf,
}

impl Place {
    fn new() -> Self {
        let folders = Folders::new();
        folders.put("conversations", &component_bytes("conversations"));
        let config = folders.components().join("madoguchi.toml");
        fs::write(&config, format!("bundled = false\n{}", SETTINGS.replace("HASH", HASH))).unwrap();
        Self { folders, config }
    }

    fn command(&self, arguments: &[&str]) -> std::process::Command {
        let mut command = command(&self.folders);
        command.arg("--config").arg(&self.config);
        command.arg("--components").arg(self.folders.components()).args(arguments);
        command
    }

    fn serve(&self) -> Process {
        Process::from(self.command(&["--addr", "127.0.0.1:0"]))
    }

    fn run(&self, arguments: &[&str]) -> Output {
        output(&mut self.command(arguments))
    }

    /// A file of these lines.
    fn file(&self, text: &str) -> PathBuf {
        let file = self.folders.components().join("chat.jsonl");
        fs::write(&file, text).unwrap();
        file
    }

    /// Imports these lines: whether all went well, what it reported, and of which lines.
    fn import(&self, text: &str) -> (bool, String, String) {
        let file = self.file(text);
        let done = self.run(&["import", "conversations", file.to_str().unwrap()]);
        let text = |it: Vec<u8>| String::from_utf8(it).unwrap();
        (done.status.success(), text(done.stdout), text(done.stderr))
    }

    fn chat(&self) -> Vec<Value> {
        exported(&self.folders, "conversations", "chat")
    }
}

async fn send_chat(client: &Client, text: &str) {
    let body = json!({ "content": text }).to_string();
    let answer = client.post("/api/projects/office/agents/helper/chat/messages", &[], body).await;
    assert_eq!(answer.status(), 200, "{text}");
}

fn lines(folder: &Path, table: &str) -> Vec<Value> {
    let text = fs::read_to_string(folder.join(format!("{table}.jsonl"))).unwrap();
    text.lines().map(|it| serde_json::from_str(it).unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn exports_messages_in_specified_lines_without_any_secret() {
    let place = Place::new();
    let process = place.serve();
    let client = Client::new(&process.url);
    let agent =
        json!({ "agent_id": "new", "name": "New", "type": "ai", "project_ids": ["office"] });
    let passkey = client.output("define_agent", agent).await["passkey"].clone();
    let arguments = json!({ "agent_id": "new", "passkey": passkey, "project_id": "office" });
    let session = client.output("authenticate", arguments).await;
    assert_eq!(session["success"], true, "{session}");
    for text in ["一", "二\n三"] {
        send_chat(&client, text).await;
    }
    let folder = tempfile::tempdir().unwrap();
    let done = place.run(&["export", "conversations", "--to", folder.path().to_str().unwrap()]);
    assert!(done.status.success(), "{done:?}");

    let chat = lines(folder.path(), "chat");
    let contents: Vec<_> = chat.iter().map(|it| it["content"].as_str().unwrap()).collect();
    assert_eq!(contents, ["一", "二\n三"], "CONV-6, in their order");
    let sample: Value = serde_json::from_str(SAMPLE).unwrap();
    for line in &chat {
        let names = |it: &Value| it.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(line), names(&sample), "CONV-6, and nothing else");
        let time = line["timestamp"].as_str().unwrap();
        assert!(time.len() == 20 && time.ends_with('Z'), "CONV-6: {time}");
        assert_eq!(
            (&line["senderId"], &line["recipientId"]),
            (&json!("operator"), &json!("helper"))
        );
        assert_eq!(line["conversationId"], Value::Null, "CONV-7");
    }

    let agents = lines(folder.path(), "agents");
    assert!(agents.iter().any(|it| it["id"] == "new"), "{agents:?}");
    assert_eq!(lines(folder.path(), "sessions").len(), 1, "its session, without its token");
    let token = session["session_token"].as_str().unwrap();
    let secrets = [passkey.as_str().unwrap().to_owned(), token.to_owned()];
    let digests = secrets.iter().map(|it| host::digest::digest(it.as_bytes()));
    let secrets: Vec<_> = digests.chain(secrets.clone()).chain(["$argon2".to_owned()]).collect();
    for entry in fs::read_dir(folder.path()).unwrap() {
        let file = entry.unwrap().path();
        let text = fs::read_to_string(&file).unwrap();
        let found = secrets.iter().find(|it| text.contains(it.as_str()));
        assert_eq!(found, None, "CONV-83: {}", file.display());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn imports_an_export_elsewhere_once_with_and_without_a_server() {
    let place = Place::new();
    let mut process = place.serve();
    let client = Client::new(&process.url);
    for number in 0..5 {
        send_chat(&client, &format!("{number}")).await;
    }
    process.kill();
    let chat = place.chat();
    let text: String = chat.iter().map(|it| format!("{it}\n")).collect();

    let other = Place::new();
    let (is_well, output, problems) = other.import(&text);
    assert!(
        is_well && output.contains("5 imported, 0 known already, 0 not taken"),
        "{output}{problems}"
    );
    assert_eq!(other.chat(), chat, "CONV-X22: what went in is what came out");
    let process = other.serve();
    let (is_well, output, problems) = other.import(&format!("{text}{SAMPLE}\n"));
    assert!(is_well && output.contains("1 imported, 5 known already"), "{output}{problems}");
    let client = Client::new(&process.url);
    let read = client.get("/api/projects/office/agents/helper/chat/messages").await;
    let read: Value = read.json().await.unwrap();
    let contents: Vec<_> =
        read["messages"].as_array().unwrap().iter().map(|it| &it["content"]).collect();
    assert_eq!(contents, ["0", "1", "2", "3", "4"], "the server that runs has them at once");
    assert!(other.chat().contains(&serde_json::from_str(SAMPLE).unwrap()), "CONV-6");
}

#[test]
fn names_lines_it_cannot_import_and_imports_the_others() {
    let place = Place::new();
    let wrong = SAMPLE.replace("worker-b", "nobody-at-all").replace("msg_xxx", "msg_yyy");
    let text = format!("{SAMPLE}\nno json\n\n{{\"id\": \"msg_1\"}}\n{wrong}\n{SAMPLE}\n");
    let (is_well, output, problems) = place.import(&text);
    assert!(!is_well, "whoever runs it in a script hears of it: {output}");
    assert!(output.contains("1 imported, 1 known already, 3 not taken"), "{output}{problems}");
    for line in [2, 4, 5] {
        assert!(problems.contains(&format!("chat.jsonl:{line}: ")), "{line}: {problems}");
    }
}

#[test]
fn reports_file_line_numbers_beyond_what_one_call_takes() {
    let place = Place::new();
    let line = |number: u32| SAMPLE.replace("msg_xxx", &format!("msg_{number:04}"));
    let mut lines: Vec<_> = (1..=450).map(line).collect();
    lines[433] = "?".to_owned();
    let (is_well, text, problems) = place.import(&lines.join("\n"));
    assert!(!is_well && problems.contains("chat.jsonl:434: "), "{text}{problems}");
    assert!(text.contains("449 imported, 0 known already, 1 not taken"), "{text}{problems}");
    assert_eq!(place.chat().len(), 449);
}

#[test]
fn reports_unusable_import_in_one_line() {
    let place = Place::new();
    let no_file = place.run(&["import", "conversations", "no-such-file.jsonl"]);
    let no_lines = place.run(&["import", "cinema", "no-such-file.jsonl"]);
    fs::remove_file(place.folders.components().join("conversations.wasm")).unwrap();
    let file = place.file(SAMPLE);
    let unknown = place.run(&["import", "conversations", file.to_str().unwrap()]);
    for (done, expected) in [
        (no_file, "cannot read no-such-file.jsonl"),
        (no_lines, "cinema takes no lines in; conversations does"),
        (unknown, "there is no component conversations"),
    ] {
        let text = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(!done.status.success() && text.contains(expected), "{text}");
    }
}
