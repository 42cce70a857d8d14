//! Components from OCI registries: pulled and pushed in the CNCF's format, verified by the signatures that the
//! configuration requires, and stored by digest (DIST-1 to DIST-10).

use std::{io, path::PathBuf};

mod client;
mod credentials;
pub mod manifest;
pub mod pull;
pub mod push;
pub mod reference;
pub mod repository;
pub mod signatures;
pub mod store;

pub use client::authorities;

/// Result of registry operations.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error message of a registry operation.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Error(String);

impl Error {
    /// An invalid reference.
    pub(crate) fn reference(text: impl Into<String>) -> Self {
        Self(format!(
            "{:?} names no component of a registry; oci://HOST/NAME:TAG, oci://HOST/NAME@sha256:DIGITS or NAMESPACE:NAME@VERSION is right",
            text.into()
        ))
    }

    /// A file cannot be read or written.
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |error| Self(format!("{}: {error}", path.display()))
    }
}
