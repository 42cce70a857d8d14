//! Resource metadata for clients of identity providers (RFC 9728), and the challenge of a refusal.

use std::sync::Arc;

use axum::{
    Json,
    response::{IntoResponse, Response},
};
use serde_json::Value;

use http::{HeaderValue, Method, StatusCode, header, request::Parts};

use super::allowed;
use base::{config::Config, scopes::Scope};
use calls::{
    authorization::{Oauth, Resource},
    outcome::refusal,
};
use registry::Registry;

/// Any page may read it: it is the same for all, and nothing in it is secret.
const ANY: HeaderValue = HeaderValue::from_static("*");
/// Path prefix of authorization server metadata.
const ISSUER: &str = "/.well-known/oauth-authorization-server";
/// Cache lifetime for clients, short so that they notice a new provider.
const CACHE: HeaderValue = HeaderValue::from_static("public, max-age=300");
const METHODS: &str = "GET, HEAD, OPTIONS";

/// This server as its clients and their providers see it.
pub(super) struct ProtectedResource {
    resource: Resource,
    /// Authorization server metadata (RFC 8414) and the path of its issuer.
    issuer: Option<(Value, String)>,
    oauth: Arc<Oauth>,
    registry: Option<Registry>,
}

impl ProtectedResource {
    pub(super) fn new(config: &Config, oauth: Arc<Oauth>, registry: Option<Registry>) -> Self {
        let url = config.public_address(config.addr).parse::<http::Uri>();
        let path = url.map(|it| it.path().trim_end_matches('/').to_owned()).unwrap_or_default();
        let issuer = oauth.issuer().map(|it| (it, path));
        Self { resource: Resource::from_config(config), issuer, oauth, registry }
    }

    /// Whether a request is for the metadata.
    pub(super) fn is_described_at(&self, parts: &Parts) -> bool {
        self.document(parts.uri.path()).is_some()
    }

    /// The metadata at `path`: of this server, or of it as one that gives tokens.
    fn document(&self, path: &str) -> Option<&Value> {
        if let Some(metadata) = self.resource.metadata_at(path) {
            return Some(metadata);
        }
        let rest = path.strip_prefix(ISSUER)?.trim_end_matches('/');
        let issuer = self.issuer.as_ref().filter(|it| rest.is_empty() || rest == it.1);
        issuer.map(|it| &it.0)
    }

    /// The answer to a request for the metadata.
    pub(super) fn describe(&self, parts: &Parts) -> Response {
        let mut response = match parts.method {
            Method::GET | Method::HEAD => Json(self.document(parts.uri.path())).into_response(),
            Method::OPTIONS => return allowed::preflight(ANY, &parts.headers),
            _ => {
                let message = format!("{} is not served here; GET is.", parts.method);
                refusal(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", &message)
            }
        };
        let is_there = response.status() == StatusCode::OK;
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, ANY);
        match is_there {
            true => headers.insert(header::CACHE_CONTROL, CACHE),
            false => headers.insert(header::ALLOW, HeaderValue::from_static(METHODS)),
        };
        response
    }

    /// Index of the MCP address of `path`.
    pub(super) fn place_of(&self, path: &str) -> usize {
        self.resource.place_of(path)
    }

    /// Adds a challenge to `response` if a token is missing or insufficient: with the providers' scopes, or those of
    /// this server including `held` ones, so that more does not mean less.
    pub(super) fn challenge(
        &self,
        mut response: Response,
        (place, held): (usize, &[String]),
    ) -> Response {
        let headers = response.headers_mut();
        let header = headers.get(header::WWW_AUTHENTICATE).and_then(|it| it.to_str().ok());
        let Some(header) = header else { return response };
        let (before, needed) = without_scope(header);
        let scope = match needed {
            Some(needed) if held.is_empty() => self.asked_for(needed),
            Some(needed) => {
                // `read-only` would narrow the new scope, too; the person can choose it again.
                let held = held.iter().map(String::as_str).filter(|it| *it != READ_ONLY);
                Some(held.chain([needed]).collect::<Vec<_>>().join(" "))
            }
            None if before.contains("insufficient_scope") => None,
            None => Some(self.resource.scope.clone()).filter(|it| !it.is_empty()),
        };
        let mut text = format!("{before}, {METADATA}=\"{}\"", self.resource.metadata_url(place));
        if let Some(scope) = scope {
            text += &format!(", scope=\"{scope}\"");
        }
        if let Ok(value) = HeaderValue::try_from(text) {
            headers.insert(header::WWW_AUTHENTICATE, value);
        }
        response
    }

    /// A provider's name of the `needed` scope, if any.
    fn asked_for(&self, needed: &str) -> Option<String> {
        let catalog = self.registry.as_ref().map(Registry::catalog);
        let tool = match needed.parse() {
            Ok(Scope::Tool(name)) => catalog
                .as_ref()
                .and_then(|it| it.offered_tool(&name))
                .map(|(owner, tool)| (owner, tool.name.to_string(), tool.hints.read_only)),
            _ => None,
        };
        let tool = tool.as_ref().map(|(owner, name, reads)| (*owner, &**name, *reads));
        self.oauth.asked_for(needed, tool).map(str::to_owned)
    }
}

/// Scope that grants nothing besides others.
const READ_ONLY: &str = "read-only";
/// Challenge parameter with the metadata address.
const METADATA: &str = "resource_metadata";

/// A challenge without its scope, and the scope.
fn without_scope(challenge: &str) -> (String, Option<&str>) {
    let marker = ", scope=\"";
    let found = challenge.split_once(marker).and_then(|(before, after)| {
        let (scope, rest) = after.split_once('"')?;
        Some((format!("{before}{rest}"), Some(scope)))
    });
    found.unwrap_or_else(|| (challenge.to_owned(), None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_challenge() {
        let challenge =
            "Bearer realm=\"m\", error=\"insufficient_scope\", scope=\"tool:x\", a=\"b\"";
        let rest = "Bearer realm=\"m\", error=\"insufficient_scope\", a=\"b\"".to_owned();
        assert_eq!(without_scope(challenge), (rest, Some("tool:x")));
        let bare = "Bearer realm=\"m\"";
        assert_eq!(without_scope(bare), (bare.to_owned(), None));
    }
}
