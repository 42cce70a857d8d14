//! A card's picture as a file, and what goes out of it.

use base64::{Engine, engine::general_purpose::STANDARD};
use png::{BitDepth, ColorType, Compression, Encoder, Filter};
use tiny_skia::Pixmap;
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
    /// What was drawn, as a PNG file without transparency.
    #[must_use]
    pub fn png(name: &str, drawn: &Pixmap) -> Self {
        let bytes = encoded(drawn).expect("held by a test");
        Self { name: name.to_owned(), mime_type: "image/png".to_owned(), bytes }
    }

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

fn encoded(drawn: &Pixmap) -> Result<Vec<u8>, png::EncodingError> {
    let pixels = drawn.data().chunks_exact(4).flat_map(|it| [it[0], it[1], it[2]]);
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, drawn.width(), drawn.height());
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Fast);
    encoder.set_filter(Filter::Paeth);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels.collect::<Vec<_>>())?;
    writer.finish()?;
    Ok(bytes)
}
