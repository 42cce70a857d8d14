//! What is half typed stays: over a reload, a restart, a swap, a network that goes; and in two windows.

use serde_json::{Value, json};
use tests::{
    browser::{Browser, Look},
    component_bytes,
    forms::{self, RequestedForm, form},
    rebuilt,
    server::{Folders, TestServer},
    until,
};

use super::Opened;

fn letter() -> Value {
    let mut definition = form(json!([
        { "name": "name", "type": "text", "label": "Name" },
        { "name": "story", "type": "textarea", "label": "Story" },
        { "name": "kind", "type": "select", "label": "Kind",
          "options": [{ "value": "a", "label": "Apple" }, { "value": "b", "label": "Pear" }] },
        { "name": "boss", "type": "autocomplete", "label": "Boss", "debounceMs": 20,
          "searchUrl": "/api/demo/users/search", "displayField": "name", "valueField": "id" },
        { "name": "yes", "type": "checkbox", "label": "Agreed" },
    ]));
    definition["submitLabel"] = json!("Finish");
    definition
}

/// Waits until the host's draft has that in a field.
async fn is_saved(server: &TestServer, asked: &RequestedForm, field: &str, text: &str) {
    let client = server.client();
    until(&format!("the host's draft does not have {text:?} in {field:?}"), async || {
        forms::draft(&client, &asked.handle).await[field] == text
    })
    .await;
}

/// After a reload it is there at once, and later in another browser.
#[tokio::test(flavor = "multi_thread")]
async fn draft_survives_reload_and_opens_in_another_browser() {
    let opened = Opened::with(&letter(), Look::DESKTOP).await;
    let browser = &opened.browser;
    let found = opened.server.client().get("/api/demo/users/search?q=a&limit=1").await;
    let found: Value = serde_json::from_str(&found.text().await.unwrap()).unwrap();
    let boss = found[0]["name"].as_str().unwrap();
    browser.search("Boss", boss, boss).await;
    browser.pick("Kind", "Pear").await;
    browser.hit("checkbox", "Agreed").await;
    browser.fill("Story", "Once\nupon").await;
    browser.fill("Name", "half typ").await;
    browser.reload().await;
    browser.holds("Name", "half typ").await;
    browser.holds("Story", "Once\nupon").await;
    browser.holds("Boss", boss).await;
    is_saved(&opened.server, &opened.asked, "name", "half typ").await;
    browser.picture("forms-draft-reloaded").await;
    browser.script("localStorage.clear()").await;

    // Days later, elsewhere: the host has it, what people read of the look-ups among it.
    let other =
        Browser::open_at(&opened.server.url(), &format!("f/{}", opened.asked.handle), Look::PHONE)
            .await;
    other.holds("Name", "half typ").await;
    other.holds("Boss", boss).await;
    other.type_into("Name", "ed").await;
    other.picture("forms-draft-elsewhere-phone").await;
    other.hit("button", "Finish").await;
    let sent = json!({
        "name": "half typed", "story": "Once\nupon", "kind": "b", "boss": found[0]["id"], "yes": true,
    });
    assert_eq!(opened.values().await, sent);
    other.close().await;
    opened.browser.close().await;
}

/// A server on an address that it has again after a restart.
async fn server_to_restart() -> TestServer {
    let folders = Folders::new();
    folders.put("forms", &component_bytes("forms"));
    TestServer::start(folders, |it| it.addr = tests::free_addr()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn draft_survives_a_host_restart() {
    let mut server = server_to_restart().await;
    let asked = forms::ask(&server.client(), &letter()).await;
    let browser =
        Browser::open_at(&server.url(), &format!("f/{}", asked.handle), Look::DESKTOP).await;
    browser.fill("Name", "before").await;
    is_saved(&server, &asked, "name", "before").await;
    server.stop().await;
    browser.fill("Story", "while nobody answered").await;
    browser.picture("forms-draft-host-away").await;
    // Sent into the void: it says so, and nothing is lost.
    browser.hit("button", "Finish").await;
    browser.until("document.querySelector('[role=alert]')").await;
    browser.holds("Story", "while nobody answered").await;
    server.restart().await;
    is_saved(&server, &asked, "story", "while nobody answered").await;
    browser.fill("Name", "after").await;
    browser.hit("button", "Finish").await;
    let values = forms::values(&server.client(), &asked.handle).await;
    assert_eq!(values, json!({ "name": "after", "story": "while nobody answered", "yes": false }));
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn draft_survives_a_component_swap() {
    let opened = Opened::with(&letter(), Look::DESKTOP).await;
    let browser = &opened.browser;
    browser.fill("Name", "half typ").await;
    let (mut listener, _) =
        opened.server.client().listen_for(json!({ "toolsListChanged": true })).await;
    opened.server.folders.put("forms", &rebuilt(&component_bytes("forms"), 7));
    listener.notified().await;
    browser.holds("Name", "half typ").await;
    browser.type_into("Name", "ed").await;
    is_saved(&opened.server, &opened.asked, "name", "half typed").await;
    browser.picture("forms-draft-swapped").await;
    browser.hit("button", "Finish").await;
    assert_eq!(opened.values().await, json!({ "name": "half typed", "yes": false }));
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn draft_survives_a_network_loss() {
    let opened = Opened::with(&letter(), Look::PHONE).await;
    let browser = &opened.browser;
    browser.fill("Name", "online").await;
    is_saved(&opened.server, &opened.asked, "name", "online").await;
    browser.offline(true).await;
    browser.fill("Story", "typed on a train").await;
    browser.hit("checkbox", "Agreed").await;
    browser.picture("forms-draft-offline-phone").await;
    // The browser itself keeps it, whatever becomes of the tab.
    let kept = "JSON.stringify({ ...localStorage }).includes('typed on a train')";
    browser.until(kept).await;
    browser.hit("button", "Finish").await;
    browser.until("document.querySelector('[role=alert]')").await;
    // The page says so, though the stream of news has not noticed, and again when it is over.
    browser.until("document.querySelector('.connection.is-offline')").await;
    browser.picture("forms-draft-offline-sent-phone").await;
    browser.offline(false).await;
    browser.until("document.querySelector('.connection.is-online')").await;
    is_saved(&opened.server, &opened.asked, "story", "typed on a train").await;
    browser.reload().await;
    browser.holds("Story", "typed on a train").await;
    browser.hit("button", "Finish").await;
    let sent = json!({ "name": "online", "story": "typed on a train", "yes": true });
    assert_eq!(opened.values().await, sent);
    opened.browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_windows_on_one_form_lose_no_input() {
    let opened = Opened::with(&letter(), Look::DESKTOP).await;
    let browser = &opened.browser;
    let other = Browser::open_at(
        &opened.server.url(),
        &format!("f/{}", opened.asked.handle),
        Look::DESKTOP,
    )
    .await;
    other.field("Name").await;
    browser.fill("Name", "of the first").await;
    is_saved(&opened.server, &opened.asked, "name", "of the first").await;
    other.fill("Story", "of the second").await;
    // The second shows that there are two, has its own still, and decides; then changes its mind.
    other.says("main", "another window").await;
    other.holds("Story", "of the second").await;
    other.picture("forms-draft-two").await;
    other.hit("button", "Keep what is here").await;
    is_saved(&opened.server, &opened.asked, "story", "of the second").await;
    other.picture("forms-draft-two-kept").await;
    other.hit("button", "Swap them").await;
    other.holds("Name", "of the first").await;
    is_saved(&opened.server, &opened.asked, "name", "of the first").await;
    // And the first, which has typed nothing since, finds it all the same.
    browser.holds("Name", "of the first").await;
    other.hit("button", "Finish").await;
    assert_eq!(opened.values().await, json!({ "name": "of the first", "yes": false }));
    other.close().await;
    opened.close().await;
}

// How a form ends: sent, cancelled and taken up again, declined; and who sees what of it afterwards.

fn short() -> Value {
    let mut definition = form(json!([
        { "name": "name", "type": "text", "label": "Name", "required": true },
        { "name": "note", "type": "textarea", "label": "Note" },
    ]));
    definition["title"] = json!("Short form");
    definition["submitLabel"] = json!("Finish");
    definition["cancelLabel"] = json!("Leave it");
    definition
}

#[tokio::test(flavor = "multi_thread")]
async fn undoing_a_cancel_restores_typed_text() {
    let opened = Opened::with(&short(), Look::DESKTOP).await;
    let browser = &opened.browser;
    browser.fill("Name", "花子").await;
    browser.hit("button", "Leave it").await;
    browser.no_role("textbox", "Name").await;
    browser.picture("forms-cancelled").await;
    assert_eq!(browser.serious_faults().await, Vec::<String>::new());
    browser.hit("button", "Undo").await;
    browser.holds("Name", "花子").await;
    assert_eq!(opened.status().await, "waiting");
    browser.hit("button", "Finish").await;
    assert_eq!(opened.values().await, json!({ "name": "花子" }));
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn requester_learns_of_cancel_or_decline() {
    let mut opened = Opened::with(&short(), Look::DESKTOP).await;
    let client = opened.server.client();
    opened.browser.hit("button", "Leave it").await;
    let answer = forms::answered(&client, &opened.asked.handle).await;
    assert_eq!(answer["status"], "cancelled", "{answer}");
    assert_eq!(answer["message"], "フォーム入力をキャンセルしました。", "FORM-9");
    let form = short();
    opened.next(&form).await;
    opened.browser.hit("button", "Decline to answer").await;
    let answer = forms::answered(&client, &opened.asked.handle).await;
    assert_eq!(answer["status"], "declined", "{answer}");
    opened.browser.picture("forms-declined").await;
    opened.close().await;
}

/// Holds each look at a form back until all are let go.
const HOLD_LOOKS: &str = "
    const real = window.fetch;
    window.held = [];
    window.fetch = async (input, init) => {
        const text = input instanceof Request ? await input.clone().text() : init?.body;
        if (window.held && String(text).includes('open_form')) await new Promise(go => window.held.push(go));
        return real(input, init);
    };";

#[tokio::test(flavor = "multi_thread")]
async fn sent_form_is_read_only_everywhere_and_sent_once() {
    let opened = Opened::with(&short(), Look::DESKTOP).await;
    let browser = &opened.browser;
    let late = Browser::open(&opened.server.url(), Look::PHONE.japanese()).await;
    late.go(&format!("f/{}", opened.asked.handle)).await;
    late.fill("Name", "遅い").await;
    late.script(HOLD_LOOKS).await;
    browser.fill("Name", "速い人").await;
    browser.hit("button", "Finish").await;
    assert_eq!(opened.values().await, json!({ "name": "速い人" }));
    browser.says("main", "速い人").await;
    browser.no_role("button", "Finish").await;
    browser.picture("forms-sent").await;
    assert_eq!(browser.serious_faults().await, Vec::<String>::new());
    // A person who comes too late learns so, and sees what was sent. What they had typed, to the last letter, is
    // not lost, though their page looks twice: as it is told that the form changed, and as it is not taken.
    late.until("window.held.length").await;
    late.type_into("Name", "人").await;
    late.hit("button", "Finish").await;
    late.until("window.held.length > 1").await;
    late.script("const all = window.held; window.held = null; all.forEach(go => go())").await;
    late.says("main", "速い人").await;
    late.says("main", "遅い人").await;
    late.no_role("button", "Finish").await;
    late.picture("forms-too-late-phone").await;
    browser.reload().await;
    browser.says("main", "速い人").await;
    browser.no_role("textbox", "Name").await;
    assert_eq!(opened.values().await, json!({ "name": "速い人" }));
    late.close().await;
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn form_answered_elsewhere_closes() {
    let opened = Opened::with(&short(), Look::DESKTOP).await;
    let other =
        Browser::open_at(&opened.server.url(), &format!("f/{}", opened.asked.handle), Look::PHONE)
            .await;
    other.field("Name").await;
    opened.browser.fill("Name", "first").await;
    opened.browser.hit("button", "Finish").await;
    // Nothing is done in the other window, which nothing else has told to look.
    other.says("main", "first").await;
    other.no_role("button", "Finish").await;
    other.close().await;
    opened.close().await;
}

/// Keeps what is given out for download where a script finds it.
const CATCH: &str = "
    window.caught = null;
    const make = URL.createObjectURL.bind(URL);
    URL.createObjectURL = it => { it.text().then(text => window.caught = text); return make(it); };";

#[tokio::test(flavor = "multi_thread")]
async fn operator_lists_every_form_and_exports_csv() {
    let mut opened = Opened::with(&short(), Look::DESKTOP).await;
    let answers = [r#"=1+1"#, "コンマ, と \"引用\"\nと改行"];
    for name in answers {
        let form = short();
        opened.next(&form).await;
        let client = opened.server.client();
        let arguments = json!({ "handle": opened.asked.handle, "values": { "name": name } });
        client.output("submit_form", arguments).await;
    }
    let browser = &opened.browser;
    browser.go("#/forms").await;
    browser.role("heading", "Forms").await;
    browser.says("main", "Short form").await;
    browser.picture("forms-list").await;
    browser.script(CATCH).await;
    browser.hit("button", "CSV").await;
    browser.until("window.caught").await;
    let csv = browser.script("return window.caught").await;
    let csv = csv.as_str().unwrap();
    assert!(csv.contains("Short form"), "{csv}");
    assert!(csv.contains("コンマ, と"), "{csv}");
    assert!(csv.contains("引用"), "{csv}");
    assert!(
        !csv.contains(",=1+1") && !csv.contains(",\"=1+1"),
        "no spreadsheet computes it: {csv}"
    );
    browser.hit("link", "Short form").await;
    browser.role("heading", "Short form").await;
    opened.close().await;
    let phone = Look::PHONE.dark();
    let server = forms::server().await;
    let browser = Browser::open_at(&server.url(), "#/forms", phone).await;
    browser.role("heading", "Forms").await;
    browser.picture("forms-list-empty-phone-dark").await;
    browser.close().await;
}

/// The list is live: a form that comes while it is looked at is there, and so is its answer.
#[tokio::test(flavor = "multi_thread")]
async fn list_updates_on_new_and_answered_forms() {
    let server = forms::server().await;
    let browser = Browser::open_at(&server.url(), "#/forms", Look::DESKTOP).await;
    browser.says("main", "There are no forms yet").await;
    let asked = forms::ask(&server.client(), &short()).await;
    browser.says(".forms-table", "Waiting").await;
    let arguments = json!({ "handle": asked.handle, "values": { "name": "花子" } });
    server.client().output("submit_form", arguments).await;
    browser.says(".forms-table", "Answered").await;
    browser
        .until("!document.querySelector('.forms-table tbody').innerText.includes('Waiting')")
        .await;
    browser.close().await;
}

/// What comes while the list is read takes neither the keyboard nor the pages that were asked for.
#[tokio::test(flavor = "multi_thread")]
async fn new_form_keeps_the_lists_scroll_position() {
    let server = forms::server().await;
    let rows = |count: usize| {
        format!("document.querySelectorAll('.forms-table tbody tr').length === {count}")
    };
    for _ in 0..52 {
        forms::ask(&server.client(), &short()).await;
    }
    let browser = Browser::open_at(&server.url(), "#/forms", Look::DESKTOP).await;
    browser.until(&rows(50)).await;
    browser.hit("button", "Show more").await;
    browser.until(&rows(52)).await;
    // There are no more, and the button has gone.
    browser.until("document.activeElement.id === 'forms-count'").await;
    let last = "const all = document.querySelectorAll('.forms-table tbody a'); const last = all[all.length - 1];
        last.focus(); return last.getAttribute('href');";
    let href = browser.script(last).await;
    forms::ask(&server.client(), &short()).await;
    browser.until(&rows(53)).await;
    assert_eq!(browser.script("return document.activeElement.getAttribute('href')").await, href);
    browser.close().await;
}

// A form of 500 fields: it opens, and a key in one of them draws that one anew and no other.

const FIELDS: usize = 500;

/// Types 50 characters into the field with that label and returns how long each took, to the end of the
/// page's own work and to the second frame after it; and which other fields' elements changed.
const TYPE: &str = r#"
    const [input] = arguments;
    const done = arguments[arguments.length - 1];
    const inputs = 'input,textarea,select';
    const home = it => {
        let at = it.nodeType === 1 ? it : it.parentElement;
        while (at && !at.matches(inputs) && !at.querySelector(inputs)) at = at.parentElement;
        return at;
    };
    const others = new Set();
    const observer = new MutationObserver(list => list.forEach(it => {
        const at = home(it.target);
        if (!at || at === input) return;
        const inside = at.querySelectorAll(inputs);
        const elsewhere = inside.length === 1 && inside[0] !== input;
        const rebuilt = inside.length > 1 && it.type === 'childList' && it.target === at
            && [...it.addedNodes].some(it => it.nodeType === 1 && it.querySelector(inputs));
        if (at.matches(inputs) || elsewhere || rebuilt) others.add(at.outerHTML.slice(0, 200));
    }));
    // What lives in the header has its own time.
    observer.observe(document.querySelector('main'), { subtree: true, childList: true, attributes: true, characterData: true });
    const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
    const frame = () => new Promise(requestAnimationFrame);
    const work = [], paint = [];
    const type = async () => {
        for (let at = 0; at < 50; at++) {
            const began = performance.now();
            set.call(input, input.value + 'abcdefghij'[at % 10]);
            input.dispatchEvent(new InputEvent('input', { bubbles: true }));
            await null;
            work.push(performance.now() - began);
            await frame();
            await frame();
            paint.push(performance.now() - began);
        }
        observer.disconnect();
        const at = (list, part) => list.sort((a, b) => a - b)[Math.floor(list.length * part)].toFixed(2);
        done({ others: [...others], figures: {
            work_ms: { median: at(work, 0.5), p95: at(work, 0.95) },
            paint_ms: { median: at(paint, 0.5), p95: at(paint, 0.95) },
        } });
    };
    input.focus();
    type();
"#;

/// Keeps hold of the page's memory.
const HOLD: &str = "
    const make = WebAssembly.instantiateStreaming;
    WebAssembly.instantiateStreaming = async (...given) => {
        const made = await make.apply(WebAssembly, given);
        window.memory = made.instance.exports.memory;
        return made;
    };";

#[tokio::test(flavor = "multi_thread")]
async fn key_redraws_one_of_500_fields_and_all_values_arrive() {
    let fields: Vec<Value> = (0..FIELDS)
        .map(|number| match number % 5 {
            4 => json!({ "name": format!("f{number}"), "type": "select", "label": format!("Field {number}."),
                         "options": [{ "value": "a", "label": "A" }, { "value": "b", "label": "B" }],
                         "default": "b" }),
            _ => json!({ "name": format!("f{number}"), "type": "text", "label": format!("Field {number}."),
                         "default": format!("value {number}"), "required": true }),
        })
        .collect();
    let mut opened = Opened::with(&form(json!([fields[0]])), Look::DESKTOP).await;
    // The page's own memory is WebAssembly's; a script that runs before the page keeps hold of it.
    opened.browser.begins_with(HOLD).await;
    let began = std::time::Instant::now();
    opened.next(&form(json!(fields))).await;
    let browser = &opened.browser;
    let typed = browser.field("Field 250.").await;
    let open_ms = began.elapsed().as_millis();
    let all = "document.querySelectorAll('form input, form select').length";
    browser.until(&format!("{all} === {FIELDS}")).await;
    let typed = serde_json::to_value(&typed).unwrap();
    let all = browser.ask_later(TYPE, vec![typed]).await;
    assert_eq!(all["others"], json!([]), "only the typed field's elements change");
    browser.devtools("HeapProfiler.collectGarbage", json!({})).await;
    let memory = browser.script("return window.memory?.buffer.byteLength ?? 0").await;
    let heap = browser.devtools("Runtime.getHeapUsage", json!({})).await;
    println!(
        "500 fields: open {open_ms} ms (the call that asks among it), {}, WebAssembly {memory} bytes, JavaScript {heap}",
        all["figures"]
    );
    browser.picture("forms-500").await;
    opened.send().await;
    let values = opened.values().await;
    assert_eq!(values.as_object().unwrap().len(), FIELDS);
    assert_eq!(values["f250"], format!("value 250{}", "abcdefghij".repeat(5)));
    assert_eq!((&values["f499"], &values["f0"]), (&json!("b"), &json!("value 0")));
    opened.close().await;
}
