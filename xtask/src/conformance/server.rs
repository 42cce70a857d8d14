//! Starts the program on a free port with its own data folder and the fixtures.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

/// A running server; it ends when this is dropped.
pub(super) struct Server {
    child: Child,
    /// MCP address.
    pub(super) url: String,
}

/// Configuration of the fixtures.
const CONFIG: &str = "\
addr = \"127.0.0.1:0\"
data = \"data\"
components_folder = \"components\"
bundled = false

# The fixtures ring when they say that a list has changed.
[components.conformance]
grants = [\"events\"]

# Some of these take their time.
[components.tasks]
grants = [\"clock\"]
";

impl Server {
    /// Starts `binary` in `folder` and waits for its address.
    pub(super) fn start(binary: &Path, fixtures: &[PathBuf], folder: &Path) -> Result<Self> {
        let components = folder.join("components");
        fs::create_dir_all(&components)?;
        for file in fixtures {
            let name = file.file_name().context("the fixtures are files")?;
            fs::copy(file, components.join(name))
                .with_context(|| format!("copying {}", file.display()))?;
        }
        let config = folder.join("madoguchi.toml");
        fs::write(&config, CONFIG)?;
        let mut server = Command::new(binary);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("MADOGUCHI_") {
                server.env_remove(name);
            }
        }
        let log = folder.join("server.log");
        server.arg("--config").arg(&config);
        server.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(File::create(&log)?);
        let mut child = server.spawn().with_context(|| format!("starting {}", binary.display()))?;
        let lines = BufReader::new(child.stdout.take().context("its output is piped")?);
        let mut server = Self { child, url: String::new() };
        let mut lines = lines.lines().map_while(Result::ok);
        server.url = lines
            .find_map(|it| address(&it))
            .with_context(|| format!("the server did not start: see {}", log.display()))?;
        // Read on, or a full pipe would stop it.
        std::thread::spawn(move || lines.for_each(drop));
        Ok(server)
    }
}

/// The address in the line that names it.
fn address(line: &str) -> Option<String> {
    let address = line.trim().strip_prefix("MCP")?.trim();
    address.starts_with("http").then(|| address.to_owned())
}

impl Drop for Server {
    fn drop(&mut self) {
        // The server is dropped once it is no longer needed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_address_from_its_line() {
        let line = "  MCP         http://127.0.0.1:8808/mcp";
        assert_eq!(address(line).as_deref(), Some("http://127.0.0.1:8808/mcp"));
        assert_eq!(address("  page        http://127.0.0.1:8808/"), None);
        assert_eq!(address("MCP is off"), None);
    }
}
