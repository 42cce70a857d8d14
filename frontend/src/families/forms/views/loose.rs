//! A form without a handle: its values go to the surrounding view, and there is no draft.

use leptos::prelude::*;
use output::form::{Form, Values};
use serde_json::Value;

use super::field::FieldView;
use super::frame::{Broken, focus_field};
use crate::browser;
use crate::families::forms::FormState;
use crate::page::page;
use crate::text::Key;

/// Draws the form; its values, if any, go to `on_answer`.
#[component]
pub(crate) fn FormLoose(
    schema: Value,
    #[prop(into)] on_answer: Callback<Option<Values>>,
) -> AnyView {
    match Form::read(&schema) {
        Ok(form) => any_view! { <Filling form on_answer/> },
        Err(fault) => any_view! {
            <Broken fault schema/>
            <button type="button" class="quiet" on:click=move |_| on_answer.run(None)>
                {Key::CardFormSkip}
            </button>
        },
    }
}

#[component]
fn Filling(form: Form, on_answer: Callback<Option<Values>>) -> impl IntoView {
    let (title, about) = (form.title.clone(), form.description.clone());
    let label = |own: &Option<String>, key: Key| {
        let own = own.clone().filter(|it| !it.is_empty());
        move || own.clone().unwrap_or_else(|| key.say().to_owned())
    };
    let (send, cancel) =
        (label(&form.submit_label, Key::Send), label(&form.cancel_label, Key::Cancel));
    let form_state = FormState::new(form, browser::next_number(), 2);
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        if form_state.uploading().is_some() {
            return page().notify(Key::FormUploading);
        }
        match form_state.submission() {
            Ok(values) => on_answer.run(Some(values)),
            Err(places) => {
                form_state.is_tried.set(true);
                let count = places.len().to_string();
                page().announce_fill(Key::ErrorSummary, &[&count]);
                if let Some(first) = places.first() {
                    focus_field(&form_state.id(*first));
                }
            }
        }
    };
    let id = form_state.own_id("title");
    let count = form_state.form().fields.len();
    let field = |index| view! { <FieldView form_state index/> };
    view! {
        <div class="request"><div class="request-body">
            <header class="request-head">
                <h2 class="request-title" id=id.clone() tabindex="-1">{title}</h2>
                {about.filter(|it| !it.is_empty()).map(|it| view! { <p class="request-about">{it}</p> })}
            </header>
            <form class="request-form" novalidate aria-labelledby=id on:submit=submit>
                <div class="request-fields">{(0..count).map(field).collect_view()}</div>
                <div class="actions">
                    <button type="submit" class="main-action">{send}</button>
                    <button type="button" class="quiet" on:click=move |_| on_answer.run(None)>
                        {cancel}
                    </button>
                </div>
            </form>
        </div></div>
    }
}
