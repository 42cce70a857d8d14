//! What the built-in planner does for a person who writes to it: a picture, a reservation, a route.

use fantoccini::key::Key;
use serde_json::json;
use tests::browser::Look;

use super::{Opened, WAY};

#[tokio::test(flavor = "multi_thread")]
async fn cards_of_a_theme_end_in_a_composed_picture() {
    let it = Opened::with(Look::DESKTOP.japanese()).await;
    it.say("ブルー系テーマのカードでサムネイルを作って").await;
    let tools = "[...document.querySelectorAll('.call.is-done')].length === 2";
    it.browser.until(tools).await;
    // The picture that was made of the cards that were fetched (ILL-51), as large as a thumbnail is.
    it.browser
        .until(
            "[...document.querySelectorAll('.chat-answer img')]
                .some(it => it.naturalWidth === 1280 && it.naturalHeight === 720)",
        )
        .await;
    it.browser.picture("chat-thumbnail").await;
    it.close().await;
}

/// What a chat asks stands in no other list, so the front door leads to the chat itself.
#[tokio::test(flavor = "multi_thread")]
async fn the_front_door_leads_to_the_chat_that_asks() {
    let it = Opened::with(Look::DESKTOP).await;
    it.browser.click(".chat-choose input").await;
    it.say("Make a thumbnail with cards of a blue theme").await;
    it.browser.go("#/").await;
    let asks = "The chat “Make a thumbnail with cards of a blue theme” waits for your answer";
    it.browser.says(".front-mine .is-waiting", asks).await;
    it.browser.picture("front-door-chat").await;
    it.browser.click(".front-mine .is-waiting").await;
    it.browser.find(".picker, .chat-answer .ask, .pick-open").await;
    it.close().await;
}

/// A form that the person goes on without waits for them nowhere, and stands in its own answer alone.
#[tokio::test(flavor = "multi_thread")]
async fn form_that_is_passed_over_is_cancelled_in_all_places() {
    let it = Opened::with(Look::DESKTOP.japanese()).await;
    it.say("明日の夜にゴジラを2席取りたい").await;
    it.browser.until("document.querySelector('.card-form form')").await;
    it.say(WAY).await;
    it.browser.says(".card-form-over", "キャンセル").await;
    let calls = "[...document.querySelectorAll('.chat-answer')].at(-1).querySelectorAll('.call').length === 1";
    it.browser.until(calls).await;
    it.browser.go("#/forms").await;
    it.browser.says("main tbody", "キャンセル").await;
    it.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_seats_asked_for_become_a_reservation_the_person_approved() {
    let it = Opened::with(Look::DESKTOP.japanese()).await;
    it.say("明日の夜にゴジラを2席取りたい").await;
    // Showtime, then seats and name: each step is a form, filled in where it stands (FORM-3, FORM-5).
    let mut steps = 0;
    loop {
        // What an answer has to show is drawn a moment after it has ended.
        it.browser.until("document.querySelector('.card-form form, .approval.is-open')").await;
        if it.count(".approval.is-open").await > 0 {
            break;
        }
        steps += 1;
        assert!(steps < 6, "it asks and asks");
        it.browser.picture(&format!("chat-booking-{steps}")).await;
        it.browser
            .script(
                "const form = [...document.querySelectorAll('.card-form form')].at(-1);
                 const radio = form.querySelector('input[type=radio]');
                 if (radio && ![...form.querySelectorAll('input[type=radio]')].some(it => it.checked))
                     radio.click();
                 const name = form.querySelector('input[type=text]');
                 if (name) { name.focus(); }",
            )
            .await;
        if it.count(".card-form form input[type=text]").await > 0 {
            it.browser.press("花子").await;
        }
        // The form that was filled in makes place for what comes of it.
        it.browser
            .script(
                "window.filled = [...document.querySelectorAll('.card-form form')].at(-1);
                 window.filled.requestSubmit()",
            )
            .await;
        it.browser.until("!window.filled.isConnected").await;
        it.rests().await;
    }
    // Nothing is booked before the person says so.
    let taken = it.reservations().await;
    assert_eq!(taken, 0, "nobody approved yet");
    it.browser.picture("chat-approval").await;
    // What waits has a way to it, and nothing that floats lies over its buttons where the reader has scrolled up.
    it.browser.script("scrollTo(0, 0)").await;
    it.browser.role("button", "回答欄へ移動").await;
    it.browser.no_role("button", "最新へ").await;
    // From where one writes, the keyboard gets to what waits in one step.
    it.browser.script("document.querySelector('#chat-input').focus()").await;
    it.browser
        .press(&[Key::Shift, Key::Tab, Key::Null].map(char::from).iter().collect::<String>())
        .await;
    it.browser.key(Key::Enter).await;
    it.browser.until("document.activeElement.closest('.approval.is-open')").await;
    it.browser.hit("button", "今回だけ許可").await;
    it.browser.until("!document.querySelector('.approval.is-open')").await;
    it.rests().await;
    it.browser.until("document.body.innerText.includes('予約が完了しました')").await;
    assert_eq!(it.reservations().await, 2, "CIN-33: two seats");
    // A reservation's number is not given away by a second answer in place of the first.
    it.browser.no_role("button", "この応答を再生成").await;
    it.browser.picture("chat-reserved").await;
    it.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_way_without_motorways_is_drawn_where_it_was_asked_for() {
    let it = Opened::with(Look::DESKTOP.japanese()).await;
    it.say(WAY).await;
    it.browser.until("document.querySelector('.chat-answer path.route-line')").await;
    it.browser.says(".chat-answer", "第二京浜").await;
    it.browser.picture("chat-way").await;
    // On paper is what was said, and not where one writes.
    it.browser.devtools("Emulation.setEmulatedMedia", json!({ "media": "print" })).await;
    let is_off = "[...document.querySelectorAll('.chat-head, .chat-composer, .chat-acts')]
        .every(it => getComputedStyle(it).display === 'none')";
    it.browser.until(is_off).await;
    it.close().await;
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
