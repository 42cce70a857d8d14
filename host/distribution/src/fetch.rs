//! Fetches a manifest or blob and verifies its digest (DIST-3).

use reqwest::{StatusCode, header::CONTENT_TYPE};

use crate::{
    Result,
    client::{Client, digest_mismatch, refused},
    manifest::{ACCEPTED, Descriptor, MANIFEST_BYTES_MAX},
    reference::Digest,
};

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
