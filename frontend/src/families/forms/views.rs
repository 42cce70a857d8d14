//! A form requested by an agent: filled in, sent, and shown afterwards.

mod actions;
mod answered;
mod field;
mod frame;
mod list;
mod loose;

use leptos::html;
use leptos::prelude::*;
use output::form::OpenForm;
use wasm_bindgen::JsCast;
use web_sys::{HtmlDialogElement, HtmlElement, Node};

use crate::error::CallError;
use crate::families::forms::place::At;
use crate::families::forms::session::{FormSession, Stage};
use crate::page::page;
use crate::route::FamilyRoute;
use crate::text::Key;
use crate::views::notice::{Notice, Skeleton};
use answered::Answered;
use frame::Opened;

pub(crate) use list::FormsView;
pub(crate) use loose::FormLoose;

/// A form as a view of its own.
#[component]
pub(crate) fn FormPlace(handle: String) -> impl IntoView {
    let session = FormSession::open(&handle);
    Effect::new(move |_| {
        let title = session.stage.with(|stage| match stage {
            Stage::Open(it) | Stage::Closed(it, _) => Some(title(&it.schema)),
            _ => None,
        });
        page().form_title.set(title);
    });
    on_cleanup(move || page().form_title.set(None));
    view! { <div class="request is-place"><SessionView session is_place=true/></div> }
}

/// A form shown as the output of the tool that requested it.
#[component]
pub(crate) fn FormInline(
    handle: String,
    /// Called with the outcome, and whether it was just closed here.
    #[prop(optional, into)]
    on_closed: Option<Callback<(OpenForm, bool)>>,
) -> impl IntoView {
    let session = FormSession::open(&handle);
    Effect::new(move |_| {
        if let (Stage::Closed(form, is_fresh), Some(on_closed)) = (session.stage.get(), on_closed) {
            // A form is not reopened once the assistant has its outcome; the caller decides.
            untrack(|| on_closed.run(((*form).clone(), is_fresh)));
        }
    });
    let is_large = RwSignal::new(false);
    let href = At::Form(handle).hash();
    let key = move || if is_large.get() { Key::FormSmaller } else { Key::FormLarger };
    view! {
        <Sheet is_large title_id=session.id("title")>
            <div class="request-tools">
                <button type="button" class="quiet small" on:click=move |_| {
                    is_large.update(|it| *it = !*it);
                }>{move || key().say()}</button>
                <a class="request-own" href=href>{Key::FormOwnPlace}</a>
            </div>
            <SessionView session is_place=false/>
        </Sheet>
    }
}

/// The form in any state.
#[component]
fn SessionView(session: FormSession, is_place: bool) -> impl IntoView {
    let retry = Callback::new(move |()| session.load());
    move || match session.stage.get() {
        Stage::Loading => any_view! { <Skeleton lines=6/> },
        Stage::Failed(CallError::Refused(it)) if it.code == "not_found" => {
            any_view! { <Gone session/> }
        }
        Stage::Failed(error) => any_view! { <Notice error on_retry=retry/> },
        Stage::Open(form) => any_view! { <Opened session form is_place/> },
        Stage::Closed(form, is_fresh) => {
            any_view! { <Answered session form is_fresh is_place/> }
        }
    }
}

/// No form has this handle, or no longer.
#[component]
fn Gone(session: FormSession) -> impl IntoView {
    view! {
        <div class="notice">
            <h1 class="notice-title" id=session.id("title") tabindex="-1">{Key::FormGone}</h1>
            <p>{Key::FormGoneHint}</p>
            <p><a href=At::List(None).hash()>{Key::FormsTitle}</a></p>
        </div>
    }
}

/// The title of a definition, even if the rest of it cannot be parsed.
fn title(schema: &serde_json::Map<String, serde_json::Value>) -> String {
    let title = schema.get("title").and_then(serde_json::Value::as_str);
    title.unwrap_or_default().to_owned()
}

/// Draws its children in the page, or enlarged in a modal dialog.
#[component]
pub(super) fn Sheet(
    /// Whether it is enlarged.
    is_large: RwSignal<bool>,
    /// Id of the element that names the dialog.
    title_id: String,
    children: Children,
) -> impl IntoView {
    let slot = NodeRef::<html::Section>::new();
    let body = NodeRef::<html::Div>::new();
    let dialog = NodeRef::<html::Dialog>::new();
    Effect::new(move |was_large: Option<bool>| {
        let is_large = is_large.get();
        let nodes = slot.get_untracked().zip(body.get_untracked()).zip(dialog.get_untracked());
        let is_other = was_large.unwrap_or_default() != is_large;
        if let Some(((slot, body), dialog)) = nodes.filter(|_| is_other) {
            hold(&slot, &body, &dialog, is_large);
        }
        is_large
    });
    view! {
        <section class="request" node_ref=slot>
            <div class="request-body" node_ref=body>{children()}</div>
            <dialog class="request-dialog" node_ref=dialog aria-labelledby=title_id
                on:close=move |_| is_large.set(false)></dialog>
        </section>
    }
}

/// Moves the body, keeping the focus.
fn hold(slot: &Node, body: &Node, dialog: &HtmlDialogElement, is_large: bool) {
    let focused = document().active_element().filter(|it| body.contains(Some(it)));
    // Both are elements of this page: moving one cannot fail.
    if is_large {
        let _ = dialog.append_child(body);
        let _ = dialog.show_modal();
    } else {
        if dialog.open() {
            dialog.close();
        }
        let _ = slot.insert_before(body, Some(dialog));
    }
    if let Some(focused) = focused {
        let _ = focused.unchecked_into::<HtmlElement>().focus();
    }
}
