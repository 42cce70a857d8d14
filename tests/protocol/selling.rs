//! What people expect who buy seats: prices, seats picked for them, a place in the line, a ticket to give away.

use fantoccini::key::Key;
use serde_json::{Value, json};
use tests::{
    browser::{Browser, Look},
    cinema::{free_seats, id, showtimes},
    client::Client,
    server::TestServer,
};

/// The address of a showing's hall.
fn hall(show: &Value) -> String {
    let date = &show["start_time"].as_str().unwrap()[..10];
    format!("#/box-office?date={date}&showtime={}", id(show))
}

#[tokio::test(flavor = "multi_thread")]
async fn suggests_prices_reserves_and_transfers_seats() {
    let server = TestServer::with(&["cinema"]).await;
    let show = showtimes(&server.client()).await.remove(0);
    let browser = Browser::open_at(&server.url(), &hall(&show), Look::DESKTOP).await;
    browser.find("[role=gridcell]").await;
    browser.says(".legend", "¥").await;
    let label = "document.querySelector('.seat.is-free[role=gridcell]').ariaLabel.includes('¥')";
    browser.until(label).await;
    // The button says what it picks and what that costs, and picks the dearer seats for those alone who choose them.
    let premium = "document.querySelectorAll('.seat.is-picked.is-premium[role=gridcell]').length";
    browser.hit("button", "Pick the best 2 seats for me (ordinary, ¥4,000)").await;
    browser.says(".picked-count", "2").await;
    browser.says(".picked-total", "¥4,000").await;
    browser.until(&format!("{premium} === 0")).await;
    browser.pick("Kind of seats", "premium ¥2,600").await;
    browser.hit("button", "Pick the best 2 seats for me (premium, ¥5,200)").await;
    browser.until(&format!("{premium} === 2")).await;
    browser.pick("Kind of seats", "ordinary ¥2,000").await;
    browser.hit("button", "Pick the best 2 seats for me (ordinary").await;
    browser.until(&format!("{premium} === 0")).await;
    browser.picture("priced").await;
    assert_eq!(browser.serious_faults().await, Vec::<String>::new());
    let price = browser.text(".picked-total").await;

    browser.type_at("#user-id", "Hanako").await;
    // A key lets go of a seat; pressed once more, it reserves nothing.
    browser.tab_to(".picked-list .chip").await;
    browser.key(Key::Enter).await;
    browser.until("document.activeElement.id === 'picked'").await;
    browser.key(Key::Enter).await;
    browser.says(".picked-count", "1").await;
    browser.hit("button", "Pick the best 2 seats for me").await;
    browser.hit("button", "Reserve 2 seats").await;
    browser.says("h1", "reserved").await;
    browser.says(".ticket-stub", price.trim()).await;
    // On paper it is the ticket alone, dark on light, whatever was chosen for the screen.
    browser.script("document.documentElement.dataset.theme = 'dark'").await;
    browser.devtools("Emulation.setEmulatedMedia", json!({ "media": "print" })).await;
    browser
        .until(
            "getComputedStyle(document.documentElement).colorScheme === 'light'
                && getComputedStyle(document.querySelector('.top')).display === 'none'",
        )
        .await;
    browser.picture("ticket-printed").await;
    browser.devtools("Emulation.setEmulatedMedia", json!({ "media": "" })).await;
    browser.click(".transfer summary").await;
    browser.click(".transfer button").await;
    browser.says("#transfer-error", "This is needed").await;
    browser.type_at("#transfer-to", "Taro").await;
    browser.picture("transfer").await;
    assert_eq!(browser.serious_faults().await, Vec::<String>::new());
    browser.click(".transfer button").await;
    browser.says("h1", "given away").await;
    browser.until("!document.querySelector('.ticket-code, .transfer')").await;
    browser.says(".ticket-hint", "a new reservation of Taro").await;
    browser.find(".ticket-hint a[href='#/counter/list_reservations']").await;
    let arguments = json!({ "user_id": "Taro" });
    let made = server.client().output("list_reservations", arguments).await;
    assert_eq!(made["reservations_count"], 1, "{made}");
    assert_eq!(browser.complaints().await, Vec::<String>::new());
    browser.close().await;
}

/// Reserves all that is free, six seats at a time.
async fn sell_out(client: &Client, show: &str) -> Vec<Value> {
    let mut made = Vec::new();
    loop {
        let free = free_seats(client, show).await;
        let seats = &free[..free.len().min(6)];
        if seats.is_empty() {
            return made;
        }
        let arguments = json!({ "user_id": "Taro", "showtime_id": show, "seat_ids": seats });
        made.push(client.output("reserve_seats", arguments).await);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn waitlist_offers_freed_seats() {
    let server = TestServer::with(&["cinema"]).await;
    let client = server.client();
    let show = showtimes(&client).await.pop().unwrap();
    let made = sell_out(&client, &id(&show)).await;
    let browser = Browser::open_at(&server.url(), &hall(&show), Look::PHONE).await;
    browser.says(".waiting", "This showing is full").await;
    browser.hit("button", "Join the waiting list").await;
    browser.says(".waiting", "Please give").await;
    browser.type_at("#user-id", "Hanako").await;
    browser.hit("button", "Join the waiting list").await;
    browser.says(".waiting", "at place 1 of the list").await;
    browser.until("document.activeElement.id === 'waiting-title'").await;
    browser.picture("waiting-phone").await;
    assert_eq!(browser.serious_faults().await, Vec::<String>::new());

    // What another person gives back is held for who waits, and shown without a reload.
    let arguments = json!({ "reservation_id": made[0]["reservation_id"], "user_id": "Taro" });
    client.output("cancel_reservation", arguments).await;
    browser.says(".waiting", "Seats have come free").await;
    let is_mine = "document.querySelector('[role=gridcell].is-offered')
        ?.ariaLabel.includes('Held for you')";
    browser.until(is_mine).await;
    browser.until("!document.querySelector('[role=gridcell].is-held')").await;
    // So the legend has it, and nothing that is held by others.
    browser.says(".legend", "Held for you").await;
    browser.until("!document.querySelector('.legend .is-held')").await;
    browser.picture("offered-phone").await;
    browser.hit("button", "Take these seats").await;
    browser.find(".hold-clock").await;
    browser.until("document.activeElement.id === 'picked'").await;
    browser.hit("button", "Reserve 1 seat").await;
    browser.says("h1", "reserved").await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn declining_an_offer_keeps_focus_on_the_seats() {
    let server = TestServer::with(&["cinema"]).await;
    let client = server.client();
    let show = showtimes(&client).await.pop().unwrap();
    let made = sell_out(&client, &id(&show)).await;
    let join = json!({ "user_id": "Hanako", "showtime_id": id(&show), "count": 1 });
    client.output("join_waiting_list", join).await;
    let browser = Browser::open_at(&server.url(), &hall(&show), Look::PHONE).await;
    browser.type_at("#user-id", "Hanako").await;
    browser.says(".waiting", "at place 1 of the list").await;
    let arguments = json!({ "reservation_id": made[0]["reservation_id"], "user_id": "Taro" });
    client.output("cancel_reservation", arguments).await;
    browser.says(".waiting", "Seats have come free").await;
    browser.hit("button", "No, thank you").await;
    // There are seats again, and no list to wait in.
    browser.until("!document.querySelector('.waiting')").await;
    browser.until("document.activeElement.id === 'plan-title'").await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
    browser.close().await;
}

/// The reader's clock is five hours ahead of the host's, which `rightTime` tells as the cinema's town has it.
const WRONG_CLOCK: &str = "
    const Real = Date;
    const ahead = 5 * 3_600_000;
    window.rightTime = () => new Real().toLocaleTimeString('en-GB', { timeZone: 'Asia/Tokyo' }).slice(0, 5);
    window.Date = class extends Real {
        constructor(...given) {
            if (given.length) super(...given);
            else super(Real.now() + ahead);
        }
        static now() { return Real.now() + ahead; }
    };";

/// Minutes between what the hall says and the right time; over midnight, too.
const APART: &str = "
    const minutes = it => Number(it.slice(0, 2)) * 60 + Number(it.slice(3, 5));
    const told = document.querySelector('.plan-state').innerText.match(/[0-9]{2}:[0-9]{2}/)[0];
    return Math.abs(minutes(told) - minutes(window.rightTime())) % 1439;";

#[tokio::test(flavor = "multi_thread")]
async fn hall_shows_its_age_by_the_hosts_clock() {
    let server = TestServer::with(&["cinema"]).await;
    let show = showtimes(&server.client()).await.pop().unwrap();
    let browser = Browser::open(&server.url(), Look::DESKTOP).await;
    browser.begins_with(WRONG_CLOCK).await;
    browser.go(&hall(&show)).await;
    browser.reload().await;
    browser.until("window.rightTime && /[0-9]{2}:[0-9]{2}/.test(document.querySelector('.plan-state')?.innerText)").await;
    let apart = browser.script(APART).await;
    assert!(apart.as_u64().is_some_and(|it| it <= 1), "{apart} minutes");
    browser.close().await;
}

/// Holds the answer to a reservation back until it is let go.
const LATE: &str = "
    const real = window.fetch;
    window.fetch = async (input, init) => {
        const request = new Request(input, init);
        if (request.method !== 'POST') return real(request);
        const text = await request.clone().text();
        const answer = await real(request);
        if (text.includes('reserve_seats')) await new Promise(go => window.letGo = go);
        return answer;
    };";

#[tokio::test(flavor = "multi_thread")]
async fn releases_seats_held_after_the_reader_left() {
    let server = TestServer::with(&["cinema"]).await;
    let client = server.client();
    let show = showtimes(&client).await.remove(0);
    let browser = Browser::open_at(&server.url(), &hall(&show), Look::DESKTOP).await;
    browser.find("[role=gridcell]").await;
    browser.hit("button", "Pick the best 2 seats for me").await;
    browser.says(".picked-count", "2").await;
    browser.type_at("#user-id", "Hanako").await;
    browser.script(LATE).await;
    browser.hit("button", "Reserve 2 seats").await;
    browser.until("window.letGo").await;
    let made = client.output("list_reservations", json!({ "user_id": "Hanako" })).await;
    let number = made["reservations"][0]["reservation_id"].as_str().unwrap();
    browser.script("location.hash = '#/counter'").await;
    browser.until("!document.querySelector('.seats')").await;
    browser.script("window.letGo()").await;
    browser.says(".toast", &format!("The reservation's number is {number}")).await;
    browser.until("location.hash === '#/counter'").await;
    // What they are no longer picked for is not mourned as lost to others.
    browser.script(&format!("location.hash = '{}'", hall(&show))).await;
    browser.says(".picked-count", "No seats picked yet").await;
    browser.until("!document.querySelector('.checkout > .notice')").await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ticket_shows_the_reservations_current_state() {
    let server = TestServer::with(&["cinema"]).await;
    let client = server.client();
    let show = showtimes(&client).await.remove(0);
    let browser = Browser::open_at(&server.url(), &hall(&show), Look::DESKTOP).await;
    browser.find("[role=gridcell]").await;
    browser.hit("button", "Pick the best 2 seats for me").await;
    browser.type_at("#user-id", "Hanako").await;
    browser.hit("button", "Reserve 2 seats").await;
    browser.says("h1", "reserved").await;
    browser.hit("button", "Cancel the reservation").await;
    browser.until("document.activeElement.id === 'keep'").await;
    browser.key(Key::Escape).await;
    browser.until("document.activeElement.id === 'cancel'").await;
    browser.until("!document.querySelector('.sure')").await;
    // A cancellation that does not get through leaves the keyboard where it can be tried again.
    browser.offline(true).await;
    browser.hit("button", "Cancel the reservation").await;
    browser.hit("button", "Yes, cancel it").await;
    browser.find(".ticket-stage [role=alert].notice").await;
    browser.until("document.activeElement.id === 'cancel'").await;
    browser.offline(false).await;
    let made = client.output("list_reservations", json!({ "user_id": "Hanako" })).await;
    let id = &made["reservations"][0]["reservation_id"];
    client.output("cancel_reservation", json!({ "reservation_id": id, "user_id": "Hanako" })).await;
    browser
        .script("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))")
        .await;
    browser.find(".ticket.is-cancelled").await;
    browser.close().await;
}

/// Times are the cinema's own wherever the reader is, who is told so where it is another time.
#[tokio::test(flavor = "multi_thread")]
async fn names_the_cinemas_zone_to_readers_elsewhere() {
    let server = TestServer::with(&["cinema"]).await;
    let show = showtimes(&server.client()).await.remove(0);
    let start = show["start_time"].as_str().unwrap()[11..16].to_owned();
    let browser = Browser::open(&server.url(), Look::DESKTOP).await;
    let zone = async |name: &str| {
        let name = json!({ "timezoneId": name });
        browser.devtools("Emulation.setTimezoneOverride", name).await;
        browser.reload().await;
    };
    zone("America/New_York").await;
    browser.says(".films", "Times are in Japan Standard Time.").await;
    browser.go(&hall(&show)).await;
    browser.says(".facts-line", &start).await;
    browser.says(".facts-line", "(Japan Standard Time)").await;
    browser.hit("button", "Pick the best 2 seats for me").await;
    browser.type_at("#user-id", "Hanako").await;
    browser.hit("button", "Reserve 2 seats").await;
    browser.says(".ticket-when", &format!("{start} (Japan Standard Time)")).await;
    browser.go("#/").await;
    browser.says(".front-mine", &format!("{start} (Japan Standard Time)")).await;
    zone("Asia/Tokyo").await;
    browser.says(".front-mine", &start).await;
    browser.find("a.showtime").await;
    assert!(!browser.text("body").await.contains("Standard Time"), "it is the reader's own");
    zone("").await;
    browser.close().await;
}

/// On a phone the plan is wider and higher than the window.
#[tokio::test(flavor = "multi_thread")]
async fn phone_shows_the_seats_picked_for_the_reader() {
    let server = TestServer::with(&["cinema"]).await;
    let show = showtimes(&server.client()).await.remove(0);
    let browser = Browser::open_at(&server.url(), &hall(&show), Look::PHONE).await;
    browser.find("[role=gridcell]").await;
    let away = "const plan = document.querySelector('.hall-scroll');
        plan.scrollLeft = 0; window.scrollTo(0, document.body.scrollHeight); return plan.scrollLeft";
    assert_eq!(browser.script(away).await, json!(0));
    browser.hit("button", "Pick the best 2 seats for me").await;
    let is_seen = "(() => {
        const plan = document.querySelector('.hall-scroll').getBoundingClientRect();
        const seats = [...document.querySelectorAll('.seat.is-picked[role=gridcell]')];
        return seats.length === 2 && seats.every(it => {
            const box = it.getBoundingClientRect();
            const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
            return box.left >= plan.left && box.right <= plan.right && it.contains(top);
        });
    })()";
    browser.until(is_seen).await;
    browser.picture("picked-phone").await;
    // So are they after a reload.
    browser.reload().await;
    browser.says(".picked-count", "2").await;
    let is_there = is_seen.replace(" && it.contains(top)", "");
    browser.until(&is_there).await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_reservation_asks_for_the_number() {
    let server = TestServer::with(&["cinema"]).await;
    let client = server.client();
    let show = showtimes(&client).await.remove(0);
    let seat = free_seats(&client, &id(&show)).await.remove(0);
    let order = json!({ "user_id": "Hanako", "showtime_id": id(&show), "seat_ids": [seat] });
    let made = client.output("reserve_seats", order).await;
    let place = "#/reservation/rsv-nothing";
    let browser = Browser::open_at(&server.url(), place, Look::PHONE).await;
    browser.says(".notice", "There is no such reservation").await;
    assert_eq!(browser.all(".steps").await.len(), 0, "no booking is under way");
    assert_eq!(browser.serious_faults().await, Vec::<String>::new());
    browser.picture("reservation-unknown-phone").await;
    browser.type_at("#reservation-id", made["reservation_id"].as_str().unwrap()).await;
    browser.hit("button", "Find").await;
    browser.find(".ticket").await;
    assert_eq!(browser.all(".steps").await.len(), 0, "it was made before");
    browser.close().await;
}
