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

/// Why a component is not taken from a registry, or not given to one, in words.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Error(String);

impl Error {
    /// It is named in a way that means nothing.
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
