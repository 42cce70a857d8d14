//! Registries of components and the signatures they require: `[registries."HOST"]` and `[packages]`.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

use reqwest::Url;
use serde::Deserialize;
use smart_default::SmartDefault;

use super::Given;
use crate::grants::{hosts::is_loopback_host, http::Scheme, secret::Secret};

/// `[registries."HOST"]` or `[registries."HOST:PORT"]` (DIST-4).
#[derive(Clone, Debug, Deserialize, SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct RegistryConfig {
    /// Scheme. Defaults to `https` except on this machine.
    pub scheme: Option<Scheme>,
    /// Whether the registry and its redirects may have private addresses.
    pub private: bool,
    /// Additional trusted CA certificates (PEM file).
    pub ca: Option<PathBuf>,
    /// Token endpoint (`https://HOST`), if not the registry itself.
    pub realm: Option<String>,
    /// User name for `password`.
    pub username: Option<String>,
    /// Password or token.
    pub password: Option<Given>,
    /// `NAME` of the program `docker-credential-NAME` that knows both.
    pub credential_helper: Option<String>,
    /// Required signature of components.
    pub require: Option<Requirement>,
    /// Milliseconds to the start of a response and between its pieces.
    #[default = 30_000]
    pub timeout_ms: u64,
    /// Milliseconds that all requests of one command may take together.
    #[default = 600_000]
    pub total_ms: u64,
}

/// Required signer of a component: a key, or an identity named by a certificate (DIST-5).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(
    untagged,
    expecting = "a file of public keys (PEM), or a table with identity, issuer and trusted_root"
)]
pub enum Requirement {
    /// A file with public keys as PEM, of which one has signed.
    Key(PathBuf),
    /// An identity in a certificate of Sigstore's kind.
    Identity(IdentityRequirement),
}

/// A signer by certificate, which was valid when the transparency log recorded the signature.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IdentityRequirement {
    /// Name in the certificate, an address or URI. A final `*` matches any ending.
    pub identity: String,
    /// Issuer of that name: the URL of the identity provider.
    pub issuer: String,
    /// The file with the authorities' certificates and the logs' keys (`trusted_root.json`).
    pub trusted_root: PathBuf,
}

impl IdentityRequirement {
    /// Whether a certificate of that name and issuer is meant.
    pub fn matches(&self, identity: &str, issuer: &str) -> bool {
        let is_name = match self.identity.strip_suffix('*') {
            Some(beginning) => identity.starts_with(beginning),
            None => identity == self.identity,
        };
        is_name && issuer == self.issuer
    }
}

impl Requirement {
    pub(super) fn check(&self) -> Result<(), String> {
        let Self::Identity(requirement) = self else { return Ok(()) };
        let beginning = requirement.identity.strip_suffix('*').unwrap_or(&requirement.identity);
        // A wildcard must at least name its owner.
        let names_one = |text: &str| {
            text.split_once("://")
                .is_some_and(|(_, rest)| rest.split_once('/').is_some_and(|it| !it.1.is_empty()))
        };
        if beginning.is_empty() || beginning.contains('*') {
            return Err(format!(
                "require.identity = {:?}: it is one name; * stands at its end only",
                requirement.identity
            ));
        }
        if beginning != requirement.identity && !names_one(beginning) {
            return Err(format!(
                "require.identity = {:?}: before * stands a host and the beginning of a path, such as https://HOST/OWNER/*",
                requirement.identity
            ));
        }
        if requirement.issuer.is_empty() {
            return Err(
                "require.issuer is empty; it is the URL of the identity provider".to_owned()
            );
        }
        Ok(())
    }

    /// The file that it reads, where a path counts from `base`.
    pub fn file(&self, base: &Path) -> PathBuf {
        base.join(match self {
            Self::Key(file) => file,
            Self::Identity(it) => &it.trusted_root,
        })
    }
}

impl RegistryConfig {
    /// Limit to the start of a response and between its pieces.
    pub fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout_ms)
    }

    /// Limit of all requests of one command.
    pub fn total(&self) -> Duration {
        Duration::from_millis(self.total_ms)
    }

    /// The configured password. Its path is relative to `base`.
    ///
    /// # Errors
    /// If it is unreadable; the error does not repeat it.
    pub fn secret(&self, base: &Path) -> Result<Option<Secret>, String> {
        self.password.as_ref().map(|it| it.read(base)).transpose()
    }

    fn check(&self) -> Result<(), String> {
        if self.timeout_ms == 0 || self.total_ms == 0 {
            return Err("timeout_ms and total_ms are 1 or more".to_owned());
        }
        if self.username.is_some() != self.password.is_some() {
            return Err("username and password go together".to_owned());
        }
        if self.password.as_ref().is_some_and(|it| !it.is_secret()) {
            return Err("password comes from elsewhere: { environment = \"VARIABLE\" } or { file = \"PATH\" }".to_owned());
        }
        let fits = |it: char| it.is_ascii_alphanumeric() || it == '-' || it == '_';
        if let Some(helper) = &self.credential_helper
            && (helper.is_empty() || !helper.chars().all(fits))
        {
            return Err(format!(
                "credential_helper = {helper:?}: it is what follows docker-credential- in the program's name"
            ));
        }
        let is_address = |text: &String| {
            Url::parse(text)
                .is_ok_and(|it| Scheme::from_url(&it).is_some() && it.host_str().is_some())
        };
        if let Some(realm) = self.realm.as_ref().filter(|it| !is_address(it)) {
            return Err(format!("realm = {realm:?}: https://HOST is right"));
        }
        self.require.as_ref().map_or(Ok(()), Requirement::check)
    }
}

/// Whether a registry's `HOST` or `HOST:PORT` is this machine itself.
pub fn is_loopback(authority: &str) -> bool {
    let url = Url::parse(&format!("http://{authority}"));
    url.is_ok_and(|it| it.host_str().is_some_and(is_loopback_host))
}

/// Whether `text` is a `HOST` or `HOST:PORT`, in lower case.
pub fn is_authority(text: &str) -> bool {
    let fits = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || "-._:[]".contains(it);
    let url = Url::parse(&format!("https://{text}/"));
    !text.is_empty()
        && text.len() <= 255
        && text.chars().all(fits)
        && url.is_ok_and(|it| it.username().is_empty() && it.path() == "/")
}

/// The first problem of `[registries]` and `[packages]`, with its place.
pub(super) fn wrong(
    registries: &BTreeMap<String, RegistryConfig>,
    packages: &BTreeMap<String, String>,
) -> Option<(Vec<String>, String)> {
    for (host, config) in registries {
        let checked = match is_authority(host) {
            true => config.check(),
            false => Err("it is a HOST or HOST:PORT, in lower case".to_owned()),
        };
        if let Err(what) = checked {
            return Some((vec!["registries".to_owned(), host.clone()], what));
        }
    }
    let (namespace, host) = packages.iter().find(|it| !is_authority(it.1))?;
    let what = format!("{namespace} = {host:?}: a registry's HOST or HOST:PORT is right");
    Some((vec!["packages".to_owned()], what))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(text: &str) -> Requirement {
        Requirement::Identity(IdentityRequirement {
            identity: text.to_owned(),
            issuer: "https://id.example".to_owned(),
            trusted_root: PathBuf::new(),
        })
    }

    #[test]
    fn identity_is_one_name_or_prefix() {
        assert_eq!(identity("ann@example.com").check(), Ok(()));
        assert_eq!(identity("https://code.example/ann/*").check(), Ok(()));
        for wrong in ["", "*", "https://*", "https://code.example/*", "a*b"] {
            assert!(identity(wrong).check().is_err(), "{wrong}");
        }
        let Requirement::Identity(requirement) = identity("https://code.example/ann/*") else {
            panic!()
        };
        assert!(requirement.matches("https://code.example/ann/tool@v1", "https://id.example"));
        assert!(!requirement.matches("https://code.example/annette/tool", "https://id.example"));
        assert!(!requirement.matches("https://code.example/ann/tool@v1", "https://id.other"));
    }

    #[test]
    fn recognizes_loopback_authorities() {
        for (authority, is) in [
            ("127.0.0.1:5000", true),
            ("[::1]:5000", true),
            ("localhost", true),
            ("10.0.0.1", false),
            ("localhost.example", false),
        ] {
            assert_eq!(is_loopback(authority), is, "{authority}");
        }
    }

    #[test]
    fn authority_is_only_a_host() {
        for (text, is) in [
            ("registry.example", true),
            ("registry.example:5000", true),
            ("[::1]:5000", true),
            ("", false),
            ("Registry.example", false),
            ("a@b", false),
            ("a/b", false),
            ("a:b", false),
        ] {
            assert_eq!(is_authority(text), is, "{text}");
        }
    }
}
