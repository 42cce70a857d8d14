//! All pictures of a conversation in one place, without scrolling for them.

use leptos::prelude::*;

use super::overlay::Overlay;
use super::pictures::PictureGrid;
use crate::cards::shot::Shot;
use crate::page::page;
use crate::text::Key;

/// A button with their number, and the pictures behind it; nothing where there are none.
#[component]
pub(crate) fn ThreadGallery(
    /// How many there are.
    #[prop(into)]
    count: Signal<usize>,
    /// The pictures; they are read while they are looked at.
    #[prop(into)]
    shots: Signal<Vec<Shot>>,
) -> impl IntoView {
    let page = page();
    let is_open = RwSignal::new(false);
    let label = page.said(Key::GalleryTitle);
    view! {
        {move || (count.get() > 0).then(|| view! {
            <button type="button" class="quiet small gallery-open" aria-haspopup="dialog"
                on:click=move |_| is_open.set(true)>
                {move || page.fill(Key::GalleryOpen, &[&count.get().to_string()])}
            </button>
        })}
        <Overlay is_open class="gallery" label>
            <div class="gallery-body">
                <div class="gallery-head">
                    <h2>{move || page.say(Key::GalleryTitle)}</h2>
                    <button type="button" class="quiet small" on:click=move |_| is_open.set(false)>
                        {move || page.say(Key::Close)}
                    </button>
                </div>
                <PictureGrid shots/>
            </div>
        </Overlay>
    }
}
