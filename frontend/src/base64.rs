//! Bytes as base64 and back (RFC 4648 §4, padded): pictures, files, headers.

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

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

/// Decodes base64 (RFC 4648 §4, padded). Returns none if the text is not valid.
pub(crate) fn decoded(text: &str) -> Option<Vec<u8>> {
    let letters = text.as_bytes();
    if letters.is_empty() || !letters.len().is_multiple_of(4) {
        return None;
    }
    let padding = letters.iter().rev().take_while(|it| **it == b'=').count();
    if padding > 2 {
        return None;
    }
    let body = letters.get(..letters.len() - padding)?;
    let mut bytes = Vec::with_capacity(body.len() / 4 * 3 + 2);
    let (mut bits, mut count) = (0_u32, 0);
    for letter in body {
        bits = (bits << 6) | u32::from(value(*letter)?);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    Some(bytes)
}

/// Returns the value of a base64 letter.
fn value(letter: u8) -> Option<u8> {
    Some(match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

/// Whether a text is valid base64, checked without copying it.
pub(crate) fn is_base64(text: &str) -> bool {
    let letters = text.trim_end_matches('=');
    let padding = text.len() - letters.len();
    !letters.is_empty()
        && text.len().is_multiple_of(4)
        && padding <= 2
        && letters.bytes().all(|it| value(it).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodes_and_decodes_rfc_4648_examples() {
        for (bytes, text) in [
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(encoded(bytes.as_bytes()), text);
            assert_eq!(decoded(text).unwrap(), bytes.as_bytes(), "{text}");
            assert!(is_base64(text), "{text}");
        }
        assert_eq!(encoded(b""), "");
        assert_eq!(encoded(&[255, 254, 253]), "//79");
        assert_eq!(decoded("+/+/").unwrap(), [0xfb, 0xff, 0xbf]);
    }

    #[test]
    fn rejects_invalid_base64() {
        for text in ["", "Z", "Zg=", "Zg", "====", "Z===", "Zg==Zg==", "Zm 9v", "Zm9_", "<svg>==="]
        {
            assert_eq!(decoded(text), None, "{text}");
            assert!(!is_base64(text), "{text}");
        }
    }
}
