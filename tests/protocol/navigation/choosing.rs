//! Alternatives and steps, in the list and on the map; files to take along; the link (NAV-64).

use serde_json::{Value, json};
use tests::{
    browser::{Browser, Look},
    server::TestServer,
};

use super::{ENDS, Opened};

/// Clicks in the middle of a piece of a path, as the map has drawn it.
const CLICK_PATH: &str = "
    const it = [...document.querySelectorAll(arguments[0])].at(arguments[1]);
    const steps = 40;
    for (let i = 1; i < steps; i++) {
        const at = it.getPointAtLength(it.getTotalLength() * i / steps).matrixTransform(it.getScreenCTM());
        if (document.elementFromPoint(at.x, at.y) !== it) continue;
        for (const kind of ['mousedown', 'mouseup', 'click'])
            it.dispatchEvent(new MouseEvent(kind, { bubbles: true, cancelable: true, view: window, clientX: at.x, clientY: at.y }));
        return true;
    }
    return false;";

async fn normal(look: Look) -> Opened {
    let opened = Opened::with(look).await;
    opened.mode("通常モード", "Normal").await;
    opened.ends(ENDS.0, ENDS.1).await;
    opened.search().await;
    opened.answered().await;
    opened
}

#[tokio::test(flavor = "multi_thread")]
async fn chooses_alternative_in_list_or_on_map() {
    let opened = normal(Look::DESKTOP).await;
    let names = opened.names().await;
    assert!((2..=3).contains(&names.len()), "{names:?}");
    assert!(names.windows(2).all(|it| it[0] != it[1]), "{names:?}");
    assert_eq!(opened.chosen().await, 0);
    let before = opened.directions().await;
    opened.browser.hit("radio", &names[1]).await;
    opened.browser.until("document.querySelectorAll('input[name=nav-route]')[1].checked").await;
    assert_ne!(opened.directions().await, before, "the directions are those of the chosen route");
    // Grey lines come first among those that can be clicked.
    opened.browser.until("document.querySelectorAll('path.route-hit').length > 1").await;
    opened
        .browser
        .script("document.querySelector('.route-map').scrollIntoView({ block: 'center' })")
        .await;
    tests::until("a grey line can be clicked somewhere", async || {
        opened.browser.ask(CLICK_PATH, vec![json!("path.route-hit"), json!(0)]).await == true
    })
    .await;
    opened.browser.until("!document.querySelectorAll('input[name=nav-route]')[1].checked").await;
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn links_steps_and_line_segments_both_ways() {
    let opened = normal(Look::DESKTOP).await;
    let steps = opened.browser.all(".nav-step").await;
    opened.browser.tap(&steps[1]).await;
    opened.browser.until("document.querySelector('path.route-step')").await;
    opened
        .browser
        .until("document.querySelectorAll('.nav-step')[1].getAttribute('aria-current') === 'step'")
        .await;
    opened
        .browser
        .script("document.querySelector('.route-map').scrollIntoView({ block: 'center' })")
        .await;
    // It is the last.
    tests::until("the chosen line can be clicked", async || {
        opened.browser.ask(CLICK_PATH, vec![json!("path.route-hit"), json!(-1)]).await == true
    })
    .await;
    opened.browser.until("document.querySelector('.nav-step[aria-current=step]')").await;
    // On a phone the steps go by below the map, which stays in sight.
    opened.browser.look(Look::PHONE).await;
    opened.browser.click(".nav-step").await;
    let is_seen = "(() => { const { top, bottom } = document.querySelector('.route-map').getBoundingClientRect();
        return bottom > 100 && top < innerHeight - 100; })()";
    opened.browser.until(is_seen).await;
    opened.close().await;
}

/// What a file that is saved holds: name, type and text of the last one.
async fn saved(browser: &Browser, button: &str) -> Value {
    browser.script("
        window.saved = null;
        const make = URL.createObjectURL;
        URL.createObjectURL = it => { it.text().then(text => { window.saved = { type: it.type, text }; }); return make.call(URL, it); };").await;
    browser.hit("button", button).await;
    browser.until("window.saved").await;
    browser.script("return window.saved").await
}

#[tokio::test(flavor = "multi_thread")]
async fn gpx_and_geojson_contain_the_shown_route() {
    let opened = normal(Look::DESKTOP).await;
    let gpx = saved(&opened.browser, "GPX").await;
    let text = gpx["text"].as_str().unwrap();
    assert!(text.starts_with("<?xml") && text.contains("<trkpt lat=\"35."), "{}", &text[..200]);
    let geo = saved(&opened.browser, "GeoJSON").await;
    let geo: Value = serde_json::from_str(geo["text"].as_str().unwrap()).unwrap();
    assert_eq!(geo["type"], "FeatureCollection");
    let features = geo["features"].as_array().unwrap();
    let line = features.iter().find(|it| it["geometry"]["type"] == "LineString").unwrap();
    let points = line["geometry"]["coordinates"].as_array().unwrap().len();
    assert_eq!(text.matches("<trkpt").count(), points, "both have all of the line");
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn back_from_first_route_returns_to_previous_view() {
    let opened = Opened::with(Look::DESKTOP).await;
    opened.browser.go("#/chat").await;
    opened.browser.go("#/navigation").await;
    opened.mode("通常モード", "Normal").await;
    opened.ends(ENDS.0, ENDS.1).await;
    opened.search().await;
    opened.answered().await;
    opened.browser.script("history.back()").await;
    opened.browser.until("location.hash.startsWith('#/chat')").await;
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn shared_link_opens_the_same_routes() {
    let opened = normal(Look::DESKTOP).await;
    let names = opened.names().await;
    assert!(names.len() > 1, "{names:?}");
    let directions = opened.directions().await;
    let hash = opened.browser.script("return location.hash").await.as_str().unwrap().to_owned();
    assert!(hash.starts_with("#/navigation?"), "{hash}");
    let other = Browser::open_at(&opened.server.url(), &hash, Look::PHONE).await;
    let other = Opened {
        server: TestServer::with(&["assistant", "navigation"]).await,
        browser: other,
        look: Look::PHONE,
    };
    other.answered().await;
    assert_eq!(other.names().await, names);
    assert_eq!(other.directions().await, directions);
    other.close().await;
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_code_of_a_search_is_reported_once() {
    let server = TestServer::with(&["assistant", "navigation"]).await;
    let browser = Browser::open_at(&server.url(), "icon.svg", Look::PHONE).await;
    browser.devtools("Network.enable", json!({})).await;
    browser.devtools("Network.setCacheDisabled", json!({ "cacheDisabled": true })).await;
    let blocked = json!({ "urls": ["*split_navigation_found*"] });
    browser.devtools("Network.setBlockedURLs", blocked).await;
    browser.go("#/navigation?from=東京駅&to=横浜駅&mode=normal").await;
    browser.says(".nav-found", "could not be loaded").await;
    assert_eq!(browser.all(".nav-found [role=alert]").await.len(), 1);
    browser.devtools("Network.setBlockedURLs", json!({ "urls": [] })).await;
    browser.hit("button", "Try again").await;
    let opened = Opened { server, browser, look: Look::PHONE };
    opened.answered().await;
    assert_eq!(opened.browser.all(".nav-found [role=alert]").await.len(), 0);
    opened.browser.close().await;
}
