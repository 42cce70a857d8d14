//! The finder, the settings of the browser, and the page of parts.

use fantoccini::key::Key;
use serde_json::json;
use tests::{
    browser::{Browser, Look},
    cinema::{free_seats, id, showtimes},
    forms,
    server::TestServer,
};

/// Whether the field shows all of what it says while it is empty.
const HINT_FITS: &str = "(it => {
    const style = getComputedStyle(it);
    const pen = document.createElement('canvas').getContext('2d');
    pen.font = style.font;
    const inside = it.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    return pen.measureText(it.placeholder).width <= inside;
})(document.querySelector('#finder-sought'))";

/// OPS-8
#[tokio::test(flavor = "multi_thread")]
async fn finder_reaches_views_tools_and_items_by_keyboard() {
    let server = TestServer::with(&["cinema", "forms"]).await;
    let form = json!({ "title": "Inventory 4711", "fields": [{ "type": "text", "name": "dish", "label": "Dish" }] });
    let asked = forms::ask(&server.client(), &form).await;
    let browser = Browser::open(&server.url(), Look::DESKTOP).await;
    browser.find(".film-list .showtime").await;
    let open = "window.dispatchEvent(new KeyboardEvent('keydown',
        { key: 'k', ctrlKey: true, bubbles: true, cancelable: true }))";
    let seek = async |text: &str| {
        // The same keys close one that is still open.
        browser.until("!document.querySelector('.finder')").await;
        browser.script(open).await;
        browser.until("document.activeElement?.id === 'finder-sought'").await;
        if !text.is_empty() {
            browser.press(text).await;
        }
    };
    seek("").await;
    browser.says(".finder-list", "Box office").await;
    for (name, look) in [("desktop", Look::DESKTOP), ("phone-dark", Look::PHONE.dark().japanese())]
    {
        browser.look(look).await;
        assert_eq!(browser.serious_faults().await, Vec::<String>::new(), "{name}");
        assert!(!browser.overflows().await, "{name}");
        browser.until(HINT_FITS).await;
        browser.picture(&format!("finder-{name}")).await;
    }
    browser.look(Look::DESKTOP).await;
    browser.key(Key::Escape).await;
    browser.until("!document.querySelector('.finder')").await;

    // A tool, by its name; a form and a film, which the host knows.
    for (text, entry, hash) in [
        ("reserve_seats", "reserve_seats", "#/counter/reserve_seats".to_owned()),
        ("4711", "Inventory 4711", format!("#/form/{}", asked.handle)),
    ] {
        seek(text).await;
        browser.says(".finder-list", entry).await;
        browser.says(".finder-entry[aria-selected=true]", entry).await;
        browser.key(Key::Enter).await;
        browser.until(&format!("location.hash === '{hash}'")).await;
    }
    let movies = server.client().output("list_movies", json!({})).await;
    let title = movies["movies"][0]["title"].as_str().unwrap().to_owned();
    // What an earlier word found is not gone to, while the host has not answered for the new one.
    seek(&title).await;
    browser.says(".finder-list", "Film").await;
    let hang = "window.real = window.fetch; window.fetch = () => new Promise(() => {})";
    browser.script(hang).await;
    browser.press(" zqx").await;
    browser.says(".finder-foot", "Nothing was found").await;
    browser.key(Key::Enter).await;
    browser.key(Key::Escape).await;
    browser.until("!document.querySelector('.finder')").await;
    browser.script("window.fetch = window.real").await;
    let hash = browser.script("return location.hash").await;
    assert_eq!(hash, json!(format!("#/form/{}", asked.handle)));
    seek(&title).await;
    browser.says(".finder-list", "Film").await;
    browser.key(Key::Enter).await;
    browser.until("decodeURIComponent(location.hash).startsWith('#/box-office/film/')").await;
    browser
        .until(&format!("document.querySelector('input[type=search]')?.value === {title:?}"))
        .await;

    // A coming visit, by what the front page calls it.
    let show = showtimes(&server.client()).await.pop().expect("a showing");
    let seat = free_seats(&server.client(), &id(&show)).await.remove(0);
    let order = json!({ "user_id": "Hanako", "showtime_id": id(&show), "seat_ids": [seat] });
    let reserved = server.client().output("reserve_seats", order).await;
    browser.script("localStorage.setItem('madoguchi.name', JSON.stringify('Hanako'))").await;
    browser.go("#/").await;
    browser.says(".front-mine", "Your next visit").await;
    seek("next visit").await;
    browser.says(".finder-entry[aria-selected=true]", "Your next visit").await;
    browser.key(Key::Enter).await;
    let ticket = reserved["reservation_id"].as_str().unwrap();
    browser.until(&format!("location.hash === '#/reservation/{ticket}'")).await;

    // By the other language's name of a place, and with arrows.
    seek("設定").await;
    browser.key(Key::Up).await;
    browser.key(Key::Down).await;
    browser.says(".finder-entry[aria-selected=true]", "Settings").await;
    browser.key(Key::Enter).await;
    browser.says("h1", "Settings").await;
    seek("nothing such").await;
    browser.says(".finder-foot", "Nothing was found").await;
    browser.key(Key::Escape).await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
    browser.close().await;
}

/// Kana of any kind and width find what is written in kanji, among the tools as well.
#[tokio::test(flavor = "multi_thread")]
async fn search_finds_kanji_by_kana() {
    let server = TestServer::with(&["cinema", "forms"]).await;
    let browser = Browser::open_at(&server.url(), "#/counter", Look::PHONE.japanese()).await;
    browser.find(".tool-list a[href='#/counter/reserve_seats']").await;
    for text in ["せき", "ｾｷ", "セキ"] {
        browser.fill("ツールを検索", text).await;
        browser.until("document.querySelectorAll('.tool-link').length < 8").await;
        browser.says(".tool-list", "座席予約確定").await;
    }
    browser.fill("ツールを検索", "よやく せき").await;
    browser.until("document.querySelectorAll('.tool-link').length === 1").await;
    browser.click("#finder-button").await;
    browser.until("document.activeElement?.id === 'finder-sought'").await;
    browser.press("ざせきよ").await;
    browser.says(".finder-entry[aria-selected=true]", "座席予約確定").await;
    browser.key(Key::Escape).await;
    browser.until("!document.querySelector('.finder')").await;
    browser.click("#finder-button").await;
    browser.until("document.activeElement?.id === 'finder-sought'").await;
    browser.press("ｾｯﾃｲ").await;
    browser.says(".finder-entry[aria-selected=true]", "設定").await;
    browser.key(Key::Escape).await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
    browser.close().await;
}

/// OPS-9
#[tokio::test(flavor = "multi_thread")]
async fn keeps_settings_and_clears_stored_data() {
    let server = TestServer::with(&["cinema"]).await;
    let browser = Browser::open_at(&server.url(), "#/settings", Look::PHONE).await;
    browser.says("h1", "Settings").await;
    let keep = "localStorage.setItem('madoguchi.name', '\"Hanako\"');
        localStorage.setItem('madoguchi.chat', '{\"heads\":[]}');";
    browser.script(keep).await;
    browser.hit("radio", "Reduce motion").await;
    browser.hit("radio", "Dark").await;
    browser.reload().await;
    browser.says("h1", "Settings").await;
    let set = "document.documentElement.dataset.motion === 'less'
        && document.documentElement.dataset.theme === 'dark'";
    browser.until(set).await;
    for (name, look) in [("phone", Look::PHONE), ("desktop-ja", Look::DESKTOP.dark().japanese())] {
        browser.look(look).await;
        assert_eq!(browser.serious_faults().await, Vec::<String>::new(), "{name}");
        assert!(!browser.overflows().await, "{name}");
        browser.whole_picture(&format!("settings-{name}"), look).await;
    }
    browser.look(Look::PHONE).await;
    browser.hit("button", "Clear what is kept").await;
    browser.until("document.activeElement.id === 'preferences-keep'").await;
    browser.key(Key::Escape).await;
    browser.until("document.activeElement.id === 'preferences-clear'").await;
    browser.key(Key::Enter).await;
    browser.until("document.activeElement.id === 'preferences-keep'").await;
    let first = browser.this_window().await;
    browser.window("#/counter").await;
    browser.find(".tool-list").await;
    let mark = "window.before = true; sessionStorage.setItem('madoguchi.draft.x', '{}')";
    browser.script(mark).await;
    let other = browser.this_window().await;
    browser.to(&first).await;
    browser.hit("button", "Yes, clear it").await;
    browser.says(".toast", "is cleared").await;
    let kept = "return ['name', 'chat', 'forgotten', 'motion', 'theme']
        .filter(it => localStorage.getItem('madoguchi.' + it) !== null)";
    assert_eq!(browser.script(kept).await, json!(["motion", "theme"]));
    browser.until(set).await;
    // Other windows know nothing more, either.
    browser.to(&other).await;
    browser.until("!window.before && document.querySelector('.tool-list')").await;
    let typed = browser.script("return sessionStorage.getItem('madoguchi.draft.x')").await;
    assert_eq!(typed, json!(null));
    browser.close().await;
}

/// OPS-10
#[tokio::test(flavor = "multi_thread")]
async fn parts_have_no_faults_in_any_theme_at_320_pixels() {
    let server = TestServer::with(&["echo"]).await;
    let browser = Browser::open_at(&server.url(), "#/parts", Look::PHONE).await;
    browser.says("h1", "Parts").await;
    let narrow = Look { width: 320, ..Look::PHONE };
    for (name, look) in [
        ("light-en", narrow),
        ("dark-en", narrow.dark()),
        ("light-ja", narrow.japanese()),
        ("dark-ja", narrow.dark().japanese()),
    ] {
        browser.look(look).await;
        let language = &look.language[..2];
        let choose =
            format!("localStorage.setItem('madoguchi.language', JSON.stringify('{language}'))");
        browser.script(&choose).await;
        browser.reload().await;
        browser.until(&format!("document.documentElement.lang === '{language}' && document.querySelector('.sample')")).await;
        assert_eq!(browser.serious_faults().await, Vec::<String>::new(), "{name}");
        assert!(!browser.overflows().await, "{name}");
        browser.whole_picture(&format!("parts-{name}"), look).await;
    }
    browser.close().await;
}
