//! A row of blocks of any length, and where each begins: read one by one, each with its checksum.

use crate::{
    file::bytes::{append_checksum, damaged, verify},
    source::{Source, SourceError},
};

/// Blocks that one page of the index covers.
const PAGE: usize = 256;
/// A page's bytes: where each of its blocks begins, where the last ends, and the checksum.
const PAGE_BYTES: usize = (PAGE + 1) * 4 + 4;
/// The most bytes that a block may have: one that claims more is damaged.
const BLOCK_BYTES_MAX: u32 = 8 << 20;

/// The bytes of a section with these blocks.
pub(crate) fn write(blocks: &[Vec<u8>]) -> Result<Vec<u8>, String> {
    let pages = blocks.len().div_ceil(PAGE);
    let mut at = Vec::with_capacity(blocks.len() + 1);
    let mut end = 0_usize;
    at.push(end);
    for block in blocks {
        if block.len() + 4 > BLOCK_BYTES_MAX as usize {
            return Err("more in one place than a block of the map can hold".to_owned());
        }
        end += block.len() + 4;
        at.push(end);
    }
    if u32::try_from(end).is_err() {
        return Err("the map is larger than its format can hold".to_owned());
    }
    let mut bytes = Vec::with_capacity(pages * PAGE_BYTES + end);
    for page in 0..pages {
        let mut entries = Vec::with_capacity(PAGE_BYTES);
        for entry in 0..=PAGE {
            let begin = at.get(page * PAGE + entry).copied().unwrap_or(end);
            entries.extend_from_slice(&(begin as u32).to_le_bytes());
        }
        append_checksum(&mut entries);
        bytes.append(&mut entries);
    }
    for block in blocks {
        let mut sealed = block.clone();
        append_checksum(&mut sealed);
        bytes.append(&mut sealed);
    }
    Ok(bytes)
}

/// Where a section lies in the file.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Section {
    /// Where it begins, in bytes.
    pub(crate) offset: u64,
    /// Its length in bytes.
    pub(crate) length: u64,
    /// The number of its blocks.
    pub(crate) blocks: u32,
}

/// The pages of a register that were read.
#[derive(Debug, Default)]
pub(crate) struct Register {
    pages: Vec<Option<Box<[u32]>>>,
}

impl Section {
    /// Whether its register fits where it lies.
    pub(crate) fn is_sound(&self) -> bool {
        self.register_bytes() <= self.length
    }

    fn register_bytes(&self) -> u64 {
        u64::from(self.blocks).div_ceil(PAGE as u64) * PAGE_BYTES as u64
    }

    /// The bytes of block `index`, without its checksum.
    pub(crate) fn block(
        &self,
        source: &impl Source,
        register: &mut Register,
        index: u32,
        what: &'static str,
    ) -> Result<Vec<u8>, SourceError> {
        if index >= self.blocks {
            return Err(damaged(what));
        }
        let (page, entry) = (index as usize / PAGE, index as usize % PAGE);
        if register.pages.len() <= page {
            register.pages.resize_with(page + 1, || None);
        }
        let entries = match &mut register.pages[page] {
            Some(entries) => entries,
            empty => empty.insert(self.page(source, page as u64)?),
        };
        let (begin, end) = (entries[entry], entries[entry + 1]);
        let length = end.checked_sub(begin).filter(|&it| it <= BLOCK_BYTES_MAX);
        let (Some(length), true) = (length, self.register_bytes() + u64::from(end) <= self.length)
        else {
            return Err(damaged(what));
        };
        let at = self.offset + self.register_bytes() + u64::from(begin);
        let mut bytes = source.read(at, length)?;
        let body = verify(&bytes, what)?.len();
        bytes.truncate(body);
        Ok(bytes)
    }

    fn page(&self, source: &impl Source, page: u64) -> Result<Box<[u32]>, SourceError> {
        let bytes = source.read(self.offset + page * PAGE_BYTES as u64, PAGE_BYTES as u32)?;
        let body = verify(&bytes, "its register of blocks")?;
        let (entries, _) = body.as_chunks::<4>();
        if entries.len() != PAGE + 1 {
            return Err(damaged("its register of blocks"));
        }
        Ok(entries.iter().map(|it| u32::from_le_bytes(*it)).collect())
    }
}
