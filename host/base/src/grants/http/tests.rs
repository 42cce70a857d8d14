//! Tests of host entries, valid and invalid.

use super::*;

fn read(entry: &str) -> Result<HostGrant, String> {
    toml::from_str(entry).map_err(|it| it.message().to_owned())
}

#[test]
fn entry_defaults_to_https_and_read_only() {
    let entry = read("host = 'API.Example.com'").unwrap();
    assert_eq!(entry.host, HostName::Exactly("api.example.com".to_owned()));
    assert_eq!((entry.scheme, entry.port, entry.private), (Scheme::Https, 443, false));
    assert_eq!(entry.methods, [Method::GET, Method::HEAD]);
    assert_eq!(read("host = 'a.example'\nscheme = 'http'").unwrap().port, 80);
    assert_eq!(read("host = 'a.example'\nport = 8443").unwrap().port, 8443);
}

#[test]
fn wildcard_covers_subdomains_but_neither_name_nor_lookalikes() {
    let under = HostName::read("*.example.com").unwrap();
    assert!(under.covers("api.example.com") && under.covers("a.b.example.com"));
    for other in ["example.com", "notexample.com", ".example.com", "api.example.com.evil.test"] {
        assert!(!under.covers(other), "{other}");
    }
    let exactly = HostName::read("example.com").unwrap();
    assert!(exactly.covers("example.com") && !exactly.covers("api.example.com"));
}

#[test]
fn names_correct_form_of_a_meaningless_entry() {
    for (entry, part) in [
        ("hots = 'a.example'", "unknown field `hots`"),
        ("scheme = 'https'", "missing field `host`"),
        ("host = 'https://a.example'", "host's name alone"),
        ("host = 'a.example:80'", "host's name alone"),
        ("host = '*'", "host's name alone"),
        ("host = 'a.*.example'", "host's name alone"),
        ("host = '*.127.0.0.1'", "host's name alone"),
        ("host = '127.0.0.1'", "private = true"),
        ("host = '::1'", "private = true"),
        ("host = 'a.example'\nscheme = 'ftp'", "unknown variant `ftp`"),
        ("host = 'a.example'\nport = 0", "no port"),
        ("host = 'a.example'\nmethods = []", "allows nothing"),
        ("host = 'a.example'\nmethods = ['get']", "in capitals"),
        ("host = 'a.example'\nmethods = ['CONNECT']", "not offered"),
    ] {
        let error = read(entry).unwrap_err();
        assert!(error.contains(part), "{entry}: {error}");
    }
}

#[test]
fn secret_has_one_place_and_source_and_stays_out_of_errors() {
    let secret = |it: &str| read(&format!("host = 'a.example'\nsecrets = [{{ {it} }}]"));
    for (entry, part) in [
        ("value = 'hunter2'", "one place"),
        ("header = 'A', query = 'b', value = 'hunter2'", "one place"),
        ("query = '', value = 'hunter2'", "one place"),
        ("header = 'A'", "comes from one place"),
        ("header = 'A', value = 'hunter2', file = 'f'", "comes from one place"),
        ("header = 'A b', value = 'hunter2'", "not the name of a header"),
        ("header = 'Host', value = 'hunter2'", "set by HTTP itself"),
        ("header = 'A', prefix = \"a\\nb\", value = 'hunter2'", "cannot stand in a header"),
        ("header = 'A', valeu = 'hunter2'", "unknown field `valeu`"),
        ("header = 'A', value = 4711", "must be a text"),
    ] {
        let error = secret(entry).unwrap_err();
        assert!(error.contains(part), "{entry}: {error}");
        assert!(!error.contains("hunter2") && !error.contains("4711"), "{error}");
    }
    let entry = secret("header = 'Authorization', prefix = 'Bearer ', value = 'hunter2'").unwrap();
    assert!(!format!("{entry:?}").contains("hunter2"));
}

#[test]
fn parses_host_from_the_command_line() {
    let of =
        |it: &str| HostGrant::of_argument(it).map(|it| (it.host.to_string(), it.scheme, it.port));
    assert_eq!(of("api.example.com"), Ok(("api.example.com".into(), Scheme::Https, 443)));
    assert_eq!(of("*.example.com:8443"), Ok(("*.example.com".into(), Scheme::Https, 8443)));
    assert_eq!(of("http://127.0.0.1:81"), Ok(("127.0.0.1".into(), Scheme::Http, 81)));
    assert!(of("ftp://a.example").unwrap_err().contains("HOST:PORT"));
}

#[test]
fn origin_allows_get_only_and_private_only_on_loopback() {
    let text =
        " https://directory.example, http://127.0.0.1:8000,http://localhost,https://[::1]:1,";
    let found = HostGrant::of_origins(text).unwrap();
    let texts: Vec<_> = found
        .iter()
        .map(|it| format!("{}://{}:{} {}", it.scheme, it.host, it.port, it.private))
        .collect();
    assert_eq!(
        texts,
        [
            "https://directory.example:443 false",
            "http://127.0.0.1:8000 true",
            "http://localhost:80 true",
            "https://[::1]:1 true"
        ]
    );
    assert!(found.iter().all(|it| it.methods == [Method::GET] && it.secrets.is_empty()));
    assert!(HostGrant::of_origins(" , ").unwrap().is_empty());
}

#[test]
fn names_wrong_origin_with_remedy_and_no_password() {
    for (wrong, part) in [
        ("directory.example", "is not an origin"),
        ("https://directory.example/path", "more than scheme"),
        ("https://directory.example?q", "more than scheme"),
        ("https://me:hunter2@directory.example", "more than scheme"),
        ("https://*.example", "more than scheme"),
        ("ftp://directory.example", "is not https"),
        ("http://directory.example", "which only this machine need not be"),
        ("http://169.254.169.254", "which only this machine need not be"),
        ("https://169.254.169.254", "private = true"),
        ("https://10.0.0.1", "private = true"),
        ("https://2130706434:1, https://0xa9fea9fe", "private = true"),
    ] {
        let error = HostGrant::of_origins(wrong).unwrap_err();
        assert!(error.contains(part) && !error.contains("hunter2"), "{wrong}: {error}");
    }
    let many = "https://a.example,".repeat(ORIGINS_MAX + 1);
    assert!(HostGrant::of_origins(&many).unwrap_err().contains("at most 64"));
}

#[test]
fn base_url_may_have_path_and_be_local_if_allowed() {
    let of = |text: &str, private| HostGrant::of_base(text, &["POST".to_owned()], private);
    let base = of("http://valhalla:8002/", true).unwrap();
    let text = format!("{}://{}:{} {:?}", base.scheme, base.host, base.port, base.methods);
    assert_eq!((text.as_str(), base.private), ("http://valhalla:8002 [POST]", true));
    assert!(!of("https://a.example/osrm", false).unwrap().private);
    assert_eq!(HostGrant::of_base("https://a.example", &[], true).unwrap().methods, [Method::GET]);
    for (wrong, private, part) in [
        ("a.example", true, "is not a base address"),
        ("https://a.example?key=1", true, "more than"),
        ("https://me:hunter2@a.example", true, "more than"),
        ("ftp://a.example", true, "is not https"),
        ("http://a.example", false, "is not https"),
        ("https://10.0.0.1", false, "of this machine or its network"),
    ] {
        let error = of(wrong, private).unwrap_err();
        assert!(error.contains(part) && !error.contains("hunter2"), "{wrong}: {error}");
    }
}
