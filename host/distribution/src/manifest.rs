//! Manifests, and the formats of components in registries: the CNCF's for wasm, and older ones with a single wasm
//! layer.

use std::collections::BTreeMap;

use base::source::FILE_BYTES_MAX;
use serde::{Deserialize, Serialize};
use wasmparser::{Encoding, Parser, Payload};

use crate::{Error, Result, reference::Digest};

/// A manifest of one thing.
pub const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
/// A list of manifests.
pub const INDEX: &str = "application/vnd.oci.image.index.v1+json";
/// Other lists and manifests, which are refused by their names.
pub(crate) const ACCEPTED: &str = "application/vnd.oci.image.manifest.v1+json, \
    application/vnd.oci.image.index.v1+json, application/vnd.docker.distribution.manifest.list.v2+json";
/// The configuration of a component.
pub const WASM_CONFIG: &str = "application/vnd.wasm.config.v0+json";
/// The bytes of a component.
pub const WASM_LAYER: &str = "application/wasm";
/// Older media types of the component layer.
const OLDER_LAYERS: [&str; 2] = [
    "application/vnd.wasm.content.layer.v1+wasm",
    "application/vnd.module.wasm.content.layer.v1+wasm",
];
/// Media type of an empty configuration.
pub(crate) const EMPTY: &str = "application/vnd.oci.empty.v1+json";
/// Annotation with the creation time (RFC 3339).
pub(crate) const CREATED: &str = "org.opencontainers.image.created";

/// Bytes that a manifest may have.
pub const MANIFEST_BYTES_MAX: u64 = 4 << 20;
/// Bytes that a configuration may have.
pub(crate) const CONFIG_BYTES_MAX: u64 = 1 << 20;
/// Layers that a manifest may have.
const LAYERS_MAX: usize = 64;

/// A content descriptor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Descriptor {
    /// Media type of the content.
    pub media_type: String,
    /// The SHA-256 of its bytes.
    pub digest: Digest,
    /// Size in bytes.
    pub size: u64,
    /// Artifact type of a manifest in an index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_type: Option<String>,
    /// Annotations by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
    /// Platform that it runs on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub platform: Option<Platform>,
}

/// Platform of a manifest in an index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Platform {
    /// The processor.
    pub architecture: String,
    /// The system.
    pub os: String,
}

/// A manifest of one thing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// 2.
    pub schema_version: u32,
    /// [`MANIFEST`], if present.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// Artifact type, if the configuration has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_type: Option<String>,
    /// Its configuration.
    pub config: Descriptor,
    /// Layers, one of which is the component.
    pub layers: Vec<Descriptor>,
    /// The manifest that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<Descriptor>,
    /// Annotations of the manifest, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
}

/// A list of manifests.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Index {
    pub(crate) schema_version: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) media_type: Option<String>,
    pub(crate) manifests: Vec<Descriptor>,
}

/// Configuration of a component.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WasmConfig {
    created: Option<String>,
    architecture: String,
    os: String,
    layer_digests: Vec<Digest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    component: Option<ComponentInfo>,
}

/// Imports and exports of a component.
#[derive(Debug, Serialize, Deserialize)]
struct ComponentInfo {
    exports: Vec<String>,
    imports: Vec<String>,
}

impl Manifest {
    /// The manifest in `bytes`, which came as `media_type`.
    ///
    /// # Errors
    /// If it is another manifest or an index.
    pub(crate) fn read(media_type: &str, bytes: &[u8]) -> Result<Self> {
        let wrong = Error;
        if media_type == INDEX || media_type.contains("manifest.list") {
            let index: Index = serde_json::from_slice(bytes).map_err(|it| wrong(it.to_string()))?;
            let named = index.manifests.iter().take(16).map(|entry| match &entry.platform {
                Some(platform) => {
                    format!("{}/{} {}", platform.os, platform.architecture, entry.digest)
                }
                None => entry.digest.to_string(),
            });
            let named: Vec<_> = named.collect();
            return Err(wrong(format!(
                "it is a list of several, of which one has to be named by its digest: {}",
                named.join(", ")
            )));
        }
        if media_type != MANIFEST {
            return Err(wrong(format!("it is {media_type:?}, and {MANIFEST} is needed")));
        }
        let manifest: Self = serde_json::from_slice(bytes).map_err(|it| wrong(it.to_string()))?;
        if manifest.schema_version != 2 {
            return Err(wrong(format!("its schemaVersion is {}, not 2", manifest.schema_version)));
        }
        if let Some(named) = manifest.media_type.as_ref().filter(|it| *it != MANIFEST) {
            return Err(wrong(format!("it came as a manifest, and says that it is {named:?}")));
        }
        match manifest.layers.len() {
            0..=LAYERS_MAX => Ok(manifest),
            more => Err(wrong(format!("it has {more} layers; {LAYERS_MAX} is the most"))),
        }
    }

    /// The layer with the component, and the other layers, which are not read.
    ///
    /// # Errors
    /// If there is not exactly one, or it is too large.
    pub(crate) fn component(&self) -> Result<(&Descriptor, Vec<&Descriptor>)> {
        let is_wasm = |layer: &&Descriptor| {
            layer.media_type == WASM_LAYER || OLDER_LAYERS.contains(&layer.media_type.as_str())
        };
        let (wasm, beside): (Vec<_>, Vec<_>) = self.layers.iter().partition(is_wasm);
        let [layer] = wasm[..] else {
            let types: Vec<_> = self.layers.iter().map(|it| it.media_type.as_str()).collect();
            return Err(Error(format!(
                "one layer of {WASM_LAYER} is needed, and it has {}: {}",
                wasm.len(),
                types.join(", ")
            )));
        };
        if layer.size > FILE_BYTES_MAX {
            return Err(Error(format!(
                "{} bytes; a component may have {FILE_BYTES_MAX}",
                layer.size
            )));
        }
        Ok((layer, beside))
    }

    /// Declared creation time.
    pub(crate) fn created(&self) -> Option<String> {
        self.annotations.get(CREATED).cloned()
    }
}

/// Checks a component's configuration against its layer. Returns the creation time, if any.
///
/// # Errors
/// If it describes something else.
pub(crate) fn read_config(bytes: &[u8], layer: &Digest) -> Result<Option<String>> {
    let wrong = |what: String| Error(format!("its configuration: {what}"));
    let config: WasmConfig = serde_json::from_slice(bytes).map_err(|it| wrong(it.to_string()))?;
    if config.architecture != "wasm" {
        return Err(wrong(format!("architecture is {:?}, not \"wasm\"", config.architecture)));
    }
    if config.os == "wasip1" {
        return Err(wrong("os is \"wasip1\": a module and no component".to_owned()));
    }
    match config.layer_digests.as_slice() {
        [digest] if digest == layer => Ok(config.created),
        _ => Err(wrong("layerDigests are not those of the manifest's layers".to_owned())),
    }
}

/// Rejects bytes that are no component.
///
/// # Errors
/// If it is a module or no wasm.
pub fn check_component(bytes: &[u8]) -> Result<()> {
    match Parser::new(0).parse_all(bytes).next() {
        Some(Ok(Payload::Version { encoding: Encoding::Component, .. })) => Ok(()),
        Some(Ok(Payload::Version { .. })) => {
            Err(Error("it is a core module and no component".to_owned()))
        }
        _ => Err(Error("it is no WebAssembly".to_owned())),
    }
}

/// The configuration of a component of these bytes.
pub(crate) fn config(bytes: &[u8], created: &str) -> Vec<u8> {
    let (mut imports, mut exports) = (Vec::new(), Vec::new());
    let mut depth = 0;
    for payload in Parser::new(0).parse_all(bytes).map_while(Result::ok) {
        match payload {
            Payload::ComponentSection { .. } | Payload::ModuleSection { .. } => depth += 1,
            Payload::End(_) if depth > 0 => depth -= 1,
            Payload::ComponentImportSection(all) if depth == 0 => {
                imports.extend(all.into_iter().flatten().map(|it| it.name.name.to_owned()));
            }
            Payload::ComponentExportSection(all) if depth == 0 => {
                exports.extend(all.into_iter().flatten().map(|it| it.name.name.to_owned()));
            }
            _ => {}
        }
    }
    let config = WasmConfig {
        created: Some(created.to_owned()),
        architecture: "wasm".to_owned(),
        os: "wasip2".to_owned(),
        layer_digests: vec![Digest::of_bytes(bytes)],
        component: Some(ComponentInfo { exports, imports }),
    };
    serde_json::to_vec(&config).unwrap_or_default()
}

impl Descriptor {
    /// The descriptor of `bytes`.
    pub(crate) fn from_bytes(media_type: &str, bytes: &[u8]) -> Self {
        Self {
            media_type: media_type.to_owned(),
            digest: Digest::of_bytes(bytes),
            size: bytes.len() as u64,
            artifact_type: None,
            annotations: BTreeMap::new(),
            platform: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(layers: &[&str]) -> Manifest {
        Manifest {
            schema_version: 2,
            media_type: Some(MANIFEST.to_owned()),
            artifact_type: None,
            config: Descriptor::from_bytes(WASM_CONFIG, b"{}"),
            layers: layers.iter().map(|it| Descriptor::from_bytes(it, it.as_bytes())).collect(),
            subject: None,
            annotations: BTreeMap::new(),
        }
    }

    #[test]
    fn finds_component_layer_in_each_known_form() {
        for form in [WASM_LAYER, OLDER_LAYERS[0], OLDER_LAYERS[1]] {
            let manifest_json = manifest(&[form, "text/plain"]);
            let (layer, beside) = manifest_json.component().unwrap();
            assert_eq!((layer.media_type.as_str(), beside.len()), (form, 1));
        }
        for wrong in [&[][..], &["text/plain"], &[WASM_LAYER, WASM_LAYER]] {
            assert!(manifest(wrong).component().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn rejects_index_and_lists_its_entries() {
        let mut linux = Descriptor::from_bytes(MANIFEST, b"a");
        linux.platform =
            Some(Platform { architecture: "amd64".to_owned(), os: "linux".to_owned() });
        let index = Index { schema_version: 2, media_type: None, manifests: vec![linux.clone()] };
        let bytes = serde_json::to_vec(&index).unwrap();
        let error = Manifest::read(INDEX, &bytes).unwrap_err().to_string();
        assert!(error.contains("linux/amd64") && error.contains(linux.digest.digits()), "{error}");
    }

    #[test]
    fn rejects_manifest_with_another_media_type() {
        let mut manifest_json = manifest(&[WASM_LAYER]);
        manifest_json.media_type = Some(INDEX.to_owned());
        let bytes = serde_json::to_vec(&manifest_json).unwrap();
        assert!(Manifest::read(MANIFEST, &bytes).is_err());
        assert!(Manifest::read("text/html", &bytes).is_err());
    }

    #[test]
    fn configuration_matches_its_layer_and_a_component() {
        let component = b"\0asm\x0d\0\x01\0";
        assert!(check_component(component).is_ok());
        assert!(check_component(b"\0asm\x01\0\0\0").unwrap_err().to_string().contains("module"));
        assert!(check_component(b"#!/bin/sh").is_err());
        let config = config(component, "2026-01-01T00:00:00Z");
        let created = read_config(&config, &Digest::of_bytes(component)).unwrap();
        assert_eq!(created.as_deref(), Some("2026-01-01T00:00:00Z"));
        assert!(read_config(&config, &Digest::of_bytes(b"")).is_err());
        let module = String::from_utf8(config).unwrap().replace("wasip2", "wasip1");
        assert!(read_config(module.as_bytes(), &Digest::of_bytes(component)).is_err());
    }
}
