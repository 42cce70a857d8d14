//! Tests of `[oauth]`: valid entries, and errors with their place.

use std::path::Path;

use super::*;
use crate::source::Embedded;

fn read(lines: &str) -> Result<Config, String> {
    let read = Config::from_text(lines, Path::new("a.toml"), &Embedded::default());
    read.map_err(|error| error.to_string())
}

fn found(lines: &str) -> Vec<(String, String, bool)> {
    let config = read(lines).unwrap_or_else(|error| panic!("{lines}: {error}"));
    problems(&config).into_iter().map(|it| (it.path.join("."), it.what, it.is_fatal)).collect()
}

const RIGHT: &str = "[oauth]\nissuer = 'https://id.example'\nown_scopes = true\n";

#[test]
fn reads_one_provider_and_several() {
    assert_eq!(found(RIGHT), []);
    let one = &read(RIGHT).unwrap().oauth[0];
    assert_eq!(one.algorithms, [SigningAlgorithm::RS256, SigningAlgorithm::ES256]);
    let several = "[[oauth]]\nissuer = 'https://a.example'\naudience = 'api://x'\n\
        [[oauth]]\nissuer = 'https://b.example'\naudience = ['x', 'y']\nprivate = true\n\
        [oauth.scopes]\nread = ['read-only']\n[oauth.claims.\"realm_access.roles\"]\nadmin = ['*']\n";
    let config = read(several).unwrap();
    assert_eq!(config.oauth.len(), 2);
    assert_eq!(config.oauth[0].audience, ["api://x"]);
    assert_eq!(config.oauth[1].supported().collect::<Vec<_>>(), ["read"]);
    let notes = found(several);
    assert_eq!((&*notes[0].0, notes[0].2, notes.len()), ("oauth.0.issuer", false, 1));
}

#[test]
fn names_each_mistake_with_its_place() {
    for (line, place, what) in [
        ("audience = ''", "oauth.audience", "1 to 512"),
        ("algorithms = []", "oauth.algorithms", "RS256"),
        ("clock_skew_s = 301", "oauth.clock_skew_s", "0 to 300"),
        ("introspection_cache_s = 301", "oauth.introspection_cache_s", "0 to 300"),
        ("jwks_uri = 'http://id.example/keys'", "oauth.jwks_uri", "https://"),
        ("jwks_uri = 'https://10.0.0.1/keys'", "oauth.jwks_uri", "private = true"),
        ("jwks_uri = 'https://me:hush@id.example'", "oauth.jwks_uri", "credentials"),
        ("client_id = 'a'", "oauth.client_id", "introspection_endpoint"),
        ("introspect_jwts = true", "oauth.introspect_jwts", "introspection_endpoint"),
        ("default_scopes = ['all']", "oauth.default_scopes", "\"tool:NAME\""),
        ("scopes.'a b' = ['*']", "oauth.scopes", "cannot be a scope"),
        ("scopes.a = ['tools:x']", "oauth.scopes", "is not a scope"),
        ("toolset_claim = 'toolset'", "oauth.toolset_claim", "[toolsets.NAME]"),
        ("claims.groups.a = ['tools:x']", "oauth.claims", "is not a scope"),
    ] {
        let found = found(&format!("{RIGHT}{line}\n"));
        let [(path, message, true)] = &found[..] else { panic!("{line}: {found:?}") };
        assert!(path == place && message.contains(what), "{line}: {found:?}");
        assert!(!message.contains("hush"), "{message}");
    }
    let endpoint = "introspection_endpoint = 'https://id.example/introspect'\n";
    let places: Vec<_> = found(&format!("{RIGHT}{endpoint}")).into_iter().map(|it| it.0).collect();
    assert_eq!(places, ["oauth.client_id", "oauth.client_secret"]);
    let secret = format!("{RIGHT}{endpoint}client_id = 'a'\nclient_secret = 'hush'\n");
    let plain = found(&secret);
    assert!(plain[0].0 == "oauth.client_secret" && !plain[0].1.contains("hush"), "{plain:?}");
}

#[test]
fn accepts_asymmetric_algorithms_only() {
    for algorithm in ["none", "HS256", "HS512", "RS1", "rs256", "ES256K"] {
        let error = read(&format!("{RIGHT}algorithms = ['{algorithm}']\n")).unwrap_err();
        assert!(error.contains("line 4") && error.contains(algorithm), "{error}");
    }
    let error = read(&format!("{RIGHT}audiences = 'x'\n")).unwrap_err();
    assert!(error.contains("line 4") && error.contains("audiences"), "{error}");
}

#[test]
fn issuer_requires_https_except_on_loopback() {
    let of = |issuer: &str, more: &str| {
        let lines = format!("[oauth]\nissuer = '{issuer}'\nown_scopes = true\n{more}");
        found(&lines).into_iter().next().map(|it| it.1)
    };
    for right in [
        "https://id.example/realms/a",
        "http://127.0.0.1:8080",
        "http://[::1]:1",
        "http://localhost:1/",
    ] {
        assert_eq!(of(right, ""), None, "{right}");
    }
    for (wrong, what) in [
        ("http://id.example", "plain http"),
        ("http://10.0.0.1", "plain http"),
        ("https://10.0.0.1", "private = true"),
        ("https://[fd00::1]", "private = true"),
        ("id.example", "not a URL"),
        ("ftp://id.example", "https://"),
        ("https://id.example/?a", "query"),
        ("https://id.example/#a", "fragment"),
    ] {
        assert!(of(wrong, "").is_some_and(|it| it.contains(what)), "{wrong}: {:?}", of(wrong, ""));
    }
    assert_eq!(of("https://10.0.0.1", "private = true\n"), None);
    let twins = format!("{0}[{0}", RIGHT.replace("[oauth]", "[[oauth]]"));
    let twins = twins.replace("[[[oauth]]]", "[[oauth]]").replace("[[[", "[[");
    assert!(found(&twins).iter().any(|it| it.0 == "oauth.1.issuer" && it.2), "{twins}");
}

#[test]
fn non_loopback_server_requires_public_address() {
    let open = format!("addr = '0.0.0.0:80'\n{RIGHT}");
    assert!(found(&open).iter().any(|it| it.1.contains("public_url") && it.2));
    assert_eq!(found(&format!("public_url = 'https://a.example'\n{open}")), []);
}
