//! Hostile upstream servers harm only their own calls.

use serde_json::json;

use super::{
    counter, health, is_offered,
    modern::{Deed, Modern, tool},
    url,
};

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
        ("command", super::entry("command = '/no/such/program now'")),
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
