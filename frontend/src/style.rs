//! The style of what parts draw, in a sheet of its own: loaded with the first of them. A page that is not split has all
//! of it from the first.

use std::cell::Cell;

use leptos::prelude::document;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;

/// The link to it, of which xtask says where it leads.
const LINK: &str = "later-style";

thread_local!(static IS_HERE: Cell<bool> = const { Cell::new(false) });

/// Whether all of the page's style is there.
pub(crate) fn is_whole() -> bool {
    IS_HERE.get()
}

/// Loads it; false where it cannot be loaded, which is tried again by the next call.
pub(crate) async fn load() -> bool {
    let link = document().get_element_by_id(LINK).filter(|_| !is_whole());
    let is_here = match link {
        None => true,
        Some(link) => {
            let loaded = js_sys::Promise::new(&mut |resolve, reject| {
                for (event, then) in [("load", resolve), ("error", reject)] {
                    let _ = link.add_event_listener_with_callback(event, then.unchecked_ref());
                }
            });
            if link.get_attribute("rel").as_deref() != Some("stylesheet") {
                let _ = link.set_attribute("rel", "stylesheet");
            }
            let loaded = JsFuture::from(loaded).await.is_ok();
            if !loaded {
                let _ = link.set_attribute("rel", "later");
            }
            loaded
        }
    };
    IS_HERE.set(is_here);
    is_here
}
