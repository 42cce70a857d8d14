//! How a form ends: sent, cancelled and taken up again, declined; and who sees what of it afterwards.

use serde_json::{Value, json};
use tests::{
    browser::{Browser, Look},
    forms::{self, form},
};

use super::Opened;

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
