//! The task `cargo xtask run`: from a fresh clone to a working page in six steps.

use std::ffi::OsStr;
use std::process::Command;

use anyhow::{Context, Result};

use crate::command::{cargo, check, line};
use crate::step::Steps;
use crate::workspace::Workspace;
use crate::{components as tools, page as browser, setup};

/// Options and variables with which users set components and data themselves.
const COMPONENT_OPTIONS: [&str; 2] = ["--components", "--config"];
const DATA_OPTIONS: [&str; 2] = ["--data", "--config"];

/// Builds everything that is not up to date, then becomes the host.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let steps = Steps::new(6);
    steps.run("set-up", &[], || setup::for_running(workspace));
    // All at once: each ends with crates that keep one processor busy. Embedded files are a separate crate, so that
    // little is recompiled.
    let page = || steps.run("page", &["set-up"], || browser::build(workspace));
    let components = || steps.run("components", &["set-up"], || tools::served(workspace));
    let without = || steps.run("host without", &[], || host(workspace));
    steps.side_by_side(page, || steps.side_by_side(components, without));
    steps.run("host", &["components", "page"], || host(workspace));
    steps.finish()?;
    let mut host = Command::new(workspace.binary());
    host.args(with_defaults(workspace, arguments, |name| std::env::var_os(name).is_some()));
    eprintln!("[6/6] {}", line(&host));
    exec(host)
}

/// Builds the components: `cargo xtask components`.
pub(crate) fn components(workspace: &Workspace) -> Result<()> {
    let steps = Steps::new(2);
    steps.run("set-up", &[], setup::for_components);
    steps.run("components", &["set-up"], || tools::served(workspace));
    steps.finish()
}

/// Builds the page: `cargo xtask page`.
pub(crate) fn page(workspace: &Workspace) -> Result<()> {
    let steps = Steps::new(2);
    steps.run("set-up", &[], || setup::for_running(workspace));
    steps.run("page", &["set-up"], || browser::build(workspace));
    steps.finish()
}

/// The host's binary, with the page and the components inside, and the commands that tools bring.
pub(crate) fn host(workspace: &Workspace) -> Result<String> {
    let mut build = cargo();
    build.args(["build", "--profile", workspace.profile.name()]).args(workspace.programs());
    build.current_dir(&workspace.root);
    workspace.select_native(&mut build);
    check(&mut build)?;
    Ok(workspace.binary().display().to_string())
}

/// The user's arguments, after ours: the component folder that `cargo xtask components` fills, and a data folder in
/// the tree. A command of the host has them too, and so finds the server that was started so.
fn with_defaults(
    workspace: &Workspace,
    arguments: &[String],
    is_set: impl Fn(&str) -> bool,
) -> Vec<String> {
    let is_set = |options: [&str; 2]| {
        options.iter().any(|option| {
            let variable = format!("MADOGUCHI_{}", option.trim_start_matches('-').to_uppercase());
            is_set(&variable)
                || arguments.iter().any(|argument| argument.split('=').next() == Some(option))
        })
    };
    let mut all = Vec::new();
    let mut add = |option: &str, value: &OsStr| {
        all.extend([option.to_owned(), value.to_string_lossy().into_owned()]);
    };
    if !is_set(COMPONENT_OPTIONS) {
        add("--components", tools::served_folder(workspace).as_os_str());
    }
    if !is_set(DATA_OPTIONS) {
        add("--data", workspace.root.join(".madoguchi").as_os_str());
    }
    all.extend_from_slice(arguments);
    all
}

/// Replaces this process on Unix, so that signals reach the host.
fn exec(mut host: Command) -> Result<()> {
    let name = line(&host);
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        Err(host.exec()).with_context(|| format!("starting {name}"))
    }
    #[cfg(not(unix))]
    check(&mut host).with_context(|| format!("running {name}"))
}

/// Builds components and page, which the host embeds and tests load.
pub(crate) fn parts(workspace: &Workspace, steps: &Steps) {
    let page = || steps.run("page", &["set-up"], || browser::build(workspace));
    steps.side_by_side(page, || {
        steps.run("components", &["set-up"], || tools::shipped(workspace));
        steps.run("components for tests", &["set-up"], || tools::for_tests(workspace));
    });
}

/// Builds the same and the host for tests, which reads them from disk.
pub(crate) fn bundle(workspace: &Workspace, steps: &Steps) {
    let host = || steps.run("host", &[], || host(workspace));
    steps.side_by_side(|| parts(workspace, steps), host);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Profile;

    fn arguments(given: &[&str], variables: &[&str]) -> String {
        let workspace = Workspace {
            profile: Profile::Release,
            root: "/w".into(),
            target: "/w/target".into(),
            packages: Vec::new(),
        };
        let given = given.iter().map(ToString::to_string).collect::<Vec<_>>();
        with_defaults(&workspace, &given, |name| variables.contains(&name)).join(" ")
    }

    #[test]
    fn user_options_override_default_folders() {
        let ours = "--components /w/target/components --data /w/.madoguchi";
        assert_eq!(arguments(&[], &[]), ours);
        assert_eq!(arguments(&["--addr", "[::1]:9000"], &[]), format!("{ours} --addr [::1]:9000"));
        assert_eq!(arguments(&["--data=/tmp/d"], &["MADOGUCHI_COMPONENTS"]), "--data=/tmp/d");
        assert_eq!(arguments(&["--config", "m.toml"], &[]), "--config m.toml");
        assert_eq!(arguments(&["operator"], &[]), format!("{ours} operator"));
    }
}
