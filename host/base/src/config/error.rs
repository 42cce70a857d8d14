//! Why a configuration cannot be used, and how to correct it.

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
    /// It has an entry that is not known, or has one wrongly.
    #[error("{path}, line {line}: {message}", path = path.display())]
    Parse {
        /// The configuration file.
        path: PathBuf,
        /// Where in it. Not the line itself: there may be a secret in it.
        line: usize,
        /// What would be right there.
        message: String,
    },
    /// It grants one half of what takes two.
    #[error("{path}: [components.{component}] {what}", path = path.display())]
    Half {
        /// The configuration file.
        path: PathBuf,
        /// The component whose grants these are.
        component: String,
        /// What is missing, and how to add it.
        what: &'static str,
    },
    /// The toolset that the command line names is not there.
    #[error("--toolset: {0}")]
    NoToolset(String),
    /// It has an entry that cannot work.
    #[error("[{table}]: {what}")]
    Unworkable {
        /// The table of the configuration, without brackets.
        table: String,
        /// What cannot work, and what would.
        what: String,
    },
}

impl ConfigError {
    /// Where `text` cannot be read, and what would be right there.
    pub(super) fn parse(text: &str, path: &Path, error: &toml::de::Error) -> Self {
        let at = error.span().map_or(0, |it| it.start.min(text.len()));
        let line = text.as_bytes()[..at].iter().filter(|it| **it == b'\n').count() + 1;
        Self::Parse { path: path.to_owned(), line, message: in_words(error.message()) }
    }
}

/// What is right, without the library's terms, which are about Rust, and without what stands there.
pub(super) fn in_words(message: &str) -> String {
    const ADDRESS: &str =
        "an address with its port in quotes, such as \"127.0.0.1:8808\", and no name";
    let wrong =
        ["invalid type: ", "invalid value: "].iter().find_map(|it| message.strip_prefix(it));
    let expected = wrong.and_then(|it| it.split_once(", expected ")).map(|it| it.1);
    let right = match expected {
        Some("socket address") => ADDRESS,
        Some("a string" | "path string" | "string only") => "a text in quotes",
        Some(it) if it == "a map" || it.starts_with("struct ") => {
            "a table: { NAME = …, … }, or [TABLE] above its entries"
        }
        Some("a boolean") => "true or false, without quotes",
        Some("a sequence") => "a list: […], or [[…]] above each of several tables",
        Some("f64") => "a number, without quotes and unit",
        Some(it) if it.starts_with("a nonzero ") => {
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
