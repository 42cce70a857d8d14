//! A component that lists its tools by wasmcp's interface (SYS-50).

use host::{component::Content, limits::Limits};
use serde_json::{Value, json};
use tests::bench::{Bench, Tested};
use workbench::solo::SoloOutcome;

async fn content(toolbox: &Tested, tool: &str, arguments: Value) -> Vec<Content> {
    match toolbox.round(tool, arguments, json!({})).await {
        SoloOutcome::Done(output) => output.content,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn tools_are_listed_page_by_page() {
    let toolbox = Bench::of("toolbox").start().await;
    let tools = toolbox.component().tools();
    assert_eq!(tools.len(), 9, "SYS-50");
    let add = tools.iter().find(|it| &*it.name == "add").unwrap();
    assert_eq!((add.title.as_deref(), &*add.description), (Some("Add"), "Does add."));
    assert!(add.hints.read_only && add.hints.idempotent && !add.hints.destructive);
    assert!(!add.hints.open_world);
    assert_eq!(add.input_schema["required"], json!(["a", "b"]));
    assert!(add.output_schema.is_some());
    let fail = tools.iter().find(|it| &*it.name == "fail").unwrap();
    assert!(fail.hints.destructive && fail.hints.open_world && fail.output_schema.is_none());
    let left = toolbox.component().left_out();
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!((&*left[0].function, &*left[0].why), ("run", "its tools are those that it lists"));
    assert!(toolbox.component().is_pooled());
}

#[tokio::test]
async fn a_call_gives_its_structured_content_and_its_texts() {
    let toolbox = Bench::of("toolbox").start().await;
    let sum = toolbox.call("add", json!({ "a": 1.5, "b": 2 })).await;
    assert_eq!(sum, json!({ "sum": 3.5 }), "SYS-50");
    let texts = toolbox.texts("context", json!({ "k": "v" })).await;
    assert_eq!(texts, [r#"2025-06-18 None false {"k":"v"}"#], "nothing that says who asks");
}

#[tokio::test]
async fn every_kind_of_content_comes_through() {
    let toolbox = Bench::of("toolbox").start().await;
    let all = content(&toolbox, "everything", json!({})).await;
    let [Content::Text(text), Content::Image(image), Content::Audio(audio), link, inside] =
        &all[..]
    else {
        panic!("{all:?}");
    };
    assert_eq!(text.text, "for you");
    let annotations: Value = serde_json::from_str(text.annotations.as_deref().unwrap()).unwrap();
    assert_eq!(annotations, json!({ "audience": ["user"], "priority": 0.5 }), "SYS-50");
    assert_eq!((&image.data[..], &*image.mime_type), (&[0, 255][..], "image/png"));
    assert_eq!(audio.mime_type, "audio/wav");
    assert!(matches!(link, Content::Link(it) if it.uri == "box:/2" && it.name == "two"));
    assert!(matches!(inside, Content::Resource(it) if it.uri == "box:/1"), "{inside:?}");
}

#[tokio::test]
async fn errors_of_a_toolbox_are_passed_on() {
    let toolbox = Bench::of("toolbox").start().await;
    let failure = toolbox.failure("fail", json!({})).await;
    assert_eq!(
        (&failure["error"], &failure["message"]),
        (&json!("failed"), &json!("It is\nstuck."))
    );
    assert_eq!(failure["data"]["left"], 3, "SYS-50: {failure}");
    let failure = toolbox.failure("refuse", json!({})).await;
    assert_eq!(failure["error"], "server", "{failure}");
    assert_eq!(failure["message"], "server: The box is locked.", "{failure}");
    let failure = toolbox.failure("add", json!({ "a": 1 })).await;
    assert_eq!(failure["error"], "invalid_params", "{failure}");
    assert!(failure["message"].as_str().unwrap().contains("are to be numbers"), "{failure}");
}

#[tokio::test]
async fn unmappable_content_ends_only_its_call() {
    let limits = Limits { cpu_ms_max: 50, ..Limits::default() };
    let toolbox = Bench::of("toolbox").limits(limits).start().await;
    for tool in ["stream", "unknown", "wrong"] {
        let failure = toolbox.failure(tool, json!({})).await;
        assert_eq!(failure["error"], "internal_error", "SYS-50: {tool}: {failure}");
        assert!(failure["message"].as_str().unwrap().contains("cannot be used"), "{failure}");
    }
    let failure = toolbox.failure("spin", json!({})).await;
    assert_eq!(failure["data"]["limit"], "cpu_ms_max", "{failure}");
    assert_eq!(toolbox.call("add", json!({ "a": 1, "b": 2 })).await["sum"], 3.0);
}

/// A component that exports the interface with this function under these names.
fn listing(parameters: &str, names: &[&str]) -> Vec<u8> {
    let exports = names.iter().map(|it| format!("(export \"{it}\" (func $f))"));
    let text = format!(
        r#"(component
            (core module $m (func (export "f") (param i32) (result i32) i32.const 1))
            (core instance $i (instantiate $m))
            (func $f {parameters} (result u32) (canon lift (core func $i "f")))
            (instance $tools {})
            (export "wasmcp:mcp-v20251125/tools@0.1.0" (instance $tools)))"#,
        exports.collect::<String>()
    );
    wat::parse_str(text).unwrap()
}

#[tokio::test]
async fn rejects_other_interface_of_the_same_name() {
    let both = ["list-tools", "call-tool"];
    for (bytes, why) in [
        (listing(r#"(param "ctx" u32)"#, &both[..1]), "it has no function call-tool of wasmcp's"),
        (listing(r#"(param "ctx" char)"#, &both), r#"it is to be told "ctx", which this host"#),
        (listing(r#"(param "ctx" u32)"#, &both), "it offers no tool"),
    ] {
        let error = Bench::of_bytes("other", &bytes).unwrap().try_start().await.err().unwrap();
        assert!(error.contains(why), "SYS-50: {error}");
    }
}
