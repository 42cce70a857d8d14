//! Shared by the rings: a component alone on a bench, a server in its own folder, and clients of both eras.

pub mod bench;
pub mod browser;
pub mod client;
pub mod collector;
pub mod fake;
pub mod fake_cards;
pub mod fake_identity;
pub mod fake_maps;
pub mod fake_models;
pub mod fake_registry;
pub mod fake_signing;
pub mod fixtures;
pub mod forms;
pub mod log;
pub mod people;
pub mod ports;
pub mod postgres;
pub mod process;
pub mod proxy;
pub mod server;

use std::{
    path::{Path, PathBuf},
    sync::LazyLock,
    time::Duration,
};

use host::source::{Embedded, Files};

pub use ports::free_addr;

/// Maximum time to wait for an expected event: long enough to compile a component while other tests run, so
/// that only a hang reaches it.
pub const PATIENCE: Duration = Duration::from_secs(180);

/// The interval of polling.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Polls until `is_so`.
///
/// # Panics
/// With `what`, after [`PATIENCE`].
pub async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let look = async {
        while !is_so().await {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    };
    let in_time = tokio::time::timeout(PATIENCE, look).await;
    in_time.unwrap_or_else(|_| panic!("{what}\n{}", log::kept()));
}

/// The path of the checkout.
pub fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    root.expect("the tests' crate lies in the checkout").to_owned()
}

/// The files embedded in the program.
pub fn embedded() -> &'static Embedded {
    static EMBEDDED: LazyLock<Embedded> = LazyLock::new(|| {
        Embedded::new(Files::embedded::<bundle::Components>(), Files::embedded::<bundle::Page>())
    });
    &EMBEDDED
}

/// A built component: one of `components/`, or one that only tests load.
pub fn component(name: &str) -> PathBuf {
    let bundle = root().join("target/bundle");
    let places = [bundle.join("components"), bundle.join("tests")];
    let files = places.map(|it| it.join(format!("{name}.wasm")));
    files
        .into_iter()
        .find(|it| it.is_file())
        .unwrap_or_else(|| panic!("{name}.wasm is not built; `cargo xtask test` builds it"))
}

/// The bytes of a built component.
pub fn component_bytes(name: &str) -> Vec<u8> {
    std::fs::read(component(name)).expect("it was there a moment ago")
}

/// The same component with different bytes: an added custom section changes its digest, not its behaviour.
pub fn rebuilt(bytes: &[u8], mark: u8) -> Vec<u8> {
    let mut other = bytes.to_owned();
    // Section 0 is custom: its length, the length of its name, the name, and the mark.
    other.extend([0, 6, 4, b'm', b'a', b'r', b'k', mark]);
    other
}

/// The same component with a custom section more.
///
/// # Panics
/// If the section is longer than fits two bytes of a length.
pub fn with_section(bytes: &[u8], name: &str, data: &[u8]) -> Vec<u8> {
    let length = 1 + name.len() + data.len();
    assert!(name.len() < 128 && length < 1 << 14, "its lengths fit");
    let mut other = bytes.to_owned();
    other.extend([0, (length & 0x7f) as u8 | 0x80, (length >> 7) as u8, name.len() as u8]);
    other.extend(name.as_bytes());
    other.extend(data);
    other
}

/// The saboteur with the misbehaviour of this letter: while listing its tools, or, by a capital, in each call.
pub fn sabotaged(fault: u8) -> Vec<u8> {
    lettered("saboteur", b"saboteur fault:", fault)
}

/// A built component with another letter behind its marker.
pub fn lettered(name: &str, marker: &[u8], letter: u8) -> Vec<u8> {
    let mut bytes = component_bytes(name);
    let places: Vec<_> =
        bytes.windows(marker.len()).enumerate().filter(|(_, it)| *it == marker).collect();
    let [(at, _)] = places[..] else { panic!("the marker is there {} times", places.len()) };
    bytes[at + marker.len()] = letter;
    bytes
}
