//! Identity providers whose tokens are accepted: `[oauth]` or `[[oauth]]`.

use std::{collections::BTreeMap, fmt};

use reqwest::Url;
use serde::{
    Deserialize, Deserializer,
    de::{
        MapAccess, SeqAccess, Visitor,
        value::{MapAccessDeserializer, SeqAccessDeserializer},
    },
};
use smart_default::SmartDefault;
use strum::IntoStaticStr;

use super::{Config, Given, Problem, assistants::literal_secret_error};
use crate::{
    grants::hosts::{is_loopback_host, is_private, of_url},
    scopes::Scope,
};

/// Seconds that the clocks of a provider and of this machine may differ by.
const CLOCK_SKEW_S_MAX: u64 = 300;
/// Seconds that an answer of an introspection endpoint may be kept.
const INTROSPECTION_CACHE_S_MAX: u64 = 300;
/// Bytes that an issuer, an audience, a claim's name or one of its values may have.
const TEXT_BYTES_MAX: usize = 512;
/// Providers that there may be.
const PROVIDERS_MAX: usize = 16;

/// An asymmetric signature algorithm (RFC 7518, RFC 8037). A key that verifies cannot sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, IntoStaticStr)]
pub enum SigningAlgorithm {
    RS256,
    RS384,
    RS512,
    PS256,
    PS384,
    PS512,
    ES256,
    ES384,
    EdDSA,
}

/// One identity provider.
#[derive(Clone, Debug, Deserialize, SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct OauthConfig {
    /// The issuer, exactly as its tokens have it in `iss`.
    pub issuer: String,
    /// Accepted values of `aud`. Defaults to the address of `/mcp`.
    #[serde(deserialize_with = "one_or_several")]
    pub audience: Vec<String>,
    /// Accepted signature algorithms.
    #[default(vec![SigningAlgorithm::RS256, SigningAlgorithm::ES256])]
    pub algorithms: Vec<SigningAlgorithm>,
    /// Seconds that the clocks may differ by.
    #[default = 30]
    pub clock_skew_s: u64,
    /// Address of the keys. Defaults to discovery by metadata (RFC 8414, OpenID Connect Discovery).
    pub jwks_uri: Option<String>,
    /// Whether its addresses may be of this machine's network.
    pub private: bool,
    /// Introspection endpoint (RFC 7662).
    pub introspection_endpoint: Option<String>,
    /// Client id of this server for introspection.
    pub client_id: Option<String>,
    /// The secret that belongs to it.
    pub client_secret: Option<Given>,
    /// Seconds that introspection results are cached, and thus the delay of a revocation.
    #[default = 30]
    pub introspection_cache_s: u64,
    /// Whether it is asked about tokens that are signed, too.
    pub introspect_jwts: bool,
    /// Claim with the subject.
    #[default = "sub"]
    pub subject_claim: String,
    /// The claim with scopes; none is `scope`, or else `scp`.
    pub scope_claim: Option<String>,
    /// Whether values of that claim that are scopes of this server count as such.
    pub own_scopes: bool,
    /// Scopes by value of that claim.
    pub scopes: BTreeMap<String, Vec<String>>,
    /// Scopes by other claims, such as roles and groups: by claim, then by value.
    pub claims: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    /// The claim that names the toolset that its holder knows of (SYS-10); none looks at no claim.
    pub toolset_claim: Option<String>,
    /// Scopes of every valid token of the provider.
    pub default_scopes: Vec<String>,
    /// The scopes that clients are advised to request from the provider; none means those of `scopes`.
    pub scopes_supported: Option<Vec<String>>,
    /// Display name of this server.
    pub resource_name: Option<String>,
}

/// A text, or a list of them.
fn one_or_several<'de, D: Deserializer<'de>>(written: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "a text, or a list of them")]
    enum Written {
        One(String),
        Several(Vec<String>),
    }
    Ok(match Written::deserialize(written)? {
        Written::One(it) => vec![it],
        Written::Several(it) => it,
    })
}

/// Reads one `[oauth]` or several `[[oauth]]`, with the place of each mistake.
pub(super) fn providers<'de, D: Deserializer<'de>>(
    written: D,
) -> Result<Vec<OauthConfig>, D::Error> {
    struct Providers;
    impl<'de> Visitor<'de> for Providers {
        type Value = Vec<OauthConfig>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a table [oauth], or a table [[oauth]] for each provider")
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
            OauthConfig::deserialize(MapAccessDeserializer::new(map)).map(|it| vec![it])
        }

        fn visit_seq<A: SeqAccess<'de>>(self, all: A) -> Result<Self::Value, A::Error> {
            Vec::deserialize(SeqAccessDeserializer::new(all))
        }
    }
    written.deserialize_any(Providers)
}

impl OauthConfig {
    /// Whether the provider is a program of this machine.
    pub fn is_local(&self) -> bool {
        Url::parse(&self.issuer).is_ok_and(|it| is_local(&it))
    }

    /// Why nothing may be sent to `text`: an address of the provider's own, or one that it names.
    ///
    /// # Errors
    /// If it is no URL, is unencrypted to another machine, or private without `private`.
    pub fn address(&self, text: &str) -> Result<Url, String> {
        let url = Url::parse(text)
            .map_err(|_| "it is not a URL; \"https://id.example\" is right".to_owned())?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err("it must not have credentials".to_owned());
        }
        if url.fragment().is_some() {
            return Err("it must not have a fragment".to_owned());
        }
        let is_local_provider = || text == self.issuer || self.is_local();
        match url.scheme() {
            "https" => {}
            "http" if is_local(&url) && is_local_provider() => {}
            "http" => {
                return Err(
                    "plain http shows tokens and keys to the network between; it must begin with https:// (http:// is for a provider on this machine: http://127.0.0.1:PORT)"
                        .to_owned(),
                );
            }
            _ => return Err("it must begin with https://".to_owned()),
        }
        let is_inward = of_url(&url).is_some_and(is_private);
        if is_inward && !self.private && !(is_local(&url) && is_local_provider()) {
            return Err(
                "it is an address of this machine or its network; that needs private = true"
                    .to_owned(),
            );
        }
        Ok(url)
    }

    /// Scopes that clients should request.
    pub fn supported(&self) -> impl Iterator<Item = &str> {
        let own = self.scopes_supported.iter().flatten().map(String::as_str);
        let mapped = self.scopes.keys().map(String::as_str);
        own.chain(mapped.filter(|_| self.scopes_supported.is_none()))
    }
}

/// Whether `url` is of this machine.
fn is_local(url: &Url) -> bool {
    url.host_str().is_some_and(is_loopback_host)
}

/// Whether `text` can be a scope of OAuth (RFC 6749, 3.3).
fn is_scope_token(text: &str) -> bool {
    let is_right = |it: u8| matches!(it, 0x21 | 0x23..=0x5b | 0x5d..=0x7e);
    (1..=TEXT_BYTES_MAX).contains(&text.len()) && text.bytes().all(is_right)
}

/// Everything that is wrong in `config`.
pub fn problems(config: &Config) -> Vec<Problem> {
    let mut found = Vec::new();
    if config.oauth.len() > PROVIDERS_MAX {
        let what = format!("there are more than {PROVIDERS_MAX}");
        found.push(Problem::new(&["oauth"], what, true));
    }
    if !config.oauth.is_empty() && config.public_url.is_none() && !config.addr.ip().is_loopback() {
        let what = "clients are told by which address they reach this server, and tokens are for that address: public_url = \"https://tools.example\" says it";
        found.push(Problem::new(&["oauth"], what, true));
    }
    for (at, provider) in config.oauth.iter().enumerate() {
        let at = at.to_string();
        let is_twin = config.oauth.iter().filter(|it| it.issuer == provider.issuer).count() > 1;
        let twin = is_twin.then(|| {
            (
                "issuer",
                "two tables have this issuer; one table has everything of one".to_owned(),
                true,
            )
        });
        for (key, what, is_fatal) in of_provider(config, provider).into_iter().chain(twin) {
            let keys = key.split('/');
            // `[oauth]` is one table, `[[oauth]]` a list.
            let index = is_list(config).then_some(&*at);
            let path: Vec<_> = ["oauth"].into_iter().chain(index).chain(keys).collect();
            found.push(Problem::new(&path, what, is_fatal));
        }
    }
    found
}

fn is_list(config: &Config) -> bool {
    config.written.get("oauth").is_some_and(toml::Value::is_array)
}

type Found<'a> = (&'a str, String, bool);

fn of_provider<'a>(config: &Config, provider: &'a OauthConfig) -> Vec<Found<'a>> {
    let mut found: Vec<Found<'_>> = Vec::new();
    let mut wrong = |key, what: &str| found.push((key, what.to_owned(), true));
    match provider.address(&provider.issuer) {
        _ if provider.issuer.is_empty() => {
            wrong(
                "issuer",
                "there is none; it is whose tokens count, as in \"https://id.example.com\"",
            );
        }
        Err(what) => wrong("issuer", &what),
        Ok(url) if url.query().is_some() => wrong("issuer", "it must not have a query"),
        Ok(_) if provider.issuer.len() > TEXT_BYTES_MAX => wrong("issuer", "it is too long"),
        Ok(_) => {}
    }
    let is_text =
        |it: &String| (1..=TEXT_BYTES_MAX).contains(&it.len()) && !it.contains(char::is_whitespace);
    if !provider.audience.iter().all(is_text) {
        wrong("audience", "an audience has 1 to 512 bytes and no space in it");
    }
    if provider.algorithms.is_empty() {
        wrong("algorithms", "there are none; [\"RS256\"] is what most providers sign with");
    }
    if provider.clock_skew_s > CLOCK_SKEW_S_MAX {
        wrong("clock_skew_s", &format!("0 to {CLOCK_SKEW_S_MAX} is right"));
    }
    if provider.introspection_cache_s > INTROSPECTION_CACHE_S_MAX {
        wrong("introspection_cache_s", &format!("0 to {INTROSPECTION_CACHE_S_MAX} is right"));
    }
    for (key, text) in [
        ("jwks_uri", &provider.jwks_uri),
        ("introspection_endpoint", &provider.introspection_endpoint),
    ] {
        if let Some(Err(what)) = text.as_ref().map(|text| provider.address(text)) {
            wrong(key, &what);
        }
    }
    let has_endpoint = provider.introspection_endpoint.is_some();
    if has_endpoint && provider.client_id.is_none() {
        wrong(
            "client_id",
            "the introspection endpoint wants to know who asks: client_id and client_secret say it",
        );
    }
    match &provider.client_secret {
        None if has_endpoint => {
            wrong(
                "client_secret",
                "there is none; client_secret = { environment = \"VARIABLE\" } says where it is",
            );
        }
        None => {}
        Some(Given::Text(_)) => {
            wrong("client_secret", &literal_secret_error("OAUTH_CLIENT_SECRET"))
        }
        Some(secret) => {
            if let Err(what) = secret.read(&config.base) {
                wrong("client_secret", &what);
            }
        }
    }
    let needs_endpoint = [
        ("introspect_jwts", provider.introspect_jwts),
        ("client_id", provider.client_id.is_some()),
        ("client_secret", provider.client_secret.is_some()),
    ];
    for (key, is_there) in needs_endpoint {
        if is_there && !has_endpoint {
            wrong(
                key,
                "it is for the introspection endpoint, and there is no introspection_endpoint",
            );
        }
    }
    if provider.subject_claim.is_empty()
        || provider.scope_claim.as_ref().is_some_and(String::is_empty)
    {
        wrong("subject_claim", "a claim has a name");
    }
    match &provider.toolset_claim {
        Some(name) if name.is_empty() => wrong("toolset_claim", "a claim has a name"),
        Some(_) if config.toolsets.is_empty() => {
            wrong(
                "toolset_claim",
                "there is no toolset that it could name; [toolsets.NAME] is one",
            );
        }
        _ => {}
    }
    for value in provider.scopes.keys().chain(provider.scopes_supported.iter().flatten()) {
        if !is_scope_token(value) {
            wrong(
                "scopes",
                &format!(
                    "{value:?} cannot be a scope of OAuth: one has no space, no quote and no backslash"
                ),
            );
        }
    }
    let named = provider.claims.values().flat_map(BTreeMap::values);
    let all = [
        ("scopes", provider.scopes.values().flatten().collect::<Vec<_>>()),
        ("claims", named.flatten().collect()),
        ("default_scopes", provider.default_scopes.iter().collect()),
    ];
    for (key, scopes) in &all {
        for scope in scopes {
            if let Err(error) = scope.parse::<Scope>() {
                wrong(key, &error.to_string());
            }
        }
    }
    if !provider.own_scopes && all.iter().all(|(_, scopes)| scopes.is_empty()) {
        let what = "no claim maps to a scope, so that its tokens may do nothing; [oauth.scopes], [oauth.claims.NAME], default_scopes and own_scopes say what they may do";
        found.push(("issuer", what.to_owned(), false));
    }
    found
}

#[cfg(test)]
mod tests;
