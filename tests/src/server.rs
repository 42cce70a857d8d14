//! A server in this process, on a free port, with its own folders.

use std::{
    ffi::OsStr,
    fs,
    io::{self, Write},
    net::SocketAddr,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::OnceLock,
    time::Duration,
};

use host::{
    Config, OperatorKey, Server, clock::Clock, config::Given, registry::library::Library,
    seal::Seal,
};
use reqwest::{Method, StatusCode};
use serde_json::Value;
use tempfile::TempDir;

use crate::{
    client::Client,
    log,
    postgres::{self, Cluster},
};

/// A server for one test.
pub struct TestServer {
    server: Option<Server>,
    /// The folders that the server uses.
    pub folders: Folders,
    config: Config,
}

/// The data folder and the component folder of a test.
pub struct Folders {
    home: TempDir,
    /// The URL of its database if tests run on PostgreSQL.
    database: OnceLock<String>,
    /// Whether its databases are files even if tests run on PostgreSQL.
    is_in_files: bool,
}

impl Folders {
    /// New empty folders.
    pub fn new() -> Self {
        let home = tempfile::tempdir_in(scratch()).expect("a temporary folder can be made");
        fs::create_dir(home.path().join("components")).expect("it is empty");
        Self { home, database: OnceLock::new(), is_in_files: false }
    }

    /// New folders whose databases are files on either engine, for tests of those files.
    pub fn in_files() -> Self {
        let mut folders = Self::new();
        folders.is_in_files = true;
        folders
    }

    /// Puts the code that earlier tests compiled into the data folder, if there is none yet: a
    /// compile costs more than most tests.
    pub fn lend_code(&self) {
        if !self.data().exists() {
            lend_compiled(&self.data());
        }
    }

    /// Keeps the code that a server on these folders has compiled so far, for tests that start meanwhile.
    pub fn keep_code(&self) {
        keep_compiled(&self.data());
    }

    /// The path of the data folder.
    pub fn data(&self) -> PathBuf {
        self.home.path().join("data")
    }

    /// Every file below the data folder but compiled code, which is made of components' bytes alone; and what is on
    /// PostgreSQL, where tests run on it.
    ///
    /// # Panics
    /// If a file cannot be read.
    pub fn kept(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let dump = |url| (PathBuf::from(url), Cluster::shared().dump(url));
        let mut kept: Vec<_> = self.store().map(dump).into_iter().collect();
        // A running server takes files away between the listing and the reading.
        let read = (0..100).find_map(|_| read_all(self.data()).ok());
        kept.extend(read.expect("it can be read"));
        kept
    }

    /// The address of its database, where tests run on PostgreSQL: the same for all that runs on these folders.
    pub fn store(&self) -> Option<&str> {
        let database = || self.database.get_or_init(|| Cluster::shared().database()).as_str();
        (postgres::is_asked_for() && !self.is_in_files).then(database)
    }

    /// The path of the component folder.
    pub fn components(&self) -> PathBuf {
        self.home.path().join("components")
    }

    /// Replaces a file in the component folder atomically.
    pub fn put(&self, name: &str, bytes: &[u8]) {
        let temporary = self.home.path().join(format!("{name}.tmp"));
        fs::write(&temporary, bytes).expect("the folder can be written");
        fs::rename(temporary, self.components().join(format!("{name}.wasm"))).expect("same folder");
    }

    /// A configuration for these folders with these lines, as a server reads it.
    pub fn config_with(&self, lines: &str) -> Config {
        let file = self.home.path().join("madoguchi.toml");
        fs::write(&file, lines).expect("the folder can be written");
        let mut config = Config::read(&file, crate::embedded()).expect("the lines are right");
        let Config { addr, data, components_folder, bundled, store, .. } = self.config();
        (config.addr, config.data) = (addr, data);
        (config.components_folder, config.bundled) = (components_folder, bundled);
        config.store.url = config.store.url.or(store.url);
        config
    }

    /// A configuration for these folders, on a free port, without the bundled components.
    pub fn config(&self) -> Config {
        let mut config =
            Config::embedded_defaults(crate::embedded()).expect("it is tried in the host");
        config.addr = SocketAddr::from(([127, 0, 0, 1], 0));
        config.data = self.data();
        config.components_folder = Some(self.components());
        config.bundled = false;
        // The same tests on the other engine.
        config.store.url = self.store().map(Given::value);
        config
    }
}

impl Drop for Folders {
    fn drop(&mut self) {
        keep_compiled(&self.data());
    }
}

impl Default for Folders {
    fn default() -> Self {
        Self::new()
    }
}

/// Every file below `folder` but compiled code.
fn read_all(folder: PathBuf) -> io::Result<Vec<(PathBuf, Vec<u8>)>> {
    let (mut read, mut folders) = (Vec::new(), vec![folder]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension() != Some(OsStr::new("cwasm")) {
                let bytes = fs::read(&path)?;
                read.push((path, bytes));
            }
        }
    }
    Ok(read)
}

impl TestServer {
    /// A server with these built components.
    pub async fn with(components: &[&str]) -> Self {
        let folders = Folders::new();
        for name in components {
            folders.put(name, &crate::component_bytes(name));
        }
        Self::start(folders, |_| {}).await
    }

    /// A server on these folders, configured further by `change`.
    pub async fn start(folders: Folders, change: impl FnOnce(&mut Config)) -> Self {
        folders.lend_code();
        Self::start_with_nothing(folders, change).await
    }

    /// The same with a key of its own, so that it rejects states signed by other servers.
    pub async fn start_with_nothing(folders: Folders, change: impl FnOnce(&mut Config)) -> Self {
        log::keep();
        let mut config = folders.config();
        change(&mut config);
        let server = Server::start_at(config.clone(), Clock::System).await.expect("it starts");
        Self { server: Some(server), folders, config }
    }

    /// Stops it and starts it again on the same folders.
    pub async fn restart(&mut self) {
        self.stop().await;
        let server = Server::start_at(self.config.clone(), Clock::System).await;
        self.server = Some(server.expect("it starts again"));
    }

    /// Stops it after its running calls.
    pub async fn stop(&mut self) {
        if let Some(server) = self.server.take() {
            server.stop().await;
        }
    }

    /// Waits until so many calls of a component run at a time.
    ///
    /// # Panics
    /// If it takes longer than a minute.
    pub async fn is_running(&self, component: &str, calls: u64) {
        let runs = async {
            while self.server().calls.watch.metrics.component(component).running < calls {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        let in_time = tokio::time::timeout(crate::PATIENCE, runs).await;
        in_time.unwrap_or_else(|_| panic!("{calls} calls of {component} never ran at a time"));
    }

    /// The server itself, in this process.
    pub fn server(&self) -> &Server {
        self.server.as_ref().expect("it runs")
    }

    /// Its base URL.
    pub fn url(&self) -> String {
        format!("http://{}", self.server().addr.expect("it listens"))
    }

    /// A client of the modern era.
    pub fn client(&self) -> Client {
        Client::new(&self.url())
    }

    /// A client of the modern era with a token.
    pub fn client_with(&self, token: &str) -> Client {
        self.client().with_token(token)
    }

    /// The path of its component of that name.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folders.components().join(format!("{name}.wasm"))
    }

    /// The folder of its databases.
    pub fn databases(&self) -> PathBuf {
        Path::new(&self.folders.data()).join("databases")
    }
}

// The operator of a test server, authorized by the key in its data folder.

/// A client of one server's operator listener.
#[derive(Clone)]
pub struct Operator {
    http: reqwest::Client,
    /// The URL of the operator's listener.
    pub url: String,
    /// The operator's key.
    pub token: String,
}

impl Operator {
    /// The operator of the server on the data folder `data`.
    pub fn of(data: &Path) -> Self {
        let key = OperatorKey::read(data).expect("it can be read").expect("a server runs there");
        Self {
            http: crate::client::http().build().expect("no options that can fail"),
            url: format!("http://{}", key.addr),
            token: key.token,
        }
    }

    /// One request: the HTTP status and the JSON that came.
    pub async fn send(
        &self,
        method: Method,
        path: &str,
        body: impl Into<Vec<u8>>,
    ) -> (StatusCode, Value) {
        let token = format!("Bearer {}", self.token);
        self.send_as(method, path, body, &[("authorization", &token)]).await
    }

    /// The same with other headers, and without the token.
    pub async fn send_as(
        &self,
        method: Method,
        path: &str,
        body: impl Into<Vec<u8>>,
        headers: &[(&str, &str)],
    ) -> (StatusCode, Value) {
        let request = self.http.request(method, format!("{}/operator/{path}", self.url));
        let request = headers.iter().fold(request, |it, (name, value)| it.header(*name, *value));
        let response = request.body(body.into()).send().await.expect("the server answers");
        let status = response.status();
        let text = response.text().await.expect("the body arrives");
        (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }
}

// Compiled code of components, shared by all data folders and benches: compiled once for all rings.

/// The key by which a host knows the compiled code as its own: the same in all data folders that
/// share it.
const KEY: [u8; 32] = *b"the key of every test's data dir";

/// Maximum number of files; the oldest are deleted beyond it.
const FILES_MAX: usize = 600;

/// Where tests make their folders: on the disk of the shared code, so that it can be linked.
pub(crate) fn scratch() -> PathBuf {
    let folder = crate::root().join("target/tests");
    fs::create_dir_all(&folder).expect("target/ can be written");
    folder
}

/// The compiler of benches, with a cache.
pub(crate) fn library() -> Library {
    let mut config = Config::embedded_defaults(crate::embedded()).expect("it is tried in the host");
    config.data = scratch().join("benches");
    Library::open(&config, &Seal::with_key(&KEY)).expect("target/ can be written")
}

/// Links the shared code into the new folder `data`.
///
/// # Panics
/// If there is such a folder, or the disk is full.
pub fn lend_compiled(data: &Path) {
    make(&data.join("compiled")).expect("the data folder is new");
    let mut key = fs::OpenOptions::new();
    let mut key = key.write(true).create_new(true).mode(0o600).open(data.join("seal.key"));
    let key = key.as_mut().expect("the data folder is new");
    Write::write_all(key, &KEY).expect("the disk has room");
    for code in files(&shared()).into_iter().chain(files(&scratch().join("benches/compiled"))) {
        // A file that another test puts there at this moment is compiled once more.
        let _ = fs::hard_link(&code, data.join("compiled").join(name(&code)));
    }
}

/// Keeps the code that the host of `data` compiled, if it has the shared key.
pub(crate) fn keep_compiled(data: &Path) {
    if !fs::read(data.join("seal.key")).is_ok_and(|key| key == KEY) {
        return;
    }
    let shared = shared();
    for code in files(&data.join("compiled")) {
        let _ = make(&shared).and_then(|()| fs::hard_link(&code, shared.join(name(&code))));
    }
    let age = |it: &PathBuf| fs::metadata(it).and_then(|it| it.modified()).ok();
    let mut kept = files(&shared);
    kept.sort_by_cached_key(age);
    for code in kept.iter().take(kept.len().saturating_sub(FILES_MAX)) {
        let _ = fs::remove_file(code);
    }
}

fn shared() -> PathBuf {
    crate::root().join("target/tests/compiled")
}

fn make(folder: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|it| it.path());
    entries.filter(|it| it.extension() == Some(OsStr::new("cwasm"))).collect()
}

fn name(path: &Path) -> &OsStr {
    path.file_name().expect("an entry of a folder has a name")
}
