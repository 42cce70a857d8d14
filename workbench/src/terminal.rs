//! What a command prints at a terminal: results on standard output, all else on standard error.

use std::io::{self, Write};

use clap::Args;

/// How a command prints what it has to say.
#[derive(Args, Clone, Copy)]
pub struct Json {
    /// Print JSON
    #[arg(long = "json", global = true)]
    pub is_wanted: bool,
}

/// One line on standard error.
pub fn complain(message: &str) {
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

/// One line on standard output.
///
/// # Errors
/// When it cannot be written.
pub fn say(line: &str) -> io::Result<()> {
    writeln!(io::stdout(), "{line}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_each_cause_once() {
        let cause = || io::Error::other("the port is taken");
        let twice = anyhow::Error::new(cause()).context("cannot listen: the port is taken; mend");
        assert_eq!(with_causes(&twice), "cannot listen: the port is taken; mend");
        let apart = anyhow::Error::new(cause()).context("cannot start");
        assert_eq!(with_causes(&apart), "cannot start: the port is taken");
    }
}
