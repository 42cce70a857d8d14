//! Identifiers that sort by time, and random tokens.

use sha2::{Digest, Sha256};

use crate::clock::Moment;

/// Returns `conv_` and a UUID of version 7.
pub fn conversation(now: Moment) -> String {
    format!("conv_{}", uuid(now))
}

/// Returns `msg_` and a UUID of version 7 (CONV-X15).
pub fn message(now: Moment) -> String {
    format!("msg_{}", uuid(now))
}

/// Returns the identifier of a pending purpose: `pap_` and a UUID of version 7.
pub fn purpose(now: Moment) -> String {
    format!("pap_{}", uuid(now))
}

/// Returns `sess_` and 256 random bits in hexadecimal (CONV-83).
pub fn session_token() -> String {
    format!("sess_{}", secret())
}

/// Returns 256 random bits in hexadecimal.
pub fn secret() -> String {
    hex(&random::<32>())
}

/// Returns the digest to store for a token.
pub fn digest(token: &str) -> String {
    hex(&Sha256::digest(token.as_bytes()))
}

/// Returns random bytes.
///
/// # Panics
/// When the component was not granted `wasi:random`.
pub fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("wasi:random never fails");
    bytes
}

/// A UUID of version 7 (RFC 9562): milliseconds since 1970, then randomness.
fn uuid(now: Moment) -> String {
    let mut bytes = random::<16>();
    bytes[..6].copy_from_slice(&now.ms().to_be_bytes()[2..]);
    bytes[6] = bytes[6] & 0x0f | 0x70;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = hex(&bytes);
    let parts = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
    parts.join("-")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|it| format!("{it:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_time_sorted_uuids_of_version_7() {
        let now = Moment::read("2026-01-23T10:00:00Z").unwrap();
        let (one, next) = (message(now), message(now.after(1)));
        assert!(one < next, "{one} {next}");
        assert_eq!((one.len(), &one[18..19]), (40, "7"), "{one}");
        assert_ne!(message(now), one);
    }

    #[test]
    fn digest_does_not_show_the_token() {
        let token = session_token();
        assert_eq!(token.len(), "sess_".len() + 64);
        assert_eq!(digest("abc").len(), 64);
        assert!(digest("abc").starts_with("ba7816bf"));
    }
}
