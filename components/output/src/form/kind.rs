//! Types of fields: parsing and validation (FORM-20 to FORM-37). A new type needs a variant of
//! [`Kind`], a widget of the page, and a conversion to MCP's flat forms unless text suffices.

use serde_json::Value;

use super::{
    Choice, LABEL_CHARS_MAX, Lookup, NAME_CHARS_MAX, SchemaFault, Today, Wrong, check,
    constraints::{self, Count, Day, Days, Files, Number, Text},
    read::Entry,
};

/// Maximum and default lines of a text area.
const ROWS_MAX: u64 = 50;
const ROWS: u64 = 3;
/// Type of a field.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Kind {
    /// `text` (FORM-20).
    Text(Text),
    /// `textarea` (FORM-21).
    Textarea {
        /// Visible lines; 3 by default.
        rows: u32,
        /// Constraints of the text.
        text: Text,
    },
    /// `divider` (FORM-22).
    #[default]
    Divider,
    /// `heading` (FORM-23) with its level, 1 to 4. Its text is the field's label.
    Heading(u8),
    /// `select` (FORM-24).
    Select(Vec<Choice>),
    /// `multiselect` (FORM-25).
    Multiselect(Vec<Choice>, Count),
    /// `autocomplete` (FORM-26).
    Autocomplete(Lookup),
    /// `multi-autocomplete` (FORM-27).
    MultiAutocomplete(Lookup, Count),
    /// `cascading-select` (FORM-28); `depends_on` is in the look-up.
    CascadingSelect(Lookup),
    /// `async-select` (FORM-29).
    AsyncSelect(Lookup),
    /// `checkbox` (FORM-30).
    Checkbox,
    /// `radio` (FORM-31).
    Radio(Vec<Choice>),
    /// `number` (FORM-32).
    Number(Number),
    /// `range` (FORM-33).
    Range {
        /// 0 to 100 by 1 by default.
        number: Number,
        /// Whether the value is shown next to the slider.
        show_value: bool,
    },
    /// `date` (FORM-34).
    Date(Days),
    /// `datetime` (FORM-35).
    Datetime(Days),
    /// `file` (FORM-36).
    File(Files),
    /// `hidden` (FORM-37).
    Hidden(Value),
}

/// Names of the types, in the order of FORM-60.
pub const TYPES: [&str; 18] = [
    "async-select",
    "autocomplete",
    "cascading-select",
    "checkbox",
    "date",
    "datetime",
    "divider",
    "file",
    "heading",
    "hidden",
    "multi-autocomplete",
    "multiselect",
    "number",
    "radio",
    "range",
    "select",
    "text",
    "textarea",
];

impl Kind {
    /// Name in definitions.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Textarea { .. } => "textarea",
            Self::Divider => "divider",
            Self::Heading(_) => "heading",
            Self::Select(_) => "select",
            Self::Multiselect(..) => "multiselect",
            Self::Autocomplete(_) => "autocomplete",
            Self::MultiAutocomplete(..) => "multi-autocomplete",
            Self::CascadingSelect(_) => "cascading-select",
            Self::AsyncSelect(_) => "async-select",
            Self::Checkbox => "checkbox",
            Self::Radio(_) => "radio",
            Self::Number(_) => "number",
            Self::Range { .. } => "range",
            Self::Date(_) => "date",
            Self::Datetime(_) => "datetime",
            Self::File(_) => "file",
            Self::Hidden(_) => "hidden",
        }
    }
}

pub(super) fn read(entry: &Entry<'_>) -> Result<Kind, SchemaFault> {
    Ok(match entry.kind {
        "text" => Kind::Text(constraints::text(entry)?),
        "textarea" => {
            let rows = entry.whole("rows")?.unwrap_or(ROWS).clamp(1, ROWS_MAX);
            Kind::Textarea {
                rows: u32::try_from(rows).unwrap_or(1),
                text: constraints::text(entry)?,
            }
        }
        "heading" => Kind::Heading(constraints::level(entry)?),
        "select" => Kind::Select(constraints::options(entry)?),
        "radio" => Kind::Radio(constraints::options(entry)?),
        "multiselect" => {
            let options = constraints::options(entry)?;
            let count = entry.count("minSelect", "maxSelect")?;
            if count.min.is_some_and(|it| it > options.len()) {
                let (japanese, english) =
                    ("選択肢の数より大きくなっています。", "is above the number of options.");
                return Err(entry.wrong("minSelect", japanese, english));
            }
            Kind::Multiselect(options, count)
        }
        "autocomplete" => Kind::Autocomplete(constraints::lookup(entry, ["searchUrl", "loadUrl"])?),
        "multi-autocomplete" => {
            let lookup = constraints::lookup(entry, ["searchUrl", "loadUrl"])?;
            Kind::MultiAutocomplete(lookup, entry.count("minSelect", "maxSelect")?)
        }
        "cascading-select" => {
            let mut lookup = constraints::lookup(entry, ["searchUrl", "loadUrl"])?;
            let parent = entry.needed("dependsOn", LABEL_CHARS_MAX)?;
            let parameter = entry.needed("dependsOnParam", NAME_CHARS_MAX)?;
            lookup.depends_on = Some((parent, parameter));
            Kind::CascadingSelect(lookup)
        }
        "async-select" => Kind::AsyncSelect(constraints::lookup(entry, ["loadUrl", "searchUrl"])?),
        "checkbox" => Kind::Checkbox,
        "number" => Kind::Number(constraints::number(entry, Number::default())?),
        "range" => {
            let usual = Number { min: Some(0.0), max: Some(100.0), step: Some(1.0) };
            let number = constraints::number(entry, usual)?;
            Kind::Range { number, show_value: entry.flag("showValue", true)? }
        }
        "date" => Kind::Date(constraints::days(entry)?),
        "datetime" => Kind::Datetime(constraints::days(entry)?),
        "file" => Kind::File(constraints::files(entry)?),
        "hidden" => {
            let value = entry.given.get("value").or_else(|| entry.given.get("default"));
            Kind::Hidden(value.ok_or_else(|| entry.missing("value"))?.clone())
        }
        "divider" => Kind::Divider,
        _ => return Err(entry.wrong("type", "知られていない型です。", "is not known.")),
    })
}

/// Removes the seconds of a default datetime.
pub(super) fn without_seconds(kind: &Kind, given: &Value) -> Value {
    let minute = given.as_str().filter(|_| matches!(kind, Kind::Datetime(_))).and_then(|minute| {
        let (minute, seconds) = minute.split_at_checked("0000-00-00T00:00".len())?;
        let seconds = seconds.strip_prefix(':').filter(|it| it.len() == 2)?;
        (seconds.parse::<u8>().is_ok_and(|it| it < 60)).then_some(minute)
    });
    minute.map_or_else(|| given.clone(), Value::from)
}

/// Relative day of a date or datetime's default.
fn counted(kind: &Kind, given: &Value) -> Option<Day> {
    let text = given.as_str().filter(|_| matches!(kind, Kind::Date(_) | Kind::Datetime(_)))?;
    Day::read(text).filter(|it| matches!(it, Day::FromToday(_)))
}

/// Resolves a default relative to today: to the day, or its midnight.
pub(super) fn on(kind: &Kind, given: Value, today: Today) -> Value {
    match (counted(kind, &given).map(|it| it.on(today.latest)), kind) {
        (None, _) => given,
        (Some(day), Kind::Datetime(_)) => format!("{day}T00:00").into(),
        (Some(day), _) => day.to_string().into(),
    }
}

/// Validates a value regardless of the current date.
pub(super) fn fits_at_first(kind: &Kind, given: &Value) -> Result<(), Wrong> {
    let fixed = |limits: &Days| {
        let fixed = |it: Option<Day>| it.filter(|it| matches!(it, Day::Fixed(_)));
        Days { min: fixed(limits.min), max: fixed(limits.max) }
    };
    if counted(kind, given).is_some() {
        return Ok(());
    }
    let today = Today::of_day(chrono::NaiveDate::default());
    match kind {
        Kind::Date(limits) => check::day(fixed(limits), given, today),
        Kind::Datetime(limits) => check::minute(fixed(limits), given, today),
        kind => fits(kind, given, today),
    }
}

/// Validates a non-empty value.
pub(super) fn fits(kind: &Kind, given: &Value, today: Today) -> Result<(), Wrong> {
    match kind {
        Kind::Text(limits) | Kind::Textarea { text: limits, .. } => check::text(limits, given),
        Kind::Select(options) | Kind::Radio(options) => check::option(options, given),
        Kind::Multiselect(options, count) => {
            for it in check::several(*count, given)? {
                check::option(options, it)?;
            }
            Ok(())
        }
        Kind::Autocomplete(_) | Kind::CascadingSelect(_) | Kind::AsyncSelect(_) => {
            check::found(given)
        }
        Kind::MultiAutocomplete(_, count) => {
            check::several(*count, given)?.iter().try_for_each(check::found)
        }
        Kind::Checkbox if given.is_boolean() => Ok(()),
        Kind::Checkbox => Err(Wrong::Type("boolean")),
        Kind::Number(limits) | Kind::Range { number: limits, .. } => check::number(*limits, given),
        Kind::Date(limits) => check::day(*limits, given, today),
        Kind::Datetime(limits) => check::minute(*limits, given, today),
        Kind::File(files) => check::file(files, given),
        Kind::Divider | Kind::Heading(_) | Kind::Hidden(_) => Ok(()),
    }
}
