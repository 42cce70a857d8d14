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

// What is wrong, with the texts of FORM-46, next to its field and in the summary.

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

// Searching while one types: too little, on its way, nothing, too late, not to be had.

/// Holds the first answer of a search back until it is let go.
const HOLD: &str = "
    const real = window.fetch;
    window.asked = [];
    window.fetch = async (it, ...more) => {
        const url = it.url || String(it);
        if (!url.includes('users/search')) return real.call(window, it, ...more);
        window.asked.push(url);
        const isFirst = window.asked.length === 1;
        const answer = await real.call(window, it, ...more);
        if (isFirst) {
            // Read to its end before: once it is let go, nothing more is waited for.
            const text = await answer.text();
            answer.text = async () => text;
            await new Promise(go => window.letGo = go);
        }
        return answer;
    };";

fn person() -> Value {
    form(json!([
        { "name": "one", "type": "autocomplete", "label": "Person", "debounceMs": 10, "minChars": 1,
          "searchUrl": "/api/demo/users/search", "displayField": "name", "valueField": "id" },
        { "name": "two", "type": "autocomplete", "label": "Two letters", "minChars": 2,
          "searchUrl": "/api/demo/users/search", "displayField": "name", "valueField": "id" },
        { "name": "lost", "type": "async-select", "label": "Lost",
          "loadUrl": "/api/demo/no-such-list", "displayField": "name", "valueField": "id" },
    ]))
}

#[tokio::test(flavor = "multi_thread")]
async fn drops_a_late_lookup_answer() {
    let opened = Opened::with(&person(), Look::DESKTOP).await;
    let browser = &opened.browser;
    let found = opened.server.client().get("/api/demo/users/search?q=a&limit=1").await;
    let found: Value = serde_json::from_str(&found.text().await.unwrap()).unwrap();
    let name = found[0]["name"].as_str().unwrap();
    browser.script(HOLD).await;
    browser.type_into("Person", "a").await;
    browser.until("window.letGo").await;
    browser.fill("Person", name).await;
    browser.role("option", name).await;
    assert_eq!(browser.roles("option", "").await.len(), 1);
    browser.script("window.letGo()").await;
    // Two frames later whatever the first answer would change has been drawn.
    let frames = "requestAnimationFrame(() => requestAnimationFrame(() => arguments[0]()));";
    browser.ask_later(frames, vec![]).await;
    assert_eq!(browser.roles("option", "").await.len(), 1, "the first answer had many");
    browser.hit("option", name).await;
    opened.send().await;
    assert_eq!(opened.values().await, json!({ "one": found[0]["id"] }));
    opened.browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn search_reports_short_query_no_result_and_failure() {
    let opened = Opened::with(&person(), Look::PHONE).await;
    let browser = &opened.browser;
    browser.says("form", "Type 2 or more characters").await;
    browser.type_into("Person", "qqqqqq").await;
    browser.says("form", "Nothing fits").await;
    browser.picture("forms-lookup-nothing-phone").await;
    assert_eq!(browser.serious_faults().await, Vec::<String>::new());
    browser.fill("Person", "").await;
    browser.offline(true).await;
    browser.type_into("Person", "a").await;
    browser.says("form", "could not be loaded").await;
    browser.picture("forms-lookup-failed-phone").await;
    assert_eq!(browser.serious_faults().await, Vec::<String>::new());
    browser.offline(false).await;
    let person = browser.field("Person").await;
    person.send_keys(&Key::Backspace.to_string()).await.unwrap();
    person.send_keys("a").await.unwrap();
    browser.role("option", "").await;
    // What is not to be had keeps nothing else from being filled in.
    browser.role("button", "Try again").await;
    browser.fill("Person", "").await;
    opened.send().await;
    assert_eq!(opened.values().await, json!({}));
    opened.browser.close().await;
}

/// The parts of every land have the same codes.
const ALIKE: &str = "
    const real = window.fetch;
    window.fetch = async (it, ...more) => {
        const url = it.url || String(it);
        if (!url.includes('prefectures')) return real.call(window, it, ...more);
        const land = new URL(url, location).searchParams.get('country_code');
        const parts = ['01', '02'].map(code => ({ code, name: `${land} ${code}` }));
        return new Response(JSON.stringify(parts), { headers: { 'content-type': 'application/json' } });
    };";

#[tokio::test(flavor = "multi_thread")]
async fn form_43_changing_country_clears_part_of_equal_code() {
    let fields = json!([
        { "name": "land", "type": "select", "label": "Land",
          "options": [{ "value": "JP", "label": "Japan" }, { "value": "FR", "label": "France" }] },
        { "name": "part", "type": "cascading-select", "label": "Part", "dependsOn": "land",
          "dependsOnParam": "country_code", "searchUrl": "/api/demo/prefectures",
          "displayField": "name", "valueField": "code" },
    ]);
    let opened = Opened::with(&form(fields), Look::DESKTOP).await;
    let browser = &opened.browser;
    browser.script(ALIKE).await;
    browser.pick("Land", "Japan").await;
    browser.pick("Part", "JP 01").await;
    browser.pick("Land", "France").await;
    let has = "[...document.querySelectorAll('option')].some(it => it.textContent === 'FR 01')";
    browser.until(has).await;
    browser.until("[...document.querySelectorAll('form select')].at(-1).selectedIndex === 0").await;
    opened.send().await;
    assert_eq!(opened.values().await, json!({ "land": "FR" }));
    opened.browser.close().await;
}
