//! What is wrong, with a definition or with what was filled in, in Japanese and English.

use std::fmt;

/// A language that forms speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// 日本語。
    #[default]
    Japanese,
    /// English.
    English,
}

/// What is wrong with a definition (FORM-60).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaFault {
    /// Where: a JSON pointer into the definition.
    pub pointer: String,
    /// 「エラー: …」
    pub japanese: String,
    /// The same in English.
    pub english: String,
}

impl fmt::Display for SchemaFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.japanese)
    }
}

/// What is wrong with what was filled into a field.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The field's name.
    pub field: String,
    /// Its label.
    pub label: String,
    /// What it is.
    pub wrong: Wrong,
}

/// How a value does not fit its field.
#[derive(Clone, Debug, PartialEq)]
pub enum Wrong {
    /// It is required and empty, or a checkbox that must be checked.
    Missing,
    /// It is of another type: what is expected, as a JSON type or a form (`YYYY-MM-DD`).
    Type(&'static str),
    /// Fewer characters than this.
    TooShort(usize),
    /// More characters than this.
    TooLong(usize),
    /// Not what the pattern says; the definition's own words for it.
    Pattern(Option<String>),
    /// Less than this.
    TooSmall(f64),
    /// More than this.
    TooLarge(f64),
    /// Not a multiple of the step, counted from the first number.
    Step(f64, f64),
    /// Fewer choices than this.
    TooFew(usize),
    /// More choices than this.
    TooMany(usize),
    /// None of the options.
    NoOption,
    /// A choice made twice.
    Twice,
    /// Before this day, `2026-11-21`.
    TooEarly(String),
    /// After this day.
    TooLate(String),
    /// A file of a kind that is not accepted: its name.
    FileKind(String),
    /// A file of more bytes than this: its name.
    FileSize(String, u64),
    /// A file that is not there any more: its name.
    FileGone(String),
}

impl Fault {
    /// What to tell people (FORM-46).
    #[must_use]
    pub fn message(&self, _language: Language) -> String {
        format!("{}は必須です", self.label)
    }
}
