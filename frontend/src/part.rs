//! Parts of the page: code that is a file of its own, loaded when it is first needed, and with the first of them the
//! style of what parts draw, in a sheet of its own. A page that is not split (trunk's, and the unit tests') has them
//! all at once.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::sync::OnceLock;

use futures::FutureExt;
use leptos::prelude::document;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;

/// A part's code on its way; none where it cannot be loaded.
pub(crate) type Loading<T> = Pin<Box<dyn Future<Output = Option<&'static T>>>>;

/// One part. What is called in it is behind `T`: its functions, in a table.
pub(crate) struct Part<T: 'static> {
    from: From<T>,
    loaded: OnceLock<&'static T>,
}

enum From<T: 'static> {
    File(fn() -> Loading<T>),
    /// What every visit needs.
    Here(&'static T),
}

/// Each is the same as itself alone.
impl<T> PartialEq for Part<T> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl<T: Sync> Part<T> {
    /// Made by [`part!`].
    pub(crate) const fn new(load: fn() -> Loading<T>) -> Self {
        Self { from: From::File(load), loaded: OnceLock::new() }
    }

    /// One that is no file of its own.
    pub(crate) const fn always(code: &'static T) -> Self {
        Self { from: From::Here(code), loaded: OnceLock::new() }
    }

    /// Its code, if that is loaded.
    pub(crate) fn here(&self) -> Option<&'static T> {
        self.loaded.get().copied().or_else(|| self.fetch().now_or_never()?)
    }

    /// Whether it is no file of its own.
    pub(crate) const fn is_always(&self) -> bool {
        matches!(self.from, From::Here(_))
    }

    /// Loads it. What could not be loaded is tried again by the next call.
    pub(crate) async fn fetch(&self) -> Option<&'static T> {
        let code = match self.from {
            From::File(load) => load().await?,
            From::Here(code) => code,
        };
        Some(self.loaded.get_or_init(|| code))
    }
}

/// A [`Part`] of that name: all code that is reached by this table alone, loaded once `$before` is true.
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
