//! Where the reader is, if they let the page know; and why it does not know, in plain terms.

use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::window;
use output::navigation::Point;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{Closure, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Position, PositionError, PositionOptions};

use crate::text::Key;

/// How long to look.
const DEADLINE_MS: u32 = 10_000;
/// A place of that age will do.
const AGE_MAX_MS: u32 = 60_000;

/// Where the reader is, or what to tell them.
pub(crate) async fn here() -> Result<Point, Key> {
    if !window().is_secure_context() {
        return Err(Key::NavHereInsecure);
    }
    let geolocation = window().navigator().geolocation().map_err(|_| Key::NavHereNone)?;
    let found = Rc::new(RefCell::new(Err(Key::NavHereFailed)));
    let promise = js_sys::Promise::new(&mut |resolve, reject| {
        let (good, bad) = (Rc::clone(&found), Rc::clone(&found));
        let failed = resolve.clone();
        let take = Closure::once_into_js(move |position: Position| {
            let coords = position.coords();
            *good.borrow_mut() = Ok(Point { lat: coords.latitude(), lng: coords.longitude() });
            let _ = resolve.call0(&JsValue::UNDEFINED);
        });
        let fail = Closure::once_into_js(move |error: PositionError| {
            *bad.borrow_mut() = Err(why(error.code()));
            let _ = failed.call0(&JsValue::UNDEFINED);
        });
        let options = PositionOptions::new();
        options.set_timeout(DEADLINE_MS);
        options.set_maximum_age(AGE_MAX_MS);
        let asked = geolocation.get_current_position_with_error_callback_and_options(
            take.unchecked_ref(),
            Some(fail.unchecked_ref()),
            &options,
        );
        if asked.is_err() {
            let _ = reject.call0(&JsValue::UNDEFINED);
        }
    });
    JsFuture::from(promise).await.map_err(|_| Key::NavHereFailed)?;
    *found.borrow()
}

/// By the browser's number of what went wrong.
fn why(code: u16) -> Key {
    match code {
        1 => Key::NavHereDenied,
        2 => Key::NavHereFailed,
        3 => Key::NavHereLate,
        _ => Key::NavHereNone,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failure_is_told_by_its_own_words() {
        let keys = [1, 2, 3, 9].map(why);
        for (index, key) in keys.iter().enumerate() {
            assert!(!keys[..index].contains(key), "{key:?}");
        }
    }
}
