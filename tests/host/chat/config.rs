//! Configuration of assistants and models: checked before the start, reported in health and metrics.

use host::Config;
use serde_json::{Value, json};
use tests::{
    fake_models::gemini,
    server::{Folders, TestServer},
};
use workbench::check::{Document, check};

use super::{Talk, says};

/// The error of a start with these lines.
fn config_error(lines: &str) -> Option<String> {
    let folders = Folders::new();
    let file = folders.components().join("madoguchi.toml");
    std::fs::write(&file, lines).unwrap();
    let checked = Config::read(&file, tests::embedded()).and_then(|it| it.check());
    checked.err().map(|it| it.to_string())
}

#[test]
fn default_configuration_is_valid() {
    assert_eq!(config_error(""), None);
}

#[test]
fn names_each_mistake_in_the_hosts_part_and_repeats_no_secret() {
    for (lines, place, expected) in [
        (
            "[assistants.counter]\ntools = ['tool:echo']",
            "[assistants.counter.tools]",
            "component:NAME",
        ),
        ("[assistants.counter]\ntools = ['']", "[assistants.counter.tools]", "names of tools"),
        ("[assistants.counter]\ntrusts = ['*']", "[assistants.counter.trusts]", "one by one"),
        ("[assistants.counter]\napproval = 'perhaps'", "assistants.counter.approval", "always"),
        ("[chat]\nscopes = ['all']", "[chat.scopes]", "read-only"),
        ("[chat]\nbody_bytes_max = 1", "[chat.body_bytes_max]", "1024"),
        ("[chat]\npassword = 'hush'", "[chat.password]", "environment"),
        ("[chat]\npassword = { file = 'none' }", "[chat.password]", "leave it out"),
        (
            "[chat]\npassword = { environment = 'NOT_SET_ANYWHERE' }",
            "[chat.password]",
            "NOT_SET_ANYWHERE",
        ),
        ("[models.claude]\nkey = 'hush'", "[models.claude.key]", "value"),
        (
            "[models.openai]\nbase_url = 'http://model.example/v1'",
            "[models.openai.base_url]",
            "https",
        ),
        (
            "[models.openai]\nbase_url = 'https://u:hush@model.example'",
            "[models.openai.base_url]",
            "belongs to key",
        ),
        ("[models.openai]\nbase_url = 'here'", "[models.openai.base_url]", "no address"),
    ] {
        let error = config_error(lines).unwrap_or_else(|| panic!("it is taken: {lines}"));
        assert!(error.contains(place) && error.contains(expected), "{lines}: {error}");
        assert!(!error.contains("hush"), "{error}");
    }
}

/// The findings of `check-config` for these lines, by place.
async fn findings(lines: &str) -> Vec<(String, String, Option<usize>)> {
    let folders = Folders::new();
    folders.put("assistant", &tests::component_bytes("assistant"));
    folders.lend_code();
    let config = folders.config_with(lines);
    let found = check(&config, &Document::new(lines)).await;
    let problems = found.into_iter().filter(|it| it.is_problem);
    problems.map(|it| (it.about, it.message, it.line)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn names_each_mistake_in_the_assistants_part_with_its_line() {
    for (lines, place, expected) in [
        ("[assistants.counter]\nrounds_max = 0", "assistants.counter.rounds_max", "1 to 64"),
        ("[assistants.counter]\ncalls_max = 1000", "assistants.counter.calls_max", "1 to 64"),
        (
            "[assistants.counter]\ndecision_ms_max = 1",
            "assistants.counter.decision_ms_max",
            "600000",
        ),
        ("[assistants.counter]\nrun_ms_max = 1", "assistants.counter.run_ms_max", "3600000"),
        ("[assistants.counter]\nprefers = ['auto']", "assistants.counter.prefers", "builtin"),
        ("[assistants.mine]\ntitle = 'x'", "assistants.mine.prompt", "prompt = "),
        ("[assistants.'a b']\nprompt = 'x'", "assistants.a b", "A-Z"),
        ("[chat]\nassistant = 'nobody'", "chat.assistant", "counter"),
        ("[assistants.illustrations]\nenabled = false", "chat.assistant", "counter"),
        ("[chat]\nturns_max = 0", "chat.turns_max", "1 to"),
        ("[chat]\nturns_bytes_max = 1024", "chat.turns_bytes_max", "67108864"),
        ("[models.gemini]\nmax_tokens = 0", "models.gemini.max_tokens", "1 to"),
        (
            "[models.gemini]\ninput_usd_per_million = -1.0\noutput_usd_per_million = 1.0",
            "models.gemini.input_usd_per_million",
            "0 or more",
        ),
        ("[assistants.counter]\nmaker = 'x'", "assistants.counter", "maker"),
        ("[assistants.counter]\nprovider = 'other'", "assistants.counter.provider", "builtin"),
        ("[models.other]\nkey = { value = 'x' }", "models", "other"),
        ("[chat]\nturns = 7", "chat", "turns"),
    ] {
        let found = findings(lines).await;
        let is_it = |it: &&(String, String, _)| it.0.starts_with(place) && it.1.contains(expected);
        assert!(found.iter().any(|it| is_it(&it)), "{lines}: {found:?}");
    }
    let found = findings("\n[assistants.counter]\nrounds_max = 0").await;
    assert_eq!(found[0].2, Some(3), "the line is told: {found:?}");
}

#[test]
fn valid_assistants_are_accepted() {
    for lines in [
        "[models.openai]\nbase_url = 'http://127.0.0.1:11434/v1'",
        "[models.openai]\nbase_url = 'http://[::1]:8080'",
        "[models.openai]\nbase_url = 'https://model.example/v1'\nkey = { value = 'k' }",
        "[assistants.mine]\nprompt = 'x'\ntools = ['component:echo', 'server:other', 'greet']\nasks = ['greet']",
        "[chat]\nassistant = 'counter'\n[assistants.illustrations]\nenabled = false",
    ] {
        assert_eq!(config_error(lines), None, "{lines}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn user_file_overrides_single_entries_and_keeps_prompts() {
    let talk =
        Talk::with(&["echo"], "[assistants.counter]\nrounds_max = 3\ntools = ['echo']").await;
    talk.model.says(says("はい"));
    talk.answer(&json!({ "message": "やあ" })).await;
    let asked = &talk.model.bodies()[0];
    assert!(asked["systemInstruction"].to_string().contains("窓口（Madoguchi）"), "{asked}");
    let declared = asked["tools"][0]["functionDeclarations"].as_array().unwrap();
    let names: Vec<_> = declared.iter().map(|it| it["name"].clone()).collect();
    assert_eq!(names, ["echo"], "the model never sees tools beyond its list");
}

#[tokio::test(flavor = "multi_thread")]
async fn health_and_metrics_list_assistants_and_never_a_key() {
    let talk = Talk::with(&["echo"], "[assistants.illustrations]\nprovider = 'builtin'").await;
    let health = async || {
        let text = talk.server.client().get("/api/health").await.text().await.unwrap();
        assert!(!text.contains(gemini::KEY), "{text}");
        serde_json::from_str::<Value>(&text).unwrap()
    };
    // They are asked once a second at most.
    let until = async |status: &str| {
        let mut last = Value::Null;
        tests::until(status, async || {
            last = health().await;
            last["models"]["gemini"] == status
        })
        .await;
        last
    };
    let before = health().await;
    assert_eq!(before["assistants"]["counter"]["status"], "connected", "{before}");
    assert_eq!(before["assistants"]["illustrations"]["provider"], "builtin");
    talk.model.says(says("はい"));
    talk.answer(&json!({ "message": "やあ" })).await;
    assert_eq!(until("connected").await["status"], "ok");
    (0..20).for_each(|_| _ = talk.model.fails(403));
    assert_eq!(talk.say(&json!({ "message": "やあ" })).await.0, 500);
    assert_eq!(until("error").await["status"], "degraded");
    let text = talk.server().calls.watch.metrics.text();
    for line in [
        "madoguchi_assistant_runs_total{assistant=\"counter\",provider=\"gemini\",outcome=\"end\"} 1",
        "madoguchi_assistant_runs_total{assistant=\"counter\",provider=\"gemini\",outcome=\"undecided\"} 1",
        "madoguchi_assistant_tokens_total{assistant=\"counter\",provider=\"gemini\",kind=\"output\"} 20",
        "madoguchi_assistant_cost_usd_total{assistant=\"counter\",provider=\"gemini\"}",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert!(!text.contains(gemini::KEY));
}

#[tokio::test]
async fn calls_of_an_assistant_are_audited_like_all_others() {
    let mut talk = Talk::with(&["echo"], "[audit]\nenabled = true").await;
    talk.model.says(super::calls(&[("echo", json!({ "value": {} }))])).says(says("はい"));
    talk.answer(&json!({ "message": "やあ" })).await;
    talk.server.stop().await;
    let lines = audited(&talk.server);
    let line = lines.iter().find(|it| it["tool"] == "echo").expect("it is there");
    assert_eq!((&line["surface"], &line["principal"]), (&json!("rest"), &json!("anonymous")));
}

/// Every line of the audit log.
fn audited(server: &TestServer) -> Vec<Value> {
    let mut lines = Vec::new();
    let mut folders = vec![server.folders.data()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().contains("audit") {
                let text = std::fs::read_to_string(path).unwrap_or_default();
                lines.extend(text.lines().filter_map(|it| serde_json::from_str(it).ok()));
            }
        }
    }
    lines
}
