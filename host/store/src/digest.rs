//! The SHA-256 of things, by which versions, blobs and tokens are named.

use sha2::{Digest, Sha256};

/// The SHA-256 of `bytes`, in hexadecimal.
pub fn digest(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// `bytes` in lower-case hexadecimal.
pub fn hexadecimal(bytes: &[u8]) -> String {
    // By hand: a `format!` for each byte takes as long as the digest of a kilobyte.
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = |it: u8| [DIGITS[usize::from(it >> 4)], DIGITS[usize::from(it & 15)]];
    bytes.iter().flat_map(|it| digits(*it).map(char::from)).collect()
}
