//! The operator's place on the page: who gets in, and what is done there.

use std::{fs, path::PathBuf};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use fantoccini::key::Key;
use host::{OperatorKey, config::Given, control::Order};
use serde_json::json;
use tests::{
    browser::{Browser, Look},
    component_bytes,
    postgres::Cluster,
    rebuilt, sabotaged,
    server::{Folders, TestServer},
    with_section,
};

const LOOKS: [(&str, Look); 4] = [
    ("desktop", Look::DESKTOP),
    ("desktop-dark", Look { dark: true, language: "ja", ..Look::DESKTOP }),
    ("phone", Look { language: "ja", ..Look::PHONE }),
    ("phone-dark", Look { dark: true, ..Look::PHONE }),
];

pub(super) fn token(server: &TestServer) -> String {
    OperatorKey::read(&server.folders.data()).unwrap().unwrap().token
}

/// A file of that name beside the data.
fn file(server: &TestServer, name: &str, bytes: &[u8]) -> PathBuf {
    let file = server.folders.data().join(name);
    fs::write(&file, bytes).unwrap();
    file
}

/// Notes from now on what is shown and told for a moment.
const NOTE: &str = "
    window.noted = '';
    new MutationObserver(() => {
        for (const it of document.querySelectorAll('.toast, .only-heard[role=status]')) window.noted += it.textContent;
    }).observe(document.body, { subtree: true, childList: true, characterData: true });";

/// What screen readers were told last.
const ANNOUNCED: &str = "document.querySelector('.only-heard[role=status]').innerText";

async fn choose(browser: &Browser, file: &std::path::Path) {
    browser.find("#op-load-file").await.send_keys(file.to_str().unwrap()).await.unwrap();
    browser.until("document.activeElement.id === 'op-load-name'").await;
}

/// How many tables of which rows can be cards are wider than the place that they have.
pub(super) const SIDEWAYS: &str = "
    const all = [...document.querySelectorAll('table.is-cards')].filter(it => it.checkVisibility());
    return innerWidth < 640 ? all.filter(it => it.scrollWidth > it.parentElement.clientWidth).length : 0;";

/// Every look of what is shown: in pictures, without faults, and no wider than the window.
async fn is_seen_well(browser: &Browser, name: &str) {
    for (device, look) in LOOKS {
        browser.look(look).await;
        let name = format!("operator-{name}-{device}");
        assert!(!browser.overflows().await, "{name}");
        assert_eq!(browser.script(SIDEWAYS).await, json!(0), "{name}: a table is cut off");
        // As wide as the one by day before it.
        let faults = if look.dark {
            browser.faults_of_colours().await
        } else {
            browser.serious_faults().await
        };
        assert_eq!(faults, Vec::<String>::new(), "{name}");
        browser.whole_picture(&name, look).await;
    }
    browser.look(Look::DESKTOP).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_loads_accepts_rolls_back_and_unloads() {
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
    browser.says(".op-card.is-waiting", "Reads and writes a database of its own").await;
    browser.click("#op-more-echo").await;
    is_seen_well(&browser, "components").await;
    assert!(!client.tools().await.iter().any(|it| it == "lend_book"));
    browser.script(NOTE).await;
    browser.hit("button", "Accept the build of lending").await;
    for part in ["The tools were updated.", "build of lending was accepted"] {
        browser.until(&format!("window.noted.includes('{part}')")).await;
    }
    browser.until("!document.querySelector('.op-card.is-waiting')").await;
    assert!(client.tools().await.iter().any(|it| it == "lend_book"));

    let second = file(&server, "echo.wasm", &rebuilt(&component_bytes("echo"), 2));
    choose(&browser, &second).await;
    browser.says("form.op-load", "new generation of echo").await;
    browser.key(Key::Enter).await;
    browser.says("main", "Generation 2 of echo serves now").await;
    // By keyboard alone.
    browser.role("button", "Serve this one again: generation 1 of echo").await;
    browser.tab_to("[aria-label='Serve this one again: generation 1 of echo']").await;
    browser.key(Key::Enter).await;
    browser.role("button", "Serve this one again: generation 2 of echo").await;
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

    let far = json!({ "uri": "cinema://reservations/rsv-0000000000000000/code" });
    client.request("resources/read", far).await;
    browser.click(".op-tabs a[href='#/operator/calls']").await;
    browser.says(".op-calls", "Wrong input").await;
    browser.says(".op-calls", "rsv-0000000000000000").await;
    browser.look(Look { width: 320, ..Look::PHONE }).await;
    // A card is as wide as the window, whatever was called.
    browser
        .until("(it => it.scrollWidth <= it.clientWidth)(document.querySelector('.op-calls'))")
        .await;
    is_seen_well(&browser, "calls").await;
    browser.type_at("#op-sought", "nothing such").await;
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
async fn refused_build_leaves_the_page_for_good() {
    let server = TestServer::with(&["echo"]).await;
    let browser = Browser::open_at(
        &server.url(),
        &format!("#/operator?key={}", token(&server)),
        Look::DESKTOP.japanese(),
    )
    .await;
    browser.says("h1", "運用").await;
    browser.go("#/operator/components").await;
    browser.find("#op-load-file").await;
    choose(&browser, &file(&server, "lending.wasm", &component_bytes("lending"))).await;
    browser.key(Key::Enter).await;
    browser.hit("button", "「lending」のビルドを断る").await;
    browser.says(".toast", "断りました").await;
    browser.until("!document.querySelector('.op-card.is-waiting')").await;
    let component = server.server().control.component("lending").unwrap();
    assert!(!component.is_serving && component.pending.is_none());
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_key_is_kept_per_tab_and_forgotten() {
    // The address stays the same.
    let addr = tests::free_addr();
    let mut server = TestServer::start(Folders::new(), |config| config.addr = addr).await;
    let browser = Browser::open_at(&server.url(), "#/operator", Look::DESKTOP).await;
    browser.says("main", "madoguchi operator").await;
    browser.until("document.activeElement.innerText === 'Operator'").await;
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
    browser.reload().await;
    browser.says(".op-health", "All is well").await;
    browser.find("header a[href='#/operator']").await;
    browser.look(Look { width: 360, ..Look::PHONE }).await;
    browser.until("document.querySelector('header.top').offsetHeight < 60").await;
    browser.look(Look::DESKTOP).await;

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

/// The saboteur with a database and these grants more, misbehaving in each call as the letter says.
fn saboteur(letter: u8, more: &str) -> Vec<u8> {
    let asks = format!("grants = ['sql'{more}]");
    with_section(&sabotaged(letter), "madoguchi:defaults", asks.as_bytes())
}

/// A server whose component `shop` counts rows in its second generation.
async fn shop() -> TestServer {
    let server = TestServer::start(Folders::new(), |_| {}).await;
    let control = &server.server().control;
    control.execute("shop", Order::Load(saboteur(b'-', ""))).await.unwrap_err();
    control.execute("shop", Order::Accept(None)).await.unwrap();
    let report =
        control.execute("shop", Order::Load(rebuilt(&saboteur(b'-', ""), 2))).await.unwrap();
    assert_eq!(report.generation, Some(2));
    server
}

/// Drops a file of that name where files are dropped.
async fn drop_file(browser: &Browser, name: &str, bytes: &[u8]) {
    let script = "
        const [name, text] = arguments;
        const bytes = Uint8Array.from(atob(text), it => it.charCodeAt(0));
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([bytes], name, { type: 'application/wasm' }));
        const init = { bubbles: true, cancelable: true, dataTransfer };
        document.querySelector('.drop').dispatchEvent(new DragEvent('drop', init));";
    browser.find(".drop").await;
    browser.ask(script, vec![name.into(), STANDARD.encode(bytes).into()]).await;
    browser.until("document.activeElement.id === 'op-load-name'").await;
    browser.key(Key::Enter).await;
}

/// The operator's place in the browser, at the components.
async fn at_components(server: &TestServer, look: Look) -> Browser {
    let browser =
        Browser::open_at(&server.url(), &format!("#/operator?key={}", token(server)), look).await;
    browser.find(".op-health.is-well").await;
    browser.click(".op-tabs a[href='#/operator/components']").await;
    browser.role("heading", "shop").await;
    browser
}

/// What waits for the operator is marked as that, and is no problem of the server.
#[tokio::test(flavor = "multi_thread")]
async fn build_that_waits_is_no_problem() {
    let server = shop().await;
    server.folders.put("shop", &saboteur(b'P', ", 'clock'"));
    let control = &server.server().control;
    while control.component("shop").unwrap().trouble.is_none() {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let browser = at_components(&server, Look::PHONE.japanese()).await;
    browser.says(".op-card.is-waiting", "時刻と経過時間を知ります").await;
    assert!(browser.all(".op-wrong").await.is_empty(), "the card above says all of it");
    browser.click(".op-tabs a[href='#/operator']").await;
    browser.says(".op-tiles .is-waiting", "ビルド 1 件").await;
    browser.find(".op-health.is-well").await;
    let is_first = "[...document.querySelectorAll('.op-tiles > div')].every(it =>
        it.offsetTop >= document.querySelector('.op-tiles .is-waiting').offsetTop)";
    browser.until(is_first).await;
    is_seen_well(&browser, "build-waits").await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn trapping_canary_with_more_grants_is_rolled_back() {
    let server = shop().await;
    let (client, browser) = (server.client(), at_components(&server, Look::DESKTOP).await);
    let calls = async |many: usize| {
        let mut failed = 0;
        for _ in 0..many {
            let call = json!({ "name": "begin", "arguments": {} });
            let (_, answer) = client.request("tools/call", call).await;
            failed += usize::from(answer["result"]["structuredContent"] != json!({ "rows": 0 }));
        }
        failed
    };
    drop_file(&browser, "shop.wasm", &saboteur(b'P', ", 'clock'")).await;
    browser.says(".op-card.is-waiting", "Knows the time of day").await;
    let card = browser.text(".op-card.is-waiting").await;
    assert!(!card.contains("madoguchi accept"), "the button stands there: {card}");
    assert_eq!(calls(30).await, 0, "it answers nothing yet");
    is_seen_well(&browser, "canary-offered").await;

    browser.fill("Share of the calls", "0").await;
    browser.hit("button", "Start trying the build of shop").await;
    browser.says(".op-card.is-waiting", "a whole number from 1 to 99").await;
    browser.fill("Share of the calls", "10").await;
    browser.key(Key::Enter).await;
    browser.says(".op-canary", "10% of the calls").await;
    let report = server.server().control.component("shop").unwrap();
    assert_eq!((report.generation, report.canary.unwrap().share.percent), (Some(2), 10));
    // Of a hundred calls it gets ten; two of them come early.
    let failed = calls(15).await;
    assert_eq!(failed, 2, "those that the build answered");
    browser.until("document.querySelectorAll('.op-beside .is-grave').length > 1").await;
    is_seen_well(&browser, "canary-tried").await;

    browser.focus(".op-canary button").await;
    calls(30).await;
    browser.says(".op-card.is-waiting", "It is no longer tried").await;
    browser.until("document.activeElement.id === 'op-waiting'").await;
    browser.says(".op-card.is-waiting", "3 of 3 trapped").await;
    assert_eq!(calls(50).await, 0, "the version before answers all of them again");
    is_seen_well(&browser, "canary-gone").await;

    browser.role("button", "See why").await;
    browser.hit("button", "Refuse the build of shop").await;
    browser.until("!document.querySelector('.op-card.is-waiting')").await;
    browser.no_role("button", "See why").await;
    browser.click("#op-more-shop").await;
    browser.hit("button", "Serve this one again: generation 1 of shop").await;
    browser.role("button", "Serve this one again: generation 2 of shop").await;
    is_seen_well(&browser, "canary-rolled-back").await;
    assert_eq!(server.server().control.component("shop").unwrap().generation, Some(1));
    assert_eq!(calls(5).await, 0);
    assert_eq!(browser.complaints().await.len(), 1, "the build that was put off, and nothing else");
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn shows_differing_answers_of_a_canary() {
    let server = shop().await;
    let (client, browser) =
        (server.client(), at_components(&server, Look::DESKTOP.japanese()).await);
    drop_file(&browser, "shop.wasm", &saboteur(b'O', ", 'clock'")).await;
    browser.says(".op-card.is-waiting", "時刻と経過時間を知ります").await;
    browser.until("!document.querySelector('.op-card.is-waiting li[lang=en]')").await;
    browser.fill("呼び出しの割合", "").await;
    browser.fill("常にこのビルドを使う呼び出し元", "anonymous").await;
    browser.key(Key::Enter).await;
    browser.says(".op-canary", "anonymous の呼び出し").await;
    for _ in 0..10 {
        assert_eq!(client.output("begin", json!({})).await, json!({ "rows": 7 }));
    }
    browser.says(".op-differs", "/rows").await;
    browser.says(".op-canary", "結果が違いました").await;
    is_seen_well(&browser, "canary-differs").await;

    browser.hit("button", "「shop」のビルドを試すのをやめる").await;
    browser.role("button", "「shop」のビルドを試し始める").await;
    assert_eq!(client.output("begin", json!({})).await, json!({ "rows": 0 }));
    browser.hit("button", "「shop」のビルドを受け入れる").await;
    browser.until("!document.querySelector('.op-card.is-waiting')").await;
    assert_eq!(client.output("begin", json!({})).await, json!({ "rows": 7 }));
    browser.close().await;
}

/// OPS-1, OPS-2, OPS-3, OPS-4, OPS-5, OPS-6, OPS-7
#[tokio::test(flavor = "multi_thread")]
async fn operator_sees_calls_servers_storage_settings_and_people() {
    // A server that is not there.
    let gone = tests::free_addr();
    let folders = Folders::new();
    for name in ["cinema", "echo"] {
        folders.put(name, &component_bytes(name));
    }
    let server = TestServer::start(folders, |config| {
        let entry = format!("url = \"http://{gone}/mcp?key=s3cret\"\nretry_base_ms = 60000");
        config.servers.insert("other".to_owned(), toml::from_str(&entry).unwrap());
    })
    .await;
    server.client().output("list_movies", json!({})).await;
    let browser = Browser::open_at(
        &server.url(),
        &format!("#/operator?key={}", token(&server)),
        Look::DESKTOP,
    )
    .await;
    browser.says(".op-tiles", "Waiting for your decision").await;

    browser.click(".op-tabs a[href='#/operator/calls']").await;
    browser.find(".op-calls a[href^='#/operator/calls/']").await;
    browser.hit("link", "list_movies").await;
    browser.says(".op-waterfall", "Its instance was made").await;
    browser.until("document.activeElement.id === 'op-call'").await;
    browser.says("main", "Read its database").await;
    browser.says("main", "memory_bytes_max").await;
    browser.says("main", "/ 64 MB").await;
    is_seen_well(&browser, "call").await;
    browser.script("history.back()").await;
    browser.find("#op-sought").await;
    browser.go("#/operator/calls/999999").await;
    browser.says("main", "no longer known").await;

    browser.click(".op-tabs a[href='#/operator/servers']").await;
    browser.says(".op-card", "Not reached").await;
    browser.says(".op-card", &format!("http://{gone}/mcp")).await;
    assert!(!browser.text("main").await.contains("s3cret"));
    is_seen_well(&browser, "servers").await;
    browser.hit("button", "Reconnect to other").await;
    browser.says(".toast", "other is being reached anew").await;

    browser.click(".op-tabs a[href='#/operator/storage']").await;
    browser.says("main", "madoguchi backup").await;
    browser.click("#op-database-cinema + .op-kept + details summary").await;
    browser.says(".op-tables", "rows").await;
    is_seen_well(&browser, "storage").await;
    let download = "window.saved = null;
        URL.createObjectURL = (blob) => { blob.text().then((it) => { window.saved = it; }); return 'blob:x'; };
        HTMLAnchorElement.prototype.click = () => {};";
    browser.script(download).await;
    browser.click(".op-tables td button").await;
    browser.until("typeof window.saved === 'string'").await;
    browser.script("window.saved = null").await;
    browser.hit("button", "Download a backup").await;
    let part = if server.folders.store().is_some() { "seal.key" } else { "databases/cinema.db" };
    browser.until(&format!("window.saved?.includes('{part}')")).await;
    browser.until("window.saved.includes('backup.json')").await;
    browser.says(".toast", "The backup is downloaded").await;

    browser.click(".op-tabs a[href='#/operator/settings']").await;
    browser.says(".op-settings", "limits.deadline_ms").await;
    is_seen_well(&browser, "settings").await;
    browser.fill("Name", "deadline").await;
    browser.until("document.querySelectorAll('.op-settings tbody tr').length < 5").await;
    browser.says(".op-settings", "30000").await;

    browser.click(".op-tabs a[href='#/operator/people']").await;
    browser.says("main", "may call everything").await;
    browser.says("main", "This server has no accounts").await;
    is_seen_well(&browser, "people").await;
    // The call that is gone, and nothing else.
    assert_eq!(browser.complaints().await.len(), 1);
    browser.close().await;
}

/// STO-33: each node of a cluster, whichever of them is asked, also where one has gone.
#[tokio::test(flavor = "multi_thread")]
async fn operator_sees_cluster_nodes() {
    let url = Cluster::shared().database();
    let mut hosts = Vec::new();
    for _ in 0..2 {
        let folders = Folders::new();
        folders.put("echo", &component_bytes("echo"));
        let mut config = folders.config_with("");
        config.store.url = Some(Given::value(&url));
        hosts.push(TestServer::start(folders, |it| *it = config).await);
    }
    let browser = Browser::open_at(
        &hosts[0].url(),
        &format!("#/operator?key={}", token(&hosts[0])),
        Look::DESKTOP,
    )
    .await;
    browser.until("document.querySelectorAll('.op-nodes .op-state.is-on').length === 2").await;
    browser.until("document.querySelectorAll('.op-nodes .op-facts').length === 2").await;
    assert_eq!(browser.text(".op-nodes").await.matches("(this one)").count(), 1);
    is_seen_well(&browser, "nodes").await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
    browser.close().await;
}

/// What the host makes of a build is told wherever the operator is by then.
#[tokio::test(flavor = "multi_thread")]
async fn reports_a_finished_upload_after_leaving_the_view() {
    let server = TestServer::with(&["echo"]).await;
    let browser = Browser::open_at(
        &server.url(),
        &format!("#/operator?key={}", token(&server)),
        Look::DESKTOP,
    )
    .await;
    browser.find(".op-health").await;
    browser.click(".op-tabs a[href='#/operator/components']").await;
    browser.role("heading", "echo").await;
    // The page may ask other things by POST meanwhile.
    let hold = "const real = window.fetch;
        const isSent = (input, init) => (input.method ?? init?.method) === 'POST'
            && String(input.url ?? input).endsWith('/components/broken');
        window.fetch = (input, init) => isSent(input, init)
            ? new Promise(done => { window.go = () => done(real(input, init)); })
            : real(input, init);";
    browser.script(hold).await;
    choose(&browser, &file(&server, "broken.wasm", b"no component")).await;
    browser.key(Key::Enter).await;
    browser.until("window.go").await;
    browser.click(".op-tabs a[href='#/operator/servers']").await;
    browser.until("!document.querySelector('#op-load-file')").await;
    browser.script("window.go()").await;
    browser.until(&format!("{ANNOUNCED}.includes('broken')")).await;
    browser.click(".op-tabs a[href='#/operator/components']").await;
    browser.says(".op-part .notice.is-error", "broken").await;
    browser.close().await;
}

/// OPS-5
#[tokio::test(flavor = "multi_thread")]
async fn operator_creates_and_removes_an_account() {
    let server = TestServer::start(Folders::new(), |config| config.accounts.enabled = true).await;
    let browser =
        Browser::open_at(&server.url(), &format!("#/operator?key={}", token(&server)), Look::PHONE)
            .await;
    browser.click(".op-tabs a[href='#/operator/people']").await;
    browser.says("main", "There are no accounts yet").await;
    browser.fill("Name", "ann").await;
    browser.key(Key::Enter).await;
    browser.says("#op-link", "/account/").await;
    browser.role("heading", "ann").await;
    assert!(!browser.overflows().await);
    assert_eq!(browser.serious_faults().await, Vec::<String>::new());
    browser.picture("operator-account-phone").await;
    // The link is made once, and is still there for an operator who looks elsewhere first.
    browser.click(".op-tabs a[href='#/operator/servers']").await;
    browser.until("!document.querySelector('#op-link')").await;
    browser.click(".op-tabs a[href='#/operator/people']").await;
    browser.says("#op-link", "/account/").await;
    browser.hit("button", "Remove the account ann").await;
    browser.until("document.activeElement.textContent.startsWith('No')").await;
    browser.key(Key::Escape).await;
    browser.until("document.activeElement.id === 'op-account-remove-ann'").await;
    browser.key(Key::Enter).await;
    browser.until("document.activeElement.textContent.startsWith('No')").await;
    browser.hit("button", "Yes, remove it").await;
    browser.says("main", "There are no accounts yet").await;
    browser.close().await;
}
