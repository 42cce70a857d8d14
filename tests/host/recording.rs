//! `madoguchi run --record` and `madoguchi replay` (DEV-4, DEV-5, DEV-6).

use std::{fs, os::unix::fs::PermissionsExt, path::Path, process::Output};

use serde_json::{Value, json};
use tests::{
    component, component_bytes,
    fake::Fake,
    process::{command, output},
    rebuilt,
    server::Folders,
};

fn run(folders: &Folders, arguments: &[&str]) -> Output {
    output(command(folders).args(arguments))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_call_is_recorded_replayed_and_made_an_example() {
    let folders = Folders::new();
    let (lending, home) = (component("lending"), folders.components());
    let (file, database) = (home.join("call.json"), home.join("lending.db"));
    let arguments = json!({ "title": "雪国", "member": "花子" }).to_string();
    let call = ["run", "--database", path(&database), "--record", path(&file), path(&lending)];
    let lent = run(&folders, &[&call[..], &["lend_book", &arguments]].concat());
    assert!(lent.status.success() && text(&lent.stdout).contains("花子"), "{lent:?}");
    let mode = fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0, "it is its author's alone");
    let record: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(record["call"]["tool"], "lend_book");
    assert_eq!(record["call"]["arguments"]["member"], "花子");
    assert!(record["uses"].as_array().unwrap().iter().any(|it| it["use"] == "sql.transact"));

    // The book is lent by now: only the record can lend it again.
    fs::remove_file(&database).unwrap();
    let same = run(&folders, &["replay", path(&file)]);
    assert!(same.status.success() && text(&same.stdout).starts_with("the same: "), "{same:?}");
    assert!(!database.exists(), "the world is not touched");
    let other = home.join("another.wasm");
    fs::write(&other, rebuilt(&component_bytes("lending"), 1)).unwrap();
    let output = run(&folders, &["replay", path(&file), path(&other)]);
    assert!(text(&output.stdout).contains("another build"), "{output:?}");
    assert!(text(&output.stdout).contains("the same: ") && output.status.success(), "{output:?}");

    let mut changed = record;
    changed["call"]["arguments"]["member"] = "太郎".into();
    fs::write(home.join("changed.json"), changed.to_string()).unwrap();
    let differs = run(&folders, &["replay", path(&home.join("changed.json"))]);
    let line = text(&differs.stderr);
    assert_eq!(differs.status.code(), Some(1), "{differs:?}");
    assert!(line.contains(" differs") && line.contains("expected  sql.transact"), "{line}");
    assert!(line.contains("花子") && line.contains("太郎"), "{line}");

    let example = run(&folders, &["replay", "--as-example", path(&file)]);
    let code = text(&example.stdout);
    assert!(code.contains("example(\"lend_book as it was recorded\""), "{code}");
    assert!(code.contains("// It used events.publish, sql.query, sql.transact: "), "{code}");
}

#[test]
fn unrecordable_calls_are_refused_with_the_reason() {
    let folders = Folders::new();
    let (reach, home) = (component("reach"), folders.components());
    let file = home.join("call.json");
    let large = fs::File::create(home.join("large")).unwrap();
    large.set_len(9 << 20).unwrap();
    let lent = format!("/data={}", home.display());
    let read = json!({ "path": "/data/large" }).to_string();
    let record = ["run", "--record", path(&file), "--folder", &lent, path(&reach), "read_folder"];
    let record = [&record[..], &[&read]].concat();
    fs::write(&file, "what stands").unwrap();
    let refused = run(&folders, &record);
    let line = text(&refused.stderr);
    assert!(line.contains("/data is not recorded") && line.contains("8388608 bytes"), "{line}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "what stands", "nothing is half written");
    fs::remove_file(home.join("large")).unwrap();
    let none = run(&folders, &["replay", path(&home.join("none.json"))]);
    assert!(text(&none.stderr).contains("none.json"), "{none:?}");
    fs::write(&file, "{}").unwrap();
    let none = run(&folders, &["replay", path(&file)]);
    assert!(text(&none.stderr).contains("no record of a call"), "{none:?}");
    fs::File::create(&file).unwrap().set_len(65 << 20).unwrap();
    let none = run(&folders, &["replay", path(&file)]);
    assert!(text(&none.stderr).contains("68157440 bytes; at most 67108864"), "{none:?}");

    let (echo, greeted) = (component("echo"), home.join("greeted.json"));
    let value = json!({ "value": { "a": 7 } }).to_string();
    let call = ["run", "--record", path(&greeted), path(&echo), "echo", &value];
    let recorded = run(&folders, &call);
    assert!(recorded.status.success(), "{recorded:?}");
    let other = run(&folders, &["replay", path(&greeted), path(&reach)]);
    let line = text(&other.stderr);
    assert_eq!(other.status.code(), Some(1), "{other:?}");
    assert!(line.contains("has no tool \"echo\"") && line.contains("component echo"), "{line}");
    let changed =
        fs::read_to_string(&greeted).unwrap().replacen("\"random\": \"", "\"random\": \"x", 1);
    fs::write(&greeted, changed).unwrap();
    let text = text(&run(&folders, &["replay", path(&greeted)]).stderr);
    assert!(text.contains("call.random") && text.contains("64 digits"), "{text}");
}

/// The record has the answers of other tools and the contents of folders: a replay reads neither (DEV-4, DEV-5).
#[test]
fn calls_of_tools_and_folders_are_recorded_and_replayed() {
    let folders = Folders::new();
    let home = folders.components();
    let (errand, file) = (component("errand"), home.join("call.json"));
    let calls = json!({ "calls": [
        { "tool": "list_books", "arguments": { "shelf": 3 } },
        { "tool": "burn_books", "arguments": {} },
    ] });
    let returns = format!("list_books={}", json!({ "books": ["雪国"] }));
    let call = ["run", "--record", path(&file), "--tool-returns", &returns, path(&errand)];
    let tried = run(&folders, &[&call[..], &["try_errands", &calls.to_string()]].concat());
    let message = text(&tried.stdout);
    assert!(tried.status.success() && message.contains("雪国"), "DEV-4: {tried:?}");
    assert!(message.contains("unknown_tool"), "no other tool is there: {message}");
    let same = run(&folders, &["replay", path(&file)]);
    assert!(text(&same.stdout).starts_with("the same: "), "DEV-5: {same:?}");
    let mut changed: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let used = changed["uses"].as_array_mut().unwrap();
    let called = used.iter_mut().find(|it| it["use"] == "calls.call").expect("DEV-4");
    assert_eq!(called["with"][0][0], "list_books", "DEV-4: {called}");
    called["with"][0][0] = "list_films".into();
    fs::write(&file, changed.to_string()).unwrap();
    let differs = run(&folders, &["replay", path(&file)]);
    let line = text(&differs.stderr);
    assert!(line.contains("expected  calls.call") && line.contains("list_films"), "DEV-5: {line}");
    let wrong = run(&folders, &["run", "--tool-returns", "list_books=7", path(&errand)]);
    assert!(text(&wrong.stderr).contains("a JSON object"), "{wrong:?}");

    let (reach, lent) = (component("reach"), home.join("lent"));
    fs::create_dir_all(lent.join("maps")).unwrap();
    fs::write(lent.join("maps/a.txt"), "here").unwrap();
    fs::write(lent.join("maps/b.bin"), [0xff, 0]).unwrap();
    let grant = format!("/data={}", lent.display());
    let read = json!({ "path": "/data/maps/a.txt" }).to_string();
    let call = ["run", "--record", path(&file), "--folder", &grant, path(&reach), "read_folder"];
    let found = run(&folders, &[&call[..], &[&read]].concat());
    let line = text(&found.stdout);
    assert!(found.status.success() && line.contains("here") && line.contains("b.bin"), "{found:?}");
    fs::remove_dir_all(&lent).unwrap();
    let same = run(&folders, &["replay", path(&file)]);
    assert!(same.status.success(), "DEV-5: what was read is in the record: {same:?}");
    let changed = fs::read_to_string(&file).unwrap();
    let changed = changed.replacen("\"here\"", "\"there\"", 1);
    fs::write(&file, changed).unwrap();
    let differs = run(&folders, &["replay", path(&file)]);
    let text = text(&differs.stderr);
    assert_eq!(differs.status.code(), Some(1), "{differs:?}");
    assert!(text.contains("the outcome differs at ") && text.contains("there"), "DEV-5: {text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_is_answered_from_the_record_without_secrets() {
    let (fake, folders) = (Fake::start().await, Folders::new());
    let (courier, file) = (component("courier"), folders.components().join("call.json"));
    let headers = json!({ "authorization": "Bearer s3cret-of-ann", "x-kept": "as it is" });
    let arguments = json!({
        "url": fake.url("/ok"), "method": "POST", "headers": headers, "body": "two",
    });
    let recorded = run(
        &folders,
        &[
            "run",
            "--record",
            path(&file),
            "--allow-http",
            &fake.url(""),
            path(&courier),
            "fetch",
            &arguments.to_string(),
        ],
    );
    assert!(recorded.status.success(), "{recorded:?}");
    let text_of_record = fs::read_to_string(&file).unwrap();
    assert!(text_of_record.contains("http.send") && text_of_record.contains("as it is"));
    assert!(!text_of_record.contains("s3cret"), "{text_of_record}");
    let sent = fake.received().len();
    let same = run(&folders, &["replay", path(&file)]);
    assert!(text(&same.stdout).contains("the same: ") && same.status.success(), "{same:?}");
    assert_eq!(fake.received().len(), sent, "no host is asked");

    let mut other: Value = serde_json::from_str(&text_of_record).unwrap();
    other["call"]["arguments"]["body"] = "one".into();
    fs::write(&file, other.to_string()).unwrap();
    let differs = run(&folders, &["replay", path(&file)]);
    let text = text(&differs.stderr);
    assert!(!differs.status.success() && text.contains("http.send"), "{text}");
    assert!(text.contains(r#"{"body":"one"}"#), "{text}");
}
