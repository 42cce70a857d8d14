//! The chat in a browser, answered by the built-in planner: writing, answers, approvals, a reload (ILL-46).

use fantoccini::key::Key;
use serde_json::json;
use tests::{
    browser::{Browser, Look},
    server::TestServer,
};

mod doing;
mod sight;
mod talking;

/// The place, open in a browser.
struct Opened {
    server: TestServer,
    browser: Browser,
}

impl Opened {
    async fn with(look: Look) -> Self {
        let server =
            TestServer::with(&["cinema", "assistant", "forms", "illustrations", "navigation"])
                .await;
        let browser = Browser::open_at(&server.url(), "#/chat", look).await;
        browser.until("document.querySelectorAll('.chat-who option').length > 0").await;
        Self { server, browser }
    }

    /// Says something with Enter, and waits until its answer has ended.
    async fn say(&self, text: &str) {
        let before = self.count(".chat-answer").await;
        self.browser.focus("#chat-input").await;
        self.browser.press(text).await;
        self.browser.key(Key::Enter).await;
        self.browser
            .until(&format!("document.querySelectorAll('.chat-answer').length > {before}"))
            .await;
        self.rests().await;
    }

    async fn rests(&self) {
        self.browser
            .until("document.querySelector('.chat-log').getAttribute('aria-busy') === 'false'")
            .await;
    }

    async fn count(&self, css: &str) -> u64 {
        let script = "return document.querySelectorAll(arguments[0]).length";
        self.browser.ask(script, vec![json!(css)]).await.as_u64().unwrap()
    }

    async fn close(self) {
        assert_eq!(self.browser.complaints().await, Vec::<String>::new());
        self.browser.close().await;
    }
}

const WAY: &str = "東京駅から横浜駅まで、高速を使わずに";
