//! What this server is to clients and providers (RFC 9728): the resource for which tokens are made.

use reqwest::Url;
use serde_json::{Value, json};

use base::config::Config;

/// Where the metadata of a resource is, before its path.
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";
/// What people read where the configuration has no name.
const NAME: &str = "Madoguchi";

/// The server as a protected resource.
#[derive(Clone, Debug)]
pub struct Resource {
    /// Its identifier (RFC 8707): the address of `/mcp`.
    pub uri: String,
    /// The address of its metadata.
    pub metadata_url: String,
    /// The document of RFC 9728.
    pub metadata: Value,
    /// What clients are to ask for at first, separated by spaces; empty where the configuration names none.
    pub scope: String,
    /// Its path, which is behind that of the metadata.
    path: String,
}

impl Resource {
    /// That of a server with this configuration, whose `addr` is where it listens.
    pub fn of(config: &Config) -> Self {
        let uri = format!("{}/mcp", config.public_address(config.addr));
        let url = Url::parse(&uri).ok();
        let origin = url.as_ref().map(|it| it.origin().ascii_serialization()).unwrap_or_default();
        let path = url.map(|it| it.path().to_owned()).unwrap_or_default();
        let own = config.accounts.enabled.then(|| config.public_address(config.addr));
        let providers = config.oauth.iter().map(|it| it.issuer.clone());
        let issuers: Vec<_> = own.into_iter().chain(providers).collect();
        let mut scopes: Vec<&str> = Vec::new();
        for scope in config.oauth.iter().flat_map(|it| it.supported()) {
            if !scopes.contains(&scope) {
                scopes.push(scope);
            }
        }
        let name = config.oauth.iter().find_map(|it| it.resource_name.as_deref()).unwrap_or(NAME);
        let mut metadata = json!({
            "resource": uri,
            "authorization_servers": issuers,
            "bearer_methods_supported": ["header"],
            "resource_name": name,
        });
        if !scopes.is_empty() {
            metadata["scopes_supported"] = json!(scopes);
        }
        let scope = scopes.join(" ");
        let metadata_url = format!("{origin}{WELL_KNOWN}{path}");
        Self { uri, metadata_url, metadata, scope, path }
    }

    /// Whether the metadata is served at `path`: behind it is nothing, `/mcp`, or the resource's path as others see
    /// it.
    pub fn is_described_at(&self, path: &str) -> bool {
        let Some(rest) = path.strip_prefix(WELL_KNOWN) else { return false };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        rest.is_empty() || rest == "/mcp" || rest == self.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resource(public_url: Option<&str>) -> Resource {
        let mut config = Config::defaults();
        config.public_url = public_url.map(|it| it.to_owned().try_into().unwrap());
        let provider = json!({
            "issuer": "https://id.example", "scopes": { "b": ["*"], "a": ["read-only"] },
        });
        config.oauth = vec![serde_json::from_value(provider).unwrap()];
        Resource::of(&config)
    }

    #[test]
    fn is_what_the_public_address_says() {
        let own = resource(None);
        assert_eq!(own.uri, "http://127.0.0.1:8808/mcp");
        let deep = resource(Some("https://a.example/tools"));
        assert_eq!(deep.uri, "https://a.example/tools/mcp");
        let url = "https://a.example/.well-known/oauth-protected-resource/tools/mcp";
        assert_eq!(deep.metadata_url, url);
        assert_eq!(deep.metadata["resource"], "https://a.example/tools/mcp");
        assert_eq!(deep.metadata["scopes_supported"], json!(["a", "b"]));
        assert_eq!(deep.scope, "a b");
        for path in ["", "/", "/mcp", "/mcp/", "/tools/mcp"] {
            assert!(deep.is_described_at(&format!("{WELL_KNOWN}{path}")), "{path}");
        }
        for path in ["/other", "x", "//", "/tools"] {
            assert!(!deep.is_described_at(&format!("{WELL_KNOWN}{path}")), "{path}");
        }
    }
}
