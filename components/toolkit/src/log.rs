//! Lines for the operator's log; the host adds which component and which call.

use serde::Serialize;

pub use crate::bindings::madoguchi::tool::log::Level;
use crate::{bindings::madoguchi::tool::log, definition::json};

/// A line with something attached, which goes out as JSON.
pub fn write(level: Level, message: &str, attached: impl Serialize) {
    log::write(level, message, Some(&json(&attached)));
}

/// For a developer who looks for a fault.
pub fn debug(message: &str) {
    log::write(Level::Debug, message, None);
}

/// Something happened as it should.
pub fn info(message: &str) {
    log::write(Level::Info, message, None);
}

/// Something happened that does not happen every day.
pub fn notice(message: &str) {
    log::write(Level::Notice, message, None);
}

/// Something that the operator may want to look at.
pub fn warning(message: &str) {
    log::write(Level::Warning, message, None);
}

/// Something failed, which the operator should look at.
pub fn error(message: &str) {
    log::write(Level::Error, message, None);
}
