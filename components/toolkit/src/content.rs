//! Pieces of a result beside its object: texts, images, sounds, resources and links.

use serde::Serialize;

pub use crate::bindings::madoguchi::tool::types::Content;
use crate::{
    bindings::madoguchi::tool::types::{
        LinkContent, MediaContent, ResourceBody, ResourceContent, TextContent,
    },
    definition::json,
};

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
}
