//! Each host capability other than the database, alone: with and without its grant.

use std::{fs, time::Duration};

use host::{component::LoadError, grants::Grant, limits::Limits};
use serde_json::{Value, json};
use tests::{bench::Bench, bench::Tested, component_bytes};
use workbench::{solo::Solo, solo::SoloOutcome};

/// What the component imports, so what it must be granted to load.
const IMPORTED: [Grant; 7] = [
    Grant::Sql,
    Grant::Clock,
    Grant::Folders,
    Grant::Files,
    Grant::Blobs,
    Grant::Events,
    Grant::Assistants,
];

fn imported() -> Bench {
    IMPORTED.into_iter().fold(Bench::of("reach"), Bench::grant)
}

/// A folder with `a.txt` in it, a file beside it that is not granted, and links out.
fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir_all(home.path().join("granted/inner")).unwrap();
    fs::write(home.path().join("granted/a.txt"), "in the folder").unwrap();
    fs::write(home.path().join("granted/inner/b.txt"), "further in").unwrap();
    fs::write(home.path().join("secret.txt"), "secret").unwrap();
    home
}

#[tokio::test]
async fn each_ungranted_import_keeps_it_out_and_gives_the_grant_line() {
    for missing in IMPORTED {
        let others = IMPORTED.into_iter().filter(|it| *it != missing);
        let bench = others.fold(Bench::of("reach"), Bench::grant);
        let started = bench.try_start().await;
        let error = started.err().unwrap_or_else(|| panic!("it starts without {missing}"));
        let all: Vec<_> = error.split('"').skip(1).step_by(2).collect();
        assert!(error.contains("put under [components.reach]: grants = ["), "{error}");
        assert!(all.contains(&&*missing.to_string()), "{missing}: {error}");
        for grant in IMPORTED {
            assert!(all.contains(&&*grant.to_string()), "the line keeps the others: {error}");
        }
    }
}

#[tokio::test]
async fn granted_file_is_read_in_pieces_and_no_other() {
    let home = home();
    let map = home.path().join("map");
    fs::write(&map, "0123456789").unwrap();
    let reach = imported().file("map", &map).start().await;
    let read = |name: &str, offset: u64, length: u32| {
        let piece = (name, offset, length);
        json!({ "name": piece.0, "offset": piece.1, "length": piece.2 })
    };
    let piece = reach.call("read_file", read("map", 2, 3)).await;
    assert_eq!(piece, json!({ "text": "234", "size": 10 }));
    assert_eq!(reach.call("read_file", read("map", 8, 9)).await["text"], "89");
    assert_eq!(reach.call("read_file", read("map", 99, 9)).await["text"], "");
    for other in ["secret.txt", "../secret.txt", "", &map.display().to_string()] {
        let failure = reach.failure("read_file", read(other, 0, 1)).await;
        assert_eq!(failure["error"], "unavailable", "{failure}");
        assert!(failure["message"].as_str().unwrap().contains("not granted the file"), "{failure}");
    }
}

/// More of a file than may cross the border is refused, and the error names the limit.
#[tokio::test]
async fn reading_beyond_the_limit_is_refused_by_its_name() {
    let home = home();
    let limits = Limits { output_bytes_max: 100_000, ..Limits::default() };
    let reach = imported().limits(limits).file("map", &home.path().join("secret.txt"));
    let reach = reach.start().await;
    let arguments = |length| json!({ "name": "map", "offset": 0, "length": length });
    assert_eq!(reach.call("read_file", arguments(100_000)).await["text"], "secret");
    let failure = reach.failure("read_file", arguments(100_001)).await;
    assert!(failure["message"].as_str().unwrap().contains("output_bytes_max"), "{failure}");
}

#[tokio::test]
async fn names_a_missing_file_or_folder_before_component_serves() {
    let home = home();
    let error = imported().file("map", &home.path().join("gone")).try_start().await.err().unwrap();
    assert!(error.starts_with("file map: ") && error.contains("gone"), "{error}");
    let error =
        imported().folder("/data", &home.path().join("gone")).try_start().await.err().unwrap();
    assert!(error.starts_with("folder /data: ") && error.contains("gone"), "{error}");
}

#[tokio::test]
async fn granted_folder_is_read_and_an_ungranted_one_is_not() {
    let home = home();
    let reach = imported().folder("/data", &home.path().join("granted")).start().await;
    let read = reach.call("read_folder", json!({ "path": "/data/a.txt" })).await;
    assert_eq!(read, json!({ "text": "in the folder", "beside": ["a.txt", "inner"] }));
    let read = reach.call("read_folder", json!({ "path": "/data/inner/b.txt" })).await;
    assert_eq!(read["text"], "further in");
    let without = imported().start().await;
    without.failure("read_folder", json!({ "path": "/data/a.txt" })).await;
}

#[tokio::test]
async fn nothing_in_a_granted_folder_can_be_changed() {
    let home = home();
    let reach = imported().folder("/data", &home.path().join("granted")).start().await;
    let tried = reach.call("write_folder", json!({ "folder": "/data" })).await;
    assert_eq!(tried["worked"], json!([]), "{tried}");
    assert_eq!(tried["failed"].as_array().unwrap().len(), 7, "{tried}");
    assert_eq!(fs::read_to_string(home.path().join("granted/a.txt")).unwrap(), "in the folder");
    assert_eq!(fs::read_dir(home.path().join("granted")).unwrap().count(), 2);
}

#[cfg(unix)]
#[tokio::test]
async fn neither_dots_nor_links_lead_out_of_a_folder() {
    use std::os::unix::fs::symlink;
    let home = home();
    let granted = home.path().join("granted");
    let secret = home.path().join("secret.txt");
    symlink(&secret, granted.join("absolute")).unwrap();
    symlink("../secret.txt", granted.join("relative")).unwrap();
    symlink("..", granted.join("up")).unwrap();
    symlink("/", granted.join("root")).unwrap();
    symlink("a.txt", granted.join("inside")).unwrap();
    let reach = imported().folder("/data", &granted).start().await;
    let paths: Vec<Value> = [
        "/data/absolute".to_owned(),
        "/data/relative".to_owned(),
        "/data/up/secret.txt".to_owned(),
        format!("/data/root{}", secret.display()),
        "/data/../secret.txt".to_owned(),
        "/data/inner/../../secret.txt".to_owned(),
        secret.display().to_string(),
        "/proc/self/environ".to_owned(),
        "/etc/passwd".to_owned(),
    ]
    .map(Value::from)
    .to_vec();
    let tried = reach.call("escape_folder", json!({ "paths": paths })).await;
    assert_eq!((&tried["worked"], &tried["failed"]), (&json!([]), &json!(paths)));
    let inside = reach.call("read_folder", json!({ "path": "/data/inside" })).await;
    assert_eq!(inside["text"], "in the folder", "a link within the folder is fine");
}

async fn put(reach: &Tested, text: &str) -> String {
    let arguments = json!({ "text": text, "mime_type": "text/plain" });
    reach.call("put_blob", arguments).await["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn blob_is_read_by_its_name_until_unused_for_a_day() {
    let reach = imported().start().await;
    let id = put(&reach, "hello").await;
    assert_eq!(id, host::digest::digest(b"hello"));
    let read = |id: &str| json!({ "id": id, "offset": 1, "length": 3 });
    assert_eq!(reach.call("read_blob", read(&id)).await, json!({ "text": "ell", "size": 5 }));
    assert_eq!(reach.blobs().read(&id, 0, 99).await.unwrap(), b"hello");
    reach.pass(Duration::from_secs(86_000));
    reach.call("read_blob", read(&id)).await;
    reach.pass(Duration::from_secs(86_000));
    reach.call("read_blob", read(&id)).await;
    reach.pass(Duration::from_secs(86_401));
    for gone in [&*id, &host::digest::digest(b"other"), "../../seal.key", ""] {
        assert_eq!(reach.failure("read_blob", read(gone)).await["error"], "unknown_blob");
    }
}

#[tokio::test]
async fn one_call_makes_no_more_blobs_than_its_limit() {
    let limits = Limits { blob_bytes_max: 12 << 10, ..Limits::default() };
    let reach = imported().limits(limits).start().await;
    let arguments = |times| json!({ "text": "x", "mime_type": "text/plain", "times": times });
    reach.call("put_blob", arguments(3)).await;
    let failure = reach.failure("put_blob", arguments(4)).await;
    assert!(failure["message"].as_str().unwrap().contains("blob_bytes_max"), "{failure}");
}

#[tokio::test]
async fn published_events_of_a_call_are_limited() {
    let limits = Limits { events_max: 3, ..Limits::default() };
    let reach = imported().limits(limits).start().await;
    reach.call("send_letter", json!({ "text": "hi" })).await;
    assert_eq!(reach.published(), ["reach://letters"]);
    reach.call("send_letter", json!({ "text": "hi", "more_rings": 9 })).await;
    assert_eq!(reach.published(), ["reach://other"; 3]);
}

#[tokio::test]
async fn waiting_tool_reports_its_event_and_deadline() {
    let reach = imported().start().await;
    let arguments = json!({ "up_to_ms": 5000 });
    let outcome = reach.round("await_letter", arguments.clone(), json!({})).await;
    let SoloOutcome::Waits(wait) = outcome else { panic!("{outcome:?}") };
    assert_eq!(wait.events, ["reach://letters"]);
    assert_eq!(wait.until.seconds, 1_795_132_800 + 5);
    reach.call("send_letter", json!({ "text": "hi" })).await;
    assert_eq!(reach.call("await_letter", arguments).await["letters"], json!(["hi"]));
}

#[tokio::test]
async fn schedule_needs_its_grant_and_reports_failures() {
    let without = imported().start().await;
    without.run_schedule().await.expect_err("it is not granted");
    assert_eq!(without.call("count_runs", json!({})).await["runs"], 0);
    let reach = imported().grant(Grant::Schedule).start().await;
    reach.run_schedule().await.unwrap();
    reach.run_schedule().await.unwrap();
    assert_eq!(reach.run_schedule().await.unwrap_err(), "the third run fails");
    reach.run_schedule().await.unwrap();
    assert_eq!(reach.call("count_runs", json!({})).await["runs"], 4);
}

#[tokio::test]
async fn look_up_needs_its_grant() {
    let without = imported().start().await;
    let refused = without.get("letters", &[]).await.unwrap_err();
    assert_eq!(refused["status"], 404);
    assert!(refused["message"].as_str().unwrap().contains("\"endpoints\" to grants"), "{refused}");
    let reach = imported().grant(Grant::Endpoints).start().await;
    reach.call("send_letter", json!({ "text": "one" })).await;
    reach.call("send_letter", json!({ "text": "two" })).await;
    assert_eq!(reach.get("letters", &[("q", "tw")]).await, Ok(json!({ "letters": ["two"] })));
    assert_eq!(reach.get("nowhere", &[]).await.unwrap_err()["error"], "not_found");
}

#[tokio::test]
async fn request_is_answered_alone_with_the_events_written() {
    let reach = imported().grant(Grant::Endpoints).start().await;
    let sent = reach.request("POST", "letters", &json!({ "text": "one" })).await.unwrap();
    assert_eq!((sent.status, sent.events.len()), (200, 0));
    assert_eq!(reach.get("letters", &[]).await, Ok(json!({ "letters": ["one"] })));
    let counted = reach.request("GET", "numbers/3", &json!({})).await.unwrap();
    let names: Vec<_> = counted.events.iter().map(|it| it.0.as_str()).collect();
    assert_eq!(names, ["number", "number", "number", "done"]);
    assert_eq!(counted.body, json!({ "count": 3 }));
    let refused = reach.request("DELETE", "letters/two", &json!({})).await.unwrap_err();
    assert_eq!((&refused["status"], &refused["error"]), (&json!(404), &json!("no_such_letter")));
    assert_eq!(reach.request("PUT", "letters", &json!({})).await.unwrap_err()["status"], 405);
}

#[tokio::test]
async fn component_without_host_imports_gets_none() {
    let echo = Solo::new("echo", &component_bytes("echo")).grant(Grant::ALL).start().await.unwrap();
    assert!(echo.blobs().is_none());
    echo.run_schedule().await.expect_err("it has none");
    let refused = echo.get("x", &[]).await.unwrap_err();
    assert_eq!(refused["message"], "The component echo has no endpoints.");
    let error = Solo::new("reach", &component_bytes("reach")).start().await.err().unwrap();
    assert!(matches!(error, LoadError::Refused(_)), "{error}");
}
