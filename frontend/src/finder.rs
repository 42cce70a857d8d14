//! The finder: one field that reaches every view, tool and item of the reader's. This file opens and closes it; its
//! contents are a separately loaded part.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlDialogElement;

use crate::browser;
use crate::page::{Admission, page};

pub(crate) const DIALOG: &str = "finder";

#[derive(Clone, Copy)]
pub(crate) struct Finder {
    pub(crate) is_open: RwSignal<bool>,
}

impl Finder {
    /// Creates it and binds Ctrl-K and ⌘-K.
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

    /// Opens it, unless the page asks for a token.
    pub(crate) fn open(self) {
        if page().admission.get_untracked() == Admission::Open {
            self.is_open.set(true);
        }
    }

    /// Lets the browser close the dialog, which restores the focus and then calls [`Self::close`].
    pub(crate) fn shut(self) {
        let dialog = document().get_element_by_id(DIALOG);
        match dialog.and_then(|it| it.dyn_into::<HtmlDialogElement>().ok()) {
            Some(dialog) => dialog.close(),
            // Its code is not loaded yet.
            None => self.is_open.set(false),
        }
    }

    /// Handles the closed dialog.
    pub(crate) fn close(self) {
        self.is_open.set(false);
        browser::focus_if_lost("finder-button");
    }
}

fn is_shortcut(event: &KeyboardEvent) -> bool {
    let is_held = event.ctrl_key() ^ event.meta_key();
    is_held && !event.alt_key() && !event.shift_key() && event.key().eq_ignore_ascii_case("k")
}
