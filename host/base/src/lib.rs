//! Types shared by all crates of the host: configuration, grants, limits, callers and calls.

#![allow(missing_docs, reason = "what is public here is so for the other crates of the host")]

use std::sync::Once;

pub mod call;
pub mod caller;
pub mod clean;
pub mod config;
pub mod environment;
pub mod grants;
pub mod json;
pub mod language;
pub mod limits;
pub mod pictures;
pub mod scopes;
pub mod settings;
pub mod source;
pub mod toolsets;
pub mod uri_template;

pub use config::Config;

/// Installs the cryptography that clients need before the first of them is made; any number of
/// times, from anywhere.
pub fn install_tls_provider() {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        // An error says that another part of the program was first, with the same one.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}
