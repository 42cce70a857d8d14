//! The literal specification of conversations (`3-conversations.md`): its definitions, samples and tables
//! against the server.

use reqwest::Method;
use serde_json::{Map, Value, json};
use tests::{
    client::Client,
    component_bytes,
    fixtures::{HASH, agents_toml, credentials},
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
    let lines = agents_toml(PROJECT, &agents)
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

// The REST endpoints of people's chats (CONV 4.6).

const SETTINGS: &str = r#"
[components.conversations.settings]
projects = { office = { name = "事務所" }, lab = { name = "研究室" }, attic = { name = "屋根裏" } }
[components.conversations.settings.agents]
both = { name = "Both", type = "ai", projects = ["office", "lab"], passkey = "HASH" }
far = { name = "Far", type = "ai", projects = ["attic"], passkey = "HASH" }
ann = { name = "Ann", type = "human", projects = ["office"], principal = "ann" }
"#;

const CHAT: &str = "/api/projects/office/agents/helper/chat";

/// A server with three projects, configured further by `more`.
pub(super) async fn serving_rest(more: &str) -> TestServer {
    let folders = Folders::new();
    folders.put("conversations", &component_bytes("conversations"));
    let config = folders.config_with(&format!("{}{more}", SETTINGS.replace("HASH", HASH)));
    TestServer::start(folders, |it| *it = config).await
}

/// Defines the agent `helper` of the office; returns its passkey.
async fn define_helper(client: &Client) -> String {
    let agent = json!({
        "agent_id": "helper", "name": "Helper", "type": "ai", "project_ids": ["office"],
    });
    let defined = client.output("define_agent", agent).await;
    defined["passkey"].as_str().unwrap_or_else(|| panic!("{defined}")).to_owned()
}

/// Logs it in; returns its token.
async fn log_in(client: &Client, passkey: &str) -> String {
    let arguments = json!({ "agent_id": "helper", "passkey": passkey, "project_id": "office" });
    let session = client.output("authenticate", arguments).await;
    assert_eq!(session["success"], true, "{session}");
    session["session_token"].as_str().unwrap().to_owned()
}

/// The agent's next action.
async fn next(client: &Client, token: &str) -> Value {
    client.output("get_next_action", json!({ "session_token": token })).await
}

async fn post(client: &Client, path: &str, body: Value) -> (u16, Value) {
    sent(client, path, "application/json", body.to_string()).await
}

async fn sent(client: &Client, path: &str, kind: &str, body: String) -> (u16, Value) {
    let request = client.http(Method::POST, path).header("content-type", kind).body(body);
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    (status, response.json().await.expect("every answer is JSON"))
}

async fn get(client: &Client, path: &str) -> Value {
    let response = client.get(path).await;
    assert_eq!(response.status(), 200, "{path}");
    response.json().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn person_starts_writes_reads_and_ends_chat_as_often_as_wanted() {
    let server = serving_rest("").await;
    let client = server.client();
    let passkey = define_helper(&client).await;
    let (status, started) = post(&client, &format!("{CHAT}/start"), json!({})).await;
    assert_eq!((status, &started["success"]), (200, &json!(true)), "CONV 4.6: {started}");
    let sessions = "/api/projects/office/agent-sessions";
    let chat = |it: Value| it["agentSessions"]["helper"]["chat"]["status"].clone();
    assert_eq!(chat(get(&client, sessions).await), "connecting", "a pending purpose");
    let token = log_in(&client, &passkey).await;
    assert_eq!(chat(get(&client, sessions).await), "connected");

    let messages = format!("{CHAT}/messages");
    let arguments = json!({ "content": "こんにちは", "client_message_id": "c1" });
    let (status, written) = post(&client, &messages, arguments.clone()).await;
    assert_eq!(status, 200, "{written}");
    assert_eq!(post(&client, &messages, arguments).await.0, 200, "sent again");
    let listed = get(&client, &messages).await;
    assert_eq!(listed["totalCount"], 1, "and written once: {listed}");
    assert_eq!(listed["messages"][0]["content"], "こんにちは");
    assert_eq!(listed["messages"][0]["senderId"], "operator", "who needs no token");
    assert!(listed["messages"][0].get("conversationId").is_none(), "CONV-7: {listed}");

    assert_eq!(next(&client, &token).await["action"], "get_pending_messages");
    client.output("get_pending_messages", json!({ "session_token": token })).await;
    let answer = json!({ "session_token": token, "content": "はい" });
    client.output("respond_chat", answer).await;
    let unread = "/api/projects/office/unread-counts";
    assert_eq!(get(&client, unread).await["counts"], json!({ "helper": 1 }));
    let (status, read) = post(&client, &format!("{CHAT}/mark-read"), json!({})).await;
    assert_eq!(status, 200, "{read}");
    assert_eq!(get(&client, unread).await["counts"], json!({}));
    let after = get(&client, &format!("{messages}?after=1&limit=1")).await;
    assert_eq!(
        (&after["messages"][0]["content"], &after["hasMore"]),
        (&json!("はい"), &json!(false))
    );

    let end = format!("{CHAT}/end");
    let (status, ended) = post(&client, &end, json!({})).await;
    assert_eq!(status, 200, "{ended}");
    assert_eq!(next(&client, &token).await["action"], "exit", "CONV 4.6");
    // Without a session, and without a body.
    assert_eq!(sent(&client, &end, "text/plain", String::new()).await.0, 200, "idempotent");
    assert_eq!(
        client.failure("get_next_action", json!({ "session_token": token })).await["status"],
        401
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn short_addresses_find_the_project_if_unambiguous() {
    let server = serving_rest("").await;
    let client = server.client();
    let passkey = define_helper(&client).await;
    let (status, started) = post(&client, "/chat/start", json!({ "agent_id": "helper" })).await;
    assert_eq!(status, 200, "S2:44: {started}");
    let token = log_in(&client, &passkey).await;
    let arguments = json!({ "agent_id": "helper", "content": "短い形で" });
    assert_eq!(post(&client, "/chat", arguments).await.0, 200, "S2:55");
    let pending = client.output("get_pending_messages", json!({ "session_token": token })).await;
    assert_eq!(pending["pending_messages"][0]["content"], "短い形で", "{pending}");
    assert_eq!(post(&client, "/chat/end", json!({ "agent_id": "helper" })).await.0, 200, "S2:61");
    assert_eq!(next(&client, &token).await["action"], "exit");

    let (status, doubt) = post(&client, "/chat/start", json!({ "agent_id": "both" })).await;
    assert_eq!((status, &doubt["data"]["field"]), (400, &json!("project_id")), "{doubt}");
    assert!(doubt["message"].as_str().unwrap().contains("lab, office"), "{doubt}");
    let clear = json!({ "agent_id": "both", "project_id": "lab" });
    assert_eq!(post(&client, "/chat/start", clear).await.0, 200);
    let (status, unknown) = post(&client, "/chat", json!({ "agent_id": "nobody" })).await;
    assert_eq!((status, &unknown["error"]), (404, &json!("agent_not_found")), "{unknown}");
    let (status, missing) = post(&client, "/chat", json!({ "content": "?" })).await;
    assert_eq!((status, &missing["data"]["field"]), (400, &json!("agent_id")), "{missing}");
    assert_eq!(client.get("/chat").await.status(), 405, "what is said there is read elsewhere");
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_have_their_code_and_status() {
    let server = serving_rest("").await;
    let client = server.client();
    define_helper(&client).await;
    let messages = format!("{CHAT}/messages");
    let text = |content: String| json!({ "content": content }).to_string();
    let json = "application/json";
    let limit = format!("{{\"content\": \"{}\"}}", "x".repeat(300 << 10));
    for (path, kind, body, status, code) in [
        (&*messages, json, text(String::new()), 400, "EMPTY_CONTENT"),
        (&*messages, json, text(" \n".to_owned()), 400, "EMPTY_CONTENT"),
        (&*messages, json, String::new(), 400, "EMPTY_CONTENT"),
        (&*messages, json, "{\"content\": null}".to_owned(), 400, "EMPTY_CONTENT"),
        (&*messages, json, text("あ".repeat(4_001)), 400, "CONTENT_TOO_LONG"),
        (&*messages, json, "{\"content\": 7}".to_owned(), 400, "invalid_params"),
        (&*messages, json, "{\"content\": ".to_owned(), 400, "invalid_params"),
        (&*messages, json, "[]".to_owned(), 400, "invalid_params"),
        (&*messages, "text/plain", text("x".to_owned()), 415, "unsupported_media_type"),
        (&*messages, json, limit, 413, "payload_too_large"),
        ("/api/projects/office/agents/%ff/chat/start", json, String::new(), 400, "invalid_params"),
        (
            "/api/projects/office/agents/nobody/chat/start",
            json,
            String::new(),
            404,
            "agent_not_found",
        ),
        (
            "/api/projects/nowhere/agents/far/chat/start",
            json,
            String::new(),
            404,
            "project_not_found",
        ),
        (
            "/api/projects/office/agents/far/chat/start",
            json,
            String::new(),
            403,
            "target_agent_not_in_project",
        ),
        ("/api/projects/office/agents/far/chat/sing", json, String::new(), 404, "not_found"),
    ] {
        let (found, refused) = sent(&client, path, kind, body).await;
        assert_eq!((found, &refused["error"]), (status, &Value::from(code)), "{path}: {refused}");
        assert_eq!(refused["status"], status, "CONV-90: {refused}");
        let message = refused["message"].as_str().unwrap_or_default();
        assert!(!message.is_empty() && !message.contains(" at line "), "{refused}");
        assert!(status != 413 || message.contains("262144"), "{refused}");
    }
    let longest = text("あ".repeat(4_000));
    assert_eq!(sent(&client, &messages, json, longest).await.0, 200, "CONV-65");
}

/// Every change through an address is audited.
#[tokio::test(flavor = "multi_thread")]
async fn reads_at_same_address_reach_component_and_acts_are_recorded() {
    let server = serving_rest("").await;
    let client = server.client();
    define_helper(&client).await;
    for path in ["start", "end", "mark-read"] {
        let response = client.get(&format!("{CHAT}/{path}")).await;
        assert_eq!(response.status(), 405, "{path}: only what can be read is");
        assert_eq!(response.headers()["allow"], "POST", "{path}");
    }
    assert_eq!(get(&client, &format!("{CHAT}/messages")).await["totalCount"], 0);
    assert_eq!(
        post(&client, &format!("{CHAT}/messages"), json!({ "content": "秘密" })).await.0,
        200
    );
    let lines = server.server().calls.watch.audit.tail(20);
    let line = lines.iter().find(|it| it["tool"] == "send_chat");
    let line = line.unwrap_or_else(|| panic!("{lines:?}"));
    assert_eq!((&line["surface"], &line["outcome"]), (&json!("rest"), &json!("done")), "{line}");
    assert!(!line.to_string().contains("秘密"), "what was said is nobody's business: {line}");
}

#[tokio::test(flavor = "multi_thread")]
async fn scopes_are_enforced_and_the_caller_is_a_person() {
    let entry = |name: &str, scope: &str| {
        let digest = host::digest::digest(name.as_bytes());
        format!("[tokens.{name}]\nsha256 = '{digest}'\nscopes = ['{scope}']\n")
    };
    let tokens = entry("boss", "*")
        + &entry("ann", "component:conversations")
        + &entry("program", "tool:send_chat")
        + &entry("reader", "read-only");
    let server = serving_rest(&tokens).await;
    let boss = server.client_with("boss");
    define_helper(&boss).await;
    let messages = format!("{CHAT}/messages");
    let body = json!({ "content": "?" });

    let reader = server.client_with("reader").post(&messages, &[], body.to_string()).await;
    assert_eq!(reader.status(), 403);
    let needed = reader.headers()["www-authenticate"].to_str().unwrap().to_owned();
    assert!(needed.contains("insufficient_scope") && needed.contains("send_chat"), "{needed}");
    let (status, program) = post(&server.client_with("program"), &messages, body.clone()).await;
    assert_eq!((status, &program["error"]), (403, &json!("tool_not_available")), "{program}");
    assert_eq!(server.client().post(&messages, &[], body.to_string()).await.status(), 401);

    let ann = server.client_with("ann");
    let (status, written) = post(&ann, &messages, body.clone()).await;
    assert_eq!(status, 200, "{written}");
    assert_eq!(get(&ann, &messages).await["messages"][0]["senderId"], "ann", "by her token");
    assert_eq!(get(&boss, &messages).await["totalCount"], 0, "a chat is nobody else's");
    let lab = "/api/projects/lab/agents/both/chat/messages";
    let (status, refused) = post(&ann, lab, body).await;
    assert!(matches!(status, 403 | 404), "she does not work there: {refused}");
    let found = json!({ "agent_id": "both", "content": "どちらでも" });
    assert_eq!(post(&ann, "/chat", found).await.0, 200, "of his projects she knows one");
}
