//! A form as plain data: what a tool's JSON Schema asks for, what was typed, what is wrong with it.

mod check;
mod draft;
mod schema;

pub(crate) use check::Fault;
pub(crate) use draft::{Draft, Entry};
pub(crate) use schema::is_empty;

use serde_json::Value;

/// What a schema asks for, field by field.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Form {
    pub(crate) fields: Vec<Field>,
}

/// One thing to fill in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Field {
    /// Where it goes: a JSON pointer into the arguments.
    pub(crate) pointer: String,
    /// The property's name.
    pub(crate) name: String,
    /// What people call it.
    pub(crate) label: String,
    pub(crate) help: Option<String>,
    pub(crate) required: bool,
    /// Whether people leave it alone: it stands behind the others, folded.
    pub(crate) is_for_programs: bool,
    pub(crate) default: Option<Value>,
    /// What the author shows as an example.
    pub(crate) example: Option<String>,
    pub(crate) kind: Kind,
}

/// How it is filled in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Text(Text),
    Number(Number),
    Switch,
    Choice(Vec<Choice>),
    /// Several of a few.
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

/// A text's limits.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Text {
    pub(crate) format: Format,
    pub(crate) length: Count,
}

/// What a text is.
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

/// A number's limits.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Number {
    pub(crate) integer: bool,
    pub(crate) min: Option<f64>,
    pub(crate) max: Option<f64>,
}

/// What a list holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Item {
    Text(Text),
    Number(Number),
}

/// How many, or how long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) min: usize,
    pub(crate) max: Option<usize>,
    pub(crate) unique: bool,
}

/// One of a few.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Choice {
    /// As JSON text, which is how a `<select>` can carry any value.
    pub(crate) value: String,
    pub(crate) label: String,
}

impl Field {
    /// For `id` attributes: the pointer without what they do not like.
    pub(crate) fn id(&self) -> String {
        let letter = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
        format!("field{}", self.pointer.chars().map(letter).collect::<String>())
    }

    /// Whether what was typed must not be kept anywhere.
    pub(crate) fn is_secret(&self) -> bool {
        matches!(&self.kind, Kind::Text(text) if text.format == Format::Secret)
    }
}

impl Form {
    /// Every field, groups before what they hold.
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
