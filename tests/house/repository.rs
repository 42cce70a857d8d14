//! The repository for the rules of the house: its files, and the output of `cargo metadata`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use serde_json::Value;

/// The path of the repository's root.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// The sorted paths of all files that are tracked, or new and not ignored.
pub(crate) fn files() -> &'static [String] {
    static FILES: LazyLock<Vec<String>> = LazyLock::new(|| {
        let listing =
            answer("git", &["ls-files", "--cached", "--others", "--exclude-standard", "-z"]);
        let names = listing.split('\0').filter(|name| !name.is_empty());
        let mut names =
            names.filter(|name| root().join(name).is_file()).map(str::to_owned).collect::<Vec<_>>();
        names.sort();
        names.dedup();
        names
    });
    &FILES
}

/// The paths of our Rust sources.
pub(crate) fn sources() -> impl Iterator<Item = &'static str> {
    files().iter().map(String::as_str).filter(|path| path.ends_with(".rs"))
}

/// A file's text.
///
/// # Panics
/// If there is no such file, naming it.
pub(crate) fn text(path: &str) -> String {
    let full = root().join(path);
    std::fs::read_to_string(&full).unwrap_or_else(|error| panic!("reading {path}: {error}"))
}

/// A TOML file.
///
/// # Panics
/// If there is no such file or it is no TOML, naming it.
pub(crate) fn toml(path: &str) -> toml::Table {
    text(path).parse().unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The output of `cargo metadata --locked`.
pub(crate) fn metadata() -> &'static Value {
    static METADATA: LazyLock<Value> = LazyLock::new(|| {
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
        let metadata = answer(&cargo, &["metadata", "--locked", "--format-version", "1"]);
        serde_json::from_str(&metadata).unwrap_or_else(|error| panic!("cargo metadata: {error}"))
    });
    &METADATA
}

/// The workspace's own packages, as cargo describes them.
pub(crate) fn own_packages() -> impl Iterator<Item = &'static Value> {
    packages().filter(|package| package["source"].is_null())
}

/// All packages, ours and others', as cargo describes them.
pub(crate) fn packages() -> impl Iterator<Item = &'static Value> {
    metadata()["packages"].as_array().into_iter().flatten()
}

/// A package's folder within the repository, with `/` between the parts.
pub(crate) fn folder(package: &Value) -> String {
    let manifest = PathBuf::from(package["manifest_path"].as_str().unwrap_or_default());
    let folder = manifest.parent().unwrap_or(Path::new("")).to_path_buf();
    let inner = folder.strip_prefix(root()).unwrap_or(&folder);
    inner.to_string_lossy().replace('\\', "/")
}

fn answer(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).current_dir(root()).output();
    let output = output.unwrap_or_else(|error| panic!("starting {program}: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
