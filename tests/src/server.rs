//! A server in this process, on a free port, with its own folders.

use std::{
    ffi::OsStr,
    fs, io,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::OnceLock,
    time::Duration,
};

use host::{Config, Server, clock::Clock, config::Given};
use tempfile::TempDir;

use crate::{
    client::Client,
    compiled,
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
        let home =
            tempfile::tempdir_in(compiled::scratch()).expect("a temporary folder can be made");
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
            compiled::lend(&self.data());
        }
    }

    /// Keeps the code that a server on these folders has compiled so far, for tests that start meanwhile.
    pub fn keep_code(&self) {
        compiled::keep(&self.data());
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
        compiled::keep(&self.data());
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
        crate::log::keep();
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
