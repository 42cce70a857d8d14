//! A provider's key appears in no answer, log or file.

use std::fs;

use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes,
    fake_models::{
        Course, FakeModel, Reply,
        claude::{self, Claude},
        openai::{self, OpenAi},
    },
    process::{Process, command},
    server::Folders,
};

/// A key that every provider rejects and repeats.
const REFUSED: &str = "sk-refused-4711/key+of-mine";

/// The provider repeats the key in its own answer.
#[tokio::test(flavor = "multi_thread")]
async fn leaks_key_in_no_answer_log_or_file_even_if_provider_echoes() {
    let claude = FakeModel::start(Claude::default()).await;
    let openai = FakeModel::start(OpenAi::Strict).await;
    for (provider, fake, right, variable) in
        [("claude", &claude, claude::KEY, "ANTHROPIC"), ("openai", &openai, openai::KEY, "OPENAI")]
    {
        for key in [REFUSED, right] {
            let folders = Folders::new();
            for name in ["assistant", "echo"] {
                folders.put(name, &component_bytes(name));
            }
            let config = folders.data().with_file_name("madoguchi.toml");
            let lines = format!(
                "bundled = false\n[chat]\nassistant = 'helper'\n[models.{provider}]\nretry_base_ms = 1\n\
                 [assistants.helper]\nprompt = 'You help.'\nprovider = '{provider}'\napproval = 'never'\n"
            );
            fs::write(&config, lines).unwrap();
            let log = config.with_file_name("log");
            let mut command = command(&folders);
            command.args(["--addr", "127.0.0.1:0", "--components"]).arg(folders.components());
            command.arg("--config").arg(&config).env("MADOGUCHI_LOG", "trace");
            // As an operator gives them.
            command.env(format!("{variable}_API_KEY"), key);
            command.env(format!("{variable}_BASE_URL"), &fake.url);
            command.env(format!("{variable}_MODEL"), model(provider));
            let mut process = Process::logging(command, fs::File::create(&log).unwrap());
            let client = Client::new(&process.url);
            if key == right {
                let event = claude::error_event("api_error", &format!("no, {key}"));
                let turn = claude::says("これから長い話をします。");
                fake.then(Reply::Message(
                    if provider == "claude" { turn } else { openai::says("はい") },
                    if provider == "claude" { Course::Instead(4, event) } else { Course::Whole },
                ));
            }
            let mut sources = Vec::new();
            for accept in ["application/json", "text/event-stream"] {
                let body = json!({ "message": "やって" }).to_string();
                let response = client.post("/api/chat", &[("accept", accept)], body).await;
                sources.push(response.text().await.unwrap());
            }
            for path in ["/api/chat", "/api/health"] {
                sources.push(client.get(path).await.text().await.unwrap());
            }
            if key == REFUSED {
                let answer: Value = serde_json::from_str(&sources[0]).unwrap();
                assert!(answer["details"].as_str().unwrap().contains("***"), "ILL-42: {answer}");
            }
            process.signal();
            process.wait();
            let log = fs::read_to_string(&log).unwrap();
            assert!(log.len() > 2_000, "the log is a full one");
            sources.push(log);
            let text = |(_, it): (_, Vec<u8>)| String::from_utf8_lossy(&it).into_owned();
            sources.extend(folders.kept().into_iter().map(text));
            let sent = fake.received();
            assert!(sent.iter().any(|it| format!("{it:?}").contains(key)), "it was sent");
            for source in &sources {
                assert!(!source.contains(key), "{provider}: it got out in {source:.300}");
            }
        }
    }
}

fn model(provider: &str) -> &'static str {
    match provider {
        "claude" => "claude-sonnet-5-5",
        _ => openai::MODEL,
    }
}
