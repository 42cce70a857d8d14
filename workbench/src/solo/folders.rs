//! Snapshots of granted folders in a record, taken before the call, so that a replay finds the same files.

use std::{
    fs::{self, DirBuilder, File, FileTimes, Permissions},
    io::{self, Read as _, Write as _},
    os::unix::fs::{DirBuilderExt as _, PermissionsExt as _, symlink},
    path::{Component, Path, PathBuf},
    time::{Duration, UNIX_EPOCH},
};

use data_encoding::BASE64;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use super::Solo;

/// Bytes that all files of all folders of a record may have.
const BYTES_MAX: u64 = 8 << 20;
/// Files, folders and links that all folders of a record may have.
const ENTRIES_MAX: usize = 4_096;
/// Folders in one another.
const DEPTH_MAX: usize = 32;

/// A folder that was lent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lent {
    /// Its path as the component has it.
    pub guest: String,
    /// Entries; folders precede their content.
    pub entries: Vec<Entry>,
}

/// A file, a folder or a link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The path from the folder that was lent.
    pub path: String,
    /// Modification time: seconds and nanoseconds since 1970.
    #[serde(default)]
    pub changed_at: (u64, u32),
    /// Content.
    pub is: Content,
}

/// Content of an entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Content {
    /// A folder.
    Folder,
    /// A link, by the path that it names.
    Link(String),
    /// A file of text.
    Text(String),
    /// A file of other bytes.
    Base64(String),
}

/// Remaining limits while reading.
struct Left {
    bytes: u64,
    entries: usize,
}

impl Solo {
    /// Has it read copies of its folders, which are there as long as the second one is: what a record has is then what
    /// the call reads, in the order in which a replay reads it.
    ///
    /// # Errors
    /// When a folder cannot be read or copied, or they have more than a record may have.
    pub(crate) fn copy_folders(&mut self) -> Result<(Vec<Lent>, LaidOut), String> {
        let lent = read(&self.folders)?;
        let laid_out = LaidOut::create(&lent)?;
        self.folders.clone_from(&laid_out.folders);
        Ok((lent, laid_out))
    }
}

/// Reads the folders, each under the name that the component has for it.
///
/// # Errors
/// When one cannot be read, or they have more than a record may have.
fn read(folders: &[(String, PathBuf)]) -> Result<Vec<Lent>, String> {
    let mut left = Left { bytes: BYTES_MAX, entries: ENTRIES_MAX };
    let one = |(guest, path): &(String, PathBuf)| {
        let mut entries = Vec::new();
        read_into(&mut entries, (path, Path::new("")), &mut left, 0)
            .map_err(|it| format!("the folder {guest} is not recorded: {it}"))?;
        Ok(Lent { guest: guest.clone(), entries })
    };
    folders.iter().map(one).collect()
}

fn read_into(
    entries: &mut Vec<Entry>,
    (root, folder): (&Path, &Path),
    left: &mut Left,
    depth: usize,
) -> Result<(), String> {
    let here = root.join(folder);
    let error = |path: &Path| {
        let path = path.display().to_string();
        move |it: io::Error| format!("{path}: {it}")
    };
    if depth > DEPTH_MAX {
        return Err(format!("{} is deeper than {DEPTH_MAX} folders", here.display()));
    }
    let mut found = fs::read_dir(&here)
        .and_then(|it| it.take(left.entries + 1).collect::<Result<Vec<_>, _>>())
        .map_err(error(&here))?;
    found.sort_by_key(fs::DirEntry::file_name);
    for entry in found {
        let path = folder.join(entry.file_name());
        let at = root.join(&path);
        let kind = entry.file_type().map_err(error(&at))?;
        let name = path.to_str().map(str::to_owned);
        let name = name.ok_or_else(|| format!("{} is no UTF-8", at.display()))?;
        left.entries = left.entries.checked_sub(1).ok_or_else(too_much)?;
        let is = match () {
            () if kind.is_dir() => Content::Folder,
            () if kind.is_symlink() => {
                let to = fs::read_link(&at).map_err(error(&at))?;
                Content::Link(to.to_str().unwrap_or_default().to_owned())
            }
            () if kind.is_file() => {
                let mut bytes = Vec::new();
                let file = File::open(&at).map_err(error(&at))?;
                file.take(left.bytes + 1).read_to_end(&mut bytes).map_err(error(&at))?;
                left.bytes = left.bytes.checked_sub(bytes.len() as u64).ok_or_else(too_much)?;
                match String::from_utf8(bytes) {
                    Ok(text) => Content::Text(text),
                    Err(it) => Content::Base64(BASE64.encode(it.as_bytes())),
                }
            }
            // Pipes and the like: none that a component can open.
            () => continue,
        };
        let changed = entry.metadata().and_then(|it| it.modified()).map_err(error(&at))?;
        let changed = changed.duration_since(UNIX_EPOCH).unwrap_or_default();
        let is_folder = is == Content::Folder;
        // A link's own time is none that can be set.
        let changed_at = match is {
            Content::Link(_) => (0, 0),
            _ => (changed.as_secs(), changed.subsec_nanos()),
        };
        entries.push(Entry { path: name, changed_at, is });
        if is_folder {
            read_into(entries, (root, &path), left, depth + 1)?;
        }
    }
    Ok(())
}

fn too_much() -> String {
    format!(
        "all folders together have more than {BYTES_MAX} bytes or {ENTRIES_MAX} entries; lend a smaller one"
    )
}

/// Folders that were laid out, for as long as this is there.
#[derive(Default)]
pub(crate) struct LaidOut {
    /// The component's names for them, and where they lie.
    pub(crate) folders: Vec<(String, PathBuf)>,
    held: Vec<TempDir>,
}

impl LaidOut {
    /// Lays the folders of a record out, readable by this user alone.
    ///
    /// # Errors
    /// When the disk refuses, or an entry is none that a folder can have.
    pub(crate) fn create(lent: &[Lent]) -> Result<Self, String> {
        let mut laid_out = Self::default();
        for Lent { guest, entries } in lent {
            let folder = new_folder().map_err(|it| format!("the folder {guest}: {it}"))?;
            lay(folder.path(), entries).map_err(|it| format!("the folder {guest}: {it}"))?;
            laid_out.folders.push((guest.clone(), folder.path().to_owned()));
            laid_out.held.push(folder);
        }
        Ok(laid_out)
    }
}

/// A folder that this user alone can look into, and that is gone when it is dropped.
pub(super) fn new_folder() -> io::Result<TempDir> {
    let own = Permissions::from_mode(0o700);
    tempfile::Builder::new().prefix("madoguchi-").permissions(own).tempdir()
}

/// Links come last, so that nothing is written through one.
fn lay(folder: &Path, entries: &[Entry]) -> Result<(), String> {
    if entries.len() > ENTRIES_MAX {
        return Err(too_much());
    }
    for Entry { path, is, .. } in entries {
        let is_below = Path::new(path).components().all(|it| matches!(it, Component::Normal(_)));
        if !is_below || path.is_empty() {
            return Err(format!("{path:?} is no path below it"));
        }
        let at = folder.join(path);
        let made = match is {
            Content::Folder => DirBuilder::new().mode(0o700).create(&at),
            Content::Text(text) => file(&at, text.as_bytes()),
            Content::Base64(text) => {
                let bytes = BASE64.decode(text.as_bytes());
                file(&at, &bytes.map_err(|_| format!("{path:?} is no base64"))?)
            }
            Content::Link(_) => Ok(()),
        };
        made.map_err(|it| format!("{path:?}: {it}"))?;
    }
    for entry in entries {
        if let Content::Link(to) = &entry.is {
            symlink(to, folder.join(&entry.path))
                .map_err(|error| format!("{:?}: {error}", entry.path))?;
        }
    }
    // Content changes a folder's time, so the innermost come first.
    for entry in entries.iter().rev().filter(|entry| !matches!(entry.is, Content::Link(_))) {
        let (seconds, nanoseconds) = entry.changed_at;
        let since =
            Duration::from_secs(seconds).checked_add(Duration::from_nanos(nanoseconds.into()));
        let times = since.and_then(|it| UNIX_EPOCH.checked_add(it));
        let times = FileTimes::new().set_modified(times.unwrap_or(UNIX_EPOCH));
        let set = File::open(folder.join(&entry.path)).and_then(|it| it.set_times(times));
        set.map_err(|error| format!("{:?}: {error}", entry.path))?;
    }
    Ok(())
}

fn file(at: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create_new(at)?;
    file.set_permissions(Permissions::from_mode(0o600))?;
    file.write_all(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home() -> TempDir {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join("maps/old")).unwrap();
        fs::write(home.path().join("maps/old/a.txt"), "here").unwrap();
        fs::write(home.path().join("b"), [0xff, 0]).unwrap();
        symlink("maps/old/a.txt", home.path().join("link")).unwrap();
        home
    }

    fn lent(home: &Path) -> Result<Vec<Lent>, String> {
        read(&[("/data".to_owned(), home.to_owned())])
    }

    #[test]
    fn restores_folder_and_removes_it() {
        let home = home();
        let was = lent(home.path()).unwrap();
        let laid_out = LaidOut::create(&was).unwrap();
        let (guest, folder) = laid_out.folders[0].clone();
        assert_eq!(guest, "/data");
        assert_eq!(lent(&folder).unwrap(), was, "with times and links");
        assert_eq!(fs::read(folder.join("link")).unwrap(), b"here");
        assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o077, 0);
        drop(laid_out);
        assert!(!folder.exists());
    }

    #[test]
    fn oversized_folder_names_its_limit() {
        let home = home();
        let large = File::create(home.path().join("large")).unwrap();
        large.set_len(BYTES_MAX + 1).unwrap();
        let why = lent(home.path()).unwrap_err();
        assert!(why.contains("/data is not recorded") && why.contains("8388608 bytes"), "{why}");
    }

    #[test]
    fn writes_nothing_outside_the_folder() {
        let outside = tempfile::tempdir().unwrap();
        let text = |path: &str| Entry {
            path: path.to_owned(),
            changed_at: (0, 0),
            is: Content::Text("evil".to_owned()),
        };
        let target = outside.path().to_str().unwrap().to_owned();
        let link = Entry { is: Content::Link(target.clone()), ..text("out") };
        for entries in [
            vec![text("../evil")],
            vec![text(&format!("{target}/evil"))],
            vec![link, text("out/evil")],
            vec![text("")],
            vec![text("twice"), text("twice")],
        ] {
            let lent = Lent { guest: "/data".to_owned(), entries };
            assert!(LaidOut::create(std::slice::from_ref(&lent)).is_err(), "{lent:?}");
        }
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    }
}
