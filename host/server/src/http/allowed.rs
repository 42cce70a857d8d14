//! Allowed host names and origins, and CORS for configured origins only.

use axum::response::Response;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header, request::Parts, uri::Authority,
};

use base::{call::Failure, config::Config, grants::hosts::host_of};

/// Browser header with the origin's relation, which pages cannot set.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Allowed host names and origins.
pub(super) struct Allowed {
    hosts: Vec<String>,
    origins: Vec<String>,
    /// The host of the page's address, and the scheme that it has there.
    public: Option<(String, &'static str)>,
}

fn forbidden(message: String) -> Failure {
    Failure::new("forbidden", 403, message)
}

impl Allowed {
    pub(super) fn new(config: &Config) -> Self {
        let origins = config.allowed_origins.iter().map(|it| it.to_lowercase()).collect();
        let public = config.public_url.as_ref().map(|url| {
            let scheme = if url.text.starts_with("https:") { "https" } else { "http" };
            (url.host.clone(), scheme)
        });
        Self { hosts: hosts(config), origins, public }
    }

    /// Refuses what a page elsewhere, or a name that was bound to this machine behind the user's
    /// back, would send (DNS rebinding). Returns the page's origin where it is one from elsewhere that may.
    pub(super) fn check(&self, parts: &Parts) -> Result<Option<HeaderValue>, Failure> {
        let host = self.check_host(parts)?;
        let mut sent = parts.headers.get_all(header::ORIGIN).iter();
        let (sent, more) = (sent.next(), sent.next());
        let Some(sent) = sent else {
            return self.without_origin(parts).map(|()| None);
        };
        // A proxy in between may have looked at the other one.
        if more.is_some() {
            return Err(Failure::new(
                "bad_request",
                400,
                "A request has one Origin header at most.",
            ));
        }
        let origin = sent.to_str().unwrap_or_default();
        if origin.split_once("://").is_some_and(|it| self.is_own(it, host)) {
            return Ok(None);
        }
        if self.origins.iter().any(|it| it.eq_ignore_ascii_case(origin)) {
            return Ok(Some(sent.clone()));
        }
        Err(forbidden(format!(
            "Pages of {:?} may not talk to this server; add it to allowed_origins in the configuration.",
            shown(&origin.to_lowercase())
        )))
    }

    /// The name by which the server is addressed; refuses one that is not its own.
    pub(super) fn check_host<'a>(&self, parts: &'a Parts) -> Result<&'a str, Failure> {
        let host = host(&parts.headers, parts.uri.authority())?;
        let is_served =
            |it: &String| it.eq_ignore_ascii_case(host) || it.eq_ignore_ascii_case(host_of(host));
        if self.hosts.iter().any(is_served) {
            return Ok(host);
        }
        Err(forbidden(format!(
            "Host {:?} is not served here; add it to allowed_hosts in the configuration.",
            shown(host)
        )))
    }

    /// Whether a page of this scheme and host is the server's own, which was addressed as `host`.
    fn is_own(&self, (scheme, page): (&str, &str), host: &str) -> bool {
        let public = self.public.as_ref().filter(|it| it.0.eq_ignore_ascii_case(host_of(host)));
        let is_scheme = match public {
            Some((_, public)) => scheme.eq_ignore_ascii_case(public),
            // A proxy may speak TLS before it.
            None => scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https"),
        };
        // Pages leave the scheme's own port out; a proxy may name it.
        let port = if scheme.eq_ignore_ascii_case("https") { ":443" } else { ":80" };
        let without = |it: &'_ str| it.strip_suffix(port).unwrap_or(it).to_ascii_lowercase();
        is_scheme && without(page) == without(host)
    }

    /// Checks a request without `Origin`. Browsers send it with changes, and mark cross-site requests otherwise.
    fn without_origin(&self, parts: &Parts) -> Result<(), Failure> {
        let changes = !matches!(parts.method, Method::GET | Method::HEAD | Method::OPTIONS);
        let Some(site) = parts.headers.get(FETCH_SITE).filter(|_| changes) else { return Ok(()) };
        match site.as_bytes() {
            b"same-origin" | b"none" => Ok(()),
            _ => Err(forbidden(
                "A page elsewhere may not send this; add its origin to allowed_origins in the configuration, and let it send Origin.".to_owned(),
            )),
        }
    }
}

/// The one name under which a request addresses the server.
fn host<'a>(headers: &'a HeaderMap, authority: Option<&'a Authority>) -> Result<&'a str, Failure> {
    let mut hosts = headers.get_all(header::HOST).iter();
    let named = hosts.next().and_then(|it| it.to_str().ok());
    let host = authority.map(Authority::as_str).or(named).filter(|it| !it.is_empty());
    host.filter(|_| hosts.next().is_none()).ok_or_else(|| {
        Failure::new("bad_request", 400, "A request has one Host header: neither none nor several.")
    })
}

/// Shortens a value for quotation.
fn shown(text: &str) -> &str {
    &text[..text.floor_char_boundary(128)]
}

/// The names under which a server with this configuration may be addressed.
pub(crate) fn hosts(config: &Config) -> Vec<String> {
    let mut hosts = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "[::1]".to_owned()];
    if !config.addr.ip().is_unspecified() {
        hosts.push(host_of(&config.addr.to_string()).to_owned());
    }
    hosts.extend(config.public_url.iter().map(|it| it.host.clone()));
    hosts.extend(config.allowed_hosts.iter().map(|it| it.to_lowercase()));
    hosts
}

/// Allowed methods.
const METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, POST, PUT, PATCH, DELETE");
/// Additional readable response headers.
const EXPOSED: HeaderValue =
    HeaderValue::from_static("Mcp-Session-Id, WWW-Authenticate, Retry-After, Location");
/// Cache lifetime of preflight results in seconds.
const MAX_AGE_S: HeaderValue = HeaderValue::from_static("600");
/// Headers that preflight results depend on.
const VARIES: HeaderValue = HeaderValue::from_static(
    "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
);

/// Headers that clients of MCP and of the other endpoints send.
const SENT: [&str; 17] = [
    "accept",
    "accept-language",
    "authorization",
    "baggage",
    "cache-control",
    "content-type",
    "if-none-match",
    "last-event-id",
    "madoguchi-trusts",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "mcp-session-id",
    "range",
    "traceparent",
    "tracestate",
    "x-requested-with",
];
/// And those that a tool's schema names (`x-mcp-header`).
const PARAMETER: &str = "mcp-param-";

/// Whether a browser asks before it sends what a page wants to send.
pub(super) fn is_preflight(request: &Parts) -> bool {
    request.method == Method::OPTIONS
        && request.headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// The answer to it, for a page of `origin`. Needs no token: browsers send none with it.
pub(super) fn preflight(origin: HeaderValue, asked: &HeaderMap) -> Response {
    let mut response = Response::default();
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, MAX_AGE_S);
    headers.insert(header::VARY, VARIES);
    if let Some(allowed) = allowed(asked) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, allowed);
    }
    response
}

/// The requested headers that are allowed.
fn allowed(asked: &HeaderMap) -> Option<HeaderValue> {
    let asked = asked.get(header::ACCESS_CONTROL_REQUEST_HEADERS)?.to_str().ok()?.to_lowercase();
    let is_allowed = |name: &&str| {
        SENT.contains(name) || name.strip_prefix(PARAMETER).is_some_and(|it| !it.is_empty())
    };
    let allowed: Vec<_> = asked.split(',').map(str::trim).filter(is_allowed).collect();
    HeaderValue::try_from(allowed.join(", ")).ok()
}

/// Lets a page of `origin` read `response`.
pub(super) fn readable(mut response: Response, origin: HeaderValue) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    headers.append(header::VARY, HeaderValue::from_static("Origin"));
    // A blob says that only this very origin may embed it; this page may, too.
    let policy = HeaderName::from_static("cross-origin-resource-policy");
    if headers.contains_key(&policy) {
        headers.insert(policy, HeaderValue::from_static("cross-origin"));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(method: &str, headers: &[(HeaderName, &str)]) -> Parts {
        let mut request = http::Request::builder().method(method).uri("/rpc");
        for (name, value) in headers {
            request = request.header(name, *value);
        }
        request.body(()).unwrap().into_parts().0
    }

    fn config() -> Config {
        let mut config = Config::defaults();
        config.allowed_origins.push("https://App.example".to_owned());
        config
    }

    fn check(host: &str, origin: Option<&str>) -> Result<bool, String> {
        let mut headers = vec![(header::HOST, host)];
        headers.extend(origin.map(|it| (header::ORIGIN, it)));
        let checked = Allowed::new(&config()).check(&parts("POST", &headers));
        checked.map(|it| it.is_some()).map_err(|it| it.message)
    }

    #[test]
    fn page_address_is_an_allowed_name() {
        let mut config = Config::defaults();
        config.public_url = "https://tools.example/x".to_owned().try_into().ok();
        assert!(hosts(&config).contains(&"tools.example".to_owned()));
    }

    #[test]
    fn allows_own_page_and_non_browsers_only() {
        assert_eq!(check("127.0.0.1:8808", None), Ok(false));
        assert_eq!(check("LocalHost:8808", Some("http://localhost:8808")), Ok(false));
        assert_eq!(check("[::1]:8808", Some("http://[::1]:8808")), Ok(false));
        assert_eq!(check("localhost:8808", Some("https://app.example")), Ok(true));
        assert!(check("localhost:8808", Some("http://evil.example")).is_err());
        assert!(check("localhost:8808", Some("http://localhost:9999")).is_err());
        assert!(check("localhost:8808", Some("ftp://localhost:8808")).is_err());
        assert!(check("localhost:8808", Some("null")).is_err());
    }

    #[test]
    fn compares_scheme_of_the_public_address() {
        let mut config = config();
        config.public_url = Some("https://tools.example".to_owned().try_into().unwrap());
        let allowed = Allowed::new(&config);
        let check = |origin| {
            let headers = [(header::HOST, "tools.example"), (header::ORIGIN, origin)];
            allowed.check(&parts("POST", &headers)).is_ok()
        };
        assert!(check("https://tools.example") && !check("http://tools.example"));
    }

    #[test]
    fn default_port_is_equivalent() {
        assert_eq!(check("localhost:443", Some("https://localhost")), Ok(false));
        assert_eq!(check("LOCALHOST:80", Some("http://localhost")), Ok(false));
        assert_eq!(check("[::1]:443", Some("https://[::1]")), Ok(false));
        assert!(check("localhost:443", Some("http://localhost")).is_err());
        assert!(check("localhost:80", Some("https://localhost")).is_err());
        assert!(check("localhost:8808", Some("http://localhost")).is_err());
        assert!(check("localhost", Some("http://localhost:8080")).is_err());
    }

    #[test]
    fn rejects_missing_and_duplicate_host() {
        let headers = [(header::HOST, "localhost"), (header::HOST, "evil.example")];
        for headers in [&headers[..], &[(header::HOST, "")], &[]] {
            let refused = Allowed::new(&config()).check(&parts("GET", headers)).unwrap_err();
            assert_eq!(refused.status, 400);
        }
    }

    #[test]
    fn rejects_two_origins() {
        let [own, evil] =
            ["http://localhost", "http://evil.example"].map(|it| (header::ORIGIN, it));
        for origins in [[own.clone(), evil.clone()], [evil, own]] {
            let headers = [&[(header::HOST, "localhost")], &origins[..]].concat();
            let refused = Allowed::new(&config()).check(&parts("POST", &headers)).unwrap_err();
            assert_eq!(refused.status, 400);
        }
    }

    #[test]
    fn rejects_cross_site_post_without_origin() {
        let allowed = Allowed::new(&config());
        let check = |method, site| {
            let headers = [(header::HOST, "localhost:8808"), (FETCH_SITE, site)];
            allowed.check(&parts(method, &headers)).is_ok()
        };
        assert!(!check("POST", "cross-site") && !check("POST", "same-site"));
        assert!(!check("DELETE", "cross-site"));
        assert!(check("POST", "same-origin") && check("POST", "none"));
        assert!(check("GET", "cross-site"), "a link that is followed comes from elsewhere");
    }

    #[test]
    fn rejects_external_name_resolving_to_loopback() {
        let message = check("evil.example:8808", Some("http://evil.example:8808")).unwrap_err();
        assert!(message.contains("allowed_hosts"), "{message}");
        let giant = check(&"x".repeat(10_000), None).unwrap_err();
        assert!(giant.len() < 300, "{giant}");
    }

    #[test]
    fn wildcard_address_accepts_configured_names_only() {
        let mut config = Config::defaults();
        config.addr = "0.0.0.0:8808".parse().unwrap();
        config.allowed_hosts.push("Tools.example".to_owned());
        assert_eq!(hosts(&config), ["localhost", "127.0.0.1", "[::1]", "tools.example"]);
        config.addr = "192.0.2.7:8808".parse().unwrap();
        assert!(hosts(&config).contains(&"192.0.2.7".to_owned()));
    }

    fn asked(headers: &str) -> String {
        let mut asked = HeaderMap::new();
        asked.insert(header::ACCESS_CONTROL_REQUEST_HEADERS, headers.parse().unwrap());
        let answer = preflight(HeaderValue::from_static("https://app.example"), &asked);
        let allowed = answer.headers().get(header::ACCESS_CONTROL_ALLOW_HEADERS);
        allowed.map(|it| it.to_str().unwrap().to_owned()).unwrap_or_default()
    }

    #[test]
    fn allows_only_client_and_tool_headers() {
        assert_eq!(
            asked("Authorization,content-type, Mcp-Method,mcp-param-region"),
            "authorization, content-type, mcp-method, mcp-param-region"
        );
        assert_eq!(asked("x-evil, mcp-param-, cookie, mcp-name"), "mcp-name");
    }
}
