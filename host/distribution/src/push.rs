//! Pushes a component and its signature in the format others read (DIST-1, DIST-5).

use std::collections::BTreeMap;

use base::config::Config;
use bytes::Bytes;
use reqwest::{
    Method, StatusCode, Url,
    header::{CONTENT_TYPE, LOCATION},
};

use crate::{
    Error, Result,
    client::{Client, refused},
    manifest::{
        self, CREATED, Descriptor, EMPTY, INDEX, Index, MANIFEST, Manifest, WASM_CONFIG, WASM_LAYER,
    },
    reference::{Digest, Reference},
    repository::{self, BUNDLE},
    signatures::{STATEMENT_TYPE, Signer},
};

/// Response header of registries that support referrers.
const SUBJECT_HEADER: &str = "oci-subject";

/// Digests of a pushed component.
#[derive(Debug)]
pub struct Pushed {
    /// The digest of its manifest.
    pub digest: Digest,
    /// Digest of the component's bytes.
    pub component: Digest,
}

/// Pushes `component`, made at `created`, as `reference`, which names a tag; signed, where there is a signer.
///
/// # Errors
/// If it is no component, or the registry rejects it.
pub async fn push(
    config: &Config,
    reference: &Reference,
    component: Bytes,
    created: &str,
    signer: Option<&Signer>,
) -> Result<Pushed> {
    let Some(tag) = reference.tag.as_ref().filter(|_| reference.digest.is_none()) else {
        let what = "a digest follows from the bytes; name a tag to push to: oci://HOST/NAME:TAG";
        return Err(Error(what.to_owned()));
    };
    manifest::check_component(&component)?;
    let client = Client::for_repository(reference, config)?;
    let settings = Bytes::from(manifest::config(&component, created));
    let made = Manifest {
        schema_version: 2,
        media_type: Some(MANIFEST.to_owned()),
        artifact_type: None,
        config: Descriptor::from_bytes(WASM_CONFIG, &settings),
        layers: vec![Descriptor::from_bytes(WASM_LAYER, &component)],
        subject: None,
        annotations: BTreeMap::from([(CREATED.to_owned(), created.to_owned())]),
    };
    put_blob(&client, component.clone()).await?;
    put_blob(&client, settings).await?;
    let bytes = Bytes::from(serde_json::to_vec(&made).unwrap_or_default());
    let subject = Descriptor::from_bytes(MANIFEST, &bytes);
    // Signed before tagging, so that tagged components are always signed.
    if let Some(signer) = signer {
        put_manifest(&client, &subject.digest.to_string(), MANIFEST, bytes.clone()).await?;
        sign(&client, &subject, created, signer).await?;
    }
    put_manifest(&client, tag, MANIFEST, bytes).await?;
    Ok(Pushed { digest: subject.digest, component: Digest::of_bytes(&component) })
}

/// Pushes a signature of `subject`.
async fn sign(client: &Client, subject: &Descriptor, created: &str, signer: &Signer) -> Result<()> {
    let bundle = Bytes::from(signer.bundle(&subject.digest)?);
    let nothing = Bytes::from_static(b"{}");
    let annotations = BTreeMap::from([
        (CREATED.to_owned(), created.to_owned()),
        ("dev.sigstore.bundle.content".to_owned(), "dsse-envelope".to_owned()),
        ("dev.sigstore.bundle.predicateType".to_owned(), STATEMENT_TYPE.to_owned()),
    ]);
    let made = Manifest {
        schema_version: 2,
        media_type: Some(MANIFEST.to_owned()),
        artifact_type: Some(BUNDLE.to_owned()),
        config: Descriptor::from_bytes(EMPTY, &nothing),
        layers: vec![Descriptor::from_bytes(BUNDLE, &bundle)],
        subject: Some(subject.clone()),
        annotations: annotations.clone(),
    };
    put_blob(client, bundle).await?;
    put_blob(client, nothing).await?;
    let bytes = Bytes::from(serde_json::to_vec(&made).unwrap_or_default());
    let mut listed = Descriptor::from_bytes(MANIFEST, &bytes);
    listed.artifact_type = Some(BUNDLE.to_owned());
    listed.annotations = annotations;
    if put_manifest(client, &listed.digest.to_string(), MANIFEST, bytes).await? {
        return Ok(());
    }
    // Registries without referrers API use a tag.
    let index = repository::referrers_by_tag(client, &subject.digest).await?;
    let index: Option<Index> = index.and_then(|it| serde_json::from_slice(&it).ok());
    let mut manifests = index.map(|it| it.manifests).unwrap_or_default();
    manifests.retain(|it| it.digest != listed.digest);
    manifests.push(listed);
    let index = Index { schema_version: 2, media_type: Some(INDEX.to_owned()), manifests };
    let bytes = Bytes::from(serde_json::to_vec(&index).unwrap_or_default());
    put_manifest(client, &repository::referrers_tag(&subject.digest), INDEX, bytes).await?;
    Ok(())
}

/// Puts a blob there, in one piece, unless it is there already.
async fn put_blob(client: &Client, bytes: Bytes) -> Result<()> {
    let digest = Digest::of_bytes(&bytes);
    let url = client.url_for(&format!("blobs/{digest}"));
    let head = client.change(Method::HEAD, url, &[], Bytes::new()).await;
    // Some redirect even this; then it is put there once more, which harms nothing.
    if head.is_ok_and(|it| it.status() == StatusCode::OK) {
        return Ok(());
    }
    let begin = client.url_for("blobs/uploads/");
    let response = client.change(Method::POST, begin.clone(), &[], Bytes::new()).await?;
    let response = client.good(response, StatusCode::ACCEPTED).await?;
    let to = response.headers().get(LOCATION).and_then(|it| it.to_str().ok());
    let to: Option<Url> = to.and_then(|it| begin.join(it).ok());
    let mut to = to.ok_or_else(|| refused(&begin, "it names no address for uploads"))?;
    if !client.is_own(&to) {
        return Err(refused(&begin, "it takes uploads at another place, which is not followed"));
    }
    to.query_pairs_mut().append_pair("digest", &digest.to_string());
    let headers = [(CONTENT_TYPE.as_str(), "application/octet-stream")];
    let put = client.change(Method::PUT, to, &headers, bytes).await?;
    client.good(put, StatusCode::CREATED).await.map(drop)
}

/// Pushes a manifest. Returns whether the registry lists it as a referrer.
async fn put_manifest(
    client: &Client,
    which: &str,
    media_type: &str,
    bytes: Bytes,
) -> Result<bool> {
    let url = client.url_for(&format!("manifests/{which}"));
    let headers = [(CONTENT_TYPE.as_str(), media_type)];
    let put = client.change(Method::PUT, url, &headers, bytes).await?;
    let put = client.good(put, StatusCode::CREATED).await?;
    Ok(put.headers().contains_key(SUBJECT_HEADER))
}
