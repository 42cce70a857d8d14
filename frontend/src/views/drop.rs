//! A drop zone for files with a button.

use leptos::ev::DragEvent;
use leptos::html::Input;
use leptos::prelude::*;
use web_sys::FileList;

/// The drop zone, with a button that opens the browser's file dialog.
#[component]
pub(crate) fn FileDrop(
    /// Ids of the button, its input, and the button's description.
    ids: [String; 3],
    /// Texts of the zone and the button.
    texts: [Signal<String>; 2],
    /// Accepted extensions or MIME types, comma-separated; empty for any.
    accept: String,
    #[prop(optional)] is_several: bool,
    /// Whether it is disabled.
    #[prop(into)]
    is_shut: Signal<bool>,
    take: impl Fn(&FileList) + Copy + 'static,
    /// Description of what is accepted.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let node = NodeRef::<Input>::new();
    let is_over = RwSignal::new(false);
    let over = move |event: DragEvent| {
        event.prevent_default();
        if !is_over.get_untracked() {
            is_over.set(!is_shut.get_untracked());
        }
    };
    let dropped = move |event: DragEvent| {
        event.prevent_default();
        is_over.set(false);
        let files = event.data_transfer().and_then(|it| it.files());
        if let Some(files) = files.filter(|_| !is_shut.get_untracked()) {
            take(&files);
        }
    };
    let chosen = move |_| {
        if let Some(input) = node.get_untracked() {
            input.files().iter().for_each(take);
            // Lets the same file be chosen again.
            input.set_value("");
        }
    };
    let open = move |_| {
        if let Some(input) = node.get_untracked() {
            input.click();
        }
    };
    let [button, input, described] = ids;
    let [place, choose] = texts;
    view! {
        <div class="drop" class:is-over=is_over
            on:dragenter=over on:dragover=over on:dragleave=move |_| is_over.set(false) on:drop=dropped>
            <span class="drop-mark" aria-hidden="true">"⇪"</span>
            <span class="drop-word">{place}</span>
            <button type="button" class="quiet small" id=button aria-describedby=described
                disabled=is_shut on:click=open>{choose}</button>
            <input type="file" class="drop-input" node_ref=node id=input tabindex="-1" aria-hidden="true"
                accept=(!accept.is_empty()).then_some(accept) multiple=is_several
                disabled=is_shut on:change=chosen/>
            {children.map(|it| it())}
        </div>
    }
}
