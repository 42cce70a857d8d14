//! The data folder: private to this user, and locked by one server.

use std::{
    fs::{self, File, TryLockError},
    io::{self, Read, Seek, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::private;

/// Lock file of the running server. The lock ends with its process.
const LOCK: &str = "host.lock";
/// Folder of databases.
pub(crate) const DATABASES: &str = "databases";
/// Folder of an unfinished move (STO-43).
pub(crate) const MOVED: &str = ".moved";
/// Other files in a backup. Compiled code can be rebuilt, and keys of a running server are useless later.
pub(crate) const KEPT: [&str; 9] = [
    "answers.guard",
    "approvals",
    "audit",
    "blobs",
    "generations",
    "pins",
    "registries",
    "seal.key",
    "tasks",
];
/// Temporary folder of a streamed backup.
pub(crate) const BACKUP: &str = "backup.tmp";
/// Maximum number of checked files. A folder with more is reported.
const LOOKED_AT_MAX: usize = 2_000_000;

/// A data folder that this process has to itself, until this is dropped.
#[derive(Debug)]
pub struct Data {
    path: PathBuf,
    _lock: Lock,
}

/// Why a data folder cannot be had, copied or moved, and how to correct it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct DataError(pub(crate) String);

impl DataError {
    /// The system does not let the data folder `path` be used.
    pub fn io(path: &Path, error: &io::Error) -> Self {
        let path = path.display();
        Self(format!(
            "cannot write to the data folder {path}: {error}; choose another with --data or MADOGUCHI_DATA"
        ))
    }
}

impl Data {
    /// Takes the folder for this process, and makes it where there is none. What others could look
    /// into is closed to them, and reported in one line of the log.
    pub fn take(path: &Path) -> Result<Self, DataError> {
        let failed = |it| DataError::io(path, &it);
        private::make_folder(path).map_err(failed)?;
        check_owner(path, &fs::metadata(path).map_err(failed)?)?;
        let lock = lock(path)?;
        close_to_others(path);
        finish_move(path).map_err(failed)?;
        // Left by a server killed during a backup.
        let _ = fs::remove_dir_all(path.join(BACKUP));
        Ok(Self { path: path.to_owned(), _lock: lock })
    }

    /// Whether a server has left anything in it.
    pub fn has_data(&self) -> bool {
        host_files().any(|it| self.path.join(it).exists())
    }
}

/// Disk use of a part of the data folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taken {
    /// The file's or the folder's name.
    pub name: String,
    /// Bytes of all files in it.
    pub bytes: u64,
    /// Files in it.
    pub files: u64,
}

/// Disk use of each part of `data`, including compiled code, up to two million files. Blocks.
pub fn taken(data: &Path) -> Vec<Taken> {
    let mut looked_at = 0;
    let names = KEPT.into_iter().chain([DATABASES, "compiled"]);
    let mut taken: Vec<_> = names
        .filter_map(|name| {
            let path = data.join(name);
            path.symlink_metadata().ok()?;
            let mut found = Taken { name: name.to_owned(), ..Taken::default() };
            let mut open = vec![path];
            while let Some(path) = open.pop().filter(|_| looked_at < LOOKED_AT_MAX) {
                looked_at += 1;
                let Ok(metadata) = path.symlink_metadata() else { continue };
                if metadata.is_dir() {
                    let inside = fs::read_dir(&path).into_iter().flatten().flatten();
                    open.extend(inside.map(|it| it.path()));
                } else {
                    (found.files, found.bytes) = (found.files + 1, found.bytes + metadata.len());
                }
            }
            Some(found)
        })
        .collect();
    taken.sort_by(|a, b| a.name.cmp(&b.name));
    taken
}

/// Names of files that the host owns. Others are not touched.
fn host_files() -> impl Iterator<Item = &'static str> {
    KEPT.into_iter().chain([DATABASES, "operator.json"])
}

/// Puts what a move has left in the data folder `data` to its places, also where that broke off in the middle (STO-43).
pub(crate) fn finish_move(data: &Path) -> io::Result<()> {
    fn merge(from: &Path, to: &Path) -> io::Result<()> {
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            let (from, to) = (entry.path(), to.join(entry.file_name()));
            if from.is_dir() && to.is_dir() {
                merge(&from, &to)?;
            } else {
                fs::rename(from, to)?;
            }
        }
        Ok(())
    }

    let moved = data.join(MOVED);
    if !moved.is_dir() {
        return Ok(());
    }
    merge(&moved, data)?;
    fs::remove_dir_all(moved)
}

/// The locks of a data folder: of a file, and of the folder itself, where folders can be locked. A person who takes the
/// file for a left-over removes it, and another one could be locked.
#[derive(Debug)]
struct Lock {
    _file: File,
    _folder: Option<File>,
}

/// Locks the folder. The file of its lock stays.
fn lock(path: &Path) -> Result<Lock, DataError> {
    let taken = |process: &str| {
        DataError(format!(
            "another server{process} runs on the data folder {}, and there can be one only: stop that one first, or choose another folder with --data or MADOGUCHI_DATA",
            path.display()
        ))
    };
    let failed = |it| DataError::io(path, &it);
    let name = path.join(LOCK);
    let mut options = private::options();
    let open = options.read(true).write(true).create(true).truncate(false).open(&name);
    // An existing file can be locked on a read-only disk.
    let mut file = open.or_else(|error| File::open(&name).map_err(|_| error)).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut text = String::new();
            let read = (&file).take(32).read_to_string(&mut text);
            let pid = read.ok().and_then(|_| text.trim().parse::<u32>().ok());
            let process = pid.map(|it| format!(" (process {it})")).unwrap_or_default();
            return Err(taken(&process));
        }
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
            tracing::warn!(
                "{}: this file system has no locks; see to it that one server only runs here",
                path.display()
            );
        }
        Err(TryLockError::Error(error)) => return Err(failed(error)),
    }
    let folder = File::open(path).ok();
    let folder_lock = folder.as_ref().map(File::try_lock);
    if matches!(folder_lock, Some(Err(TryLockError::WouldBlock))) {
        return Err(taken(""));
    }
    // For people: a full disk does not take it, and the lock holds all the same.
    let written = file.set_len(0).and_then(|()| {
        file.rewind()?;
        file.write_all(format!("{}\n", std::process::id()).as_bytes())
    });
    if let Err(error) = written {
        tracing::debug!("{}: {error}", name.display());
    }
    Ok(Lock { _file: file, _folder: folder })
}

fn check_owner(path: &Path, metadata: &fs::Metadata) -> Result<(), DataError> {
    use std::os::unix::fs::MetadataExt;

    /// The bit of folders in which every user may put files, and remove their own.
    const STICKY: u32 = 0o1000;

    let (owner, own) = (metadata.uid(), rustix::process::geteuid().as_raw());
    let mode = metadata.mode() & 0o7777;
    let path = path.display();
    if mode & STICKY != 0 {
        return Err(DataError(format!(
            "{path} is a folder for everybody's files (mode {mode:o}), and data wants a folder of its own: choose one in it, such as {path}/madoguchi, with --data or MADOGUCHI_DATA"
        )));
    }
    if owner != own {
        return Err(DataError(format!(
            "the data folder {path} belongs to another user (uid {owner}; this one is uid {own}), who could read and change all that is in it: run this as that user, give it to this user (`chown -R {own} {path}`), or choose a folder of this user's with --data or MADOGUCHI_DATA"
        )));
    }
    Ok(())
}

/// Takes from others what rights they have in the folder, from the outside in, so that no other user can put
/// anything else in its place meanwhile.
fn close_to_others(data: &Path) {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    let own = rustix::process::geteuid().as_raw();
    let (mut closed, mut failed, mut looked_at) = (0_usize, None, 0_usize);
    let mut close = |path: &Path| -> Option<fs::Metadata> {
        let metadata = fs::symlink_metadata(path).ok()?;
        let is_ours = metadata.uid() == own && !metadata.is_symlink();
        if is_ours && metadata.mode() & 0o077 != 0 {
            let mode = if metadata.is_dir() { 0o700 } else { 0o600 };
            match fs::set_permissions(path, fs::Permissions::from_mode(mode)) {
                Ok(()) => closed += 1,
                Err(error) => failed = Some(format!("{}: {error}", path.display())),
            }
        }
        Some(metadata)
    };
    // The folder may be reached by a link.
    let resolved = fs::canonicalize(data).unwrap_or_else(|_| data.to_owned());
    close(&resolved);
    let mut open: Vec<_> = host_files().chain([LOCK]).map(|it| resolved.join(it)).collect();
    while let Some(path) = open.pop() {
        looked_at += 1;
        if looked_at > LOOKED_AT_MAX {
            failed = Some(format!("there are more than {LOOKED_AT_MAX} files"));
            break;
        }
        if close(&path).is_some_and(|it| it.is_dir()) {
            open.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|it| it.path()));
        }
    }
    let shown = data.display();
    if closed > 0 {
        tracing::warn!(
            "{shown}: other users of this machine could look into the data folder; {closed} files and folders are now this user's alone (modes 0700 and 0600)"
        );
    }
    if let Some(why) = failed {
        tracing::warn!("{shown}: not all of it can be made this user's alone: {why}");
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use tempfile::tempdir;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).expect("it is there").permissions().mode() & 0o777
    }

    #[test]
    fn folder_is_locked_without_the_file_of_its_lock() {
        let home = tempdir().unwrap();
        let first = Data::take(home.path()).unwrap();
        for is_removed in [false, true] {
            if is_removed {
                fs::remove_file(home.path().join(LOCK)).unwrap();
            }
            let second = Data::take(home.path()).expect_err("another has it").to_string();
            assert!(second.contains("another server"), "{second}");
        }
        drop(first);
        assert!(Data::take(home.path()).is_ok());
    }

    #[test]
    fn makes_only_own_files_private() {
        let home = tempdir().unwrap();
        let data = home.path().join("data");
        for folder in ["data/databases", "data/compiled", "mine"] {
            fs::create_dir_all(home.path().join(folder)).unwrap();
        }
        for (file, wide) in [("databases/a.db", 0o644), ("seal.key", 0o640), ("notes", 0o755)] {
            fs::write(data.join(file), "").unwrap();
            fs::set_permissions(data.join(file), fs::Permissions::from_mode(wide)).unwrap();
        }
        fs::write(home.path().join("mine/else"), "").unwrap();
        fs::set_permissions(home.path().join("mine/else"), fs::Permissions::from_mode(0o644))
            .unwrap();
        symlink(home.path().join("mine/else"), data.join("databases/link")).unwrap();
        for folder in ["", "databases", "compiled"] {
            fs::set_permissions(data.join(folder), fs::Permissions::from_mode(0o755)).unwrap();
        }
        let _data = Data::take(&data).unwrap();
        assert_eq!((mode(&data), mode(&data.join("databases"))), (0o700, 0o700));
        assert_eq!(
            (mode(&data.join("databases/a.db")), mode(&data.join("seal.key"))),
            (0o600, 0o600)
        );
        assert_eq!(mode(&data.join(LOCK)), 0o600);
        assert_eq!(mode(&data.join("notes")), 0o755, "not ours");
        assert_eq!(mode(&home.path().join("mine/else")), 0o644, "behind a link");
        assert_eq!(mode(&data.join("compiled")), 0o755, "whoever keeps code there throws it away");
    }

    /// OPS-3
    #[test]
    fn counts_bytes_of_each_part() {
        let home = tempdir().unwrap();
        for folder in ["databases", "audit", "mine"] {
            fs::create_dir(home.path().join(folder)).unwrap();
        }
        for (file, bytes) in
            [("databases/a.db", 5), ("databases/b.db", 7), ("mine/x", 9), ("seal.key", 3)]
        {
            fs::write(home.path().join(file), vec![0; bytes]).unwrap();
        }
        symlink(home.path().join("mine"), home.path().join("audit/link")).unwrap();
        let part = |it: Taken| (it.name, it.files, it.bytes);
        let found: Vec<_> = taken(home.path()).into_iter().map(part).collect();
        let link = fs::symlink_metadata(home.path().join("audit/link")).unwrap().len();
        let expected = [("audit", 1, link), ("databases", 2, 12), ("seal.key", 1, 3)]
            .map(|(name, files, bytes)| (name.to_owned(), files, bytes));
        assert_eq!(found, expected);
    }

    /// STO-43: a process killed during a move.
    #[test]
    fn completes_interrupted_move_before_use() {
        let home = tempdir().unwrap();
        for folder in
            [".moved/databases", ".moved/approvals", ".moved/blobs/ab", "blobs/cd", "tasks"]
        {
            fs::create_dir_all(home.path().join(folder)).unwrap();
        }
        for file in [".moved/databases/a.db", ".moved/blobs/ab/x", ".moved/seal.key", "blobs/cd/y"]
        {
            fs::write(home.path().join(file), "of the move").unwrap();
        }
        fs::write(home.path().join("seal.key"), "of before").unwrap();
        let _data = Data::take(home.path()).unwrap();
        for file in ["databases/a.db", "blobs/ab/x", "seal.key", "blobs/cd/y"] {
            assert_eq!(fs::read(home.path().join(file)).unwrap(), b"of the move", "{file}");
        }
        assert!(home.path().join("approvals").is_dir() && !home.path().join(MOVED).exists());
    }

    #[test]
    fn locks_folder_and_names_the_holder() {
        let home = tempdir().unwrap();
        let first = Data::take(home.path()).unwrap();
        let error = Data::take(home.path()).unwrap_err();
        let holder = format!("another server (process {}) runs", std::process::id());
        assert!(error.0.starts_with(&holder) && error.0.contains("stop that one first"), "{error}");
        drop(first);
        Data::take(home.path()).unwrap();
    }

    #[test]
    fn rejects_world_readable_folder() {
        let home = tempdir().unwrap();
        fs::set_permissions(home.path(), fs::Permissions::from_mode(0o1777)).unwrap();
        let error = Data::take(home.path()).unwrap_err();
        assert!(error.0.contains("for everybody's files (mode 1777)"), "{error}");
        assert_eq!(mode(home.path()), 0o777, "it is left as it is");
    }
}
