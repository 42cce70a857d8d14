//! Bytes of components, from files or the program.

use std::{
    borrow::Cow,
    fs,
    io::{self, Read as _},
    path::Path,
    time::SystemTime,
};

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
    Ok(Source::new(read_bytes(path, FILE_BYTES_MAX)?, path.display().to_string()))
}

/// The bytes of a file of at most so many. What has no length and no end, such as a device, is read no further.
pub fn read_bytes(path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut file = fs::File::open(path)?;
    let size = file.metadata()?.len();
    if size <= bytes_max {
        file.by_ref().take(bytes_max + 1).read_to_end(&mut bytes)?;
    }
    let found = size.max(bytes.len() as u64);
    if found > bytes_max {
        let why = format!("{found} bytes; at most {bytes_max} can be read");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
    }
    Ok(bytes)
}

/// The text of a file of at most so many bytes.
pub fn read_text(path: &Path, bytes_max: u64) -> io::Result<String> {
    String::from_utf8(read_bytes(path, bytes_max)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is no text: UTF-8 is right"))
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
    fn reads_no_more_than_a_file_may_have() {
        let file = std::env::temp_dir().join(format!("madoguchi-source-{}", std::process::id()));
        fs::write(&file, b"123456").unwrap();
        assert_eq!(read_bytes(&file, 6).unwrap(), b"123456");
        let endless = Path::new("/dev/zero");
        for (path, most) in [(&*file, 5), (endless, 1 << 20)] {
            if path.exists() {
                let error = read_bytes(path, most).unwrap_err();
                assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
            }
        }
        fs::write(&file, [0xff]).unwrap();
        assert!(read_text(&file, 6).unwrap_err().to_string().contains("UTF-8"));
        fs::remove_file(&file).unwrap();
    }

    #[test]
    fn ignores_files_without_component_extension() {
        assert_eq!(name_of(Path::new("/x/cinema.wasm")).as_deref(), Some("cinema"));
        assert_eq!(name_of(Path::new("/x/../evil name.wasm")), None);
        assert_eq!(name_of(Path::new("/x/.cinema.wasm")), None);
    }
}
