//! Reads of a repository: manifests and blobs by digest, tags and the versions among them, and referrers.

use reqwest::{StatusCode, Url, header::CONTENT_TYPE};
use serde::{Deserialize, Serialize};

use crate::{
    Error, Result,
    client::{Client, digest_mismatch, refused},
    manifest::{ACCEPTED, Descriptor, EMPTY, INDEX, Index, MANIFEST_BYTES_MAX, Manifest},
    reference::{Digest, Reference, is_tag},
};
use base::config::Config;

/// Response header with the digest of the content.
const DIGEST_HEADER: &str = "docker-content-digest";

/// Fetches a manifest: its bytes and media type.
pub(crate) async fn manifest(client: &Client, which: &str) -> Result<(Vec<u8>, String)> {
    let url = client.url_for(&format!("manifests/{which}"));
    let response = client.get(url.clone(), ACCEPTED).await?;
    let response = client.good(response, StatusCode::OK).await?;
    let text = |name: &str| {
        response.headers().get(name).and_then(|it| it.to_str().ok()).unwrap_or_default().to_owned()
    };
    let stated = text(DIGEST_HEADER);
    let media_type = text(CONTENT_TYPE.as_str());
    let media_type = media_type.split(';').next().unwrap_or_default().trim().to_owned();
    let bytes = client.body(response, MANIFEST_BYTES_MAX).await?;
    let found = Digest::of_bytes(&bytes);
    if which.parse::<Digest>().is_ok_and(|it| it != found) {
        return Err(refused(&url, digest_mismatch(which, &found)));
    }
    // Another kind of digest than ours says nothing here.
    if stated.starts_with("sha256:") && stated.parse::<Digest>().is_ok_and(|it| it != found) {
        let what = format!("it says that it is {stated}, and its bytes have {found}");
        return Err(refused(&url, what));
    }
    Ok((bytes, media_type))
}

/// The bytes that a descriptor is of.
pub(crate) async fn blob(client: &Client, descriptor: &Descriptor) -> Result<Vec<u8>> {
    let Descriptor { digest, size, .. } = descriptor;
    let response = client.get(client.url_for(&format!("blobs/{digest}")), "*/*").await?;
    client.blob(client.good(response, StatusCode::OK).await?, digest, *size).await
}

/// Pages of a list of tags that are read, of [`PAGE`] each.
const PAGES_MAX: usize = 10;
const PAGE: usize = 1000;
/// Bytes that one of them may have.
const PAGE_BYTES_MAX: u64 = 1 << 20;

/// Lists tags of the repository of `reference`.
///
/// # Errors
/// If the registry fails.
pub async fn tags(config: &Config, reference: &Reference) -> Result<Vec<String>> {
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

/// Maximum number of referrers.
const REFERRERS_MAX: usize = 64;
/// Media types of Sigstore bundles, current and old.
pub(crate) const BUNDLE: &str = "application/vnd.dev.sigstore.bundle.v0.3+json";
const OLDER_BUNDLE: &str = "application/vnd.dev.sigstore.bundle+json;version=0.3";
/// Bytes that one may have.
const BUNDLE_BYTES_MAX: u64 = 1 << 20;

/// A referrer of a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Referrer {
    /// Media or artifact type.
    pub media_type: String,
    /// The digest of its manifest.
    pub digest: Digest,
    /// Bytes of its manifest.
    pub size: u64,
}

/// Lists referrers by the API, or by the fallback tag.
pub(crate) async fn referrers(client: &Client, digest: &Digest) -> Result<Vec<Referrer>> {
    let url = client.url_for(&format!("referrers/{digest}"));
    let response = client.get(url.clone(), INDEX).await?;
    let bytes = match response.status() {
        StatusCode::OK => client.body(response, MANIFEST_BYTES_MAX).await?,
        StatusCode::NOT_FOUND => match referrers_by_tag(client, digest).await? {
            Some(bytes) => bytes,
            None => return Ok(Vec::new()),
        },
        _ => return Err(client.failed(response).await),
    };
    let index: Index = serde_json::from_slice(&bytes)
        .map_err(|it| refused(&url, format!("it is no list of manifests: {it}")))?;
    let listed = index.manifests.into_iter().take(REFERRERS_MAX).map(|manifest| Referrer {
        media_type: manifest.artifact_type.unwrap_or(manifest.media_type),
        digest: manifest.digest,
        size: manifest.size,
    });
    Ok(listed.collect())
}

/// The tag under which the list is kept where a registry does not keep one.
pub(crate) fn referrers_tag(digest: &Digest) -> String {
    format!("sha256-{}", digest.digits())
}

/// The list that lies under the tag, where there is one.
pub(crate) async fn referrers_by_tag(client: &Client, digest: &Digest) -> Result<Option<Vec<u8>>> {
    let url = client.url_for(&format!("manifests/{}", referrers_tag(digest)));
    let response = client.get(url, INDEX).await?;
    match response.status() {
        StatusCode::OK => client.body(response, MANIFEST_BYTES_MAX).await.map(Some),
        StatusCode::NOT_FOUND => Ok(None),
        _ => Err(client.failed(response).await),
    }
}

/// Fetches bundles among `referrers` and verifies digest and subject. Unavailable ones are ignored, because unsigned
/// components are rejected anyway.
pub(crate) async fn bundles(
    client: &Client,
    digest: &Digest,
    referrers: &[Referrer],
) -> Result<Vec<Vec<u8>>> {
    let is_bundle = |it: &str| it == BUNDLE || it == OLDER_BUNDLE;
    let mut bundles = Vec::new();
    // Some registries list what a manifest's empty configuration is, in place of what the manifest is of.
    for referrer in referrers
        .iter()
        .filter(|referrer| is_bundle(&referrer.media_type) || referrer.media_type == EMPTY)
    {
        match bundle(client, digest, referrer).await {
            Ok(Some(layer)) if is_bundle(&layer.media_type) && layer.size <= BUNDLE_BYTES_MAX => {
                match blob(client, &layer).await {
                    Ok(bytes) => bundles.push(bytes),
                    Err(error) => tracing::warn!("a signature is left out: {error}"),
                }
            }
            Ok(_) => {}
            Err(error) => tracing::warn!("a signature is left out: {error}"),
        }
    }
    Ok(bundles)
}

/// The one layer of what refers to the manifest of that digest.
async fn bundle(
    client: &Client,
    digest: &Digest,
    referrer: &Referrer,
) -> Result<Option<Descriptor>> {
    let (bytes, media_type) = manifest(client, &referrer.digest.to_string()).await?;
    let manifest = Manifest::read(&media_type, &bytes)?;
    if manifest.subject.as_ref().is_none_or(|it| it.digest != *digest) {
        return Err(Error(format!("{}: it is about something else", referrer.digest)));
    }
    let [layer] = &manifest.layers[..] else { return Ok(None) };
    Ok(Some(layer.clone()))
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
