//! CORS for configured origins only.

use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header, request::Parts};

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
