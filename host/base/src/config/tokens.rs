//! Tokens, rate limits and user accounts: `[tokens.NAME]`, `[rate]` and `[accounts]`.

use std::{collections::BTreeMap, num::NonZeroU32};

use data_encoding::HEXLOWER_PERMISSIVE;
use http::uri::Authority;
use jiff::Timestamp;
use serde::Deserialize;
use smart_default::SmartDefault;

use super::{Config, Problem, oauth};
use crate::{
    grants::{
        hosts::{host_of, is_local},
        secret::Secret,
    },
    language::LanguageTag,
    limits::check_range,
    scopes::Scope,
    toolsets::{PLAIN_NAME_BYTES_MAX, is_plain_name},
};

/// Rate limit: `[rate]` for all callers, `rate = { … }` in `[tokens.NAME]` for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateConfig {
    /// Requests in a second, over time.
    pub requests_per_s: NonZeroU32,
    /// Requests at once, before that counts; as many as in a second where this is not set.
    pub burst: Option<NonZeroU32>,
}

/// `[tokens.NAME]`: one token.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenConfig {
    /// The SHA-256 of the token, in hexadecimal.
    pub sha256: Secret,
    /// Scopes of the holder.
    #[serde(default)]
    pub scopes: Vec<String>,
    /// Expiry date.
    pub expires: Option<String>,
    /// Default language of the holder.
    pub language: Option<LanguageTag>,
    /// Rate limit of the holder, if not the common one.
    pub rate: Option<RateConfig>,
    /// The toolset that its holder knows of, wherever they ask; all tools where this is not set.
    pub toolset: Option<String>,
}

impl TokenConfig {
    /// The digest as bytes, if valid.
    pub fn digest(&self) -> Option<[u8; 32]> {
        let digest = HEXLOWER_PERMISSIVE.decode(self.sha256.expose().as_bytes());
        digest.ok()?.try_into().ok()
    }

    /// The expiry, if any, or an error for an invalid date.
    pub fn expiry(&self) -> Option<Result<Timestamp, jiff::Error>> {
        self.expires.as_ref().map(|it| it.parse())
    }
}

// Finds problems of tokens, rates and addresses, with remedies.

/// Reserved caller names.
const TAKEN: [&str; 4] = ["anonymous", "gateway", "operator", "stdio"];

/// Why `name` cannot be a token's.
pub fn name_problem(name: &str) -> Option<String> {
    if !is_plain_name(name) {
        return Some(format!(
            "the name of a token has 1 to {PLAIN_NAME_BYTES_MAX} of A-Z a-z 0-9 _ -"
        ));
    }
    let is_taken = TAKEN.contains(&name);
    is_taken
        .then(|| format!("{name} is what callers without a token are called; choose another name"))
}

/// Everything that is wrong in `config`.
pub fn problems(config: &Config) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut digests = BTreeMap::new();
    for (name, token) in &config.tokens {
        let wrong_name = name_problem(name);
        problems.extend(wrong_name.map(|what| Problem::new(&["tokens", name], what, true)));
        let unread = token.language.as_ref().and_then(LanguageTag::unread);
        problems
            .extend(unread.map(|what| Problem::new(&["tokens", name, "language"], what, false)));
        let mut problem = |key: &str, what: String| {
            problems.push(Problem::new(&["tokens", name, key], what, true));
        };
        match token.digest() {
            None => problem("sha256", digest_problem(token)),
            Some(digest) => {
                if let Some(other) = digests.insert(digest, name) {
                    let what = format!(
                        "it is the digest of [tokens.{other}], too; each needs a token of its own"
                    );
                    problem("sha256", what);
                }
            }
        }
        if token.scopes.is_empty() {
            let what = "there are none, so that it may do nothing; [\"*\"] is everything";
            problem("scopes", what.to_owned());
        }
        for scope in &token.scopes {
            if let Err(error) = scope.parse::<Scope>() {
                problem("scopes", error.to_string());
            }
        }
        if let Some(toolset) = &token.toolset
            && config.toolsets.get(toolset).is_none()
        {
            problem("toolset", config.toolsets.unknown(toolset));
        }
        match token.expiry() {
            Some(Err(_)) => {
                let what = "it is not a time; \"2027-01-31T00:00:00Z\" is right";
                problem("expires", what.to_owned());
            }
            Some(Ok(at)) if at <= Timestamp::now() => {
                let what = format!("it expired at {at}; nobody gets in with it");
                problems.push(Problem::new(&["tokens", name, "expires"], what, false));
            }
            _ => {}
        }
    }
    problems.extend(oauth::problems(config));
    problems.extend(account_problems(config));
    problems.extend(open_to_others(config));
    for host in config.allowed_hosts.iter().filter(|it| !is_host(it)) {
        let what = format!(
            "{host:?} is no name as requests have it; \"tools.example\" or \"tools.example:8443\" is right, without https://, path and *, and as xn--… where it has other letters than a to z"
        );
        problems.push(Problem::new(&["allowed_hosts"], what, true));
    }
    for origin in config.allowed_origins.iter().filter(|it| !is_origin(it)) {
        let what = format!(
            "{origin:?} is not an origin; name each as a browser does, \"https://app.example\" or \"http://localhost:5173\""
        );
        problems.push(Problem::new(&["allowed_origins"], what, true));
    }
    problems
}

/// Detects an open server that others can reach.
fn open_to_others(config: &Config) -> Option<Problem> {
    if config.requires_authentication() || config.allow_anonymous {
        return None;
    }
    let public = config.public_url.as_ref().map(|it| ("public_url", &*it.host));
    let hosts = config.allowed_hosts.iter().map(|it| ("allowed_hosts", host_of(it)));
    let (key, host) = public.into_iter().chain(hosts).find(|it| !is_local(it.1))?;
    let what = format!(
        "others reach this server as {host:?}, and no token says who may call; `madoguchi token new NAME` makes one and prints the lines for the configuration. Where something before it asks who comes in, allow_anonymous = true says so"
    );
    Some(Problem::new(&[key], what, true))
}

fn digest_problem(token: &TokenConfig) -> String {
    let found = token.sha256.expose();
    if found.starts_with(crate::scopes::PREFIX) {
        return "the token itself stands here; put its SHA-256 here, and make another token, for this one has been seen (madoguchi token new)".to_owned();
    }
    let chars = found.chars().count();
    format!(
        "{chars} characters that are not a SHA-256; 64 hexadecimal digits are right (madoguchi token new tells them)"
    )
}

/// Whether `text` is what a browser sends as `Origin`.
fn is_origin(text: &str) -> bool {
    let Some((scheme, host)) = text.split_once("://") else { return false };
    !scheme.is_empty()
        && scheme.chars().all(|it| it.is_ascii_alphanumeric() || "+-.".contains(it))
        && is_host(host)
}

/// Whether `text` is what a client sends as `Host`.
fn is_host(text: &str) -> bool {
    let is_right = |it: char| it.is_ascii_alphanumeric() || ".-:[]_".contains(it);
    text.chars().all(is_right) && text.parse::<Authority>().is_ok()
}

/// Seconds that an access token may be valid for, at least and at most.
const ACCESS_TOKEN_S: std::ops::RangeInclusive<u64> = 1..=3_600;

/// Whether people have accounts here, with which their clients get tokens (AUTH-1).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct AccountsConfig {
    /// Whether there are accounts at all.
    pub enabled: bool,
    /// Whether clients may register themselves (RFC 7591); without it they come with a metadata document.
    #[default = true]
    pub registration: bool,
    /// Whether clients' metadata documents may be at addresses of this machine's network, and there over plain HTTP.
    pub private_documents: bool,
    /// Seconds that an access token is valid for.
    #[default = 600]
    pub access_token_s: u64,
}

/// Everything that is wrong with the accounts of `config`.
pub fn account_problems(config: &Config) -> Vec<Problem> {
    let (accounts, mut found) = (&config.accounts, Vec::new());
    // What is wrong while there are no accounts keeps no server from starting.
    let mut wrong =
        |path: &[&str], what: String| found.push(Problem::new(path, what, accounts.enabled));
    match &config.public_url {
        _ if !accounts.enabled => {}
        None if !config.addr.ip().is_loopback() => wrong(
            &["accounts"],
            "people sign in at the address by which they reach this server, and tokens are for that address: public_url = \"https://tools.example\" says it".to_owned(),
        ),
        Some(url) if url.text.starts_with("http://") && !is_local(&url.host) => wrong(
            &["public_url"],
            "people sign in there, and plain http shows their passwords to the network between: it must begin with https:// (http:// is for this machine: http://localhost:PORT)".to_owned(),
        ),
        _ => {}
    }
    if let Err(what) = check_range("access_token_s", accounts.access_token_s, ACCESS_TOKEN_S) {
        wrong(&["accounts", "access_token_s"], what);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    type Change = fn(&mut TokenConfig);

    fn found(name: &str, change: impl FnOnce(&mut TokenConfig)) -> Vec<(String, String, bool)> {
        let mut config = Config::defaults();
        let right = || TokenConfig {
            sha256: Secret::new("ab".repeat(32)),
            scopes: vec!["tool:nobody-offers-this".to_owned()],
            expires: None,
            language: None,
            rate: None,
            toolset: None,
        };
        let mut token = right();
        change(&mut token);
        config.tokens.insert(name.to_owned(), token);
        config.tokens.insert(
            "z".to_owned(),
            TokenConfig { sha256: Secret::new("cd".repeat(32)), ..right() },
        );
        problems(&config).into_iter().map(|it| (it.path.join("."), it.what, it.is_fatal)).collect()
    }

    #[test]
    fn names_each_mistake_with_place_and_remedy() {
        assert_eq!(found("a", |_| {}), []);
        let cases: [(&str, Change, &str, &str); 10] = [
            ("a", |it| it.sha256 = Secret::new("hush"), "tokens.a.sha256", "4 characters"),
            ("a", |it| it.sha256 = Secret::new("mdg_hush"), "tokens.a.sha256", "the token itself"),
            ("a", |it| it.sha256 = Secret::new("CD".repeat(32)), "tokens.z.sha256", "[tokens.a]"),
            ("a", |it| it.scopes.clear(), "tokens.a.scopes", "[\"*\"] is everything"),
            ("a", |it| it.scopes.push("tools:x".to_owned()), "tokens.a.scopes", "\"tool:NAME\""),
            ("a", |it| it.expires = Some("tomorrow".to_owned()), "tokens.a.expires", "is right"),
            ("a", |it| it.toolset = Some("x".into()), "tokens.a.toolset", "no toolset \"x\""),
            ("a b", |_| {}, "tokens.a b", "A-Z"),
            ("operator", |_| {}, "tokens.operator", "another name"),
            (
                "a",
                |it| it.expires = Some("2020-01-01T00:00:00Z".to_owned()),
                "tokens.a.expires",
                "nobody",
            ),
        ];
        for (name, change, place, part) in cases {
            let found = found(name, change);
            let [(path, what, is_fatal)] = &found[..] else { panic!("{place}: {found:?}") };
            assert!(path == place && what.contains(part), "{place}: {found:?}");
            assert_eq!(*is_fatal, part != "nobody", "{found:?}");
            assert!(!what.contains("hush"), "{what}");
        }
    }

    #[test]
    fn rejects_name_no_request_can_have() {
        let wrong = |host: &str| {
            let allowed_hosts = vec![host.to_owned()];
            let config = Config { allowed_hosts, allow_anonymous: true, ..Config::defaults() };
            problems(&config).into_iter().any(|it| it.is_fatal && it.path == ["allowed_hosts"])
        };
        for right in ["tools.example", "Tools.example:8443", "[::1]:1", "xn--rhqv53a.example"] {
            assert!(!wrong(right), "{right}");
        }
        for text in
            ["", "https://a.example", "a.example/", "*", "*.a.example", "窓口.example", "::1"]
        {
            assert!(wrong(text), "{text}");
        }
    }

    #[test]
    fn rejects_public_name_without_tokens() {
        let message = |change: fn(&mut Config)| {
            let mut config = Config::defaults();
            change(&mut config);
            let found = problems(&config).into_iter().find(|it| it.is_fatal);
            found.map(|it| (it.path.join("."), it.what))
        };
        let url = |it: &str| Some(it.to_owned().try_into().unwrap());
        let public =
            message(|it| it.public_url = Some("https://a.example".to_owned().try_into().unwrap()));
        let (place, what) = public.unwrap();
        assert!(
            place == "public_url" && what.contains("token new") && what.contains("allow_anonymous")
        );
        let hosts =
            message(|it| it.allowed_hosts = vec!["localhost".into(), "tools.example:8808".into()]);
        assert!(hosts.is_some_and(|it| it.0 == "allowed_hosts" && it.1.contains("tools.example")));
        assert_eq!(
            message(|it| it.allowed_hosts = vec!["App.localhost".into(), "[::1]:1".into()]),
            None
        );
        let local = Config { public_url: url("http://127.0.0.1:1"), ..Config::defaults() };
        assert_eq!(problems(&local), []);
        let asked_before =
            Config { public_url: url("https://a.example"), allow_anonymous: true, ..local };
        assert_eq!(problems(&asked_before), []);
    }

    #[test]
    fn origin_is_scheme_and_host_never_wildcard() {
        for right in ["https://app.example", "http://localhost:5173", "app-x://y", "http://[::1]:1"]
        {
            assert!(is_origin(right), "{right}");
        }
        for wrong in
            ["*", "null", "app.example", "https://app.example/", "https://*.example", "://a"]
        {
            assert!(!is_origin(wrong), "{wrong}");
        }
    }

    fn found_in(change: impl FnOnce(&mut Config)) -> Vec<String> {
        let mut config = Config::defaults();
        config.accounts.enabled = true;
        change(&mut config);
        account_problems(&config).into_iter().map(|it| it.path.join(".")).collect()
    }

    #[test]
    fn names_each_mistake_with_its_place() {
        let url = |it: &str| Some(it.to_owned().try_into().unwrap());
        assert_eq!(found_in(|_| {}), [""; 0]);
        assert_eq!(found_in(|it| it.public_url = url("https://a.example")), [""; 0]);
        assert_eq!(found_in(|it| it.public_url = url("http://localhost:1")), [""; 0]);
        assert_eq!(found_in(|it| it.public_url = url("http://a.example")), ["public_url"]);
        assert_eq!(found_in(|it| it.addr = "0.0.0.0:1".parse().unwrap()), ["accounts"]);
        assert_eq!(found_in(|it| it.accounts.access_token_s = 0), ["accounts.access_token_s"]);
        assert_eq!(found_in(|it| it.accounts.access_token_s = 3_601), ["accounts.access_token_s"]);
        let off = |config: &mut Config| {
            config.accounts.enabled = false;
            config.accounts.access_token_s = 0;
        };
        assert_eq!(found_in(off), ["accounts.access_token_s"]);
        let mut config = Config::defaults();
        off(&mut config);
        assert!(
            account_problems(&config).iter().all(|it| !it.is_fatal),
            "what is off stops no server"
        );
    }
}
