//! `madoguchi run --record` and `madoguchi replay`, as authors use them: DEV-4, DEV-5, DEV-6.

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
    let told = run(&folders, &["replay", path(&file), path(&other)]);
    assert!(text(&told.stdout).contains("another build"), "{told:?}");
    assert!(text(&told.stdout).contains("the same: ") && told.status.success(), "{told:?}");

    let mut changed = record;
    changed["call"]["arguments"]["member"] = "太郎".into();
    fs::write(home.join("changed.json"), changed.to_string()).unwrap();
    let differs = run(&folders, &["replay", path(&home.join("changed.json"))]);
    let told = text(&differs.stderr);
    assert_eq!(differs.status.code(), Some(1), "{differs:?}");
    assert!(told.contains(" differs") && told.contains("expected  sql.transact"), "{told}");
    assert!(told.contains("花子") && told.contains("太郎"), "{told}");

    let example = run(&folders, &["replay", "--as-example", path(&file)]);
    let code = text(&example.stdout);
    assert!(code.contains("example(\"lend_book as it was recorded\""), "{code}");
    assert!(code.contains("// It used events.publish, sql.query, sql.transact: "), "{code}");
}

#[test]
fn what_cannot_be_recorded_or_replayed_says_why() {
    let folders = Folders::new();
    let (reach, home) = (component("reach"), folders.components());
    let file = home.join("call.json");
    let lent = format!("/data={}", home.display());
    let refused = run(
        &folders,
        &["run", "--record", path(&file), "--folder", &lent, path(&reach), "read_folder"],
    );
    assert!(text(&refused.stderr).contains("folders is not recorded"), "{refused:?}");
    assert!(!file.exists(), "nothing is half written");
    let none = run(&folders, &["replay", path(&home.join("none.json"))]);
    assert!(text(&none.stderr).contains("none.json"), "{none:?}");
    fs::write(&file, "{}").unwrap();
    let none = run(&folders, &["replay", path(&file)]);
    assert!(text(&none.stderr).contains("no record of a call"), "{none:?}");
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
    let told = text(&differs.stderr);
    assert!(!differs.status.success() && told.contains("http.send"), "{told}");
    assert!(told.contains(r#"{"body":"one"}"#), "{told}");
}
