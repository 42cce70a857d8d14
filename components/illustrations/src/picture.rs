//! A card's picture as a file, and what goes out of it.

use std::io::Cursor;

use png::{BitDepth, ColorType, Compression, Decoder, Encoder, Filter, Transformations};
use tiny_skia::{ColorU8, Pixmap};
use toolkit::Content;
use zune_jpeg::{
    JpegDecoder,
    zune_core::{bytestream::ZCursor, colorspace::ColorSpace, options::DecoderOptions},
};

/// Pixels of a picture that is read: more do not fit beside the thumbnail.
const PIXELS_MAX: usize = 2_000_000;
/// Pixels of a side of one.
const SIDE_MAX: usize = 4_096;

/// A card's picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The card's name.
    pub name: String,
    /// What the bytes are: `image/png`, `image/jpeg` or `image/webp`.
    pub mime_type: String,
    /// The bytes of the file.
    pub bytes: Vec<u8>,
}

impl Picture {
    /// What was drawn, as a PNG file without transparency.
    pub fn png(name: &str, drawn: &Pixmap) -> Self {
        let bytes = encoded(drawn).expect("held by a test");
        Self { name: name.to_owned(), mime_type: "image/png".to_owned(), bytes }
    }

    /// The picture itself, of a PNG or JPEG file; none where it is another, broken or too large.
    pub fn read(&self) -> Option<Pixmap> {
        match self.mime_type.as_str() {
            "image/png" => read_png(&self.bytes),
            "image/jpeg" => read_jpeg(&self.bytes),
            _ => None,
        }
    }

    /// The file as a piece of content, which models see (ILL-3), of an output that names it by `uri`.
    pub fn content(self, uri: &str) -> Content {
        Content::image(self.bytes, &self.mime_type).named(uri)
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

fn read_png(bytes: &[u8]) -> Option<Pixmap> {
    let mut decoder = Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(Transformations::normalize_to_color8() | Transformations::ALPHA);
    let mut reader = decoder.read_info().ok()?;
    let (width, height) = (reader.info().width, reader.info().height);
    let size = room(width as usize, height as usize)?;
    let mut pixels = vec![0; reader.output_buffer_size()?];
    let frame = reader.next_frame(&mut pixels).ok()?;
    pixels.truncate(frame.buffer_size());
    let rgba = match frame.color_type {
        ColorType::Rgba => pixels,
        ColorType::GrayscaleAlpha => {
            pixels.chunks_exact(2).flat_map(|it| [it[0], it[0], it[0], it[1]]).collect()
        }
        _ => return None,
    };
    (rgba.len() == size * 4).then(|| premultiplied(width, height, &rgba))?
}

fn read_jpeg(bytes: &[u8]) -> Option<Pixmap> {
    let options = DecoderOptions::default()
        .set_max_width(SIDE_MAX)
        .set_max_height(SIDE_MAX)
        .jpeg_set_out_colorspace(ColorSpace::RGBA);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().ok()?;
    let (width, height) = decoder.dimensions()?;
    let size = room(width, height)?;
    let rgba = decoder.decode().ok()?;
    let (width, height) = (u32::try_from(width).ok()?, u32::try_from(height).ok()?);
    (rgba.len() == size * 4).then(|| premultiplied(width, height, &rgba))?
}

/// How many pixels these are, where there is room for them.
fn room(width: usize, height: usize) -> Option<usize> {
    let size = width.checked_mul(height)?;
    (size > 0 && size <= PIXELS_MAX && width <= SIDE_MAX && height <= SIDE_MAX).then_some(size)
}

fn premultiplied(width: u32, height: u32, rgba: &[u8]) -> Option<Pixmap> {
    let mut picture = Pixmap::new(width, height)?;
    for (to, from) in picture.pixels_mut().iter_mut().zip(rgba.chunks_exact(4)) {
        *to = ColorU8::from_rgba(from[0], from[1], from[2], from[3]).premultiply();
    }
    Some(picture)
}
