//! One manifest or blob of a registry, held against its digest (DIST-3).

use reqwest::{StatusCode, header::CONTENT_TYPE};

use crate::{
    Result,
    client::{Client, refused},
    manifest::{ACCEPTED, Descriptor, MANIFEST_BYTES_MAX},
    reference::Digest,
};

/// What a registry says of the digest of what it sends.
const DIGEST_HEADER: &str = "docker-content-digest";

/// A manifest's bytes as they came, and what they came as.
pub(crate) async fn manifest(
    client: &Client,
    repository: &str,
    which: &str,
) -> Result<(Vec<u8>, String)> {
    let url = client.url(&format!("v2/{repository}/manifests/{which}"));
    let response = client.get(url.clone(), ACCEPTED, repository).await?;
    if response.status() != StatusCode::OK {
        return Err(client.failed(response).await);
    }
    let text = |name: &str| {
        response.headers().get(name).and_then(|it| it.to_str().ok()).unwrap_or_default().to_owned()
    };
    let stated = text(DIGEST_HEADER);
    let media_type = text(CONTENT_TYPE.as_str());
    let media_type = media_type.split(';').next().unwrap_or_default().trim().to_owned();
    let bytes = client.body(response, MANIFEST_BYTES_MAX).await?;
    let found = Digest::of(&bytes);
    if which.parse::<Digest>().is_ok_and(|it| it != found) {
        return Err(refused(
            &url,
            format!("its bytes are not those of {which}: they have {found}"),
        ));
    }
    // Another kind of digest than ours says nothing here.
    if stated.starts_with("sha256:") && stated.parse::<Digest>().is_ok_and(|it| it != found) {
        return Err(refused(
            &url,
            format!("it says that it is {stated}, and its bytes have {found}"),
        ));
    }
    Ok((bytes, media_type))
}

/// The bytes that a descriptor is of.
pub(crate) async fn blob(
    client: &Client,
    repository: &str,
    descriptor: &Descriptor,
) -> Result<Vec<u8>> {
    let Descriptor { digest, size, .. } = descriptor;
    let url = client.url(&format!("v2/{repository}/blobs/{digest}"));
    let response = client.get(url, "*/*", repository).await?;
    match response.status() {
        StatusCode::OK => client.blob(response, digest, *size).await,
        _ => Err(client.failed(response).await),
    }
}
