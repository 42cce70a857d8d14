//! Tools: arguments that describe themselves and run; parts of results; unique identifiers; and the examples of a
//! component, which the host runs in order, on a temporary database, before a new version serves.

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{
    Definition, Stop, User,
    bindings::madoguchi::tool::types::{
        LinkContent, MediaContent, ResourceBody, ResourceContent, TextContent,
    },
    definition::json,
};

pub use crate::bindings::{
    examples::exports::madoguchi::tool::examples::{Example, Expected},
    exports::madoguchi::tool::tools::Annotations as Hints,
    madoguchi::tool::types::Content,
};

impl Hints {
    /// A call only adds something.
    pub const ADDITIVE: Self = Self::empty();
}

/// A text in Japanese and in English.
#[derive(Clone, Copy, Debug)]
pub struct Text {
    /// The text in Japanese.
    pub ja: &'static str,
    /// The text in English.
    pub en: &'static str,
}

/// English texts that a tool's doc comments do not have: of a table, or of a schema that is given word for word.
#[derive(Clone, Copy, Debug)]
pub struct English {
    /// What the tool does; empty where the doc comment says it.
    pub description: &'static str,
    /// Descriptions of arguments; a nested one by a dotted path, `message.sender`.
    pub arguments: &'static [(&'static str, &'static str)],
}

impl English {
    /// All is in the doc comments.
    pub const NONE: Self = Self { description: "", arguments: &[] };
}

/// A tool; `self` is the arguments of one call.
///
/// The doc comment of the implementing struct describes the tool and those of its fields the arguments, to models and
/// in forms alike: in Japanese, and in English from a line on that begins with `en: `. The struct must deny unknown
/// fields, so that a mistyped argument is an error and not ignored.
pub trait Tool: DeserializeOwned + JsonSchema {
    /// Verb first, `[A-Za-z0-9_.-]`, at most 128 bytes.
    const NAME: &'static str;
    /// The title for people.
    const TITLE: Text;
    /// English that the doc comments do not have.
    const ENGLISH: English = English::NONE;
    /// Labels of arguments in forms where the description is too long, by the same paths as in [`English`].
    /// Only pages see them.
    const LABELS: &'static [(&'static str, Text)] = &[];
    /// Effect of a call (SYS-7): [`Hints::READ_ONLY`], [`Hints::ADDITIVE`], or by default [`Hints::DESTRUCTIVE`], which
    /// also covers cancelling, retiring, stopping and renewing. [`Hints::IDEMPOTENT`] may be combined with any of them.
    const HINTS: Hints = Hints::DESTRUCTIVE;
    /// View of the page that draws the output.
    const VIEW: Option<&'static str> = None;
    /// URI of the component's [app](crate::apps) that draws the output in clients with MCP Apps.
    const APP: Option<&'static str> = None;
    /// Further entries of the definition's `_meta`: a JSON object.
    const META: Option<&'static str> = None;
    /// Schema of the arguments verbatim, if the struct cannot express it.
    const INPUT_SCHEMA: Option<&'static str> = None;
    /// Whether `call` finds what the schema says of arguments beyond their types: ranges, lengths and numbers of items.
    /// Otherwise it checks them itself, which spares some microseconds a call.
    const HOLDS_SCHEMA: bool = false;
    /// Whether a first call may bring answers to questions that were not put. Never where an answer is
    /// consent: the user may not have seen what to.
    const TAKES_UNASKED_ANSWERS: bool = false;
    /// An object, sent as `structuredContent`; or `()` for a tool that only [shows](User::show) something.
    type Output: Serialize + JsonSchema;

    /// Completes the definition, where a text is generated from a table.
    fn complete(_: &mut Definition) {}

    /// Runs the call. It restarts each time `user` has answered, so that code before a question must have
    /// no lasting effect.
    ///
    /// # Errors
    /// See [`Stop`].
    fn call(self, user: &User) -> Result<Self::Output, Stop>;
}

// Parts of a result besides its object: texts, images, sounds, resources and links.
impl Content {
    /// A plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent { text: text.into(), annotations: None, meta: None })
    }

    /// An image of the type `mime_type`: `image/png`.
    pub fn image(data: impl Into<Vec<u8>>, mime_type: &str) -> Self {
        Self::Image(media(data.into(), mime_type))
    }

    /// Names the image by `uri` in the output. Models must not read bytes in an output, so it refers to a
    /// picture by the URI of its resource, and the picture is separate content; for clients without such
    /// content, the host inserts the bytes.
    #[must_use]
    pub fn named(mut self, uri: &str) -> Self {
        if let Self::Image(image) = &mut self {
            image.meta = Some(json(&serde_json::json!({ "madoguchi/uri": uri })));
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

    /// A link to a resource.
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

    /// Sets MCP's annotations: an object with `audience`, `priority`, `lastModified`.
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

// Unguessable unique identifiers.

/// Letters that are not mistaken for one another when read aloud (Crockford's base 32).
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Creates an identifier: `prefix-` and sixteen letters, 80 random bits, so that it can serve as a key.
///
/// # Panics
/// If the component was not granted `wasi:random`.
#[must_use]
pub fn fresh_id(prefix: &str) -> String {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("wasi:random never fails");
    let letters = bytes.iter().map(|it| char::from(LETTERS[usize::from(it & 31)]));
    format!("{prefix}-{}", letters.collect::<String>())
}

/// A call without its expected outcome.
#[derive(Clone, Debug)]
#[must_use]
pub struct Try {
    name: String,
    tool: String,
    arguments: String,
}

/// A call of `tool` with `arguments`; `name` is a sentence that describes it.
///
/// It runs without settings, at 2027-01-01T00:00:00Z, a Friday.
pub fn example(name: &str, tool: &str, arguments: Value) -> Try {
    Try { name: name.to_owned(), tool: tool.to_owned(), arguments: arguments.to_string() }
}

impl Try {
    /// Expects an output with at least the members of `output`.
    #[must_use]
    pub fn gives(self, output: Value) -> Example {
        self.ends(Expected::Output(output.to_string()))
    }

    /// Expects an error with this code.
    #[must_use]
    pub fn refuses(self, code: &str) -> Example {
        self.ends(Expected::Refused(code.to_owned()))
    }

    /// Expects invalid arguments.
    #[must_use]
    pub fn refuses_the_arguments(self) -> Example {
        self.ends(Expected::InvalidArguments)
    }

    /// Expects a question to the user.
    #[must_use]
    pub fn asks(self) -> Example {
        self.ends(Expected::InputRequired)
    }

    fn ends(self, expected: Expected) -> Example {
        let Self { name, tool, arguments } = self;
        Example { name, tool, arguments, expected }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_become_json() {
        let content = Content::link("shop://1", "1").annotated(serde_json::json!({"priority": 1}));
        let Content::Link(link) = content else { panic!("no link: {content:?}") };
        assert_eq!(link.annotations.as_deref(), Some(r#"{"priority":1}"#));
    }

    #[test]
    fn text_converts_to_content() {
        let Content::Text(text) = Content::from("hello") else { panic!("no text") };
        assert_eq!((text.text.as_str(), text.annotations), ("hello", None));
    }

    #[test]
    fn identifiers_are_unique() {
        let (one, other) = (fresh_id("rsv"), fresh_id("rsv"));
        assert_eq!(one.len(), "rsv-".len() + 16);
        assert_ne!(one, other);
    }
}
