//! Components of WASI 0.3: a foreign one, and one of the contract (SYS-49).

use host::{grants::Grant, limits::Limits};
use serde_json::json;
use tests::bench::{Bench, Tested};

async fn newcomer(limits: Limits) -> Tested {
    Bench::of("newcomer").grant(Grant::Clock).limits(limits).start().await
}

#[tokio::test]
async fn asynchronous_functions_are_tools_like_others() {
    let newcomer = newcomer(Limits::default()).await;
    let tools = newcomer.component().tools().iter().map(|it| it.name.to_string());
    let tools: Vec<_> = tools.collect();
    assert_eq!(tools, ["divide", "lines_say", "misbehave", "nap", "slug"], "SYS-49");
    assert!(!newcomer.component().is_pooled());
    let slug = newcomer.call("slug", json!({ "text": "Two Words" })).await;
    assert_eq!(slug["result"], "two-words");
    let nap = newcomer.call("nap", json!({ "each-ms": [1, 2, 3] })).await;
    assert_eq!(nap["result"], 3, "all of them were waited for");
    let arguments = json!({ "dividend": 7, "divisor": 2 });
    assert_eq!(newcomer.call("divide", arguments).await["result"], 3);
    let failure = newcomer.failure("divide", json!({ "dividend": 7, "divisor": 0 })).await;
    assert_eq!(failure["message"], "7 cannot be divided by 0");
    let failure = newcomer.failure("nap", json!({ "each-ms": ["1"] })).await;
    assert_eq!(failure["error"], "invalid_params", "{failure}");
}

#[tokio::test]
async fn streams_and_futures_are_left_out_by_name() {
    let newcomer = newcomer(Limits::default()).await;
    let left = newcomer.component().left_out().iter();
    let left: Vec<_> = left.map(|it| (it.function.as_str(), it.why.as_str())).collect();
    let interface = "example:newcomer/lines@1.0.0";
    for (function, what) in [("follow", "a stream"), ("await-it", "a future")] {
        let whole = format!("{interface}#{function}");
        let found = left.iter().find(|it| it.0 == whole);
        assert!(found.is_some_and(|it| it.1.contains(what)), "SYS-41: {left:?}");
    }
    assert_eq!(left.len(), 2, "{left:?}");
}

#[tokio::test]
async fn imports_of_wasi_03_need_the_same_grants_and_stubs() {
    let error = Bench::of("newcomer").try_start().await.err().unwrap();
    assert!(error.contains("wasi:clocks/monotonic-clock@0.3.0, which is not granted"), "{error}");
    assert!(error.contains(r#"grants = ["clock"]"#), "SYS-49: {error}");
    let stubbed = Bench::of("newcomer").stubs(&["wasi:clocks"]).start().await;
    let slug = stubbed.call("slug", json!({ "text": "A b" })).await;
    assert_eq!(slug["result"], "a-b", "SYS-43");
    let failure = stubbed.failure("nap", json!({ "each-ms": [1] })).await;
    assert_eq!(failure["error"], "internal_error", "SYS-43: {failure}");
}

#[tokio::test]
async fn rejects_import_of_a_draft_naming_it() {
    let text = r#"(component
        (import "wasi:clocks/monotonic-clock@0.3.0-rc-2026-01-06" (instance
            (export "wait-for" (func async (param "how-long" u64)))))
        (core module $m (func (export "f") (result i32) i32.const 1))
        (core instance $i (instantiate $m))
        (func (export "f") (result u32) (canon lift (core func $i "f"))))"#;
    let bytes = wat::parse_str(text).unwrap();
    let error = Bench::of_bytes("draft", &bytes).unwrap().try_start().await.err().unwrap();
    assert!(error.contains("-rc-2026-01-06, of a version"), "SYS-49: {error}");
}

#[tokio::test]
async fn component_without_async_functions_needs_its_grants() {
    let of = |import: &str| {
        let text = format!(
            r#"(component
                (import "{import}" (instance $i (export "get-random-u64" (func (result u64)))))
                (core func $f (canon lower (func $i "get-random-u64")))
                (core module $m
                    (import "i" "f" (func $f (result i64)))
                    (func (export "f") (result i32)
                        (i64.eq (call $f) (i64.const 0))))
                (core instance $n (instantiate $m
                    (with "i" (instance (export "f" (func $f))))))
                (func (export "f") (result bool) (canon lift (core func $n "f"))))"#
        );
        Bench::of_bytes("random", &wat::parse_str(text).unwrap()).unwrap()
    };
    for version in ["0.2.6", "0.3.0", "0.3.1"] {
        let import = format!("wasi:random/random@{version}");
        let error = of(&import).try_start().await.err().unwrap();
        assert!(error.contains(r#"grants = ["random"]"#), "{error}");
        let random = of(&import).grant(Grant::Random).start().await;
        assert_eq!(random.call("f", json!({})).await["result"], false, "SYS-49: {version}");
        assert_eq!(random.component().is_pooled(), version.starts_with("0.2"));
    }
}

#[tokio::test]
async fn each_misdeed_ends_at_its_named_limit() {
    let quick = Limits { cpu_ms_max: 100, deadline_ms: 60_000, ..Limits::default() };
    let short = Limits { deadline_ms: 2_000, ..Limits::default() };
    let small = Limits { memory_bytes_max: 8 << 20, cpu_ms_max: 60_000, ..Limits::default() };
    for (how, limits, limit) in [
        ("wait", &short, "deadline_ms"),
        ("spin", &quick, "cpu_ms_max"),
        ("spin between", &quick, "cpu_ms_max"),
        ("memory", &small, "memory_bytes_max"),
        ("tasks", &small, "handles_max"),
        ("streams", &small, "handles_max"),
        ("flood", &quick, "cpu_ms_max"),
        ("spin at the end", &quick, "cpu_ms_max"),
    ] {
        let newcomer = newcomer(limits.clone()).await;
        let failure = newcomer.failure("misbehave", json!({ "how": how })).await;
        assert_eq!(failure["data"]["limit"], limit, "SYS-49: {how}: {failure}");
        let slug = newcomer.call("slug", json!({ "text": "still there" })).await;
        assert_eq!(slug["result"], "still-there");
    }
}

#[tokio::test]
async fn work_continuing_after_the_result_is_ended() {
    // Were it waited for, no call would end.
    let limits = Limits { cpu_ms_max: 60_000, deadline_ms: 60_000, ..Limits::default() };
    let newcomer = newcomer(limits).await;
    for how in ["spin after", "wait after"] {
        let done = newcomer.call("misbehave", json!({ "how": how })).await;
        assert_eq!(done["result"], "done", "SYS-49: {how}");
    }
}

#[tokio::test]
async fn reports_trap_and_endless_wait_without_the_reason() {
    let newcomer = newcomer(Limits::default()).await;
    for how in ["panic", "deadlock"] {
        let failure = newcomer.failure("misbehave", json!({ "how": how })).await;
        assert_eq!(failure["error"], "internal_error", "{how}: {failure}");
        assert!(!failure.to_string().contains("secret"), "{failure}");
    }
}

#[tokio::test]
async fn function_with_async_type_is_a_tool() {
    let text = r#"(component
        (core module $m (func (export "f") (result i32) i32.const 7))
        (core instance $i (instantiate $m))
        (func (export "f") async (result u32) (canon lift (core func $i "f"))))"#;
    let bytes = wat::parse_str(text).unwrap();
    let seven = Bench::of_bytes("seven", &bytes).unwrap().start().await;
    assert_eq!(seven.call("f", json!({})).await["result"], 7, "SYS-49");
}

#[tokio::test]
async fn written_stream_is_read_to_its_end() {
    let newcomer = newcomer(Limits::default()).await;
    let output = newcomer.call("lines_say", json!({ "lines": ["one", "two"] })).await;
    assert_eq!(output, json!({ "result": 2 }));
}

// A component of the contract for WASI 0.3, whose calls await (SYS-49).

#[tokio::test]
async fn calls_await_and_use_the_contract_together() {
    let bench = Bench::of("waiter").grant(Grant::Clock).grant(Grant::Sql);
    let waiter = bench.start().await;
    assert_eq!(waiter.component().tools().len(), 3, "SYS-49");
    assert!(!waiter.component().is_pooled() && waiter.component().left_out().is_empty());
    assert_eq!(waiter.call("wait_twice", json!({})).await, json!({ "sum": 42 }));
    let failure = waiter.failure("refuse_later", json!({})).await;
    assert_eq!((&failure["error"], &failure["status"]), (&json!("too_late"), &json!(409)));
}

#[tokio::test]
async fn call_awaiting_too_long_ends_at_its_deadline() {
    let limits = Limits { deadline_ms: 2_000, ..Limits::default() };
    let bench = Bench::of("waiter").grant(Grant::Clock).grant(Grant::Sql);
    let waiter = bench.limits(limits).start().await;
    let failure = waiter.failure("wait_long", json!({})).await;
    assert_eq!(failure["data"]["limit"], "deadline_ms", "SYS-49: {failure}");
}
