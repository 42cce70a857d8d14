//! Failures outside become the specified errors (NAV-10, NAV-40).

use std::sync::{Arc, Mutex};

use axum::{Json, Router, routing::get};
use serde_json::{Value, json};
use tests::{
    component_bytes,
    server::{Folders, TestServer},
};
use tokio::{net::TcpListener, sync::Semaphore};

use super::{error, request_body};

/// A fake Google that only returns statuses.
pub(super) struct Google {
    port: u16,
    requested: Arc<Semaphore>,
    hung_up: Arc<Semaphore>,
}

/// Adds a permit when it is dropped with its caller.
struct Gone(Arc<Semaphore>);

impl Drop for Gone {
    fn drop(&mut self) {
        self.0.add_permits(1);
    }
}

impl Google {
    /// A Google that answers every request like this.
    pub(super) async fn answering(answer: Value) -> Self {
        Self::start(Arc::new(Mutex::new(Some(answer)))).await
    }

    /// A Google that never answers.
    pub(super) async fn silent() -> Self {
        Self::start(Arc::default()).await
    }

    pub(super) async fn start(answer: Arc<Mutex<Option<Value>>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let port = listener.local_addr().expect("it listens").port();
        let (requested, hung_up) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
        let (asks, goes) = (requested.clone(), hung_up.clone());
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
        Self { port, requested, hung_up }
    }

    /// A server that uses it.
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

    /// Waits for a request.
    pub(super) async fn until_requested(&self) {
        within(&self.requested).await;
    }

    /// Waits until the request has ended.
    pub(super) async fn until_hung_up(&self) {
        within(&self.hung_up).await;
    }
}

/// Takes one permit within a time limit.
async fn within(permits: &Semaphore) {
    let one = tokio::time::timeout(tests::PATIENCE, permits.acquire()).await;
    one.expect("it happens").expect("it is never closed").forget();
}

/// The provider's status and the expected answer: status, code, details, retry.
#[tokio::test(flavor = "multi_thread")]
async fn maps_every_provider_status() {
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
            let response =
                server.client().post(path, &[], request_body("一番早い").to_string()).await;
            assert_eq!(response.status().as_u16(), status, "NAV-40: {expected}");
            let retry = response.headers().contains_key("retry-after");
            assert_eq!(retry, comes_back, "NAV-40: {expected}");
            let body: Value = response.json().await.unwrap();
            assert_eq!(error(&body), (code, details), "NAV-10, NAV-40: {expected}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn correctable_requests_get_a_hint_and_no_error() {
    for part in ["ZERO_RESULTS", "NOT_FOUND", "INVALID_REQUEST", "MAX_ROUTE_LENGTH_EXCEEDED"] {
        let google = Google::answering(json!({ "status": part, "routes": [] })).await;
        let server = google.serving().await;
        let body = super::navigate(&server.client(), "一番早い").await;
        assert_eq!(body["route"], Value::Null, "NAV-8, NAV-40: {part}");
        assert!(body["reasoning"]["message"].as_str().is_some_and(|it| !it.is_empty()), "{part}");
    }
}

#[tokio::test]
async fn reports_the_missing_component() {
    let server = TestServer::with(&["assistant", "cinema"]).await;
    let (status, body) =
        super::post(&server.client(), "/api/navigate", &request_body("一番早い")).await;
    assert_eq!((status, &body["error"]), (404, &json!("not_found")), "{body}");
    assert!(body["message"].as_str().unwrap().contains("/api/health"), "{body}");
}

#[tokio::test]
async fn unlisted_assistant_is_not_called() {
    let folders = Folders::new();
    for name in ["assistant", "navigation"] {
        folders.put(name, &component_bytes(name));
    }
    let server = TestServer::start(folders, |config| {
        let navigation = config.components.get_mut("navigation").expect("it is bundled");
        navigation.asks = Some(["illustrations".to_owned()].into());
    })
    .await;
    let (status, body) =
        super::post(&server.client(), "/api/navigate", &request_body("一番早い")).await;
    assert_eq!(status, 503, "{body}");
    assert!(error(&body).1.contains("may not ask the assistant navigation"), "{body}");
}
