//! The place by keyboard alone; and a wheel over the map belongs to the page.

use fantoccini::key::Key;
use serde_json::json;
use tests::browser::{Browser, Look};

use super::{ENDS, Opened};

/// Tab, until an element that fits has the focus.
async fn tab_to(browser: &Browser, css: &str) {
    for _ in 0..60 {
        browser.key(Key::Tab).await;
        if browser
            .ask("return document.activeElement.matches(arguments[0])", vec![json!(css)])
            .await
            == true
        {
            return;
        }
    }
    panic!("Tab does not come to {css}");
}

#[tokio::test(flavor = "multi_thread")]
async fn address_to_chosen_route_and_its_steps_by_keyboard_alone() {
    let it = Opened::with(Look::DESKTOP).await;
    let browser = &it.browser;
    tab_to(browser, "#nav-from").await;
    browser.press(ENDS.0).await;
    tab_to(browser, "#nav-to").await;
    browser.press(ENDS.1).await;
    tab_to(browser, "#nav-condition").await;
    browser.press("The fastest").await;
    browser.key(Key::Enter).await;
    it.answered().await;
    let focused = browser.script("return document.activeElement !== document.body").await;
    assert_eq!(focused, true, "the focus is not lost when the answer comes");
    tab_to(browser, "input[name=nav-route]").await;
    let chosen = it.chosen().await;
    browser.key(Key::Down).await;
    browser.until(&format!("[...document.querySelectorAll('input[name=nav-route]')].findIndex(it => it.checked) !== {chosen}")).await;
    tab_to(browser, ".nav-step").await;
    browser.until("document.querySelector('path.route-step')").await;
    it.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn wheel_over_map_scrolls_the_page_and_zooms_only_with_control() {
    let it = Opened::with(Look { width: 900, height: 700, ..Look::DESKTOP }).await;
    it.browser.until("document.querySelector('.route-map .leaflet-pane')").await;
    let wheel = "
        const it = document.querySelector('.route-map .map-canvas');
        const event = new WheelEvent('wheel', { bubbles: true, cancelable: true, deltaY: 120, ctrlKey: arguments[0] });
        return !it.dispatchEvent(event);";
    assert_eq!(it.browser.ask(wheel, vec![json!(false)]).await, false, "the page scrolls");
    assert_eq!(it.browser.ask(wheel, vec![json!(true)]).await, true, "the map zooms");
    it.close().await;
}
