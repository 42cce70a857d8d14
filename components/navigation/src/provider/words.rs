//! Distances and times as people read them, where a provider gives numbers alone.

use crate::ask::Language;

pub use crate::words::{metres as distance, seconds as duration, whole};

/// The language tag for providers.
#[must_use]
pub fn tag(language: Language) -> &'static str {
    match language {
        Language::Japanese => "ja",
        Language::English => "en",
    }
}
