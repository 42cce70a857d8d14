//! How it looks and reads, by day and night, on desktop and phone (NAV-60, NAV-67).

use tests::browser::Look;

use super::{ENDS, Opened};

#[tokio::test(flavor = "multi_thread")]
async fn axe_finds_nothing_serious_by_day_and_night_on_desk_and_phone() {
    let looks = [
        ("desktop-light", Look::DESKTOP.japanese()),
        ("desktop-dark", Look::DESKTOP.dark()),
        ("tablet-dark", Look { width: 900, height: 1100, ..Look::DESKTOP.dark().japanese() }),
        ("phone-light", Look::PHONE),
        ("phone-dark", Look::PHONE.dark().japanese()),
        ("narrow", Look { width: 320, ..Look::PHONE }),
    ];
    for (device, look) in looks {
        let it = Opened::with(look).await;
        sound(&it, &format!("{device} empty")).await;
        it.browser.whole_picture(&format!("navigation-{device}-empty"), look).await;
        it.ends(ENDS.0, ENDS.1).await;
        it.ask(it.word("比較して", "Compare them")).await;
        it.browser.until("document.querySelector('path.route-line.is-chosen')").await;
        it.browser.script("window.scrollTo(0, 0)").await;
        it.browser.picture(&format!("navigation-{device}-top")).await;
        it.browser.click(".nav-log summary").await;
        sound(&it, device).await;
        it.browser.whole_picture(&format!("navigation-{device}"), look).await;
        it.close().await;
    }
}

async fn sound(it: &Opened, what: &str) {
    assert_eq!(it.browser.serious_faults().await, Vec::<String>::new(), "{what}");
    assert!(!it.browser.overflows().await, "{what} is wider than the window");
}

#[tokio::test(flavor = "multi_thread")]
async fn map_and_panel_stand_beside_or_below_as_the_window_allows() {
    let it = Opened::with(Look { width: 1400, height: 900, ..Look::DESKTOP }).await;
    let boxes = "const box = it => document.querySelector(it).getBoundingClientRect();
        const [map, panel] = [box('.nav-map'), box('.nav-found')];
        return [map.width / window.innerWidth, panel.left >= map.right - 1, panel.top >= map.bottom - 1];";
    let wide = it.browser.script(boxes).await;
    assert!((0.6..0.75).contains(&wide[0].as_f64().unwrap()), "{wide}: about 70 % (NAV-60)");
    assert_eq!(wide[1], true, "{wide}");
    it.browser.look(Look { width: 900, height: 900, ..Look::DESKTOP }).await;
    it.browser.until("document.querySelector('.nav-found').getBoundingClientRect().top >= document.querySelector('.nav-map').getBoundingClientRect().bottom - 1").await;
    it.close().await;
}

/// Elements and listeners that the browser holds once what is unused is collected.
async fn held(it: &Opened) -> (u64, u64) {
    it.browser.devtools("HeapProfiler.collectGarbage", serde_json::json!({})).await;
    let counters = it.browser.devtools("Memory.getDOMCounters", serde_json::json!({})).await;
    let count = |name: &str| counters[name].as_u64().unwrap_or_else(|| panic!("{counters}"));
    (count("nodes"), count("jsEventListeners"))
}

async fn visit(it: &Opened) {
    it.browser.go("#/navigation").await;
    it.browser.until("document.querySelector('.route-map .leaflet-pane')").await;
    it.browser.go("#/counter").await;
    it.browser.until("!document.querySelector('.route-map')").await;
}

/// A map that is left is let go, with its elements.
#[tokio::test(flavor = "multi_thread")]
async fn a_map_that_was_left_is_not_kept() {
    let it = Opened::with(Look::DESKTOP).await;
    for _ in 0..3 {
        visit(&it).await;
    }
    let before = held(&it).await;
    for _ in 0..8 {
        visit(&it).await;
    }
    // What WebAssembly lets go of, the browser collects after another look.
    tests::until(&format!("more is held than {before:?}"), async || {
        let after = held(&it).await;
        after.0 < before.0 + 40 && after.1 <= before.1 + 4
    })
    .await;
    it.close().await;
}
