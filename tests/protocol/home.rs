//! The front door: what may be done here, and what of the reader's goes on.

use fantoccini::key::Key;
use serde_json::json;
use tests::{
    browser::{Browser, Look},
    cinema::{free_seats, id, showtimes},
    forms,
    server::TestServer,
};

const BADGE: &str = ".places a[href='#/forms'] .inbox-count";

#[tokio::test(flavor = "multi_thread")]
async fn home_links_to_views_and_shows_pending_items() {
    let server = TestServer::with(&["cinema", "forms"]).await;
    let client = server.client();
    let browser = Browser::open(&server.url(), Look::PHONE).await;
    browser.find(".film-list .showtime").await;
    for door in ["Book cinema seats", "Ask the assistant", "Use the tools"] {
        browser.says(".front-doors", door).await;
    }
    assert_eq!(browser.all("h1").await.len(), 1);
    assert_eq!(browser.all(".brand[aria-current=page]").await.len(), 1);
    assert_eq!(browser.serious_faults().await, Vec::<String>::new());

    // What begins to wait stands there and at its place's link, without a reload.
    let form = json!({ "title": "Lunch", "fields": [{ "type": "text", "name": "dish", "label": "Dish" }] });
    let asked = forms::ask(&client, &form).await;
    browser.says(".front-mine", "1 form waits for your answer").await;
    browser.says(BADGE, "1").await;
    browser.picture("front-door-phone").await;
    browser.click(".front-mine a[href='#/forms']").await;
    browser.says("h1", "Forms").await;
    let arguments = json!({ "handle": asked.handle, "action": "cancel" });
    client.output("close_form", arguments).await;
    browser.until(&format!("!document.querySelector(\"{BADGE}\")")).await;

    // The next visit of who has booked here before, and the visits after it.
    for show in showtimes(&client).await.into_iter().rev().take(5) {
        let seat = free_seats(&client, &id(&show)).await.remove(0);
        let user = "Hanako";
        let order = json!({ "user_id": user, "showtime_id": id(&show), "seat_ids": [seat] });
        client.output("reserve_seats", order).await;
    }
    browser.script("localStorage.setItem('madoguchi.name', JSON.stringify('Hanako'))").await;
    browser.go("#/").await;
    browser.says(".front-mine", "Your next visit").await;
    browser.says(".front-mine a[href='#/counter/list_reservations']", "2 more bookings").await;
    assert_eq!(browser.all(".front-mine a[href^='#/reservation/']").await.len(), 3);
    let is_whole = "[...document.querySelectorAll('.front-mine a')].every(it => {
        const { left, right } = it.getBoundingClientRect();
        return left >= 0 && right <= innerWidth;
    })";
    browser.until(is_whole).await;
    browser.picture("front-door-visits-phone").await;
    browser.look(Look::DESKTOP).await;
    browser.picture("front-door").await;
    // At the box office they stand beside the field for a number, and follow what becomes of them.
    browser.go("#/box-office").await;
    browser.says(".find-mine", "Your next visit").await;
    browser.says(".find-mine a[href='#/counter/list_reservations']", "2 more bookings").await;
    browser.click(".find-mine a[href^='#/reservation/']").await;
    browser.find(".ticket").await;
    browser.hit("button", "Cancel the reservation").await;
    browser.hit("button", "Yes, cancel it").await;
    browser.says("h1", "cancelled").await;
    browser.go("#/box-office").await;
    browser.says(".find-mine a[href='#/counter/list_reservations']", "1 more booking").await;
    browser.go("#/").await;
    browser.find(".film-list .showtime").await;
    assert_eq!(browser.all(".find-mine").await.len(), 0, "named once");

    // A link that goes with its view leaves the keyboard to the next one.
    browser.go("#/").await;
    browser.focus(".front-doors a[href='#/counter']").await;
    browser.key(Key::Enter).await;
    browser.find(".tool-list").await;
    browser.until("document.activeElement.id === 'main'").await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
    browser.close().await;
}

/// Without accounts, what a chat asks is its own browser's; another one lists it only when told to.
#[tokio::test(flavor = "multi_thread")]
async fn form_of_a_chat_waits_in_its_own_browser_alone() {
    let server = TestServer::with(&["forms", "assistant"]).await;
    let own = Browser::open_at(&server.url(), "#/forms", Look::PHONE.japanese()).await;
    // Where there is no form yet, one may ask for it.
    own.click(".empty + p a[href='#/chat']").await;
    own.until("document.querySelectorAll('.chat-who option').length > 0").await;
    own.focus("#chat-input").await;
    own.press("名前とメールアドレスを聞くフォームを作って").await;
    own.key(Key::Enter).await;
    own.find(".chat-log .request form").await;
    let agents = json!({ "title": "Lunch", "fields": [{ "type": "text", "name": "dish", "label": "Dish" }] });
    forms::ask(&server.client(), &agents).await;

    let other = Browser::open(&server.url(), Look::DESKTOP).await;
    other.says(".front-mine", "1 form waits for your answer").await;
    other.says(BADGE, "1").await;
    other.go("#/forms").await;
    other.says(".forms-table", "Lunch").await;
    let rows = "document.querySelectorAll('.forms-table tbody tr').length";
    other.until(&format!("{rows} === 1")).await;
    assert_eq!(other.serious_faults().await, Vec::<String>::new());
    other.picture("forms-of-others").await;
    other.hit("checkbox", "Include what other people's chats ask").await;
    other.until(&format!("{rows} === 2")).await;

    own.go("#/").await;
    own.says(".front-mine", "回答を待っています").await;
    own.says(".front-mine", "回答待ちのフォーム 1 件").await;
    own.picture("front-door-chat-asks").await;
    own.go("#/forms").await;
    own.until(&format!("{rows} === 2")).await;
    own.go("#/").await;
    own.click(".front-mine a[href^='#/chat/']").await;
    own.find(".chat-log .request form").await;
    for browser in [own, other] {
        assert_eq!(browser.complaints().await, Vec::<String>::new());
        browser.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn host_without_films_has_a_home_view() {
    let server = TestServer::with(&["forms"]).await;
    let browser = Browser::open(&server.url(), Look::DESKTOP.japanese()).await;
    browser.says("h1", "ようこそ").await;
    browser.says(".front-doors", "ツールを使う").await;
    browser.until("!document.querySelector('.front-doors').innerText.includes('映画')").await;
    assert_eq!(browser.all(".film-list").await.len(), 0);
    assert_eq!(browser.serious_faults().await, Vec::<String>::new());
    browser.close().await;
}
