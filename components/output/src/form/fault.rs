//! Errors of definitions and submissions, in Japanese and English.

use std::fmt;

/// Language of errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// The error's text in Japanese.
    #[default]
    Japanese,
    /// The error's text in English.
    English,
}

impl Language {
    /// Language of a BCP 47 tag: Japanese for `ja` and `ja-JP`, otherwise English.
    pub fn of_tag(tag: &str) -> Self {
        let primary = tag.trim().split(['-', '_']).next().unwrap_or_default();
        if primary.eq_ignore_ascii_case("ja") { Self::Japanese } else { Self::English }
    }

    /// Picks the text in this language.
    pub fn of<T>(self, japanese: T, english: T) -> T {
        match self {
            Self::Japanese => japanese,
            Self::English => english,
        }
    }
}

/// An error of a definition (FORM-60).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaFault {
    /// JSON pointer into the definition.
    pub pointer: String,
    /// The text in Japanese: 「エラー: …」
    pub japanese: String,
    /// The same in English.
    pub english: String,
}

impl SchemaFault {
    /// Creates an error; both texts follow a common prefix.
    pub(super) fn new(
        pointer: impl Into<String>,
        japanese: impl fmt::Display,
        english: impl fmt::Display,
    ) -> Self {
        Self {
            pointer: pointer.into(),
            japanese: format!("エラー: {japanese}"),
            english: format!("Error: {english}"),
        }
    }

    /// Text for people.
    pub fn message(&self, language: Language) -> &str {
        language.of(&self.japanese, &self.english)
    }
}

impl fmt::Display for SchemaFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.japanese)
    }
}

/// A validation error of a field.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Name of the field.
    pub field: String,
    /// Label of the field.
    pub label: String,
    /// The error.
    pub wrong: Wrong,
}

/// Kind of a validation error.
#[derive(Clone, Debug, PartialEq)]
pub enum Wrong {
    /// Required and empty, or a required checkbox that is unchecked.
    Missing,
    /// Wrong type; holds the expected JSON type or format (`YYYY-MM-DD`).
    Type(&'static str),
    /// Fewer characters than this.
    TooShort(usize),
    /// More characters than this.
    TooLong(usize),
    /// Pattern mismatch, with the definition's own text.
    Pattern(Option<String>),
    /// Below this minimum.
    TooSmall(f64),
    /// Above this maximum.
    TooLarge(f64),
    /// Not a multiple of the step, counted from the first number.
    Step(f64, f64),
    /// Fewer choices than this.
    TooFew(usize),
    /// More choices than this.
    TooMany(usize),
    /// Not among the options.
    NoOption,
    /// Duplicate choice.
    Twice,
    /// Chosen while the parent is empty; holds the parent's label.
    WithoutParent(String),
    /// Before this date, `2026-11-21`.
    TooEarly(String),
    /// After this date.
    TooLate(String),
    /// File type not accepted; holds the file's name.
    FileKind(String),
    /// File too large; holds its name and the limit.
    FileSize(String, u64),
    /// Missing file; holds its name.
    FileGone(String),
    /// Unknown field.
    Unknown,
    /// The whole submission is larger than this.
    TooBig(usize),
}

impl Fault {
    /// Text for people (FORM-46).
    pub fn message(&self, language: Language) -> String {
        match language {
            Language::Japanese => self.wrong.japanese(&self.label),
            Language::English => self.wrong.english(&self.label),
        }
    }
}

impl Wrong {
    fn japanese(&self, label: &str) -> String {
        match self {
            Self::Missing => format!("{label}は必須です"),
            Self::Type(expected) => {
                format!("{label}は{}で入力してください", expected_as(expected, Language::Japanese))
            }
            Self::TooShort(n) => format!("{label}は{n}文字以上で入力してください"),
            Self::TooLong(n) => format!("{label}は{n}文字以下で入力してください"),
            Self::Pattern(Some(message)) => message.clone(),
            Self::Pattern(None) => format!("{label}の形式が正しくありません"),
            Self::TooSmall(min) => format!("{label}は{min}以上で入力してください"),
            Self::TooLarge(max) => format!("{label}は{max}以下で入力してください"),
            Self::Step(base, step) => format!("{label}は{base}から{step}刻みで入力してください"),
            Self::TooFew(n) => format!("{label}は{n}個以上選択してください"),
            Self::TooMany(n) => format!("{label}は{n}個以下で選択してください"),
            Self::NoOption => format!("{label}は選択肢の中から選択してください"),
            Self::Twice => format!("{label}で同じものが2回選択されています"),
            Self::WithoutParent(parent) => {
                format!("{label}は{parent}を選択してから選択してください")
            }
            Self::TooEarly(day) => format!("{label}は{day}以降の日付で入力してください"),
            Self::TooLate(day) => format!("{label}は{day}以前の日付で入力してください"),
            Self::FileKind(name) => format!("{label}に「{name}」の種類のファイルは使えません"),
            Self::FileSize(name, bytes) => {
                format!("{label}の「{name}」は大きすぎます（上限: {}）", size_of(*bytes))
            }
            Self::FileGone(name) => {
                format!("{label}の「{name}」が見つかりません。もう一度アップロードしてください")
            }
            Self::Unknown => format!("{label}という項目はこのフォームにありません"),
            Self::TooBig(bytes) => {
                format!("入力内容が大きすぎます（上限: {}）", size_of(*bytes as u64))
            }
        }
    }

    fn english(&self, label: &str) -> String {
        match self {
            Self::Missing => format!("{label} is required"),
            Self::Type(expected) => {
                format!("{label} must be {}", expected_as(expected, Language::English))
            }
            Self::TooShort(n) => format!("{label} must have at least {}", many(*n, "character")),
            Self::TooLong(n) => format!("{label} must have at most {}", many(*n, "character")),
            Self::Pattern(Some(message)) => message.clone(),
            Self::Pattern(None) => format!("{label} does not have the right form"),
            Self::TooSmall(min) => format!("{label} must be at least {min}"),
            Self::TooLarge(max) => format!("{label} must be at most {max}"),
            Self::Step(base, step) => format!("{label} must go in steps of {step} from {base}"),
            Self::TooFew(n) => format!("{label} needs at least {}", many(*n, "choice")),
            Self::TooMany(n) => format!("{label} takes at most {}", many(*n, "choice")),
            Self::NoOption => format!("{label} must be one of the options"),
            Self::Twice => format!("{label} has the same choice twice"),
            Self::WithoutParent(parent) => format!("{label} needs {parent} to be chosen first"),
            Self::TooEarly(day) => format!("{label} must not be before {day}"),
            Self::TooLate(day) => format!("{label} must not be after {day}"),
            Self::FileKind(name) => format!("{label} does not take files of the kind of “{name}”"),
            Self::FileSize(name, bytes) => {
                format!("“{name}” is too big for {label}: at most {}", size_of(*bytes))
            }
            Self::FileGone(name) => format!("“{name}” in {label} is gone: upload it again"),
            Self::Unknown => format!("The form has no field “{label}”"),
            Self::TooBig(bytes) => {
                format!("What was filled in is too big: at most {}", size_of(*bytes as u64))
            }
        }
    }
}

fn expected_as(expected: &str, language: Language) -> String {
    let (japanese, english) = match expected {
        "string" => ("文字列", "text"),
        "number" => ("数値", "a number"),
        "boolean" => ("trueまたはfalse", "true or false"),
        "array" => ("配列", "a list"),
        "option" => ("文字列、数値、真偽値のいずれか", "a text, a number or a boolean"),
        "file" => ("ファイル（name, type, size, fileId）", "a file (name, type, size, fileId)"),
        form => return language.of(format!("{form}の形式"), format!("of the form {form}")),
    };
    language.of(japanese, english).to_owned()
}

fn many(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Formats bytes: 10 MB for the 10485760 of the specification. Small sizes are exact, or a file one
/// byte too large would seem to fit.
pub fn size_of(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB")];
    const COUNTED_MAX: u64 = 10 << 10;
    match UNITS.into_iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) if bytes.is_multiple_of(unit) => format!("{} {name}", bytes / unit),
        Some((unit, name)) if bytes >= COUNTED_MAX => {
            let rounded = (bytes as f64 / unit as f64 * 10.0).round() / 10.0;
            format!("{rounded} {name}")
        }
        _ => format!("{bytes} B"),
    }
}
