//! A form as plain data: the fields of a tool's JSON Schema, the typed values, and their errors.

mod check;
mod schema;

use std::collections::BTreeMap;

use schema::shown;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use check::Fault;
pub(crate) use schema::{is_empty, is_for_programs, labelled};

/// The fields of a schema.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Form {
    pub(crate) fields: Vec<Field>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Field {
    /// Its target: a JSON pointer into the arguments.
    pub(crate) pointer: String,
    pub(crate) name: String,
    pub(crate) label: String,
    pub(crate) help: Option<String>,
    pub(crate) required: bool,
    /// Whether it is meant for programs: it comes last, folded.
    pub(crate) is_for_programs: bool,
    pub(crate) default: Option<Value>,
    /// The author's example value.
    pub(crate) example: Option<String>,
    pub(crate) kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Text(Text),
    Number(Number),
    Switch,
    Choice(Vec<Choice>),
    /// Several of a few options.
    Choices {
        choices: Vec<Choice>,
        count: Count,
    },
    /// A list of texts or numbers.
    List {
        item: Item,
        count: Count,
    },
    /// An object of known properties.
    Group(Vec<Field>),
    /// Anything else, typed as JSON.
    Json,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Text {
    pub(crate) format: Format,
    pub(crate) length: Count,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Format {
    #[default]
    Plain,
    Long,
    Date,
    DateTime,
    Time,
    Email,
    Url,
    Secret,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Number {
    pub(crate) integer: bool,
    pub(crate) min: Option<f64>,
    pub(crate) max: Option<f64>,
}

/// Type of a list's items.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Item {
    Text(Text),
    Number(Number),
}

/// Limits of a number of items or characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) min: usize,
    pub(crate) max: Option<usize>,
    pub(crate) unique: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Choice {
    /// JSON text, so that a `<select>` can carry any value.
    pub(crate) value: String,
    pub(crate) label: String,
}

impl Field {
    /// Id for attributes: the pointer with characters allowed there.
    pub(crate) fn id(&self) -> String {
        let letter = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
        format!("field{}", self.pointer.chars().map(letter).collect::<String>())
    }

    /// Whether the typed value must not be stored.
    pub(crate) fn is_secret(&self) -> bool {
        matches!(&self.kind, Kind::Text(text) if text.format == Format::Secret)
    }
}

impl Form {
    /// All fields, groups before their members.
    pub(crate) fn all(&self) -> Vec<&Field> {
        fn walk<'a>(fields: &'a [Field], all: &mut Vec<&'a Field>) {
            for field in fields {
                all.push(field);
                if let Kind::Group(inner) = &field.kind {
                    walk(inner, all);
                }
            }
        }
        let mut all = Vec::new();
        walk(&self.fields, &mut all);
        all
    }
}

#[cfg(test)]
#[path = "form/tests.rs"]
mod tests;

/// The typed values by JSON pointer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Draft(BTreeMap<String, Entry>);

/// The typed value of one field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Entry {
    Text(String),
    Flag(bool),
    /// The items of a list, or the chosen options.
    Items(Vec<String>),
}

impl Draft {
    /// The typed text, or the default.
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

    /// Whether a switch is on; none if it is not set.
    pub(crate) fn flag(&self, field: &Field) -> Option<bool> {
        match self.0.get(&field.pointer) {
            Some(Entry::Flag(flag)) => Some(*flag),
            _ => field.default.as_ref().and_then(Value::as_bool),
        }
    }

    /// The typed or chosen items, or the default.
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

    pub(crate) fn put(&mut self, field: &Field, entry: Entry) {
        self.0.insert(field.pointer.clone(), entry);
    }

    /// Adds or removes one option of several.
    pub(crate) fn choose(&mut self, field: &Field, value: &str, on: bool) {
        let mut items = self.items(field);
        items.retain(|it| it != value);
        if on {
            items.push(value.to_owned());
        }
        self.put(field, Entry::Items(items));
    }

    /// Whether an optional group is sent: it was opened, or one of its fields was filled in.
    pub(crate) fn includes(&self, group: &Field) -> bool {
        match self.0.get(&group.pointer) {
            Some(Entry::Flag(flag)) => *flag,
            _ => group.required || self.0.keys().any(|it| is_below(it, &group.pointer)),
        }
    }

    /// The draft without secret values.
    pub(crate) fn without_secrets(&self, form: &Form) -> Self {
        let mut draft = self.clone();
        for field in form.all().into_iter().filter(|it| it.is_secret()) {
            draft.0.remove(&field.pointer);
        }
        draft
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn is_below(pointer: &str, group: &str) -> bool {
    pointer.strip_prefix(group).is_some_and(|rest| rest.starts_with('/'))
}
