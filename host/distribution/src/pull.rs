//! From a registry: a component's manifest, who has signed it, and its bytes, each held against its digest (DIST-1).

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
    /// Where it comes from.
    pub reference: Reference,
    /// The digest of its manifest.
    pub manifest_digest: Digest,
    /// The manifest's bytes.
    pub manifest: Vec<u8>,
    /// The component's bytes.
    pub component: Bytes,
    /// Their digest.
    pub component_digest: Digest,
    /// When it was made, as it says itself.
    pub created: Option<String>,
    /// The media types of layers that are beside it and not taken.
    pub left_out: Vec<String>,
    /// Whose signature stands on it.
    pub signed: Signed,
    /// What else the registry has about it.
    pub referrers: Vec<Referrer>,
}

/// Where `named` lies: packages are looked up with their registry.
///
/// # Errors
/// Where no registry is configured for a package, or it has none of the kind.
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
/// Where it cannot be had, is no component, is not what its digest says, or is not signed as it must be.
pub async fn pull(config: &Config, name: &str, reference: &Reference) -> Result<Pulled> {
    let client = Client::of(reference, config)?;
    let (bytes, media_type) = manifest(&client, &reference.manifest()).await?;
    let manifest_digest = Digest::of(&bytes);
    let read = Manifest::read(&media_type, &bytes)?;
    let (layer, beside) = read.component()?;
    let referrers = referrers::of(&client, &manifest_digest).await?;
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
/// Where the registry does not say.
pub async fn digest(config: &Config, reference: &Reference) -> Result<Digest> {
    let client = Client::of(reference, config)?;
    let (bytes, _) = manifest(&client, &reference.manifest()).await?;
    Ok(Digest::of(&bytes))
}

/// What the registry has about the manifest of that digest.
///
/// # Errors
/// Where the registry does not say.
pub async fn about(
    config: &Config,
    reference: &Reference,
    digest: &Digest,
) -> Result<Vec<Referrer>> {
    referrers::of(&Client::of(reference, config)?, digest).await
}
