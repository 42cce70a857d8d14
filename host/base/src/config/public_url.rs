//! The public URL of the page.

use reqwest::Url;
use serde::Deserialize;

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

    fn read(text: &str) -> Result<String, String> {
        PublicUrl::try_from(text.to_owned()).map(|it| it.text)
    }

    #[test]
    fn accepts_origin_with_prefix() {
        for right in ["https://tools.example", "http://127.0.0.1:8808", "https://a.example/tools/x"]
        {
            assert_eq!(read(right).as_deref(), Ok(right));
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
            let error = read(wrong).unwrap_err();
            assert!(error.contains(part) && !error.contains("hunter2"), "{wrong}: {error}");
        }
    }
}
