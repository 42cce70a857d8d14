//! The program as users start it: clear errors, a stop that loses nothing, and the import of maps.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs,
    net::TcpListener,
    path::{Path, PathBuf},
    process::Output,
    time::Duration,
};

use graph::Graph;
use serde_json::{Value, json};
use tests::{
    client::Client,
    component, component_bytes,
    fixtures::helsinki_extract,
    process::{Process, bare_command, command, exported, output},
    root,
    server::Folders,
    with_section,
};

fn complaint(command: &mut std::process::Command) -> String {
    let output = output(command);
    assert!(!output.status.success());
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn names_a_port_in_use_with_the_remedy() {
    let folders = Folders::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = taken.local_addr().unwrap().to_string();
    let complaint = complaint(command(&folders).args(["--addr", &addr]));
    assert!(complaint.contains(&addr) && complaint.contains("--addr"), "{complaint}");
    assert_eq!(complaint.matches("os error").count(), 1, "its cause is said once: {complaint}");
}

#[cfg(target_os = "linux")]
#[test]
fn names_too_few_addresses_with_the_remedy() {
    let folders = Folders::new();
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "ulimit -v 33554432; exec \"$0\" \"$@\""]).arg(tests::process::program());
    shell.args(["--addr", "127.0.0.1:0", "--data"]).arg(folders.data());
    let complaint = complaint(&mut shell);
    for part in ["address space", "ulimit -v", "instances_max"] {
        assert!(complaint.contains(part), "{part}: {complaint}");
    }
}

#[test]
fn an_address_open_to_others_is_refused_with_the_reason() {
    let folders = Folders::new();
    let complaint = complaint(command(&folders).args(["--addr", "0.0.0.0:0"]));
    assert!(complaint.contains("madoguchi token new"), "{complaint}");
}

#[test]
fn names_an_unwritable_data_folder_with_the_remedy() {
    // A file where the folder should be: root, too, cannot make a folder there.
    let folders = Folders::new();
    let file = folders.components().join("file");
    fs::write(&file, "").unwrap();
    let mut command = std::process::Command::new(tests::process::program());
    command.args(["--addr", "127.0.0.1:0", "--data"]).arg(file.join("data"));
    let complaint = complaint(&mut command);
    assert!(complaint.contains("data folder") && complaint.contains("--data"), "{complaint}");
}

#[test]
fn names_a_components_folder_that_cannot_be_made() {
    let folders = Folders::new();
    let file = folders.components().join("file");
    fs::write(&file, "").unwrap();
    let mut command = command(&folders);
    command.args(["--addr", "127.0.0.1:0", "--components"]).arg(file.join("components"));
    let complaint = complaint(&mut command);
    assert!(complaint.contains("--components") && !complaint.contains("--data"), "{complaint}");
}

#[test]
fn a_typo_in_the_configuration_is_named_with_its_line() {
    let folders = Folders::new();
    let file = folders.components().join("madoguchi.toml");
    fs::write(&file, "addr = '127.0.0.1:0'\n[components.cinema]\ngrant = ['sql']\n").unwrap();
    let complaint = complaint(command(&folders).arg("--config").arg(&file));
    for part in ["madoguchi.toml", "line 3", "grant", "grants"] {
        assert!(complaint.contains(part), "{part}: {complaint}");
    }
}

#[tokio::test]
async fn a_terminated_server_lets_a_running_call_finish() {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let mut process = Process::start(&folders);
    let client = Client::new(&process.url);
    let mut listener = client.listen().await;
    let mut meta = Client::meta();
    meta["progressToken"] = "far".into();
    let arguments = json!({ "steps": 1000 });
    let params = json!({ "name": "count_slowly", "arguments": arguments, "_meta": meta });
    let mut call = client.stream("tools/call", params).await;
    let first = call.next(tests::PATIENCE).await.expect("it runs");
    assert_eq!(first["method"], "notifications/progress", "{first}");
    process.signal();
    let status = tokio::task::spawn_blocking(move || process.wait()).await.unwrap();
    assert!(status.success(), "a listener does not keep it from stopping");
    assert_eq!(listener.changes(Duration::from_secs(1)).await, 0);
    let mut last = first;
    while let Some(message) = call.next(tests::PATIENCE).await {
        last = message;
    }
    assert_eq!(last["result"]["structuredContent"]["counted"], 1000, "{last}");
}

#[tokio::test]
async fn program_serves_alone_in_an_empty_folder() {
    let folders = Folders::new();
    let mut alone = command(&folders);
    alone.args(["--addr", "127.0.0.1:0"]).current_dir(folders.components());
    let process = Process::from(alone);
    let client = Client::new(&process.url);
    assert!(client.tools().await.contains(&"reserve_seats".to_owned()), "components are inside");
    assert_eq!(client.get("/").await.status(), 200, "the page is inside");
}

#[test]
fn one_component_runs_alone_from_the_command_line() {
    let folders = Folders::new();
    let run = |arguments: &[&str]| {
        let echo = component("echo");
        output(command(&folders).arg("run").arg(&echo).args(arguments))
    };
    let listed = run(&[]);
    assert!(String::from_utf8_lossy(&listed.stdout).contains("count_slowly"));
    let done = run(&["echo", r#"{"value":{"窓":1}}"#]);
    let value: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(value, json!({ "value": { "窓": 1 } }));
    let asked = run(&["greet"]);
    assert_eq!(asked.status.code(), Some(3), "2 is a command line that cannot be read");
    assert!(String::from_utf8_lossy(&asked.stderr).contains("--answer 'name={\"name\": …}'"));
    let answered = run(&["greet", "{}", "--answer", r#"name={"name":"Hanako"}"#]);
    assert!(String::from_utf8_lossy(&answered.stdout).contains("Hello, Hanako!"));
    let wrong = run(&["echo", "[1]"]);
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("JSON object"));
    let unknown = run(&["ecko", "{}"]);
    let message = String::from_utf8_lossy(&unknown.stderr).into_owned();
    assert!(
        message.contains("has no tool \"ecko\"; it has: ") && message.contains("echo, "),
        "{message}"
    );
    let refused = run(&["echo", r#"{"value":1}"#]);
    assert!(!refused.status.success());
    assert!(String::from_utf8_lossy(&refused.stderr).contains("must be an object"));
}

#[test]
fn unknown_command_names_what_lists_the_commands() {
    let unknown = output(command(&Folders::new()).arg("serve"));
    let message = String::from_utf8_lossy(&unknown.stderr);
    assert_eq!(unknown.status.code(), Some(2), "{message}");
    assert!(message.contains("'serve'") && message.contains("`madoguchi help` lists"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn reservations_are_exported_as_json_lines() {
    let folders = Folders::new();
    folders.put("cinema", &component_bytes("cinema"));
    let process = Process::start(&folders);
    let client = Client::new(&process.url);
    let show = tests::fixtures::showtime_id(&tests::fixtures::showtimes(&client).await[0]);
    let seats = tests::fixtures::free_seats(&client, &show).await;
    let arguments =
        json!({ "user_id": "u1", "showtime_id": show, "seat_ids": [seats[0], seats[1]] });
    let reservation = client.output("reserve_seats", arguments).await;
    let lines = exported(&folders, "cinema", "reservations");
    assert_eq!(lines.len(), 1);
    for field in ["reservation_id", "user_id", "showtime_id", "seats", "reserved_at", "status"] {
        assert_eq!(lines[0][field], reservation[field], "CIN-45: {field}");
    }
    let to = folders.components().join("export");
    let all = output(command(&folders).args(["export", "cinema", "--to"]).arg(&to));
    assert!(all.status.success());
    let file = fs::read_to_string(to.join("reservations.jsonl")).unwrap();
    assert_eq!(file.lines().count(), 1);
    let none = output(command(&folders).args(["export", "nobody"]));
    assert!(String::from_utf8_lossy(&none.stderr).contains("nobody has stored nothing"));
}

// `madoguchi import-map`: an extract becomes a map and the lines that grant it; failures.

fn import(folders: &Folders, arguments: &[&Path]) -> Output {
    output(command(folders).arg("import-map").args(arguments))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What is left in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn turns_extract_into_map_and_prints_correct_granting_lines() {
    let (folders, folder) = (Folders::new(), tempfile::tempdir().unwrap());
    let map = folder.path().join("helsinki.map");
    let done = import(&folders, &[&helsinki_extract(), "--output".as_ref(), &map]);
    let (message, steps) = (text(&done.stdout), text(&done.stderr));
    assert!(done.status.success(), "{steps}");
    let bytes = fs::read(&map).unwrap();
    let graph = Graph::open(&bytes[..]).unwrap();
    assert!(!graph.places().named("Mannerheimintie", 1).unwrap().is_empty());
    assert_eq!(names(folder.path()), ["helsinki.map"], "nothing is left beside it");
    for word in ["km", "places", "OpenStreetMap", "ODbL", &format!("{} bytes", bytes.len())] {
        assert!(message.contains(word), "{word}: {message}");
    }
    for step in ["reading roads (2 of 3)", "joining roads", "writing the map"] {
        assert!(steps.contains(step), "no terminal, so plain lines: {steps}");
    }
    assert!(!steps.contains('\u{1b}'), "{steps:?}");
    let lines: Vec<&str> = message
        .lines()
        .skip_while(|it| !it.starts_with('['))
        .take_while(|it| !it.is_empty())
        .collect();
    let configuration = folder.path().join("madoguchi.toml");
    fs::write(&configuration, lines.join("\n")).unwrap();
    let checked = output(command(&folders).arg("check-config").arg(&configuration));
    assert!(checked.status.success(), "{lines:?}: {}", text(&checked.stderr));
    let mut run = command(&folders);
    run.arg("--config").arg(&configuration).arg("run").arg(component("navigation"));
    let found = output(run.args(["geocode", "{\"address\": \"Mannerheimintie\"}"]));
    assert!(text(&found.stdout).contains("60.1"), "with these lines it is read: {found:?}");
}

#[test]
fn existing_map_is_replaced_whole_or_left_unchanged() {
    let (folders, folder) = (Folders::new(), tempfile::tempdir().unwrap());
    let map = folder.path().join("a map.map");
    let made = import(&folders, &[&helsinki_extract(), "--output".as_ref(), &map]);
    assert!(made.status.success(), "{made:?}");
    let first = fs::read(&map).unwrap();
    let extract = fs::read(helsinki_extract()).unwrap();
    let cut = folder.path().join("cut.osm.pbf");
    fs::write(&cut, &extract[..extract.len() / 2]).unwrap();
    let refused = import(&folders, &[&cut, "--output".as_ref(), &map]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("fetch it again"), "{refused:?}");
    assert!(refused.stdout.is_empty());
    assert_eq!(fs::read(&map).unwrap(), first, "it stays");
    assert_eq!(names(folder.path()), ["a map.map", "cut.osm.pbf"]);
    let again = import(&folders, &[&helsinki_extract(), "--output".as_ref(), &map]);
    assert!(again.status.success(), "a map is replaced: {again:?}");
    assert_eq!(fs::read(&map).unwrap(), first, "the same extract gives the same map");
    // One of an older version is reported as one to be made again, and is replaced.
    let mut old = first.clone();
    old[8] = 1;
    fs::write(&map, &old).unwrap();
    let text = format!("{:?}", Graph::open(&old[..]).err());
    assert!(text.contains("version 1") && text.contains("import-map"), "{text}");
    let again = import(&folders, &[&helsinki_extract(), "--output".as_ref(), &map]);
    assert!(again.status.success() && fs::read(&map).unwrap() == first, "{again:?}");
}

#[test]
fn import_never_overwrites_a_file_that_is_no_map() {
    let (folders, folder) = (Folders::new(), tempfile::tempdir().unwrap());
    let extract = folder.path().join("here.osm.pbf");
    fs::copy(helsinki_extract(), &extract).unwrap();
    let before = fs::read(&extract).unwrap();
    let onto_itself = import(&folders, &[&extract, "--output".as_ref(), &extract]);
    assert_eq!(onto_itself.status.code(), Some(1));
    assert!(text(&onto_itself.stderr).contains("is no map"), "{onto_itself:?}");
    assert_eq!(fs::read(&extract).unwrap(), before);
    let into_folder = import(&folders, &[&extract, "--output".as_ref(), folder.path()]);
    assert!(text(&into_folder.stderr).contains("is a folder"), "{into_folder:?}");
    let nowhere = folder.path().join("no/such/folder/a.map");
    let nowhere = import(&folders, &[&extract, "--output".as_ref(), &nowhere]);
    assert!(text(&nowhere.stderr).contains("cannot write"), "{nowhere:?}");
    assert_eq!(names(folder.path()), ["here.osm.pbf"]);
}

#[test]
fn reports_bad_extract_in_one_line_and_needs_no_configuration() {
    let (folders, folder) = (Folders::new(), tempfile::tempdir().unwrap());
    let broken = folder.path().join("broken.toml");
    fs::write(&broken, "adr = 1").unwrap();
    let text_file = folder.path().join("text.osm.pbf");
    fs::write(&text_file, "<osm version=\"0.6\"></osm>").unwrap();
    let cases = [
        (folder.path().join("none.osm.pbf"), "there is no such file"),
        (text_file, "no OpenStreetMap extract"),
        (folder.path().to_owned(), "is no file"),
    ];
    for (file, wanted) in cases {
        let mut import = command(&folders);
        import.current_dir(folder.path()).arg("--config").arg(&broken).arg("import-map").arg(&file);
        let refused = output(&mut import);
        let text = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(1), "{text}");
        assert!(text.contains(wanted) && text.contains(&*file.display().to_string()), "{text}");
        assert!(!text.contains("adr"), "{text}");
    }
    assert_eq!(names(folder.path()), ["broken.toml", "text.osm.pbf"]);
}

// Commands that need no server: check a configuration, inspect a file, show the grants.

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

/// The names of a folder's entries.
fn printed_names(folder: &Path) -> BTreeSet<OsString> {
    fs::read_dir(folder).unwrap().map(|it| it.unwrap().file_name()).collect()
}

fn printed_json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

fn check(folders: &Folders, file: &Path) -> (Option<i32>, Value) {
    let checked = run(folders, &["check-config", file.to_str().unwrap(), "--json"]);
    (checked.status.code(), printed_json(&checked))
}

#[test]
fn checking_a_sound_configuration_passes_and_creates_nothing() {
    let (folders, file) = bare("bundled = false\n[components.echo.limits]\ncalls_max = 3\n");
    folders.put("echo", &component_bytes("echo"));
    let (code, report) = check(&folders, &file);
    assert_eq!((code, &report["ok"]), (Some(0), &Value::Bool(true)), "{report}");
    assert!(!folders.data().exists(), "a check leaves nothing behind");
    let output = run(&folders, &["check-config", file.to_str().unwrap()]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("fine"), "{output:?}");
    folders.lend_code();
    assert!(
        run(&folders, &["check-config"]).status.success(),
        "the built-in one, with all that is bundled"
    );
}

#[test]
fn empty_variables_count_as_unset() {
    let folders = Folders::new();
    let mut command = bare_command(&folders);
    for name in ["ADDR", "OPERATOR_ADDR", "CONFIG", "COMPONENTS", "LANGUAGE", "LOG", "LOG_FORMAT"] {
        command.env(format!("MADOGUCHI_{name}"), "");
    }
    let listed = output(command.args(["token", "list"]));
    assert!(listed.status.success(), "{listed:?}");
}

/// A component folder that is not there is a note: it may come.
#[test]
fn check_config_notes_a_missing_components_folder() {
    let (folders, file) = bare("bundled = false\ncomponents_folder = \"tools\"\n");
    let arguments = ["check-config", file.to_str().unwrap(), "--json"];
    let checked = output(bare_command(&folders).args(arguments));
    let report = printed_json(&checked);
    assert!(checked.status.success(), "{report}");
    let found = &report["findings"][0];
    assert_eq!((&found["about"], &found["line"]), (&"components_folder".into(), &2.into()));
    assert_eq!(found["is_problem"], false, "{report}");
    let message = found["message"].as_str().unwrap();
    assert!(message.contains("there is no folder ") && message.contains("/tools"), "{message}");
}

/// A file in the place of the data folder keeps a server from starting.
#[test]
fn check_config_finds_a_file_in_place_of_the_data_folder() {
    let (folders, file) = bare("bundled = false\n");
    fs::write(folders.data(), "").unwrap();
    let (code, report) = check(&folders, &file);
    assert_eq!((code, &report["findings"][0]["about"]), (Some(1), &"data".into()), "{report}");
    let message = report["findings"][0]["message"].as_str().unwrap();
    assert!(message.contains("is not a folder"), "{report}");
}

/// What has no end is not read to it.
#[test]
fn commands_read_no_more_than_a_file_may_have() {
    let folders = Folders::in_files();
    for arguments in [["inspect", "/dev/zero"], ["check-config", "/dev/zero"]] {
        let read = run(&folders, &arguments);
        assert_eq!(read.status.code(), Some(1), "{read:?}");
        let text = [read.stdout, read.stderr].concat();
        assert!(String::from_utf8_lossy(&text).contains("can be read"), "{arguments:?}");
    }
}

/// The address of a store is checked without being shown (STO-5).
#[test]
fn wrong_address_of_a_store_is_found_and_not_repeated() {
    for url in ["mysql://u:hunter2@h/d", "postgres://u:hunter2@h", "postgres://u:hunter2@h/d?x=y"] {
        let folders = Folders::in_files();
        let file = folders.components().join("madoguchi.toml");
        fs::write(&file, format!("bundled = false\n[store]\nurl = \"{url}\"\n")).unwrap();
        let (code, report) = check(&folders, &file);
        assert_eq!(code, Some(1), "{report}");
        let found = &report["findings"][0];
        assert_eq!((&found["about"], &found["line"]), (&"store".into(), &2.into()), "{report}");
        let message = found["message"].as_str().unwrap();
        assert!(message.contains("postgres://USER:PASSWORD@HOST"), "{report}");
        assert!(!report.to_string().contains("hunter2"), "{report}");
    }
}

/// `check-config` reports what a start would refuse, with its line.
#[tokio::test]
async fn check_config_finds_each_error_of_a_start_with_its_line() {
    for (lines, about, line) in [
        ("addr = \"0.0.0.0:0\"", "addr", 2),
        ("operator_addr = \"0.0.0.0:0\"", "operator_addr", 2),
        ("public_url = \"https://tools.example\"", "public_url", 2),
        ("allow_anonymous = true\nallowed_hosts = [\"https://a.example\"]", "allowed_hosts", 3),
        ("body_bytes_max = 0", "body_bytes_max", 2),
        ("[blobs]\ncaller_uploads_max = 0", "blobs", 2),
        ("[audit]\nbytes_max = 0", "audit", 2),
        ("[swap]\nnode_wait_s = 0", "swap", 2),
        ("[swap]\n[swap.canary]\nfaults_min = 0", "swap.canary", 3),
        ("[sandbox]\ninstances_max = 0", "sandbox", 2),
        ("[limits]\ncalls_max = 0", "limits", 2),
        ("[components.a]\n[components.a.limits]\ncalls_max = 0", "components.a.limits", 3),
        ("[components.a]\nchanged = \"stop\"", "components.a.changed", 3),
        ("[components.a]\nprefix = \"a/b\"", "components.a.prefix", 3),
        ("[apps]\nurl = \"https://apps.example\"", "apps", 2),
        ("addr = \"127.0.0.1:9\"\n[apps]\naddr = \"127.0.0.1:9\"", "apps.addr", 4),
        ("addr = \"127.0.0.1:9\"\noperator_addr = \"127.0.0.1:9\"", "operator_addr", 3),
        ("[connections]\nconnections_max = 0", "connections", 2),
        ("[telemetry]\nsample_ratio = 2.0", "telemetry", 2),
        ("[toolsets.\"a/b\"]", "toolsets.a/b", 2),
        ("[endpoints]\nhealth = \"a\"", "endpoints", 2),
        ("[packages]\na = \"a/b\"", "packages", 2),
        ("[servers.\"a/b\"]\nurl = \"http://127.0.0.1:1/mcp\"", "servers.a/b", 2),
    ] {
        let (folders, file) = bare(&format!("bundled = false\n{lines}\n"));
        let (code, report) = check(&folders, &file);
        assert_eq!(code, Some(1), "{lines}: {report}");
        let found = report["findings"].as_array().unwrap().iter().find(|it| it["about"] == about);
        let found = found.unwrap_or_else(|| panic!("{lines}: {report}"));
        assert_eq!((&found["line"], &found["is_problem"]), (&line.into(), &true.into()), "{found}");
        let mut config = host::Config::read(&file, tests::embedded()).unwrap();
        config.data = folders.data();
        let error = host::Server::start(config).await.err();
        let error = error.unwrap_or_else(|| panic!("{lines}: it starts")).to_string();
        assert!(error.contains(about), "{lines}: {error}");
    }
}

#[test]
fn taken_name_is_a_problem_and_variable_without_origins_a_note() {
    let text = "bundled = false\n[components.forms]\nhttp_environment = \"MADOGUCHI_NO_SUCH\"\n\
        [endpoints]\nblobs = \"forms\"\n";
    let (folders, file) = configured(text);
    let (code, report) = check(&folders, &file);
    assert_eq!(code, Some(1), "{report}");
    let findings = report["findings"].as_array().unwrap();
    let of = |about: &str| findings.iter().find(|it| it["about"] == about).cloned();
    let taken = of("endpoints").unwrap_or_else(|| panic!("{report}"));
    assert_eq!((&taken["line"], &taken["is_problem"]), (&Value::from(4), &Value::Bool(true)));
    assert!(taken["message"].as_str().unwrap().contains("the server's own"), "{taken}");
    let variable = of("components.forms.http_environment").unwrap_or_else(|| panic!("{report}"));
    assert_eq!(
        (&variable["line"], &variable["is_problem"]),
        (&Value::from(3), &Value::Bool(false))
    );
}

#[test]
fn names_missing_and_ungranted_items_with_line_and_remedy() {
    let text = "bundled = false\n[components.cinema]\ngrants = [\"sql\"]\n\
        settings.catalog = { file = \"films.json\" }\n\
        environment.timezone = \"MADOGUCHI_NO_SUCH\"\n[components.nobody]\n\
        [assistants.counter]\ntools = [\"component:nowhere\"]\n\
        [endpoints]\nfilms = \"cinema/films\"\ngone = \"nowhere/films\"\n\
        [tokens.ci]\nsha256 = \"5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8\"\n\
        scopes = [\"component:nowhere\"]\n";
    let (folders, file) = configured(text);
    folders.put("cinema", &component_bytes("cinema"));
    let (code, report) = check(&folders, &file);
    assert_eq!((code, &report["ok"]), (Some(1), &Value::Bool(false)), "{report}");
    let finding = |about: &str| {
        let findings = report["findings"].as_array().unwrap();
        let found = findings.iter().find(|it| it["about"] == about);
        found.unwrap_or_else(|| panic!("nothing about {about}: {report}"))
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
    let unread = finding("assistants");
    assert_eq!((&unread["line"], &unread["is_problem"]), (&7.into(), &false.into()), "{unread}");
    let owner = finding("assistants.counter.tools");
    assert_eq!((&owner["line"], &owner["is_problem"]), (&8.into(), &false.into()), "{owner}");
    assert_eq!(finding("endpoints.gone")["line"], 11);
    let scope = finding("tokens.ci.scopes");
    assert_eq!((&scope["line"], &scope["is_problem"]), (&14.into(), &false.into()), "{scope}");
    assert!(!report.to_string().contains("endpoints.films"), "it has a path behind its component");
}

#[test]
fn reports_file_unreadable_as_configuration_with_its_line() {
    let (folders, file) = configured("bundled = false\nadr = 1\n");
    let (code, report) = check(&folders, &file);
    assert_eq!((code, &report["findings"][0]["line"]), (Some(1), &2.into()), "{report}");
    let message = report["findings"][0]["message"].as_str().unwrap();
    assert!(message.contains("adr") && message.contains("addr"), "{message}");
    let (folders, file) = configured("[telemetry]\notlp_endpoint = \"nowhere\"\n");
    let (code, report) = check(&folders, &file);
    assert_eq!((code, &report["findings"][0]["line"]), (Some(1), &1.into()), "{report}");
}

#[test]
fn inspect_shows_a_component_before_it_is_installed() {
    let (folders, file) = configured("[components.cinema]\ngrants = []\n");
    let cinema = component("cinema");
    let cinema = cinema.to_str().unwrap();
    let report = printed_json(&run(&folders, &["inspect", cinema, "--json"]));
    assert_eq!((&report["name"], &report["welcome"]), (&"cinema".into(), &true.into()), "{report}");
    assert_eq!(report["digest"], host::digest::digest(&component_bytes("cinema")));
    let needs = |part: &str, name: &str| {
        let parts = report[part].as_array().unwrap();
        let found = parts.iter().find(|it| it["name"].as_str().unwrap().starts_with(name));
        found.unwrap_or_else(|| panic!("no {name}: {report}"))["needs"].clone()
    };
    assert_eq!(needs("imports", "madoguchi:tool/sql"), "sql");
    assert_eq!(needs("imports", "wasi:cli/stderr"), "nothing");
    assert_eq!(needs("exports", "madoguchi:tool/migrations"), "nothing");
    let tools = report["tools"].as_array().unwrap();
    let reserve = tools.iter().find(|it| it["name"] == "reserve_seats").unwrap();
    assert!(reserve["title"].is_string() && reserve["inputSchema"]["properties"].is_object());
    assert_eq!(reserve["annotations"]["readOnlyHint"], false);
    // APP-2.
    assert_eq!(reserve["app"], "ui://cinema/seats");
    let line = report["line"].as_str().unwrap();
    assert!(line.starts_with("grants = [\"sql\""), "{line}");
    let refused = ["--config", file.to_str().unwrap(), "inspect", cinema, "--json"];
    let refused = printed_json(&run(&folders, &refused));
    assert_eq!(refused["welcome"], false);
    assert!(refused["refused"].as_str().unwrap().contains("[components.cinema]"), "{refused}");
    let output = run(&folders, &["inspect", cinema]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("with the grant sql") && text.contains(line), "{text}");
    assert!(text.contains("shown by ui://cinema/seats"), "{text}");
}

#[test]
fn inspect_reports_files_without_tools_and_unservable_ones() {
    let (folders, _) = configured("");
    let text = |file: &str| {
        let output = run(&folders, &["inspect", file]);
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let porter = text(component("porter").to_str().unwrap());
    assert!(porter.contains("\ntools\n  none\n"), "{porter}");
    assert!(porter.contains("grants = [\"http\", \"endpoints\"]"), "{porter}");
    let lending = text(component("lending").to_str().unwrap());
    assert!(lending.contains("with: madoguchi accept lending"), "{lending}");
    // A component with nothing in it: its magic number, the version and the layer.
    let empty = folders.components().join("empty.wasm");
    fs::write(&empty, b"\0asm\x0d\0\x01\0").unwrap();
    let empty = text(empty.to_str().unwrap());
    assert!(empty.contains("cannot be told: it neither exports madoguchi:tool/tools"), "{empty}");
    assert!(empty.contains("keeps it out") && !empty.contains("to let it in"), "{empty}");
    let other = folders.components().join("madoguchi.toml");
    let other = run(&folders, &["inspect", other.to_str().unwrap()]);
    let why = String::from_utf8_lossy(&other.stderr).into_owned();
    assert!(why.contains("no file of WebAssembly") && why.lines().count() == 1, "{why}");
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
        let report = printed_json(&run(&folders, &["inspect", built.to_str().unwrap(), "--json"]));
        assert_eq!(report["defaults"], own, "{name}");
        assert!(report.get("defaults_problem").is_none(), "{report}");
    }
    let assistant = component("assistant");
    let report = printed_json(&run(&folders, &["inspect", assistant.to_str().unwrap(), "--json"]));
    let defaults = report["defaults"].as_str().unwrap();
    let own = fs::read_to_string(root().join("components/assistant/defaults.toml")).unwrap();
    let behind = defaults.strip_prefix(&own).expect("its file comes first");
    for name in ["claude", "gemini", "openai"] {
        for table in ["model_hosts", "models"] {
            assert!(behind.contains(&format!("\n[{table}.{name}]\n")), "{behind}");
        }
    }
    assert!(report.get("defaults_problem").is_none(), "{report}");
    let settings = "grants = ['sql', 'http']\n[[http]]\nhost = 'evil.example'\n";
    let stranger = with_section(&component_bytes("saboteur"), SECTION, settings.as_bytes());
    folders.put("stranger", &stranger);
    let report = printed_json(&run(&folders, &["--config", file, "grants", "--json"]));
    assert_eq!(report["stranger"]["grants"], serde_json::json!([]), "a wish is no grant");
    let path = folders.components().join("stranger.wasm");
    let inspect = |path: &Path| run(&folders, &["inspect", path.to_str().unwrap(), "--json"]);
    let view = printed_json(&inspect(&path));
    assert_eq!((&view["defaults"], &view["welcome"]), (&settings.into(), &false.into()), "{view}");
    let output = run(&folders, &["inspect", path.to_str().unwrap()]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("  host = 'evil.example'"));
    let confused = with_section(&component_bytes("echo"), SECTION, b"colour = 'red'");
    folders.put("confused", &confused);
    let text = printed_json(&inspect(&folders.components().join("confused.wasm")));
    assert!(text["defaults_problem"].as_str().unwrap().contains("colour"), "{text}");
}

#[test]
fn inspect_rejects_file_that_is_no_component() {
    let (folders, file) = configured("");
    let output = run(&folders, &["inspect", file.to_str().unwrap()]);
    assert!(!output.status.success());
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(complaint.contains("not a WebAssembly component"), "{complaint}");
}

#[test]
fn grants_are_listed_with_the_line_that_grants_them() {
    let (folders, file) = configured("\n[components.echo]\ngrants = [\"clock\"]\n");
    folders.put("echo", &component_bytes("echo"));
    folders.put("rogue", &component_bytes("rogue"));
    let config = ["--config", file.to_str().unwrap()];
    let report = printed_json(&run(&folders, &[&config[..], &["grants", "--json"]].concat()));
    assert_eq!(report["echo"]["grants"], serde_json::json!(["clock"]));
    assert!(report["echo"]["by"].as_str().unwrap().ends_with("madoguchi.toml, line 3"), "{report}");
    assert_eq!(report["rogue"]["grants"], serde_json::json!([]));
    assert!(report["cinema"]["grants"].as_array().unwrap().contains(&"sql".into()), "{report}");
    assert!(report["cinema"]["by"].as_str().unwrap().contains("by default"), "{report}");
    let output = run(&folders, &[&config[..], &["grants", "echo"]].concat());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.starts_with("echo  clock  (") && !text.contains("rogue"), "{text}");
    let absent = run(&folders, &["grants", "nobody"]);
    assert!(!absent.status.success());
    assert!(String::from_utf8_lossy(&absent.stderr).contains("no component nobody"), "{absent:?}");
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
    let (code, report) = check(&folders, &file);
    assert_eq!((code, &report["ok"]), (Some(1), &Value::Bool(false)), "{report}");
    let message = report.to_string();
    assert!(message.contains("timezone") && message.contains("PATH"), "{message}");

    fs::write(&file, text.lines().take(3).collect::<Vec<_>>().join("\n")).unwrap();
    let (code, report) = check(&folders, &file);
    assert_eq!(code, Some(1), "{report}");
    let finding = &report["findings"][0];
    assert_eq!((&finding["line"], &finding["is_problem"]), (&3.into(), &true.into()), "{report}");
    assert_eq!(finding["about"], "components.cinema.settings.catalog");
    let message = finding["message"].as_str().unwrap();
    assert!(message.contains("/screens") && message.contains("films.json"), "{message}");

    fs::write(&films, demo).unwrap();
    let before = printed_names(&folders.data());
    assert_eq!(check(&folders, &file).0, Some(0), "a good one is fine");
    assert_eq!(printed_names(&folders.data()), before, "a check leaves nothing behind");
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
        let (code, report) = check(&folders, &file);
        assert_eq!(code, Some(1), "{report}");
        let about = format!("components.errand.{key}");
        let findings = report["findings"].as_array().unwrap();
        let found = findings.iter().find(|it| it["about"] == *about);
        let message = found.unwrap_or_else(|| panic!("{report}"))["message"].as_str().unwrap();
        assert!(message.contains(part), "{message}");
    }
}
