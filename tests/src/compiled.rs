//! Compiled code of components, shared by all data folders and benches: compiled once for all rings.

use std::{
    ffi::OsStr,
    fs, io,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use host::{Config, registry::library::Library, seal::Seal};

/// The key by which a host knows the compiled code as its own: the same in all data folders that
/// share it.
const KEY: [u8; 32] = *b"the key of every test's data dir";

/// Maximum number of files; the oldest are deleted beyond it.
const FILES_MAX: usize = 600;

/// Where tests make their folders: on the disk of the shared code, so that it can be linked.
pub(crate) fn scratch() -> PathBuf {
    let folder = crate::root().join("target/tests");
    fs::create_dir_all(&folder).expect("target/ can be written");
    folder
}

/// The compiler of benches, with a cache.
pub(crate) fn library() -> Library {
    let mut config = Config::embedded_defaults(crate::embedded()).expect("it is tried in the host");
    config.data = scratch().join("benches");
    Library::open(&config, &Seal::with_key(&KEY)).expect("target/ can be written")
}

/// Links the shared code into the new folder `data`.
///
/// # Panics
/// If there is such a folder, or the disk is full.
pub fn lend(data: &Path) {
    make(&data.join("compiled")).expect("the data folder is new");
    let mut key = fs::OpenOptions::new();
    let mut key = key.write(true).create_new(true).mode(0o600).open(data.join("seal.key"));
    let key = key.as_mut().expect("the data folder is new");
    io::Write::write_all(key, &KEY).expect("the disk has room");
    for code in files(&shared()).into_iter().chain(files(&scratch().join("benches/compiled"))) {
        // A file that another test puts there at this moment is compiled once more.
        let _ = fs::hard_link(&code, data.join("compiled").join(name(&code)));
    }
}

/// Keeps the code that the host of `data` compiled, if it has the shared key.
pub(crate) fn keep(data: &Path) {
    if !fs::read(data.join("seal.key")).is_ok_and(|key| key == KEY) {
        return;
    }
    let shared = shared();
    for code in files(&data.join("compiled")) {
        let _ = make(&shared).and_then(|()| fs::hard_link(&code, shared.join(name(&code))));
    }
    let age = |it: &PathBuf| fs::metadata(it).and_then(|it| it.modified()).ok();
    let mut kept = files(&shared);
    kept.sort_by_cached_key(age);
    for code in kept.iter().take(kept.len().saturating_sub(FILES_MAX)) {
        let _ = fs::remove_file(code);
    }
}

fn shared() -> PathBuf {
    crate::root().join("target/tests/compiled")
}

fn make(folder: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|it| it.path());
    entries.filter(|it| it.extension() == Some(OsStr::new("cwasm"))).collect()
}

fn name(path: &Path) -> &OsStr {
    path.file_name().expect("an entry of a folder has a name")
}
