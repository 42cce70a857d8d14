//! What travels in the program: the page and the components, as `cargo xtask` built them, and what authors begin
//! with. A crate of its own, so that the host is built beside them, and stays built when they change.

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

/// The page: each file, and beside it the same as `.br` and `.gz`.
#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../../target/bundle/page"]
#[allow_missing = true]
pub struct Page;
