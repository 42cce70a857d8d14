//! Outputs of the tools in the counter, each drawn by its view.

use tests::browser::Look;

use super::Opened;

#[tokio::test(flavor = "multi_thread")]
async fn tools_view_draws_routes_comparison_and_place() {
    let opened = Opened::with(Look::DESKTOP).await;
    let browser = &opened.browser;
    browser.go("#/counter/geocode").await;
    browser.fill("address", "東京タワー").await;
    browser.click("form button[type=submit]").await;
    browser.says("main", "35.6").await;
    browser.until("document.querySelector('.pin')").await;
    browser.go("#/counter/route_search").await;
    browser.fill("origin", "東京駅").await;
    browser.fill("destination", "横浜駅").await;
    browser.click("form button[type=submit]").await;
    browser.until("document.querySelector('.routes path.route-line.is-chosen')").await;
    browser.until("document.querySelectorAll('.routes li').length > 2").await;
    browser.whole_picture("navigation-counter", opened.look).await;
    opened.close().await;
}
