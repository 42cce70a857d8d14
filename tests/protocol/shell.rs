//! The ways to the places, as narrow windows have them: a menu, and on a phone a bar at its foot.

use fantoccini::key::Key;
use serde_json::json;
use tests::{
    browser::{Browser, Look},
    fixtures::{free_seats, showtime_id, showtimes},
    forms,
    server::TestServer,
};

const FAMILIES: [&str; 6] =
    ["assistant", "cinema", "conversations", "forms", "illustrations", "navigation"];

/// Each entry of the bar that is seen: what it says, and whether it has an icon.
const BAR: &str = "
    const seen = it => it.getClientRects().length > 0;
    const entries = [...document.querySelectorAll('.places-all > a, .places-more')].filter(seen);
    return entries.map(it => [it.innerText.trim(), seen(it.querySelector('svg'))]);";

/// Whether things that fit a selector are seen, of which none reaches below the top of the bar. What is folded away, as
/// the showings that have begun, has a place in the layout without being seen.
const IS_ABOVE: &str = "(css => {
    const bar = document.querySelector('.places-all').getBoundingClientRect();
    const seen = [...document.querySelectorAll(css)].filter(it => it.checkVisibility());
    return seen.length > 0 && seen.every(it => it.getBoundingClientRect().bottom <= bar.top);
})";

/// A view's heading takes the focus a moment after the view is there, unless the reader is in a field by then.
#[tokio::test(flavor = "multi_thread")]
async fn field_keeps_focus_that_a_reader_gave_it() {
    let server = TestServer::with(&["cinema"]).await;
    let browser = Browser::open_at(&server.url(), "#/operator", Look::DESKTOP).await;
    browser.until("document.activeElement.id === 'operator-title'").await;
    browser.go("#/preferences").await;
    browser.until("document.activeElement.id === 'stage'").await;
    let is_kept = "const done = arguments[arguments.length - 1];
        new MutationObserver((_, observer) => {
            const field = document.querySelector('#operator-key');
            if (!field) return;
            observer.disconnect();
            field.focus();
            setTimeout(() => done(document.activeElement === field), 300);
        }).observe(document.body, { childList: true, subtree: true });
        location.hash = '#/operator';";
    assert_eq!(browser.ask_later(is_kept, Vec::new()).await, true);
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn phone_bar_has_five_links_and_a_menu() {
    let server = TestServer::with(&FAMILIES).await;
    let browser = Browser::open(&server.url(), Look::PHONE).await;
    browser.find(".film-list .showtime").await;
    browser.until("document.querySelectorAll('.places a').length === 7").await;
    let entries = browser.script(BAR).await;
    let entries = entries.as_array().expect("a list");
    assert_eq!(entries.len(), 5, "{entries:?}");
    assert_eq!(entries[4][0], "More");
    assert!(entries.iter().all(|it| it[0] != "" && it[1] == true), "{entries:?}");
    browser
        .until(
            "document.querySelector('.places-all').getBoundingClientRect().bottom === innerHeight",
        )
        .await;
    // The end of the page is seen, however long it gets.
    let is_seen =
        format!("(scrollTo(0, document.documentElement.scrollHeight), {IS_ABOVE}('main *'))");
    browser.until(&is_seen).await;

    // By the keyboard: in, and out again.
    browser.focus("#places-more").await;
    browser.key(Key::Enter).await;
    browser.until("document.activeElement === document.querySelector('.places-rest a')").await;
    browser.find("#places-more[aria-expanded=true]").await;
    assert_eq!(browser.serious_faults().await, Vec::<String>::new());
    browser.picture("places-phone-more").await;
    browser.key(Key::Escape).await;
    browser.find("#places-more[aria-expanded=false]").await;
    browser.until("document.activeElement.id === 'places-more'").await;
    browser.click("#places-more").await;
    browser.click(".places-rest a[href='#/forms']").await;
    browser.says("h1", "Forms").await;
    browser.find("#places-more.is-here[aria-expanded=false]").await;

    browser.go("#/chat").await;
    browser.find(".chat-composer textarea").await;
    // One writes above it.
    browser.until(&format!("{IS_ABOVE}('.chat-composer *')")).await;
    browser.picture("places-phone-chat").await;
    browser.look(Look::PHONE.dark()).await;
    browser.click(".language").await;
    browser.says(".places-more", "その他").await;
    browser.picture("places-phone-night").await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
    browser.close().await;
}

/// The ways that are seen and stand in more than one line, or reach out of the window where nothing scrolls to them.
const BROKEN: &str = "
    const seen = it => it.getClientRects().length > 0;
    const lines = it => {
        const range = document.createRange();
        range.selectNodeContents(it);
        const middles = [...range.getClientRects()].map(it => (it.top + it.bottom) / 2);
        return Math.max(...middles) - Math.min(...middles) > 8 ? 2 : 1;
    };
    const all = [...document.querySelectorAll('.places a > span, .places button > span, .top-tools a, .top-tools button')];
    const scrolls = getComputedStyle(document.querySelector('.places')).overflowX === 'auto';
    const out = it => it.getBoundingClientRect().right > innerWidth && !(scrolls && it.closest('.places'));
    return all.filter(seen).filter(it => lines(it) > 1 || out(it)).map(it => it.innerText);";

#[tokio::test(flavor = "multi_thread")]
async fn navigation_links_stay_on_one_line_at_any_width() {
    let server = TestServer::with(&FAMILIES).await;
    let mut look = Look::PHONE;
    let browser = Browser::open(&server.url(), look).await;
    browser.until("document.querySelectorAll('.places a').length === 7").await;
    for language in ["en", "ja"] {
        browser.until(&format!("document.documentElement.lang === '{language}'")).await;
        for width in
            [320, 340, 360, 390, 430, 599, 600, 767, 768, 820, 899, 900, 1024, 1183, 1184, 1280]
        {
            look = Look { width, ..look };
            browser.look(look).await;
            browser.until(&format!("innerWidth === {width}")).await;
            assert_eq!(browser.script(BROKEN).await, serde_json::json!([]), "{language}: {width}");
            if width == 320 {
                browser.picture(&format!("places-320-{language}")).await;
            }
        }
        if language == "en" {
            browser.click(".language").await;
        }
    }
    browser.close().await;
}

/// What the header shows and is wrong with it: controls without a name, smaller than a finger wants, out of the window,
/// or over one another.
const MISPLACED: &str = "
    const all = [...document.querySelectorAll('.top .brand, .top-tools :is(a, button, select, .connection)')]
        .map(it => [it, it.getBoundingClientRect()])
        .filter(([it, box]) => box.width > 0 && getComputedStyle(it).clipPath === 'none');
    const named = it => (it.ariaLabel || it.title || it.innerText).trim();
    const isSmall = (it, box) => it.matches('a, button, select') && (box.width < 24 || box.height < 24);
    const isOut = box => box.left < 0 || box.right > innerWidth;
    const meets = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
    const isWrong = ([it, box]) => !named(it) || isSmall(it, box) || isOut(box)
        || all.some(([other, its]) => other !== it && meets(box, its));
    return all.filter(isWrong).map(([it]) => it.className || it.outerHTML);";

/// How far the middles of the header's controls are apart: little, where they stand in one row.
const APART: &str = "
    const all = [...document.querySelectorAll('.top .brand, .top-tools :is(a, button)')]
        .map(it => it.getBoundingClientRect()).filter(it => it.width > 0)
        .map(it => (it.top + it.bottom) / 2);
    return Math.max(...all) - Math.min(...all);";

/// The header is one row at any width, whatever stands in it.
#[tokio::test(flavor = "multi_thread")]
async fn header_is_one_row_from_narrow_to_wide() {
    let server = TestServer::with(&FAMILIES).await;
    let browser = Browser::open(&server.url(), Look::DESKTOP).await;
    browser.until("document.querySelectorAll('.places a').length === 7").await;
    for (language, dark) in [("en", false), ("ja", true)] {
        browser.until(&format!("document.documentElement.lang === '{language}'")).await;
        for width in [600, 820, 899, 900, 1000, 1183, 1280, 1600] {
            let look = Look { width, ..Look::DESKTOP };
            browser.look(if dark { look.dark() } else { look }).await;
            browser.until(&format!("innerWidth === {width}")).await;
            browser.until("document.querySelector('.top').offsetHeight <= 64").await;
            if width == 1000 {
                browser.picture(&format!("header-1000-{language}")).await;
            }
        }
        if language == "en" {
            browser.click(".language").await;
        }
    }
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn header_fits_a_window_320_pixels_wide() {
    let server = TestServer::with(&FAMILIES).await;
    let narrow = Look { width: 320, ..Look::PHONE };
    for look in [narrow, narrow.japanese()] {
        let browser = Browser::open(&server.url(), look).await;
        browser.find("a.showtime").await;
        assert_eq!(browser.script(MISPLACED).await, serde_json::json!([]), "{look:?}");
        let apart = browser.script(APART).await.as_f64();
        assert!(apart.is_some_and(|it| it < 12.0), "{look:?}: {apart:?}");
        browser.picture(&format!("header-320-{}", look.language)).await;
        // An operator has more in it.
        browser.go(&format!("#/operator?key={}", super::operator::token(&server))).await;
        browser.find(".op-link[aria-current]").await;
        assert_eq!(browser.script(MISPLACED).await, serde_json::json!([]), "{look:?}, operator");
        assert!(!browser.overflows().await, "{look:?}, operator");
        browser.close().await;
    }
}

/// Where the system sets the colours, no ground and no colour tells what is open.
#[tokio::test(flavor = "multi_thread")]
async fn forced_colours_show_the_open_view() {
    let server = TestServer::with(&FAMILIES).await;
    let browser = Browser::open(&server.url(), Look::DESKTOP).await;
    let media = serde_json::json!({ "features": [{ "name": "forced-colors", "value": "active" }] });
    browser.devtools("Emulation.setEmulatedMedia", media).await;
    let outlined = |css: &str| {
        format!(
            "return [...document.querySelectorAll('{css}')]
                .filter(it => getComputedStyle(it).outlineStyle === 'solid').map(it => it.hash)"
        )
    };
    for (place, css) in [("#/counter", ".places a"), ("#/box-office/staff", ".op-tabs a")] {
        browser.go(place).await;
        browser.find(&format!("{css}[aria-current]")).await;
        let outlined = browser.script(&outlined(css)).await;
        assert_eq!(outlined, serde_json::json!([place]), "{css}");
    }
    browser.picture("forced-colours").await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn narrow_window_puts_links_in_a_menu() {
    let server = TestServer::with(&FAMILIES).await;
    let narrow = Look { width: 820, height: 1180, ..Look::DESKTOP };
    let browser = Browser::open(&server.url(), narrow.japanese()).await;
    browser.find(".film-list .showtime").await;
    browser.until("document.querySelectorAll('.places a').length === 7").await;
    let found =
        "[...document.querySelectorAll('.places a')].filter(it => it.offsetWidth > 0).length";
    browser.until(&format!("{found} === 0")).await;
    browser.click("#places-menu").await;
    browser.until(&format!("{found} === 7")).await;
    browser.until("document.activeElement === document.querySelector('.places a')").await;
    assert_eq!(browser.serious_faults().await, Vec::<String>::new());
    browser.picture("places-menu").await;
    browser.key(Key::Escape).await;
    browser.until(&format!("{found} === 0 && document.activeElement.id === 'places-menu'")).await;
    browser.click("#places-menu").await;
    browser.click("h1").await;
    browser.until(&format!("{found} === 0")).await;

    // At 400 % half of the window and more is for what is read, and nothing stays in its way.
    browser.look(Look { width: 360, height: 225, ..narrow }).await;
    browser.script("scrollTo(0, 0)").await;
    browser
        .until("document.querySelector('main').getBoundingClientRect().top <= innerHeight / 2")
        .await;
    let fixed = "[...document.querySelectorAll('.top, .top *')]
        .filter(it => it.offsetWidth > 0 && ['fixed', 'sticky'].includes(getComputedStyle(it).position)).length";
    browser.until(&format!("{fixed} === 0")).await;
    browser.picture("places-zoomed").await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
    browser.close().await;
}

// The finder, the settings of the browser, and the page of parts.

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
    let seat = free_seats(&server.client(), &showtime_id(&show)).await.remove(0);
    let order =
        json!({ "user_id": "Hanako", "showtime_id": showtime_id(&show), "seat_ids": [seat] });
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
