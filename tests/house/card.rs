//! SYS-1: the crates that the specification names, and where each is used.

use crate::repository::{own_packages, text};

/// The crate, a package and a file that use it, and a piece of code in that file.
const CARD: [(&str, &str, &str, &str); 9] = [
    ("leptos", "frontend", "frontend/src/main.rs", "leptos::mount"),
    ("wasm-bindgen", "frontend", "frontend/src/views/map.rs", "wasm_bindgen::prelude"),
    ("web-sys", "frontend", "frontend/src/views/map.rs", "web_sys::HtmlElement"),
    ("leaflet", "frontend", "frontend/src/views/map.rs", "leaflet::Map::new"),
    ("serde", "frontend", "frontend/src/error.rs", "serde::Deserialize"),
    ("serde_json", "frontend", "frontend/src/mcp/wire.rs", "serde_json::"),
    ("gloo-net", "frontend", "frontend/src/mcp.rs", "gloo_net::http"),
    ("wit-bindgen", "toolkit", "components/toolkit/src/bindings.rs", "wit_bindgen::generate!"),
    ("wasmtime", "host-sandbox", "host/sandbox/src/component.rs", "use wasmtime::"),
];

#[test]
fn every_specified_crate_is_used_in_its_file() {
    for (krate, package, file, line) in CARD {
        let manifest = own_packages().find(|found| found["name"] == package);
        let manifest = manifest.unwrap_or_else(|| panic!("there is no package {package}"));
        let mut dependencies = manifest["dependencies"].as_array().into_iter().flatten();
        assert!(
            dependencies.any(|found| found["name"] == krate),
            "{package} does not depend on {krate}"
        );
        let source = text(file);
        let mut code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
        assert!(code.any(|found| found.contains(line)), "{file} does not use {krate} (`{line}`)");
    }
}
