//! Components from registries (OCI distribution): pulled and pushed in the CNCF's form, held against the signatures
//! that the configuration demands, and kept by their digests (DIST-1 to DIST-10).

use std::{io, path::PathBuf};

mod client;
mod credentials;
mod fetch;
pub mod lock;
pub mod manifest;
mod packages;
pub mod pull;
pub mod push;
pub mod reference;
pub mod referrers;
pub mod signatures;
pub mod store;
pub mod tags;

pub use client::authorities;

/// What comes of what is asked of a registry.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a component is not taken from a registry, or not given to one.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It is named in a way that means nothing.
    #[error(
        "{0:?} names no component of a registry; oci://HOST/NAME:TAG, oci://HOST/NAME@sha256:DIGITS or NAMESPACE:NAME@VERSION is right"
    )]
    Reference(String),
    /// The registry cannot be asked, or answers what cannot be used.
    #[error("{url}: {what}")]
    Registry {
        /// What was asked, without query.
        url: String,
        /// What came of it.
        what: String,
    },
    /// The registry has something else than a component.
    #[error("{0}")]
    Manifest(String),
    /// What the registry is asked with cannot be had, or is not for whom it asks.
    #[error("{0}")]
    Credentials(String),
    /// No signature stands on it that the configuration demands.
    #[error("{0}")]
    Unsigned(String),
    /// It is older than what is installed.
    #[error("{0}; --allow-older takes it all the same")]
    Older(String),
    /// What the operator asks for cannot be done.
    #[error("{0}")]
    Refused(String),
    /// A file cannot be read or written.
    #[error("{}: {source}", .path.display())]
    File {
        /// Its path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl Error {
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        |source| Self::File { path, source }
    }
}
