//! Makes the bundled network: reads the tables in `data/`, checks them, writes the graph.

#![allow(clippy::print_stdout, reason = "this is how a build script talks to cargo")]

#[path = "build/checks.rs"]
mod checks;
#[path = "build/gazetteer.rs"]
mod gazetteer;
#[path = "build/names.rs"]
mod names;
#[path = "build/roads.rs"]
mod roads;
#[path = "build/tables.rs"]
mod tables;

use std::path::PathBuf;

fn main() -> Result<(), String> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=data");
    let folder = |name: &str| std::env::var(name).map(PathBuf::from).map_err(|it| it.to_string());
    let data = folder("CARGO_MANIFEST_DIR")?.join("data");
    let open = |name: &str| {
        std::fs::read_to_string(data.join(name)).map_err(|error| format!("{name}: {error}"))
    };
    let network = roads::read(&open)?;
    checks::check(&network)?;
    let out = folder("OUT_DIR")?;
    let keep = |name: &str, bytes: Vec<u8>| {
        std::fs::write(out.join(name), bytes).map_err(|error| format!("{name}: {error}"))
    };
    keep("network.graph", graph::write::write(&network)?)?;
    keep("gazetteer.places", graph::places::write(&gazetteer::read(&open)?))
}
