//! Writes files only when their bytes change, and computes fingerprints of inputs.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// A folder's content by path within it, with `/` between the parts.
pub(crate) type Tree = BTreeMap<String, Vec<u8>>;

/// A fingerprint for caches of our own: it guards against stale files, not against an adversary.
pub(crate) fn fingerprint(value: &impl Hash) -> String {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// Writes atomically if bytes differ, so that watchers see complete files and real changes only. Returns whether it
/// wrote.
pub(crate) fn write_if_changed(path: &Path, bytes: &[u8]) -> Result<bool> {
    if fs::read(path).is_ok_and(|present| present == bytes) {
        return Ok(false);
    }
    let folder = path.parent().context("a file lies in a folder")?;
    let name = path.file_name().context("a file has a name")?.to_string_lossy();
    fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
    let beside = folder.join(format!(".{name}.{}.tmp", std::process::id()));
    fs::write(&beside, bytes).with_context(|| format!("writing {}", beside.display()))?;
    fs::rename(&beside, path).with_context(|| format!("writing {}", path.display()))?;
    Ok(true)
}

/// Makes a folder hold exactly this, touching no file that is right already.
pub(crate) fn mirror(folder: &Path, tree: &Tree) -> Result<()> {
    for (path, bytes) in tree {
        write_if_changed(&folder.join(path), bytes)?;
    }
    for path in paths_below(folder)? {
        if !tree.contains_key(&path) {
            let stale = folder.join(path);
            fs::remove_file(&stale).with_context(|| format!("removing {}", stale.display()))?;
        }
    }
    Ok(())
}

/// Reads a folder whole.
pub(crate) fn read_tree(folder: &Path) -> Result<Tree> {
    let paths = paths_below(folder)?;
    let read = |path: String| {
        let file = folder.join(&path);
        let bytes = fs::read(&file).with_context(|| format!("reading {}", file.display()))?;
        Ok((path, bytes))
    };
    paths.into_iter().map(read).collect()
}

/// The paths of the files in a folder, those in its folders among them. Sorted.
pub(crate) fn paths_below(folder: &Path) -> Result<Vec<String>> {
    let mut paths = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(inner) = open.pop() {
        let here = folder.join(&inner);
        for entry in fs::read_dir(&here).with_context(|| format!("reading {}", here.display()))? {
            let entry = entry?;
            let path = inner.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                open.push(path);
            } else {
                paths.push(path.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("xtask-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn equal_bytes_leave_the_file_untouched() {
        let folder = scratch("same");
        let file = folder.join("a.wasm");
        assert!(write_if_changed(&file, b"one").unwrap());
        let first = fs::metadata(&file).unwrap().modified().unwrap();
        assert!(!write_if_changed(&file, b"one").unwrap());
        assert_eq!(fs::metadata(&file).unwrap().modified().unwrap(), first);
        assert!(write_if_changed(&file, b"two").unwrap());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn mirrored_folder_holds_only_requested_files() {
        let folder = scratch("mirror");
        fs::write(folder.join("stale.js"), "old").unwrap();
        let tree = Tree::from([
            ("index.html".to_owned(), b"<p>".to_vec()),
            ("vendor/l.js".to_owned(), vec![1]),
        ]);
        mirror(&folder, &tree).unwrap();
        assert_eq!(read_tree(&folder).unwrap(), tree);
        fs::remove_dir_all(folder).unwrap();
    }
}
