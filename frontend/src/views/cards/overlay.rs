//! A dialog over the page: it holds the keyboard, Escape closes it, and the keyboard returns.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// Draws its children while it is open.
#[component]
pub(super) fn Overlay(
    is_open: RwSignal<bool>,
    class: &'static str,
    /// What it is called.
    #[prop(into)]
    label: Signal<String>,
    /// Keys that it takes.
    #[prop(optional, into)]
    on_key: Option<Callback<leptos::ev::KeyboardEvent>>,
    children: ChildrenFn,
) -> impl IntoView {
    let dialog = NodeRef::<html::Dialog>::new();
    Effect::new(move |_| {
        let is_open = is_open.get();
        if let Some(dialog) = dialog.get() {
            match (is_open, dialog.open()) {
                // It is in the page and closed: opening it cannot fail.
                (true, false) => drop(dialog.show_modal()),
                (false, true) => dialog.close(),
                _ => {}
            }
        }
    });
    let key = move |event: leptos::ev::KeyboardEvent| {
        // What is below, another dialog or the conversation, must not get the event.
        event.stop_propagation();
        if let Some(on_key) = on_key.filter(|_| !crate::browser::is_composing(&event)) {
            on_key.run(event);
        }
    };
    // A click on the dialog itself is one beside what it holds.
    let aside = move |event: leptos::ev::MouseEvent| {
        event.stop_propagation();
        let target = event.target().map(|it| it.unchecked_into::<web_sys::Node>());
        let own = dialog.get_untracked();
        if target.zip(own).is_some_and(|(target, own)| own.is_same_node(Some(&target))) {
            is_open.set(false);
        }
    };
    view! {
        <dialog class=format!("overlay {class}") node_ref=dialog
            aria-label=move || label.get()
            on:close=move |_| is_open.set(false) on:keydown=key on:click=aside>
            {move || is_open.get().then(|| children())}
        </dialog>
    }
}
