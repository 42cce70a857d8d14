//! A component's project folder: its build command, its artifact and its watched paths.

use std::{
    fs, io,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    time::Duration,
};

use anyhow::{Context, bail};
use base::{
    config::ConfigError,
    source::{self, NAMES, Source, name_of},
};
use notify::{Event, EventKind, RecursiveMode, Watcher, recommended_watcher};
use rustix::process::{Pid, Signal, kill_process_group};
use serde::Deserialize;
use tokio::{
    sync::mpsc,
    time::{Instant, sleep, timeout_at},
};

/// Name of the build manifest.
pub const MANIFEST: &str = "madoguchi.toml";
/// Changes count as one save until so long nothing changes, but no longer than the second.
const QUIET: Duration = Duration::from_millis(60);
const QUIET_MAX: Duration = Duration::from_secs(2);
/// Changes that are kept while a build runs: one more would say nothing more.
const CHANGES_MAX: usize = 16;
/// Interval of polling a build.
const LOOK: Duration = Duration::from_millis(10);
/// Build output folders excluded from watching, besides the first folder of the component's path.
const MADE: [&str; 5] = ["target", "node_modules", ".git", ".madoguchi", ".venv"];
/// Python's bytecode folder.
const COMPILED: &str = "__pycache__";

/// `madoguchi.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    build: String,
    component: PathBuf,
    #[serde(default = "src")]
    watch: Vec<PathBuf>,
    /// Faster build for `madoguchi dev`.
    dev: Option<Quick>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Quick {
    build: String,
    component: PathBuf,
}

fn src() -> Vec<PathBuf> {
    vec!["src".into()]
}

/// The part of a `Cargo.toml` that is read here.
#[derive(Deserialize)]
struct Cargo {
    package: Package,
}

#[derive(Deserialize)]
struct Package {
    name: String,
}

/// A component's folder.
#[derive(Debug, PartialEq, Eq)]
pub struct Project {
    /// The name of the component: that of its file.
    pub name: String,
    /// The command that builds it, as a shell reads it.
    pub build: String,
    /// The folder, from the root.
    pub folder: PathBuf,
    component: PathBuf,
    watch: Vec<PathBuf>,
    /// What is to be watched and is not there, as the manifest names it: it may come, or be mistyped.
    pub absent: Vec<String>,
    /// Whether only `Cargo.toml` defines the build.
    is_of_cargo: bool,
}

/// Detects changes of a project.
pub struct Changes {
    from: mpsc::Receiver<()>,
    _watcher: notify::RecommendedWatcher,
}

/// A build that runs, in a process group of its own, which ends with this.
struct Building(std::process::Child);

impl Drop for Building {
    fn drop(&mut self) {
        if matches!(self.0.try_wait(), Ok(None)) {
            let group = i32::try_from(self.0.id()).ok().and_then(Pid::from_raw);
            let _ = group.map(|it| kill_process_group(it, Signal::KILL));
            let _ = self.0.wait();
        }
    }
}

impl Project {
    /// Reads `madoguchi.toml` or `Cargo.toml` of `folder`. `[dev]` takes precedence.
    ///
    /// # Errors
    /// If neither can be read, or a watched path is missing.
    pub fn read(folder: &Path) -> anyhow::Result<Self> {
        let folder = fs::canonicalize(folder)
            .with_context(|| format!("the folder {} cannot be read", folder.display()))?;
        if folder.is_file() {
            bail!("{} is a file: name the component's folder", folder.display());
        }
        let read = |name: &str| match fs::read_to_string(folder.join(name)) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => {
                Err(error).with_context(|| format!("cannot read {}", folder.join(name).display()))
            }
        };
        let manifest = read(MANIFEST)?;
        let is_of_cargo = manifest.is_none();
        let written = match (manifest, read("Cargo.toml")?) {
            (Some(text), _) => toml::from_str(&text)
                .map_err(|it| ConfigError::parse(&text, &folder.join(MANIFEST), &it))?,
            (None, Some(text)) => of_cargo(&text)
                .with_context(|| format!("no {MANIFEST}, and Cargo.toml names no package"))?,
            (None, None) => bail!(
                "{} has no {MANIFEST}: write build = \"COMMAND\", component = \"PATH.wasm\" and watch = [\"src\"] into one, or begin with `madoguchi new`",
                folder.display()
            ),
        };
        let Written { mut build, mut component, watch, dev } = written;
        if let Some(quick) = dev {
            (build, component) = (quick.build, quick.component);
        }
        let Some(name) = name_of(&component) else {
            bail!(
                "component = {component:?} is no component's file: NAME.wasm is right, and of NAME {NAMES}"
            );
        };
        if watch.is_empty() {
            bail!(
                "watch = [] in {MANIFEST} names nothing, so that no save would be noticed: watch = [\"src\"] is right"
            );
        }
        let absent = watch.iter().filter(|it| !folder.join(it).exists());
        let absent = absent.map(|it| it.display().to_string()).collect();
        let watch: Vec<_> = watch.iter().map(|it| folder.join(it)).collect();
        // A file may come later; its folder tells.
        let is_there = |it: &PathBuf| it.exists() || it.parent().is_some_and(Path::is_dir);
        if let Some(missing) = watch.iter().find(|it| !is_there(it)) {
            bail!("{} is to be watched and is not there; see {MANIFEST}", missing.display());
        }
        let component = folder.join(component);
        Ok(Self { name, build, component, folder, watch, absent, is_of_cargo })
    }

    /// Builds it; what the command has to say goes where this program's own lines go. A build that is not
    /// waited for any longer is stopped, with all that it has started.
    ///
    /// # Errors
    /// When no shell can be started.
    pub async fn build(&self) -> io::Result<ExitStatus> {
        let mut shell = Command::new("sh");
        shell.args(["-c", &self.build]).current_dir(&self.folder).stdin(Stdio::null());
        let mut building = Building(shell.process_group(0).spawn()?);
        loop {
            if let Some(status) = building.0.try_wait()? {
                return Ok(status);
            }
            sleep(LOOK).await;
        }
    }

    /// Reads the built component.
    ///
    /// # Errors
    /// When it is not where the manifest says.
    pub fn built(&self) -> anyhow::Result<Source> {
        source::read(&self.component).with_context(|| {
            let component = self.component.display();
            match self.is_of_cargo {
                true => format!(
                    "cargo wrote no {component}: Cargo.toml needs [lib] with crate-type = [\"cdylib\"], or {MANIFEST} says how else it is built"
                ),
                false => {
                    format!("the build wrote no {component}, which `component` in {MANIFEST} names")
                }
            }
        })
    }

    /// Watches it from now on.
    ///
    /// # Errors
    /// If the system stops watching.
    pub fn changes(&self) -> notify::Result<Changes> {
        let (to, from) = mpsc::channel(CHANGES_MAX);
        let (mut watch, folder) = (self.watch.clone(), self.folder.clone());
        watch.push(folder.join(MANIFEST));
        let (watched, component) = (watch.clone(), self.component.clone());
        let handler = move |event: notify::Result<Event>| {
            // The error may have hidden a change.
            let is_change = event.map_or(true, |event| {
                !matches!(event.kind, EventKind::Access(_))
                    && event
                        .paths
                        .iter()
                        .any(|path| is_watched(path, &watched, &folder, &component))
            });
            if is_change {
                let _ = to.try_send(());
            }
        };
        let mut watcher = recommended_watcher(handler)?;
        let folder = &self.folder;
        for path in &watch {
            // Editors put another file in a file's place, which only its folder tells.
            match path.is_dir() {
                true => watcher.watch(path, RecursiveMode::Recursive)?,
                false => {
                    let folder = path.parent().unwrap_or(folder);
                    watcher.watch(folder, RecursiveMode::NonRecursive)?;
                }
            }
        }
        Ok(Changes { from, _watcher: watcher })
    }
}

impl Changes {
    /// Ends after a save, when nothing changes any more; at once, where one was before.
    pub async fn next(&mut self) {
        let _ = self.from.recv().await;
        let until = Instant::now() + QUIET_MAX;
        loop {
            let quiet = (Instant::now() + QUIET).min(until);
            match timeout_at(quiet, self.from.recv()).await {
                Ok(Some(())) if quiet < until => {}
                _ => return,
            }
        }
    }
}

/// Whether a changed `path` is watched. Build output is watched only if named, and the component never.
fn is_watched(path: &Path, watch: &[PathBuf], folder: &Path, component: &Path) -> bool {
    if path == component || path.iter().any(|it| it == COMPILED) {
        return false;
    }
    let first = |it: &Path| Some(folder.join(it.strip_prefix(folder).ok()?.iter().next()?));
    let is_made = |path: &PathBuf| {
        MADE.iter().any(|made| path.ends_with(made)) || first(component).as_ref() == Some(path)
    };
    let made = first(path).filter(is_made);
    let is_named = |it: &PathBuf| made.as_ref().is_none_or(|made| it.starts_with(made));
    watch.iter().any(|it| path.starts_with(it) && is_named(it))
}

/// Default cargo build.
fn of_cargo(text: &str) -> anyhow::Result<Written> {
    let Cargo { package } = toml::from_str(text)?;
    let name = package.name.replace('-', "_");
    Ok(Written {
        build: "cargo build --quiet --target wasm32-wasip2 --target-dir target".to_owned(),
        component: format!("target/wasm32-wasip2/debug/{name}.wasm").into(),
        watch: vec!["src".into(), "Cargo.toml".into()],
        dev: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(files: &[(&str, &str)]) -> anyhow::Result<Project> {
        let folder = tempfile::tempdir()?;
        fs::create_dir(folder.path().join("src"))?;
        for (name, text) in files {
            fs::write(folder.path().join(name), text)?;
        }
        Project::read(folder.path())
    }

    #[test]
    fn only_cargo_describes_the_build() {
        let found = project(&[("Cargo.toml", "[package]\nname = \"my-tool\"\n")]).unwrap();
        assert_eq!(found.name, "my_tool");
        assert!(found.component.ends_with("target/wasm32-wasip2/debug/my_tool.wasm"));
        assert!(project(&[("Cargo.toml", "[workspace]\n")]).is_err(), "no package");
    }

    #[test]
    fn names_remedy_for_an_unreadable_manifest() {
        let refused = |text: &str| format!("{:#}", project(&[(MANIFEST, text)]).unwrap_err());
        let wrong = refused("component = \"a.wasm\"\nbuild = 1");
        assert!(
            wrong
                .ends_with("madoguchi.toml, line 2: build: what is right here is a text in quotes"),
            "{wrong}"
        );
        assert!(refused("build = \"true\"").contains("component"));
        let unknown = refused("build = \"true\"\ncomponent = \"a.wasm\"\nwach = []");
        assert!(unknown.contains("wach"), "{unknown}");
        let unwatched = refused("build = \"true\"\ncomponent = \"a.wasm\"\nwatch = []");
        assert!(unwatched.contains("watch = [\"src\"]"), "{unwatched}");
        let named = refused("build = \"true\"\ncomponent = \"out/A b.wasm\"");
        assert!(named.contains("NAME.wasm"), "{named}");
        let dev = project(&[(
            MANIFEST,
            "build = \"a\"\ncomponent = \"a.wasm\"\n[dev]\nbuild = \"b\"\ncomponent = \"out/a.wasm\"",
        )]);
        assert_eq!(dev.unwrap().build, "b", "DEV-8");
        let missing = refused("build = \"true\"\ncomponent = \"a.wasm\"\nwatch = [\"lib/a\"]");
        assert!(missing.contains("lib/a is to be watched"), "{missing}");
        assert!(format!("{:#}", project(&[]).unwrap_err()).contains("madoguchi new"));
        let file = tempfile::NamedTempFile::new().unwrap();
        let refused = Project::read(file.path()).unwrap_err().to_string();
        assert!(refused.contains("is a file: name the component's folder"), "{refused}");
    }

    #[test]
    fn names_watched_paths_that_are_not_there() {
        let manifest =
            "build = \"true\"\ncomponent = \"a.wasm\"\nwatch = [\"src\", \"scr\", \"b.toml\"]";
        let found = project(&[(MANIFEST, manifest)]).unwrap();
        assert_eq!(found.absent, ["scr", "b.toml"], "DEV-8");
        let manifest = manifest.replace(", \"scr\", \"b.toml\"", "");
        assert_eq!(project(&[(MANIFEST, &manifest)]).unwrap().absent, [""; 0]);
    }

    #[test]
    fn ignores_changes_made_by_the_build() {
        let folder = Path::new("/f");
        let is_change = |path: &str, watch: &str, component: &str| {
            is_watched(Path::new(path), &[watch.into()], folder, Path::new(component))
        };
        let built = "/f/build/quick/a.wasm";
        assert!(is_change("/f/src/lib.rs", "/f", built));
        for made in [
            "/f/target/debug/x",
            "/f/build/quick/a.base",
            "/f/.venv/lib/x.py",
            "/f/node_modules/x.js",
            "/f/src/__pycache__/tools.pyc",
            built,
            "/g/src/lib.rs",
        ] {
            assert!(!is_change(made, "/f", built), "{made}");
        }
        assert!(is_change("/f/src/lib.rs", "/f/src", "/f/src/a.wasm"), "named itself");
        assert!(!is_change("/f/src/a.wasm", "/f/src", "/f/src/a.wasm"));
        assert!(is_change("/f/Cargo.toml", "/f/Cargo.toml", built));
        assert!(!is_change("/f/Cargo.lock", "/f/Cargo.toml", built));
    }
}
