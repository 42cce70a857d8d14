//! The program as users start it: clear errors, a stop that loses nothing, and the import of maps.

use std::{fs, net::TcpListener, path::Path, process::Output, time::Duration};

use graph::Graph;
use serde_json::json;
use tests::{
    client::Client,
    component, component_bytes,
    maps::helsinki_extract,
    process::{Process, command, exported, output},
    server::Folders,
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
    let value: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
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
    let show = tests::cinema::id(&tests::cinema::showtimes(&client).await[0]);
    let seats = tests::cinema::free_seats(&client, &show).await;
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
