//! Alternatives and steps, in the list and on the map; files to take along; the link (NAV-64).

use serde_json::{Value, json};
use tests::browser::{Browser, Look};

use super::{ENDS, Opened};

/// Clicks in the middle of a piece of a path, as the map has drawn it.
const CLICK_PATH: &str = "
    const it = document.querySelectorAll(arguments[0])[arguments[1]];
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
    let it = Opened::with(look).await;
    it.mode("通常モード", "Normal").await;
    it.ends(ENDS.0, ENDS.1).await;
    it.search().await;
    it.answered().await;
    it
}

#[tokio::test(flavor = "multi_thread")]
async fn alternative_is_chosen_in_the_list_or_by_its_line_on_the_map() {
    let it = normal(Look::DESKTOP).await;
    let names = it.names().await;
    assert!((2..=3).contains(&names.len()), "{names:?}");
    assert!(names.windows(2).all(|it| it[0] != it[1]), "{names:?}");
    assert_eq!(it.chosen().await, 0);
    let before = it.directions().await;
    it.browser.hit("radio", &names[1]).await;
    it.browser.until("document.querySelectorAll('input[name=nav-route]')[1].checked").await;
    assert_ne!(it.directions().await, before, "the directions are those of the chosen route");
    // Grey lines come first among those that can be clicked.
    it.browser.until("document.querySelectorAll('path.route-hit').length > 1").await;
    it.browser
        .script("document.querySelector('.route-map').scrollIntoView({ block: 'center' })")
        .await;
    let hit = it.browser.ask(CLICK_PATH, vec![json!("path.route-hit"), json!(0)]).await;
    assert_eq!(hit, true, "a grey line can be clicked somewhere");
    it.browser.until("!document.querySelectorAll('input[name=nav-route]')[1].checked").await;
    it.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn step_lights_its_piece_of_map_and_a_line_click_finds_its_step() {
    let it = normal(Look::DESKTOP).await;
    let steps = it.browser.all(".nav-step").await;
    it.browser.tap(&steps[1]).await;
    it.browser.until("document.querySelector('path.route-step')").await;
    it.browser
        .until("document.querySelectorAll('.nav-step')[1].getAttribute('aria-current') === 'step'")
        .await;
    it.browser
        .script("document.querySelector('.route-map').scrollIntoView({ block: 'center' })")
        .await;
    let last =
        it.browser.script("return document.querySelectorAll('path.route-hit').length - 1").await;
    let hit = it.browser.ask(CLICK_PATH, vec![json!("path.route-hit"), last]).await;
    assert_eq!(hit, true, "the chosen line can be clicked");
    it.browser.until("document.querySelector('.nav-step[aria-current=step]')").await;
    // On a phone the steps go by below the map, which stays in sight.
    it.browser.look(Look::PHONE).await;
    it.browser.click(".nav-step").await;
    let is_seen = "(() => { const { top, bottom } = document.querySelector('.route-map').getBoundingClientRect();
        return bottom > 100 && top < innerHeight - 100; })()";
    it.browser.until(is_seen).await;
    it.close().await;
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
async fn gpx_and_geojson_hold_the_route_that_is_shown() {
    let it = normal(Look::DESKTOP).await;
    let gpx = saved(&it.browser, "GPX").await;
    let text = gpx["text"].as_str().unwrap();
    assert!(text.starts_with("<?xml") && text.contains("<trkpt lat=\"35."), "{}", &text[..200]);
    let geo = saved(&it.browser, "GeoJSON").await;
    let geo: Value = serde_json::from_str(geo["text"].as_str().unwrap()).unwrap();
    assert_eq!(geo["type"], "FeatureCollection");
    let features = geo["features"].as_array().unwrap();
    let line = features.iter().find(|it| it["geometry"]["type"] == "LineString").unwrap();
    let points = line["geometry"]["coordinates"].as_array().unwrap().len();
    assert_eq!(text.matches("<trkpt").count(), points, "both have all of the line");
    it.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn back_from_the_first_route_leads_to_where_one_came_from() {
    let it = Opened::with(Look::DESKTOP).await;
    it.browser.go("#/chat").await;
    it.browser.go("#/navigation").await;
    it.mode("通常モード", "Normal").await;
    it.ends(ENDS.0, ENDS.1).await;
    it.search().await;
    it.answered().await;
    it.browser.script("history.back()").await;
    it.browser.until("location.hash.startsWith('#/chat')").await;
    it.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_link_brings_others_to_the_same_routes() {
    let it = normal(Look::DESKTOP).await;
    let names = it.names().await;
    assert!(names.len() > 1, "{names:?}");
    let directions = it.directions().await;
    let hash = it.browser.script("return location.hash").await.as_str().unwrap().to_owned();
    assert!(hash.starts_with("#/navigation?"), "{hash}");
    let other = Browser::open_at(&it.server.url(), &hash, Look::PHONE).await;
    let other = Opened {
        server: tests::server::TestServer::with(&["assistant", "navigation"]).await,
        browser: other,
        look: Look::PHONE,
    };
    other.answered().await;
    assert_eq!(other.names().await, names);
    assert_eq!(other.directions().await, directions);
    other.close().await;
    it.close().await;
}
