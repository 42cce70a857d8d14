//! Sources of components (the folder and the program), and their compilation or cached code.
//! Compiled components are kept in a cache, of which each file is verified before it is loaded.

use std::{
    collections::BTreeSet,
    fs,
    hash::{Hash, Hasher},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use futures::future::BoxFuture;
use hmac::Mac;
use parking_lot::Mutex;
use wasmtime::component::Component;

use crate::Result;
use base::{
    config::Config,
    environment,
    source::{Embedded, NAMES, Source, Stamp, name_of, read, write},
};
use sandbox::{
    Sandbox,
    compiler::{self, Trusted, deserialize},
    component::LoadError,
};
use store::{blocking, digest::digest, private::if_exists, seal::Seal};

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

    /// The library of a command beside the server. It makes neither folder nor key; where a server has made both, what is
    /// compiled is kept for the next command and for the server.
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
        let file = folder.join(format!("{name}.wasm"));
        write(&file, bytes).map_err(|error| named(&file, &error))
    }

    /// Takes the folder's file of that name away, where there is one.
    pub fn take_away(&self, name: &str) -> io::Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let file = folder.join(format!("{name}.wasm"));
        if_exists(fs::remove_file(&file)).map(drop).map_err(|error| named(&file, &error))
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

/// Why a component's file cannot be changed, with its place.
fn named(file: &Path, error: &io::Error) -> io::Error {
    let file_name = file.display();
    io::Error::other(match file.is_dir() {
        true => format!("{file_name} is a folder: take it away"),
        false => format!("{file_name}: {error}"),
    })
}

/// Compiled components that are kept; beyond that the oldest go.
const FILES_MAX: usize = 64;
/// Bytes that a file of compiled code may have.
const BYTES_MAX: u64 = 1 << 30;
/// Bytes of the keyed hash at the end of each file.
const TAG_BYTES: u64 = 32;
/// Purpose of the derived key.
const PURPOSE: &str = "compiled code, 1";

/// The folder of compiled components.
#[derive(Clone, Default)]
struct CodeStore {
    /// `None` where nothing is stored, or the folder cannot be trusted.
    open: Option<(PathBuf, Seal)>,
}

impl CodeStore {
    /// Opens the folder, or makes it. One that others can change is emptied; one that cannot be
    /// made private costs a compile at each start, and nothing else.
    fn open(folder: PathBuf, seal: &Seal) -> Self {
        match make_private(&folder) {
            Ok(()) => Self { open: Some((folder, seal.derive(PURPOSE))) },
            Err(error) => {
                tracing::error!(
                    "{}: {error}; compiled code is not kept, so that each start compiles anew: make it a folder of this user's with mode 0700, or remove it",
                    folder.display()
                );
                Self::default()
            }
        }
    }

    /// The folder as it is there, or nothing.
    fn look(folder: PathBuf, seal: Option<&Seal>) -> Self {
        let is_private = fs::symlink_metadata(&folder).is_ok_and(|it| is_private(&it));
        Self { open: seal.filter(|_| is_private).map(|seal| (folder, seal.derive(PURPOSE))) }
    }

    /// Loads cached code if it is genuine.
    fn load(&self, sandbox: &Sandbox, name: &str) -> Option<Component> {
        let (folder, key) = self.open.as_ref()?;
        let file = folder.join(name);
        let why = match verify(&file, name, key) {
            Ok(()) => match deserialize(sandbox, &Trusted::File(&file)) {
                Ok(component) => return Some(component),
                Err(error) => format!("{error:#}"),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => error.to_string(),
        };
        tracing::warn!("{}: {why}; it is compiled anew", file.display());
        let _ = fs::remove_file(&file);
        None
    }

    /// Keeps what the compiler has just put out, and loads it. A disk that does not take it costs
    /// a compile at the next start, and nothing else.
    fn keep(&self, sandbox: &Sandbox, name: &str, code: &[u8]) -> wasmtime::Result<Component> {
        if let Some((folder, key)) = self.open.as_ref() {
            let file = folder.join(name);
            if let Err(error) = write_verified(&file, name, key, code) {
                tracing::warn!("{}: {error}; compiled code is not kept", file.display());
            } else {
                tidy(folder);
                // From the file, whose pages the system can drop and read again.
                if let Some(component) = self.load(sandbox, name) {
                    return Ok(component);
                }
            }
        }
        deserialize(sandbox, &Trusted::Fresh(code))
    }
}

/// Verifies that `file` was stored under that name, and that no other user can write it.
fn verify(file: &Path, name: &str, key: &Seal) -> io::Result<()> {
    let refused = |why: &str| io::Error::new(io::ErrorKind::InvalidData, why);
    let metadata = fs::symlink_metadata(file)?;
    if !metadata.is_file() || !is_own(&metadata, 0o022) {
        return Err(refused("not a file that this user alone can write"));
    }
    let Some(bytes) = metadata.len().checked_sub(TAG_BYTES).filter(|it| *it <= BYTES_MAX) else {
        return Err(refused("not compiled code of this host"));
    };
    let mut reader = fs::File::open(file)?;
    let mut mac = begin(key, name);
    let mut buffer = vec![0; 256 << 10];
    let mut code = Read::by_ref(&mut reader).take(bytes);
    loop {
        match code.read(&mut buffer)? {
            0 => break,
            read => mac.update(&buffer[..read]),
        }
    }
    let mut tag = Vec::new();
    reader.take(TAG_BYTES + 1).read_to_end(&mut tag)?;
    mac.verify_slice(&tag).map_err(|_| {
        refused("damaged, or not compiled by this host for this component in this data folder")
    })
}

fn begin(key: &Seal, name: &str) -> hmac::Hmac<sha2::Sha256> {
    let mut mac = key.begin();
    mac.update(name.as_bytes());
    mac.update(&[0]);
    mac
}

/// Writes atomically: to a temporary file, synced, then renamed.
fn write_verified(file: &Path, name: &str, key: &Seal, code: &[u8]) -> io::Result<()> {
    let mut mac = begin(key, name);
    mac.update(code);
    let tag = mac.finalize().into_bytes();
    let beside = file.with_extension(format!("tmp-{}", std::process::id()));
    let _ = fs::remove_file(&beside);
    let written = store::private::create_new(&beside).and_then(|mut to| {
        to.write_all(code)?;
        to.write_all(&tag)?;
        to.sync_all()
    });
    let renamed = written.and_then(|()| fs::rename(&beside, file));
    renamed.inspect_err(|_| _ = fs::remove_file(&beside))
}

/// Makes `folder` one that this user alone can look into. What another user could have put there
/// is thrown away.
fn make_private(folder: &Path) -> io::Result<()> {
    match fs::symlink_metadata(folder) {
        Ok(metadata) if is_private(&metadata) => return Ok(()),
        Ok(metadata) => {
            tracing::warn!(
                "{}: not a folder that this user alone can look into (mode 0700); what is in it is thrown away, and components are compiled anew",
                folder.display()
            );
            if metadata.is_dir() { fs::remove_dir_all(folder)? } else { fs::remove_file(folder)? }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    store::private::make_folder(folder)?;
    match is_private(&fs::symlink_metadata(folder)?) {
        true => Ok(()),
        false => Err(io::Error::other("it cannot be made a folder for this user alone")),
    }
}

/// Whether it is a folder of this user's that no other user can look into.
fn is_private(metadata: &fs::Metadata) -> bool {
    metadata.is_dir() && is_own(metadata, 0o077)
}

/// Whether it belongs to this user, and gives others none of these rights.
fn is_own(metadata: &fs::Metadata, rights: u32) -> bool {
    use std::os::unix::fs::MetadataExt;
    metadata.uid() == rustix::process::geteuid().as_raw() && metadata.mode() & rights == 0
}

/// Drops the oldest beyond the number that is kept.
fn tidy(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let age = |it: &fs::DirEntry| it.metadata().and_then(|it| it.modified()).ok();
    let mut files: Vec<_> = entries.flatten().map(|it| (age(&it), it.path())).collect();
    files.sort();
    let surplus = files.len().saturating_sub(FILES_MAX);
    for (_, path) in &files[..surplus] {
        let _ = fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests;
