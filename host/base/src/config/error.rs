//! Why a configuration cannot be used, and how to correct it.

use std::{io, path::PathBuf};

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
