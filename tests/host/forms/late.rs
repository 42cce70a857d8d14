//! Late answers: the handle is sent before clients time out, and an answer after that still counts.

use futures::StreamExt;
use serde_json::{Value, json};
use tests::{
    PATIENCE,
    client::{Client, Listener},
    forms,
    legacy::LegacySession,
};

use super::serving;

fn flat_form() -> Value {
    forms::form(json!([{ "name": "place", "type": "text", "label": "Place", "required": true }]))
}

fn with_file() -> Value {
    forms::form(json!([
        { "name": "place", "type": "text", "label": "Place" },
        { "name": "paper", "type": "file", "label": "Paper" },
    ]))
}

/// Calls a tool of a session and listens to the response.
async fn call_streamed(session: &LegacySession, tool: &str, arguments: Value) -> Listener {
    let params = json!({ "name": tool, "arguments": arguments });
    let call = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params });
    Listener::of(session.post(call).await)
}

/// The handle in a result, which its text says, too.
fn handle(result: &Value) -> String {
    let handle =
        result["_meta"]["forms/form"]["handle"].as_str().unwrap_or_else(|| panic!("{result}"));
    let mut texts = result["content"].as_array().unwrap().iter();
    assert!(texts.any(|it| it["text"].as_str().is_some_and(|it| it.contains(handle))), "{result}");
    handle.to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn late_answer_to_a_legacy_question_still_counts() {
    let server = serving("[sessions]\nquestion_wait_s = 1\n").await;
    let client = server.client();
    for (capability, form) in [("form", flat_form()), ("url", with_file())] {
        let capabilities = json!({ "elicitation": { capability: {} } });
        let session = LegacySession::open_with(&server.url(), capabilities).await;
        let mut listener =
            call_streamed(&session, "request_form", json!({ "form_schema": form })).await;
        let asked = listener.next(PATIENCE).await.unwrap();
        assert_eq!(asked["method"], "elicitation/create", "{asked}");
        let result = listener.next(PATIENCE).await.unwrap()["result"].clone();
        assert_eq!(result["structuredContent"]["status"], "waiting_for_input", "{result}");
        let handle = handle(&result);
        let content = match capability {
            "form" => json!({ "action": "accept", "content": { "place": "京都" } }),
            _ => json!({ "action": "decline" }),
        };
        let answer = json!({ "jsonrpc": "2.0", "id": asked["id"], "result": content });
        session.post(answer).await;
        let wait = json!({ "handle": handle, "timeout_seconds": 30 });
        let submission = client.output("get_form_submission", wait).await;
        match capability {
            "form" => assert_eq!(submission["values"], json!({ "place": "京都" }), "{submission}"),
            _ => assert_eq!(submission["status"], "declined", "{submission}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_legacy_answer_in_time_is_the_result() {
    let server = serving("").await;
    let capabilities = json!({ "elicitation": { "form": {} } });
    let session = LegacySession::open_with(&server.url(), capabilities).await;
    let mut listener =
        call_streamed(&session, "request_form", json!({ "form_schema": flat_form() })).await;
    let asked = listener.next(PATIENCE).await.unwrap();
    let content = json!({ "action": "accept", "content": { "place": "京都" } });
    session.post(json!({ "jsonrpc": "2.0", "id": asked["id"], "result": content })).await;
    let result = listener.next(PATIENCE).await.unwrap()["result"].clone();
    assert_eq!(result["structuredContent"]["values"], json!({ "place": "京都" }), "{result}");
}

#[tokio::test(flavor = "multi_thread")]
async fn client_failing_to_ask_still_gets_the_form() {
    let server = serving("").await;
    let client = server.client();
    let capabilities = json!({ "elicitation": { "form": {} } });
    let session = LegacySession::open_with(&server.url(), capabilities).await;
    let mut listener =
        call_streamed(&session, "request_form", json!({ "form_schema": flat_form() })).await;
    let asked = listener.next(PATIENCE).await.unwrap();
    let error = json!({ "code": -32601, "message": "Method not found" });
    session.post(json!({ "jsonrpc": "2.0", "id": asked["id"], "error": error })).await;
    let result = listener.next(PATIENCE).await.unwrap()["result"].clone();
    assert_eq!(result["structuredContent"]["status"], "waiting_for_input", "{result}");
    let values = json!({ "handle": handle(&result), "values": { "place": "奈良" } });
    client.output("submit_form", values).await;
    let wait = json!({ "handle": handle(&result), "timeout_seconds": 30 });
    let submission = client.output("get_form_submission", wait).await;
    assert_eq!(submission["values"], json!({ "place": "奈良" }), "{submission}");
}

/// The `_meta` of a client that opens addresses, and wants to know how a call gets on.
fn meta() -> Value {
    let mut meta = Client::meta();
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({ "elicitation": { "url": {} } });
    meta["progressToken"] = "p".into();
    meta
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_reports_the_address_before_the_wait() {
    let server = serving("").await;
    let client = server.client();
    let mut params = json!({
        "name": "request_form", "arguments": { "form_schema": with_file() }, "_meta": meta(),
    });
    let mut listener = client.stream("tools/call", params.clone()).await;
    let event = listener.next(PATIENCE).await.unwrap();
    assert_eq!(event["method"], "notifications/progress", "{event}");
    let text = event["params"]["message"].as_str().unwrap().to_owned();
    let asked = listener.next(PATIENCE).await.unwrap()["result"].clone();
    let url = asked["inputRequests"]["form"]["params"]["url"].as_str().unwrap();
    assert!(text.contains(url), "{text}");
    // The call waits for the page: the first that comes is again where the form is, and not the result.
    params["inputResponses"] = json!({ "form": { "action": "accept" } });
    params["requestState"] = asked["requestState"].clone();
    let mut listener = client.stream("tools/call", params).await;
    let event = listener.next(PATIENCE).await.unwrap();
    assert_eq!(event["method"], "notifications/progress", "{event}");
    let handle = url.rsplit('/').next().unwrap();
    let arguments = json!({ "handle": handle, "values": { "place": "奈良" } });
    client.output("submit_form", arguments).await;
    let result = loop {
        let message = listener.next(PATIENCE).await.unwrap();
        if message.get("result").is_some() {
            break message["result"].clone();
        }
    };
    assert_eq!(result["structuredContent"]["values"], json!({ "place": "奈良" }), "{result}");
}

/// On the fast path and on the SDK's, the headers are there while the call waits.
#[tokio::test(flavor = "multi_thread")]
async fn headers_and_comments_come_while_a_call_waits() {
    for fast_path in [true, false] {
        let folders = tests::server::Folders::new();
        folders.put("forms", &tests::component_bytes("forms"));
        let server = tests::server::TestServer::start(folders, |it| it.fast_path = fast_path).await;
        let client = server.client();
        let asked = forms::ask(&client, &flat_form()).await;
        let arguments = json!({ "handle": asked.handle, "timeout_seconds": 45 });
        let params = json!({ "name": "get_form_submission", "arguments": arguments });
        let response = client.send("tools/call", params).await;
        let media = response.headers()["content-type"].to_str().unwrap();
        assert!(media.starts_with("text/event-stream"), "{fast_path}: {media}");
        let mut body = response.bytes_stream();
        let first = body.next().await.unwrap().unwrap();
        assert!(first.starts_with(b":"), "{fast_path}: {first:?}");
        let values = json!({ "handle": asked.handle, "values": { "place": "奈良" } });
        client.output("submit_form", values).await;
        let mut rest = Vec::new();
        while let Some(Ok(bytes)) = body.next().await {
            rest.extend(bytes);
        }
        let rest = String::from_utf8(rest).unwrap();
        assert!(rest.contains("submitted"), "{fast_path}: {rest}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn argument_errors_mention_no_rust_types() {
    let server = serving("").await;
    let client = server.client();
    let asked = forms::ask(&client, &flat_form()).await;
    for seconds in [json!(-1), json!("60"), json!(1.5), json!(5_000_000_000_u64), json!([])] {
        let arguments = json!({ "handle": asked.handle, "timeout_seconds": seconds });
        let failure = client.failure("get_form_submission", arguments.clone()).await;
        let message = failure["message"].as_str().unwrap();
        let range = "timeout_seconds must be an integer from 0 to 300, not ";
        assert!(message.starts_with(range), "{message}");
        let rpc = json!({ "jsonrpc": "2.0", "id": 1, "method": "get_form_submission", "params": arguments });
        let answer = client.post("/rpc", &[], rpc.to_string()).await.text().await.unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["error"]["message"], message, "{answer}");
    }
}
