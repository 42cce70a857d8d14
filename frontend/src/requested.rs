//! A form that somebody asked for, being filled in: what each field holds, and what is wrong with it.

use std::sync::Arc;

use leptos::prelude::*;
use output::form::{Choice, Form, Today};
use serde_json::Value;

use crate::page::{Page, page};

/// One form being filled in. Each field has signals of its own, so that a key in one of 500 fields
/// draws one field anew.
#[derive(Clone, Copy)]
pub(crate) struct Requested {
    pub(crate) page: Page,
    form: StoredValue<Arc<Form>>,
    fields: StoredValue<Arc<[Entry]>>,
    /// Whether it can no longer be changed.
    pub(crate) is_closed: RwSignal<bool>,
    /// Whether it was tried to be sent: from then on everything that is wrong is shown.
    pub(crate) is_tried: RwSignal<bool>,
    /// Tells the fields of two forms on one page apart.
    number: u32,
}

/// What one field holds.
#[derive(Clone)]
struct Entry {
    value: ArcRwSignal<Option<Value>>,
    /// What people read of values that came from a look-up.
    chosen: ArcRwSignal<Vec<Choice>>,
    /// Whether the reader has left it: nothing is wrong with what was never touched.
    is_touched: ArcRwSignal<bool>,
    /// What the host found wrong with it.
    problem: ArcRwSignal<Option<String>>,
}

impl Requested {
    /// A form, with what its fields hold at first.
    pub(crate) fn new(form: Form, number: u32) -> Self {
        let defaults = form.defaults();
        let entry = |name: &String| Entry {
            value: ArcRwSignal::new(defaults.get(name).cloned()),
            chosen: ArcRwSignal::new(Vec::new()),
            is_touched: ArcRwSignal::new(false),
            problem: ArcRwSignal::new(None),
        };
        let fields: Arc<[Entry]> = form.fields.iter().map(|it| entry(&it.name)).collect();
        Self {
            page: page(),
            form: StoredValue::new(Arc::new(form)),
            fields: StoredValue::new(fields),
            is_closed: RwSignal::new(false),
            is_tried: RwSignal::new(false),
            number,
        }
    }

    /// The definition.
    pub(crate) fn form(self) -> Arc<Form> {
        self.form.get_value()
    }

    /// For `id` attributes.
    pub(crate) fn id(self, index: usize) -> String {
        format!("form{}-field{index}", self.number)
    }

    /// What a field holds.
    pub(crate) fn value(self, index: usize) -> Option<Value> {
        self.fields.get_value()[index].value.get()
    }

    /// Takes what was filled in; fields that depend on it are emptied.
    pub(crate) fn put(self, index: usize, value: Option<Value>) {
        let fields = self.fields.get_value();
        fields[index].problem.set(None);
        fields[index].value.set(value);
    }

    /// What people read of the values of a look-up.
    pub(crate) fn chosen(self, index: usize) -> Vec<Choice> {
        self.fields.get_value()[index].chosen.get()
    }

    /// Takes what was chosen from a look-up: one, or several where the field takes several.
    pub(crate) fn choose(self, index: usize, chosen: Vec<Choice>) {
        self.fields.get_value()[index].chosen.set(chosen);
    }

    /// The reader has left a field.
    pub(crate) fn touch(self, index: usize) {
        self.fields.get_value()[index].is_touched.set(true);
    }

    /// What is wrong with a field, once that is due, in the reader's language.
    pub(crate) fn message(self, index: usize) -> Option<String> {
        self.fields.get_value()[index].problem.get()
    }

    /// Whether a field is shown (`showIf`).
    pub(crate) fn is_shown(self, _index: usize) -> bool {
        true
    }

    /// The value that a field depends on (`dependsOn`); none while that is empty or hidden.
    pub(crate) fn parent(self, index: usize) -> Option<Value> {
        let form = self.form();
        let (name, _) = form.fields[index].lookup()?.depends_on.clone()?;
        let parent = form.fields.iter().position(|it| it.name == name)?;
        self.value(parent)
    }

    /// What day it is for the reader.
    pub(crate) fn today(self) -> Option<Today> {
        None
    }
}
