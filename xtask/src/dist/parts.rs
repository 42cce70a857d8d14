//! Parts of a release: our packages, crates and npm packages.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use cargo_metadata::{DependencyKind, Metadata, Package, PackageId};
use serde_json::Value;

use crate::command::{cargo, line};
use crate::workspace::{self, Kind, Workspace};
use crate::{components, page};

/// A package that is part of the release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) name: String,
    pub(super) version: String,
    /// The licence, as an SPDX expression.
    pub(super) licence: String,
    /// Author and homepage from its manifest.
    pub(super) author: String,
    /// Folder of its files.
    pub(super) folder: PathBuf,
    pub(super) origin: Origin,
    /// The ids of those that it is built from.
    pub(super) needs: BTreeSet<String>,
}

/// Origin of a part, with its digest in the lock file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Origin {
    Ours,
    Cargo(Option<String>),
    Npm,
}

/// Parts by id: package URLs, or `madoguchi:` for ours.
pub(super) struct Parts(pub(super) BTreeMap<String, Part>);

impl Part {
    /// Its id in release documents.
    pub(super) fn id(&self) -> String {
        let (name, version) = (&self.name, &self.version);
        match self.origin {
            Origin::Ours => format!("madoguchi:{name}@{version}"),
            Origin::Cargo(_) => format!("pkg:cargo/{name}@{version}"),
            Origin::Npm => format!("pkg:npm/{}@{version}", name.replacen('@', "%40", 1)),
        }
    }
}

impl Parts {
    /// Collects parts of the programs for `target`, components and page.
    pub(super) fn collect(workspace: &Workspace, target: &str) -> Result<Self> {
        let mut parts = BTreeMap::new();
        let builds = [
            (workspace.shipping(), target),
            (workspace.named(&[Kind::Component]), components::TARGET),
            (workspace.named(&[Kind::Page]), page::TARGET),
        ];
        let digests = digests(&workspace.root)?;
        for (roots, target) in builds {
            let mut metadata = cargo();
            metadata.args(["metadata", "--format-version", "1", "--locked"]);
            metadata.args(["--filter-platform", target]).current_dir(&workspace.root);
            let metadata = workspace::answer(&mut metadata)?;
            let built = built(&workspace.root, &roots, target)?;
            for (id, part) in collect(&metadata, &built, &digests)? {
                // A crate may be built from more for one target than for another.
                let entry: &mut Part = parts.entry(id).or_insert_with(|| part.clone());
                entry.needs.extend(part.needs);
            }
        }
        let npm = npm(&workspace.root)?;
        parts.extend(npm.into_iter().map(|part| (part.id(), part)));
        Ok(Self(parts))
    }

    /// Parts of third parties.
    pub(super) fn of_others(&self) -> impl Iterator<Item = &Part> {
        self.0.values().filter(|part| part.origin != Origin::Ours)
    }
}

/// Names and versions compiled into `roots`. Cargo's metadata merges features of all packages; this has those of one
/// build, without macros and build dependencies.
fn built(root: &Path, roots: &[&str], target: &str) -> Result<BTreeSet<(String, String)>> {
    let mut tree = cargo();
    tree.args(["tree", "--locked", "--edges", "normal,no-proc-macro", "--prefix", "none"]);
    tree.args(["--format", "{p}", "--target", target]).current_dir(root);
    for name in roots {
        tree.args(["--package", name]);
    }
    let output = tree.output().with_context(|| format!("starting {}", line(&tree)))?;
    let text = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{}: {text}", line(&tree));
    Ok(String::from_utf8(output.stdout)?.lines().filter_map(named).collect())
}

/// `serde v1.0.0 (folder or remark)`.
fn named(line: &str) -> Option<(String, String)> {
    let mut words = line.split_whitespace();
    let name = words.next()?.to_owned();
    Some((name, words.next()?.strip_prefix('v')?.to_owned()))
}

fn collect(
    metadata: &Metadata,
    built: &BTreeSet<(String, String)>,
    digests: &BTreeMap<(String, String), String>,
) -> Result<BTreeMap<String, Part>> {
    let key = |package: &Package| (package.name.to_string(), package.version.to_string());
    let mut parts = BTreeMap::<&PackageId, Part>::new();
    for package in metadata.packages.iter().filter(|package| built.contains(&key(package))) {
        let (name, version) = key(package);
        let folder = package.manifest_path.parent().context("a manifest lies in a folder")?;
        let origin = match &package.source {
            Some(_) => Origin::Cargo(digests.get(&key(package)).cloned()),
            None => Origin::Ours,
        };
        // `/` is the old way to say `OR`.
        let licence = package.license.clone().unwrap_or_default().replace('/', " OR ");
        let folder = folder.as_std_path().to_owned();
        let author = package.authors.iter().chain(&package.repository);
        let author = author.map(String::as_str).collect::<Vec<_>>().join(", ");
        let needs = BTreeSet::new();
        parts.insert(&package.id, Part { name, version, licence, author, folder, origin, needs });
    }
    let ids = parts.iter().map(|(id, part)| (*id, part.id())).collect::<BTreeMap<_, _>>();
    let resolve = metadata.resolve.as_ref().context("cargo metadata says who needs whom")?;
    for node in &resolve.nodes {
        let Some(part) = parts.get_mut(&node.id) else { continue };
        for dependency in &node.deps {
            let is_normal = |it: &cargo_metadata::DepKindInfo| it.kind == DependencyKind::Normal;
            if dependency.dep_kinds.iter().any(is_normal) {
                part.needs.extend(ids.get(&dependency.pkg).cloned());
            }
        }
    }
    Ok(parts.into_values().map(|part| (part.id(), part)).collect())
}

/// The digests of crates, as Cargo.lock has them.
fn digests(root: &Path) -> Result<BTreeMap<(String, String), String>> {
    let lock = fs::read_to_string(root.join("Cargo.lock")).context("reading Cargo.lock")?;
    let lock: toml::Table = lock.parse().context("Cargo.lock")?;
    let packages = lock.get("package").and_then(|it| it.as_array()).into_iter().flatten();
    let entry = |package: &toml::Value| {
        let field = |name: &str| Some(package.get(name)?.as_str()?.to_owned());
        Some(((field("name")?, field("version")?), field("checksum")?))
    };
    Ok(packages.filter_map(entry).collect())
}

/// npm packages of the page.
fn npm(root: &Path) -> Result<Vec<Part>> {
    let lock = fs::read(root.join("package-lock.json")).context("reading package-lock.json")?;
    let lock: Value = serde_json::from_slice(&lock).context("package-lock.json")?;
    let packages = lock["packages"].as_object().context("package-lock.json has packages")?;
    let shipped =
        packages.iter().filter(|(path, package)| !path.is_empty() && package["dev"] != true);
    let part = |(path, package): (&String, &Value)| {
        let name = path.rsplit("node_modules/").next()?.to_owned();
        let field = |name: &str| Some(package[name].as_str()?.to_owned());
        let (version, licence) = (field("version")?, field("license").unwrap_or_default());
        let (folder, author, needs) = (root.join(path), String::new(), BTreeSet::new());
        Some(Part { name, version, licence, author, folder, origin: Origin::Npm, needs })
    };
    shipped.map(part).collect::<Option<_>>().context("package-lock.json has versions")
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A part that others wrote.
    pub(in crate::dist) fn part(name: &str, licence: &str, folder: &Path) -> Part {
        Part {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            licence: licence.to_owned(),
            author: format!("{name}'s people"),
            folder: folder.to_owned(),
            origin: Origin::Cargo(Some("ab".to_owned())),
            needs: BTreeSet::new(),
        }
    }

    #[test]
    fn parses_crate_and_version_from_tree_lines() {
        let expected = Some(("host".to_owned(), "0.1.0".to_owned()));
        assert_eq!(named("host v0.1.0 (/tmp/host/server) (*)"), expected);
        assert_eq!(named(""), None);
    }

    #[test]
    fn npm_package_urls_include_their_scope() {
        let mut part = part("@scope/map", "MIT", Path::new("/"));
        part.origin = Origin::Npm;
        assert_eq!(part.id(), "pkg:npm/%40scope/map@1.0.0");
    }

    #[test]
    fn release_has_sandbox_and_map_but_no_test_crate() {
        let workspace = Workspace::load(workspace::Profile::Dist).unwrap();
        let parts = Parts::collect(&workspace, &crate::paths::rustc_fact("host").unwrap()).unwrap();
        let has = |name: &str| parts.0.values().any(|part| part.name == name);
        let wanted = ["madoguchi", "wasmtime", "wit-bindgen", "leptos", "leaflet", "argon2"];
        let missing = wanted.into_iter().filter(|name| !has(name)).collect::<Vec<_>>();
        assert_eq!(missing, Vec::<&str>::new());
        let surplus = ["tests", "fantoccini", "xtask", "axe-core", "serde_derive"];
        let surplus = surplus.into_iter().filter(|name| has(name)).collect::<Vec<_>>();
        assert_eq!(surplus, Vec::<&str>::new());
        let without = parts.0.values().filter(|part| part.licence.is_empty());
        assert_eq!(without.map(Part::id).collect::<Vec<_>>(), Vec::<String>::new());
        let unknown = parts.0.values().flat_map(|part| &part.needs);
        assert!(unknown.into_iter().all(|id| parts.0.contains_key(id)));
    }
}
