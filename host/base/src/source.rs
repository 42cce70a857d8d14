//! Bytes of components, from files or the program.

use std::{borrow::Cow, fs, io, path::Path, time::SystemTime};

use bytes::Bytes;
use rust_embed::EmbeddedFile;

use store::digest::{digest, hexadecimal};

/// Bytes that a component's file may have.
pub const FILE_BYTES_MAX: u64 = 64 << 20;

/// A component's bytes and their digest.
#[derive(Clone)]
pub struct Source {
    pub bytes: Bytes,
    /// SHA-256 of the bytes, in hexadecimal.
    pub digest: String,
    /// Description of the source.
    pub origin: String,
}

impl Source {
    pub fn new(bytes: Vec<u8>, origin: String) -> Self {
        Self { digest: digest(&bytes), bytes: bytes.into(), origin }
    }

    /// An embedded component. It is neither copied nor hashed.
    pub fn embedded(file: EmbeddedFile) -> Self {
        let bytes = match file.data {
            Cow::Borrowed(bytes) => Bytes::from_static(bytes),
            Cow::Owned(bytes) => bytes.into(),
        };
        let digest = hexadecimal(&file.metadata.sha256_hash());
        Self { bytes, digest, origin: "the binary".to_owned() }
    }
}

/// Shows whether a file has changed since it was last seen.
pub type Stamp = (Option<SystemTime>, u64);

/// Which names a component may have, in words.
pub const NAMES: &str = "1 to 64 of a-z 0-9 _ - are right, with a letter at the beginning";

/// The name of the component in `path`, where that is one.
pub fn name_of(path: &Path) -> Option<String> {
    let name = path.file_stem()?.to_str()?;
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.len() <= 64
        && name.chars().all(fits);
    is_name.then(|| name.to_owned())
}

pub fn read(path: &Path) -> io::Result<Source> {
    let size = fs::metadata(path)?.len();
    if size > FILE_BYTES_MAX {
        let why = format!("{size} bytes; a component may have {FILE_BYTES_MAX}");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
    }
    Ok(Source::new(fs::read(path)?, path.display().to_string()))
}

/// The text of a file of at most so many bytes.
pub fn read_text(path: &Path, bytes_max: u64) -> io::Result<String> {
    let size = fs::metadata(path)?.len();
    if size > bytes_max {
        let why = format!("{size} bytes; at most {bytes_max} can be read");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
    }
    fs::read_to_string(path)
}

/// Writes atomically: to a temporary file, then renamed.
pub fn write(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = file.with_extension(format!("tmp-{}", std::process::id()));
    fs::write(&beside, bytes)?;
    fs::rename(&beside, file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignores_files_without_component_extension() {
        assert_eq!(name_of(Path::new("/x/cinema.wasm")).as_deref(), Some("cinema"));
        assert_eq!(name_of(Path::new("/x/../evil name.wasm")), None);
        assert_eq!(name_of(Path::new("/x/.cinema.wasm")), None);
    }
}
