//! The two ends: suggested, swapped, pressed on the map; unknown, outside, and without a host.

use fantoccini::key::Key;
use tests::browser::Look;

use super::{ENDS, Opened};

#[tokio::test(flavor = "multi_thread")]
async fn a_place_is_suggested_by_its_reading_and_taken_by_keyboard() {
    let it = Opened::with(Look::DESKTOP.japanese()).await;
    it.browser.type_into("出発地", "とうきょうえ").await;
    it.browser.role("option", "東京駅").await;
    it.browser.key(Key::Down).await;
    it.browser.key(Key::Enter).await;
    it.browser.until("document.getElementById('nav-from').value.includes('東京駅')").await;
    // The map shows where that is before anything is searched (S3:332).
    it.browser.until("document.querySelector('.pin.is-start')").await;
    it.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_ends_are_swapped_and_a_place_on_the_map_becomes_one() {
    let it = Opened::with(Look::DESKTOP).await;
    it.ends(ENDS.0, ENDS.1).await;
    it.browser.hit("button", "Swap start and destination").await;
    it.browser.holds("From", ENDS.1).await;
    it.browser.holds("To", ENDS.0).await;
    it.browser.until("document.querySelector('.route-map .map-canvas.leaflet-container')").await;
    it.browser.click(".route-map .map-canvas").await;
    it.browser.hit("button", "Go to here").await;
    it.browser.until("document.getElementById('nav-to').value && document.getElementById('nav-to').value !== '東京駅'").await;
    it.browser.until("document.querySelector('.pin.is-goal')").await;
    it.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_place_and_one_outside_the_map_differ() {
    let it = Opened::with(Look::DESKTOP.japanese()).await;
    it.mode("通常モード", "Normal").await;
    it.ends("東京駅", "どこにもない場所").await;
    it.search().await;
    it.browser.says("main", "どこにもない場所").await;
    it.browser.role("alert", "").await;
    let unknown = it.browser.text("main [role=alert]").await;
    it.ends("東京駅", "大阪駅").await;
    it.search().await;
    it.browser
        .until("document.querySelector('main [role=alert]')?.textContent.includes('大阪')")
        .await;
    let outside = it.browser.text("main [role=alert]").await;
    assert_ne!(unknown, outside);
    // An operator who looks into the details knows what to do next, and a visitor what the map covers.
    let all = "return document.querySelector('main [role=alert]').textContent";
    let outside = it.browser.script(all).await.as_str().unwrap().to_owned();
    assert!(outside.contains("import-map") || outside.contains("取り込"), "{outside}");
    it.browser.says(".nav-covered", "東京・川崎・横浜").await;
    it.browser.hit("button", "範囲を地図に表示").await;
    it.browser.until("document.querySelector('.route-map path.map-area')").await;
    it.browser.picture("navigation-outside").await;
    it.browser.hit("button", "「東京駅 → 横浜駅」で試す").await;
    it.answered().await;
    it.browser.until("!document.querySelector('.route-map path.map-area')").await;
    it.ends("東京駅", "大阪駅").await;
    // In the AI mode it is an answer without a route (NAV-8).
    it.mode("AIモード", "AI").await;
    it.browser.fill("ナビ条件", "一番早い").await;
    it.search().await;
    it.browser.says("main", "ルートが見つかりませんでした").await;
    it.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn on_foot_is_another_way_and_takes_longer() {
    let it = Opened::with(Look::DESKTOP).await;
    it.mode("徒歩", "On foot").await;
    it.ends("東京駅", "品川駅").await;
    it.search().await;
    it.answered().await;
    let text = it.browser.text(".nav-found").await;
    assert!(text.contains(" h") || text.contains("1 h") || text.contains("hour"), "{text}");
    it.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn search_reports_a_missing_host_and_works_once_it_is_back() {
    let it = Opened::with(Look::PHONE).await;
    it.mode("通常モード", "Normal").await;
    it.ends(ENDS.0, ENDS.1).await;
    it.browser.offline(true).await;
    it.search().await;
    it.browser.role("alert", "").await;
    it.browser.holds("From", ENDS.0).await;
    it.browser.offline(false).await;
    it.browser.until("!document.getElementById('nav-search').disabled").await;
    it.search().await;
    it.answered().await;
    it.browser.close().await;
}
