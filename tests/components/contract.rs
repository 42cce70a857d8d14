//! What a component may export and import: interfaces that the host calls, and stubs (SYS-43).

use host::grants::Grant;
use serde_json::{Value, json};
use tests::bench::{Bench, Tested};
use workbench::solo::{Called, SoloOutcome};

/// A component with a tool, which exports this interface with one function of that name.
fn exporting(interface: &str, function: &str) -> Vec<u8> {
    let text = format!(
        r#"(component
        (core module $m (func (export "f") (result i32) i32.const 7))
        (core instance $i (instantiate $m))
        (func $f (result u32) (canon lift (core func $i "f")))
        (instance $exported (export "{function}" (func $f)))
        (export "f" (func $f))
        (export "{interface}" (instance $exported)))"#
    );
    wat::parse_str(text).unwrap()
}

#[tokio::test]
async fn rejects_exported_interface_that_is_never_called() {
    for (interface, function, part) in [
        ("madoguchi:tool/schedule@0.2.0", "run", "this host knows 0.1.0"),
        ("madoguchi:tool/schedule", "run", "this host knows 0.1.0"),
        ("madoguchi:tool/schedule@0.1.0", "ran", "no such functions"),
        ("madoguchi:tool/dreams@0.1.0", "dream", "no such functions"),
    ] {
        let bench = Bench::of_bytes("other", &exporting(interface, function)).unwrap();
        let error =
            bench.try_start().await.err().unwrap_or_else(|| panic!("{interface} is let in"));
        assert!(error.starts_with(&format!("it exports {interface}; ")), "{error}");
        assert!(error.contains(part) && error.contains("`madoguchi wit`"), "{error}");
    }
    for other in ["acme:tool/schedule@0.2.0", "madoguchi:tool/schedule@0.1.0"] {
        assert!(
            Bench::of_bytes("own", &exporting(other, "run")).unwrap().try_start().await.is_ok()
        );
    }
}

// Stubbed imports of a component (SYS-43).

/// A component that imports a store, with a resource of its own, and sockets, with streams of WASI's; `idle` uses none of
/// it, `used` calls the store.
fn carrier() -> Vec<u8> {
    let text = r#"(component
        (import "wasi:io/streams@0.2.0" (instance $streams
            (export "input-stream" (type (sub resource)))))
        (alias export $streams "input-stream" (type $input))
        (import "wasi:sockets/tcp@0.2.0" (instance $tcp
            (alias outer 1 $input (type $i))
            (export "input-stream" (type $stream (eq $i)))
            (export "tcp-socket" (type $socket (sub resource)))
            (export "[method]tcp-socket.receive" (func
                (param "self" (borrow $socket)) (result (own $stream))))))
        (import "acme:store/store" (instance $store
            (export "size" (func (result u32)))))
        (core func $size (canon lower (func $store "size")))
        (core module $m
            (import "store" "size" (func $size (result i32)))
            (func (export "idle") (result i32) i32.const 7)
            (func (export "used") (result i32) call $size))
        (core instance $i (instantiate $m
            (with "store" (instance (export "size" (func $size))))))
        (func (export "idle") (result u32) (canon lift (core func $i "idle")))
        (func (export "used") (result u32) (canon lift (core func $i "used"))))"#;
    wat::parse_str(text).unwrap()
}

#[tokio::test]
async fn rejects_unoffered_import_with_the_line_that_helps() {
    let error = Bench::of_bytes("carrier", &carrier()).unwrap().try_start().await.err().unwrap();
    assert!(error.starts_with("it imports wasi:sockets/tcp@0.2.0, which this host does not offer"));
    let line = r#"under [components.carrier]: stubs = ["acme:store", "wasi:sockets"]"#;
    assert!(error.contains(line), "SYS-43: {error}");
    let one = Bench::of_bytes("carrier", &carrier()).unwrap().stubs(&["wasi:sockets/tcp"]);
    let error = one.try_start().await.err().unwrap();
    assert!(error.starts_with("it imports acme:store/store, which"), "{error}");
    assert!(error.contains(r#"stubs = ["acme:store", "wasi:sockets/tcp"]"#), "{error}");
}

#[tokio::test]
async fn stub_admits_component_and_ends_calls_that_use_it() {
    for stubs in [&["acme:store", "wasi:sockets"][..], &["*"]] {
        let bench = Bench::of_bytes("carrier", &carrier()).unwrap().stubs(stubs);
        let carrier = bench.start().await;
        let call =
            |tool: &'static str| carrier.round(tool, serde_json::json!({}), serde_json::json!({}));
        let idle = carrier.call("idle", serde_json::json!({})).await;
        assert_eq!(idle["result"], 7, "SYS-43: {stubs:?}");
        let used = format!("{:?}", call("used").await);
        assert!(used.contains("internal_error") && !used.contains("acme"), "{used}");
    }
}

// What the toolkit and the host give every component: arguments, questions, facts of the caller.

#[tokio::test]
async fn a_component_without_any_grant_can_be_called() {
    let echo = Bench::of("echo").start().await;
    assert_eq!(
        echo.call("echo", json!({ "value": { "a": [1] } })).await,
        json!({ "value": { "a": [1] } })
    );
}

#[tokio::test]
async fn names_wrong_missing_and_surplus_arguments_with_the_remedy() {
    let echo = Bench::of("echo").start().await;
    let failure = echo.failure("echo", json!({ "valeu": {} })).await;
    assert_eq!((&failure["error"], &failure["status"]), (&json!("invalid_params"), &json!(400)));
    let pointers: Vec<_> = failure["data"]["problems"].as_array().unwrap().iter().collect();
    assert_eq!(pointers[0]["pointer"], "/value");
    assert_eq!(pointers[1]["pointer"], "/valeu");
    assert!(pointers[1]["message"].as_str().unwrap().contains("known are: value"));
    let failure = echo.failure("count_slowly", json!({ "steps": "ten" })).await;
    assert_eq!(failure["data"]["field"], "steps");
    assert!(failure["message"].as_str().unwrap().contains("integer"), "{failure}");
}

#[tokio::test]
async fn tool_asks_and_resumes_with_the_answer() {
    let echo = Bench::of("echo").start().await;
    let SoloOutcome::InputRequired(questions) =
        echo.round("greet_twice", json!({}), json!({})).await
    else {
        panic!("it does not ask");
    };
    assert_eq!((questions.len(), &*questions[0].key), (1, "name"));
    let named = json!({ "name": { "name": "花子" } });
    let SoloOutcome::InputRequired(questions) =
        echo.round("greet_twice", json!({}), named.clone()).await
    else {
        panic!("it does not ask again");
    };
    assert_eq!(questions[0].message, "Are you 花子?");
    let mut both = named;
    both[&questions[0].key] = json!({});
    match echo.round("greet_twice", json!({}), both).await {
        SoloOutcome::Done(output) => {
            assert_eq!(output.structured.unwrap(), r#"{"greeting":"Hello, 花子!"}"#)
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_declined_question_is_a_refusal() {
    let echo = Bench::of("echo").start().await;
    match echo.round("greet", json!({}), json!({ "name": null })).await {
        SoloOutcome::Failed(object) => assert_eq!(object["error"], "declined"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn ungranted_import_keeps_it_out_and_names_the_granting_line() {
    let error = Bench::of("cinema").grant(Grant::Clock).try_start().await.err().unwrap();
    assert!(error.contains("which is not granted"), "{error}");
    assert!(error.contains("[components.cinema]: grants = ["), "{error}");
}

// Components that call other tools, alone: a test answers their calls.

fn allowed(tool: &str, _: &Value) -> Called {
    match tool {
        "sell" => Called::Held("0a".to_owned()),
        "look" => Called::Done(json!({ "seen": true })),
        "0a" => Called::Done(json!({ "sold": true })),
        _ => Called::Failed(json!({ "error": "closed", "message": "It is closed", "status": 409 })),
    }
}

async fn errand() -> Tested {
    let bench = Bench::of("errand").grant(Grant::Calls).grant(Grant::Endpoints);
    bench.calls(&["look", "sell", "shut"], allowed).start().await
}

async fn run(component: &Tested, tools: &[&str]) -> SoloOutcome {
    let calls: Vec<_> = tools.iter().map(|it| json!({ "tool": it, "arguments": {} })).collect();
    component.round("run_errand", json!({ "calls": calls }), json!({})).await
}

#[tokio::test]
async fn output_of_a_called_tool_is_returned() {
    let component = errand().await;
    let SoloOutcome::Done(output) = run(&component, &["look", "look"]).await else {
        panic!("not done")
    };
    let outputs: Value = serde_json::from_str(&output.structured.unwrap()).unwrap();
    assert_eq!(outputs["outputs"], json!([{ "seen": true }, { "seen": true }]));
}

#[tokio::test]
async fn held_call_is_awaited_by_its_event() {
    let component = errand().await;
    let SoloOutcome::Waits(wait) = run(&component, &["look", "sell"]).await else {
        panic!("no wait")
    };
    assert_eq!(wait.events, ["approvals/0a"]);
    let tried = json!({ "held": ["0a"] });
    let looked = component.request("POST", "tries", &tried).await.unwrap();
    assert_eq!(looked.body["outputs"][0]["done"]["structuredContent"], json!({ "sold": true }));
}

#[tokio::test]
async fn refusal_is_passed_on_with_its_code() {
    let component = errand().await;
    let SoloOutcome::Failed(failure) = run(&component, &["shut"]).await else {
        panic!("not refused")
    };
    assert_eq!((&failure["error"], &failure["status"]), (&json!("closed"), &json!(409)));
    let SoloOutcome::Failed(failure) = run(&component, &["other"]).await else {
        panic!("not refused")
    };
    assert_eq!(failure["error"], "unknown_tool");
}

#[tokio::test]
async fn an_assistant_of_others_answers_alone() {
    let bench = Bench::of("clerk").grant(Grant::Calls).grant(Grant::Endpoints);
    let bench = bench.grant(Grant::Settings).settings(json!({ "tool": "sell", "arguments": {} }));
    let component = bench.calls(&["sell"], allowed).start().await;
    let asked = component.request("POST", "", &json!({ "message": "hello" })).await.unwrap();
    assert_eq!((&asked.body["stopReason"], &asked.body["turn"]), (&json!("waiting"), &json!("0a")));
    let done = component.request("POST", "", &json!({ "turn": "0a" })).await.unwrap();
    assert_eq!(done.body["text"], "Done: {\"sold\":true}");
}

// A family from outside the repository's, alone: tools, requests, schedule, names, sentences and view.

async fn open() -> Tested {
    Bench::of("lending").grant_all().start().await
}

#[tokio::test]
async fn a_book_is_lent_once_and_comes_back() {
    let component = open().await;
    let lent = component.request("POST", "loans/雪国", &json!({ "member": "花" })).await.unwrap();
    assert_eq!(lent.body["books"][0]["member"], "花");
    assert_eq!(component.published(), ["lending://loans"]);
    let again = component.request("POST", "loans/Snow Country", &json!({ "member": "海" })).await;
    assert_eq!(again.unwrap_err()["error"], "book_not_there");
    component.run_schedule().await.unwrap();
    let loans = component.request("GET", "loans", &json!({})).await.unwrap();
    assert_eq!(loans.body["loans"][0]["isReminded"], true);
    component.request("DELETE", "loans/雪国", &json!({})).await.unwrap();
    let loans = component.request("GET", "loans", &json!({})).await.unwrap();
    assert_eq!(loans.body, json!({ "loans": [] }));
}

#[tokio::test]
async fn names_of_books_turn_a_sentence_into_a_call() {
    let component = open().await;
    assert_eq!(component.names().await.unwrap().len(), 3);
    let names = json!([{ "kind": "book", "name": "雪国", "english": "Snow Country" }]);
    for (message, tool) in [
        ("雪国を借りたい", "lend_book"),
        ("I would like to return Snow Country", "return_book"),
        ("図書館の本は？", "list_books"),
    ] {
        let turn = json!({ "message": message, "names": names });
        let next: Value = component.converse(turn).await.unwrap();
        assert_eq!(next["calls"][0]["tool"], tool, "{message}: {next}");
    }
    let other =
        component.converse(json!({ "message": "今日の映画は？", "names": names })).await.unwrap();
    assert_eq!(other["confidence"], 0.0, "{other}");
}

#[tokio::test]
async fn tools_name_their_view_which_is_read_as_an_app() {
    let component = open().await;
    let tools = component.component().tools();
    assert_eq!(tools.len(), 3);
    for tool in tools {
        assert_eq!(tool.meta["ui"]["resourceUri"], "ui://lending/books", "{}", tool.name);
    }
    let contents = component.read("ui://lending/books").await.expect("it is there");
    assert_eq!(contents[0].mime_type.as_deref(), Some("text/html;profile=mcp-app"));
    assert!(component.read("ui://lending/others").await.is_err());
}
