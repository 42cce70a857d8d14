//! Formats of components in registries, their referrers, and packages (DIST-1, DIST-2, DIST-8).

use serde_json::{Value, json};
use tests::{
    component_bytes,
    fake_registry::{FakeRegistry, INDEX},
    server::Folders,
};

use super::{done, file, push, refused, run};

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";

/// Pushes the echo in the format of another program.
fn put(
    registry: &FakeRegistry,
    name: &str,
    config: (&str, &[u8]),
    layers: &[(&str, &[u8])],
) -> String {
    let layers: Vec<_> = layers.iter().map(|(kind, bytes)| registry.blob(kind, bytes)).collect();
    let manifest = json!({
        "schemaVersion": 2, "mediaType": MANIFEST,
        "config": registry.blob(config.0, config.1), "layers": layers,
    });
    registry.manifest(name, Some("1"), &manifest);
    registry.reference(&format!("{name}:1"))
}

#[tokio::test(flavor = "multi_thread")]
async fn accepts_artifact_formats_of_other_programs() {
    let (registry, folders) = (FakeRegistry::start().await, Folders::new());
    let echo = component_bytes("echo");
    let empty = ("application/vnd.oci.empty.v1+json", &b"{}"[..]);
    for (name, config, layers) in [
        ("plain", empty, vec![("application/wasm", &echo[..])]),
        ("older", empty, vec![("application/vnd.wasm.content.layer.v1+wasm", &echo[..])]),
        (
            "policy",
            empty,
            vec![("application/wasm", &echo[..]), ("application/yaml", &b"a: 1"[..])],
        ),
    ] {
        let place = put(&registry, name, config, &layers);
        let output = done(&run(&folders, "", &["show", &place]));
        assert!(output.contains("It offers"), "{output}");
        assert_eq!(output.contains("not taken: application/yaml"), name == "policy", "{output}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pushes_the_format_that_other_programs_read() {
    let (registry, folders) = (FakeRegistry::start().await, Folders::new());
    push(&folders, &registry.reference("echo:1"), 1);
    let digest = registry.tagged("echo", "1");
    let manifest: Value =
        serde_json::from_slice(&registry.manifest_bytes("echo", &digest)).unwrap();
    assert_eq!(manifest["config"]["mediaType"], "application/vnd.wasm.config.v0+json");
    assert_eq!(manifest["layers"][0]["mediaType"], "application/wasm");
    let config = registry.blob_bytes(manifest["config"]["digest"].as_str().unwrap());
    let config: Value = serde_json::from_slice(&config).unwrap();
    assert_eq!((&config["architecture"], &config["os"]), (&json!("wasm"), &json!("wasip2")));
    assert_eq!(config["layerDigests"][0], manifest["layers"][0]["digest"]);
    let exports = config["component"]["exports"].as_array().unwrap();
    assert!(exports.iter().any(|it| it.as_str().unwrap().starts_with("madoguchi:tool/tools")));
    let again = registry.tagged("echo", "1");
    push(&folders, &registry.reference("echo:1"), 1);
    assert_eq!(registry.tagged("echo", "1"), again, "the same bytes are the same again");
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_other_artifacts_naming_their_kind() {
    let (registry, folders) = (FakeRegistry::start().await, Folders::new());
    let echo = component_bytes("echo");
    let empty = ("application/vnd.oci.empty.v1+json", &b"{}"[..]);
    let wasm = "application/vnd.wasm.config.v0+json";
    let module = &b"\0asm\x01\0\0\0"[..];
    let other = br#"{"architecture":"wasm","os":"wasip2","layerDigests":["sha256:0000000000000000000000000000000000000000000000000000000000000000"]}"#;
    for (place, reason) in [
        (put(&registry, "module", empty, &[("application/wasm", module)]), "core module"),
        (put(&registry, "script", empty, &[("application/wasm", b"#!/bin/sh")]), "no WebAssembly"),
        (
            put(&registry, "image", empty, &[("application/vnd.oci.image.layer.v1.tar", &echo)]),
            "tar",
        ),
        (
            put(
                &registry,
                "two",
                empty,
                &[("application/wasm", &echo), ("application/wasm", module)],
            ),
            "one layer",
        ),
        (put(&registry, "config", (wasm, other), &[("application/wasm", &echo)]), "layerDigests"),
        (registry.reference("nothing:1"), "MANIFEST_UNKNOWN"),
    ] {
        let refusal = refused(&run(&folders, "", &["add", &place, "--yes"]));
        assert!(refusal.contains(reason), "{reason}: {refusal}");
    }
    let of = registry.tagged("module", "1");
    let mut one = registry.described("module", &of);
    one["platform"] = json!({ "architecture": "amd64", "os": "linux" });
    let index = json!({ "schemaVersion": 2, "mediaType": INDEX, "manifests": [one] });
    registry.manifest("module", Some("all"), &index);
    let refusal = refused(&run(&folders, "", &["add", &registry.reference("module:all"), "--yes"]));
    assert!(refusal.contains("linux/amd64") && refusal.contains(&of), "{refusal}");
    assert!(!folders.data().join("registries/madoguchi.lock").exists());
    let script = file(&folders, "script.wasm", b"#!/bin/sh");
    let refusal = refused(&run(&folders, "", &["push", &script, &registry.reference("script:2")]));
    assert!(refusal.contains("script.wasm: it is no WebAssembly"), "DIST-1: {refusal}");
}

#[tokio::test(flavor = "multi_thread")]
async fn digest_pins_one_version() {
    let (registry, folders) = (FakeRegistry::start().await, Folders::new());
    push(&folders, &registry.reference("echo:1"), 1);
    let digest = registry.tagged("echo", "1");
    push(&folders, &registry.reference("echo:1"), 2);
    let place = registry.reference(&format!("echo@{digest}"));
    done(&run(&folders, "", &["add", &place, "--yes"]));
    let output = done(&run(&folders, "", &["update", "echo", "--yes"]));
    assert!(output.contains("stays at") && output.contains(&digest), "{output}");
    assert!(done(&run(&folders, "", &["outdated"])).contains("as its registry has it"));
    done(&run(&folders, "", &["update", "echo", "--to", "1", "--yes"]));
    let refused = refused(&run(&folders, "", &["push", "build.wasm", &place]));
    assert!(refused.contains("build.wasm"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn package_resolves_through_its_registrys_metadata() {
    let (domain, registry) = (FakeRegistry::start().await, FakeRegistry::start().await);
    let folders = Folders::new();
    for tag in ["1.0.0", "1.2.0", "2.0.0-rc.1"] {
        push(&folders, &registry.reference(&format!("all/ann/echo:{tag}")), 1);
    }
    let metadata = json!({
        "preferredProtocol": "oci",
        "oci": { "registry": registry.host, "namespacePrefix": "all/" },
    });
    domain.serve("/.well-known/wasm-pkg/registry.json", metadata);
    let none = refused(&run(&folders, "", &["add", "ann:echo@1.0.0", "--yes"]));
    assert!(none.contains("[packages]"), "{none}");
    let lines = format!("[packages]\nann = \"{}\"\n", domain.host);
    let output = done(&run(&folders, &lines, &["show", "ann:echo"]));
    assert!(output.contains("all/ann/echo:1.2.0"), "the newest that is final: {output}");
    done(&run(&folders, &lines, &["add", "ann:echo@1.0.0", "--yes"]));
    let output = done(&run(&folders, &lines, &["outdated", "--json"]));
    assert!(output.contains(r#""newest": "1.2.0""#), "{output}");
    domain.serve("/.well-known/wasm-pkg/registry.json", json!({ "preferredProtocol": "warg" }));
    let other = refused(&run(&folders, &lines, &["show", "ann:echo"]));
    assert!(other.contains("warg"), "{other}");
}

#[tokio::test(flavor = "multi_thread")]
async fn referrers_of_a_component_are_listed() {
    let (registry, folders) = (FakeRegistry::start().await, Folders::new());
    push(&folders, &registry.reference("echo:1"), 1);
    let digest = registry.tagged("echo", "1");
    let bill = registry.attach("echo", &digest, "application/vnd.cyclonedx+json", b"{}");
    let text = done(&run(&folders, "", &["add", &registry.reference("echo:1"), "--yes"]));
    assert!(text.contains("application/vnd.cyclonedx+json") && text.contains(&bill), "{text}");
    let output = done(&run(&folders, "", &["show", "echo", "--json"]));
    let shown: Value = serde_json::from_str(&output).unwrap();
    assert_eq!(shown["referrers"][0]["media_type"], "application/vnd.cyclonedx+json", "{output}");
    assert_eq!(shown["manifest"], digest.as_str());
}
