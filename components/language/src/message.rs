//! Messages of the person, of the assistant, and of tools.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use toolkit::dialogue::{Picture, Piece};

/// An entry of a conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Message {
    /// Whether the person wrote it, rather than the assistant.
    pub is_user: bool,
    /// Its parts, in order.
    pub parts: Vec<Part>,
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// A text or a picture.
    pub body: Body,
    /// Opaque value that the model's provider requires back (`thoughtSignature`, ILL-27).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

/// Content of a part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Body {
    /// A text.
    Text(String),
    /// A picture.
    Image(Image),
}

/// A picture with its data.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// MIME type such as `image/png`.
    pub mime_type: String,
    /// Data in base64.
    #[serde(serialize_with = "write", deserialize_with = "read")]
    pub data: Arc<str>,
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
    /// Creates a text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { body: Body::Text(text.into()), signature: None }
    }

    /// Creates a picture.
    pub fn image(image: Image) -> Self {
        Self { body: Body::Image(image), signature: None }
    }
}

impl From<Piece> for Part {
    fn from(piece: Piece) -> Self {
        match piece {
            Piece::Text(text) => Self::text(text),
            Piece::Picture(Picture { mime_type, base64 }) => {
                Self::image(Image { mime_type, data: base64.into() })
            }
        }
    }
}

impl From<Part> for Piece {
    fn from(part: Part) -> Self {
        match part.body {
            Body::Text(text) => Self::Text(text),
            Body::Image(Image { mime_type, data }) => {
                Self::Picture(Picture { mime_type, base64: data.to_string() })
            }
        }
    }
}

/// Joins the texts of `parts` by line breaks.
pub fn text_of(parts: &[Part]) -> String {
    let texts = parts.iter().filter_map(|part| match &part.body {
        Body::Text(text) => Some(text.as_str()),
        Body::Image(_) => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// Joins the texts of `parts`: adjacent texts directly, texts around pictures by line breaks.
pub fn joined_text(parts: &[Part]) -> String {
    let mut joined = String::new();
    let mut is_apart = false;
    for part in parts {
        match &part.body {
            Body::Text(text) => {
                if is_apart && !text.is_empty() {
                    joined.push('\n');
                }
                joined.push_str(text);
                is_apart &= text.is_empty();
            }
            Body::Image(_) => is_apart = !joined.is_empty(),
        }
    }
    joined
}

/// Returns the pictures of `parts`.
pub fn images_of(parts: &[Part]) -> impl Iterator<Item = &Image> {
    parts.iter().filter_map(|part| match &part.body {
        Body::Image(image) => Some(image),
        Body::Text(_) => None,
    })
}
