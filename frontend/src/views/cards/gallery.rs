//! All pictures of a conversation in one place, without scrolling for them.

use leptos::prelude::*;

use super::overlay::Overlay;
use super::pictures::PictureGrid;
use crate::cards::shot::Shot;
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
    let is_open = RwSignal::new(false);
    view! {
        {move || (count.get() > 0).then(|| view! {
            <button type="button" class="quiet small gallery-open" aria-haspopup="dialog"
                on:click=move |_| is_open.set(true)>
                {move || Key::GalleryOpen.fill(&[&count.get().to_string()])}
            </button>
        })}
        <Overlay is_open class="gallery" label=Key::GalleryTitle>
            <div class="gallery-body">
                <div class="gallery-head">
                    <h2>{Key::GalleryTitle}</h2>
                    <button type="button" class="quiet small" on:click=move |_| is_open.set(false)>
                        {Key::Close}
                    </button>
                </div>
                <PictureGrid shots/>
            </div>
        </Overlay>
    }
}
