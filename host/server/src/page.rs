//! Serves the page, compressed at build time, under a strict content security policy.

use std::{net::SocketAddr, sync::Arc};

use axum::{
    Json,
    extract::{Path, State},
    response::{IntoResponse, Response},
};
use http::{Extensions, HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use rust_embed::EmbeddedFile;

use serde_json::{Value, json};

use base::{
    config::{AppsConfig, Config, PROBED, PageConfig},
    source::Files,
    toolsets::is_plain_name,
};
use calls::{authorization::caller_of, outcome::refusal};
use store::digest::hexadecimal;

/// Content security policy: only own content, no inline script or style; WebAssembly is the page itself.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' data: blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'";

/// Picture sources in the policy.
const PICTURES: &str = "img-src 'self' data: blob:";

/// The page, and the policy under which it is given out.
#[derive(Clone)]
pub(crate) struct Page {
    files: Files,
    policy: HeaderValue,
    /// Path of authorization metadata.
    authorization: &'static str,
}

impl Page {
    pub(crate) fn from_config(config: &Config) -> Self {
        let authorization = match (config.accounts.enabled, config.oauth.is_empty()) {
            (true, _) => {
                "what the authorization server is, is at /.well-known/oauth-authorization-server"
            }
            (false, false) => {
                "the authorization server is another one, which /.well-known/oauth-protected-resource names"
            }
            (false, true) => "there is no OAuth here and no other transport",
        };
        Self { files: config.embedded.page(), policy: policy(config), authorization }
    }
}

/// The strict one; tiles of the operator's choice may be shown, and nothing else comes from there; and the frame of
/// apps from the origin that has nothing else.
fn policy(config: &Config) -> HeaderValue {
    let mut widened = POLICY.to_owned();
    if let Some(tiles) = &config.page.tiles {
        widened = widened.replace(PICTURES, &format!("{PICTURES} {}", tiles.origin));
    }
    let apps = config.apps.origins();
    if !apps.is_empty() {
        widened = format!("{widened}; frame-src {}", apps.join(" "));
    }
    HeaderValue::try_from(widened).unwrap_or(HeaderValue::from_static(POLICY))
}

/// `GET /api/page`: map tiles or null, `apps` with their origin and permissions, and `isOperator`.
pub(crate) async fn given(
    State((page, apps)): State<(Arc<PageConfig>, Arc<AppsConfig>)>,
    headers: HeaderMap,
    extensions: Extensions,
) -> Json<Value> {
    let tiles = page
        .tiles
        .as_ref()
        .map(|it| json!({ "url": it.url, "attribution": it.attribution, "maxZoom": it.max_zoom }));
    let mut given = json!({ "tiles": tiles });
    let host = headers.get(header::HOST).and_then(|it| it.to_str().ok()).unwrap_or_default();
    if let Some(origin) = apps.origin_for(host) {
        let permissions: Vec<_> = apps.permissions.iter().map(|it| it.name()).collect();
        given["apps"] = json!({ "origin": origin, "permissions": permissions });
    }
    if caller_of(&headers, &extensions).is_operator() {
        given["isOperator"] = true.into();
    }
    Json(given)
}

/// Bytes of a path that are quoted.
const PATH_BYTES_MAX: usize = 256;

/// Kept by browsers without asking again.
const FOR_GOOD: &str = "public, max-age=31536000, immutable";
/// Revalidated on each use.
const NO_CACHE: &str = "no-cache";

/// Shown if the page is not built.
const ABSENT: &str =
    "The page is not in this binary: `cargo xtask run` builds it.\nMCP is served at /mcp.\n";

/// The page, or the file of it that has that path. All of its views are at `/`, so that whatever else
/// is asked for is not there, and is answered 404.
pub(crate) async fn answer(
    State(page): State<Page>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let path = uri.path();
    let file = match path {
        "/" => "index.html",
        // Icon paths that browsers request by default: a picture or a file.
        "/favicon.ico" => "icon.svg",
        _ => path.trim_start_matches('/'),
    };
    if is_probed(path) {
        return no_authorization_server(path, page.authorization);
    }
    let is_file = file.rsplit('/').next().is_some_and(|it| it.contains('.'));
    let found = page.files.get(file).filter(|_| is_file);
    match found {
        Some(_) if method != Method::GET && method != Method::HEAD => {
            let message = format!("{method} is not served here; MCP is at POST /mcp.");
            let mut response =
                refusal(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", &message);
            response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
            response
        }
        Some(found) => serve(file, found, &headers, page),
        None if file == "index.html" => (StatusCode::NOT_FOUND, ABSENT).into_response(),
        None => {
            let path = &path[..path.floor_char_boundary(PATH_BYTES_MAX)];
            let message = format!("{path} is not served; the page is at /, MCP at POST /mcp.");
            refusal(StatusCode::NOT_FOUND, "not_found", &message)
        }
    }
}

/// The answer to clients that look for an authorization server: an OAuth error, which they show to
/// people.
fn no_authorization_server(path: &str, what: &str) -> Response {
    let path = &path[..path.floor_char_boundary(PATH_BYTES_MAX)];
    let message = format!(
        "{path} is not served: {what}. MCP is at POST /mcp; where a token is needed, send `Authorization: Bearer TOKEN`, with a token from the operator."
    );
    let body = json!({ "error": "not_found", "error_description": message, "message": message, "status": 404 });
    (StatusCode::NOT_FOUND, Json(body)).into_response()
}

/// The short address of a form, which its agent may write down: leads to the page's view of it.
pub(crate) async fn form(Path(handle): Path<String>) -> Response {
    if !is_plain_name(&handle) {
        let message = "That is not a form's address; it may have been cut off.";
        return refusal(StatusCode::NOT_FOUND, "not_found", message);
    }
    // Relative, so that it leads to the page behind a proxy's prefix, too.
    let to = format!("../#/form/{handle}");
    // The handle is all that it takes to answer: others must not learn it.
    let fixed = [(header::CACHE_CONTROL, "no-store"), (header::REFERRER_POLICY, "no-referrer")];
    (StatusCode::SEE_OTHER, fixed, [(header::LOCATION, to)]).into_response()
}

fn serve(path: &str, file: EmbeddedFile, request: &HeaderMap, page: Page) -> Response {
    let digest = file.metadata.sha256_hash();
    let tag = format!("\"{}\"", hexadecimal(&digest[..8]));
    let mut headers = HeaderMap::new();
    let mut set = |name, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    };
    set(header::CONTENT_TYPE, content_type(path));
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::REFERRER_POLICY, "no-referrer");
    set(header::CACHE_CONTROL, if is_named_by_content(path) { FOR_GOOD } else { NO_CACHE });
    set(header::ETAG, &tag);
    set(header::VARY, "accept-encoding");
    headers.insert(header::CONTENT_SECURITY_POLICY, page.policy);
    let cached = request.get(header::IF_NONE_MATCH).and_then(|it| it.to_str().ok());
    if cached.is_some_and(|it| it.contains(&tag)) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    let accepted = request.get(header::ACCEPT_ENCODING).and_then(|it| it.to_str().ok());
    for (encoding, ending) in [("br", "br"), ("gzip", "gz")] {
        let accepts = accepted.is_some_and(|it| it.split(',').any(|it| it.trim() == encoding));
        if accepts && let Some(compressed) = page.files.get(&format!("{path}.{ending}")) {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
            return (headers, compressed.data).into_response();
        }
    }
    (headers, file.data).into_response()
}

/// Whether `path` contains a fingerprint (`style.0123456789abcdef.css`) and never changes.
fn is_named_by_content(path: &str) -> bool {
    let is_fingerprint = |it: &str| it.len() == 16 && it.bytes().all(|it| it.is_ascii_hexdigit());
    path.rsplit('/').next().is_some_and(|name| name.split('.').skip(1).any(is_fingerprint))
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "json" | "map" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "webmanifest" => "application/manifest+json",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// Page address of a server that listens at `addr`.
pub(crate) fn address(config: &Config, addr: Option<SocketAddr>) -> Option<Arc<str>> {
    match addr {
        Some(addr) => Some(Arc::from(config.public_address(addr))),
        None => config.public_url.as_ref().map(|it| Arc::from(&*it.text)),
    }
}

/// Whether clients look here for what this server has not got.
pub(crate) fn is_probed(path: &str) -> bool {
    let first = path.trim_start_matches('/').split('/').next().unwrap_or_default();
    first == ".well-known" || PROBED.contains(&first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_add_their_origin_to_img_src_only() {
        let mut config = Config::defaults();
        assert_eq!(policy(&config), POLICY, "without tiles nothing changes");
        let tiles =
            "[tiles]\nurl = 'https://tiles.example/{z}/{x}/{y}.png?key=k'\nattribution = 'A'";
        config.page = toml::from_str(tiles).unwrap();
        let policy = policy(&config).to_str().unwrap().to_owned();
        assert!(policy.contains("img-src 'self' data: blob: https://tiles.example;"), "{policy}");
        assert_eq!(policy.replace(" https://tiles.example", ""), POLICY);
    }

    #[test]
    fn page_address_is_configured_or_local() {
        let mut config = Config::defaults();
        let at = |config: &Config, addr: Option<&str>| {
            address(config, addr.map(|it| it.parse().unwrap())).map(|it| it.to_string())
        };
        for (addr, page) in [
            ("127.0.0.1:81", "http://127.0.0.1:81"),
            ("0.0.0.0:81", "http://127.0.0.1:81"),
            ("[::]:81", "http://127.0.0.1:81"),
            ("192.0.2.7:81", "http://192.0.2.7:81"),
            ("[::1]:81", "http://[::1]:81"),
        ] {
            assert_eq!(at(&config, Some(addr)).as_deref(), Some(page), "{addr}");
        }
        assert_eq!(at(&config, None), None, "without a listener there is no page");
        config.public_url = Some("https://a.example/x".to_owned().try_into().unwrap());
        for addr in [Some("0.0.0.0:81"), None] {
            assert_eq!(at(&config, addr).as_deref(), Some("https://a.example/x"));
        }
    }
}
