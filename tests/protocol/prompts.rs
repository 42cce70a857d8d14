//! Prompts and help with their arguments, in both eras.

use std::time::Duration;

use serde_json::{Value, json};
use tests::{
    client::{Client, LegacySession},
    component_bytes,
    fixtures::library,
    lettered,
    process::{self, Process},
    server::{Folders, TestServer},
};

async fn get(client: &Client, params: Value) -> Value {
    client.request("prompts/get", params).await.1
}

#[tokio::test]
async fn lists_and_renders_a_prompt_with_arguments() {
    let server = library(&[]).await;
    let client = server.client();
    let list = client.result("prompts/list", json!({})).await;
    let first = &list["prompts"][0];
    assert_eq!((&first["name"], &first["title"]), (&json!("recommend"), &json!("A title")));
    assert_eq!(first["arguments"][0], json!({ "name": "topic", "required": true }));
    assert_eq!((&list["cacheScope"], &list["ttlMs"]), (&json!("private"), &json!(5000)));
    let prompt =
        get(&client, json!({ "name": "recommend", "arguments": { "topic": "rain" } })).await;
    let messages = &prompt["result"]["messages"];
    assert_eq!(messages[0]["role"], "user");
    assert_eq!(messages[0]["content"]["text"], "A book on rain for any mood, please.");
    assert_eq!(messages[1]["role"], "assistant");
    let session = LegacySession::open(&server.url()).await;
    let params = json!({ "name": "recommend", "arguments": { "topic": "rain" } });
    let same = session.request("prompts/get", params).await;
    assert_eq!(&same["result"]["messages"], messages);
    assert_eq!(same["result"].get("resultType"), None);
}

#[tokio::test]
async fn rejects_bad_prompt_arguments_and_unknown_prompts() {
    let server = library(&[]).await;
    let client = server.client();
    let missing = get(&client, json!({ "name": "recommend" })).await;
    assert_eq!(missing["error"]["code"], -32602, "{missing}");
    assert_eq!(missing["error"]["message"], "topic is required");
    assert_eq!(missing["error"]["data"]["field"], "topic");
    let number = get(&client, json!({ "name": "recommend", "arguments": { "topic": 1 } })).await;
    assert_eq!(number["error"]["message"], "topic must be a string", "{number}");
    let unknown = get(&client, json!({ "name": "nothing" })).await;
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    assert!(unknown["error"]["message"].as_str().unwrap().contains("prompts/list"), "{unknown}");
}

#[tokio::test]
async fn asking_prompt_continues_with_the_answer() {
    let server = library(&[]).await;
    let client = server.client();
    let asked = get(&client, json!({ "name": "by_taste" })).await;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let more = json!({
        "name": "by_taste",
        "requestState": asked["result"]["requestState"],
        "inputResponses": { "taste": { "action": "accept", "content": { "taste": "mist" } } },
    });
    let done = get(&client, more).await;
    assert_eq!(done["result"]["messages"][0]["content"]["text"], "A book on mist, please.");
}

#[tokio::test]
async fn names_missing_client_capability_in_both_eras() {
    let server = library(&[]).await;
    let client = server.client();
    for is_plain in [true, false] {
        let mut meta = Client::meta();
        if !is_plain {
            meta["progressToken"] = json!(1);
        }
        let params = json!({ "name": "sample", "arguments": {}, "_meta": meta });
        let (status, answer) = client.request("tools/call", params).await;
        assert_eq!((status.as_u16(), &answer["error"]["code"]), (400, &json!(-32021)), "{answer}");
        assert_eq!(answer["error"]["data"]["requiredCapabilities"], json!({ "sampling": {} }));
    }
    let mut meta = Client::meta();
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({ "sampling": {} });
    let prompt = get(&client, json!({ "name": "by_taste", "_meta": meta })).await;
    let required = &prompt["error"]["data"]["requiredCapabilities"];
    assert_eq!(required, &json!({ "elicitation": { "form": {} } }), "{prompt}");
    let session = LegacySession::open(&server.url()).await;
    let refused = session.call("sample", json!({})).await;
    assert_eq!(refused["isError"], true, "{refused}");
}

#[tokio::test]
async fn client_capabilities_reach_component_in_both_eras() {
    let server = library(&[]).await;
    let modern = server.client().output("capabilities", json!({})).await;
    assert_eq!(modern, json!({ "elicitation": { "form": {} } }));
    let session = LegacySession::open_with(&server.url(), json!({ "sampling": {} })).await;
    let legacy = session.call("capabilities", json!({})).await;
    assert_eq!(legacy["structuredContent"], json!({ "sampling": {} }), "{legacy}");
}

#[tokio::test]
async fn completes_arguments_100_at_a_time_and_none_where_unsupported() {
    let server = library(&["echo"]).await;
    let client = server.client();
    let complete = async |reference: Value, argument: &str, value: &str, others: Value| {
        let params = json!({
            "ref": reference,
            "argument": { "name": argument, "value": value },
            "context": { "arguments": others },
        });
        client.request("completion/complete", params).await.1
    };
    let recommend = json!({ "type": "ref/prompt", "name": "recommend" });
    let all = complete(recommend.clone(), "topic", "", json!({})).await["result"].clone();
    let values = all["completion"]["values"].as_array().unwrap();
    assert_eq!((values.len(), &all["completion"]["hasMore"]), (100, &json!(true)));
    assert_eq!(all["completion"]["total"], 150);
    let few = complete(recommend.clone(), "topic", "topic 14", json!({})).await;
    assert_eq!(few["result"]["completion"]["values"].as_array().unwrap().len(), 11, "{few}");
    let mood = complete(recommend, "mood", "", json!({ "topic": "wet" })).await;
    assert_eq!(mood["result"]["completion"]["values"], json!(["wet mood"]), "{mood}");
    let template = json!({ "type": "ref/resource", "uri": "library://books/{number}" });
    let numbers = complete(template, "number", "", json!({})).await;
    assert_eq!(numbers["result"]["completion"]["values"], json!(["1", "2"]), "{numbers}");
    let plain = json!({ "type": "ref/resource", "uri": "library://books/7" });
    let nothing = complete(plain, "number", "", json!({})).await;
    assert_eq!(nothing["result"]["completion"]["values"], json!([]), "{nothing}");
    for reference in [
        json!({ "type": "ref/prompt", "name": "nothing" }),
        json!({ "type": "ref/resource", "uri": "shop://{nothing}" }),
    ] {
        let unknown = complete(reference, "topic", "", json!({})).await;
        assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    }
}

#[tokio::test]
async fn sends_log_lines_only_from_the_requested_level() {
    let server = library(&[]).await;
    let chat = async |level: Option<&str>| {
        let mut meta = Client::meta();
        if let Some(level) = level {
            meta["io.modelcontextprotocol/logLevel"] = json!(level);
        }
        let params = json!({ "_meta": meta, "name": "chat", "arguments": {} });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let headers = [
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "tools/call"),
            ("mcp-name", "chat"),
        ];
        server.client().post("/mcp", &headers, body.to_string()).await.text().await.unwrap()
    };
    let silent = chat(None).await;
    assert!(!silent.contains("notifications/message"), "{silent}");
    let grave = chat(Some("warning")).await;
    assert_eq!(grave.matches("notifications/message").count(), 2, "{grave}");
    assert!(grave.contains("a worry") && grave.contains("a fault") && !grave.contains("a fact"));
    let all = chat(Some("debug")).await;
    assert_eq!(all.matches("notifications/message").count(), 4, "{all}");
    assert!(all.contains(r#""data":{"message":"a fact","data":{"books":3}}"#), "{all}");
    assert!(all.contains(r#""logger":"library""#), "{all}");
    assert!(!all.contains("notifications/progress"), "nobody asked for it: {all}");
}

#[tokio::test(flavor = "multi_thread")]
async fn session_receives_log_from_its_own_level() {
    let server = library(&[]).await;
    let session = LegacySession::open(&server.url()).await;
    let other = LegacySession::open(&server.url()).await;
    let (mut listener, mut others) = (session.listen().await, other.listen().await);
    session.call("chat", json!({})).await;
    let set = session.request("logging/setLevel", json!({ "level": "error" })).await;
    assert_eq!(set["result"], json!({}));
    session.call("chat", json!({})).await;
    other.call("chat", json!({})).await;
    let line = listener.next(tests::PATIENCE).await.unwrap();
    assert_eq!(line["params"], json!({ "level": "error", "logger": "library", "data": "a fault" }));
    server.client().output("ring", json!({ "uri": "tools" })).await;
    for listener in [&mut listener, &mut others] {
        assert_eq!(listener.notified().await.0, "notifications/tools/list_changed", "and no more");
    }
}

/// Arguments in headers must be those of the body.
#[tokio::test]
async fn passes_schema_unchanged_and_checks_headers_against_body() {
    let server = library(&[]).await;
    let client = server.client();
    let headers = [
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/list"),
    ];
    let body = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "_meta": Client::meta() },
    });
    let text = client.post("/mcp", &headers, body.to_string()).await.text().await.unwrap();
    let schema = r##"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"z":{"type":"string"},"a":{"type":"integer"}},"properties":{"z":{"$ref":"#/$defs/z"},"a":{"oneOf":[{"$ref":"#/$defs/a"},{"type":"null"}]},"m":{"anyOf":[{"const":1},{"enum":[2,3]}]}},"if":{"required":["z"]},"then":{"required":["a"]},"additionalProperties":false,"x-extra":{"b":1,"a":2}}"##;
    assert!(text.contains(schema), "byte for byte, in its own order: {text}");
    let call = async |header: Option<&str>| {
        let mut headers = vec![
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "tools/call"),
            ("mcp-name", "by_header"),
        ];
        headers.extend(header.map(|it| ("mcp-param-hall", it)));
        let params =
            json!({ "_meta": Client::meta(), "name": "by_header", "arguments": { "hall": "A" } });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let answer = client.post("/mcp", &headers, body.to_string()).await;
        (answer.status().as_u16(), answer.json::<Value>().await.unwrap())
    };
    assert_eq!(call(Some("A")).await.1["result"]["structuredContent"], json!({ "hall": "A" }));
    for wrong in [Some("B"), None] {
        let (status, answer) = call(wrong).await;
        assert_eq!((status, &answer["error"]["code"]), (400, &json!(-32020)), "{answer}");
    }
}

// What there is to read: listed page by page, found by its URI or a template, read in rounds.

async fn read(client: &Client, uri: &str) -> Value {
    client.request("resources/read", json!({ "uri": uri })).await.1
}

fn uris(list: &Value) -> Vec<&str> {
    list["resources"].as_array().unwrap().iter().map(|it| it["uri"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn lists_only_readable_resources_page_by_page() {
    let server = library(&["echo"]).await;
    let client = server.client();
    let first = client.result("resources/list", json!({})).await;
    assert_eq!(uris(&first), ["library://cover", "library://spin"]);
    assert_eq!(first["resources"][0]["size"], 3);
    assert_eq!(first["resources"][0]["annotations"]["priority"], 0.5);
    assert_eq!(first["resources"][0]["_meta"]["library/shelf"], 1);
    assert_eq!((&first["cacheScope"], &first["ttlMs"]), (&json!("private"), &json!(5000)));
    let cursor = &first["nextCursor"];
    let second = client.result("resources/list", json!({ "cursor": cursor })).await;
    assert_eq!(uris(&second), ["library://books/3"], "what fits no template cannot be read");
    assert_eq!(second.get("nextCursor"), None);
    let wrong = client.request("resources/list", json!({ "cursor": "2" })).await.1;
    assert_eq!(wrong["error"]["code"], -32602, "{wrong}");
    assert!(wrong["error"]["message"].as_str().unwrap().contains("begin again"), "{wrong}");
}

#[tokio::test]
async fn lists_templates_and_reads_matching_resources() {
    let server = library(&[]).await;
    let client = server.client();
    let list = client.result("resources/templates/list", json!({})).await;
    let templates: Vec<_> = list["resourceTemplates"].as_array().unwrap().iter().collect();
    assert_eq!(templates[0]["uriTemplate"], "library://books/{number}");
    assert_eq!(templates[0]["annotations"]["audience"], json!(["user"]));
    assert_eq!(templates[1]["uriTemplate"], "library://search{?word}");
    assert_eq!(list["cacheScope"], "public");
    let book = read(&client, "library://books/7").await;
    assert_eq!(book["result"]["contents"][0]["text"], "The text of library://books/7.");
    assert_eq!(book["result"]["contents"][0]["mimeType"], "text/plain");
    assert_eq!(book["result"]["cacheScope"], "private");
    let found = read(&client, "library://search?word=sea").await;
    assert_eq!(found["result"]["contents"][0]["uri"], "library://search?word=sea");
    let cover = read(&client, "library://cover").await;
    assert_eq!(cover["result"]["contents"][0]["blob"], "AQID");
}

#[tokio::test]
async fn missing_resource_error_has_uri_and_the_eras_code() {
    let server = library(&[]).await;
    let client = server.client();
    for uri in ["shop://nothing", "library://books/0", "library://books/1/2"] {
        let answer = read(&client, uri).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        assert_eq!(answer["error"]["data"]["uri"], uri);
    }
    let session = LegacySession::open(&server.url()).await;
    let answer = session.request("resources/read", json!({ "uri": "shop://nothing" })).await;
    assert_eq!(answer["error"]["code"], -32002, "{answer}");
    assert_eq!(answer["error"]["data"]["uri"], "shop://nothing");
}

#[tokio::test]
async fn refusals_and_contract_breaches_name_their_source() {
    let server = library(&[]).await;
    let client = server.client();
    let banned = read(&client, "library://books/banned").await;
    assert_eq!(banned["error"]["data"]["error"], "banned", "{banned}");
    assert_eq!(banned["error"]["message"], "This book is not lent.");
    let lie = read(&client, "library://books/lie").await;
    assert_eq!(lie["error"]["code"], -32603, "{lie}");
    assert!(!lie.to_string().contains("no uri"), "the reason is for the log: {lie}");
}

#[tokio::test]
async fn asking_read_continues_only_for_its_uri() {
    let server = library(&[]).await;
    let client = server.client();
    let uri = "library://books/taste";
    let asked = read(&client, uri).await;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let answers = json!({ "taste": { "action": "accept", "content": { "taste": "mist" } } });
    let state = &asked["result"]["requestState"];
    let more = |uri: &str| json!({ "uri": uri, "requestState": state, "inputResponses": answers });
    let done = client.result("resources/read", more(uri)).await;
    assert_eq!(done["contents"][0]["text"], "You like mist.");
    let foreign = client.request("resources/read", more("library://books/7")).await.1;
    assert!(foreign["error"]["message"].as_str().unwrap().contains("another call"), "{foreign}");
    let prompt = json!({
        "name": "by_taste", "requestState": state, "inputResponses": answers,
    });
    let foreign = client.request("prompts/get", prompt).await.1;
    assert!(foreign["error"]["message"].as_str().unwrap().contains("another call"), "{foreign}");
}

/// It cannot be asked what it cannot answer.
#[tokio::test]
async fn legacy_session_is_asked_only_what_it_supports() {
    let server = library(&[]).await;
    let session = LegacySession::open(&server.url()).await;
    let list = session.request("resources/list", json!({})).await;
    assert_eq!(uris(&list["result"])[0], "library://cover");
    assert_eq!(list["result"].get("resultType"), None, "{list}");
    let book = session.request("resources/read", json!({ "uri": "library://books/7" })).await;
    assert_eq!(book["result"]["contents"][0]["text"], "The text of library://books/7.");
    let asked = session.request("resources/read", json!({ "uri": "library://books/taste" })).await;
    assert!(asked["error"]["message"].as_str().unwrap().contains("did not declare"), "{asked}");
}

#[tokio::test]
async fn component_without_resources_still_serves_tools() {
    let server = TestServer::with(&["echo"]).await;
    let client = server.client();
    assert_eq!(client.result("resources/list", json!({})).await["resources"], json!([]));
    assert_eq!(client.result("prompts/list", json!({})).await["prompts"], json!([]));
    assert_eq!(client.output("echo", json!({ "value": {} })).await, json!({ "value": {} }));
}

/// Of two components that offer the same one, the second does not load; the error names it and the first.
#[tokio::test]
async fn refuses_duplicate_prompt_resource_or_template() {
    let server = library(&[]).await;
    for (letter, clash) in [
        (b't', "prompt recommend"),
        (b'p', "resource template library://books/{number}"),
        (b'r', "resource library://cover"),
    ] {
        let twin = lettered("library", b"library shelf:", letter);
        let error = server
            .server()
            .control
            .execute("twin", host::control::Order::Load(twin))
            .await
            .unwrap_err()
            .to_string();
        let wanted = format!("it offers the {clash}, which component library offers already");
        assert!(error.contains(&wanted), "{error}");
    }
    let book = read(&server.client(), "library://books/7").await;
    assert_eq!(book["result"]["contents"][0]["text"], "The text of library://books/7.");
}

// Calls as tasks over the wire, and over the end of the program that began them.

/// The JSON-RPC answer to one request of a client that takes tasks.
async fn ask(client: &Client, method: &str, mut params: Value) -> Value {
    params["_meta"] = Client::meta();
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
        json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    client.request(method, params).await.1
}

async fn begun(client: &Client, tool: &str, arguments: Value) -> String {
    let answer = ask(client, "tools/call", json!({ "name": tool, "arguments": arguments })).await;
    let id = answer["result"]["taskId"].as_str();
    id.unwrap_or_else(|| panic!("{tool}: {answer}")).to_owned()
}

async fn get_task(client: &Client, id: &str) -> Value {
    ask(client, "tasks/get", json!({ "taskId": id })).await["result"].clone()
}

async fn over(client: &Client, id: &str) -> Value {
    let look = async {
        loop {
            let task = get_task(client, id).await;
            if task["status"] != "working" {
                return task;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(tests::PATIENCE, look).await.expect("it ends")
}

/// TASK-5: what a kill leaves of tasks: what waits goes on, what is over is there, and what was running is told.
#[tokio::test(flavor = "multi_thread")]
async fn tasks_survive_a_kill_of_the_host() {
    let folders = Folders::new();
    for name in ["tasks", "library"] {
        folders.put(name, &component_bytes(name));
    }
    let config = folders.data().with_file_name("madoguchi.toml");
    let lines = "[components.tasks]\ngrants = ['clock', 'events']\n[components.library]\ngrants = ['events']\n[components.library.limits]\ncpu_ms_max = 60000\n";
    std::fs::write(&config, lines).unwrap();
    let start = || {
        let mut program = process::command(&folders);
        program.args(["--addr", "127.0.0.1:0", "--components"]).arg(folders.components());
        program.arg("--config").arg(&config);
        Process::from(program)
    };
    let mut process = start();
    let client = Client::new(&process.url);
    let done = begun(&client, "slow_compute", json!({ "seconds": 1, "label": "done" })).await;
    let before = over(&client, &done).await;
    assert_eq!(before["result"]["content"][0]["text"], "computed done", "{before}");
    let waits = begun(&client, "slow_compute", json!({ "seconds": 3, "label": "waits" })).await;
    let runs = begun(&client, "spin", json!({})).await;
    process.kill();
    let process = start();
    let client = Client::new(&process.url);
    assert_eq!(over(&client, &done).await["result"], before["result"], "read once more");
    let waited = over(&client, &waits).await;
    assert_eq!(waited["result"]["content"][0]["text"], "computed waits", "{waited}");
    let lost = over(&client, &runs).await;
    assert_eq!(lost["status"], "failed", "{lost}");
    assert!(lost["statusMessage"].as_str().unwrap().contains("may have happened"), "{lost}");
}
