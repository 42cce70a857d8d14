//! Valid and invalid messages of apps.

use super::*;

fn begun() -> Bridge {
    let mut bridge = Bridge::new();
    let hello = r#"{"jsonrpc":"2.0","id":0,"method":"ui/initialize","params":{}}"#;
    assert_eq!(bridge.take(hello, 0.0), Act::Welcome { id: json!(0) });
    let listens = r#"{"jsonrpc":"2.0","method":"ui/notifications/initialized"}"#;
    assert_eq!(bridge.take(listens, 0.0), Act::Listens);
    bridge
}

fn ask(bridge: &mut Bridge, method: &str, params: Value) -> Act {
    let text = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
    bridge.take(&text.to_string(), 0.0)
}

fn code(act: &Act) -> i64 {
    match act {
        Act::Send(answer) => answer["error"]["code"].as_i64().unwrap_or(0),
        _ => 1,
    }
}

#[test]
fn app_receives_messages_only_after_initialization() {
    let mut bridge = Bridge::new();
    let early = r#"{"jsonrpc":"2.0","method":"ui/notifications/initialized"}"#;
    assert_eq!(bridge.take(early, 0.0), Act::Nothing, "it was not welcomed yet");
    assert_eq!(code(&ask(&mut bridge, "tools/call", json!({ "name": "x" }))), -32_600);
    assert!(!bridge.listens);
    let mut bridge = begun();
    assert!(bridge.listens);
    assert_eq!(bridge.take(early, 0.0), Act::Nothing, "once");
}

#[test]
fn parses_requests_and_refuses_malformed_ones() {
    let mut bridge = begun();
    let id = json!(7);
    assert_eq!(code(&ask(&mut bridge, "ping", json!({}))), 0);
    let call = json!({ "name": "get", "arguments": { "a": 1 } });
    assert_eq!(
        ask(&mut bridge, "tools/call", call),
        Act::Call { id: id.clone(), name: "get".to_owned(), arguments: json!({ "a": 1 }) }
    );
    assert_eq!(
        ask(&mut bridge, "resources/read", json!({ "uri": "ui://a" })),
        Act::Read { id: id.clone(), uri: "ui://a".to_owned() }
    );
    let text = json!({ "role": "user", "content": [{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }] });
    assert_eq!(
        ask(&mut bridge, "ui/message", text),
        Act::Write { id: id.clone(), text: "a\nb".to_owned() }
    );
    let context = json!({ "structuredContent": { "a": 1 } });
    assert_eq!(
        ask(&mut bridge, "ui/update-model-context", context),
        Act::SetContext { id: id.clone(), text: "{\"a\":1}".to_owned() }
    );
    assert_eq!(
        ask(&mut bridge, "ui/request-display-mode", json!({ "mode": "pip" })),
        Act::Mode { id, is_fullscreen: false }
    );
    for (method, params, wrong) in [
        ("tools/call", json!({}), -32_602),
        ("tools/call", json!({ "name": "x", "arguments": [] }), -32_602),
        ("tools/call", json!({ "name": "x".repeat(300) }), -32_602),
        (
            "tools/call",
            json!({ "name": "x", "arguments": { "a": "x".repeat(300 << 10) } }),
            -32_602,
        ),
        ("resources/read", json!({ "uri": 1 }), -32_602),
        ("ui/message", json!({ "role": "assistant", "content": [] }), -32_602),
        ("ui/message", json!({ "role": "user", "content": [{ "type": "image" }] }), -32_602),
        (
            "ui/message",
            json!({ "role": "user", "content": [{ "type": "text", "text": "x".repeat(4_001) }] }),
            -32_602,
        ),
        (
            "ui/update-model-context",
            json!({ "structuredContent": { "a": "x".repeat(4_001) } }),
            -32_602,
        ),
        ("ui/request-display-mode", json!({ "mode": "window" }), -32_602),
        ("sampling/createMessage", json!({}), -32_601),
        ("ui/download-file", json!({}), -32_601),
    ] {
        assert_eq!(code(&ask(&mut bridge, method, params)), wrong, "{method}");
    }
}

#[test]
fn refuses_malformed_messages_and_ends_app_after_many() {
    for text in [
        "",
        "null",
        "[]",
        "1",
        "{}",
        r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":1}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#,
        r#"{"jsonrpc":"2.0","id":1}"#,
        r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
    ] {
        let mut bridge = begun();
        let act = bridge.take(text, 0.0);
        assert!(act == Act::Nothing || code(&act) == -32_600, "{text}: {act:?}");
        for _ in 0..MALFORMED_MAX {
            bridge.take(text, 0.0);
        }
        assert_eq!(bridge.take(text, 0.0), Act::End(Reason::Malformed), "{text}");
    }
    let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
    assert_eq!(begun().take(&deep, 0.0), Act::Nothing);
}

#[test]
fn flood_or_huge_message_ends_app() {
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let mut bridge = begun();
    let ended = (0..1_000).find(|_| bridge.take(ping, 0.0) == Act::End(Reason::Flood));
    assert!(ended.is_some_and(|it| it < 400), "{ended:?}");
    let mut calm = begun();
    for at in 0..2_000 {
        assert!(matches!(calm.take(ping, f64::from(at) * 10.0), Act::Send(_)), "{at}");
    }
    assert!(matches!(calm.take(ping, 0.0), Act::Send(_)), "a clock that goes back");
    let huge = "x".repeat(MESSAGE_CHARS_MAX * 4 + 1);
    assert_eq!(begun().take(&huge, 0.0), Act::End(Reason::Size));
    let mut direct = begun();
    assert!((0..DIRECT_MAX).all(|_| direct.take_direct() == Act::Nothing));
    assert_eq!(direct.take_direct(), Act::End(Reason::Flood));
}

#[test]
fn limits_concurrent_and_total_calls() {
    let mut bridge = begun();
    let call = |at: f64, bridge: &mut Bridge| {
        let text =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "x" } });
        bridge.take(&text.to_string(), at)
    };
    for _ in 0..CALLS_AT_ONCE {
        assert!(matches!(call(0.0, &mut bridge), Act::Call { .. }));
    }
    assert_eq!(code(&call(0.0, &mut bridge)), -32_000);
    for at in 0..CALLS_MAX - CALLS_AT_ONCE {
        bridge.finish_call();
        let act = call(at as f64 * 100.0, &mut bridge);
        assert!(matches!(act, Act::Call { .. }), "{at}: {act:?}");
    }
    bridge.finish_call();
    assert_eq!(code(&call(1e9, &mut bridge)), -32_000);
}

#[test]
fn app_asks_no_more_after_repeated_refusals() {
    let mut bridge = begun();
    for _ in 0..DENIED_MAX {
        assert!(bridge.may_ask());
        bridge.count_denial();
    }
    assert!(!bridge.may_ask());
}

#[test]
fn clamps_height_between_minimum_and_window() {
    for (wanted, given) in [
        (0.0, 160.0),
        (-5.0, 160.0),
        (300.0, 300.0),
        (1e9, 700.0),
        (f64::NAN, 160.0),
        (f64::INFINITY, 160.0),
        (f64::NEG_INFINITY, 160.0),
    ] {
        assert_eq!(height(wanted, 1_000.0), given, "{wanted}");
    }
    assert_eq!(height(400.0, 100.0), 160.0, "a window that is lower than an app may be");
    let mut bridge = begun();
    for params in [json!({ "height": "x" }), json!({}), json!({ "height": null })] {
        let text = json!({ "jsonrpc": "2.0", "method": "ui/notifications/size-changed", "params": params });
        assert_eq!(bridge.take(&text.to_string(), 0.0), Act::Nothing);
    }
    let text =
        r#"{"jsonrpc":"2.0","method":"ui/notifications/size-changed","params":{"height":1e999}}"#;
    assert_eq!(bridge.take(text, 0.0), Act::Nothing);
}
