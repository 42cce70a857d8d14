//! Messages: of the person, of the assistant, and of tools.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use toolkit::dialogue::{Picture, Piece};

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
    /// What a model's provider wants back with it, as it came (`thoughtSignature`, ILL-27).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
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
    /// A part of text alone.
    pub fn text(text: impl Into<String>) -> Self {
        Self { body: Body::Text(text.into()), signature: None }
    }

    /// A part that is a picture.
    pub fn image(image: Image) -> Self {
        Self { body: Body::Image(image), signature: None }
    }
}

/// As the contract has it.
impl From<Piece> for Part {
    fn from(it: Piece) -> Self {
        match it {
            Piece::Text(text) => Self::text(text),
            Piece::Picture(Picture { mime_type, base64 }) => {
                Self::image(Image { mime_type, data: base64.into() })
            }
        }
    }
}

/// As the contract has it.
impl From<Part> for Piece {
    fn from(it: Part) -> Self {
        match it.body {
            Body::Text(text) => Self::Text(text),
            Body::Image(Image { mime_type, data }) => {
                Self::Picture(Picture { mime_type, base64: data.to_string() })
            }
        }
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

/// What `parts` tell: texts that follow each other are one, as they came, and pictures part them.
pub fn told(parts: &[Part]) -> String {
    let mut text = String::new();
    let mut is_apart = false;
    for part in parts {
        match &part.body {
            Body::Text(it) => {
                if is_apart && !it.is_empty() {
                    text.push('\n');
                }
                text.push_str(it);
                is_apart &= it.is_empty();
            }
            Body::Image(_) => is_apart = !text.is_empty(),
        }
    }
    text
}

/// The pictures among `parts`.
pub fn images_of(parts: &[Part]) -> impl Iterator<Item = &Image> {
    parts.iter().filter_map(|part| match &part.body {
        Body::Image(image) => Some(image),
        Body::Text(_) => None,
    })
}
