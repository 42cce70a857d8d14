//! A folder of small JSON documents, each of which belongs to a caller. Where there is no more room, the
//! caller with most gives way.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard},
};

use serde::{Serialize, de::DeserializeOwned};

use crate::{digest::digest, private};

mod shelf;

use shelf::Shelf;

/// Digits of an owner's share.
const SHARE_DIGITS: usize = 16;

/// How much a folder may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocumentLimits {
    pub documents_max: usize,
    /// Bytes of all of them.
    pub bytes_max: u64,
    /// Bytes of one.
    pub document_bytes_max: u64,
}

/// The documents of one folder. A clone is another handle on the same ones.
#[derive(Clone)]
pub struct Documents(Arc<Inner>);

struct Inner {
    folder: PathBuf,
    limits: DocumentLimits,
    kinds: &'static [&'static str],
    shelf: Mutex<Shelf>,
}

impl Documents {
    /// Those in `folder`, which is made where there is none. Documents of the first of `kinds` are removed
    /// first where there are too many.
    pub fn open(
        folder: PathBuf,
        limits: DocumentLimits,
        kinds: &'static [&'static str],
    ) -> io::Result<Self> {
        private::make_folder(&folder)?;
        let shelf = Mutex::new(Shelf::read(&folder, &limits, kinds)?);
        Ok(Self(Arc::new(Inner { folder, limits, kinds, shelf })))
    }

    /// Writes the document of that number, in place of one of another kind.
    pub async fn put<T: Serialize + Send + 'static>(
        &self,
        (id, owner): (&str, &str),
        kind: &'static str,
        value: T,
    ) -> io::Result<()> {
        let (documents, id, share) = (self.clone(), id.to_owned(), share(owner));
        let write = move || documents.put_now(&id, &share, kind, &value);
        let written = tokio::task::spawn_blocking(write).await;
        written.unwrap_or_else(|error| Err(io::Error::other(error)))
    }

    fn put_now<T: Serialize>(
        &self,
        id: &str,
        share: &str,
        kind: &'static str,
        value: &T,
    ) -> io::Result<()> {
        let bytes = serde_json::to_vec(value)?;
        let (len, most) = (bytes.len() as u64, self.0.limits.document_bytes_max);
        if len > most {
            return Err(io::Error::other(format!("it has {len} bytes; {most} is most")));
        }
        let name = format!("{id}.{share}.{kind}");
        private::write(&self.0.folder.join(&name), &bytes)?;
        let others = self.0.kinds.iter().filter(|it| **it != kind);
        let mut gone: Vec<_> = others.map(|it| format!("{id}.{share}.{it}")).collect();
        {
            let mut shelf = self.shelf();
            gone.retain(|it| shelf.remove(it));
            gone.extend(shelf.put(&name, len, &self.0.limits, self.0.kinds));
        }
        for name in gone {
            let _ = fs::remove_file(self.0.folder.join(name));
        }
        Ok(())
    }

    /// The document of that number and any of the kinds, if it is `owner`'s.
    pub async fn get<T: DeserializeOwned + Send + 'static>(
        &self,
        id: &str,
        owner: &str,
    ) -> Option<T> {
        // It becomes a part of a path.
        if !is_number(id) {
            return None;
        }
        let share = share(owner);
        let paths =
            self.0.kinds.iter().rev().map(|it| self.0.folder.join(format!("{id}.{share}.{it}")));
        let paths: Vec<_> = paths.collect();
        let look = move || paths.iter().find_map(|it| read(it).transpose()).transpose();
        // One whose kind changes meanwhile is there, though it may be seen in neither place.
        let find = move || look().transpose().or_else(|| look().transpose()).transpose();
        let found = tokio::task::spawn_blocking(find).await;
        found.unwrap_or_else(|error| Err(io::Error::other(error))).unwrap_or_else(|error| {
            tracing::error!("a kept document cannot be read: {error}");
            None
        })
    }

    /// All of that kind. Blocks.
    pub fn all<T: DeserializeOwned>(&self, kind: &str) -> Vec<T> {
        let names = self.shelf().of_kind(kind);
        names.iter().filter_map(|it| read(&self.0.folder.join(it)).ok().flatten()).collect()
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.0.shelf.lock().unwrap_or_else(|it| it.into_inner())
    }
}

/// A number that cannot be guessed.
pub fn number() -> io::Result<String> {
    let number = || getrandom::u64().map_err(io::Error::other);
    Ok(format!("{:016x}{:016x}", number()?, number()?))
}

/// Where what is `owner`'s is counted, and how it is named on disk.
fn share(owner: &str) -> String {
    let mut share = digest(owner.as_bytes());
    share.truncate(SHARE_DIGITS);
    share
}

fn is_number(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'))
}

fn read<T: DeserializeOwned>(path: &Path) -> io::Result<Option<T>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
