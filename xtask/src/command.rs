//! Runs other programs and names the one that failed.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// The cargo that started us, without environment of our package, which would rerun build scripts.
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

/// Runs tests to the end, with the terminal; the error names the tests that failed, each with where and why.
pub(crate) fn check_tests(command: &mut Command) -> Result<()> {
    let tests = command.stdout(Stdio::piped()).spawn();
    let mut tests = tests.with_context(|| format!("starting `{}`", line(command)))?;
    let mut failures = Vec::new();
    let printed = tests.stdout.take().context("what tests print is piped")?;
    for line in BufReader::new(printed).split(b'\n') {
        let line = line?;
        io::stdout().write_all(&[&line[..], b"\n"].concat())?;
        note_failure(&mut failures, &String::from_utf8_lossy(&line));
    }
    let status = tests.wait()?;
    match (status.success(), failures.is_empty()) {
        (true, _) => Ok(()),
        (false, true) => bail!("`{}` ended with {status}", line(command)),
        (false, false) => bail!("{}", failures.join("; ")),
    }
}

/// Adds details of a test's output to its failure: the panic location and the next line.
fn note_failure(failures: &mut Vec<String>, line: &str) {
    if let Some(name) = line.strip_prefix("---- ").and_then(|it| it.strip_suffix(" stdout ----")) {
        failures.push(name.to_owned());
    } else if let Some(last) = failures.last_mut() {
        if let Some((_, place)) = line.split_once(" panicked at ").filter(|_| !last.contains(' ')) {
            *last = format!("{last} at {place}");
        } else if last.ends_with(':') {
            *last = format!("{last} {line}");
        }
    }
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
    fn names_failing_command_with_arguments() {
        let mut command = cargo();
        command.args(["no-such-command", "--really"]).stderr(Stdio::null());
        let message = check(&mut command).unwrap_err().to_string();
        assert!(message.contains("no-such-command --really"), "{message}");
    }

    #[test]
    fn names_failing_tests_with_place_and_reason() {
        let printed = "test a::one ... FAILED\ntest two ... ok\n\nfailures:\n\n---- a::one stdout ----\n3 kB: 9\n\n\
                       thread 'a::one' (7) panicked at tests/a.rs:1:2:\nleft is not right: x\nmore: y\nnote: z\n\n\
                       ---- three stdout ----\nError: none\n\nfailures:\n    a::one\n    three\n";
        let mut failures = Vec::new();
        printed.lines().for_each(|line| note_failure(&mut failures, line));
        assert_eq!(failures, ["a::one at tests/a.rs:1:2: left is not right: x", "three"]);
    }

    #[test]
    fn names_test_run_that_ends_before_its_tests() {
        let message = check_tests(Command::new("sh").args(["-c", "exit 3"])).unwrap_err();
        assert!(message.to_string().contains("sh -c exit 3"), "{message}");
    }
}
