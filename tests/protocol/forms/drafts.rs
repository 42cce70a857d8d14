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
