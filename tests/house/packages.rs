//! Dependencies between packages, their sources, and versions that must agree.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::repository::{own_packages, packages, sources, text, toml};

/// Crates in more than one version, each with the reason.
const DUPLICATES: [(&[&str], &str); 17] = [
    (
        &["fallible-iterator", "wasi"],
        "postgres-protocol is one behind rusqlite, and whoami, under tokio-postgres, ahead for WASI alone",
    ),
    (
        &["gimli", "wasm-encoder", "wasmparser"],
        "walrus, under wasm-bindgen-cli-support, is behind wasmtime, and wasm_split_cli_support ahead of it",
    ),
    (
        &["wasm-metadata", "wit-component", "wit-parser"],
        "wasmtime 48 is an LTS, wit-bindgen moves on",
    ),
    (&["hashbrown"], "gimli and walrus's wasmparser are one behind indexmap"),
    (
        &["block-buffer", "cpufeatures", "crypto-common", "digest", "sha2"],
        "wasmtime and leptos hash with sha2 0.10",
    ),
    (&["base64"], "leptos and wasm-bindgen-cli-support are one behind rmcp"),
    (
        &["convert_case", "thiserror", "thiserror-impl"],
        "leptos 0.8's config and gloo-net 0.6, which it brings",
    ),
    (&["prettyplease", "syn"], "macros move from syn 2 to 3 one by one"),
    (&["miniz_oxide"], "png is one behind flate2"),
    (&["embedded-io"], "postcard, under wasmtime, supports both"),
    (&["getrandom", "r-efi"], "ahash, under jsonschema, is one behind"),
    (&["const-oid", "hmac", "rand_chacha"], "webauthn_rp's curves and RSA are one behind"),
    (&["rand", "rand_core"], "opentelemetry_sdk is one behind rmcp and wasmtime-wasi"),
    (&["io-lifetimes"], "cap-std's fs-set-times, under wasmtime-wasi"),
    (
        &[
            "cookie",
            "http",
            "icu_collections",
            "icu_provider",
            "litemap",
            "synstructure",
            "tinystr",
            "writeable",
            "yoke",
            "yoke-derive",
            "zerovec",
            "zerovec-derive",
        ],
        "webdriver, under fantoccini, is a generation behind; in tests only",
    ),
    (
        &["linux-raw-sys", "rustix"],
        "which, under the code generator that builds osmpbf, is behind; at build time only",
    ),
    (&["wit-bindgen"], "wasip2, under getrandom, speaks to WASI through its own"),
];
/// Packages that belong to one component.
const PARTS: [(&str, &str); 2] = [("navigation", "graph"), ("import-map", "graph")];
/// The crates of the host from the lowest up, each with its workspace dependencies.
const EDGES: [(&str, &[&str]); 13] = [
    ("host-store", &[]),
    ("host-base", &["host-store"]),
    ("host-telemetry", &["host-base", "host-store"]),
    ("host-sandbox", &["host-base", "host-store", "host-telemetry"]),
    ("host-accounts", &["host-base", "host-sandbox", "host-store", "host-telemetry"]),
    ("host-registry", &["host-base", "host-sandbox", "host-store", "host-telemetry"]),
    ("host-distribution", &["host-base", "host-sandbox", "host-store"]),
    (
        "host-calls",
        &[
            "host-accounts",
            "host-base",
            "host-registry",
            "host-sandbox",
            "host-store",
            "host-telemetry",
        ],
    ),
    (
        "host-mcp",
        &[
            "host-base",
            "host-calls",
            "host-registry",
            "host-sandbox",
            "host-store",
            "host-telemetry",
        ],
    ),
    (
        "host",
        &[
            "host-accounts",
            "host-base",
            "host-calls",
            "host-mcp",
            "host-registry",
            "host-sandbox",
            "host-store",
            "host-telemetry",
        ],
    ),
    // Development tools, unknown to the server.
    (
        "workbench",
        &[
            "host-base",
            "host-calls",
            "host-distribution",
            "host-registry",
            "host-sandbox",
            "host-store",
        ],
    ),
    ("bundle", &[]),
    ("madoguchi", &["bundle", "host", "host-distribution", "workbench"]),
];
/// Prefix of crates for Windows, of which there are four generations.
const WINDOWS: &str = "windows";

fn name(package: &Value) -> &str {
    package["name"].as_str().unwrap_or_default()
}

/// The dependencies of a workspace package, without dev-dependencies.
fn dependencies(of: &str) -> BTreeSet<&'static str> {
    let package = own_packages().find(|package| name(package) == of);
    let package = package.unwrap_or_else(|| panic!("there is no package {of}"));
    let all = package["dependencies"].as_array().into_iter().flatten();
    all.filter(|found| found["kind"] != "dev").map(name).collect()
}

/// Workspace packages by folder.
fn rooms() -> BTreeMap<String, Vec<&'static str>> {
    let mut rooms = BTreeMap::<String, Vec<&str>>::new();
    for package in own_packages() {
        let folder = crate::repository::folder(package);
        let room = folder.split('/').next().unwrap_or_default().to_owned();
        rooms.entry(room).or_default().push(name(package));
    }
    rooms
}

#[test]
fn host_depends_on_no_tool_and_no_page() {
    let rooms = rooms();
    let forbidden = [&rooms["components"][..], &["frontend"]].concat();
    for part in &rooms["host"] {
        let found = dependencies(part).into_iter().filter(|found| forbidden.contains(found));
        assert_eq!(
            found.collect::<Vec<_>>(),
            Vec::<&str>::new(),
            "{part}: a tool is replaced without building the host"
        );
    }
}

#[test]
fn host_crates_depend_only_on_lower_ones() {
    let ours = own_packages().map(name).collect::<BTreeSet<_>>();
    let mut below = Vec::new();
    for (part, edges) in EDGES {
        let found: Vec<_> = dependencies(part).intersection(&ours).copied().collect();
        assert_eq!(found, edges, "{part}");
        let upward: Vec<_> = edges.iter().filter(|it| !below.contains(*it)).collect();
        assert_eq!(upward, Vec::<&&str>::new(), "{part} stands on what is above it");
        below.push(part);
    }
    let rooms = rooms();
    let parts: BTreeSet<_> =
        [&rooms["host"][..], &rooms["workbench"]].concat().into_iter().collect();
    assert_eq!(below.into_iter().collect::<BTreeSet<_>>(), parts, "every crate is named here");
}

#[test]
fn only_one_crate_depends_on_the_sdk() {
    let knows = |part: &&str| dependencies(part).contains("rmcp");
    let parts = rooms()["host"].iter().copied().filter(knows).collect::<Vec<_>>();
    assert_eq!(parts, ["host-mcp"]);
}

#[test]
fn page_depends_on_no_workspace_crate_but_shared_types() {
    let ours = own_packages().map(name).collect::<BTreeSet<_>>();
    let found = dependencies("frontend").into_iter().filter(|found| ours.contains(found));
    assert_eq!(found.collect::<Vec<_>>(), ["output"]);
}

#[test]
fn component_depends_on_toolkit_and_shared_types_alone() {
    let ours = own_packages().map(name).collect::<BTreeSet<_>>();
    let allowed = BTreeSet::from(["toolkit", "output", "language"]);
    for tool in &rooms()["components"] {
        if allowed.contains(tool) {
            continue;
        }
        let mut found = dependencies(tool).intersection(&ours).copied().collect::<BTreeSet<_>>();
        // Its own parts, which lie within its folder.
        found.retain(|part| !PARTS.contains(&(tool, part)));
        assert!(found.is_subset(&allowed), "{tool} depends on {:?}", found.difference(&allowed));
    }
    assert_eq!(dependencies("toolkit").intersection(&ours).count(), 0, "the kit knows no domain");
    assert_eq!(dependencies("output").intersection(&ours).count(), 0, "the nouns know nobody");
    let language: Vec<_> = dependencies("language").intersection(&ours).copied().collect();
    assert_eq!(language, ["toolkit"], "what sentences have in common knows no family");
}

#[test]
fn all_packages_come_from_the_public_registry() {
    let registry = ["registry+https://github.com/rust-lang/crates", ".io-index"].concat();
    let mut strangers = Vec::new();
    for package in packages() {
        match package["source"].as_str() {
            None => {}
            Some(source) if source == registry => {}
            Some(source) => strangers.push(format!("{}: {source}", name(package))),
        }
    }
    assert!(strangers.is_empty(), "{strangers:#?}");
}

#[test]
fn each_crate_has_one_version_unless_listed() {
    let mut versions = BTreeMap::<&str, BTreeSet<&str>>::new();
    for package in packages() {
        versions
            .entry(name(package))
            .or_default()
            .insert(package["version"].as_str().unwrap_or_default());
    }
    versions.retain(|name, found| found.len() > 1 && !name.starts_with(WINDOWS));
    let listed = DUPLICATES.iter().flat_map(|(names, _)| *names).copied().collect::<BTreeSet<_>>();
    let found = versions.keys().copied().collect::<BTreeSet<_>>();
    let new = found.difference(&listed).map(|name| (name, &versions[name])).collect::<Vec<_>>();
    assert!(new.is_empty(), "several versions of {new:?}");
    let gone = listed.difference(&found).collect::<Vec<_>>();
    assert!(gone.is_empty(), "one version again, take them off the list: {gone:?}");
}

#[test]
fn the_pages_glue_has_one_version_everywhere() {
    let version = |wanted: &str| {
        let package = packages().find(|package| name(package) == wanted);
        package.and_then(|package| package["version"].as_str()).map(str::to_owned)
    };
    let glue = version("wasm-bindgen");
    assert!(glue.is_some());
    assert_eq!(
        glue,
        version("wasm-bindgen-cli-support"),
        "the program and its glue would disagree"
    );
    let trunk = toml("Trunk.toml")["tools"]["wasm_bindgen"].as_str().map(str::to_owned);
    assert_eq!(glue, trunk, "Trunk.toml names another one");
}

#[test]
fn pinned_crates_have_exact_versions() {
    for package in own_packages() {
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let pinned = [
                "leptos",
                "rmcp",
                "wasm-bindgen",
                "wasm-bindgen-cli-support",
                "wasm_split_cli_support",
                "wasm_split_helpers",
                "wasmtime",
                "wit-bindgen",
            ];
            let wanted = dependency["req"].as_str().unwrap_or_default();
            let needs_pin = pinned.contains(&name(dependency));
            assert!(
                !needs_pin || wanted.starts_with('='),
                "{}: {} {wanted}",
                name(package),
                name(dependency)
            );
        }
    }
}

#[test]
fn trunk_proxies_to_the_hosts_default_address() {
    let addr = host::Config::defaults().addr;
    for proxy in toml("Trunk.toml")["proxy"].as_array().into_iter().flatten() {
        let backend = proxy["backend"].as_str().unwrap_or_default();
        assert!(
            backend.starts_with(&format!("http://{addr}/")),
            "Trunk.toml: {backend}, and not {addr}"
        );
    }
    assert!(text("README.md").contains(&format!("http://{addr}/mcp")), "the README's address");
}

// No modules depend on each other in a cycle. Between crates the compiler forbids it, and `packages.rs`
// lists their edges.

/// Modules with the modules of the same crate that they use.
type Uses = BTreeMap<String, BTreeSet<String>>;

/// The first names of paths after `crate::` in a text; `$crate` belongs to users of a macro.
fn used(text: &str) -> BTreeSet<String> {
    let code: String = text
        .split("#[cfg(test)]")
        .next()
        .unwrap_or_default()
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n");
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        if code[..at].ends_with(|it: char| it == '$' || it == '_' || it.is_alphanumeric()) {
            continue;
        }
        let rest = &code[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            Some(group) => found.extend(firsts(group)),
            None => found.extend(first(rest)),
        }
    }
    found
}

fn first(path: &str) -> Option<String> {
    let path = path.trim_start();
    let end = path.find(|it: char| it != '_' && !it.is_alphanumeric()).unwrap_or(path.len());
    (end > 0).then(|| path[..end].to_owned())
}

/// The first names of `a::{b, c}, d}`: of each entry, up to the brace that ends the group.
fn firsts(group: &str) -> Vec<String> {
    let (mut depth, mut begin, mut found) = (0, 0, Vec::new());
    for (at, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => {
                found.extend(first(&group[begin..at]));
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                found.extend(first(&group[begin..at]));
                begin = at + 1;
            }
            _ => {}
        }
    }
    found
}

/// The crates of the tree by the folders of their sources, each with its modules.
fn crates() -> BTreeMap<String, Uses> {
    let mut crates = BTreeMap::<String, Uses>::new();
    for path in sources() {
        let Some((folder, rest)) = path.split_once("/src/") else { continue };
        let module = rest.split('/').next().unwrap_or_default().trim_end_matches(".rs");
        if ["main", "lib", "tests"].contains(&module) || rest.contains("tests") {
            continue;
        }
        let uses = crates.entry(format!("{folder}/src/")).or_default();
        uses.entry(module.to_owned()).or_default().extend(used(&text(path)));
    }
    crates
}

/// Modules that depend on themselves through another one.
fn in_circles(uses: &Uses) -> Vec<&str> {
    let reaches = |from: &str| {
        let (mut distinct, mut next) = (BTreeSet::new(), vec![from]);
        while let Some(module) = next.pop() {
            for used in uses.get(module).into_iter().flatten() {
                if used != module && uses.contains_key(used) && distinct.insert(used.as_str()) {
                    next.push(used);
                }
            }
        }
        distinct.contains(from)
    };
    uses.keys().map(String::as_str).filter(|it| reaches(it)).collect()
}

#[test]
fn no_modules_depend_on_each_other_in_a_cycle() {
    let crates = crates();
    assert!(crates.len() > 15, "all crates are read: {:?}", crates.keys());
    let found: Vec<_> = crates.iter().map(|it| (it.0.as_str(), in_circles(it.1))).collect();
    let found: Vec<_> = found.into_iter().filter(|it| !it.1.is_empty()).collect();
    assert_eq!(found, [], "these modules depend on themselves by way of others");
}

#[test]
fn finds_cycles_in_each_form_of_use() {
    let code = "use crate::{a::{x, y}, b};\nfn f() { crate::c::g(); $crate::d::h() } // crate::e\n#[cfg(test)]\nuse crate::f;";
    assert_eq!(used(code).into_iter().collect::<Vec<_>>(), ["a", "b", "c"]);
    let uses = |all: &[(&str, &[&str])]| -> Uses {
        let one = |it: &&str| (*it).to_owned();
        all.iter().map(|it| (it.0.to_owned(), it.1.iter().map(one).collect())).collect()
    };
    let circle = uses(&[("a", &["b"]), ("b", &["c"]), ("c", &["a"]), ("d", &["a", "d"])]);
    assert_eq!(in_circles(&circle), ["a", "b", "c"]);
}
