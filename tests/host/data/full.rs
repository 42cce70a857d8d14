//! Full disks: reads are served, and writes resume as soon as there is room.

use super::*;

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
    let show = id(&showtimes(&client).await[0]);
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
