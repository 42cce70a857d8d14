//! The two servers: started on free ports with folders of their own, gone when the bench ends.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;

use crate::wire::{Call, Connection};

/// The first start compiles the component.
const START: Duration = Duration::from_secs(60);
/// The kernel's clock tick in /proc, on every Linux that there is.
const TICKS_PER_SECOND: f64 = 100.0;

/// A running server.
pub(crate) struct Server {
    pub(crate) name: &'static str,
    pub(crate) address: String,
    process: Child,
    /// What it writes; kept until it has ended.
    _folder: TempDir,
}

impl Server {
    /// Our host with one component, `echo`, and a data folder of its own.
    pub(crate) async fn host(binary: &Path, echo: &Path) -> Result<Self> {
        let folder = TempDir::new()?;
        let components = folder.path().join("components");
        std::fs::create_dir(&components)?;
        std::fs::copy(echo, components.join("echo.wasm"))
            .with_context(|| format!("copying {}", echo.display()))?;
        let address = free_address()?;
        let mut command = Command::new(binary);
        command.args(["--addr", &address]).arg("--components").arg(components);
        command.arg("--data").arg(folder.path().join("data"));
        Self::start("madoguchi", command, address, folder).await
    }

    /// The native tool on plain rmcp.
    pub(crate) async fn native(binary: &Path) -> Result<Self> {
        let address = free_address()?;
        let mut command = Command::new(binary);
        command.arg(&address);
        Self::start("rmcp, native", command, address, TempDir::new()?).await
    }

    async fn start(
        name: &'static str,
        mut command: Command,
        address: String,
        folder: TempDir,
    ) -> Result<Self> {
        let log = std::fs::File::create(folder.path().join("log"))?;
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        let process = command.spawn().with_context(|| format!("starting {command:?}"))?;
        let mut server = Self { name, address, process, _folder: folder };
        server.ready().await?;
        Ok(server)
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
        std::fs::read_to_string(self._folder.path().join("log")).unwrap_or_default()
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

fn free_address() -> Result<String> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string())
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
