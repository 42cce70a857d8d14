//! Separately loaded parts of the page: code in a file of its own, loaded on first use, and with the first of them the
//! style sheet of all parts. A page that is not split (trunk's, and the unit tests') contains them all.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::sync::OnceLock;

use futures::FutureExt;
use leptos::prelude::document;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;

/// A part being loaded; none if loading fails.
pub(crate) type Loading<T> = Pin<Box<dyn Future<Output = Option<&'static T>>>>;

/// One part. `T` is a table of the functions in it.
pub(crate) struct Part<T: 'static> {
    from: From<T>,
    loaded: OnceLock<&'static T>,
}

enum From<T: 'static> {
    File(fn() -> Loading<T>),
    /// Not split off: needed by every visit.
    Always(&'static T),
}

/// A part is equal only to itself.
impl<T> PartialEq for Part<T> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl<T: Sync> Part<T> {
    /// Used by [`part!`].
    pub(crate) const fn new(load: fn() -> Loading<T>) -> Self {
        Self { from: From::File(load), loaded: OnceLock::new() }
    }

    /// A part that is not split off.
    pub(crate) const fn always(code: &'static T) -> Self {
        Self { from: From::Always(code), loaded: OnceLock::new() }
    }

    /// Returns its code, if loaded.
    pub(crate) fn loaded(&self) -> Option<&'static T> {
        self.loaded.get().copied().or_else(|| self.fetch().now_or_never()?)
    }

    /// Whether it is not split off.
    pub(crate) const fn is_always(&self) -> bool {
        matches!(self.from, From::Always(_))
    }

    /// Loads it. The next call retries after a failure.
    pub(crate) async fn fetch(&self) -> Option<&'static T> {
        let code = match self.from {
            From::File(load) => load().await?,
            From::Always(code) => code,
        };
        Some(self.loaded.get_or_init(|| code))
    }
}

/// Defines a [`Part`]: all code reached by this table alone, loaded once `$before` is true.
macro_rules! part {
    ($name:ident: $table:ty = $code:expr) => {
        part!($name: $table = $code, std::future::ready(true))
    };
    ($name:ident: $table:ty = $code:expr, $before:expr) => {{
        #[cfg(feature = "split")]
        #[::wasm_split_helpers::wasm_split($name, fallible)]
        fn code() -> Result<&'static $table, ::wasm_split_helpers::SplitLoaderError> {
            Ok($code)
        }
        #[cfg(not(feature = "split"))]
        async fn code() -> Result<&'static $table, ()> {
            Ok($code)
        }
        $crate::part::Part::new(|| {
            Box::pin(async { if $before.await { code().await.ok() } else { None } })
        })
    }};
}

pub(crate) use part;

/// The link to the sheet, whose target is set by xtask.
const LINK: &str = "later-style";

thread_local!(static IS_LOADED: Cell<bool> = const { Cell::new(false) });

/// Whether the whole style is loaded.
pub(crate) fn is_whole() -> bool {
    IS_LOADED.get()
}

/// Loads the sheet. Returns false on failure; the next call retries.
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
    IS_LOADED.set(is_here);
    is_here
}
