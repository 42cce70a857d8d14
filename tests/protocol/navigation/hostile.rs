//! What means ill is text, and nothing is loaded from elsewhere.

use tests::browser::Look;

use super::Opened;

const EVIL: &str = r#"<img src="http://evil.example/x" onerror="window.hacked=1"><script>window.hacked=1</script>"#;

/// Nothing comes from elsewhere.
#[tokio::test(flavor = "multi_thread")]
async fn markup_in_places_and_conditions_is_text_and_loads_nothing() {
    let it = Opened::with(Look::DESKTOP).await;
    it.ends(EVIL, "横浜駅").await;
    it.browser.fill("Condition", EVIL).await;
    it.search().await;
    it.browser.says("main", "evil.example").await;
    it.browser.says("main", "No route was found").await;
    it.ends("35.681,139.767", "横浜駅").await;
    it.search().await;
    it.answered().await;
    let harm = it
        .browser
        .script(
            "return [window.hacked ?? 0, document.querySelectorAll('main img[src^=http], main script').length,
                ...performance.getEntriesByType('resource').map(it => it.name).filter(it => !it.startsWith(location.origin))];",
        )
        .await;
    assert_eq!(harm, serde_json::json!([0, 0]));
    it.close().await;
}
