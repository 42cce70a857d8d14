//! JSON as it came, folded away, to look at and to copy.

use leptos::prelude::*;
use serde_json::Value;

use crate::browser;
use crate::page::page;
use crate::text::Key;

/// Characters drawn at most; copying takes all of it.
const TEXT_MAX: usize = 100_000;

/// Draws the JSON of `value` behind a summary.
#[component]
pub(crate) fn Raw(
    value: Value,
    /// What it is.
    #[prop(default = Key::RawJson)]
    title: Key,
) -> impl IntoView {
    let text = serde_json::to_string_pretty(&value).unwrap_or_default();
    let shown: String = text.chars().take(TEXT_MAX).collect();
    let text = StoredValue::new(text);
    let copy = move |_| {
        if text.with_value(|text| browser::copy(text)) {
            page().announce_key(Key::Copied);
        }
    };
    view! {
        <details class="raw">
            <summary>{title}</summary>
            <button type="button" class="quiet small" on:click=copy>{Key::Copy}</button>
            <pre tabindex="0" aria-label=title>{shown}</pre>
        </details>
    }
}
