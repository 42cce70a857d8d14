//! Validates submissions (FORM-45 to FORM-47).

use std::{collections::HashSet, io};

use serde_json::Value;

use super::{
    Choice, FILES_MAX, Fault, Field, Form, Kind, OPTIONS_MAX, TEXT_CHARS_MAX, Today,
    VALUES_BYTES_MAX, Values, Wrong,
    condition::{is_empty, is_same},
    constraints::{self, Count, Days, Files, Number, Text},
    kind,
    lookup::is_option,
    parse_day, parse_minute,
};
use crate::text;

/// Maximum unknown names that are reported one by one.
const UNKNOWN_MAX: usize = 20;

pub(super) fn defaults(form: &Form) -> Values {
    let default = |field: &Field| match &field.kind {
        Kind::Hidden(value) => Some(value.clone()),
        Kind::Checkbox => Some(field.default.clone().unwrap_or(Value::Bool(false))),
        Kind::Range { number, .. } => {
            field.default.clone().or_else(|| Some(json_number(number.min.unwrap_or(0.0))))
        }
        _ => field.default.clone(),
    };
    let inputs = form.fields.iter().filter(|it| it.is_input());
    let mut defaults: Values =
        inputs.filter_map(|it| Some((it.name.clone(), default(it)?))).collect();
    // An option of a dependent field is accepted once its parent has a value (FORM-44).
    loop {
        let is_early = |field: &&Field| {
            defaults.contains_key(&field.name) && empty_parent(form, field, &defaults).is_some()
        };
        let early: Vec<_> = form.fields.iter().filter(is_early).map(|it| &it.name).collect();
        if early.is_empty() {
            return defaults;
        }
        early.into_iter().for_each(|it| drop(defaults.shift_remove(it)));
    }
}

pub(super) fn check(form: &Form, values: &Values, today: Today) -> Result<Values, Vec<Fault>> {
    if bytes(form, values) > VALUES_BYTES_MAX {
        let wrong = Wrong::TooBig(VALUES_BYTES_MAX);
        return Err(vec![Fault { field: String::new(), label: form.title.clone(), wrong }]);
    }
    let mut submission = Values::new();
    let mut faults = Vec::new();
    for (it, is_shown) in form.fields.iter().zip(form.shown(values)) {
        if !it.is_input() || !is_shown {
            continue;
        }
        match field(it, values.get(&it.name), today).and_then(|value| {
            match value.is_some().then(|| empty_parent(form, it, values)).flatten() {
                Some(parent) => Err(it.fault(Wrong::WithoutParent(parent.label.clone()))),
                None => Ok(value),
            }
        }) {
            Ok(Some(value)) => drop(submission.insert(it.name.clone(), value)),
            Ok(None) => {}
            Err(fault) => faults.push(fault),
        }
    }
    let names: HashSet<&str> = form.fields.iter().map(|it| it.name.as_str()).collect();
    let unknown = values.keys().filter(|it| it.is_empty() || !names.contains(it.as_str()));
    faults.extend(unknown.take(UNKNOWN_MAX).map(|name| Fault {
        field: name.clone(),
        label: name.clone(),
        wrong: Wrong::Unknown,
    }));
    if faults.is_empty() { Ok(submission) } else { Err(faults) }
}

/// Size as JSON without values of the definition itself.
fn bytes(form: &Form, values: &Values) -> usize {
    struct Counted(usize);
    impl io::Write for Counted {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.saturating_add(bytes.len());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let is_hidden = |it: &&Field| matches!(it.kind, Kind::Hidden(_));
    let hidden = form.fields.iter().filter(is_hidden).map(|it| it.name.as_str());
    let hidden: HashSet<&str> = hidden.collect();
    let mut counted = Counted(0);
    for (name, value) in values.iter().filter(|(name, _)| !hidden.contains(name.as_str())) {
        // Counting cannot fail, and a value is always JSON.
        let _ = serde_json::to_writer(&mut counted, value);
        counted.0 = counted.0.saturating_add(name.len() + 4);
    }
    counted.0
}

/// Parent of `field` without a chosen value (FORM-43).
fn empty_parent<'a>(form: &'a Form, field: &Field, values: &Values) -> Option<&'a Field> {
    let (name, _) = field.lookup()?.depends_on.as_ref()?;
    let parent = form.field(name)?;
    let is_filled = match &parent.kind {
        Kind::Hidden(value) => !is_empty(value),
        Kind::Checkbox => true,
        _ => values.get(name).is_some_and(|it| !is_empty(it)),
    };
    (!is_filled).then_some(parent)
}

/// Value to send; `None` if it is left out.
pub(super) fn field(
    field: &Field,
    value: Option<&Value>,
    today: Today,
) -> Result<Option<Value>, Fault> {
    let fault = |wrong| field.fault(wrong);
    let value = match &field.kind {
        Kind::Divider | Kind::Heading(_) => return Ok(None),
        Kind::Hidden(value) => return Ok(Some(value.clone())),
        Kind::Checkbox => value.or(Some(&Value::Bool(false))),
        _ => value,
    };
    let is_blank = |value: &&Value| {
        let is_text = matches!(field.kind, Kind::Text(_) | Kind::Textarea { .. });
        field.required && is_text && value.as_str().is_some_and(text::is_blank)
    };
    let value = match value.filter(|it| !is_empty(it) && !is_blank(it)) {
        Some(value) => value,
        None if field.kind == Kind::Checkbox => &Value::Bool(false),
        None if field.required => return Err(fault(Wrong::Missing)),
        None => return field.least().map_or(Ok(None), |it| Err(fault(Wrong::TooFew(it)))),
    };
    kind::fits(&field.kind, value, today).map_err(fault)?;
    if field.required && *value == Value::Bool(false) && field.kind == Kind::Checkbox {
        return Err(fault(Wrong::Missing));
    }
    Ok(Some(value.clone()))
}

/// Tolerance of steps, since 0.3 is not exactly three times 0.1.
const STEP_TOLERANCE: f64 = 1e-6;
/// Maximum characters of a file's name and media type.
const FILE_NAME_CHARS_MAX: usize = 255;
/// Hexadecimal digits of a blob's id.
const FILE_ID_DIGITS: usize = 64;

/// Writes integers without a decimal point.
pub fn json_number(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 9e15 {
        return Value::from(number as i64);
    }
    Value::from(number)
}

pub(super) fn text(limits: &Text, value: &Value) -> Result<(), Wrong> {
    let text = value.as_str().ok_or(Wrong::Type("string"))?;
    let length = text.chars().count();
    if let Some(max) = limits.length.max.into_iter().chain([TEXT_CHARS_MAX]).find(|it| length > *it)
    {
        return Err(Wrong::TooLong(max));
    }
    if let Some(min) = limits.length.min.filter(|it| length < *it) {
        return Err(Wrong::TooShort(min));
    }
    let Some(pattern) = &limits.pattern else { return Ok(()) };
    // A parsed form has only valid patterns.
    if constraints::compile(pattern).is_ok_and(|it| it.is_match(text)) {
        return Ok(());
    }
    Err(Wrong::Pattern(limits.pattern_error.clone()))
}

pub(super) fn option(options: &[Choice], value: &Value) -> Result<(), Wrong> {
    if !is_option(value) {
        return Err(Wrong::Type("option"));
    }
    options.iter().any(|it| is_same(&it.value, value)).then_some(()).ok_or(Wrong::NoOption)
}

/// Looked-up options are only known to the other side.
pub(super) fn found(value: &Value) -> Result<(), Wrong> {
    if !is_option(value) {
        return Err(Wrong::Type("option"));
    }
    let length = value.as_str().map_or(0, |it| it.chars().count());
    if length > TEXT_CHARS_MAX { Err(Wrong::TooLong(TEXT_CHARS_MAX)) } else { Ok(()) }
}

pub(super) fn several(count: Count, value: &Value) -> Result<&[Value], Wrong> {
    let values = value.as_array().ok_or(Wrong::Type("array"))?;
    if let Some(min) = count.min.filter(|it| values.len() < *it) {
        return Err(Wrong::TooFew(min));
    }
    let max = count.max.unwrap_or(OPTIONS_MAX).min(OPTIONS_MAX);
    if values.len() > max {
        return Err(Wrong::TooMany(max));
    }
    let key = |value: &Value| match value.as_f64() {
        Some(number) => json_number(number).to_string(),
        None => value.to_string(),
    };
    let mut keys = HashSet::new();
    if values.iter().all(|it| keys.insert(key(it))) { Ok(values) } else { Err(Wrong::Twice) }
}

pub(super) fn number(limits: Number, value: &Value) -> Result<(), Wrong> {
    let number = value.as_f64().filter(|it| it.is_finite()).ok_or(Wrong::Type("number"))?;
    if let Some(min) = limits.min.filter(|it| number < *it) {
        return Err(Wrong::TooSmall(min));
    }
    if let Some(max) = limits.max.filter(|it| number > *it) {
        return Err(Wrong::TooLarge(max));
    }
    let Some(step) = limits.step else { return Ok(()) };
    let base = limits.min.unwrap_or(0.0);
    let steps = (number - base) / step;
    let distance = (steps - steps.round()).abs();
    // Tolerance of floating-point numbers far from the base.
    let nearest = number.abs().max(base.abs()) / step * 4.0 * f64::EPSILON;
    if distance <= nearest.max(STEP_TOLERANCE) { Ok(()) } else { Err(Wrong::Step(base, step)) }
}

pub(super) fn day(limits: Days, value: &Value, today: Today) -> Result<(), Wrong> {
    let day = value.as_str().and_then(parse_day).ok_or(Wrong::Type("YYYY-MM-DD"))?;
    within(limits, day, today)
}

pub(super) fn minute(limits: Days, value: &Value, today: Today) -> Result<(), Wrong> {
    let minute = value.as_str().and_then(parse_minute).ok_or(Wrong::Type("YYYY-MM-DDTHH:MM"))?;
    within(limits, minute.date(), today)
}

fn within(limits: Days, day: chrono::NaiveDate, today: Today) -> Result<(), Wrong> {
    if let Some(min) = limits.min.map(|it| it.on(today.earliest)).filter(|it| day < *it) {
        return Err(Wrong::TooEarly(min.to_string()));
    }
    match limits.max.map(|it| it.on(today.latest)).filter(|it| day > *it) {
        Some(max) => Err(Wrong::TooLate(max.to_string())),
        None => Ok(()),
    }
}

pub(super) fn file(files: &Files, value: &Value) -> Result<(), Wrong> {
    if !files.multiple {
        return one_file(files, value);
    }
    let values = value.as_array().ok_or(Wrong::Type("array"))?;
    if values.len() > FILES_MAX {
        return Err(Wrong::TooMany(FILES_MAX));
    }
    values.iter().try_for_each(|it| one_file(files, it))
}

/// Validates `{name, type, size, fileId}` (FORM-36).
fn one_file(files: &Files, value: &Value) -> Result<(), Wrong> {
    const WRONG: Wrong = Wrong::Type("file");
    let members = value.as_object().filter(|it| it.len() == 4).ok_or(WRONG)?;
    let text = |name: &str| members.get(name)?.as_str();
    let is_short = |it: &&str| it.chars().count() <= FILE_NAME_CHARS_MAX;
    let name = text("name").filter(|it| !it.is_empty() && is_short(it)).ok_or(WRONG)?;
    let media_type = text("type").filter(is_short).ok_or(WRONG)?;
    let size = members.get("size").and_then(Value::as_u64).ok_or(WRONG)?;
    let is_id = |id: &&str| {
        id.len() == FILE_ID_DIGITS && id.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'))
    };
    text("fileId").filter(is_id).ok_or(WRONG)?;
    if !files.takes(name, media_type) {
        return Err(Wrong::FileKind(name.to_owned()));
    }
    match files.size_max.filter(|it| size > *it) {
        Some(max) => Err(Wrong::FileSize(name.to_owned(), max)),
        None => Ok(()),
    }
}

/// Media types by extension, where systems report none or another: Windows with Excel reports
/// `application/vnd.ms-excel` for CSV.
const TYPES_BY_ENDING: [(&str, &str); 5] = [
    (".csv", "text/csv"),
    (".tsv", "text/tab-separated-values"),
    (".md", "text/markdown"),
    (".heic", "image/heic"),
    (".heif", "image/heif"),
];

/// Media type implied by a file's extension, where the reported type is unreliable.
pub fn type_by_ending(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase();
    TYPES_BY_ENDING.iter().find(|it| name.ends_with(it.0)).map(|it| it.1)
}

impl Files {
    /// Whether it accepts a file of that name and media type (`accept`).
    pub fn takes(&self, name: &str, media_type: &str) -> bool {
        let media_type = media_type.split(';').next().unwrap_or_default().trim().to_lowercase();
        let types = [Some(media_type.as_str()).filter(|it| !it.is_empty()), type_by_ending(name)];
        let name = name.to_lowercase();
        let is_one = |fits: &dyn Fn(&str) -> bool| types.iter().flatten().any(|it| fits(it));
        let fits = |accepted: &String| match accepted.strip_suffix('*') {
            Some(family) => is_one(&|it| it.starts_with(family)),
            None if accepted.starts_with('.') => name.ends_with(accepted.as_str()),
            None => is_one(&|it| it == accepted),
        };
        self.accept.is_empty() || self.accept.iter().any(fits)
    }
}
