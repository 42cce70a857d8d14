//! Sources of components (the folder and the program), and their compilation or cached code.

use futures::future::BoxFuture;
use std::{
    collections::BTreeSet,
    fs,
    hash::{Hash, Hasher},
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use parking_lot::Mutex;
use wasmtime::component::Component;

use crate::Result;
use base::{
    config::Config,
    environment,
    source::{Embedded, NAMES, Source, Stamp, name_of, read, write},
};
use sandbox::{Sandbox, compiler, component::LoadError};
use store::{blocking, digest::digest, private::if_exists, seal::Seal};

mod code;

use code::CodeStore;

/// Components by name, each with the stamp of its file.
pub type Files = Vec<(String, Stamp)>;

/// The component folder, the bundled components, and the compiled code of both.
#[derive(Clone)]
pub struct Library {
    folder: Option<PathBuf>,
    embedded: Embedded,
    /// Whether the components that travel in the program are served.
    bundled: bool,
    code: CodeStore,
    /// The program that compiles; none compiles in this process.
    compiler: Option<PathBuf>,
    /// Allows one compilation at a time, which may take much memory.
    compiling: Arc<tokio::sync::Mutex<()>>,
    /// Files already reported as invalid.
    unfit: Arc<Mutex<BTreeSet<PathBuf>>>,
}

impl Library {
    pub fn open(config: &Config, seal: &Seal) -> io::Result<Self> {
        if let Some(folder) = &config.components_folder {
            fs::create_dir_all(folder)?;
        }
        Ok(Self::with(config, CodeStore::open(config.data.join("compiled"), seal)))
    }

    /// A read-only library, which stores nothing.
    pub fn look(config: &Config) -> Self {
        let seal = Seal::look(&config.data.join("seal.key"));
        Self::with(config, CodeStore::look(config.data.join("compiled"), seal.as_ref()))
    }

    fn with(config: &Config, code: CodeStore) -> Self {
        Self {
            folder: config.components_folder.clone(),
            embedded: config.embedded.clone(),
            bundled: config.bundled,
            code,
            compiler: config.compiler.clone(),
            compiling: Arc::default(),
            unfit: Arc::default(),
        }
    }

    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Components in the folder by name, with stamps. `None` without a folder.
    ///
    /// # Errors
    /// If the disk fails; the content is then unknown.
    pub fn files(&self) -> io::Result<Files> {
        let (files, unfit) = self.scan()?;
        for path in unfit {
            let shown = path.file_name().unwrap_or_default();
            tracing::warn!("{shown:?}: it is no component's name: {NAMES}");
        }
        Ok(files)
    }

    /// Components in the folder, and new files that have the ending but cannot be components.
    fn scan(&self) -> io::Result<(Files, Vec<PathBuf>)> {
        let (mut files, mut unfit) = (Vec::new(), BTreeSet::new());
        let entries =
            self.folder.as_ref().map(|it| if_exists(fs::read_dir(it))).transpose()?.flatten();
        for entry in entries.into_iter().flatten() {
            let path = entry?.path();
            if path.extension().is_none_or(|it| it != "wasm") {
                continue;
            }
            let stamp = match stamp(&path) {
                // A link to itself, for example, affects only its own entry.
                Err(_) if path.is_symlink() => Some(Stamp::default()),
                stamp => stamp?,
            };
            // What stands in a file's place, such as a folder, is not read, and the version before serves on.
            let stands = || fs::symlink_metadata(&path).is_ok().then(Stamp::default);
            match (name_of(&path), stamp.or_else(stands)) {
                (Some(name), Some(stamp)) => files.push((name, stamp)),
                (None, Some(_)) => _ = unfit.insert(path),
                // Removed meanwhile.
                (_, None) => {}
            }
        }
        files.sort();
        let mut reported = self.unfit.lock();
        let new = unfit.difference(&reported).cloned().collect();
        *reported = unfit;
        Ok((files, new))
    }

    /// Names of the bundled components.
    pub fn bundled(&self) -> Vec<String> {
        if self.bundled { self.embedded.names() } else { Vec::new() }
    }

    /// Reads the file of a component.
    pub fn read(&self, name: &str) -> io::Result<Source> {
        let folder = self.folder.as_ref().ok_or(io::ErrorKind::NotFound)?;
        let file = folder.join(format!("{name}.wasm"));
        let is_file = fs::metadata(&file).map_or_else(|_| !file.is_symlink(), |it| it.is_file());
        if !is_file {
            return Err(io::Error::other("it is no file, and no link that leads to one"));
        }
        read(&file)
    }

    /// The component of that name that travels in the binary.
    pub fn read_bundled(&self, name: &str) -> Option<Source> {
        self.embedded.component(name).filter(|_| self.bundled)
    }

    /// Whether a component of that name travels in the binary, served or not.
    pub fn is_bundled(&self, name: &str) -> bool {
        self.embedded.component(name).is_some()
    }

    /// Puts `bytes` into the folder under that name, where there is a folder.
    pub fn put(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        write(&folder.join(format!("{name}.wasm")), bytes)
    }

    /// Takes the folder's file of that name away, where there is one.
    pub fn take_away(&self, name: &str) -> io::Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        if_exists(fs::remove_file(folder.join(format!("{name}.wasm")))).map(drop)
    }

    /// The component in `source`, compiled now or before. Takes a processor for a while, and all of
    /// them unless `is_quiet`; never one that serves calls.
    pub fn compile<'a>(
        &'a self,
        sandbox: &'a Sandbox,
        source: &'a Source,
        is_quiet: bool,
    ) -> BoxFuture<'a, Result<Component>> {
        Box::pin(async move {
            if let Some(component) = self.compiled(sandbox, source).await? {
                return Ok(component);
            }
            let _one = self.compiling.lock().await;
            let (bytes, here) = (source.bytes.clone(), sandbox.clone());
            blocking(move || compiler::check(&bytes, &here.config)).await?;
            let code = match &self.compiler {
                Some(program) => {
                    compiler::compile_apart(program, sandbox, &source.bytes, is_quiet).await?
                }
                None => {
                    let (bytes, here) = (source.bytes.clone(), sandbox.clone());
                    blocking(move || compiler::compile_in_process(&here, &bytes, is_quiet)).await?
                }
            };
            let (store, name, here) =
                (self.code.clone(), code_name(sandbox, source), sandbox.clone());
            blocking(move || store.keep(&here, &name, &code).map_err(LoadError::Compile)).await
        })
    }

    /// The component in `source`, where it was compiled before.
    pub fn compiled<'a>(
        &'a self,
        sandbox: &'a Sandbox,
        source: &'a Source,
    ) -> BoxFuture<'a, Result<Option<Component>>> {
        Box::pin(async move {
            let (store, name, here) =
                (self.code.clone(), code_name(sandbox, source), sandbox.clone());
            blocking(move || Ok(store.load(&here, &name))).await
        })
    }
}

/// The name under which the compiled code of `source` is kept: it changes with the component, less custom sections at
/// its end (SYS-63), and with all of the engine that its code depends on. Both engines of a sandbox run the same code.
fn code_name(sandbox: &Sandbox, source: &Source) -> String {
    let mut hasher = std::hash::DefaultHasher::new();
    sandbox.engine.precompile_compatibility_hash().hash(&mut hasher);
    let code = environment::code(&source.bytes);
    let own = (code.len() < source.bytes.len()).then(|| digest(code));
    let digest = own.as_ref().unwrap_or(&source.digest);
    format!("{digest}-{:016x}.cwasm", hasher.finish())
}

/// The stamp of `path`, where that is a file.
fn stamp(path: &Path) -> io::Result<Option<Stamp>> {
    let metadata = if_exists(fs::metadata(path))?.filter(fs::Metadata::is_file);
    Ok(metadata.map(|it| (it.modified().ok(), it.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_invalid_component_once() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().to_owned();
        let config = Config { components_folder: Some(folder.clone()), ..Config::defaults() };
        let library = Library::look(&config);
        let file = folder.join("Evil Name.wasm");
        fs::write(&file, "").unwrap();
        let count = || library.scan().unwrap().1.len();
        assert_eq!((count(), count()), (1, 0));
        fs::remove_file(&file).unwrap();
        assert_eq!(count(), 0);
        fs::write(&file, "").unwrap();
        assert_eq!(count(), 1, "another one of that name");
        std::os::unix::fs::symlink("gone", folder.join("link.wasm")).unwrap();
        std::os::unix::fs::symlink("loop.wasm", folder.join("loop.wasm")).unwrap();
        fs::create_dir(folder.join("folder.wasm")).unwrap();
        fs::write(folder.join("right.wasm"), "").unwrap();
        let (files, unfit) = library.scan().unwrap();
        assert_eq!((files.len(), unfit.len()), (4, 0), "no link keeps the others out");
        for name in ["folder", "link", "loop"] {
            let error = library.read(name).map(|it| it.digest).unwrap_err().to_string();
            assert!(error.contains("no link that leads to one"), "{name}: {error}");
        }
        assert_eq!(count(), 0);
    }
}
