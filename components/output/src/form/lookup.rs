//! Options that come from elsewhere: what to ask, and how to read the answer (FORM-41 to FORM-44).

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::{OPTIONS_MAX, condition::is_empty};
use crate::text::is_blank;

/// One of the options of a field.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// What is sent: a string, a number or a boolean.
    pub value: Value,
    /// What people read.
    pub label: String,
}

/// Where the options of a field come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lookup {
    /// `searchUrl` or `loadUrl`: `https://…`, or a path of this host.
    pub url: String,
    /// The query, `{query}` standing for what is typed; `q={query}` where the definition has none and something
    /// is typed.
    pub params: Vec<(String, String)>,
    /// The member of an item that people read.
    pub display_field: String,
    /// The member of an item that is sent.
    pub value_field: String,
    /// `{member}` stands for a member of the item; in place of `display_field`.
    pub template: Option<String>,
    /// Characters to type before a search.
    pub chars_min: usize,
    /// How long to wait after a key.
    pub debounce_ms: u32,
    /// The field whose value this one depends on, and the name of the query parameter for it.
    pub depends_on: Option<(String, String)>,
}

/// What stands for the typed text.
const QUERY: &str = "{query}";

impl Lookup {
    /// The URL to ask: `typed` is what is searched for, `parent` the value that this depends on. A
    /// query that the URL already has stays; its fragment goes.
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

    /// What people read of an item (FORM-41).
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

/// A value as people read it and as a query has it: several with commas between them, objects and null
/// as nothing.
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

/// The options in an answer: an array, or an object with one under `items`, `results` or `data`. Items
/// without a value are left out, and so is what would be there twice.
///
/// # Errors
/// A sentence that says what is wrong with the answer.
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

/// As a component of a URL: all but letters, digits and `-._~` as their bytes.
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
