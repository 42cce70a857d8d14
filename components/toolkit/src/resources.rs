//! Resources: what a component has to read.
//!
//! ```
//! use toolkit::{Stop, User, resources::{Contents, Page, Resource, Resources, Template, fits}};
//!
//! struct Shelf;
//!
//! impl Resources for Shelf {
//!     fn templates() -> Vec<Template> {
//!         vec![Template::new("shelf://books/{id}", "book").mime_type("text/plain")]
//!     }
//!
//!     fn list(_: Option<&str>) -> Result<Page, Stop> {
//!         Ok(vec![Resource::new("shelf://index", "index").title("The index")].into())
//!     }
//!
//!     fn read(uri: &str, _: &User) -> Result<Option<Vec<Contents>>, Stop> {
//!         if let Some([id]) = fits("shelf://books/{id}", uri) {
//!             return Ok(Some(vec![Contents::text(uri, format!("Book {id}"))]));
//!         }
//!         Ok((uri == "shelf://index").then(|| vec![Contents::json(uri, &["1", "2"])]))
//!     }
//! }
//! ```
//!
//! `toolkit::export_resources!(Library);` makes it part of the component.
//! [`events::publish`](crate::events::publish) of a resource's URI tells those who subscribed to it;
//! of `resources`, that the list has changed.

use serde::Serialize;

pub use crate::bindings::resources::exports::madoguchi::tool::resources::{
    Contents, Definition as Resource, Page, Request, Template,
};
use crate::{Stop, User, bindings::madoguchi::tool::types::ResourceBody, definition::json};

mod template;

pub use template::{filled, fits};

/// What a component has to read, as [`export_resources!`](crate::export_resources) exports it.
pub trait Resources {
    /// The shapes of URIs that can be read beside those of the list.
    #[must_use]
    fn templates() -> Vec<Template> {
        Vec::new()
    }

    /// What there is to read now, page by page; without a cursor, the first.
    ///
    /// # Errors
    /// Stops where there is no such page.
    fn list(cursor: Option<&str>) -> Result<Page, Stop>;

    /// What is at `uri`, mostly one piece; none where there is nothing. Runs again from the top each
    /// time `user` has answered.
    ///
    /// # Errors
    /// Stops where it cannot be read; see [`Stop`].
    fn read(uri: &str, user: &User) -> Result<Option<Vec<Contents>>, Stop>;
}

impl Resource {
    /// A resource at `uri`; `name` is for programs.
    #[must_use]
    pub fn new(uri: &str, name: &str) -> Self {
        Self {
            uri: uri.to_owned(),
            name: name.to_owned(),
            title: None,
            description: None,
            mime_type: None,
            size: None,
            annotations: None,
            meta: None,
        }
    }

    /// Its size in bytes.
    #[must_use]
    pub fn size(mut self, bytes: u64) -> Self {
        self.size = Some(bytes);
        self
    }
}

impl Template {
    /// All resources whose URI fits `uri_template`; see [`fits`].
    #[must_use]
    pub fn new(uri_template: &str, name: &str) -> Self {
        Self {
            uri_template: uri_template.to_owned(),
            name: name.to_owned(),
            title: None,
            description: None,
            mime_type: None,
            annotations: None,
            meta: None,
        }
    }
}

/// What resources and templates say of themselves alike.
macro_rules! described {
    ($($kind:ty),+) => {$(
        impl $kind {
            /// The title for people.
            #[must_use]
            pub fn title(mut self, title: &str) -> Self {
                self.title = Some(title.to_owned());
                self
            }

            /// What it is, for people and models.
            #[must_use]
            pub fn description(mut self, description: &str) -> Self {
                self.description = Some(description.to_owned());
                self
            }

            /// Of which type its content is.
            #[must_use]
            pub fn mime_type(mut self, mime_type: &str) -> Self {
                self.mime_type = Some(mime_type.to_owned());
                self
            }

            /// Entries of its `_meta`: an object.
            #[must_use]
            pub fn meta(mut self, meta: impl Serialize) -> Self {
                self.meta = Some(json(&meta));
                self
            }

            /// MCP's annotations: an object with `audience`, `priority`, `lastModified`.
            #[must_use]
            pub fn annotated(mut self, annotations: impl Serialize) -> Self {
                self.annotations = Some(json(&annotations));
                self
            }
        }
    )+};
}

described!(Resource, Template);

impl Contents {
    /// A plain text.
    #[must_use]
    pub fn text(uri: &str, text: impl Into<String>) -> Self {
        Self::of(uri, "text/plain", ResourceBody::Text(text.into()))
    }

    /// A JSON document.
    #[must_use]
    pub fn json(uri: &str, value: &impl Serialize) -> Self {
        Self::of(uri, "application/json", ResourceBody::Text(json(value)))
    }

    /// Bytes of the type `mime_type`.
    #[must_use]
    pub fn blob(uri: &str, mime_type: &str, data: impl Into<Vec<u8>>) -> Self {
        Self::of(uri, mime_type, ResourceBody::Blob(data.into()))
    }

    /// The same with another type: a text that is `text/markdown`.
    #[must_use]
    pub fn mime_type(mut self, mime_type: &str) -> Self {
        self.mime_type = Some(mime_type.to_owned());
        self
    }

    /// Entries of its `_meta`: an object.
    #[must_use]
    pub fn meta(mut self, meta: impl Serialize) -> Self {
        self.meta = Some(json(&meta));
        self
    }

    fn of(uri: &str, mime_type: &str, body: ResourceBody) -> Self {
        Self { uri: uri.to_owned(), mime_type: Some(mime_type.to_owned()), body, meta: None }
    }
}

/// The whole list on one page.
impl From<Vec<Resource>> for Page {
    fn from(resources: Vec<Resource>) -> Self {
        Self { resources, next_cursor: None }
    }
}

impl Page {
    /// The same page, with another behind it that `cursor` asks for.
    #[must_use]
    pub fn then(mut self, cursor: impl Into<String>) -> Self {
        self.next_cursor = Some(cursor.into());
        self
    }
}

/// Runs one `resources/read`; none where there is nothing at its URI.
///
/// # Errors
/// As the component stops.
pub fn run<R: Resources>(request: Request) -> Result<Option<Vec<Contents>>, Stop> {
    let Request { uri, answers, state, first_called_at, meta } = request;
    let user = User::new(answers, state, meta, first_called_at);
    R::read(&uri, &user).map_err(|it| user.stop(it))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Datetime;

    struct Library;

    impl Resources for Library {
        fn list(_: Option<&str>) -> Result<Page, Stop> {
            Ok(Page::from(vec![Resource::new("shelf://1", "1").size(3)]).then("2"))
        }

        fn read(uri: &str, user: &User) -> Result<Option<Vec<Contents>>, Stop> {
            if uri == "shelf://secret" {
                user.remember(7);
                user.confirm("Really?")?;
            }
            Ok((uri == "shelf://1").then(|| vec![Contents::blob(uri, "image/png", *b"abc")]))
        }
    }

    fn read(uri: &str) -> Result<Option<Vec<Contents>>, Stop> {
        run::<Library>(Request {
            uri: uri.to_owned(),
            answers: Vec::new(),
            state: None,
            first_called_at: Datetime { seconds: 0, nanoseconds: 0 },
            meta: "{}".to_owned(),
        })
    }

    #[test]
    fn what_is_there_is_read_and_what_is_not_is_none() {
        assert_eq!(read("shelf://1").unwrap().unwrap()[0].mime_type.as_deref(), Some("image/png"));
        assert!(read("shelf://2").unwrap().is_none());
        assert_eq!(Library::list(None).unwrap().next_cursor.as_deref(), Some("2"));
    }

    #[test]
    fn a_read_asks_as_a_tool_does() {
        let Err(Stop::InputRequired(it)) = read("shelf://secret") else { panic!("was not asked") };
        assert_eq!((it.questions.len(), it.state.as_deref()), (1, Some("7")));
    }
}
