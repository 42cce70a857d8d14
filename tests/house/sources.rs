//! Rules for every source file: a module comment, a length, no unfinished code, the workspace's lints.

use std::collections::BTreeSet;

use host::Config;

use crate::repository::{files, folder, own_packages, root, sources, text, toml};

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
    let mut routed = BTreeSet::new();
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
    let reserved: BTreeSet<_> = list.split('"').skip(1).step_by(2).map(str::to_owned).collect();
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

// SYS-1: the crates that the specification names, and where each is used.

/// The crate, a package and a file that use it, and a piece of code in that file.
const CARD: [(&str, &str, &str, &str); 9] = [
    ("leptos", "frontend", "frontend/src/main.rs", "leptos::mount"),
    ("wasm-bindgen", "frontend", "frontend/src/views/map.rs", "wasm_bindgen::prelude"),
    ("web-sys", "frontend", "frontend/src/views/map.rs", "web_sys::HtmlElement"),
    ("leaflet", "frontend", "frontend/src/views/map.rs", "leaflet::Map::new"),
    ("serde", "frontend", "frontend/src/error.rs", "serde::Deserialize"),
    ("serde_json", "frontend", "frontend/src/mcp/wire.rs", "serde_json::"),
    ("gloo-net", "frontend", "frontend/src/mcp.rs", "gloo_net::http"),
    ("wit-bindgen", "toolkit", "components/toolkit/src/bindings.rs", "wit_bindgen::generate!"),
    ("wasmtime", "host-sandbox", "host/sandbox/src/component.rs", "use wasmtime::"),
];

#[test]
fn every_specified_crate_is_used_in_its_file() {
    for (krate, package, file, line) in CARD {
        let manifest = own_packages().find(|found| found["name"] == package);
        let manifest = manifest.unwrap_or_else(|| panic!("there is no package {package}"));
        let mut dependencies = manifest["dependencies"].as_array().into_iter().flatten();
        assert!(
            dependencies.any(|found| found["name"] == krate),
            "{package} does not depend on {krate}"
        );
        let source = text(file);
        let mut code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
        assert!(code.any(|found| found.contains(line)), "{file} does not use {krate} (`{line}`)");
    }
}

// The page's style sheets: sizes of type, space and corners come from one scale each.

/// The style sheet with the scales.
const SCALES: &str = "frontend/style/base.css";
/// Lengths above this are positions, not spaces.
const SPACE_REM_MAX: f64 = 2.0;

/// The declarations of a style sheet: property and value.
fn declarations(sheet: &str) -> impl Iterator<Item = (&str, &str)> {
    sheet
        .split(['{', '}', ';'])
        .filter_map(|it| it.rsplit("*/").next()?.split_once(':'))
        .map(|(property, value)| (property.trim(), value.trim()))
}

/// The lengths in `rem` that a value has.
fn rems(value: &str) -> Vec<f64> {
    let numbers = value.split(|c: char| c.is_whitespace() || "(),/+*".contains(c));
    numbers.filter_map(|it| it.strip_suffix("rem")?.parse().ok()).collect()
}

/// The scale of a property's sizes, if any.
fn scale(property: &str) -> Option<&'static str> {
    let of = |name: &str| property == name || property.starts_with(&format!("{name}-"));
    match property {
        _ if property.starts_with("--") => None,
        "font-size" => Some("--text-1 to --text-7"),
        _ if property.starts_with("border-") && property.ends_with("radius") => {
            Some("--radius-1 to --radius-4")
        }
        _ if property == "gap" || property.ends_with("-gap") || of("padding") || of("margin") => {
            Some("--space-1 to --space-8")
        }
        _ => None,
    }
}

#[test]
fn style_sheets_use_only_scale_sizes() {
    let mut count = 0;
    for path in files().iter().filter(|it| it.starts_with("frontend/style/")) {
        let sheet = text(path);
        for (property, value) in declarations(&sheet) {
            let Some(scale) = scale(property) else { continue };
            count += 1;
            let is_space = scale.starts_with("--space");
            for rem in rems(value).into_iter().map(f64::abs) {
                assert!(
                    is_space && rem > SPACE_REM_MAX,
                    "{path}: `{property}: {value}` has a size of its own; take one of {scale}"
                );
            }
        }
    }
    assert!(count > 500, "only {count} sizes were found");
}

#[test]
fn every_property_of_a_scale_is_defined_once() {
    let sheet = text(SCALES);
    for (name, count) in [("--text-", 7), ("--space-", 8), ("--radius-", 4)] {
        let defined = declarations(&sheet).filter(|(property, _)| property.starts_with(name));
        assert_eq!(defined.count(), count, "{name}");
    }
}

// The examples of several hosts (`packaging/cluster`) use existing variables, commands, addresses and
// limits. They are not run here (STO-45).

const FOLDER: &str = "host/program/packaging/cluster";
const EXAMPLES: [&str; 5] =
    ["compose.yaml", "haproxy.cfg", "kubernetes.yaml", "madoguchi.toml", "postgres.sh"];
/// The example's own variable, for its database.
const OWN_VARIABLE: &str = "MADOGUCHI_PASSWORD";
/// Maximum seconds of a stop in addition to `drain_s` and `stop_s`.
const END_S: u64 = 3;

fn example(name: &str) -> String {
    text(&format!("{FOLDER}/{name}"))
}

/// All words after `beginning` in a text, of characters that are `is_part`.
fn all<'a>(text: &'a str, beginning: &str, is_part: fn(char) -> bool) -> BTreeSet<&'a str> {
    let found = text.match_indices(beginning).map(|(at, _)| {
        let rest = &text[at + beginning.len()..];
        let end = rest.find(|it| !is_part(it)).unwrap_or(rest.len());
        &text[at..at + beginning.len() + end]
    });
    found.collect()
}

/// The number after `name` in a text.
fn number(text: &str, name: &str) -> u64 {
    let rest = text.split(name).nth(1).unwrap_or_else(|| panic!("no {name}")).trim_start();
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or_else(|_| panic!("no number behind {name}"))
}

fn config() -> Config {
    let file = root().join(FOLDER).join("madoguchi.toml");
    Config::read(&file, tests::embedded()).unwrap_or_else(|it| panic!("madoguchi.toml: {it}"))
}

#[test]
fn variables_flags_and_addresses_of_examples_exist() {
    let program: String =
        sources().filter(|it| it.starts_with("host/program/src/")).map(text).collect();
    let routes = text("host/server/src/http.rs");
    let (mut variables, mut addresses) = (BTreeSet::new(), BTreeSet::new());
    for name in EXAMPLES {
        let example = example(name);
        for variable in all(&example, "MADOGUCHI_", |it| it.is_ascii_uppercase() || it == '_') {
            let is_known = variable == OWN_VARIABLE || program.contains(&format!("\"{variable}\""));
            assert!(is_known, "{name}: no variable {variable}");
            variables.insert(variable.to_owned());
        }
        for path in all(&example, "/api/", |it| it.is_ascii_alphanumeric()) {
            assert!(routes.contains(&format!(".route(\"{path}\"")), "{name}: no address {path}");
            addresses.insert(path.to_owned());
        }
    }
    for needed in ["MADOGUCHI_STORE", "MADOGUCHI_NODE", "MADOGUCHI_DATA"] {
        assert!(variables.contains(needed), "{needed}");
    }
    assert!(addresses.contains("/api/ready") && addresses.contains("/api/health"));
    for flag in ["config: Option<PathBuf>", "Token(", "Move("] {
        assert!(program.contains(flag), "the examples name it: {flag}");
    }
    for file in [FOLDER, "host/program/packaging/Dockerfile"] {
        assert!(root().join(file).exists(), "{file}");
    }
}

#[test]
fn example_configuration_is_valid_and_needs_tokens() {
    let config = config();
    assert!(
        !config.addr.ip().is_loopback() && !config.requires_authentication(),
        "so it does not start"
    );
    for name in ["compose.yaml", "kubernetes.yaml", "haproxy.cfg"] {
        let port = config.addr.port().to_string();
        assert!(example(name).contains(&port), "{name} goes to {port}");
    }
}

/// A stopping host has enough time, and balancers notice it before it refuses calls.
#[test]
fn examples_wait_long_enough_for_a_stop() {
    let connections = config().connections;
    let takes = connections.drain_s + connections.stop_s + END_S;
    let (compose, kubernetes) = (example("compose.yaml"), example("kubernetes.yaml"));
    assert!(number(&compose, "stop_grace_period:") > takes);
    assert!(number(&kubernetes, "terminationGracePeriodSeconds:") > takes);
    let balancer = example("haproxy.cfg");
    let noticed_s = number(&balancer, "inter ") * (number(&balancer, "fall ") + 1);
    assert!(noticed_s < connections.drain_s, "{noticed_s}");
    let readiness = kubernetes.split("readinessProbe:").nth(1).unwrap_or_default();
    let noticed_s = number(readiness, "periodSeconds:")
        * (number(readiness, "failureThreshold:") + 1)
        + number(readiness, "timeoutSeconds:");
    assert!(noticed_s < connections.drain_s, "{noticed_s}");
}

/// Each host has `connections_max` for each component and eight more (docs/operating.md).
#[test]
fn the_examples_database_has_room_for_all_connections() {
    let compose = example("compose.yaml");
    let hosts = compose.matches("<<: *host\n").count() as u64;
    let components = tests::embedded().names().len() as u64;
    let of_a_host = components * config().store.connections_max as u64 + 8;
    let most = number(&compose, "max_connections=");
    assert!(hosts == 3 && most > (hosts + 1) * of_a_host, "{most} for {hosts} of {of_a_host}");
}
