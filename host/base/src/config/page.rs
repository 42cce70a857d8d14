//! The public URL of the page, and its external resources: `[page]`.

use reqwest::Url;
use serde::Deserialize;

use crate::grants::hosts::is_loopback_host;

/// Settings of the page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PageConfig {
    /// Map tiles; none shows the built-in map, which needs no server.
    pub tiles: Option<Tiles>,
}

/// Map tiles from a server: `[page.tiles]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Written")]
pub struct Tiles {
    /// The address of a tile, with `{z}`, `{x}` and `{y}` in it.
    pub url: String,
    /// Origin of the tiles.
    pub origin: String,
    /// Attribution of the map, as plain text.
    pub attribution: String,
    /// The greatest zoom that there are tiles for.
    pub max_zoom: u8,
}

/// Tiles as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    url: String,
    attribution: String,
    #[serde(default = "zoom")]
    max_zoom: u8,
}

fn zoom() -> u8 {
    19
}

/// Placeholders of a tile URL, each once.
const PLACES: [&str; 3] = ["{z}", "{x}", "{y}"];
/// The greatest zoom that maps have.
const ZOOM_MAX: u8 = 24;
/// Characters of the attribution.
const ATTRIBUTION_MAX: usize = 300;

impl Tiles {
    /// Whether there is something in the address that may be a key: every visitor of the page can
    /// read it.
    pub fn may_have_key(&self) -> bool {
        let url = self.url.to_ascii_lowercase();
        ["key", "token", "secret", "appid", "signature"].iter().any(|it| url.contains(it))
    }
}

impl TryFrom<Written> for Tiles {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let Written { url, attribution, max_zoom } = written;
        let attribution = attribution.trim().to_owned();
        if attribution.is_empty() || attribution.chars().nth(ATTRIBUTION_MAX).is_some() {
            return Err(format!(
                "attribution must say whose map it is, in at most {ATTRIBUTION_MAX} characters"
            ));
        }
        if !(1..=ZOOM_MAX).contains(&max_zoom) {
            return Err(format!("max_zoom must be 1 to {ZOOM_MAX}"));
        }
        let origin = origin(&url).map_err(|what| {
            format!("url {what}; \"https://tiles.example/{{z}}/{{x}}/{{y}}.png\" is right")
        })?;
        Ok(Self { url, origin, attribution, max_zoom })
    }
}

/// The origin of a tile URL. The error does not repeat the URL, which may contain a key.
fn origin(url: &str) -> Result<String, &'static str> {
    let mut bare = url.to_owned();
    for place in PLACES {
        if url.matches(place).count() != 1 {
            return Err("must have {z}, {x} and {y} in it, each once");
        }
        bare = bare.replace(place, "0");
    }
    if bare.contains("{s}") {
        return Err("must name one host in place of {s}");
    }
    if bare.contains(['{', '}']) {
        return Err("has something in braces that is not {z}, {x} or {y}");
    }
    if !url.is_ascii() || url.contains([' ', '\\', '"', '\'', '<', '>']) {
        return Err("has characters that must be escaped with %");
    }
    let parsed = Url::parse(&bare).map_err(|_| "is not a URL")?;
    let host = parsed.host_str().ok_or("has no host")?;
    match parsed.scheme() {
        "https" => {}
        "http" if is_loopback_host(host) => {}
        _ => return Err("must begin with https://, or with http:// for this machine"),
    }
    if !parsed.username().is_empty() || parsed.password().is_some() {
        return Err("must not have credentials");
    }
    let origin = parsed.origin().ascii_serialization();
    // A place in the host would be another host for each tile, and another character another rule of
    // the page's policy.
    let is_name = |it: char| it.is_ascii_alphanumeric() || "-.:/[]".contains(it);
    let begins = url.to_ascii_lowercase().starts_with(&origin);
    if !origin.chars().all(is_name) || !begins {
        return Err("must begin with a plain host name");
    }
    Ok(origin)
}

/// The public URL of the page, without a slash at the end.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct PublicUrl {
    /// The address as people are shown it.
    pub text: String,
    /// Its host, without the port.
    pub host: String,
}

impl TryFrom<String> for PublicUrl {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let wrong = |what: &str| {
            Err(format!(
                "public_url {what}; \"https://tools.example\" or \"https://example.com/tools\" is right"
            ))
        };
        // None of these repeats the text: there may be a password in it.
        let Ok(url) = Url::parse(&text) else { return wrong("is not a URL") };
        if !matches!(url.scheme(), "http" | "https") {
            return wrong("must begin with http:// or https://");
        }
        if !url.username().is_empty() || url.password().is_some() {
            return wrong("must not have credentials");
        }
        if url.query().is_some() || url.fragment().is_some() {
            return wrong("must end with its path");
        }
        if text.ends_with('/') {
            return wrong("must not end with a slash");
        }
        let Some(host) = url.host_str() else { return wrong("has no host") };
        let (host, text) = (host.to_owned(), url.as_str().trim_end_matches('/').to_owned());
        Ok(Self { text, host })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &str) -> Result<Tiles, String> {
        let text = format!("[tiles]\n{lines}");
        let config: Result<PageConfig, _> = toml::from_str(&text);
        config.map(|it| it.tiles.unwrap()).map_err(|it| it.message().to_owned())
    }

    fn at(url: &str) -> Result<Tiles, String> {
        read(&format!("url = '{url}'\nattribution = '© A'"))
    }

    #[test]
    fn accepts_tiles_over_https_or_loopback() {
        for (url, origin) in [
            ("https://tiles.example/{z}/{x}/{y}.png", "https://tiles.example"),
            (
                "https://tiles.example:8443/a?x={x}&y={y}&z={z}&key=abc",
                "https://tiles.example:8443",
            ),
            ("http://127.0.0.1:8080/{z}/{x}/{y}.png", "http://127.0.0.1:8080"),
            ("http://localhost/{z}/{x}/{y}.png", "http://localhost"),
            ("http://[::1]:1/{z}/{x}/{y}.png", "http://[::1]:1"),
        ] {
            let tiles = at(url).unwrap();
            assert_eq!((&*tiles.origin, &*tiles.url, tiles.max_zoom), (origin, url, 19));
        }
        assert!(at("https://a.example/{z}/{x}/{y}?KEY=1").unwrap().may_have_key());
        assert!(!at("https://a.example/{z}/{x}/{y}.png").unwrap().may_have_key());
    }

    #[test]
    fn rejects_other_tile_urls_without_repeating_them() {
        for (url, part) in [
            ("https://tiles.example/{z}/{x}.png?key=hunter2", "each once"),
            ("https://tiles.example/{z}/{x}/{y}/{y}.png", "each once"),
            ("https://{s}.tiles.example/{z}/{x}/{y}.png?hunter2", "in place of {s}"),
            ("https://tiles.example/{z}/{x}/{y}{r}.png", "braces"),
            ("http://tiles.example/{z}/{x}/{y}.png?key=hunter2", "https://"),
            ("ftp://tiles.example/{z}/{x}/{y}.png", "https://"),
            ("http://127.tiles.example/{z}/{x}/{y}.png", "https://"),
            ("javascript:{z}{x}{y}", "host"),
            ("tiles/{z}/{x}/{y}.png", "is not a URL"),
            ("https://me:hunter2@tiles.example/{z}/{x}/{y}.png", "credentials"),
            ("https://{z}.example/{x}/{y}.png", "plain host name"),
            ("https://*.example/{z}/{x}/{y}.png", "plain host name"),
            ("https://a.example;script-src/{z}/{x}/{y}.png", "plain host name"),
            ("https://a.example/{z}/{x}/{y}.png\"", "escaped"),
        ] {
            let error = at(url).unwrap_err();
            assert!(error.contains(part) && !error.contains("hunter2"), "{url}: {error}");
        }
        let right = "url = 'https://a.example/{z}/{x}/{y}'";
        for (more, part) in [
            ("attribution = ' '", "whose map"),
            ("", "attribution"),
            ("attribution = 'a'\nmax_zoom = 0", "1 to 24"),
            ("attribution = 'a'\nmax_zoom = 25", "1 to 24"),
            ("attribution = 'a'\nkey = 'b'", "unknown field"),
        ] {
            let error = read(&format!("{right}\n{more}")).unwrap_err();
            assert!(error.contains(part), "{more}: {error}");
        }
    }

    fn read_public(text: &str) -> Result<String, String> {
        PublicUrl::try_from(text.to_owned()).map(|it| it.text)
    }

    #[test]
    fn accepts_origin_with_prefix() {
        for right in ["https://tools.example", "http://127.0.0.1:8808", "https://a.example/tools/x"]
        {
            assert_eq!(read_public(right).as_deref(), Ok(right));
        }
        assert_eq!(PublicUrl::try_from("https://[::1]:1".to_owned()).unwrap().host, "[::1]");
    }

    #[test]
    fn rejects_other_urls_without_repeating_them() {
        for (wrong, part) in [
            ("tools.example", "is not a URL"),
            ("ftp://tools.example", "http:// or https://"),
            ("javascript:alert(1)", "http:// or https://"),
            ("https://me:hunter2@tools.example", "credentials"),
            ("https://tools.example/", "slash"),
            ("https://tools.example/a/", "slash"),
            ("https://tools.example/?a=b", "path"),
            ("https://tools.example/#a", "path"),
        ] {
            let error = read_public(wrong).unwrap_err();
            assert!(error.contains(part) && !error.contains("hunter2"), "{wrong}: {error}");
        }
    }
}
