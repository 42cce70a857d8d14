//! A host that restarts and a network that goes, under views that are open: nothing is lost, nothing is stale, and
//! the dot in the header says what is true.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, SystemTime},
};

use fantoccini::wd::WindowHandle;
use host::{Config, Server, clock::Clock};
use serde_json::{Value, json};
use tests::{
    browser::{Browser, Look},
    client::{Client, LegacySession, Listener},
    component_bytes,
    fixtures::{agents_toml, credentials, free_seats, library, showtime_id, showtimes},
    forms,
    proxy::Relay,
    rebuilt,
    server::{Folders, TestServer},
    until,
};

/// Lets a test move the page's timers on, as if the time had gone by.
const LEAP: &str = "
    const set = window.setTimeout.bind(window), clear = window.clearTimeout.bind(window);
    const waiting = new Map();
    let leapt = 0;
    const now = () => performance.now() + leapt;
    window.setTimeout = (what, time = 0, ...given) => {
        const run = () => { waiting.delete(id); clear(id); what(...given); };
        const id = set(run, time);
        waiting.set(id, { due: now() + time, run });
        return id;
    };
    window.clearTimeout = (id) => { waiting.delete(id); clear(id); };
    window.leap = (time) => {
        leapt += time;
        [...waiting.values()].filter(it => it.due <= now()).forEach(it => it.run());
    };";

/// How long the network is away, and in which steps the pages live through it.
const AWAY: Duration = Duration::from_secs(40 * 60);

const STEP: Duration = Duration::from_secs(40);

/// A host behind a network, with a clock of its own.
struct House {
    server: Option<Server>,
    config: Config,
    clock: Arc<Mutex<Duration>>,
    relay: Relay,
    _folders: Folders,
}

impl House {
    async fn open() -> Self {
        let folders = Folders::new();
        for name in ["cinema", "forms", "conversations"] {
            folders.put(name, &component_bytes(name));
        }
        let agents = ["haru", "natsu"].map(|it| (it.to_owned(), it.to_owned()));
        let lines = format!(
            "[components.conversations.settings]\nactive_timeout_seconds = 14400\n{}",
            agents_toml("demo", &agents)
        );
        let config = folders.config_with(&lines);
        folders.lend_code();
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        let clock = Arc::new(Mutex::new(now));
        let server = Server::start_at(config.clone(), Clock::Fixed(clock.clone())).await.unwrap();
        let relay = Relay::to(server.addr.unwrap()).await;
        Self { server: Some(server), config, clock, relay, _folders: folders }
    }

    /// A client that is not behind the network.
    fn client(&self) -> Client {
        Client::new(&format!("http://{}", self.server.as_ref().unwrap().addr.unwrap()))
    }

    async fn stop(&mut self) {
        self.server.take().unwrap().stop().await;
    }

    async fn start(&mut self) {
        let clock = Clock::Fixed(self.clock.clone());
        let server = Server::start_at(self.config.clone(), clock).await.unwrap();
        self.relay.leads_to(server.addr.unwrap());
        self.server = Some(server);
    }
}

/// Two agents from outside who talk; the conversation's id.
async fn conversation(client: &Client) -> String {
    let comes = async |agent: &str| {
        let session = client.output("authenticate", credentials(agent, "demo")).await;
        session["session_token"].as_str().unwrap().to_owned()
    };
    let haru = comes("haru").await;
    let wanted = json!({ "session_token": haru, "target_agent_id": "natsu", "purpose": "Tea" });
    let begun = client.output("start_conversation", wanted).await;
    comes("natsu").await;
    begun["conversation_id"].as_str().unwrap().to_owned()
}

/// What is looked at, each in a window of its own.
struct Views {
    browser: Browser,
    hall: WindowHandle,
    talk: WindowHandle,
    list: WindowHandle,
    form: WindowHandle,
    door: WindowHandle,
}

impl Views {
    async fn open(house: &House, hall: &str, talk: &str, form: &str) -> Self {
        let url = format!("http://{}", house.relay.addr);
        let browser = Browser::open_at(&url, "icon.svg", Look::DESKTOP).await;
        let talk = format!("#/conversations/{talk}");
        let form = format!("f/{form}");
        let mut windows = Vec::new();
        let places = [hall, &talk, "#/forms", &form, "#/"];
        let ready = ["[role=gridcell]", ".talk-log", ".forms-table", "main form", ".front-doors"];
        for (place, ready) in places.into_iter().zip(ready) {
            let window = browser.window("icon.svg").await;
            browser.begins_with(LEAP).await;
            browser.go(place).await;
            browser.find(ready).await;
            windows.push(window);
        }
        let [hall, talk, list, form, door]: [_; 5] = windows.try_into().unwrap();
        Self { browser, hall, talk, list, form, door }
    }

    fn all(&self) -> [&WindowHandle; 5] {
        [&self.hall, &self.talk, &self.list, &self.form, &self.door]
    }

    /// Waits until the dot says so in every window.
    async fn dot(&self, state: &str) {
        for window in self.all() {
            self.browser.to(window).await;
            self.browser.find(&format!(".connection.is-{state}")).await;
        }
    }

    /// Moves every window's timers on.
    async fn leap(&self, time: Duration) {
        let leap = format!("window.leap({})", time.as_millis());
        for window in self.all() {
            self.browser.to(window).await;
            self.browser.script(&leap).await;
        }
    }

    /// Waits until a window says something.
    async fn says(&self, window: &WindowHandle, css: &str, part: &str) {
        self.browser.to(window).await;
        self.browser.says(css, part).await;
    }

    /// Waits until the hall says that of a seat.
    async fn seat_is(&self, seat: &str, state: &str) {
        self.browser.to(&self.hall).await;
        let label = format!("document.querySelector(\"[data-seat='{seat}']\").ariaLabel");
        self.browser.until(&format!("{label}.includes('{state}')")).await;
    }

    /// Waits until the conversation has exactly these messages, in this order.
    async fn talk_is(&self, messages: &[&str]) {
        self.browser.to(&self.talk).await;
        let last = messages.last().unwrap();
        self.browser.says(".talk-log", last).await;
        let all = "return [...document.querySelectorAll('.talk-log .talk-text')].map(it => it.textContent)";
        assert_eq!(self.browser.script(all).await, json!(messages), "none missing, none twice");
    }

    /// Waits until so many forms wait at the front door, and as many stand in the list.
    async fn forms_are(&self, count: usize) {
        let wait = if count == 1 { "form waits" } else { "forms wait" };
        self.says(&self.door, ".front-mine", &format!("{count} {wait} for your answer")).await;
        self.browser.to(&self.list).await;
        let rows = "[...document.querySelectorAll('.forms-table tbody tr')]
            .filter(it => it.innerText.includes('Waiting')).length";
        self.browser.until(&format!("{rows} === {count}")).await;
    }
}

/// What others do while a reader looks.
struct Others {
    client: Client,
    show: String,
    talk: String,
}

impl Others {
    async fn book(&self, seat: &str) {
        let booked = json!({ "user_id": "rival", "showtime_id": self.show, "seat_ids": [seat] });
        self.client.output("reserve_seats", booked).await;
    }

    async fn write(&self, text: &str) {
        let written = json!({ "conversation_id": self.talk, "content": text });
        self.client.output("write_message", written).await;
    }

    async fn ask(&self) {
        forms::ask(&self.client, &form()).await;
    }
}

fn form() -> Value {
    forms::form(json!([{ "name": "name", "type": "text", "label": "Name" }]))
}

#[tokio::test(flavor = "multi_thread")]
async fn five_views_survive_restart_and_40_offline_minutes() {
    let mut house = House::open().await;
    let client = house.client();
    // Of the last day, so that it is still to come when the network is back.
    let start = |it: &Value| it["start_time"].as_str().unwrap().to_owned();
    let show = showtimes(&client).await.into_iter().max_by_key(start).unwrap();
    let seats = free_seats(&client, &showtime_id(&show)).await;
    let date = &start(&show)[..10];
    let hall = format!("#/box-office?date={date}&showtime={}", showtime_id(&show));
    let talk = conversation(&client).await;
    let asked = forms::ask(&client, &form()).await;
    let mut others = Others { client, show: showtime_id(&show), talk };
    let views = Views::open(&house, &hall, &others.talk, &asked.handle).await;
    let browser = &views.browser;
    views.dot("online").await;
    browser.to(&views.form).await;
    browser.fill("Name", "before").await;
    browser.to(&views.hall).await;
    browser.click(&format!("[role=gridcell][data-seat='{}']", seats[0])).await;
    browser.type_at("#user-id", "Hanako").await;
    browser.hit("button", "Hold these seats for a while").await;
    browser.find(".hold-clock").await;
    others.write("one").await;
    views.talk_is(&["one"]).await;

    house.stop().await;
    views.dot("offline").await;
    house.start().await;
    others.client = house.client();
    others.book(&seats[1]).await;
    others.write("two").await;
    others.ask().await;
    views.dot("online").await;
    views.seat_is(&seats[1], "taken").await;
    browser.find(".hold-clock").await;
    views.talk_is(&["one", "two"]).await;
    views.forms_are(2).await;
    browser.to(&views.form).await;
    browser.holds("Name", "before").await;
    // The views are live again, and not only as of now.
    others.book(&seats[2]).await;
    others.write("three").await;
    others.ask().await;
    views.seat_is(&seats[2], "taken").await;
    views.talk_is(&["one", "two", "three"]).await;
    views.forms_are(3).await;

    house.relay.cut(true);
    views.dot("offline").await;
    for _ in 0..AWAY.as_secs() / STEP.as_secs() {
        views.leap(STEP).await;
    }
    browser.to(&views.form).await;
    browser.fill("Name", "typed while away").await;
    for text in ["four", "five"] {
        others.write(text).await;
    }
    *house.clock.lock().unwrap() += AWAY;
    // The reader's seat is free again after ten minutes, and then another's.
    others.book(&seats[0]).await;
    others.ask().await;
    views.dot("offline").await;
    house.relay.cut(false);
    views.leap(STEP).await;
    views.dot("online").await;
    views.seat_is(&seats[0], "taken").await;
    browser.until("!document.querySelector('.hold-clock')").await;
    views.talk_is(&["one", "two", "three", "four", "five"]).await;
    views.forms_are(4).await;
    until("what was typed while away is saved", async || {
        forms::draft(&others.client, &asked.handle).await["name"] == "typed while away"
    })
    .await;

    // A router forgets the connections, and no side is told: only the silence tells.
    house.relay.forget();
    others.book(&seats[3]).await;
    others.ask().await;
    views.leap(Duration::from_secs(60)).await;
    views.seat_is(&seats[3], "taken").await;
    views.forms_are(5).await;
    views.dot("online").await;
    views.browser.close().await;
    house.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_failed_while_away_says_when_the_host_is_back() {
    let mut house = House::open().await;
    let client = house.client();
    let start = |it: &Value| it["start_time"].as_str().unwrap().to_owned();
    let show = showtime_id(&showtimes(&client).await.into_iter().max_by_key(start).unwrap());
    let seats = free_seats(&client, &show).await;
    let wanted = json!({ "user_id": "Hanako", "showtime_id": show, "seat_ids": [seats[0]] });
    let booked = client.output("reserve_seats", wanted).await;
    let place = format!("#/reservation/{}", booked["reservation_id"].as_str().unwrap());
    let url = format!("http://{}", house.relay.addr);
    let browser = Browser::open_at(&url, "icon.svg", Look::DESKTOP).await;
    browser.begins_with(LEAP).await;
    browser.go(&place).await;
    browser.find(".connection.is-online").await;

    house.relay.cut(true);
    browser.hit("button", "Cancel the reservation").await;
    browser.hit("button", "Yes, cancel it").await;
    browser.says(".notice", "The server cannot be reached").await;
    browser.find(".connection.is-offline").await;
    house.relay.cut(false);
    browser.script(&format!("window.leap({})", STEP.as_millis())).await;
    browser.find(".connection.is-online").await;
    browser.says(".notice", "The connection is back. Please try again.").await;
    browser.close().await;
    house.stop().await;
}

// News of lists and of resources: sent to those who asked for it, and to each by themselves.

const UPDATED: &str = "notifications/resources/updated";

async fn ring(server: &TestServer, uri: &str) {
    server.client().output("ring", json!({ "uri": uri })).await;
}

fn method(kind: &str) -> (String, Option<String>) {
    (format!("notifications/{kind}/list_changed"), None)
}

fn updated(uri: &str) -> (String, Option<String>) {
    (UPDATED.to_owned(), Some(uri.to_owned()))
}

#[tokio::test(flavor = "multi_thread")]
async fn modern_listener_receives_only_agreed_notifications() {
    let server = library(&[]).await;
    let uris = json!(["library://books/1", "no uri"]);
    let wanted = json!({ "promptsListChanged": true, "resourceSubscriptions": uris });
    let (mut listener, agreed) = server.client().listen_for(wanted).await;
    let right = json!({
        "promptsListChanged": true, "resourceSubscriptions": ["library://books/1"],
    });
    assert_eq!(agreed, right);
    for unheard in ["library://books/2", "tools", "resources", "shop://elsewhere"] {
        ring(&server, unheard).await;
    }
    ring(&server, "library://books/1").await;
    let message = listener.next(tests::PATIENCE).await.unwrap();
    assert_eq!(
        (&message["method"], &message["params"]["uri"]),
        (&json!(UPDATED), &json!("library://books/1"))
    );
    let id = &message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
    assert_eq!(id, &json!(1), "{message}");
    ring(&server, "prompts").await;
    assert_eq!(listener.notified().await, method("prompts"));
}

#[tokio::test(flavor = "multi_thread")]
async fn swap_notifies_only_about_the_components_lists() {
    let server = library(&["echo"]).await;
    let all = json!({
        "toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true,
    });
    let (mut listener, _) = server.client().listen_for(all).await;
    let load = async |name: &str, mark| {
        let bytes = rebuilt(&component_bytes(name), mark);
        server.server().control.execute(name, host::control::Order::Load(bytes)).await.unwrap();
    };
    load("echo", 1).await;
    assert_eq!(listener.notified().await, method("tools"));
    load("library", 1).await;
    for list in ["tools", "prompts", "resources"] {
        assert_eq!(listener.notified().await, method(list), "no more than that for echo");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn legacy_session_receives_updates_until_it_unsubscribes() {
    let server = library(&[]).await;
    let session = LegacySession::open(&server.url()).await;
    let mut listener = session.listen().await;
    let book = json!({ "uri": "library://books/1" });
    let subscribed = session.request("resources/subscribe", book.clone()).await;
    assert_eq!(subscribed["result"], json!({}), "{subscribed}");
    ring(&server, "library://books/2").await;
    ring(&server, "library://books/1").await;
    assert_eq!(listener.notified().await, updated("library://books/1"));
    session.request("resources/unsubscribe", book).await;
    ring(&server, "library://books/1").await;
    ring(&server, "resources").await;
    assert_eq!(listener.notified().await, method("resources"), "and nothing of the book");
    let unknown = session.request("resources/subscribe", json!({ "uri": "shop://nothing" })).await;
    assert_eq!(unknown["error"]["data"]["uri"], "shop://nothing", "{unknown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_subscriptions_of_sessions_and_listeners() {
    let server = library(&[]).await;
    let session = LegacySession::open(&server.url()).await;
    for number in 0..256 {
        let uri = json!({ "uri": format!("library://books/{number}") });
        let answer = session.request("resources/subscribe", uri).await;
        assert_eq!(answer["result"], json!({}), "{answer}");
    }
    let again = session.request("resources/subscribe", json!({ "uri": "library://books/0" })).await;
    assert_eq!(again["result"], json!({}), "the same again is none more");
    let more =
        session.request("resources/subscribe", json!({ "uri": "library://books/256" })).await;
    assert!(more["error"]["message"].as_str().unwrap().contains("256"), "{more}");
    let uris: Vec<_> = (0..300).map(|it| format!("library://books/{it}")).collect();
    let (_, agreed) = server.client().listen_for(json!({ "resourceSubscriptions": uris })).await;
    assert_eq!(agreed["resourceSubscriptions"].as_array().unwrap().len(), 256);
}

/// Receives all of `uris`, in whatever order.
async fn all_notified(listener: &mut Listener, uris: &[String]) {
    let mut missing: Vec<_> = uris.to_vec();
    while !missing.is_empty() {
        let (_, uri) = listener.notified().await;
        missing.retain(|it| Some(it) != uri.as_ref());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stalled_listener_delays_no_other() {
    let server = library(&[]).await;
    let long = "x".repeat(900);
    let uris: Vec<_> = (0..100).map(|it| format!("library://books/{it}{long}")).collect();
    let wanted = json!({ "resourceSubscriptions": uris });
    let client = server.client();
    let session = LegacySession::open(&server.url()).await;
    for uri in &uris {
        session.request("resources/subscribe", json!({ "uri": uri })).await;
    }
    // Two that never read what they are sent, one of each era, and one that does.
    let (_stalled, _) = client.listen_for(wanted.clone()).await;
    let _stalled_session = session.listen().await;
    let (mut healthy, _) = client.listen_for(wanted).await;
    // More than the buffers between here and there hold.
    let rounds = async {
        for _ in 0..60 {
            client.output("ring", json!({ "uris": uris })).await;
            all_notified(&mut healthy, &uris).await;
        }
    };
    tokio::time::timeout(tests::PATIENCE, rounds).await.expect("nobody else is waited for");
}

#[tokio::test(flavor = "multi_thread")]
async fn reconnected_session_receives_only_new_notifications() {
    let server = library(&[]).await;
    let session = LegacySession::open(&server.url()).await;
    for book in ["library://books/1", "library://books/2"] {
        session.request("resources/subscribe", json!({ "uri": book })).await;
    }
    let mut listener = session.listen().await;
    ring(&server, "library://books/1").await;
    assert_eq!(listener.notified().await, updated("library://books/1"));
    drop(listener);
    // Until the server has noticed that the first stream is gone, another one hears nothing.
    let heard = async {
        loop {
            let mut again = session.listen().await;
            ring(&server, "library://books/2").await;
            if let Some(event) = again.next(Duration::from_millis(500)).await {
                return event["params"]["uri"].clone();
            }
        }
    };
    let heard = tokio::time::timeout(tests::PATIENCE, heard).await.expect("it hears of it");
    assert_eq!(heard, "library://books/2");
}
