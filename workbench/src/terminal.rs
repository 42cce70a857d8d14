//! Terminal output of commands: results on standard output, everything else on standard error.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use anyhow::bail;
use clap::Args;
use serde_json::{Map, Value};

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

/// The arguments of a tool, as a command line has them: `text` is a JSON object.
///
/// # Errors
/// Where it is none: what it is instead, or where it is broken.
pub fn arguments(text: &str) -> anyhow::Result<Map<String, Value>> {
    const RIGHT: &str = "a JSON object is right, such as '{\"name\": \"value\"}'";
    let is = match serde_json::from_str(text) {
        Ok(Value::Object(arguments)) => return Ok(arguments),
        Ok(Value::Array(_)) => "an array",
        Ok(Value::String(_)) => "a string",
        Ok(Value::Number(_)) => "a number",
        Ok(Value::Bool(_)) => "true or false",
        Ok(Value::Null) => "null",
        Err(error) => {
            bail!("the arguments are no JSON: {}; {RIGHT}", base::json::explain(&error.to_string()))
        }
    };
    bail!("the arguments are {is}; {RIGHT}")
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
    fn arguments_are_an_object_or_say_what_is_wrong_where() {
        assert_eq!(arguments(r#" {"a":1} "#).unwrap()["a"], 1);
        for (text, part) in [
            ("[1]", "are an array"),
            ("5", "are a number"),
            ("{name:\"a\"}", "(line 1, column 2)"),
            ("{\"a\":1", "ends too early"),
            ("", "are no JSON"),
        ] {
            let error = arguments(text).unwrap_err().to_string();
            assert!(error.contains(part) && error.contains("JSON object is right"), "{error}");
        }
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
