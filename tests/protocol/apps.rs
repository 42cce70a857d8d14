//! The four apps in a program that is made of the official packages of MCP Apps: a booking, a form, a map and a
//! conversation, in a sandbox under the policy of the specification, loaded again in the middle (APP-8).

use std::process::Command;

use axum::{
    Router,
    http::header::CONTENT_TYPE,
    response::{IntoResponse, Response},
    routing::get,
};
use fantoccini::key::Key;
use host::config::ServerConfig;
use serde_json::{Value, json};
use tests::{
    browser::{Browser, Look},
    client::{self, Client},
    component_bytes,
    fake::{Fake, FakeApps},
    fake_models::{
        FakeModel,
        gemini::{self, Gemini},
    },
    fixtures::{free_seats, showtime_id, showtimes},
    root,
    server::{Folders, TestServer},
};

/// High enough for each app: what is to be clicked is in sight.
const WINDOW: Look = Look { height: 2_600, ..Look::DESKTOP };

/// The program's page, and the server that it talks to.
struct Host {
    browser: Browser,
    client: Client,
    /// The program's address, with the era that it speaks.
    address: String,
    _server: TestServer,
}

impl Host {
    /// A server with the four components, and the program beside it: at two origins, its own and the sandbox's.
    async fn open() -> Self {
        let bundle = tempfile::tempdir().expect("a temporary folder can be made");
        let script = bundle.path().join("host.js");
        let clients = root().join("tests/clients");
        let node = clients.join("node_modules/node/bin/node");
        assert!(node.is_file(), "tests/clients is not set up; `cargo xtask test` does it");
        let mut command = Command::new(node);
        let bundled = command.current_dir(&clients).arg("apps/bundle.mjs").arg(&script).status();
        assert!(bundled.is_ok_and(|it| it.success()), "the host's packages make one file");
        let read = |path: std::path::PathBuf| std::fs::read_to_string(path).expect("it is there");
        let files = [
            ("/", "text/html", read(clients.join("apps/host.html"))),
            ("/sandbox.html", "text/html", read(clients.join("apps/sandbox.html"))),
            ("/host.js", "text/javascript", read(script)),
        ];
        let router = files.into_iter().fold(Router::new(), |router, (path, kind, text)| {
            router.route(path, get(move || std::future::ready(file(kind, text.clone()))))
        });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = listener.local_addr().expect("it has one").port();
        tokio::spawn(async move { axum::serve(listener, router).await });
        let own = format!("http://127.0.0.1:{port}");
        let folders = Folders::new();
        for name in ["cinema", "forms", "navigation", "conversations", "assistant"] {
            folders.put(name, &component_bytes(name));
        }
        let origins = vec![own.clone()];
        let server = TestServer::start(folders, |it| it.allowed_origins = origins).await;
        let address = format!(
            "?era=modern&server={}/mcp&sandbox=http://localhost:{port}/sandbox.html",
            server.url()
        );
        let browser = Browser::open_at(&own, &address, WINDOW).await;
        browser.until("window.apps").await;
        Self { browser, client: server.client(), address, _server: server }
    }

    /// Calls something of the program: what it comes to.
    async fn apps(&self, call: &str, given: Vec<Value>) -> Value {
        self.browser.out_of_frames().await;
        let script = format!(
            "const done = arguments[arguments.length - 1];
             Promise.resolve(window.apps.{call}(...[...arguments].slice(0, -1)))
                 .then(it => done(it === undefined ? null : it), it => done({{ failed: String(it) }}));"
        );
        let come = self.browser.ask_later(&script, given).await;
        assert!(come.get("failed").is_none(), "{call}: {come}");
        come
    }

    /// Goes into the frame of the app.
    async fn enter(&self) {
        self.browser.out_of_frames().await;
        self.browser.into_frame("iframe").await;
        self.browser.into_frame("iframe").await;
    }

    /// Has a tool called as a model would, and goes into the app that shows it.
    async fn call(&self, tool: &str, arguments: Value) -> Value {
        let result = self.apps("call", vec![tool.into(), arguments]).await;
        self.enter().await;
        result
    }

    /// Loads the frame again, as a program does that draws its conversation anew: it says so before.
    async fn reload(&self) {
        self.apps("teardown", vec![]).await;
        self.apps("reload", vec![]).await;
        self.enter().await;
    }

    /// Waits until what the program has seen has that in it: what an app tells comes a moment after it shows it.
    async fn sees(&self, what: &str, part: &str) {
        self.browser.out_of_frames().await;
        let part = json!(part);
        self.browser.until(&format!("window.apps.seen.{what}?.includes({part})")).await;
        self.enter().await;
    }

    /// The app at day and at night, wide and narrow, in both languages: nothing is cut off, and nothing is out of reach.
    async fn looks(&self, name: &str) {
        let narrow = Look { width: 320, height: 1_400, ..Look::PHONE };
        let wide = Look { width: 760, height: 1_400, ..Look::DESKTOP };
        for (theme, locale, look) in [("light", "ja", wide), ("dark", "en", narrow)] {
            self.browser.out_of_frames().await;
            self.browser.look(look).await;
            self.apps("change", vec![json!({ "theme": theme, "locale": locale })]).await;
            self.enter().await;
            self.browser.until(&format!("document.documentElement.lang === '{locale}'")).await;
            self.browser
                .until("document.documentElement.scrollHeight <= window.innerHeight + 1")
                .await;
            assert!(!self.browser.overflows().await, "{name} is too wide at {}", look.width);
            let faults = self.browser.serious_faults().await;
            assert!(faults.is_empty(), "{name} {theme} {locale}: {faults:#?}");
            self.browser.out_of_frames().await;
            self.browser.whole_picture(&format!("app-{name}-{theme}-{locale}"), look).await;
            self.enter().await;
        }
        self.browser.out_of_frames().await;
        self.browser.look(WINDOW).await;
        self.apps("change", vec![json!({ "theme": "light", "locale": "en" })]).await;
        self.enter().await;
        self.browser.until("document.documentElement.lang === 'en'").await;
    }

    /// Waits until what matches a CSS selector is named so.
    async fn is_named(&self, css: &str, part: &str) {
        let css = json!(css);
        let label = format!("document.querySelector({css})?.ariaLabel");
        self.browser.until(&format!("{label}?.includes('{part}')")).await;
    }
}

fn file(kind: &'static str, text: String) -> Response {
    ([(CONTENT_TYPE, kind)], text).into_response()
}

/// APP-8.
#[tokio::test(flavor = "multi_thread")]
async fn official_host_shows_and_reloads_our_apps() {
    let host = Host::open().await;
    assert_eq!(host.apps("protocol", vec![]).await, "2026-07-28");
    books_two_seats(&host).await;
    fills_in_a_form(&host).await;
    goes_along_a_cascade(&host).await;
    chooses_a_route(&host).await;
    steps_into_a_conversation(&host).await;
    speaks_the_legacy_era(&host).await;
    host.browser.out_of_frames().await;
    let complaints = host.browser.complaints().await;
    let policy: Vec<_> = complaints.iter().filter(|it| it.contains("Security Policy")).collect();
    assert!(policy.is_empty(), "the usual policy is enough: {policy:#?}");
    let Host { browser, .. } = host;
    browser.close().await;
}

/// The same program as a client of the legacy era.
async fn speaks_the_legacy_era(host: &Host) {
    host.browser.out_of_frames().await;
    host.browser.go(&host.address.replace("era=modern", "era=legacy")).await;
    host.browser.until("window.apps").await;
    assert_ne!(host.apps("protocol", vec![]).await, "2026-07-28");
    let show = showtime_id(&showtimes(&host.client).await[0]);
    host.call("list_available_seats", json!({ "showtime_id": show })).await;
    host.browser.click("[role=gridcell]:not([aria-disabled])").await;
    host.browser.says("#picked", "1 chosen").await;
    host.reload().await;
    host.browser.says("#picked", "1 chosen").await;
}

async fn books_two_seats(host: &Host) {
    let (browser, client) = (&host.browser, &host.client);
    let showing = showtimes(client).await[0].clone();
    let show = showtime_id(&showing);
    let seats = free_seats(client, &show).await;
    let order = |user: &str, seats: &[String]| json!({ "user_id": user, "showtime_id": show, "seat_ids": seats });
    client.output("reserve_seats", order("ann", &seats[..1])).await;
    client.output("hold_seats", order("ann", &seats[1..2])).await;
    let seat = |at: usize| format!("[data-seat='{}']", seats[at]);

    // The model's call lists free seats alone; the app shows all of them.
    host.call("list_available_seats", json!({ "showtime_id": show })).await;
    host.is_named(&seat(0), "Taken").await;
    host.is_named(&seat(1), "Held for another").await;
    browser.click(&seat(1)).await;
    browser.until("document.getElementById('said').textContent.includes('held for another')").await;
    // By mouse, and by keyboard: one seat is in the way of the tabulator.
    browser.click(&seat(2)).await;
    browser
        .until("document.querySelectorAll('[role=gridcell][tabindex=\"0\"]').length === 1")
        .await;
    let before = browser.focused("id").await;
    browser.key(Key::Down).await;
    assert_ne!(browser.focused("id").await, before);
    browser.key(Key::Up).await;
    assert_eq!(browser.focused("id").await, before);
    browser.click(&seat(3)).await;
    browser.says("#picked", "2 chosen").await;
    browser.type_at("#name", "花子").await;
    host.looks("seats").await;
    browser.says("h1", showing["movie_title_en"].as_str().unwrap()).await;

    // What was chosen and typed is there when the frame is loaded again.
    host.reload().await;
    browser.says("#picked", "2 chosen").await;
    browser.until("document.getElementById('name').value === '花子'").await;
    browser.click("#hold").await;
    browser.says(".notice.is-good", "held for you").await;
    let chosen = [seats[2].clone(), seats[3].clone()];
    let free = free_seats(client, &show).await;
    assert!(chosen.iter().all(|it| !free.contains(it)), "others see the hold");
    host.reload().await;
    browser.says(".notice.is-good", "held for you").await;

    // Another is faster with a third one, which the app learns as it reserves, and not as it looks by itself.
    browser.click(&seat(4)).await;
    browser.says("#picked", "3 chosen").await;
    browser.script("Object.defineProperty(document, 'hidden', { get: () => true })").await;
    client.output("reserve_seats", order("bob", &seats[4..5])).await;
    browser.click("#next").await;
    browser.click("#reserve").await;
    browser.says(".notice.is-grave", "faster").await;
    browser.says("#picked", "2 chosen").await;

    // It looks at the seats once more, and takes no press meanwhile.
    browser.click("#next:not([aria-disabled])").await;
    browser.click("#reserve").await;
    browser.says("h1", "Reserved").await;
    browser.until("document.querySelector('.code')?.naturalWidth > 0").await;
    let ticket = browser.find("[data-reservation]").await;
    let number = ticket.attr("data-reservation").await.unwrap().unwrap();
    let kept = client.output("get_reservation", json!({ "reservation_id": number })).await;
    assert_eq!((&kept["user_id"], &kept["status"]), (&json!("花子"), &json!("confirmed")));
    assert_eq!(kept["seats"].as_array().unwrap().len(), 2);
    // The model is told.
    host.sees("told.at(-1)", &number).await;
    host.looks("ticket").await;
    host.reload().await;
    browser.says("h1", "Reserved").await;

    browser.click("#cancel").await;
    browser.click("#cancel-do").await;
    browser.says(".status", "Cancelled").await;
    let kept = client.output("get_reservation", json!({ "reservation_id": number })).await;
    assert_eq!(kept["status"], "cancelled");
}

async fn fills_in_a_form(host: &Host) {
    let (browser, client) = (&host.browser, &host.client);
    let form = std::fs::read_to_string(root().join("tests/forms/types.json")).unwrap();
    let mut form: Value = serde_json::from_str(&form).unwrap();
    // What is typed by a stranger is text.
    form["description"] = "<img src=x onerror=document.title=1>".into();
    let result = host.call("request_form", json!({ "form_schema": form })).await;
    let handle = result["_meta"]["forms/form"]["handle"].as_str().unwrap().to_owned();
    let field = |name: &str| {
        let fields = form["fields"].as_array().unwrap();
        let at = fields.iter().position(|it| it["name"] == name).unwrap();
        format!("#field-{at}")
    };
    let types = async |name: &str, text: &str| {
        browser.type_at(&field(name), text).await;
    };
    browser.find(&field("full_name")).await;
    browser.until("!document.querySelector('main img')").await;
    types("full_name", "花").await;
    browser.click(&field("introduction")).await;
    browser.says(&format!("{}-error", field("full_name")), "2 characters").await;
    types("full_name", "子").await;
    browser.click(&format!("{}-1", field("topics"))).await;
    browser.click(&format!("{}-2", field("seat"))).await;
    types("contact", "田").await;
    browser.click(".options li").await;
    browser
        .until(&format!("document.querySelector('{}').value.includes('(')", field("contact")))
        .await;
    // The options of one follow from the value of another.
    browser
        .until(&format!("document.querySelector('{}').options.length > 40", field("prefecture")))
        .await;
    browser.says("#draft", "Draft saved").await;

    host.reload().await;
    browser
        .until(&format!("document.querySelector('{}').value === '花子'", field("full_name")))
        .await;
    browser
        .until(&format!("document.querySelector('{}').value.includes('(')", field("contact")))
        .await;
    host.looks("form").await;
    browser.click("#submit").await;
    browser.says("#problem", "(2)").await;
    let set = format!(
        "const it = document.querySelector('{}');
         // Not today, which may be over before it is sent.
         const now = new Date();
         now.setDate(now.getDate() + 1);
         it.value = [now.getFullYear(), now.getMonth() + 1, now.getDate()].map(it => String(it).padStart(2, '0')).join('-');
         it.dispatchEvent(new Event('input', {{ bubbles: true }}));",
        field("arrival")
    );
    browser.script(&set).await;
    browser.click(&field("agree_terms")).await;
    browser.click("#submit").await;
    browser.says("#outcome", "Sent").await;
    host.looks("form-sent").await;
    let submission = client.output("get_form_submission", json!({ "handle": handle })).await;
    assert_eq!(submission["status"], "submitted");
    let values = &submission["values"];
    assert_eq!((&values["full_name"], &values["seat"]), (&json!("花子"), &json!("back")));
    assert_eq!((&values["topics"], &values["form_version"]), (&json!(["wasm"]), &json!("1.0")));
    // FORM-5
    host.sees("said[0]", "花子").await;
    host.reload().await;
    browser.says("#outcome", "Sent").await;
}

/// FORM-43: a change empties all that follows from it, or the form could not be sent; and what was cleared stays so.
async fn goes_along_a_cascade(host: &Host) {
    let (browser, client) = (&host.browser, &host.client);
    let form = std::fs::read_to_string(root().join("tests/forms/examples/3-address.json")).unwrap();
    let mut form: Value = serde_json::from_str(&form).unwrap();
    form["fields"][3]["default"] = "1-1".into();
    let number = json!({ "name": "people", "type": "number", "label": "人数" });
    form["fields"].as_array_mut().unwrap().push(number);
    let result = host.call("request_form", json!({ "form_schema": form })).await;
    let handle = result["_meta"]["forms/form"]["handle"].as_str().unwrap().to_owned();
    let choose = async |at: usize, label: &str| {
        let options = format!("[...document.querySelector('#field-{at}').options]");
        browser.until(&format!("{options}.some(it => it.text === '{label}')")).await;
        let script = format!(
            "const it = document.querySelector('#field-{at}');
             it.focus();
             it.value = {options}.find(it => it.text === '{label}').value;
             it.dispatchEvent(new Event('change', {{ bubbles: true }}));"
        );
        browser.script(&script).await;
    };
    let types = async |at: usize, text: &str| {
        let script = format!(
            "const it = document.querySelector('#field-{at}');
             it.value = '{text}';
             it.dispatchEvent(new Event('input', {{ bubbles: true }}));"
        );
        browser.script(&script).await;
    };
    browser.find("#field-3").await;
    choose(1, "東京都").await;
    browser.until("document.activeElement.id === 'field-1'").await;
    choose(2, "港区").await;
    choose(0, "アメリカ合衆国").await;
    types(3, "").await;
    types(4, "１，２００").await;
    browser.says("#draft", "Draft saved").await;
    host.reload().await;
    browser.until("document.querySelector('#field-4')?.value === '1200'").await;
    browser.until("document.querySelector('#field-3').value === ''").await;
    browser.click("#submit").await;
    browser.says("#outcome", "Sent").await;
    let submission = client.output("get_form_submission", json!({ "handle": handle })).await;
    assert_eq!(submission["values"], json!({ "country": "US", "people": 1_200 }));
}

async fn chooses_a_route(host: &Host) {
    let browser = &host.browser;
    let wanted = json!({ "origin": "東京駅", "destination": "横浜駅", "alternatives": true });
    let result = host.call("route_search", wanted).await;
    let routes = result["structuredContent"]["routes"].as_array().unwrap();
    assert!(routes.len() > 1, "there is something to choose");
    browser
        .until(&format!("document.querySelectorAll('.option').length === {}", routes.len()))
        .await;
    browser.until("document.querySelectorAll('.world .line').length > 1 && document.querySelector('.pin')").await;
    browser.until("document.querySelector('.world .land')").await;
    host.looks("map").await;
    browser.click("#route-1").await;
    browser.until("document.getElementById('said').textContent.includes('chosen')").await;
    host.sees("told.at(-1)", routes[1]["summary"].as_str().unwrap()).await;
    browser.click("#step-1").await;
    browser.until("document.querySelector('.world .lit')").await;
    let place = "return document.querySelector('.world').getAttribute('transform');";
    let before = browser.script(place).await;
    browser.script("document.getElementById('map').focus();").await;
    browser.press("+").await;
    assert_ne!(browser.script(place).await, before, "keys zoom the map");
    // A sandbox with a storage remembers what was chosen.
    host.reload().await;
    browser.until("document.getElementById('route-1')?.checked").await;
}

async fn steps_into_a_conversation(host: &Host) {
    let (browser, client) = (&host.browser, &host.client);
    let mut tokens = Vec::new();
    for (agent, name) in [("haru", "春"), ("natsu", "夏")] {
        let agent_of =
            json!({ "agent_id": agent, "name": name, "type": "ai", "project_ids": ["demo"] });
        let passkey = client.output("define_agent", agent_of).await["passkey"].clone();
        let who = json!({ "agent_id": agent, "passkey": passkey, "project_id": "demo" });
        tokens.push((who, String::new()));
    }
    let comes = async |who: &Value| {
        let session = client.output("authenticate", who.clone()).await;
        session["session_token"].as_str().unwrap().to_owned()
    };
    tokens[0].1 = comes(&tokens[0].0).await;
    let start = json!({
        "session_token": tokens[0].1, "target_agent_id": "natsu", "purpose": "献立を決める",
        "initial_message": "<b>何にしましょう</b>",
    });
    let begun = client.output("start_conversation", start).await;
    let conversation = begun["conversation_id"].clone();
    tokens[1].1 = comes(&tokens[1].0).await;
    let get = json!({ "conversation_id": conversation });
    host.call("get_conversation", get.clone()).await;
    browser.says(".text", "<b>何にしましょう</b>").await;
    // What is said meanwhile comes by itself.
    let says = json!({
        "session_token": tokens[1].1, "target_agent_id": "haru", "content": "カレーがいいです",
    });
    client.output("send_message", says).await;
    browser.says("[data-number='2'] .text", "カレー").await;
    browser.type_at("#write", "魚にしては？").await;
    host.looks("conversation").await;
    host.reload().await;
    browser.until("document.getElementById('write')?.value === '魚にしては？'").await;
    browser.click("#send").await;
    browser.says("[data-number='3'] .text", "魚").await;
    browser.until("document.getElementById('write').value === ''").await;
    browser.click("#pause").await;
    browser.says("#state", "Paused").await;
    browser.click("#pause").await;
    browser.says("#state", "Active").await;
    browser.click("#stop").await;
    browser.type_at("#reason", "もう遅い").await;
    browser.click("#stop-do").await;
    browser.says(".notice", "もう遅い").await;
    let kept = client.output("get_conversation", get).await["conversation"].clone();
    assert_eq!(kept["end_reason"], "operator_ended", "{kept}");
}

// Others' apps in our page: those of the MCP Apps project, and one that means harm.

/// An upstream server, as the operator writes it.
fn entry(text: &str) -> ServerConfig {
    toml::from_str(text).expect("an entry")
}

/// One of the example servers, which npm has brought.
fn example(name: &str) -> ServerConfig {
    let folder = client::folder();
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
