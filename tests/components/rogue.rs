//! A component that breaks its contract is stopped, and the limit is named.

use host::{component::LoadError, limits::Limits};
use serde_json::json;
use tests::{bench::Bench, component_bytes};
use workbench::solo::Solo;

#[tokio::test]
async fn an_endless_loop_ends_with_its_share_of_the_processor() {
    let rogue = Bench::of("rogue").start().await;
    let failure = rogue.failure("spin", json!({})).await;
    assert_eq!(
        (&failure["error"], &failure["data"]["limit"]),
        (&json!("limit_exceeded"), &json!("cpu_ms_max"))
    );
}

#[tokio::test]
async fn a_memory_bomb_ends_at_its_limit() {
    let rogue = Bench::of("rogue").start().await;
    let failure = rogue.failure("hoard", json!({})).await;
    assert_eq!(failure["data"]["limit"], "memory_bytes_max");
}

#[tokio::test]
async fn panic_and_deep_recursion_report_only_the_number_of_the_call() {
    let rogue = Bench::of("rogue").start().await;
    for (tool, error) in [("panic", "internal_error"), ("recurse", "limit_exceeded")] {
        let failure = rogue.failure(tool, json!({})).await;
        assert_eq!(failure["error"], error, "{tool}");
        assert!(failure["data"]["call"].is_u64(), "{tool}: {failure}");
        assert!(!failure.to_string().contains("as promised"), "{failure}");
        assert!(!failure.to_string().contains("wasm"), "no address, no backtrace: {failure}");
    }
}

#[tokio::test]
async fn handles_stack_and_questions_end_at_their_limits_by_name() {
    let rogue = Bench::of("rogue").start().await;
    let limits = [
        ("clutch", "handles_max"),
        ("recurse", "stack_bytes_max"),
        ("recurse_flat", "stack_bytes_max"),
        ("pester", "questions_max"),
    ];
    for (tool, limit) in limits {
        let failure = rogue.failure(tool, json!({})).await;
        assert_eq!(failure["data"]["limit"], limit, "{tool}: {failure}");
    }
}

#[tokio::test]
async fn withholds_output_too_long_not_json_too_deep_or_untrue() {
    let roomy = Limits { memory_bytes_max: 256 << 20, ..Limits::default() };
    let rogue = Solo::new("rogue", &component_bytes("rogue")).limits(roomy).start().await.unwrap();
    let failure = async |tool| match rogue.call(tool, "{}", Default::default()).await {
        workbench::solo::SoloOutcome::Failed(object) => object,
        other => panic!("{tool}: {other:?}"),
    };
    assert_eq!(failure("bloat").await["data"]["limit"], "output_bytes_max");
    for tool in ["babble", "nest", "lie", "ask_wrongly"] {
        let failure = failure(tool).await;
        assert_eq!(failure["error"], "internal_error", "{tool}");
        assert!(!failure.to_string().contains("forty-two"), "{tool}: {failure}");
    }
}

/// Limits that are too small for its tables or its calls keep a component from loading, by name.
#[tokio::test]
async fn too_few_table_elements_or_calls_stop_loading_and_are_named() {
    let error = async |limits| {
        let solo = Solo::new("rogue", &component_bytes("rogue")).limits(limits);
        solo.start().await.err().unwrap().to_string()
    };
    let few = error(Limits { table_elements_max: 1, ..Limits::default() }).await;
    assert!(few.contains("table_elements_max"), "{few}");
    let none = error(Limits { calls_max: 0, ..Limits::default() }).await;
    assert!(none.contains("calls_max = 0 cannot work; 1 to 256 is right"), "{none}");
}

#[tokio::test]
async fn limits_of_a_component_can_be_narrowed() {
    // Memory that the component has before it does anything: less than this, and it cannot start.
    let narrow = Limits { memory_bytes_max: 64 << 10, ..Limits::default() };
    let solo = Solo::new("rogue", &component_bytes("rogue")).limits(narrow);
    assert!(solo.start().await.is_err(), "64 KiB are too little to begin with");
    let enough = Limits { memory_bytes_max: 4 << 20, ..Limits::default() };
    let solo = Solo::new("rogue", &component_bytes("rogue")).limits(enough);
    let outcome = solo.start().await.unwrap().call("hoard", "{}", Default::default()).await;
    let workbench::solo::SoloOutcome::Failed(object) = outcome else { panic!("{outcome:?}") };
    assert_eq!(object["data"]["limit"], "memory_bytes_max");
}

#[tokio::test]
async fn rejects_bytes_that_are_no_component_with_the_reason() {
    for bytes in [&b""[..], b"garbage", &component_bytes("echo")[..1000]] {
        let error = Solo::new("broken", bytes).start().await.err().unwrap();
        assert!(matches!(error, LoadError::Compile(_)), "{error}");
    }
}
