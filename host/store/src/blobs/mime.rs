//! Media types of blobs: declared, detected, and whether a browser may show them.

/// A type that contents are recognised as.
pub type Sniffed = &'static str;

/// Default media type.
pub const UNKNOWN: &str = "application/octet-stream";
/// Bytes that a declared type may have.
const DECLARED_BYTES_MAX: usize = 127;

/// Signatures: offset, bytes and type. The first match counts.
const BEGINNINGS: [(usize, &[u8], &str); 26] = [
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (8, b"WEBPVP8", "image/webp"),
    (4, b"ftypavif", "image/avif"),
    (4, b"ftyphei", "image/heic"),
    (4, b"ftypmif1", "image/heif"),
    (0, b"%PDF-", "application/pdf"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"\xff\xfb", "audio/mpeg"),
    (0, b"\xff\xf3", "audio/mpeg"),
    (8, b"WAVE", "audio/wav"),
    (0, b"OggS", "audio/ogg"),
    (0, b"fLaC", "audio/flac"),
    (4, b"ftypM4A", "audio/mp4"),
    (4, b"ftyp", "video/mp4"),
    (0, b"\x1a\x45\xdf\xa3", "video/webm"),
    (0, b"PK\x03\x04", "application/zip"),
    (0, b"\x1f\x8b", "application/gzip"),
    (0, b"\0asm", "application/wasm"),
    (0, b"<!doctype html", "text/html"),
    (0, b"<html", "text/html"),
    (0, b"<script", "text/html"),
    (0, b"<svg", "image/svg+xml"),
    (0, b"<?xml", "application/xml"),
];

/// Types that no browser runs as a program. SVG and HTML are not among them and never may be.
const INLINE: [&str; 14] = [
    "application/pdf",
    "audio/flac",
    "audio/mp4",
    "audio/mpeg",
    "audio/ogg",
    "audio/wav",
    "audio/webm",
    "image/avif",
    "image/gif",
    "image/jpeg",
    "image/png",
    "image/webp",
    "video/mp4",
    "video/webm",
];

/// Detects the type of content that starts with `head`.
pub fn sniff(head: &[u8]) -> Option<&'static str> {
    let text = head.trim_ascii_start().to_ascii_lowercase();
    let fits = |(at, bytes, _): &&(usize, &[u8], &str)| {
        let is_text = bytes.starts_with(b"<");
        let head = if is_text { &text } else { head };
        head.get(*at..).is_some_and(|it| it.starts_with(bytes))
    };
    BEGINNINGS.iter().find(fits).map(|it| it.2)
}

/// A type that was sniffed once, read back.
pub(super) fn known(mime_type: &str) -> Option<&'static str> {
    BEGINNINGS.iter().map(|it| it.2).find(|it| *it == mime_type)
}

/// The type that is declared: [`UNKNOWN`] where none is, nothing where it is none.
pub fn declared(mime_type: Option<&str>) -> Option<String> {
    let Some(mime_type) = mime_type.map(str::trim) else { return Some(UNKNOWN.to_owned()) };
    let is_token = |text: &str| {
        let fits = |c: char| c.is_ascii_alphanumeric() || "!#$&-^_.+".contains(c);
        !text.is_empty() && text.chars().all(fits)
    };
    let is_shown = mime_type.chars().all(|it| it == ' ' || it.is_ascii_graphic());
    let (kind, subtype) = essence(mime_type).split_once('/')?;
    let fits = is_token(kind) && is_token(subtype) && is_shown;
    (fits && mime_type.len() <= DECLARED_BYTES_MAX).then(|| mime_type.to_ascii_lowercase())
}

fn essence(mime_type: &str) -> &str {
    mime_type.split(';').next().unwrap_or_default().trim()
}

/// Whether a browser may show it in place: it is of the type that it has, and that is harmless.
pub fn is_inline(mime_type: &str, sniffed: Option<&str>) -> bool {
    let declared = essence(mime_type);
    let Some(sniffed) = sniffed.filter(|_| INLINE.contains(&declared)) else { return false };
    // Audio and video share containers.
    let subtype = |it: &str| it.split_once('/').map(|it| it.1.to_owned());
    let is_media = |it: &str| it.starts_with("audio/") || it.starts_with("video/");
    let same_container =
        is_media(declared) && is_media(sniffed) && subtype(declared) == subtype(sniffed);
    declared == sniffed || same_container
}

/// Whether the page could load this type as code, because its policy allows its own origin.
pub fn is_code(mime_type: &str) -> bool {
    let text = mime_type.to_ascii_lowercase();
    ["javascript", "ecmascript", "jscript", "livescript", "text/css", "wasm"]
        .iter()
        .any(|it| text.contains(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_real_picture_and_rejects_disguised_page() {
        let png = b"\x89PNG\r\n\x1a\nrest";
        assert!(is_inline("image/png", sniff(png)));
        assert!(!is_inline("image/png", sniff(b"<html><script>alert(1)</script>")));
        assert!(!is_inline("text/html", sniff(png)));
        assert!(!is_inline("image/svg+xml", sniff(b"<svg onload='alert(1)'>")));
        assert!(!is_inline("image/png", None));
        assert!(is_inline("audio/webm", sniff(b"\x1a\x45\xdf\xa3")));
    }

    #[test]
    fn phone_photo_is_not_detected_as_video() {
        assert_eq!(sniff(b"\0\0\0\x24ftypheic\0\0\0\0mif1heic"), Some("image/heic"));
        assert_eq!(sniff(b"\0\0\0\x1cftypmif1\0\0\0\0mif1heic"), Some("image/heif"));
        assert_eq!(sniff(b"\0\0\0\x20ftypisom"), Some("video/mp4"));
        assert_eq!(sniff(b"\0\0\0\x14ftypqt  "), Some("video/mp4"));
    }

    #[test]
    fn accepts_only_valid_declared_types() {
        assert_eq!(declared(None).as_deref(), Some(UNKNOWN));
        assert_eq!(
            declared(Some("Text/Plain; charset=UTF-8")).unwrap(),
            "text/plain; charset=utf-8"
        );
        for bad in ["", "text", "text/", "a b/c", "text/plain\r\nx: y", &"a/".repeat(100)] {
            assert_eq!(declared(Some(bad)), None, "{bad:?}");
        }
    }

    #[test]
    fn recognizes_script_and_style_types_in_any_spelling() {
        for code in
            ["text/javascript", "Application/ECMAScript; x=y", "text/css", "application/wasm"]
        {
            assert!(is_code(code), "{code}");
        }
        for other in ["text/plain", "application/postscript", "image/svg+xml", UNKNOWN] {
            assert!(!is_code(other), "{other}");
        }
    }
}
