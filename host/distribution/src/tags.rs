//! Lists tags of a repository and finds versions among them.

use base::config::Config;
use reqwest::{StatusCode, Url};
use serde::Deserialize;

use crate::{
    Result,
    client::{Client, refused},
    reference::{Reference, is_tag},
};

/// Pages of a list of tags that are read, of [`PAGE`] each.
const PAGES_MAX: usize = 10;
const PAGE: usize = 1000;
/// Bytes that one of them may have.
const PAGE_BYTES_MAX: u64 = 1 << 20;

/// Lists tags of the repository of `reference`.
///
/// # Errors
/// If the registry fails.
pub async fn list(config: &Config, reference: &Reference) -> Result<Vec<String>> {
    #[derive(Deserialize)]
    struct List {
        tags: Option<Vec<String>>,
    }
    let client = Client::for_repository(reference, config)?;
    let mut url = client.url_for("tags/list");
    url.set_query(Some(&format!("n={PAGE}")));
    let mut tags = Vec::new();
    for _ in 0..PAGES_MAX {
        let response = client.get(url.clone(), "application/json").await?;
        let response = client.good(response, StatusCode::OK).await?;
        let next = next(&url, response.headers().get("link").and_then(|it| it.to_str().ok()));
        let bytes = client.body(response, PAGE_BYTES_MAX).await?;
        let list: List = serde_json::from_slice(&bytes)
            .map_err(|it| refused(&url, format!("it is no list of tags: {it}")))?;
        tags.extend(list.tags.unwrap_or_default().into_iter().filter(|it| is_tag(it)));
        match next.filter(|it| client.is_own(it) && *it != url) {
            Some(next) => url = next,
            None => break,
        }
    }
    tags.truncate(PAGES_MAX * PAGE);
    Ok(tags)
}

/// Address of the next page: `<URL>; rel="next"`.
fn next(url: &Url, link: Option<&str>) -> Option<Url> {
    let (target, rest) = link?.trim().strip_prefix('<')?.split_once('>')?;
    let is_next = rest.contains("rel=next") || rest.contains("rel=\"next\"");
    url.join(target).ok().filter(|_| is_next)
}

/// The tag's version, where it is one: `1.2.3`, or `v1.2.3`.
pub fn version(tag: &str) -> Option<semver::Version> {
    semver::Version::parse(tag.strip_prefix('v').unwrap_or(tag)).ok()
}

/// The newest version among `tags` that is newer than `than`; of those that are not final only where that is none.
pub fn newest(tags: &[String], than: &str) -> Option<String> {
    let than = version(than)?;
    let newer = tags.iter().filter_map(|it| Some((version(it)?, it)));
    let newer = newer.filter(|(it, _)| *it > than && (it.pre.is_empty() || !than.pre.is_empty()));
    newer.max_by(|one, other| one.0.cmp(&other.0)).map(|it| it.1.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newest_version_is_the_greatest() {
        let tags = ["1.9.0", "latest", "1.10.0", "2.0.0-rc.1", "v1.10.1", "sha256-ab"];
        let tags = tags.map(str::to_owned);
        assert_eq!(newest(&tags, "1.9.0").as_deref(), Some("v1.10.1"));
        assert_eq!(newest(&tags, "2.0.0-alpha").as_deref(), Some("2.0.0-rc.1"));
        assert_eq!(newest(&tags, "2.0.0"), None);
        assert_eq!(newest(&tags, "latest"), None);
    }

    #[test]
    fn follows_link_to_next_page() {
        let url = Url::parse("https://a.example/v2/x/tags/list?n=2").unwrap();
        let found = next(&url, Some("</v2/x/tags/list?n=2&last=b>; rel=\"next\"")).unwrap();
        assert_eq!(found.as_str(), "https://a.example/v2/x/tags/list?n=2&last=b");
        assert_eq!(next(&url, Some("</v2/x>; rel=\"prev\"")), None);
        assert_eq!(next(&url, None), None);
    }
}
