//! A sheet that lies in the page and can be held closer: the same elements, moved into a dialog, so
//! that nothing that was typed, opened or begun is lost on the way.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlDialogElement, HtmlElement, Node};

/// Draws its children in the page; or, while it is large, in a dialog that holds the keyboard.
#[component]
pub(super) fn Sheet(
    /// Whether it is held closer.
    is_large: RwSignal<bool>,
    /// The element that names the dialog.
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

/// Moves the body, and the keyboard with it.
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
