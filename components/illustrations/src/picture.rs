//! A card's picture as a file: its media type by the first bytes, decoding and encoding.

use std::io::Cursor;

use png::{BitDepth, ColorType, Compression, Decoder, Encoder, Filter, Transformations};
use tiny_skia::{ColorU8, Pixmap};
use toolkit::Content;
use zune_jpeg::{
    JpegDecoder,
    zune_core::{bytestream::ZCursor, colorspace::ColorSpace, options::DecoderOptions},
};

/// Maximum number of pixels of a decoded picture: more do not fit into memory with the thumbnail.
const PIXELS_MAX: usize = 2_000_000;
/// Maximum side of a decoded picture, in pixels.
const READ_SIDE_MAX: usize = 4_096;

/// A card's picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The card's name.
    pub name: String,
    /// The media type: `image/png`, `image/jpeg` or `image/webp`.
    pub mime_type: String,
    /// The bytes of the file.
    pub bytes: Vec<u8>,
}

impl Picture {
    /// Encodes a drawing as a PNG file without transparency.
    pub fn png(name: &str, drawn: &Pixmap) -> Self {
        let bytes = encoded(drawn).expect("held by a test");
        Self { name: name.to_owned(), mime_type: "image/png".to_owned(), bytes }
    }

    /// Decodes a PNG or JPEG file; none for other, broken or too large ones.
    pub fn read(&self) -> Option<Pixmap> {
        match self.mime_type.as_str() {
            "image/png" => read_png(&self.bytes),
            "image/jpeg" => read_jpeg(&self.bytes),
            _ => None,
        }
    }

    /// Converts the file into content that models see (ILL-3), for an output that names it by `uri`.
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
    let size = checked_pixels(width as usize, height as usize)?;
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
        .set_max_width(READ_SIDE_MAX)
        .set_max_height(READ_SIDE_MAX)
        .jpeg_set_out_colorspace(ColorSpace::RGBA);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().ok()?;
    let (width, height) = decoder.dimensions()?;
    let size = checked_pixels(width, height)?;
    let rgba = decoder.decode().ok()?;
    let (width, height) = (u32::try_from(width).ok()?, u32::try_from(height).ok()?);
    (rgba.len() == size * 4).then(|| premultiplied(width, height, &rgba))?
}

/// Returns the number of pixels, if there is room for them.
fn checked_pixels(width: usize, height: usize) -> Option<usize> {
    let size = width.checked_mul(height)?;
    (size > 0 && size <= PIXELS_MAX && width <= READ_SIDE_MAX && height <= READ_SIDE_MAX)
        .then_some(size)
}

fn premultiplied(width: u32, height: u32, rgba: &[u8]) -> Option<Pixmap> {
    let mut picture = Pixmap::new(width, height)?;
    for (to, from) in picture.pixels_mut().iter_mut().zip(rgba.chunks_exact(4)) {
        *to = ColorU8::from_rgba(from[0], from[1], from[2], from[3]).premultiply();
    }
    Some(picture)
}

/// Maximum side of a picture, in pixels.
const SIDE_MAX: u32 = 8_192;
/// Maximum number of bytes of a JPEG searched for its size.
const JPEG_BYTES_MAX: usize = 1 << 20;

/// Why a file is no picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureError {
    /// The file is empty.
    Empty,
    /// The file is an HTML page.
    Html,
    /// The format is unknown.
    Unknown,
    /// The header has no readable size.
    Cut,
    /// A side has no pixels or too many.
    Size,
}

impl std::fmt::Display for PictureError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Empty => f.write_str("it is empty"),
            Self::Html => f.write_str("it is an HTML page and no picture"),
            Self::Unknown => f.write_str("it is no PNG, JPEG, WebP or GIF"),
            Self::Cut => f.write_str("its header cannot be read"),
            Self::Size => write!(f, "its sides must have 1 to {SIDE_MAX} pixels"),
        }
    }
}

/// Returns the media type by the picture's header.
///
/// # Errors
/// Why it is no picture.
pub fn mime_type(bytes: &[u8]) -> Result<&'static str, PictureError> {
    let (mime_type, size) = match bytes {
        [] => return Err(PictureError::Empty),
        [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => ("image/png", png(bytes)),
        [0xff, 0xd8, 0xff, ..] => ("image/jpeg", jpeg(bytes)),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => {
            ("image/webp", webp(bytes))
        }
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => ("image/gif", gif(bytes)),
        _ if is_html(bytes) => return Err(PictureError::Html),
        _ => return Err(PictureError::Unknown),
    };
    let (width, height) = size.ok_or(PictureError::Cut)?;
    let fits = |it: u32| (1..=SIDE_MAX).contains(&it);
    if fits(width) && fits(height) { Ok(mime_type) } else { Err(PictureError::Size) }
}

fn is_html(bytes: &[u8]) -> bool {
    let begin = bytes.trim_ascii_start();
    begin.starts_with(b"<")
}

fn png(bytes: &[u8]) -> Option<(u32, u32)> {
    (bytes.get(12..16)? == b"IHDR").then_some(())?;
    Some((big(bytes.get(16..20)?), big(bytes.get(20..24)?)))
}

fn gif(bytes: &[u8]) -> Option<(u32, u32)> {
    Some((little(bytes.get(6..8)?), little(bytes.get(8..10)?)))
}

fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    match bytes.get(12..16)? {
        b"VP8X" => Some((little(bytes.get(24..27)?) + 1, little(bytes.get(27..30)?) + 1)),
        b"VP8L" => {
            (*bytes.get(20)? == 0x2f).then_some(())?;
            let bits = little(bytes.get(21..25)?);
            Some(((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1))
        }
        b"VP8 " => {
            (bytes.get(23..26)? == [0x9d, 0x01, 0x2a]).then_some(())?;
            Some((little(bytes.get(26..28)?) & 0x3fff, little(bytes.get(28..30)?) & 0x3fff))
        }
        _ => None,
    }
}

/// Returns the size of a JPEG, whose frame header follows any number of other segments.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    while at < JPEG_BYTES_MAX {
        let [0xff, marker] = *bytes.get(at..at + 2)? else { return None };
        match marker {
            // Fill bytes and standalone markers.
            0xff => at += 1,
            0x01 | 0xd0..=0xd8 => at += 2,
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                return Some((big(bytes.get(at + 7..at + 9)?), big(bytes.get(at + 5..at + 7)?)));
            }
            _ => {
                let length = big(bytes.get(at + 2..at + 4)?);
                at += 2 + usize::try_from(length.max(2)).ok()?;
            }
        }
    }
    None
}

fn big(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |number, it| (number << 8) | u32::from(*it))
}

fn little(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |number, it| (number << 8) | u32::from(*it))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns a PNG's signature and header, which are all that is checked.
    pub(crate) fn png_of(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        bytes.extend(width.to_be_bytes());
        bytes.extend(height.to_be_bytes());
        bytes
    }

    #[test]
    fn detects_four_formats_by_bytes() {
        let jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x11\x08\0\x10\0\x20\x03";
        let mut lossless = b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f".to_vec();
        lossless.extend(((31_u32) | (15 << 14)).to_le_bytes());
        let extended = b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0\x1f\0\0\x0f\0\0";
        let lossy = b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x20\0\x10\0";
        assert_eq!(mime_type(&png_of(32, 16)), Ok("image/png"));
        assert_eq!(mime_type(jpeg), Ok("image/jpeg"));
        for webp in [&lossless[..], extended, lossy] {
            assert_eq!(mime_type(webp), Ok("image/webp"));
            assert_eq!(super::webp(webp), Some((32, 16)));
        }
        assert_eq!(mime_type(b"GIF89a\x20\0\x10\0"), Ok("image/gif"));
    }

    #[test]
    fn reports_why_a_file_is_no_picture() {
        for (bytes, broken) in [
            (&b""[..], PictureError::Empty),
            (b" <!doctype html>", PictureError::Html),
            (b"%PDF-1.7", PictureError::Unknown),
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0", PictureError::Cut),
            (b"\xff\xd8\xff\xe0\0\x04ab", PictureError::Cut),
            (b"GIF89a\0\0\x10\0", PictureError::Size),
        ] {
            assert_eq!(mime_type(bytes), Err(broken), "{bytes:?}");
        }
        assert_eq!(mime_type(&png_of(8_193, 1)), Err(PictureError::Size));
    }
}
