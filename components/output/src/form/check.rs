//! What was filled in, held against the form (FORM-45 to FORM-47).

use std::{collections::HashSet, io};

use serde_json::Value;

use super::{
    Fault, Field, Form, Kind, Today, VALUES_BYTES_MAX, Values, Wrong, condition::is_empty, kind,
    value::json_number,
};
use crate::text;

/// Names that the form does not have and that are reported one by one.
const UNKNOWN_MAX: usize = 20;

pub(super) fn defaults(form: &Form) -> Values {
    let default = |field: &Field| match &field.kind {
        Kind::Hidden(value) => Some(value.clone()),
        Kind::Checkbox => Some(field.default.clone().unwrap_or(Value::Bool(false))),
        Kind::Range { number, .. } => {
            field.default.clone().or_else(|| Some(json_number(number.min.unwrap_or(0.0))))
        }
        _ => field.default.clone(),
    };
    let inputs = form.fields.iter().filter(|it| it.is_input());
    let mut defaults: Values =
        inputs.filter_map(|it| Some((it.name.clone(), default(it)?))).collect();
    // One among the options of another field's value is taken up once that is there (FORM-44).
    loop {
        let is_early = |it: &&Field| {
            defaults.contains_key(&it.name) && empty_parent(form, it, &defaults).is_some()
        };
        let early: Vec<_> = form.fields.iter().filter(is_early).map(|it| &it.name).collect();
        if early.is_empty() {
            return defaults;
        }
        early.into_iter().for_each(|it| drop(defaults.shift_remove(it)));
    }
}

pub(super) fn check(form: &Form, values: &Values, today: Today) -> Result<Values, Vec<Fault>> {
    if bytes(form, values) > VALUES_BYTES_MAX {
        let wrong = Wrong::TooBig(VALUES_BYTES_MAX);
        return Err(vec![Fault { field: String::new(), label: form.title.clone(), wrong }]);
    }
    let mut submission = Values::new();
    let mut faults = Vec::new();
    for (it, is_shown) in form.fields.iter().zip(form.shown(values)) {
        if !it.is_input() || !is_shown {
            continue;
        }
        match field(it, values.get(&it.name), today).and_then(|value| {
            match value.is_some().then(|| empty_parent(form, it, values)).flatten() {
                Some(parent) => Err(it.fault(Wrong::WithoutParent(parent.label.clone()))),
                None => Ok(value),
            }
        }) {
            Ok(Some(value)) => drop(submission.insert(it.name.clone(), value)),
            Ok(None) => {}
            Err(fault) => faults.push(fault),
        }
    }
    let names: HashSet<&str> = form.fields.iter().map(|it| it.name.as_str()).collect();
    let unknown = values.keys().filter(|it| it.is_empty() || !names.contains(it.as_str()));
    faults.extend(unknown.take(UNKNOWN_MAX).map(|name| Fault {
        field: name.clone(),
        label: name.clone(),
        wrong: Wrong::Unknown,
    }));
    if faults.is_empty() { Ok(submission) } else { Err(faults) }
}

/// As JSON, but for what the definition itself brings: a submission with it counts no more than one
/// without.
fn bytes(form: &Form, values: &Values) -> usize {
    struct Counted(usize);
    impl io::Write for Counted {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.saturating_add(bytes.len());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let is_hidden = |it: &&Field| matches!(it.kind, Kind::Hidden(_));
    let hidden = form.fields.iter().filter(is_hidden).map(|it| it.name.as_str());
    let hidden: HashSet<&str> = hidden.collect();
    let mut counted = Counted(0);
    for (name, value) in values.iter().filter(|(name, _)| !hidden.contains(name.as_str())) {
        // Counting cannot fail, and a value is always JSON.
        let _ = serde_json::to_writer(&mut counted, value);
        counted.0 = counted.0.saturating_add(name.len() + 4);
    }
    counted.0
}

/// The field that the options of `field` depend on, where nothing is chosen there (FORM-43).
fn empty_parent<'a>(form: &'a Form, field: &Field, values: &Values) -> Option<&'a Field> {
    let (name, _) = field.lookup()?.depends_on.as_ref()?;
    let parent = form.field(name)?;
    let is_filled = match &parent.kind {
        Kind::Hidden(value) => !is_empty(value),
        Kind::Checkbox => true,
        _ => values.get(name).is_some_and(|it| !is_empty(it)),
    };
    (!is_filled).then_some(parent)
}

/// The value as it is sent; none where it is left out.
pub(super) fn field(
    field: &Field,
    value: Option<&Value>,
    today: Today,
) -> Result<Option<Value>, Fault> {
    let fault = |wrong| field.fault(wrong);
    let value = match &field.kind {
        Kind::Divider | Kind::Heading(_) => return Ok(None),
        Kind::Hidden(value) => return Ok(Some(value.clone())),
        Kind::Checkbox => value.or(Some(&Value::Bool(false))),
        _ => value,
    };
    let is_blank = |it: &&Value| {
        let is_text = matches!(field.kind, Kind::Text(_) | Kind::Textarea { .. });
        field.required && is_text && it.as_str().is_some_and(text::is_blank)
    };
    let value = match value.filter(|it| !is_empty(it) && !is_blank(it)) {
        Some(value) => value,
        None if field.kind == Kind::Checkbox => &Value::Bool(false),
        None if field.required => return Err(fault(Wrong::Missing)),
        None => return field.least().map_or(Ok(None), |it| Err(fault(Wrong::TooFew(it)))),
    };
    kind::fits(&field.kind, value, today).map_err(fault)?;
    if field.required && *value == Value::Bool(false) && field.kind == Kind::Checkbox {
        return Err(fault(Wrong::Missing));
    }
    Ok(Some(value.clone()))
}
