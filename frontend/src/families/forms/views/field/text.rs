//! Text inputs of one or several lines, with suggestions and a character count.

use leptos::html::Textarea;
use leptos::prelude::*;
use output::form::{Count, Field, Text};
use serde_json::Value;

use super::{Spot, around, cut, described};
use crate::browser;
use crate::page::page;
use crate::text::Key;

/// Maximum number of characters shown of a suggestion (FORM-40).
const SUGGESTION_MAX: usize = 30;

/// `text` (FORM-20).
pub(super) fn line(spot: Spot, field: Field, text: Text) -> AnyView {
    let node = browser::mirrored(move || shown(spot));
    // A secret is visible to the reader only.
    let kind = if field.is_secret() { "password" } else { "text" };
    let widget = view! {
        <input type=kind node_ref=node id=spot.id() autocomplete="off" placeholder=field.placeholder.clone()
            aria-describedby=described(spot, &field, parts(text.length)) aria-required=required(&field)
            aria-invalid=move || spot.invalid() disabled=move || spot.is_closed()
            on:input=move |event| put(spot, &event_target_value(&event))
            on:blur=move |_| spot.leave()/>
    };
    let widget = with_suggestions(spot, &text, widget.into_any());
    around(spot, field, widget, counter(spot, text.length))
}

/// `textarea` (FORM-21).
pub(super) fn lines(spot: Spot, field: Field, rows: u32, text: Text) -> AnyView {
    let node = NodeRef::<Textarea>::new();
    Effect::new(move |_| {
        let value = shown(spot);
        if let Some(input) = node.get().filter(|it| it.value() != value) {
            input.set_value(&value);
        }
    });
    let widget = view! {
        <textarea node_ref=node id=spot.id() rows=rows.to_string()
            placeholder=field.placeholder.clone()
            aria-describedby=described(spot, &field, parts(text.length)) aria-required=required(&field)
            aria-invalid=move || spot.invalid() disabled=move || spot.is_closed()
            on:input=move |event| put(spot, &event_target_value(&event))
            on:blur=move |_| spot.leave()></textarea>
    };
    let widget = with_suggestions(spot, &text, widget.into_any());
    around(spot, field, widget, counter(spot, text.length))
}

pub(super) fn required(field: &Field) -> Option<&'static str> {
    field.required.then_some("true")
}

/// The text of the box for the field's value.
pub(super) fn shown(spot: Spot) -> String {
    match spot.form_state.value(spot.index) {
        Some(Value::String(text)) => text,
        None | Some(Value::Null) => String::new(),
        Some(other) => other.to_string(),
    }
}

fn put(spot: Spot, text: &str) {
    let value = (!text.is_empty()).then(|| Value::from(text));
    spot.form_state.put(spot.index, value);
}

/// Ids of further descriptions.
fn parts(length: Count) -> &'static [&'static str] {
    if length == Count::default() { &[] } else { &["count"] }
}

/// Number of characters, and the maximum. It does not truncate, to keep pasted text.
fn counter(spot: Spot, length: Count) -> AnyView {
    if length == Count::default() {
        return ().into_any();
    }
    let count = Memo::new(move |_| shown(spot).chars().count());
    let is_over = move || length.max.is_some_and(|max| count.get() > max);
    let text = move || {
        let count = count.get().to_string();
        match (length.max, length.min) {
            (Some(max), _) => Key::FieldCounter.fill(&[&count, &max.to_string()]),
            (None, Some(min)) => Key::FieldCounterMin.fill(&[&count, &min.to_string()]),
            (None, None) => String::new(),
        }
    };
    any_view! { <p class="field-count" class:is-over=is_over id=spot.part("count")>{text}</p> }
}

/// The widget with suggestions below.
fn with_suggestions(spot: Spot, text: &Text, widget: AnyView) -> AnyView {
    if text.suggestions.is_empty() {
        return widget;
    }
    let chip = move |suggestion: String| {
        let short = match suggestion.char_indices().nth(SUGGESTION_MAX) {
            Some((end, _)) => format!("{}...", &suggestion[..end]),
            None => suggestion.clone(),
        };
        let whole = cut(&suggestion, 1_000);
        let fill_in = move |_| {
            put(spot, &suggestion);
            page().announce_fill(Key::FieldSuggested, &[&suggestion]);
        };
        view! {
            <li>
                <button type="button" class="chip is-suggestion" title=whole
                    disabled=move || spot.is_closed() on:click=fill_in>{short}</button>
            </li>
        }
    };
    let chips = text.suggestions.iter().cloned().map(chip).collect_view();
    any_view! {
        {widget}
        <div class="proposals">
            <span class="proposals-label" id=spot.part("suggestions")>{Key::FieldSuggestions}</span>
            <ul aria-labelledby=spot.part("suggestions")>{chips}</ul>
        </div>
    }
}
