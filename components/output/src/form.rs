//! Forms as `request_form` defines them (FORM-15 to FORM-37): one definition and one check of what was
//! filled in, compiled into the component and into the page alike.

mod check;
mod condition;
mod constraints;
mod date;
mod fault;
mod kind;
mod lookup;
mod read;
mod request;
mod secret;
mod sound;

use serde_json::{Map, Value};

pub use check::{json_number, type_by_ending};
pub use condition::{Condition, Test, is_same};
pub use constraints::{Count, Days, Files, Number, Text};
pub use date::{Day, Today, parse_day, parse_minute};
pub use fault::{Fault, Language, SchemaFault, Wrong, size_of};
pub use kind::{GUIDE, Kind, TYPES, Type};
pub use lookup::{Choice, Lookup, choices, text_of};
pub use request::{
    Drafted, FormRequest, Listed, OpenForm, Outcome, Status, Submission, Submissions, Wrongness,
};

/// What is filled in, by the fields' names.
pub type Values = Map<String, Value>;

/// Fields that a form may have.
pub const FIELDS_MAX: usize = 1_000;
/// Bytes that a definition may have, as JSON.
pub const SCHEMA_BYTES_MAX: usize = 256 << 10;
/// Bytes that a submission may have, as JSON.
pub const VALUES_BYTES_MAX: usize = 256 << 10;
/// Characters that a name may have.
pub const NAME_CHARS_MAX: usize = 200;
/// Characters that a label, a description and the like may have.
pub const LABEL_CHARS_MAX: usize = 2_000;
/// Characters that a pattern may have.
pub const PATTERN_CHARS_MAX: usize = 1_000;
/// Options that a field may have, written down or looked up.
pub const OPTIONS_MAX: usize = 2_000;
/// Suggestions that a text may have.
pub const SUGGESTIONS_MAX: usize = 50;
/// Characters that a text filled in may have.
pub const TEXT_CHARS_MAX: usize = 20_000;
/// Files that a field may take.
pub const FILES_MAX: usize = 50;

/// A form (FORM-15).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Form {
    /// What the form is called.
    pub title: String,
    /// What it is for.
    pub description: Option<String>,
    /// On the button that sends it; 「送信」 by default.
    pub submit_label: Option<String>,
    /// On the button that leaves it; 「キャンセル」 by default.
    pub cancel_label: Option<String>,
    /// In the order in which people see them; at least one.
    pub fields: Vec<Field>,
}

/// One entry of a form's `fields`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Field {
    /// The key of its value; empty for a divider or a heading.
    pub name: String,
    /// What people call it; its name by default. Of a divider, its section's name or nothing.
    pub label: String,
    /// Shown below the label. Of a heading, what follows it (FORM-23).
    pub description: Option<String>,
    /// Shown where nothing is typed yet.
    pub placeholder: Option<String>,
    /// Whether it must be filled in; of a checkbox, checked (FORM-X5).
    pub required: bool,
    /// What it holds at first; fits its type (FORM-X6).
    pub default: Option<Value>,
    /// When it is shown; always by default. What is hidden is neither checked nor sent.
    pub show_if: Option<Condition>,
    /// What kind it is.
    pub kind: Kind,
}

impl Form {
    /// Reads a definition.
    ///
    /// # Errors
    /// The first thing that is wrong, with the text of FORM-60 where it has one.
    pub fn read(schema: &Value) -> Result<Self, SchemaFault> {
        read::form(schema)
    }

    /// Whether it can be filled in at all. A form that is there already is taken as it is.
    ///
    /// # Errors
    /// The first field whose limits leave nothing, on this day and on all that follow.
    pub fn check_answerable(&self, today: Today) -> Result<(), SchemaFault> {
        sound::check_answerable(self, today)
    }

    /// The form on the day that it is filled in: defaults that count from today are days.
    pub fn on(mut self, today: Today) -> Self {
        for it in &mut self.fields {
            it.default = it.default.take().map(|default| kind::on(&it.kind, default, today));
        }
        self
    }

    /// What the fields hold before they were touched.
    pub fn defaults(&self) -> Values {
        check::defaults(self)
    }

    /// Which fields are shown while `values` are filled in, in the order of `fields`. A hidden field
    /// counts as empty for those that ask for it.
    pub fn shown(&self, values: &Values) -> Vec<bool> {
        condition::shown(self, values)
    }

    /// The submission that `values` make (FORM-45 to FORM-47): what is hidden or empty left out,
    /// checkboxes and hidden fields always there.
    ///
    /// # Errors
    /// All that is wrong, in the order of the fields.
    pub fn check(&self, values: &Values, today: Today) -> Result<Values, Vec<Fault>> {
        check::check(self, values, today)
    }

    /// What is wrong with one field, hidden or not.
    pub fn check_field(&self, field: &Field, value: Option<&Value>, today: Today) -> Option<Fault> {
        check::field(field, value, today).err()
    }

    /// The field of that name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|it| it.name == name && !name.is_empty())
    }
}

impl Field {
    /// Whether it has a value at all: dividers and headings have none.
    pub fn is_input(&self) -> bool {
        !matches!(self.kind, Kind::Divider | Kind::Heading(_))
    }

    /// How many must be chosen at least, where that is more than none: `minSelect` holds for an optional
    /// field, too (FORM-45).
    pub fn least(&self) -> Option<usize> {
        let (Kind::Multiselect(_, count) | Kind::MultiAutocomplete(_, count)) = &self.kind else {
            return None;
        };
        count.min.filter(|it| *it > 0)
    }

    /// Whether it must be filled in: it is `required`, or some of its options must be chosen.
    pub fn is_needed(&self) -> bool {
        self.required || self.least().is_some()
    }

    /// What is wrong with it.
    fn fault(&self, wrong: Wrong) -> Fault {
        Fault { field: self.name.clone(), label: self.label.clone(), wrong }
    }

    /// Whether it seems to ask for a password, a number of a card or the like: people are warned, and
    /// drafts do not keep it.
    pub fn is_secret(&self) -> bool {
        secret::is_secret(self)
    }

    /// The look-up that brings its options, where it has one.
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
