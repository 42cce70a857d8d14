//! Pictures: a grid, the gallery of a conversation, and a full-window viewer with navigation, zoom and saving. A modal
//! dialog holds the focus until it is closed.

use leptos::ev::{KeyboardEvent, WheelEvent};
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use crate::base64::decoded;
use crate::browser;
use crate::cards::picture::{Kind, SHOTS_MAX, Shot, stamp};
use crate::dates;
use crate::page::page;
use crate::text::Key;

/// Draws the pictures in a grid.
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

/// Name of a picture in a grid.
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

/// Saves the picture as a file (ILL-46).
pub(super) fn download(shot: &Shot) {
    let name = shot.file_name(&stamp(&dates::now()));
    let bytes = shot.picture.data.as_deref().and_then(decoded);
    let saved = bytes.map(|it| browser::download(&name, &it, &shot.picture.mime));
    if !matches!(saved, Some(Ok(()))) {
        page().notify(Key::PictureNotSaved);
    }
}

/// A button with the number of pictures that opens the gallery; nothing without pictures.
#[component]
pub(crate) fn ThreadGallery(
    #[prop(into)] count: Signal<usize>,
    /// The pictures, read only while the gallery is open.
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

/// Zoom limits and steps in percent.
const ZOOM_MAX: u32 = 800;
const ZOOM_MIN: u32 = 100;

/// The viewed picture and its zoom.
#[derive(Clone, Copy)]
struct Look {
    shots: Memo<Vec<Shot>>,
    at: RwSignal<Option<usize>>,
    zoom: RwSignal<u32>,
    stage: NodeRef<html::Div>,
}

/// Draws the picture at index `at`, if set.
#[component]
fn Lightbox(shots: Memo<Vec<Shot>>, at: RwSignal<Option<usize>>) -> impl IntoView {
    let look = Look { shots, at, zoom: RwSignal::new(ZOOM_MIN), stage: NodeRef::new() };
    let is_open = RwSignal::new(false);
    Effect::new(move |_| {
        let has_one = at.get().is_some();
        if is_open.get_untracked() != has_one {
            look.zoom.set(ZOOM_MIN);
            is_open.set(has_one);
        }
    });
    Effect::new(move |_| {
        if !is_open.get() && at.get_untracked().is_some() {
            at.set(None);
        }
    });
    let label = Signal::derive(move || look.title());
    view! {
        <Overlay is_open class="lightbox" label on_key=move |event| look.key(&event)>
            <div class="lightbox-bar">
                <p class="lightbox-title" aria-live="polite">{move || look.title()}</p>
                <Tools look is_open/>
            </div>
            <div class="lightbox-stage" tabindex="0" role="group" autofocus=true node_ref=look.stage
                aria-label=Key::PictureStage
                on:wheel=move |event| look.wheel(&event)>
                {move || look.shot().map(|shot| {
                    let title = name(at.get_untracked().unwrap_or_default(), &shot);
                    view! {
                        <img src=shot.url().unwrap_or_default() alt=title
                            style=("--zoom", move || (f64::from(look.zoom.get()) / 100.0).to_string())/>
                    }
                })}
            </div>
            <Foot look/>
        </Overlay>
    }
}

#[component]
fn Tools(look: Look, is_open: RwSignal<bool>) -> impl IntoView {
    let save = move |_| {
        if let Some(shot) = look.shot() {
            download(&shot);
        }
    };
    view! {
        <div class="lightbox-tools">
            <button type="button" class="quiet small" on:click=move |_| look.step(false)
                aria-label=Key::ZoomOut
                aria-disabled=move || (look.zoom.get() <= ZOOM_MIN).then_some("true")>"－"</button>
            <button type="button" class="quiet small" on:click=move |_| look.set_zoom(ZOOM_MIN)>
                <span class="only-heard">{Key::PictureZoomReset}</span>
                {move || format!("{}%", look.zoom.get())}
            </button>
            <button type="button" class="quiet small" on:click=move |_| look.step(true)
                aria-label=Key::ZoomIn
                aria-disabled=move || (look.zoom.get() >= ZOOM_MAX).then_some("true")>"＋"</button>
            <button type="button" class="quiet small" on:click=save>{Key::PictureDownload}</button>
            <button type="button" class="quiet small" on:click=move |_| is_open.set(false)>
                {Key::Close}
            </button>
        </div>
    }
}

#[component]
fn Foot(look: Look) -> impl IntoView {
    let has_others = Memo::new(move |_| look.shots.with(|it| it.len() > 1));
    let facts = move || {
        let facts = look.shot().map(|it| it.facts).unwrap_or_default();
        facts.into_iter().map(|it| view! { <li>{it}</li> }).collect_view()
    };
    let step = move |is_next: bool| {
        let (key, sign) =
            if is_next { (Key::PictureNext, "→") } else { (Key::PicturePrevious, "←") };
        has_others.get().then(|| {
            view! {
                <button type="button" class="quiet" on:click=move |_| look.go(is_next)
                    aria-label=key>{sign}</button>
            }
        })
    };
    view! {
        <div class="lightbox-foot">
            {move || step(false)}
            <ul class="lightbox-facts">{facts}</ul>
            {move || step(true)}
        </div>
    }
}

impl Look {
    fn shot(self) -> Option<Shot> {
        let at = self.at.get()?;
        self.shots.with(|it| it.get(at).cloned())
    }

    fn title(self) -> String {
        let (Some(at), Some(shot)) = (self.at.get(), self.shot()) else { return String::new() };
        let count = self.shots.with(Vec::len).to_string();
        let name = name(at, &shot);
        Key::PictureAt.fill(&[&name, &(at + 1).to_string(), &count])
    }

    /// Goes to the next or previous picture, cyclically.
    fn go(self, is_next: bool) {
        let count = self.shots.with_untracked(Vec::len).max(1);
        let step = if is_next { 1 } else { count - 1 };
        self.zoom.set(ZOOM_MIN);
        self.at.update(|it| *it = it.map(|it| (it + step) % count));
    }

    fn step(self, is_closer: bool) {
        let zoom = self.zoom.get_untracked();
        self.set_zoom(if is_closer { zoom * 5 / 4 } else { zoom * 4 / 5 });
    }

    /// Zooms around the middle.
    fn set_zoom(self, zoom: u32) {
        let zoom = zoom.clamp(ZOOM_MIN, ZOOM_MAX);
        let by = f64::from(zoom) / f64::from(self.zoom.get_untracked().max(1));
        self.zoom.set(zoom);
        let Some(stage) = self.stage.get_untracked() else { return };
        let (left, top) = (f64::from(stage.scroll_left()), f64::from(stage.scroll_top()));
        let (width, height) = (f64::from(stage.client_width()), f64::from(stage.client_height()));
        let moved = move |from: f64, size: f64| ((from + size / 2.0) * by - size / 2.0) as i32;
        request_animation_frame(move || {
            stage.set_scroll_left(moved(left, width));
            stage.set_scroll_top(moved(top, height));
        });
    }

    fn wheel(self, event: &WheelEvent) {
        if event.ctrl_key() || event.meta_key() {
            event.prevent_default();
            self.step(event.delta_y() < 0.0);
        }
    }

    fn key(self, event: &KeyboardEvent) {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        // While zoomed in, the arrow keys pan.
        let is_whole = self.zoom.get_untracked() == ZOOM_MIN;
        match event.key().as_str() {
            "ArrowRight" if is_whole => self.go(true),
            "ArrowLeft" if is_whole => self.go(false),
            "PageDown" => self.go(true),
            "PageUp" => self.go(false),
            "+" | ";" | "=" => self.step(true),
            "-" => self.step(false),
            "0" => self.set_zoom(ZOOM_MIN),
            _ => return,
        }
        event.prevent_default();
    }
}

/// Draws its children while it is open.
#[component]
pub(super) fn Overlay(
    is_open: RwSignal<bool>,
    class: &'static str,
    #[prop(into)] label: Signal<String>,
    #[prop(optional, into)] on_key: Option<Callback<KeyboardEvent>>,
    children: ChildrenFn,
) -> impl IntoView {
    let dialog = NodeRef::<html::Dialog>::new();
    Effect::new(move |_| {
        let is_open = is_open.get();
        if let Some(dialog) = dialog.get() {
            match (is_open, dialog.open()) {
                // The dialog is in the page and closed: opening it cannot fail.
                (true, false) => drop(dialog.show_modal()),
                (false, true) => dialog.close(),
                _ => {}
            }
        }
    });
    let key = move |event: KeyboardEvent| {
        // The event must not reach what is below: another dialog or the conversation.
        event.stop_propagation();
        if let Some(on_key) = on_key.filter(|_| !browser::is_composing(&event)) {
            on_key.run(event);
        }
    };
    // A click on the dialog itself is outside its content.
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
