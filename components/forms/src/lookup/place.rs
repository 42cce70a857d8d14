//! Target of a look-up: the demo or another host.

use std::collections::BTreeMap;

use toolkit::{
    Problem, Stop,
    endpoints::{Failure, Request, invalid},
    settings::{self, Unfit},
};
use url::Url;

use super::refused;

/// Maximum bytes of a URL.
const URL_BYTES_MAX: usize = 4 << 10;
/// Alias of the demo in the setting `origins`.
const DEMO: &str = "demo";
/// Paths of the demo on this server.
const OWN_PATHS: [&str; 2] = ["/api/demo/", "/api/forms/demo/"];

/// Target of a look-up.
#[derive(Debug)]
pub(super) enum Place {
    /// The demo lists.
    Demo(Request),
    /// Another host, if the host permits it.
    Remote(Url),
}

/// Origins with an alias: `https://api.example.com` for `demo`.
type Origins = BTreeMap<String, String>;

/// Reads the setting `origins`.
pub(super) fn origins() -> Result<Origins, Failure> {
    let written =
        settings::get::<Origins>("origins").map_err(|it| Failure::from(Stop::from(it)))?;
    let written = written.unwrap_or_default();
    check(&written).map_err(|it| Failure::from(Stop::from(it)))
}

/// Problems of the setting.
pub fn problems() -> Vec<Problem> {
    let checked = settings::get::<Origins>("origins").and_then(|it| check(&it.unwrap_or_default()));
    checked.err().map(Problem::from).into_iter().collect()
}

/// Normalizes and validates the origins.
fn check(written: &Origins) -> Result<Origins, Unfit> {
    let unfit = |origin: &str, message: &str| {
        // Escaped for a JSON pointer.
        let name = origin.replace('~', "~0").replace('/', "~1");
        let problem = Problem::at(format!("/{name}"), message);
        Unfit { name: "origins".to_owned(), problem }
    };
    let mut origins = Origins::new();
    for (origin, to) in written {
        let url = Url::parse(origin).ok();
        let url = url.filter(|it| is_http(it) && it.path() == "/" && it.query().is_none());
        let Some(url) = url.filter(|it| it.fragment().is_none() && !has_credentials(it)) else {
            return Err(unfit(origin, "is not an origin such as \"https://api.example.com\""));
        };
        if to != DEMO {
            return Err(unfit(origin, "must stand for \"demo\""));
        }
        origins.insert(url.origin().ascii_serialization(), to.clone());
    }
    Ok(origins)
}

impl Place {
    pub(super) fn read(text: &str, origins: &Origins) -> Result<Self, Failure> {
        if text.len() > URL_BYTES_MAX {
            return Err(invalid("url", format!("has more than {URL_BYTES_MAX} bytes")));
        }
        let text = text.trim();
        if text.starts_with('/') && !text.starts_with("//") && !text.starts_with("/\\") {
            return Self::parse_own_path(text);
        }
        let mut url = Url::parse(text).map_err(|_| {
            invalid("url", "must be a URL such as https://directory.example/people")
        })?;
        if !is_http(&url) {
            return Err(invalid("url", "must begin with https://"));
        }
        if has_credentials(&url) {
            return Err(invalid("url", "must not have credentials"));
        }
        url.set_fragment(None);
        match origins.contains_key(&url.origin().ascii_serialization()) {
            true => Ok(Self::Demo(request(url.path().trim_start_matches('/'), &url)?)),
            false => Ok(Self::Remote(url)),
        }
    }

    /// Parses a path of this server; only the demo's are permitted.
    fn parse_own_path(text: &str) -> Result<Self, Failure> {
        let base = Url::parse("http://here.invalid/").map_err(|_| Failure::NotFound)?;
        let url = base.join(text).map_err(|_| invalid("url", "must be a URL or a path"))?;
        let path = OWN_PATHS.iter().find_map(|it| url.path().strip_prefix(it));
        let Some(path) = path else {
            let message = format!(
                "{} is this server's own: the page asks for it directly, without the look-up.",
                url.path()
            );
            return Err(refused("lookup_not_elsewhere", 400, message));
        };
        Ok(Self::Demo(request(path, &url)?))
    }
}

/// Request to the demo: its path, and the query of `url`.
fn request(path: &str, url: &Url) -> Result<Request, Failure> {
    // No path of the demo needs escapes.
    if path.contains('%') {
        return Err(Failure::NotFound);
    }
    let query = url.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned()));
    Ok(Request { path: path.to_owned(), query: query.collect(), meta: "{}".to_owned() })
}

pub(super) fn is_http(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.has_host()
}

pub(super) fn has_credentials(url: &Url) -> bool {
    !url.username().is_empty() || url.password().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Origins {
        let sample = [("https://API.example.com:443/".to_owned(), "demo".to_owned())];
        check(&Origins::from(sample)).unwrap()
    }

    fn demo(url: &str) -> Option<(String, Vec<(String, String)>)> {
        match Place::read(url, &sample()) {
            Ok(Place::Demo(it)) => Some((it.path, it.query)),
            _ => None,
        }
    }

    #[test]
    fn sample_origin_and_own_path_reach_the_demo() {
        let query = |value: &str| vec![("q".to_owned(), value.to_owned())];
        for url in [
            "https://api.example.com/users/search?q=%E8%8A%B1+%E5%AD%90",
            "https://API.EXAMPLE.COM:443/users/search?q=花%20子#x",
            "/api/demo/users/search?q=花 子",
            "/api/forms/demo/users/search?q=花+子",
            " /api/demo/x/../users/search?q=花+子 ",
        ] {
            assert_eq!(demo(url), Some(("users/search".to_owned(), query("花 子"))), "{url}");
        }
        for other in [
            "http://api.example.com/users/search",
            "https://api.example.com:8443/users/search",
            "https://api.example.com.evil.test/users/search",
            "//api.example.com/users/search",
        ] {
            assert_eq!(demo(other), None, "{other}");
        }
    }

    #[test]
    fn rejects_other_paths_of_the_server() {
        for url in ["/api/health", "/api/demo/../blobs/1", "/mcp", "/", "/api/demo"] {
            let Err(Failure::Refused(refusal)) = Place::read(url, &sample()) else {
                panic!("{url} is the page's")
            };
            assert_eq!((refusal.status, refusal.code.as_str()), (400, "lookup_not_elsewhere"));
            assert!(refusal.message.contains("directly"), "{}", refusal.message);
        }
    }

    #[test]
    fn rejects_non_web_urls() {
        let long = format!("https://a.example/{}", "a".repeat(URL_BYTES_MAX));
        for url in [
            "",
            "people",
            "ftp://a.example/",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "data:,x",
            "https://",
            "https://me:word@a.example/",
            "https://me@a.example/",
            &long,
            "/\\a.example/",
        ] {
            let Err(Failure::Invalid(problems)) = Place::read(url, &sample()) else {
                panic!("{url} is none")
            };
            assert_eq!(problems[0].pointer, "/url");
            assert!(!problems[0].message.contains("word"));
        }
    }

    #[test]
    fn remote_url_keeps_all_but_the_fragment() {
        let Ok(Place::Remote(url)) = Place::read("https://A.example/b?c=d#e", &sample()) else {
            panic!("it is elsewhere")
        };
        assert_eq!(url.as_str(), "https://a.example/b?c=d");
    }

    #[test]
    fn names_invalid_origin() {
        for (origin, to) in [
            ("api.example.com", "demo"),
            ("https://api.example.com/path", "demo"),
            ("https://me@api.example.com", "demo"),
            ("ftp://api.example.com", "demo"),
            ("https://api.example.com", "elsewhere"),
        ] {
            let written = Origins::from([(origin.to_owned(), to.to_owned())]);
            let problem = Problem::from(check(&written).unwrap_err());
            assert!(problem.pointer.starts_with("/origins/"), "{}", problem.pointer);
        }
    }
}
