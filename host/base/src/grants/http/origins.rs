//! Hosts given by environment variables, as origins.

use http::Method;
use reqwest::Url;

use super::{HostGrant, HostName, Scheme};
use crate::grants::address::{self, is_loopback_host, literal};

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
        if literal(name).is_some_and(address::is_private) && !private {
            return Err(wrong("is an address of this machine or its network"));
        }
        let methods = match methods {
            [] => vec![Method::GET],
            some => some.iter().map(|it| super::method(it)).collect::<Result<_, _>>()?,
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
        if ip.is_some_and(address::is_private) && !is_loopback_host {
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
mod tests {
    use super::*;

    #[test]
    fn origin_allows_get_only_and_private_only_on_loopback() {
        let text =
            " https://directory.example, http://127.0.0.1:8000,http://localhost,https://[::1]:1,";
        let found = HostGrant::of_origins(text).unwrap();
        let texts: Vec<_> = found
            .iter()
            .map(|it| format!("{}://{}:{} {}", it.scheme, it.host, it.port, it.private))
            .collect();
        assert_eq!(
            texts,
            [
                "https://directory.example:443 false",
                "http://127.0.0.1:8000 true",
                "http://localhost:80 true",
                "https://[::1]:1 true"
            ]
        );
        assert!(found.iter().all(|it| it.methods == [Method::GET] && it.secrets.is_empty()));
        assert!(HostGrant::of_origins(" , ").unwrap().is_empty());
    }

    #[test]
    fn names_wrong_origin_with_remedy_and_no_password() {
        for (wrong, part) in [
            ("directory.example", "is not an origin"),
            ("https://directory.example/path", "more than scheme"),
            ("https://directory.example?q", "more than scheme"),
            ("https://me:hunter2@directory.example", "more than scheme"),
            ("https://*.example", "more than scheme"),
            ("ftp://directory.example", "is not https"),
            ("http://directory.example", "which only this machine need not be"),
            ("http://169.254.169.254", "which only this machine need not be"),
            ("https://169.254.169.254", "private = true"),
            ("https://10.0.0.1", "private = true"),
            ("https://2130706434:1, https://0xa9fea9fe", "private = true"),
        ] {
            let error = HostGrant::of_origins(wrong).unwrap_err();
            assert!(error.contains(part) && !error.contains("hunter2"), "{wrong}: {error}");
        }
        let many = "https://a.example,".repeat(ORIGINS_MAX + 1);
        assert!(HostGrant::of_origins(&many).unwrap_err().contains("at most 64"));
    }

    #[test]
    fn base_url_may_have_path_and_be_local_if_allowed() {
        let of = |text: &str, private| HostGrant::of_base(text, &["POST".to_owned()], private);
        let base = of("http://valhalla:8002/", true).unwrap();
        let text = format!("{}://{}:{} {:?}", base.scheme, base.host, base.port, base.methods);
        assert_eq!((text.as_str(), base.private), ("http://valhalla:8002 [POST]", true));
        assert!(!of("https://a.example/osrm", false).unwrap().private);
        assert_eq!(
            HostGrant::of_base("https://a.example", &[], true).unwrap().methods,
            [Method::GET]
        );
        for (wrong, private, part) in [
            ("a.example", true, "is not a base address"),
            ("https://a.example?key=1", true, "more than"),
            ("https://me:hunter2@a.example", true, "more than"),
            ("ftp://a.example", true, "is not https"),
            ("http://a.example", false, "is not https"),
            ("https://10.0.0.1", false, "of this machine or its network"),
        ] {
            let error = of(wrong, private).unwrap_err();
            assert!(error.contains(part) && !error.contains("hunter2"), "{wrong}: {error}");
        }
    }
}
