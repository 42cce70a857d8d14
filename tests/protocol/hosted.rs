//! Others' apps in our page: those of the MCP Apps project, and one that means harm.

use fantoccini::key::Key;
use host::config::ServerConfig;
use serde_json::{Value, json};
use tests::{
    browser::{Browser, Look},
    component_bytes,
    fake::Fake,
    fake_apps::FakeApps,
    fake_models::{
        FakeModel,
        gemini::{self, Gemini},
    },
    foreign,
    server::{Folders, TestServer},
};

/// An upstream server, as the operator writes it.
fn entry(text: &str) -> ServerConfig {
    toml::from_str(text).expect("an entry")
}

/// One of the example servers, which npm has brought.
fn example(name: &str) -> ServerConfig {
    let folder = foreign::folder();
    let node = folder.join("node_modules/node/bin/node");
    let script = format!("node_modules/@modelcontextprotocol/server-{name}/dist/index.js");
    let script = folder.join(script);
    assert!(script.is_file(), "tests/clients is not set up; `cargo xtask test` does it");
    entry(&format!("command = {node:?}\nargs = [{script:?}, '--stdio']"))
}

async fn with(servers: Vec<(&str, ServerConfig)>) -> TestServer {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let servers = servers.into_iter().map(|(name, it)| (name.to_owned(), it)).collect();
    TestServer::start(folders, |it| it.servers = servers).await
}

/// Waits until the page knows that tool, and calls it.
async fn call(browser: &Browser, tool: &str) {
    browser.go(&format!("#/counter/{tool}")).await;
    browser.click(".tool-form button[type=submit]").await;
}

/// What the app itself says where that CSS selector leads.
async fn app_says(browser: &Browser, css: &str, part: &str) -> String {
    browser.into_app().await;
    browser.says(css, part).await;
    let text = browser.text(css).await;
    browser.out_of_app().await;
    text
}

/// The example servers behind a host with an assistant, and its model.
async fn examples() -> (TestServer, FakeModel) {
    let folders = Folders::new();
    for name in ["assistant", "echo"] {
        folders.put(name, &component_bytes(name));
    }
    let model = FakeModel::start(Gemini::default()).await;
    let (key, url) = (gemini::KEY, &model.url);
    let lines = format!("[models.gemini]\nkey = {{ value = '{key}' }}\nbase_url = '{url}'\n");
    let mut config = folders.config_with(&lines);
    let servers = [
        ("plain", example("basic-vanillajs")),
        ("react", example("basic-react")),
        ("budget", example("budget-allocator")),
    ];
    config.servers = servers.into_iter().map(|(name, it)| (name.to_owned(), it)).collect();
    (TestServer::start(folders, |it| *it = config).await, model)
}

/// HOSTED-7, HOSTED-8: two servers with the same URI for their apps, and one with a chart; each by its own tool.
#[tokio::test(flavor = "multi_thread")]
async fn runs_the_projects_example_apps() {
    let (server, model) = examples().await;
    let browser = Browser::open(&server.url(), Look::DESKTOP).await;
    call(&browser, "plain_get-time").await;
    let first = app_says(&browser, "#server-time", "T").await;
    assert_eq!(browser.all(".app-ask").await.len(), 0, "showing a result asks nothing");
    browser.into_app().await;
    browser.click("#get-time-btn").await;
    browser.out_of_app().await;
    // Its server says nothing of what the call does, so the person is asked.
    browser.says(".app-ask", "Get Time").await;
    browser.picture("hosted-asks").await;
    assert_eq!(browser.serious_faults().await, Vec::<String>::new());
    browser.hit("button", "Allow until the app is closed").await;
    browser.into_app().await;
    browser
        .until(&format!("document.querySelector('#server-time').textContent !== {first:?}"))
        .await;
    browser.click("#get-time-btn").await;
    browser.until("document.querySelector('#server-time').textContent.includes('T')").await;
    browser.click("#open-link-btn").await;
    browser.out_of_app().await;
    browser.says(".app-ask", "https://modelcontextprotocol.io/").await;
    browser.hit("button", "No").await;
    browser.into_app().await;
    browser.click("#send-message-btn").await;
    browser.out_of_app().await;
    browser.says(".app-ask", "This is message text.").await;
    browser.hit("button", "Put it there").await;
    browser.until("document.querySelector('#chat-input')?.value === 'This is message text.'").await;

    // The same in the chat, where the message goes: a model calls the tool, and the person allows it.
    model.says(gemini::message(&[gemini::call("plain_get-time", json!({}))]));
    model.says(gemini::message(&[gemini::text("It is late.")]));
    browser.until("document.querySelectorAll('.chat-who option').length > 0").await;
    browser.focus("#chat-input").await;
    browser.key(Key::Enter).await;
    browser.hit("button", "Allow once").await;
    browser.says(".chat-log", "It is late.").await;
    app_says(&browser, "#server-time", "T").await;
    browser.picture("hosted-chat").await;
    assert_eq!(browser.serious_faults().await, Vec::<String>::new());

    call(&browser, "react_get-time").await;
    browser.into_app().await;
    browser.until("document.querySelector('#root')?.textContent.includes('Server Time')").await;
    browser
        .until("document.body.textContent.includes('T') && document.querySelector('code')")
        .await;
    browser.out_of_app().await;
    browser.picture("hosted-react").await;
    browser.hit("button", "Full screen").await;
    browser.until("document.querySelector('.app.is-fullscreen iframe').clientHeight > 600").await;
    browser.hit("button", "Leave full screen").await;
    browser.hit("button", "Close the app").await;
    browser.says(".app .notice", "The app is closed").await;
    browser.says(".output", "T").await;
    browser.hit("button", "Open the app again").await;
    browser.find(".app-frame iframe").await;

    let look = Look::DESKTOP;
    call(&browser, "budget_get-budget-data").await;
    browser.into_app().await;
    browser.until("document.querySelector('canvas')?.width > 0").await;
    browser.until("document.documentElement.dataset.theme !== 'dark'").await;
    browser.out_of_app().await;
    for (name, look) in [
        ("hosted-budget", look),
        ("hosted-budget-dark", look.dark()),
        ("hosted-budget-phone-dark", Look::PHONE.dark()),
        ("hosted-budget-phone", Look::PHONE),
    ] {
        browser.look(look).await;
        browser.click(".language").await;
        assert!(!browser.overflows().await, "{name}");
        browser.whole_picture(name, look).await;
    }
    assert_eq!(browser.serious_faults().await, Vec::<String>::new());
    assert_eq!(browser.complaints().await, Vec::<String>::new());
    browser.close().await;
}

fn tool(name: &str, is_read_only: bool, ui: Value) -> Value {
    json!({
        "name": name, "title": name, "description": name,
        "inputSchema": { "type": "object", "properties": { "deed": { "type": "string" } } },
        "annotations": { "readOnlyHint": is_read_only },
        "_meta": { "ui": ui },
    })
}

/// HOSTED-9: it gets nothing, the page goes on, and says what happened.
#[tokio::test(flavor = "multi_thread")]
async fn hostile_app_reaches_nothing_and_page_continues() {
    let elsewhere = Fake::start().await;
    let html = include_str!("hosted/hostile.html");
    let html = html.replace("ELSEWHERE/", &format!("127.0.0.1:{}/", elsewhere.port));
    let app = json!({ "resourceUri": "ui://hostile/app.html" });
    let tools = json!([
        tool("open", true, app),
        tool("report", true, json!({ "visibility": ["app"] })),
        tool("wipe", true, json!({})),
        tool("think", true, json!({ "visibility": ["model"] })),
    ]);
    let hostile = FakeApps::start(tools, &[("ui://hostile/app.html", &html)]).await;
    let other = json!([tool("steal", true, json!({ "resourceUri": "ui://other/app.html" }))]);
    let other = FakeApps::start(other, &[("ui://other/app.html", "<p>other")]).await;
    // The operator believes all of them but what wipes.
    let believed = "trust_hints = ['open', 'report', 'think']";
    let server = with(vec![
        ("hostile", entry(&format!("url = {:?}\n{believed}", hostile.url))),
        ("other", entry(&format!("url = {:?}\ntrust_hints = true", other.url))),
    ])
    .await;
    let browser = Browser::open(&server.url(), Look::DESKTOP).await;
    let mut count = 0;
    let mut does = async |deed: &str| {
        // What was typed before is kept: a reload in between is a new page.
        browser.go(&format!("?{count}#/counter/hostile_open")).await;
        count += 1;
        browser.fill("deed", deed).await;
        browser.click(".tool-form button[type=submit]").await;
    };
    let called = |name: &str| hostile.calls().into_iter().filter(|it| it.0 == name).count();

    does("probe").await;
    app_says(&browser, "#state", "asks").await;
    browser.says(".app-ask", "wipe").await;
    browser.says(".app-ask", "all").await;
    assert_eq!(called("wipe"), 0, "the person has not answered");
    assert_eq!(browser.serious_faults().await, Vec::<String>::new());
    browser.picture("hosted-hostile-asks").await;
    browser.hit("button", "Deny").await;
    app_says(&browser, "#state", "reported").await;
    let reports: Vec<_> = hostile.calls().into_iter().filter(|it| it.0 == "report").collect();
    assert_eq!(reports.len(), 1, "no frame of its own speaks for it: {reports:?}");
    let got = &reports[0].1["got"];
    for (what, expected) in [
        ("cookie", "refused: SecurityError"),
        ("storage", "refused: SecurityError"),
        ("database", "refused: SecurityError"),
        ("origin", "null"),
        ("parent", "refused: SecurityError"),
        ("top", "refused: SecurityError"),
        ("navigate top", "refused: SecurityError"),
        ("window", "none"),
        ("fetch", "refused: TypeError"),
        ("own server", "refused: TypeError"),
        ("image", "failed"),
        ("script", "failed"),
        ("style", "failed"),
        ("socket", "failed"),
        ("events", "failed"),
        ("beacon", "tried"),
        ("worker", "failed"),
        ("eval", "refused: EvalError"),
        ("tool of another server", "error: its own server has no tool of that name"),
        ("its full name", "error: its own server has no tool of that name"),
        ("a component's tool", "error: its own server has no tool of that name"),
        ("tool for models alone", "error: that tool is not for apps"),
        ("own tool by the host's name", "error: its own server has no tool of that name"),
        ("another server's app", "error"),
        ("own app", "read"),
        ("link javascript:alert(1)", "error"),
        ("link file:///etc/passwd", "error"),
        ("link https://bank.example@evil.example/", "error"),
        ("changing tool", "error: the person did not allow it"),
    ] {
        assert_eq!(got[what], expected, "{what}: {got}");
    }

    for (deed, expected) in [
        ("flood", "too many messages"),
        ("past", "too many messages"),
        ("huge", "too big"),
        ("malformed", "messages that are none"),
        ("leave", "another page"),
    ] {
        does(deed).await;
        browser.says(".app .notice", expected).await;
        assert_eq!(browser.all(".app-frame iframe").await.len(), 0, "{deed}: it has gone");
        browser.says(".output", "done").await;
    }
    browser.picture("hosted-hostile-ended").await;

    does("form").await;
    // Some browsers show a page of their own in place of what is blocked, which ends it.
    tests::until("it is blocked, or ended", async || {
        called("report") > 1 || !browser.all(".app .notice").await.is_empty()
    })
    .await;

    does("grow").await;
    app_says(&browser, "#state", "does grow").await;
    browser.until("document.querySelector('.app-frame').offsetHeight >= 600").await;
    let height = browser.script("return document.querySelector('.app-frame').offsetHeight").await;
    assert!(height.as_u64().unwrap() <= 632, "70% of 900: {height}");

    does("nag").await;
    for _ in 0..5 {
        browser.hit("button", "Deny").await;
    }
    app_says(&browser, "#state", "tired").await;
    assert_eq!(browser.all(".app-ask").await.len(), 0, "it may not ask any more");

    does("spin").await;
    browser.find(".app-frame iframe").await;
    browser.hit("button", "Close the app").await;
    browser.says(".app .notice", "The app is closed").await;

    assert_eq!(called("wipe"), 0);
    assert_eq!(called("think"), 0);
    assert_eq!(other.calls(), []);
    assert_eq!(elsewhere.received(), Vec::<String>::new(), "nothing went anywhere");
    browser.close().await;
}
