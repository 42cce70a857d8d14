//! Seats that are held before they are reserved: seen by all who look at the hall, as it happens.

use serde_json::{Value, json};
use tests::{
    browser::{Browser, Look},
    cinema::{free_seats, id, showtimes},
    server::TestServer,
    until,
};

struct Hall {
    server: TestServer,
    show: String,
    address: String,
    seats: Vec<String>,
}

impl Hall {
    async fn open() -> Self {
        let server = TestServer::with(&["cinema"]).await;
        let client = server.client();
        let show = showtimes(&client).await.remove(0);
        let date = &show["start_time"].as_str().unwrap()[..10];
        let address = format!("#/box-office?date={date}&showtime={}", id(&show));
        let seats = free_seats(&client, &id(&show)).await;
        Self { show: id(&show), address, seats, server }
    }

    async fn browser(&self, look: Look) -> Browser {
        let browser = Browser::open_at(&self.server.url(), &self.address, look).await;
        browser.find("[role=gridcell]").await;
        browser
    }

    /// The element of that seat.
    fn seat(&self, at: usize) -> String {
        format!("[role=gridcell][data-seat='{}']", self.seats[at])
    }

    async fn is_named(&self, browser: &Browser, at: usize, text: &str) {
        let label = format!("document.querySelector(\"{}\").ariaLabel", self.seat(at));
        browser.until(&format!("{label}?.includes('{text}')")).await;
    }

    async fn hold(&self, at: usize, user: &str) -> Value {
        let arguments =
            json!({ "user_id": user, "showtime_id": self.show, "seat_ids": [self.seats[at]] });
        self.server.client().output("hold_seats", arguments).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn holds_seats_with_time_left_then_reserves_them() {
    let hall = Hall::open().await;
    let first = hall.browser(Look::DESKTOP).await;
    let second = hall.browser(Look::PHONE).await;
    for at in 0..2 {
        first.click(&hall.seat(at)).await;
    }
    first.hit("button", "Hold these seats for a while").await;
    first.says(".checkout", "Please give").await;
    first.type_at("#user-id", "Hanako").await;
    first.hit("button", "Hold these seats for a while").await;
    first
        .until("/^(10:00|9:[0-5][0-9])$/.test(document.querySelector('.hold-clock')?.innerText)")
        .await;
    first.picture("hold").await;
    assert_eq!(first.serious_faults().await, Vec::<String>::new());

    // Who looks at the hall elsewhere sees it without asking.
    hall.is_named(&second, 0, "Held by someone else").await;
    second.click(&hall.seat(0)).await;
    second.picture("held-phone").await;
    second.says(".picked-count", "No seats").await;

    // They are the reader's own over a reload, and once reserved they are taken.
    first.reload().await;
    first.find(".hold-clock").await;
    first.says(".picked-count", "2").await;
    first.hit("button", "Reserve 2 seats").await;
    first.says("h1", "reserved").await;
    hall.is_named(&second, 1, "taken").await;
    for browser in [first, second] {
        assert_eq!(browser.complaints().await, Vec::<String>::new());
        browser.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn released_seats_are_free_for_others_at_once() {
    let hall = Hall::open().await;
    let browser = hall.browser(Look::DESKTOP.japanese()).await;
    let held = hall.hold(0, "rival").await;
    hall.is_named(&browser, 0, "確保中").await;
    let token = json!({ "hold_token": held["hold_token"] });
    hall.server.client().output("release_hold", token).await;
    hall.is_named(&browser, 0, "空席").await;

    browser.click(&hall.seat(0)).await;
    browser.type_at("#user-id", "花子").await;
    browser.hit("button", "選んだ席をしばらくおさえる").await;
    browser.find(".hold-clock").await;
    let refused = hall.server.client();
    let arguments =
        json!({ "user_id": "rival", "showtime_id": hall.show, "seat_ids": [hall.seats[0]] });
    assert_eq!(refused.failure("reserve_seats", arguments.clone()).await["error"], "seat_held");
    browser.until("document.activeElement.textContent === '延長する'").await;
    browser.hit("button", "手放す").await;
    browser.until("!document.querySelector('.hold-clock')").await;
    browser.until("document.activeElement.textContent === '選んだ席をしばらくおさえる'").await;
    until("it is free", async || {
        free_seats(&hall.server.client(), &hall.show).await.contains(&hall.seats[0])
    })
    .await;
    hall.server.client().output("reserve_seats", arguments).await;
    hall.is_named(&browser, 0, "他の方が予約").await;

    // What an assistant holds under the reader's name is the reader's own here, and goes as it came (CIN-97).
    let held = hall.hold(1, "花子").await;
    browser.find(".hold-clock").await;
    browser.says(".picked-count", "1").await;
    let handle = json!({ "hold_token": held["hold_id"] });
    hall.server.client().output("release_hold", handle).await;
    browser.until("!document.querySelector('.hold-clock')").await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
    browser.close().await;
}

/// What someone else takes is reported before less is reserved than was picked.
#[tokio::test(flavor = "multi_thread")]
async fn reports_lost_seats_before_reserving_fewer() {
    let hall = Hall::open().await;
    let browser = hall.browser(Look::DESKTOP).await;
    for at in 0..2 {
        browser.click(&hall.seat(at)).await;
    }
    browser.type_at("#user-id", "Hanako").await;
    hall.hold(0, "rival").await;
    browser.says(".checkout", "went to someone else").await;
    browser.says(".picked-count", "1").await;
    browser.hit("button", "Reserve 1 seat").await;
    browser.says(".checkout", "went to someone else").await;
    browser.hit("button", "Reserve 1 seat").await;
    browser.says("h1", "reserved").await;
    browser.close().await;
}

/// What gets no answer stays picked for another try, and not for longer than the seats are there.
#[tokio::test(flavor = "multi_thread")]
async fn seat_lost_after_an_unanswered_request_leaves_the_choice() {
    let hall = Hall::open().await;
    let browser = hall.browser(Look::DESKTOP).await;
    for at in 0..2 {
        browser.click(&hall.seat(at)).await;
    }
    browser.type_at("#user-id", "Hanako").await;
    browser.find(".connection.is-online").await;
    browser.offline(true).await;
    browser.hit("button", "Reserve 2 seats").await;
    browser.find(".checkout .notice.is-error").await;
    let arguments =
        json!({ "user_id": "rival", "showtime_id": hall.show, "seat_ids": [hall.seats[0]] });
    hall.server.client().output("reserve_seats", arguments).await;
    let heard = "window.heard = '';
        new MutationObserver(() => {
            for (const it of document.querySelectorAll('[role=status]')) window.heard += it.textContent;
        }).observe(document.body, { subtree: true, childList: true, characterData: true });";
    browser.script(heard).await;
    browser.offline(false).await;
    hall.is_named(&browser, 0, "just taken by someone else").await;
    browser.says(".picked-count", "1").await;
    browser.says(".checkout", "went to someone else").await;
    browser.until("window.heard.includes('went to someone else')").await;
    assert_eq!(browser.all(".seat.is-picked[role=gridcell]").await.len(), 1);
    browser.until("!document.querySelector('.checkout .notice.is-error')").await;
    browser.close().await;
}

/// The button stays in sight on a phone, and what keeps it from reserving comes into sight.
#[tokio::test(flavor = "multi_thread")]
async fn phone_explains_failed_reservation() {
    let hall = Hall::open().await;
    let browser = hall.browser(Look::PHONE).await;
    for at in 0..4 {
        browser.click(&hall.seat(at)).await;
    }
    browser.says(".picked-count", "4").await;
    let lines = "Math.max(...[...document.querySelectorAll('.picked-list .chip')]
        .map(it => it.getClientRects()[0].height)) < 48";
    browser.until(lines).await;
    browser.find("#user-id").await.send_keys("Hanako").await.unwrap();
    hall.hold(0, "rival").await;
    browser.says(".checkout", "went to someone else").await;
    browser.until("(window.scrollTo({ top: 0, behavior: 'instant' }), window.scrollY === 0)").await;
    browser.hit("button", "Reserve 3 seats").await;
    let in_sight = "(() => {
            const box = it => document.querySelector(it).getBoundingClientRect();
            const why = box('.checkout .notice');
            return why.top >= 0 && why.bottom <= box('.order').top;
        })()";
    browser.until(in_sight).await;
    browser.close().await;
}

/// Seats that are taken one after the other, for a figure of how fast it is seen elsewhere.
const TAKEN: usize = 10;

/// The figure is printed and not held to: how fast a machine is, is no property of the page.
#[tokio::test(flavor = "multi_thread")]
async fn seat_taken_in_one_browser_greys_out_in_the_other() {
    let hall = Hall::open().await;
    let first = hall.browser(Look::DESKTOP).await;
    let second = hall.browser(Look::DESKTOP).await;
    // Both windows are on one machine, and so on one clock: when a seat is asked for, and when it is seen as gone.
    let watch = "window.seen = {}; const look = () => {
            for (const it of document.querySelectorAll('[role=gridcell].is-held, [role=gridcell].is-taken'))
                window.seen[it.dataset.seat] ??= Date.now();
        };
        new MutationObserver(look).observe(document.querySelector('.hall-grid'),
            { subtree: true, childList: true, attributes: true });";
    second.script(watch).await;
    let mut took = Vec::new();
    for at in 0..TAKEN {
        let seat = hall.seats[at].as_str();
        first.click(&hall.seat(at)).await;
        if at == 0 {
            first.type_at("#user-id", "Hanako").await;
        }
        // The moment at which the page itself asks, as a reader's click makes it.
        let ask =
            "window.asked = Date.now(); document.querySelector('.order .main-action').click();";
        first.script(ask).await;
        first.says("h1", "reserved").await;
        second.until(&format!("window.seen['{seat}']")).await;
        hall.is_named(&second, at, "taken").await;
        let asked = first.script("return window.asked").await.as_i64().unwrap();
        let value = second.script(&format!("return window.seen['{seat}']")).await.as_i64().unwrap();
        took.push(value - asked);
        first.script(&format!("location.hash = '{}'", hall.address)).await;
        first.find("[role=gridcell]").await;
    }
    took.sort_unstable();
    println!(
        "A seat taken in one browser greys out in the other after {} ms at the median of {TAKEN}, \
         {} ms at the most, from the click.",
        took[TAKEN / 2],
        took[TAKEN - 1],
    );
    for browser in [first, second] {
        assert_eq!(browser.complaints().await, Vec::<String>::new());
        browser.close().await;
    }
}
