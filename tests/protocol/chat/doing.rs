//! What the built-in planner does for a person who writes to it: a picture, a reservation, a route.

use fantoccini::key::Key;
use serde_json::json;
use tests::{
    browser::Look,
    cinema::{free_seats, id, showtimes},
};

use super::{Opened, WAY};

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
    let seat = free_seats(&client, &id(&show)).await.remove(0);
    let order = json!({ "user_id": "Hanako", "showtime_id": id(&show), "seat_ids": [seat] });
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
