//! What all that understands sentences without a model has in common: numbers, days and times, corrections, refusals,
//! coverage of words, plans that go on turn by turn. It knows no family; each brings its own words and rules.

pub mod aside;
pub mod bare;
pub mod chat;
pub mod clock;
pub mod consent;
pub mod context;
pub mod contract;
pub mod corrected;
pub mod coverage;
pub mod dates;
mod deed;
mod language;
pub mod message;
pub mod numbers;
pub mod rules;
pub mod say;
pub mod scan;
pub mod settled;
pub mod small_talk;
pub mod stretches;
#[cfg(feature = "trial")]
pub mod trial;
pub mod turn;
pub mod utterance;
pub mod vocabulary;
pub mod wondering;
pub mod words;

pub use jiff::civil::Date;
pub use language::Language;
