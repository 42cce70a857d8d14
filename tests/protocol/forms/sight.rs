//! What can be seen and read of a form: axe has nothing serious to say, and nothing scrolls sideways.

use serde_json::{Value, json};
use tests::{
    browser::{Browser, Look},
    forms::{self, definition, example},
};

const NARROW: Look = Look { width: 320, height: 640, dark: false, language: "ja" };

/// Every form that there is to look at: the examples, the one with all types, and one whose button says much.
fn all() -> Vec<(&'static str, Value)> {
    vec![
        ("example1", example(1)),
        ("example2", example(2)),
        ("example3", example(3)),
        ("types", definition("types")),
        ("button", much()),
    ]
}

fn much() -> Value {
    json!({
        "title": "Survey",
        "submitLabel": "Send my answer to the organisers of the event",
        "fields": [{ "type": "text", "name": "wish", "label": "What would you like?", "required": true }],
    })
}

/// By day and by night, on a desktop and on a phone.
#[tokio::test(flavor = "multi_thread")]
async fn axe_finds_no_serious_fault_in_forms_in_any_theme() {
    let server = forms::server().await;
    let looks = [
        ("desktop-light", Look::DESKTOP),
        ("desktop-dark", Look::DESKTOP.dark().japanese()),
        ("phone-light", Look::PHONE.japanese()),
        ("phone-dark", Look::PHONE.dark()),
        ("narrow", NARROW),
    ];
    for (device, look) in looks {
        let browser = Browser::open(&server.url(), look).await;
        for (name, form) in all() {
            let asked = forms::ask(&server.client(), &form).await;
            browser.go(&format!("f/{}", asked.handle)).await;
            browser.find("form").await;
            let what = format!("{name} {device}");
            sound(&browser, &what).await;
            browser.whole_picture(&format!("forms-{name}-{device}"), look).await;
            let send = if look.language == "ja" { "送信" } else { "Send" };
            browser.hit("button", form["submitLabel"].as_str().unwrap_or(send)).await;
            // Most are wrong while empty: look at that, too.
            browser.until("document.querySelector('[aria-invalid=true]') || !document.querySelector('form')").await;
            sound(&browser, &format!("{what} sent")).await;
            browser.whole_picture(&format!("forms-{name}-{device}-tried"), look).await;
        }
        browser.go("#/forms").await;
        browser.says("main", "住所入力").await;
        sound(&browser, &format!("list {device}")).await;
        browser.whole_picture(&format!("forms-list-{device}"), look).await;
        assert_eq!(browser.complaints().await, Vec::<String>::new(), "{device}");
        browser.close().await;
    }
}

async fn sound(browser: &Browser, what: &str) {
    assert_eq!(browser.serious_faults().await, Vec::<String>::new(), "{what}");
    assert!(!browser.overflows().await, "{what} is wider than the window");
}
