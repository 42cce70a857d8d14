//! Folders that are granted for reading: opened once, shown to each call through WASI.

use std::{
    io,
    path::{Path, PathBuf},
};

use wasmtime_wasi::{FsPerms, WasiCtx, filesystem::WasiFilesystemCtx};

use super::ReachError;

/// The folders of one component. Links that lead out of a folder lead nowhere: paths are followed
/// one name at a time, beneath the folder that was opened.
#[derive(Clone, Default)]
pub struct Folders {
    granted: Vec<(String, PathBuf)>,
    open: Option<WasiFilesystemCtx>,
}

impl Folders {
    /// Shows the folder at `path` to the component as `guest`, for reading.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn add(&mut self, guest: &str, path: PathBuf) -> Result<(), ReachError> {
        let error = |source| ReachError {
            what: "folder",
            name: guest.to_owned(),
            path: path.clone(),
            source,
        };
        self.granted.push((guest.to_owned(), path.clone()));
        match open(&self.granted) {
            Ok(open) => {
                self.open = Some(open);
                Ok(())
            }
            Err(source) => {
                self.granted.pop();
                Err(error(source))
            }
        }
    }

    /// Gives a call what is open. Costs nothing where nothing is granted.
    pub fn show(&self, wasi: &mut WasiCtx) {
        if let Some(open) = &self.open {
            wasi.filesystem().clone_from(open);
        }
    }
}

fn open(granted: &[(String, PathBuf)]) -> io::Result<WasiFilesystemCtx> {
    let mut wasi = WasiCtx::builder();
    for (guest, path) in granted {
        check(path)?;
        wasi.preopened_dir(path, guest, FsPerms::ReadOnly).map_err(io::Error::other)?;
    }
    Ok(wasi.build().filesystem().clone())
}

fn check(path: &Path) -> io::Result<()> {
    if std::fs::metadata(path)?.is_dir() {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::NotADirectory, "it is not a folder"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_not_there_is_named_and_keeps_no_other_closed() {
        let mut folders = Folders::default();
        folders.add("/data", std::env::temp_dir()).unwrap();
        let missing = std::env::temp_dir().join("madoguchi-no-such-folder");
        let error = folders.add("/more", missing).unwrap_err().to_string();
        assert!(error.starts_with("folder /more: "), "{error}");
        assert!(folders.open.is_some());
        assert_eq!(folders.granted.len(), 1);
    }
}
