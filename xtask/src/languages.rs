//! Builds components in JavaScript and Python as authors do: `madoguchi new` and the commands of its README.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, anyhow};

use crate::command::check;
use crate::files::{fingerprint, read_tree};
use crate::run;
use crate::step::Steps;
use crate::workspace::Workspace;

/// The name of the components, and of their tool.
const NAME: &str = "greeting";
/// Languages: option of `madoguchi new`, file ending, and files of `tests/languages` that replace the template's.
const LANGUAGES: [(&str, &str, &[&str]); 2] =
    [("js", "js", &["probe"]), ("python", "py", &["probe", "awaiting"])];
/// Inputs of the build besides the program that creates the folders.
const SOURCES: [&str; 3] = ["workbench/templates", "tests/languages", "wit"];

/// `cargo xtask languages`.
pub(crate) fn languages(workspace: &Workspace) -> Result<()> {
    let steps = Steps::new(2);
    steps.run("host", &[], || run::host(workspace));
    steps.run("languages", &["host"], || build(workspace));
    steps.finish()
}

/// Builds components in `target/languages`: `greeting-LANGUAGE.wasm` from the template, and `probe-LANGUAGE.wasm` and
/// others with tools of `tests/languages`. Downloads compilers.
pub(crate) fn build(workspace: &Workspace) -> Result<String> {
    let folder = workspace.root.join("target/languages");
    let stamp = folder.join(".built");
    let trees = SOURCES.map(|it| read_tree(&workspace.root.join(it)));
    let trees = trees.into_iter().collect::<Result<Vec<_>>>()?;
    let wanted = fingerprint(&(trees, include_str!("../../workbench/src/commands/new.rs")));
    if fs::read_to_string(&stamp).is_ok_and(|built| built == wanted) {
        return Ok("unchanged".to_owned());
    }
    if folder.is_dir() {
        fs::remove_dir_all(&folder).with_context(|| format!("clearing {}", folder.display()))?;
    }
    let one = |language: &(&str, &str, &[&str])| build_language(workspace, &folder, *language);
    // Downloads, and compilers that use one processor each.
    std::thread::scope(|scope| {
        let all = LANGUAGES.each_ref().map(|it| scope.spawn(move || one(it)));
        all.into_iter().try_for_each(|it| it.join().map_err(|_| anyhow!("a build broke down"))?)
    })?;
    fs::write(stamp, wanted)?;
    Ok(String::new())
}

fn build_language(
    workspace: &Workspace,
    folder: &Path,
    (language, end, probes): (&str, &str, &[&str]),
) -> Result<()> {
    let made = folder.join(language).join(NAME);
    let mut new = Command::new(workspace.binary());
    check(new.arg("new").arg(&made).arg(format!("--{language}")))?;
    for command in commands(&fs::read_to_string(made.join("README.md"))?) {
        shell(&made, &command)?;
    }
    let built = made.join("build").join(NAME).with_extension("wasm");
    keep(&built, folder.join(format!("{NAME}-{language}.wasm")))?;

    let tools = made.join("src/tools").with_extension(end);
    let before = fs::read(&tools)?;
    let command = build_command(&fs::read_to_string(made.join("madoguchi.toml"))?)?;
    for probe in probes {
        let source = workspace.root.join("tests/languages").join(probe).with_extension(end);
        keep(&source, tools.clone())?;
        shell(&made, &command)?;
        keep(&built, folder.join(format!("{probe}-{language}.wasm")))?;
    }
    // Unchanged, for tests that follow the README.
    fs::write(tools, before)?;
    keep(&folder.join(format!("{NAME}-{language}.wasm")), built)
}

fn keep(from: &Path, to: PathBuf) -> Result<()> {
    fs::copy(from, &to)
        .with_context(|| format!("copying {} to {}", from.display(), to.display()))?;
    Ok(())
}

/// Runs it under a locale that knows ASCII alone, as in many containers: sources are UTF-8 wherever they are built.
fn shell(folder: &Path, command: &str) -> Result<()> {
    let mut shell = Command::new("sh");
    shell.args([OsStr::new("-c"), command.as_ref()]).current_dir(folder);
    check(shell.env("LC_ALL", "C").env("PYTHONCOERCECLOCALE", "0").env("PYTHONUTF8", "0"))
}

/// The commands of the README's first block, less those of `madoguchi`, which the tests run.
fn commands(readme: &str) -> Vec<String> {
    let block = readme.split("```sh\n").nth(1).and_then(|it| it.split("```").next());
    let lines = block.unwrap_or_default().lines().filter(|it| !it.starts_with("madoguchi "));
    lines.map(str::to_owned).collect()
}

/// Value of `build =` in the manifest.
fn build_command(manifest: &str) -> Result<String> {
    let line = manifest.lines().find_map(|it| it.strip_prefix("build = \"")?.strip_suffix('"'));
    Ok(line.context("madoguchi.toml does not say how it is built")?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_commands_of_both_templates() {
        let js = commands(include_str!("../../workbench/templates/js/README.md"));
        assert_eq!(js, ["npm install", "npm run build"]);
        let python = commands(include_str!("../../workbench/templates/python/README.md"));
        let manifest = include_str!("../../workbench/templates/python/madoguchi.toml");
        assert_eq!(python.len(), 3);
        assert_eq!(python.last(), build_command(manifest).ok().as_ref());
    }
}
