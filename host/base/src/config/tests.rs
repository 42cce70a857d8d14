//! Tests of configuration files and their errors.

use std::sync::LazyLock;

use super::*;
use crate::{grants::Grant, source::Files};

/// The components that travel in the program.
static EMBEDDED: LazyLock<Embedded> =
    LazyLock::new(|| Embedded::new(Files::embedded::<bundle::Components>(), Files::default()));

pub(super) fn parse(text: &str) -> Result<Config, String> {
    Config::from_text(text, Path::new("madoguchi.toml"), &EMBEDDED).map_err(|it| it.to_string())
}

/// The configuration without any file.
pub(super) fn bundled() -> Config {
    Config::embedded_defaults(&EMBEDDED).unwrap()
}

#[test]
fn starts_without_file_and_grants_bundled_components() {
    let config = bundled();
    assert!(config.addr.ip().is_loopback());
    let grants = config.component("cinema").grants.unwrap_or_default();
    assert!(grants.contains(&Grant::Sql));
    assert_eq!(config.component("stranger").grants, None);
}

#[test]
fn names_correct_value_without_rust_terms() {
    for (text, part) in [
        ("addr = 'localhost:8808'", "such as \"127.0.0.1:8808\", and no name"),
        ("addr = 8808", "such as \"127.0.0.1:8808\""),
        ("trusted_proxies = ['proxy.example']", "IP addresses in quotes"),
        ("trusted_proxies = ['10.0.0.0/33']", "or networks, such as \"10.0.0.0/8\""),
        (
            "[limits]\ncpu_ms_max = '2s'",
            "line 2: limits.cpu_ms_max: what is right here is a whole number from 0 on",
        ),
        ("[limits]\ncpu_ms_max = -1", "a whole number from 0 on"),
        ("[rate]\nrequests_per_s = 0", "a whole number from 1 on"),
        (
            "rate = [5, 10]",
            "line 1: rate: what is right here is a table: { requests_per_s = …, burst",
        ),
        ("swap.canary = [1]", "a table: { faults_min = …, calls_min = …, errors_factor = …"),
        (
            "[tokens]\na = ['x', ['*']]",
            "line 2: tokens.a: what is right here is a table: { sha256 = …",
        ),
        ("[servers.a]\nurl = 'https://a.example'\ntoken = ['A']", "a text, or a table"),
        ("[telemetry]\nsample_ratio = 'all'", "a number, without quotes"),
        ("bundled = 'no'", "true or false"),
        ("[components.a.http]\nhost = 'a.example'", "[[…]] above each"),
        ("[tokens.a]\nsha256 = 'x'\nexpires = 2027-01-01T00:00:00Z", "a text in quotes"),
        ("body_bytes_max = 18446744073709551615", "a smaller number"),
        ("[components.a]\nhttp = ['a.example']", "a table: {"),
        ("[components]\na = true", "a table: {"),
        ("[components.a]\nfiles = ['b']", "a table: {"),
        ("[[components.a.http]]\nhost = 'a.example'\nport = 70000", "from 0 to 65535"),
        ("data = 3", "a text in quotes"),
        ("[servers.a]\nurl = 'https://a.example'\ntrust_hints = 'b'", "or a list of tools"),
        ("[tokens.a]\nscopes = ['*']", "missing field `sha256`"),
        ("[log]\nformat = 7", "a text in quotes"),
        ("[assistants.a]\ntools = 'b'", "line 2: assistants.a.tools: what is right here is a list"),
        ("[limits]\nmemory = 1", "line 2: limits.memory: unknown field"),
        ("addr = '127.0.0.1:1'\naddr = 'b'", "line 2: addr: what is right here is one entry"),
        ("[toolsets.a]\ninclude = [7]", "what is right here is \"component:NAME\""),
    ] {
        let error = parse(text).unwrap_err();
        assert!(error.contains(part) && !error.contains("invalid"), "{text}: {error}");
    }
}

#[test]
fn finds_unworkable_settings_before_start() {
    for (text, part) in [
        ("operator_addr = '0.0.0.0:1'", "[operator_addr]: the operator is served on this machine"),
        ("[audit]\nbytes_max = 0", "[audit]: bytes_max = 0 cannot work"),
        ("[blobs]\nttl_s = 0", "[blobs]: ttl_s = 0 cannot work"),
        ("body_bytes_max = 0", "body_bytes_max = 0 cannot work"),
    ] {
        let error = parse(text).unwrap().check().unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}

#[test]
fn notes_a_blob_size_that_never_finds_room() {
    for name in ["bytes_max", "caller_bytes_max"] {
        let config = parse(&format!("[blobs]\n{name} = 1000")).unwrap();
        let problems = config.problems();
        let [note] = &problems[..] else { panic!("{problems:?}") };
        assert_eq!((&note.path[..], note.is_fatal), (&["blobs".into(), name.into()][..], false));
        assert!(note.what.contains("1000 is less than the 33554432 bytes"), "{note:?}");
    }
}

#[test]
fn file_overrides_single_entries() {
    let config = parse("[components.cinema.settings]\ntimezone = 'UTC'").unwrap();
    let cinema = config.component("cinema");
    assert_eq!(cinema.settings["timezone"], "UTC");
    assert!(cinema.grants.unwrap_or_default().contains(&Grant::Sql));
}

#[test]
fn component_limits_override_common_ones_by_entry() {
    let text = "[limits]\ncpu_ms_max = 7\n[components.a.limits]\ncalls_max = 3";
    let limits = parse(text).unwrap().limits("a");
    let expected = Limits { cpu_ms_max: 7, calls_max: 3, ..Limits::default() };
    assert_eq!(limits, expected);
    assert_eq!(parse(text).unwrap().limits("b").cpu_ms_max, 7);
}

#[test]
fn http_requires_both_grant_and_host_and_names_the_missing() {
    let (grant, host) = ("grants = ['http']", "[[components.a.http]]\nhost = 'b.example'");
    assert!(parse(&format!("[components.a]\n{grant}\n{host}")).is_ok());
    let error = parse(&format!("[components.a]\n{grant}")).unwrap_err();
    assert!(error.contains("[components.a] grants \"http\" and no host"), "{error}");
    let error = parse(host).unwrap_err();
    assert!(
        error.contains("[components.a] has hosts") && error.contains("add \"http\""),
        "{error}"
    );
}

#[test]
fn operator_listens_on_a_free_port_by_default() {
    assert_eq!(bundled().operator_addr, Some(OPERATOR_ADDR));
    assert_eq!(parse("operator_addr = false").unwrap().operator_addr, None);
    let own = parse("operator_addr = '127.0.0.1:9'").unwrap().operator_addr;
    assert_eq!(own.map(|it| it.port()), Some(9));
    let error = parse("operator_addr = 'nowhere'").unwrap_err();
    assert!(error.contains("or false"), "{error}");
    assert!(parse("[swap]\nrefuse_breaking = true").unwrap().swap.refuse_breaking);
}

#[test]
fn canary_limits_have_defaults_and_are_checked() {
    let canary = parse("[swap.canary]\ncalls_min = 5").unwrap().swap.canary;
    assert_eq!((canary.calls_min, canary.faults_min), (5, 3));
    assert!(parse("[swap.canary]\ncals_min = 5").unwrap_err().contains("calls_min"));
    for (entry, what) in [
        ("calls_min = 0", "calls_min = 0"),
        ("faults_min = 0", "at least 1"),
        ("errors_factor = 0.5", "it is 1 or more"),
        ("latency_factor = inf", "latency_factor"),
    ] {
        let error = parse(&format!("[swap.canary]\n{entry}")).unwrap().check().unwrap_err();
        assert!(error.to_string().contains(what), "{error}");
    }
}

#[test]
fn typo_is_named_with_line_and_suggestion() {
    let error = parse("adr = '127.0.0.1:1'").unwrap_err();
    assert!(error.contains("line 1") && error.contains("adr") && error.contains("addr"), "{error}");
    let error = parse("[components.cinema]\ngrants = ['sqll']").unwrap_err();
    assert!(error.contains("sqll") && error.contains("`sql`"), "{error}");
    let error = parse("[components.cinema.limits]\nmemory = 1").unwrap_err();
    assert!(error.contains("memory_bytes_max"), "{error}");
    let error = parse("[components.cinema]\nschedule_ms = 99").unwrap_err();
    assert!(error.contains("at least 100") && error.contains("line 2"), "{error}");
    assert_eq!(
        parse("[components.a]\nschedule_ms = 100").unwrap().component("a").schedule_ms,
        Some(100)
    );
    let error = parse("addr = 'localhost'").unwrap_err();
    assert!(error.contains("addr") && error.contains("address with its port"), "{error}");
}

#[test]
fn names_unworkable_limits_with_table_and_working_range() {
    let error = |text: &str| parse(text).unwrap().check().unwrap_err().to_string();
    assert_eq!(parse("[limits]\ncalls_max = 1").unwrap().check().ok(), Some(()));
    assert_eq!(
        error("[components.shop]\nchanged = 'stop'"),
        "[components.shop.changed]: \"stop\" is for servers; \"keep\" and \"take\" are right"
    );
    assert_eq!(
        error("[components.shop.limits]\ncalls_max = 0"),
        "[components.shop.limits]: calls_max = 0 cannot work; 1 to 256 is right"
    );
    assert!(error("[sandbox]\ninstances_max = 0").starts_with("[sandbox]: instances_max"));
    assert!(error("[sandbox]\ninstances_max = 8").starts_with("[limits]: calls_max = 64"));
    assert!(error("[limits]\nmemory_bytes_max = 7").contains("65536"));
    let once = parse("[limits]\ncalls_max = 0\n[components.a.limits]\nqueue_max = 1").unwrap();
    let found = once.problems().iter().filter(|it| it.what.contains("calls_max")).count();
    assert_eq!(found, 1, "{:?}", once.problems());
}

#[test]
fn empty_host_list_needs_no_host() {
    let forms = bundled().component("forms");
    assert!(forms.grants.as_ref().is_some_and(|it| it.contains(&Grant::Http)));
    assert!(forms.hosts().is_empty());
    assert!(parse("[components.a]\ngrants = ['http']\nhttp = []").is_ok());
    assert!(parse("[components.a]\ngrants = ['http']\nhttp_environment = 'A'").is_ok());
    let error = parse("[components.a]\ngrants = ['http']").unwrap_err();
    assert!(error.contains("http = []"), "{error}");
    let hosts = parse("[[components.forms.http]]\nhost = 'a.example'").unwrap();
    assert_eq!(hosts.component("forms").hosts().len(), 1);
}

#[test]
fn bundled_component_limits_are_overridden_by_entry() {
    let forms = bundled().limits("forms");
    assert_eq!(forms, Limits { wait_ms_max: 300_000, http_timeout_ms: 5_000, ..Limits::default() });
    assert_eq!(bundled().limits("cinema"), Limits::default());
    let config = parse("[limits]\ncpu_ms_max = 7\n[components.forms.limits]\ncalls_max = 3");
    let forms = config.unwrap().limits("forms");
    assert_eq!((forms.cpu_ms_max, forms.calls_max, forms.wait_ms_max), (7, 3, 300_000));
}

#[test]
fn endpoint_aliases_have_overridable_defaults() {
    let of = |config: &Config, name: &str| {
        config.endpoints.get(name).map(|it| format!("{}/{}", it.component, it.prefix))
    };
    let config = bundled();
    assert_eq!(of(&config, "form").as_deref(), Some("forms/"));
    assert_eq!(of(&config, "demo").as_deref(), Some("forms/demo"));
    config.check().unwrap();
    let config = parse("[endpoints]\ndemo = false\nstations = 'navigator/stations'").unwrap();
    assert_eq!(of(&config, "demo"), None);
    assert_eq!(of(&config, "stations").as_deref(), Some("navigator/stations"));
    let error = parse("[endpoints]\nhealth = 'forms'").unwrap().check().unwrap_err();
    assert!(error.to_string().starts_with("[endpoints]: /api/health is the server's own"));
    let error = parse("[components.demo]\ngrants = ['endpoints']").unwrap().check().unwrap_err();
    assert!(error.to_string().contains("demo = false"), "{error}");
}

#[test]
fn page_address_is_checked_when_parsed() {
    let config = parse("public_url = 'https://tools.example/x'").unwrap();
    assert_eq!(config.public_url.as_ref().map(|it| &*it.text), Some("https://tools.example/x"));
    let error = parse("public_url = 'tools.example'").unwrap_err();
    assert!(error.contains("line 1") && error.contains("public_url is not a URL"), "{error}");
}

#[test]
fn open_address_is_refused_except_for_stdio() {
    let config = parse("addr = '0.0.0.0:1'").unwrap();
    let error = config.check().unwrap_err().to_string();
    assert!(error.starts_with("[addr]: 0.0.0.0:1 can be reached by others"), "{error}");
    assert!(config.check_for_stdio().is_ok());
    let unknown = Config { stdio_toolset: Some("none".to_owned()), ..bundled() };
    assert!(unknown.check_for_stdio().unwrap_err().to_string().starts_with("--toolset: "));
    let several =
        parse("[swap]\nnode_wait_s = 0\n[sandbox]\ninstances_max = 0").unwrap().problems();
    let fatal = several.iter().filter(|it| it.is_fatal);
    let found: Vec<_> = fatal.map(|it| (it.path.join("."), it.is_of_limits())).collect();
    for place in [("swap".to_owned(), false), ("sandbox".to_owned(), true)] {
        assert!(found.contains(&place), "{found:?}");
    }
    let of_limits = found.iter().any(|(place, _)| place.ends_with("limits"));
    assert!(!of_limits, "a sandbox that cannot work says nothing of limits: {found:?}");
}
