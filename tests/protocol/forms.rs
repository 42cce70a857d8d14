//! Forms from the outside: asked for by clients that others wrote, filled in by people in a browser.

use serde_json::{Value, json};
use tests::{
    browser::{Browser, Look},
    forms::{self, RequestedForm},
    server::TestServer,
};

mod drafts;
mod endings;
mod errors;
mod examples;
mod foreign;
mod hostile;
mod inline;
mod keyboard;
mod lookups;
mod many;
mod sight;
mod types;

/// A form that an agent asked for, open in a browser.
struct Opened {
    server: TestServer,
    browser: Browser,
    look: Look,
    asked: RequestedForm,
    form: Value,
}

impl Opened {
    /// A server, a browser and a form in it.
    async fn with(form: &Value, look: Look) -> Self {
        let server = forms::server().await;
        let asked = forms::ask(&server.client(), form).await;
        let browser = Browser::open_at(&server.url(), &place(&asked), look).await;
        let opened = Self { server, browser, look, asked, form: form.clone() };
        opened.is_there().await;
        opened
    }

    /// Another form in the same browser.
    async fn next(&mut self, form: &Value) {
        self.asked = forms::ask(&self.server.client(), form).await;
        self.form = form.clone();
        self.browser.go(&place(&self.asked)).await;
        self.is_there().await;
    }

    /// Waits for the form, which was opened where the answer to the agent says that it is.
    async fn is_there(&self) {
        assert_eq!(self.asked.url, format!("{}/{}", self.server.url(), place(&self.asked)));
        let title = self.form["title"].as_str().unwrap();
        self.browser.role("heading", title).await;
        // It has the focus a moment later.
        self.browser.until("document.activeElement.id.endsWith('-title')").await;
    }

    /// What the button says that sends it.
    fn send_label(&self) -> &str {
        let spoken = if self.look.language == "ja" { "送信" } else { "Send" };
        self.form["submitLabel"].as_str().unwrap_or(spoken)
    }

    async fn send(&self) {
        self.browser.hit("button", self.send_label()).await;
    }

    /// What the agent that asked gets, once it was sent.
    async fn values(&self) -> Value {
        forms::values(&self.server.client(), &self.asked.handle).await
    }

    /// What the agent that asked would get now.
    async fn status(&self) -> Value {
        forms::submission(&self.server.client(), &self.asked.handle).await["status"].clone()
    }

    /// The summary of what is wrong, which has the focus, lists this and leads there.
    async fn summary_lists(&self, messages: &[&str]) {
        for message in messages {
            self.browser.role("link", message).await;
        }
    }

    async fn close(self) {
        assert_eq!(self.browser.complaints().await, Vec::<String>::new());
        self.browser.close().await;
    }
}

/// Where a form is filled in.
fn place(asked: &RequestedForm) -> String {
    format!("f/{}", asked.handle)
}

/// `YYYY-MM-DD` so many days after today, where the browser is.
async fn day(browser: &Browser, after: i64) -> String {
    let script = "
        const it = new Date();
        it.setDate(it.getDate() + arguments[0]);
        const two = it => String(it).padStart(2, '0');
        return `${it.getFullYear()}-${two(it.getMonth() + 1)}-${two(it.getDate())}`;";
    browser.ask(script, vec![json!(after)]).await.as_str().unwrap().to_owned()
}

/// The keys for a day in a browser that speaks American English: month, day, year.
fn keys(day: &str) -> String {
    format!("{}{}{}", &day[5..7], &day[8..], &day[..4])
}
