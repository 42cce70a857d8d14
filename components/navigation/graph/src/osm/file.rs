//! The file: its blocks, one pass after another, and its errors as text.

use std::{
    fs::File,
    io::{self, BufReader, Read},
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use osmpbf::{BlobDecode, BlobReader, Element, PrimitiveBlock};

use super::Stage;

/// What a reader of the format must know; an extract that wants more is refused, not misread.
const FEATURES: [&str; 2] = ["OsmSchema-V0.6", "DenseNodes"];

/// What a pass is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Relations = 1,
    Ways = 2,
    Nodes = 4,
}

/// An extract, and which of its blocks holds what.
pub(super) struct Extract {
    path: PathBuf,
    size: u64,
    /// A set of [`Kind`]s a block; known after the first pass.
    kinds: Vec<u8>,
    passes: u8,
}

impl Extract {
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        let message = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => format!("{}: there is no such file", path.display()),
            _ => format!("{}: it cannot be read: {error}", path.display()),
        };
        let about = std::fs::metadata(path).map_err(message)?;
        if !about.is_file() {
            return Err(format!("{}: it is no file; name an .osm.pbf file", path.display()));
        }
        if about.len() == 0 {
            return Err(format!("{}: the file is empty; fetch it again", path.display()));
        }
        Ok(Self { path: path.to_owned(), size: about.len(), kinds: Vec::new(), passes: 0 })
    }

    /// Gives each element of that kind to `take`, in the order of the file.
    pub(super) fn pass(
        &mut self,
        kind: Kind,
        tell: &mut dyn FnMut(Stage),
        take: &mut dyn FnMut(Element<'_>),
    ) -> Result<(), String> {
        self.passes += 1;
        let file = File::open(&self.path)
            .map_err(|error| format!("{}: it cannot be read: {error}", self.path.display()))?;
        let read = Arc::new(AtomicU64::new(0));
        let counted =
            Counted { inner: BufReader::with_capacity(1 << 18, file), read: read.clone() };
        let (mut blocks, mut end) = (0, 0);
        for blob in BlobReader::new(counted) {
            let blob = blob.map_err(|it| self.damaged(end, &it.to_string()))?;
            end = read.load(Ordering::Relaxed);
            let kinds = self.kinds.get(blocks).copied();
            if kinds.is_none_or(|it| it & kind as u8 != 0) {
                let decoded = blob.decode().map_err(|it| self.damaged(end, &it.to_string()))?;
                let found = self.block(&decoded, blocks == 0, kind, take)?;
                if kinds.is_none() {
                    self.kinds.push(found);
                }
            }
            blocks += 1;
            tell(Stage::Reading { pass: self.passes, done: end, total: self.size });
        }
        if end != self.size {
            return Err(self.damaged(end, "it ends within a block"));
        }
        Ok(())
    }

    fn block(
        &self,
        blob: &BlobDecode<'_>,
        is_first: bool,
        kind: Kind,
        take: &mut dyn FnMut(Element<'_>),
    ) -> Result<u8, String> {
        match blob {
            BlobDecode::OsmHeader(header) => {
                let strange = |it: &&String| !FEATURES.contains(&it.as_str());
                match header.required_features().iter().find(strange) {
                    Some(it) => Err(format!(
                        "{}: it needs `{it}`, which is not understood; take a plain extract of the \
                         present day",
                        self.path.display()
                    )),
                    None => Ok(0),
                }
            }
            _ if is_first => Err(self.foreign()),
            BlobDecode::OsmData(block) => {
                // The reader takes a kind of member that it does not know for a slip of its caller.
                catch_unwind(AssertUnwindSafe(|| elements(block, kind, take)))
                    .map_err(|_| self.damaged(0, "a block in it makes no sense"))
            }
            BlobDecode::Unknown(_) => Ok(0),
        }
    }

    fn foreign(&self) -> String {
        format!(
            "{}: this is no OpenStreetMap extract; a file whose name ends in .osm.pbf is",
            self.path.display()
        )
    }

    fn damaged(&self, at: u64, why: &str) -> String {
        if at == 0 && self.kinds.is_empty() {
            return self.foreign();
        }
        format!(
            "{}: the file is damaged or was not fetched to its end (after byte {at} of {}: {why}); \
             fetch it again",
            self.path.display(),
            self.size
        )
    }
}

/// Gives the elements of that kind to `take`, and returns what kinds there are.
fn elements(block: &PrimitiveBlock, kind: Kind, take: &mut dyn FnMut(Element<'_>)) -> u8 {
    let mut found = 0;
    for element in block.elements() {
        let is = match &element {
            Element::Node(_) | Element::DenseNode(_) => Kind::Nodes,
            Element::Way(_) => Kind::Ways,
            Element::Relation(_) => Kind::Relations,
        };
        found |= is as u8;
        if is == kind {
            take(element);
        }
    }
    found
}

/// Counts what is read.
struct Counted<R> {
    inner: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
