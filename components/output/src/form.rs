//! Forms of `request_form` (FORM-15 to FORM-37): parsing and validation, compiled into the component and into the page.

mod check;
mod condition;
mod consistency;
mod constraints;
mod date;
mod fault;
mod kind;
mod lookup;
mod read;
mod request;
mod secret;

use serde_json::{Map, Value};

pub use check::{json_number, type_by_ending};
pub use condition::{Condition, Test, is_same};
pub use constraints::{Count, Days, Files, Number, Text};
pub use date::{Day, Today, parse_day, parse_minute};
pub use fault::{Fault, Language, SchemaFault, Wrong, size_of};
pub use kind::{Kind, TYPES};
pub use lookup::{Choice, Lookup, choices, text_of};
pub use request::{
    Drafted, FormRequest, Listed, OpenForm, Outcome, Status, Submission, Submissions, Wrongness,
};

/// Values by field.
pub type Values = Map<String, Value>;

/// Maximum fields of a form.
pub const FIELDS_MAX: usize = 1_000;
/// Maximum bytes of a definition as JSON.
pub const SCHEMA_BYTES_MAX: usize = 256 << 10;
/// Maximum bytes of a submission as JSON.
pub const VALUES_BYTES_MAX: usize = 256 << 10;
/// Maximum characters of a name.
pub const NAME_CHARS_MAX: usize = 200;
/// Maximum characters of labels and descriptions.
pub const LABEL_CHARS_MAX: usize = 2_000;
/// Maximum characters of a pattern.
pub const PATTERN_CHARS_MAX: usize = 1_000;
/// Maximum options of a field, static or looked up.
pub const OPTIONS_MAX: usize = 2_000;
/// Maximum suggestions of a text.
pub const SUGGESTIONS_MAX: usize = 50;
/// Maximum characters of a text value.
pub const TEXT_CHARS_MAX: usize = 20_000;
/// Maximum files of a field.
pub const FILES_MAX: usize = 50;

/// A form (FORM-15).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Form {
    /// Title of the form, for people.
    pub title: String,
    /// What the form is for.
    pub description: Option<String>,
    /// Label of the submit button; 「送信」 by default.
    pub submit_label: Option<String>,
    /// Label of the cancel button; 「キャンセル」 by default.
    pub cancel_label: Option<String>,
    /// Fields in order; at least one.
    pub fields: Vec<Field>,
}

/// An entry of a form's `fields`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Field {
    /// Key of its value; empty for a divider or a heading.
    pub name: String,
    /// Label; its name by default. For a divider the section's name, if any.
    pub label: String,
    /// Text below the label. For a heading, the text after it (FORM-23).
    pub description: Option<String>,
    /// Text shown while the field is empty.
    pub placeholder: Option<String>,
    /// Whether it is required; for a checkbox, checked (FORM-X5).
    pub required: bool,
    /// Default, valid for its type (FORM-X6).
    pub default: Option<Value>,
    /// Condition to show it; always by default. Hidden fields are neither validated nor sent.
    pub show_if: Option<Condition>,
    /// Type.
    pub kind: Kind,
}

impl Form {
    /// Parses a definition.
    ///
    /// # Errors
    /// The first problem, with the text of FORM-60 if it has one.
    pub fn read(schema: &Value) -> Result<Self, SchemaFault> {
        read::form(schema)
    }

    /// Checks that the form can be filled in at all. Stored forms are not checked again.
    ///
    /// # Errors
    /// The first field whose limits permit no value, on this day or later.
    pub fn check_answerable(&self, today: Today) -> Result<(), SchemaFault> {
        consistency::check_answerable(self, today)
    }

    /// Resolves defaults relative to today.
    pub fn on(mut self, today: Today) -> Self {
        for it in &mut self.fields {
            it.default = it.default.take().map(|default| kind::on(&it.kind, default, today));
        }
        self
    }

    /// Values of the untouched form.
    pub fn defaults(&self) -> Values {
        check::defaults(self)
    }

    /// Whether each field is shown for `values`, in the order of `fields`. Hidden fields count as empty in conditions.
    pub fn shown(&self, values: &Values) -> Vec<bool> {
        condition::shown(self, values)
    }

    /// Validates `values` and returns the submission (FORM-45 to FORM-47): without hidden and empty fields,
    /// but always with checkboxes and `hidden` fields.
    ///
    /// # Errors
    /// Every problem, in the order of the fields.
    pub fn check(&self, values: &Values, today: Today) -> Result<Values, Vec<Fault>> {
        check::check(self, values, today)
    }

    /// Validates one field, shown or not.
    pub fn check_field(&self, field: &Field, value: Option<&Value>, today: Today) -> Option<Fault> {
        check::field(field, value, today).err()
    }

    /// Finds a field by name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|it| it.name == name && !name.is_empty())
    }
}

impl Field {
    /// Whether it has a value; dividers and headings have none.
    pub fn is_input(&self) -> bool {
        !matches!(self.kind, Kind::Divider | Kind::Heading(_))
    }

    /// Minimum number of choices above 0; `minSelect` also applies to an optional field (FORM-45).
    pub fn least(&self) -> Option<usize> {
        let (Kind::Multiselect(_, count) | Kind::MultiAutocomplete(_, count)) = &self.kind else {
            return None;
        };
        count.min.filter(|it| *it > 0)
    }

    /// Whether it must be filled in: it is `required`, or has a minimum number of choices.
    pub fn is_needed(&self) -> bool {
        self.required || self.least().is_some()
    }

    /// Creates an error of this field.
    fn fault(&self, wrong: Wrong) -> Fault {
        Fault { field: self.name.clone(), label: self.label.clone(), wrong }
    }

    /// Whether it seems to ask for a password, a card number or the like: people are warned, and drafts do not keep it.
    pub fn is_secret(&self) -> bool {
        secret::is_secret(self)
    }

    /// Look-up of its options, if any.
    pub fn lookup(&self) -> Option<&Lookup> {
        match &self.kind {
            Kind::Autocomplete(it)
            | Kind::MultiAutocomplete(it, _)
            | Kind::CascadingSelect(it)
            | Kind::AsyncSelect(it) => Some(it),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
