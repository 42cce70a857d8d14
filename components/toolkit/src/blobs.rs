//! Blobs: files that were uploaded or that this component makes, named by their SHA-256.
//!
//! A caller that knows a name may read it, and what is not used for a while is gone: what is to last goes
//! into `sql`.

pub use crate::bindings::madoguchi::tool::blobs::{Blob, Error};
use crate::{Stop, bindings::madoguchi::tool::blobs, refused, unavailable};

/// What is known of a blob.
pub fn stat(id: &str) -> Result<Blob, Error> {
    blobs::stat(id)
}

/// The media type that its first bytes look like, whatever its maker says.
pub fn sniff(id: &str) -> Result<Option<String>, Error> {
    blobs::sniff(id)
}

/// Up to `length` bytes from `offset`; fewer at the end, none behind it.
pub fn read(id: &str, offset: u64, length: u32) -> Result<Vec<u8>, Error> {
    blobs::read(id, offset, length)
}

/// Keeps `content`, which clients get at `/api/blobs/ID`.
pub fn put(content: &[u8], mime_type: &str) -> Result<Blob, Error> {
    blobs::put(content, mime_type)
}

/// What no tool looked at: a blob that is gone is the caller's to upload again.
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
    fn a_blob_that_is_gone_is_refused_and_a_full_store_may_pass() {
        assert!(matches!(Stop::from(Error::Unknown), Stop::Refused(it) if it.status == 404));
        let full = Error::LimitExceeded("all of it".into());
        assert!(matches!(Stop::from(full), Stop::Unavailable(_)));
    }
}
