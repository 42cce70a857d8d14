//! Serves the page, compressed when it was built, under a strict content security policy.

use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use rust_embed::{EmbeddedFile, RustEmbed};

use crate::http::refusal;

/// The page that travels in the binary: each file, and beside it the same as `.br` and `.gz`.
#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../target/bundle/page"]
#[allow_missing = true]
struct Page;

/// Nothing from elsewhere, no inline script, no inline style; WebAssembly is the page itself.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' data: blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'";

/// What is shown where the page has not been built.
const ABSENT: &str =
    "The page is not in this binary: `cargo xtask run` builds it.\nMCP is served at /mcp.\n";

/// The file of that path; the page itself for every other path, which is one of its views.
pub(crate) async fn answer(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    if method != Method::GET && method != Method::HEAD {
        let message = format!("{method} {} is not served; MCP is at POST /mcp.", uri.path());
        return refusal(StatusCode::NOT_FOUND, "not_found", &message);
    }
    let path = uri.path().trim_start_matches('/');
    if path.starts_with("api/") {
        let message = format!("{} is not served.", uri.path());
        return refusal(StatusCode::NOT_FOUND, "not_found", &message);
    }
    let is_file = path.rsplit('/').next().is_some_and(|it| it.contains('.'));
    let path = if is_file { path } else { "index.html" };
    match Page::get(path) {
        Some(file) => serve(path, file, &headers),
        None if path == "index.html" => (StatusCode::NOT_FOUND, ABSENT).into_response(),
        None => {
            let message = format!("{} is not a file of the page.", uri.path());
            refusal(StatusCode::NOT_FOUND, "not_found", &message)
        }
    }
}

fn serve(path: &str, file: EmbeddedFile, request: &HeaderMap) -> Response {
    let digest = file.metadata.sha256_hash();
    let tag: String = digest[..8].iter().map(|it| format!("{it:02x}")).collect();
    let tag = format!("\"{tag}\"");
    let mut headers = HeaderMap::new();
    let mut set = |name, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    };
    set(header::CONTENT_TYPE, content_type(path));
    set(header::CONTENT_SECURITY_POLICY, POLICY);
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::REFERRER_POLICY, "no-referrer");
    // Asked for anew each time, and answered without a body while it is the same.
    set(header::CACHE_CONTROL, "no-cache");
    set(header::ETAG, &tag);
    set(header::VARY, "accept-encoding");
    let known = request.get(header::IF_NONE_MATCH).and_then(|it| it.to_str().ok());
    if known.is_some_and(|it| it.contains(&tag)) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    let accepted = request.get(header::ACCEPT_ENCODING).and_then(|it| it.to_str().ok());
    for (encoding, ending) in [("br", "br"), ("gzip", "gz")] {
        let accepts = accepted.is_some_and(|it| it.split(',').any(|it| it.trim() == encoding));
        if accepts && let Some(compressed) = Page::get(&format!("{path}.{ending}")) {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
            return (headers, compressed.data).into_response();
        }
    }
    (headers, file.data).into_response()
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

/// Whether the page is in the binary.
pub(crate) fn is_present() -> bool {
    Page::get("index.html").is_some()
}
