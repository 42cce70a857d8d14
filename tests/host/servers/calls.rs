//! Calls of upstream tools: retries, forwarded content, and errors for the caller.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD as BASE64};
use serde_json::{Value, json};
use tests::{client::Client, server::TestServer};

use super::{
    counter, entry, health, is_gone, is_offered,
    modern::{Deed, Modern, tool},
    url,
};

/// A host with the upstream server `m`, whose tools are `m_look` and `m_book`.
async fn with(modern: &Modern, more: &str) -> TestServer {
    let server = counter([("m", url(&modern.url(), more))]).await;
    is_offered(&server, "m_look").await;
    server
}

#[tokio::test]
async fn retries_safe_calls_and_never_completed_bookings() {
    let modern = Modern::start();
    let server = with(&modern, "").await;
    let client = server.client();
    modern.will([Deed::Status(429, Some("0")), Deed::Status(503, None)]);
    client.output("m_look", json!({})).await;
    assert_eq!(modern.calls().len(), 3, "ILL-14: 429 and 503, and then it is answered");

    modern.will([Deed::Status(503, None)]);
    let failure = client.failure("m_book", json!({})).await;
    assert_eq!(failure["error"], "unavailable", "{failure}");
    assert_eq!(modern.calls().len(), 4, "ILL-14: a retry must not book twice");

    modern.will([Deed::Status(503, Some("3600"))]);
    let failure = client.failure("m_look", json!({})).await;
    assert_eq!(failure["retry_after_ms"], 3_600_000, "as the server asks: {failure}");
    assert_eq!(modern.calls().len(), 5, "so long is not waited");

    modern.will([502, 503, 504, 429].map(|it| Deed::Status(it, None)));
    let failure = client.failure("m_look", json!({})).await;
    let message = failure["message"].as_str().unwrap();
    let texts = "MCPツール \"m_look\" の実行に失敗しました（最大リトライ回数超過）: HTTP 429";
    assert!(message.starts_with(texts), "ILL-15: {message}");
    assert_eq!(modern.calls().len(), 9, "ILL-12: one attempt and three retries");
}

#[tokio::test]
async fn reports_refusal_error_and_wrong_token_without_retrying() {
    let modern = Modern::start();
    let server = with(&modern, "token = { value = 'hunter2hunter2' }").await;
    let client = server.client();
    modern.will([
        Deed::Error(-32602, "no such x"),
        Deed::Error(-32603, "broken"),
        Deed::Status(403, None),
        Deed::Result(json!({
            "resultType": "complete", "isError": true,
            "content": [{ "type": "text", "text": "no seats" }], "_meta": { "a": 1 },
        })),
    ]);
    let failure = client.failure("m_look", json!({})).await;
    assert_eq!((&failure["error"], &failure["status"]), (&json!("upstream_error"), &json!(400)));
    assert_eq!(failure["data"], json!({ "code": -32602, "data": { "field": "x" } }));
    assert_eq!(client.failure("m_look", json!({})).await["status"], 502);
    assert_eq!(client.failure("m_look", json!({})).await["error"], "upstream_unauthorized");
    let refused = client.call("m_look", json!({})).await;
    assert_eq!(refused["content"][0]["text"], "no seats");
    assert_eq!((&refused["isError"], &refused["_meta"]), (&json!(true), &json!({ "a": 1 })));
    assert_eq!(modern.calls().len(), 4);
    for (bearer, _) in modern.calls() {
        assert_eq!(bearer, "Bearer hunter2hunter2", "ILL-11, ILL-52");
    }
}

#[tokio::test]
async fn unknown_content_block_is_read_as_text() {
    let modern = Modern::start();
    let server = with(&modern, "").await;
    let (text, video) =
        (json!({ "type": "text", "text": "a" }), json!({ "type": "video", "data": "AA" }));
    modern.will([Deed::Result(json!({ "resultType": "complete", "content": [text, video] }))]);
    let result = server.client().call("m_look", json!({})).await;
    let text_block = json!({ "type": "text", "text": video.to_string() });
    assert_eq!(result["content"], json!([text, text_block]), "{result}");
}

#[tokio::test]
async fn reports_server_kept_out_by_wrong_token_without_the_token() {
    let modern = Modern::start();
    *modern.state().token.lock().unwrap() = Some("right");
    let good = url(&Modern::start().url(), "");
    let wrong = url(&modern.url(), "token = { value = 'wrongwrongwrong' }");
    let server = counter([("m", wrong), ("other", good)]).await;
    let health = loop {
        let health = health(&server).await;
        if health["servers"]["m"]["status"] == "unreachable" {
            break health;
        }
        tokio::task::yield_now().await;
    };
    assert!(health["servers"]["m"]["error"].as_str().unwrap().contains("HTTP 401"), "{health}");
    assert!(!health.to_string().contains("wrongwrong"), "{health}");
    assert_eq!(health["servers"]["m"]["tools"], 0);
}

#[tokio::test]
async fn unanswering_server_times_out() {
    let modern = Modern::start();
    let server = with(&modern, "timeout_ms = 1000").await;
    let client = server.client();
    modern.will([Deed::Never, Deed::Never, Deed::Never, Deed::Never]);
    let failure = client.failure("m_look", json!({})).await;
    let message = failure["message"].as_str().unwrap();
    assert!(message.starts_with("MCPツール \"m_look\" がタイムアウトしました (1秒)"), "{message}");
    assert_eq!(modern.calls().len(), 4, "ILL-14");
    modern.will([Deed::Never]);
    let failure = client.failure("m_book", json!({})).await;
    assert_eq!(failure["error"], "outcome_unknown", "nobody is invited to book again: {failure}");
    assert!(failure.get("retry_after_ms").is_none(), "{failure}");
    let message = failure["message"].as_str().unwrap();
    assert!(message.starts_with("MCPツール \"m_book\" がタイムアウトしました (1秒)"), "{message}");
    assert_eq!(modern.calls().len(), 5, "what may have been booked is not booked again");
    client.output("m_look", json!({})).await;
}

#[tokio::test]
async fn progress_extends_the_timeout_of_a_server() {
    let modern = Modern::start();
    // Longer than that as a whole, and far shorter from note to note.
    let server = with(&modern, "timeout_ms = 3000").await;
    modern.will([Deed::Slow(10)]);
    let result = server.client().call("m_book", json!({})).await;
    assert_eq!(result["content"][0]["text"], "done", "{result}");
    assert_eq!(modern.calls().len(), 1);
}

#[tokio::test]
async fn tries_a_gone_server_three_more_times_and_reports_to_caller() {
    let mut modern = Modern::start();
    let server = with(&modern, "").await;
    modern.kill();
    let failure = server.client().failure("m_book", json!({})).await;
    assert_eq!(failure["error"], "unavailable", "{failure}");
    let message = failure["message"].as_str().unwrap();
    assert!(message.contains("最大リトライ回数超過"), "{message}");
    is_gone(&server, "m_book").await;
}

#[tokio::test]
async fn results_pass_unchanged_except_host_metadata() {
    let modern = Modern::start();
    let server = with(&modern, "").await;
    let content = json!([
        { "type": "text", "text": "a", "annotations": { "audience": ["user"] } },
        { "type": "image", "data": "QQ==", "mimeType": "image/png" },
        { "type": "resource_link", "uri": "note://1", "name": "one" },
    ]);
    modern.will([Deed::Result(json!({
        "resultType": "complete", "content": content, "structuredContent": [1, null],
        "_meta": { "madoguchi/error": "a lie", "example.com/kept": { "b": 2 } },
    }))]);
    let result = server.client().call("m_look", json!({ "deep": { "a": [1] } })).await;
    assert_eq!(result["content"], content);
    assert_eq!(result["structuredContent"], json!([1, null]));
    assert_eq!(result["_meta"], json!({ "example.com/kept": { "b": 2 } }));
    let (_, message) = modern.calls().remove(0);
    assert_eq!(message["params"]["name"], "look");
    assert_eq!(message["params"]["arguments"], json!({ "deep": { "a": [1] } }));
    let rpc = json!({ "jsonrpc": "2.0", "id": 1, "method": "m_look", "params": {} });
    let answer: Value =
        server.client().post("/rpc", &[], rpc.to_string()).await.json().await.unwrap();
    assert_eq!(answer["result"]["arguments"], json!({}), "{answer}");
}

#[tokio::test]
async fn puts_a_servers_questions_to_our_client_and_returns_answers() {
    let modern = Modern::start();
    let token = "token = { value = 'hunter2hunter2' }";
    let server = with(&modern, token).await;
    let theirs = "theirs, of hunter2hunter2, and [secret:0] of a client";
    let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
    let asks = Deed::Result(json!({
        "resultType": "input_required", "requestState": theirs,
        "inputRequests": { "who": {
            "method": "elicitation/create",
            "params": { "mode": "form", "message": "Who are you?", "requestedSchema": schema },
        } },
    }));
    modern.will([asks.clone(), asks]);
    let client = server.client();
    let round = async |more: Value| {
        let mut params = json!({ "name": "m_book", "arguments": { "a": 1 } });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        client.request("tools/call", params).await.1
    };
    let asked = round(json!({})).await["result"].clone();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    assert_eq!(asked["inputRequests"]["who"]["params"]["requestedSchema"], schema);
    let state = asked["requestState"].as_str().unwrap();
    let bytes = BASE64.decode(state.split_once('.').unwrap().1).unwrap();
    let shown = String::from_utf8_lossy(&bytes);
    assert!(shown.contains("theirs") && !shown.contains("hunter2"), "sealed inside ours: {shown}");
    let answer = json!({ "who": { "action": "accept", "content": { "name": "Taro" } } });
    let forged = round(json!({ "requestState": "theirs", "inputResponses": answer })).await;
    assert!(forged["error"]["message"].as_str().unwrap().starts_with("requestState"), "{forged}");
    let again = round(json!({ "requestState": state, "inputResponses": answer })).await;
    let state = again["result"]["requestState"].as_str().unwrap();
    let done = round(json!({ "requestState": state, "inputResponses": answer })).await;
    assert_eq!(done["result"]["content"][0]["text"], "done", "{done}");
    let calls = modern.calls();
    assert_eq!(calls.len(), 3, "what was forged did not get so far");
    assert_eq!(calls[0].1["params"].get("requestState"), None);
    let can = &calls[0].1["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
    assert_eq!(can["elicitation"], json!({ "form": {} }), "what our client can do, is told");
    for (_, message) in &calls[1..] {
        assert_eq!(message["params"]["requestState"], theirs);
        assert_eq!(message["params"]["inputResponses"], answer);
    }
}

#[tokio::test]
async fn progress_is_forwarded_before_the_answer() {
    let modern = Modern::start();
    let server = with(&modern, "").await;
    modern.will([Deed::Progress]);
    let mut meta = Client::meta();
    meta["progressToken"] = "mine".into();
    let client = server.client();
    let params = json!({ "name": "m_look", "arguments": {}, "_meta": meta });
    let mut events = client.stream("tools/call", params).await;
    let note = events.next(tests::PATIENCE).await.unwrap();
    assert_eq!(note["method"], "notifications/progress", "{note}");
    let expected =
        json!({ "progressToken": "mine", "progress": 1.0, "total": 2.0, "message": "half" });
    assert_eq!(note["params"], expected);
    modern.state().leave.as_ref().unwrap().add_permits(1);
    let last = events.next(tests::PATIENCE).await.unwrap();
    assert_eq!(last["result"]["content"][0]["text"], "done", "{last}");
}

#[tokio::test]
async fn disconnecting_caller_cancels_call_at_the_server() {
    let modern = Modern::start();
    let server = with(&modern, "").await;
    modern.will([Deed::Never]);
    let client = server.client();
    let call = tokio::spawn(async move { client.call("m_look", json!({})).await });
    while modern.calls().is_empty() {
        tokio::task::yield_now().await;
    }
    call.abort();
    let abandoned = modern.state().abandoned.as_ref().unwrap().acquire();
    let abandoned = tokio::time::timeout(tests::PATIENCE, abandoned).await;
    abandoned.expect("the server is told").expect("it counts").forget();
}

/// It sees only the variables that its entry names.
#[tokio::test]
async fn command_serves_over_streams_and_sees_only_named_variables() {
    let (program, script) = super::command();
    let config = entry(&format!(
        "command = {program:?}\nargs = [{script:?}, 'stdio']\nenv = {{ SAID = 'yes', KEPT = {{ value = 'hunter2' }} }}"
    ));
    let server = counter([("local", config)]).await;
    is_offered(&server, "local_add").await;
    let client = server.client();
    assert_eq!(client.output("local_add", json!({ "a": 1, "b": 1 })).await["sum"], 2);
    let output = client.call("local_environment", json!({})).await;
    let text = output["content"][0]["text"].as_str().unwrap().to_owned();
    let mut named: Vec<_> = text.split(' ').filter(|it| !matches!(*it, "HOME" | "PATH")).collect();
    named.sort_unstable();
    assert_eq!(named, ["KEPT", "SAID"], "no variable that was not named");
}

#[tokio::test]
async fn http_refusal_is_no_lost_connection() {
    let modern = Modern::start();
    let server = with(&modern, "").await;
    let client = server.client();
    for status in [400, 404, 413, 422] {
        for tool in ["m_look", "m_book"] {
            modern.will([Deed::Status(status, None)]);
            let failure = client.failure(tool, json!({})).await;
            assert_eq!(failure["error"], "upstream_error", "{tool}: {failure}");
            assert!(
                failure["message"].as_str().unwrap().contains(&status.to_string()),
                "{failure}"
            );
        }
    }
    assert_eq!(modern.calls().len(), 8, "what was refused is not tried again");
}

#[tokio::test]
async fn names_the_capability_that_the_client_lacks() {
    let modern = Modern::start();
    let server = with(&modern, "").await;
    modern.will([Deed::Error(-32021, "it has to ask")]);
    let params = json!({ "name": "m_look", "arguments": {} });
    let (_, answer) = server.client().request("tools/call", params).await;
    assert_eq!(answer["error"]["code"], -32021, "{answer}");
    assert_eq!(answer["error"]["data"], json!({ "field": "x" }), "{answer}");
}

/// It speaks the legacy era alone and writes too long lines.
const OLD: &str = "
const lines = require('readline').createInterface({ input: process.stdin });
const info = { name: 'old', version: '1' };
const answers = {
  initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: info },
  'tools/list': { tools: ['long', 'short'].map((name) => ({ name, inputSchema: { type: 'object' } })) },
};
lines.on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'server/discover') process.exit(1);
  if (id === undefined) return;
  const text = 'a'.repeat(params?.name === 'long' ? 6000 : 1);
  const result = answers[method] ?? { content: [{ type: 'text', text }] };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
});
";

#[tokio::test]
async fn command_exiting_in_the_newest_era_is_retried_in_its_own() {
    let (program, _) = super::command();
    let config =
        entry(&format!("command = {program:?}\nargs = ['-e', {OLD:?}]\noutput_bytes_max = 4096"));
    let server = counter([("old", config)]).await;
    is_offered(&server, "old_short").await;
    let client = server.client();
    let failure = client.failure("old_long", json!({})).await;
    assert_eq!(failure["error"], "limit_exceeded", "a line that is too long: {failure}");
    let short = client.call("old_short", json!({})).await;
    assert_eq!(
        (&short["content"][0]["text"], &short["resultType"]),
        (&json!("a"), &json!("complete"))
    );
}

#[tokio::test]
async fn each_call_has_one_line_and_counts_for_its_server() {
    let modern = Modern::start();
    let server = with(&modern, "").await;
    let client = server.client();
    client.output("m_look", json!({ "secret": "hunter2" })).await;
    modern.will([Deed::Status(503, None)]);
    client.failure("m_book", json!({})).await;
    server.server().calls.watch.audit.flush();
    let lines = server.server().calls.watch.audit.tail(10);
    let found: Vec<_> =
        lines.iter().map(|it| (&it["server"], &it["tool"], &it["outcome"])).collect();
    let (m, look, book) = (json!("m"), json!("m_look"), json!("m_book"));
    assert_eq!(found, [(&m, &look, &json!("done")), (&m, &book, &json!("unavailable"))]);
    let text = server.server().calls.watch.metrics.text();
    assert!(
        text.contains("madoguchi_calls_total{component=\"server:m\",outcome=\"done\"} 1"),
        "{text}"
    );
}

// Hostile upstream servers harm only their own calls.

#[tokio::test]
async fn an_endless_event_ends_its_call_and_no_other() {
    let (bad, good) = (Modern::start(), Modern::start());
    let limited = "output_bytes_max = 1048576\ntimeout_ms = 20000";
    let server = counter([("bad", url(&bad.url(), limited)), ("good", url(&good.url(), ""))]).await;
    is_offered(&server, "bad_book").await;
    is_offered(&server, "good_look").await;
    bad.will([Deed::Endless]);
    let client = server.client();
    let call = client.failure("bad_book", json!({}));
    let (failure, other) = futures::join!(call, client.output("good_look", json!({})));
    assert_eq!(failure["error"], "limit_exceeded", "{failure}");
    assert_eq!(other, json!({ "arguments": {} }));
}

#[tokio::test]
async fn too_long_answer_is_not_forwarded() {
    let modern = Modern::start();
    let server = counter([("m", url(&modern.url(), "output_bytes_max = 4096"))]).await;
    is_offered(&server, "m_look").await;
    let text = "a".repeat(5_000);
    modern.will([Deed::Result(
        json!({ "resultType": "complete", "content": [{ "type": "text", "text": text }] }),
    )]);
    let failure = server.client().failure("m_look", json!({})).await;
    assert_eq!(failure["error"], "limit_exceeded", "{failure}");
    assert!(failure["message"].as_str().unwrap().contains("4096 bytes"), "{failure}");
    server.client().output("m_look", json!({})).await;
}

/// An answer of nine mebibytes, where eight are allowed, in each way in which it can come.
#[tokio::test]
async fn large_answer_is_fetched_once_and_keeps_connection() {
    for (transport, deed) in [
        ("auto", Deed::Large(9 << 20)),
        ("auto", Deed::Large(17 << 20)),
        ("auto", Deed::LargeEvent(9 << 20)),
        ("auto", Deed::LargeEvent(17 << 20)),
    ] {
        let modern = Modern::start();
        let more = format!("transport = '{transport}'\nretry_base_ms = 1");
        let server = counter([("m", url(&modern.url(), &more))]).await;
        is_offered(&server, "m_look").await;
        modern.will([deed]);
        let failure = server.client().failure("m_look", json!({})).await;
        assert_eq!(failure["error"], "limit_exceeded", "{failure}");
        assert!(failure["message"].as_str().unwrap().contains("8388608 bytes"), "{failure}");
        assert_eq!(modern.calls().len(), 1, "it is fetched once");
        assert!(server.client().tools().await.contains(&"m_look".to_owned()), "it stays");
        server.client().output("m_look", json!({})).await;
        assert_eq!(health(&server).await["servers"]["m"]["status"], "running");
    }
}

#[tokio::test]
async fn answer_that_is_none_of_json_rpc_fails_at_once() {
    let modern = Modern::start();
    let server = counter([("m", url(&modern.url(), ""))]).await;
    is_offered(&server, "m_look").await;
    let forms = [
        (r#"{"jsonrpc":"2.0","id":ID}"#, "neither a result nor an error"),
        (r#"{"jsonrpc":"1.0","id":ID,"result":{}}"#, "another jsonrpc"),
        (r#"{"id":ID,"result":{}}"#, "no jsonrpc"),
        (r#"[{"jsonrpc":"2.0","id":ID,"result":{}}]"#, "an array"),
    ];
    let bodies = forms.map(|(body, what)| (Deed::Body(200, body), what));
    let events = forms.map(|(body, what)| (Deed::Event(body), what));
    let accepted = [202, 204].map(|it| (Deed::Body(it, ""), "and no message"));
    for (deed, what) in bodies.into_iter().chain(events).chain(accepted) {
        let before = modern.calls().len();
        modern.will([deed]);
        let failure = server.client().failure("m_look", json!({})).await;
        assert_eq!(failure["error"], "upstream_error", "{failure}");
        assert!(failure["message"].as_str().unwrap().contains(what), "{failure}");
        assert_eq!(modern.calls().len(), before + 1, "asking again brings no other answer");
    }
    server.client().output("m_look", json!({})).await;
}

#[tokio::test]
async fn tool_result_without_content_is_an_empty_one() {
    let modern = Modern::start();
    let server = counter([("m", url(&modern.url(), ""))]).await;
    is_offered(&server, "m_look").await;
    for body in [
        r#"{"jsonrpc":"2.0","id":ID,"result":{"resultType":"complete"}}"#,
        r#"{"jsonrpc":"2.0","id":ID,"result":{}}"#,
    ] {
        modern.will([Deed::Body(200, body)]);
        let result = server.client().call("m_look", json!({})).await;
        assert_ne!(result["isError"], true, "{result}");
        assert_eq!(result["content"], json!([]), "{result}");
    }
}

#[tokio::test]
async fn huge_list_is_truncated_and_fitting_tools_are_offered() {
    let mut tools: Vec<_> = (0..2_000).map(|it| tool(&format!("t{it}"), true)).collect();
    tools[1]["description"] = "a".repeat(100_000).into();
    let modern = Modern::with(tools);
    let server = counter([("m", url(&modern.url(), ""))]).await;
    is_offered(&server, "m_t0").await;
    let names = server.client().tools().await;
    let served = names.iter().filter(|it| it.starts_with("m_")).count();
    assert!((500..=512).contains(&served), "{served}");
    assert!(!names.contains(&"m_t1".to_owned()), "one tool has no more than 64 KiB");
}

#[tokio::test]
async fn texts_of_servers_are_cleaned_and_bounded() {
    let nasty = "read\u{1b}]0;me\u{7}\u{202e}\u{2066}\0\u{e0041}";
    let mut tools = vec![tool("look", true), tool("odd", true)];
    tools[0]["title"] = nasty.into();
    tools[0]["description"] = format!("{nasty}{}", "a".repeat(9_000)).into();
    tools[0]["inputSchema"]["properties"] = json!({ "x": { "description": nasty } });
    tools[1]["inputSchema"]["properties"] = json!({ "x": { "enum": [nasty] } });
    let modern = Modern::with(tools);
    let server = counter([("m", url(&modern.url(), ""))]).await;
    is_offered(&server, "m_look").await;
    let listed = server.client().result("tools/list", json!({})).await;
    let mut tools = listed["tools"].as_array().unwrap().iter();
    let look = tools.find(|it| it["name"] == "m_look").unwrap();
    assert_eq!(look["title"], "read]0;me");
    assert_eq!(look["inputSchema"]["properties"]["x"]["description"], "read]0;me");
    let description = look["description"].as_str().unwrap();
    assert!(description.starts_with("read]0;mea") && description.chars().count() == 4_096);
    let names = server.client().tools().await;
    assert!(!names.contains(&"m_odd".to_owned()), "what programs go by is not changed: {names:?}");
}

#[tokio::test]
async fn silent_accepting_server_delays_neither_start_nor_end() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/mcp", silent.local_addr().unwrap());
    let mut server = counter([("silent", url(&address, ""))]).await;
    server.client().output("echo", json!({ "value": {} })).await;
    let health = health(&server).await;
    assert_eq!(health["servers"]["silent"]["status"], "connecting", "{health}");
    assert_eq!(health["status"], "ok");
    server.stop().await;
}

#[tokio::test]
async fn non_mcp_server_is_reported_and_harms_no_other() {
    let fake = tests::fake::Fake::start().await;
    let closed = tests::free_addr();
    let thief = tests::fake::Fake::start().await;
    let redirected = format!("/redirect?to={}", thief.url("/ok"));
    let server = counter([
        ("text", url(&fake.url("/ok"), "")),
        ("elsewhere", url(&fake.url(&redirected), "token = { value = 'hunter2hunter2' }")),
        ("closed", url(&format!("http://{closed}/mcp"), "")),
        ("command", entry("command = '/no/such/program now'")),
    ])
    .await;
    let health = loop {
        let health = health(&server).await;
        let servers = health["servers"].as_object().unwrap();
        if servers.values().all(|it| it["status"] == "unreachable") {
            break health;
        }
        tokio::task::yield_now().await;
    };
    let shown = |name: &str| health["servers"][name]["error"].as_str().unwrap().to_owned();
    assert!(shown("closed").contains("cannot be reached"), "{health}");
    assert!(shown("command").contains("/no/such/program now cannot be run"), "{health}");
    assert!(shown("command").ends_with("stands in args"), "{health}");
    assert!(!health.to_string().contains("hunter2"), "{health}");
    server.client().output("echo", json!({ "value": {} })).await;
    assert!(thief.received().is_empty(), "the token follows no redirect to another origin");
}
