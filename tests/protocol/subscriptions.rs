//! News of lists and of resources: sent to those who asked for it, and to each by themselves.

use serde_json::json;
use tests::{
    client::Listener, component_bytes, legacy::LegacySession, library::library, rebuilt,
    server::TestServer,
};

const UPDATED: &str = "notifications/resources/updated";

async fn ring(server: &TestServer, uri: &str) {
    server.client().output("ring", json!({ "uri": uri })).await;
}

fn method(kind: &str) -> (String, Option<String>) {
    (format!("notifications/{kind}/list_changed"), None)
}

fn updated(uri: &str) -> (String, Option<String>) {
    (UPDATED.to_owned(), Some(uri.to_owned()))
}

#[tokio::test(flavor = "multi_thread")]
async fn modern_listener_receives_only_agreed_notifications() {
    let server = library(&[]).await;
    let uris = json!(["library://books/1", "no uri"]);
    let wanted = json!({ "promptsListChanged": true, "resourceSubscriptions": uris });
    let (mut listener, agreed) = server.client().listen_for(wanted).await;
    let right = json!({
        "promptsListChanged": true, "resourceSubscriptions": ["library://books/1"],
    });
    assert_eq!(agreed, right);
    for unheard in ["library://books/2", "tools", "resources", "shop://elsewhere"] {
        ring(&server, unheard).await;
    }
    ring(&server, "library://books/1").await;
    let message = listener.next(tests::PATIENCE).await.unwrap();
    assert_eq!(
        (&message["method"], &message["params"]["uri"]),
        (&json!(UPDATED), &json!("library://books/1"))
    );
    let id = &message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
    assert_eq!(id, &json!(1), "{message}");
    ring(&server, "prompts").await;
    assert_eq!(listener.notified().await, method("prompts"));
}

#[tokio::test(flavor = "multi_thread")]
async fn swap_notifies_only_about_the_components_lists() {
    let server = library(&["echo"]).await;
    let all = json!({
        "toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true,
    });
    let (mut listener, _) = server.client().listen_for(all).await;
    let load = async |name: &str, mark| {
        let bytes = rebuilt(&component_bytes(name), mark);
        server.server().control.execute(name, host::control::Order::Load(bytes)).await.unwrap();
    };
    load("echo", 1).await;
    assert_eq!(listener.notified().await, method("tools"));
    load("library", 1).await;
    for list in ["tools", "prompts", "resources"] {
        assert_eq!(listener.notified().await, method(list), "no more than that for echo");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn legacy_session_receives_updates_until_it_unsubscribes() {
    let server = library(&[]).await;
    let session = LegacySession::open(&server.url()).await;
    let mut listener = session.listen().await;
    let book = json!({ "uri": "library://books/1" });
    let subscribed = session.request("resources/subscribe", book.clone()).await;
    assert_eq!(subscribed["result"], json!({}), "{subscribed}");
    ring(&server, "library://books/2").await;
    ring(&server, "library://books/1").await;
    assert_eq!(listener.notified().await, updated("library://books/1"));
    session.request("resources/unsubscribe", book).await;
    ring(&server, "library://books/1").await;
    ring(&server, "resources").await;
    assert_eq!(listener.notified().await, method("resources"), "and nothing of the book");
    let unknown = session.request("resources/subscribe", json!({ "uri": "shop://nothing" })).await;
    assert_eq!(unknown["error"]["data"]["uri"], "shop://nothing", "{unknown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_subscriptions_of_sessions_and_listeners() {
    let server = library(&[]).await;
    let session = LegacySession::open(&server.url()).await;
    for number in 0..256 {
        let uri = json!({ "uri": format!("library://books/{number}") });
        let answer = session.request("resources/subscribe", uri).await;
        assert_eq!(answer["result"], json!({}), "{answer}");
    }
    let again = session.request("resources/subscribe", json!({ "uri": "library://books/0" })).await;
    assert_eq!(again["result"], json!({}), "the same again is none more");
    let more =
        session.request("resources/subscribe", json!({ "uri": "library://books/256" })).await;
    assert!(more["error"]["message"].as_str().unwrap().contains("256"), "{more}");
    let uris: Vec<_> = (0..300).map(|it| format!("library://books/{it}")).collect();
    let (_, agreed) = server.client().listen_for(json!({ "resourceSubscriptions": uris })).await;
    assert_eq!(agreed["resourceSubscriptions"].as_array().unwrap().len(), 256);
}

/// Receives all of `uris`, in whatever order.
async fn all_notified(listener: &mut Listener, uris: &[String]) {
    let mut missing: Vec<_> = uris.to_vec();
    while !missing.is_empty() {
        let (_, uri) = listener.notified().await;
        missing.retain(|it| Some(it) != uri.as_ref());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stalled_listener_delays_no_other() {
    let server = library(&[]).await;
    let long = "x".repeat(900);
    let uris: Vec<_> = (0..100).map(|it| format!("library://books/{it}{long}")).collect();
    let wanted = json!({ "resourceSubscriptions": uris });
    let client = server.client();
    let session = LegacySession::open(&server.url()).await;
    for uri in &uris {
        session.request("resources/subscribe", json!({ "uri": uri })).await;
    }
    // Two that never read what they are sent, one of each era, and one that does.
    let (_stalled, _) = client.listen_for(wanted.clone()).await;
    let _stalled_session = session.listen().await;
    let (mut healthy, _) = client.listen_for(wanted).await;
    // More than the buffers between here and there hold.
    let rounds = async {
        for _ in 0..60 {
            client.output("ring", json!({ "uris": uris })).await;
            all_notified(&mut healthy, &uris).await;
        }
    };
    tokio::time::timeout(tests::PATIENCE, rounds).await.expect("nobody else is waited for");
}

#[tokio::test(flavor = "multi_thread")]
async fn reconnected_session_receives_only_new_notifications() {
    let server = library(&[]).await;
    let session = LegacySession::open(&server.url()).await;
    for book in ["library://books/1", "library://books/2"] {
        session.request("resources/subscribe", json!({ "uri": book })).await;
    }
    let mut listener = session.listen().await;
    ring(&server, "library://books/1").await;
    assert_eq!(listener.notified().await, updated("library://books/1"));
    drop(listener);
    // Until the server has noticed that the first stream is gone, another one hears nothing.
    let heard = async {
        loop {
            let mut again = session.listen().await;
            ring(&server, "library://books/2").await;
            if let Some(event) = again.next(std::time::Duration::from_millis(500)).await {
                return event["params"]["uri"].clone();
            }
        }
    };
    let heard = tokio::time::timeout(tests::PATIENCE, heard).await.expect("it hears of it");
    assert_eq!(heard, "library://books/2");
}
