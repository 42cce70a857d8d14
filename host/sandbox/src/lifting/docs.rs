//! Reads documentation of functions from the section `package-docs`, written by WIT tools.

use std::collections::BTreeMap;

use serde_json::Value;
use wasmparser::{Parser, Payload};

/// The section's name, the versions of it that are read, and the bytes that it may have.
const SECTION: &str = "package-docs";
const VERSIONS: [u8; 2] = [0, 1];
const BYTES_MAX: usize = 1 << 20;

/// The text of each function that has one, by the interface that it is in.
#[derive(Clone, Debug, Default)]
pub struct Docs(BTreeMap<(Option<String>, String), String>);

impl Docs {
    /// Reads documentation of `component`, empty if unreadable.
    pub fn extract(component: &[u8]) -> Self {
        let mut docs = Self::default();
        for payload in Parser::new(0).parse_all(component) {
            let Ok(Payload::CustomSection(section)) = payload else { continue };
            if section.name() != SECTION || section.data().len() > BYTES_MAX {
                continue;
            }
            let Some((version, json)) = section.data().split_first() else { continue };
            if VERSIONS.contains(version)
                && let Ok(package) = serde_json::from_slice(json)
            {
                docs.read(&package);
            }
        }
        docs
    }

    fn read(&mut self, package: &Value) {
        let members = |it: &Value, key: &str| it[key].as_object().cloned().unwrap_or_default();
        for (name, interface) in members(package, "interfaces") {
            self.functions(Some(&name), &interface["funcs"]);
        }
        for world in members(package, "worlds").values() {
            for exports in ["interface_exports", "interfaces"] {
                for (name, interface) in members(world, exports) {
                    self.functions(Some(&name), &interface["funcs"]);
                }
            }
            self.functions(None, &world["func_exports"]);
            self.functions(None, &world["funcs"]);
        }
    }

    fn functions(&mut self, interface: Option<&str>, functions: &Value) {
        for (name, entry) in functions.as_object().into_iter().flatten() {
            let text = entry.as_str().or_else(|| entry["docs"].as_str()).unwrap_or_default().trim();
            if !text.is_empty() {
                let key = (interface.map(str::to_owned), name.clone());
                self.0.entry(key).or_insert_with(|| text.to_owned());
            }
        }
    }

    /// Documentation of a function in an interface or at the root.
    pub(super) fn of_function(&self, interface: Option<&str>, function: &str) -> Option<&str> {
        let plain = interface.map(|name| {
            let path = name.split('@').next().unwrap_or(name);
            path.rsplit('/').next().unwrap_or(path).to_owned()
        });
        self.0.get(&(plain, function.to_owned())).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn component(data: &[u8]) -> Vec<u8> {
        let length = 1 + SECTION.len() + data.len();
        let mut bytes = b"\0asm\x0d\0\x01\0\0".to_vec();
        bytes.extend([(length & 0x7f) as u8 | 0x80, (length >> 7) as u8, SECTION.len() as u8]);
        bytes.extend(SECTION.as_bytes());
        bytes.extend(data);
        bytes
    }

    #[test]
    fn reads_docs_of_functions_in_interfaces_and_root() {
        let json = br#"{"interfaces":{"words":{"docs":"i","funcs":{"count":{"docs":" Counts. "}}}},
            "worlds":{"w":{"func_exports":{"add":"Adds."},
                "interface_exports":{"own":{"funcs":{"go":{"docs":"Goes."},"dumb":{}}}}}}}"#;
        let docs = Docs::extract(&component(&[&b"\x01"[..], json].concat()));
        assert_eq!(docs.of_function(Some("a:b/words@1.0.0"), "count"), Some("Counts."));
        assert_eq!(docs.of_function(None, "add"), Some("Adds."));
        assert_eq!(docs.of_function(Some("own"), "go"), Some("Goes."));
        assert_eq!(docs.of_function(Some("own"), "dumb"), None);
        assert_eq!(docs.of_function(None, "count"), None);
    }

    #[test]
    fn ignores_unreadable_docs_section() {
        for data in [&b""[..], b"\x01", b"\x01[]", b"\x07{}", b"\x01{\"interfaces\":7}"] {
            assert!(Docs::extract(&component(data)).0.is_empty(), "{data:?}");
        }
    }
}
