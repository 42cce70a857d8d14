//! One field of a requested form.

use leptos::prelude::*;

use crate::requested::Requested;

/// One field: its label, what fills it in, and what is wrong with it.
#[component]
pub(crate) fn FieldView(requested: Requested, index: usize) -> impl IntoView {
    let label = requested.form().fields[index].label.clone();
    let shown = move || requested.value(index).map(|it| it.to_string());
    view! {
        <div class="field">
            <span class="label">{label}</span>
            <span id=requested.id(index) tabindex="-1">{shown}</span>
            <p class="error">{move || requested.message(index)}</p>
        </div>
    }
}
