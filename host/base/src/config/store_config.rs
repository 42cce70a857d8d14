//! Where component data is stored: `[store]`.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use smart_default::SmartDefault;
use store::database::Stored;
use store::database::postgres::{Address, Reader, check_address};
use tokio::runtime::Handle;

use crate::{grants::secret::Given, limits::check_range};

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
