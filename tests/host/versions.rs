//! Versions are numbered, stored, and restored by one command (SYS-6). Builds that need more grants, break
//! callers or trap are not kept in service.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use host::{
    component::LoadError,
    control::{ControlError, Order},
    revisions::Status,
};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tests::{
    component_bytes, rebuilt,
    server::{Folders, Operator, TestServer},
};

/// A server whose component `shop` is the echo.
async fn shop() -> TestServer {
    let folders = Folders::new();
    folders.put("shop", &component_bytes("echo"));
    TestServer::start(folders, |_| {}).await
}

/// Waits until that generation serves.
async fn serving(server: &TestServer, name: &str, generation: u64) {
    let mut changes = server.server().calls.registry.changes();
    let serves =
        changes.wait_for(|it| it.component(name).is_some_and(|it| it.generation() == generation));
    tokio::time::timeout(tests::PATIENCE, serves).await.expect("in time").unwrap();
}

fn statuses(server: &TestServer, name: &str) -> Vec<(u64, Status)> {
    let report = server.server().control.component(name).unwrap();
    report.generations.iter().map(|it| (it.number, it.status)).collect()
}

fn generation(server: &TestServer, name: &str) -> u64 {
    server.server().control.component(name).unwrap().generation.unwrap()
}

/// Why a build was not installed.
fn refusal(error: ControlError) -> LoadError {
    match error {
        ControlError::Load { source, .. } => *source,
        other => panic!("{other}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_new_build_gets_a_number_identical_ones_do_not() {
    let mut server = shop().await;
    assert_eq!(generation(&server, "shop"), 1);
    let second = rebuilt(&component_bytes("echo"), 2);
    server.folders.put("shop", &second);
    serving(&server, "shop", 2).await;
    let control = server.server().control.clone();
    assert_eq!(
        control.execute("shop", Order::Load(second.clone())).await.unwrap().generation,
        Some(2)
    );
    server.restart().await;
    let report = server.server().control.component("shop").unwrap();
    assert_eq!(report.generation, Some(2));
    assert_eq!(report.digest.as_deref(), Some(&*host::digest::digest(&second)));
    assert_eq!(report.size_bytes, Some(second.len() as u64));
    assert_eq!(statuses(&server, "shop"), [(1, Status::Replaced), (2, Status::Serving)]);
    assert!(report.generations[0].installed_at.ends_with('Z'), "RFC 3339");
}

#[tokio::test(flavor = "multi_thread")]
async fn rollback_serves_at_once_and_outlives_restart_until_new_file() {
    let mut server = shop().await;
    let second = rebuilt(&component_bytes("echo"), 2);
    server.folders.put("shop", &second);
    serving(&server, "shop", 2).await;
    let report = server.server().control.execute("shop", Order::Rollback(None)).await.unwrap();
    assert_eq!(report.generation, Some(1));
    assert_eq!(std::fs::read(server.file("shop")).unwrap(), second, "the newer file is there");
    server.restart().await;
    assert_eq!(generation(&server, "shop"), 1);
    let health: Value = server.client().get("/api/health").await.json().await.unwrap();
    assert_eq!(health["status"], "ok", "it is as the operator wants it: {health}");
    let again = server.server().control.execute("shop", Order::Rollback(None)).await.unwrap_err();
    assert!(matches!(again, ControlError::NoPrevious(_)), "{again}");

    server.folders.put("shop", &rebuilt(&component_bytes("echo"), 3));
    serving(&server, "shop", 3).await;
    assert_eq!(
        statuses(&server, "shop"),
        [(1, Status::Replaced), (2, Status::RolledBack), (3, Status::Serving)]
    );
    // After a restart nothing is ready any more: the bytes are in the store all the same.
    server.restart().await;
    let control = &server.server().control;
    assert_eq!(
        control.execute("shop", Order::Rollback(Some(2))).await.unwrap().generation,
        Some(2)
    );
    let unknown = control.execute("shop", Order::Rollback(Some(9))).await.unwrap_err().to_string();
    assert!(unknown.contains("no generation 9") && unknown.contains("1, 2, 3"), "{unknown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn version_trapping_on_its_first_three_calls_yields_to_previous() {
    let mut server = shop().await;
    let control = server.server().control.clone();
    control.execute("shop", Order::Load(component_bytes("rogue"))).await.unwrap();
    let client = server.client();
    for _ in 0..3 {
        assert_eq!(client.failure("panic", json!({})).await["error"], "internal_error");
    }
    // The third caller was answered when the version before served already.
    let output = client.output("echo", json!({ "value": {} })).await;
    assert_eq!(output, json!({ "value": {} }));
    assert_eq!(statuses(&server, "shop"), [(1, Status::Serving), (2, Status::Returned)]);
    let health: Value = client.get("/api/health").await.json().await.unwrap();
    let text = health["components"]["shop"]["error"].as_str().unwrap();
    assert!(text.contains("first three calls trapped"), "{text}");

    server.restart().await;
    assert_eq!(generation(&server, "shop"), 1, "the bad file is not tried again");
    let health: Value = server.client().get("/api/health").await.json().await.unwrap();
    let text = health["components"]["shop"]["error"].as_str().unwrap();
    assert!(text.contains("madoguchi rollback shop --to 2"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn version_that_answered_once_is_kept_if_later_calls_trap() {
    let server = shop().await;
    let control = &server.server().control;
    control.execute("shop", Order::Load(component_bytes("rogue"))).await.unwrap();
    let client = server.client();
    // Its output is invalid, but it did not trap.
    client.call("lie", json!({})).await;
    for _ in 0..4 {
        client.failure("panic", json!({})).await;
    }
    assert_eq!(generation(&server, "shop"), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn component_without_previous_version_stays_though_calls_trap() {
    let server = TestServer::with(&["rogue"]).await;
    for _ in 0..4 {
        server.client().failure("panic", json!({})).await;
    }
    assert_eq!(generation(&server, "rogue"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn build_breaking_callers_waits_where_the_operator_requires_it() {
    let folders = Folders::new();
    folders.put("shop", &component_bytes("echo"));
    let server = TestServer::start(folders, |config| config.swap.refuse_breaking = true).await;
    let control = &server.server().control;
    let error = control.execute("shop", Order::Load(component_bytes("rogue"))).await.unwrap_err();
    assert!(error.to_string().contains("echo: the tool is gone"), "{error}");
    assert!(error.to_string().contains("madoguchi accept shop"), "{error}");
    assert!(matches!(refusal(error), LoadError::Breaking { before: 1, .. }));
    assert!(server.client().tools().await.contains(&"echo".to_owned()), "the old one serves");
    let compatible = rebuilt(&component_bytes("echo"), 2);
    assert_eq!(control.execute("shop", Order::Load(compatible)).await.unwrap().generation, Some(2));
    let nothing = control.execute("shop", Order::Accept(None)).await.unwrap_err();
    assert!(matches!(nothing, ControlError::NothingPending(_)), "another build came: {nothing}");

    control.execute("shop", Order::Load(component_bytes("rogue"))).await.unwrap_err();
    let report = control.execute("shop", Order::Accept(None)).await.unwrap();
    assert_eq!((report.generation, report.pending), (Some(3), None));
    let current = report.generations.last().unwrap();
    assert!(current.differences.iter().any(|it| it.is_breaking && it.tool == "echo"));
    assert_eq!(std::fs::read(server.file("shop")).unwrap(), component_bytes("rogue"));
}

#[tokio::test(flavor = "multi_thread")]
async fn installs_and_reports_caller_breaking_build_unless_forbidden() {
    let server = shop().await;
    let report = server
        .server()
        .control
        .execute("shop", Order::Load(component_bytes("rogue")))
        .await
        .unwrap();
    let current = report.generations.last().unwrap();
    assert!(current.differences.iter().any(|it| it.is_breaking), "{current:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn greedier_build_waits_for_operator_even_if_config_grants_it() {
    let folders = Folders::new();
    folders.put("cinema", &component_bytes("echo"));
    let mut server = TestServer::start(folders, |_| {}).await;
    server.folders.put("cinema", &component_bytes("cinema"));
    let held = async {
        loop {
            let report = server.server().control.component("cinema").unwrap();
            if let (Some(error), Some(_)) = (report.trouble, report.pending) {
                return error;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let error = tokio::time::timeout(tests::PATIENCE, held).await.expect("in time");
    for part in ["sql (madoguchi:tool/sql@", "clock (wasi:clocks/", "madoguchi accept cinema"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    assert_eq!(generation(&server, "cinema"), 1);
    server.restart().await;
    assert_eq!(generation(&server, "cinema"), 1, "a restart is no acceptance");

    let report = server.server().control.execute("cinema", Order::Accept(None)).await.unwrap();
    assert_eq!((report.generation, report.trouble), (Some(2), None));
    server.restart().await;
    assert_eq!(generation(&server, "cinema"), 2, "what was accepted stays so");
    let report = server.server().control.execute("cinema", Order::Rollback(None)).await.unwrap();
    assert_eq!(report.generation, Some(1));
    let report = server.server().control.execute("cinema", Order::Rollback(Some(2))).await.unwrap();
    assert_eq!(report.generation, Some(2), "what served before needs no new leave");
}

#[tokio::test(flavor = "multi_thread")]
async fn first_start_needs_no_approval_of_configured_grants() {
    let server = TestServer::with(&["cinema"]).await;
    let report = server.server().control.component("cinema").unwrap();
    assert_eq!((report.generation, report.trouble), (Some(1), None));
    // Grants for its imports and for its exports.
    for grant in [host::grants::Grant::Sql, host::grants::Grant::Schedule] {
        assert!(report.grants_needed.contains(&grant), "{:?}", report.grants_needed);
    }
}

/// It cannot be accepted either.
#[tokio::test(flavor = "multi_thread")]
async fn refuses_ungranted_build_with_the_line_that_would_grant_it() {
    let folders = Folders::new();
    folders.put("shop", &component_bytes("echo"));
    let config = folders.config_with("[components.shop]\ngrants = []");
    let server = TestServer::start(folders, |it| *it = config).await;
    let control = &server.server().control;
    let error = control.execute("shop", Order::Load(component_bytes("cinema"))).await.unwrap_err();
    assert!(error.to_string().contains("[components.shop]: grants = ["), "{error}");
    assert!(matches!(
        control.execute("shop", Order::Accept(None)).await,
        Err(ControlError::NothingPending(_))
    ));
}

#[tokio::test(flavor = "multi_thread")]
async fn failing_example_rejects_a_build() {
    let server = shop().await;
    let error = server
        .server()
        .control
        .execute("shop", Order::Load(component_bytes("boast")))
        .await
        .unwrap_err();
    let LoadError::Example { name, found } = refusal(error) else { panic!("another reason") };
    assert_eq!(name, "three is doubled");
    assert_eq!(found, "/doubled: 7 was expected; what came was 6");
    assert_eq!(generation(&server, "shop"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn unloaded_component_stays_unloaded_until_requested() {
    let mut server = shop().await;
    let control = server.server().control.clone();
    assert!(!control.execute("shop", Order::Unload).await.unwrap().is_serving);
    assert!(!server.file("shop").exists());
    assert!(matches!(control.execute("shop", Order::Unload).await, Err(ControlError::Unknown(_))));
    server.restart().await;
    assert!(server.client().tools().await.is_empty());
    let control = server.server().control.clone();
    assert_eq!(control.execute("shop", Order::Rollback(None)).await.unwrap().generation, Some(1));
    server.restart().await;
    assert_eq!(generation(&server, "shop"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn operators_load_without_component_folder_survives_a_restart() {
    let without = |config: &mut host::Config| config.components_folder = None;
    let mut server = TestServer::start(Folders::new(), without).await;
    let control = server.server().control.clone();
    let name = control.execute("No Name", Order::Load(component_bytes("echo"))).await.unwrap_err();
    assert!(matches!(name, ControlError::Name(_)), "{name}");
    control.execute("shop", Order::Load(component_bytes("echo"))).await.unwrap();
    server.restart().await;
    assert_eq!(generation(&server, "shop"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_manifest_does_not_stop_the_start() {
    let mut server = shop().await;
    server.stop().await;
    let manifest = server.folders.data().join("generations/shop/manifest.json");
    std::fs::write(&manifest, "{\"generations\": 7}").unwrap();
    server.restart().await;
    assert_eq!(generation(&server, "shop"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_rollbacks_under_16_connections_lose_no_call() {
    let server = shop().await;
    let control = server.server().control.clone();
    control.execute("shop", Order::Load(rebuilt(&component_bytes("echo"), 2))).await.unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let callers = (0..16).map(|caller| {
        let (client, stop) = (server.client(), stop.clone());
        tokio::spawn(async move {
            let (mut calls, value) = (0_usize, json!({ "value": { "caller": caller } }));
            while !stop.load(Ordering::Relaxed) {
                assert_eq!(client.output("echo", value.clone()).await, value);
                calls += 1;
            }
            calls
        })
    });
    let callers: Vec<_> = callers.collect();
    let mut modern = server.client().listen().await;
    for turn in 0..20_u64 {
        let to = turn % 2 + 1;
        let report = control.execute("shop", Order::Rollback(Some(to))).await.unwrap();
        assert_eq!(report.generation, Some(to));
    }
    stop.store(true, Ordering::Relaxed);
    for caller in callers {
        assert!(caller.await.expect("no call failed") > 0);
    }
    assert_eq!(modern.notified().await.0, "notifications/tools/list_changed");
    assert_eq!(generation(&server, "shop"), 2);
}

/// The echo with another description of its tool.
fn reworded() -> Vec<u8> {
    let (bytes, words) = (component_bytes("echo"), ["そのまま", "すぐさま"].map(str::as_bytes));
    let mut other = bytes.clone();
    let finds: Vec<_> =
        bytes.windows(words[0].len()).enumerate().filter(|it| it.1 == words[0]).collect();
    assert!(!finds.is_empty(), "the echo says so of itself");
    for (at, _) in finds {
        other[at..at + words[1].len()].copy_from_slice(words[1]);
    }
    other
}

/// A server whose component `shop` needs approval of changed texts.
async fn keeping_shop() -> TestServer {
    let folders = Folders::new();
    folders.put("shop", &component_bytes("echo"));
    let config = folders.config_with("[components.shop]\nchanged = 'keep'\n");
    TestServer::start(folders, |it| *it = config).await
}

/// Waits for a pending build of `shop`.
async fn waits(server: &TestServer) -> Value {
    let operator = Operator::of(&server.folders.data());
    let look = async {
        loop {
            let (_, report) = operator.send(Method::GET, "components/shop", "").await;
            if report["pending"].is_object() {
                return report["pending"].clone();
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(tests::PATIENCE, look).await.expect("it waits")
}

/// The description of the tool `echo`.
async fn reads(server: &TestServer) -> String {
    let list = server.client().result("tools/list", json!({})).await;
    let tools = list["tools"].as_array().unwrap();
    let echo = tools.iter().find(|it| it["name"] == "echo").unwrap();
    echo.to_string()
}

/// PIN-5: the version before goes on, also after a restart, until the operator accepts the very build.
#[tokio::test(flavor = "multi_thread")]
async fn reworded_build_waits_where_texts_need_approval() {
    let mut server = keeping_shop().await;
    let before = reads(&server).await;
    server.folders.put("shop", &reworded());
    let pending = waits(&server).await;
    let rewordings = pending["rewordings"].as_array().unwrap();
    assert_eq!(rewordings.len(), 1, "{pending}");
    assert_eq!(rewordings[0]["of"], "the tool echo");
    let text = |side: &str| rewordings[0][side]["description"].as_str().unwrap().to_owned();
    assert!(
        text("pinned").contains("そのまま") && text("waiting").contains("すぐさま"),
        "{pending}"
    );
    assert!(pending["why"].as_str().unwrap().contains("madoguchi accept shop"), "{pending}");
    assert_eq!((reads(&server).await, generation(&server, "shop")), (before.clone(), 1));
    server.restart().await;
    assert_eq!((reads(&server).await, generation(&server, "shop")), (before.clone(), 1));

    let operator = Operator::of(&server.folders.data());
    let accept = async |digest: &Value| {
        let body = json!({ "digest": digest }).to_string();
        operator.send(Method::POST, "components/shop/accept", body).await
    };
    let (status, other) = accept(&"0".repeat(64).into()).await;
    assert_eq!(status, StatusCode::CONFLICT, "{other}");
    let (status, report) = accept(&pending["digest"]).await;
    assert_eq!((status, &report["generation"]), (StatusCode::OK, &json!(2)), "{report}");
    assert_ne!(reads(&server).await, before);
    // Earlier builds and unchanged texts need no approval.
    server.folders.put("shop", &component_bytes("echo"));
    serving(&server, "shop", 3).await;
    server.folders.put("shop", &rebuilt(&component_bytes("echo"), 1));
    serving(&server, "shop", 4).await;
}

/// PIN-5: what was refused does not wait again, and what the operator loads by hand needs no other word.
#[tokio::test(flavor = "multi_thread")]
async fn reworded_build_is_rejected_or_loaded_by_hand() {
    let server = keeping_shop().await;
    server.folders.put("shop", &reworded());
    waits(&server).await;
    let control = &server.server().control;
    control.execute("shop", Order::Refuse(None)).await.unwrap();
    assert_eq!(
        (control.component("shop").unwrap().pending, generation(&server, "shop")),
        (None, 1)
    );
    let loaded = control.execute("shop", Order::Load(reworded())).await.unwrap();
    assert_eq!((loaded.generation, loaded.pending), (Some(2), None));
}

/// PIN-5: tools that come and go are words as well.
#[tokio::test(flavor = "multi_thread")]
async fn changed_tools_wait_like_changed_texts() {
    let server = keeping_shop().await;
    server.folders.put("shop", &component_bytes("rogue"));
    let pending = waits(&server).await;
    let has = |what: &str| pending["why"].as_str().unwrap().contains(what);
    assert!(has("the tool echo is gone") && has("the tool panic is new"), "{pending}");
    assert!(pending["rewordings"].as_array().unwrap().len() <= 64);
}
