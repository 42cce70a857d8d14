//! The values of a form's fields, each in its own signals.

use std::sync::Arc;

use leptos::prelude::*;
use output::form::{Choice, Form, Kind, Today, Values};
use serde_json::{Value, json};

use super::plan::{Plan, is_filled};
use crate::error::Problem;

/// A form and its values.
pub(super) struct Filled {
    pub(super) form: Arc<Form>,
    pub(super) plan: Plan,
    pub(super) fields: Vec<Entry>,
}

/// State of one field.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) value: ArcRwSignal<Option<Value>>,
    /// Labels of values from a look-up.
    pub(super) chosen: ArcRwSignal<Vec<Choice>>,
    /// Whether the reader has left it: untouched fields show no errors.
    pub(super) is_touched: ArcRwSignal<bool>,
    pub(super) is_shown: ArcRwSignal<bool>,
    /// The host's error.
    pub(super) problem: ArcRwSignal<Option<String>>,
    /// Number of listed files that are missing.
    pub(super) uploads: ArcRwSignal<usize>,
}

impl Filled {
    /// Creates the state with the form's defaults.
    pub(super) fn new(form: Form) -> Self {
        let defaults = form.defaults();
        let entry = |name: &String| Entry {
            value: ArcRwSignal::new(defaults.get(name).cloned()),
            chosen: ArcRwSignal::new(Vec::new()),
            is_touched: ArcRwSignal::new(false),
            is_shown: ArcRwSignal::new(true),
            problem: ArcRwSignal::new(None),
            uploads: ArcRwSignal::new(0),
        };
        let fields = form.fields.iter().map(|it| entry(&it.name)).collect();
        let filled = Self { plan: Plan::new(&form), fields, form: Arc::new(form) };
        filled.show_anew();
        filled
    }

    /// Stores a value and clears dependent fields. Returns whether anything changed.
    pub(super) fn put(&self, index: usize, value: Option<Value>) -> bool {
        if !self.put_one(index, value) {
            return false;
        }
        let below = self.plan.below(index);
        for index in below {
            self.put_one(*index, None);
        }
        if below.iter().chain([&index]).any(|it| self.plan.is_asked(*it)) {
            self.show_anew();
        }
        true
    }

    fn put_one(&self, index: usize, value: Option<Value>) -> bool {
        let Some(entry) = self.fields.get(index) else { return false };
        if entry.problem.with_untracked(Option::is_some) {
            entry.problem.set(None);
        }
        if entry.value.with_untracked(|it| *it == value) {
            return false;
        }
        let is_held = |it: &Choice| match &value {
            Some(Value::Array(values)) => values.contains(&it.value),
            Some(value) => *value == it.value,
            None => false,
        };
        if entry.chosen.with_untracked(|it| !it.iter().all(is_held)) {
            entry.chosen.update(|it| it.retain(is_held));
        }
        entry.value.set(value);
        true
    }

    /// Stores chosen options with their labels.
    pub(super) fn choose(&self, index: usize, chosen: Vec<Choice>) -> bool {
        let Some((field, entry)) = self.form.fields.get(index).zip(self.fields.get(index)) else {
            return false;
        };
        let value = if matches!(field.kind, Kind::MultiAutocomplete(..) | Kind::Multiselect(..)) {
            let values: Vec<Value> = chosen.iter().map(|it| it.value.clone()).collect();
            (!values.is_empty()).then_some(Value::Array(values))
        } else {
            chosen.first().map(|it| it.value.clone())
        };
        let is_changed = self.put(index, value);
        let is_renamed = entry.chosen.with_untracked(|it| *it != chosen);
        if is_renamed {
            entry.chosen.set(chosen);
        }
        is_changed || is_renamed
    }

    /// Restores a draft as it was stored, without clearing anything.
    pub(super) fn restore(&self, values: &Values, labels: &Values) {
        for (field, entry) in self.form.fields.iter().zip(&self.fields) {
            if !field.is_input() || field.is_secret() || matches!(field.kind, Kind::Hidden(_)) {
                continue;
            }
            entry.chosen.set(choices_of(labels.get(&field.name)));
            entry.value.set(values.get(&field.name).cloned());
        }
        self.show_anew();
    }

    /// Values and labels to store, without secrets.
    pub(super) fn draft(&self) -> (Values, Values) {
        let (mut values, mut labels) = (self.values(), self.labels());
        for field in self.form.fields.iter().filter(|it| it.is_secret()) {
            values.shift_remove(&field.name);
            labels.shift_remove(&field.name);
        }
        (values, labels)
    }

    /// The submission, or the invalid fields.
    pub(super) fn submission(&self, today: Today) -> Result<Values, Vec<usize>> {
        let checked = self.form.check(&self.values(), today);
        checked.map_err(|it| it.iter().filter_map(|it| self.plan.place(&it.field)).collect())
    }

    /// Assigns the host's errors to their fields. Returns those fields, and the errors of no field.
    pub(super) fn take(&self, problems: Vec<Problem>) -> (Vec<usize>, Vec<Problem>) {
        let (mut places, mut rest) = (Vec::new(), Vec::new());
        for problem in problems {
            match field_name(&problem.pointer).and_then(|it| self.plan.place(&it)) {
                Some(place) => {
                    self.fields[place].problem.set(Some(problem.message));
                    places.push(place);
                }
                None => rest.push(problem),
            }
        }
        places.sort_unstable();
        places.dedup();
        (places, rest)
    }

    /// Number of filled required fields among those shown, and of all.
    pub(super) fn progress(&self) -> (usize, usize) {
        let fields = self.form.fields.iter().zip(&self.fields);
        let fields = fields.filter(|(it, entry)| it.is_needed() && entry.is_shown.get_untracked());
        fields.fold((0, 0), |(filled, all), (field, entry)| {
            let value = |value: &Option<Value>| is_filled(&field.kind, value.as_ref());
            (filled + usize::from(entry.value.with_untracked(value)), all + 1)
        })
    }

    /// Updates which fields are shown.
    fn show_anew(&self) {
        let shown = self.form.shown(&self.values());
        for (entry, is_shown) in self.fields.iter().zip(shown) {
            if entry.is_shown.get_untracked() != is_shown {
                entry.is_shown.set(is_shown);
            }
        }
    }

    /// All values, including those of hidden fields.
    fn values(&self) -> Values {
        let fields = self.form.fields.iter().zip(&self.fields);
        let value = |entry: &Entry| entry.value.get_untracked();
        fields.filter_map(|(field, entry)| Some((field.name.clone(), value(entry)?))).collect()
    }

    pub(super) fn labels(&self) -> Values {
        let fields = self.form.fields.iter().zip(&self.fields);
        let labels = fields.filter_map(|(field, entry)| {
            let label = |it: &Choice| json!({ "value": it.value, "label": it.label });
            let labels: Vec<Value> =
                entry.chosen.with_untracked(|it| it.iter().map(label).collect());
            (!labels.is_empty()).then(|| (field.name.clone(), Value::Array(labels)))
        });
        labels.collect()
    }
}

/// Parses the labels of a draft.
pub(crate) fn choices_of(labels: Option<&Value>) -> Vec<Choice> {
    let labels = labels.and_then(Value::as_array).into_iter().flatten();
    let choice = |entry: &Value| {
        let label = entry.get("label")?.as_str()?.to_owned();
        Some(Choice { value: entry.get("value")?.clone(), label })
    };
    labels.filter_map(choice).collect()
}

/// The field of a pointer such as `/values/NAME/0`.
fn field_name(pointer: &str) -> Option<String> {
    let name = pointer.strip_prefix("/values/")?.split('/').next()?;
    Some(name.replace("~1", "/").replace("~0", "~"))
}

#[cfg(test)]
#[path = "filled_tests.rs"]
mod tests;
