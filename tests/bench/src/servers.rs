//! Servers on free ports with their own folders, removed when the bench ends.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use host::digest::digest;
use serde_json::Value;
use tempfile::TempDir;

use crate::ports::free_addr;
use crate::wire::{Call, Connection, health_request};

/// The first start compiles the component.
const START: Duration = Duration::from_secs(60);
/// The kernel's clock tick in /proc, on every Linux that there is.
const TICKS_PER_SECOND: f64 = 100.0;

/// A server that runs as a process.
pub(crate) struct Server {
    pub(crate) name: &'static str,
    pub(crate) address: String,
    process: Child,
    /// Its data, its components and what it writes; kept until it has ended.
    folder: Option<TempDir>,
}

/// One build of the component `echo`.
pub(crate) struct Version {
    bytes: Vec<u8>,
    /// SHA-256, in hexadecimal, as the host reports it.
    pub(crate) digest: String,
}

/// Measures starts: with a persistent data folder, and a minimal server for comparison.
pub(crate) struct Starts {
    host: PathBuf,
    empty: PathBuf,
    folder: TempDir,
}

impl Starts {
    /// The components that ship, in the first of `folders`, and those that only tests
    /// load, in the second: five with what they need.
    pub(crate) fn new(host: &Path, empty: &Path, folders: [&Path; 2]) -> Result<Self> {
        let folder = TempDir::new()?;
        let components = folder.path().join("components");
        std::fs::create_dir(&components)?;
        for entry in std::fs::read_dir(folders[0])? {
            let path = entry?.path();
            if let Some(name) =
                path.file_name().filter(|_| path.extension().is_some_and(|it| it == "wasm"))
            {
                std::fs::copy(&path, components.join(name))?;
            }
        }
        for name in ["echo.wasm", "reach.wasm", "rogue.wasm", "saboteur.wasm"] {
            std::fs::copy(folders[1].join(name), components.join(name))?;
        }
        std::fs::write(folder.path().join("madoguchi.toml"), GRANTS)?;
        Ok(Self { host: host.to_owned(), empty: empty.to_owned(), folder })
    }
}

/// What the components for tests need.
const GRANTS: &str = r#"
[components.reach]
grants = ["sql", "clock", "folders", "files", "blobs", "events", "assistants"]
[components.saboteur]
grants = ["sql"]
[components.rogue]
grants = ["sql"]
"#;

const REACH: &str = r#"
[components.reach]
grants = ["sql", "clock", "folders", "files", "blobs", "events", "assistants"]
"#;

/// An assistant that may call `echo` and needs no approval.
const ASSISTANT: &str = r#"
[models.openai]
model = "bench"
[assistants.bench]
prompt = "Call echo as often as you are told to."
provider = "openai"
tools = ["echo"]
approval = "never"
reasons = false
rounds_max = 16
"#;

impl Server {
    /// Our host with the components `echo` and `rogue`, and a data folder of its own.
    pub(crate) async fn host(binary: &Path, components: &Path) -> Result<Self> {
        Self::host_with(binary, &["echo", "rogue"].map(|it| components.join(it))).await
    }

    /// The same with these components, by their paths without the ending.
    pub(crate) async fn host_with(binary: &Path, components: &[PathBuf]) -> Result<Self> {
        let folder = TempDir::new()?;
        let own = folder.path().join("components");
        std::fs::create_dir(&own)?;
        for component in components {
            let from = component.with_extension("wasm");
            let name = from.file_name().context("a component has a name")?;
            std::fs::copy(&from, own.join(name))
                .with_context(|| format!("copying {}", from.display()))?;
        }
        let address = free_addr().to_string();
        let command = host_command(binary, &address, folder.path());
        Self::start("madoguchi", command, address, folder).await
    }

    /// The same with an assistant whose model is at `model`.
    pub(crate) async fn assistant(binary: &Path, components: &Path, model: &str) -> Result<Self> {
        let folder = TempDir::new()?;
        let own = folder.path().join("components");
        std::fs::create_dir(&own)?;
        std::fs::copy(components.join("echo.wasm"), own.join("echo.wasm"))?;
        let config = folder.path().join("madoguchi.toml");
        std::fs::write(&config, ASSISTANT)?;
        let address = free_addr().to_string();
        let mut command = host_command(binary, &address, folder.path());
        command.arg("--config").arg(config);
        command.env("OPENAI_BASE_URL", format!("http://{model}"));
        Self::start("madoguchi", command, address, folder).await
    }

    /// The same with the components `echo` and `cinema`, and this catalogue on sale.
    pub(crate) async fn cinema(
        binary: &Path,
        components: [PathBuf; 2],
        catalogue: &Value,
    ) -> Result<Self> {
        let folder = TempDir::new()?;
        let own = folder.path().join("components");
        std::fs::create_dir(&own)?;
        for from in components.map(|it| it.with_extension("wasm")) {
            let name = from.file_name().context("a component has a name")?;
            std::fs::copy(&from, own.join(name))
                .with_context(|| format!("copying {}", from.display()))?;
        }
        std::fs::write(folder.path().join("catalogue.json"), catalogue.to_string())?;
        let config = folder.path().join("madoguchi.toml");
        let setting = "[components.cinema.settings]\ncatalog = { file = \"catalogue.json\" }\n";
        std::fs::write(&config, setting)?;
        let address = free_addr().to_string();
        let mut command = host_command(binary, &address, folder.path());
        command.arg("--config").arg(config);
        Self::start("madoguchi", command, address, folder).await
    }

    /// The same with the components `echo` and `reach`, on this database, or on files of its own.
    pub(crate) async fn node(
        binary: &Path,
        components: &Path,
        store: Option<&str>,
    ) -> Result<Self> {
        let folder = TempDir::new()?;
        let own = folder.path().join("components");
        std::fs::create_dir(&own)?;
        for name in ["echo.wasm", "reach.wasm"] {
            std::fs::copy(components.join(name), own.join(name))?;
        }
        let config = folder.path().join("madoguchi.toml");
        std::fs::write(&config, REACH)?;
        let address = free_addr().to_string();
        let mut command = host_command(binary, &address, folder.path());
        command.arg("--config").arg(config);
        if let Some(store) = store {
            command.env("MADOGUCHI_STORE", store);
        }
        Self::start("madoguchi", command, address, folder).await
    }

    /// A native tool on a server of its own.
    pub(crate) async fn native(name: &'static str, binary: &Path) -> Result<Self> {
        let address = free_addr().to_string();
        let mut command = Command::new(binary);
        command.arg(&address);
        Self::start(name, command, address, TempDir::new()?).await
    }

    async fn start(
        name: &'static str,
        command: Command,
        address: String,
        folder: TempDir,
    ) -> Result<Self> {
        let mut server = Self::spawn(name, command, address, Some(folder))?;
        server.ready().await?;
        Ok(server)
    }

    fn spawn(
        name: &'static str,
        mut command: Command,
        address: String,
        folder: Option<TempDir>,
    ) -> Result<Self> {
        let log = match &folder {
            Some(folder) => std::fs::File::create(folder.path().join("log"))?.into(),
            None => Stdio::null(),
        };
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        let process = command.spawn().with_context(|| format!("starting {command:?}"))?;
        Ok(Self { name, address, process, folder })
    }

    /// How long our host takes until it answers, in milliseconds, and how many components it has.
    pub(crate) async fn start_again(starts: &Starts) -> Result<(f64, usize)> {
        let address = free_addr().to_string();
        let mut command = host_command(&starts.host, &address, starts.folder.path());
        command.arg("--config").arg(starts.folder.path().join("madoguchi.toml"));
        let (time, health) = Self::until_healthy(command, address).await?;
        let health: Value = serde_json::from_str(&health)?;
        let components = health["components"].as_object().context("no components")?;
        let running = components.values().filter(|it| it["status"] == "running").count();
        ensure!(running >= 5, "{health}");
        Ok((time, running))
    }

    /// The same of a server that has nothing to load.
    pub(crate) async fn start_empty(starts: &Starts) -> Result<f64> {
        let address = free_addr().to_string();
        let mut command = Command::new(&starts.empty);
        command.arg(&address);
        Ok(Self::until_healthy(command, address).await?.0)
    }

    async fn until_healthy(command: Command, address: String) -> Result<(f64, String)> {
        let begun = Instant::now();
        let mut server = Self::spawn("a server", command, address, None)?;
        loop {
            if let Ok(health) = server.health().await {
                let time = begun.elapsed().as_secs_f64() * 1000.0;
                server.terminate().await?;
                return Ok((time, health));
            }
            ensure!(begun.elapsed() < START, "it does not answer");
            ensure!(server.process.try_wait()?.is_none(), "it ended");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// Lets it end by itself, so that its databases are closed.
    async fn terminate(&mut self) -> Result<()> {
        let pid = self.process.id().to_string();
        if !Command::new("kill").args(["-TERM", &pid]).status().is_ok_and(|it| it.success()) {
            return Ok(());
        }
        let begun = Instant::now();
        while self.process.try_wait()?.is_none() && begun.elapsed() < START {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Ok(())
    }

    /// The body of `GET /api/health`.
    pub(crate) async fn health(&self) -> Result<String> {
        let mut connection = Connection::open(&self.address).await?;
        let answer = connection.exchange(&health_request(&self.address)).await?;
        Ok(String::from_utf8_lossy(answer).into_owned())
    }

    /// The component `echo` as it was started with, and the same with another mark in its file.
    pub(crate) fn versions(&self) -> Result<[Version; 2]> {
        let bytes = std::fs::read(self.components()?.join("echo.wasm"))?;
        // A custom section: id 0, its size, the size of its name, its name, no content.
        let marked = [&bytes[..], b"\x00\x05\x04mark"].concat();
        Ok([bytes, marked].map(|bytes| Version { digest: digest(&bytes), bytes }))
    }

    /// Replaces the file of `echo` atomically.
    pub(crate) fn put(&self, version: &Version) -> Result<()> {
        let components = self.components()?;
        let temporary = components.join("echo.beside");
        std::fs::write(&temporary, &version.bytes)?;
        Ok(std::fs::rename(temporary, components.join("echo.wasm"))?)
    }

    fn components(&self) -> Result<PathBuf> {
        let folder = self.folder.as_ref().context("it has no folder")?;
        Ok(folder.path().join("components"))
    }

    /// Waits until the server echoes.
    async fn ready(&mut self) -> Result<()> {
        let begun = Instant::now();
        let call = Call::kilobyte();
        let request = call.request(&self.address);
        loop {
            let error = match Connection::open(&self.address).await {
                Ok(mut connection) => match connection.exchange(&request).await {
                    Ok(answer) => return call.check(answer),
                    Err(error) => error,
                },
                Err(error) => error,
            };
            if let Some(status) = self.process.try_wait()? {
                bail!("ended with {status}: {}", self.log());
            }
            ensure!(begun.elapsed() < START, "does not answer: {error:#}\n{}", self.log());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    fn log(&self) -> String {
        let log = self.folder.as_ref().map(|it| it.path().join("log"));
        log.and_then(|it| std::fs::read_to_string(it).ok()).unwrap_or_default()
    }

    /// Resident memory. Known on Linux only.
    pub(crate) fn resident_mib(&self) -> Option<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id())).ok()?;
        let line = status.lines().find_map(|it| it.strip_prefix("VmRSS:"))?;
        let kib: f64 = line.split_whitespace().next()?.parse().ok()?;
        Some(kib / 1024.0)
    }

    /// CPU time that the server has used so far, in all its threads. Known on Linux only.
    pub(crate) fn cpu(&self) -> Option<Duration> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.process.id())).ok()?;
        cpu_of(&stat)
    }
}

/// Fields 14 and 15 of /proc/PID/stat: user and system time. The second field is the program's
/// name in brackets and may hold anything.
fn cpu_of(stat: &str) -> Option<Duration> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut fields = after_name.split_whitespace().skip(11);
    let user: f64 = fields.next()?.parse().ok()?;
    let system: f64 = fields.next()?.parse().ok()?;
    Some(Duration::from_secs_f64((user + system) / TICKS_PER_SECOND))
}

impl Drop for Server {
    fn drop(&mut self) {
        // Nothing to do about a failure: the process is ours and ends with us at the latest.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

fn host_command(binary: &Path, address: &str, folder: &Path) -> Command {
    let mut command = Command::new(binary);
    command.args(["--addr", address]).arg("--components").arg(folder.join("components"));
    command.arg("--data").arg(folder.join("data"));
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_is_read_past_a_name_with_spaces_and_brackets() {
        let stat = "42 (a) b) S 1 42 42 0 -1 4194304 100 0 0 0 150 50 0 0 20 0 4 0 100 1 1";
        assert_eq!(cpu_of(stat), Some(Duration::from_secs(2)));
    }
}
