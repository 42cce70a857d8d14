//! JSON as it came, folded away, to look at and to copy.

use leptos::prelude::*;
use serde_json::Value;

use crate::browser;
use crate::page::page;
use crate::text::{Key, at_most};

/// Characters drawn at most; copying takes all of it.
const TEXT_MAX: usize = 100_000;

/// Draws the JSON of `value` behind a summary.
#[component]
pub(crate) fn Raw(
    value: Value,
    /// What it is.
    #[prop(default = Key::RawJson)]
    title: Key,
    #[prop(optional)] is_open: bool,
) -> impl IntoView {
    let text = serde_json::to_string_pretty(&value).unwrap_or_default();
    let shown = at_most(&text, TEXT_MAX);
    let text = StoredValue::new(text);
    let copied = move |_| text.with_value(|it| copy(it, Key::Copied));
    view! {
        <details class="raw" open=is_open>
            <summary>{title}</summary>
            <button type="button" class="quiet small" on:click=copied>{Key::Copy}</button>
            <pre tabindex="0" aria-label=title>{shown}</pre>
        </details>
    }
}

/// Copies a text, and says whether that worked.
pub(crate) fn copy(text: &str, done: Key) {
    page().notify(if browser::copy(text) { done } else { Key::NotCopied });
}
