//! Maps folders of this machine to fixed names, so that builds do not show where they were made.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::command::cargo;
use crate::workspace::{self, Workspace};

/// Name of the workspace folder in builds.
const ROOT: &str = "/madoguchi";
/// Name of the target folder.
const TARGET: &str = "/madoguchi/target";
/// Name of crate source folders.
const CRATES: &str = "/crates";
/// Flags from the environment replace those of the configuration, ours among them.
const FLAGS: [&str; 2] = ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS"];

/// Local folders and their names in builds.
pub(crate) struct Names(Vec<(PathBuf, String)>);

impl Names {
    /// The workspace, its builds, the crates of others, and the standard library's sources.
    pub(crate) fn collect(workspace: &Workspace) -> Result<Self> {
        let mut metadata = cargo();
        metadata.args(["metadata", "--format-version", "1", "--locked"]);
        let metadata = workspace::answer(metadata.current_dir(&workspace.root))?;
        let others = metadata.packages.iter().filter(|package| package.source.is_some());
        // Two folders up from a manifest: where crates are unpacked, be it by cargo or by a vendor.
        let folders = others.filter_map(|package| package.manifest_path.ancestors().nth(2));
        let folders = folders.map(|folder| folder.as_std_path().to_owned());
        let mut names = vec![(workspace.root.clone(), ROOT.to_owned())];
        names.extend(folders.collect::<BTreeSet<_>>().into_iter().map(|it| (it, CRATES.into())));
        // The last name that fits counts: builds lie in the workspace.
        names.push((workspace.root.join("target"), TARGET.to_owned()));
        names.push((workspace.target.clone(), TARGET.to_owned()));
        names.push(standard_library()?);
        Ok(Self(names))
    }

    /// Makes a build for `target` say these names, in Rust and in C.
    pub(crate) fn give(&self, build: &mut Command, target: &str) {
        FLAGS.iter().for_each(|name| _ = build.env_remove(name));
        let pairs = self.0.iter().map(|(folder, name)| format!("{}={name}", folder.display()));
        let pairs = pairs.collect::<Vec<_>>();
        let flags = pairs.iter().map(|pair| format!("--remap-path-prefix={pair}"));
        let flags = serde_json::json!(flags.collect::<Vec<_>>());
        // Beside those of `.cargo/config.toml`, which a variable would replace.
        build.arg("--config").arg(format!("target.{target}.rustflags={flags}"));
        if !target.contains("msvc") {
            let variable = format!("CFLAGS_{}", target.replace('-', "_"));
            let flags = pairs.iter().map(|pair| format!("-ffile-prefix-map={pair}"));
            build.env(variable, flags.collect::<Vec<_>>().join(" "));
        }
    }
}

/// Its sources are called as in the toolchain without them: by the compiler's commit.
fn standard_library() -> Result<(PathBuf, String)> {
    let sysroot = rustc(&["--print", "sysroot"])?;
    let commit = rustc_fact("commit-hash")?;
    let sources = Path::new(sysroot.trim()).join("lib/rustlib/src/rust");
    Ok((sources, format!("/rustc/{commit}")))
}

/// A fact of `rustc -vV`: `host`, `release`, `commit-hash`.
pub(crate) fn rustc_fact(name: &str) -> Result<String> {
    let facts = rustc(&["-vV"])?;
    let fact = facts.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    Ok(fact.with_context(|| format!("`rustc -vV` does not say its {name}"))?.to_owned())
}

fn rustc(arguments: &[&str]) -> Result<String> {
    let output = Command::new("rustc").args(arguments).output().context("starting rustc")?;
    Ok(String::from_utf8(output.stdout)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn build_uses_folder_names_and_ignores_outside_flags() {
        let names = Names(vec![("/tmp/a b".into(), ROOT.into())]);
        let mut build = Command::new("cargo");
        names.give(&mut build, "x86_64-unknown-linux-gnu");
        let arguments = build.get_args().map(|it| it.to_string_lossy()).collect::<Vec<_>>();
        let flags = r#"target.x86_64-unknown-linux-gnu.rustflags=["--remap-path-prefix=/tmp/a b=/madoguchi"]"#;
        assert_eq!(arguments, ["--config", flags]);
        let has = |name: &str, value: Option<&str>| {
            build.get_envs().any(|it| it == (name.as_ref(), value.map(AsRef::as_ref)))
        };
        assert!(has("RUSTFLAGS", None));
        assert!(has(
            "CFLAGS_x86_64_unknown_linux_gnu",
            Some("-ffile-prefix-map=/tmp/a b=/madoguchi")
        ));
    }

    #[test]
    fn names_crates_and_build_folders_uniformly() {
        let workspace = Workspace::load(workspace::Profile::Dist).unwrap();
        let names = Names::collect(&workspace).unwrap().0;
        assert!(names.iter().any(|(_, name)| name == CRATES));
        let position = |wanted: &str| names.iter().position(|(_, name)| name == wanted);
        assert!(position(ROOT) < position(TARGET), "the last name that fits counts");
    }
}
