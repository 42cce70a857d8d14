//! Golden files of a component's permissions and tools: each change shows in the diff.

use std::{fs, path::Path};

/// Compares `actual` with the golden `file`, or writes it where `MADOGUCHI_GOLDENS=write` says so.
///
/// # Panics
///
/// Where they differ.
pub fn check(file: &Path, actual: &str) {
    if std::env::var("MADOGUCHI_GOLDENS").is_ok_and(|it| it == "write") {
        fs::write(file, actual).expect("the golden can be written");
        return;
    }
    let golden = fs::read_to_string(file).unwrap_or_default();
    assert!(
        golden == actual,
        "{} is not what is built now; `cargo xtask goldens` writes it anew. It should be:\n{actual}",
        file.display()
    );
}
