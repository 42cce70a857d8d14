//! What a running server records, and where component data is stored: `[audit]`, `[log]`, `[telemetry]` and `[store]`.

use std::{
    path::{Path, PathBuf},
    str::FromStr,
};

use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;
use tokio::runtime::Handle;

use crate::{
    grants::secret::Given,
    limits::{check_range, limits},
};
use store::database::{
    Stored,
    postgres::{Address, Reader, check_address},
};

limits! {
    /// The audit log: `[audit]`.
    AuditConfig as it {
        /// Whether calls are written down.
        enabled: bool = true;
        /// Whether calls that change something are refused while they cannot be written down.
        required: bool = true;
        /// Bytes after which a new file is begun, of each kind.
        bytes_max: u64 = 16 << 20, in 4 << 10..=1 << 40;
        /// Rotated files kept per kind.
        files_kept: usize = 4, in 0..=1_000;
    }
}

/// The server's own log: `[log]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct LogConfig {
    /// Format of log lines.
    pub format: LogFormat,
}

/// The format of log lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// Lines for people to read.
    #[default]
    Text,
    /// One JSON object per line, for programs.
    Json,
}

impl FromStr for LogFormat {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err("text or json is right"),
        }
    }
}

/// `[telemetry]`: trace export.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct TelemetryConfig {
    /// The collector's base address, such as `http://127.0.0.1:4318`; none sends nothing.
    pub otlp_endpoint: Option<String>,
    /// Service name of traces.
    #[default = "madoguchi"]
    pub service_name: String,
    /// The part of calls without a parent that is traced; with one, the parent decides.
    #[default = 1.0]
    pub sample_ratio: f64,
}

impl TelemetryConfig {
    /// Checks the settings, without connecting.
    ///
    /// # Errors
    /// Why traces cannot be sent.
    pub fn check(&self) -> Result<(), String> {
        if !(0.0..=1.0).contains(&self.sample_ratio) {
            let ratio = self.sample_ratio;
            return Err(format!(
                "telemetry.sample_ratio: {ratio} is not a part of 1; 0.0 to 1.0 is right"
            ));
        }
        let Some(endpoint) = &self.otlp_endpoint else { return Ok(()) };
        let is_web = |uri: &http::Uri| {
            matches!(uri.scheme_str(), Some("http" | "https")) && uri.authority().is_some()
        };
        match endpoint.parse::<http::Uri>() {
            Ok(it) if is_web(&it) => Ok(()),
            _ => Err(format!(
                "telemetry.otlp_endpoint: {endpoint:?} is not the address of a collector; http://127.0.0.1:4318 is how one looks"
            )),
        }
    }
}

/// Connections that a component may have, at least and at most.
const CONNECTIONS: std::ops::RangeInclusive<usize> = 2..=64;

/// Files of SQLite in the data folder, which need nothing, or a PostgreSQL server (STO-1).
#[derive(Clone, Debug, Deserialize, SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct StoreConfig {
    /// `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, or where that is kept; none keeps it in the data folder.
    pub url: Option<Given>,
    /// Additional trusted CA certificates (PEM file), relative to the configuration.
    pub ca: Option<PathBuf>,
    /// Connections that each component may have.
    #[default = 8]
    pub connections_max: usize,
    /// Node name where hosts share the server. Defaults to the machine's name.
    pub node: Option<String>,
}

impl StoreConfig {
    /// The server's address, where there is to be one; paths count from `base`.
    ///
    /// # Errors
    /// What is wrong and the correct form, without secrets.
    pub fn address(&self, base: &Path) -> Result<Option<Address>, String> {
        let Some(url) = &self.url else { return Ok(None) };
        let url = url.read(base).map_err(|why| format!("url: {why}"))?.expose().to_owned();
        check_address(&url).map_err(|it| it.to_string())?;
        let ca = self.check(base)?;
        let node = self.node.clone().unwrap_or_else(store::machine_name);
        Ok(Some(Address { url, ca, connections_max: self.connections_max, node }))
    }

    /// The file of additional certificates. What is wrong beside the address is wrong without one, too.
    ///
    /// # Errors
    /// What is wrong and the correct form.
    pub(super) fn check(&self, base: &Path) -> Result<Option<PathBuf>, String> {
        check_range("connections_max", self.connections_max, CONNECTIONS)?;
        let ca = self.ca.as_ref().map(|it| base.join(it));
        match ca.as_ref().filter(|it| !it.is_file()) {
            Some(file) => Err(format!("ca: there is no file {}", file.display())),
            None => Ok(ca),
        }
    }

    /// Opens component storage on the server or in the data folder `data`. Paths are relative to `base`. Blocks, and
    /// uses `runtime` for network access.
    ///
    /// # Errors
    /// If invalid, or if the server is unreachable.
    pub fn stored(&self, base: &Path, data: &Path, runtime: Handle) -> Result<Stored, String> {
        let Some(address) = self.address(base).map_err(|it| format!("[store] {it}"))? else {
            return Ok(Stored::Files(data.join("databases")));
        };
        let reader = Reader::connect(&address, runtime).map_err(|it| it.to_string())?;
        Ok(Stored::Server(Box::new(reader)))
    }
}
