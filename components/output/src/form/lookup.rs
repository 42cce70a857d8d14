//! Look-ups of options: URLs and answers (FORM-41 to FORM-44).

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::{OPTIONS_MAX, condition::is_empty};
use crate::text::is_blank;

/// An option.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// Value to send: a string, a number or a boolean.
    pub value: Value,
    /// Text that people read.
    pub label: String,
}

/// Source of a field's options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lookup {
    /// `searchUrl` or `loadUrl`: `https://…`, or a path of this host.
    pub url: String,
    /// Query with `{query}` for the typed text; `q={query}` if the definition and the URL have none and text is typed.
    pub params: Vec<(String, String)>,
    /// Member of an item that is its label.
    pub display_field: String,
    /// Member of an item that is its value.
    pub value_field: String,
    /// Template with `{member}` placeholders, instead of `display_field`.
    pub template: Option<String>,
    /// Minimum characters before a search.
    pub chars_min: usize,
    /// Delay after a key, in milliseconds.
    pub debounce_ms: u32,
    /// Parent field, and the query parameter for its value.
    pub depends_on: Option<(String, String)>,
}

/// Placeholder of the typed text.
const QUERY: &str = "{query}";

impl Lookup {
    /// Builds the URL for the `typed` text and the `parent` value. Keeps an existing query and drops the fragment.
    pub fn url(&self, typed: &str, parent: Option<&Value>) -> String {
        let base = self.url.split('#').next().unwrap_or_default();
        let mut url = base.replace(QUERY, &encoded(typed));
        let mut add = |name: &str, value: &str| {
            let separator = match url.find('?') {
                None => "?",
                Some(_) if url.ends_with(['?', '&']) => "",
                Some(_) => "&",
            };
            url.push_str(separator);
            url.push_str(&encoded(name));
            url.push('=');
            url.push_str(&encoded(value));
        };
        for (name, value) in &self.params {
            add(name, &value.replace(QUERY, typed));
        }
        if self.params.is_empty() && !typed.is_empty() && !base.contains(QUERY) {
            add("q", typed);
        }
        if let (Some((_, name)), Some(parent)) = (&self.depends_on, parent)
            && !is_empty(parent)
        {
            add(name, &text_of(parent));
        }
        url
    }

    /// Label of an item (FORM-41).
    fn label(&self, item: &Map<String, Value>) -> String {
        let member = |name: &str| item.get(name).map(text_of).unwrap_or_default();
        let Some(template) = &self.template else { return member(&self.display_field) };
        let mut label = String::new();
        let mut rest = template.as_str();
        while let Some((before, after)) = rest.split_once('{') {
            label.push_str(before);
            let Some((name, after)) = after.split_once('}') else {
                label.push('{');
                rest = after;
                continue;
            };
            label.push_str(&member(name.trim()));
            rest = after;
        }
        label + rest
    }
}

/// Formats a value for people and queries: lists joined by commas, objects and null empty.
pub fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(is_true) => is_true.to_string(),
        Value::Array(values) => {
            let texts = values.iter().filter(|it| !it.is_array()).map(text_of);
            texts.filter(|it| !it.is_empty()).collect::<Vec<_>>().join(",")
        }
        Value::Object(_) | Value::Null => String::new(),
    }
}

/// Parses the options of an answer: an array, or an object with one under `items`, `results` or `data`.
/// Skips items without a value and duplicates.
///
/// # Errors
/// A sentence that describes the problem.
pub fn choices(lookup: &Lookup, answer: &Value) -> Result<Vec<Choice>, String> {
    let items = match answer {
        Value::Array(items) => Some(items),
        _ => ["items", "results", "data"].into_iter().find_map(|it| answer.get(it)?.as_array()),
    };
    let items = items.ok_or(
        "The look-up must answer with a JSON array, or an object with one under `items`, `results` \
         or `data`.",
    )?;
    let mut choices = Vec::new();
    let mut values = std::collections::HashSet::new();
    for item in items.iter() {
        if choices.len() == OPTIONS_MAX {
            break;
        }
        let (value, label) = match item {
            Value::Object(members) => {
                let Some(value) = members.get(&lookup.value_field) else { continue };
                (value, lookup.label(members))
            }
            plain => (plain, text_of(plain)),
        };
        if !is_option(value) || !values.insert(value.to_string()) {
            continue;
        }
        let label = if is_blank(&label) { text_of(value) } else { label };
        choices.push(Choice { value: value.clone(), label });
    }
    if choices.is_empty() && !items.is_empty() {
        return Err(format!(
            "No item of the look-up's answer has a text, a number or a boolean under `{}`.",
            lookup.value_field
        ));
    }
    Ok(choices)
}

/// Whether it can be an option's value.
pub(super) fn is_option(value: &Value) -> bool {
    matches!(value, Value::String(_) | Value::Number(_) | Value::Bool(_)) && !is_empty(value)
}

/// Percent-encodes all but letters, digits and `-._~`.
fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(char::from(byte));
            }
            // Writing to a string cannot fail.
            _ => drop(write!(encoded, "%{byte:02X}")),
        }
    }
    encoded
}
