//! The data folder: private, used by one server at a time, on full disks and with damaged files.
#![cfg(unix)]

use std::{
    fs, io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Output,
    time::Duration,
};

use serde_json::{Value, json};
use tests::{
    cinema::{free_seats, id, showtimes},
    client::Client,
    component_bytes,
    process::{Process, bare_command, command, output, program},
    server::{Folders, TestServer},
};

mod backup;
mod damage;
mod full;

fn cinema_folders() -> Folders {
    cinema_in(Folders::new())
}

/// The same for what is about the files of its database.
fn cinema_in_files() -> Folders {
    cinema_in(Folders::in_files())
}

fn cinema_in(folders: Folders) -> Folders {
    folders.put("cinema", &component_bytes("cinema"));
    folders.lend_code();
    folders
}

/// Reserves the first free seat of the best showtime; returns the reservation's number.
async fn reserve(client: &Client) -> String {
    let show = id(&showtimes(client).await[0]);
    let seat = free_seats(client, &show).await.remove(0);
    let arguments = json!({ "user_id": "hanako", "showtime_id": show, "seat_ids": [seat] });
    let reservation = client.output("reserve_seats", arguments).await;
    reservation["reservation_id"].as_str().unwrap().to_owned()
}

async fn health(client: &Client) -> Value {
    client.get("/api/health").await.json().await.unwrap()
}

/// Every file and folder below `folder` with its mode.
fn modes(folder: &Path) -> Vec<(PathBuf, u32)> {
    // A running server takes files away between the listing and the look at them.
    (0..100).find_map(|_| modes_at_once(folder).ok()).expect("it can be read")
}

fn modes_at_once(folder: &Path) -> io::Result<Vec<(PathBuf, u32)>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        let metadata = fs::symlink_metadata(&path)?;
        if metadata.is_dir() {
            for entry in fs::read_dir(&path)? {
                open.push(entry?.path());
            }
        }
        found.push((path, metadata.permissions().mode() & 0o777));
    }
    Ok(found)
}

fn open_to_others(folder: &Path) -> Vec<(PathBuf, u32)> {
    modes(folder).into_iter().filter(|(_, mode)| mode & 0o077 != 0).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn keeps_data_folder_closed_to_other_users_new_or_from_before() {
    let folders = cinema_folders();
    let log = folders.components().with_file_name("log");
    // In a new folder all is compiled anew: of one component.
    let alone = log.with_file_name("madoguchi.toml");
    fs::write(&alone, "bundled = false\n").unwrap();
    let start = || {
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", "umask 0; exec \"$0\" \"$@\""]).arg(program()).arg("--data");
        shell.arg(folders.data()).args(["--addr", "127.0.0.1:0", "--components"]);
        shell.arg(folders.components()).arg("--config").arg(&alone);
        Process::logging(shell, fs::File::create(&log).unwrap())
    };
    let mut process = start();
    let client = Client::new(&process.url);
    reserve(&client).await;
    let upload = client.post("/api/blobs", &[("content-type", "text/plain")], "a blob").await;
    assert_eq!(upload.status(), 201);
    // What was called is written beside the calls.
    let audit = folders.data().join("audit/audit.jsonl");
    let is_there = async {
        while !audit.exists() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(tests::PATIENCE, is_there).await.expect("the log is there");
    let files = modes(&folders.data());
    for part in [
        "cinema.db",
        "cinema.db-wal",
        "cinema.db-shm",
        "operator.json",
        "audit.jsonl",
        "manifest.json",
        "seal.key",
        "host.lock",
    ] {
        assert!(files.iter().any(|it| it.0.ends_with(part)), "{part} is there: {files:#?}");
    }
    assert_eq!(open_to_others(&folders.data()), [], "while it serves");
    process.kill();
    let compiled = folders.data().join("compiled");
    for (path, _) in files.iter().filter(|it| it.0.exists() && !it.0.starts_with(&compiled)) {
        let mode = if path.is_dir() { 0o755 } else { 0o644 };
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
    let mut process = start();
    assert_eq!(open_to_others(&folders.data()), [], "what was open is closed");
    process.signal();
    process.wait();
    let log = fs::read_to_string(&log).unwrap();
    let found: Vec<_> = log.lines().filter(|it| it.contains("other users")).collect();
    assert_eq!(found.len(), 1, "in one line: {log}");
}

#[test]
fn rejects_data_folder_of_another_user_with_the_remedy() {
    let folders = Folders::new();
    fs::create_dir(folders.data()).unwrap();
    // A process that may not give it away takes one that is not its own.
    let given = std::os::unix::fs::chown(folders.data(), Some(65_534), None).is_ok();
    let mut command = match given {
        true => command(&folders),
        false => {
            let mut command = std::process::Command::new(program());
            command.args(["--data", "/usr"]);
            command
        }
    };
    let refused = output(command.args(["--addr", "127.0.0.1:0"]));
    assert!(!refused.status.success());
    let complaint = String::from_utf8_lossy(&refused.stderr);
    for part in ["another user", "as that user", "chown -R", "--data"] {
        assert!(complaint.contains(part), "{part}: {complaint}");
    }
}

/// A second program on the same folders.
fn second(folders: &Folders, arguments: &[&str]) -> Output {
    let mut command = command(folders);
    command.arg("--components").arg(folders.components()).args(arguments);
    output(&mut command)
}

#[test]
fn second_server_on_data_folder_exits_at_once_naming_its_holder() {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let mut first = Process::start(&folders);
    let key = fs::read(folders.data().join("operator.json")).unwrap();
    for arguments in [&["--addr", "127.0.0.1:0"][..], &["--stdio"]] {
        let refused = second(&folders, arguments);
        assert_eq!(refused.status.code(), Some(1), "{refused:?}");
        let complaint = String::from_utf8_lossy(&refused.stderr);
        let process = format!("process {}", first.id());
        for part in [&*process, "another server", "stop that one first", "--data"] {
            assert!(complaint.contains(part), "{part}: {complaint}");
        }
        assert!(refused.stdout.is_empty(), "{refused:?}");
    }
    let listed = second(&folders, &["components"]);
    assert!(String::from_utf8_lossy(&listed.stdout).contains("echo"), "the first is commanded");
    assert_eq!(fs::read(folders.data().join("operator.json")).unwrap(), key);
    // One that is killed leaves nothing that keeps the next from starting.
    first.kill();
    drop(Process::start(&folders));
}

#[tokio::test(flavor = "multi_thread")]
async fn read_only_commands_run_during_serve_writing_ones_do_not() {
    let folders = cinema_folders();
    folders.put("conversations", &component_bytes("conversations"));
    let server = TestServer::start(folders, |config| config.operator_addr = None).await;
    reserve(&server.client()).await;
    let exported = tests::process::exported(&server.folders, "cinema", "reservations");
    assert_eq!(exported.len(), 1);
    let lines = server.folders.components().with_file_name("chat.jsonl");
    fs::write(&lines, "").unwrap();
    let lines = lines.to_str().unwrap();
    let refused = second(&server.folders, &["import", "conversations", lines]);
    let complaint = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && complaint.contains("another server"), "{complaint}");
}
