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
use serde_json::{Value, json};
use tests::{
    browser::{Browser, Look},
    cinema::{free_seats, id, showtimes},
    client::Client,
    component_bytes, root,
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
    let show = id(&showtimes(&host.client).await[0]);
    host.call("list_available_seats", json!({ "showtime_id": show })).await;
    host.browser.click("[role=gridcell]:not([aria-disabled])").await;
    host.browser.says("#picked", "1 chosen").await;
    host.reload().await;
    host.browser.says("#picked", "1 chosen").await;
}

async fn books_two_seats(host: &Host) {
    let (browser, client) = (&host.browser, &host.client);
    let showing = showtimes(client).await[0].clone();
    let show = id(&showing);
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
