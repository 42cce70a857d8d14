//! What means ill is text, and nothing is loaded from elsewhere.

use tests::browser::Look;

use super::Opened;

const EVIL: &str = r#"<img src="http://evil.example/x" onerror="window.hacked=1"><script>window.hacked=1</script>"#;

/// Nothing comes from elsewhere.
#[tokio::test(flavor = "multi_thread")]
async fn place_and_condition_markup_is_text_and_loads_nothing() {
    let opened = Opened::with(Look::DESKTOP).await;
    opened.ends(EVIL, "横浜駅").await;
    opened.browser.fill("Condition", EVIL).await;
    opened.search().await;
    opened.browser.says("main", "evil.example").await;
    opened.browser.says("main", "No route was found").await;
    opened.ends("35.681,139.767", "横浜駅").await;
    opened.search().await;
    opened.answered().await;
    let harm = opened
        .browser
        .script(
            "return [window.hacked ?? 0, document.querySelectorAll('main img[src^=http], main script').length,
                ...performance.getEntriesByType('resource').map(it => it.name).filter(it => !it.startsWith(location.origin))];",
        )
        .await;
    assert_eq!(harm, serde_json::json!([0, 0]));
    opened.close().await;
}
