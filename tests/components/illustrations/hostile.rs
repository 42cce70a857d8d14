//! Input of callers is only a name or a line of text, within limits.

use serde_json::{Value, json};

use super::{CARD, THEME, THUMBNAIL, open, picture, whole};

/// Texts that mean something to a file system, a terminal, a page or a font.
const NASTY: [&str; 10] = [
    "../../../../etc/passwd",
    "' OR '1'='1",
    "<script>alert(1)</script>\u{1b}[31m",
    "\u{0}NUL\u{0}",
    "\u{202e}逆\u{200d}\u{feff}",
    "👩\u{200d}👩\u{200d}👧\u{200d}👦",
    "﷽﷽﷽﷽",
    "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢",
    "%%{}",
    "\r\n\t",
];

#[tokio::test]
async fn megabyte_or_empty_name_is_no_name_and_its_refusal_is_short() {
    let tested = open().await;
    for name in ["竜".repeat(350_000), "a".repeat(1 << 20), String::new(), "  ".into(), "。".into()]
    {
        for (tool, field, code) in
            [(CARD, "card_name", "card_not_found"), (THEME, "theme", "theme_not_found")]
        {
            let failure = tested.failure(tool, json!({ field: name })).await;
            assert_eq!(failure["error"], code, "{} bytes", name.len());
            assert!(failure.to_string().len() < 2_000, "{} bytes", name.len());
        }
    }
}

#[tokio::test]
async fn searched_text_is_only_data() {
    let tested = open().await;
    for text in NASTY {
        let failure = tested.failure(CARD, json!({ "card_name": text })).await;
        assert_eq!(failure["error"], "card_not_found", "{text:?}");
        let failure = tested.failure(THEME, json!({ "theme": text })).await;
        assert_eq!(failure["error"], "theme_not_found", "{text:?}");
    }
}

#[tokio::test]
async fn thumbnail_text_is_only_data() {
    let tested = open().await;
    for text in NASTY {
        for style in ["versus", "spread", "spotlight"] {
            let arguments =
                json!({ "cards": ["雪兎ユキ"], "title": text, "subtitle": text, "style": style });
            let (made, images, _) = whole(&tested, THUMBNAIL, arguments).await;
            picture(&made, &images[0], (1280, 720));
            let title = made["title"].as_str().unwrap();
            assert!(!title.chars().any(char::is_control), "{title:?}");
        }
    }
    let longest = "龍".repeat(60);
    let arguments = json!({ "cards": ["雪兎ユキ"], "title": longest });
    let (made, images, _) = whole(&tested, THUMBNAIL, arguments).await;
    picture(&made, &images[0], (1280, 720));
}

#[tokio::test]
async fn rejects_excess_with_its_argument() {
    let tested = open().await;
    let many: Vec<_> = (0..500).map(|_| "雪兎ユキ").collect();
    let one = ["雪兎ユキ"];
    for (arguments, field) in [
        (json!({ "cards": many }), "cards"),
        (json!({ "cards": [] }), "cards"),
        (json!({ "cards": one, "title": "あ".repeat(61) }), "title"),
        (json!({ "cards": one, "title": "a".repeat(1 << 20) }), "title"),
        (json!({ "cards": one, "subtitle": "あ".repeat(61) }), "subtitle"),
        (json!({ "cards": one, "style": "explosion" }), "style"),
        (json!({ "cards": [1] }), "cards/0"),
        (json!({ "cards": one, "size": "huge" }), "size"),
    ] {
        let failure: Value = tested.failure(THUMBNAIL, arguments).await;
        assert_eq!(failure["error"], "invalid_params", "{field}");
        let named = failure["data"]["field"].as_str().unwrap_or_default();
        assert_eq!(named.replace('.', "/").replace("[0]", "/0"), field, "{failure}");
    }
}
