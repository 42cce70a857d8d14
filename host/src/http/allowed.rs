//! Under which names the server may be addressed, and from which pages.

use http::{HeaderMap, HeaderValue, header};

use crate::config::Config;

/// Names and pages that are let in.
pub(super) struct Allowed {
    hosts: Vec<String>,
    origins: Vec<String>,
}

impl Allowed {
    pub(super) fn new(config: &Config) -> Self {
        let origins = config.allowed_origins.iter().map(|it| it.to_lowercase()).collect();
        Self { hosts: hosts(config), origins }
    }

    /// Refuses what a page elsewhere, or a name that was bound to this machine behind the user's
    /// back, would send (DNS rebinding). Tells the page where it is one from elsewhere that may.
    pub(super) fn check(
        &self,
        headers: &HeaderMap,
        authority: Option<&str>,
    ) -> Result<Option<HeaderValue>, String> {
        let text = |name| headers.get(name).and_then(|it: &HeaderValue| it.to_str().ok());
        let host = authority.or_else(|| text(header::HOST)).unwrap_or_default().to_lowercase();
        if !self.hosts.iter().any(|it| *it == host || it == host_of(&host)) {
            return Err(format!(
                "Host {host:?} is not served here; add it to allowed_hosts in the configuration."
            ));
        }
        let Some(sent) = headers.get(header::ORIGIN) else { return Ok(None) };
        let origin = sent.to_str().unwrap_or_default().to_lowercase();
        if origin.split_once("://").is_some_and(|(_, it)| it == host) {
            return Ok(None);
        }
        if self.origins.contains(&origin) {
            return Ok(Some(sent.clone()));
        }
        Err(format!(
            "Pages of {origin:?} may not talk to this server; add it to allowed_origins in the configuration."
        ))
    }
}

/// The names under which a server with this configuration may be addressed.
pub(crate) fn hosts(config: &Config) -> Vec<String> {
    let mut hosts = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "[::1]".to_owned()];
    if !config.addr.ip().is_unspecified() {
        hosts.push(host_of(&config.addr.to_string()).to_owned());
    }
    hosts.extend(config.public_url.iter().map(|it| it.host().to_owned()));
    hosts.extend(config.allowed_hosts.iter().map(|it| it.to_lowercase()));
    hosts
}

/// A host without its port.
pub(crate) fn host_of(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((host, port)) if port.chars().all(|it| it.is_ascii_digit()) => host,
        _ => authority,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(host: &str, origin: Option<&str>) -> Result<bool, String> {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, origin.parse().unwrap());
        }
        let mut config = Config::defaults();
        config.allowed_origins.push("https://App.example".to_owned());
        Allowed::new(&config).check(&headers, None).map(|it| it.is_some())
    }

    #[test]
    fn the_own_page_and_clients_without_a_page_may_talk_and_others_may_not() {
        assert_eq!(check("127.0.0.1:8808", None), Ok(false));
        assert_eq!(check("localhost:8808", Some("http://localhost:8808")), Ok(false));
        assert_eq!(check("[::1]:8808", Some("http://[::1]:8808")), Ok(false));
        assert_eq!(check("localhost:8808", Some("https://app.example")), Ok(true));
        assert!(check("localhost:8808", Some("http://evil.example")).is_err());
        assert!(check("localhost:8808", Some("http://localhost:9999")).is_err());
        assert!(check("localhost:8808", Some("null")).is_err());
    }

    #[test]
    fn a_name_bound_to_this_machine_from_outside_is_refused() {
        let message = check("evil.example:8808", Some("http://evil.example:8808")).unwrap_err();
        assert!(message.contains("allowed_hosts"), "{message}");
    }

    #[test]
    fn a_server_on_every_address_is_known_by_the_names_that_are_configured() {
        let mut config = Config::defaults();
        config.addr = "0.0.0.0:8808".parse().unwrap();
        config.allowed_hosts.push("Tools.example".to_owned());
        assert_eq!(hosts(&config), ["localhost", "127.0.0.1", "[::1]", "tools.example"]);
        config.addr = "192.0.2.7:8808".parse().unwrap();
        assert!(hosts(&config).contains(&"192.0.2.7".to_owned()));
    }
}
