//! Bytes as base64 (RFC 4648): pictures that the reader attaches.

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Writes bytes down.
pub(crate) fn encoded(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let [a, b, c] = [0, 1, 2].map(|it| chunk.get(it).copied().unwrap_or_default());
        let whole = u32::from(a) << 16 | u32::from(b) << 8 | u32::from(c);
        for place in 0..4 {
            let letter = LETTERS[(whole >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standards_own_examples_are_written_as_there() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(encoded(bytes.as_bytes()), text);
        }
        assert_eq!(encoded(&[255, 254, 253]), "//79");
    }
}
