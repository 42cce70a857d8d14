//! Bytes of components, from files or the program, and other files embedded in it. The program passes those in, so that
//! the host neither waits for them nor is rebuilt when they change.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    fmt, fs,
    io::{self, Read as _},
    path::Path,
    sync::{Arc, OnceLock},
    time::SystemTime,
};

use bytes::Bytes;
use rust_embed::{EmbeddedFile, RustEmbed};
use toml::Table;

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

/// Writes atomically: to a temporary file, then renamed. Leaves nothing behind where that fails.
pub fn write(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = file.with_extension(format!("tmp-{}", std::process::id()));
    let written = fs::write(&beside, bytes).and_then(|()| fs::rename(&beside, file));
    written.inspect_err(|_| _ = fs::remove_file(&beside))
}

/// The components and the page that travel in the program. A clone is another handle on the same ones.
#[derive(Clone, Default)]
pub struct Embedded(Arc<Both>);

#[derive(Default)]
struct Both {
    components: Files,
    page: Files,
    start: OnceLock<Result<Start, (String, String)>>,
}

/// Lazily computed defaults of an installation with these components.
#[derive(Default)]
pub struct Start {
    /// In the form of a configuration file.
    pub table: Table,
    /// `[models]` as each component brings it, by the component.
    pub models: BTreeMap<String, Table>,
}

/// Files that travel in the program, or none.
#[derive(Clone, Copy, Default)]
pub struct Files(Option<Access>);

#[derive(Clone, Copy)]
struct Access {
    names: fn() -> Vec<Cow<'static, str>>,
    get: fn(&str) -> Option<EmbeddedFile>,
}

impl Files {
    /// The files of that folder.
    #[must_use]
    pub fn embedded<T: RustEmbed>() -> Self {
        Self(Some(Access { names: || T::iter().collect(), get: T::get }))
    }

    /// Their names, with `/` between folders.
    pub fn names(self) -> Vec<Cow<'static, str>> {
        self.0.map(|it| (it.names)()).unwrap_or_default()
    }

    pub fn get(self, name: &str) -> Option<EmbeddedFile> {
        (self.0?.get)(name)
    }
}

impl Embedded {
    /// These: a file `NAME.wasm` for each component, and the page's with their compressed twins (`.br`, `.gz`).
    #[must_use]
    pub fn new(components: Files, page: Files) -> Self {
        Self(Arc::new(Both { components, page, start: OnceLock::new() }))
    }

    /// The files of the page.
    pub fn page(&self) -> Files {
        self.0.page
    }

    /// Whether the page is there.
    pub fn has_page(&self) -> bool {
        self.0.page.get("index.html").is_some()
    }

    /// The names of the components, sorted.
    pub fn names(&self) -> Vec<String> {
        let names = self.0.components.names();
        let mut names: Vec<_> = names.iter().filter_map(|it| name_of(Path::new(&**it))).collect();
        names.sort();
        names
    }

    /// The component of that name.
    pub fn component(&self, name: &str) -> Option<Source> {
        self.0.components.get(&format!("{name}.wasm")).map(Source::embedded)
    }

    /// Returns the defaults, computed by `make` on first use.
    pub fn start(
        &self,
        make: impl FnOnce() -> Result<Start, (String, String)>,
    ) -> &Result<Start, (String, String)> {
        self.0.start.get_or_init(make)
    }
}

impl fmt::Debug for Embedded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Embedded").field(&self.names()).finish()
    }
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
