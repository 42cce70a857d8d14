//! The operator's place on the page: who gets in, and what is done there.

use std::{fs, net::TcpListener, path::PathBuf};

use fantoccini::key::Key;
use host::OperatorKey;
use serde_json::json;
use tests::{
    browser::{Browser, Look},
    component_bytes, rebuilt,
    server::{Folders, TestServer},
};

const LOOKS: [(&str, Look); 4] = [
    ("desktop", Look::DESKTOP),
    ("desktop-dark", Look { dark: true, language: "ja", ..Look::DESKTOP }),
    ("phone", Look { language: "ja", ..Look::PHONE }),
    ("phone-dark", Look { dark: true, ..Look::PHONE }),
];

fn token(server: &TestServer) -> String {
    OperatorKey::read(&server.folders.data()).unwrap().unwrap().token
}

/// A file of that name beside the data.
fn file(server: &TestServer, name: &str, bytes: &[u8]) -> PathBuf {
    let file = server.folders.data().join(name);
    fs::write(&file, bytes).unwrap();
    file
}

async fn choose(browser: &Browser, file: &std::path::Path) {
    browser.find("#op-load-file").await.send_keys(file.to_str().unwrap()).await.unwrap();
    browser.until("document.activeElement.id === 'op-load-name'").await;
}

/// Every look of what is shown: in pictures, without faults, and no wider than the window.
async fn is_seen_well(browser: &Browser, name: &str) {
    for (device, look) in LOOKS {
        browser.look(look).await;
        let name = format!("operator-{name}-{device}");
        assert!(!browser.overflows().await, "{name}");
        assert_eq!(browser.serious_faults().await, Vec::<String>::new(), "{name}");
        browser.whole_picture(&name, look).await;
    }
    browser.look(Look::DESKTOP).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_looks_loads_accepts_rolls_back_and_unloads() {
    let server = TestServer::with(&["echo", "cinema"]).await;
    let client = server.client();
    client.output("echo", json!({ "value": {} })).await;
    client.failure("echo", json!({ "value": 1 })).await;
    let browser = Browser::open(&server.url(), Look::DESKTOP).await;
    browser.find(".places").await;
    assert!(browser.all("a[href='#/operator']").await.is_empty(), "customers see no way there");
    browser.go(&format!("#/operator?key={}", token(&server))).await;
    browser.says("h1", "Operator").await;
    browser.says(".op-health", "All is well").await;
    browser.says(".op-tiles", "calls; traps: 0").await;
    let address = browser.script("return location.href").await;
    assert!(!address.as_str().unwrap().contains("key"), "{address}");
    is_seen_well(&browser, "now").await;

    browser.click(".op-tabs a[href='#/operator/components']").await;
    browser.role("heading", "cinema").await;
    let lending = file(&server, "lending.wasm", &component_bytes("lending"));
    choose(&browser, &lending).await;
    browser.key(Key::Enter).await;
    browser.says(".op-card.is-waiting", "keeps a database of its own").await;
    browser.click("#op-more-echo").await;
    is_seen_well(&browser, "components").await;
    assert!(!client.tools().await.iter().any(|it| it == "lend_book"));
    browser.hit("button", "Accept the build of lending").await;
    browser.until("!document.querySelector('.op-card.is-waiting')").await;
    assert!(client.tools().await.iter().any(|it| it == "lend_book"));

    let second = file(&server, "echo.wasm", &rebuilt(&component_bytes("echo"), 2));
    choose(&browser, &second).await;
    browser.says("form.op-load", "new generation of echo").await;
    browser.key(Key::Enter).await;
    browser.says("main", "Generation 2 of echo serves now").await;
    browser.hit("button", "Serve generation 1 of echo again").await;
    browser.role("button", "Serve generation 2 of echo again").await;
    assert_eq!(server.server().control.component("echo").unwrap().generation, Some(1));

    let broken = file(&server, "broken.wasm", b"no component");
    choose(&browser, &broken).await;
    browser.key(Key::Enter).await;
    browser.says("main", "broken was not loaded").await;

    browser.hit("button", "Unload echo").await;
    browser.role("button", "No, keep it").await;
    // The safe choice comes first.
    browser.until("document.activeElement.id === 'op-keep-echo'").await;
    browser.key(Key::Escape).await;
    browser.hit("button", "Unload echo").await;
    browser.hit("button", "Yes, unload it").await;
    browser.no_role("button", "Unload echo").await;
    assert!(!client.tools().await.iter().any(|it| it == "echo"));

    browser.click(".op-tabs a[href='#/operator/calls']").await;
    browser.says(".op-calls", "Wrong input").await;
    is_seen_well(&browser, "calls").await;
    browser.find("#op-sought").await.send_keys("nothing such").await.unwrap();
    browser.says("main", "No call fits").await;
    browser.hit("button", "Leave").await;
    browser.says("main", "Key or token").await;
    assert_eq!(
        browser.complaints().await.len(),
        2,
        "the builds that were put off, and nothing else"
    );
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_build_that_is_refused_is_gone_from_the_page_and_asks_no_more() {
    let server = TestServer::with(&["echo"]).await;
    let browser = Browser::open(&server.url(), Look::DESKTOP.japanese()).await;
    browser.go(&format!("#/operator?key={}", token(&server))).await;
    browser.says("h1", "運用").await;
    browser.go("#/operator/components").await;
    browser.find("#op-load-file").await;
    choose(&browser, &file(&server, "lending.wasm", &component_bytes("lending"))).await;
    browser.key(Key::Enter).await;
    browser.hit("button", "「lending」のビルドを断る").await;
    browser.until("!document.querySelector('.op-card.is-waiting')").await;
    browser.says(".toast", "断りました").await;
    let component = server.server().control.component("lending").unwrap();
    assert!(!component.is_serving && component.pending.is_none());
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_place_asks_for_a_key_keeps_it_in_its_tab_and_forgets_it() {
    // The address stays the same.
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut server = TestServer::start(Folders::new(), |config| config.addr = free).await;
    let browser = Browser::open(&server.url(), Look::DESKTOP).await;
    browser.go("#/operator").await;
    browser.says("main", "madoguchi operator").await;
    is_seen_well(&browser, "sign-in").await;
    let field = "#operator-key";
    let enter = async |text: &str| {
        let input = browser.find(field).await;
        input.clear().await.unwrap();
        input.send_keys(text).await.unwrap();
        browser.key(Key::Enter).await;
    };
    enter("キー").await;
    browser.says("#operator-key-wrong", "no spaces").await;
    enter("wrong").await;
    browser.says("#operator-key-wrong", "does not do").await;
    enter(&token(&server)).await;
    browser.says(".op-health", "All is well").await;
    browser.script("location.reload()").await;
    browser.says(".op-health", "All is well").await;
    browser.find("header a[href='#/operator']").await;

    // The key is good for one start.
    server.restart().await;
    browser.says("main", "Key or token").await;
    browser.go(&format!("#/operator?key={}", token(&server))).await;
    browser.says(".op-health", "All is well").await;
    browser.hit("button", "Leave").await;
    browser.find(field).await;
    let kept = browser.script("return JSON.stringify({...localStorage, ...sessionStorage})").await;
    assert!(!kept.as_str().unwrap().contains(&token(&server)), "a key is forgotten: {kept}");
    assert!(browser.all("header a[href='#/operator']").await.is_empty());
    browser.close().await;
}
