//! Chosen values held against the options that are known here without asking another host (FORM-43): those
//! of the demo, and those that were looked up lately. Others are taken as they are.

use output::form::{Fault, Form, Kind, OPTIONS_MAX, Values, Wrong, choices, is_same};

use crate::lookup;

/// What was chosen in `values`, the checked submission, and is none of the known options.
pub fn check(form: &Form, values: &Values) -> Vec<Fault> {
    let mut faults = Vec::new();
    for field in &form.fields {
        // What is searched for is found by words, and no answer has all there is.
        let (Kind::CascadingSelect(it) | Kind::AsyncSelect(it)) = &field.kind else { continue };
        let Some(value) = values.get(&field.name) else { continue };
        let parent = it.depends_on.as_ref().and_then(|(name, _)| values.get(name));
        let choices = lookup::found(&it.url("", parent)).and_then(|found| choices(it, &found).ok());
        // There may be more than are read.
        let Some(choices) = choices.filter(|it| it.len() < OPTIONS_MAX) else { continue };
        if !choices.iter().any(|it| is_same(&it.value, value)) {
            let (field, label) = (field.name.clone(), field.label.clone());
            faults.push(Fault { field, label, wrong: Wrong::NoOption });
        }
    }
    faults
}
