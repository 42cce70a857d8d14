//! Definitions that mean ill are shown harmless or refused with a clear error.

use serde_json::{Value, json};
use tests::{
    browser::{Browser, Look},
    forms::{self, form},
};

use super::{Opened, inline::call};

const EVIL: &str = r#"<img src="http://evil.example/x" onerror="window.hacked=1"><script>window.hacked=1</script>"'`${1}{{1}}"#;

/// A form with that in every string that people see.
fn evil() -> Value {
    let option = json!([{ "value": EVIL, "label": EVIL }, { "value": "b", "label": EVIL }]);
    let lookup = "https://api.example.com/users/search";
    json!({
        "title": EVIL, "description": EVIL, "submitLabel": "Send", "cancelLabel": EVIL,
        "fields": [
            { "type": "heading", "text": EVIL, "level": 1, "description": EVIL },
            { "type": "divider", "label": EVIL },
            { "name": "__proto__", "type": "text", "label": EVIL, "placeholder": EVIL,
              "suggestions": [EVIL], "pattern": "x", "patternError": EVIL, "description": EVIL },
            { "name": "constructor", "type": "textarea", "label": EVIL, "default": EVIL,
              "suggestions": [EVIL] },
            { "name": EVIL, "type": "select", "label": EVIL, "options": option, "default": EVIL },
            { "name": "m", "type": "multiselect", "label": EVIL, "options": option },
            { "name": "r", "type": "radio", "label": EVIL, "options": option },
            { "name": "c", "type": "checkbox", "label": EVIL },
            { "name": "a", "type": "autocomplete", "label": EVIL, "placeholder": EVIL,
              "searchUrl": lookup, "displayField": EVIL, "valueField": "id",
              "renderTemplate": EVIL },
            { "name": "f", "type": "file", "label": EVIL, "accept": ".txt" },
            { "name": "h", "type": "hidden", "value": EVIL },
        ],
    })
}

/// Nothing is loaded from elsewhere.
#[tokio::test(flavor = "multi_thread")]
async fn form_markup_is_text_and_loads_nothing() {
    let opened = Opened::with(&evil(), Look::DESKTOP).await;
    let browser = &opened.browser;
    browser.says("form", "<script>window.hacked=1</script>").await;
    browser.picture("forms-hostile").await;
    assert!(!browser.overflows().await, "the form is wider than the window");
    let text =
        serde_json::to_value(browser.find("form input[type=text], form input:not([type])").await);
    browser.ask("arguments[0].focus()", vec![text.unwrap()]).await;
    browser.press("wrong").await;
    opened.send().await;
    browser.until("document.querySelector('[aria-invalid=true]')").await;
    let harm = browser
        .script(
            "return {
                hacked: window.hacked ?? null,
                elements: document.querySelectorAll('main img[src^=http], main script, main iframe').length,
                elsewhere: performance.getEntriesByType('resource').map(it => it.name)
                    .filter(it => !it.startsWith(location.origin) && !it.startsWith('data:')
                        && !it.startsWith('blob:')),
                polluted: ({}).label ?? null,
            };",
        )
        .await;
    let none = json!({ "hacked": null, "elements": 0, "elsewhere": [], "polluted": null });
    assert_eq!(harm, none);
    let focused = browser.role("textbox", EVIL).await;
    focused.clear().await.unwrap();
    focused.send_keys("x").await.unwrap();
    opened.send().await;
    let values = opened.values().await;
    assert_eq!(values["__proto__"], "x", "{values}");
    assert_eq!((&values["h"], &values[EVIL]), (&json!(EVIL), &json!(EVIL)));
    browser.says("main", "<script>window.hacked=1</script>").await;
    assert_eq!(browser.script("return window.hacked ?? null").await, Value::Null);
    browser.picture("forms-hostile-sent").await;
    assert!(!browser.overflows().await, "what was sent is wider than the window");
    browser.go("#/forms").await;
    browser.says("main", "<script>window.hacked=1</script>").await;
    assert_eq!(browser.script("return window.hacked ?? null").await, Value::Null);
    opened.close().await;
}

/// Definitions that are too much or do not fit, each with a part of the error.
fn refused() -> Vec<(&'static str, Value)> {
    let few: Vec<_> = (0..10_000).map(|_| json!({ "type": "divider" })).collect();
    let text = |name: usize| json!({ "name": format!("f{name}"), "type": "text" });
    let many: Vec<_> = (0..10_000).map(text).collect();
    let fields = |it: Value| form(json!([it]));
    vec![
        ("1000", form(json!(few))),
        ("256 KB", form(json!(many))),
        ("256 KB", fields(json!({ "name": "a", "type": "text", "label": "あ".repeat(350_000) }))),
        ("pattern", fields(json!({ "name": "a", "type": "text", "pattern": "(?=a)b" }))),
        (
            "searchUrl",
            fields(json!({
            "name": "a", "type": "autocomplete", "searchUrl": "javascript:alert(1)",
            "displayField": "a", "valueField": "a" })),
        ),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn page_explains_refusal_of_oversized_input() {
    let server = forms::server().await;
    let browser = Browser::open(&server.url(), Look::DESKTOP).await;
    for (at, (part, form)) in refused().into_iter().enumerate() {
        let result = forms::request(&server.client(), &form).await;
        assert_eq!(result["isError"], true, "{part}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.len() < 2_000, "{part}: what is said is short");
        call(&browser, &form).await;
        let notice = "document.querySelector('[role=alert]')?.innerText.replaceAll(',', '')";
        browser.until(&format!("{notice}.includes('{part}')")).await;
        browser.picture(&format!("forms-refused-{at}")).await;
    }
    assert_eq!(browser.complaints().await, Vec::<String>::new());
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn explains_unknown_handle() {
    let server = forms::server().await;
    for (look, device, text) in [
        (Look::DESKTOP, "desktop", "There is no such form"),
        (Look::PHONE.japanese(), "phone", "このフォームは見つかりません"),
    ] {
        let browser = Browser::open_at(&server.url(), "f/no-such-form", look).await;
        browser.role("heading", text).await;
        assert_eq!(browser.serious_faults().await, Vec::<String>::new());
        browser.picture(&format!("forms-unknown-{device}")).await;
        assert!(!browser.overflows().await);
        browser.close().await;
    }
}
