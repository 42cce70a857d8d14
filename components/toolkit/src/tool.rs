//! What a tool is: its arguments, which describe themselves and run. Pieces of its result beside the object, and
//! identifiers that no two calls share.

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

pub use crate::bindings::{
    exports::madoguchi::tool::tools::Annotations as Hints, madoguchi::tool::types::Content,
};
use crate::{
    Definition, Stop, User,
    bindings::madoguchi::tool::types::{
        LinkContent, MediaContent, ResourceBody, ResourceContent, TextContent,
    },
    definition::json,
};

impl Hints {
    /// A call adds something, and takes nothing away that may be missed.
    pub const ADDITIVE: Self = Self::empty();
}

/// The same in Japanese and in English.
#[derive(Clone, Copy, Debug)]
pub struct Text {
    /// 日本語で。
    pub ja: &'static str,
    /// The text in English.
    pub en: &'static str,
}

/// The English for what the doc comments of a tool say in Japanese.
#[derive(Clone, Copy, Debug)]
pub struct English {
    /// What the tool does.
    pub description: &'static str,
    /// Each argument and what it is; one inside another by a dotted path, `message.sender`.
    pub arguments: &'static [(&'static str, &'static str)],
}

/// A tool, named after what it does; `self` is the arguments of one call.
///
/// The doc comment of the implementing struct is the tool's description and those of its fields
/// describe the arguments, to models and in forms alike. The struct must deny unknown fields, so
/// that a mistyped argument is an error and not ignored.
pub trait Tool: DeserializeOwned + JsonSchema {
    /// Verb first, `[A-Za-z0-9_.-]`, at most 128 bytes.
    const NAME: &'static str;
    /// The title for people.
    const TITLE: Text;
    /// The English of the doc comments.
    const ENGLISH: English;
    /// What forms call arguments whose explanation is no label, by the same paths as in [`English`]. Pages alone
    /// see it; no model reads it.
    const LABELS: &'static [(&'static str, Text)] = &[];
    /// What a call does to the world (SYS-7): [`Hints::READ_ONLY`], [`Hints::ADDITIVE`], or, of a tool that
    /// says nothing, the worst: [`Hints::DESTRUCTIVE`], which is also what cancels, retires, stops or
    /// renews. [`Hints::IDEMPOTENT`] joins any of them.
    const HINTS: Hints = Hints::DESTRUCTIVE;
    /// Which view of the page draws the output.
    const VIEW: Option<&'static str> = None;
    /// Which of the component's [apps](crate::apps) draws the output in clients that show MCP Apps: its URI.
    const APP: Option<&'static str> = None;
    /// More entries for the definition's `_meta`: a JSON object.
    const META: Option<&'static str> = None;
    /// The schema of the arguments verbatim, where the struct cannot say all of it.
    const INPUT_SCHEMA: Option<&'static str> = None;
    /// Whether a first call may bring answers along, to questions that were not put. Never where an
    /// answer is consent: the user may not have seen what to.
    const TAKES_UNASKED_ANSWERS: bool = false;
    /// An object; it goes out as `structuredContent`. Or `()`, of a tool that only
    /// [shows](User::show) something.
    type Output: Serialize + JsonSchema;

    /// Completes what is told of the tool, where a text is made of a table.
    fn complete(_: &mut Definition) {}

    /// Runs the call. It runs again from the top each time `user` has answered, so whatever comes
    /// before a question must have no lasting effect.
    ///
    /// # Errors
    /// Stops where the call cannot reach its output; see [`Stop`].
    fn call(self, user: &User) -> Result<Self::Output, Stop>;
}

// Pieces of a result beside its object: texts, images, sounds, resources and links.
impl Content {
    /// A piece of plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent { text: text.into(), annotations: None, meta: None })
    }

    /// An image of the type `mime_type`: `image/png`.
    pub fn image(data: impl Into<Vec<u8>>, mime_type: &str) -> Self {
        Self::Image(media(data.into(), mime_type))
    }

    /// The same image as one that the output names by `uri`. Bytes in an output are text that a model must
    /// read, so an output names a picture by the URI at which it can be read as a resource, and the
    /// picture stands beside it; where there is no place beside an output, the host puts the bytes in.
    #[must_use]
    pub fn named(mut self, uri: &str) -> Self {
        if let Self::Image(it) = &mut self {
            it.meta = Some(json(&serde_json::json!({ "madoguchi/uri": uri })));
        }
        self
    }

    /// A sound of the type `mime_type`: `audio/wav`.
    pub fn audio(data: impl Into<Vec<u8>>, mime_type: &str) -> Self {
        Self::Audio(media(data.into(), mime_type))
    }

    /// A resource with its text.
    pub fn embedded_text(uri: &str, mime_type: &str, text: impl Into<String>) -> Self {
        embedded(uri, mime_type, ResourceBody::Text(text.into()))
    }

    /// A resource with its bytes.
    pub fn embedded_blob(uri: &str, mime_type: &str, data: impl Into<Vec<u8>>) -> Self {
        embedded(uri, mime_type, ResourceBody::Blob(data.into()))
    }

    /// A resource that the client may read, or not.
    pub fn link(uri: &str, name: &str) -> Self {
        Self::Link(LinkContent {
            uri: uri.to_owned(),
            name: name.to_owned(),
            title: None,
            description: None,
            mime_type: None,
            size: None,
            annotations: None,
            meta: None,
        })
    }

    /// The same with MCP's annotations: an object with `audience`, `priority`, `lastModified`.
    #[must_use]
    pub fn annotated(mut self, annotations: impl Serialize) -> Self {
        let place = match &mut self {
            Self::Text(it) => &mut it.annotations,
            Self::Image(it) | Self::Audio(it) => &mut it.annotations,
            Self::Resource(it) => &mut it.annotations,
            Self::Link(it) => &mut it.annotations,
        };
        *place = Some(json(&annotations));
        self
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

fn media(data: Vec<u8>, mime_type: &str) -> MediaContent {
    MediaContent { data, mime_type: mime_type.to_owned(), annotations: None, meta: None }
}

fn embedded(uri: &str, mime_type: &str, body: ResourceBody) -> Content {
    Content::Resource(ResourceContent {
        uri: uri.to_owned(),
        mime_type: Some(mime_type.to_owned()),
        body,
        annotations: None,
        meta: None,
    })
}

// Identifiers that cannot be guessed and no two calls share.

/// Letters that are not mistaken for one another when read aloud (Crockford's base 32).
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// `prefix-` and sixteen letters: 80 random bits, so that knowing one is a key to what it names.
///
/// # Panics
/// When the component was not granted `wasi:random`.
#[must_use]
pub fn fresh_id(prefix: &str) -> String {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("wasi:random never fails");
    let letters = bytes.iter().map(|it| char::from(LETTERS[usize::from(it & 31)]));
    format!("{prefix}-{}", letters.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_travel_as_json() {
        let content = Content::link("shop://1", "1").annotated(serde_json::json!({"priority": 1}));
        let Content::Link(link) = content else { panic!("no link: {content:?}") };
        assert_eq!(link.annotations.as_deref(), Some(r#"{"priority":1}"#));
    }

    #[test]
    fn a_plain_text_is_content() {
        let Content::Text(text) = Content::from("hello") else { panic!("no text") };
        assert_eq!((text.text.as_str(), text.annotations), ("hello", None));
    }

    #[test]
    fn no_two_identifiers_are_the_same() {
        let (one, other) = (fresh_id("rsv"), fresh_id("rsv"));
        assert_eq!(one.len(), "rsv-".len() + 16);
        assert_ne!(one, other);
    }
}
