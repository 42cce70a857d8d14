//! Blobs: files that were uploaded or made by this component, named by their SHA-256.
//!
//! A caller that knows the name may read it. Unused blobs are deleted after a while; lasting data belongs into `sql`.

pub use crate::bindings::madoguchi::tool::blobs::{Blob, Error};
use crate::{Stop, bindings::madoguchi::tool::blobs, refused, unavailable};

/// Returns a blob's metadata.
pub fn stat(id: &str) -> Result<Blob, Error> {
    blobs::stat(id)
}

/// Media type recognized from the first bytes, whatever was declared.
pub fn sniff(id: &str) -> Result<Option<String>, Error> {
    blobs::sniff(id)
}

/// Reads up to `length` bytes from `offset`; fewer at the end, none after it.
pub fn read(id: &str, offset: u64, length: u32) -> Result<Vec<u8>, Error> {
    blobs::read(id, offset, length)
}

/// Stores `content`, which clients read at `/api/blobs/ID`.
pub fn put(content: &[u8], mime_type: &str) -> Result<Blob, Error> {
    blobs::put(content, mime_type)
}

/// For errors that a tool does not handle: a missing blob has to be uploaded again.
impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        match error {
            Error::Unknown => {
                let message = "There is no such file, or none any more; upload it again.";
                refused("unknown_blob", 404, message)
            }
            Error::LimitExceeded(what) => unavailable(format!("Too large to keep: {what}"), None),
            Error::Unavailable(why) => unavailable(format!("The store failed: {why}"), None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_blob_is_refused_full_store_is_not() {
        assert!(matches!(Stop::from(Error::Unknown), Stop::Refused(it) if it.status == 404));
        let full = Error::LimitExceeded("all of it".into());
        assert!(matches!(Stop::from(full), Stop::Unavailable(_)));
    }
}
