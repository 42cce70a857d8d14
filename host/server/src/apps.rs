//! The second origin (MCP Apps). It serves one document: the frame in which the page shows apps of other servers.

use std::sync::Arc;

use axum::{
    Router,
    extract::State,
    response::{IntoResponse, Response},
    routing::get,
};
use http::{HeaderName, StatusCode, Uri, header};
use serde_json::Value;
use tokio_util::task::TaskTracker;

use crate::{
    api,
    http::{Front, hosts},
};
use base::config::{
    AppsConfig, Config,
    apps::{Domain, pages},
};
use calls::{outcome::refusal, shares::Shares};

/// The document between page and app.
const FRAME: &str = include_str!("apps/frame.html");
/// Domains of one kind that an app may have.
const DOMAINS_MAX: usize = 32;
/// Bytes of a body: there is none to be sent.
const BODY_BYTES_MAX: usize = 1 << 10;

/// Response headers of the frame.
struct Frame {
    apps: AppsConfig,
    /// The page's origins.
    pages: String,
    /// The server's own names, which no app may reach.
    hosts: Vec<String>,
}

/// Everything that the second origin answers.
pub(crate) fn front(config: &Config) -> Front {
    let frame =
        Frame { apps: config.apps.clone(), pages: pages(config).join(" "), hosts: hosts(config) };
    let routes = Router::new()
        .route("/", get(answer).with_state(Arc::new(frame)))
        .fallback(nothing)
        .method_not_allowed_fallback(nothing);
    // Responses are short.
    let share = Shares::new(BODY_BYTES_MAX * 64, BODY_BYTES_MAX, 0).of_caller();
    Front::new(routes, None, share, TaskTracker::new())
}

/// The frame, under the policy for `csp` in the query: `_meta.ui.csp` of the app's resource.
async fn answer(State(frame): State<Arc<Frame>>, uri: Uri) -> Response {
    let pairs = match api::query_pairs(uri.query().unwrap_or_default()) {
        Ok(pairs) => pairs,
        Err(what) => return refusal(StatusCode::BAD_REQUEST, "bad_request", &what),
    };
    let csp = pairs.iter().find(|it| it.0 == "csp").map_or("", |it| &it.1);
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8".to_owned()),
        (header::CONTENT_SECURITY_POLICY, frame.policy(csp)),
        (header::REFERRER_POLICY, "no-referrer".to_owned()),
        (header::CACHE_CONTROL, "no-cache".to_owned()),
        (HeaderName::from_static("x-dns-prefetch-control"), "off".to_owned()),
        (HeaderName::from_static("origin-agent-cluster"), "?1".to_owned()),
    ];
    (headers, FRAME).into_response()
}

async fn nothing() -> Response {
    let message = "Only the frame of apps is served here; the page and MCP have another address.";
    refusal(StatusCode::NOT_FOUND, "not_found", message)
}

impl Frame {
    /// Policy of an app from its requested domains, a JSON object. Invalid and disallowed ones are dropped.
    fn policy(&self, csp: &str) -> String {
        let csp: Value = serde_json::from_str(csp).unwrap_or_default();
        let list = |name: &str| {
            let asked = csp.get(name).and_then(Value::as_array).into_iter().flatten();
            let domains = asked.take(DOMAINS_MAX).filter_map(|it| Domain::read(it.as_str()?));
            let mut listed: Vec<String> = Vec::new();
            for text in domains.filter(|it| self.allows(it)).map(|it| it.text()) {
                if !listed.contains(&text) {
                    listed.push(text);
                }
            }
            listed.join(" ")
        };
        let or_none = |it: String| if it.is_empty() { "'none'".to_owned() } else { it };
        let resources = list("resourceDomains");
        let (connect, frames, bases) = (
            or_none(list("connectDomains")),
            or_none(list("frameDomains")),
            or_none(list("baseUriDomains")),
        );
        let pages = &self.pages;
        [
            "default-src 'none'".to_owned(),
            format!("script-src 'unsafe-inline' {resources}"),
            format!("style-src 'unsafe-inline' {resources}"),
            format!("img-src data: blob: {resources}"),
            format!("media-src data: blob: {resources}"),
            format!("font-src data: {resources}"),
            format!("connect-src {connect}"),
            format!("frame-src {frames}"),
            format!("base-uri {bases}"),
            "object-src 'none'".to_owned(),
            "form-action 'none'".to_owned(),
            format!("frame-ancestors {pages}"),
        ]
        .map(|it| it.trim_end().to_owned())
        .join("; ")
    }

    fn allows(&self, domain: &Domain) -> bool {
        let is_own = self.hosts.iter().any(|it| domain.reaches(it));
        let is_allowed = match &self.apps.domains {
            None => domain.is_tls(),
            Some(allowed) => allowed.iter().any(|it| it.covers(domain)),
        };
        is_allowed && !is_own
    }
}
