//! Parts of the page: code that is a file of its own, loaded when it is first needed. A page that is not split (trunk's,
//! and the unit tests') has them all at once.

use std::future::Future;
use std::pin::Pin;
use std::sync::OnceLock;

use futures::FutureExt;

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
