//! Lists referrers of a manifest: signatures, bills of materials, provenance. Only signatures are read (DIST-8).

use reqwest::StatusCode;
use serde::Serialize;

use crate::{
    Error, Result,
    client::{Client, refused},
    fetch,
    manifest::{Descriptor, EMPTY, INDEX, Index, MANIFEST_BYTES_MAX, Manifest},
    reference::Digest,
};

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
pub(crate) async fn list(client: &Client, digest: &Digest) -> Result<Vec<Referrer>> {
    let url = client.url_for(&format!("referrers/{digest}"));
    let response = client.get(url.clone(), INDEX).await?;
    let bytes = match response.status() {
        StatusCode::OK => client.body(response, MANIFEST_BYTES_MAX).await?,
        StatusCode::NOT_FOUND => match by_tag(client, digest).await? {
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
pub(crate) fn tag(digest: &Digest) -> String {
    format!("sha256-{}", digest.digits())
}

/// The list that lies under the tag, where there is one.
pub(crate) async fn by_tag(client: &Client, digest: &Digest) -> Result<Option<Vec<u8>>> {
    let url = client.url_for(&format!("manifests/{}", tag(digest)));
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
                match fetch::blob(client, &layer).await {
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
    let (bytes, media_type) = fetch::manifest(client, &referrer.digest.to_string()).await?;
    let manifest = Manifest::read(&media_type, &bytes)?;
    if manifest.subject.as_ref().is_none_or(|it| it.digest != *digest) {
        return Err(Error(format!("{}: it is about something else", referrer.digest)));
    }
    let [layer] = &manifest.layers[..] else { return Ok(None) };
    Ok(Some(layer.clone()))
}
