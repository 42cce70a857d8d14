//! The layout of the repository: the fixed top level, and the files of every component.

use std::collections::BTreeSet;

use crate::repository::{files, folder, own_packages, text};

/// SYS-2, as the specification has it.
const FIXED: [&str; 8] =
    ["Cargo.toml", "Trunk.toml", "components", "frontend", "host", "index.html", "tests", "wit"];

/// Other entries at the top level, which tools require there.
const OTHERS: [&str; 17] = [
    ".cargo",
    ".ci",
    ".gitattributes",
    ".github",
    ".gitignore",
    ".npmrc",
    "ARCHITECTURE.md",
    "BENCHMARKS.md",
    "CHANGELOG.md",
    "Cargo.lock",
    "LICENSE",
    "README.md",
    "clippy.toml",
    "package-lock.json",
    "package.json",
    "rust-toolchain.toml",
    "rustfmt.toml",
];

/// Documents and development tools.
const PROGRAMS: [&str; 3] = ["docs", "workbench", "xtask"];

fn top_level() -> BTreeSet<&'static str> {
    files().iter().filter_map(|path| path.split('/').next()).collect()
}

#[test]
fn specified_top_level_exists() {
    let found = top_level();
    let missing = FIXED.into_iter().filter(|name| !found.contains(name)).collect::<Vec<_>>();
    assert!(missing.is_empty(), "SYS-2 wants {missing:?} at the top");
}

#[test]
fn top_level_has_no_other_entries() {
    let allowed = [&FIXED[..], &OTHERS, &PROGRAMS].concat();
    let surplus =
        top_level().into_iter().filter(|name| !allowed.contains(name)).collect::<Vec<_>>();
    assert!(
        surplus.is_empty(),
        "{surplus:?}: put it into one of the rooms, or say here why it is at the top"
    );
}

#[test]
fn every_component_has_a_test_file_and_goldens() {
    let mut components = 0;
    let mut missing = Vec::new();
    for package in own_packages() {
        let folder = folder(package);
        let targets = package["targets"].as_array().into_iter().flatten();
        let is_component = targets.flat_map(|target| target["kind"].as_array()).flatten();
        if !folder.starts_with("components/")
            || !is_component.into_iter().any(|kind| kind == "cdylib")
        {
            continue;
        }
        components += 1;
        let name = folder.trim_start_matches("components/");
        let wanted = [
            format!("{folder}/world.wit"),
            format!("{folder}/tools.json"),
            format!("tests/components/{name}.rs"),
        ];
        missing.extend(wanted.into_iter().filter(|path| !files().contains(path)));
        let declared = format!("\nmod {};\n", name.replace('-', "_"));
        let is_declared = text("tests/components/main.rs").contains(&declared);
        missing.extend((!is_declared).then(|| format!("{} in its main.rs", declared.trim())));
    }
    assert!(components > 0, "there is a component to look at");
    assert!(
        missing.is_empty(),
        "missing: {missing:?} (`cargo xtask goldens` writes world.wit and tools.json)"
    );
}
