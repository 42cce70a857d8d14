//! What a running server records: `[audit]`, `[log]` and `[telemetry]`.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

use crate::limits::{check_range, limits};

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
