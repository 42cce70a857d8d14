//! Files embedded in the program: the page and components built by `cargo xtask`, and templates for authors. A separate
//! crate, so that the host neither waits for them nor is rebuilt when they change.

use rust_embed::RustEmbed;

/// The components: a file each.
#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../../target/bundle/components"]
#[allow_missing = true]
pub struct Components;

/// The contract between components and the host: WIT files.
#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../../wit"]
pub struct Contract;

/// The crate that components in Rust are written with.
#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../../components/toolkit"]
pub struct Toolkit;

/// The files of the page, each also as `.br` and `.gz`.
#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../../target/bundle/page"]
#[allow_missing = true]
pub struct Page;
