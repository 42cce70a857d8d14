//! The REST endpoints of people's chats (CONV 4.6).

use reqwest::Method;
use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes,
    conversations::HASH,
    server::{Folders, TestServer},
};

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
pub(super) async fn serving(more: &str) -> TestServer {
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
    let server = serving("").await;
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
    let server = serving("").await;
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
    let server = serving("").await;
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
    let server = serving("").await;
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
    let server = serving(&tokens).await;
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
