//! WebDriver: starting a session, and commands beyond the standard.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::{Mutex, OnceLock, PoisonError},
    time::{Duration, Instant},
};

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

// A pool of browsers, since starting one takes a second of a processor. Tests use one at a time, each with
// fresh state.

/// Browsers that no test uses.
static IDLE: Mutex<Vec<Chromium>> = Mutex::new(Vec::new());

/// A browser and the origins that it visited.
pub(super) struct Chromium {
    language: &'static str,
    /// Its debugging address: `127.0.0.1:PORT`.
    pub(super) debugger: String,
    /// Origins whose data is deleted before the next test.
    pub(super) visited: Vec<String>,
    _process: Process,
}

impl Chromium {
    /// Takes an unused browser of this language, or starts one.
    pub(super) async fn take(language: &'static str) -> Self {
        let idle = {
            let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
            let found = idle.iter().position(|it| it.language == language);
            found.map(|at| idle.swap_remove(at))
        };
        match idle {
            Some(chromium) => chromium,
            None => Self::start(language).await,
        }
    }

    /// Returns it to the pool with one blank window.
    pub(super) fn give_back(self) -> io::Result<()> {
        let before = self.windows()?;
        ask(&self.debugger, "PUT", "/json/new?about:blank")?;
        for window in &before {
            ask(&self.debugger, "GET", &format!("/json/close/{window}"))?;
        }
        let began = Instant::now();
        while self.windows()?.iter().any(|window| before.contains(window)) {
            if began.elapsed() > PATIENCE {
                return Err(io::Error::other("a window does not close"));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(self);
        Ok(())
    }

    /// The ids of open windows.
    fn windows(&self) -> io::Result<Vec<String>> {
        let listed = ask(&self.debugger, "GET", "/json/list")?;
        let listed = serde_json::from_str::<Vec<Value>>(&listed)?;
        let windows = listed.iter().filter(|it| it["type"] == "page");
        Ok(windows.filter_map(|it| it["id"].as_str()).map(str::to_owned).collect())
    }

    async fn start(language: &'static str) -> Self {
        let chromium = program("CHROMIUM", &["/usr/bin/chromium", "/usr/bin/chromium-browser"]);
        let profile = tempfile::tempdir().expect("a temporary folder can be made").keep();
        let mut command = Process::supervised(&profile.display().to_string());
        command.arg(chromium).args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--no-first-run",
            "--disable-quic",
            "--disable-dev-shm-usage",
            "--remote-debugging-port=0",
            "--window-size=1280,900",
        ]);
        command.arg(format!("--user-data-dir={}", profile.display()));
        command.args([format!("--lang={language}"), format!("--accept-lang={language}")]);
        let process = Process::of(command.arg("about:blank"));
        // Where it listens is the first line of a file that it writes once it does.
        let file = profile.join("DevToolsActivePort");
        let began = Instant::now();
        let port = loop {
            let written = std::fs::read_to_string(&file).unwrap_or_default();
            if let Some((port, _)) = written.split_once('\n') {
                break port.to_owned();
            }
            assert!(began.elapsed() < PATIENCE, "the browser does not start");
            tokio::time::sleep(Duration::from_millis(20)).await;
        };
        let debugger = format!("127.0.0.1:{port}");
        Self { language, debugger, visited: Vec::new(), _process: process }
    }
}

/// A process that ends with the test run, even if that is killed.
pub(super) struct Process(Child);

impl Process {
    /// A shell command that runs the program of its arguments until its input closes, and then removes a folder.
    pub(super) fn supervised(folder: &str) -> Command {
        let mut shell = Command::new("sh");
        let script = "folder=$1; shift; \"$@\" & read -r _; kill $!; wait $!; rm -rf \"$folder\"";
        shell.args(["-c", script, "sh", folder]);
        shell
    }

    pub(super) fn of(command: &mut Command) -> Self {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        Self(command.spawn().expect("a shell starts"))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

/// The driver of all browsers.
pub(super) fn driver() -> u16 {
    static DRIVER: OnceLock<(u16, Process)> = OnceLock::new();
    let (port, _) = DRIVER.get_or_init(|| {
        let chromedriver = program("CHROMEDRIVER", &["/usr/bin/chromedriver"]);
        let port = crate::free_addr().port();
        let mut command = Process::supervised("");
        command.arg(chromedriver).arg(format!("--port={port}"));
        (port, Process::of(&mut command))
    });
    *port
}

/// Ends a session of the driver, which releases the browser.
pub(super) fn end_session(id: &str) -> io::Result<()> {
    ask(&format!("127.0.0.1:{}", driver()), "DELETE", &format!("/session/{id}")).map(drop)
}

/// Sends a short request to driver or browser and blocks for its answer, since `drop` cannot await.
fn ask(address: &str, method: &str, path: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let head = format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\ncontent-length: 0\r\n\r\n");
    stream.write_all(head.as_bytes())?;
    let mut stream = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        stream.read_line(&mut line)?;
        let line = line.trim().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().map_err(io::Error::other)?;
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    String::from_utf8(body).map_err(io::Error::other)
}

pub(super) fn program(variable: &str, names: &[&str]) -> PathBuf {
    let given = std::env::var_os(variable).map(PathBuf::from);
    let found = names.iter().map(PathBuf::from).find(|it| it.is_file());
    given.or(found).unwrap_or_else(|| panic!("no {names:?}; `cargo xtask test` installs them"))
}
