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

/// Resources of a component, exported by [`export_resources!`](crate::export_resources).
pub trait Resources {
    /// Templates of further URIs besides the list.
    #[must_use]
    fn templates() -> Vec<Template> {
        Vec::new()
    }

    /// Lists the current resources by page; the first without a cursor.
    ///
    /// # Errors
    /// If there is no such page.
    fn list(cursor: Option<&str>) -> Result<Page, Stop>;

    /// Reads `uri`, mostly as one part; `None` if it does not exist. Restarts each time `user` has answered.
    ///
    /// # Errors
    /// See [`Stop`].
    fn read(uri: &str, user: &User) -> Result<Option<Vec<Contents>>, Stop>;
}

impl Resource {
    /// Creates a resource at `uri`; `name` is for programs.
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

    /// Sets the size in bytes.
    #[must_use]
    pub fn size(mut self, bytes: u64) -> Self {
        self.size = Some(bytes);
        self
    }
}

impl Template {
    /// Creates a template of URIs; see [`fits`].
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

/// Properties shared by resources and templates.
macro_rules! described {
    ($($kind:ty),+) => {$(
        impl $kind {
            /// Sets the title for people.
            #[must_use]
            pub fn title(mut self, title: &str) -> Self {
                self.title = Some(title.to_owned());
                self
            }

            /// Sets the description, for people and models.
            #[must_use]
            pub fn description(mut self, description: &str) -> Self {
                self.description = Some(description.to_owned());
                self
            }

            /// Sets the content's media type.
            #[must_use]
            pub fn mime_type(mut self, mime_type: &str) -> Self {
                self.mime_type = Some(mime_type.to_owned());
                self
            }

            /// Sets entries of its `_meta`: an object.
            #[must_use]
            pub fn meta(mut self, meta: impl Serialize) -> Self {
                self.meta = Some(json(&meta));
                self
            }

            /// Sets MCP's annotations: an object with `audience`, `priority`, `lastModified`.
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

    /// Bytes of a media type.
    #[must_use]
    pub fn blob(uri: &str, mime_type: &str, data: impl Into<Vec<u8>>) -> Self {
        Self::of(uri, mime_type, ResourceBody::Blob(data.into()))
    }

    /// Changes the media type: `text/markdown` for a text.
    #[must_use]
    pub fn mime_type(mut self, mime_type: &str) -> Self {
        self.mime_type = Some(mime_type.to_owned());
        self
    }

    /// Sets entries of its `_meta`: an object.
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
    /// Adds the `cursor` of the next page.
    #[must_use]
    pub fn then(mut self, cursor: impl Into<String>) -> Self {
        self.next_cursor = Some(cursor.into());
        self
    }
}

/// Runs one `resources/read`; `None` if the URI does not exist.
///
/// # Errors
/// The component's stop.
pub fn run<R: Resources>(request: Request) -> Result<Option<Vec<Contents>>, Stop> {
    let Request { uri, answers, state, first_called_at, meta } = request;
    let user = User::new(answers, state, meta, first_called_at);
    R::read(&uri, &user).map_err(|it| user.stop(it))
}

// URI templates.

/// What stands in the places of `template`, in their order, where `uri` fits it.
///
/// `{name}` is one part of a path, `{+name}` any number of them, `{?name}` a value of the query,
/// which is empty where there is none. Percent-encoded bytes are decoded.
///
/// ```
/// # use toolkit::resources::fits;
/// let Some([shop, day]) = fits("shop://{shop}/orders{?day}", "shop://7/orders?day=Fri%20day")
/// else { panic!("it fits") };
/// assert_eq!((shop.as_str(), day.as_str()), ("7", "Fri day"));
/// assert_eq!(fits::<1>("shop://{shop}", "shop://7/orders"), None);
/// ```
#[must_use]
pub fn fits<const N: usize>(template: &str, uri: &str) -> Option<[String; N]> {
    let (path, names) = match template.split_once("{?") {
        Some((path, names)) => (path, names.strip_suffix('}')?),
        None => (template, ""),
    };
    let (found, query) = match uri.split_once('?') {
        Some((found, query)) if !names.is_empty() => (found, query),
        _ => (uri, ""),
    };
    let mut values = Vec::with_capacity(N);
    if !path_fits(path, found, &mut values) {
        return None;
    }
    for name in names.split(',').filter(|it| !it.is_empty()) {
        let mut pairs = query.split('&').filter_map(|it| it.split_once('='));
        values.push(pairs.find(|it| it.0 == name).map_or_else(String::new, |it| decoded(it.1)));
    }
    values.try_into().ok()
}

/// The URI of `template` with `values` in its places, percent-encoded: what [`fits`] reads. A value of the
/// query that is empty is left out.
///
/// ```
/// # use toolkit::resources::filled;
/// let uri = filled("shop://{shop}/orders{?day,by}", ["7", "Fri day", ""]);
/// assert_eq!(uri, "shop://7/orders?day=Fri%20day");
/// ```
#[must_use]
pub fn filled<const N: usize>(template: &str, values: [&str; N]) -> String {
    let (mut rest, names) = match template.split_once("{?") {
        Some((path, names)) => (path, names.trim_end_matches('}')),
        None => (template, ""),
    };
    let mut values = values.into_iter();
    let mut uri = String::new();
    while let Some((before, place)) = rest.split_once('{') {
        let (name, behind) = place.split_once('}').unwrap_or((place, ""));
        uri.push_str(before);
        let keeps = if name.starts_with('+') { "/" } else { "" };
        encode(values.next().unwrap_or_default(), keeps, &mut uri);
        rest = behind;
    }
    uri.push_str(rest);
    let mut mark = '?';
    for name in names.split(',').filter(|it| !it.is_empty()) {
        let value = values.next().unwrap_or_default();
        if !value.is_empty() {
            uri.push(mark);
            uri.push_str(name);
            uri.push('=');
            encode(value, "", &mut uri);
            mark = '&';
        }
    }
    uri
}

fn encode(value: &str, keeps: &str, to: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for byte in value.bytes() {
        let letter = char::from(byte);
        if byte.is_ascii_alphanumeric() || "-._~".contains(letter) || keeps.contains(letter) {
            to.push(letter);
        } else {
            let digits = [byte >> 4, byte & 15].map(|it| char::from(DIGITS[usize::from(it)]));
            to.push('%');
            to.extend(digits);
        }
    }
}

/// Matches lazily: each placeholder takes as little as possible.
fn path_fits(template: &str, uri: &str, values: &mut Vec<String>) -> bool {
    let Some((before, rest)) = template.split_once('{') else { return template == uri };
    let Some((name, rest)) = rest.split_once('}') else { return false };
    let Some(uri) = uri.strip_prefix(before) else { return false };
    let takes_paths = name.starts_with('+');
    let (text, is_last) = match rest.split_once('{') {
        Some((text, _)) => (text, false),
        None => (rest, true),
    };
    let end = match (is_last, text.is_empty()) {
        (true, _) => uri.strip_suffix(text).map(str::len),
        (false, true) => None,
        (false, false) => uri.find(text),
    };
    let Some(value) = end.map(|it| &uri[..it]) else { return false };
    if value.is_empty() || (!takes_paths && value.contains('/')) {
        return false;
    }
    values.push(decoded(value));
    path_fits(rest, &uri[value.len()..], values)
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, behind @ ..] = rest {
        let digit = |at: usize| behind.get(at).and_then(|it| char::from(*it).to_digit(16));
        match (first, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push(u8::try_from(high * 16 + low).unwrap_or_default());
                rest = &behind[2..];
            }
            _ => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
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
    fn reads_existing_and_returns_none_otherwise() {
        assert_eq!(read("shelf://1").unwrap().unwrap()[0].mime_type.as_deref(), Some("image/png"));
        assert!(read("shelf://2").unwrap().is_none());
        assert_eq!(Library::list(None).unwrap().next_cursor.as_deref(), Some("2"));
    }

    #[test]
    fn read_may_ask_the_user() {
        let Err(Stop::InputRequired(required)) = read("shelf://secret") else {
            panic!("was not asked")
        };
        assert_eq!((required.questions.len(), required.state.as_deref()), (1, Some("7")));
    }

    #[test]
    fn placeholder_matches_one_segment_by_default() {
        assert_eq!(fits("a://t/{id}/data", "a://t/12/data"), Some(["12".to_owned()]));
        assert_eq!(fits::<1>("a://t/{id}/data", "a://t/1/2/data"), None);
        assert_eq!(fits::<1>("a://t/{id}/data", "a://t//data"), None);
        assert_eq!(fits("a://{+path}", "a://1/2"), Some(["1/2".to_owned()]));
        assert_eq!(fits("a://{x}/{y}", "a://1/2"), Some(["1".to_owned(), "2".to_owned()]));
        assert_eq!(fits("a://fixed", "a://fixed"), Some([]));
        assert_eq!(fits::<0>("a://fixed", "a://other"), None);
    }

    #[test]
    fn filled_template_fits_again() {
        for (shop, day) in [("7", "Fri day"), ("窓/口?&=#%41", "100%"), ("a+b", "")] {
            let uri = filled("a://{shop}/x{?day,n}", [shop, day, ""]);
            assert!(uri.is_ascii() && !uri.contains(' '), "{uri}");
            let found = fits("a://{shop}/x{?day,n}", &uri);
            assert_eq!(found, Some([shop.to_owned(), day.to_owned(), String::new()]), "{uri}");
        }
        assert_eq!(filled("a://{+path}/end", ["1/2 3"]), "a://1/2%203/end");
        assert_eq!(filled("a://fixed", []), "a://fixed");
    }

    #[test]
    fn decodes_values_and_keeps_broken_escapes() {
        assert_eq!(fits("a://{x}", "a://%E7%AA%93"), Some(["窓".to_owned()]));
        assert_eq!(fits("a://{x}", "a://100%"), Some(["100%".to_owned()]));
        assert_eq!(fits("a://s{?q,n}", "a://s?n=2"), Some([String::new(), "2".to_owned()]));
    }
}
