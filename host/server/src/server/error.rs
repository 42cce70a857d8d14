//! Startup errors and how to correct them.

use std::{io, net::SocketAddr, path::PathBuf};

use base::config::ConfigError;
use store::{data::DataError, database::postgres::ServerError};

/// Why the server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address is in use or not local.
    #[error("cannot listen on {addr}: {source}{}", hint(.source, setting))]
    Listen {
        /// The address.
        addr: SocketAddr,
        /// The setting that gives it.
        setting: &'static str,
        /// The system's error.
        source: io::Error,
    },
    /// The data folder cannot be used.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The folder of components is not there and cannot be made.
    #[error("cannot make the folder of components {path}: {source}; name another with --components or MADOGUCHI_COMPONENTS, or components_folder in the configuration", path = path.display())]
    Components {
        /// The folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The server that should hold what components keep cannot be used.
    #[error(transparent)]
    Store(#[from] ServerError),
    /// The configuration cannot work.
    #[error("configuration: {0}")]
    Config(#[from] ConfigError),
    /// The operator's address cannot be had.
    #[error("cannot serve the operator on {addr}: {source}{}", hint(.source, "--operator-addr or MADOGUCHI_OPERATOR_ADDR"))]
    Operator {
        /// The operator address.
        addr: SocketAddr,
        /// The system's error.
        source: io::Error,
    },
    /// The sandbox cannot be made here.
    #[error("the sandbox cannot be set up: {0:#}")]
    Sandbox(wasmtime::Error),
    /// Traces are configured that cannot be sent.
    #[error("{0}")]
    Telemetry(String),
}

/// Remedy for an unavailable address given by `setting`.
fn hint(error: &io::Error, setting: &str) -> String {
    match error.kind() {
        io::ErrorKind::AddrInUse => format!(
            "; another program listens there: choose another with {setting} (port 0 takes a free one)"
        ),
        io::ErrorKind::AddrNotAvailable => "; this machine has no such address".to_owned(),
        io::ErrorKind::PermissionDenied => "; ports below 1024 need special leave".to_owned(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_in_use_names_its_setting() {
        let taken = || io::Error::from(io::ErrorKind::AddrInUse);
        let addr = SocketAddr::from(([127, 0, 0, 1], 8808));
        let operator = StartError::Operator { addr, source: taken() }.to_string();
        assert!(operator.contains("--operator-addr or MADOGUCHI_OPERATOR_ADDR"), "{operator}");
        let apps = StartError::Listen { addr, setting: "addr under [apps]", source: taken() };
        assert!(apps.to_string().contains("another with addr under [apps] (port 0"), "{apps}");
    }
}
