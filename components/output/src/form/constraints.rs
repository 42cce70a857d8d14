//! Constraints of fields.
//!
//! Days, fixed or relative to today (FORM-34).

use std::fmt;

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime};
use regex_lite::{Regex, RegexBuilder};
use serde_json::Value;

use super::{
    Choice, LABEL_CHARS_MAX, Lookup, NAME_CHARS_MAX, OPTIONS_MAX, PATTERN_CHARS_MAX,
    SUGGESTIONS_MAX, SchemaFault,
    condition::is_empty,
    lookup::{is_option, text_of},
    read::Entry,
};
use crate::text::is_blank;

/// Default delay of a search after a key, in milliseconds.
const DEBOUNCE_MS: u64 = 300;
const DEBOUNCE_MS_MAX: u64 = 10_000;
/// Maximum parameters of a look-up, and accepted kinds of files.
const ENTRIES_MAX: usize = 50;

/// Constraints of a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Text {
    /// Length in characters.
    pub length: Count,
    /// Regular expression for the whole text (FORM-48).
    pub pattern: Option<String>,
    /// Error text if it does not match.
    pub pattern_error: Option<String>,
    /// Suggestions to fill in by a click (FORM-40).
    pub suggestions: Vec<String>,
}

/// Range of a length or number of choices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Smallest valid count.
    pub min: Option<usize>,
    /// Largest valid count.
    pub max: Option<usize>,
}

/// Constraints of a number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Number {
    /// Smallest valid number.
    pub min: Option<f64>,
    /// Largest valid number.
    pub max: Option<f64>,
    /// Step, counted from `min` or else from 0.
    pub step: Option<f64>,
}

/// Range of days, inclusive, regardless of the time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Days {
    /// First day.
    pub min: Option<Day>,
    /// Last day.
    pub max: Option<Day>,
}

impl Days {
    /// Whether the range shrinks as time passes.
    pub(super) fn is_closing(self) -> bool {
        matches!((self.min, self.max), (Some(Day::FromToday(_)), Some(Day::Fixed(_))))
    }
}

/// Constraints of files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    /// Extensions (`.pdf`) and media types (`image/*`) in lower case; empty accepts everything.
    pub accept: Vec<String>,
    /// Maximum bytes of one file.
    pub size_max: Option<u64>,
    /// Whether several are accepted.
    pub multiple: bool,
}

impl Entry<'_> {
    /// Minimum and maximum number.
    pub(super) fn count(&self, least: &str, most: &str) -> Result<Count, SchemaFault> {
        let whole = |property| {
            let whole = self.whole(property)?;
            Ok(whole.map(|it| usize::try_from(it).unwrap_or(usize::MAX)))
        };
        let (min, max) = (whole(least)?, whole(most)?);
        if min.zip(max).is_some_and(|(min, max)| min > max) {
            return Err(self.crossed(least, most));
        }
        Ok(Count { min, max })
    }
}

pub(super) fn text(entry: &Entry<'_>) -> Result<Text, SchemaFault> {
    let pattern = entry.text("pattern", PATTERN_CHARS_MAX)?;
    if let Some(Err((japanese, english))) = pattern.as_deref().map(compile) {
        let japanese = format!("正規表現として使えません: {japanese}");
        let english = format!("is no regular expression that can be used: {english}");
        return Err(entry.wrong("pattern", &japanese, &english));
    }
    Ok(Text {
        length: entry.count("minLength", "maxLength")?,
        pattern,
        pattern_error: entry.text("patternError", LABEL_CHARS_MAX)?,
        suggestions: entry.texts("suggestions", SUGGESTIONS_MAX)?,
    })
}

pub(super) fn level(entry: &Entry<'_>) -> Result<u8, SchemaFault> {
    let level = entry.whole("level")?.unwrap_or(2);
    let level = u8::try_from(level).ok().filter(|it| (1..=4).contains(it));
    level.ok_or_else(|| entry.wrong("level", "1から4で指定してください。", "is not from 1 to 4."))
}

pub(super) fn options(entry: &Entry<'_>) -> Result<Vec<Choice>, SchemaFault> {
    let wrong = |japanese: &str, english: &str| entry.wrong("options", japanese, english);
    let given = entry.get("options").ok_or_else(|| entry.missing("options"))?;
    let given = given.as_array().ok_or_else(|| {
        wrong("{value, label}の配列で指定してください。", "are no list of {value, label}.")
    })?;
    if given.len() > OPTIONS_MAX {
        let (japanese, english) =
            (format!("{OPTIONS_MAX}個までです。"), format!("are more than {OPTIONS_MAX}."));
        return Err(wrong(&japanese, &english));
    }
    let mut options: Vec<Choice> = Vec::with_capacity(given.len());
    let mut values = std::collections::HashSet::new();
    for (at, it) in given.iter().enumerate() {
        let value = if it.is_object() { it.get("value").unwrap_or(&Value::Null) } else { it };
        // 「選択してください」: the option for no choice.
        if entry.kind == "select" && is_empty(value) && it.get("value").is_some() {
            continue;
        }
        let label = it.get("label").map(text_of).filter(|it| !is_blank(it));
        let label = label.unwrap_or_else(|| text_of(value));
        if !is_option(value) || label.is_empty() {
            let japanese = format!("[{at}]に空でないvalueを指定してください。");
            return Err(wrong(&japanese, &format!("have no value that is not empty at [{at}].")));
        }
        if label.chars().count() > LABEL_CHARS_MAX || text_of(value).len() > LABEL_CHARS_MAX {
            let japanese = format!("[{at}]が長すぎます。");
            return Err(wrong(&japanese, &format!("are too long at [{at}].")));
        }
        if !values.insert(text_of(value)) {
            let japanese = format!("[{at}]のvalueが重複しています。");
            return Err(wrong(
                &japanese,
                &format!("have a value at [{at}] that was there before."),
            ));
        }
        options.push(Choice { value: value.clone(), label });
    }
    if options.is_empty() { Err(entry.missing("options")) } else { Ok(options) }
}

pub(super) fn lookup(entry: &Entry<'_>, urls: [&str; 2]) -> Result<Lookup, SchemaFault> {
    let property = urls.into_iter().find(|it| entry.get(it).is_some()).unwrap_or(urls[0]);
    let url = entry.needed(property, LABEL_CHARS_MAX)?;
    let is_path = url.starts_with('/') && !url.starts_with("//") && !url.starts_with("/\\");
    let is_url = url.strip_prefix("https://").is_some_and(|it| !it.is_empty());
    if !(is_path || is_url) || url.chars().any(|it| it.is_whitespace() || it.is_control()) {
        return Err(entry.wrong(
            property,
            "https:// で始まるURL、または / で始まるパスで指定してください。",
            "is neither a URL with https:// nor a path with /.",
        ));
    }
    let whole = |property, usual, most: u64| Ok(entry.whole(property)?.unwrap_or(usual).min(most));
    let debounce_ms = whole("debounceMs", DEBOUNCE_MS, DEBOUNCE_MS_MAX)?;
    Ok(Lookup {
        url,
        params: params(entry)?,
        display_field: entry.needed("displayField", NAME_CHARS_MAX)?,
        value_field: entry.needed("valueField", NAME_CHARS_MAX)?,
        template: entry.text("renderTemplate", LABEL_CHARS_MAX)?,
        chars_min: usize::try_from(whole("minChars", 1, NAME_CHARS_MAX as u64)?).unwrap_or(1),
        debounce_ms: u32::try_from(debounce_ms).unwrap_or_default(),
        depends_on: None,
    })
}

fn params(entry: &Entry<'_>) -> Result<Vec<(String, String)>, SchemaFault> {
    let Some(given) = entry.get("searchParams") else { return Ok(Vec::new()) };
    let wrong = || {
        entry.wrong(
            "searchParams",
            "文字列、数値、真偽値を値とするオブジェクトで指定してください。",
            "is no object of texts, numbers and booleans.",
        )
    };
    let given = given.as_object().filter(|it| it.len() <= ENTRIES_MAX).ok_or_else(wrong)?;
    let is_plain = |it: &Value| !it.is_object() && !it.is_array();
    let is_short = |it: &str| it.chars().count() <= LABEL_CHARS_MAX;
    let mut params = Vec::new();
    for (name, value) in given.iter().filter(|(_, value)| !value.is_null()) {
        let text = text_of(value);
        if !is_plain(value) || !is_short(name) || !is_short(&text) {
            return Err(wrong());
        }
        params.push((name.clone(), text));
    }
    Ok(params)
}

pub(super) fn number(entry: &Entry<'_>, usual: Number) -> Result<Number, SchemaFault> {
    let number = Number {
        min: entry.number("min")?.or(usual.min),
        max: entry.number("max")?.or(usual.max),
        step: entry.number("step")?.or(usual.step),
    };
    if number.min.zip(number.max).is_some_and(|(min, max)| min > max) {
        return Err(entry.crossed("min", "max"));
    }
    if number.step.is_some_and(|it| it <= 0.0) {
        let (japanese, english) = ("0より大きい数値で指定してください。", "is not above 0.");
        return Err(entry.wrong("step", japanese, english));
    }
    Ok(number)
}

pub(super) fn days(entry: &Entry<'_>) -> Result<Days, SchemaFault> {
    use Day::{Fixed, FromToday};
    let days = Days { min: entry.day(["minDate", "min"])?, max: entry.day(["maxDate", "max"])? };
    let is_crossed = match (days.min, days.max) {
        (Some(Fixed(min)), Some(Fixed(max))) => min > max,
        (Some(FromToday(min)), Some(FromToday(max))) => min > max,
        _ => false,
    };
    if is_crossed { Err(entry.crossed("minDate", "maxDate")) } else { Ok(days) }
}

pub(super) fn files(entry: &Entry<'_>) -> Result<Files, SchemaFault> {
    let types = match entry.get("accept") {
        Some(Value::String(text)) => text.split(',').map(str::to_owned).collect(),
        _ => entry.texts("accept", ENTRIES_MAX)?,
    };
    let types = types.iter().map(|it| it.trim().to_lowercase()).filter(|it| !it.is_empty());
    let mut accept = Vec::new();
    for it in types {
        let is_kind = it.len() <= NAME_CHARS_MAX && !it.contains(char::is_whitespace);
        if !is_kind || accept.len() == ENTRIES_MAX {
            let (japanese, english) = (
                "\".pdf,.doc\"や\"image/*\"のように指定してください。",
                "is nothing like \".pdf,.doc\" or \"image/*\".",
            );
            return Err(entry.wrong("accept", japanese, english));
        }
        if it == "*" || it == "*/*" || it == ".*" {
            accept.clear();
            break;
        }
        accept.push(if it.contains('/') || it.starts_with('.') { it } else { format!(".{it}") });
    }
    let size_max = entry.whole("maxSize")?;
    if size_max == Some(0) {
        return Err(entry.wrong(
            "maxSize",
            "0より大きい数値で指定してください。",
            "is not above 0.",
        ));
    }
    Ok(Files { accept, size_max, multiple: entry.flag("multiple", false)? })
}

// Patterns: regular expressions for whole texts, matched in linear time (FORM-48).

/// Maximum bytes of a compiled pattern, which also limits the steps per character.
const COMPILED_BYTES_MAX: usize = 256 << 10;
/// Maximum nesting of groups.
const NESTED_MAX: u32 = 30;

/// Unsupported syntax, with its name in Japanese and in English.
const MISSING: [(&[&str], &str, &str); 4] = [
    (&["(?=", "(?!", "(?<=", "(?<!"], "先読み・後読み", "look-around"),
    (
        &["\\1", "\\2", "\\3", "\\4", "\\5", "\\6", "\\7", "\\8", "\\9", "\\k<"],
        "後方参照",
        "the back-reference",
    ),
    (&["\\p", "\\P"], "Unicodeプロパティ", "the Unicode property"),
    (&["(?>"], "アトミックグループ", "the atomic group"),
];

/// Japanese text for all other invalid patterns.
const WRONG: &str = "書き方に誤りがあります（括弧や繰り返しの記号を確かめてください）";

/// `\s` as in JSON Schema and HTML; includes the full-width space between Japanese names.
const SPACES: &str = concat!(
    r"\t-\r \u{a0}\u{1680}\u{2000}-\u{200a}",
    r"\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}",
);
/// `\S`, the complement.
const OTHERS: &str = concat!(
    r"\x00-\x08\x0e-\x1f!-\u{9f}\u{a1}-\u{167f}\u{1681}-\u{1fff}\u{200b}-\u{2027}",
    r"\u{202a}-\u{202e}\u{2030}-\u{205e}\u{2060}-\u{2fff}\u{3001}-\u{fefe}\u{ff00}-\u{10ffff}",
);

/// Compiles a pattern for whole texts.
///
/// # Errors
/// What is wrong, in Japanese and in English.
pub(super) fn compile(pattern: &str) -> Result<Regex, (String, String)> {
    let rewritten = as_in_json_schema(pattern);
    // First on its own: `a)(b` would be valid within the group.
    let whole = build(&rewritten).and_then(|_| build(&format!(r"\A(?:{rewritten})\z")));
    whole.map_err(|error| {
        for (constructs, japanese, english) in MISSING {
            if let Some(construct) = constructs.iter().find(|it| pattern.contains(**it)) {
                return (
                    format!("{japanese}（{construct}）は使えません"),
                    format!("{english} ({construct}) is not supported"),
                );
            }
        }
        (WRONG.to_owned(), error.to_string())
    })
}

/// Rewrites what the engine reads differently from ECMAScript: `\s`, `\S`, and the hyphen next to a
/// class in brackets, as in `[\w-.]`.
fn as_in_json_schema(pattern: &str) -> String {
    let mut rewritten = String::with_capacity(pattern.len());
    // Start of open brackets, because a `]` right there is literal.
    let mut opened = None;
    let mut after_class = false;
    let mut rest = pattern.chars().peekable();
    while let Some(sign) = rest.next() {
        let was_after_class = std::mem::take(&mut after_class);
        match (sign, opened) {
            ('\\', _) => {
                let escaped = rest.next();
                after_class = escaped.is_some_and(|it| "dDwWsS".contains(it));
                match (escaped, opened) {
                    (Some('s'), Some(_)) => rewritten.push_str(SPACES),
                    (Some('S'), Some(_)) => rewritten.push_str(OTHERS),
                    (Some('s'), None) => rewritten.extend(["[", SPACES, "]"]),
                    (Some('S'), None) => rewritten.extend(["[^", SPACES, "]"]),
                    (escaped, _) => rewritten.extend(Some('\\').into_iter().chain(escaped)),
                }
            }
            ('-', Some(_)) if was_after_class => rewritten.push_str(r"\-"),
            ('[', None) => {
                rewritten.push('[');
                rewritten.extend(rest.next_if_eq(&'^'));
                opened = Some(rewritten.len());
            }
            (']', Some(start)) if start < rewritten.len() => {
                rewritten.push(']');
                opened = None;
            }
            (sign, _) => rewritten.push(sign),
        }
    }
    rewritten
}

fn build(pattern: &str) -> Result<Regex, regex_lite::Error> {
    RegexBuilder::new(pattern).size_limit(COMPILED_BYTES_MAX).nest_limit(NESTED_MAX).build()
}

/// A day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Day {
    /// A date such as `2026-11-21`.
    Fixed(NaiveDate),
    /// Days after today: `today`, `+30days`, `-1week`.
    FromToday(i32),
}

/// Possible current dates. The page knows the person's; a server that does not know their time zone
/// accepts every current date on earth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Today {
    /// Earliest possible date.
    pub earliest: NaiveDate,
    /// Latest possible date.
    pub latest: NaiveDate,
}

/// Maximum distance from today in days: a hundred years.
const DAYS_FROM_TODAY_MAX: i32 = 36_525;
/// Extreme time zones, UTC−12 and UTC+14.
const SECONDS_BEHIND: i64 = 12 * 3600;
const SECONDS_AHEAD: i64 = 14 * 3600;

impl Day {
    /// Parses `today`, `tomorrow`, `yesterday`, `+30days`, `-1week`, `today+7days` or `YYYY-MM-DD`.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some(day) = parse_day(text) {
            return Some(Self::Fixed(day));
        }
        let text: String =
            text.chars().filter(|it| *it != ' ').map(|it| it.to_ascii_lowercase()).collect();
        let rest = match text.as_str() {
            "today" => return Some(Self::FromToday(0)),
            "tomorrow" => return Some(Self::FromToday(1)),
            "yesterday" => return Some(Self::FromToday(-1)),
            text => text.strip_prefix("today").unwrap_or(text),
        };
        let (sign, rest) = match rest.split_at_checked(1)? {
            ("+", rest) => (1, rest),
            ("-", rest) => (-1, rest),
            _ => return None,
        };
        let digits = rest.find(|it: char| !it.is_ascii_digit()).unwrap_or(rest.len());
        let (number, unit) = rest.split_at(digits);
        let days_of_unit = match unit {
            "d" | "day" | "days" => 1,
            "w" | "week" | "weeks" => 7,
            _ => return None,
        };
        let days = number.parse::<i32>().ok()?.checked_mul(days_of_unit)?;
        (days <= DAYS_FROM_TODAY_MAX).then_some(Self::FromToday(sign * days))
    }

    /// Resolves it to a date.
    pub fn on(self, today: NaiveDate) -> NaiveDate {
        match self {
            Self::Fixed(day) => day,
            Self::FromToday(days) => {
                let distance = chrono::Days::new(u64::from(days.unsigned_abs()));
                let day = match days {
                    ..0 => today.checked_sub_days(distance),
                    _ => today.checked_add_days(distance),
                };
                day.unwrap_or(today)
            }
        }
    }
}

impl fmt::Display for Day {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(day) => write!(formatter, "{day}"),
            Self::FromToday(0) => formatter.write_str("today"),
            Self::FromToday(days) => write!(formatter, "{days:+}days"),
        }
    }
}

impl Today {
    /// A single known date.
    pub fn of_day(day: NaiveDate) -> Self {
        Self { earliest: day, latest: day }
    }

    /// Parses the caller's date: `2026-11-21`.
    pub fn read(text: &str) -> Option<Self> {
        parse_day(text).map(Self::of_day)
    }

    /// All dates somewhere on earth at a Unix time.
    pub fn anywhere(unix_seconds: i64) -> Self {
        let day = |seconds| DateTime::from_timestamp(seconds, 0).unwrap_or_default().date_naive();
        Self {
            earliest: day(unix_seconds.saturating_sub(SECONDS_BEHIND)),
            latest: day(unix_seconds.saturating_add(SECONDS_AHEAD)),
        }
    }
}

/// Parses `YYYY-MM-DD`.
pub fn parse_day(text: &str) -> Option<NaiveDate> {
    let [year, month, day] = numbers(text, "0000-00-00")?;
    NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day).filter(|_| year > 0)
}

/// Parses `YYYY-MM-DDTHH:MM`.
pub fn parse_minute(text: &str) -> Option<NaiveDateTime> {
    let (day, time) = text.split_once('T')?;
    let [hour, minute] = numbers(time, "00:00")?;
    Some(NaiveDateTime::new(parse_day(day)?, NaiveTime::from_hms_opt(hour, minute, 0)?))
}

/// Parses the numbers of a text of exactly this form, in which `0` is a digit.
fn numbers<const COUNT: usize>(text: &str, form: &str) -> Option<[u32; COUNT]> {
    let is_alike = |(sign, wanted): (u8, u8)| match wanted {
        b'0' => sign.is_ascii_digit(),
        wanted => sign == wanted,
    };
    let fits = text.len() == form.len() && text.bytes().zip(form.bytes()).all(is_alike);
    let mut found = [0; COUNT];
    for (place, number) in found.iter_mut().zip(text.split(['-', ':'])) {
        *place = number.parse().ok().filter(|_| fits)?;
    }
    Some(found)
}
