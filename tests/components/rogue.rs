//! A component that breaks its contract, or is of an unusual shape, is stopped, and the limit is named.

use host::{component::LoadError, grants::Grant, limits::Limits};
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

// Components with several memories, tables and many core instances, as bundled interpreters have them
// (SYS-44).

/// A component of so many memories of so many pages each, and core instances beside them, that grows the first memory.
fn shaped(memories: usize, pages: usize, instances: usize) -> Vec<u8> {
    let each = |count: usize, module: &str| {
        (0..count).map(|_| format!("(core instance (instantiate ${module}))")).collect::<String>()
    };
    let (memories, instances) = (each(memories - 1, "m"), each(instances, "n"));
    let text = format!(
        r#"(component
            (core module $m (memory (export "memory") {pages})
                (func (export "grow") (param i32) (result i32) (memory.grow (local.get 0)))
                (func (export "spin") (loop (br 0))))
            (core module $n (table 10 funcref))
            (core instance $i (instantiate $m)) {memories} {instances}
            (func (export "grow") (param "pages" u32) (result s32)
                (canon lift (core func $i "grow")))
            (func (export "spin") (canon lift (core func $i "spin"))))"#
    );
    wat::parse_str(text).unwrap()
}

#[tokio::test]
async fn an_endless_loop_of_any_shape_ends_with_its_share() {
    let limits = Limits { cpu_ms_max: 50, ..Limits::default() };
    for memories in [1, 3] {
        let bench = Bench::of_bytes("shaped", &shaped(memories, 1, 0)).unwrap();
        let shaped = bench.limits(limits.clone()).start().await;
        let failure = shaped.failure("spin", json!({})).await;
        assert_eq!(failure["data"]["limit"], "cpu_ms_max", "SYS-44: {memories} {failure}");
    }
}

#[tokio::test]
async fn admits_many_memories_and_core_instances() {
    for (memories, instances) in [(3, 0), (1, 38), (16, 47)] {
        let bytes = shaped(memories, 1, instances);
        let shaped = Bench::of_bytes("shaped", &bytes).unwrap().start().await;
        assert!(!shaped.component().is_pooled(), "SYS-44: {memories} {instances}");
        for _ in 0..3 {
            let grown = shaped.call("grow", json!({ "pages": 1 })).await;
            assert_eq!(grown["result"], 1, "each call has an instance of its own");
        }
    }
}

#[tokio::test]
async fn fitting_memories_are_allocated_from_the_pool() {
    let small = Bench::of_bytes("small", &shaped(1, 1, 4)).unwrap().start().await;
    assert!(small.component().is_pooled());
    assert!(Bench::of("echo").start().await.component().is_pooled());
}

#[tokio::test]
async fn the_memories_of_one_instance_have_its_limit_together() {
    let limits = Limits { memory_bytes_max: 4 << 20, ..Limits::default() };
    let start = |pages| {
        let bench = Bench::of_bytes("shaped", &shaped(3, pages, 0)).unwrap();
        bench.limits(limits.clone()).try_start()
    };
    let error = start(22).await.err().unwrap();
    assert!(error.contains("does not start") && error.contains("memory_bytes_max"), "{error}");
    let shaped = start(20).await.unwrap();
    assert_eq!(shaped.call("grow", json!({ "pages": 4 })).await["result"], 20);
    assert_eq!(shaped.call("grow", json!({ "pages": 5 })).await["result"], -1, "SYS-44");
}

#[tokio::test]
async fn memories_tables_and_core_instances_are_limited() {
    for (bytes, limit) in [
        (shaped(17, 1, 0), "memories_max"),
        (shaped(1, 1, 65), "tables_max"),
        (shaped_of_instances(257), "core_instances_max"),
    ] {
        let error = Bench::of_bytes("shaped", &bytes).unwrap().try_start().await.err().unwrap();
        assert!(error.contains(limit), "{error}");
        assert!(!error.contains("pooling"), "{error}");
    }
}

/// A component of so many core instances with nothing in them.
fn shaped_of_instances(count: usize) -> Vec<u8> {
    let each = "(core instance (instantiate $n))".repeat(count - 1);
    let text = format!(
        r#"(component (core module $n (func (export "f") (result i32) i32.const 1))
            (core instance $i (instantiate $n)) {each}
            (func (export "f") (result u32) (canon lift (core func $i "f"))))"#
    );
    wat::parse_str(text).unwrap()
}

/// Drawn on an async worker, where no tick interrupts it.
#[tokio::test]
async fn random_bytes_per_call_are_limited() {
    let text = r#"(component
        (import "wasi:random/random@0.2.6" (instance $i
            (export "get-random-bytes" (func (param "len" u64) (result (list u8))))))
        (core module $heap (memory (export "memory") 40)
            (func (export "realloc") (param i32 i32 i32 i32) (result i32) i32.const 65536))
        (core instance $h (instantiate $heap))
        (core func $get (canon lower (func $i "get-random-bytes")
            (memory $h "memory") (realloc (func $h "realloc"))))
        (core module $m
            (import "i" "get" (func $get (param i64 i32)))
            (func (export "draw") (param i32) (result i32)
                (call $get (i64.extend_i32_u (local.get 0)) (i32.const 16))
                i32.const 1))
        (core instance $n (instantiate $m (with "i" (instance (export "get" (func $get))))))
        (func (export "draw") (param "bytes" u32) (result u32) (canon lift (core func $n "draw"))))"#;
    let limits = Limits { output_bytes_max: 1 << 20, ..Limits::default() };
    let bench = Bench::of_bytes("random", &wat::parse_str(text).unwrap()).unwrap();
    let random = bench.grant(Grant::Random).limits(limits).start().await;
    assert_eq!(random.call("draw", json!({ "bytes": 1 << 19 })).await["result"], 1);
    let failure = random.failure("draw", json!({ "bytes": (1 << 20) + 1 })).await;
    assert_eq!(failure["data"]["limit"], "output_bytes_max", "{failure}");
}
