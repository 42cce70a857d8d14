//! Finds the test steps that a change affects: from changed files through dependent packages to steps.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::{UNITS, step_of};
use crate::command::line;
use crate::conformance::FIXTURES;
use crate::workspace::{Kind, PROGRAM, Package, Workspace};

/// Base branches, of which the first existing one counts.
const BASES: [&str; 2] = ["main", "origin/main"];
/// Everything is built by these: the compiler, the versions of crates, the contract with components.
const EVERYTHING: [&str; 5] =
    [".cargo/", "Cargo.lock", "Cargo.toml", "rust-toolchain.toml", "wit/"];
/// Files that a package is built or tested with and that lie elsewhere.
const ELSEWHERE: [(&str, &[&str]); 7] = [
    (".npmrc", &["frontend"]),
    ("index.html", &["frontend"]),
    ("package-lock.json", &["frontend"]),
    ("package.json", &["frontend"]),
    // Pages and components draw the same roads.
    ("components/output/map/", &["tests"]),
    // A table of cases for all form readers.
    ("tests/forms/", &["output"]),
    ("tests/clients/", &["conformance"]),
];
/// The rings that look at the page.
const SEE_THE_PAGE: [&str; 2] = ["host", "protocol"];
/// The ring that looks at every file.
const HOUSE: &str = "house";

/// Affected packages.
pub(super) struct Reach {
    files: Vec<String>,
    /// The file by which everything is reached.
    everything: Option<String>,
    /// Packages, and by what each is reached: a file or a package that it stands on.
    packages: BTreeMap<String, String>,
    /// Rings that have a file of their own in the change.
    rings: BTreeMap<String, String>,
}

/// The files that differ from where HEAD left `base`, new ones and edits among them.
pub(super) fn files(root: &Path, base: Option<&str>) -> Result<Vec<String>> {
    let bases = base.map_or_else(|| BASES.to_vec(), |base| vec![base]);
    let parents = bases.iter().map(|base| git(root, &["merge-base", "HEAD", base]));
    let parent = parents.reduce(Result::or).context("there is a base")?;
    let parent =
        parent.with_context(|| format!("{} is no commit to count from", bases.join(", ")))?;
    let changed = git(root, &["diff", "--name-only", "--no-renames", parent.trim()])?;
    let new = git(root, &["ls-files", "--others", "--exclude-standard"])?;
    let files = changed.lines().chain(new.lines()).map(str::to_owned).collect::<BTreeSet<_>>();
    Ok(files.into_iter().collect())
}

fn git(root: &Path, arguments: &[&str]) -> Result<String> {
    let mut git = Command::new("git");
    // Names as they are, be they ASCII or not.
    git.args(["-c", "core.quotePath=false"]).args(arguments).current_dir(root);
    let output = git.output().context("starting git")?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "`{}`: {}", line(&git), errors.trim());
    Ok(String::from_utf8(output.stdout)?)
}

impl Reach {
    pub(super) fn from_changes(workspace: &Workspace, files: Vec<String>) -> Self {
        let is_below = |file: &str, place: &str| {
            file == place || place.ends_with('/') && file.starts_with(place)
        };
        let is_everything = |file: &&String| EVERYTHING.iter().any(|place| is_below(file, place));
        let everything = files.iter().find(is_everything).cloned();
        let mut packages = BTreeMap::new();
        let mut rings = BTreeMap::new();
        for file in &files {
            for (_, readers) in ELSEWHERE.iter().filter(|(place, _)| is_below(file, place)) {
                for reader in *readers {
                    packages.entry((*reader).to_owned()).or_insert_with(|| file.clone());
                }
            }
            let Some(package) = owner(workspace, file) else { continue };
            match ring(package, file) {
                Some(ring) => _ = rings.entry(ring).or_insert_with(|| file.clone()),
                None if is_document(file) => {}
                None => _ = packages.entry(package.name.clone()).or_insert_with(|| file.clone()),
            }
        }
        spread(workspace, &mut packages);
        Self { files, everything, packages, rings }
    }

    /// Why a step is to be run; None, where it sees nothing of the change.
    pub(super) fn why(&self, workspace: &Workspace, step: &str) -> Option<String> {
        if let Some(file) = &self.everything {
            return Some(format!("{file} reaches everything"));
        }
        let kinds = |kinds: &[Kind]| self.first(workspace, kinds);
        let native = [Kind::Library, Kind::Component, Kind::Page, Kind::Tests, Kind::Bench];
        let lints = || self.file("clippy.toml");
        // Built for the steps that run it.
        let built_for = |steps: &[String]| {
            let needed = steps.iter().find(|step| self.why(workspace, step).is_some());
            needed.map(|step| format!("`{step}` runs it"))
        };
        let loading = workspace.rings().into_iter().filter(|ring| *ring != HOUSE).map(step_of);
        let loading = loading.chain(["conformance".to_owned()]).collect::<Vec<_>>();
        match step {
            "fmt" => {
                let is_source = |file: &&String| file.ends_with(".rs") || *file == "rustfmt.toml";
                self.files.iter().find(is_source).cloned()
            }
            "set-up" => built_for(&[&["clippy for wasm".to_owned()][..], &loading].concat()),
            "clients" | "components" | "page" | "components for tests" | "languages" => {
                built_for(&loading)
            }
            "clippy for wasm" => kinds(&[Kind::TestComponent]).or_else(lints),
            // Linted as they are compiled.
            "test binaries" => {
                let own = || self.rings.values().next().cloned();
                kinds(&native).or_else(own).or_else(lints).or_else(|| built_for(&loading))
            }
            "xtask" => kinds(&[Kind::Xtask]).or_else(lints),
            UNITS => kinds(&native),
            "conformance" => {
                let fixtures = || FIXTURES.iter().find_map(|it| self.named(it));
                self.named(PROGRAM).or_else(fixtures)
            }
            _ => self.ring_reason(workspace, step.strip_prefix(&step_of(""))?),
        }
    }

    fn ring_reason(&self, workspace: &Workspace, ring: &str) -> Option<String> {
        if ring == HOUSE {
            return self.files.first().cloned();
        }
        let kinds = |kinds: &[Kind]| self.first(workspace, kinds);
        let own = self.rings.get(ring).cloned();
        let loaded = || kinds(&[Kind::Tests, Kind::Component, Kind::TestComponent]);
        let page = || SEE_THE_PAGE.contains(&ring).then(|| kinds(&[Kind::Page])).flatten();
        own.or_else(loaded).or_else(page)
    }

    fn file(&self, name: &str) -> Option<String> {
        self.files.iter().find(|file| *file == name).cloned()
    }

    /// The first package of these kinds that is reached, and how.
    fn first(&self, workspace: &Workspace, kinds: &[Kind]) -> Option<String> {
        workspace.named(kinds).into_iter().find_map(|name| self.named(name))
    }

    /// Path to a package: `host, by store, by host/store/src/lib.rs`.
    fn named(&self, name: &str) -> Option<String> {
        let mut cause = self.packages.get(name)?;
        let mut text = name.to_owned();
        loop {
            text = format!("{text}, by {cause}");
            let Some(next) = self.packages.get(cause) else { return Some(text) };
            cause = next;
        }
    }
}

/// Adds dependent packages, nearest first.
fn spread(workspace: &Workspace, packages: &mut BTreeMap<String, String>) {
    let mut open = packages.keys().cloned().collect::<Vec<_>>();
    while !open.is_empty() {
        let mut next = Vec::new();
        for below in open {
            for package in workspace.packages.iter().filter(|it| it.needs.contains(&below)) {
                if !packages.contains_key(&package.name) {
                    packages.insert(package.name.clone(), below.clone());
                    next.push(package.name.clone());
                }
            }
        }
        open = next;
    }
}

/// The package that a file lies in: that of the longest folder.
fn owner<'a>(workspace: &'a Workspace, file: &str) -> Option<&'a Package> {
    let has = |package: &&Package| {
        file.strip_prefix(&package.folder).is_some_and(|rest| rest.starts_with('/'))
    };
    workspace.packages.iter().filter(has).max_by_key(|package| package.folder.len())
}

/// Ring of a test file.
fn ring(package: &Package, file: &str) -> Option<String> {
    let inner = file.strip_prefix(&package.folder)?.strip_prefix('/')?;
    let (folder, _) = inner.split_once('/')?;
    let is_ring = package.kind == Kind::Tests && package.tests.iter().any(|ring| ring == folder);
    is_ring.then(|| folder.to_owned())
}

/// Whether a file is documentation only. Files in source folders are compiled in.
fn is_document(file: &str) -> bool {
    let is_text = file.ends_with(".md") && !file.contains("/src/") && !file.starts_with("tests/");
    is_text || file.contains("/packaging/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Profile;

    fn package(name: &str, kind: Kind, folder: &str, needs: &[&str]) -> Package {
        let tests =
            if kind == Kind::Tests { vec!["components", "fuzz", "host", HOUSE] } else { vec![] };
        Package {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            kind,
            folder: folder.to_owned(),
            needs: needs.iter().map(ToString::to_string).collect(),
            tests: tests.into_iter().map(str::to_owned).collect(),
            commands: Vec::new(),
        }
    }

    fn workspace() -> Workspace {
        let packages = vec![
            package("cinema", Kind::Component, "components/cinema", &["output", "toolkit"]),
            package("conformance", Kind::TestComponent, "tests/conformance", &["toolkit"]),
            package("frontend", Kind::Page, "frontend", &["output"]),
            package("host", Kind::Library, "host/server", &["store"]),
            package(PROGRAM, Kind::Library, "host/program", &["host"]),
            package("output", Kind::Library, "components/output", &[]),
            package("store", Kind::Library, "host/store", &[]),
            package("tests", Kind::Tests, "tests", &["host"]),
            package("toolkit", Kind::Library, "components/toolkit", &[]),
            package("xtask", Kind::Xtask, "xtask", &[]),
        ];
        let (root, target) = ("/w".into(), "/w/target".into());
        Workspace { profile: Profile::Checked, root, target, packages }
    }

    /// The steps that a change of these files runs.
    fn runs(files: &[&str]) -> Vec<String> {
        let workspace = workspace();
        let reach =
            Reach::from_changes(&workspace, files.iter().map(ToString::to_string).collect());
        let plan = super::super::plan(&workspace);
        let runs = plan.steps().filter(|step| reach.why(&workspace, step).is_some());
        runs.map(str::to_owned).collect()
    }

    const BUILT: [&str; 7] = [
        "clients",
        "set-up",
        "components",
        "page",
        "components for tests",
        "test binaries",
        "languages",
    ];

    const LOADING: [&str; 3] = ["ring components", "ring fuzz", "ring host"];

    #[track_caller]
    fn assert_runs(files: &[&str], expected: &[&str]) {
        let expected = expected.iter().copied().collect::<BTreeSet<_>>();
        let found = runs(files);
        assert_eq!(
            found.iter().map(String::as_str).collect::<BTreeSet<_>>(),
            expected,
            "{files:?}"
        );
    }

    #[test]
    fn document_affects_only_the_house_ring() {
        assert_runs(
            &["README.md", "docs/operating.md", "components/cinema/README.md"],
            &["ring house"],
        );
        assert_runs(&["host/program/packaging/Dockerfile"], &["ring house"]);
        assert_runs(&[], &[]);
    }

    #[test]
    fn host_crate_affects_rings_but_no_wasm_lint() {
        let steps = ["fmt", UNITS, "conformance"];
        let steps = [&steps[..], &LOADING, &["ring house"]].concat();
        assert_runs(&["host/store/src/lib.rs"], &[&BUILT[..], &steps].concat());
    }

    #[test]
    fn component_affects_its_loaders_but_not_conformance() {
        let steps = [&["fmt", UNITS, "ring house"][..], &LOADING].concat();
        assert_runs(&["components/cinema/src/lib.rs"], &[&BUILT[..], &steps].concat());
        let runs = runs(&["tests/conformance/src/lib.rs"]);
        assert!(runs.contains(&"conformance".to_owned()), "{runs:?}");
    }

    #[test]
    fn page_affects_rings_that_use_it() {
        let steps = [UNITS, "ring house", "ring host"];
        assert_runs(&["index.html"], &[&BUILT[..], &steps].concat());
    }

    #[test]
    fn ring_file_affects_its_ring() {
        let steps = ["fmt", "ring house", "ring fuzz"];
        assert_runs(&["tests/fuzz/stdio.rs"], &[&BUILT[..], &steps].concat());
        assert_runs(&["tests/house/tree.rs"], &["fmt", "test binaries", "ring house"]);
    }

    #[test]
    fn xtask_affects_itself() {
        assert_runs(&["xtask/src/main.rs"], &["fmt", "xtask", "ring house"]);
    }

    #[test]
    fn lock_file_and_contract_affect_everything() {
        for file in ["Cargo.lock", "wit/tool.wit"] {
            assert_eq!(
                runs(&[file]).len(),
                super::super::plan(&workspace()).steps().count(),
                "{file}"
            );
        }
    }

    #[test]
    fn reason_names_the_path_from_the_file() {
        let workspace = workspace();
        let reach = Reach::from_changes(&workspace, vec!["host/store/src/lib.rs".to_owned()]);
        let why = reach.why(&workspace, "conformance");
        let expected = "madoguchi, by host, by store, by host/store/src/lib.rs";
        assert_eq!(why.as_deref(), Some(expected));
    }
}
