//! The task `cargo xtask dist` builds the release archive, reproducible from its commit.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};
use cargo_metadata::{DependencyKind, Metadata, Package, PackageId};
use flate2::{Compression, GzBuilder};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use tar::{Builder, EntryType, Header};

use crate::{
    command::{cargo, check, line},
    components,
    files::{paths_below, write_if_changed},
    page,
    paths::{Names, rustc_fact},
    setup,
    step::Steps,
    workspace::{self, Kind, PROGRAM, Workspace},
};

/// Files that a package of a distribution wants, and where they lie in the archive.
const PACKAGING: [(&str, &str); 2] = [
    ("host/program/packaging/madoguchi.service", "systemd/madoguchi.service"),
    ("host/program/packaging/madoguchi.env", "systemd/madoguchi.env"),
];
/// Documents in the archive, among which links work.
const DOCUMENTS: [&str; 6] =
    ["README.md", "ARCHITECTURE.md", "BENCHMARKS.md", "CHANGELOG.md", "LICENSE", ".github/"];
/// Folders with further documents (`.md`).
const ROOMS: [&str; 2] = ["docs/", "components/"];

/// Inputs of a release.
pub(crate) struct Release {
    pub(crate) version: String,
    pub(crate) target: String,
    /// Compiler version.
    pub(crate) rustc: String,
    /// Commit time in seconds, used for all files of the archive.
    pub(crate) time: u64,
}

/// Builds everything, then packs it.
pub(crate) fn dist(workspace: &Workspace) -> Result<()> {
    let release = Release::new(workspace)?;
    let steps = Steps::new(5);
    steps.run("set-up", &[], || setup::for_running(workspace));
    steps.run("components", &["set-up"], || components::shipped(workspace));
    steps.run("page", &["set-up"], || page::build(workspace));
    steps.run("programs", &["components", "page"], || programs(workspace, &release.target));
    steps.run("archive", &["programs"], || pack(workspace, &release));
    steps.finish()
}

impl Release {
    fn new(workspace: &Workspace) -> Result<Self> {
        let program = workspace.packages.iter().find(|package| package.name == PROGRAM);
        Ok(Self {
            version: program.context("the workspace has the program")?.version.clone(),
            target: rustc_fact("host")?,
            rustc: format!("{} ({})", rustc_fact("release")?, rustc_fact("commit-hash")?),
            time: time(&workspace.root)?,
        })
    }

    /// The archive's name without its ending, and the folder that is in it.
    fn name(&self) -> String {
        format!("{PROGRAM}-{}-{}", self.version, self.target)
    }
}

/// `SOURCE_DATE_EPOCH`, or when the commit was made.
fn time(root: &Path) -> Result<u64> {
    let seconds = std::env::var("SOURCE_DATE_EPOCH").ok().filter(|seconds| !seconds.is_empty());
    let seconds = match seconds {
        Some(epoch) => epoch,
        None => git(root, &["log", "-1", "--format=%ct"])
            .context("without git, SOURCE_DATE_EPOCH says when the source was made")?,
    };
    let seconds = seconds.trim();
    seconds.parse().with_context(|| format!("`{seconds}` is no number of seconds"))
}

/// Builds the host and commands of tools only. Tests would add features.
fn programs(workspace: &Workspace, target: &str) -> Result<String> {
    let mut build = cargo();
    build.args(["build", "--locked", "--profile", workspace.profile.name(), "--target", target]);
    build.args(workspace.programs()).current_dir(&workspace.root);
    for package in workspace.shipping() {
        build.args(["--package", package]);
    }
    Names::collect(workspace)?.give(&mut build, target);
    check(&mut build)?;
    let sizes = files(workspace, target).into_iter().map(|file| {
        let bytes = fs::metadata(&file).with_context(|| format!("reading {}", file.display()))?;
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(format!("{name} {} kB", bytes.len() / 1000))
    });
    Ok(sizes.collect::<Result<Vec<_>>>()?.join(", "))
}

/// The programs that were built.
fn files(workspace: &Workspace, target: &str) -> Vec<PathBuf> {
    let folder = workspace.target.join(target).join(workspace.profile.name());
    let names = std::iter::once(PROGRAM).chain(workspace.commands());
    names.map(|name| folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX))).collect()
}

fn pack(workspace: &Workspace, release: &Release) -> Result<String> {
    let root = &workspace.root;
    let read = |path: &Path| fs::read(path).with_context(|| format!("reading {}", path.display()));
    let mut archive = Archive::new(release.name());
    for file in files(workspace, &release.target) {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        archive.program(format!("bin/{name}"), read(&file)?);
    }
    let tracked = tracked(root)?;
    for path in tracked.iter().filter(|path| is_document(path)) {
        archive.file(path.clone(), read(&root.join(path))?);
    }
    for (from, to) in PACKAGING {
        archive.file(to.to_owned(), read(&root.join(from))?);
    }
    let parts = Parts::collect(workspace, &release.target)?;
    archive.file("THIRD-PARTY.txt".to_owned(), text(release, &parts)?.into_bytes());
    archive.file("sbom.cdx.json".to_owned(), json(release, &parts)?.into_bytes());
    let folder = workspace.root.join("target/archives");
    let packed = archive.gzip(release.time)?;
    let name = format!("{}.tar.gz", release.name());
    let digest = sha256(&packed);
    write_if_changed(&folder.join(&name), &packed)?;
    write_if_changed(
        &folder.join(format!("{name}.sha256")),
        format!("{digest}  {name}\n").as_bytes(),
    )?;
    let changed = git(root, &["status", "--porcelain"]).unwrap_or_default();
    let note = if changed.is_empty() { "" } else { "; the tree is not as it was committed" };
    let file = folder.join(name);
    Ok(format!("{} {} kB, sha256 {digest}{note}", file.display(), packed.len() / 1000))
}

fn is_document(path: &String) -> bool {
    let is_named = |name: &&str| {
        path == *name || name.ends_with('/') && path.starts_with(*name) && !path.ends_with(".yml")
    };
    DOCUMENTS.iter().any(is_named)
        || ROOMS.iter().any(|room| path.starts_with(room)) && path.ends_with(".md")
}

/// Files tracked by git, or without git those in document folders.
fn tracked(root: &Path) -> Result<Vec<String>> {
    if let Ok(listing) = git(root, &["ls-files"]) {
        return Ok(listing.lines().map(str::to_owned).collect());
    }
    let mut paths = Vec::new();
    for place in DOCUMENTS.iter().chain(&ROOMS) {
        match place.strip_suffix('/') {
            Some(folder) => {
                let inner = paths_below(&root.join(folder))?;
                paths.extend(inner.into_iter().map(|path| format!("{place}{path}")));
            }
            None => paths.push((*place).to_owned()),
        }
    }
    Ok(paths)
}

fn git(root: &Path, arguments: &[&str]) -> Result<String> {
    let mut git = Command::new("git");
    let output = git.args(arguments).current_dir(root).output().context("starting git")?;
    ensure!(output.status.success(), "`{}` ended with {}", line(&git), output.status);
    Ok(String::from_utf8(output.stdout)?)
}

const PROGRAM_MODE: u32 = 0o755;
const FILE_MODE: u32 = 0o644;

/// Files by their path, all of them in one folder.
struct Archive {
    folder: String,
    files: BTreeMap<String, (u32, Vec<u8>)>,
}

impl Archive {
    fn new(folder: String) -> Self {
        Self { folder, files: BTreeMap::new() }
    }

    /// A file that can be run.
    fn program(&mut self, path: String, bytes: Vec<u8>) {
        self.files.insert(path, (PROGRAM_MODE, bytes));
    }

    fn file(&mut self, path: String, bytes: Vec<u8>) {
        self.files.insert(path, (FILE_MODE, bytes));
    }

    /// Sorted, of one time, and of the user 0 without a name.
    fn gzip(&self, time: u64) -> Result<Vec<u8>> {
        // The header of gzip has a time as well, and the name of the system.
        let gzip = GzBuilder::new().mtime(0).operating_system(255);
        let mut tar = Builder::new(gzip.write(Vec::new(), Compression::best()));
        for (path, (mode, bytes)) in &self.files {
            let mut header = Header::new_gnu();
            header.set_entry_type(EntryType::Regular);
            header.set_mode(*mode);
            header.set_mtime(time);
            header.set_uid(0);
            header.set_gid(0);
            header.set_size(bytes.len().try_into()?);
            tar.append_data(&mut header, format!("{}/{path}", self.folder), bytes.as_slice())?;
        }
        Ok(tar.into_inner()?.finish()?)
    }
}

/// The SHA-256 of `bytes`, as `sha256sum` writes it.
fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

// Parts of a release: our packages, crates and npm packages.

/// A package that is part of the release.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Part {
    name: String,
    version: String,
    /// The licence, as an SPDX expression.
    licence: String,
    /// Author and homepage from its manifest.
    author: String,
    /// Folder of its files.
    folder: PathBuf,
    origin: Origin,
    /// The ids of those that it is built from.
    needs: BTreeSet<String>,
}

/// Origin of a part, with its digest in the lock file.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Origin {
    Ours,
    Cargo(Option<String>),
    Npm,
}

/// Parts by id: package URLs, or `madoguchi:` for ours.
struct Parts(pub(super) BTreeMap<String, Part>);

impl Part {
    /// Its id in release documents.
    fn id(&self) -> String {
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
    fn collect(workspace: &Workspace, target: &str) -> Result<Self> {
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
    fn of_others(&self) -> impl Iterator<Item = &Part> {
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

// What a release says of its parts: licences of dependencies, each text once, and the bill of materials in CycloneDX 1.6.

/// Name prefixes of licence and notice files.
const NAMES: [&str; 7] =
    ["AUTHORS", "COPYING", "COPYRIGHT", "LICENCE", "LICENSE", "NOTICE", "UNLICENSE"];
/// A folder that holds nothing else.
const FOLDER: &str = "LICENSES/";
/// Endings of files that are called so and are sources.
const SOURCES: [&str; 3] = ["rs", "py", "html"];
const RULE: &str =
    "--------------------------------------------------------------------------------";

/// Everything in one file: who, under which licence, and where below its texts are.
fn text(release: &Release, parts: &Parts) -> Result<String> {
    let mut numbers = BTreeMap::<String, usize>::new();
    let mut texts = Vec::<String>::new();
    let mut all = format!(
        "What others wrote and Madoguchi {} for {} carries.\n\n\
         All of it is built with rustc {};\n\
         its standard library is MIT OR Apache-2.0, by the Rust project.\n\
         Data has its sources in components/*/data/NOTICE.md.\n\
         Numbers are those of the texts below. What brings no text of its own is told with its authors.\n\n",
        release.version, release.target, release.rustc
    );
    for part in parts.of_others() {
        let mut found = Vec::new();
        for text in texts_of(part)? {
            let next = texts.len() + 1;
            // Line endings and indentation differ where the text is the same.
            let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let number = *numbers.entry(words).or_insert(next);
            if number == next {
                texts.push(text);
            }
            found.push(number);
        }
        found.sort_unstable();
        found.dedup();
        let listed = found.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let found = if found.is_empty() { part.author.clone() } else { format!("[{listed}]") };
        let line = format!("{} {}: {}  {found}", part.name, part.version, part.licence);
        writeln!(all, "{line}")?;
    }
    for (index, text) in texts.iter().enumerate() {
        write!(all, "\n{RULE}\n[{}]\n{RULE}\n\n{}\n", index + 1, text.trim_end())?;
    }
    Ok(all)
}

/// The texts that a part brings, sorted by the names of their files.
fn texts_of(part: &Part) -> Result<Vec<String>> {
    // Sources in C that a crate brings have a licence of their own, in their folder.
    let mut paths = paths_below(&part.folder)?;
    paths.retain(|path| path.starts_with(FOLDER) || is_licence(Path::new(path)));
    let read = |path: &String| {
        let path = part.folder.join(path);
        let bytes = fs::read(&path).with_context(|| format!("reading {}", path.display()))?;
        Ok(String::from_utf8_lossy(&bytes).replace("\r\n", "\n"))
    };
    paths.iter().map(read).collect()
}

fn is_licence(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    NAMES.iter().any(|begin| name.starts_with(begin)) && !SOURCES.contains(&ending.as_str())
}

/// The document for a release; the same parts give the same bytes.
fn json(release: &Release, parts: &Parts) -> Result<String> {
    let time = jiff::Timestamp::from_second(release.time.try_into()?)?.to_string();
    let is_program = |part: &&Part| part.origin == Origin::Ours && part.name == PROGRAM;
    let program = parts.0.values().find(is_program);
    let others = parts.0.values().filter(|part| !is_program(part));
    let edges = parts.0.iter().map(|(id, part)| json!({ "ref": id, "dependsOn": part.needs }));
    let document = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": time,
            "component": program.map(|part| component(part, "application")),
            "properties": [
                { "name": "madoguchi:target", "value": release.target },
                { "name": "madoguchi:rustc", "value": release.rustc },
            ],
        },
        "components": others.map(|part| component(part, "library")).collect::<Vec<_>>(),
        "dependencies": edges.collect::<Vec<_>>(),
    });
    Ok(format!("{}\n", serde_json::to_string_pretty(&document)?))
}

fn component(part: &Part, kind: &str) -> Value {
    let id = part.id();
    let mut component = Map::new();
    component.insert("type".to_owned(), kind.into());
    component.insert("bom-ref".to_owned(), id.as_str().into());
    component.insert("name".to_owned(), part.name.as_str().into());
    component.insert("version".to_owned(), part.version.as_str().into());
    if let Origin::Cargo(Some(digest)) = &part.origin {
        component.insert("hashes".to_owned(), json!([{ "alg": "SHA-256", "content": digest }]));
    }
    if !part.licence.is_empty() {
        component.insert("licenses".to_owned(), json!([{ "expression": part.licence }]));
    }
    if part.origin != Origin::Ours {
        component.insert("purl".to_owned(), id.into());
    }
    component.into()
}

#[cfg(test)]
mod tests {
    use std::{
        collections::{BTreeMap, BTreeSet},
        io::Read,
        path::Path,
    };

    use flate2::read::GzDecoder;

    use super::*;

    #[test]
    fn finds_same_documents_without_git() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let copy = std::env::temp_dir().join(format!("xtask-dist-{}", std::process::id()));
        let documents = |root: &Path| {
            let mut found = tracked(root).unwrap();
            found.retain(is_document);
            found.sort();
            found
        };
        let expected = documents(&root);
        for path in &expected {
            fs::create_dir_all(copy.join(path).parent().unwrap()).unwrap();
            fs::write(copy.join(path), "").unwrap();
        }
        assert_eq!(documents(&copy), expected);
        fs::remove_dir_all(copy).unwrap();
    }

    #[test]
    fn archive_has_documents_and_no_sources() {
        let has = |path: &str| is_document(&path.to_owned());
        assert!(has("README.md") && has("LICENSE") && has("docs/operating.md"));
        assert!(has("components/forms/data/NOTICE.md") && has(".github/screenshots/chat.png"));
        assert!(!has("docs/picture.rs") && !has("components/forms/src/lib.rs"));
        assert!(!has("tests/host/1-cinema.md") && !has(".github/workflows/release.yml"));
    }

    #[test]
    fn input_order_does_not_change_bytes() {
        let mut one = Archive::new("madoguchi-1".to_owned());
        one.program("bin/madoguchi".to_owned(), vec![1; 4000]);
        one.file("LICENSE".to_owned(), b"yours".to_vec());
        let mut other = Archive::new("madoguchi-1".to_owned());
        other.file("LICENSE".to_owned(), b"yours".to_vec());
        other.program("bin/madoguchi".to_owned(), vec![1; 4000]);
        let bytes = one.gzip(1_700_000_000).unwrap();
        assert_eq!(bytes, other.gzip(1_700_000_000).unwrap());
        assert_eq!(&bytes[4..8], [0; 4], "no time in the header of gzip");

        let mut tar = tar::Archive::new(GzDecoder::new(bytes.as_slice()));
        let mut found = Vec::new();
        for entry in tar.entries().unwrap() {
            let mut entry = entry.unwrap();
            let path = entry.path().unwrap().display().to_string();
            let (mode, time) = (entry.header().mode().unwrap(), entry.header().mtime().unwrap());
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            found.push((path, mode, time, bytes.len()));
        }
        let expected = [
            ("madoguchi-1/LICENSE".to_owned(), 0o644, 1_700_000_000, 5),
            ("madoguchi-1/bin/madoguchi".to_owned(), 0o755, 1_700_000_000, 4000),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn digests_match_sha256sum_format() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(sha256(b""), empty);
    }

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
        let parts = Parts::collect(&workspace, &rustc_fact("host").unwrap()).unwrap();
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

    #[test]
    fn shared_licence_text_is_written_once() {
        let folder = std::env::temp_dir().join(format!("xtask-licences-{}", std::process::id()));
        for (file, text) in [
            ("a/LICENSE-MIT", "Permission is\nhereby granted"),
            ("a/license.rs", "fn main() {}"),
            ("b/LICENSE", "Permission is\r\n  hereby granted"),
            ("b/c_src/NOTICE", "by b"),
        ] {
            let file = folder.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        fs::create_dir_all(folder.join("c")).unwrap();
        let parts = ["a", "b", "c"].map(|name| part(name, "MIT", &folder.join(name)));
        let parts = Parts(parts.map(|part| (part.id(), part)).into());
        let release = Release {
            version: "1".to_owned(),
            target: "t".to_owned(),
            rustc: "1.95.0".to_owned(),
            time: 0,
        };
        let text = text(&release, &parts).unwrap();
        assert!(
            text.contains("a 1.0.0: MIT  [1]\nb 1.0.0: MIT  [1, 2]\nc 1.0.0: MIT  c's people\n"),
            "{text}"
        );
        assert_eq!(text.matches("hereby granted").count(), 1, "{text}");
        assert!(!text.contains("fn main"), "{text}");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn document_has_parts_digests_licences_and_edges() {
        let crc = part("crc", "MIT OR Apache-2.0", Path::new("/"));
        let mut program = part(PROGRAM, "Apache-2.0", Path::new("/"));
        (program.origin, program.needs) = (Origin::Ours, BTreeSet::from([crc.id()]));
        let parts = Parts(BTreeMap::from([crc, program].map(|part| (part.id(), part))));
        let release = Release {
            version: "1.0.0".to_owned(),
            target: "t".to_owned(),
            rustc: "1.95.0".to_owned(),
            time: 1_700_000_000,
        };
        let document: Value = serde_json::from_str(&json(&release, &parts).unwrap()).unwrap();
        assert_eq!(document["metadata"]["timestamp"], "2023-11-14T22:13:20Z");
        assert_eq!(document["metadata"]["component"]["bom-ref"], "madoguchi:madoguchi@1.0.0");
        let expected = json!([{
            "type": "library",
            "bom-ref": "pkg:cargo/crc@1.0.0",
            "name": "crc",
            "version": "1.0.0",
            "hashes": [{ "alg": "SHA-256", "content": "ab" }],
            "licenses": [{ "expression": "MIT OR Apache-2.0" }],
            "purl": "pkg:cargo/crc@1.0.0",
        }]);
        assert_eq!(document["components"], expected);
        let edges = &document["dependencies"];
        assert_eq!(edges[0]["dependsOn"], json!(["pkg:cargo/crc@1.0.0"]));
    }
}
