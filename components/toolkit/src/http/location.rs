//! URLs in their parts, as far as a client needs them: the host reads them in earnest.

/// The parts of an `http` or `https` URL.
pub(crate) struct Parts<'a> {
    pub(crate) is_https: bool,
    pub(crate) authority: &'a str,
    /// Path and query; empty where the URL has neither.
    pub(crate) rest: &'a str,
}

/// The parts of `url`, without its fragment.
pub(crate) fn parts(url: &str) -> Option<Parts<'_>> {
    let (scheme, after) = url.split_once("://")?;
    let is_https = scheme.eq_ignore_ascii_case("https");
    if !is_https && !scheme.eq_ignore_ascii_case("http") {
        return None;
    }
    let after = after.split('#').next()?;
    let end = after.find(['/', '?']).unwrap_or(after.len());
    let (authority, rest) = after.split_at(end);
    (!authority.is_empty()).then_some(Parts { is_https, authority, rest })
}

/// Where `to` leads when `from` says it.
pub(crate) fn resolve(from: &str, to: &str) -> Option<String> {
    let to = to.trim();
    if to.contains("://") && parts(to).is_some() {
        return Some(to.to_owned());
    }
    let Parts { is_https, authority, rest } = parts(from)?;
    let scheme = if is_https { "https" } else { "http" };
    if let Some(after) = to.strip_prefix("//") {
        return parts(&format!("{scheme}://{after}")).map(|_| format!("{scheme}://{after}"));
    }
    let path = rest.split('?').next()?;
    let rest = match to.chars().next() {
        None | Some('#') => rest.to_owned(),
        Some('/') => to.to_owned(),
        Some('?') => format!("{path}{to}"),
        // A scheme that is none of ours: `mailto:`, `ftp:`.
        Some(_) if to.split('/').next()?.contains(':') => return None,
        Some(_) => format!("{}/{to}", &path[..path.rfind('/').unwrap_or(0)]),
    };
    Some(format!("{scheme}://{authority}{rest}"))
}

/// Scheme and authority, which say whose a URL is.
pub(crate) fn origin(url: &str) -> Option<(bool, String)> {
    parts(url).map(|it| (it.is_https, it.authority.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_is_read_from_where_it_is_said() {
        let from = "https://a.example:8443/dir/page?x=1#top";
        for (to, expected) in [
            ("http://b.example/", Some("http://b.example/")),
            ("//b.example/y", Some("https://b.example/y")),
            ("/y?z=2", Some("https://a.example:8443/y?z=2")),
            ("other", Some("https://a.example:8443/dir/other")),
            ("?q", Some("https://a.example:8443/dir/page?q")),
            ("mailto:someone", None),
            ("ftp://b.example/", None),
        ] {
            assert_eq!(resolve(from, to).as_deref(), expected, "{to}");
        }
        assert_eq!(resolve("http://a.example", "y").as_deref(), Some("http://a.example/y"));
    }

    #[test]
    fn only_http_has_parts() {
        assert!(parts("ftp://a.example/").is_none() && parts("https:///x").is_none());
        let found = parts("HTTP://a.example?x").unwrap();
        assert_eq!((found.is_https, found.authority, found.rest), (false, "a.example", "?x"));
    }
}
