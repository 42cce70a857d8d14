//! Where the bytes of a graph come from.

use std::fmt;

/// Reads pieces of a graph's file.
pub trait Source {
    /// The bytes that there are.
    ///
    /// # Errors
    /// When the file is gone, or may not be read.
    fn size(&self) -> Result<u64, SourceError>;

    /// Up to `length` bytes from `offset`; fewer at the end, none behind it.
    ///
    /// # Errors
    /// When the file is gone, or may not be read.
    fn read(&self, offset: u64, length: u32) -> Result<Vec<u8>, SourceError>;
}

/// Why a piece could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceError(pub String);

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SourceError {}

/// Bytes that are in memory already: the bundled network, and tests.
impl Source for &[u8] {
    fn size(&self) -> Result<u64, SourceError> {
        Ok(self.len() as u64)
    }

    fn read(&self, offset: u64, length: u32) -> Result<Vec<u8>, SourceError> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(self.len());
        let end = start.saturating_add(length as usize).min(self.len());
        Ok(self[start..end].to_vec())
    }
}
