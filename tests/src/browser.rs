//! A browser driven as a person would: by the page's texts, roles and labels.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use fantoccini::{
    Client, Locator,
    elements::Element,
    error::{CmdError, ErrorStatus},
    key::Key,
    wd::WindowHandle,
};
use serde_json::{Value, json};

mod driver;
pub mod firefox;
mod roles;

use crate::PATIENCE;
use driver::Chromium;
use driver::{DevTools, Log, connect};

/// The interval of polling.
const LOOK_EVERY: Duration = Duration::from_millis(25);

/// Maximum number of Tab presses on the way to an element.
const TABS_MAX: usize = 120;

/// Rules of axe that depend on colours.
const COLOURS: [&str; 2] = ["color-contrast", "link-in-text-block"];

/// Counts the notification streams that a document opens. A window whose leader is slow to answer, as on a busy
/// machine, does not take its place.
const COUNT: &str = "
    const later = window.setTimeout.bind(window);
    window.setTimeout = (what, time = 0, ...given) => later(what, time === 2000 ? 120_000 : time, ...given);
    window.listening = 0;
    const send = window.fetch;
    window.fetch = async (request, options) => {
        const method = request.headers?.get('mcp-method') ?? options?.headers?.['Mcp-Method'];
        const answer = await send(request, options);
        if (method === 'subscriptions/listen') window.listening += 1;
        return answer;
    };";

/// Blocks presses in a frame except on one element, and records whether that was pressed.
const GUARD: &str = "
    const [it] = arguments;
    window.guard?.end();
    delete window.guard;
    if (window === window.top) return;
    let isHit = false;
    const kinds = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'];
    const look = (event) => {
        const isIts = it.contains(event.target) || event.target.closest?.('label')?.control === it;
        if (!isIts) {
            event.preventDefault();
            event.stopImmediatePropagation();
        } else if (event.type === 'click') {
            isHit = true;
        }
    };
    kinds.forEach((kind) => window.addEventListener(kind, look, true));
    window.guard = {
        end() {
            kinds.forEach((kind) => window.removeEventListener(kind, look, true));
            return isHit;
        },
    };";

/// Whether an error of using an element comes of its being redrawn or not laid out yet.
fn passes(error: &ErrorStatus) -> bool {
    use ErrorStatus::{ElementNotInteractable, NoSuchElement, StaleElementReference};
    matches!(error, ElementNotInteractable | NoSuchElement | StaleElementReference)
}

/// An element as an argument of scripts.
fn reference(element: &Element) -> Value {
    serde_json::to_value(element).expect("a reference is JSON")
}

/// The window and the preferences of a browser.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// The width of the window, in CSS pixels.
    pub width: u32,
    /// The height of the window, in CSS pixels.
    pub height: u32,
    /// Whether it prefers a dark page.
    pub dark: bool,
    /// The browser's language: `ja` or `en`.
    pub language: &'static str,
}

impl Look {
    /// The screen of a desktop.
    pub const DESKTOP: Self = Self { width: 1280, height: 900, dark: false, language: "en-US" };
    /// The screen of a phone.
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

/// A browser with fresh state for one test. It returns to the pool when dropped, unless the test fails.
pub struct Browser {
    client: Client,
    session: String,
    /// None after its return to the pool.
    chromium: Option<Chromium>,
    url: String,
}

impl Browser {
    /// Opens the page of the server at `url`.
    pub async fn open(url: &str, look: Look) -> Self {
        Self::open_at(url, "", look).await
    }

    /// Opens an address such as `#/counter` of the page at `url`.
    pub async fn open_at(url: &str, address: &str, look: Look) -> Self {
        let mut chromium = Chromium::take(look.language).await;
        let client = connect(driver::driver(), &chromium.debugger).await;
        let session = client.session_id().await.ok().flatten().expect("there is a session");
        let visited = std::mem::replace(&mut chromium.visited, vec![url.to_owned()]);
        let chromium = Some(chromium);
        let browser = Self { client, session, chromium, url: url.to_owned() };
        browser.begin_anew(visited).await;
        // The window of a headless browser is not the viewport: ask for the viewport itself.
        browser.emulate(look).await;
        browser.go(address).await;
        browser
    }

    /// Deletes the state of earlier tests.
    async fn begin_anew(&self, visited: Vec<String>) {
        for origin in visited {
            let all = json!({ "origin": origin, "storageTypes": "all" });
            self.devtools("Storage.clearDataForOrigin", all).await;
        }
        self.devtools("Network.clearBrowserCookies", json!({})).await;
        self.devtools("Network.clearBrowserCache", json!({})).await;
        self.devtools("Browser.resetPermissions", json!({})).await;
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

    /// Sends a DevTools command and returns its result.
    pub async fn devtools(&self, method: &str, params: Value) -> Value {
        let command = DevTools { method: method.to_owned(), params };
        self.client.issue_cmd(command).await.expect("the browser obeys")
    }

    /// Runs a script in each document of this window before the document's own scripts, from the next load on.
    pub async fn begins_with(&self, script: &str) {
        let script = json!({ "source": script });
        self.devtools("Page.addScriptToEvaluateOnNewDocument", script).await;
    }

    /// Reloads the page, and waits until the document before has gone.
    pub async fn reload(&self) {
        self.script("window.isBefore = true; location.reload()").await;
        self.until("!window.isBefore").await;
    }

    /// Reloads the page, and waits until it listens to notifications.
    pub async fn reload_until_listening(&self) {
        self.begins_with(COUNT).await;
        self.reload().await;
        self.until("window.listening > 0").await;
    }

    /// Switches the network off or on.
    pub async fn offline(&self, is_offline: bool) {
        self.devtools("Network.enable", json!({})).await;
        let conditions = json!({
            "offline": is_offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1,
        });
        self.devtools("Network.emulateNetworkConditions", conditions).await;
    }

    /// Changes the window and the preferences.
    pub async fn look(&self, look: Look) {
        self.emulate(look).await;
    }

    /// Goes to an address of the page: `#/counter`.
    pub async fn go(&self, address: &str) {
        self.client.goto(&format!("{}/{address}", self.url)).await.expect("the page opens");
        if address.starts_with('#') {
            // A page that is there already hears of its new place in a task of its own, which comes before this one:
            // what is looked at from now on is not the place before.
            let _ = self.client.execute_async("setTimeout(arguments[0])", vec![]).await;
        }
    }

    /// Switches to the frame that matches a CSS selector.
    pub async fn into_frame(&self, css: &str) {
        let entered = self.undisturbed(async || self.find(css).await.enter_frame().await).await;
        entered.expect("it is a frame");
    }

    /// Switches to the top document.
    pub async fn out_of_frames(&self) {
        // Around the page itself there is nothing more to go out to.
        for _ in 0..2 {
            self.client.clone().enter_parent_frame().await.expect("the page is there");
        }
    }

    /// Opens another window on an address of the page and switches to it; returns its id.
    pub async fn window(&self, address: &str) -> WindowHandle {
        let opened = self.client.new_window(false).await.expect("a window opens");
        self.to(&opened.handle).await;
        self.go(address).await;
        opened.handle
    }

    /// The same, with notification streams counted in `window.listening`.
    pub async fn counting_window(&self, address: &str) -> WindowHandle {
        let window = self.window("icon.svg").await;
        self.begins_with(COUNT).await;
        self.go(address).await;
        window
    }

    /// The id of the current window.
    pub async fn this_window(&self) -> WindowHandle {
        self.client.window().await.expect("there is one")
    }

    /// Switches to another window.
    pub async fn to(&self, window: &WindowHandle) {
        self.client.switch_to_window(window.clone()).await.expect("it is there");
    }

    /// Closes the current window; the test must switch to another.
    pub async fn close_window(&self) {
        self.client.close_window().await.expect("it closes");
    }

    /// Waits for the element that matches a CSS selector.
    pub async fn find(&self, css: &str) -> Element {
        let began = Instant::now();
        loop {
            // A frame that is being loaded fails otherwise than by having none.
            match self.client.find(Locator::Css(css)).await {
                Ok(element) => return element,
                Err(error) if began.elapsed() > PATIENCE => {
                    panic!("{css}: {error}; the page says: {}", self.text("body").await)
                }
                Err(_) => tokio::time::sleep(LOOK_EVERY).await,
            }
        }
    }

    /// Scrolls to the element that matches a CSS selector and clicks it; finds it again if it is redrawn.
    pub async fn click(&self, css: &str) {
        self.tap_found(css, async || self.find(css).await).await;
    }

    /// Clicks the result of `find`, and finds it again if it is redrawn.
    async fn tap_found(&self, named: &str, find: impl AsyncFn() -> Element) {
        let pressed = self.undisturbed(async || self.try_tap(&find().await).await).await;
        pressed.unwrap_or_else(|error| panic!("{named} is not clicked: {error}"));
    }

    /// The result of what finds an element and uses it; again where it was redrawn between the two, or not laid out.
    async fn undisturbed<T>(
        &self,
        work: impl AsyncFn() -> Result<T, CmdError>,
    ) -> Result<T, CmdError> {
        let began = Instant::now();
        loop {
            match work().await {
                Err(CmdError::Standard(it)) if passes(&it.error) && began.elapsed() < PATIENCE => {
                    tokio::time::sleep(LOOK_EVERY).await;
                }
                done => return done,
            }
        }
    }

    /// Scrolls to an element and clicks it once it rests and is not covered.
    ///
    /// A parent moves a frame of another origin a little later, unseen by the frame. A press that misses the
    /// element is kept from the page and repeated.
    pub async fn tap(&self, element: &Element) {
        self.try_tap(element).await.expect("it is clicked");
    }

    async fn try_tap(&self, element: &Element) -> Result<(), CmdError> {
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            self.rests(element).await?;
            self.client.execute(GUARD, vec![reference(element)]).await?;
            match element.clone().click().await {
                Err(CmdError::Standard(it)) if it.error == ErrorStatus::ElementClickIntercepted => {
                }
                clicked => {
                    clicked?;
                    // A frame that went away with the click has got it.
                    let is_hit = self.client.execute("return window.guard?.end() ?? true;", vec![]);
                    let is_missed = is_hit.await.is_ok_and(|it| it == false);
                    if !is_missed {
                        return Ok(());
                    }
                }
            }
            tokio::time::sleep(LOOK_EVERY * 10).await;
        }
        panic!("something lies over it, or it does not rest");
    }

    /// Scrolls an element into the middle of the window, and waits until it rests.
    async fn rests(&self, element: &Element) -> Result<(), CmdError> {
        let script = "
            const [it, done] = arguments;
            let before = '', rests = 0, frames = 0;
            const look = () => {
                const { x, y } = it.getBoundingClientRect();
                const now = `${x} ${y}`;
                rests = now === before ? rests + 1 : 0;
                if (rests === 0) it.scrollIntoView({ block: 'center', inline: 'center' });
                before = now;
                if (rests > 2 || ++frames > 120) return done();
                // A window behind others draws no frames.
                setTimeout(look, 16);
            };
            look();";
        self.client.execute_async(script, vec![reference(element)]).await.map(drop)
    }

    /// All elements that match a CSS selector now.
    pub async fn all(&self, css: &str) -> Vec<Element> {
        self.client.find_all(Locator::Css(css)).await.expect("the page is there")
    }

    /// Parses an element that a script returned.
    fn element(&self, reference: &Value) -> Option<Element> {
        let id = reference.as_object()?.values().next()?.as_str()?;
        Some(Element::from_element_id(self.client.clone(), id.to_owned().into()))
    }

    /// The text of an element now; empty where there is none.
    pub async fn text(&self, css: &str) -> String {
        loop {
            let Ok(element) = self.client.find(Locator::Css(css)).await else {
                return String::new();
            };
            match element.text().await {
                Err(CmdError::Standard(it)) if it.error == ErrorStatus::StaleElementReference => {}
                text => return text.unwrap_or_default(),
            }
        }
    }

    /// Waits until an element's text contains `part`.
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
        let focused = async || self.client.active_element().await.expect("something has the focus");
        self.send_found("what has the focus", focused, keys).await;
    }

    /// Sends keys to the result of `find`, and finds it again if it is redrawn first.
    async fn send_found(&self, named: &str, find: impl AsyncFn() -> Element, keys: &str) {
        let sent = self.undisturbed(async || find().await.send_keys(keys).await).await;
        sent.unwrap_or_else(|error| panic!("{named} takes no keys: {error}"));
    }

    /// Gives the keyboard to the element that matches a CSS selector.
    pub async fn focus(&self, css: &str) {
        self.find(css).await;
        self.has_focused().await;
        let css = json!(css);
        let has_it = format!(
            "(it => {{ it?.focus(); return it && it === document.activeElement; }})(document.querySelector({css}))"
        );
        self.until(&has_it).await;
    }

    /// Waits until the page has set the focus where it wants to after it has drawn something, which it does by a timer
    /// of 30 ms: keys on their way at that moment would go there. A later timer of the same time ends after it.
    async fn has_focused(&self) {
        // What is left meanwhile has nothing to wait for.
        let _ = self.client.execute_async("setTimeout(arguments[0], 30)", vec![]).await;
    }

    /// Presses one key where the focus is.
    pub async fn key(&self, key: Key) {
        self.press(&key.to_string()).await;
    }

    /// Presses Tab until the focused element matches a CSS selector.
    pub async fn tab_to(&self, css: &str) {
        for _ in 0..TABS_MAX {
            self.key(Key::Tab).await;
            let fits = "return document.activeElement.matches(arguments[0])";
            if self.ask(fits, vec![json!(css)]).await == true {
                return;
            }
        }
        panic!("Tab does not come to {css}; the page says: {}", self.text("body").await);
    }

    /// An attribute of the focused element.
    pub async fn focused(&self, attribute: &str) -> String {
        let script = "return document.activeElement?.getAttribute(arguments[0]) ?? ''";
        self.ask(script, vec![json!(attribute)]).await.as_str().unwrap_or_default().to_owned()
    }

    /// Switches to the inner frame of an app.
    pub async fn into_app(&self) {
        for css in [".app-frame iframe", "iframe"] {
            self.into_frame(css).await;
        }
    }

    /// Goes back to the page.
    pub async fn out_of_app(&self) {
        for _ in 0..2 {
            self.client.clone().enter_parent_frame().await.expect("there is one around it");
        }
    }

    /// What a script returns.
    pub async fn script(&self, script: &str) -> Value {
        self.client.execute(script, vec![]).await.expect("the script runs")
    }

    /// The result of a script with arguments.
    pub async fn ask(&self, script: &str, given: Vec<Value>) -> Value {
        self.client.execute(script, given).await.expect("the script runs")
    }

    /// The result of an asynchronous script, which calls its last argument.
    pub async fn ask_later(&self, script: &str, given: Vec<Value>) -> Value {
        self.client.execute_async(script, given).await.expect("the script runs")
    }

    /// Waits until an expression of the page is true.
    pub async fn until(&self, expression: &str) {
        let script = format!("return Boolean({expression});");
        let began = Instant::now();
        while self.client.execute(&script, vec![]).await.ok() != Some(json!(true)) {
            if began.elapsed() > PATIENCE {
                panic!("never {expression}; the page says: {}", self.text("body").await);
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Serious and critical findings of axe: rule and place.
    pub async fn serious_faults(&self) -> Vec<String> {
        self.faults_of(&["serious", "critical"], &json!({})).await
    }

    /// All findings of axe: rule and place.
    pub async fn faults(&self) -> Vec<String> {
        self.faults_of(&["minor", "moderate", "serious", "critical"], &json!({})).await
    }

    /// Findings of axe about colours: rule and place. Enough for a dark page that was checked when light.
    pub async fn faults_of_colours(&self) -> Vec<String> {
        let rules = json!({ "runOnly": { "type": "rule", "values": COLOURS } });
        self.faults_of(&["minor", "moderate", "serious", "critical"], &rules).await
    }

    async fn faults_of(&self, impacts: &[&str], options: &Value) -> Vec<String> {
        if self.script("return !window.axe").await == true {
            let axe = crate::root().join("node_modules/axe-core/axe.min.js");
            let axe = std::fs::read_to_string(axe).expect("`npm ci` has brought axe");
            self.client.execute(&axe, vec![]).await.expect("axe loads");
        }
        let script = "
            const [impacts, options, done] = arguments;
            axe.run(document, { resultTypes: ['violations'], ...options }).then(it => done(
                it.violations.filter(it => impacts.includes(it.impact)).map(it =>
                    it.id + ': ' + it.help + ': ' + it.nodes.slice(0, 3).map(it => it.html).join(' | '))));";
        let given = vec![json!(impacts), options.clone()];
        let faults = self.client.execute_async(script, given).await.expect("axe runs");
        serde_json::from_value(faults).expect("axe gives a list")
    }

    /// Whether the page is wider than the window.
    pub async fn overflows(&self) -> bool {
        let script = "const page = document.documentElement;
            return page.scrollWidth > page.clientWidth;";
        self.script(script).await == json!(true)
    }

    /// Saves a picture of the window in the folder `MADOGUCHI_SCREENSHOTS`, if it is set.
    pub async fn picture(&self, name: &str) {
        let Some(folder) = std::env::var_os("MADOGUCHI_SCREENSHOTS").map(PathBuf::from) else {
            return;
        };
        let png = self.client.screenshot().await.expect("the browser can see");
        std::fs::create_dir_all(&folder).expect("the folder can be made");
        std::fs::write(folder.join(format!("{name}.png")), png).expect("it can be written");
    }

    /// Saves a picture of the whole page.
    pub async fn whole_picture(&self, name: &str, look: Look) {
        if std::env::var_os("MADOGUCHI_SCREENSHOTS").is_none() {
            return;
        }
        let height = self.script("return document.documentElement.scrollHeight").await;
        let height = height.as_u64().unwrap_or_default().clamp(u64::from(look.height), 9_000);
        let height = u32::try_from(height).unwrap_or(look.height);
        self.emulate(Look { height, ..look }).await;
        self.picture(name).await;
        self.emulate(look).await;
    }

    /// The errors in the browser's console.
    pub async fn complaints(&self) -> Vec<String> {
        let log = self.client.issue_cmd(Log).await.expect("the browser has a log");
        let entries = log.as_array().cloned().unwrap_or_default();
        let severe = entries.iter().filter(|it| it["level"] == "SEVERE");
        severe.map(|it| it["message"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Returns the browser to the pool.
    pub async fn close(self) {
        drop(self);
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let ended = driver::end_session(&self.session);
        // One in which a test failed, or which the driver does not let go, ends here.
        if let Some(chromium) = self.chromium.take()
            && ended.is_ok()
            && !std::thread::panicking()
        {
            let _ = chromium.give_back();
        }
    }
}
