//! This server as a protected resource (RFC 9728).

use reqwest::Url;
use serde_json::{Value, json};

use base::config::Config;

/// Path prefix of resource metadata.
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";
/// Default display name.
const NAME: &str = "Madoguchi";
/// Path of MCP.
const MCP: &str = "/mcp";

/// The server as a protected resource.
#[derive(Clone, Debug)]
pub struct Resource {
    /// Scopes that clients should request first, separated by spaces. Empty if the configuration names none.
    pub scope: String,
    /// The path of `/mcp` as others see it, which is behind that of the metadata.
    path: String,
    /// `/mcp`, and the address of each toolset: clients take the metadata of no other address than theirs (RFC 9728,
    /// 3.3).
    places: Vec<Place>,
}

/// An address of the server's, as a protected resource.
#[derive(Clone, Debug)]
struct Place {
    /// Path behind `/mcp`.
    behind: String,
    /// The document of RFC 9728.
    metadata: Value,
    /// Metadata address.
    metadata_url: String,
    /// Its identifier (RFC 8707).
    uri: String,
}

impl Resource {
    /// The resource of a server with this configuration and listen address.
    pub fn from_config(config: &Config) -> Self {
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
            "authorization_servers": issuers,
            "bearer_methods_supported": ["header"],
            "resource_name": name,
        });
        if !scopes.is_empty() {
            metadata["scopes_supported"] = json!(scopes);
        }
        let place = |behind: String| {
            let uri = format!("{uri}{behind}");
            let mut metadata = metadata.clone();
            metadata["resource"] = json!(uri);
            Place {
                metadata,
                metadata_url: format!("{origin}{WELL_KNOWN}{path}{behind}"),
                uri,
                behind,
            }
        };
        let toolsets = config.toolsets.iter().map(|(name, _)| format!("/{name}"));
        let places = std::iter::once(String::new()).chain(toolsets).map(place).collect();
        Self { scope: scopes.join(" "), path, places }
    }

    /// The identifiers for which tokens are made.
    pub fn uris(&self) -> impl Iterator<Item = &str> {
        self.places.iter().map(|it| &*it.uri)
    }

    /// The document at `path`: behind that of the metadata is nothing, `/mcp`, or the path of that as others see it;
    /// and behind those the name of a toolset.
    pub fn metadata_at(&self, path: &str) -> Option<&Value> {
        let rest = path.strip_prefix(WELL_KNOWN)?;
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let place = |it: &str| self.place(rest.strip_prefix(it)?);
        let at = if rest.is_empty() { 0 } else { [MCP, &self.path].into_iter().find_map(place)? };
        self.places.get(at).map(|it| &it.metadata)
    }

    /// Index of the MCP address of `path`; that of `/mcp` for other paths.
    pub fn place_of(&self, path: &str) -> usize {
        let behind = path.strip_prefix(MCP).map(|it| it.strip_suffix('/').unwrap_or(it));
        behind.and_then(|it| self.place(it)).unwrap_or(0)
    }

    /// Metadata address of an MCP address.
    pub fn metadata_url(&self, place: usize) -> &str {
        self.places.get(place).map_or("", |it| &it.metadata_url)
    }

    fn place(&self, behind: &str) -> Option<usize> {
        self.places.iter().position(|it| it.behind == behind)
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
        config.toolsets = serde_json::from_value(json!({ "booking": {} })).unwrap();
        Resource::from_config(&config)
    }

    #[test]
    fn resource_is_the_public_address() {
        let own = resource(None);
        let uris: Vec<_> = own.uris().collect();
        assert_eq!(uris, ["http://127.0.0.1:8808/mcp", "http://127.0.0.1:8808/mcp/booking"]);
        let deep = resource(Some("https://a.example/tools"));
        let url = "https://a.example/.well-known/oauth-protected-resource/tools/mcp";
        assert_eq!(deep.metadata_url(0), url);
        assert_eq!(deep.scope, "a b");
        let described = |path: &str| deep.metadata_at(&format!("{WELL_KNOWN}{path}"));
        for path in ["", "/", "/mcp", "/mcp/", "/tools/mcp"] {
            let metadata = described(path).unwrap_or_else(|| panic!("{path}"));
            assert_eq!(metadata["resource"], "https://a.example/tools/mcp", "{path}");
            assert_eq!(metadata["scopes_supported"], json!(["a", "b"]));
        }
        for path in ["/other", "x", "//", "/tools", "/booking", "/mcp/other", "/mcpbooking"] {
            assert!(described(path).is_none(), "{path}");
        }
    }

    #[test]
    fn toolset_address_has_its_own_metadata() {
        let deep = resource(Some("https://a.example/tools"));
        for path in ["/mcp/booking", "/mcp/booking/", "/tools/mcp/booking"] {
            let metadata = deep.metadata_at(&format!("{WELL_KNOWN}{path}"));
            let metadata = metadata.unwrap_or_else(|| panic!("{path}"));
            assert_eq!(metadata["resource"], "https://a.example/tools/mcp/booking", "{path}");
        }
        let url = |path: &str| deep.metadata_url(deep.place_of(path));
        let own = "https://a.example/.well-known/oauth-protected-resource/tools/mcp";
        assert_eq!(url("/mcp/booking"), format!("{own}/booking"));
        for path in ["/mcp", "/mcp/", "/mcp/other", "/rpc", "/api/tools"] {
            assert_eq!(url(path), own, "{path}");
        }
    }
}
