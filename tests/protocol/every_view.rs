//! Every view that the page has, in the narrowest window that there is to be.

use host::OperatorKey;
use serde_json::json;
use tests::{
    browser::{Browser, Look},
    cinema::{free_seats, id, showtimes},
    forms,
    server::TestServer,
};

const NARROW: Look = Look { width: 320, height: 640, dark: false, language: "en-US" };
/// A desktop's window that is enlarged to 400 %.
const ENLARGED: Look = Look { width: 360, height: 225, dark: false, language: "ja" };

const FAMILIES: [&str; 7] =
    ["assistant", "cinema", "conversations", "echo", "forms", "illustrations", "navigation"];

/// Whether the view that was gone to is there, with all that it shows.
const IS_THERE: &str = "document.querySelector('main h1') && !document.querySelector('#first')
    && (location.hash === '#/parts' || !document.querySelector('[aria-busy=true], .skeleton'))";

/// Opens the finder.
const FIND: &str = "window.dispatchEvent(new KeyboardEvent('keydown',
    { key: 'k', ctrlKey: true, bubbles: true, cancelable: true }))";

/// A server with something in each view, and the addresses of all of them by name.
async fn all() -> (TestServer, Vec<(&'static str, String)>) {
    let server = TestServer::with(&FAMILIES).await;
    let client = server.client();
    let show = showtimes(&client).await.pop().unwrap();
    let seat = free_seats(&client, &id(&show)).await.remove(0);
    let booked = json!({ "user_id": "a", "showtime_id": id(&show), "seat_ids": [seat] });
    let booked = client.output("reserve_seats", booked).await;
    let asked = forms::ask(&client, &forms::example(1)).await;
    let key = OperatorKey::read(&server.folders.data()).unwrap().unwrap().token;
    let hall = format!(
        "box-office?date={}&showtime={}",
        &show["start_time"].as_str().unwrap()[..10],
        id(&show)
    );
    let ticket = format!("reservation/{}", booked["reservation_id"].as_str().unwrap());
    let form = format!("form/{}", asked.handle);
    let key = format!("operator?key={key}");
    let places = [
        ("door", ""),
        ("films", "box-office"),
        ("hall", &hall),
        ("ticket", &ticket),
        ("staff", "box-office/staff"),
        ("staff-films", "box-office/staff/films"),
        ("staff-screens", "box-office/staff/screens"),
        ("staff-party", "box-office/staff/party"),
        ("staff-file", "box-office/staff/file"),
        ("chat", "chat"),
        ("tools", "counter"),
        ("tool", "counter/reserve_seats"),
        ("routes", "navigation?from=東京駅&to=横浜駅"),
        ("conversations", "conversations"),
        ("agents", "agents"),
        ("forms", "forms"),
        ("form", &form),
        ("approvals", "approvals"),
        ("settings", "settings"),
        ("parts", "parts"),
        ("nowhere", "nowhere"),
        ("operator-sign-in", "operator"),
        ("operator", &key),
        ("operator-components", "operator/components"),
        ("operator-calls", "operator/calls"),
        ("operator-servers", "operator/servers"),
        ("operator-people", "operator/people"),
        ("operator-storage", "operator/storage"),
        ("operator-settings", "operator/settings"),
    ];
    let places = places.map(|(name, place)| (name, format!("#/{place}")));
    (server, places.into())
}

/// Axe is content by day and, with the colours, by night, and nothing is wider than the window.
async fn is_sound(browser: &Browser, name: &str, look: Look) {
    assert_eq!(browser.faults().await, Vec::<String>::new(), "{name} {look:?}");
    browser.look(look.dark()).await;
    assert_eq!(browser.faults_of_colours().await, Vec::<String>::new(), "{name} {look:?}, dark");
    browser.look(look).await;
    assert!(!browser.overflows().await, "{name} {look:?} is wider than the window");
    browser.whole_picture(&format!("narrow-{name}-{}", look.language), look).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn axe_finds_no_fault_in_english_views_320_pixels_wide() {
    every_view_is_sound(NARROW).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn axe_finds_no_fault_in_japanese_views_320_pixels_wide() {
    every_view_is_sound(NARROW.japanese()).await;
}

async fn every_view_is_sound(look: Look) {
    let (server, places) = all().await;
    let browser = Browser::open(&server.url(), look).await;
    browser.find("a.showtime").await;
    for (name, place) in &places {
        browser.go(place).await;
        browser.until(IS_THERE).await;
        match *name {
            "hall" => browser.click("[role=gridcell]:not([aria-disabled=true])").await,
            "operator" => _ = browser.find(".op-health").await,
            "operator-components" => {
                // What is asked before a component goes.
                browser.click("#op-more-echo").await;
                is_sound(&browser, name, look).await;
                let unload =
                    if look.language == "ja" { "「echo」を取り外す" } else { "Unload echo" };
                browser.hit("button", unload).await;
            }
            _ => {}
        }
        is_sound(&browser, name, look).await;
    }
    browser.go("#/").await;
    browser.find("a.showtime").await;
    browser.script(FIND).await;
    browser.find(".finder-entry").await;
    is_sound(&browser, "finder", look).await;
    browser.close().await;
}

/// How many of the window's lines belong to what stays while the page is scrolled.
const STAYS: &str = "
    window.scrollTo(0, document.documentElement.scrollHeight / 2);
    let lines = 0;
    for (let y = 0; y < innerHeight; y++) {
        for (let it = document.elementFromPoint(innerWidth / 2, y); it; it = it.parentElement) {
            if (['fixed', 'sticky'].includes(getComputedStyle(it).position)) { lines++; break; }
        }
    }
    return lines / innerHeight;";

#[tokio::test(flavor = "multi_thread")]
async fn half_of_the_window_is_content_at_400_percent() {
    let (server, places) = all().await;
    let browser = Browser::open(&server.url(), ENLARGED).await;
    browser.find("a.showtime").await;
    for (name, place) in &places {
        browser.go(place).await;
        browser.until(IS_THERE).await;
        if *name == "hall" {
            // What is picked may be reserved, in a bar of its own.
            browser.click("[role=gridcell]:not([aria-disabled=true])").await;
        }
        let stays = browser.script(STAYS).await.as_f64().unwrap();
        assert!(stays <= 0.5, "{name}: {stays} of the window stays");
        assert!(!browser.overflows().await, "{name} is wider than the window");
    }
    browser.close().await;
}
