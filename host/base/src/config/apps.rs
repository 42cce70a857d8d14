//! The origin that shows apps of other servers (MCP Apps), and what these apps may reach: `[apps]`.

use std::{collections::BTreeSet, net::SocketAddr};

use reqwest::Url;
use serde::Deserialize;
use strum::IntoStaticStr;

use super::Config;
use crate::grants::hosts::host_of;

/// The second origin, from which apps are shown and nothing else is served.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AppsConfig {
    /// Listen address.
    addr: Addr,
    /// Its origin as browsers reach it, where that is not this machine.
    pub url: Option<AppsUrl>,
    /// Hosts that apps may load from and connect to. `None` allows all over TLS.
    pub domains: Option<Vec<Domain>>,
    /// Browser permissions that apps may request.
    pub permissions: BTreeSet<Permission>,
    /// Bound address.
    #[serde(skip)]
    pub bound: Option<SocketAddr>,
}

/// `addr` as written: an address, or false. By default a free port of this machine, where the page is for this
/// machine alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "an address such as \"127.0.0.1:8809\", or false")]
enum Addr {
    At(SocketAddr),
    Is(bool),
    #[default]
    #[serde(skip)]
    Free,
}

/// An origin of its own: scheme, host and port.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct AppsUrl(pub String);

/// A browser permission of an app.
#[derive(Clone, Copy, Debug, IntoStaticStr, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "camelCase")]
pub enum Permission {
    Camera,
    Microphone,
    Geolocation,
    ClipboardWrite,
}

impl Permission {
    /// Its name in MCP Apps.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl TryFrom<String> for AppsUrl {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let url = Url::parse(&text).ok().filter(|it| matches!(it.scheme(), "http" | "https"));
        let origin = url.map(|it| it.origin().ascii_serialization());
        match origin.filter(|it| *it == text.trim_end_matches('/').to_ascii_lowercase()) {
            Some(origin) => Ok(Self(origin)),
            None => Err("url must be an origin such as \"https://apps.example\"".to_owned()),
        }
    }
}

impl AppsConfig {
    /// Configured listen address. `None` without apps.
    pub fn listens_at(&self, config: &Config) -> Option<SocketAddr> {
        match self.addr {
            Addr::At(addr) => Some(addr),
            Addr::Is(false) => None,
            Addr::Is(true) | Addr::Free => {
                let is_loopback_host =
                    config.addr.ip().is_loopback() && config.public_url.is_none();
                // Policies cannot name an address of version 6.
                (is_loopback_host && config.addr.is_ipv4())
                    .then(|| SocketAddr::new(config.addr.ip(), 0))
            }
        }
    }

    /// The origin of apps for a page that was asked for at `host`, with or without a port. On this machine it has
    /// another name than the page, so that browsers keep the two apart, cookies among it.
    pub fn origin_for(&self, host: &str) -> Option<String> {
        let bound = self.bound?;
        if let Some(AppsUrl(url)) = &self.url {
            return Some(url.clone());
        }
        let other = match host_of(host) {
            "localhost" => "127.0.0.1",
            "127.0.0.1" => "localhost",
            _ => return None,
        };
        Some(format!("http://{other}:{}", bound.port()))
    }

    /// All possible origins of apps.
    pub fn origins(&self) -> Vec<String> {
        let mut all: Vec<_> = LOOPBACK_HOSTS.iter().filter_map(|it| self.origin_for(it)).collect();
        all.dedup();
        all
    }

    pub(super) fn check(&self, config: &Config) -> Result<(), String> {
        let is_loopback_host = |it: &SocketAddr| it.ip().is_loopback();
        match (&self.addr, &self.url) {
            (Addr::At(addr), None) if !is_loopback_host(addr) => Err(
                "url is missing: the origin by which browsers reach addr, such as \"https://apps.example\"".to_owned(),
            ),
            (Addr::Is(_) | Addr::Free, Some(_)) => Err(
                "addr is missing: where what answers at url listens, such as \"127.0.0.1:8809\"".to_owned(),
            ),
            (_, Some(AppsUrl(url))) => match config.public_url.as_ref() {
                Some(page) if host_of_url(&page.text) == host_of_url(url) => Err(
                    "url has the host of public_url: apps need another one, so that browsers keep them from the page".to_owned(),
                ),
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }
}

fn host_of_url(url: &str) -> Option<String> {
    Some(Url::parse(url).ok()?.host_str()?.to_owned())
}

/// Characters of a domain.
const DOMAIN_BYTES_MAX: usize = 255;

/// A place that documents may load from, as policies write it: `https://a.example`, `https://*.a.example`,
/// `wss://a.example:8443`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Domain {
    scheme: String,
    /// Whether it is every name below the host.
    is_wild: bool,
    host: String,
    port: Option<u16>,
}

impl Domain {
    /// Parses an origin of scheme, host and port only, so that no policy can read more into it.
    pub fn read(text: &str) -> Option<Self> {
        let (scheme, rest) = text
            .get(..DOMAIN_BYTES_MAX.min(text.len()))
            .filter(|it| *it == text)?
            .split_once("://")?;
        let scheme = scheme.to_ascii_lowercase();
        if !matches!(&*scheme, "https" | "wss" | "http" | "ws") {
            return None;
        }
        let rest = rest.strip_suffix('/').unwrap_or(rest).to_ascii_lowercase();
        let (host, port) = match rest.split_once(':') {
            Some((host, port)) if port.bytes().all(|it| it.is_ascii_digit()) => {
                (host, Some(port.parse().ok().filter(|it| *it > 0)?))
            }
            Some(_) => return None,
            None => (&*rest, None),
        };
        let (is_wild, host) = match host.strip_prefix("*.") {
            Some(host) => (true, host),
            None => (false, host),
        };
        let is_label = |label: &str| {
            (1..=63).contains(&label.len())
                && label.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-')
                && !label.starts_with('-')
                && !label.ends_with('-')
        };
        // Anyone may own a name below a top-level domain, so no wildcard covers them.
        let labels = host.split('.').count();
        if !host.split('.').all(is_label) || (is_wild && labels < 2) {
            return None;
        }
        Some(Self { scheme, is_wild, host: host.to_owned(), port })
    }

    /// As a policy source.
    pub fn text(&self) -> String {
        let wild = if self.is_wild { "*." } else { "" };
        let port = self.port.map(|it| format!(":{it}")).unwrap_or_default();
        format!("{}://{wild}{}{port}", self.scheme, self.host)
    }

    /// Whether everything that `other` names is within this.
    pub fn covers(&self, other: &Self) -> bool {
        let is_below = other.host.strip_suffix(&self.host).is_some_and(|it| it.ends_with('.'));
        let is_within = match self.is_wild {
            true => is_below || (other.is_wild && other.host == self.host),
            false => !other.is_wild && other.host == self.host,
        };
        is_within && (&self.scheme, self.port) == (&other.scheme, other.port)
    }

    /// Whether what goes there is encrypted.
    pub fn is_tls(&self) -> bool {
        matches!(&*self.scheme, "https" | "wss")
    }

    /// Whether it reaches the host of that name.
    pub fn reaches(&self, host: &str) -> bool {
        let is_below = host.strip_suffix(&*self.host).is_some_and(|it| it.ends_with('.'));
        if self.is_wild { is_below } else { self.host == host }
    }
}

impl TryFrom<String> for Domain {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let wrong = "domains has origins such as \"https://a.example\" and \"https://*.a.example\"";
        Self::read(&text).ok_or_else(|| wrong.to_owned())
    }
}

/// Names of this machine, under which a page is reached that is for it alone.
const LOOPBACK_HOSTS: [&str; 2] = ["localhost", "127.0.0.1"];

/// The origins of the page itself, which alone may show the frame of apps.
pub fn pages(config: &Config) -> Vec<String> {
    let port = config.addr.port();
    let mut all: Vec<_> = LOOPBACK_HOSTS.iter().map(|it| format!("http://{it}:{port}")).collect();
    let ip = config.addr.ip();
    if ip.is_ipv4() && !ip.is_loopback() && !ip.is_unspecified() {
        all.push(format!("http://{ip}:{port}"));
    }
    let public = config.public_url.as_ref().and_then(|it| Url::parse(&it.text).ok());
    all.extend(public.map(|it| it.origin().ascii_serialization()));
    for host in &config.allowed_hosts {
        let named = [format!("https://{host}"), format!("http://{host}:{port}")];
        all.extend(named.into_iter().filter(|it| Domain::read(it).is_some()));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Result<Config, String> {
        let config: Config =
            toml::from_str(text).map_err(|it: toml::de::Error| it.message().to_owned())?;
        config.apps.check(&config).map(|()| config)
    }

    #[test]
    fn domain_is_only_scheme_host_and_port() {
        for (text, read) in [
            ("https://a.example", "https://a.example"),
            ("https://A.Example/", "https://a.example"),
            ("wss://*.a.example:8443", "wss://*.a.example:8443"),
            ("http://localhost:3000", "http://localhost:3000"),
        ] {
            assert_eq!(Domain::read(text).map(|it| it.text()).as_deref(), Some(read), "{text}");
        }
        let long = format!("https://{}.example", "a.".repeat(200));
        for wrong in [
            "",
            "*",
            "https:",
            "https://",
            "https://*",
            "https://*.com",
            "https://*.*.example",
            "https://a.example; script-src *",
            "https://a.example 'unsafe-eval'",
            "https://a.example,b",
            "https://a.example\n",
            "'self'",
            "data:",
            "blob:",
            "https://a.example/path",
            "https://a.example:0",
            "https://a.example:",
            "https://a.example:99999",
            "https://u@a.example",
            "https://a..example",
            "https://-a.example",
            "https://ä.example",
            "javascript://a.example",
            "https://[::1]",
            &long,
        ] {
            assert_eq!(Domain::read(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn wildcard_covers_only_subdomains() {
        let read = |it: &str| Domain::read(it).unwrap();
        let wild = read("https://*.a.example");
        for url in ["https://b.a.example", "https://*.a.example", "https://*.b.a.example"] {
            assert!(wild.covers(&read(url)), "{url}");
        }
        for url in [
            "https://a.example",
            "wss://b.a.example",
            "https://b.a.example:1",
            "https://ba.example",
        ] {
            assert!(!wild.covers(&read(url)), "{url}");
        }
        assert!(!read("https://a.example").covers(&wild));
        assert!(wild.reaches("b.a.example") && !wild.reaches("a.example"));
    }

    #[test]
    fn apps_use_another_loopback_name_than_the_page() {
        let mut config = Config::defaults();
        assert_eq!(config.apps.listens_at(&config), Some(SocketAddr::from(([127, 0, 0, 1], 0))));
        config.apps.bound = Some(SocketAddr::from(([127, 0, 0, 1], 9)));
        for (host, origin) in [
            ("localhost:8808", Some("http://127.0.0.1:9")),
            ("127.0.0.1:8808", Some("http://localhost:9")),
            ("[::1]:8808", None),
            ("evil.example", None),
        ] {
            assert_eq!(config.apps.origin_for(host).as_deref(), origin, "{host}");
        }
        config.addr = SocketAddr::from(([0, 0, 0, 0], 1));
        assert_eq!(config.apps.listens_at(&config), None, "others could not reach it");
    }

    #[test]
    fn names_missing_or_wrong_settings() {
        for (text, part) in [
            ("[apps]\naddr = '0.0.0.0:9'", "url is missing"),
            ("[apps]\nurl = 'https://apps.example'", "addr is missing"),
            ("[apps]\naddr = false\nurl = 'https://apps.example'", "addr is missing"),
            (
                "public_url = 'https://a.example/x'\n[apps]\naddr = '0.0.0.0:9'\nurl = 'https://a.example:8443'",
                "another one",
            ),
            ("[apps]\naddr = '127.0.0.1:9'\nurl = 'https://apps.example/x'", "must be an origin"),
            ("[apps]\naddr = 9", "an address such as"),
            ("[apps]\ndomains = ['*']", "https://*.a.example"),
            ("[apps]\npermissions = ['midi']", "unknown variant"),
            ("[apps]\nport = 9", "unknown field"),
        ] {
            let error = check(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
        let right = "public_url = 'https://a.example'\n[apps]\naddr = '127.0.0.1:9'\nurl = 'https://apps.example'";
        let mut config = check(right).unwrap();
        config.apps.bound = Some(SocketAddr::from(([127, 0, 0, 1], 9)));
        assert_eq!(config.apps.origin_for("a.example").as_deref(), Some("https://apps.example"));
        assert_eq!(check("[apps]\naddr = false").unwrap().apps.listens_at(&config), None);
    }
}
