//! A form by keyboard alone, and with an input method that composes.

use fantoccini::key::Key;
use serde_json::{Value, json};
use tests::{
    browser::{Browser, Look},
    forms::form,
};

use super::{Opened, day, keys};

/// What has the focus is called, by label, legend or text.
const FOCUSED: &str = r#"
    const it = document.activeElement;
    const by = (it.getAttribute('aria-labelledby') || '').split(/\s+/).filter(Boolean)
        .map(id => document.getElementById(id)?.textContent || '').join(' ');
    const group = it.closest('fieldset')?.querySelector('legend')?.textContent || '';
    return [by, it.getAttribute('aria-label'), ...[...(it.labels || [])].map(it => it.textContent), group,
        it.matches('button,a') ? it.textContent : ''].filter(Boolean).join(' ');
"#;

/// Tab, until something of that name has the focus.
async fn tab_to(browser: &Browser, name: &str) {
    let mut met = Vec::new();
    for _ in 0..30 {
        browser.key(Key::Tab).await;
        let focused = browser.script(FOCUSED).await;
        let focused = focused.as_str().unwrap_or_default();
        if focused.contains(name) {
            return;
        }
        met.push(focused.to_owned());
    }
    panic!("Tab does not come to {name:?} but to {met:?}");
}

fn all_types() -> Value {
    let options = json!([{ "value": "a", "label": "Apple" }, { "value": "b", "label": "Pear" },
                         { "value": "c", "label": "Plum" }]);
    let users = "https://api.example.com/users/search";
    let mut definition = form(json!([
        { "type": "heading", "text": "All of them" },
        { "name": "text", "type": "text", "label": "Text", "required": true, "suggestions": ["chip"] },
        { "name": "area", "type": "textarea", "label": "Area" },
        { "type": "divider", "label": "Choices" },
        { "name": "select", "type": "select", "label": "Select", "options": options },
        { "name": "multi", "type": "multiselect", "label": "Several", "options": options },
        { "name": "auto", "type": "autocomplete", "label": "Person", "searchUrl": users,
          "displayField": "name", "valueField": "id", "debounceMs": 20 },
        { "name": "autos", "type": "multi-autocomplete", "label": "People", "searchUrl": users,
          "displayField": "name", "valueField": "id", "debounceMs": 20 },
        { "name": "land", "type": "async-select", "label": "Land", "default": "JP",
          "loadUrl": "/api/demo/countries", "displayField": "name", "valueField": "code" },
        { "name": "part", "type": "cascading-select", "label": "Part", "dependsOn": "land",
          "dependsOnParam": "country_code", "searchUrl": "/api/demo/prefectures",
          "displayField": "name", "valueField": "code" },
        { "name": "check", "type": "checkbox", "label": "Check", "required": true },
        { "name": "radio", "type": "radio", "label": "Radio", "options": options },
        { "name": "number", "type": "number", "label": "Number" },
        { "name": "range", "type": "range", "label": "Range", "step": 10 },
        { "name": "date", "type": "date", "label": "Day" },
        { "name": "datetime", "type": "datetime", "label": "Moment" },
        { "name": "file", "type": "file", "label": "File" },
        { "name": "hidden", "type": "hidden", "value": 1 },
    ]));
    definition["submitLabel"] = json!("Finish");
    definition
}

/// Chooses by arrow what was found, in the combobox that has the focus.
async fn choose_found(browser: &Browser, typed: &str) {
    browser.press(typed).await;
    browser.role("option", typed).await;
    browser.key(Key::Down).await;
    browser.until("document.activeElement.getAttribute('aria-activedescendant')").await;
    browser.key(Key::Enter).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fills_and_sends_every_field_type_by_keyboard() {
    let opened = Opened::with(&all_types(), Look::DESKTOP).await;
    let browser = &opened.browser;
    let found = opened.server.client().get("/api/demo/users/search?q=a&limit=3").await;
    let found: Value = serde_json::from_str(&found.text().await.unwrap()).unwrap();
    let name = |index: usize| found[index]["name"].as_str().unwrap().to_owned();
    browser.is_loaded("Part").await;
    tab_to(browser, "Text").await;
    browser.press("hello").await;
    tab_to(browser, "Area").await;
    browser.press("one").await;
    browser.key(Key::Enter).await;
    browser.press("two").await;
    tab_to(browser, "Select").await;
    browser.press("Pl").await;
    tab_to(browser, "Several").await;
    browser.press(" ").await;
    tab_to(browser, "Person").await;
    choose_found(browser, &name(0)).await;
    tab_to(browser, "People").await;
    choose_found(browser, &name(1)).await;
    choose_found(browser, &name(2)).await;
    tab_to(browser, "Part").await;
    choose_listed(browser, "東京都").await;
    tab_to(browser, "Check").await;
    browser.press(" ").await;
    tab_to(browser, "Radio").await;
    browser.press(" ").await;
    browser.key(Key::Down).await;
    tab_to(browser, "Number").await;
    browser.press("-2.5").await;
    tab_to(browser, "Range").await;
    browser.key(Key::Right).await;
    browser.key(Key::Right).await;
    let tomorrow = day(browser, 1).await;
    tab_to(browser, "Day").await;
    browser.press(&keys(&tomorrow)).await;
    tab_to(browser, "Moment").await;
    // Four digits make a year: the keyboard goes on to the hour by itself.
    browser.press(&keys(&tomorrow)).await;
    browser.press("0915AM").await;
    tab_to(browser, "File").await;
    browser.whole_picture("forms-keyboard", opened.look).await;
    tab_to(browser, "Finish").await;
    browser.key(Key::Enter).await;
    let values = opened.values().await;
    let sent = json!({
        "text": "hello", "area": "one\ntwo", "select": "c", "multi": ["a"], "auto": found[0]["id"],
        "autos": [found[1]["id"], found[2]["id"]], "land": "JP", "part": values["part"],
        "check": true, "radio": "b", "number": -2.5, "range": 20, "date": tomorrow,
        "datetime": format!("{tomorrow}T09:15"), "hidden": 1,
    });
    assert_eq!(values, sent);
    assert!(values["part"].is_string(), "{values}");
    opened.close().await;
}

/// Chooses in a list, the browser's own or one that is drawn.
async fn choose_listed(browser: &Browser, name: &str) {
    if browser.script("return document.activeElement.tagName").await == "SELECT" {
        browser.press(name).await;
    } else {
        choose_found(browser, name).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn enter_sends_from_a_line_and_escape_only_closes_a_list() {
    let fields = json!([
        { "name": "auto", "type": "autocomplete", "label": "Person", "debounceMs": 20,
          "searchUrl": "/api/demo/users/search", "displayField": "name", "valueField": "id" },
        { "name": "text", "type": "text", "label": "Text" },
    ]);
    let opened = Opened::with(&form(fields), Look::DESKTOP).await;
    let browser = &opened.browser;
    browser.type_into("Person", "a").await;
    browser.role("option", "").await;
    assert_eq!(browser.attribute("Person", "aria-expanded").await, "true");
    browser.key(Key::Escape).await;
    browser.no_role("option", "").await;
    assert_eq!(browser.attribute("Person", "aria-expanded").await, "false");
    assert_eq!(opened.status().await, "waiting", "Escape closes the list and not the form");
    browser.fill("Person", "").await;
    browser.fill("Text", "by Enter").await;
    browser.key(Key::Enter).await;
    assert_eq!(opened.values().await, json!({ "text": "by Enter" }));
    opened.close().await;
}

/// Keys that an input method keeps for itself.
const COMPOSE: &str = "
    const [it, typed] = arguments;
    const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
    it.focus();
    it.dispatchEvent(new CompositionEvent('compositionstart', { bubbles: true }));
    set.call(it, typed);
    it.dispatchEvent(new InputEvent('input', { bubbles: true, isComposing: true }));
    for (const key of ['ArrowDown', 'Enter', 'Escape', 'Backspace'])
        for (const [kind, more] of [['keydown', { isComposing: true }], ['keydown', { keyCode: 229 }]])
            it.dispatchEvent(new KeyboardEvent(kind, { key, bubbles: true, cancelable: true, ...more }));
    return it.value;";

#[tokio::test(flavor = "multi_thread")]
async fn ime_keys_neither_send_nor_choose_nor_remove() {
    let users = "/api/demo/users/search";
    let fields = json!([
        { "name": "text", "type": "text", "label": "Text" },
        { "name": "auto", "type": "autocomplete", "label": "Person", "searchUrl": users,
          "displayField": "name", "valueField": "id", "debounceMs": 20 },
        { "name": "autos", "type": "multi-autocomplete", "label": "People", "searchUrl": users,
          "displayField": "name", "valueField": "id", "debounceMs": 20 },
    ]);
    let opened = Opened::with(&form(fields), Look::DESKTOP).await;
    let browser = &opened.browser;
    let found = opened.server.client().get("/api/demo/users/search?q=a&limit=3").await;
    let found: Value = serde_json::from_str(&found.text().await.unwrap()).unwrap();
    let name = found[0]["name"].as_str().unwrap();
    browser.search("People", name, name).await;
    browser.role("button", name).await;
    for (label, typed) in [("Text", "はなこ"), ("Person", "a"), ("People", "")] {
        let field = serde_json::to_value(browser.field(label).await).unwrap();
        let kept = browser.ask(COMPOSE, vec![field.clone(), json!(typed)]).await;
        assert_eq!(kept, typed, "{label}: what is composed stays");
        let end = "arguments[0].dispatchEvent(new CompositionEvent('compositionend', { bubbles: true }));";
        browser.ask(end, vec![field]).await;
    }
    assert_eq!(opened.status().await, "waiting", "Enter went to the input method");
    browser.role("button", name).await;
    // What is only typed is not chosen: it keeps nothing from being sent, once it is gone.
    browser.fill("Person", "").await;
    opened.send().await;
    let sent = json!({ "text": "はなこ", "autos": [found[0]["id"]] });
    assert_eq!(opened.values().await, sent, "nothing was chosen and nothing taken away");
    opened.close().await;
}
