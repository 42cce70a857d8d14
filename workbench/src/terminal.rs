//! Terminal output of commands: results on standard output, everything else on standard error.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use clap::Args;

/// How a command prints what it has to say.
#[derive(Args, Clone, Copy)]
pub struct Json {
    /// Print JSON
    #[arg(long = "json", global = true)]
    pub is_wanted: bool,
}

/// Prints a line to standard error.
pub fn print_error(message: &str) {
    let _ = writeln!(io::stderr(), "madoguchi: {message}");
}

/// `error` with its causes, each once: many messages contain their cause themselves.
pub fn with_causes(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

/// Exit code of a program killed by SIGPIPE: 128 and the signal's number.
const READER_GONE: u8 = 128 + 13;

/// Prints an error and returns the exit code. A closed pipe, as with `head`, is not reported.
pub fn failed(error: &anyhow::Error) -> ExitCode {
    let gone = error.downcast_ref::<io::Error>();
    if gone.is_some_and(|it| it.kind() == io::ErrorKind::BrokenPipe) {
        return ExitCode::from(READER_GONE);
    }
    print_error(&with_causes(error));
    ExitCode::FAILURE
}

/// Prints a line to standard output.
///
/// # Errors
/// When it cannot be written.
pub fn print_line(line: &str) -> io::Result<()> {
    writeln!(io::stdout(), "{line}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_quietly_when_its_reader_is_gone() {
        let of = |kind: io::ErrorKind| anyhow::Error::new(io::Error::from(kind)).context("listing");
        assert_eq!(failed(&of(io::ErrorKind::BrokenPipe)), ExitCode::from(141));
        assert_eq!(failed(&of(io::ErrorKind::StorageFull)), ExitCode::FAILURE);
    }

    #[test]
    fn prints_each_cause_once() {
        let cause = || io::Error::other("the port is taken");
        let twice = anyhow::Error::new(cause()).context("cannot listen: the port is taken; mend");
        assert_eq!(with_causes(&twice), "cannot listen: the port is taken; mend");
        let apart = anyhow::Error::new(cause()).context("cannot start");
        assert_eq!(with_causes(&apart), "cannot start: the port is taken");
    }
}
