//! The layout of the repository: the fixed top level, and the files of every component.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

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

// Names of a family's tools, components and views stay in its own folders: neither in the host nor in
// another family, and on the page in one folder.

/// The goldens of all components that ship, each with its component and its tools.
fn goldens() -> impl Iterator<Item = (&'static str, Vec<Value>)> {
    files().iter().filter_map(|path| {
        let component = path.strip_prefix("components/")?.strip_suffix("/tools.json")?;
        let tools: Value = serde_json::from_str(&text(path)).expect("a golden is JSON");
        let tools = tools.as_array().or(tools["tools"].as_array()).cloned();
        Some((component, tools.unwrap_or_default()))
    })
}

fn name(tool: &Value) -> Option<String> {
    tool["name"].as_str().map(str::to_owned)
}

/// The names of all components that ship, and of their tools.
fn names() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (component, tools) in goldens() {
        names.insert(component.to_owned());
        names.extend(tools.iter().filter_map(name));
    }
    assert!(names.len() > 50, "the goldens are read");
    names
}

/// The `names` that a file quotes outside of comments and tests.
fn named(path: &str, names: &BTreeSet<String>) -> BTreeSet<String> {
    let text = text(path);
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let is_code = |line: &&str| !["//", "#"].iter().any(|it| line.trim_start().starts_with(it));
    let code: Vec<_> = code.lines().filter(is_code).collect();
    let code = code.join("\n");
    let has = |name: &&String| code.contains(&format!("\"{name}\""));
    names.iter().filter(has).cloned().collect()
}

#[test]
fn host_names_no_tools_of_a_family() {
    let names = names();
    let is_host = |path: &&String| {
        (path.starts_with("host/") || path.starts_with("workbench/"))
            && (path.ends_with(".rs") || path.ends_with(".toml"))
            && !path.contains("tests")
    };
    let found: BTreeMap<_, _> = files()
        .iter()
        .filter(is_host)
        .map(|path| {
            let named = named(path, &names).into_iter();
            let is_plain = |name: &String| OWN.contains(&(path.as_str(), name.as_str()));
            (path.as_str(), named.filter(|it| !is_plain(it)).collect::<BTreeSet<_>>())
        })
        .filter(|it| !it.1.is_empty())
        .collect();
    assert_eq!(found, BTreeMap::new(), "a family's names have no place in the host");
}

/// Ordinary words in the host that are also names of tools.
const OWN: [(&str, &str); 3] = [
    ("host/base/src/config/defaults.rs", "assistant"),
    ("host/telemetry/src/metrics.rs", "assistant"),
    ("workbench/src/solo/around.rs", "assistant"),
];

#[test]
fn family_names_no_tools_of_another() {
    let tools: BTreeMap<_, BTreeSet<_>> =
        goldens().map(|it| (it.0, it.1.iter().filter_map(name).collect())).collect();
    let mut found = Vec::new();
    for path in files().iter().filter(|it| it.ends_with(".rs") && !it.contains("tests")) {
        let Some(rest) = path.strip_prefix("components/") else { continue };
        let own = rest.split('/').next().unwrap_or_default();
        for (component, tools) in tools.iter().filter(|it| *it.0 != own) {
            let named = named(path, tools).into_iter();
            found.extend(named.map(|it| format!("{path}: {it} of {component}")));
        }
    }
    assert_eq!(found, Vec::<String>::new());
}

/// Ordinary words in the page that are also names of tools.
const PLAIN: [(&str, &str); 4] = [
    ("frontend/src/route.rs", "reservation"),
    ("frontend/src/route.rs", "conversations"),
    ("frontend/src/chat/thread/asking.rs", "history"),
    ("frontend/src/families/cinema/views/history.rs", "conversation"),
];

/// By component: its tools, and the views that they name.
fn of_the_page() -> BTreeMap<String, BTreeSet<String>> {
    let mut all = BTreeMap::<_, BTreeSet<_>>::new();
    for (component, tools) in goldens() {
        for tool in tools {
            let names = [&tool["name"], &tool["_meta"]["madoguchi/view"]];
            let names = names.into_iter().filter_map(|it| it.as_str()).map(str::to_owned);
            all.entry(component.to_owned()).or_default().extend(names);
        }
    }
    assert!(all.values().flatten().any(|it| it == "seat_map"), "views are read");
    all
}

#[test]
fn page_names_tools_of_a_family_in_its_folder_alone() {
    let families = of_the_page();
    let mut found = Vec::new();
    for path in files() {
        if !path.starts_with("frontend/src/") || !path.ends_with(".rs") || path.contains("tests") {
            continue;
        }
        for (family, names) in &families {
            if path.starts_with(&format!("frontend/src/families/{family}")) {
                continue;
            }
            let plain = |name: &String| PLAIN.contains(&(path.as_str(), name.as_str()));
            let named = named(path, names).into_iter().filter(|it| !plain(it));
            found.extend(named.map(|it| format!("{path}: {it} of {family}")));
        }
    }
    assert_eq!(found, Vec::<String>::new());
}
