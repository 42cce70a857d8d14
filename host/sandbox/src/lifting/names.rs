//! Names of lifted functions as tools, and their documentation from the section `package-docs`, written by WIT tools.

use std::collections::BTreeMap;

use serde_json::Value;
use wasmparser::{Parser, Payload};

use super::LeftOut;

/// Export location of a function.
pub(super) struct Origin {
    /// `NAMESPACE:PACKAGE/INTERFACE@VERSION`, or a plain name; none at the root.
    pub(super) interface: Option<String>,
    pub(super) function: String,
}

/// Parts of the interface name used in the tool name.
#[derive(Clone, Copy)]
enum Detail {
    Interface,
    Package,
    Version,
}

impl Origin {
    fn name(&self, detail: Detail) -> String {
        let Some(whole) = &self.interface else { return fitting(&self.function) };
        let (path, version) = whole.split_once('@').unwrap_or((whole, ""));
        let (package, interface) = path.rsplit_once('/').unwrap_or(("", path));
        let function = &self.function;
        fitting(&match detail {
            _ if package.is_empty() => format!("{interface}_{function}"),
            Detail::Interface => format!("{interface}_{function}"),
            Detail::Package => format!("{package}_{interface}_{function}"),
            Detail::Version => format!("{package}_{interface}_{version}_{function}"),
        })
    }

    /// Export name.
    fn export(&self) -> String {
        match &self.interface {
            Some(interface) => format!("{interface}#{}", self.function),
            None => self.function.clone(),
        }
    }

    /// Default description.
    pub(super) fn described(&self) -> String {
        match &self.interface {
            Some(interface) => format!("The function {} of {interface}.", self.function),
            None => format!("The function {}.", self.function),
        }
    }

    pub(super) fn left_out(&self, why: &str) -> LeftOut {
        LeftOut { function: self.export(), why: why.to_owned() }
    }
}

/// The names of the functions from there, in their order.
pub(super) fn shortest_unique(origins: &[&Origin]) -> Vec<String> {
    let mut names: Vec<_> = origins.iter().map(|it| it.name(Detail::Interface)).collect();
    for detail in [Detail::Package, Detail::Version] {
        let mut times = BTreeMap::<_, usize>::new();
        names.iter().for_each(|it| *times.entry(it.clone()).or_default() += 1);
        for (name, origin) in names.iter_mut().zip(origins) {
            if times.get(name).is_some_and(|it| *it > 1) {
                *name = origin.name(detail);
            }
        }
    }
    names
}

/// Replaces characters that tool names may not have.
fn fitting(name: &str) -> String {
    let fits = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '.' | '-');
    name.chars().map(|it| if fits(it) { it } else { '_' }).collect()
}

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

    fn named(origins: &[(&str, &str)]) -> Vec<String> {
        let origin = |(interface, function): &(&str, &str)| Origin {
            interface: (!interface.is_empty()).then(|| (*interface).to_owned()),
            function: (*function).to_owned(),
        };
        let origins: Vec<_> = origins.iter().map(origin).collect();
        shortest_unique(&origins.iter().collect::<Vec<_>>())
    }

    #[test]
    fn name_is_shortest_unique_interface_and_function() {
        assert_eq!(
            named(&[
                ("", "add"),
                ("example:text/words@0.1.0", "count-all"),
                ("plain", "count-all"),
                ("a:b/words-count", "all"),
            ]),
            ["add", "words_count-all", "plain_count-all", "words-count_all"]
        );
    }

    #[test]
    fn distinguishes_same_interface_by_package_and_version() {
        assert_eq!(
            named(&[("a:x/i", "f"), ("b:x/i", "f"), ("b:x/i", "g")]),
            ["a_x_i_f", "b_x_i_f", "i_g"]
        );
        assert_eq!(
            named(&[("a:x/i@1.0.0", "f"), ("a:x/i@2.0.0", "f")]),
            ["a_x_i_1.0.0_f", "a_x_i_2.0.0_f"]
        );
    }

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
