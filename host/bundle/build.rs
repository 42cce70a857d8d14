//! Builds this crate anew when what travels in it has changed: the page and the components. With debug assertions,
//! and without the feature `embed`, they do not: each file is read when it is asked for.

#![allow(clippy::print_stdout, reason = "this is how a build script talks to cargo")]

use std::path::Path;

/// Made by `cargo xtask`; `src/lib.rs` embeds them. A file that is new there
/// changes no source, so cargo would not see it.
const FOLDERS: [&str; 2] = ["../../target/bundle/page", "../../target/bundle/components"];

fn main() -> std::io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    for folder in FOLDERS {
        // A folder that is not there would count as changed each time.
        std::fs::create_dir_all(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder))?;
        if cfg!(feature = "embed") || !cfg!(debug_assertions) {
            println!("cargo::rerun-if-changed={folder}");
        }
    }
    Ok(())
}
