//! What a component may export and import: interfaces that the host calls, and stubs (SYS-43).

use tests::bench::Bench;

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
