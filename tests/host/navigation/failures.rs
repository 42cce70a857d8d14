//! What goes wrong outside becomes the specified error (NAV-10, NAV-40).

use std::sync::{Arc, Mutex};

use axum::{Json, Router, routing::get};
use serde_json::{Value, json};
use tests::{
    component_bytes,
    server::{Folders, TestServer},
};
use tokio::{net::TcpListener, sync::Semaphore};

use super::{asked, error};

/// Google, as far as it says nothing but a status.
pub(super) struct Google {
    port: u16,
    asked: Arc<Semaphore>,
    hung_up: Arc<Semaphore>,
}

/// Adds a permit when it is dropped: no caller waits any more.
struct Gone(Arc<Semaphore>);

impl Drop for Gone {
    fn drop(&mut self) {
        self.0.add_permits(1);
    }
}

impl Google {
    /// One that answers everything so.
    pub(super) async fn answering(answer: Value) -> Self {
        Self::start(Arc::new(Mutex::new(Some(answer)))).await
    }

    /// One that never answers.
    pub(super) async fn silent() -> Self {
        Self::start(Arc::default()).await
    }

    pub(super) async fn start(answer: Arc<Mutex<Option<Value>>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let port = listener.local_addr().expect("it listens").port();
        let (asked, hung_up) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
        let (asks, goes) = (asked.clone(), hung_up.clone());
        let answer = move || {
            let (answer, asks, gone) = (answer.clone(), asks.clone(), Gone(goes.clone()));
            async move {
                asks.add_permits(1);
                let answer = answer.lock().expect("no test panics while it serves").clone();
                let answer = match answer {
                    Some(answer) => answer,
                    None => std::future::pending().await,
                };
                drop(gone);
                Json(answer)
            }
        };
        let router = Router::new().fallback(get(answer));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { port, asked, hung_up }
    }

    /// A server that asks it.
    pub(super) async fn serving(&self) -> TestServer {
        let folders = Folders::new();
        for name in ["assistant", "navigation"] {
            folders.put(name, &component_bytes(name));
        }
        let port = self.port;
        let config = folders.config_with(&format!(
            "[components.navigation.settings]\nprovider = 'google-legacy'\n\
             google_url = 'http://127.0.0.1:{port}'\n\
             [[components.navigation.http]]\nhost = '127.0.0.1'\nscheme = 'http'\nport = {port}\nprivate = true\n"
        ));
        TestServer::start(folders, |it| *it = config).await
    }

    /// Waits until it is asked something.
    pub(super) async fn asked(&self) {
        within(&self.asked).await;
    }

    /// Waits until the client that asked has gone, or got an answer.
    pub(super) async fn hung_up(&self) {
        within(&self.hung_up).await;
    }
}

/// Takes one permit, and does not wait for ever.
async fn within(permits: &Semaphore) {
    let one = tokio::time::timeout(tests::PATIENCE, permits.acquire()).await;
    one.expect("it happens").expect("it is never closed").forget();
}

/// What the provider says, and what is answered: status, code, details, and whether to come back.
#[tokio::test(flavor = "multi_thread")]
async fn every_status_of_the_provider_has_its_answer() {
    for (expected, status, code, details, comes_back) in [
        ("OVER_QUERY_LIMIT", 503, "GOOGLE_MAPS_ERROR", "OVER_QUERY_LIMIT", true),
        ("OVER_DAILY_LIMIT", 503, "GOOGLE_MAPS_ERROR", "OVER_QUERY_LIMIT", true),
        ("REQUEST_DENIED", 500, "INTERNAL_ERROR", "REQUEST_DENIED", false),
        ("UNKNOWN_ERROR", 502, "GOOGLE_MAPS_ERROR", "UNKNOWN_ERROR", false),
        ("SOMETHING_NEW", 502, "GOOGLE_MAPS_ERROR", "UNKNOWN_ERROR", false),
    ] {
        let google = Google::answering(json!({ "status": expected })).await;
        let server = google.serving().await;
        for path in ["/api/navigate", "/api/route"] {
            let response = server.client().post(path, &[], asked("一番早い").to_string()).await;
            assert_eq!(response.status().as_u16(), status, "NAV-40: {expected}");
            let retry = response.headers().contains_key("retry-after");
            assert_eq!(retry, comes_back, "NAV-40: {expected}");
            let body: Value = response.json().await.unwrap();
            assert_eq!(error(&body), (code, details), "NAV-10, NAV-40: {expected}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_be_mended_is_told_in_words_and_is_no_error() {
    for part in ["ZERO_RESULTS", "NOT_FOUND", "INVALID_REQUEST", "MAX_ROUTE_LENGTH_EXCEEDED"] {
        let google = Google::answering(json!({ "status": part, "routes": [] })).await;
        let server = google.serving().await;
        let body = super::navigate(&server.client(), "一番早い").await;
        assert_eq!(body["route"], Value::Null, "NAV-8, NAV-40: {part}");
        assert!(body["reasoning"]["message"].as_str().is_some_and(|it| !it.is_empty()), "{part}");
    }
}

#[tokio::test]
async fn without_the_component_it_is_said_that_it_is_missing() {
    let server = TestServer::with(&["assistant", "cinema"]).await;
    let (status, body) = super::post(&server.client(), "/api/navigate", &asked("一番早い")).await;
    assert_eq!((status, &body["error"]), (404, &json!("not_found")), "{body}");
    assert!(body["message"].as_str().unwrap().contains("/api/health"), "{body}");
}

#[tokio::test]
async fn an_assistant_that_it_may_not_ask_is_not_asked() {
    let folders = Folders::new();
    for name in ["assistant", "navigation"] {
        folders.put(name, &component_bytes(name));
    }
    let server = TestServer::start(folders, |config| {
        let navigation = config.components.get_mut("navigation").expect("it is bundled");
        navigation.asks = Some(["illustrations".to_owned()].into());
    })
    .await;
    let (status, body) = super::post(&server.client(), "/api/navigate", &asked("一番早い")).await;
    assert_eq!(status, 503, "{body}");
    assert!(error(&body).1.contains("may not ask the assistant navigation"), "{body}");
}
