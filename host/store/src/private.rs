//! Files and folders that no other user of the machine can look into.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::Path,
};

/// Makes a folder, and those above it, for this user alone.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

/// What was found; none where it is not there.
pub fn there<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

/// How a file is opened that no other user may read, should it come to be now.
pub fn options() -> fs::OpenOptions {
    let mut options = File::options();
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Makes a file that is not there yet.
pub fn create_new(file: &Path) -> io::Result<File> {
    options().write(true).create_new(true).open(file)
}

/// Whether `bytes` find room in the folder of `file`, which is written and removed again.
pub(crate) fn try_out(file: &Path, bytes: usize) -> io::Result<()> {
    let _ = fs::remove_file(file);
    let written = create_new(file).and_then(|mut it| {
        it.write_all(&vec![0xA5; bytes])?;
        it.sync_data()
    });
    // It may never have come to be; then there is nothing to remove.
    let _ = fs::remove_file(file);
    written
}

/// Writes beside and renames: half of it is never seen, not after a power cut either, and no other user may read it at
/// any time. It is on disk once this returns, for what follows may happen only once.
pub fn write(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = file.with_extension(format!("tmp-{}", std::process::id()));
    let _ = fs::remove_file(&beside);
    let written = create_new(&beside).and_then(|mut it| {
        it.write_all(bytes)?;
        it.sync_data()
    });
    // What a full disk left half written would fill it further.
    written
        .and_then(|()| fs::rename(&beside, file))
        .inspect_err(|_| _ = fs::remove_file(&beside))?;
    sync_name(file)
}

/// Has the disk keep the name of `file`, where its file system can be told so.
fn sync_name(file: &Path) -> io::Result<()> {
    let folder = file.parent().filter(|it| !it.as_os_str().is_empty());
    let synced = File::open(folder.unwrap_or(Path::new("."))).and_then(|it| it.sync_all());
    match synced.as_ref().map_err(io::Error::kind) {
        Err(io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        _ => synced,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_file_in_a_folder_and_by_bare_name() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("file");
        for bytes in [b"one".as_slice(), b"another"] {
            write(&file, bytes).unwrap();
            assert_eq!(fs::read(&file).unwrap(), bytes);
        }
        sync_name(Path::new("seal.key")).unwrap();
        assert!(sync_name(Path::new("/no/such/folder/seal.key")).is_err());
    }
}
