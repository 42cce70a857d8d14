//! The ring `protocol`: the wire in both eras, real clients, and the page in a browser.

mod browser;
mod clients;
mod wire;
