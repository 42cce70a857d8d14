//! What is wrong, with the texts of FORM-46, next to its field and in the summary.

use fantoccini::key::Key;
use serde_json::{Value, json};
use tests::{browser::Look, forms::form};

use super::Opened;

#[tokio::test(flavor = "multi_thread")]
async fn errors_show_at_their_field_and_in_the_summary() {
    let options = json!([{ "value": "a", "label": "甲" }, { "value": "b", "label": "乙" },
                         { "value": "c", "label": "丙" }]);
    let fields = json!([
        { "name": "r", "type": "text", "label": "氏名", "required": true },
        { "name": "s", "type": "text", "label": "短文", "minLength": 3, "default": "あ" },
        { "name": "l", "type": "textarea", "label": "長文", "maxLength": 2, "default": "" },
        { "name": "p", "type": "text", "label": "記号", "pattern": "[a-z]+",
          "patternError": "小文字英数字とハイフンのみ使用可能です" },
        { "name": "q", "type": "text", "label": "符号", "pattern": "[a-z]+" },
        { "name": "n", "type": "number", "label": "下限", "min": 5 },
        { "name": "m", "type": "number", "label": "上限", "max": 5 },
        { "name": "f", "type": "multiselect", "label": "複数", "options": options, "minSelect": 2 },
        { "name": "g", "type": "multiselect", "label": "少数", "options": options, "maxSelect": 1 },
        { "name": "c", "type": "checkbox", "label": "同意", "required": true },
        { "name": "d", "type": "radio", "label": "選択", "options": options, "required": true },
    ]);
    let mut form = form(fields);
    // What the definition itself may not hold, a person types.
    form["fields"][1]["default"] = json!(null);
    let opened = Opened::with(&form, Look::DESKTOP.japanese()).await;
    let browser = &opened.browser;
    for (label, typed) in
        [("短文", "あ🎈"), ("記号", "ABC"), ("符号", "ABC"), ("下限", "4"), ("上限", "6")]
    {
        browser.fill(label, typed).await;
    }
    browser.fill("長文", "あいう").await;
    tick(&opened, "複数", 1).await;
    // No more can be ticked than the form takes.
    tick(&opened, "少数", 2).await;
    let few = browser.field("少数").await;
    let ticked = browser.within(&few, "input:checked").await.len();
    let waiting = browser.within(&few, "input:disabled").await.len();
    assert_eq!((ticked, waiting), (1, 2));
    opened.send().await;
    let messages = [
        ("氏名", "氏名は必須です"),
        ("短文", "短文は3文字以上で入力してください"),
        ("長文", "長文は2文字以下で入力してください"),
        ("記号", "小文字英数字とハイフンのみ使用可能です"),
        ("符号", "符号の形式が正しくありません"),
        ("下限", "下限は5以上で入力してください"),
        ("上限", "上限は5以下で入力してください"),
        ("複数", "複数は2個以上選択してください"),
        ("同意", "同意は必須です"),
        ("選択", "選択は必須です"),
    ];
    for (label, message) in messages {
        browser.describes(label, message).await;
        opened.summary_lists(&[message]).await;
    }
    browser.whole_picture("forms-errors-ja", opened.look).await;
    assert_eq!(opened.status().await, "waiting", "nothing was sent");
    // The focus has moved to what is wrong.
    browser.until("document.activeElement.matches('.request-summary')").await;
    // The summary leads to the field.
    browser.hit("link", "下限は5以上で入力してください").await;
    browser.press(&format!("{}{}9", char::from(Key::Backspace), char::from(Key::Delete))).await;
    browser.holds("下限", "9").await;
    browser.leave().await;
    browser.until("!document.body.innerText.includes('下限は5以上')").await;
    opened.close().await;
}

/// Makes so many choices of a list of several.
async fn tick(opened: &Opened, label: &str, count: usize) {
    let group = opened.browser.field(label).await;
    for index in 0..count {
        let choices = opened.browser.within(&group, "input[type=checkbox]").await;
        opened.browser.tap(&choices[index]).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn secret_field_warns_and_stays_out_of_drafts() {
    let fields = json!([
        { "name": "name", "type": "text", "label": "Name" },
        { "name": "password", "type": "text", "label": "Password" },
    ]);
    let opened = Opened::with(&form(fields), Look::DESKTOP).await;
    let browser = &opened.browser;
    browser.says("form", "tests").await;
    browser.picture("forms-secret").await;
    browser.fill("Name", "花子").await;
    browser.fill("Password", "geheim").await;
    browser.leave().await;
    // Nor does it stand there to be read over a shoulder.
    let kind = browser.field("Password").await.attr("type").await.unwrap();
    assert_eq!(kind.as_deref(), Some("password"));
    let client = opened.server.client();
    let mut draft = Value::Null;
    tests::until("the draft is saved", async || {
        draft = tests::forms::draft(&client, &opened.asked.handle).await;
        draft["name"] == "花子"
    })
    .await;
    assert_eq!(draft, json!({ "name": "花子" }), "a secret is not kept");
    let kept =
        browser.script("return JSON.stringify({ ...localStorage, ...sessionStorage })").await;
    assert!(!kept.as_str().unwrap().contains("geheim"), "{kept}");
    opened.send().await;
    assert_eq!(opened.values().await, json!({ "name": "花子", "password": "geheim" }));
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn conditionally_hidden_field_is_neither_checked_nor_sent() {
    let fields = json!([
        { "name": "plan", "type": "select", "label": "Plan", "default": "free",
          "options": [{ "value": "free", "label": "Free" }, { "value": "pro", "label": "Pro" }] },
        { "name": "seats", "type": "number", "label": "Seats", "required": true, "min": 2,
          "showIf": { "field": "plan", "equals": "pro" } },
        { "name": "why", "type": "text", "label": "Reason", "required": true,
          "showIf": { "field": "seats", "filled": true } },
    ]);
    let mut opened = Opened::with(&form(fields), Look::DESKTOP).await;
    opened.browser.no_role("field", "Seats").await;
    opened.browser.pick("Plan", "Pro").await;
    opened.browser.fill("Seats", "3").await;
    opened.browser.fill("Reason", "growth").await;
    opened.browser.pick("Plan", "Free").await;
    opened.browser.no_role("field", "Seats").await;
    opened.browser.no_role("textbox", "Reason").await;
    opened.send().await;
    assert_eq!(opened.values().await, json!({ "plan": "free" }));
    let form = opened.form.clone();
    opened.next(&form).await;
    opened.browser.pick("Plan", "Pro").await;
    opened.send().await;
    opened.summary_lists(&["Seats"]).await;
    opened.browser.fill("Seats", "3").await;
    opened.browser.fill("Reason", "growth").await;
    opened.browser.picture("forms-condition").await;
    opened.send().await;
    assert_eq!(opened.values().await, json!({ "plan": "pro", "seats": 3, "why": "growth" }));
    opened.close().await;
}
