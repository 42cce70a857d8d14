//! The map's manners: a wheel or one finger scrolls the page, and the map says what would move it.

use std::time::Duration;

use js_sys::Reflect;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use crate::text::Key;

/// How long a hint stays: long enough to be read once.
const HINT_TIME: Duration = Duration::from_millis(1_600);

/// Lets through to the map what is meant for it. `element` is around the map, so it gets events first.
pub(super) fn mind(element: &web_sys::HtmlElement, hint: RwSignal<Option<Key>>) {
    let count = StoredValue::new(0_u32);
    let show = move |key: Key| {
        // The view may be gone while its elements still get events.
        if hint.try_set(Some(key)).is_some() {
            return;
        }
        let Some(number) = count.try_update_value(|it| {
            *it = it.wrapping_add(1);
            *it
        }) else {
            return;
        };
        let hide = move || {
            if count.try_get_value() == Some(number) {
                hint.try_set(None);
            }
        };
        set_timeout(hide, HINT_TIME);
    };
    listen(element, "wheel", move |event| {
        if !is_set(&event, "ctrlKey") && !is_set(&event, "metaKey") {
            event.stop_propagation();
            show(Key::MapWheelHint);
        }
    });
    listen(element, "touchstart", move |event| {
        if fingers(&event) < 2 && is_on_map(&event) {
            event.stop_propagation();
        }
    });
    listen(element, "touchmove", move |event| {
        if fingers(&event) < 2 && is_on_map(&event) {
            event.stop_propagation();
            show(Key::MapTouchHint);
        }
    });
}

/// Before the map gets it.
fn listen(element: &web_sys::HtmlElement, event: &str, run: impl Fn(web_sys::Event) + 'static) {
    let run = Closure::<dyn Fn(web_sys::Event)>::new(run).into_js_value();
    // An element that is there takes a listener.
    let _ = element.add_event_listener_with_callback_and_bool(event, run.unchecked_ref(), true);
}

fn is_set(event: &web_sys::Event, name: &str) -> bool {
    Reflect::get(event, &name.into()).is_ok_and(|it| it.is_truthy())
}

fn fingers(event: &web_sys::Event) -> u32 {
    let touches = Reflect::get(event, &"touches".into());
    let count = touches.and_then(|it| Reflect::get(&it, &"length".into()));
    count.ok().and_then(|it| it.as_f64()).unwrap_or_default() as u32
}

/// Buttons and popups on the map are touched as anywhere.
fn is_on_map(event: &web_sys::Event) -> bool {
    let target = event.target().and_then(|it| it.dyn_into::<web_sys::Element>().ok());
    target.is_some_and(|it| matches!(it.closest("button, .leaflet-popup"), Ok(None)))
}
