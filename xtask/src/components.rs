//! Builds components and copies them to the host's folder.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::command::{cargo, check};
use crate::files::write_if_changed;
use crate::paths::Names;
use crate::workspace::{Kind, Workspace};

/// Target that builds components directly.
pub(crate) const TARGET: &str = "wasm32-wasip2";
/// The profile of components; see the workspace's Cargo.toml.
pub(crate) const PROFILE: &str = "component";

/// The components that ship.
pub(crate) fn shipped(workspace: &Workspace) -> Result<String> {
    build(workspace, Kind::Component, &workspace.bundle().join("components"))
}

/// Builds components into the folder that `run` serves, beside those of its operator.
pub(crate) fn served(workspace: &Workspace) -> Result<String> {
    let note = shipped(workspace)?;
    let (bundle, names) = (workspace.bundle(), workspace.named(&[Kind::Component]));
    lay(&bundle.join("components"), &names, &served_folder(workspace), &workspace.memory())?;
    Ok(note)
}

/// The component folder of a host that `run` starts. It is none that the binary embeds: what an operator loads there
/// would travel in it, with the grants of what ships.
pub(crate) fn served_folder(workspace: &Workspace) -> PathBuf {
    workspace.root.join("target/components")
}

/// Puts the components of these names from `built` into `folder`, and takes away those that were put there before and
/// are no longer. `memory` keeps which these are.
fn lay(built: &Path, names: &[&str], folder: &Path, memory: &Path) -> Result<()> {
    let file = |name: &str| format!("{name}.wasm");
    for name in names {
        let from = built.join(file(name));
        let bytes = fs::read(&from).with_context(|| format!("reading {}", from.display()))?;
        write_if_changed(&folder.join(file(name)), &bytes)?;
    }
    let list = memory.join("served");
    let before = fs::read_to_string(&list).unwrap_or_default();
    for name in before.lines().filter(|it| !names.contains(it)) {
        let stale = folder.join(file(name));
        if stale.exists() {
            fs::remove_file(&stale).with_context(|| format!("removing {}", stale.display()))?;
        }
    }
    write_if_changed(&list, names.join("\n").as_bytes())?;
    Ok(())
}

/// The components that only tests load. Built by themselves, so that the shipped ones are the same
/// bytes with and without tests.
pub(crate) fn for_tests(workspace: &Workspace) -> Result<String> {
    build(workspace, Kind::TestComponent, &for_tests_folder(workspace))
}

/// Where the tests find them.
pub(crate) fn for_tests_folder(workspace: &Workspace) -> PathBuf {
    workspace.bundle().join("tests")
}

fn build(workspace: &Workspace, kind: Kind, folder: &Path) -> Result<String> {
    let names = workspace.named(&[kind]);
    if names.is_empty() {
        return Ok("there is none".to_owned());
    }
    let paths = Names::collect(workspace)?;
    // One at a time: built together, they would share features of dependencies, and imports would depend on
    // neighbours.
    for name in &names {
        let mut build = cargo();
        build.args(["build", "--profile", PROFILE, "--target", TARGET, "--package", name]);
        build.arg("--target-dir").arg(workspace.wasm_target()).current_dir(&workspace.root);
        paths.give(&mut build, TARGET);
        check(&mut build)?;
    }
    let built = workspace.wasm_target().join(TARGET).join(PROFILE);
    let mut notes = Vec::new();
    for name in &names {
        let file = built.join(format!("{}.wasm", name.replace('-', "_")));
        let bytes = fs::read(&file).with_context(|| format!("reading {}", file.display()))?;
        let changed = write_if_changed(&folder.join(format!("{name}.wasm")), &bytes)?;
        let note = if changed { "new" } else { "unchanged" };
        notes.push(format!("{name} {} kB {note}", bytes.len() / 1000));
    }
    forget_others(folder, &names)?;
    Ok(notes.join(", "))
}

/// A component that is no longer in the tree must not travel in the binary.
fn forget_others(folder: &Path, names: &[&str]) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if path.extension().is_some_and(|extension| extension == "wasm") && !names.contains(&&*stem)
        {
            fs::remove_file(&path).with_context(|| format!("removing {}", path.display()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_operator_components_when_ours_change() {
        let root = std::env::temp_dir().join(format!("xtask-served-{}", std::process::id()));
        let [built, folder, memory] = ["built", "folder", "memory"].map(|it| root.join(it));
        for (folder, name) in [(&built, "hall"), (&built, "map"), (&folder, "own")] {
            write_if_changed(&folder.join(name).with_extension("wasm"), name.as_bytes()).unwrap();
        }
        let there = |name: &str| folder.join(name).with_extension("wasm").exists();
        lay(&built, &["hall", "map"], &folder, &memory).unwrap();
        assert!(there("hall") && there("map") && there("own"));
        lay(&built, &["map"], &folder, &memory).unwrap();
        assert!(!there("hall") && there("map") && there("own"));
        fs::remove_dir_all(&root).unwrap();
    }
}
