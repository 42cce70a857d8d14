//! Hosts that a component may reach: `[[components.NAME.http]]`, and those that environment variables name.

use std::{fmt, path::PathBuf};

use http::{HeaderName, HeaderValue, Method};
use reqwest::Url;
use serde::Deserialize;

use super::secret::{Given, Secret};
use crate::grants::hosts::{is_loopback_host, is_private, literal};

/// One granted host.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Written")]
pub struct HostGrant {
    pub host: HostName,
    pub scheme: Scheme,
    pub port: u16,
    pub methods: Vec<Method>,
    /// Whether it may have an address that only this machine or its network can reach.
    pub private: bool,
    /// Whether it is left out, without a warning, where the environment has no secret for it.
    pub optional: bool,
    pub secrets: Vec<SecretGrant>,
}

/// A host's name, or all names under one.
#[derive(Clone, Debug, strum::Display, PartialEq, Eq)]
pub enum HostName {
    #[strum(to_string = "{0}")]
    Exactly(String),
    /// `*.example.com`: every name that ends so, and not `example.com` itself.
    #[strum(to_string = "*{0}")]
    Under(String),
}

/// Scheme of a host.
#[derive(Clone, Copy, Debug, Default, strum::Display, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Scheme {
    #[default]
    Https,
    Http,
}

/// A secret of the operator's that goes with each request to the host.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "WrittenSecret")]
pub struct SecretGrant {
    pub place: Place,
    pub prefix: String,
    pub source: Given,
}

impl SecretGrant {
    /// The environment variable that it comes from, if it does.
    pub fn variable(&self) -> Option<&str> {
        match &self.source {
            Given::Environment(variable) => Some(variable),
            _ => None,
        }
    }
}

/// Where a request carries a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    Header(HeaderName),
    Query(String),
}

/// An entry as it stands in the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    host: String,
    #[serde(default)]
    scheme: Scheme,
    port: Option<u16>,
    methods: Option<Vec<String>>,
    #[serde(default)]
    private: bool,
    #[serde(default)]
    optional: bool,
    #[serde(default)]
    secrets: Vec<SecretGrant>,
}

/// A secret as it stands in the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenSecret {
    header: Option<String>,
    query: Option<String>,
    prefix: Option<String>,
    environment: Option<String>,
    file: Option<PathBuf>,
    value: Option<Secret>,
}

impl HostGrant {
    /// Parses the argument of `--allow-http`: `HOST`, `HOST:PORT` or `http://HOST:PORT`. It allows any method, and
    /// private addresses because it is the author's own machine.
    pub fn of_argument(text: &str) -> Result<Self, String> {
        let whole = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
        let wrong = || format!("{text:?}: HOST, HOST:PORT or http://HOST:PORT is right");
        // A star is no character of a URL's host.
        let url = Url::parse(&whole.replacen("//*.", "//", 1)).map_err(|_| wrong())?;
        let scheme = Scheme::from_url(&url).ok_or_else(wrong)?;
        let star = if whole.contains("//*.") { "*." } else { "" };
        let host = HostName::read(&format!("{star}{}", url.host_str().ok_or_else(wrong)?))?;
        let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
        let methods = methods.iter().map(|it| method(it)).collect::<Result<_, _>>()?;
        Ok(Self::at(host, scheme, url.port(), methods, true))
    }

    /// A host without secrets, at the scheme's port where no other is named.
    fn at(
        host: HostName,
        scheme: Scheme,
        port: Option<u16>,
        methods: Vec<Method>,
        private: bool,
    ) -> Self {
        let port = port.unwrap_or(scheme.port());
        Self { host, scheme, port, methods, private, optional: false, secrets: Vec::new() }
    }

    /// The environment variables that its secrets come from.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.secrets.iter().filter_map(SecretGrant::variable)
    }

    /// Whether it is nothing to this operator: it is optional, and a secret of its is not there.
    pub fn is_left_out(&self) -> bool {
        let is_there = |it: &str| std::env::var(it).is_ok_and(|it| !it.trim().is_empty());
        self.optional && !self.variables().all(is_there)
    }
}

impl TryFrom<Written> for HostGrant {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let host = HostName::read(&written.host)?;
        if let HostName::Exactly(name) = &host
            && let Some(ip) = literal(name)
            && is_private(ip)
            && !written.private
        {
            return Err(format!(
                "host = {name:?} is an address of this machine or its network; that needs private = true as well"
            ));
        }
        if written.port == Some(0) {
            return Err("port = 0 is no port".to_owned());
        }
        let methods = match written.methods.as_deref() {
            None => vec![Method::GET, Method::HEAD],
            Some([]) => {
                return Err("methods = [] allows nothing; leave it out for GET and HEAD".into());
            }
            Some(some) => some.iter().map(|it| method(it)).collect::<Result<_, _>>()?,
        };
        let port = written.port.unwrap_or(written.scheme.port());
        let is_of_environment = |it: &SecretGrant| matches!(it.source, Given::Environment(_));
        if written.optional && !written.secrets.iter().any(is_of_environment) {
            return Err("optional = true is for an entry with a secret of the environment".into());
        }
        let (scheme, private, secrets) = (written.scheme, written.private, written.secrets);
        Ok(Self { host, scheme, port, methods, private, optional: written.optional, secrets })
    }
}

fn method(name: &str) -> Result<Method, String> {
    let wrong = || format!("methods: {name:?} is not an HTTP method in capitals, such as \"GET\"");
    if !name.bytes().all(|it| it.is_ascii_uppercase() || it == b'-') {
        return Err(wrong());
    }
    match Method::from_bytes(name.as_bytes()).map_err(|_| wrong())? {
        Method::CONNECT => Err("methods: \"CONNECT\" makes tunnels, which are not offered".into()),
        method => Ok(method),
    }
}

impl HostName {
    fn read(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "host = {text:?} must be a host's name alone, such as \"api.example.com\" or \"*.example.com\"; scheme and port have entries of their own"
            )
        };
        let (name, under) = match text.strip_prefix("*.") {
            Some(name) => (name, true),
            None => (text, false),
        };
        if let Some(ip) = literal(name) {
            let name = if ip.is_ipv6() { format!("[{ip}]") } else { ip.to_string() };
            return if under { Err(wrong()) } else { Ok(Self::Exactly(name)) };
        }
        if name.is_empty() || name.contains(['*', ':', '/', '?', '#', '@', '\\', ' ']) {
            return Err(wrong());
        }
        // The parser of the requests' own URLs, so that both are written alike.
        let url = Url::parse(&format!("http://{name}/")).map_err(|_| wrong())?;
        let name = url.host_str().ok_or_else(wrong)?.to_owned();
        Ok(if under { Self::Under(format!(".{name}")) } else { Self::Exactly(name) })
    }

    pub fn covers(&self, host: &str) -> bool {
        match self {
            Self::Exactly(name) => name == host,
            Self::Under(suffix) => host.len() > suffix.len() && host.ends_with(suffix),
        }
    }
}

/// Formats as the argument of `--allow-http`.
impl fmt::Display for HostGrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.scheme == Scheme::Http { "http://" } else { "" };
        write!(f, "{scheme}{}", self.host)?;
        if self.port != self.scheme.port() { write!(f, ":{}", self.port) } else { Ok(()) }
    }
}

impl Scheme {
    pub fn from_url(url: &Url) -> Option<Self> {
        match url.scheme() {
            "https" => Some(Self::Https),
            "http" => Some(Self::Http),
            _ => None,
        }
    }

    pub fn port(self) -> u16 {
        match self {
            Self::Https => 443,
            Self::Http => 80,
        }
    }
}

impl TryFrom<WrittenSecret> for SecretGrant {
    type Error = String;

    fn try_from(written: WrittenSecret) -> Result<Self, String> {
        let place = match (written.header, written.query) {
            (Some(name), None) => Place::Header(header(&name)?),
            (None, Some(name)) if !name.is_empty() => Place::Query(name),
            _ => return Err("a secret goes into one place: header = \"…\" or query = \"…\"".into()),
        };
        let source = Given::of_one(written.environment, written.file, written.value)?;
        let prefix = written.prefix.unwrap_or_default();
        if HeaderValue::from_str(&prefix).is_err() {
            return Err(format!("prefix = {prefix:?} cannot stand in a header"));
        }
        Ok(Self { place, prefix, source })
    }
}

/// Headers that cannot carry secrets.
const NOT_FOR_SECRETS: [&str; 6] =
    ["host", "content-length", "transfer-encoding", "connection", "upgrade", "te"];

impl Place {
    /// The header of that name.
    pub fn header(name: &str) -> Result<Self, String> {
        header(name).map(Self::Header)
    }
}

fn header(name: &str) -> Result<HeaderName, String> {
    let header = HeaderName::from_bytes(name.as_bytes())
        .map_err(|_| format!("header = {name:?} is not the name of a header"))?;
    if NOT_FOR_SECRETS.contains(&header.as_str()) {
        return Err(format!("header = {name:?} is set by HTTP itself and can carry no secret"));
    }
    Ok(header)
}

/// Origins that one variable may name.
const ORIGINS_MAX: usize = 64;

impl HostGrant {
    /// Parses a variable with comma-separated origins such as `https://a.example`, which allow `GET` only. Plain http
    /// and private addresses are allowed only for loopback origins.
    pub fn of_origins(text: &str) -> Result<Vec<Self>, String> {
        let origins = text.split(',').map(str::trim).filter(|it| !it.is_empty());
        let origins: Vec<_> = origins.map(Self::of_origin).collect::<Result<_, _>>()?;
        if origins.len() > ORIGINS_MAX {
            return Err(format!("{} origins; at most {ORIGINS_MAX} are right", origins.len()));
        }
        Ok(origins)
    }

    /// Parses a variable with one base address: an origin with an optional path. `private` allows any host and plain
    /// http.
    pub fn of_base(text: &str, methods: &[String], private: bool) -> Result<Self, String> {
        let right = "\"https://routes.example\" or \"https://a.example/routes\"";
        let wrong = |why: &str| wrong(text, why, right);
        let url = Url::parse(text).map_err(|_| wrong("is not a base address"))?;
        let name = host(&url).ok_or_else(|| wrong("is more than scheme, host, port and path"))?;
        let scheme = match url.scheme() {
            "https" => Scheme::Https,
            "http" if private => Scheme::Http,
            _ => return Err(wrong("is not https")),
        };
        if literal(name).is_some_and(is_private) && !private {
            return Err(wrong("is an address of this machine or its network"));
        }
        let methods = match methods {
            [] => vec![Method::GET],
            some => some.iter().map(|it| method(it)).collect::<Result<_, _>>()?,
        };
        Ok(Self::at(HostName::read(name)?, scheme, url.port(), methods, private))
    }

    fn of_origin(text: &str) -> Result<Self, String> {
        let right = "\"https://directory.example\" or \"http://127.0.0.1:8000\"";
        let wrong = |why: &str| wrong(text, why, right);
        let url = Url::parse(text).map_err(|_| wrong("is not an origin"))?;
        let name = host(&url).filter(|_| url.path() == "/");
        let name = name.ok_or_else(|| wrong("is more than scheme, host and port"))?;
        let ip = literal(name);
        let is_loopback_host = is_loopback_host(name);
        let scheme = match url.scheme() {
            "https" => Scheme::Https,
            "http" if is_loopback_host => Scheme::Http,
            "http" => return Err(wrong("is not https, which only this machine need not be")),
            _ => return Err(wrong("is not https")),
        };
        if ip.is_some_and(is_private) && !is_loopback_host {
            return Err(wrong(
                "is an address of this machine's network, which takes an entry of its own with private = true",
            ));
        }
        Ok(Self::at(HostName::read(name)?, scheme, url.port(), vec![Method::GET], is_loopback_host))
    }
}

/// Formats what is wrong with `text` and the correct form.
fn wrong(text: &str, why: &str, right: &str) -> String {
    let shown: String = text.chars().take(100).collect();
    // Text before an @ may be a password.
    let shown = shown.rsplit('@').next().unwrap_or_default();
    format!("{shown:?} {why}; {right} is right")
}

/// The host name of a URL with scheme, host, port and path only.
fn host(url: &Url) -> Option<&str> {
    let is_base = url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none()
        && url.port() != Some(0);
    url.host_str().filter(|it| is_base && !it.contains('*'))
}

#[cfg(test)]
mod tests;
