//! Pictures in a grid: each can be looked at closely and saved; and all those of a conversation.

use leptos::prelude::*;

use super::lightbox::Lightbox;
use super::overlay::Overlay;
use crate::base64::decoded;
use crate::browser;
use crate::cards::shot::{Kind, SHOTS_MAX, Shot, stamp};
use crate::dates;
use crate::page::page;
use crate::text::Key;

/// Draws the pictures.
#[component]
pub(crate) fn PictureGrid(#[prop(into)] shots: Signal<Vec<Shot>>) -> impl IntoView {
    let shots =
        Memo::new(move |_| shots.with(|it| it.iter().take(SHOTS_MAX).cloned().collect::<Vec<_>>()));
    let at = RwSignal::new(None::<usize>);
    let class = move || if shots.with(Vec::len) == 1 { "pictures is-one" } else { "pictures" };
    view! {
        <ul class=class>
            <For each=move || shots.get().into_iter().enumerate()
                key=|(index, shot)| (*index, shot.picture.id.clone(), shot.picture.data.is_some())
                let((index, shot))>
                <Tile index shot at/>
            </For>
        </ul>
        <Lightbox shots at/>
    }
}

/// What a picture is called in a grid.
pub(super) fn name(index: usize, shot: &Shot) -> String {
    match (shot.picture.name.as_str(), shot.kind) {
        ("", Kind::Made) => Key::PictureMade.say().to_owned(),
        ("", Kind::Card | Kind::Sent) => Key::PictureUnnamed.fill(&[&(index + 1).to_string()]),
        (name, _) => name.to_owned(),
    }
}

#[component]
fn Tile(index: usize, shot: Shot, at: RwSignal<Option<usize>>) -> impl IntoView {
    let url = shot.url();
    let is_gone = shot.picture.data.is_none();
    let shot = StoredValue::new(shot);
    let called = move || shot.with_value(|it| name(index, it));
    let Some(url) = url else {
        let key = if is_gone { Key::PictureGone } else { Key::PictureUnshown };
        return any_view! {
            <li class="picture is-gone">
                <p class="hint">{key}</p>
                <p class="picture-name">{called}</p>
            </li>
        };
    };
    let save = move |_| shot.with_value(download);
    any_view! {
        <li class="picture">
            <button type="button" class="picture-open" on:click=move |_| at.set(Some(index))
                aria-label=move || Key::PictureOpen.fill(&[&called()])>
                <img src=url loading="lazy" decoding="async" alt=called/>
            </button>
            <div class="picture-foot">
                <p class="picture-name">{called}</p>
                <button type="button" class="plain small" on:click=save
                    aria-label=move || Key::PictureDownloadNamed.fill(&[&called()])>
                    {Key::PictureDownload}
                </button>
            </div>
        </li>
    }
}

/// Gives the reader the picture as a file (ILL-46).
pub(super) fn download(shot: &Shot) {
    let name = shot.file_name(&stamp(&dates::now()));
    let bytes = shot.picture.data.as_deref().and_then(decoded);
    let saved = bytes.map(|it| browser::download(&name, &it, &shot.picture.mime));
    if !matches!(saved, Some(Ok(()))) {
        page().notify(Key::PictureNotSaved);
    }
}

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
