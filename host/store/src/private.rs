//! Files and folders private to this user.

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

/// Converts "not found" to `None`.
pub fn if_exists<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

/// Options that create files private to the user.
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
pub(crate) fn check_room(file: &Path, bytes: usize) -> io::Result<()> {
    let _ = fs::remove_file(file);
    let written = create_new(file).and_then(|mut created| {
        created.write_all(&vec![0xA5; bytes])?;
        created.sync_data()
    });
    // The file may not exist; then nothing is removed.
    let _ = fs::remove_file(file);
    written
}

/// Writes a private file atomically and durably: to a temporary file, then renamed and synced, because what follows
/// may happen only once.
pub fn write(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = file.with_extension(format!("tmp-{}", std::process::id()));
    let _ = fs::remove_file(&beside);
    let written = create_new(&beside).and_then(|mut created| {
        created.write_all(bytes)?;
        created.sync_data()
    });
    // A partial file would fill the disk further.
    written
        .and_then(|()| fs::rename(&beside, file))
        .inspect_err(|_| _ = fs::remove_file(&beside))?;
    sync_name(file)
}

/// Syncs the directory entry of `file`, where supported.
fn sync_name(file: &Path) -> io::Result<()> {
    let folder = file.parent().filter(|it| !it.as_os_str().is_empty());
    let synced = File::open(folder.unwrap_or(Path::new("."))).and_then(|it| it.sync_all());
    match synced.as_ref().map_err(io::Error::kind) {
        Err(io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        // A folder that may be written and not read: what is synced with the file has to do.
        Err(io::ErrorKind::PermissionDenied) => File::open(file).and_then(|it| it.sync_all()),
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
        // Root may read each folder: this says something of other users alone.
        let permit = |mode| {
            let rights = std::os::unix::fs::PermissionsExt::from_mode(mode);
            fs::set_permissions(home.path(), rights).unwrap();
        };
        permit(0o300);
        write(&file, b"third").unwrap();
        permit(0o700);
        assert_eq!(fs::read(&file).unwrap(), b"third");
        sync_name(Path::new("seal.key")).unwrap();
        assert!(sync_name(Path::new("/no/such/folder/seal.key")).is_err());
    }
}
