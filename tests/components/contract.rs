//! Components may export only interfaces that the host calls.

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
