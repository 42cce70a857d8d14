//! When a field is shown: `showIf`.

use serde_json::Value;

use super::{Form, Values};

/// When a field is shown.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// One field's value passes a test: `{"field": "plan", "equals": "pro"}`.
    Field {
        /// The field's name.
        name: String,
        /// What its value must pass.
        test: Test,
    },
    /// All of them: a list, or `{"all": […]}`.
    All(Vec<Condition>),
    /// At least one of them: `{"any": […]}`.
    Any(Vec<Condition>),
}

/// What a value must pass.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// `equals`; of several values, that it is the only one.
    Equals(Value),
    /// `notEquals`.
    NotEquals(Value),
    /// `in`: one of these.
    In(Vec<Value>),
    /// `contains`: of several values one, of a text a part.
    Contains(Value),
    /// `filled`: whether there is one at all.
    Filled(bool),
}

pub(super) fn shown(form: &Form, _values: &Values) -> Vec<bool> {
    vec![true; form.fields.len()]
}
