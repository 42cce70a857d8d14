//! Searching while one types: too little, on its way, nothing, too late, not to be had.

use fantoccini::key::Key;
use serde_json::{Value, json};
use tests::{browser::Look, forms::form};

use super::Opened;

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
