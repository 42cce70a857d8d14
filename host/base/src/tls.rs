//! TLS configuration of every client of this process.

use std::sync::Once;

/// Installs the cryptography that clients need before the first of them is made; any number of
/// times, from anywhere.
pub fn install_provider() {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        // An error says that another part of the program was first, with the same one.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}
