//! Backs up a data folder, also of a running server, and restores it.

use std::{
    collections::BTreeMap,
    fmt::Display,
    fs::{self, File},
    io::{self, Read, Write},
    path::{Component, Path, PathBuf},
    time::SystemTime,
};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    data::{BACKUP, DATABASES, Data, DataError, KEPT},
    database::{self, Staging},
    digest::hexadecimal,
    private,
};

/// The list of the files that a backup has; it is written last.
const LIST: &str = "backup.json";
/// Files that a backup may have.
const FILES_MAX: usize = 2_000_000;
/// Bytes that its list may have.
const LIST_BYTES_MAX: u64 = 512 << 20;
/// Bytes that are copied at a time.
const PIECE: usize = 256 << 10;

/// The list of what a backup has.
#[derive(Debug, Serialize, Deserialize)]
pub struct List {
    /// The version of the program that made it.
    pub version: String,
    /// Creation time (UTC).
    pub made_at: String,
    /// The files by their paths, with `/` between the parts.
    pub files: BTreeMap<String, FileSeen>,
}

/// One file of a backup.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSeen {
    /// The size in bytes.
    pub bytes: u64,
    /// SHA-256 of the content, in hexadecimal.
    pub sha256: String,
}

/// Copies the data folder `data` to the missing or empty folder `to`. Each database is consistent; blobs are copied
/// after the databases that name them.
pub fn write(data: &Path, to: &Path) -> Result<List, DataError> {
    check_data(data)?;
    private::make_folder(to).map_err(|it| failed(to, it))?;
    if fs::read_dir(to).map_err(|it| failed(to, it))?.next().is_some() {
        let to = to.display();
        return Err(DataError(format!("{to} is there and not empty; name a new folder")));
    }
    let resolved = |it: &Path| fs::canonicalize(it).map_err(|error| failed(it, error));
    if resolved(to)?.starts_with(resolved(data)?) {
        let _ = fs::remove_dir(to);
        return Err(DataError(format!(
            "{} is in the data folder itself; name a folder elsewhere, best on another disk",
            to.display()
        )));
    }
    let list = gather(data, &mut Folder(to))?;
    let (file, text) = (to.join(LIST), serde_json::to_vec(&list).unwrap_or_default());
    let written = private::write(&file, &text).and_then(|()| File::open(&file)?.sync_all());
    written.map_err(|it| failed(&file, it))?;
    Ok(list)
}

/// Writes the backup as a tar archive that ends with its list; without it, it is incomplete. Databases are copied
/// aside first, so that a slow reader blocks none.
///
/// # Errors
/// See [`DataError`], and when `to` fails.
pub fn archive(data: &Path, to: impl Write) -> Result<List, DataError> {
    check_data(data)?;
    let beside = data.join(BACKUP);
    clear(&beside)?;
    let mut archive = Archive { to: tar::Builder::new(to), beside: &beside };
    let list = gather(data, &mut archive).and_then(|list| {
        let text = serde_json::to_vec(&list).unwrap_or_default();
        let mut header = header(text.len() as u64, SystemTime::now());
        let appended = archive.to.append_data(&mut header, LIST, &text[..]);
        let ended = appended.and_then(|()| archive.to.finish());
        ended.map_err(|it| failed(Path::new(LIST), it))?;
        Ok(list)
    });
    clear(&beside)?;
    list
}

fn check_data(data: &Path) -> Result<(), DataError> {
    match data.join(DATABASES).is_dir() || data.join("seal.key").is_file() {
        true => Ok(()),
        false => Err(DataError(format!("{} is no data folder; see --data", data.display()))),
    }
}

fn clear(folder: &Path) -> Result<(), DataError> {
    private::if_exists(fs::remove_dir_all(folder)).map(drop).map_err(|it| failed(folder, it))
}

/// Destination of a backup.
trait Target {
    /// Adds a consistent copy of a database.
    fn database(&mut self, path: &Path, name: &str) -> Result<FileSeen, DataError>;
    /// Takes a file, with the time of its last change.
    fn file(&mut self, path: &Path, name: &str) -> io::Result<FileSeen>;
}

struct Folder<'a>(&'a Path);

impl Target for Folder<'_> {
    fn database(&mut self, path: &Path, name: &str) -> Result<FileSeen, DataError> {
        let copy = self.0.join(name);
        copied(path, &copy)?;
        look(&copy).map_err(|it| failed(&copy, it))
    }

    fn file(&mut self, path: &Path, name: &str) -> io::Result<FileSeen> {
        copy(path, &self.0.join(name))
    }
}

struct Archive<'a, W: Write> {
    to: tar::Builder<W>,
    /// Temporary folder of database copies.
    beside: &'a Path,
}

impl<W: Write> Target for Archive<'_, W> {
    fn database(&mut self, path: &Path, name: &str) -> Result<FileSeen, DataError> {
        let copy = self.beside.join("one.db");
        copied(path, &copy)?;
        let sent = self.file(&copy, name);
        fs::remove_file(&copy).map_err(|it| failed(&copy, it))?;
        sent.map_err(|it| failed(path, it))
    }

    fn file(&mut self, path: &Path, name: &str) -> io::Result<FileSeen> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        let bytes = metadata.len();
        let mut header = header(bytes, metadata.modified()?);
        // A log may grow meanwhile; its first length is copied.
        let mut seen = Seen { from: file.take(bytes), digest: Sha256::new(), bytes: 0 };
        self.to.append_data(&mut header, name, &mut seen)?;
        if seen.bytes != bytes {
            return Err(io::Error::other("it became shorter while it was read"));
        }
        Ok(FileSeen { bytes, sha256: hexadecimal(&seen.digest.finalize()) })
    }
}

/// The header of a file that none but its owner may read.
fn header(bytes: u64, changed_at: SystemTime) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::Regular);
    header.set_size(bytes);
    header.set_mode(0o600);
    let since = changed_at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    header.set_mtime(since.as_secs());
    header
}

/// Reader that counts and hashes.
struct Seen<R> {
    from: R,
    digest: Sha256,
    bytes: u64,
}

impl<R: Read> Read for Seen<R> {
    fn read(&mut self, piece: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(piece)?;
        self.digest.update(&piece[..read]);
        self.bytes += read as u64;
        Ok(read)
    }
}

fn copied(path: &Path, copy: &Path) -> Result<(), DataError> {
    let folder = copy.parent().unwrap_or(copy);
    private::make_folder(folder).map_err(|it| failed(copy, it))?;
    database::copy(path, copy).map_err(|it| failed(path, it))
}

/// Hands over all that a backup has, the databases first.
fn gather(data: &Path, to: &mut impl Target) -> Result<List, DataError> {
    let mut files = BTreeMap::new();
    for path in databases(data)? {
        let name =
            format!("{DATABASES}/{}", path.file_name().unwrap_or_default().to_string_lossy());
        let seen = to.database(&path, &name)?;
        files.insert(name, seen);
    }
    let mut open: Vec<String> = KEPT.iter().map(|it| (*it).to_owned()).collect();
    while let Some(name) = open.pop() {
        let path = data.join(&name);
        let metadata = private::if_exists(fs::symlink_metadata(&path));
        // Files removed meanwhile are not needed.
        let Some(metadata) = metadata.map_err(|it| failed(&path, it))? else { continue };
        if metadata.is_dir() {
            let entries = fs::read_dir(&path).and_then(Iterator::collect::<io::Result<Vec<_>>>);
            let entries = entries.map_err(|it| failed(&path, it))?.into_iter();
            let names = entries.filter_map(|it| it.file_name().into_string().ok());
            let kept =
                names.filter(|it| *it != "arriving" && !it.contains(".tmp-") && it != "probe");
            open.extend(kept.map(|it| format!("{name}/{it}")));
            continue;
        }
        if !metadata.is_file() {
            continue;
        }
        match to.file(&path, &name) {
            Ok(seen) => _ = files.insert(name, seen),
            Err(error) if error.kind() == io::ErrorKind::NotFound && !path.exists() => {}
            Err(error) => return Err(failed(&path, error)),
        }
        if files.len() > FILES_MAX {
            let why = format!("there are more than {FILES_MAX} files");
            return Err(failed(data, io::Error::other(why)));
        }
    }
    let made_at = jiff::Timestamp::try_from(SystemTime::now()).unwrap_or_default().to_string();
    Ok(List { version: env!("CARGO_PKG_VERSION").to_owned(), made_at, files })
}

/// Restores a backup into the data folder `data`, which must have no data. All files are verified first and moved
/// into place in one step.
pub fn restore(from: &Path, data: &Path) -> Result<List, DataError> {
    let no_backup = |what: String| {
        DataError(format!("{} is no whole backup: {what}; nothing was restored", from.display()))
    };
    let list = read_list(from).map_err(|what| no_backup(format!("{LIST}: {what}")))?;
    for (name, expected) in &list.files {
        if !is_restored(name) {
            return Err(no_backup(format!("{name:?} is no file of a data folder")));
        }
        let seen = look(&from.join(name)).map_err(|it| no_backup(format!("{name}: {it}")))?;
        if seen != *expected {
            return Err(no_backup(format!("{name} is not as it was written")));
        }
    }
    let folder = Data::take(data)?;
    if folder.has_data() {
        return Err(DataError(format!(
            "the data folder {} has data already, which is not written over: move it away first, or name another with --data",
            data.display()
        )));
    }
    let staging = Staging::begin(data)?;
    for name in list.files.keys() {
        let path = staging.folder().join(name);
        copy(&from.join(name), &path).map_err(|it| failed(&path, it))?;
    }
    staging.install()?;
    Ok(list)
}

/// DataError for a path.
fn failed(path: &Path, error: impl Display) -> DataError {
    DataError(format!("{}: {error}", path.display()))
}

fn databases(data: &Path) -> Result<Vec<PathBuf>, DataError> {
    let folder = data.join(DATABASES);
    let entries = private::if_exists(fs::read_dir(&folder))
        .and_then(|it| it.into_iter().flatten().collect::<io::Result<Vec<_>>>());
    let entries = entries.map_err(|it| failed(&folder, it))?;
    let paths = entries.into_iter().map(|it| it.path());
    Ok(paths.filter(|it| it.extension().is_some_and(|it| it == "db") && !it.is_dir()).collect())
}

fn read_list(from: &Path) -> io::Result<List> {
    let file = from.join(LIST);
    let length = fs::metadata(&file)?.len();
    if length > LIST_BYTES_MAX {
        return Err(io::Error::other(format!("it has {length} bytes")));
    }
    Ok(serde_json::from_slice(&fs::read(&file)?)?)
}

/// Whether a backup may have a file of that name: it stays in the folder, and is one of ours.
fn is_restored(name: &str) -> bool {
    let path = Path::new(name);
    let is_within = path.components().all(|it| matches!(it, Component::Normal(_)));
    let first = path.components().next().and_then(|it| it.as_os_str().to_str());
    is_within && first.is_some_and(|it| it == DATABASES || KEPT.contains(&it))
}

/// The size and digest of a file.
fn look(path: &Path) -> io::Result<FileSeen> {
    pass(&mut File::open(path)?, &mut io::sink())
}

/// Copies a file with the time of its last change, which is a blob's last use.
fn copy(from: &Path, to: &Path) -> io::Result<FileSeen> {
    let mut source = File::open(from)?;
    if let Some(folder) = to.parent() {
        private::make_folder(folder)?;
    }
    let mut copy = private::create_new(to)?;
    let seen = pass(&mut source, &mut copy)?;
    copy.set_modified(source.metadata()?.modified()?)?;
    copy.sync_data()?;
    Ok(seen)
}

fn pass(from: &mut impl Read, to: &mut impl Write) -> io::Result<FileSeen> {
    let (mut digest, mut bytes, mut piece) = (Sha256::new(), 0, vec![0; PIECE]);
    loop {
        let read = from.read(&mut piece)?;
        if read == 0 {
            return Ok(FileSeen { bytes, sha256: hexadecimal(&digest.finalize()) });
        }
        digest.update(&piece[..read]);
        to.write_all(&piece[..read])?;
        bytes += read as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restores_only_known_relative_paths() {
        for name in ["databases/a.db", "seal.key", "blobs/ab/cd/x", "tasks/1.task"] {
            assert!(is_restored(name), "{name}");
        }
        for name in
            ["", "..", "databases/../../x", "/etc/passwd", "operator.json", "x", "./seal.key"]
        {
            assert!(!is_restored(name), "{name}");
        }
    }
}
