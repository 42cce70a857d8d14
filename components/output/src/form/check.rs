//! What was filled in, held against the form (FORM-45 to FORM-47).

use serde_json::Value;

use super::{Fault, Field, Form, Today, Values};

pub(super) fn defaults(_form: &Form) -> Values {
    Values::new()
}

pub(super) fn check(_form: &Form, values: &Values, _today: Today) -> Result<Values, Vec<Fault>> {
    Ok(values.clone())
}

/// The value as it is sent; none where it is left out.
pub(super) fn field(
    _field: &Field,
    value: Option<&Value>,
    _today: Today,
) -> Result<Option<Value>, Fault> {
    Ok(value.cloned())
}
