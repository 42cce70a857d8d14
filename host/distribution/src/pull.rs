//! Pulls a component: its manifest, its signatures and its bytes, each verified by digest (DIST-1).

use bytes::Bytes;

use crate::{
    Error, Result,
    client::Client,
    fetch::{blob, manifest},
    manifest::{self, CONFIG_BYTES_MAX, Manifest, WASM_CONFIG},
    packages,
    reference::{Digest, Named, Reference},
    referrers::{self, Referrer},
    signatures::{self, Signed},
};
use base::config::Config;

/// A component as a registry has it, verified.
#[derive(Debug)]
pub struct Pulled {
    /// Reference that it was pulled by.
    pub reference: Reference,
    /// The digest of its manifest.
    pub manifest_digest: Digest,
    /// The manifest's bytes.
    pub manifest: Vec<u8>,
    /// The component's bytes.
    pub component: Bytes,
    /// Their digest.
    pub component_digest: Digest,
    /// Declared creation time.
    pub created: Option<String>,
    /// Media types of ignored layers.
    pub left_out: Vec<String>,
    /// Result of signature verification.
    pub signed: Signed,
    /// Other referrers of the manifest.
    pub referrers: Vec<Referrer>,
}

/// Resolves a name to a reference. Packages are looked up in their registry.
///
/// # Errors
/// If no registry is configured for a package, or it has no such version.
pub async fn resolve(config: &Config, named: Named) -> Result<Reference> {
    match named {
        Named::Reference(reference) => Ok(reference),
        Named::Package(package) => packages::resolve(config, &package).await,
    }
}

/// The component at `reference`, to be called `name`: first its manifest, then the signatures that the configuration
/// demands, and only then its bytes.
///
/// # Errors
/// If unavailable, no component, of another digest, or without the required signature.
pub async fn pull(config: &Config, name: &str, reference: &Reference) -> Result<Pulled> {
    let client = Client::for_repository(reference, config)?;
    let (bytes, media_type) = manifest(&client, &reference.manifest()).await?;
    let manifest_digest = Digest::of_bytes(&bytes);
    let read = Manifest::read(&media_type, &bytes)?;
    let (layer, beside) = read.component()?;
    let referrers = referrers::list(&client, &manifest_digest).await?;
    let led = reference.via.iter().chain([&reference.host]).map(String::as_str);
    let requirements = config.requirements(name, led);
    let bundles = referrers::bundles(&client, &manifest_digest, &referrers).await?;
    let place = &client.base;
    let signed = signatures::check(&requirements, place, &bytes, &bundles)
        .map_err(|what| Error(format!("{reference}: {what}")))?;
    let mut created = read.created();
    // Any other is carried along, and not read.
    if read.config.media_type == WASM_CONFIG {
        if read.config.size > CONFIG_BYTES_MAX {
            let what = format!("its configuration has more than {CONFIG_BYTES_MAX} bytes");
            return Err(Error(what));
        }
        let config = blob(&client, &read.config).await?;
        created = manifest::read_config(&config, &layer.digest)?.or(created);
    }
    let component = blob(&client, layer).await?;
    manifest::check_component(&component)?;
    Ok(Pulled {
        reference: reference.clone(),
        manifest_digest,
        component: component.into(),
        component_digest: layer.digest.clone(),
        created,
        left_out: beside.iter().map(|it| it.media_type.clone()).collect(),
        manifest: bytes,
        signed,
        referrers,
    })
}

/// The digest of the manifest that `reference` names now.
///
/// # Errors
/// If the registry fails.
pub async fn digest(config: &Config, reference: &Reference) -> Result<Digest> {
    let client = Client::for_repository(reference, config)?;
    let (bytes, _) = manifest(&client, &reference.manifest()).await?;
    Ok(Digest::of_bytes(&bytes))
}

/// Lists referrers of a manifest.
///
/// # Errors
/// If the registry fails.
pub async fn about(
    config: &Config,
    reference: &Reference,
    digest: &Digest,
) -> Result<Vec<Referrer>> {
    referrers::list(&Client::for_repository(reference, config)?, digest).await
}
