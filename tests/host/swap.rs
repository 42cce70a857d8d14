//! Components are replaced while they serve, unnoticed by callers (SYS-6), those of an earlier contract too.

use std::{
    collections::BTreeSet,
    fs,
    io::Read,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use flate2::read::GzDecoder;
use serde_json::json;
use tests::{
    client::{LegacySession, Listener},
    component_bytes,
    fixtures::{free_seats, showtime_id, showtimes},
    rebuilt, root,
    server::{Folders, TestServer},
};
use tokio::sync::Mutex;

/// Waits until the reloader has looked at the folder and acted on what it saw.
async fn settled(server: &TestServer, digest_of: &[u8]) {
    let digest = digest(digest_of);
    let mut changes = server.server().calls.registry.changes();
    let installed =
        changes.wait_for(|it| it.component("cinema").is_some_and(|it| **it.digest() == digest));
    tokio::time::timeout(tests::PATIENCE, installed).await.expect("in time").unwrap();
}

/// Waits for another error of the reloader than `before`.
async fn refused(server: &TestServer, before: &str) -> String {
    let client = server.client();
    let body = async {
        loop {
            let health: serde_json::Value = client.get("/api/health").await.json().await.unwrap();
            match health["components"]["cinema"]["error"].as_str() {
                Some(error) if error != before => return error.to_owned(),
                _ => tokio::time::sleep(Duration::from_millis(5)).await,
            }
        }
    };
    tokio::time::timeout(tests::PATIENCE, body).await.expect("the bad file is seen")
}

fn digest(bytes: &[u8]) -> String {
    host::digest::digest(bytes)
}

/// Waits for so many notifications that the list of tools has changed, and for no more of them.
async fn receive_changes(listener: &mut Listener, changes: usize) {
    const CHANGED: &str = "notifications/tools/list_changed";
    let mut received = 0;
    while received < changes {
        let (method, _) = listener.notified().await;
        assert!(method.ends_with("/list_changed"), "{method}");
        received += usize::from(method == CHANGED);
    }
    while let Some(message) = listener.next(Duration::from_secs(1)).await {
        assert_ne!(message["method"], CHANGED, "each is sent once");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_swaps_under_16_connections_lose_no_call_and_no_seat() {
    let original = component_bytes("cinema");
    let folders = Folders::new();
    folders.put("cinema", &original);
    let mut server = TestServer::start(folders, |_| {}).await;
    let client = server.client();
    let shows = showtimes(&client).await;
    let mut modern = client.listen().await;
    let session = LegacySession::open(&server.url()).await;
    let mut legacy = session.listen().await;

    let stop = Arc::new(AtomicBool::new(false));
    let acknowledged = Arc::new(Mutex::new(BTreeSet::new()));
    let mut callers = Vec::new();
    for caller in 0..16_usize {
        let (client, stop, acknowledged) = (server.client(), stop.clone(), acknowledged.clone());
        let show = showtime_id(&shows[caller % shows.len().min(4)]);
        callers.push(tokio::spawn(async move {
            let seats = free_seats(&client, &show).await;
            let (mut calls, mut next) = (0_usize, caller / 4);
            while !stop.load(Ordering::Relaxed) {
                calls += 1;
                if caller % 2 == 0 && next < seats.len() {
                    let seat = &seats[next];
                    next += 4;
                    let arguments =
                        json!({ "user_id": "u", "showtime_id": show, "seat_ids": [seat] });
                    let result = client.call("reserve_seats", arguments).await;
                    if result["isError"] == true {
                        let error = &result["_meta"]["madoguchi/error"];
                        let reason = tests::log::reason(&result);
                        assert_eq!(error["error"], "seat_already_reserved", "{result}{reason}");
                    } else {
                        acknowledged.lock().await.insert((show.clone(), seat.clone()));
                    }
                } else {
                    let left = free_seats(&client, &show).await;
                    assert!(left.len() <= seats.len());
                }
            }
            calls
        }));
    }

    let (mut real, mut error) = (0, String::new());
    for turn in 0..20_u8 {
        match turn % 4 {
            0 => {
                real += 1;
                let build = rebuilt(&original, turn);
                server.folders.put("cinema", &build);
                settled(&server, &build).await;
                error.clear();
            }
            1 => {
                let same = fs::read(server.file("cinema")).unwrap();
                server.folders.put("cinema", &same);
                tokio::time::sleep(Duration::from_millis(150)).await;
            }
            2 => {
                server.folders.put("cinema", b"garbage");
                error = refused(&server, &error).await;
            }
            _ => {
                // As an editor would: in place, half of it first.
                fs::write(server.file("cinema"), &original[..original.len() / 2]).unwrap();
                error = refused(&server, &error).await;
            }
        }
    }
    stop.store(true, Ordering::Relaxed);
    let mut calls = 0;
    for caller in callers {
        calls += caller.await.expect("no call failed");
    }
    assert!(calls > 100, "{calls}");
    receive_changes(&mut modern, real).await;
    receive_changes(&mut legacy, real).await;

    // The folder holds half a component now: the last good version serves after a restart.
    server.restart().await;
    let client = server.client();
    let acknowledged = acknowledged.lock().await;
    for show in shows.iter().take(4).map(showtime_id) {
        let sold = acknowledged.iter().filter(|it| it.0 == show).count();
        let map = client
            .output(
                "list_available_seats",
                json!({ "showtime_id": show, "include_reserved": true }),
            )
            .await;
        let seats = map["seats"].as_array().unwrap();
        let reserved = seats.iter().filter(|it| it["is_reserved"] == true).count();
        assert_eq!(reserved, sold, "what was acknowledged is what is stored");
    }
    let health: serde_json::Value = client.get("/api/health").await.json().await.unwrap();
    assert_eq!(health["status"], "degraded");
    assert!(health["components"]["cinema"]["error"].is_string(), "{health}");
}

#[tokio::test(flavor = "multi_thread")]
async fn file_that_is_still_being_written_is_no_error() {
    let original = component_bytes("echo");
    let server = TestServer::with(&["echo"]).await;
    let error = async || {
        let health = server.client().get("/api/health").await;
        let health: serde_json::Value = health.json().await.unwrap();
        health["components"]["echo"]["error"].as_str().map(str::to_owned)
    };
    let build = rebuilt(&original, 7);
    let piece = build.len().div_ceil(10);
    for written in (piece..build.len()).step_by(piece) {
        fs::write(server.file("echo"), &build[..written]).unwrap();
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert_eq!(error().await, None, "after {written} bytes");
    }
    let why = async {
        loop {
            match error().await {
                Some(why) => return why,
                None => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    };
    let why = tokio::time::timeout(tests::PATIENCE, why).await.expect("no more of it comes");
    assert!(why.contains("damaged or not whole"), "{why}");
    fs::write(server.file("echo"), &build).unwrap();
    let digest = digest(&build);
    let mut changes = server.server().calls.registry.changes();
    let installed =
        changes.wait_for(|it| it.component("echo").is_some_and(|it| **it.digest() == digest));
    tokio::time::timeout(tests::PATIENCE, installed).await.expect("in time").unwrap();
    assert_eq!(error().await, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn call_running_during_a_swap_ends_on_the_version_it_began_with() {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let server = TestServer::start(folders, |config| {
        config.limits.cpu_ms_max = 100_000;
        config.limits.deadline_ms = 120_000;
    })
    .await;
    let (original, build) = (component_bytes("echo"), rebuilt(&component_bytes("echo"), 7));
    let settle = async |bytes: &[u8]| {
        let mut changes = server.server().calls.registry.changes();
        let before = changes.borrow_and_update().generation();
        server.folders.put("echo", bytes);
        changes.wait_for(|it| it.generation() > before).await.unwrap();
    };
    // Both are compiled before, so that the swap takes no time.
    settle(&build).await;
    settle(&original).await;
    let client = server.client();
    let slow =
        tokio::spawn(async move { client.call("count_slowly", json!({ "steps": 12_000 })).await });
    server.is_running("echo", 1).await;
    settle(&build).await;
    assert!(!slow.is_finished(), "the call runs while its component is replaced");
    let result = slow.await.unwrap();
    assert_eq!(result["structuredContent"]["counted"], 12_000, "{result}");
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_second_component_with_same_tool_and_first_serves_on() {
    let server = TestServer::with(&["echo"]).await;
    server.folders.put("parrot", &rebuilt(&component_bytes("echo"), 9));
    let client = server.client();
    let body = async {
        loop {
            let health: serde_json::Value = client.get("/api/health").await.json().await.unwrap();
            if let Some(error) = health["components"]["parrot"]["error"].as_str() {
                return error.to_owned();
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let error = tokio::time::timeout(tests::PATIENCE, body).await.expect("it is told");
    assert!(error.contains("tool echo, which component echo offers already"), "{error}");
    assert_eq!(client.output("echo", json!({ "value": {} })).await, json!({ "value": {} }));
}

#[tokio::test(flavor = "multi_thread")]
async fn removed_component_is_no_longer_offered() {
    let server = TestServer::with(&["echo", "rogue"]).await;
    let mut changes = server.server().calls.registry.changes();
    fs::remove_file(server.file("rogue")).unwrap();
    let gone = changes.wait_for(|it| it.component("rogue").is_none());
    tokio::time::timeout(tests::PATIENCE, gone).await.expect("in time").unwrap();
    assert!(!server.client().tools().await.contains(&"spin".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn unreadable_folder_removes_no_component() {
    let server = TestServer::with(&["echo"]).await;
    let before = server.server().calls.registry.catalog().component("echo").unwrap().clone();
    let mut changes = server.server().calls.registry.changes();
    let folder = server.folders.components();
    let aside = folder.with_file_name("aside");
    fs::rename(&folder, &aside).unwrap();
    // As where a disk fails: there is something, and no list of it.
    fs::write(&folder, "").unwrap();
    // Two scans one second apart confirm a removal; scans run every 2 s.
    tokio::time::sleep(Duration::from_secs(6)).await;
    fs::remove_file(&folder).unwrap();
    fs::rename(&aside, &folder).unwrap();
    server.folders.put("rogue", &component_bytes("rogue"));
    let returned = changes.wait_for(|catalog| {
        assert!(catalog.component("echo").is_some(), "it serves all the time");
        catalog.component("rogue").is_some()
    });
    tokio::time::timeout(tests::PATIENCE, returned).await.expect("in time").unwrap();
    let after = server.server().calls.registry.catalog().component("echo").unwrap().clone();
    assert!(Arc::ptr_eq(&before, &after), "it was never taken away");
}

// Components built against an earlier contract keep working.

/// The cinema as it was built on 2026-11-22, before the contract knew of sentences.
fn built_before() -> Vec<u8> {
    let file = root().join("tests/contract/cinema-2026-11-22.wasm.gz");
    let packed = fs::read(file).expect("it is part of the tests");
    let mut bytes = Vec::new();
    GzDecoder::new(&*packed).read_to_end(&mut bytes).expect("it is whole");
    bytes
}

#[tokio::test(flavor = "multi_thread")]
async fn serves_first_contract_component_and_successor_takes_over() {
    let folders = Folders::new();
    folders.put("cinema", &built_before());
    let mut server = TestServer::start(folders, |_| {}).await;
    let client = server.client();
    let show = showtime_id(&showtimes(&client).await[0]);
    let seat = free_seats(&client, &show).await.remove(0);
    let seats = json!({ "showtime_id": show, "seat_ids": [seat], "user_id": "u1" });
    let reserved = client.output("reserve_seats", seats).await;
    let number = reserved["reservation_id"].as_str().expect("it is reserved").to_owned();

    // It says when seats change, and lets them go in time: the build before did neither.
    let control = &server.server().control;
    let waits = control
        .execute("cinema", host::control::Order::Load(component_bytes("cinema")))
        .await
        .unwrap_err();
    assert!(waits.to_string().contains("madoguchi accept cinema"), "{waits}");
    control.execute("cinema", host::control::Order::Accept(None)).await.expect("it serves");
    assert!(!free_seats(&client, &show).await.contains(&seat), "{number} is still reserved");
    server.stop().await;
}
