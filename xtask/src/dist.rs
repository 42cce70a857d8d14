//! The task `cargo xtask dist` builds the release archive, reproducible from its commit.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use flate2::{Compression, GzBuilder};
use sha2::{Digest, Sha256};
use tar::{Builder, EntryType, Header};

use crate::command::{cargo, check, line};
use crate::files::{paths_below, write_if_changed};
use crate::paths::{Names, rustc_fact};
use crate::step::Steps;
use crate::workspace::{PROGRAM, Workspace};
use crate::{components, page, setup};

mod licences;
mod parts;

use parts::Parts;

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
    archive.file("THIRD-PARTY.txt".to_owned(), licences::text(release, &parts)?.into_bytes());
    archive.file("sbom.cdx.json".to_owned(), licences::json(release, &parts)?.into_bytes());
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

#[cfg(test)]
mod tests {
    use std::io::Read;

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
}
