//! A browser that a test drives as a person would: by what is on the page, by role and label.

use std::{
    net::TcpListener,
    path::PathBuf,
    process::Stdio,
    time::{Duration, Instant},
};

use fantoccini::{Client, ClientBuilder, Locator, elements::Element, key::Key};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tokio::process::{Child, Command};

/// How long anything may take to appear.
const PATIENCE: Duration = Duration::from_secs(20);
/// How often to look for it.
const LOOK_EVERY: Duration = Duration::from_millis(25);

/// How a browser looks at the page.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// In CSS pixels.
    pub width: u32,
    /// In CSS pixels.
    pub height: u32,
    /// Whether the device prefers dark.
    pub dark: bool,
    /// `ja` or `en`.
    pub language: &'static str,
}

impl Look {
    /// A desk.
    pub const DESKTOP: Self = Self { width: 1280, height: 900, dark: false, language: "en-US" };
    /// A hand.
    pub const PHONE: Self = Self { width: 390, height: 844, dark: false, language: "en-US" };

    /// The same at night.
    #[must_use]
    pub fn dark(self) -> Self {
        Self { dark: true, ..self }
    }

    /// The same in Japanese.
    #[must_use]
    pub fn japanese(self) -> Self {
        Self { language: "ja", ..self }
    }
}

/// One browser with a profile of its own.
pub struct Browser {
    client: Client,
    driver: Child,
    url: String,
    _profile: tempfile::TempDir,
}

fn program(variable: &str, names: &[&str]) -> PathBuf {
    let given = std::env::var_os(variable).map(PathBuf::from);
    let found = names.iter().map(PathBuf::from).find(|it| it.is_file());
    given.or(found).unwrap_or_else(|| panic!("no {names:?}; `cargo xtask test` installs them"))
}

impl Browser {
    /// Opens the page of the server at `url`.
    pub async fn open(url: &str, look: Look) -> Self {
        let chromium = program("CHROMIUM", &["/usr/bin/chromium", "/usr/bin/chromium-browser"]);
        let chromedriver = program("CHROMEDRIVER", &["/usr/bin/chromedriver"]);
        // Free now; nobody else asks for one between here and the driver's start but us.
        let port = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr());
        let port = port.expect("there is a free port").port();
        let driver = Command::new(chromedriver)
            .arg(format!("--port={port}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("chromedriver starts");
        let profile = tempfile::tempdir().expect("a temporary folder can be made");
        let client = connect(port, &capabilities(&chromium, &profile, look)).await;
        // The window of a headless browser is not the viewport: ask for the viewport itself.
        let browser = Self { client, driver, url: url.to_owned(), _profile: profile };
        browser.emulate(look).await;
        browser.go("").await;
        browser
    }

    async fn emulate(&self, look: Look) {
        let size = json!({
            "width": look.width, "height": look.height, "deviceScaleFactor": 1,
            "mobile": look.width < 600,
        });
        self.devtools("Emulation.setDeviceMetricsOverride", size).await;
        let scheme = if look.dark { "dark" } else { "light" };
        let features = json!([
            { "name": "prefers-color-scheme", "value": scheme },
            { "name": "prefers-reduced-motion", "value": "reduce" },
        ]);
        self.devtools("Emulation.setEmulatedMedia", json!({ "features": features })).await;
    }

    /// A command of the browser's own protocol.
    pub async fn devtools(&self, method: &str, params: Value) {
        let command = DevTools { method: method.to_owned(), params };
        self.client.issue_cmd(command).await.expect("the browser obeys");
    }

    /// Goes to an address of the page: `#/counter`.
    pub async fn go(&self, address: &str) {
        self.client.goto(&format!("{}/{address}", self.url)).await.expect("the page opens");
    }

    /// The element that fits a CSS selector, once it is there.
    pub async fn find(&self, css: &str) -> Element {
        let found = self.client.wait().at_most(PATIENCE).every(LOOK_EVERY);
        match found.for_element(Locator::Css(css)).await {
            Ok(element) => element,
            Err(error) => panic!("{css}: {error}; the page says: {}", self.text("body").await),
        }
    }

    /// Clicks what fits a CSS selector, in the middle of the window, where nothing lies over it.
    pub async fn click(&self, css: &str) {
        let element = self.find(css).await;
        let script = "arguments[0].scrollIntoView({ block: 'center', inline: 'center' })";
        let reference = serde_json::to_value(&element).expect("a reference is JSON");
        self.client.execute(script, vec![reference]).await.expect("the page scrolls");
        element.click().await.expect("nothing lies over it");
    }

    /// All elements that fit a CSS selector now.
    pub async fn all(&self, css: &str) -> Vec<Element> {
        self.client.find_all(Locator::Css(css)).await.expect("the page is there")
    }

    /// The element of that role whose name, label or text contains `name`, once it is there.
    pub async fn role(&self, role: &str, name: &str) -> Element {
        let script = "
            const [role, name] = arguments;
            const own = { button: 'button', link: 'a[href]', textbox: 'input,textarea', heading: 'h1,h2,h3,h4' }[role];
            const all = document.querySelectorAll(`[role=${role}]${own ? ',' + own : ''}`);
            const label = it => it.getAttribute('aria-label')
                || [...(it.labels || [])].map(it => it.textContent).join(' ') || it.textContent;
            return [...all].find(it => it.checkVisibility() && label(it).includes(name)) || null;";
        let began = Instant::now();
        loop {
            let found = self.client.execute(script, vec![json!(role), json!(name)]).await;
            if let Some(element) = found.ok().and_then(|it| self.element(&it)) {
                return element;
            }
            if began.elapsed() > PATIENCE {
                panic!("no {role} {name:?}; the page says: {}", self.text("body").await);
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// The element that a script returned: an object with its id under a name of the standard's.
    fn element(&self, reference: &Value) -> Option<Element> {
        let id = reference.as_object()?.values().next()?.as_str()?;
        Some(Element::from_element_id(self.client.clone(), id.to_owned().into()))
    }

    /// What an element says, once it is there.
    pub async fn text(&self, css: &str) -> String {
        let found = self.client.find(Locator::Css(css)).await;
        match found {
            Ok(element) => element.text().await.unwrap_or_default(),
            Err(_) => String::new(),
        }
    }

    /// Waits until an element says something with `part` in it.
    pub async fn says(&self, css: &str, part: &str) {
        let began = Instant::now();
        loop {
            let text = self.text(css).await;
            if text.contains(part) {
                return;
            }
            assert!(began.elapsed() < PATIENCE, "{css} does not say {part:?} but {text:?}");
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Presses keys where the focus is.
    pub async fn press(&self, keys: &str) {
        let focused = self.client.active_element().await.expect("something has the focus");
        focused.send_keys(keys).await.expect("it takes keys");
    }

    /// Presses one key where the focus is.
    pub async fn key(&self, key: Key) {
        self.press(&key.to_string()).await;
    }

    /// An attribute of whatever has the focus.
    pub async fn focused(&self, attribute: &str) -> String {
        let focused = self.client.active_element().await.expect("something has the focus");
        focused.attr(attribute).await.ok().flatten().unwrap_or_default()
    }

    /// What a script returns.
    pub async fn script(&self, script: &str) -> Value {
        self.client.execute(script, vec![]).await.expect("the script runs")
    }

    /// What axe finds that is serious or worse: rule, and where.
    pub async fn serious_faults(&self) -> Vec<String> {
        let axe = crate::root().join("node_modules/axe-core/axe.min.js");
        let axe = std::fs::read_to_string(axe).expect("`npm ci` has brought axe");
        self.client.execute(&axe, vec![]).await.expect("axe loads");
        let script = "
            const done = arguments[arguments.length - 1];
            axe.run(document, { resultTypes: ['violations'] }).then(it => done(
                it.violations.filter(it => ['serious', 'critical'].includes(it.impact)).map(it =>
                    it.id + ': ' + it.help + ': ' + it.nodes.slice(0, 3).map(it => it.html).join(' | '))));";
        let faults = self.client.execute_async(script, vec![]).await.expect("axe runs");
        serde_json::from_value(faults).expect("axe gives a list")
    }

    /// Whether the page is wider than the window.
    pub async fn overflows(&self) -> bool {
        let script = "return document.documentElement.scrollWidth > window.innerWidth;";
        self.script(script).await == json!(true)
    }

    /// Keeps a picture in the folder that `MADOGUCHI_SCREENSHOTS` names, if it names one.
    pub async fn picture(&self, name: &str) {
        let Some(folder) = std::env::var_os("MADOGUCHI_SCREENSHOTS").map(PathBuf::from) else {
            return;
        };
        let png = self.client.screenshot().await.expect("the browser can see");
        std::fs::create_dir_all(&folder).expect("the folder can be made");
        std::fs::write(folder.join(format!("{name}.png")), png).expect("it can be written");
    }

    /// What the browser complained about in its console.
    pub async fn complaints(&self) -> Vec<String> {
        let log = self.client.issue_cmd(Log).await.expect("the browser has a log");
        let entries = log.as_array().cloned().unwrap_or_default();
        let severe = entries.iter().filter(|it| it["level"] == "SEVERE");
        severe.map(|it| it["message"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Closes it.
    pub async fn close(mut self) {
        let _ = self.client.clone().close().await;
        let _ = self.driver.kill().await;
    }
}

fn capabilities(chromium: &std::path::Path, profile: &tempfile::TempDir, look: Look) -> Value {
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

async fn connect(port: u16, capabilities: &Value) -> Client {
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
struct DevTools {
    method: String,
    params: Value,
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
struct Log;

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
