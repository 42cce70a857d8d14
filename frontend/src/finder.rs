//! The finder: one field from which every place, tool and thing of the reader's is reached. Here is when it opens; what
//! it shows is a part.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlDialogElement;

use crate::browser;
use crate::page::{Door, page};

/// The id of the dialog.
pub(crate) const DIALOG: &str = "finder";

/// Whether the finder is open.
#[derive(Clone, Copy)]
pub(crate) struct Finder {
    pub(crate) is_open: RwSignal<bool>,
}

impl Finder {
    /// Opens it at Ctrl-K or ⌘-K, from now on.
    pub(crate) fn new() -> Self {
        let finder = Self { is_open: RwSignal::new(false) };
        let _listener = window_event_listener(leptos::ev::keydown, move |event| {
            if is_shortcut(&event) && !browser::is_composing(&event) {
                event.prevent_default();
                if finder.is_open.get_untracked() { finder.shut() } else { finder.open() }
            }
        });
        finder
    }

    /// Opens it, unless the page's door is shut.
    pub(crate) fn open(self) {
        if page().door.get_untracked() == Door::Open {
            self.is_open.set(true);
        }
    }

    /// Has the browser close the dialog, which brings the keyboard back to where it was, and then tells of it.
    pub(crate) fn shut(self) {
        let dialog = document().get_element_by_id(DIALOG);
        match dialog.and_then(|it| it.dyn_into::<HtmlDialogElement>().ok()) {
            Some(dialog) => dialog.close(),
            // Its code is not here yet.
            None => self.is_open.set(false),
        }
    }

    /// The dialog is closed.
    pub(crate) fn close(self) {
        self.is_open.set(false);
        browser::focus_if_lost("finder-button");
    }
}

fn is_shortcut(event: &KeyboardEvent) -> bool {
    let is_held = event.ctrl_key() ^ event.meta_key();
    is_held && !event.alt_key() && !event.shift_key() && event.key().eq_ignore_ascii_case("k")
}
