//! The page in a browser: seats booked, tools called, swaps survived, by mouse and by keyboard.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, SystemTime},
};

use fantoccini::key::Key;
use host::{Server, clock::Clock};
use serde_json::json;
use tests::{
    browser::{Browser, Look},
    component_bytes,
    fixtures::{free_seats, showtime_id, showtimes},
    rebuilt,
    server::{Folders, TestServer},
};

/// The address of a showtime's hall.
fn hall(showtime: &serde_json::Value) -> String {
    let date = &showtime["start_time"].as_str().unwrap()[..10];
    format!("#/box-office?date={date}&showtime={}", showtime_id(showtime))
}

fn seat(id: &str) -> String {
    format!("[role=gridcell][data-seat='{id}']")
}

#[tokio::test(flavor = "multi_thread")]
async fn second_browser_sees_two_booked_seats_taken() {
    let server = TestServer::with(&["cinema", "echo"]).await;
    let first = Browser::open(&server.url(), Look::DESKTOP).await;
    // From the list of films, as a person goes: the last day, the first showtime on it.
    first.find(".film-list .showtime, .days a, .days button").await;
    first.picture("films").await;
    let show = showtimes(&server.client()).await.remove(0);
    let seats = free_seats(&server.client(), &showtime_id(&show)).await;
    first.go(&hall(&show)).await;
    for id in &seats[..2] {
        first.click(&seat(id)).await;
    }
    first.says(".picked-count", "2").await;
    first.type_at("#user-id", "花子").await;
    first.picture("seats").await;
    first.hit("button", "Reserve 2 seats").await;
    first.says("h1", "reserved").await;
    let number = first.text(".ticket-number").await;
    first.until("document.querySelector('.ticket-code img')?.naturalWidth > 0").await;
    first.role("button", "Add to calendar").await;
    first.picture("ticket").await;

    let arguments = json!({ "reservation_id": number });
    let stored = server.client().output("get_reservation", arguments).await;
    assert_eq!(stored["user_id"], "花子");
    let second = Browser::open_at(&server.url(), &hall(&show), Look::PHONE.japanese()).await;
    for id in &seats[..2] {
        let taken = second.find(&seat(id)).await;
        let label = taken.attr("aria-label").await.unwrap().unwrap();
        assert!(label.contains("予約済み"), "{label}");
        assert_eq!(taken.attr("aria-disabled").await.unwrap().as_deref(), Some("true"));
    }
    assert!(!second.overflows().await, "the page itself does not scroll sideways on a phone");
    second.picture("seats-phone").await;
    for browser in [first, second] {
        assert_eq!(browser.complaints().await, Vec::<String>::new());
        browser.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reserves_seats_by_keyboard_alone() {
    let server = TestServer::with(&["cinema"]).await;
    let show = showtimes(&server.client()).await.remove(0);
    let browser = Browser::open_at(&server.url(), &hall(&show), Look::DESKTOP).await;
    browser.find("[role=gridcell]").await;
    let stops = browser.all("[role=gridcell][tabindex='0']").await;
    assert_eq!(stops.len(), 1, "the grid is one tab stop");
    for _ in 0..40 {
        browser.key(Key::Tab).await;
        if browser.focused("role").await == "gridcell" {
            break;
        }
    }
    assert_eq!(browser.focused("role").await, "gridcell", "Tab comes to the seats");
    let first = browser.focused("data-seat").await;
    browser.press(" ").await;
    browser.key(Key::Right).await;
    let second = browser.focused("data-seat").await;
    assert_ne!(first, second, "arrows move");
    browser.press(" ").await;
    browser.says(".picked-count", "2").await;
    assert_eq!(browser.focused("aria-selected").await, "true");
    browser.key(Key::Down).await;
    assert_ne!(browser.focused("data-seat").await[..1], second[..1], "down is another row");
    browser.key(Key::Home).await;
    browser.key(Key::End).await;
    for _ in 0..10 {
        browser.key(Key::Tab).await;
        if browser.focused("id").await == "user-id" {
            break;
        }
    }
    browser.press("keyboard").await;
    browser.key(Key::Enter).await;
    browser.says("h1", "reserved").await;
    let arguments = json!({ "reservation_id": browser.text(".ticket-number").await });
    let stored = server.client().output("get_reservation", arguments).await;
    let mut seats: Vec<_> = stored["seats"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["seat_id"].as_str().unwrap().to_owned())
        .collect();
    seats.sort();
    let mut picked = vec![first, second];
    picked.sort();
    assert_eq!(seats, picked);
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn marks_seat_lost_to_another_and_keeps_other_picks() {
    let folders = Folders::new();
    folders.put("cinema", &component_bytes("cinema"));
    let lines = "[components.cinema.settings]\nseats_per_reservation_max = 2\n";
    let config = folders.config_with(lines);
    let server = TestServer::start(folders, |it| *it = config).await;
    let show = showtimes(&server.client()).await.remove(0);
    let seats = free_seats(&server.client(), &showtime_id(&show)).await;
    let browser = Browser::open_at(&server.url(), &hall(&show), Look::PHONE).await;
    for id in &seats[..2] {
        browser.click(&seat(id)).await;
    }
    // No more than the host lets a reservation have.
    browser.click(&seat(&seats[2])).await;
    let not_picked = format!("{}:not([aria-selected=true])", seat(&seats[2]));
    browser.find(&not_picked).await;
    browser.says(".picked-count", "2").await;
    let rival =
        json!({ "user_id": "rival", "showtime_id": showtime_id(&show), "seat_ids": [seats[0]] });
    server.client().output("reserve_seats", rival).await;
    browser.type_at("#user-id", "late").await;
    browser.click(".main-action").await;
    let lost = format!("{}[aria-disabled=true]", seat(&seats[0]));
    let label = browser.find(&lost).await.attr("aria-label").await.unwrap().unwrap();
    assert!(label.contains("taken"), "{label}");
    let kept = browser.find(&seat(&seats[1])).await;
    assert_eq!(kept.attr("aria-selected").await.unwrap().as_deref(), Some("true"));
    browser.says(".picked-count", "1").await;
    browser.picture("conflict-phone").await;
    browser.click(".main-action").await;
    browser.says("h1", "reserved").await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_any_tool_from_a_form_of_its_schema() {
    let server = TestServer::with(&["cinema", "echo"]).await;
    let browser = Browser::open_at(&server.url(), "#/counter/list_showtimes", Look::DESKTOP).await;
    browser.says(".tool-head", "list_showtimes").await;
    browser.type_into("movie_id", "no-such-film").await;
    browser.hit("button", "Call").await;
    browser.says("[role=alert]", "film").await;
    browser.picture("counter-refusal").await;
    let movies = server.client().output("list_movies", json!({})).await;
    let movie = movies["movies"][0]["movie_id"].as_str().unwrap();
    browser.fill("movie_id", movie).await;
    browser.hit("button", "Call").await;
    browser.find(".answer .showtime").await;
    browser.picture("counter-answer").await;
    browser.go("#/counter/greet").await;
    browser.says(".tool-head", "greet").await;
    browser.hit("button", "Call").await;
    browser.type_at(".answer input", "Hanako").await;
    browser.picture("counter-question").await;
    browser.click(".answer button[type=submit]").await;
    browser.says(".answer", "Hello, Hanako!").await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn swapped_tool_keeps_typed_text() {
    let server = TestServer::with(&["cinema", "echo"]).await;
    let browser = Browser::open_at(&server.url(), "#/counter/list_movies", Look::DESKTOP).await;
    // Who does not listen yet is told of no build whose tools are the same.
    browser.reload_until_listening().await;
    browser.type_into("title_query", "half typ").await;
    server.folders.put("cinema", &rebuilt(&component_bytes("cinema"), 3));
    browser.says("body", "The tools were updated.").await;
    assert_eq!(browser.content("title_query").await, "half typ");
    std::fs::remove_file(server.file("echo")).unwrap();
    browser.go("#/counter/echo").await;
    browser.says("main", "no tool").await;
    browser.close().await;
}

/// By day and by night; `every_view` looks at them in a narrow window.
#[tokio::test(flavor = "multi_thread")]
async fn axe_finds_no_serious_fault_on_desktop_in_both_themes() {
    let server = TestServer::with(&["cinema", "echo"]).await;
    let show = showtimes(&server.client()).await.remove(0);
    let seats = free_seats(&server.client(), &showtime_id(&show)).await;
    let arguments =
        json!({ "user_id": "a", "showtime_id": showtime_id(&show), "seat_ids": [seats[5]] });
    let reserved = server.client().output("reserve_seats", arguments).await;
    let ticket = format!("#/reservation/{}", reserved["reservation_id"].as_str().unwrap());
    let hall = hall(&show);
    let views = [
        ("films", "#/box-office", ".film-list li"),
        ("hall", &hall, "[role=gridcell]"),
        ("reservation", &ticket, ".ticket-number"),
        ("tools", "#/counter", "main a[href^='#/counter/']"),
        ("tool", "#/counter/reserve_seats", "main form"),
    ];
    for look in [Look::DESKTOP, Look::DESKTOP.dark().japanese()] {
        let browser = Browser::open(&server.url(), look).await;
        // The page speaks the reader's language, once it is there to speak.
        let language = &look.language[..2];
        browser.until(&format!("document.documentElement.lang == '{language}'")).await;
        for (name, address, ready) in views {
            browser.go(address).await;
            browser.find(ready).await;
            let faults = browser.serious_faults().await;
            assert_eq!(faults, Vec::<String>::new(), "{name} {look:?}");
            assert!(!browser.overflows().await, "{name} {look:?} is wider than the window");
            let light = if look.dark { "dark" } else { "light" };
            browser.picture(&format!("{name}-desktop-{light}")).await;
        }
        assert_eq!(browser.complaints().await, Vec::<String>::new());
        browser.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn switches_and_remembers_language() {
    let server = TestServer::with(&["cinema"]).await;
    let browser = Browser::open(&server.url(), Look::DESKTOP).await;
    browser.says("h1", "Book your seats").await;
    browser.hit("button", "日本語").await;
    browser.says("h1", "映画の座席予約").await;
    browser.until("document.documentElement.lang === 'ja'").await;
    browser.reload().await;
    browser.says("h1", "映画の座席予約").await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn describes_tool_in_the_chosen_language() {
    let server = TestServer::with(&["cinema"]).await;
    let browser = Browser::open_at(&server.url(), "#/counter/list_movies", Look::DESKTOP).await;
    for _ in 0..2 {
        browser.says(".tool-about", "Lists the films").await;
        browser.hit("button", "日本語").await;
        browser.says(".tool-about", "上映中の映画一覧").await;
        browser.says(".tool-form", "上映日").await;
        browser.hit("button", "English").await;
    }
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hides_a_family_that_is_not_served() {
    let server = TestServer::with(&["echo"]).await;
    let browser = Browser::open(&server.url(), Look::DESKTOP).await;
    browser.says("h1", "Welcome").await;
    browser.until("document.querySelectorAll('.places a').length === 2").await;
    browser.says(".places", "Chat").await;
    let text = browser.text(".places").await;
    assert!(!text.contains("Box office"), "{text}");
    assert_eq!(browser.complaints().await, Vec::<String>::new());
    browser.close().await;
}

/// The places for wheelchairs stand at the edges of the hall, where a phone does not show them at first.
#[tokio::test(flavor = "multi_thread")]
async fn phone_finds_wheelchair_places_and_shows_the_whole_hall() {
    let server = TestServer::with(&["cinema"]).await;
    let show = showtimes(&server.client()).await.remove(0);
    let browser = Browser::open_at(&server.url(), &hall(&show), Look::PHONE).await;
    browser.find("[role=gridcell].is-wheelchair").await;
    let texts = "(() => { const box = document.activeElement.getBoundingClientRect();
        return document.activeElement.matches('[role=gridcell].is-wheelchair')
            && box.left >= 0 && box.right <= innerWidth; })()";
    let tops =
        "new Set([...document.querySelectorAll('.hall-sights button')].map(it => it.offsetTop))";
    browser.until(&format!("({tops}).size === 1")).await;
    browser.hit("button", "Wheelchair places").await;
    browser.until(texts).await;
    browser.picture("hall-wheelchair-phone").await;
    browser.hit("button", "Show it all").await;
    let is_whole = "(() => { const hall = document.querySelector('.hall-scroll');
        return hall.scrollWidth <= hall.clientWidth; })()";
    browser.until(is_whole).await;
    browser.picture("hall-whole-phone").await;
    assert!(!browser.overflows().await);
    browser.close().await;
}

/// A phone that is turned, or a window that is drawn wider, may show the whole hall.
#[tokio::test(flavor = "multi_thread")]
async fn hall_stops_scrolling_sideways_in_a_wider_window() {
    let server = TestServer::with(&["cinema"]).await;
    let shows = showtimes(&server.client()).await;
    // Twelve seats a row: too wide for a phone, and not for a desk.
    let show =
        shows.iter().find(|it| it["total_seats_count"] == 68).expect("one of the third screen");
    let browser = Browser::open_at(&server.url(), &hall(show), Look::PHONE).await;
    browser.says(".hall-sights", "The plan scrolls sideways").await;
    browser.look(Look::DESKTOP).await;
    browser.until("!document.querySelector('.hall-sights')").await;
    browser.look(Look::PHONE).await;
    browser.hit("button", "Show it all").await;
    browser.look(Look::DESKTOP).await;
    browser.hit("button", "Show it all").await;
    browser.close().await;
}

/// Showtimes take a request a film: the films do not wait for them.
#[tokio::test(flavor = "multi_thread")]
async fn shows_films_before_their_showtimes_arrive() {
    let server = TestServer::with(&["cinema"]).await;
    let browser = Browser::open_at(&server.url(), "icon.svg", Look::PHONE).await;
    let hold_back = "const real = window.fetch; window.held = [];
        window.fetch = async (input, init) => {
            const text = input instanceof Request ? await input.clone().text() : init?.body;
            if (window.held && String(text).includes('list_showtimes')) await new Promise(go => window.held.push(go));
            return real(input, init);
        };";
    browser.begins_with(hold_back).await;
    browser.go("#/box-office").await;
    browser.says(".films", "七人の侍").await;
    assert_eq!(browser.script("return document.querySelectorAll('.showtime').length").await, 0);
    assert_eq!(browser.serious_faults().await, Vec::<String>::new());
    browser.picture("films-first-phone").await;
    browser.script("const all = window.held; window.held = null; all.forEach(go => go())").await;
    browser.find("a.showtime").await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_view_reports_a_lost_connection() {
    let server = TestServer::with(&["cinema"]).await;
    let show = showtimes(&server.client()).await.remove(0);
    let seats = free_seats(&server.client(), &showtime_id(&show)).await;
    let browser = Browser::open_at(&server.url(), &hall(&show), Look::DESKTOP).await;
    browser.find(".connection.is-online").await;
    browser.click(&seat(&seats[0])).await;
    browser.type_at("#user-id", "hanako").await;
    browser.offline(true).await;
    browser.click(".main-action").await;
    browser.find(".notice.is-error").await;
    browser.find(".connection.is-offline").await;
    // The message on the way is over.
    browser.until("!document.body.textContent.includes('Reserving…')").await;
    browser.offline(false).await;
    browser.find(".connection.is-online").await;
    browser.click(".notice button").await;
    browser.says("h1", "reserved").await;
    browser.close().await;
}

/// Nothing but the browser's own word leads back where pauses never end, and it does so each time.
#[tokio::test(flavor = "multi_thread")]
async fn restored_network_ends_the_wait_each_time() {
    let server = TestServer::with(&["cinema"]).await;
    let browser = Browser::open_at(&server.url(), "#/counter/list_movies", Look::DESKTOP).await;
    browser.find(".connection.is-online").await;
    let endless = "
        const set = window.setTimeout.bind(window);
        window.setTimeout = (what, time = 0, ...given) => time < 1000 ? set(what, time, ...given) : 0;";
    browser.script(endless).await;
    for _ in 0..2 {
        browser.offline(true).await;
        browser.find(".connection.is-offline").await;
        browser.offline(false).await;
        browser.find(".connection.is-online").await;
    }
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn silent_host_is_reported_as_unreachable() {
    let server = TestServer::with(&["cinema"]).await;
    let browser = Browser::open_at(&server.url(), "#/counter/list_movies", Look::DESKTOP).await;
    browser.role("textbox", "title_query").await;
    browser.find(".connection.is-online").await;
    // Requests that nothing ever comes of, as where a host is frozen, and a minute that goes by in a moment.
    let freeze = "
        const set = window.setTimeout.bind(window);
        window.setTimeout = (what, time = 0, ...given) => set(what, time / 100, ...given);
        window.fetch = () => new Promise(() => {});";
    browser.script(freeze).await;
    browser.hit("button", "Call").await;
    browser.says(".answer", "The server cannot be reached").await;
    browser.find(".connection.is-offline").await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn back_restores_the_readers_position() {
    let server = TestServer::with(&["cinema"]).await;
    // Of a day to come all films can be booked: of today, in the evening, only the one that stands at the top.
    let show = showtimes(&server.client()).await.remove(0);
    let films = format!("#/box-office?date={}", &show["start_time"].as_str().unwrap()[..10]);
    let browser = Browser::open_at(&server.url(), &films, Look::DESKTOP).await;
    browser.find("a.showtime").await;
    let last =
        "const all = document.querySelectorAll('a.showtime'); const last = all[all.length - 1];
        last.scrollIntoView({ block: 'center' }); last.focus(); return last.getAttribute('href');";
    let href = browser.script(last).await;
    let scrolled = browser.script("return window.scrollY").await.as_f64().unwrap();
    assert!(scrolled > 100.0, "there is something to scroll: {scrolled}");
    browser.script("document.activeElement.click()").await;
    browser.find("[role=gridcell]").await;
    browser.until("window.scrollY === 0").await;
    let count = "const real = window.fetch; window.open_requests = 0; window.came = 0;
        window.fetch = (input, init) => {
            window.open_requests++;
            return real(input, init).finally(() => { window.open_requests--; window.came++; });
        };";
    browser.script(count).await;
    browser.script("history.back()").await;
    browser.until(&format!("Math.abs(window.scrollY - {scrolled}) < 3")).await;
    browser.until(&format!("document.activeElement.getAttribute('href') === {href}")).await;
    // The list is fetched anew meanwhile, which takes the keyboard from no link.
    browser.until("window.came > 0 && window.open_requests === 0").await;
    browser.until(&format!("document.activeElement.getAttribute('href') === {href}")).await;
    // A link leads to the top, as ever.
    browser.script("document.activeElement.click()").await;
    browser.find("[role=gridcell]").await;
    browser.until("window.scrollY === 0").await;
    browser.close().await;
}

/// What of the day is over takes no room, and the next day is one step away.
#[tokio::test(flavor = "multi_thread")]
async fn begun_showings_are_folded_and_the_next_day_is_linked() {
    const HOUR: u64 = 3_600;
    let folders = Folders::new();
    folders.put("cinema", &component_bytes("cinema"));
    folders.lend_code();
    // The cinema's clock is nine hours ahead of this one.
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    let midnight = (now + 9 * HOUR) / (24 * HOUR) * 24 * HOUR - 9 * HOUR;
    let clock = Arc::new(Mutex::new(Duration::from_secs(midnight + 15 * HOUR)));
    let start = Server::start_at(folders.config(), Clock::Fixed(clock.clone()));
    let server = start.await.unwrap();
    let url = format!("http://{}", server.addr.unwrap());
    let browser = Browser::open(&url, Look::PHONE).await;
    browser.find("a.showtime").await;
    let begun = "[...document.querySelectorAll('.is-started')].filter(it => it.checkVisibility())";
    browser.until("document.querySelectorAll('.is-started').length > 0").await;
    browser.until(&format!("{begun}.length === 0")).await;
    browser.picture("films-afternoon-phone").await;
    browser.click(".film .begun > summary").await;
    browser.until(&format!("{begun}.length > 0")).await;

    *clock.lock().unwrap() += Duration::from_secs(8 * HOUR + HOUR / 2);
    let today = browser.script("return document.querySelector('.days a').hash").await;
    browser.go(today.as_str().unwrap()).await;
    browser.reload().await;
    browser.find(".films > .begun .film").await;
    browser.until(&format!("{begun}.length === 0")).await;
    assert_eq!(browser.serious_faults().await, Vec::<String>::new());
    browser.picture("films-over-phone").await;
    browser.hit("link", "See what is on").await;
    browser.until("document.querySelectorAll('.films > .film-list .film').length > 3").await;
    browser.until("document.querySelectorAll('.days li')[1].firstElementChild.ariaCurrent").await;
    browser.until("window.scrollY === 0").await;
    browser.close().await;
    server.stop().await;
}

/// Before the program runs the page is in the reader's language and colours; one that does not arrive is reported.
#[tokio::test(flavor = "multi_thread")]
async fn reports_missing_program_and_offers_retry() {
    let server = TestServer::with(&["cinema"]).await;
    let browser = Browser::open(&server.url(), Look::PHONE).await;
    browser.find("a.showtime").await;
    assert!(browser.script("return document.getElementById('first')").await.is_null());
    let choose = "localStorage.setItem('madoguchi.language', '\"ja\"');
        localStorage.setItem('madoguchi.theme', '\"dark\"');";
    browser.script(choose).await;
    browser.devtools("Network.enable", json!({})).await;
    browser.devtools("Network.setCacheDisabled", json!({ "cacheDisabled": true })).await;
    browser.devtools("Network.setBlockedURLs", json!({ "urls": ["*.wasm"] })).await;
    browser.reload().await;
    browser.says("#first main", "読み込めませんでした").await;
    let chosen = "return [document.documentElement.lang, document.documentElement.dataset.theme]";
    assert_eq!(browser.script(chosen).await, json!(["ja", "dark"]));
    assert!(!browser.text("#first main").await.contains("Opening"));
    assert_eq!(browser.serious_faults().await, Vec::<String>::new());
    browser.picture("first-failed-phone-dark").await;
    browser.devtools("Network.setBlockedURLs", json!({ "urls": [] })).await;
    browser.hit("button", "再読み込み").await;
    browser.find("a.showtime").await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_missing_view_code_and_offers_retry() {
    let server = TestServer::with(&["cinema"]).await;
    let browser = Browser::open(&server.url(), Look::PHONE).await;
    browser.devtools("Network.enable", json!({})).await;
    browser.devtools("Network.setCacheDisabled", json!({ "cacheDisabled": true })).await;
    browser.devtools("Network.setBlockedURLs", json!({ "urls": ["*split_*"] })).await;
    browser.script("location.hash = '#/counter'").await;
    browser.reload().await;
    browser.says("#main", "could not be loaded").await;
    assert_eq!(browser.serious_faults().await, Vec::<String>::new());
    browser.devtools("Network.setBlockedURLs", json!({ "urls": [] })).await;
    browser.hit("button", "Try again").await;
    browser.says("h1", "Tools").await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_address_is_reported() {
    let server = TestServer::with(&["cinema"]).await;
    let browser = Browser::open_at(&server.url(), "#/nowhere", Look::PHONE).await;
    browser.says("h1", "no such page").await;
    assert_eq!(browser.script("return location.hash").await, "#/nowhere");
    // There are ways on.
    browser.until("document.querySelector('.places')?.innerText.trim()").await;
    assert_eq!(browser.serious_faults().await, Vec::<String>::new());
    browser.hit("link", "Go to the first page").await;
    browser.says("h1", "Book your seats").await;
    browser.close().await;
}
