//! Card illustrations (ILL-1, ILL-2), and the picture that is composed of them. A picture is named by its
//! URI: its bytes stand beside the output; where nothing can stand there, the host puts them in as `data`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What `get_card_illustration` puts out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Illustration {
    /// `image/png` and its like.
    pub mime_type: String,
    /// Where the picture can be read as a resource.
    #[serde(default)]
    pub uri: String,
    /// The picture in base64. Left out where it stands beside the output, as image content.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub data: String,
}

/// What `get_theme_illustrations` puts out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Illustrations {
    /// The pictures, best known first.
    pub illustrations: Vec<CardIllustration>,
}

/// One card of a theme.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CardIllustration {
    /// The card's name.
    pub card_name: String,
    /// `image/png` and its like.
    #[serde(rename = "mimeType")]
    pub mime_type: String,
    /// Where the picture can be read as a resource.
    #[serde(default)]
    pub uri: String,
    /// The picture in base64. Left out where it stands beside the output, as image content.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub data: String,
}

/// What `compose_thumbnail` puts out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Thumbnail {
    /// Always `image/png`.
    pub mime_type: String,
    /// Where the picture can be read as a resource.
    #[serde(default)]
    pub uri: String,
    /// The picture in base64. Left out where it stands beside the output, as image content.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub data: String,
    /// The text on it.
    pub title: String,
    /// Its width in pixels.
    pub width: u32,
    /// Its height in pixels.
    pub height: u32,
    /// The cards on it, from left to right.
    pub cards: Vec<String>,
}
