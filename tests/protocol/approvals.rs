//! What waits for a person's approval, in the page: described in sentences, answered where it stands.

use fantoccini::key::Key;
use serde_json::{Value, json};
use tests::{
    browser::{Browser, Look},
    component_bytes,
    fixtures::{free_seats, showtime_id, showtimes},
    server::{Folders, TestServer},
};

/// What the component `errand` is given.
const LINES: &str = "
[components.errand]
grants = ['calls', 'endpoints']
calls = ['component:cinema', 'greet']
";

struct Opened {
    server: TestServer,
    browser: Browser,
    show: String,
    film: String,
    seats: Vec<String>,
}

impl Opened {
    async fn with(look: Look) -> Self {
        let folders = Folders::new();
        for name in ["cinema", "echo", "errand"] {
            folders.put(name, &component_bytes(name));
        }
        let config = folders.config_with(LINES);
        let server = TestServer::start(folders, |it| *it = config).await;
        let client = server.client();
        let showtime = showtimes(&client).await.remove(0);
        let (show, film) =
            (showtime_id(&showtime), showtime["movie_title"].as_str().unwrap().to_owned());
        let seats = free_seats(&client, &show).await;
        let browser = Browser::open(&server.url(), look).await;
        browser.until("document.querySelector('.connection.is-online')").await;
        Self { server, browser, show, film, seats }
    }

    /// Has the component want these calls.
    async fn wants(&self, calls: Value) {
        let body = json!({ "calls": calls }).to_string();
        let answer = self.server.client().post("/api/errand/tries", &[], body).await;
        assert_eq!(answer.status(), 200);
    }

    fn reserve(&self, at: usize) -> Value {
        json!({
            "tool": "reserve_seats",
            "arguments": { "user_id": "花子", "showtime_id": self.show, "seat_ids": [self.seats[at]] },
            "reason": "お二人の席を押さえるため",
        })
    }

    async fn is_free(&self, at: usize) -> bool {
        free_seats(&self.server.client(), &self.show).await.contains(&self.seats[at])
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pending_approval_shows_everywhere_and_is_keyboard_driven() {
    let opened = Opened::with(Look::DESKTOP.japanese()).await;
    let browser = &opened.browser;
    assert_eq!(browser.all(".inbox-link").await.len(), 0);
    opened.wants(json!([opened.reserve(0), opened.reserve(1)])).await;
    browser.until("document.querySelector('.inbox-count')?.innerText === '2'").await;
    browser.tab_to(".inbox-link").await;
    browser.key(Key::Enter).await;
    browser.role("heading", "承認待ち").await;
    browser.until("document.querySelectorAll('.inbox .approval').length === 2").await;
    let plain = format!("座席 {} を予約します", opened.seats[0]);
    for part in
        [plain.as_str(), &opened.film, "スクリーン", "予約者", "花子", "お二人の席", "errand"]
    {
        browser.says(".inbox", part).await;
    }
    // Names for programs are there for those who open them.
    for part in ["reserve_seats", "user_id", &opened.show] {
        assert!(!browser.text(".inbox").await.contains(part), "{part}");
    }
    browser.click(".approval-details summary").await;
    browser.says(".approval-details", &opened.show).await;
    browser.says(".approval-details", "cinema").await;
    browser.click(".approval-details summary").await;
    assert_eq!(browser.serious_faults().await, Vec::<String>::new());
    for (name, look) in [
        ("approvals", Look::DESKTOP.japanese()),
        ("approvals-phone", Look::PHONE.japanese().dark()),
        ("approvals-dark", Look::DESKTOP.japanese().dark()),
    ] {
        browser.look(look).await;
        assert!(!browser.overflows().await, "{name}");
        browser.whole_picture(name, look).await;
    }
    browser.look(Look::DESKTOP.japanese()).await;
    assert!(opened.is_free(0).await && opened.is_free(1).await);
    browser.tab_to(".inbox li:first-child .main-action").await;
    browser.key(Key::Enter).await;
    browser.says(".toast", "実行しました").await;
    browser.until("document.querySelectorAll('.inbox .approval').length === 1").await;
    browser.until("document.activeElement.id === 'approvals-title'").await;
    assert!(!opened.is_free(0).await);
    browser.tab_to(".inbox li:first-child .quiet").await;
    browser.key(Key::Enter).await;
    browser.until("!document.querySelector('.inbox')").await;
    browser.says("main", "承認を待っているものはありません").await;
    assert!(opened.is_free(1).await);
    assert_eq!(browser.all(".inbox-link").await.len(), 0);
    assert_eq!(browser.complaints().await, Vec::<String>::new());
    opened.browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn approvals_view_answers_a_tools_question() {
    let opened = Opened::with(Look::DESKTOP).await;
    opened.wants(json!([{ "tool": "greet", "arguments": {} }])).await;
    opened.browser.go("#/approvals").await;
    opened.browser.focus(".inbox form input").await;
    opened.browser.press("Taro").await;
    opened.browser.picture("approvals-question").await;
    opened.browser.click(".inbox form .main-action").await;
    opened.browser.until("!document.querySelector('.inbox')").await;
    assert_eq!(opened.browser.complaints().await, Vec::<String>::new());
    opened.browser.close().await;
}

/// Has what the page answers answered elsewhere, with `allow`, in the moment before.
async fn answered_elsewhere(browser: &Browser, allow: bool) {
    let script = "
        const [allow, real] = [arguments[0], window.fetch];
        window.fetch = async (input, init) => {
            const address = String(input.url ?? input);
            const isAnswer = address.includes('/api/approvals/') && (input.method ?? init?.method) === 'POST';
            if (isAnswer) await real(address, { method: 'POST', body: JSON.stringify({ allow }),
                headers: { 'content-type': 'application/json' } });
            return real(input, init);
        };";
    browser.ask(script, vec![json!(allow)]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_a_late_answer() {
    let opened = Opened::with(Look::DESKTOP).await;
    let browser = &opened.browser;
    opened.wants(json!([opened.reserve(0)])).await;
    browser.go("#/approvals").await;
    browser.find(".inbox .approval").await;
    answered_elsewhere(browser, false).await;
    browser.click(".inbox li:first-child .main-action").await;
    browser.says(".toast", "does not wait for an answer any more").await;
    browser.until("document.activeElement.id === 'approvals-title'").await;
    browser.until("!document.querySelector('.inbox')").await;
    assert!(opened.is_free(0).await);
    opened.browser.close().await;
}

/// A chat whose assistant, a component of others, waits for leave to send a letter.
async fn asked_for_a_letter() -> (TestServer, Browser) {
    let folders = Folders::new();
    for name in ["cinema", "reach", "clerk"] {
        folders.put(name, &component_bytes(name));
    }
    let lines = "
[components.reach]
grants = ['sql', 'settings', 'clock', 'random', 'http', 'folders', 'files', 'blobs', 'events', 'schedule', 'endpoints', 'assistants']
http = []
[components.clerk]
grants = ['calls', 'endpoints', 'settings']
calls = ['send_letter']
settings = { tool = 'send_letter', arguments = { text = '{message}' } }
[endpoints]
chat = 'clerk'
";
    let config = folders.config_with(lines);
    let server = TestServer::start(folders, |it| *it = config).await;
    let browser = Browser::open_at(&server.url(), "#/chat", Look::DESKTOP).await;
    browser.focus("#chat-input").await;
    browser.press("A letter, please").await;
    browser.key(Key::Enter).await;
    browser.until("document.querySelector('.approval.is-open')").await;
    (server, browser)
}

#[tokio::test(flavor = "multi_thread")]
async fn chat_approves_a_call_of_an_outside_assistant() {
    let (_server, browser) = asked_for_a_letter().await;
    browser.hit("button", "Allow once").await;
    browser.says(".chat-log", "Done: ").await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
    browser.close().await;
}

/// Two windows of one person: what is said first counts, and is what the other shows.
#[tokio::test(flavor = "multi_thread")]
async fn shows_approval_given_first_in_another_window() {
    let (_server, browser) = asked_for_a_letter().await;
    answered_elsewhere(&browser, true).await;
    browser.hit("button", "Deny").await;
    browser.says(".chat-log", "Done: ").await;
    browser.says(".approval-over", "Allowed, this once").await;
    browser.until("!document.querySelector('.call.is-denied')").await;
    browser.no_role("button", "Regenerate this answer").await;
    browser.close().await;
}

/// Counts what a window asks of the chat, holds it back until `goes`, and counts the approvals that were looked up.
const HELD_BACK: &str = "
    Object.defineProperty(document, 'visibilityState', { get: () => 'visible' });
    Object.assign(window, { asked: 0, checked: 0, goes: false });
    const real = window.fetch;
    window.fetch = async (input, init) => {
        const address = String(input.url ?? input);
        if (address.endsWith('/api/chat')) {
            window.asked += 1;
            while (!window.goes) await new Promise(go => setTimeout(go, 20));
        }
        const answer = await real(input, init);
        if (address.includes('/api/approvals/')) window.checked += 1;
        return answer;
    };";

#[tokio::test(flavor = "multi_thread")]
async fn one_of_two_windows_continues_after_an_approval() {
    let (_server, browser) = asked_for_a_letter().await;
    let windows = [browser.this_window().await, browser.window("#/chat").await];
    browser.until("document.querySelector('.approval.is-open')").await;
    for window in &windows {
        browser.to(window).await;
        browser.script(HELD_BACK).await;
    }
    // Another client of the person's allows it.
    browser
        .ask_later(
            "const done = arguments[arguments.length - 1];
             const send = (address, init) => fetch(address, init).then(it => it.json());
             send('/api/approvals').then(({ approvals: [{ id }] }) =>
                 send(`/api/approvals/${id}`, { method: 'POST', body: JSON.stringify({ allow: true }),
                     headers: { 'content-type': 'application/json' } })).then(() => done(null));",
            Vec::new(),
        )
        .await;
    // Both look it up, told by the host or not.
    for window in &windows {
        browser.to(window).await;
        browser
            .script(
                "window.checked = 0;
                 document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));",
            )
            .await;
        browser
            .until(
                "window.checked > 0 || window.asked > 0 || document.querySelector('.approval-over')",
            )
            .await;
    }
    for window in &windows {
        browser.to(window).await;
        browser.script("window.goes = true").await;
    }
    let mut asked = 0;
    for window in &windows {
        browser.to(window).await;
        browser.says(".chat-log", "Done: ").await;
        browser.says(".approval-over", "Allowed, this once").await;
        asked += browser.script("return window.asked").await.as_u64().unwrap();
    }
    assert_eq!(asked, 1, "windows that went on");
    browser.close().await;
}

/// The link of the header leads away from the chat; what is said there is heard in the chat.
#[tokio::test(flavor = "multi_thread")]
async fn chat_continues_after_approval_in_the_list() {
    let (_server, browser) = asked_for_a_letter().await;
    browser.click(".inbox-link").await;
    browser.click(".inbox .main-action").await;
    browser.until("!document.querySelector('.inbox')").await;
    browser.go("#/chat").await;
    browser.says(".chat-log", "Done: ").await;
    browser.says(".approval-over", "Allowed, this once").await;
    browser.close().await;
}
