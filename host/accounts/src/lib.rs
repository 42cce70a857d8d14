//! User accounts and the OAuth authorization server that issues tokens to their clients: `[accounts]`.

mod attempts;
mod clients;
mod pages;
mod passkeys;
mod routes;
mod scopes;
mod secret;
mod service;
mod state;

pub use routes::{BODY_BYTES_MAX, Peer, is_path, routes};
pub use service::{AccountError, Accounts, Holder, NotHeld};
pub use state::plan;
