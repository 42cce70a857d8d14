//! Rules for every source file: a module comment, a length, no unfinished code, the workspace's lints.

use crate::repository::{folder, own_packages, sources, text, toml};

/// Maximum number of lines in a file.
const LINES_MAX: usize = 800;
/// Longer files, each with the reason.
const LONGER: [(&str, &str); 0] = [];

#[test]
fn every_source_file_begins_with_a_module_comment() {
    let silent = sources().filter(|path| !text(path).starts_with("//! ")).collect::<Vec<_>>();
    assert!(silent.is_empty(), "the first line is to be one `//!` sentence: {silent:?}");
}

#[test]
fn source_files_have_at_most_800_lines() {
    let length = |path: &&str| text(path).lines().count();
    let long = sources().filter(|path| length(path) > LINES_MAX).collect::<Vec<_>>();
    let unasked = long.iter().filter(|path| LONGER.iter().all(|(listed, _)| listed != *path));
    let unasked = unasked.collect::<Vec<_>>();
    assert!(unasked.is_empty(), "over {LINES_MAX} lines: {unasked:?}");
    let stale = LONGER.iter().filter(|(listed, _)| !long.contains(listed)).collect::<Vec<_>>();
    assert!(stale.is_empty(), "no longer over {LINES_MAX} lines: {stale:?}");
}

/// A file that no module names is compiled by nothing, and its tests never run.
#[test]
fn every_file_of_tests_is_a_module() {
    let is_left_out = |path: &&str| {
        path.strip_suffix("/tests.rs").is_some_and(|folder| {
            let parents = [".rs", "/mod.rs", "/lib.rs", "/main.rs"];
            let parents = parents.map(|end| format!("{folder}{end}"));
            let mut parents = sources().filter(|it| parents.iter().any(|parent| parent == it));
            !parents.any(|it| text(it).contains("mod tests;"))
        })
    };
    let left_out = sources().filter(is_left_out).collect::<Vec<_>>();
    assert!(left_out.is_empty(), "no module names them: {left_out:?}");
}

#[test]
fn source_files_have_no_unfinished_code() {
    // In two pieces each, or this file would find itself.
    let needles = [("to", "do!("), ("unimple", "mented!("), ("db", "g!("), ("#[ig", "nore")];
    let needles = needles.map(|(head, tail)| [head, tail].concat());
    let mut found = Vec::new();
    for path in sources() {
        let text = text(path);
        for needle in &needles {
            let is_word =
                |at: usize| !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            if text.match_indices(needle.as_str()).any(|(at, _)| is_word(at)) {
                found.push(format!("{path}: {needle}"));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// Names of the server's own routes are reserved.
#[test]
fn every_route_of_the_server_under_api_is_a_reserved_name() {
    let mut routed = std::collections::BTreeSet::new();
    for path in sources().filter(|it| it.starts_with("host/")) {
        let text = text(path).replace(".nest(\"/api/", ".route(\"/api/");
        for route in text.split(".route(\"/api/").skip(1) {
            let name = route.split(['/', '"']).next().unwrap_or_default();
            if !name.starts_with('{') {
                routed.insert(name.to_owned());
            }
        }
    }
    let list = text("host/base/src/config/aliases.rs");
    let list = list.split_once("RESERVED: ").and_then(|it| it.1.split_once("];"));
    let list = list.expect("the list of reserved names").0;
    let reserved: std::collections::BTreeSet<_> =
        list.split('"').skip(1).step_by(2).map(str::to_owned).collect();
    assert_eq!(routed, reserved);
}

#[test]
fn every_package_takes_the_workspaces_lints() {
    for package in own_packages() {
        let manifest = format!("{}/Cargo.toml", folder(package));
        let lints = toml(&manifest).get("lints").and_then(|lints| lints.get("workspace")).cloned();
        assert_eq!(
            lints,
            Some(toml::Value::Boolean(true)),
            "{manifest} has no `[lints] workspace = true`"
        );
    }
}

#[test]
fn workspace_enables_required_lints() {
    let lints = toml("Cargo.toml")["workspace"]["lints"].clone();
    assert_eq!(lints["rust"]["unsafe_code"].as_str(), Some("deny"));
    assert_eq!(
        lints["clippy"]["print_stdout"].as_str(),
        Some("deny"),
        "in stdio mode stdout is the protocol"
    );
    for lint in ["missing_docs", "unreachable_pub"] {
        assert!(lints["rust"].get(lint).is_some(), "{lint} is not looked for");
    }
    for lint in ["dbg_macro", "todo", "unwrap_used", "allow_attributes_without_reason"] {
        assert!(lints["clippy"].get(lint).is_some(), "{lint} is not looked for");
    }
}

#[test]
fn formatting_is_never_skipped() {
    assert_eq!(toml("rustfmt.toml")["use_small_heuristics"].as_str(), Some("Max"));
    let others = sources().filter(|path| text(path).contains(&["rustfmt::", "skip"].concat()));
    assert_eq!(others.collect::<Vec<_>>(), Vec::<&str>::new());
}
