//! The workspace as cargo describes it: folders and kinds of packages.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use cargo_metadata::{Dependency, Metadata, MetadataCommand, Target, TargetKind};

use crate::command::{cargo, line};

/// Kind of a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A tool that ships: a `cdylib` under `components/`.
    Component,
    /// A tool that only tests load: a `cdylib` under `tests/`.
    TestComponent,
    /// The page, built for the browser.
    Page,
    /// The tests' rings, built for this machine.
    Tests,
    /// This program itself.
    Xtask,
    /// The load generator and its opponent.
    Bench,
    /// Everything else: the host and the libraries.
    Library,
}

/// The program's name.
pub(crate) const PROGRAM: &str = "madoguchi";
/// All but this program, which has its own profile, and test components.
const NATIVE: [Kind; 5] = [Kind::Library, Kind::Component, Kind::Page, Kind::Tests, Kind::Bench];

pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) kind: Kind,
    /// Folder with `/` separators.
    pub(crate) folder: String,
    /// The packages of ours that it is built or tested with.
    pub(crate) needs: Vec<String>,
    /// The names of its integration tests; of the package `tests`, the rings.
    pub(crate) tests: Vec<String>,
    /// The programs that a tool brings; the host runs them as commands of its own.
    pub(crate) commands: Vec<String>,
}

/// Build profile of the host. See the workspace's Cargo.toml.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    /// For use: quick to compile, fast enough, and complete.
    Release,
    /// For benchmarks.
    Fast,
    /// For tests: linted, with page and components read from disk.
    Checked,
    /// For distribution: small and reproducible.
    Dist,
}

impl Profile {
    /// Its name, which is also that of its folder under `target/`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Release | Self::Checked => "release",
            Self::Fast => "fast",
            Self::Dist => "dist",
        }
    }
}

pub(crate) struct Workspace {
    /// Profile of native builds.
    pub(crate) profile: Profile,
    pub(crate) root: PathBuf,
    /// Native target folder: `target/` or `CARGO_TARGET_DIR`.
    pub(crate) target: PathBuf,
    pub(crate) packages: Vec<Package>,
}

impl Workspace {
    pub(crate) fn load(profile: Profile) -> Result<Self> {
        let mut metadata = cargo();
        metadata.args(["metadata", "--no-deps", "--format-version", "1"]);
        metadata.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        Self::from_metadata(&answer(&mut metadata)?, profile)
    }

    fn from_metadata(metadata: &Metadata, profile: Profile) -> Result<Self> {
        let root = metadata.workspace_root.as_std_path();
        let within = |path: &Path| -> Result<PathBuf> {
            let path =
                path.strip_prefix(root).context("a package of ours lies in the workspace")?;
            Ok(path.to_owned())
        };
        let mut packages = Vec::new();
        for package in &metadata.packages {
            let manifest = package.manifest_path.as_std_path();
            let folder = within(manifest.parent().context("a manifest lies in a folder")?)?;
            packages.push(Package {
                name: package.name.to_string(),
                version: package.version.to_string(),
                kind: kind(&folder, &package.targets),
                folder: folder.to_string_lossy().replace('\\', "/"),
                needs: workspace_dependencies(&package.dependencies),
                tests: of_kind(&package.targets, &TargetKind::Test),
                commands: commands(&folder, &package.targets),
            });
        }
        packages.sort_by(|a, b| a.name.cmp(&b.name));
        let target = metadata.target_directory.clone().into_std_path_buf();
        Ok(Self { profile, root: root.to_owned(), target, packages })
    }

    /// The names of all packages of one of these kinds, sorted.
    pub(crate) fn named(&self, kinds: &[Kind]) -> Vec<&str> {
        let wanted = self.packages.iter().filter(|package| kinds.contains(&package.kind));
        wanted.map(|package| package.name.as_str()).collect()
    }

    /// Selects all native packages, because cargo unifies features of selected packages and would rebuild wasmtime
    /// otherwise. Page and components are embedded, except for tests.
    pub(crate) fn select_native(&self, command: &mut Command) {
        for name in self.named(&NATIVE) {
            command.args(["--package", name]);
        }
        if self.profile == Profile::Checked {
            lint(command.arg("--no-default-features"));
        }
    }

    /// Arguments that select the program and the commands of tools, and nothing else.
    pub(crate) fn programs(&self) -> impl Iterator<Item = &str> {
        let names = std::iter::once(PROGRAM).chain(self.commands());
        names.flat_map(|it| ["--bin", it])
    }

    /// The programs that tools bring.
    pub(crate) fn commands(&self) -> impl Iterator<Item = &str> {
        self.packages.iter().flat_map(|package| &package.commands).map(String::as_str)
    }

    /// The packages of those programs.
    pub(crate) fn shipping(&self) -> Vec<&str> {
        let ships = |package: &&Package| package.name == PROGRAM || !package.commands.is_empty();
        self.packages.iter().filter(ships).map(|package| package.name.as_str()).collect()
    }

    /// The tests' rings, one test binary each.
    pub(crate) fn rings(&self) -> Vec<&str> {
        let tests = self.packages.iter().filter(|package| package.kind == Kind::Tests);
        tests.flat_map(|package| &package.tests).map(String::as_str).collect()
    }

    /// Target folder of WebAssembly builds, which must not lock native ones.
    pub(crate) fn wasm_target(&self) -> PathBuf {
        self.root.join("target/wasm")
    }

    /// Folder of components, page and test components.
    pub(crate) fn bundle(&self) -> PathBuf {
        self.root.join("target/bundle")
    }

    /// Folder of data kept between runs.
    pub(crate) fn memory(&self) -> PathBuf {
        self.root.join("target/xtask")
    }

    /// The path of the host's binary.
    pub(crate) fn binary(&self) -> PathBuf {
        self.target
            .join(self.profile.name())
            .join(format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX))
    }
}

/// Compiles our packages with clippy, warnings denied, so that tests are linted without checking all crates twice.
pub(crate) fn lint(build: &mut Command) {
    let driver = format!("clippy-driver{}", std::env::consts::EXE_SUFFIX);
    let driver = std::env::var_os("CARGO").map_or(PathBuf::from(&driver), |cargo| {
        // From the same toolchain as cargo.
        Path::new(&cargo).with_file_name(&driver)
    });
    build.env("RUSTC_WORKSPACE_WRAPPER", driver);
    // As cargo-clippy passes arguments.
    build.env("CLIPPY_ARGS", "--deny__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__");
}

/// Parses the output of `cargo metadata`.
pub(crate) fn answer(command: &mut Command) -> Result<Metadata> {
    let output = command.output().with_context(|| format!("starting {}", line(command)))?;
    ensure!(
        output.status.success(),
        "{}: {}",
        line(command),
        String::from_utf8_lossy(&output.stderr)
    );
    let text = std::str::from_utf8(&output.stdout)?;
    MetadataCommand::parse(text).context("cargo metadata answers in a shape that we do not know")
}

fn kind(folder: &Path, targets: &[Target]) -> Kind {
    let is_component = !of_kind(targets, &TargetKind::CDyLib).is_empty();
    match folder.to_str().unwrap_or_default() {
        "frontend" => Kind::Page,
        "xtask" => Kind::Xtask,
        "tests" => Kind::Tests,
        "tests/bench" => Kind::Bench,
        _ if is_component && folder.starts_with("components") => Kind::Component,
        _ if is_component => Kind::TestComponent,
        _ => Kind::Library,
    }
}

/// Commands that a tool adds beside the host's.
fn commands(folder: &Path, targets: &[Target]) -> Vec<String> {
    if folder.starts_with("components") { of_kind(targets, &TargetKind::Bin) } else { Vec::new() }
}

/// Workspace packages, the only ones with a path.
fn workspace_dependencies(dependencies: &[Dependency]) -> Vec<String> {
    let ours = dependencies.iter().filter(|dependency| dependency.path.is_some());
    ours.map(|dependency| dependency.name.clone()).collect()
}

fn of_kind(targets: &[Target], kind: &TargetKind) -> Vec<String> {
    let fits = |target: &&Target| target.kind.contains(kind);
    targets.iter().filter(fits).map(|target| target.name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classifies_cdylib_by_its_folder() {
        let target = |kind: &str, name: &str| -> Target {
            let target = serde_json::json!({ "kind": [kind], "name": name, "src_path": "lib.rs" });
            serde_json::from_value(target).unwrap()
        };
        let cdylib = [target("cdylib", "cinema")];
        let library = [target("lib", "toolkit")];
        assert_eq!(kind(Path::new("components/cinema"), &cdylib), Kind::Component);
        assert_eq!(kind(Path::new("tests/echo"), &cdylib), Kind::TestComponent);
        assert_eq!(kind(Path::new("components/toolkit"), &library), Kind::Library);
    }

    #[test]
    fn workspace_has_a_host_and_the_house_ring() {
        let workspace = Workspace::load(Profile::Checked).unwrap();
        assert!(workspace.named(&[Kind::Library]).contains(&"host"));
        assert!(workspace.rings().contains(&"house"));
        assert!(workspace.commands().all(|it| it.starts_with("madoguchi-")));
    }
}
