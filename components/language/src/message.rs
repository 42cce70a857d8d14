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

/// Characters of a MIME type that a note shows.
const SHOWN_MAX: usize = 64;

impl Image {
    /// The picture with that base64 `data`, if `mime_type` is one of pictures. Data that begins as another kind of
    /// picture has that kind: providers refuse a picture whose type is wrong, and all others with it.
    pub fn read(mime_type: &str, data: impl Into<Arc<str>>) -> Option<Self> {
        let is_right = |it: u8| it.is_ascii_alphanumeric() || b".+-".contains(&it);
        let kind = mime_type.strip_prefix("image/").unwrap_or_default();
        let is_picture = !kind.is_empty() && kind.bytes().all(is_right);
        is_picture.then(|| {
            let data = data.into();
            Self { mime_type: kind_of(&data).unwrap_or(mime_type).to_owned(), data }
        })
    }
}

/// The kind of a picture by the beginning of its `data` in base64.
fn kind_of(data: &str) -> Option<&'static str> {
    let begins = |it: &str| data.starts_with(it);
    if begins("iVBORw0KGgo") {
        Some("image/png")
    } else if begins("/9j/") {
        Some("image/jpeg")
    } else if begins("R0lGODdh") || begins("R0lGODlh") {
        Some("image/gif")
    } else {
        // "RIFF", four bytes of a length, "WEBP".
        (begins("UklGR") && data.get(12..16) == Some("RUJQ")).then_some("image/webp")
    }
}

impl Part {
    /// Creates a picture, or a note in place of data that is none.
    pub fn picture(mime_type: &str, data: impl Into<Arc<str>>) -> Self {
        Image::read(mime_type, data).map_or_else(
            || {
                let kind = mime_type.chars().filter(|it| !it.is_control()).take(SHOWN_MAX);
                let kind: String = kind.collect();
                Self::text(format!("[{kind:?}: 画像ではありません / no picture]"))
            },
            Self::image,
        )
    }

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
            Piece::Picture(Picture { mime_type, base64 }) => Self::picture(&mime_type, base64),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_of_another_kind_is_no_picture() {
        for mime_type in ["image/png", "image/svg+xml"] {
            let part = Part::picture(mime_type, "AAAA");
            assert!(matches!(part.body, Body::Image(it) if it.mime_type == mime_type));
        }
        for mime_type in ["text/html", "image/", "image", "", "image/png;base64,x", "image/\"png"] {
            let part = Part::picture(mime_type, "AAAA");
            assert!(
                matches!(&part.body, Body::Text(it) if it.contains("no picture")),
                "{mime_type}"
            );
        }
    }

    #[test]
    fn picture_has_the_kind_that_its_data_has() {
        for (data, kind) in [
            ("iVBORw0KGgoAAAANSUhEUg==", "image/png"),
            ("/9j/4AAQSkZJRg==", "image/jpeg"),
            ("R0lGODlhAQABAA==", "image/gif"),
            ("UklGRiQAAABXRUJQVlA4", "image/webp"),
            ("UklGRiQAAABXQVZFZm10", "image/heic"),
            ("AAAA", "image/heic"),
        ] {
            assert_eq!(Image::read("image/heic", data).unwrap().mime_type, kind, "{data}");
        }
        assert_eq!(Image::read("text/html", "iVBORw0KGgoAAAANSUhEUg=="), None);
    }
}
