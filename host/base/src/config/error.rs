//! Configuration errors and how to correct them.

use std::{
    io,
    path::{Path, PathBuf},
};

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{path}: {source}", path = path.display())]
    Read {
        /// The configuration file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// An unknown or invalid entry.
    #[error("{path}, line {line}: {message}", path = path.display())]
    Parse {
        /// The configuration file.
        path: PathBuf,
        /// Its line number. The line itself may contain a secret.
        line: usize,
        /// The correct form.
        message: String,
    },
    /// A grant that lacks its other half.
    #[error("{path}: [components.{component}] {what}", path = path.display())]
    Half {
        /// The configuration file.
        path: PathBuf,
        /// The component of the grants.
        component: String,
        /// The missing half, and how to add it.
        what: &'static str,
    },
    /// The toolset that the command line names is not there.
    #[error("--toolset: {0}")]
    NoToolset(String),
    /// An entry that cannot work.
    #[error("[{table}]: {what}")]
    Unworkable {
        /// The table of the configuration, without brackets.
        table: String,
        /// The problem, and values that work.
        what: String,
    },
}

impl ConfigError {
    /// The error of an unreadable `text`, with the correct form.
    pub(super) fn parse(text: &str, path: &Path, error: &toml::de::Error) -> Self {
        let at = error.span().map_or(0, |it| it.start.min(text.len()));
        let line = text.as_bytes()[..at].iter().filter(|it| **it == b'\n').count() + 1;
        Self::Parse { path: path.to_owned(), line, message: in_plain_terms(error.message()) }
    }
}

/// Rewrites the library's message without Rust's terms and without values of the file.
pub(super) fn in_plain_terms(message: &str) -> String {
    const ADDRESS: &str =
        "an address with its port in quotes, such as \"127.0.0.1:8808\", and no name";
    let wrong =
        ["invalid type: ", "invalid value: "].iter().find_map(|it| message.strip_prefix(it));
    let expected = wrong.and_then(|it| it.split_once(", expected ")).map(|it| it.1);
    let right = match expected {
        Some("socket address") => ADDRESS,
        Some("a string" | "path string" | "string only") => "a text in quotes",
        Some(expected) if expected == "a map" || expected.starts_with("struct ") => {
            "a table: { NAME = …, … }, or [TABLE] above its entries"
        }
        Some("a boolean") => "true or false, without quotes",
        Some("a sequence") => "a list: […], or [[…]] above each of several tables",
        Some("f64") => "a number, without quotes and unit",
        Some(expected) if expected.starts_with("a nonzero ") => {
            "a whole number from 1 on, without quotes and unit"
        }
        Some("u16") => "a whole number from 0 to 65535, without quotes and unit",
        Some("u8" | "u32" | "u64" | "usize") => "a whole number from 0 on, without quotes and unit",
        Some(other) => other,
        None if message == "wanted string or table" => "a text in quotes",
        None if message.starts_with("invalid socket address") => ADDRESS,
        None if message.ends_with("value was too large") => "a smaller number",
        None => return message.to_owned(),
    };
    format!("what is right here is {right}")
}
