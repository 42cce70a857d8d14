//! The interface `files`: files granted by name, opened once and read by position, so that calls do not block each
//! other.

use std::{
    collections::BTreeMap,
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::json;

use super::{
    host_resources::HostResourcesError,
    recording::{Bytes, ErrorParts, Kept},
};
use crate::{bindings::madoguchi::tool::files, capability::state::CallState};
use store::{blobs::read_at, blocking};

/// Bytes of a name that are shown in the log.
const NAME_BYTES_SHOWN: usize = 64;

/// Files of one component. `None` for granted files that cannot be opened.
#[derive(Clone, Default)]
pub struct Files(BTreeMap<String, Option<Arc<File>>>);

impl Files {
    /// Grants the file at `path` under `name`.
    ///
    /// # Errors
    /// When it cannot be opened, or is not a file.
    pub fn add(&mut self, name: &str, path: PathBuf) -> Result<(), HostResourcesError> {
        let error = |source| HostResourcesError {
            what: "file",
            name: name.to_owned(),
            path: path.clone(),
            source,
        };
        let opened = open(&path).map(Arc::new).map_err(error);
        self.0.insert(name.to_owned(), opened.as_ref().ok().cloned());
        opened.map(drop)
    }
}

impl files::Host for CallState {
    /// Requests for files without a grant are not logged, because a component may probe for them.
    async fn size(&mut self, name: String) -> Result<u64, files::Error> {
        let taped = self.taped("files.size", || json!([name]));
        if let Some(given) = taped.given::<Kept<u64>>().await {
            return given.map(std::convert::identity);
        }
        let metadata = self.file(name).and_then(|it| it.metadata().map_err(unavailable));
        taped.keep_as(metadata.map(|it| it.len()), |_, it| Kept::recorded(it, |it| *it))
    }

    async fn read(
        &mut self,
        name: String,
        offset: u64,
        length: u32,
    ) -> Result<Vec<u8>, files::Error> {
        let taped = self.taped("files.read", || json!([name, offset, length]));
        if let Some(given) = taped.given::<Kept<Bytes>>().await {
            return given.map(Bytes::into_bytes);
        }
        let answer = self.read_file(name, offset, length).await;
        taped.keep_as(answer, |_, it| Kept::recorded(it, |it| Bytes::encode(it)))
    }
}

impl CallState {
    async fn read_file(
        &mut self,
        name: String,
        offset: u64,
        length: u32,
    ) -> Result<Vec<u8>, files::Error> {
        let file = self.file(name).inspect_err(|it| self.log_granting_line(it))?;
        let (length, most) = (length as usize, self.context.setup.limits.output_bytes_max);
        if length > most {
            let message = format!("{length} bytes in one go; output_bytes_max allows {most}");
            return Err(files::Error::LimitExceeded(message));
        }
        read(file, offset, length).await.map_err(unavailable)
    }

    fn file(&self, name: String) -> Result<Arc<File>, files::Error> {
        match self.context.setup.reach.files.0.get(&name) {
            Some(Some(file)) => Ok(file.clone()),
            Some(None) => {
                let message = format!("the file {name} cannot be opened; the log has the reason");
                Err(files::Error::Unavailable(message))
            }
            None => Err(files::Error::NotGranted(name)),
        }
    }

    /// Logs for the operator which line would grant a file that a component wanted to read.
    fn log_granting_line(&self, error: &files::Error) {
        let files::Error::NotGranted(name) = error else { return };
        let component = &*self.context.component;
        let shown: String = name.chars().take(NAME_BYTES_SHOWN).collect();
        self.warn(&format!(
            "the file {shown:?} is not granted; to grant it, put under [components.{component}.files]: {shown:?} = \"PATH\""
        ));
    }
}

impl ErrorParts for files::Error {
    fn kind_and_text(&self) -> (&'static str, &str) {
        match self {
            Self::NotGranted(it) => ("not-granted", it),
            Self::LimitExceeded(it) => ("limit-exceeded", it),
            Self::Unavailable(it) => ("unavailable", it),
        }
    }

    fn read(kind: &str, text: String) -> Self {
        match kind {
            "not-granted" => Self::NotGranted(text),
            "limit-exceeded" => Self::LimitExceeded(text),
            _ => Self::Unavailable(text),
        }
    }
}

fn unavailable(error: io::Error) -> files::Error {
    files::Error::Unavailable(error.to_string())
}

/// Opens a file, and refuses what would block, such as a pipe.
fn open(path: &Path) -> io::Result<File> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file"));
    }
    File::open(path)
}

/// Up to `length` bytes from `offset`.
///
/// Cached pages are copied at once, in microseconds. Only disk reads use a blocking thread, so that other calls of
/// this worker do not wait.
async fn read(file: Arc<File>, offset: u64, length: usize) -> io::Result<Vec<u8>> {
    let left = file.metadata()?.len().saturating_sub(offset);
    let length = usize::try_from(left).unwrap_or(usize::MAX).min(length);
    let mut bytes = vec![0; length];
    let found = read_in_memory(&file, &mut bytes, offset);
    if found == length {
        return Ok(bytes);
    }
    let read = move || {
        let more = read_at(&file, &mut bytes[found..], offset + found as u64)?;
        bytes.truncate(found + more);
        Ok(bytes)
    };
    blocking(read).await
}

/// Reads cached pages only. Returns 0 if the system cannot tell.
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
    async fn reads_piece_by_offset_and_none_past_the_end() {
        let path = std::env::temp_dir().join(format!("madoguchi-file-{}", std::process::id()));
        std::fs::write(&path, b"0123456789").unwrap();
        let mut files = Files::default();
        files.add("map", path.clone()).unwrap();
        let file = files.0["map"].clone().expect("it can be opened");
        assert_eq!(read(file.clone(), 3, 4).await.unwrap(), b"3456");
        assert_eq!(read(file.clone(), 8, 100).await.unwrap(), b"89");
        assert_eq!(read(file, u64::MAX, 4).await.unwrap(), b"");
        assert!(!files.0.contains_key("other"));
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn names_path_of_a_non_file() {
        let mut files = Files::default();
        let error = files.add("map", std::env::temp_dir()).unwrap_err().to_string();
        assert!(error.starts_with("file map: ") && error.contains("not a file"), "{error}");
        assert!(files.0["map"].is_none());
    }
}
