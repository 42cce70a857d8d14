//! Messages: of the person, of the model, and of tools.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// One entry of a conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Message {
    /// Whether it is the person's, rather than the assistant's.
    pub(crate) is_user: bool,
    pub(crate) parts: Vec<Part>,
}

/// A piece of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Part {
    pub(crate) body: Body,
    /// What its provider wants back with it, as it came (`thoughtSignature`, ILL-27).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) signature: Option<String>,
}

/// What a piece is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Body {
    Text(String),
    Image(Image),
}

/// A picture with its bytes.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Image {
    /// `image/png` and its like.
    pub(crate) mime_type: String,
    /// Its bytes in base64, as every provider wants them.
    #[serde(serialize_with = "write", deserialize_with = "read")]
    pub(crate) data: Arc<str>,
}

fn write<S: serde::Serializer>(data: &Arc<str>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(data)
}

fn read<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Arc<str>, D::Error> {
    String::deserialize(from).map(Into::into)
}

impl std::fmt::Debug for Image {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Image({}, {} bytes of base64)", self.mime_type, self.data.len())
    }
}

impl Part {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self { body: Body::Text(text.into()), signature: None }
    }

    pub(crate) fn image(image: Image) -> Self {
        Self { body: Body::Image(image), signature: None }
    }
}

/// The texts among `parts`, one after the other.
pub(crate) fn text_of(parts: &[Part]) -> String {
    let texts = parts.iter().filter_map(|part| match &part.body {
        Body::Text(text) => Some(text.as_str()),
        Body::Image(_) => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// The pictures among `parts`.
pub(crate) fn images_of(parts: &[Part]) -> impl Iterator<Item = &Image> {
    parts.iter().filter_map(|part| match &part.body {
        Body::Image(image) => Some(image),
        Body::Text(_) => None,
    })
}
