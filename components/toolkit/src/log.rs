//! Writes to the operator's log; the host adds the component and the call.

use serde::Serialize;

pub use crate::bindings::madoguchi::tool::log::Level;
use crate::{bindings::madoguchi::tool::log, definition::json};

/// Writes a line with an attachment, serialized as JSON.
pub fn write(level: Level, message: &str, attached: impl Serialize) {
    log::write(level, message, Some(&json(&attached)));
}

/// For debugging.
pub fn debug(message: &str) {
    log::write(Level::Debug, message, None);
}

/// A normal event.
pub fn info(message: &str) {
    log::write(Level::Info, message, None);
}

/// A significant but normal event.
pub fn notice(message: &str) {
    log::write(Level::Notice, message, None);
}

/// Something that may need the operator's attention.
pub fn warning(message: &str) {
    log::write(Level::Warning, message, None);
}

/// A failure that needs the operator's attention.
pub fn error(message: &str) {
    log::write(Level::Error, message, None);
}
