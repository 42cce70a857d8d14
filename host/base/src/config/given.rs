//! Values of the operator's for one server: written down, or kept in a file or the environment.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::Deserialize;

use crate::grants::secret::Secret;

/// Bytes that a value may have.
const BYTES_MAX: u64 = 64 << 10;

/// Where a value comes from; read anew for each connection, so that a file may change.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Written")]
pub enum Given {
    /// Written down as it is, where no secret is expected.
    Text(Secret),
    /// Written down, to be kept secret.
    Value(Secret),
    /// The content of a file.
    File(PathBuf),
    /// A variable of the environment.
    Environment(String),
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "a text, or a table with environment, file or value")]
enum Written {
    Text(Secret),
    From(From),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct From {
    environment: Option<String>,
    file: Option<PathBuf>,
    value: Option<Secret>,
}

impl TryFrom<Written> for Given {
    type Error = &'static str;

    fn try_from(it: Written) -> Result<Self, Self::Error> {
        match it {
            Written::Text(text) => Ok(Self::Text(text)),
            Written::From(it) => match (it.environment, it.file, it.value) {
                (Some(name), None, None) => Ok(Self::Environment(name)),
                (None, Some(path), None) => Ok(Self::File(path)),
                (None, None, Some(value)) => Ok(Self::Value(value)),
                _ => Err(
                    "a secret comes from one place: environment = \"VARIABLE\", file = \"PATH\" or value = \"…\"",
                ),
            },
        }
    }
}

impl Given {
    pub fn value(text: &str) -> Self {
        Self::Value(Secret::new(text))
    }

    /// Whether there is something: a variable may be missing, or empty.
    pub fn is_there(&self) -> bool {
        match self {
            Self::Environment(name) => std::env::var_os(name).is_some_and(|it| !it.is_empty()),
            _ => true,
        }
    }

    /// Whether it was written as one.
    pub fn is_secret(&self) -> bool {
        !matches!(self, Self::Text(_))
    }

    /// The value itself; a path counts from `base`. The error does not repeat it.
    pub fn read(&self, base: &Path) -> Result<Secret, String> {
        let text = match self {
            Self::Text(secret) | Self::Value(secret) => secret.expose().to_owned(),
            Self::Environment(name) => std::env::var(name)
                .map_err(|_| format!("the environment has no variable {name}"))?,
            Self::File(path) => {
                let (path, shown) = (base.join(path), path.display());
                let why = |error| format!("the file {shown}: {error}");
                match fs::metadata(&path).map_err(why)?.len() {
                    0..=BYTES_MAX => fs::read_to_string(&path).map_err(why)?,
                    size => {
                        return Err(format!(
                            "the file {shown} has {size} bytes; {BYTES_MAX} is most"
                        ));
                    }
                }
            }
        };
        // Files end with a newline, and so does what a shell puts into a variable.
        let text = text.trim_end_matches(['\n', '\r']);
        match text.is_empty() || text.contains(char::is_control) {
            true => Err("it is empty, or has characters that a header cannot have".to_owned()),
            false => Ok(Secret::new(text)),
        }
    }
}
