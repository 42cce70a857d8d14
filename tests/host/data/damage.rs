//! Damaged or missing databases: detected, reported with the remedy, and without effect on other components.

use super::*;

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
