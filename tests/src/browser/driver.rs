//! WebDriver: starting a session, and commands beyond the standard.

use std::time::{Duration, Instant};

use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};

use super::PATIENCE;

/// Opens a session in the browser at `debugger`.
pub(super) async fn connect(port: u16, debugger: &str) -> Client {
    let capabilities = json!({
        "goog:chromeOptions": { "debuggerAddress": debugger },
        "goog:loggingPrefs": { "browser": "ALL" },
        // A script that draws a large hall a thousand times takes its time on a busy machine.
        "timeouts": { "script": 240_000 },
    });
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

/// A command of the DevTools protocol through Chromedriver.
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

/// The browser's console through Chromedriver.
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

/// The computed role or label of an element, as for screen readers.
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
