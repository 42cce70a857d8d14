//! Converts typed values to arguments, or lists their faults. The tool checks again.

use serde_json::{Map, Value};

use super::{Count, Draft, Field, Form, Format, Item, Kind, Number, Text};
use crate::text::{Key, Lang};

/// The fault of one field.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    pub(crate) pointer: String,
    key: Key,
    value: String,
}

impl Fault {
    /// The message with the expected value.
    pub(crate) fn message(&self, lang: Lang) -> String {
        lang.fill(self.key, &[&self.value])
    }
}

/// Why a value is invalid.
type Wrong = (Key, String);

impl Form {
    /// The arguments, or all faults.
    pub(crate) fn arguments(&self, draft: &Draft) -> Result<Value, Vec<Fault>> {
        let mut faults = Vec::new();
        let arguments = object(&self.fields, draft, &mut faults);
        if faults.is_empty() { Ok(Value::Object(arguments)) } else { Err(faults) }
    }
}

fn object(fields: &[Field], draft: &Draft, faults: &mut Vec<Fault>) -> Map<String, Value> {
    let mut object = Map::new();
    for field in fields {
        if let Kind::Group(inner) = &field.kind {
            if draft.includes(field) {
                let inner = self::object(inner, draft, faults);
                object.insert(field.name.clone(), Value::Object(inner));
            }
            continue;
        }
        match value(field, draft) {
            Ok(Some(value)) => {
                object.insert(field.name.clone(), value);
            }
            Ok(None) if !field.required => {}
            Ok(None) => faults.push(fault(field, (Key::MustBeGiven, String::new()))),
            Err(wrong) => faults.push(fault(field, wrong)),
        }
    }
    object
}

fn fault(field: &Field, (key, value): Wrong) -> Fault {
    Fault { pointer: field.pointer.clone(), key, value }
}

/// The argument of a field; none if nothing was given.
fn value(field: &Field, draft: &Draft) -> Result<Option<Value>, Wrong> {
    match &field.kind {
        Kind::Text(limits) => one_text(&draft.text(field), limits),
        Kind::Number(limits) => one_number(&draft.text(field), limits),
        Kind::Switch => Ok(draft.flag(field).or(field.required.then_some(false)).map(Value::Bool)),
        Kind::Choice(choices) => {
            let text = draft.text(field);
            if text.is_empty() {
                return Ok(None);
            }
            let is_known = choices.iter().any(|it| it.value == text);
            let value = serde_json::from_str(&text).ok().filter(|_| is_known);
            value.map(Some).ok_or((Key::MustBeOneOf, String::new()))
        }
        Kind::Choices { choices, count } => {
            let chosen = draft.items(field);
            let known = choices.iter().filter(|it| chosen.contains(&it.value));
            let values = known.filter_map(|it| serde_json::from_str(&it.value).ok()).collect();
            counted(field, values, *count)
        }
        Kind::List { item, count } => {
            let mut values = Vec::new();
            for text in draft.items(field) {
                values.extend(match item {
                    Item::Text(limits) => one_text(&text, limits)?,
                    Item::Number(limits) => one_number(&text, limits)?,
                });
            }
            counted(field, values, *count)
        }
        Kind::Json => {
            let text = draft.text(field);
            if text.trim().is_empty() {
                return Ok(None);
            }
            serde_json::from_str(&text)
                .map(Some)
                .map_err(|it| (Key::MustBeJson, format!("{}:{}", it.line(), it.column())))
        }
        Kind::Group(_) => Ok(None),
    }
}

fn one_text(text: &str, limits: &Text) -> Result<Option<Value>, Wrong> {
    if text.is_empty() {
        return Ok(None);
    }
    let length = text.chars().count();
    if length < limits.length.min {
        return Err((Key::MustBeLonger, limits.length.min.to_string()));
    }
    if let Some(max) = limits.length.max.filter(|max| length > *max) {
        return Err((Key::MustBeShorter, max.to_string()));
    }
    let wrong = match limits.format {
        Format::Date if !is_date(text) => Some(Key::MustBeDate),
        Format::Email if !is_email(text) => Some(Key::MustBeEmail),
        Format::Url if !text.contains("://") => Some(Key::MustBeUrl),
        _ => None,
    };
    match wrong {
        Some(key) => Err((key, String::new())),
        None => Ok(Some(text.into())),
    }
}

fn one_number(text: &str, limits: &Number) -> Result<Option<Value>, Wrong> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let number: f64 = text.parse().map_err(|_| (Key::MustBeNumber, String::new()))?;
    if !number.is_finite() {
        return Err((Key::MustBeNumber, String::new()));
    }
    if let Some(min) = limits.min.filter(|min| number < *min) {
        return Err((Key::MustBeAtLeast, min.to_string()));
    }
    if let Some(max) = limits.max.filter(|max| number > *max) {
        return Err((Key::MustBeAtMost, max.to_string()));
    }
    if limits.integer {
        let whole: i64 = text.parse().map_err(|_| (Key::MustBeInteger, String::new()))?;
        return Ok(Some(whole.into()));
    }
    Ok(Some(serde_json::from_str(text).unwrap_or_else(|_| number.into())))
}

fn counted(field: &Field, values: Vec<Value>, count: Count) -> Result<Option<Value>, Wrong> {
    if values.is_empty() && (!field.required || count.min > 0) {
        // A required list that may be empty is sent empty.
        return Ok(None);
    }
    if values.len() < count.min {
        return Err((Key::MustHaveItems, count.min.to_string()));
    }
    if let Some(max) = count.max.filter(|max| values.len() > *max) {
        return Err((Key::MustHaveFewer, max.to_string()));
    }
    let is_double = |(index, value): (usize, &Value)| values[..index].contains(value);
    if count.unique && values.iter().enumerate().any(is_double) {
        return Err((Key::MustDiffer, String::new()));
    }
    Ok(Some(Value::Array(values)))
}

/// Whether the text is a calendar day `YYYY-MM-DD`.
fn is_date(text: &str) -> bool {
    crate::dates::Day::parse(text).is_some()
}

/// One `@` with text on both sides: the rest is checked by mail delivery.
fn is_email(text: &str) -> bool {
    matches!(text.split_once('@'), Some((name, host)) if !name.is_empty() && !host.is_empty()
        && !host.contains('@') && !text.contains(char::is_whitespace))
}
