//! A card's picture as a file, and what goes out of it.

use base64::{Engine, engine::general_purpose::STANDARD};
use toolkit::Content;

/// A card's picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The card's name.
    pub name: String,
    /// What the bytes are: `image/png`, `image/jpeg` or `image/webp`.
    pub mime_type: String,
    /// The file.
    pub bytes: Vec<u8>,
}

impl Picture {
    /// The file in base64, as outputs have it.
    #[must_use]
    pub fn base64(&self) -> String {
        STANDARD.encode(&self.bytes)
    }

    /// The file as a piece of content, which models see (ILL-3).
    #[must_use]
    pub fn content(&self) -> Content {
        Content::image(self.bytes.clone(), &self.mime_type)
    }
}
