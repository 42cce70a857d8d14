//! Distances and times as people read them, where a provider gives numbers alone.

use output::navigation::Measure;

use crate::ask::Language;

pub use crate::words::{metres as distance, seconds as duration, whole};

/// The language tag for providers.
pub fn tag(language: Language) -> &'static str {
    match language {
        Language::Japanese => "ja",
        Language::English => "en",
    }
}

/// A distance in kilometres or metres. Where roads are measured in miles, Google writes miles and feet, whatever the
/// language; its number is metres everywhere, as are the distances of every other provider.
pub fn metric(it: Measure) -> Measure {
    if it.text.ends_with('m') {
        it
    } else {
        distance(f64::from(u32::try_from(it.value).unwrap_or(u32::MAX)))
    }
}
