//! The hosts granted to one component, with their secrets, and which entry grants a request.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    path::{Path, PathBuf},
};

use http::{HeaderMap, HeaderValue, Method};
use reqwest::Url;

use super::{
    http::{HostGrant, HostName, Place, Scheme, SecretGrant},
    secret::{Mask, Secret},
};

/// The hosts that one component may reach.
#[derive(Clone, Debug, Default)]
pub struct Hosts {
    granted: Vec<GrantedHost>,
    /// Hosts whose secrets are unreadable, and why.
    left_out: Vec<(HostGrant, SecretError)>,
}

/// A host with its secrets, and what hides them.
#[derive(Clone)]
pub struct GrantedHost {
    pub grant: HostGrant,
    /// Secrets added to each request, with prefix.
    pub secrets: Vec<(Place, Secret)>,
    pub mask: Mask,
}

impl fmt::Debug for GrantedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.grant.fmt(f)
    }
}

/// Why a secret cannot be used. It is not repeated.
#[derive(Clone, Debug, thiserror::Error)]
#[error("http host {host}: a secret cannot be used: {what}")]
pub struct SecretError {
    host: HostName,
    what: String,
    /// The file that it is kept in, as the configuration names it.
    pub file: Option<PathBuf>,
}

impl Hosts {
    /// Reads the secrets of `grants`, relative to `base`. Hosts with unreadable secrets are omitted, and the first
    /// error is returned.
    pub fn salvage(grants: &[HostGrant], base: &Path) -> (Self, Option<SecretError>) {
        let mut hosts = Self::default();
        for grant in grants.iter().filter(|it| !it.is_left_out()) {
            match GrantedHost::read(grant, base) {
                Ok(host) => hosts.granted.push(host),
                Err(error) => hosts.left_out.push((grant.clone(), error)),
            }
        }
        let failed = hosts.left_out.first().map(|it| it.1.clone());
        (hosts, failed)
    }

    /// The files that secrets of `grants` come from.
    pub fn files(grants: &[HostGrant], base: &Path) -> Vec<PathBuf> {
        let secrets = grants.iter().flat_map(|it| &it.secrets);
        secrets.filter_map(|it| Some(base.join(it.source.file()?))).collect()
    }

    /// The entry that grants this request: of several, as of two providers behind one gateway, the first of which the
    /// request has a place for each secret, else the first.
    pub fn find(&self, method: &Method, url: &Url, headers: &HeaderMap) -> Option<&GrantedHost> {
        let grants =
            |it: &&GrantedHost| it.grant.leads_to(url) && it.grant.methods.contains(method);
        let mut granted = self.granted.iter().filter(grants);
        let first = granted.clone().next()?;
        let has_place = |(place, _): &(Place, Secret)| match place {
            Place::Header(name) => headers.contains_key(name),
            Place::Query(name) => url.query_pairs().any(|it| it.0 == *name),
        };
        let is_meant =
            |it: &&GrantedHost| !it.secrets.is_empty() && it.secrets.iter().all(has_place);
        Some(granted.find(is_meant).unwrap_or(first))
    }

    /// The lines that would grant a request, or what is wrong with existing ones.
    pub fn lines(&self, component: &str, method: &Method, url: &Url) -> String {
        if let Some(host) = self.granted.iter().find(|it| it.grant.leads_to(url)) {
            let methods = host.grant.methods.iter().chain([method]);
            let list = methods.map(|it| format!("{:?}", it.as_str())).collect::<Vec<_>>();
            let (host, list) = (url.host_str().unwrap_or_default(), list.join(", "));
            return format!(
                "change in the entry for {host} under [[components.{component}.http]]: methods = [{list}]"
            );
        }
        match self.left_out.iter().find(|it| it.0.leads_to(url)) {
            Some((_, why)) => why.to_string(),
            None => entry(component, method, url),
        }
    }
}

/// A whole entry that grants `method` to where `url` leads.
fn entry(component: &str, method: &Method, url: &Url) -> String {
    let mut lines = vec![
        format!("[[components.{component}.http]]"),
        format!("host = {:?}", url.host_str().unwrap_or_default().trim_matches(['[', ']'])),
    ];
    if url.scheme() == "http" {
        lines.push("scheme = \"http\"".to_owned());
    }
    if let Some(port) = url.port() {
        lines.push(format!("port = {port}"));
    }
    if *method != Method::GET && *method != Method::HEAD {
        lines.push(format!("methods = [{:?}]", method.as_str()));
    }
    if of_url(url).is_some_and(is_private) {
        lines.push("private = true".to_owned());
    }
    format!("to grant it, add:\n{}", lines.join("\n"))
}

impl HostGrant {
    fn leads_to(&self, url: &Url) -> bool {
        Scheme::from_url(url) == Some(self.scheme)
            && url.port_or_known_default() == Some(self.port)
            && url.host_str().is_some_and(|it| self.host.covers(it))
    }
}

impl GrantedHost {
    fn read(grant: &HostGrant, base: &Path) -> Result<Self, SecretError> {
        let mut host = Self { grant: grant.clone(), secrets: Vec::new(), mask: Mask::default() };
        for secret in &grant.secrets {
            let file = secret.source.file().map(Path::to_owned);
            let failed = |what| SecretError { host: grant.host.clone(), what, file };
            let text = read(secret, base).map_err(failed)?;
            host.mask.add_secret(&text);
            let whole = Secret::new(format!("{}{text}", secret.prefix));
            host.secrets.push((secret.place.clone(), whole));
        }
        Ok(host)
    }
}

fn read(granted: &SecretGrant, base: &Path) -> Result<String, String> {
    let text = granted.source.text(base)?;
    match granted.place {
        Place::Header(_) if HeaderValue::from_str(&text).is_err() => {
            Err("it has characters that cannot stand in a header".to_owned())
        }
        _ => Ok(text),
    }
}

// Classifies addresses that only this machine or its network can reach.

/// Whether `ip` is anything but an address of the public network.
pub fn is_private(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_private_v4(ip),
        IpAddr::V6(ip) => is_private_v6(ip),
    }
}

fn is_private_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    ip.is_private()
        || ip.is_loopback()
        || ip.is_link_local()
        || ip.is_multicast()
        || ip.is_documentation()
        // "This network", the unspecified address among it.
        || a == 0
        // Behind a carrier's translation (RFC 6598).
        || (a == 100 && (64..128).contains(&b))
        // Protocol assignments (RFC 6890) and the relays of 6to4.
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99)
        // Benchmarks (RFC 2544).
        || (a == 198 && (b == 18 || b == 19))
        // Reserved, broadcast among it.
        || a >= 240
}

fn is_private_v6(ip: Ipv6Addr) -> bool {
    let parts = ip.segments();
    if let Some(embedded) = embedded_v4(parts) {
        return is_private_v4(embedded);
    }
    // The public network is 2000::/3; whatever is not in it is local in one way or another.
    !(0x2000..0x4000).contains(&parts[0])
        // Protocol assignments, Teredo and ORCHID among them; documentation.
        || (parts[0] == 0x2001 && parts[1] < 0x200)
        || (parts[0] == 0x2001 && parts[1] == 0xdb8)
        || (parts[0] == 0x3fff && parts[1] < 0x1000)
}

/// The IPv4 address that packets to this one end at, where there is one.
fn embedded_v4(parts: [u16; 8]) -> Option<Ipv4Addr> {
    let v4 = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        Some(Ipv4Addr::new(a, b, c, d))
    };
    match parts {
        // Mapped: ::ffff:a.b.c.d.
        [0, 0, 0, 0, 0, 0xffff, high, low] => v4(high, low),
        // NAT64: 64:ff9b::a.b.c.d.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => v4(high, low),
        // 6to4: 2002:abcd::.
        [0x2002, high, low, ..] => v4(high, low),
        _ => None,
    }
}

/// The address that `host` is, where it is no name; that of IPv6 in brackets, as in a URL.
pub fn literal(host: &str) -> Option<IpAddr> {
    host.trim_matches(['[', ']']).parse().ok()
}

/// The address, where `url` names one in place of a host.
pub fn of_url(url: &Url) -> Option<IpAddr> {
    literal(url.host_str()?)
}

/// Whether `host` is this machine.
pub fn is_loopback_host(host: &str) -> bool {
    host == "localhost" || literal(host).is_some_and(|it| it.is_loopback())
}

/// Whether this machine alone is called so.
pub fn is_local(host: &str) -> bool {
    let host = host.to_lowercase();
    is_loopback_host(&host) || host.ends_with(".localhost")
}

/// A host without its port.
pub fn host_of(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((host, port)) if port.chars().all(|it| it.is_ascii_digit()) => host,
        _ => authority,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(entries: &str) -> (Hosts, Option<SecretError>) {
        #[derive(serde::Deserialize)]
        struct Entries {
            http: Vec<HostGrant>,
        }
        let entries: Entries = toml::from_str(entries).unwrap();
        Hosts::salvage(&entries.http, Path::new(""))
    }

    fn is_granted(hosts: &Hosts, method: Method, url: &str) -> bool {
        hosts.find(&method, &url.parse().unwrap(), &HeaderMap::new()).is_some()
    }

    #[test]
    fn grants_host_scheme_port_and_method_together_or_not() {
        let (hosts, _) = hosts("[[http]]\nhost = 'api.example.com'\nmethods = ['GET', 'POST']");
        assert!(is_granted(&hosts, Method::GET, "https://api.example.com/a?b"));
        assert!(is_granted(&hosts, Method::POST, "https://API.example.com:443/"));
        for (method, url) in [
            (Method::GET, "http://api.example.com/"),
            (Method::GET, "http://api.example.com:443/"),
            (Method::GET, "https://api.example.com:8443/"),
            (Method::GET, "https://api.example.com./"),
            (Method::GET, "https://example.com/"),
            (Method::DELETE, "https://api.example.com/"),
        ] {
            assert!(!is_granted(&hosts, method, url), "{url}");
        }
    }

    #[test]
    fn picks_the_secret_whose_header_was_sent() {
        let (hosts, _) = hosts(
            "[[http]]\nhost = 'llm.example'\nsecrets = [{ header = 'x-one', environment = 'PATH' }]\n\
             [[http]]\nhost = 'llm.example'\nsecrets = [{ header = 'x-two', environment = 'PATH' }]",
        );
        for (place, meant) in [("x-one", "x-one"), ("x-two", "x-two"), ("x-none", "x-one")] {
            let url = "https://llm.example/v1".parse().unwrap();
            let mut headers = HeaderMap::new();
            headers.insert(place, HeaderValue::from_static(""));
            let found = hosts.find(&Method::GET, &url, &headers).unwrap();
            assert_eq!(found.secrets.len(), 1);
            assert!(
                matches!(&found.secrets[0].0, Place::Header(it) if it.as_str() == meant),
                "{place}"
            );
        }
    }

    #[test]
    fn names_lines_that_would_grant_a_host() {
        let (hosts, _) = hosts("[[http]]\nhost = 'api.example.com'");
        let lines = |method, url: &str| hosts.lines("shop", &method, &url.parse().unwrap());
        assert!(
            lines(Method::POST, "http://127.0.0.1:81/secret?path").ends_with(
                "[[components.shop.http]]\nhost = \"127.0.0.1\"\nscheme = \"http\"\nport = 81\nmethods = [\"POST\"]\nprivate = true"
            )
        );
        assert!(
            lines(Method::GET, "https://other.example/x")
                .ends_with("[[components.shop.http]]\nhost = \"other.example\"")
        );
        let more = lines(Method::PUT, "https://api.example.com/");
        assert!(more.ends_with("methods = [\"GET\", \"HEAD\", \"PUT\"]"), "{more}");
    }

    #[test]
    fn names_missing_secret_and_omits_its_host() {
        let entry = |secret: &str| {
            let entry = format!(
                "[[http]]\nhost = 'a.example'\nsecrets = [{{ header = 'A', {secret} }}]\n[[http]]\nhost = 'b.example'"
            );
            let (hosts, error) = hosts(&entry);
            assert!(is_granted(&hosts, Method::GET, "https://b.example/"));
            let url = "https://a.example/";
            let is_there = is_granted(&hosts, Method::GET, url);
            let lines = hosts.lines("shop", &Method::GET, &url.parse().unwrap());
            assert_eq!(lines.contains("a secret cannot be used"), !is_there, "{lines}");
            (is_there, error.map(|it| it.to_string()).unwrap_or_default())
        };
        for (secret, part) in [
            ("environment = 'MADOGUCHI_TEST_NO_SUCH'", "no variable MADOGUCHI_TEST_NO_SUCH"),
            ("file = '/no/such/file'", "/no/such/file"),
            ("value = ''", "is empty"),
            ("value = \"hunter2\\u0000\"", "cannot stand in a header"),
        ] {
            let (is_there, error) = entry(secret);
            assert!(!is_there && error.contains(part), "{secret}: {error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
        assert_eq!(entry("value = 'hunter2'"), (true, String::new()));
    }

    #[test]
    fn distinguishes_public_addresses_from_all_others() {
        let public = [
            "1.1.1.1",
            "93.184.216.34",
            "100.63.255.255",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "198.17.0.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2001:4860:4860::8888",
            "::ffff:1.1.1.1",
            "64:ff9b::1.1.1.1",
            "2002:101:101::1",
        ];
        let private = [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::192.168.0.1",
            "64:ff9b:1::1.1.1.1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::1",
            "2002:a00:1::1",
            "3fff::1",
            "fc00::1",
            "fd12:3456::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ];
        for ip in public {
            assert!(!is_private(ip.parse().unwrap()), "{ip} is public");
        }
        for ip in private {
            assert!(is_private(ip.parse().unwrap()), "{ip} is private");
        }
    }
}
