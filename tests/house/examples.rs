//! The examples of several hosts (`packaging/cluster`) use existing variables, commands, addresses and
//! limits. They are not run here (STO-45).

use std::collections::BTreeSet;

use host::Config;

use crate::repository::{root, sources, text};

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
