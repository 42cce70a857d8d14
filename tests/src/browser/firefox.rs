//! Firefox, driven by WebDriver BiDi over its own port, to compare the page with Chromium. One browser serves
//! the whole run; each test has it alone, in a fresh container.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::Path,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tokio::sync::{MappedMutexGuard, Mutex, MutexGuard};

use super::driver::{Process, program};
use super::{LOOK_EVERY, PATIENCE};

/// The shared browser, once started.
static SESSION: Mutex<Option<Session>> = Mutex::const_new(None);

/// Preferences that keep the browser offline: requests to other machines go to a missing proxy.
const SETTINGS: &str = r#"
user_pref("network.proxy.type", 1);
user_pref("network.proxy.http", "127.0.0.1");
user_pref("network.proxy.http_port", 9);
user_pref("network.proxy.ssl", "127.0.0.1");
user_pref("network.proxy.ssl_port", 9);
user_pref("network.captive-portal-service.enabled", false);
user_pref("app.update.disabledForTesting", true);
user_pref("app.normandy.enabled", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("toolkit.telemetry.server", "");
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.startup.homepage_override.mstone", "ignore");
user_pref("browser.startup.page", 0);
user_pref("extensions.update.enabled", false);
user_pref("intl.accept_languages", "en-US, en");
"#;

/// The Enter key in WebDriver's code.
pub const ENTER: &str = "\u{e007}";
/// The Tab key in WebDriver's code.
pub const TAB: &str = "\u{e004}";

/// A window of Firefox with fresh state.
pub struct Firefox {
    session: MappedMutexGuard<'static, Session>,
    container: String,
    window: String,
    url: String,
}

impl Firefox {
    /// Opens the page of the server at `url` where `address` is: `#/chat`.
    pub async fn open(url: &str, address: &str) -> Self {
        let mut session = SESSION.lock().await;
        if session.is_none() {
            *session = Some(Session::start().await);
        }
        let mut session = MutexGuard::map(session, |it| it.as_mut().expect("it has started"));
        session.complaints.clear();
        let container = session.ask("browser.createUserContext", json!({}));
        let container = word(&container, "userContext");
        let wanted = json!({ "type": "tab", "userContext": container });
        let window = word(&session.ask("browsingContext.create", wanted), "context");
        let size = json!({ "context": window, "viewport": { "width": 1280, "height": 900 } });
        session.ask("browsingContext.setViewport", size);
        let mut firefox = Self { session, container, window, url: url.to_owned() };
        firefox.go(address);
        firefox
    }

    /// Goes to an address of the page.
    pub fn go(&mut self, address: &str) {
        let url = format!("{}/{address}", self.url);
        let place = json!({ "context": self.window, "url": url, "wait": "complete" });
        self.session.ask("browsingContext.navigate", place);
    }

    /// What a script returns.
    pub fn script(&mut self, script: &str) -> Value {
        self.try_script(script).unwrap_or_else(|answer| panic!("{script}: {answer}"))
    }

    /// What a script returns, or the answer where it throws.
    fn try_script(&mut self, script: &str) -> Result<Value, Value> {
        let expression = format!("JSON.stringify((() => {{ {script} }})() ?? null)");
        let target = json!({ "context": self.window });
        let wanted = json!({ "expression": expression, "target": target, "awaitPromise": false });
        let answer = self.session.ask("script.evaluate", wanted);
        match answer["result"]["value"].as_str() {
            Some(text) => Ok(serde_json::from_str(text).expect("it is JSON")),
            None => Err(answer),
        }
    }

    /// Waits until an expression of the page is true; one that throws is not yet.
    pub async fn until(&mut self, expression: &str) {
        let began = Instant::now();
        while self.try_script(&format!("return Boolean({expression})")) != Ok(json!(true)) {
            if began.elapsed() > PATIENCE {
                let page = self.script("return document.body.innerText");
                panic!("never {expression}; the page says: {page}");
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Waits until the selected element has that text.
    pub async fn says(&mut self, css: &str, part: &str) {
        let (css, part) = (json!(css), json!(part));
        let has = format!(
            "[...document.querySelectorAll({css})].some(it => it.innerText.includes({part}))"
        );
        self.until(&has).await;
    }

    /// Clicks the selected element with that text, once it is reachable.
    pub async fn hit(&mut self, css: &str, part: &str) {
        let (css, part) = (json!(css), json!(part));
        let find = format!(
            "const it = [...document.querySelectorAll({css})].find(it =>
                (it.innerText + (it.ariaLabel ?? '')).includes({part}) && !it.disabled);
            if (!it) return null;
            it.scrollIntoView({{ block: 'center', inline: 'center', behavior: 'instant' }});
            const box = it.getBoundingClientRect();
            const at = [box.x + box.width / 2, box.y + box.height / 2].map(Math.round);
            const hit = document.elementFromPoint(...at);
            return hit && (it.contains(hit) || hit.contains(it)) ? at : null;"
        );
        let began = Instant::now();
        // Waits until it rests, as a person would.
        let (mut before, mut at) = (Value::Null, self.script(&find));
        while at.is_null() || at != before {
            assert!(began.elapsed() < PATIENCE, "{css} {part} is never there to be hit");
            tokio::time::sleep(LOOK_EVERY).await;
            before = std::mem::replace(&mut at, self.script(&find));
        }
        let actions = json!([
            { "type": "pointerMove", "x": at[0], "y": at[1] },
            { "type": "pointerDown", "button": 0 },
            { "type": "pointerUp", "button": 0 },
        ]);
        self.act(json!({ "type": "pointer", "id": "mouse", "actions": actions }));
    }

    /// Types on the keyboard.
    pub fn press(&mut self, keys: &str) {
        let of = |kind: &'static str| move |key: char| json!({ "type": kind, "value": key });
        let both = |key: char| [of("keyDown")(key), of("keyUp")(key)];
        let actions: Vec<_> = keys.chars().flat_map(both).collect();
        self.act(json!({ "type": "key", "id": "keys", "actions": actions }));
    }

    fn act(&mut self, source: Value) {
        let wanted = json!({ "context": self.window, "actions": [source] });
        self.session.ask("input.performActions", wanted);
    }

    /// Closes the window and deletes its state; returns the page's errors.
    pub fn close(mut self) -> Vec<String> {
        let container = json!({ "userContext": self.container });
        self.session.ask("browser.removeUserContext", container);
        std::mem::take(&mut self.session.complaints)
    }
}

fn word(answer: &Value, name: &str) -> String {
    answer[name].as_str().unwrap_or_else(|| panic!("no {name} in {answer}")).to_owned()
}

/// The connection to the browser: WebDriver BiDi over a WebSocket (RFC 6455).
struct Session {
    socket: BufReader<TcpStream>,
    asked: u64,
    /// Errors in the console and of scripts.
    complaints: Vec<String>,
    _process: Process,
}

impl Session {
    async fn start() -> Self {
        let firefox = program("FIREFOX", &["/usr/bin/firefox-esr", "/usr/bin/firefox"]);
        let profile = tempfile::tempdir().expect("a temporary folder can be made").keep();
        std::fs::write(profile.join("user.js"), SETTINGS).expect("the profile can be written");
        let mut command = Process::supervised(&profile.display().to_string());
        command.arg(firefox).args(["--headless", "--no-remote", "--remote-debugging-port=0"]);
        let process = Process::of(command.arg("--profile").arg(&profile));
        let port = port(&profile).await;
        let socket = connect(port).expect("Firefox takes a connection");
        let mut session = Self { socket, asked: 0, complaints: Vec::new(), _process: process };
        session.ask("session.new", json!({ "capabilities": {} }));
        session.ask("session.subscribe", json!({ "events": ["log.entryAdded"] }));
        session
    }

    /// Sends a command and waits for its result.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let asked = json!({ "id": self.asked, "method": method, "params": params }).to_string();
        write(self.socket.get_mut(), 1, asked.as_bytes()).expect("Firefox takes a message");
        loop {
            let message =
                read(&mut self.socket).unwrap_or_else(|error| panic!("{method}: {error}"));
            let mut message: Value = serde_json::from_slice(&message).expect("it is JSON");
            if message["method"] == "log.entryAdded" && message["params"]["level"] == "error" {
                self.complaints.push(message["params"]["text"].to_string());
            }
            if message["id"] == self.asked {
                assert_eq!(message["type"], "success", "{method} {params}: {message}");
                return message["result"].take();
            }
        }
    }
}

/// The port from the profile of a new Firefox.
async fn port(profile: &Path) -> u16 {
    let file = profile.join("WebDriverBiDiServer.json");
    let began = Instant::now();
    loop {
        let value = std::fs::read(&file).ok().and_then(|it| serde_json::from_slice(&it).ok());
        let port = value.as_ref().and_then(|it: &Value| it["ws_port"].as_u64());
        if let Some(port) = port.and_then(|it| u16::try_from(it).ok()) {
            return port;
        }
        assert!(began.elapsed() < PATIENCE, "Firefox does not start");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn connect(port: u16) -> io::Result<BufReader<TcpStream>> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let head = format!(
        "GET /session HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nconnection: upgrade\r\n\
         upgrade: websocket\r\nsec-websocket-version: 13\r\n\
         sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    stream.read_line(&mut line)?;
    if !line.contains(" 101 ") {
        return Err(io::Error::other(line));
    }
    while line.trim() != "" {
        line.clear();
        stream.read_line(&mut line)?;
    }
    Ok(stream)
}

/// Writes a whole message with a mask, which must not be zero for Firefox.
fn write(stream: &mut TcpStream, opcode: u8, payload: &[u8]) -> io::Result<()> {
    let mut frame = vec![0x80 | opcode];
    let length = payload.len();
    match (u8::try_from(length), u16::try_from(length)) {
        (Ok(short @ ..126), _) => frame.push(0x80 | short),
        (_, Ok(long)) => {
            frame.push(0x80 | 126);
            frame.extend(long.to_be_bytes());
        }
        _ => {
            frame.push(0x80 | 127);
            frame.extend(u64::try_from(length).map_err(io::Error::other)?.to_be_bytes());
        }
    }
    const MASK: [u8; 4] = [1, 2, 3, 4];
    frame.extend(MASK);
    frame.extend(payload.iter().zip(MASK.iter().cycle()).map(|(byte, mask)| byte ^ mask));
    stream.write_all(&frame)
}

/// Reads a whole message.
fn read(stream: &mut BufReader<TcpStream>) -> io::Result<Vec<u8>> {
    const PING: u8 = 9;
    const CLOSE: u8 = 8;
    let mut message = Vec::new();
    loop {
        let mut head = [0; 2];
        stream.read_exact(&mut head)?;
        let length = match head[1] & 0x7f {
            126 => {
                let mut length = [0; 2];
                stream.read_exact(&mut length)?;
                u64::from(u16::from_be_bytes(length))
            }
            127 => {
                let mut length = [0; 8];
                stream.read_exact(&mut length)?;
                u64::from_be_bytes(length)
            }
            short => u64::from(short),
        };
        let mut payload = Vec::new();
        stream.take(length).read_to_end(&mut payload)?;
        match head[0] & 0x0f {
            CLOSE => return Err(io::Error::other("Firefox closes the connection")),
            PING => write(stream.get_mut(), 10, &payload)?,
            10 => {}
            _ => {
                message.extend(payload);
                if head[0] & 0x80 != 0 {
                    return Ok(message);
                }
            }
        }
    }
}
