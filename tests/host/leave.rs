//! Requested grants: a component lists what it needs in a section of its file. Only the operator's approval
//! grants it, and the configuration file replaces the section.

use host::{
    component::LoadError,
    control::{ControlError, Order},
};
use serde_json::json;
use tests::{
    component_bytes, rebuilt,
    server::{Folders, TestServer},
    until, with_section,
};

const SECTION: &str = "madoguchi:defaults";

fn asking(component: &str, text: &str) -> Vec<u8> {
    with_section(&component_bytes(component), SECTION, text.as_bytes())
}

async fn empty(lines: &str) -> TestServer {
    let folders = Folders::new();
    let config = folders.config_with(lines);
    TestServer::start(folders, |it| *it = config).await
}

fn refusal(error: ControlError) -> LoadError {
    match error {
        ControlError::Load { source, .. } => *source,
        other => panic!("{other}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rejected_build_stays_rejected_until_loaded_by_name() {
    let mut server = empty("").await;
    let control = server.server().control.clone();
    let bytes = component_bytes("lending");
    control.execute("lending", Order::Load(bytes.clone())).await.unwrap_err();
    let digest = control.component("lending").unwrap().pending.unwrap().digest;
    let error = control.execute("lending", Order::Refuse(Some("0".repeat(64)))).await.unwrap_err();
    assert!(matches!(error, ControlError::AnotherPending(_)), "{error}");
    let report = control.execute("lending", Order::Refuse(Some(digest))).await.unwrap();
    assert!(!report.is_serving && report.pending.is_none() && report.trouble.is_none());
    for nothing in [
        control.execute("lending", Order::Refuse(None)).await,
        control.execute("lending", Order::Accept(None)).await,
    ] {
        assert!(matches!(nothing, Err(ControlError::NothingPending(_))));
    }

    // The same file in the folder asks for nothing any more, now and at the next start.
    server.folders.put("lending", &bytes);
    server.restart().await;
    let control = server.server().control.clone();
    assert!(control.component("lending").is_ok_and(|it| !it.is_serving && it.pending.is_none()));

    let error = control.execute("lending", Order::Load(bytes)).await.unwrap_err();
    assert!(matches!(refusal(error), LoadError::Asks { .. }), "who names it wants it looked at");
    assert!(control.execute("lending", Order::Accept(None)).await.unwrap().is_serving);
}

#[tokio::test(flavor = "multi_thread")]
async fn component_with_requested_grants_serves_once_approved() {
    let mut server = empty("").await;
    let control = server.server().control.clone();
    let error =
        control.execute("lending", Order::Load(component_bytes("lending"))).await.unwrap_err();
    for part in [
        "keeps a database of its own",
        "answers requests under /api/lending",
        "is run every 1000 ms",
        "/api/loans, which only the configuration file",
        "madoguchi accept lending",
    ] {
        assert!(error.to_string().contains(part), "{part}: {error}");
    }
    assert!(matches!(refusal(error), LoadError::Asks { .. }));
    let component = control.component("lending").unwrap();
    assert!(!component.is_serving && component.pending.is_some());

    let report = control.execute("lending", Order::Accept(None)).await.unwrap();
    assert!(report.is_serving && report.pending.is_none() && report.trouble.is_none());
    assert!(report.grants.contains(&host::grants::Grant::Sql));
    let client = server.client();
    client.output("lend_book", json!({ "title": "雪国", "member": "花" })).await;
    until("its schedule runs, though the server was started without it", async || {
        let loans: serde_json::Value = client.get("/api/lending/loans").await.json().await.unwrap();
        loans["loans"][0]["isReminded"] == true
    })
    .await;

    server.restart().await;
    let client = server.client();
    assert_eq!(client.get("/api/lending/loans").await.status(), 200, "it stays given");
    let control = server.server().control.clone();
    let next = rebuilt(&component_bytes("lending"), 2);
    assert_eq!(
        control.execute("lending", Order::Load(next)).await.unwrap().generation,
        Some(2),
        "the same again"
    );

    control.execute("lending", Order::Unload).await.unwrap();
    let error =
        control.execute("lending", Order::Load(component_bytes("lending"))).await.unwrap_err();
    assert!(matches!(refusal(error), LoadError::Asks { .. }), "what was given is taken back");
}

#[tokio::test(flavor = "multi_thread")]
async fn pending_file_stays_pending_after_a_restart() {
    let folders = Folders::new();
    folders.put("shop", &asking("echo", "grants = ['clock']"));
    let mut server = TestServer::start(folders, |_| {}).await;
    for _ in 0..2 {
        let report = server.server().control.component("shop").unwrap();
        assert!(!report.is_serving, "{report:?}");
        let why = report.pending.expect("it waits").why;
        assert!(why.contains("it knows the time"), "{why}");
        server.restart().await;
    }
    let report = server.server().control.execute("shop", Order::Accept(None)).await.unwrap();
    assert_eq!(report.generation, Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn build_requesting_more_waits_while_previous_one_serves() {
    let server = empty("").await;
    let control = &server.server().control;
    control.execute("shop", Order::Load(asking("echo", "grants = ['clock']"))).await.unwrap_err();
    control.execute("shop", Order::Accept(None)).await.unwrap();
    let greedy = asking("echo", "grants = ['clock', 'http']\nhttp = [{ host = 'far.example' }]");
    let error = control.execute("shop", Order::Load(greedy.clone())).await.unwrap_err();
    assert!(error.to_string().contains("to https://far.example:443"), "{error}");
    let report = control.component("shop").unwrap();
    assert_eq!((report.generation, report.grants.len()), (Some(1), 1));

    let other = control.execute("shop", Order::Accept(Some("0".repeat(64)))).await.unwrap_err();
    assert!(matches!(other, ControlError::AnotherPending(_)), "{other}");
    let digest = report.pending.unwrap().digest;
    let report = control.execute("shop", Order::Accept(Some(digest))).await.unwrap();
    assert_eq!((report.generation, report.grants.len()), (Some(2), 2));
    let report = control.execute("shop", Order::Rollback(None)).await.unwrap();
    assert_eq!(report.generation, Some(1), "what served before needs no new leave");
}

#[tokio::test(flavor = "multi_thread")]
async fn configured_grants_replace_requested_ones() {
    let lines = "
[components.shop]
grants = ['clock']
[components.shop.limits]
calls_max = 3
[components.lending]
grants = ['sql']
[components.free]
settings = { colour = 'red' }
";
    let server = empty(lines).await;
    let control = &server.server().control;
    // Nothing it imports is missing: the file has decided, and the operator need not be asked.
    let report = control
        .execute("shop", Order::Load(asking("echo", "grants = ['sql', 'http']")))
        .await
        .unwrap();
    assert_eq!(report.grants, [host::grants::Grant::Clock].into());
    // The file says less than it cannot do without: no approval of the operator's changes that.
    let error =
        control.execute("lending", Order::Load(component_bytes("lending"))).await.unwrap_err();
    assert!(error.to_string().contains("[components.lending]: grants = ["), "{error}");
    assert!(matches!(
        control.execute("lending", Order::Accept(None)).await,
        Err(ControlError::Unknown(_))
    ));
    // The file says nothing of grants.
    let error = control.execute("free", Order::Load(component_bytes("lending"))).await.unwrap_err();
    assert!(matches!(refusal(error), LoadError::Asks { .. }));
    assert!(control.execute("free", Order::Accept(None)).await.unwrap().is_serving);
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_all_requested_grants_and_escapes_misleading_text() {
    let server = empty("").await;
    let control = &server.server().control;
    let text = "
grants = ['http', 'calls', 'settings', 'folders']
http = [{ host = 'a.example', private = true, secrets = [{ header = 'x-key', environment = 'SOME_KEY' }] }]
calls = ['component:cinema']
trusts = ['reserve_seats']
[environment]
key = 'OTHER_KEY'
[settings]
note = \"fine\\u001b[2K\\u202e\"
list = { file = '/etc/passwd' }
[folders]
all = '/'
[limits]
deadline_ms = 60000
";
    let error =
        control.execute("shop", Order::Load(asking("echo", text))).await.unwrap_err().to_string();
    for part in [
        "a.example:443, which may be on this machine or in its network, with the secret in the environment's SOME_KEY",
        "calls component:cinema on its callers' behalf",
        "calls reserve_seats WITHOUT asking",
        "the environment's OTHER_KEY, as its setting key",
        "the file \"/etc/passwd\"",
        "the folder \"/\"",
        "deadline_ms = 60000",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
    assert!(!error.contains(['\u{1b}', '\u{202e}']), "{error:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_invalid_request_section_and_grants_nothing() {
    let server = empty("").await;
    let control = &server.server().control;
    for (text, what) in [
        ("grants = ['everything']", "everything"),
        ("colour = 'red'", "colour"),
        ("grants = [", ""),
        ("grants = ['calls']\ncalls = ['a:b']", "a:b"),
        ("[limits]\ndeadline_ms = 0", "deadline_ms"),
    ] {
        let error = control.execute("shop", Order::Load(asking("echo", text))).await.unwrap_err();
        assert!(error.to_string().contains(what), "{text}: {error}");
        assert!(matches!(refusal(error), LoadError::Unusable(_)), "{text}");
    }
    let twice = with_section(&asking("echo", "grants = ['clock']"), SECTION, b"grants = ['sql']");
    let error = control.execute("shop", Order::Load(twice)).await.unwrap_err();
    assert!(error.to_string().contains("more than one section"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn more_memory_than_at_start_applies_at_the_next_start() {
    let mut server = empty("").await;
    let control = server.server().control.clone();
    let text = "[limits]\nmemory_bytes_max = 1073741824";
    control.execute("shop", Order::Load(asking("echo", text))).await.unwrap_err();
    let error = control.execute("shop", Order::Accept(None)).await.unwrap_err();
    assert!(error.to_string().contains("started again"), "{error}");
    server.folders.put("shop", &asking("echo", text));
    server.restart().await;
    assert!(server.server().control.component("shop").unwrap().is_serving);
}
