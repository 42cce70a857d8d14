//! What is wrong, with a definition or with what was filled in, in Japanese and English.

use std::fmt;

/// A language that forms speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// The error's text in Japanese.
    #[default]
    Japanese,
    /// The error's text in English.
    English,
}

impl Language {
    /// The language for a BCP 47 tag: Japanese for `ja` and `ja-JP`, else English.
    pub fn of_tag(tag: &str) -> Self {
        let primary = tag.trim().split(['-', '_']).next().unwrap_or_default();
        if primary.eq_ignore_ascii_case("ja") { Self::Japanese } else { Self::English }
    }

    /// The one of two texts that is in this language.
    pub fn of<T>(self, japanese: T, english: T) -> T {
        match self {
            Self::Japanese => japanese,
            Self::English => english,
        }
    }
}

/// What is wrong with a definition (FORM-60).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaFault {
    /// Where: a JSON pointer into the definition.
    pub pointer: String,
    /// The text in Japanese: 「エラー: …」
    pub japanese: String,
    /// The same in English.
    pub english: String,
}

impl SchemaFault {
    /// What is wrong at `pointer`; both texts without what stands before each of them.
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

    /// The text for people.
    pub fn message(&self, language: Language) -> &str {
        language.of(&self.japanese, &self.english)
    }
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
    /// The field's label.
    pub label: String,
    /// The error itself.
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
    /// Not what the pattern says; the definition's own text for it.
    Pattern(Option<String>),
    /// A number less than this.
    TooSmall(f64),
    /// A number more than this.
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
    /// Chosen while the field that its options depend on is empty: that field's label.
    WithoutParent(String),
    /// Before this day, `2026-11-21`.
    TooEarly(String),
    /// A day after this one.
    TooLate(String),
    /// A file of a kind that is not accepted: its name.
    FileKind(String),
    /// A file of more bytes than this: its name.
    FileSize(String, u64),
    /// A file that is not there any more: its name.
    FileGone(String),
    /// The form has no field of that name.
    Unknown,
    /// All that was filled in has, together, more bytes than this.
    TooBig(usize),
}

impl Fault {
    /// The text for people (FORM-46).
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

/// Bytes as people write them: 10 MB for the 10485760 of the specification. Few of them are counted
/// one by one, or a file of one byte too many would seem to fit.
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
