//! Starting other programs, and saying which one it was that failed.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// The cargo that started us, without what it says of our own package: build scripts look at that,
/// and would run again, and all that is built on them, after each `cargo` that one types oneself.
pub(crate) fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let ours = ["CARGO_PKG_", "CARGO_MANIFEST_"];
    let names = std::env::vars_os().map(|it| it.0);
    for name in names.filter(|it| ours.iter().any(|our| it.to_string_lossy().starts_with(our))) {
        cargo.env_remove(name);
    }
    cargo
}

/// Runs to the end, with the terminal; an exit code other than 0 is an error.
pub(crate) fn check(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("starting `{}`", line(command)))?;
    if !status.success() {
        bail!("`{}` ended with {status}", line(command));
    }
    Ok(())
}

/// The command as one would type it.
pub(crate) fn line(command: &Command) -> String {
    let program = PathBuf::from(command.get_program());
    let name = program.file_name().unwrap_or(command.get_program()).to_string_lossy().into_owned();
    let arguments = command.get_args().map(|argument| argument.to_string_lossy().into_owned());
    std::iter::once(name).chain(arguments).collect::<Vec<_>>().join(" ")
}

/// Whether a program of this name can be found on `PATH`.
pub(crate) fn on_path(program: &str) -> bool {
    let Some(path) = std::env::var_os("PATH") else { return false };
    let name = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path).any(|folder| folder.join(&name).is_file())
}

/// npm, which on Windows is a script.
pub(crate) fn npm() -> Command {
    Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_command_is_named_with_its_arguments() {
        let mut command = cargo();
        command.args(["no-such-command", "--really"]).stderr(std::process::Stdio::null());
        let message = check(&mut command).unwrap_err().to_string();
        assert!(message.contains("no-such-command --really"), "{message}");
    }
}
