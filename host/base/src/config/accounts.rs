//! User accounts and the built-in authorization server: `[accounts]`.

use serde::Deserialize;
use smart_default::SmartDefault;

use super::{Config, Problem};
use crate::{grants::address::is_local, limits::check_range};

/// Seconds that an access token may be valid for, at least and at most.
const ACCESS_TOKEN_S: std::ops::RangeInclusive<u64> = 1..=3_600;

/// Whether people have accounts here, with which their clients get tokens (AUTH-1).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct AccountsConfig {
    /// Whether there are accounts at all.
    pub enabled: bool,
    /// Whether clients may register themselves (RFC 7591); without it they come with a metadata document.
    #[default = true]
    pub registration: bool,
    /// Whether clients' metadata documents may be at addresses of this machine's network, and there over plain HTTP.
    pub private_documents: bool,
    /// Seconds that an access token is valid for.
    #[default = 600]
    pub access_token_s: u64,
}

/// Everything that is wrong with the accounts of `config`.
pub fn problems(config: &Config) -> Vec<Problem> {
    let (accounts, mut found) = (&config.accounts, Vec::new());
    // What is wrong while there are no accounts keeps no server from starting.
    let mut wrong =
        |path: &[&str], what: String| found.push(Problem::new(path, what, accounts.enabled));
    match &config.public_url {
        _ if !accounts.enabled => {}
        None if !config.addr.ip().is_loopback() => wrong(
            &["accounts"],
            "people sign in at the address by which they reach this server, and tokens are for that address: public_url = \"https://tools.example\" says it".to_owned(),
        ),
        Some(url) if url.text.starts_with("http://") && !is_local(&url.host) => wrong(
            &["public_url"],
            "people sign in there, and plain http shows their passwords to the network between: it must begin with https:// (http:// is for this machine: http://localhost:PORT)".to_owned(),
        ),
        _ => {}
    }
    if let Err(what) = check_range("access_token_s", accounts.access_token_s, ACCESS_TOKEN_S) {
        wrong(&["accounts", "access_token_s"], what);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(change: impl FnOnce(&mut Config)) -> Vec<String> {
        let mut config = Config::defaults();
        config.accounts.enabled = true;
        change(&mut config);
        problems(&config).into_iter().map(|it| it.path.join(".")).collect()
    }

    #[test]
    fn names_each_mistake_with_its_place() {
        let url = |it: &str| Some(it.to_owned().try_into().unwrap());
        assert_eq!(found(|_| {}), [""; 0]);
        assert_eq!(found(|it| it.public_url = url("https://a.example")), [""; 0]);
        assert_eq!(found(|it| it.public_url = url("http://localhost:1")), [""; 0]);
        assert_eq!(found(|it| it.public_url = url("http://a.example")), ["public_url"]);
        assert_eq!(found(|it| it.addr = "0.0.0.0:1".parse().unwrap()), ["accounts"]);
        assert_eq!(found(|it| it.accounts.access_token_s = 0), ["accounts.access_token_s"]);
        assert_eq!(found(|it| it.accounts.access_token_s = 3_601), ["accounts.access_token_s"]);
        let off = |config: &mut Config| {
            config.accounts.enabled = false;
            config.accounts.access_token_s = 0;
        };
        assert_eq!(found(off), ["accounts.access_token_s"]);
        let mut config = Config::defaults();
        off(&mut config);
        assert!(problems(&config).iter().all(|it| !it.is_fatal), "what is off stops no server");
    }
}
