//! A picture of a conversation: made by the assistant, fetched by a tool, or attached by the person.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A picture of a conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Picture {
    /// Under what the browser keeps its bytes over a reload; no other picture has the same.
    pub(crate) id: String,
    /// `image/png`, `image/jpeg`, `image/webp`, `image/gif`: anything else is not taken.
    pub(crate) mime: String,
    /// What it is called, where it has a name: a card's name, a file's.
    pub(crate) name: String,
    /// When it came, in milliseconds since 1970.
    pub(crate) at_ms: u64,
    /// Base64; none where it is no longer kept. Kept apart from the conversation.
    #[serde(skip)]
    pub(crate) data: Option<Arc<str>>,
}

/// Kinds of pictures that are shown and sent.
pub(crate) const KINDS: [&str; 4] = ["image/png", "image/jpeg", "image/webp", "image/gif"];
/// Characters of base64 of one picture.
pub(crate) const DATA_MAX: usize = 14 << 20;

impl Picture {
    /// A picture that came from outside; none where it is none.
    pub(crate) fn of(id: String, mime: &str, data: &str, name: &str, at_ms: u64) -> Option<Self> {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
        let is_data = !data.is_empty() && data.len() <= DATA_MAX && data.bytes().all(is_letter);
        (KINDS.contains(&mime) && is_data).then(|| Self {
            id,
            mime: mime.to_owned(),
            name: name.chars().filter(|it| !it.is_control()).take(120).collect(),
            at_ms,
            data: Some(data.into()),
        })
    }

    /// What an `img` can show; none where the bytes are no longer kept.
    pub(crate) fn url(&self) -> Option<String> {
        let data = self.data.as_ref()?;
        Some(format!("data:{};base64,{data}", self.mime))
    }

    /// How its file's name ends.
    pub(crate) fn ending(&self) -> &'static str {
        match self.mime.as_str() {
            "image/jpeg" => "jpg",
            "image/webp" => "webp",
            "image/gif" => "gif",
            _ => "png",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_picture_becomes_one() {
        let of = |mime: &str, data: &str| Picture::of("1".to_owned(), mime, data, "青", 7);
        let picture = of("image/png", "aGk=").unwrap();
        assert_eq!(picture.url().as_deref(), Some("data:image/png;base64,aGk="));
        for (mime, data) in [
            ("image/svg+xml", "aGk="),
            ("text/html", "aGk="),
            ("image/png", ""),
            ("image/png", "<svg>"),
            ("image/png;a=\"", "aGk="),
        ] {
            assert_eq!(of(mime, data), None, "{mime} {data}");
        }
    }

    #[test]
    fn the_bytes_are_kept_apart_from_the_conversation() {
        let picture = Picture::of("1".to_owned(), "image/webp", "aGk=", "", 7).unwrap();
        let text = serde_json::to_string(&picture).unwrap();
        assert!(!text.contains("aGk="), "{text}");
        let back: Picture = serde_json::from_str(&text).unwrap();
        assert_eq!((back.data, back.mime.as_str()), (None, "image/webp"));
    }
}
