//! Where a package `namespace:name@version` lies, as its registry says in `/.well-known/wasm-pkg/registry.json`
//! (DIST-2).

use base::config::Config;
use reqwest::StatusCode;
use serde::Deserialize;

use crate::{
    Error, Result,
    client::{Client, refused},
    reference::{Package, Reference, is_repository},
    tags,
};

/// Where a registry says where its packages lie.
const PATH: &str = ".well-known/wasm-pkg/registry.json";
/// Bytes that this may have.
const BYTES_MAX: u64 = 64 << 10;

/// What a registry says; the older form has the same beside `oci`.
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

/// The place of `package`, whose newest version is taken where none is named.
pub(crate) async fn resolve(config: &Config, package: &Package) -> Result<Reference> {
    let Package { namespace, name, version } = package;
    let domain = config.packages.get(namespace).or_else(|| config.packages.get("*"));
    let domain = domain.ok_or_else(|| {
        Error::Refused(format!(
            "no registry is configured for the packages of {namespace}: {namespace} = \"HOST\" under [packages] names one, \"*\" = \"HOST\" that of all others"
        ))
    })?;
    let metadata = metadata(config, domain).await?;
    if let Some(other) = metadata.preferred_protocol.filter(|it| it != "oci") {
        let what =
            format!("{domain} has its packages by {other:?}, and only \"oci\" is known here");
        return Err(Error::Refused(what));
    }
    let oci = metadata.oci.unwrap_or_default();
    let host = oci.registry.or(metadata.oci_registry).unwrap_or_else(|| domain.clone());
    let prefix = oci.namespace_prefix.or(metadata.oci_namespace_prefix).unwrap_or_default();
    // Some write the host with a path, which comes before all.
    let (host, path) = match host.split_once('/') {
        Some((host, path)) => (host.to_owned(), format!("{}/", path.trim_end_matches('/'))),
        None => (host, String::new()),
    };
    let repository = format!("{path}{prefix}{namespace}/{name}");
    if !base::config::registries::is_authority(&host) || !is_repository(&repository) {
        return Err(Error::Refused(format!(
            "{domain} says that it lies at {host}/{repository}, which is no place"
        )));
    }
    let mut place = Reference { host, repository, tag: Some("latest".to_owned()), digest: None };
    let tag = match version {
        Some(version) => version.to_string(),
        None => {
            let versions = tags::list(config, &place).await?;
            let final_ones = versions.iter().filter_map(|it| Some((tags::version(it)?, it)));
            let newest = final_ones.filter(|it| it.0.pre.is_empty()).max_by(|a, b| a.0.cmp(&b.0));
            let none = || {
                Error::Refused(format!("{namespace}:{name} has no version; name one with @VERSION"))
            };
            newest.ok_or_else(none)?.1.clone()
        }
    };
    place.tag = Some(tag);
    Ok(place)
}

async fn metadata(config: &Config, domain: &str) -> Result<Metadata> {
    let client = Client::new(domain, config)?;
    let url = client.url(PATH);
    let response = client.get(url.clone(), "application/json", "").await?;
    match response.status() {
        StatusCode::OK => {}
        // One that says nothing has them itself.
        StatusCode::NOT_FOUND => return Ok(Metadata::default()),
        _ => return Err(client.failed(response).await),
    }
    let bytes = client.body(response, BYTES_MAX).await?;
    serde_json::from_slice(&bytes).map_err(|it| refused(&url, format!("it cannot be read: {it}")))
}
