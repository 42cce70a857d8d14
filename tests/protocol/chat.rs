//! The chat in a browser, answered by the built-in planner: writing, answers, approvals, a reload (ILL-46).

use fantoccini::key::Key;
use serde_json::{Value, json};
use tests::{
    browser::{Browser, Look},
    fixtures::{free_seats, showtime_id, showtimes},
    server::TestServer,
};

/// The place, open in a browser.
struct Opened {
    server: TestServer,
    browser: Browser,
}

impl Opened {
    async fn with(look: Look) -> Self {
        let server =
            TestServer::with(&["cinema", "assistant", "forms", "illustrations", "navigation"])
                .await;
        let browser = Browser::open_at(&server.url(), "#/chat", look).await;
        browser.until("document.querySelectorAll('.chat-who option').length > 0").await;
        Self { server, browser }
    }

    /// Says something with Enter, and waits until its answer has ended.
    async fn say(&self, text: &str) {
        let before = self.count(".chat-answer").await;
        self.browser.focus("#chat-input").await;
        self.browser.press(text).await;
        self.browser.key(Key::Enter).await;
        self.browser
            .until(&format!("document.querySelectorAll('.chat-answer').length > {before}"))
            .await;
        self.rests().await;
    }

    async fn rests(&self) {
        self.browser
            .until("document.querySelector('.chat-log').getAttribute('aria-busy') === 'false'")
            .await;
    }

    async fn count(&self, css: &str) -> u64 {
        let script = "return document.querySelectorAll(arguments[0]).length";
        self.browser.ask(script, vec![json!(css)]).await.as_u64().unwrap()
    }

    async fn close(self) {
        assert_eq!(self.browser.complaints().await, Vec::<String>::new());
        self.browser.close().await;
    }
}

const WAY: &str = "東京駅から横浜駅まで、高速を使わずに";

// What the built-in planner does for a person who writes to it: a picture, a reservation, a route.

#[tokio::test(flavor = "multi_thread")]
async fn composes_a_picture_from_cards_of_a_theme() {
    let opened = Opened::with(Look::DESKTOP.japanese()).await;
    opened.say("ブルー系テーマのカードでサムネイルを作って").await;
    let tools = "[...document.querySelectorAll('.call.is-done')].length === 2";
    opened.browser.until(tools).await;
    // The picture that was made of the cards that were fetched (ILL-51), as large as a thumbnail is.
    opened
        .browser
        .until(
            "[...document.querySelectorAll('.chat-answer img')]
                .some(it => it.naturalWidth === 1280 && it.naturalHeight === 720)",
        )
        .await;
    opened.browser.picture("chat-thumbnail").await;
    opened.close().await;
}

/// What a chat asks stands in no other list, so the front door leads to the chat itself.
#[tokio::test(flavor = "multi_thread")]
async fn home_opens_the_chat_that_asks() {
    let opened = Opened::with(Look::DESKTOP).await;
    opened.browser.click(".chat-choose input").await;
    opened.say("Make a thumbnail with cards of a blue theme").await;
    opened.browser.go("#/").await;
    let asks = "The chat “Make a thumbnail with cards of a blue theme” waits for your answer";
    opened.browser.says(".front-mine .is-waiting", asks).await;
    opened.browser.picture("front-door-chat").await;
    opened.browser.click(".front-mine .is-waiting").await;
    opened.browser.find(".picker, .chat-answer .ask, .pick-open").await;
    opened.close().await;
}

/// A form that the person goes on without waits for them nowhere, and stands in its own answer alone.
#[tokio::test(flavor = "multi_thread")]
async fn skipped_form_is_cancelled_in_every_view() {
    let opened = Opened::with(Look::DESKTOP.japanese()).await;
    opened.say("明日の夜にゴジラを2席取りたい").await;
    opened.browser.until("document.querySelector('.card-form form')").await;
    opened.say(WAY).await;
    opened.browser.says(".card-form-over", "キャンセル").await;
    let calls = "[...document.querySelectorAll('.chat-answer')].at(-1).querySelectorAll('.call').length === 1";
    opened.browser.until(calls).await;
    opened.browser.go("#/forms").await;
    opened.browser.says("main tbody", "キャンセル").await;
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reserves_two_requested_seats_after_approval() {
    let opened = Opened::with(Look::DESKTOP.japanese()).await;
    opened.say("明日の夜にゴジラを2席取りたい").await;
    // Showtime, then seats and name: each step is a form, filled in where it stands (FORM-3, FORM-5).
    let mut steps = 0;
    loop {
        // What an answer has to show is drawn a moment after it has ended.
        opened.browser.until("document.querySelector('.card-form form, .approval.is-open')").await;
        if opened.count(".approval.is-open").await > 0 {
            break;
        }
        steps += 1;
        assert!(steps < 6, "it asks and asks");
        opened.browser.picture(&format!("chat-booking-{steps}")).await;
        opened.browser
            .script(
                "const form = [...document.querySelectorAll('.card-form form')].at(-1);
                 const radio = form.querySelector('input[type=radio]');
                 if (radio && ![...form.querySelectorAll('input[type=radio]')].some(it => it.checked))
                     radio.click();
                 const name = form.querySelector('input[type=text]');
                 if (name) { name.focus(); }",
            )
            .await;
        if opened.count(".card-form form input[type=text]").await > 0 {
            opened.browser.press("花子").await;
        }
        // The form that was filled in makes place for what comes of it.
        opened
            .browser
            .script(
                "window.filled = [...document.querySelectorAll('.card-form form')].at(-1);
                 window.filled.requestSubmit()",
            )
            .await;
        opened.browser.until("!window.filled.isConnected").await;
        opened.rests().await;
    }
    // A call with nothing open takes one line in a wide window.
    let is_line = "[...document.querySelectorAll('.call.is-done:has(.call-line)')].every(it => {
        const [head, line] = ['.call-head', '.call-line'].map(part => it.querySelector(part));
        return head.getBoundingClientRect().bottom > line.getBoundingClientRect().top;
    })";
    assert!(opened.count(".call.is-done .call-line").await > 0, "calls have results");
    opened.browser.until(is_line).await;
    // Nothing is booked before the person says so.
    let taken = opened.reservations().await;
    assert_eq!(taken, 0, "nobody approved yet");
    // What is allowed is said in words.
    for part in ["ゴジラ", "上映時間", "花子"] {
        opened.browser.says(".approval.is-open", part).await;
    }
    let asked = opened.browser.text(".approval.is-open").await;
    assert!(
        !["showtime_id", "user_id", "reserve_seats", "st-"].iter().any(|it| asked.contains(it)),
        "{asked}"
    );
    let owner = "document.querySelector('.approval.is-open .approval-details').textContent";
    opened.browser.until(&format!("{owner}.includes('reserve_seats · cinema')")).await;
    opened.browser.picture("chat-approval").await;
    // On a phone, all of it is seen at once between what stays at the head and at the foot.
    opened.browser.look(Look::PHONE.japanese()).await;
    let fits = "document.querySelector('.approval.is-open').offsetHeight
        <= document.querySelector('.chat-composer').getBoundingClientRect().top
            - document.querySelector('.top').getBoundingClientRect().bottom";
    opened.browser.until(fits).await;
    opened.browser.picture("chat-approval-phone").await;
    opened.browser.look(Look::DESKTOP.japanese()).await;
    // What waits has a way to it, and nothing that floats lies over its buttons where the reader has scrolled up.
    opened.browser.script("scrollTo(0, 0)").await;
    opened.browser.role("button", "回答欄へ移動").await;
    opened.browser.no_role("button", "最新へ").await;
    // From where one writes, the keyboard gets to what waits in one step.
    opened.browser.focus("#chat-input").await;
    opened
        .browser
        .press(&[Key::Shift, Key::Tab, Key::Null].map(char::from).iter().collect::<String>())
        .await;
    opened.browser.key(Key::Enter).await;
    opened.browser.until("document.activeElement.closest('.approval.is-open')").await;
    opened.browser.hit("button", "今回だけ許可").await;
    opened.browser.until("!document.querySelector('.approval.is-open')").await;
    opened.rests().await;
    opened.browser.until("document.body.innerText.includes('予約が完了しました')").await;
    assert_eq!(opened.reservations().await, 2, "CIN-33: two seats");
    // A reservation's number is not given away by a second answer in place of the first.
    opened.browser.no_role("button", "この応答を再生成").await;
    opened.browser.picture("chat-reserved").await;
    // The ticket can do what the one of the booking can.
    opened.browser.find(".chat-answer .ticket-actions a[href^='#/reservation/']").await;
    opened.browser.role("button", "カレンダーに追加").await;
    opened.browser.role("button", "予約を取り消す").await;
    // Nor is it by another question in place of the first, or by a reload.
    opened.browser.hit("button", "このメッセージを編集して送り直す").await;
    opened.browser.says("#chat-note", "記録はこのチャットに残ります").await;
    opened.browser.until("document.activeElement.id === 'chat-input'").await;
    opened.browser.press("、やっぱり3席").await;
    opened.browser.key(Key::Enter).await;
    opened.browser.says(".is-own .chat-done", "予約 rsv-").await;
    opened.rests().await;
    opened.browser.reload().await;
    opened.browser.says(".is-own .chat-done", "予約 rsv-").await;
    assert_eq!(opened.reservations().await, 2);
    opened.browser.picture("chat-reserved-edited").await;
    // It is this browser's reservation from now on, in the name that was given here.
    opened.browser.go("#/").await;
    opened.browser.find(".front-mine a[href^='#/reservation/']").await;
    opened.browser.find("a.showtime").await;
    opened.browser.click("a.showtime").await;
    opened.browser.until("document.querySelector('#user-id')?.value === '花子'").await;
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ticket_in_the_chat_can_be_cancelled() {
    let opened = Opened::with(Look::DESKTOP).await;
    let client = opened.server.client();
    let show = showtimes(&client).await.remove(0);
    let seat = free_seats(&client, &showtime_id(&show)).await.remove(0);
    let order =
        json!({ "user_id": "Hanako", "showtime_id": showtime_id(&show), "seat_ids": [seat] });
    let made = client.output("reserve_seats", order).await;
    let number = made["reservation_id"].as_str().unwrap();
    opened.say(&format!("show me reservation {number}")).await;
    opened.browser.hit("button", "Cancel the reservation").await;
    opened.browser.hit("button", "Yes, cancel it").await;
    opened.browser.find(".chat-answer .ticket.is-cancelled").await;
    opened.browser.until("document.activeElement.closest('.ticket-actions')").await;
    // Drawn anew, it is what it is now and not what it was then.
    opened.browser.reload().await;
    opened.browser.find(".chat-answer .ticket.is-cancelled").await;
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn chat_draws_a_requested_route_without_motorways() {
    let opened = Opened::with(Look::DESKTOP.japanese()).await;
    opened.say(WAY).await;
    opened.browser.until("document.querySelector('.chat-answer path.route-line')").await;
    opened.browser.says(".chat-answer", "第二京浜").await;
    opened.browser.picture("chat-way").await;
    // On paper is what was said, and not where one writes.
    opened.browser.devtools("Emulation.setEmulatedMedia", json!({ "media": "print" })).await;
    let is_off = "[...document.querySelectorAll('.chat-head, .chat-composer, .chat-acts')]
        .every(it => getComputedStyle(it).display === 'none')";
    opened.browser.until(is_off).await;
    opened.close().await;
}

impl Opened {
    /// Seats of tomorrow that are taken, as the cinema says.
    async fn reservations(&self) -> u64 {
        let script = "const done = arguments[arguments.length - 1];
            const call = (method, params) => fetch('/rpc', { method: 'POST',
                headers: { 'content-type': 'application/json' },
                body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) })
                .then(it => it.json()).then(it => it.result);
            (async () => {
                const { showtimes } = await call('list_showtimes', { movie_id: 'godzilla' });
                done(showtimes.reduce((sum, it) =>
                    sum + it.total_seats_count - it.available_seats_count, 0));
            })();";
        self.browser.ask_later(script, vec![json!(null)]).await.as_u64().expect("a count")
    }
}

// How it looks and reads, by day and night, on desktop and phone (ILL-46).

#[tokio::test(flavor = "multi_thread")]
async fn axe_finds_no_serious_fault_in_any_theme_or_width() {
    let looks = [
        ("desktop-light", Look::DESKTOP.japanese()),
        ("desktop-dark", Look::DESKTOP.dark()),
        ("tablet", Look { width: 800, height: 1000, ..Look::DESKTOP.japanese() }),
        ("phone-light", Look::PHONE.japanese()),
        ("narrow", Look { width: 320, ..Look::PHONE.dark() }),
    ];
    for (device, look) in looks {
        let opened = Opened::with(look).await;
        sound(&opened, &format!("{device} empty")).await;
        opened.browser.whole_picture(&format!("chat-{device}-empty"), look).await;
        opened.say(WAY).await;
        opened.browser.click("#chat-list").await;
        sound(&opened, device).await;
        opened.browser.whole_picture(&format!("chat-{device}"), look).await;
        opened.close().await;
    }
}

async fn sound(opened: &Opened, what: &str) {
    assert_eq!(opened.browser.serious_faults().await, Vec::<String>::new(), "{what}");
    assert!(!opened.browser.overflows().await, "{what} is wider than the window");
}

/// A form is longer than a phone's window: it is read from its beginning.
#[tokio::test(flavor = "multi_thread")]
async fn phone_shows_the_beginning_of_what_waits() {
    let opened = Opened::with(Look::PHONE.japanese()).await;
    opened.say("明日の夜にゴジラを2席取りたい").await;
    opened.browser.until(BEGINS).await;
    // It has the room of what a message could have, until one is begun.
    opened.browser.until("!document.querySelector('.chat-attach').offsetHeight").await;
    opened.browser.picture("chat-form-phone").await;
    opened.browser.press("や").await;
    opened.browser.until("document.querySelector('.chat-attach').offsetHeight").await;
    opened.close().await;
}

/// Whether the beginning of the form is visible.
const BEGINS: &str = "(() => {
    const title = document.querySelector('.card-form .request-title')?.getBoundingClientRect();
    const [above, below] = ['.top', '.chat-composer']
        .map(it => document.querySelector(it).getBoundingClientRect());
    return title && title.top >= above.bottom && title.bottom <= below.top;
})()";

#[tokio::test(flavor = "multi_thread")]
async fn shifted_layout_does_not_hide_what_waits() {
    let opened = Opened::with(Look::PHONE.japanese()).await;
    // What is drawn moves the page before the reader's form is there.
    let shift = "new MutationObserver((_, seen) => {
            const log = document.querySelector('.chat-log:has(.call)');
            if (!log) return;
            seen.disconnect();
            log.style.paddingBottom = '900px';
            const end = document.documentElement.scrollHeight - innerHeight;
            scrollTo({ top: end - 150, behavior: 'instant' });
        }).observe(document.body, { childList: true, subtree: true });";
    opened.browser.script(shift).await;
    opened.say("明日の夜にゴジラを2席取りたい").await;
    opened.browser.until(BEGINS).await;
    opened.close().await;
}

// Writing and reading: what is sent and what is not, what is kept, what is text (ILL-46).

#[tokio::test(flavor = "multi_thread")]
async fn sentence_becomes_a_call_card_naming_the_answerer() {
    let opened = Opened::with(Look::DESKTOP.japanese()).await;
    opened.browser.says(".chat-behind", "内蔵プランナー").await;
    opened.say(WAY).await;
    opened.browser.until("document.querySelector('.chat-answer .call.is-done')").await;
    opened.browser.says(".chat-facts", "内蔵プランナー").await;
    let names = opened.browser.script(
        "return [...document.querySelectorAll('article')].map(it => it.getAttribute('aria-label'))",
    );
    assert_eq!(names.await, json!(["あなた, 1/2", "アシスタント, 2/2"]));
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ime_enter_and_shift_enter_send_nothing() {
    let opened = Opened::with(Look::DESKTOP.japanese()).await;
    let press = "const input = document.querySelector('#chat-input');
        input.focus(); input.value = 'かな';
        input.dispatchEvent(new Event('input', { bubbles: true }));
        for (const how of [{ isComposing: true }, { keyCode: 229 }, { shiftKey: true }]) {
            input.dispatchEvent(new KeyboardEvent('keydown',
                { key: 'Enter', bubbles: true, cancelable: true, ...how }));
        }";
    opened.browser.script(press).await;
    assert_eq!(opened.count(".chat-message").await, 0);
    opened.browser.key(Key::Enter).await;
    opened.browser.until("document.querySelectorAll('.chat-message').length === 2").await;
    opened.rests().await;
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn question_sent_while_scrolled_up_scrolls_into_view() {
    let opened = Opened::with(Look::PHONE.japanese()).await;
    opened.say(WAY).await;
    opened.browser.script("window.scrollTo({ top: 0, behavior: 'instant' })").await;
    opened.browser.role("button", "最新へ").await;
    opened.say("こんにちは").await;
    let left = "document.documentElement.scrollHeight - window.innerHeight - window.scrollY";
    opened.browser.until(&format!("{left} < 60")).await;
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_survive_reload_and_can_be_edited() {
    let opened = Opened::with(Look::DESKTOP.japanese()).await;
    opened.say(WAY).await;
    opened.say("東京駅から渋谷駅まで").await;
    opened.browser.reload().await;
    opened.browser.until("document.querySelectorAll('.chat-message').length === 4").await;
    opened.browser.until("document.querySelector('.chat-answer .call.is-done')").await;
    // A new text for the first message takes out all that followed.
    opened
        .browser
        .script("document.querySelector('.is-own .chat-acts button:nth-child(2)').click()")
        .await;
    opened.browser.until("document.activeElement.id === 'chat-input'").await;
    opened.browser.until(&format!("document.activeElement.value === {WAY:?}")).await;
    opened.browser.press("お願いします").await;
    opened.browser.key(Key::Enter).await;
    opened.browser.until("document.querySelectorAll('.chat-message').length === 2").await;
    opened.rests().await;
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn text_typed_while_stopping_is_not_sent() {
    let opened = Opened::with(Look::DESKTOP.japanese()).await;
    // An answer that does not come: the button is there for as long as the test needs it.
    opened
        .browser
        .script(
            "const real = window.fetch;
             window.fetch = (input, init) => String(input.url ?? input).includes('/api/chat')
                && (input.method ?? init?.method) === 'POST'
                ? new Promise((_, refuse) => (input.signal ?? init.signal).addEventListener('abort',
                    () => refuse(new DOMException('stopped', 'AbortError'))))
                : real(input, init);",
        )
        .await;
    opened.browser.focus("#chat-input").await;
    opened.browser.press("こんにちは").await;
    opened.browser.key(Key::Enter).await;
    opened.browser.until("document.querySelector('#chat-stop')").await;
    opened.browser.press("まだ送らない").await;
    opened.browser.key(Key::Enter).await;
    opened.browser.click("#chat-stop").await;
    opened.rests().await;
    assert_eq!(opened.count(".chat-message").await, 2);
    let kept = opened.browser.script("return document.querySelector('#chat-input').value").await;
    assert_eq!(kept, "まだ送らない");
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_markdown_is_text_and_links_are_safe() {
    let opened = Opened::with(Look::DESKTOP).await;
    let answer = json!({ "text": "<img src=x onerror=alert(1)> [a](javascript:alert(1)) [b](https://example.com/)",
        "turn": "t", "assistant": "counter", "provider": "builtin", "model": "planner",
        "stopReason": "end", "images": [], "parts": [], "toolCalls": [], "waiting": [], "usage": {} });
    opened
        .browser
        .ask(
            "const [answer, real] = [arguments[0], window.fetch];
             window.fetch = (input, init) => String(input.url ?? input).includes('/api/chat')
                && (input.method ?? init?.method) === 'POST'
                ? Promise.resolve(Response.json(answer)) : real(input, init);",
            vec![answer],
        )
        .await;
    opened.say("x").await;
    opened.browser.find(".markdown a").await;
    assert_eq!(opened.count(".markdown img").await, 0);
    let links = opened.browser.script(
        "return [...document.querySelectorAll('.markdown a')].map(it => [it.href, it.rel, it.target])",
    );
    let expected = json!([["https://example.com/", "noopener noreferrer nofollow", "_blank"]]);
    assert_eq!(links.await, expected);
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_searches_renames_and_deletes_conversations() {
    let opened = Opened::with(Look::DESKTOP).await;
    opened.say(WAY).await;
    opened.browser.click(".chat-new").await;
    opened.browser.until("document.querySelectorAll('.chat-message').length === 0").await;
    opened.say("東京駅から渋谷駅まで").await;
    opened.browser.click("#chat-list").await;
    opened.browser.until("document.querySelectorAll('.chat-thread').length === 2").await;
    opened.browser.script("document.querySelector('#chat-search').focus()").await;
    opened.browser.press("横浜").await;
    opened.browser.until("document.querySelectorAll('.chat-thread').length === 1").await;
    opened.browser.click(".chat-thread-open").await;
    opened.browser.says(".chat-own-text", WAY).await;
    opened.browser.hit("button", &format!("Delete “{WAY}”")).await;
    opened.browser.until("document.activeElement.id === 'chat-keep-it'").await;
    opened.browser.key(Key::Escape).await;
    opened.browser.until("document.activeElement.id.startsWith('chat-forget-')").await;
    opened.browser.key(Key::Enter).await;
    opened.browser.hit("button", "Delete it").await;
    opened.browser.until("document.querySelectorAll('.chat-message').length === 0").await;
    let kept: Value = opened.browser.script("return Object.keys(localStorage)").await;
    assert_eq!(
        kept.as_array()
            .unwrap()
            .iter()
            .filter(|it| it.as_str().unwrap().starts_with("madoguchi.chat."))
            .count(),
        1
    );
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_old_tab_keeps_newer_tabs_messages() {
    let opened = Opened::with(Look::DESKTOP.japanese()).await;
    opened.say(WAY).await;
    let kept = async || {
        let script =
            "const name = Object.keys(localStorage).find(it => it.startsWith('madoguchi.chat.'));
            return JSON.parse(localStorage.getItem(name)).entries.length";
        opened.browser.script(script).await
    };
    let old = opened.browser.this_window().await;
    let new = opened.browser.window("#/chat").await;
    opened.browser.until("document.querySelectorAll('.chat-message').length === 2").await;
    opened.say("東京駅から渋谷駅まで").await;
    // The old one takes it up.
    opened.browser.to(&old).await;
    opened.browser.until("document.querySelectorAll('.chat-message').length === 4").await;
    // One that slept has seen nothing, and goes without a trace.
    let sleep =
        "const name = Object.keys(localStorage).find(it => it.startsWith('madoguchi.chat.'));
        const held = localStorage.getItem(name);
        const real = Storage.prototype.getItem;
        Storage.prototype.getItem = function (it) { return it === name ? held : real.call(this, it); };
        window.wake = () => { Storage.prototype.getItem = real; };";
    opened.browser.script(sleep).await;
    opened.browser.to(&new).await;
    opened.say("新宿駅から東京駅まで").await;
    opened.browser.to(&old).await;
    assert_eq!(opened.count(".chat-message").await, 4);
    let gone = "window.wake(); window.dispatchEvent(new PageTransitionEvent('pagehide'))";
    opened.browser.script(gone).await;
    assert_eq!(kept().await, 6);
    opened.browser.close_window().await;
    opened.browser.to(&new).await;
    assert_eq!(kept().await, 6);
    opened.browser.reload().await;
    opened.browser.until("document.querySelectorAll('.chat-message').length === 6").await;
    opened.close().await;
}

/// One asks while the other's answer is on its way: what was said in each is kept.
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_questions_in_two_tabs_lose_nothing() {
    let opened = Opened::with(Look::DESKTOP).await;
    opened.say(WAY).await;
    let first = opened.browser.this_window().await;
    let second = opened.browser.window("#/chat").await;
    opened.browser.until("document.querySelectorAll('.chat-message').length === 2").await;
    opened.browser.to(&first).await;
    let kept = "return '#/chat/' + JSON.parse(localStorage.getItem('madoguchi.chat')).open";
    let parted = opened.browser.script(kept).await;
    opened.browser.go(parted.as_str().unwrap()).await;
    let hold = "const real = window.fetch;
        window.fetch = async (...asked) => {
            const url = asked[0].url ?? String(asked[0]);
            if (url.endsWith('/api/chat')) await new Promise(go => { window.go = go; });
            return real.apply(window, asked);
        };";
    opened.browser.script(hold).await;
    opened.browser.focus("#chat-input").await;
    opened.browser.press("東京駅から渋谷駅まで").await;
    opened.browser.key(Key::Enter).await;
    opened.browser.until("window.go").await;
    opened.browser.to(&second).await;
    opened.say("新宿駅から東京駅まで").await;
    opened.browser.to(&first).await;
    opened.browser.script("window.go()").await;
    opened.rests().await;
    // It leads to what was said here, once that is kept: a moment after the answer has ended.
    opened.browser.until(&format!("location.hash !== {parted}")).await;
    let kept = "return Object.entries(localStorage)
        .filter(it => it[0].startsWith('madoguchi.chat.')).map(it => it[1])";
    let kept: Value = opened.browser.script(kept).await;
    let has = |part: &str| {
        kept.as_array().unwrap().iter().filter(|it| it.as_str().unwrap().contains(part)).count()
    };
    let said = [WAY, "渋谷駅まで", "新宿駅から"];
    assert_eq!(said.map(has), [2, 1, 1], "each has what both began from, and what was said in it");
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn switching_chats_draws_the_chosen_messages() {
    let opened = Opened::with(Look::DESKTOP).await;
    opened.say(WAY).await;
    opened.say("東京駅から渋谷駅まで").await;
    opened.browser.click(".chat-new").await;
    opened.browser.until("document.querySelectorAll('.chat-message').length === 0").await;
    // Asked once more, its answer has the number that a question has in the other.
    opened.say("こんにちは").await;
    opened.browser.hit("button", "Regenerate this answer").await;
    opened.browser.until("document.querySelector('#chat-message-3.is-answer')").await;
    opened.rests().await;
    opened.browser.click("#chat-list").await;
    opened.browser.until("document.querySelectorAll('.chat-thread').length === 2").await;
    opened.browser.click(".chat-thread:not(.is-open) .chat-thread-open").await;
    opened.browser.until("document.querySelectorAll('.chat-message').length === 4").await;
    let drawn = "return [...document.querySelectorAll('.chat-message')]
        .map(it => it.classList.contains('is-own') && it.querySelector('.chat-own-text').innerText)";
    let drawn = opened.browser.script(drawn).await;
    assert_eq!(drawn, json!([WAY, false, "東京駅から渋谷駅まで", false]));
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_chat_has_an_address_that_back_leads_to() {
    let opened = Opened::with(Look::DESKTOP).await;
    opened.say(WAY).await;
    opened.browser.until("location.hash.startsWith('#/chat/')").await;
    let first = opened.browser.script("return location.hash").await;
    opened.browser.click(".chat-new").await;
    opened.browser.until("location.hash === '#/chat'").await;
    opened.say("東京駅から渋谷駅まで").await;
    opened.browser.until(&format!("![{first}, '#/chat'].includes(location.hash)")).await;
    opened.browser.click("#chat-list").await;
    opened
        .browser
        .until("document.querySelector('.chat-thread-at')?.innerText.includes(':')")
        .await;
    opened.browser.script("history.back()").await;
    opened.browser.until(&format!("location.hash === {first}")).await;
    opened.browser.says(".chat-own-text", WAY).await;
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn draft_returns_after_an_edit() {
    let opened = Opened::with(Look::DESKTOP).await;
    opened.say(WAY).await;
    let typed = async |text: &str| {
        opened
            .browser
            .until(&format!("document.querySelector('#chat-input').value === {text:?}"))
            .await;
    };
    let edit = "document.querySelector('.is-own .chat-acts button:nth-child(2)').click()";
    opened.browser.focus("#chat-input").await;
    opened.browser.press("Half a thought").await;
    opened.browser.script(edit).await;
    typed(WAY).await;
    opened.browser.hit("button", "Stop editing").await;
    typed("Half a thought").await;
    opened.browser.script(edit).await;
    typed(WAY).await;
    opened.browser.until("document.activeElement.id === 'chat-input'").await;
    opened.browser.key(Key::Enter).await;
    typed("Half a thought").await;
    opened.rests().await;
    assert_eq!(opened.count(".chat-message").await, 2);
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn chat_reports_a_missing_assistant() {
    let server = TestServer::with(&["cinema"]).await;
    let browser = Browser::open(&server.url(), Look::DESKTOP).await;
    browser.find(".places a[href='#/chat']").await;
    browser.go("#/chat").await;
    browser.says(".empty", "There is no assistant").await;
    assert!(browser.all("#chat-input").await.is_empty());
    assert_eq!(browser.serious_faults().await, Vec::<String>::new());
    browser.script("location.hash = '#/counter'").await;
    browser.until("!document.querySelector(\"a[href='#/chat']\")").await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_chat_is_not_reported_as_unreachable_host() {
    let server = TestServer::with(&["cinema", "assistant"]).await;
    let browser = Browser::open(&server.url(), Look::DESKTOP).await;
    browser
        .script(
            "const real = window.fetch;
             window.refusal = 403;
             window.fetch = (input, init) => String(input.url ?? input).endsWith('/api/chat')
                ? Promise.resolve(Response.json({ error: 'busy', message: `No: ${window.refusal}.` },
                    { status: window.refusal }))
                : real(input, init);
             location.hash = '#/chat';",
        )
        .await;
    browser.says(".chat .notice", "No: 403.").await;
    assert!(browser.all(".chat .notice .quiet").await.is_empty(), "asking again changes nothing");
    browser.close().await;
}
