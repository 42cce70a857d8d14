//! The browser's driver: how to start a session, and what it takes beyond the standard.

use std::time::{Duration, Instant};

use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};

use super::{Look, PATIENCE};

pub(super) fn capabilities(
    chromium: &std::path::Path,
    profile: &tempfile::TempDir,
    look: Look,
) -> Value {
    let profile = format!("--user-data-dir={}", profile.path().display());
    let size = format!("--window-size={},{}", look.width.max(500), look.height);
    let language = format!("--lang={}", look.language);
    json!({
        "goog:chromeOptions": {
            "binary": chromium,
            "args": [
                "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
                "--disable-component-update", "--disable-sync", "--no-first-run", "--disable-quic",
                "--disable-dev-shm-usage", profile, size, language,
            ],
            "prefs": { "intl.accept_languages": look.language },
        },
        "goog:loggingPrefs": { "browser": "ALL" },
    })
}

pub(super) async fn connect(port: u16, capabilities: &Value) -> Client {
    let capabilities = capabilities.as_object().expect("it is an object").clone();
    let began = Instant::now();
    loop {
        let mut builder = ClientBuilder::new(HttpConnector::new());
        builder.capabilities(capabilities.clone());
        match builder.connect(&format!("http://127.0.0.1:{port}")).await {
            Ok(client) => return client,
            Err(error) => assert!(began.elapsed() < PATIENCE, "chromedriver: {error}"),
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Chromedriver's way to the browser's own protocol.
#[derive(Debug)]
pub(super) struct DevTools {
    pub(super) method: String,
    pub(super) params: Value,
}

impl fantoccini::wd::WebDriverCompatibleCommand for DevTools {
    fn endpoint(
        &self,
        base: &url::Url,
        session: Option<&str>,
    ) -> Result<url::Url, url::ParseError> {
        base.join(&format!("session/{}/goog/cdp/execute", session.unwrap_or_default()))
    }

    fn method_and_body(&self, _: &url::Url) -> (http::Method, Option<String>) {
        let body = json!({ "cmd": self.method, "params": self.params });
        (http::Method::POST, Some(body.to_string()))
    }
}

/// Chromedriver's way to the browser's console.
#[derive(Debug)]
pub(super) struct Log;

impl fantoccini::wd::WebDriverCompatibleCommand for Log {
    fn endpoint(
        &self,
        base: &url::Url,
        session: Option<&str>,
    ) -> Result<url::Url, url::ParseError> {
        base.join(&format!("session/{}/se/log", session.unwrap_or_default()))
    }

    fn method_and_body(&self, _: &url::Url) -> (http::Method, Option<String>) {
        (http::Method::POST, Some(json!({ "type": "browser" }).to_string()))
    }
}

/// What the browser itself makes of an element, for what reads to people.
#[derive(Debug)]
pub(super) struct Computed {
    pub(super) id: String,
    pub(super) what: &'static str,
}

impl fantoccini::wd::WebDriverCompatibleCommand for Computed {
    fn endpoint(
        &self,
        base: &url::Url,
        session: Option<&str>,
    ) -> Result<url::Url, url::ParseError> {
        let (session, Self { id, what }) = (session.unwrap_or_default(), self);
        base.join(&format!("session/{session}/element/{id}/{what}"))
    }

    fn method_and_body(&self, _: &url::Url) -> (http::Method, Option<String>) {
        (http::Method::GET, None)
    }
}
