//! Messages: of the person, of the assistant, and of tools.

use serde::{Deserialize, Serialize};

/// One entry of a conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Message {
    /// Whether it is the person's, rather than the assistant's.
    pub is_user: bool,
    /// Its pieces, in order.
    pub parts: Vec<Part>,
}

/// A piece of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// A text or a picture.
    pub body: Body,
}

/// What a piece is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Body {
    /// A piece that is text.
    Text(String),
    /// A piece that is a picture.
    Image(Image),
}

/// A picture with its bytes.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// `image/png` and its like.
    pub mime_type: String,
    /// Its bytes in base64.
    pub data: String,
}

impl std::fmt::Debug for Image {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Image({}, {} bytes of base64)", self.mime_type, self.data.len())
    }
}

impl Part {
    /// A part of text alone.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { body: Body::Text(text.into()) }
    }

    /// A part that is a picture.
    #[must_use]
    pub fn image(image: Image) -> Self {
        Self { body: Body::Image(image) }
    }
}

/// The texts among `parts`, one after the other.
pub fn text_of(parts: &[Part]) -> String {
    let texts = parts.iter().filter_map(|part| match &part.body {
        Body::Text(text) => Some(text.as_str()),
        Body::Image(_) => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// The pictures among `parts`.
pub fn images_of(parts: &[Part]) -> impl Iterator<Item = &Image> {
    parts.iter().filter_map(|part| match &part.body {
        Body::Image(image) => Some(image),
        Body::Text(_) => None,
    })
}
