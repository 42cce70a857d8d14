//! SHA-256 digests, which name versions, blobs and tokens.

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

/// The SHA-256 of `bytes`, in hexadecimal.
pub fn digest(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// `bytes` in lower-case hexadecimal.
pub fn hexadecimal(bytes: &[u8]) -> String {
    HEXLOWER.encode(bytes)
}
