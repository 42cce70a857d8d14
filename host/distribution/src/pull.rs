//! Pulls a component: its manifest, its signatures and its bytes, each verified by digest (DIST-1). A package
//! `namespace:name@version` is located by its registry's `/.well-known/wasm-pkg/registry.json` (DIST-2).

use bytes::Bytes;
use reqwest::StatusCode;
use serde::Deserialize;

use crate::{
    Error, Result,
    client::{Client, refused},
    manifest::{self, CONFIG_BYTES_MAX, Manifest, WASM_CONFIG},
    reference::{Digest, Named, Package, Reference, is_repository},
    repository::{self, Referrer, blob, manifest},
    signatures::{self, Signed},
};
use base::config::{
    Config,
    registries::{is_authority, is_loopback},
};

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
        Named::Package(package) => locate(config, &package).await,
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
    let referrers = repository::referrers(&client, &manifest_digest).await?;
    let led = reference.via.iter().chain([&reference.host]).map(String::as_str);
    let requirements = config.requirements(name, led);
    let bundles = repository::bundles(&client, &manifest_digest, &referrers).await?;
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
    repository::referrers(&Client::for_repository(reference, config)?, digest).await
}

/// Path of registry metadata.
const PATH: &str = ".well-known/wasm-pkg/registry.json";
/// Bytes that this may have.
const BYTES_MAX: u64 = 64 << 10;

/// Registry metadata. The older form has the same fields beside `oci`.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Metadata {
    preferred_protocol: Option<String>,
    oci: Option<Oci>,
    oci_registry: Option<String>,
    oci_namespace_prefix: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Oci {
    registry: Option<String>,
    namespace_prefix: Option<String>,
}

/// Resolves `package` to a reference, by default to its newest version.
async fn locate(config: &Config, package: &Package) -> Result<Reference> {
    let Package { namespace, name, version } = package;
    let domain = config.packages.get(namespace).or_else(|| config.packages.get("*"));
    let domain = domain.ok_or_else(|| {
        Error(format!(
            "no registry is configured for the packages of {namespace}: {namespace} = \"HOST\" under [packages] names one, \"*\" = \"HOST\" that of all others"
        ))
    })?;
    let mut place = place(config, domain, package, metadata(config, domain).await?)?;
    let tag = match version {
        Some(version) => version.to_string(),
        None => {
            let versions = repository::tags(config, &place).await?;
            let final_ones = versions.iter().filter_map(|it| Some((repository::version(it)?, it)));
            let newest = final_ones.filter(|it| it.0.pre.is_empty()).max_by(|a, b| a.0.cmp(&b.0));
            let none =
                || Error(format!("{namespace}:{name} has no version; name one with @VERSION"));
            newest.ok_or_else(none)?.1.clone()
        }
    };
    place.tag = Some(tag);
    Ok(place)
}

/// Asks the registry at `domain` for the location of `package`.
fn place(
    config: &Config,
    domain: &str,
    Package { namespace, name, .. }: &Package,
    metadata: Metadata,
) -> Result<Reference> {
    if let Some(other) = metadata.preferred_protocol.filter(|it| it != "oci") {
        let what =
            format!("{domain} has its packages by {other:?}, and only \"oci\" is known here");
        return Err(Error(what));
    }
    let oci = metadata.oci.unwrap_or_default();
    let host = oci.registry.or(metadata.oci_registry).unwrap_or_else(|| domain.to_owned());
    let prefix = oci.namespace_prefix.or(metadata.oci_namespace_prefix).unwrap_or_default();
    // Some write the host with a path, which comes before all.
    let (host, path) = match host.split_once('/') {
        Some((host, path)) => (host.to_owned(), format!("{}/", path.trim_end_matches('/'))),
        None => (host, String::new()),
    };
    let repository = format!("{path}{prefix}{namespace}/{name}");
    if !is_authority(&host) || !is_repository(&repository) {
        return Err(Error(format!(
            "{domain} says that it lies at {host}/{repository}, which is no place"
        )));
    }
    // An address of its network is refused by itself, and this machine is not.
    if is_loopback(&host) && !is_loopback(domain) && !config.registries.contains_key(&host) {
        return Err(Error(format!(
            "{domain} says that it lies at {host}, which is this machine itself; [registries.{host:?}] lets it be"
        )));
    }
    let via = Some(domain.to_owned()).filter(|it| *it != host);
    Ok(Reference { host, repository, tag: Some("latest".to_owned()), digest: None, via })
}

async fn metadata(config: &Config, domain: &str) -> Result<Metadata> {
    let client = Client::new(domain, config)?;
    let url = client.url(PATH);
    let response = client.get(url.clone(), "application/json").await?;
    match response.status() {
        StatusCode::OK => {}
        // Without metadata, the registry has them itself.
        StatusCode::NOT_FOUND => return Ok(Metadata::default()),
        _ => return Err(client.failed(response).await),
    }
    let bytes = client.body(response, BYTES_MAX).await?;
    serde_json::from_slice(&bytes).map_err(|it| refused(&url, format!("it cannot be read: {it}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registry_mapping_applies_to_its_name_only() {
        let package =
            Package { namespace: "ann".to_owned(), name: "echo".to_owned(), version: None };
        let mut config = Config::defaults();
        let at = |config: &Config, domain: &str, registry: &str| {
            let oci = Oci { registry: Some(registry.to_owned()), namespace_prefix: None };
            place(config, domain, &package, Metadata { oci: Some(oci), ..Metadata::default() })
        };
        let there = at(&config, "packages.example", "other.example/all").unwrap();
        assert_eq!(there.to_string(), "oci://other.example/all/ann/echo:latest");
        assert_eq!(there.via.as_deref(), Some("packages.example"));
        assert_eq!(at(&config, "packages.example", "packages.example").unwrap().via, None);
        for here in ["127.0.0.1:5000", "localhost:5000", "[::1]:5000"] {
            assert!(at(&config, "packages.example", here).is_err(), "{here}");
            assert!(at(&config, "localhost:7000", here).is_ok(), "{here}");
        }
        config.registries.insert("localhost:5000".to_owned(), Default::default());
        assert!(at(&config, "packages.example", "localhost:5000").is_ok(), "it is configured");
    }

    #[test]
    fn requires_signatures_demanded_by_either_registry() {
        use base::config::{RegistryConfig, Requirement};
        let mut config = Config::defaults();
        let hosts = ["packages.example", "other.example"];
        let count = |config: &Config| config.requirements("echo", hosts).len();
        for (host, file, number) in
            [(hosts[0], "a.pem", 1), (hosts[1], "b.pem", 2), (hosts[1], "a.pem", 1)]
        {
            let require = Some(Requirement::Key(file.into()));
            let registry = RegistryConfig { require, ..RegistryConfig::default() };
            config.registries.insert(host.to_owned(), registry);
            assert_eq!(count(&config), number, "{host} {file}");
        }
    }
}
