//! An open form: requester, purpose, fields and actions.

use std::sync::Arc;

use leptos::prelude::*;
use output::form::{Form, OpenForm, SchemaFault};
use serde_json::Value;

use super::actions::{Actions, Drafts};
use super::field::FieldView;
use super::title;
use crate::browser;
use crate::dates;
use crate::families::forms::FormState;
use crate::families::forms::saver::Saver;
use crate::families::forms::session::FormSession;
use crate::subscriptions::Subscriptions;
use crate::text::{Key, Lang};
use crate::views::output::Raw;

/// A form to fill in, or its invalid definition.
#[component]
pub(super) fn Opened(session: FormSession, form: Arc<OpenForm>, is_place: bool) -> AnyView {
    let schema = Value::Object(form.schema.clone());
    if is_place {
        browser::focus_soon(session.id("title"));
    }
    match Form::read(&schema) {
        Ok(read) => any_view! { <Filling session form read is_place/> },
        Err(fault) => any_view! { <Head session form is_place/><Broken fault schema/> },
    }
}

/// A form whose definition cannot be parsed.
#[component]
pub(super) fn Broken(fault: SchemaFault, schema: Value) -> impl IntoView {
    let text = move || match Lang::spoken() {
        Lang::Ja => fault.japanese.clone(),
        Lang::En => fault.english.clone(),
    };
    view! {
        <div class="notice is-error">
            <p class="notice-title">{Key::FormBroken}</p>
            <p>{text}</p>
        </div>
        <Raw value=schema/>
    }
}

#[component]
fn Filling(session: FormSession, form: Arc<OpenForm>, read: Form, is_place: bool) -> impl IntoView {
    let secrets: Vec<String> =
        read.fields.iter().filter(|it| it.is_secret()).map(|it| it.label.clone()).collect();
    let has_required = read.fields.iter().any(output::form::Field::is_needed);
    let form_state = FormState::new(read, browser::next_number(), if is_place { 1 } else { 2 });
    let saver = Saver::begin(form_state, &form, Callback::new(move |()| session.check_again()));
    // Another tab or person may answer it meanwhile.
    let subscriptions: Subscriptions = expect_context();
    let rung = subscriptions.changes(&format!("form://{}", session.handle()));
    Effect::new(move |before: Option<()>| {
        rung.track();
        if before.is_some() {
            session.check_again();
        }
    });
    let is_asking = RwSignal::new(false);
    let keys = move |event: leptos::ev::KeyboardEvent| {
        // Keys used by an input method or an open list are ignored.
        if browser::is_composing(&event) || event.default_prevented() {
            return;
        }
        match event.key().as_str() {
            "Enter" if event.ctrl_key() || event.meta_key() => {
                event.prevent_default();
                session.send(form_state);
            }
            // A dialog closes by itself.
            "Escape" if !is_in_dialog(&event) => is_asking.set(true),
            _ => {}
        }
    };
    view! {
        <Head session form=Arc::clone(&form) is_place/>
        <form class="request-form" novalidate aria-labelledby=session.id("title")
            on:keydown=keys
            on:submit=move |event| {
                event.prevent_default();
                session.send(form_state);
            }>
            <Secrets secrets asked_by=form.asked_by.clone()/>
            <Drafts saver id=session.id("two-drafts")/>
            <Summary session form_state/>
            {has_required.then(|| view! { <p class="hint">{Key::FormRequiredHint}</p> })}
            <Fields form_state/>
            <Actions session form_state saver is_asking/>
        </form>
    }
}

fn is_in_dialog(event: &leptos::ev::KeyboardEvent) -> bool {
    let target = event.target().map(wasm_bindgen::JsCast::unchecked_into::<web_sys::Element>);
    target.is_some_and(|it| it.closest("dialog[open]").ok().flatten().is_some())
}

/// Title, requester, time and purpose.
#[component]
pub(super) fn Head(session: FormSession, form: Arc<OpenForm>, is_place: bool) -> impl IntoView {
    let title = title(&form.schema);
    let id = session.id("title");
    let about = form.schema.get("description").and_then(Value::as_str).map(str::to_owned);
    let (by, at) = (form.asked_by.clone(), form.asked_at.clone());
    let heading = if is_place {
        any_view! { <h1 id=id tabindex="-1">{title}</h1> }
    } else {
        any_view! { <h2 class="request-title" id=id tabindex="-1">{title}</h2> }
    };
    let who = by.map(|by| {
        view! { <span>{move || Key::FormAskedBy.fill(&[&by])}</span> }
    });
    let when = move || Key::FormAskedAt.fill(&[&dates::moment(&at, Lang::spoken())]);
    view! {
        <header class="request-head">
            {heading}
            <p class="request-facts">{who}<span>{when}</span></p>
            {about.filter(|it| !it.is_empty()).map(|it| view! { <p class="request-about">{it}</p> })}
        </header>
    }
}

/// A warning with the requester's name, if secrets are requested.
#[component]
fn Secrets(secrets: Vec<String>, asked_by: Option<String>) -> impl IntoView {
    let has_any = !secrets.is_empty();
    let text = move || {
        let names = secrets.join(Lang::spoken().comma());
        let who = asked_by.clone().unwrap_or_else(|| Key::FormSomebody.say().to_owned());
        Key::FormSecret.fill(&[&names, &who])
    };
    has_any.then(|| {
        view! {
            <div class="notice is-warning" role="note">
                <p class="notice-title">{Key::FormSecretTitle}</p>
                <p>{text}</p>
            </div>
        }
    })
}

/// All shown fields; each redraws only itself.
#[component]
fn Fields(form_state: FormState) -> impl IntoView {
    let count = form_state.form().fields.len();
    let field = |index| view! { <FieldView form_state index/> };
    view! { <div class="request-fields">{(0..count).map(field).collect_view()}</div> }
}

/// Maximum number of fields named; the rest is shown at the next try.
const FIELDS_MAX: usize = 50;

/// Summary of the errors, focused after a failed submission; corrected fields disappear from it.
#[component]
fn Summary(session: FormSession, form_state: FormState) -> impl IntoView {
    move || {
        let faulty = session.faulty.get();
        if faulty.is_empty() {
            return None;
        }
        let left_out = faulty.len().saturating_sub(FIELDS_MAX);
        let fault = |index: usize| (index, Memo::new(move |_| form_state.message(index)));
        let faults: Vec<_> = faulty.into_iter().take(FIELDS_MAX).map(fault).collect();
        let messages: Vec<_> = faults.iter().map(|it| it.1).collect();
        let count = Memo::new(move |_| {
            messages.iter().filter(|it| it.with(Option::is_some)).count() + left_out
        });
        let title = move || Key::ErrorSummary.fill(&[&count.get().to_string()]);
        let links = faults.into_iter().map(|(index, message)| {
            view! { <FaultLink form_state index message/> }
        });
        Some(view! {
            <div class="notice is-error request-summary" id=session.id("summary") tabindex="-1"
                role="group" aria-labelledby=session.id("summary-title")
                hidden=move || count.get() == 0>
                <p class="notice-title" id=session.id("summary-title")>{title}</p>
                <ul>{links.collect_view()}</ul>
            </div>
        })
    }
}

#[component]
fn FaultLink(form_state: FormState, index: usize, message: Memo<Option<String>>) -> impl IntoView {
    let id = StoredValue::new(form_state.id(index));
    move || {
        message.get().map(|message| {
            let follow = move |event: leptos::ev::MouseEvent| {
                // The hash of the address is used by the page.
                event.prevent_default();
                focus_field(&id.get_value());
            };
            view! { <li><a href=format!("#{}", id.get_value()) on:click=follow>{message}</a></li> }
        })
    }
}

/// Focuses a field, or the first focusable element in it.
pub(super) fn focus_field(id: &str) {
    let inner = "input, select, textarea, button, [tabindex]";
    let element = document().get_element_by_id(id);
    let takes = element.as_ref().is_some_and(|it| it.matches(inner).unwrap_or_default());
    let found = if takes {
        element
    } else {
        element.and_then(|it| it.query_selector(inner).ok().flatten())
    };
    if let Some(found) = found {
        if found.id().is_empty() {
            found.set_id(&format!("{id}-first"));
        }
        browser::focus(&found.id());
    }
}
