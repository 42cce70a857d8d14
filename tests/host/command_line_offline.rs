//! The commands that need no server: check a configuration, inspect a file, show the grants.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::Output,
};

use serde_json::Value;
use tests::{
    component, component_bytes,
    process::{bare_command, output},
    root,
    server::Folders,
    with_section,
};

/// Folders with a configuration of that text beside the components, and the code that is compiled.
fn configured(text: &str) -> (Folders, PathBuf) {
    let (folders, file) = bare(text);
    folders.lend_code();
    (folders, file)
}

/// The same without a data folder.
fn bare(text: &str) -> (Folders, PathBuf) {
    let folders = Folders::new();
    let file = folders.components().join("madoguchi.toml");
    fs::write(&file, text).unwrap();
    (folders, file)
}

fn run(folders: &Folders, arguments: &[&str]) -> Output {
    let mut command = bare_command(folders);
    command.arg("--components").arg(folders.components()).args(arguments);
    output(&mut command)
}

/// What lies in a folder.
fn names(folder: &Path) -> BTreeSet<OsString> {
    fs::read_dir(folder).unwrap().map(|it| it.unwrap().file_name()).collect()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

fn check(folders: &Folders, file: &Path) -> (Option<i32>, Value) {
    let checked = run(folders, &["check-config", file.to_str().unwrap(), "--json"]);
    (checked.status.code(), json(&checked))
}

#[test]
fn checking_a_sound_configuration_passes_and_creates_nothing() {
    let (folders, file) = bare("bundled = false\n[components.echo.limits]\ncalls_max = 3\n");
    folders.put("echo", &component_bytes("echo"));
    let (code, told) = check(&folders, &file);
    assert_eq!((code, &told["ok"]), (Some(0), &Value::Bool(true)), "{told}");
    assert!(!folders.data().exists(), "a check leaves nothing behind");
    let words = run(&folders, &["check-config", file.to_str().unwrap()]);
    assert!(String::from_utf8_lossy(&words.stdout).contains("fine"), "{words:?}");
    folders.lend_code();
    assert!(
        run(&folders, &["check-config"]).status.success(),
        "the built-in one, with all that is bundled"
    );
}

/// The address of a store is checked without being shown (STO-5).
#[test]
fn wrong_address_of_a_store_is_found_and_not_repeated() {
    for url in ["mysql://u:hunter2@h/d", "postgres://u:hunter2@h", "postgres://u:hunter2@h/d?x=y"] {
        let (folders, file) = configured(&format!("bundled = false\n[store]\nurl = \"{url}\"\n"));
        let (code, told) = check(&folders, &file);
        assert_eq!(code, Some(1), "{told}");
        let found = &told["findings"][0];
        assert_eq!((&found["about"], &found["line"]), (&"store".into(), &2.into()), "{told}");
        let message = found["message"].as_str().unwrap();
        assert!(message.contains("postgres://USER:PASSWORD@HOST"), "{told}");
        assert!(!told.to_string().contains("hunter2"), "{told}");
    }
}

#[test]
fn taken_name_is_a_problem_and_variable_without_origins_a_note() {
    let text = "bundled = false\n[components.forms]\nhttp_environment = \"MADOGUCHI_NO_SUCH\"\n\
        [endpoints]\nblobs = \"forms\"\n";
    let (folders, file) = configured(text);
    let (code, told) = check(&folders, &file);
    assert_eq!(code, Some(1), "{told}");
    let findings = told["findings"].as_array().unwrap();
    let of = |about: &str| findings.iter().find(|it| it["about"] == about).cloned();
    let taken = of("endpoints").unwrap_or_else(|| panic!("{told}"));
    assert_eq!((&taken["line"], &taken["is_problem"]), (&Value::from(4), &Value::Bool(true)));
    assert!(taken["message"].as_str().unwrap().contains("the server's own"), "{taken}");
    let variable = of("components.forms.http_environment").unwrap_or_else(|| panic!("{told}"));
    assert_eq!(
        (&variable["line"], &variable["is_problem"]),
        (&Value::from(3), &Value::Bool(false))
    );
}

#[test]
fn names_missing_and_ungranted_items_with_line_and_remedy() {
    let text = "bundled = false\n[components.cinema]\ngrants = [\"sql\"]\n\
        settings.catalog = { file = \"films.json\" }\n\
        environment.timezone = \"MADOGUCHI_NO_SUCH\"\n[components.nobody]\n";
    let (folders, file) = configured(text);
    folders.put("cinema", &component_bytes("cinema"));
    let (code, told) = check(&folders, &file);
    assert_eq!((code, &told["ok"]), (Some(1), &Value::Bool(false)), "{told}");
    let finding = |about: &str| {
        let findings = told["findings"].as_array().unwrap();
        let found = findings.iter().find(|it| it["about"] == about);
        found.unwrap_or_else(|| panic!("nothing about {about}: {told}"))
    };
    let grants = finding("components.cinema.grants");
    assert_eq!((&grants["line"], &grants["is_problem"]), (&3.into(), &true.into()));
    let message = grants["message"].as_str().unwrap();
    assert!(message.contains("grants = [\"sql\","), "the line that would grant it: {message}");
    let catalog = finding("components.cinema.settings.catalog");
    assert_eq!((&catalog["line"], &catalog["is_problem"]), (&4.into(), &true.into()));
    let variable = finding("components.cinema.environment.timezone");
    assert_eq!((&variable["line"], &variable["is_problem"]), (&5.into(), &false.into()));
    assert!(variable["message"].as_str().unwrap().contains("MADOGUCHI_NO_SUCH"));
    assert_eq!(finding("components.nobody")["line"], 6);
}

#[test]
fn reports_file_unreadable_as_configuration_with_its_line() {
    let (folders, file) = configured("bundled = false\nadr = 1\n");
    let (code, told) = check(&folders, &file);
    assert_eq!((code, &told["findings"][0]["line"]), (Some(1), &2.into()), "{told}");
    let message = told["findings"][0]["message"].as_str().unwrap();
    assert!(message.contains("adr") && message.contains("addr"), "{message}");
    let (folders, file) = configured("[telemetry]\notlp_endpoint = \"nowhere\"\n");
    let (code, told) = check(&folders, &file);
    assert_eq!((code, &told["findings"][0]["line"]), (Some(1), &1.into()), "{told}");
}

#[test]
fn a_component_is_inspected_before_it_is_let_in() {
    let (folders, file) = configured("[components.cinema]\ngrants = []\n");
    let cinema = component("cinema");
    let cinema = cinema.to_str().unwrap();
    let told = json(&run(&folders, &["inspect", cinema, "--json"]));
    assert_eq!((&told["name"], &told["welcome"]), (&"cinema".into(), &true.into()), "{told}");
    assert_eq!(told["digest"], host::digest::digest(&component_bytes("cinema")));
    let needs = |part: &str, name: &str| {
        let parts = told[part].as_array().unwrap();
        let found = parts.iter().find(|it| it["name"].as_str().unwrap().starts_with(name));
        found.unwrap_or_else(|| panic!("no {name}: {told}"))["needs"].clone()
    };
    assert_eq!(needs("imports", "madoguchi:tool/sql"), "sql");
    assert_eq!(needs("imports", "wasi:cli/stderr"), "nothing");
    assert_eq!(needs("exports", "madoguchi:tool/migrations"), "nothing");
    let tools = told["tools"].as_array().unwrap();
    let reserve = tools.iter().find(|it| it["name"] == "reserve_seats").unwrap();
    assert!(reserve["title"].is_string() && reserve["inputSchema"]["properties"].is_object());
    assert_eq!(reserve["annotations"]["readOnlyHint"], false);
    // APP-2.
    assert_eq!(reserve["app"], "ui://cinema/seats");
    let line = told["line"].as_str().unwrap();
    assert!(line.starts_with("grants = [\"sql\""), "{line}");
    let refused = ["--config", file.to_str().unwrap(), "inspect", cinema, "--json"];
    let refused = json(&run(&folders, &refused));
    assert_eq!(refused["welcome"], false);
    assert!(refused["refused"].as_str().unwrap().contains("[components.cinema]"), "{refused}");
    let words = run(&folders, &["inspect", cinema]);
    let words = String::from_utf8_lossy(&words.stdout).into_owned();
    assert!(words.contains("with the grant sql") && words.contains(line), "{words}");
    assert!(words.contains("shown by ui://cinema/seats"), "{words}");
}

#[test]
fn shows_component_defaults_and_gives_them_to_bundled_ones_only() {
    const SECTION: &str = "madoguchi:defaults";
    let (folders, file) = configured("");
    let file = file.to_str().unwrap();
    for name in ["cinema", "conversations", "forms", "illustrations", "navigation"] {
        let own = root().join(format!("components/{name}/defaults.toml"));
        let own = fs::read_to_string(own).unwrap();
        let built = component(name);
        let told = json(&run(&folders, &["inspect", built.to_str().unwrap(), "--json"]));
        assert_eq!(told["defaults"], own, "{name}");
        assert!(told.get("defaults_problem").is_none(), "{told}");
    }
    let assistant = component("assistant");
    let told = json(&run(&folders, &["inspect", assistant.to_str().unwrap(), "--json"]));
    let defaults = told["defaults"].as_str().unwrap();
    let own = fs::read_to_string(root().join("components/assistant/defaults.toml")).unwrap();
    let behind = defaults.strip_prefix(&own).expect("its file comes first");
    for name in ["claude", "gemini", "openai"] {
        for table in ["model_hosts", "models"] {
            assert!(behind.contains(&format!("\n[{table}.{name}]\n")), "{behind}");
        }
    }
    assert!(told.get("defaults_problem").is_none(), "{told}");
    let wish = "grants = ['sql', 'http']\n[[http]]\nhost = 'evil.example'\n";
    let stranger = with_section(&component_bytes("saboteur"), SECTION, wish.as_bytes());
    folders.put("stranger", &stranger);
    let told = json(&run(&folders, &["--config", file, "grants", "--json"]));
    assert_eq!(told["stranger"]["grants"], serde_json::json!([]), "a wish is no grant");
    let path = folders.components().join("stranger.wasm");
    let inspect = |path: &Path| run(&folders, &["inspect", path.to_str().unwrap(), "--json"]);
    let told = json(&inspect(&path));
    assert_eq!((&told["defaults"], &told["welcome"]), (&wish.into(), &false.into()), "{told}");
    let words = run(&folders, &["inspect", path.to_str().unwrap()]);
    assert!(String::from_utf8_lossy(&words.stdout).contains("  host = 'evil.example'"));
    let confused = with_section(&component_bytes("echo"), SECTION, b"colour = 'red'");
    folders.put("confused", &confused);
    let told = json(&inspect(&folders.components().join("confused.wasm")));
    assert!(told["defaults_problem"].as_str().unwrap().contains("colour"), "{told}");
}

#[test]
fn a_file_that_is_no_component_is_said_to_be_none() {
    let (folders, file) = configured("");
    let told = run(&folders, &["inspect", file.to_str().unwrap()]);
    assert!(!told.status.success());
    let complaint = String::from_utf8_lossy(&told.stderr);
    assert!(complaint.contains("not a WebAssembly component"), "{complaint}");
}

#[test]
fn grants_are_told_with_the_line_that_says_so() {
    let (folders, file) = configured("\n[components.echo]\ngrants = [\"clock\"]\n");
    folders.put("echo", &component_bytes("echo"));
    folders.put("rogue", &component_bytes("rogue"));
    let config = ["--config", file.to_str().unwrap()];
    let told = json(&run(&folders, &[&config[..], &["grants", "--json"]].concat()));
    assert_eq!(told["echo"]["grants"], serde_json::json!(["clock"]));
    assert!(told["echo"]["by"].as_str().unwrap().ends_with("madoguchi.toml, line 3"), "{told}");
    assert_eq!(told["rogue"]["grants"], serde_json::json!([]));
    assert!(told["cinema"]["grants"].as_array().unwrap().contains(&"sql".into()), "{told}");
    assert!(told["cinema"]["by"].as_str().unwrap().contains("by default"), "{told}");
    let words = run(&folders, &[&config[..], &["grants", "echo"]].concat());
    let words = String::from_utf8_lossy(&words.stdout).into_owned();
    assert!(words.starts_with("echo  clock  (") && !words.contains("rogue"), "{words}");
    let nobody = run(&folders, &["grants", "nobody"]);
    assert!(!nobody.status.success());
    assert!(String::from_utf8_lossy(&nobody.stderr).contains("no component nobody"), "{nobody:?}");
}

#[test]
fn settings_that_a_component_refuses_are_named_with_their_file() {
    let text = "bundled = false\n[components.cinema]\nsettings.catalog = { file = \"films.json\" }\n\
        environment.timezone = \"PATH\"\n";
    let (folders, file) = configured(text);
    folders.put("cinema", &component_bytes("cinema"));
    let films = file.with_file_name("films.json");
    let demo = fs::read_to_string(root().join("components/cinema/demo.json")).unwrap();
    let mut catalogue: Value = serde_json::from_str(&demo).unwrap();
    catalogue["screens"] = 1.into();
    fs::write(&films, catalogue.to_string()).unwrap();
    let (code, told) = check(&folders, &file);
    assert_eq!((code, &told["ok"]), (Some(1), &Value::Bool(false)), "{told}");
    let said = told.to_string();
    assert!(said.contains("timezone") && said.contains("PATH"), "{said}");

    fs::write(&file, text.lines().take(3).collect::<Vec<_>>().join("\n")).unwrap();
    let (code, told) = check(&folders, &file);
    assert_eq!(code, Some(1), "{told}");
    let finding = &told["findings"][0];
    assert_eq!((&finding["line"], &finding["is_problem"]), (&3.into(), &true.into()), "{told}");
    assert_eq!(finding["about"], "components.cinema.settings.catalog");
    let message = finding["message"].as_str().unwrap();
    assert!(message.contains("/screens") && message.contains("films.json"), "{message}");

    fs::write(&films, demo).unwrap();
    let before = names(&folders.data());
    assert_eq!(check(&folders, &file).0, Some(0), "a good one is fine");
    assert_eq!(names(&folders.data()), before, "a check leaves nothing behind");
}

#[test]
fn tools_that_a_component_may_call_are_checked_and_shown() {
    for (lines, key, part) in [
        ("grants = ['calls']\ncalls = ['tool:echo']", "calls", "component:NAME"),
        ("grants = ['calls']\ntrusts = ['*']", "trusts", "one by one"),
        ("grants = ['sql']\ncalls = ['echo']", "calls", "add \"calls\" to its grants"),
    ] {
        let (folders, file) = configured(&format!("[components.errand]\n{lines}\n"));
        folders.put("errand", &component_bytes("errand"));
        let (code, told) = check(&folders, &file);
        assert_eq!(code, Some(1), "{told}");
        let about = format!("components.errand.{key}");
        let findings = told["findings"].as_array().unwrap();
        let found = findings.iter().find(|it| it["about"] == *about);
        let message = found.unwrap_or_else(|| panic!("{told}"))["message"].as_str().unwrap();
        assert!(message.contains(part), "{message}");
    }
}
