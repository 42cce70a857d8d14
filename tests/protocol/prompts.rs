//! Prompts and help with their arguments, in both eras.

use serde_json::{Value, json};
use tests::{client::Client, legacy::LegacySession, library::library};

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
