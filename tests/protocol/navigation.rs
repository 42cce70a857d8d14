//! Navigation from the outside: asked by a client that others wrote, and by people in a browser.

use fantoccini::key::Key;
use serde_json::Value;
use tests::{
    browser::{Browser, Look},
    server::TestServer,
};

mod asking;
mod choosing;
mod ends;
mod foreign;
mod hostile;
mod inline;
mod keyboard;
mod sight;

/// The place, open in a browser.
struct Opened {
    server: TestServer,
    browser: Browser,
    look: Look,
}

/// The bundled network's own two stations.
const ENDS: (&str, &str) = ("東京駅", "横浜駅");

impl Opened {
    async fn with(look: Look) -> Self {
        let server = TestServer::with(&["assistant", "navigation"]).await;
        Self::at(server, look).await
    }

    async fn at(server: TestServer, look: Look) -> Self {
        let browser = Browser::open_at(&server.url(), "#/navigation", look).await;
        let opened = Self { server, browser, look };
        opened.browser.role("heading", opened.word("ルートを探す", "Find a route")).await;
        opened
    }

    /// What the page says in the browser's language.
    fn word(&self, japanese: &'static str, english: &'static str) -> &'static str {
        if self.look.language == "ja" { japanese } else { english }
    }

    async fn mode(&self, japanese: &'static str, english: &'static str) {
        self.browser.hit("radio", self.word(japanese, english)).await;
    }

    /// Says where from and where to; what is suggested is put away.
    async fn ends(&self, from: &str, to: &str) {
        for (label, text) in [(self.word("出発地", "From"), from), (self.word("目的地", "To"), to)]
        {
            self.browser.fill(label, text).await;
            self.browser.holds(label, text).await;
            self.browser.key(Key::Tab).await;
        }
    }

    async fn search(&self) {
        self.browser.hit("button", self.word("ルート検索", "Search routes")).await;
    }

    /// Asks in the AI mode, and waits until the answer is there.
    async fn ask(&self, condition: &str) {
        self.browser.fill(self.word("ナビ条件", "Condition"), condition).await;
        self.search().await;
        self.answered().await;
    }

    /// Waits until there is a route with its directions, and nothing runs.
    async fn answered(&self) {
        self.browser.until("document.querySelectorAll('.nav-steps button').length > 2").await;
        self.browser
            .until("document.querySelector('.nav-result')?.getAttribute('aria-busy') === 'false'")
            .await;
    }

    /// The calls of the log: tool, and parameters as they are written.
    async fn log(&self) -> Vec<(String, String)> {
        let script = "return [...document.querySelectorAll('.nav-log-entry')]
            .filter(it => it.querySelector('.nav-log-params'))
            .map(it => [it.querySelector('.nav-log-name').textContent,
                [...it.querySelectorAll('.nav-log-params li')].map(it => it.textContent.trim()).join('; ')]);";
        serde_json::from_value(self.browser.script(script).await).unwrap()
    }

    /// What the routes are called.
    async fn names(&self) -> Vec<String> {
        let script = "return [...document.querySelectorAll('input[name=nav-route]')]
            .map(it => it.nextElementSibling.firstChild.textContent.trim());";
        serde_json::from_value(self.browser.script(script).await).unwrap()
    }

    /// The index of the one that is looked at.
    async fn chosen(&self) -> Value {
        let script = "return [...document.querySelectorAll('input[name=nav-route]')].findIndex(it => it.checked);";
        self.browser.script(script).await
    }

    async fn directions(&self) -> Vec<String> {
        let script = "return [...document.querySelectorAll('.nav-step-text')].map(it => it.textContent.trim());";
        serde_json::from_value(self.browser.script(script).await).unwrap()
    }

    async fn close(self) {
        assert_eq!(self.browser.complaints().await, Vec::<String>::new());
        self.browser.close().await;
    }
}
