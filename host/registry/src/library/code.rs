//! The disk cache of compiled components. Each file is verified before it is loaded.
//!
//! Compiled code is machine code that runs in this process, so a file counts only where its last 32
//! bytes are the keyed hash (HMAC-SHA-256, by a key derived from `seal.key`) of its name and of all
//! bytes before them. The name is the component's digest and the engine's compatibility.

use std::{
    fs,
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use hmac::Mac;
use wasmtime::component::Component;

use sandbox::{
    Sandbox,
    compiler::{Trusted, deserialize},
};
use store::seal::Seal;

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
pub(super) struct CodeStore {
    /// `None` where nothing is stored, or the folder cannot be trusted.
    open: Option<(PathBuf, Seal)>,
    is_writable: bool,
}

impl CodeStore {
    /// Opens the folder, or makes it. One that others can change is emptied; one that cannot be
    /// made private costs a compile at each start, and nothing else.
    pub(super) fn open(folder: PathBuf, seal: &Seal) -> Self {
        match make_private(&folder) {
            Ok(()) => Self { open: Some((folder, seal.derive(PURPOSE))), is_writable: true },
            Err(error) => {
                tracing::error!(
                    "{}: {error}; compiled code is not kept, so that each start compiles anew: make it a folder of this user's with mode 0700, or remove it",
                    folder.display()
                );
                Self::default()
            }
        }
    }

    /// A read-only cache.
    pub(super) fn look(folder: PathBuf, seal: Option<&Seal>) -> Self {
        let is_private = fs::symlink_metadata(&folder).is_ok_and(|it| is_private(&it));
        let open = seal.filter(|_| is_private).map(|seal| (folder, seal.derive(PURPOSE)));
        Self { open, is_writable: false }
    }

    /// Loads cached code if it is genuine.
    pub(super) fn load(&self, sandbox: &Sandbox, name: &str) -> Option<Component> {
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
        if self.is_writable {
            let _ = fs::remove_file(&file);
        }
        None
    }

    /// Keeps what the compiler has just put out, and loads it. A disk that does not take it costs
    /// a compile at the next start, and nothing else.
    pub(super) fn keep(
        &self,
        sandbox: &Sandbox,
        name: &str,
        code: &[u8],
    ) -> wasmtime::Result<Component> {
        if let Some((folder, key)) = self.open.as_ref().filter(|_| self.is_writable) {
            let file = folder.join(name);
            if let Err(error) = write(&file, name, key, code) {
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
fn write(file: &Path, name: &str, key: &Seal, code: &[u8]) -> io::Result<()> {
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
