//! The question before something is done.

use leptos::prelude::*;

use crate::browser;

/// Stands where its button was. The safe answer has the keyboard, and Escape gives it.
#[component]
pub(crate) fn Sure(
    /// The id of the safe answer.
    #[prop(into)]
    id: String,
    /// The question.
    #[prop(into)]
    ask: Signal<String>,
    #[prop(into)] yes: Signal<String>,
    #[prop(into)] no: Signal<String>,
    on_yes: Callback<()>,
    /// Takes the question away, and gives the keyboard back.
    on_no: Callback<()>,
    #[prop(optional, into)] is_busy: Signal<bool>,
) -> impl IntoView {
    browser::focus_soon(id.clone());
    let ask_id = format!("{id}-ask");
    let go = move |_| {
        if !is_busy.get_untracked() {
            on_yes.run(());
        }
    };
    view! {
        <div class="sure" role="group" aria-labelledby=ask_id
            on:keydown=move |event| if browser::takes_escape(&event) { on_no.run(()) }>
            <p id=ask_id.clone()>{ask}</p>
            <button type="button" class="is-grave" on:click=go
                aria-disabled=move || is_busy.get().then_some("true")>{yes}</button>
            <button type="button" id=id class="quiet" on:click=move |_| on_no.run(())>{no}</button>
        </div>
    }
}
