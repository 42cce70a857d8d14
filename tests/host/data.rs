//! The data folder: private, used by one server at a time, on full disks and with damaged files.
#![cfg(unix)]

use std::{
    fs, io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Output,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes,
    fixtures::{free_seats, showtime_id, showtimes},
    process::{Process, bare_command, command, output, program},
    server::{Folders, Operator, TestServer},
};

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
    let show = showtime_id(&showtimes(client).await[0]);
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

// Damaged or missing databases: detected, reported with the remedy, and without effect on other components.

/// A server with `echo` and `cinema`, in whose database a seat is reserved.
async fn with_a_seat() -> TestServer {
    let folders = cinema_in_files();
    folders.put("echo", &component_bytes("echo"));
    let server = TestServer::start(folders, |_| {}).await;
    reserve(&server.client()).await;
    server
}

/// Checks that cinema is not served, that health names file, reason and remedy, and that echo is served.
async fn is_reported(client: &Client, why: &str) {
    let body = health(client).await;
    assert_eq!(body["status"], "degraded", "{why}: {body}");
    let error = body["components"]["cinema"]["error"].as_str().unwrap_or_else(|| panic!("{body}"));
    for part in ["cinema.db", why, "backup", "begin anew"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    assert!(!client.tools().await.contains(&"list_movies".to_owned()));
    client.output("echo", json!({ "value": {} })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_gone_empty_or_damaged_database_and_starts_no_new_one() {
    let mut server = with_a_seat().await;
    server.stop().await;
    let file = server.databases().join("cinema.db");
    let good = fs::read(&file).unwrap();
    let mut pages = good.clone();
    let middle = good.len() / 2;
    pages[middle..middle + 4096].fill(0xA5);
    let mut bits = good.clone();
    // In the headers of pages: contents of cells have no checksum.
    for page in 1..good.len() / 4096 {
        bits[page * 4096 + 3] ^= 0x40;
    }
    let half = good[..good.len() / 2].to_vec();
    let damages = [
        (Some(Vec::new()), "empty"),
        (None, "gone"),
        (Some(pages), "damaged"),
        (Some(bits), "damaged"),
        (Some(half), "damaged"),
    ];
    for (bytes, why) in damages {
        match &bytes {
            Some(bytes) => fs::write(&file, bytes).unwrap(),
            None => fs::remove_file(&file).unwrap(),
        }
        server.restart().await;
        is_reported(&server.client(), why).await;
        server.stop().await;
        let found = fs::read(&file).ok();
        assert_eq!(found, bytes, "what there was is left for whoever mends it: {why}");
    }
    fs::write(&file, &good).unwrap();
    server.restart().await;
    assert_eq!(health(&server.client()).await["status"], "ok");
    let kept = tests::process::exported(&server.folders, "cinema", "reservations");
    assert_eq!(kept.len(), 1);
    // The operator asks for a new beginning by removing all of it.
    server.stop().await;
    for entry in fs::read_dir(server.databases()).unwrap().map(|it| it.unwrap().path()) {
        if entry.file_name().unwrap().to_str().unwrap().starts_with("cinema.db") {
            fs::remove_file(entry).unwrap();
        }
    }
    server.restart().await;
    assert_eq!(health(&server.client()).await["status"], "ok");
    assert_eq!(tests::process::exported(&server.folders, "cinema", "reservations").len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_a_log_lost_after_a_kill() {
    for zeroed in [false, true] {
        let folders = cinema_in_files();
        folders.put("echo", &component_bytes("echo"));
        let mut process = Process::start(&folders);
        reserve(&Client::new(&process.url)).await;
        process.kill();
        let log = folders.data().join("databases/cinema.db-wal");
        let bytes = fs::read(&log).unwrap();
        match zeroed {
            true => fs::write(&log, vec![0; bytes.len()]).unwrap(),
            false => fs::remove_file(&log).unwrap(),
        }
        let mut process = Process::start(&folders);
        is_reported(&Client::new(&process.url), "its log").await;
        process.kill();
        // The log is found again, and all is well.
        let index = folders.data().join("databases/cinema.db-shm");
        let _ = fs::remove_file(index);
        fs::write(&log, bytes).unwrap();
        let process = Process::start(&folders);
        assert_eq!(health(&Client::new(&process.url)).await["status"], "ok");
        assert_eq!(tests::process::exported(&folders, "cinema", "reservations").len(), 1);
    }
}

// Full disks: reads are served, and writes resume as soon as there is room.

/// The program on a simulated full disk; the limit can be lifted while it runs.
fn without_room(folders: &Folders) -> std::process::Command {
    in_shell("ulimit -S -f 0; ", folders)
}

/// The program that a limit of files' sizes does not end, after these commands of a shell.
fn in_shell(before: &str, folders: &Folders) -> std::process::Command {
    let mut shell = std::process::Command::new("sh");
    let script = format!("trap '' XFSZ; {before}exec \"$0\" \"$@\"");
    shell.args(["-c", &script]).arg(program()).arg("--data").arg(folders.data());
    shell.args(["--addr", "127.0.0.1:0", "--components"]).arg(folders.components());
    shell
}

fn make_room(process: &Process) {
    limit(process, "--fsize=unlimited");
}

fn limit(process: &Process, sizes: &str) {
    let id = process.id().to_string();
    let limited = std::process::Command::new("prlimit").args(["--pid", &id, sizes]).status();
    assert!(limited.unwrap().success());
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn start_on_a_full_disk_serves_reads_and_recovers_by_itself() {
    let folders = cinema_in_files();
    let mut process = Process::start(&folders);
    let client = Client::new(&process.url);
    let reservation = reserve(&client).await;
    assert_eq!(client.get("/api/health?ready").await.status(), 200);
    process.signal();
    process.wait();

    let mut process = Process::logging(without_room(&folders), std::process::Stdio::null());
    let client = Client::new(&process.url);
    let stored = async |client: &Client| {
        let arguments = json!({ "reservation_id": reservation });
        client.output("get_reservation", arguments).await
    };
    assert_eq!(stored(&client).await["reservation_id"], reservation);
    let show = showtime_id(&showtimes(&client).await[0]);
    let seat = free_seats(&client, &show).await.remove(0);
    let arguments = json!({ "user_id": "taro", "showtime_id": show, "seat_ids": [seat] });
    let refused = client.failure("reserve_seats", arguments).await;
    assert_eq!(
        (&refused["error"], &refused["status"]),
        (&json!("unavailable"), &json!(503)),
        "{refused}"
    );
    let body = health(&client).await;
    assert_eq!((&body["status"], &body["disk"]["status"]), (&json!("degraded"), &json!("failing")));
    assert!(body["disk"]["error"].as_str().unwrap().contains("data folder"), "{body}");
    assert_eq!(client.get("/api/health").await.status(), 200, "it lives");
    assert_eq!(client.get("/api/health?ready").await.status(), 503, "and should not be sent to");
    // STO-40: without the folder.
    let ready = client.get("/api/ready").await;
    assert_eq!(ready.status(), 503);
    let arguments = json!({ "ready": false, "why": "the data folder cannot be written" });
    assert_eq!(ready.json::<Value>().await.unwrap(), arguments);

    make_room(&process);
    let recovered = async {
        while client.get("/api/health?ready").await.status() != 200
            || health(&client).await["status"] != "ok"
        {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    tokio::time::timeout(tests::PATIENCE, recovered).await.expect("it recovers");
    let next = reserve(&client).await;
    assert_eq!(stored(&client).await["reservation_id"], reservation);
    let listed = output(command(&folders).args(["components"]));
    assert!(listed.status.success(), "the operator reaches it: {listed:?}");
    process.kill();
    let process = Process::start(&folders);
    let client = Client::new(&process.url);
    let arguments = json!({ "reservation_id": next });
    assert_eq!(client.output("get_reservation", arguments).await["reservation_id"], next);
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn changes_wait_for_the_audit_log_unless_operator_opts_out() {
    for (lines, is_refused) in [("", true), ("[audit]\nrequired = false\n", false)] {
        let folders = Folders::new();
        folders.put("echo", &component_bytes("echo"));
        folders.put("rogue", &component_bytes("rogue"));
        drop(Process::start(&folders));
        let file = folders.components().with_file_name("madoguchi.toml");
        fs::write(&file, lines).unwrap();
        let mut command = without_room(&folders);
        command.arg("--config").arg(&file);
        let process = Process::logging(command, std::process::Stdio::null());
        let client = Client::new(&process.url);
        client.output("echo", json!({ "value": {} })).await;
        // It says of itself neither that it reads nor anything else.
        let error = client.failure("panic", json!({})).await;
        assert_eq!(error["error"] == "unavailable", is_refused, "{error}");
        if is_refused {
            let message = error["message"].as_str().unwrap();
            assert!(message.contains("audit log") && message.contains("[audit]"), "{message}");
            make_room(&process);
            let runs = async {
                while client.failure("panic", json!({})).await["error"] == "unavailable" {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            };
            tokio::time::timeout(tests::PATIENCE, runs).await.expect("it recovers");
        }
    }
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn settings_not_written_on_a_full_disk_apply_later() {
    let folders = cinema_in_files();
    let demo = tests::root().join("components/cinema/demo.json");
    let mut catalogue: Value = serde_json::from_slice(&fs::read(demo).unwrap()).unwrap();
    let file = folders.components().with_file_name("films.json");
    let mut name = |title: &str| {
        catalogue["movies"][0]["title"] = title.into();
        fs::write(&file, catalogue.to_string()).unwrap();
    };
    name("最初の題名");
    let config = folders.components().with_file_name("madoguchi.toml");
    let lines = "[components.cinema.settings]\ncatalog = { file = \"films.json\" }\n";
    fs::write(&config, lines).unwrap();
    let mut command = in_shell("", &folders);
    command.arg("--config").arg(&config);
    let process = Process::logging(command, std::process::Stdio::null());
    let client = Client::new(&process.url);
    let says = async |what: &str| {
        let so = async {
            loop {
                let movies = client.output("list_movies", json!({})).await;
                let health = health(&client).await;
                if movies.to_string().contains(what) || health.to_string().contains(what) {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        };
        tokio::time::timeout(tests::PATIENCE, so).await.unwrap_or_else(|_| panic!("{what}"));
    };
    says("最初の題名").await;
    limit(&process, "--fsize=0:");
    name("次の題名");
    says("its settings: ").await;
    make_room(&process);
    says("次の題名").await;
    let told_no_more = async {
        while health(&client).await["components"]["cinema"]["error"] != Value::Null {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    tokio::time::timeout(tests::PATIENCE, told_no_more).await.expect("nothing is wrong any more");
}

// Backups are taken during bookings, and restored whole or not at all.

fn run(folders: &Folders, arguments: &[&str], path: &Path) -> Output {
    output(bare_command(folders).args(arguments).arg(path))
}

#[tokio::test(flavor = "multi_thread")]
async fn restores_from_backup_all_that_was_acknowledged_before_it() {
    let folders = cinema_in_files();
    let process = Process::start(&folders);
    let client = Client::new(&process.url);
    let upload = client.post("/api/blobs", &[("content-type", "text/plain")], "a blob").await;
    let blob: Value = upload.json().await.unwrap();
    let (booked, is_over) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
    let show = showtime_id(&showtimes(&client).await[0]);
    let seats = free_seats(&client, &show).await;
    let buyer = {
        let (client, booked, is_over) = (client.clone(), booked.clone(), is_over.clone());
        tokio::spawn(async move {
            for seat in seats {
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
                let arguments = json!({ "user_id": "u", "showtime_id": show, "seat_ids": [seat] });
                let done = client.output("reserve_seats", arguments).await;
                booked.lock().unwrap().push(done["reservation_id"].as_str().unwrap().to_owned());
            }
        })
    };
    while booked.lock().unwrap().len() < 5 {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let before = booked.lock().unwrap().clone();
    let copy = folders.components().with_file_name("copy");
    let taken = run(&folders, &["backup"], &copy);
    is_over.store(true, Ordering::Relaxed);
    assert!(taken.status.success(), "{taken:?}");
    buyer.await.unwrap();
    assert_eq!(open_to_others(&copy), [], "as secret as the folder");
    assert!(!copy.join("operator.json").exists() && !copy.join("host.lock").exists());
    assert!(copy.join("answers.guard").is_file(), "no used answer counts again");

    // Not over data, and never into what is copied.
    let over = run(&folders, &["restore"], &copy);
    let complaint = String::from_utf8_lossy(&over.stderr);
    assert!(!over.status.success() && complaint.contains("another server"), "{complaint}");
    assert!(!run(&folders, &["backup"], &copy).status.success(), "the copy is not written over");
    let inside = run(&folders, &["backup"], &folders.data().join("inside"));
    assert!(String::from_utf8_lossy(&inside.stderr).contains("elsewhere"), "{inside:?}");
    drop(process);
    let over = run(&folders, &["restore"], &copy);
    let complaint = String::from_utf8_lossy(&over.stderr);
    assert!(!over.status.success() && complaint.contains("has data already"), "{complaint}");

    let fresh = Folders::in_files();
    fresh.put("cinema", &component_bytes("cinema"));
    let restored = run(&fresh, &["restore"], &copy);
    assert!(restored.status.success(), "{restored:?}");
    assert_eq!(open_to_others(&fresh.data()), []);
    // A backup leaves out compiled code: one component is compiled again.
    let alone = fresh.components().join("madoguchi.toml");
    fs::write(&alone, "bundled = false\n").unwrap();
    let mut command = command(&fresh);
    command.args(["--addr", "127.0.0.1:0", "--components"]).arg(fresh.components());
    command.arg("--config").arg(&alone);
    let process = Process::from(command);
    let client = Client::new(&process.url);
    assert_eq!(health(&client).await["status"], "ok");
    for reservation in &before {
        let arguments = json!({ "reservation_id": reservation });
        let stored = client.output("get_reservation", arguments).await;
        assert_eq!(stored["reservation_id"], **reservation);
    }
    let path = format!("/api/blobs/{}", blob["id"].as_str().unwrap());
    assert_eq!(client.get(&path).await.text().await.unwrap(), "a blob");
    reserve(&client).await;
}

/// OPS-11: what the operator's page downloads is what the command copies, and comes back the same way.
#[tokio::test(flavor = "multi_thread")]
async fn a_downloaded_backup_is_restored_once_unpacked() {
    let folders = cinema_in_files();
    let process = Process::start(&folders);
    let client = Client::new(&process.url);
    let upload = client.post("/api/blobs", &[("content-type", "text/plain")], "a blob").await;
    let blob: Value = upload.json().await.unwrap();
    let reservation = reserve(&client).await;
    let operator = Operator::of(&folders.data());
    let ask = || {
        let address = format!("{}/operator/backup", operator.url);
        tests::client::http().build().unwrap().post(address).bearer_auth(&operator.token).send()
    };
    // One that is not read holds its turn, and nothing else up.
    let stalled = ask().await.unwrap();
    assert_eq!(stalled.status(), 200);
    assert_eq!(stalled.headers()["cache-control"], "no-store");
    reserve(&client).await;
    drop(stalled);
    let mut taken = None;
    tests::until("the next one has its turn", async || {
        let answer = ask().await.unwrap();
        match answer.status().as_u16() {
            200 => taken = Some(answer.bytes().await.unwrap()),
            status => assert_eq!(status, 409, "there is one at a time"),
        }
        taken.is_some()
    })
    .await;
    let taken = taken.unwrap();
    assert!(!folders.data().join("backup.tmp").exists(), "nothing is left behind");
    drop(process);

    let copy = folders.components().with_file_name("copy");
    fs::create_dir(&copy).unwrap();
    let archive = folders.components().with_file_name("copy.tar");
    fs::write(&archive, &taken).unwrap();
    let unpacked =
        output(std::process::Command::new("tar").arg("-xf").arg(&archive).arg("-C").arg(&copy));
    assert!(unpacked.status.success(), "{unpacked:?}");
    let fresh = Folders::in_files();
    fresh.put("cinema", &component_bytes("cinema"));
    let restored = run(&fresh, &["restore"], &copy);
    assert!(restored.status.success(), "{restored:?}");
    let process = Process::start(&fresh);
    let client = Client::new(&process.url);
    let arguments = json!({ "reservation_id": reservation });
    let stored = client.output("get_reservation", arguments).await;
    assert_eq!(stored["reservation_id"], reservation);
    let path = format!("/api/blobs/{}", blob["id"].as_str().unwrap());
    assert_eq!(client.get(&path).await.text().await.unwrap(), "a blob");
    drop(process);

    // An interrupted backup is invalid: its list is written last.
    let broken = fs::File::options().write(true).open(&archive).unwrap();
    broken.set_len(taken.len() as u64 / 2).unwrap();
    fs::remove_dir_all(&copy).unwrap();
    fs::create_dir(&copy).unwrap();
    output(std::process::Command::new("tar").arg("-xf").arg(&archive).arg("-C").arg(&copy));
    let refused = run(&Folders::in_files(), &["restore"], &copy);
    assert!(
        String::from_utf8_lossy(&refused.stderr).contains("nothing was restored"),
        "{refused:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn incomplete_backup_is_not_restored_at_all() {
    let folders = cinema_in_files();
    let mut process = Process::start(&folders);
    reserve(&Client::new(&process.url)).await;
    process.kill();
    let copy = folders.components().with_file_name("copy");
    assert!(run(&folders, &["backup"], &copy).status.success(), "without a server, too");
    let database = copy.join("databases/cinema.db");
    let good = fs::read(&database).unwrap();
    let mut flipped = good.clone();
    flipped[good.len() / 2] ^= 1;
    let fresh = Folders::in_files();
    for (bytes, why) in [(Some(flipped), "not as it was written"), (None, "cinema.db")] {
        match bytes {
            Some(bytes) => fs::write(&database, bytes).unwrap(),
            None => fs::remove_file(&database).unwrap(),
        }
        let refused = run(&fresh, &["restore"], &copy);
        let complaint = String::from_utf8_lossy(&refused.stderr);
        assert!(!refused.status.success(), "{refused:?}");
        assert!(
            complaint.contains(why) && complaint.contains("nothing was restored"),
            "{complaint}"
        );
        assert!(!fresh.data().exists());
    }
    fs::write(&database, good).unwrap();
    fs::remove_file(copy.join("backup.json")).unwrap();
    assert!(
        !run(&fresh, &["restore"], &copy).status.success(),
        "a copy that broke off has no list"
    );
    let nothing = run(&fresh, &["backup"], &fresh.components().join("copy"));
    assert!(String::from_utf8_lossy(&nothing.stderr).contains("no data folder"), "{nothing:?}");
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn interrupted_restore_changes_nothing() {
    let folders = cinema_in_files();
    let mut process = Process::start(&folders);
    let reservation = reserve(&Client::new(&process.url)).await;
    process.kill();
    let copy = folders.components().with_file_name("copy");
    assert!(run(&folders, &["backup"], &copy).status.success());
    let fresh = Folders::in_files();
    // Without the trap the system kills it at the first file that grows beyond that; with it the disk is full.
    for trap in ["", "trap '' XFSZ; "] {
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &format!("{trap}ulimit -f 16; exec \"$0\" \"$@\"")]).arg(program());
        shell.arg("--data").arg(fresh.data()).arg("restore").arg(&copy);
        let broken = output(&mut shell);
        assert!(!broken.status.success(), "{broken:?}");
        let there = ["databases", "audit", "seal.key", "answers.guard"];
        let there = there.map(|it| fresh.data().join(it).exists());
        assert_eq!(there, [false; 4], "{broken:?}");
    }
    let restored = run(&fresh, &["restore"], &copy);
    assert!(restored.status.success(), "{restored:?}");
    assert!(!fresh.data().join(".moving").exists(), "nothing of before is left");
    let kept = tests::process::exported(&fresh, "cinema", "reservations");
    assert!(kept.iter().any(|it| it["reservation_id"] == *reservation), "{kept:?}");
}
