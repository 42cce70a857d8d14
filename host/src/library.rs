//! Where components come from: the folder and the binary itself; and the cache of what has been
//! compiled already.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use rust_embed::RustEmbed;
use wasmtime::{Engine, component::Component};

use crate::{component::LoadError, sandbox::Sandbox, seal::digest};

/// Compiled components that are kept; beyond that the oldest go.
const COMPILED_MAX: usize = 64;
/// Bytes that a component's file may have.
pub(crate) const FILE_BYTES_MAX: u64 = 64 << 20;

/// The components that travel in the binary.
#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../target/bundle/components"]
#[allow_missing = true]
struct Bundle;

/// The component folder, the bundled components, and the data folder's share of both.
#[derive(Clone)]
pub(crate) struct Library {
    folder: Option<PathBuf>,
    bundled: bool,
    compiled: PathBuf,
}

/// A component's bytes.
#[derive(Clone)]
pub(crate) struct Source {
    pub(crate) bytes: Arc<[u8]>,
    /// SHA-256, in hexadecimal.
    pub(crate) digest: String,
    /// Where they come from, for people.
    pub(crate) origin: String,
}

impl Source {
    pub(crate) fn new(bytes: Vec<u8>, origin: String) -> Self {
        Self { digest: digest(&bytes), bytes: bytes.into(), origin }
    }
}

/// Tells whether a file is the one that was seen before.
pub(crate) type Stamp = (Option<SystemTime>, u64);

impl Library {
    pub(crate) fn open(data: &Path, folder: Option<PathBuf>, bundled: bool) -> io::Result<Self> {
        let library = Self { folder, bundled, compiled: data.join("compiled") };
        crate::private::make_folder(&library.compiled)?;
        if let Some(folder) = &library.folder {
            fs::create_dir_all(folder)?;
        }
        Ok(library)
    }

    /// The same to look at only: nothing is made or kept.
    pub(crate) fn look(folder: Option<PathBuf>, bundled: bool) -> Self {
        Self { folder, bundled, compiled: PathBuf::new() }
    }

    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The components in the folder: name and stamp of each file.
    pub(crate) fn files(&self) -> Vec<(String, Stamp)> {
        let Some(entries) = self.folder.as_ref().and_then(|it| fs::read_dir(it).ok()) else {
            return Vec::new();
        };
        let mut files: Vec<_> = entries.flatten().filter_map(|it| file(&it.path())).collect();
        files.sort();
        files
    }

    /// Names of the bundled components.
    pub(crate) fn bundled(&self) -> Vec<String> {
        if !self.bundled {
            return Vec::new();
        }
        let mut names: Vec<_> = Bundle::iter().filter_map(|it| name_of(Path::new(&*it))).collect();
        names.sort();
        names
    }

    /// What is in the folder's file of that name.
    pub(crate) fn read(&self, name: &str) -> io::Result<Source> {
        let folder = self.folder.as_ref().ok_or(io::ErrorKind::NotFound)?;
        read(&folder.join(format!("{name}.wasm")))
    }

    /// The component of that name that travels in the binary.
    pub(crate) fn read_bundled(&self, name: &str) -> Option<Source> {
        if !self.bundled {
            return None;
        }
        let file = Bundle::get(&format!("{name}.wasm"))?;
        Some(Source::new(file.data.into_owned(), "the binary".to_owned()))
    }

    /// Puts `bytes` into the folder under that name, where there is a folder.
    pub(crate) fn put(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        write(&folder.join(format!("{name}.wasm")), bytes)
    }

    /// Takes the folder's file of that name away, where there is one.
    pub(crate) fn take_away(&self, name: &str) -> io::Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        match fs::remove_file(folder.join(format!("{name}.wasm"))) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// The component in `source`, compiled now or before. Takes a processor for a while, and all of
    /// them unless `quietly`.
    pub(crate) fn compile(
        &self,
        sandbox: &Sandbox,
        source: &Source,
        quietly: bool,
    ) -> Result<Component, LoadError> {
        use std::hash::{Hash, Hasher};
        let engine = sandbox.engine();
        let mut hasher = std::hash::DefaultHasher::new();
        engine.precompile_compatibility_hash().hash(&mut hasher);
        let key = format!("{}-{:016x}.cwasm", source.digest, hasher.finish());
        let file = self.compiled.join(key);
        if let Some(component) = deserialize(engine, &file) {
            return Ok(component);
        }
        let compiler = sandbox.compiler(quietly);
        let code = compiler.precompile_component(&source.bytes).map_err(LoadError::Compile)?;
        let kept = write(&file, &code).is_ok();
        self.tidy();
        if let Some(component) = kept.then(|| deserialize(engine, &file)).flatten() {
            return Ok(component);
        }
        // A full disk costs time, here and at the next start, and nothing else.
        tracing::warn!("the compiled code of {} cannot be kept", source.origin);
        Component::new(engine, &source.bytes).map_err(LoadError::Compile)
    }

    fn tidy(&self) {
        let Ok(entries) = fs::read_dir(&self.compiled) else { return };
        let age = |it: &fs::DirEntry| it.metadata().and_then(|it| it.modified()).ok();
        let mut files: Vec<_> = entries.flatten().map(|it| (age(&it), it.path())).collect();
        files.sort();
        let surplus = files.len().saturating_sub(COMPILED_MAX);
        for (_, path) in &files[..surplus] {
            let _ = fs::remove_file(path);
        }
    }
}

/// Compiled code is machine code: it is taken only from the folder that this host made for itself,
/// which nobody else can write, under a name that binds it to the component and to this engine.
#[allow(unsafe_code, reason = "wasmtime cannot check compiled code; the folder is private")]
fn deserialize(engine: &Engine, file: &Path) -> Option<Component> {
    if !file.is_file() {
        return None;
    }
    // SAFETY: see above.
    unsafe { Component::deserialize_file(engine, file) }.ok()
}

fn file(path: &Path) -> Option<(String, Stamp)> {
    if path.extension().is_none_or(|it| it != "wasm") {
        return None;
    }
    let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    Some((name_of(path)?, (metadata.modified().ok(), metadata.len())))
}

/// The name of the component in `path`, where that is one.
pub(crate) fn name_of(path: &Path) -> Option<String> {
    let name = path.file_stem()?.to_str()?;
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.len() <= 64
        && name.chars().all(fits);
    if !is_name {
        tracing::warn!(
            "{}: not a component's name; it begins with a-z and has at most 64 of a-z 0-9 - _",
            path.display()
        );
    }
    is_name.then(|| name.to_owned())
}

pub(crate) fn read(path: &Path) -> io::Result<Source> {
    let size = fs::metadata(path)?.len();
    if size > FILE_BYTES_MAX {
        let why = format!("{size} bytes; a component may have {FILE_BYTES_MAX}");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
    }
    Ok(Source::new(fs::read(path)?, path.display().to_string()))
}

/// Writes beside and renames, so that nobody ever sees half of it.
pub(crate) fn write(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = file.with_extension(format!("tmp-{}", std::process::id()));
    fs::write(&beside, bytes)?;
    fs::rename(&beside, file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_no_component_by_its_name_is_left_alone() {
        assert_eq!(name_of(Path::new("/x/cinema.wasm")).as_deref(), Some("cinema"));
        assert_eq!(name_of(Path::new("/x/../evil name.wasm")), None);
        assert_eq!(name_of(Path::new("/x/.cinema.wasm")), None);
    }
}
