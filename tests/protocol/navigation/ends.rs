//! The two ends: suggested, swapped, pressed on the map; unknown, outside, and without a host.

use fantoccini::key::Key;
use tests::browser::Look;

use super::{ENDS, Opened};

#[tokio::test(flavor = "multi_thread")]
async fn suggests_place_by_reading_and_takes_it_by_keyboard() {
    let opened = Opened::with(Look::DESKTOP.japanese()).await;
    opened.browser.type_into("出発地", "とうきょうえ").await;
    opened.browser.role("option", "東京駅").await;
    opened.browser.key(Key::Down).await;
    opened.browser.key(Key::Enter).await;
    opened.browser.until("document.getElementById('nav-from').value.includes('東京駅')").await;
    // The map shows where that is before anything is searched (S3:332).
    opened.browser.until("document.querySelector('.pin.is-start')").await;
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn swaps_ends_and_takes_one_from_the_map() {
    let opened = Opened::with(Look::DESKTOP).await;
    opened.ends(ENDS.0, ENDS.1).await;
    opened.browser.hit("button", "Swap start and destination").await;
    opened.browser.holds("From", ENDS.1).await;
    opened.browser.holds("To", ENDS.0).await;
    opened
        .browser
        .until("document.querySelector('.route-map .map-canvas.leaflet-container')")
        .await;
    opened.browser.click(".route-map .map-canvas").await;
    opened.browser.hit("button", "Go to here").await;
    opened.browser.until("document.getElementById('nav-to').value && document.getElementById('nav-to').value !== '東京駅'").await;
    opened.browser.until("document.querySelector('.pin.is-goal')").await;
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn distinguishes_unknown_place_from_one_off_the_map() {
    let opened = Opened::with(Look::DESKTOP.japanese()).await;
    opened.mode("通常モード", "Normal").await;
    opened.ends("東京駅", "どこにもない場所").await;
    opened.search().await;
    opened.browser.says("main", "どこにもない場所").await;
    opened.browser.role("alert", "").await;
    let unknown = opened.browser.text("main [role=alert]").await;
    opened.ends("東京駅", "大阪駅").await;
    opened.search().await;
    opened
        .browser
        .until("document.querySelector('main [role=alert]')?.textContent.includes('大阪')")
        .await;
    let outside = opened.browser.text("main [role=alert]").await;
    assert_ne!(unknown, outside);
    // An operator who looks into the details knows what to do next, and a visitor what the map covers.
    let all = "return document.querySelector('main [role=alert]').textContent";
    let outside = opened.browser.script(all).await.as_str().unwrap().to_owned();
    assert!(outside.contains("import-map") || outside.contains("取り込"), "{outside}");
    opened.browser.says(".nav-covered", "東京・川崎・横浜").await;
    opened.browser.hit("button", "範囲を地図に表示").await;
    opened.browser.until("document.querySelector('.route-map path.map-area')").await;
    opened.browser.picture("navigation-outside").await;
    opened.browser.hit("button", "「東京駅 → 横浜駅」で試す").await;
    opened.answered().await;
    opened.browser.until("!document.querySelector('.route-map path.map-area')").await;
    opened.ends("東京駅", "大阪駅").await;
    // In the AI mode it is an answer without a route (NAV-8).
    opened.mode("AIモード", "AI").await;
    opened.browser.fill("ナビ条件", "一番早い").await;
    opened.search().await;
    opened.browser.says("main", "ルートが見つかりませんでした").await;
    // The cause stands before what may help, and once.
    let order = "[...document.querySelectorAll('.nav-advice, .nav-tries')].map(it => it.className)";
    opened.browser.until(&format!("({order}).join() === 'nav-advice,nav-tries'")).await;
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn walking_takes_another_route_and_longer() {
    let opened = Opened::with(Look::DESKTOP).await;
    opened.mode("徒歩", "On foot").await;
    opened.ends("東京駅", "品川駅").await;
    opened.search().await;
    opened.answered().await;
    let text = opened.browser.text(".nav-found").await;
    assert!(text.contains(" h") || text.contains("1 h") || text.contains("hour"), "{text}");
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn search_reports_missing_host_and_recovers() {
    let opened = Opened::with(Look::PHONE).await;
    opened.mode("通常モード", "Normal").await;
    opened.ends(ENDS.0, ENDS.1).await;
    opened.browser.offline(true).await;
    opened.search().await;
    opened.browser.role("alert", "").await;
    opened.browser.holds("From", ENDS.0).await;
    opened.browser.offline(false).await;
    opened.browser.until("!document.getElementById('nav-search').disabled").await;
    opened.search().await;
    opened.answered().await;
    opened.browser.close().await;
}
