//! Files embedded in the program: components and the page. The program passes them in, so that the host neither waits
//! for them nor is rebuilt when they change.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    fmt,
    path::Path,
    sync::{Arc, OnceLock},
};

use rust_embed::{EmbeddedFile, RustEmbed};
use toml::Table;

use crate::source::{Source, name_of};

/// The components and the page that travel in the program. A clone is another handle on the same ones.
#[derive(Clone, Default)]
pub struct Embedded(Arc<Both>);

#[derive(Default)]
struct Both {
    components: Files,
    page: Files,
    start: OnceLock<Result<Start, (String, String)>>,
}

/// Lazily computed defaults of an installation with these components.
#[derive(Default)]
pub struct Start {
    /// In the form of a configuration file.
    pub table: Table,
    /// `[models]` as each component brings it, by the component.
    pub models: BTreeMap<String, Table>,
}

/// Files that travel in the program, or none.
#[derive(Clone, Copy, Default)]
pub struct Files(Option<Access>);

#[derive(Clone, Copy)]
struct Access {
    names: fn() -> Vec<Cow<'static, str>>,
    get: fn(&str) -> Option<EmbeddedFile>,
}

impl Files {
    /// The files of that folder.
    #[must_use]
    pub fn embedded<T: RustEmbed>() -> Self {
        Self(Some(Access { names: || T::iter().collect(), get: T::get }))
    }

    /// Their names, with `/` between folders.
    pub fn names(self) -> Vec<Cow<'static, str>> {
        self.0.map(|it| (it.names)()).unwrap_or_default()
    }

    pub fn get(self, name: &str) -> Option<EmbeddedFile> {
        (self.0?.get)(name)
    }
}

impl Embedded {
    /// These: a file `NAME.wasm` for each component, and the page's with their compressed twins (`.br`, `.gz`).
    #[must_use]
    pub fn new(components: Files, page: Files) -> Self {
        Self(Arc::new(Both { components, page, start: OnceLock::new() }))
    }

    /// The files of the page.
    pub fn page(&self) -> Files {
        self.0.page
    }

    /// Whether the page is there.
    pub fn has_page(&self) -> bool {
        self.0.page.get("index.html").is_some()
    }

    /// The names of the components, sorted.
    pub fn names(&self) -> Vec<String> {
        let names = self.0.components.names();
        let mut names: Vec<_> = names.iter().filter_map(|it| name_of(Path::new(&**it))).collect();
        names.sort();
        names
    }

    /// The component of that name.
    pub fn component(&self, name: &str) -> Option<Source> {
        self.0.components.get(&format!("{name}.wasm")).map(Source::embedded)
    }

    /// Returns the defaults, computed by `make` on first use.
    pub fn start(
        &self,
        make: impl FnOnce() -> Result<Start, (String, String)>,
    ) -> &Result<Start, (String, String)> {
        self.0.start.get_or_init(make)
    }
}

impl fmt::Debug for Embedded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Embedded").field(&self.names()).finish()
    }
}
