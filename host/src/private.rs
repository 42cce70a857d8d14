//! Files and folders that nobody else on the machine can look into.

use std::{
    fs,
    io::{self, Write},
    path::Path,
};

/// Makes a folder, and those above it, for this user alone.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Writes beside and renames: nobody sees half of it, nor may anybody else read it at any time.
pub(crate) fn write(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = file.with_extension(format!("tmp-{}", std::process::id()));
    let _ = fs::remove_file(&beside);
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(&beside)?.write_all(bytes)?;
    fs::rename(&beside, file)
}
