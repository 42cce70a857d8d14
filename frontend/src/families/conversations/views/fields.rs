//! Form fields with label, hint and fault.

use leptos::prelude::*;
use leptos::task::spawn_local;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::browser;
use crate::call::fetch;
use crate::error::CallError;
use crate::families::conversations::agents::AgentsState;
use crate::families::conversations::agents::defining::{Fault, Faults, theirs};
use crate::families::report_failure;
use crate::text::{Key, Lang};

/// A form and its faults.
#[derive(Clone, Copy)]
pub(super) struct Checked {
    faults: RwSignal<Faults>,
    /// Why it was refused, if no field is at fault.
    pub(super) error: RwSignal<Option<CallError>>,
    is_busy: RwSignal<bool>,
    /// Prefix of element ids.
    prefix: &'static str,
    /// The names of the arguments, in order.
    fields: &'static [&'static str],
}

impl Checked {
    pub(super) fn new(prefix: &'static str, fields: &'static [&'static str]) -> Self {
        Self {
            faults: RwSignal::new(Faults::new()),
            error: RwSignal::new(None),
            is_busy: expect_context::<AgentsState>().is_busy,
            prefix,
            fields,
        }
    }

    /// Shows the faults and focuses the first. Returns whether there are none.
    fn show(self, faults: Faults) -> bool {
        if let Some(first) = self.fields.iter().find(|it| faults.contains_key(**it)) {
            browser::focus_soon(self.id(first));
        }
        let is_right = faults.is_empty();
        self.faults.set(faults);
        is_right
    }

    /// Calls a tool with the typed values, if valid; `done` gets the output and whether the form is still open.
    pub(super) fn send<T: DeserializeOwned + 'static>(
        self,
        tool: &'static str,
        faults: Faults,
        arguments: Value,
        done: impl FnOnce(T, bool) + 'static,
    ) {
        if self.is_busy.get_untracked() || !self.show(faults) {
            return;
        }
        self.is_busy.set(true);
        spawn_local(async move {
            let answer = fetch(tool, arguments).await;
            let _ = self.is_busy.try_set(false);
            match answer {
                Ok(output) => done(output, !self.error.is_disposed()),
                Err(error) if self.error.is_disposed() => report_failure(&error),
                Err(error) => {
                    let faults = theirs(&error, self.fields);
                    self.error.set(faults.is_empty().then_some(error));
                    self.show(faults);
                }
            }
        });
    }

    /// The fault of this argument.
    pub(super) fn fault(self, name: &'static str) -> Memo<Option<Fault>> {
        Memo::new(move |_| self.faults.with(|it| it.get(name).cloned()))
    }

    pub(super) fn id(self, name: &str) -> String {
        format!("{}-{name}", self.prefix)
    }
}

/// The label of a field, with a mark if it is required.
#[component]
pub(super) fn Label(to: String, say: Key, is_required: bool) -> impl IntoView {
    view! {
        <label class="label" for=to>
            {say}
            {is_required.then(|| view! { <span class="required">{Key::Required}</span> })}
        </label>
    }
}

/// Hint and fault of a field, with the ids of `described`.
#[component]
pub(super) fn Notes(
    to: String,
    #[prop(optional_no_strip)] hint: Option<Key>,
    fault: Memo<Option<Fault>>,
) -> impl IntoView {
    view! {
        {hint.map(|hint| view! { <p class="hint" id=format!("{to}-hint")>{hint}</p> })}
        <p class="error" id=format!("{to}-error")>
            {move || fault.get().map(|it| it.text(Lang::spoken()))}
        </p>
    }
}

/// Ids of the elements that describe a field.
pub(super) fn described(id: &str) -> String {
    format!("{id}-hint {id}-error")
}

#[component]
pub(super) fn TextField(
    checked: Checked,
    /// Name of the argument.
    name: &'static str,
    say: Key,
    #[prop(optional)] hint: Option<Key>,
    value: RwSignal<String>,
    #[prop(optional)] is_required: bool,
    /// Whether it has several lines.
    #[prop(optional)]
    is_long: bool,
    #[prop(optional)] is_number: bool,
    /// Whether it is read-only.
    #[prop(optional)]
    is_fixed: bool,
) -> impl IntoView {
    let id = checked.id(name);
    let fault = checked.fault(name);
    let invalid = move || fault.with(Option::is_some).then_some("true");
    let input = if is_long {
        any_view! {
            <textarea id=id.clone() rows="3" aria-describedby=described(&id) aria-invalid=invalid
                prop:value=move || value.get()
                on:input=move |event| value.set(event_target_value(&event))></textarea>
        }
    } else {
        any_view! {
            <input type="text" id=id.clone() autocomplete="off" readonly=is_fixed aria-describedby=described(&id)
                class=is_number.then_some("number")
                inputmode=is_number.then_some("numeric")
                aria-required=is_required.then_some("true") aria-invalid=invalid
                prop:value=move || value.get()
                on:input=move |event| value.set(event_target_value(&event))/>
        }
    };
    view! {
        <div class="field">
            <Label to=id.clone() say is_required/>
            {input}
            <Notes to=id hint fault/>
        </div>
    }
}

/// A selection of one value with labels.
#[component]
pub(super) fn ChoiceField(
    checked: Checked,
    /// Name of the argument.
    name: &'static str,
    say: Key,
    #[prop(optional)] hint: Option<Key>,
    value: RwSignal<String>,
    choices: Signal<Vec<(String, String)>>,
) -> impl IntoView {
    let id = checked.id(name);
    let fault = checked.fault(name);
    let invalid = move || fault.with(Option::is_some).then_some("true");
    let option = move |(own, title): (String, String)| {
        let is_own = own.clone();
        view! { <option value=own selected=move || value.get() == is_own>{title}</option> }
    };
    view! {
        <div class="field">
            <Label to=id.clone() say is_required=false/>
            <select id=id.clone() aria-describedby=described(&id) aria-invalid=invalid
                prop:value=move || value.get()
                on:change=move |event| value.set(event_target_value(&event))>
                {move || choices.get().into_iter().map(option).collect_view()}
            </select>
            <Notes to=id hint fault/>
        </div>
    }
}
