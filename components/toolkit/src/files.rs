//! Files that the operator granted by name, for data too big to load on every call.
//!
//! ```no_run
//! use toolkit::{Stop, files};
//!
//! fn header() -> Result<Vec<u8>, Stop> {
//!     Ok(files::read("map", 0, 64)?)
//! }
//! ```

pub use crate::bindings::madoguchi::tool::files::Error;
use crate::{Stop, bindings::madoguchi::tool::files, unavailable};

/// Size of the file in bytes.
pub fn size(name: &str) -> Result<u64, Error> {
    files::size(name)
}

/// Reads up to `length` bytes from `offset`; fewer at the end, none after it.
pub fn read(name: &str, offset: u64, length: u32) -> Result<Vec<u8>, Error> {
    files::read(name, offset, length)
}

/// For errors that a tool does not handle, which the operator has to solve.
impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        unavailable(
            match error {
                Error::NotGranted(name) => {
                    format!("The operator has not granted the file {name}.")
                }
                Error::LimitExceeded(what) => format!("Too much of a file at once: {what}"),
                Error::Unavailable(why) => format!("A file cannot be read: {why}"),
            },
            None,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_ungranted_file() {
        let Stop::Unavailable(it) = Error::NotGranted("map".into()).into() else { panic!() };
        assert!(it.message.contains("map"), "{}", it.message);
    }
}
