//! Definitions that mean ill are shown harmless or refused with a clear error.

use serde_json::{Value, json};
use tests::{
    browser::{Browser, Look},
    client::Foreign,
    forms::{self, example, form},
    server::TestServer,
};

use super::{Opened, call};

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

// The Python SDK asks: with no person to ask, with one who answers, and with one to send on.

const ERAS: [&str; 2] = ["auto", "legacy"];

async fn python(
    server: &TestServer,
    how: &str,
    era: &str,
    form: &Value,
    answers: Value,
) -> Foreign {
    let url = format!("{}/mcp", server.url());
    let input = json!({ "form": form, "answers": answers });
    Foreign::python("python_forms.py", &[&url, how, "--era", era], &input).await
}

/// What the repeated call returned at last, and the questions before it.
async fn requested(client: &mut Foreign) -> (Value, Vec<Value>) {
    let mut questions = Vec::new();
    loop {
        let text = client.says().await;
        if text.get("asked").is_none() {
            assert_eq!(text["requested"]["error"], false, "{text}");
            return (text["requested"].clone(), questions);
        }
        assert!(questions.len() < 30, "it asks for ever: {questions:?}");
        questions.push(text);
    }
}

fn flat() -> Value {
    json!({
        "title": "出張申請", "description": "来週の出張について", "submitLabel": "Apply",
        "fields": [
            { "type": "heading", "text": "どこへ" },
            { "name": "place", "type": "text", "label": "行き先", "required": true, "maxLength": 20 },
            { "name": "by", "type": "select", "label": "交通手段", "default": "train",
              "options": [{ "value": "train", "label": "電車" }, { "value": "car", "label": "車" }] },
            { "name": "nights", "type": "number", "label": "泊数", "min": 0, "max": 9, "step": 1 },
            { "name": "hotel", "type": "checkbox", "label": "宿の手配" },
            { "name": "version", "type": "hidden", "value": "1.0" },
        ],
    })
}

/// It says where the form is and gets what a person filled in there.
#[tokio::test(flavor = "multi_thread")]
async fn client_without_elicitation_gets_form_url_then_values() {
    let server = forms::server().await;
    let browser = Browser::open(&server.url(), Look::PHONE).await;
    for era in ERAS {
        let mut client = python(&server, "plain", era, &flat(), json!({})).await;
        let (requested, asked) = requested(&mut client).await;
        assert!(asked.is_empty(), "{era}");
        assert_eq!(requested["structured"]["status"], "waiting_for_input", "{era}: {requested}");
        let place = &requested["meta"]["forms/form"];
        let (handle, url) = (place["handle"].as_str().unwrap(), place["url"].as_str().unwrap());
        let text = requested["text"][1].as_str().unwrap();
        assert!(text.contains(url) && text.contains(handle), "{era}: FORM-11: {text}");
        let path = url.strip_prefix(&format!("{}/", server.url())).unwrap();
        browser.go(path).await;
        browser.fill("行き先", "京都").await;
        browser.pick("交通手段", "車").await;
        browser.fill("泊数", "2").await;
        browser.hit("checkbox", "宿の手配").await;
        browser.picture(&format!("forms-foreign-{era}")).await;
        browser.hit("button", "Apply").await;
        let answered = client.says().await;
        let values = json!({
            "place": "京都", "by": "car", "nights": 2, "hotel": true, "version": "1.0",
        });
        let structured = &answered["answered"]["structured"];
        assert_eq!(structured["status"], "submitted", "{era}: {answered}");
        assert_eq!(structured["values"], values, "{era}");
        client.ends().await;
    }
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn client_with_elicitation_gets_values_in_both_eras() {
    let server = forms::server().await;
    for era in ERAS {
        let answers = json!({ "place": "京都", "by": "車", "nights": 2, "hotel": true });
        let mut client = python(&server, "answer", era, &flat(), answers).await;
        let (requested, asked) = requested(&mut client).await;
        assert_eq!(asked.len(), 1, "{era}: one round is enough: {asked:?}");
        assert_eq!(asked[0]["mode"], "form", "{era}");
        let values = json!({
            "place": "京都", "by": "car", "nights": 2, "hotel": true, "version": "1.0",
        });
        assert_eq!(requested["structured"]["values"], values, "{era}: {requested}");
        client.ends().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn asks_for_search_and_cascade_in_rounds() {
    let server = forms::server().await;
    let found = server.client().get("/api/demo/users/search?q=a&limit=3").await;
    let found: Value = serde_json::from_str(&found.text().await.unwrap()).unwrap();
    let name = |index: usize| found[index]["name"].as_str().unwrap();
    for era in ERAS {
        let answers = json!({
            "assignee": [name(0), name(0)], "reviewers": [name(1), [name(1)]],
            "notes": "急ぎ",
        });
        let mut client = python(&server, "answer", era, &example(2), answers).await;
        let (answer, asked) = requested(&mut client).await;
        assert!(asked.len() > 1, "{era}: what is searched for is asked before what is chosen");
        let values = &answer["structured"]["values"];
        assert_eq!(values["assignee"], found[0]["id"], "{era}: {answer}");
        assert_eq!(values["reviewers"], json!([found[1]["id"]]), "{era}: {answer}");
        assert_eq!(values["notes"], "急ぎ", "{era}: {answer}");
        client.ends().await;

        let answers = json!({
            "country": "JP", "prefecture": "東京都", "city": "千代田区", "address": "千代田1-1",
        });
        let mut client = python(&server, "answer", era, &example(3), answers).await;
        let (answer, asked) = requested(&mut client).await;
        assert!(
            asked.len() >= 3,
            "{era}: country, prefecture and city one after another: {asked:?}"
        );
        let values = &answer["structured"]["values"];
        assert_eq!(values["country"], "JP", "{era}: {answer}");
        assert_eq!(values["address"], "千代田1-1", "{era}: {answer}");
        let city = values["city"].as_str().unwrap();
        let place = values["prefecture"].as_str().unwrap();
        let cities = format!("/api/demo/cities?prefecture_code={place}");
        let cities = server.client().get(&cities).await.text().await.unwrap();
        let cities: Value = serde_json::from_str(&cities).unwrap();
        let chosen = cities.as_array().unwrap().iter().find(|it| it["code"] == city).unwrap();
        assert_eq!(chosen["name"], "千代田区", "{era}");
        client.ends().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn decline_and_cancel_are_answers() {
    let server = forms::server().await;
    for era in ERAS {
        for (how, status) in [("decline", "declined"), ("cancel", "cancelled")] {
            let mut client = python(&server, how, era, &flat(), json!({})).await;
            let (requested, asked) = requested(&mut client).await;
            assert_eq!(asked.len(), 1, "{era} {how}: nobody is asked again");
            assert_eq!(requested["structured"]["status"], status, "{era}: {requested}");
            assert_eq!(requested["structured"].get("values"), None, "{era}: {requested}");
            client.ends().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn file_form_opens_the_page_and_returns_values() {
    let server = forms::server().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("letter.txt");
    std::fs::write(&file, "拝啓").unwrap();
    let form = json!({
        "title": "Papers", "submitLabel": "Apply",
        "fields": [
            { "name": "why", "type": "text", "label": "Reason", "required": true },
            { "name": "paper", "type": "file", "label": "Paper", "accept": ".txt", "required": true },
        ],
    });
    let browser = Browser::open(&server.url(), Look::DESKTOP).await;
    for era in ERAS {
        let mut client = python(&server, "url", era, &form, json!({})).await;
        let sent = client.says().await;
        assert_eq!(sent["mode"], "url", "{era}: {sent}");
        let url = sent["url"].as_str().unwrap();
        let path = url.strip_prefix(&format!("{}/", server.url())).unwrap();
        assert!(path.starts_with("f/"), "{era}: {url}");
        browser.go(path).await;
        browser.fill("Reason", "because").await;
        browser.upload("Paper", &[&file]).await;
        browser.says("form", "Uploaded").await;
        browser.hit("button", "Apply").await;
        let (requested, again) = requested(&mut client).await;
        assert!(again.is_empty(), "{era}: nobody is sent twice: {again:?}");
        let values = &requested["structured"]["values"];
        assert_eq!(values["why"], "because", "{era}: {requested}");
        assert_eq!(
            (&values["paper"]["name"], &values["paper"]["size"]),
            (&json!("letter.txt"), &json!(6))
        );
        client.ends().await;
    }
    browser.close().await;
}
