//! How it looks and reads, by day and night, on desktop and phone (NAV-60, NAV-67).

use tests::browser::Look;

use super::{ENDS, Opened};

#[tokio::test(flavor = "multi_thread")]
async fn axe_finds_no_serious_fault_in_any_theme_or_width() {
    let looks = [
        ("desktop-light", Look::DESKTOP.japanese()),
        ("desktop-dark", Look::DESKTOP.dark()),
        ("tablet-dark", Look { width: 900, height: 1100, ..Look::DESKTOP.dark().japanese() }),
        ("phone-light", Look::PHONE),
        ("phone-dark", Look::PHONE.dark().japanese()),
        ("narrow", Look { width: 320, ..Look::PHONE }),
    ];
    for (device, look) in looks {
        let opened = Opened::with(look).await;
        sound(&opened, &format!("{device} empty")).await;
        opened.browser.whole_picture(&format!("navigation-{device}-empty"), look).await;
        opened.ends(ENDS.0, ENDS.1).await;
        opened.ask(opened.word("比較して", "Compare them")).await;
        opened.browser.until("document.querySelector('path.route-line.is-chosen')").await;
        opened.browser.script("window.scrollTo(0, 0)").await;
        opened.browser.picture(&format!("navigation-{device}-top")).await;
        opened.browser.click(".nav-log summary").await;
        sound(&opened, device).await;
        opened.browser.whole_picture(&format!("navigation-{device}"), look).await;
        opened.close().await;
    }
}

async fn sound(opened: &Opened, what: &str) {
    assert_eq!(opened.browser.serious_faults().await, Vec::<String>::new(), "{what}");
    assert!(!opened.browser.overflows().await, "{what} is wider than the window");
}

#[tokio::test(flavor = "multi_thread")]
async fn map_and_panel_follow_the_window_width() {
    let opened = Opened::with(Look { width: 1400, height: 900, ..Look::DESKTOP }).await;
    // About 70 % (NAV-60).
    let beside = "(() => { const box = it => document.querySelector(it).getBoundingClientRect();
        const [map, panel] = [box('.nav-map'), box('.nav-found')];
        const share = map.width / window.innerWidth;
        return share >= 0.6 && share < 0.75 && panel.left >= map.right - 1; })()";
    opened.browser.until(beside).await;
    opened.browser.look(Look { width: 900, height: 900, ..Look::DESKTOP }).await;
    opened.browser.until("document.querySelector('.nav-found').getBoundingClientRect().top >= document.querySelector('.nav-map').getBoundingClientRect().bottom - 1").await;
    opened.close().await;
}

/// Elements and listeners that the browser holds once what is unused is collected.
async fn held(opened: &Opened) -> (u64, u64) {
    opened.browser.devtools("HeapProfiler.collectGarbage", serde_json::json!({})).await;
    let counters = opened.browser.devtools("Memory.getDOMCounters", serde_json::json!({})).await;
    let count = |name: &str| counters[name].as_u64().unwrap_or_else(|| panic!("{counters}"));
    (count("nodes"), count("jsEventListeners"))
}

async fn visit(opened: &Opened) {
    opened.browser.go("#/navigation").await;
    opened.browser.until("document.querySelector('.route-map .leaflet-pane')").await;
    opened.browser.go("#/counter").await;
    opened.browser.until("!document.querySelector('.route-map')").await;
}

/// A map that is left is let go, with its elements.
#[tokio::test(flavor = "multi_thread")]
async fn leaving_the_view_frees_the_map() {
    let opened = Opened::with(Look::DESKTOP).await;
    for _ in 0..3 {
        visit(&opened).await;
    }
    let before = held(&opened).await;
    for _ in 0..8 {
        visit(&opened).await;
    }
    // What WebAssembly lets go of, the browser collects after another look.
    tests::until(&format!("more is held than {before:?}"), async || {
        let after = held(&opened).await;
        after.0 < before.0 + 40 && after.1 <= before.1 + 4
    })
    .await;
    opened.close().await;
}
