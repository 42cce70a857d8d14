//! The literal specification of conversations (`3-conversations.md`): its definitions, samples and tables
//! against the server.

use serde_json::{Map, Value, json};
use tests::{
    client::Client,
    component_bytes,
    conversations::{HASH, credentials, toml},
    process::exported,
    server::{Folders, TestServer},
};

use crate::specification::lacks;

/// The literal specification.
const SPECIFICATION: &str = include_str!("../3-conversations.md");

const MIGRATION: &str = include_str!("../../../components/conversations/migrations/1-tables.sql");

const PROJECT: &str = "games";

/// The text after the first heading with this text.
fn part(heading: &str) -> &'static str {
    let mut lines = SPECIFICATION.split_inclusive('\n');
    let mut at = 0;
    let found = lines.any(|line| {
        at += line.len();
        line.trim_end() == heading
    });
    assert!(found, "{heading} is no heading");
    &SPECIFICATION[at..]
}

/// The first block in that language behind a heading.
fn block(heading: &str, language: &str) -> &'static str {
    let begins = format!("```{language}\n");
    let block = part(heading).split_once(&begins).expect("a block begins").1;
    block.split_once("```").expect("a block ends").0
}

fn sample(heading: &str) -> Value {
    serde_json::from_str(block(heading, "json")).unwrap_or_else(|it| panic!("{heading}: {it}"))
}

/// The rows of the first table behind a heading, without what makes them bold or code.
fn table(heading: &str) -> Vec<Vec<String>> {
    let lines = part(heading).lines().skip_while(|it| !it.starts_with('|'));
    let rows = lines.take_while(|it| it.starts_with('|')).skip(2);
    let cell = |it: &str| it.replace(['`', '*'], "").trim().to_owned();
    let rows: Vec<Vec<_>> =
        rows.map(|it| it.trim_matches('|').split('|').map(cell).collect()).collect();
    assert!(!rows.is_empty(), "{heading}");
    rows
}

/// A server with three agents from outside and one elsewhere.
async fn serving() -> TestServer {
    let agents =
        [("worker-a", "Analysis Worker"), ("worker-b", "Writing Worker"), ("worker-c", "C")];
    let agents = agents.map(|(id, name)| (id.to_owned(), name.to_owned()));
    let lines = toml(PROJECT, &agents)
        + "[components.conversations.settings.projects.elsewhere]\nname = \"elsewhere\"\n\
           [components.conversations.settings.agents.stranger]\nname = \"S\"\ntype = \"ai\"\n\
           projects = [\"elsewhere\"]\npasskey = \"HASH\"\n";
    let folders = Folders::new();
    folders.put("conversations", &component_bytes("conversations"));
    let config = folders.config_with(&lines.replace("HASH", HASH));
    TestServer::start(folders, |it| *it = config).await
}

/// An agent with a session.
struct Agent {
    client: Client,
    token: String,
}

impl Agent {
    async fn log_in(server: &TestServer, id: &str) -> Self {
        let client = server.client();
        let session = client.output("authenticate", credentials(id, PROJECT)).await;
        let token = session["session_token"].as_str().unwrap_or_else(|| panic!("{session}"));
        Self { token: token.to_owned(), client }
    }

    fn with_token(&self, mut arguments: Value) -> Value {
        arguments["session_token"] = self.token.as_str().into();
        arguments
    }

    async fn call(&self, tool: &str, arguments: Value) -> Value {
        self.client.output(tool, self.with_token(arguments)).await
    }

    async fn fails(&self, tool: &str, arguments: Value) -> Value {
        self.client.failure(tool, self.with_token(arguments)).await
    }
}

/// Compares `answer` with `sample`, except for texts in `messages`.
fn holds(sample: &Value, answer: &Value, messages: &[(&str, &Value)]) {
    for (name, shown) in sample.as_object().unwrap() {
        let own = messages.iter().find(|it| it.0 == name).map(|it| it.1);
        assert_eq!(answer[name], *own.unwrap_or(shown), "{name}: {answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn both_new_tools_are_defined_as_specified() {
    let server = serving().await;
    let list = server.client().result("tools/list", json!({})).await;
    for (heading, name) in [
        ("### start_conversation", "start_conversation"),
        ("### end_conversation", "end_conversation"),
    ] {
        let swift = block(heading, "swift");
        let written = literal(swift.split_once("= ").expect("a definition").1);
        let tools = list["tools"].as_array().unwrap();
        let tool = tools.iter().find(|it| it["name"] == name).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(written["name"], name);
        assert_eq!(tool["description"], written["description"], "CONV-30, CONV-40");
        let (found, shown) = (&tool["inputSchema"], &written["inputSchema"]);
        assert_eq!(found["required"], shown["required"], "{name}");
        for (field, shown) in shown["properties"].as_object().unwrap() {
            let found = &found["properties"][field];
            assert_eq!(found["description"], shown["description"], "{name}, {field}");
            assert!(found["type"].to_string().contains("\"string\""), "{name}, {field}: {found}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_sample_is_answered_as_specified() {
    let server = serving().await;
    let a = Agent::log_in(&server, "worker-a").await;

    let refused =
        a.fails("send_message", json!({ "target_agent_id": "worker-b", "content": "?" })).await;
    let shown = sample("### エラーレスポンス");
    assert_eq!(refused["error"], shown["error"], "CONV-62");
    let message = shown["message"].as_str().unwrap().replace("target-agent", "worker-b");
    assert_eq!(refused["message"], message, "CONV-62");
    for name in ["from_agent_id", "to_agent_id"] {
        assert_eq!(refused[name], shown[name], "CONV-62: {refused}");
    }
    let arguments = json!({
        "session_token": a.token, "target_agent_id": "worker-b", "content": "?",
    });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "send_message", "params": arguments });
    let answer = server.client().post("/rpc", &[], call.to_string()).await;
    let answer: Value = answer.json().await.unwrap();
    assert_eq!(answer["error"]["message"], message, "CONV-62: {answer}");
    for name in ["error", "from_agent_id", "to_agent_id"] {
        assert_eq!(answer["error"]["data"][name], shown[name], "CONV-62: {answer}");
    }

    let request = json!({ "target_agent_id": "worker-b", "purpose": "しりとり" });
    let started = a.call("start_conversation", request).await;
    let id = &started["conversation_id"];
    let shown = sample("### start_conversation");
    let instruction = &started["instruction"];
    holds(&shown, &started, &[("conversation_id", id), ("instruction", instruction)]);
    let whole = block("### start_conversation", "swift").len();
    assert!(
        whole > 0 && SPECIFICATION.contains(&format!("\"instruction\": {instruction}")),
        "CONV-X12"
    );
    assert!(instruction.as_str().unwrap().starts_with(shown["instruction"].as_str().unwrap()));
    let line = sample("**chat.jsonl の形式**:");
    let arguments = json!({ "target_agent_id": "worker-b", "content": line["content"] });
    assert_eq!(&a.call("send_message", arguments).await["conversation_id"], id, "CONV-63, CONV-64");

    let b = Agent::log_in(&server, "worker-b").await;
    let request = b.call("get_next_action", json!({})).await;
    let shown = sample("### conversation_request（参加者側）");
    // The name, as the code of the specification has it (CONV-X13).
    let instruction = shown["instruction"].as_str().unwrap();
    let instruction = json!(instruction.replacen("worker-a", "Analysis Worker", 1));
    holds(&shown, &request, &[("conversation_id", id), ("instruction", &instruction)]);
    let pending = b.call("get_pending_messages", json!({})).await;
    let read = &pending["pending_messages"][0];
    assert!(lacks(&line, read, "").is_empty(), "CONV-6: {read}");
    let sentence = [("id", &read["id"]), ("timestamp", &read["timestamp"]), ("conversationId", id)];
    holds(&line, read, &sentence);
    let answer = json!({ "target_agent_id": "worker-a", "content": "ごりら" });
    assert_eq!(&b.call("respond_chat", answer).await["conversation_id"], id);

    let ended = a.call("end_conversation", json!({})).await;
    holds(&sample("### end_conversation"), &ended, &[("conversation_id", id)]);
    let notice = b.call("get_next_action", json!({})).await;
    holds(&sample("### conversation_ended（両者）"), &notice, &[("conversation_id", id)]);

    let talk = server.client().output("get_conversation", json!({ "conversation_id": id })).await;
    let steps = talk["steps"].as_array().unwrap().iter().map(|it| it["state"].as_str().unwrap());
    let rules = table("### 状態遷移ルール");
    let to: Vec<_> =
        rules.iter().map(|it| &*it[1]).filter(|it| !["expired", "-"].contains(it)).collect();
    assert_eq!(steps.collect::<Vec<_>>(), to, "CONV-10: the way of the table, from state to state");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_specified_error_has_its_status() {
    let server = serving().await;
    let a = Agent::log_in(&server, "worker-a").await;
    let c = Agent::log_in(&server, "worker-c").await;
    let target = |id: &str| json!({ "target_agent_id": id });
    let open = a.call("start_conversation", target("worker-b")).await["conversation_id"].clone();
    let of = |id: &Value| json!({ "conversation_id": id });
    let unknown = of(&json!("conv_unknown"));
    let to_c = json!({ "target_agent_id": "worker-c", "content": "?" });
    for row in table("## エラーケース") {
        let (code, status) = (&*row[0], row[2].split(' ').next().unwrap());
        let refused = match code {
            "cannot_conversation_with_self" => {
                a.fails("start_conversation", target("worker-a")).await
            }
            "cannot_start_conversation_with_human" => {
                a.fails("start_conversation", target("operator")).await
            }
            "agent_not_found" => a.fails("start_conversation", target("nobody")).await,
            "target_agent_not_in_project" => {
                a.fails("start_conversation", target("stranger")).await
            }
            "conversation_already_active" => {
                a.fails("start_conversation", target("worker-b")).await
            }
            "conversation_not_found" => a.fails("end_conversation", unknown.clone()).await,
            "no_active_conversation" => c.fails("end_conversation", json!({})).await,
            "not_conversation_participant" => c.fails("end_conversation", of(&open)).await,
            "conversation_required_for_ai_to_ai" => a.fails("send_message", to_c.clone()).await,
            _ => panic!("{code}: nobody knows how to bring it about"),
        };
        assert_eq!(refused["error"], code, "CONV-90: {row:?}: {refused}");
        assert_eq!(refused["status"].to_string(), status, "CONV-90: {row:?}: {refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn people_endpoints_are_served() {
    let server = serving().await;
    let mut asked = 0;
    for line in part("### Human ⇄ AI チャット（既存）").lines().filter(|it| it.contains("POST "))
    {
        let path = line.split_once("POST ").unwrap().1.split(' ').next().unwrap();
        let body = json!({ "agent_id": "worker-a", "content": "こんにちは" }).to_string();
        let answer = server.client().post(path, &[], body).await;
        assert_eq!(answer.status(), 200, "{path}: {:?}", answer.text().await);
        asked += 1;
    }
    assert_eq!(asked, 3, "S2:44-61");
}

#[tokio::test(flavor = "multi_thread")]
async fn specified_columns_and_indexes_exist() {
    let server = serving().await;
    let a = Agent::log_in(&server, "worker-a").await;
    a.call("start_conversation", json!({ "target_agent_id": "worker-b" })).await;
    let rows = exported(&server.folders, "conversations", "conversations");
    let sql = block("### マイグレーション v38", "sql");
    let columns = sql.lines().skip_while(|it| !it.starts_with("CREATE TABLE")).skip(1);
    let columns: Vec<_> = columns
        .map_while(|it| it.trim().split_once(' '))
        .take_while(|it| it.0 != "--")
        .map(|it| it.0)
        .collect();
    assert_eq!(columns.len(), 8, "CONV-95");
    for column in columns {
        assert!(rows[0].get(column).is_some(), "CONV-95: {column}: {rows:?}");
    }
    let indexes: Vec<_> = sql.lines().filter(|it| it.starts_with("CREATE INDEX")).collect();
    assert_eq!(indexes.len(), 4, "CONV-95");
    for index in indexes {
        assert!(MIGRATION.contains(index), "CONV-95: {index}");
    }
    for row in table("### タイムアウト設定") {
        let environment = host::Config::embedded_defaults(tests::embedded())
            .unwrap()
            .component("conversations")
            .environment;
        assert!(format!("{environment:?}").contains(&*row[0]), "CONV-20, CONV-21: {row:?}");
    }
}

// Parses the Swift literals of the specification's tool definitions into JSON.

/// The literal at the beginning of `text`: `[key: value, …]`, `[value, …]` or a string.
fn literal(text: &str) -> Value {
    Reader { rest: text }.value()
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn value(&mut self) -> Value {
        self.space();
        match self.rest.strip_prefix('[') {
            Some(rest) => {
                self.rest = rest;
                self.entries()
            }
            None => Value::String(self.string()),
        }
    }

    /// What stands between brackets: with colons an object, without them a list.
    fn entries(&mut self) -> Value {
        let (mut fields, mut items) = (Map::new(), Vec::new());
        while !self.take(']') {
            let value = self.value();
            if self.take(':') {
                let name = value.as_str().expect("a key is a string").to_owned();
                fields.insert(name, self.value());
            } else {
                items.push(value);
            }
            self.take(',');
        }
        if items.is_empty() { Value::Object(fields) } else { Value::Array(items) }
    }

    /// A string between one quote or three; of three, the lines lose what they are indented by.
    fn string(&mut self) -> String {
        let quotes = if self.rest.starts_with("\"\"\"") { "\"\"\"" } else { "\"" };
        let after = self.rest.strip_prefix(quotes).expect("a string begins");
        let (text, rest) = after.split_once(quotes).expect("a string ends");
        self.rest = rest;
        let lines: Vec<_> = text.trim().lines().map(str::trim).collect();
        lines.join("\n")
    }

    fn space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, sign: char) -> bool {
        self.space();
        let rest = self.rest.strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }
}

#[test]
fn literals_are_read_as_json() {
    let text = "[\n \"a\": \"b c\",\n \"d\": \"\"\"\n   one\n   two\n  \"\"\",\n \"e\": [\"x\", \"y\"],\n \"f\": [\"g\": \"h\"]\n] and on";
    let json =
        serde_json::json!({ "a": "b c", "d": "one\ntwo", "e": ["x", "y"], "f": { "g": "h" } });
    assert_eq!(literal(text), json);
}
