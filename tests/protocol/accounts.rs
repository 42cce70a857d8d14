//! A person with a passkey, and clients that know an address and nothing else (AUTH-1 to AUTH-12): a browser with a
//! virtual authenticator, the official SDK's OAuth flow, and the official suite's scenarios for those who give tokens.

use std::process::Stdio;

use fantoccini::key::Key;
use host::{authorization::FreshToken, scopes::Scope};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tests::{
    browser::{Browser, Look},
    component_bytes,
    fake_identity::{FakeIdentity, SigningKey},
    people::{App, link_of},
    root,
    server::{Folders, Operator, TestServer},
};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines},
    process::{Child, ChildStdout, Command},
};

/// A program that says line by line what is to be done.
struct Client {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Client {
    fn start(arguments: &[&str]) -> Self {
        let folder = root().join("tests/clients");
        let node = folder.join("node_modules/node/bin/node");
        assert!(node.is_file(), "tests/clients is not set up; `cargo xtask test` does it");
        let mut command = Command::new(node);
        command.current_dir(folder).args(arguments).kill_on_drop(true);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    async fn line(&mut self) -> String {
        self.lines.next_line().await.unwrap().expect("it goes on")
    }

    /// What it says next under that name.
    async fn says(&mut self, name: &str) -> Value {
        let line = self.line().await;
        let value: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
        assert!(!value[name].is_null(), "{name}: {value}");
        value[name].clone()
    }
}

/// A person's browser at the server.
struct Person {
    browser: Browser,
    url: String,
}

impl Person {
    /// Opens an address of the server's.
    async fn open(&self, address: &str) {
        let rest = address.strip_prefix(&self.url).expect("it is the server's");
        self.browser.go(rest.trim_start_matches('/')).await;
    }

    async fn click(&self, name: &str) {
        self.browser.hit("button", name).await;
    }

    /// That nothing on the page keeps anyone from using it, on a desktop and on a phone at night.
    async fn is_accessible(&self, page: &str) {
        for look in [Look::DESKTOP, Look::PHONE.dark()] {
            self.browser.look(look).await;
            assert_eq!(
                self.browser.serious_faults().await,
                Vec::<String>::new(),
                "{page} {look:?}"
            );
            assert!(!self.browser.overflows().await, "{page}: {look:?}");
            let name = if look.dark { "phone-dark" } else { "desktop" };
            self.browser.picture(&format!("accounts-{page}-{name}")).await;
        }
        self.browser.look(Look::DESKTOP).await;
    }
}

fn folders() -> Folders {
    let folders = Folders::new();
    for name in ["cinema", "echo"] {
        folders.put(name, &component_bytes(name));
    }
    folders
}

/// A fresh server with nothing but an address and accounts.
async fn serve() -> TestServer {
    let folders = folders();
    // Passkeys want a name, and the address is known before anything is served.
    let addr = tests::free_addr();
    let lines =
        format!("public_url = 'http://localhost:{}'\n[accounts]\nenabled = true\n", addr.port());
    let config = folders.config_with(&lines);
    TestServer::start(folders, |settings| {
        *settings = config;
        settings.addr = addr;
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn official_sdk_signs_in_by_passkey_and_out() {
    let server = serve().await;
    let url = format!("http://localhost:{}", server.server().addr.unwrap().port());
    let operator = Operator::of(&server.folders.data());
    let (status, made) = operator.send(Method::POST, "accounts/hanako", "").await;
    assert_eq!(status, StatusCode::OK, "{made}");
    assert!(made["link"].as_str().unwrap().starts_with(&url), "{made}");
    let link = format!("{url}{}", link_of(&made));

    let person = Person { browser: Browser::open(&url, Look::DESKTOP).await, url: url.clone() };
    let browser = &person.browser;
    browser.devtools("WebAuthn.enable", json!({})).await;
    let authenticator = json!({
        "protocol": "ctap2", "transport": "internal", "hasResidentKey": true,
        "hasUserVerification": true, "isUserVerified": true, "automaticPresenceSimulation": true,
    });
    browser.devtools("WebAuthn.addVirtualAuthenticator", json!({ "options": authenticator })).await;
    person.open(&format!("{link}?ui_locales=ja")).await;
    browser.says("h1", "hanako さん").await;
    person.is_accessible("link").await;
    person.open(&link).await;
    person.click("Make a passkey").await;
    browser.says("h1", "Your account").await;
    person.open(&link).await;
    browser.says("main", "works no more").await;
    person.open(&format!("{url}/account")).await;
    person.click("Sign out").await;
    browser.says("h1", "Sign in").await;

    for version in ["v1", "v2"] {
        let mut client = Client::start(&["oauth.mjs", &format!("{url}/mcp"), version]);
        let first = client.says("open").await;
        person.open(first.as_str().unwrap()).await;
        if version == "v1" {
            browser.says("h1", "Sign in").await;
            person.is_accessible("sign-in").await;
            person.click("Sign in with a passkey").await;
        }
        browser.says("h1", &format!("TypeScript SDK {version}")).await;
        browser.says("main", "Use the tool “whoami”").await;
        person.is_accessible("consent").await;
        person.click("Allow").await;
        browser.says("body", "You may close this page.").await;
        // A tool that it was not given: it comes back for that alone, and keeps what it had.
        let more = client.says("open").await;
        person.open(more.as_str().unwrap()).await;
        browser.says("main", "Use the tool “list_movies”").await;
        person.click("Allow").await;
        let called = client.says("called").await;
        assert_eq!(called["who"]["principal"], "account:hanako", "{called}");
        assert_eq!(called["before"], json!(["echo", "whoami"]), "{called}");
        assert!(called["films"].as_u64().is_some_and(|it| it > 0), "{called}");
        assert_eq!(called["still"], true, "{called}");
        assert_eq!(called["scope"], "tool:echo tool:whoami tool:list_movies", "{called}");
        eprintln!("SDK {version}: {} requests, {} ms", called["requests"], called["ms"]);
        // The person takes all of it back.
        person.open(&format!("{url}/account")).await;
        if version == "v1" {
            person.is_accessible("devices").await;
        }
        // Each is gone before the next is looked for: the page that comes is like the one that goes.
        let given = browser.roles("button", "Take back").await.len();
        assert!(given > 0, "there is something to take back");
        for left in (0..given).rev() {
            person.click("Take back").await;
            let are_left = format!(
                "document.readyState === 'complete' && [...document.querySelectorAll('button')]
                    .filter(it => it.textContent.includes('Take back')).length === {left}"
            );
            browser.until(&are_left).await;
        }
        client.child.stdin.as_mut().unwrap().write_all(b"revoked\n").await.unwrap();
        client.says("open").await;
        assert_eq!(client.says("out").await, true);
    }
    signs_in_to_the_page(&person).await;
    // Statuses of 401 and 410 are as they should be; nothing was kept from loading.
    let complaints = browser.complaints().await.into_iter();
    let complaints = complaints.filter(|it| !it.contains("Failed to load resource"));
    assert_eq!(complaints.collect::<Vec<_>>(), Vec::<String>::new());

    // The official suite's scenarios for who gives tokens.
    let port = tests::free_addr().port();
    let app = App::register(&url).await;
    let redirect = json!({ "redirect_uris": [format!("http://127.0.0.1:{port}/callback")] });
    let (_, registered) = app.registration(&redirect).await;
    let id = registered["client_id"].as_str().unwrap();
    let suite = "node_modules/@modelcontextprotocol/conformance/dist/index.js";
    let (port, resource) = (port.to_string(), format!("{url}/mcp"));
    let mut suite = Client::start(&[
        suite,
        "authorization",
        "--url",
        &url,
        "--client-id",
        id,
        "--resource",
        &resource,
        "--port",
        &port,
    ]);
    let mut text = String::new();
    while let Some(line) = suite.lines.next_line().await.unwrap() {
        if line.starts_with("http") {
            person.open(&line).await;
            person.click("Allow").await;
        }
        text += &format!("{line}\n");
    }
    let ended = suite.child.wait().await.unwrap();
    eprintln!("{text}");
    assert!(ended.success() && !text.contains("FAILURE") && !text.contains("SKIPPED"), "{text}");
    assert!(text.contains("authorization-code-grant"), "{text}");
    browser.devtools("WebAuthn.disable", json!({})).await;
    person.browser.close().await;
}

/// The server's own page is opened by the account, in all tabs, until the person signs out in one (AUTH-13).
async fn signs_in_to_the_page(person: &Person) {
    let browser = &person.browser;
    person.open(&format!("{}/account", person.url)).await;
    person.click("Sign out").await;
    browser.says("h1", "Sign in").await;
    browser.go("#/counter").await;
    browser.find("#by-account").await;
    person.is_accessible("page").await;
    browser.click("#by-account").await;
    person.click("Sign in with a passkey").await;
    browser.find(".sign-out").await;
    browser.until("location.hash === '#/counter' && location.search === ''").await;

    let first = browser.this_window().await;
    browser.window("#/counter").await;
    browser.find(".sign-out").await;
    // A token that is due is renewed before it is used; one that is refused, when it was.
    let kept = "JSON.parse(localStorage.getItem('madoguchi.account')).token";
    for change in ["it.renew_at_ms = 0", "it.token = 'mdo_none'; it.given_at_ms = 0"] {
        let change = format!(
            "const it = JSON.parse(localStorage.getItem('madoguchi.account'));
             window.before = it.token;
             sessionStorage.setItem('before', it.token);
             {change};
             localStorage.setItem('madoguchi.account', JSON.stringify(it));"
        );
        browser.script(&change).await;
        browser.script("location.reload()").await;
        browser
            .until(&format!("{kept} !== sessionStorage.getItem('before') && {kept} !== 'mdo_none'"))
            .await;
        browser.find(".sign-out").await;
    }
    browser.click(".sign-out").await;
    browser.find("#by-account").await;
    browser.close_window().await;
    browser.to(&first).await;
    browser.find("#by-account").await;
    // The next person is asked who they are.
    browser.click("#by-account").await;
    browser.find("form[action*='/account/sign-in']").await;
    person.click("Sign in with a passkey").await;
    browser.find(".sign-out").await;
}

/// The same client, where an identity provider that is there already lets people in, and signs with another key each
/// time.
#[tokio::test(flavor = "multi_thread")]
async fn official_sdk_signs_in_by_provider_with_rotating_keys() {
    let fake = FakeIdentity::start().await;
    let folders = folders();
    let more = "own_scopes = true\nintrospection_cache_s = 0\nintrospect_jwts = true\n";
    let config = folders.config_with(&fake.lines(&format!("{}{more}", fake.introspection())));
    let server = TestServer::start(folders, |it| *it = config).await;
    let resource = format!("{}/mcp", server.url());
    // The provider's person consents to everything at once: no browser is needed.
    let person = tests::client::http().build().unwrap();
    let open = async |address: &Value| {
        let address = address.as_str().unwrap();
        assert!(address.starts_with(&fake.issuer()), "{address}");
        let page = person.get(address).send().await.unwrap().text().await.unwrap();
        assert_eq!(page, "You may close this page.");
    };
    for version in ["v1", "v2"] {
        let mut client = Client::start(&["oauth.mjs", &resource, version, &fake.issuer()]);
        fake.rotate(&[SigningKey::ec(Some(&format!("{version}-first")))]);
        open(&client.says("open").await).await;
        let more = client.says("open").await;
        fake.rotate(&[SigningKey::ec(Some(&format!("{version}-more")))]);
        open(&more).await;
        let called = client.says("called").await;
        assert_eq!(called["who"]["principal"], format!("{}#ann", fake.issuer()), "{called}");
        assert_eq!(called["before"], json!(["echo", "whoami"]), "{called}");
        assert!(called["films"].as_u64().is_some_and(|it| it > 0), "{called}");
        assert_eq!(called["still"], true, "{called}");
        eprintln!("SDK {version}: {} requests, {} ms", called["requests"], called["ms"]);
        fake.revoke_all();
        client.child.stdin.as_mut().unwrap().write_all(b"revoked\n").await.unwrap();
        client.says("open").await;
        assert_eq!(client.says("out").await, true);
    }
}

// The page where the operator wants a token: it asks for one, and shows no more than the token allows.

/// A server that wants a token, and one with these scopes.
async fn locked(scopes: &[&str]) -> (TestServer, String) {
    let folders = Folders::new();
    for name in ["cinema", "echo"] {
        folders.put(name, &component_bytes(name));
    }
    let scopes: Vec<Scope> = scopes.iter().map(|it| it.parse().unwrap()).collect();
    let fresh = FreshToken::new("hanako", &scopes, None).unwrap();
    let config = folders.config_with(&fresh.configuration);
    let server = TestServer::start(folders, |it| *it = config).await;
    (server, fresh.token)
}

#[tokio::test(flavor = "multi_thread")]
async fn asks_for_a_token_and_reports_its_faults() {
    let (server, token) = locked(&["*"]).await;
    let browser = Browser::open(&server.url(), Look::DESKTOP).await;
    browser.says("h1", "Sign in").await;
    assert_eq!(browser.serious_faults().await, Vec::<String>::new());
    browser.type_at("#token", "トークン").await;
    browser.key(Key::Enter).await;
    browser.says("#token-wrong", "no spaces").await;
    let field = browser.find("#token").await;
    field.clear().await.unwrap();
    field.send_keys("mdg_wrong").await.unwrap();
    browser.key(Key::Enter).await;
    browser.says("#token-wrong", "does not do").await;
    browser.picture("sign-in-refused").await;
    let field = browser.find("#token").await;
    field.clear().await.unwrap();
    field.send_keys(&token).await.unwrap();
    browser.key(Key::Enter).await;
    browser.says("h1", "Book your seats").await;
    browser.find(".film-list li").await;
    browser.until("document.activeElement !== document.body").await;
    browser.reload().await;
    browser.find(".film-list li").await;
    let mark = "window.before = true;
        sessionStorage.setItem('madoguchi.draft.x', '\"Hanako\"');
        localStorage.setItem('madoguchi.name', '\"Hanako\"');";
    browser.script(mark).await;
    browser.hit("button", "Sign out").await;
    browser.until("!window.before").await;
    browser.says("h1", "Sign in").await;
    let kept = browser.script("return JSON.stringify({...localStorage, ...sessionStorage})").await;
    let kept = kept.as_str().unwrap();
    assert!(!kept.contains(&token) && !kept.contains("Hanako"), "its reader is forgotten: {kept}");
    browser.close().await;
}

/// By day and by night, on a desktop and on a phone.
#[tokio::test(flavor = "multi_thread")]
async fn shows_what_the_token_reaches_in_any_theme() {
    let (server, token) = locked(&["tool:list_movies"]).await;
    for look in [Look::DESKTOP, Look::PHONE.dark().japanese()] {
        let browser = Browser::open(&server.url(), look).await;
        let field = browser.find("#token").await;
        let device = if look.width < 600 { "phone-dark" } else { "desktop" };
        browser.picture(&format!("sign-in-{device}")).await;
        assert_eq!(browser.serious_faults().await, Vec::<String>::new());
        assert!(!browser.overflows().await, "{look:?}");
        field.send_keys(&token).await.unwrap();
        browser.key(Key::Enter).await;
        browser.find(".places").await;
        browser.go("#/counter/list_movies").await;
        browser.says(".tool-head", "list_movies").await;
        browser.go("#/counter").await;
        browser.find("main a[href='#/counter/list_movies']").await;
        let others = browser.all("main a[href='#/counter/reserve_seats']").await;
        assert!(others.is_empty(), "what the token does not reach is not shown");
        assert!(!browser.overflows().await, "{look:?}");
        browser.close().await;
    }
}
