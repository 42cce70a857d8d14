//! Understands sentences without a model: numbers, dates and times, corrections, denials, coverage of
//! words, and multi-turn plans. Families bring their own words and rules.

mod action;
pub mod aside;
pub mod bare;
pub mod chat;
pub mod clock;
pub mod condition;
pub mod consent;
pub mod context;
pub mod contract;
pub mod corrected;
pub mod coverage;
pub mod dates;
pub mod inquiry;
mod language;
pub mod message;
pub mod name_pieces;
pub mod normalize;
pub mod numbers;
pub mod order;
pub mod rules;
pub mod say;
pub mod scan;
pub mod small_talk;
#[cfg(feature = "trial")]
pub mod trial;
pub mod turn;
pub mod utterance;
pub mod vocabulary;
pub mod words;

pub use jiff::civil::Date;
pub use language::Language;
