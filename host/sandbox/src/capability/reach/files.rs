//! Files that are granted by name: opened once, read by position, never on the way of other calls.

use std::{
    collections::BTreeMap,
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::ReachError;
use store::blobs::read_at;

/// The files of one component.
#[derive(Clone, Default)]
pub struct Files {
    /// None where the file is granted and cannot be opened.
    files: BTreeMap<String, Option<Arc<GrantedFile>>>,
}

/// One file, open.
pub struct GrantedFile {
    file: Arc<File>,
}

/// What there is under a name.
pub enum Lookup {
    Open(Arc<GrantedFile>),
    Broken,
    NotGranted,
}

impl Files {
    /// Grants the file at `path` under `name`.
    ///
    /// # Errors
    /// When it cannot be opened, or is not a file.
    pub fn add(&mut self, name: &str, path: PathBuf) -> Result<(), ReachError> {
        let opened = open(&path).map(|file| Arc::new(GrantedFile { file: Arc::new(file) }));
        let (file, error) = match opened {
            Ok(file) => (Some(file), None),
            Err(source) => {
                (None, Some(ReachError { what: "file", name: name.to_owned(), path, source }))
            }
        };
        self.files.insert(name.to_owned(), file);
        error.map_or(Ok(()), Err)
    }

    pub fn get(&self, name: &str) -> Lookup {
        match self.files.get(name) {
            Some(Some(file)) => Lookup::Open(file.clone()),
            Some(None) => Lookup::Broken,
            None => Lookup::NotGranted,
        }
    }
}

/// Opens a file, and nothing that would wait for somebody at its other end.
fn open(path: &Path) -> io::Result<File> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file"));
    }
    File::open(path)
}

impl GrantedFile {
    pub fn size(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// Up to `length` bytes from `offset`.
    ///
    /// What the system has in memory is copied at once, in microseconds. Only what must come from
    /// the disk takes the way over a thread that may wait, for else every call on this worker
    /// would wait with it.
    pub async fn read(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let left = self.size()?.saturating_sub(offset);
        let length = usize::try_from(left).unwrap_or(usize::MAX).min(length);
        let mut bytes = vec![0; length];
        let found = read_in_memory(&self.file, &mut bytes, offset);
        if found == length {
            return Ok(bytes);
        }
        let file = self.file.clone();
        let read = move || {
            let more = read_at(&file, &mut bytes[found..], offset + found as u64)?;
            bytes.truncate(found + more);
            Ok(bytes)
        };
        tokio::task::spawn_blocking(read).await.map_err(io::Error::other)?
    }
}

/// As much as is in memory already; none where the system cannot tell.
#[cfg(target_os = "linux")]
fn read_in_memory(file: &File, bytes: &mut [u8], offset: u64) -> usize {
    use rustix::io::{ReadWriteFlags, preadv2};
    let mut slices = [io::IoSliceMut::new(bytes)];
    preadv2(file, &mut slices, offset, ReadWriteFlags::NOWAIT).unwrap_or(0)
}

#[cfg(not(target_os = "linux"))]
fn read_in_memory(_: &File, _: &mut [u8], _: u64) -> usize {
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_piece_is_read_by_its_place_and_none_behind_the_end() {
        let path = std::env::temp_dir().join(format!("madoguchi-file-{}", std::process::id()));
        std::fs::write(&path, b"0123456789").unwrap();
        let mut files = Files::default();
        files.add("map", path.clone()).unwrap();
        let Lookup::Open(file) = files.get("map") else { panic!("it is granted") };
        assert_eq!(file.size().unwrap(), 10);
        assert_eq!(file.read(3, 4).await.unwrap(), b"3456");
        assert_eq!(file.read(8, 100).await.unwrap(), b"89");
        assert_eq!(file.read(u64::MAX, 4).await.unwrap(), b"");
        assert!(matches!(files.get("other"), Lookup::NotGranted));
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn what_is_no_file_is_named_with_its_path() {
        let mut files = Files::default();
        let error = files.add("map", std::env::temp_dir()).unwrap_err().to_string();
        assert!(error.starts_with("file map: ") && error.contains("not a file"), "{error}");
        assert!(matches!(files.get("map"), Lookup::Broken));
    }
}
