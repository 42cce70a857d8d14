//! The place by keyboard alone; and a wheel over the map belongs to the page.

use fantoccini::key::Key;
use serde_json::json;
use tests::browser::Look;

use super::{ENDS, Opened};

#[tokio::test(flavor = "multi_thread")]
async fn chooses_route_and_steps_by_keyboard_alone() {
    let opened = Opened::with(Look::DESKTOP).await;
    let browser = &opened.browser;
    browser.tab_to("#nav-from").await;
    browser.press(ENDS.0).await;
    browser.tab_to("#nav-to").await;
    browser.press(ENDS.1).await;
    browser.tab_to("#nav-condition").await;
    browser.press("The fastest").await;
    browser.key(Key::Enter).await;
    opened.answered().await;
    let focused = browser.script("return document.activeElement !== document.body").await;
    assert_eq!(focused, true, "the focus is not lost when the answer comes");
    browser.tab_to("input[name=nav-route]").await;
    let chosen = opened.chosen().await;
    browser.key(Key::Down).await;
    browser.until(&format!("[...document.querySelectorAll('input[name=nav-route]')].findIndex(it => it.checked) !== {chosen}")).await;
    browser.tab_to(".nav-step").await;
    browser.until("document.querySelector('path.route-step')").await;
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn wheel_scrolls_page_and_zooms_map_only_with_control() {
    let opened = Opened::with(Look { width: 900, height: 700, ..Look::DESKTOP }).await;
    opened.browser.until("document.querySelector('.route-map .leaflet-pane')").await;
    let wheel = "
        const it = document.querySelector('.route-map .map-canvas');
        const event = new WheelEvent('wheel', { bubbles: true, cancelable: true, deltaY: 120, ctrlKey: arguments[0] });
        return !it.dispatchEvent(event);";
    assert_eq!(opened.browser.ask(wheel, vec![json!(false)]).await, false, "the page scrolls");
    assert_eq!(opened.browser.ask(wheel, vec![json!(true)]).await, true, "the map zooms");
    opened.close().await;
}
