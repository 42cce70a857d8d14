//! A form in the place of the answer of the tool that asked for it, and held closer.

use serde_json::{Value, json};
use tests::{
    browser::{Browser, Look},
    forms::{self, form},
};

/// Puts a long text into a field as pasting does.
const PASTE: &str = "
    const set = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value').set;
    set.call(arguments[0], arguments[1]);
    arguments[0].dispatchEvent(new InputEvent('input', { bubbles: true }));";

/// Calls `request_form` from the page itself.
pub(super) async fn call(browser: &Browser, form: &Value) {
    browser.go("#/counter").await;
    browser.find("main a[href='#/counter/request_form']").await;
    browser.go("#/counter/request_form").await;
    browser.fill("The form's title", form["title"].as_str().unwrap()).await;
    browser
        .fill("On the button that sends it", form["submitLabel"].as_str().unwrap_or("Send"))
        .await;
    let field = serde_json::to_value(browser.field("The fields").await).unwrap();
    browser.ask(PASTE, vec![field, json!(form["fields"].to_string())]).await;
    browser.hit("button", "Call").await;
}

/// It is filled in where the call was made, and no letter is lost as it is opened larger and closed.
#[tokio::test(flavor = "multi_thread")]
async fn inline_form_is_filled_and_enlarged_without_loss() {
    let server = forms::server().await;
    for (look, device) in [(Look::DESKTOP, "desktop"), (Look::PHONE.dark(), "phone-dark")] {
        let browser = Browser::open(&server.url(), look).await;
        let mut form = form(json!([
            { "name": "name", "type": "text", "label": "Name", "required": true },
            { "name": "yes", "type": "checkbox", "label": "Agreed" },
        ]));
        form["title"] = json!("In place");
        form["submitLabel"] = json!("Finish");
        call(&browser, &form).await;
        browser.role("heading", "In place").await;
        browser.fill("Name", "half typ").await;
        browser.picture(&format!("forms-inline-{device}")).await;
        assert_eq!(browser.serious_faults().await, Vec::<String>::new());
        assert!(!browser.overflows().await, "{device}");
        browser.hit("button", "Open larger").await;
        browser.until("document.querySelector('dialog[open]')").await;
        browser.holds("Name", "half typ").await;
        browser.type_into("Name", "ed").await;
        browser.picture(&format!("forms-modal-{device}")).await;
        assert_eq!(browser.serious_faults().await, Vec::<String>::new());
        browser.hit("button", "Back to the page").await;
        browser.until("!document.querySelector('dialog[open]')").await;
        browser.holds("Name", "half typed").await;
        browser.hit("checkbox", "Agreed").await;
        browser.hit("button", "Finish").await;
        browser.says("main", "Your answer was sent").await;
        browser.says("main", "half typed").await;
        browser.picture(&format!("forms-inline-sent-{device}")).await;
        let listed = server.client().output("list_form_submissions", json!({})).await;
        let values = json!({ "name": "half typed", "yes": true });
        assert_eq!(listed["forms"][0]["values"], values, "{listed}");
        assert_eq!(browser.complaints().await, Vec::<String>::new());
        browser.close().await;
    }
}
