//! What was typed, by field; it outlives the form that it was typed into.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::schema::shown;
use super::{Field, Form, Kind};

/// What was typed so far, by JSON pointer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Draft(BTreeMap<String, Entry>);

/// What was typed into one field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Entry {
    Text(String),
    Flag(bool),
    /// The items of a list, or the choices made.
    Items(Vec<String>),
}

impl Draft {
    /// The text typed, or the default's.
    pub(crate) fn text(&self, field: &Field) -> String {
        match (self.0.get(&field.pointer), &field.default) {
            (Some(Entry::Text(text)), _) => text.clone(),
            (None, Some(Value::Null) | None) => String::new(),
            (None, Some(default)) if matches!(field.kind, Kind::Choice(_) | Kind::Json) => {
                default.to_string()
            }
            (None, Some(default)) => shown(default),
            _ => String::new(),
        }
    }

    /// Whether it is switched on; none where it is not set.
    pub(crate) fn flag(&self, field: &Field) -> Option<bool> {
        match self.0.get(&field.pointer) {
            Some(Entry::Flag(flag)) => Some(*flag),
            _ => field.default.as_ref().and_then(Value::as_bool),
        }
    }

    /// The items typed or chosen, or the default's.
    pub(crate) fn items(&self, field: &Field) -> Vec<String> {
        match (self.0.get(&field.pointer), &field.default) {
            (Some(Entry::Items(items)), _) => items.clone(),
            (None, Some(Value::Array(items))) => match field.kind {
                Kind::Choices { .. } => items.iter().map(Value::to_string).collect(),
                _ => items.iter().map(shown).collect(),
            },
            _ => Vec::new(),
        }
    }

    /// Keeps what was typed.
    pub(crate) fn put(&mut self, field: &Field, entry: Entry) {
        self.0.insert(field.pointer.clone(), entry);
    }

    /// Chooses or un-chooses one of several.
    pub(crate) fn choose(&mut self, field: &Field, value: &str, on: bool) {
        let mut items = self.items(field);
        items.retain(|it| it != value);
        if on {
            items.push(value.to_owned());
        }
        self.put(field, Entry::Items(items));
    }

    /// Whether an optional group is to be sent: it was opened, or something in it was typed.
    pub(crate) fn includes(&self, group: &Field) -> bool {
        match self.0.get(&group.pointer) {
            Some(Entry::Flag(flag)) => *flag,
            _ => group.required || self.0.keys().any(|it| is_below(it, &group.pointer)),
        }
    }

    /// The draft without what must not be kept.
    pub(crate) fn without_secrets(&self, form: &Form) -> Self {
        let mut kept = self.clone();
        for field in form.all().into_iter().filter(|it| it.is_secret()) {
            kept.0.remove(&field.pointer);
        }
        kept
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn is_below(pointer: &str, group: &str) -> bool {
    pointer.strip_prefix(group).is_some_and(|rest| rest.starts_with('/'))
}
