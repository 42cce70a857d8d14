//! What whoever starts a server is told of what they open to whom.

use crate::http;
use base::config::{Config, assistants, tokens};

/// Tells whoever starts a server what they open to whom.
pub(super) fn tell_what_is_open(config: &Config) {
    let problems = tokens::check::problems(config);
    for it in problems.into_iter().chain(assistants::problems(config)) {
        tracing::warn!("[{}]: {}", it.path.join("."), it.what);
    }
    let ip = config.addr.ip();
    if ip.is_loopback() {
        return;
    }
    tracing::warn!(
        "{} can be reached by others over plain HTTP, which shows tokens to the network between: put TLS before it",
        config.addr
    );
    tracing::info!("answers to the names {}", http::hosts(config).join(", "));
    if ip.is_unspecified() && config.allowed_hosts.is_empty() {
        tracing::warn!(
            "it answers to the names of this machine only; add the one by which others call it to allowed_hosts"
        );
    }
}
