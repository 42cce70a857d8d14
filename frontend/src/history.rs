//! Scroll position and focus of each history entry, which Back and Forward restore.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{HtmlElement, ScrollRestoration};

use crate::browser::MAIN;

/// When to try to restore: the content of an entry is fetched first, and until then the page may be too short.
const TRIES_MS: [u64; 5] = [50, 150, 400, 900, 1_800];
/// Maximum number of entries kept for a tab. Older ones start at the top.
const ENTRIES_MAX: usize = 500;
/// Tolerance in pixels.
const NEAR_PX: f64 = 2.0;

/// Saved state of an entry.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct EntryState {
    scrolled: f64,
    /// The focused element, as a CSS selector.
    focus: Option<String>,
}

/// The entries of this tab, by a number that the browser stores with each.
#[derive(Debug, Default)]
struct Entries {
    current: f64,
    states: HashMap<u64, EntryState>,
    /// Whether the current entry was already saved on leaving.
    is_left: bool,
}

impl Entries {
    /// Saves the state of the current entry before it is left. Only the first call counts.
    fn leave(&mut self, state: impl FnOnce() -> EntryState) {
        if !self.is_left {
            self.is_left = true;
            if self.states.len() >= ENTRIES_MAX {
                self.states.clear();
            }
            self.states.insert(self.current.to_bits(), state());
        }
    }

    /// Enters an entry. One without a number is new and gets `next`. Returns the state saved for it, if any.
    fn arrive(&mut self, number: Option<f64>, next: f64) -> Option<EntryState> {
        self.is_left = false;
        self.current = number.unwrap_or(next);
        number.and_then(|it| self.states.get(&it.to_bits()).cloned())
    }
}

thread_local!(static ENTRIES: RefCell<Entries> = RefCell::default());

/// Starts saving, and disables the browser's own restoration, which does not know when a view is drawn.
pub(crate) fn open() {
    let Ok(history) = window().history() else { return };
    // A browser that does not allow it scrolls as it likes.
    let _ = history.set_scroll_restoration(ScrollRestoration::Manual);
    let _ = arrive();
    // State after a reload belongs to the browser.
    let _listener = window_event_listener_untyped("pagehide", move |_| {
        let _ = history.set_scroll_restoration(ScrollRestoration::Auto);
    });
}

/// Saves the current entry before it is left.
pub(crate) fn leave() {
    ENTRIES.with_borrow_mut(|it| it.leave(state));
}

/// Enters another entry. Returns its saved state if the reader comes back to it.
pub(crate) fn arrive() -> Option<EntryState> {
    let history = window().history().ok()?;
    let number = history.state().ok().and_then(|it| it.as_f64());
    let next = js_sys::Date::now() + js_sys::Math::random();
    if number.is_none() {
        // If the browser forbids it, every entry is a new one.
        let _ = history.replace_state(&next.into(), "");
    }
    ENTRIES.with_borrow_mut(|it| it.arrive(number, next))
}

/// Adds a history entry with another hash, without navigating.
pub(crate) fn push_hash(hash: &str) {
    leave();
    if let Ok(history) = window().history() {
        // If the browser forbids it, only the address is out of date.
        let _ = history.push_state_with_url(&JsValue::NULL, "", Some(hash));
    }
    let _ = arrive();
}

/// Replaces the hash of the current history entry.
pub(crate) fn replace_hash(hash: &str) {
    if let Ok(history) = window().history() {
        let number = history.state().unwrap_or_default();
        let _ = history.replace_state_with_url(&number, "", Some(hash));
    }
}

/// Restores the saved state once its content is drawn, unless the reader has moved on meanwhile.
pub(crate) fn restore(state: &EntryState) {
    let current = ENTRIES.with_borrow(|it| it.current);
    let is_done = Rc::new(Cell::new(false));
    for (index, after) in TRIES_MS.into_iter().enumerate() {
        let (state, is_done) = (state.clone(), is_done.clone());
        let restore = move || {
            let is_gone = ENTRIES.with_borrow(|it| it.current.to_bits() != current.to_bits());
            if is_gone || is_done.get() {
                return;
            }
            let is_focused = state.focus.as_ref().is_none_or(|css| focus(css, index == 0));
            window().scroll_to_with_x_and_y(0.0, state.scrolled);
            is_done.set(is_focused && (scrolled() - state.scrolled).abs() < NEAR_PX);
        };
        set_timeout(restore, Duration::from_millis(after));
    }
}

/// Restores the focus, unless the reader has moved it since. Returns whether that is settled.
fn focus(css: &str, is_first: bool) -> bool {
    let active = document().active_element();
    let is_lost = active.is_none_or(|it| it.tag_name() == "BODY" || it.has_attribute("tabindex"));
    if !is_first && !is_lost {
        return true;
    }
    let element = document().query_selector(css).ok().flatten();
    element.is_some_and(|it| it.unchecked_into::<HtmlElement>().focus().is_ok())
}

fn scrolled() -> f64 {
    window().scroll_y().unwrap_or_default()
}

fn state() -> EntryState {
    let is_somewhere = |it: &web_sys::Element| it.tag_name() != "BODY" && it.id() != MAIN;
    let active = document().active_element().filter(is_somewhere);
    let focus = active.and_then(|it| selector(&it.id(), it.get_attribute("href").as_deref()));
    EntryState { scrolled: scrolled(), focus }
}

/// A CSS selector that finds an element again after a redraw: by id or by link target.
fn selector(id: &str, href: Option<&str>) -> Option<String> {
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    match href {
        _ if !id.is_empty() => Some(format!("[id=\"{}\"]", quoted(id))),
        Some(href) => Some(format!("main a[href=\"{}\"]", quoted(href))),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(scrolled: f64) -> EntryState {
        EntryState { scrolled, ..EntryState::default() }
    }

    #[test]
    fn back_and_forward_restore_scroll_and_links_start_at_top() {
        let mut entries = Entries::default();
        assert_eq!(entries.arrive(None, 1.0), None);
        entries.leave(|| at(1_800.0));
        assert_eq!(entries.arrive(None, 2.0), None, "a link leads to a new entry");
        entries.leave(|| at(30.0));
        assert_eq!(entries.arrive(Some(1.0), 3.0), Some(at(1_800.0)));
        entries.leave(|| at(1_700.0));
        assert_eq!(entries.arrive(Some(2.0), 4.0), Some(at(30.0)));
        assert_eq!(entries.arrive(Some(9.0), 5.0), None, "it is of before a reload");
    }

    #[test]
    fn saves_scroll_before_view_changes_and_not_after() {
        let mut entries = Entries::default();
        entries.arrive(None, 1.0);
        entries.leave(|| at(7.0));
        entries.leave(|| at(0.0));
        entries.arrive(None, 2.0);
        assert_eq!(entries.arrive(Some(1.0), 3.0), Some(at(7.0)));
    }

    #[test]
    fn limits_entries_of_long_open_tab() {
        let mut entries = Entries::default();
        for number in 0..2_000_u32 {
            entries.arrive(None, f64::from(number));
            entries.leave(EntryState::default);
            assert!(entries.states.len() <= ENTRIES_MAX);
        }
        assert!(entries.arrive(Some(1_999.0), 0.0).is_some(), "the latest is known");
    }

    #[test]
    fn finds_element_again_by_id_or_link() {
        assert_eq!(selector("film-search", None).as_deref(), Some("[id=\"film-search\"]"));
        let link = selector("", Some("#/box-office?showtime=a\"b"));
        assert_eq!(link.as_deref(), Some("main a[href=\"#/box-office?showtime=a\\\"b\"]"));
        assert_eq!(selector("", None), None);
    }
}
